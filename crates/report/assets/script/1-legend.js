// The files of this folder are one script, in the order of their names. Every chart is in the page's data with
// its points, colours and what its axes measure (src/page/chart/spec.rs). Words go in as text, never as markup.
const specs = JSON.parse(document.getElementById("data").textContent);
// For paper a chart is at most as wide as the lines of A4: a wider one would be shrunk, and its words with it.
const A4 = 688;
let onPaper = false;
const css = (colour) => (colour === "ink" ? "currentColor" : `var(--${colour})`);
function svg(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  return made;
}
// What stands before the words of an entry.
const samples = {
  line: (item) => [
    svg("line", { x1: 0, x2: 30, y1: 6, y2: 6, stroke: css(item.colour), "stroke-width": 2, "stroke-dasharray": item.dash || "none" }),
    ...(item.symbol ? [svg("path", { d: d3.symbol(d3["symbol" + item.symbol[0].toUpperCase() + item.symbol.slice(1)], 46)(), transform: "translate(15,6)", fill: css(item.colour) })] : []),
  ],
  bar: (item) => [svg("rect", { x: 1, y: 1, width: 10, height: 10, fill: css(item.colour), "fill-opacity": item.opacity ?? 1 })],
  hollow: (item) => [svg("rect", { x: 1, y: 1, width: 10, height: 10, fill: "var(--paper)", stroke: css(item.colour), "stroke-width": 1.5, "stroke-dasharray": "3 2" })],
  note: () => [svg("circle", { cx: 6, cy: 6, r: 4, fill: "var(--paper)", stroke: "currentColor", "stroke-width": 1.5 })],
};
function legend(items) {
  const list = document.createElement("ul");
  list.className = "legend";
  for (const item of items) {
    const entry = document.createElement("li");
    const sample = svg("svg", { width: item.sample === "line" ? 30 : 12, height: 12, "aria-hidden": "true" });
    sample.append(...samples[item.sample](item));
    entry.append(sample, item.label);
    list.append(entry);
  }
  return list;
}
