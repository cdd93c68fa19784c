// What charts are made of: looks, legends, scales. Words go in as text, never as markup.
const { quantiles, runs, specs } = JSON.parse(document.getElementById("data").textContent);
for (const run of runs) {
  for (const step of run.steps) step.times = step.times.map(([query, mean, failed]) => ({ query, mean, failed }));
  // A curve has the first of all quantiles, and then its maximum.
  for (const curve of run.curves) curve.points = curve.seconds.map((v, i) => [i + 1 < curve.seconds.length ? quantiles[i] : 1, v]);
}
const colours = ["var(--c0)", "var(--c1)", "var(--c2)", "var(--c3)", "var(--c4)", "var(--c5)", "var(--c6)"];
const symbols = ["circle", "triangle", "square", "diamond", "star", "wye", "cross"];
const dashes = ["none", "6 3", "2 3", "9 3 2 3"];
const pick = (list, i) => list[((i % list.length) + list.length) % list.length];
// Only runs of one benchmark share scales and colours.
const peers = (run) => runs.filter((r) => r.benchmark === run.benchmark && r.hybrid === run.hybrid);
const ascending = (list) => unique(list).sort((a, b) => a - b);
const queryCounts = (run) => ascending(peers(run).flatMap((r) => r.steps.map((s) => s.queries)));
const clientCounts = (run) => ascending(peers(run).flatMap((r) => r.steps.map((s) => s.clients)));
const colourOfClients = (run, n) => pick(colours, clientCounts(run).indexOf(n));
// The points of all steps on an axis, and the names of what they belong to, in order.
const pointsOn = (run, axis) => run.steps.filter((s) => s.axis === axis).flatMap((s) => s.points.map((p) => ({ ...s, ...p }))).sort((a, b) => a.x - b.x);
const seriesOf = (run) => unique(peers(run).flatMap((r) => r.steps.flatMap((s) => s.points)).sort((a, b) => a.order - b.order).map((p) => p.series));
function lookOf(run, name) {
  const n = seriesOf(run).indexOf(name);
  return { colour: pick(colours, n), symbol: pick(symbols, n), dash: pick(dashes, n) };
}
// A hollow mark is a step that is not whole, or whose rate was not reached.
const markOf = (look) => ({ fill: (p) => (p.partial || p.short ? "var(--paper)" : look.colour), stroke: look.colour, strokeWidth: 1.5, symbol: look.symbol });
const hollowNote = (points) => [["partial", "a partial step"], ["short", "rate not reached"]]
  .filter(([flag]) => points.some((p) => p[flag]))
  .map(([, words]) => ({ label: `hollow: ${words}`, colour: "transparent" }));
const NS = "http://www.w3.org/2000/svg";
function legend(items) {
  const list = document.createElement("ul");
  list.className = "legend";
  for (const item of items) {
    const entry = document.createElement("li");
    const svg = document.createElementNS(NS, "svg");
    svg.setAttribute("width", item.bar ? 12 : 30);
    svg.setAttribute("height", 12);
    svg.setAttribute("aria-hidden", "true");
    if (item.colour === "transparent") {
      // A note on marks: what a hollow one means.
      svg.setAttribute("width", 12);
      const mark = document.createElementNS(NS, "circle");
      for (const [k, v] of [["cx", 6], ["cy", 6], ["r", 4], ["fill", "var(--paper)"], ["stroke", "currentColor"], ["stroke-width", 1.5]]) mark.setAttribute(k, v);
      svg.append(mark);
    } else if (item.bar) {
      const rect = document.createElementNS(NS, "rect");
      const fill = item.hollow ? "var(--paper)" : item.colour;
        for (const [k, v] of [["x", 1], ["y", 1], ["width", 10], ["height", 10], ["fill", fill], ["stroke", item.colour], ["stroke-width", 1.5], ["stroke-dasharray", item.hollow ? "3 2" : "none"]]) rect.setAttribute(k, v);
      svg.append(rect);
    } else {
      const line = document.createElementNS(NS, "line");
      for (const [k, v] of [["x1", 0], ["x2", 30], ["y1", 6], ["y2", 6], ["stroke", item.colour], ["stroke-width", 2], ["stroke-dasharray", item.dash || "none"]]) line.setAttribute(k, v);
      svg.append(line);
      if (item.symbol) {
        const mark = document.createElementNS(NS, "path");
        const shape = d3["symbol" + item.symbol[0].toUpperCase() + item.symbol.slice(1)];
        mark.setAttribute("d", d3.symbol(shape, 46)());
        mark.setAttribute("transform", "translate(15,6)");
        mark.setAttribute("fill", item.colour);
        svg.append(mark);
      }
    }
    entry.append(svg, document.createTextNode(item.label));
    list.append(entry);
  }
  return list;
}
const base = (width, height) => ({
  width, height, marginLeft: 62, marginRight: 18, marginTop: 26, marginBottom: 38,
  style: { fontSize: "12px", background: "transparent", color: "inherit" },
});
const grid = (axis, options) => axis({ stroke: "currentColor", strokeOpacity: 0.12, ...options });
// A log scale only where a linear one would flatten most of what there is to see.
function timeScale(values) {
  const some = values.filter((v) => v > 0);
  const [low, high] = [d3.min(some), d3.max(some)];
  if (!some.length) return { type: "linear", domain: [0, 1e-6], ticks: [0, 5e-7, 1e-6] };
  if (high / low > 30) {
    const ticks = [];
    for (let p = Math.floor(Math.log10(low)); p <= Math.ceil(Math.log10(high)); p++)
      for (const m of [1, 2, 5]) ticks.push(Number(`${m}e${p}`));
    const domain = [d3.max(ticks.filter((t) => t <= low)) ?? low, d3.min(ticks.filter((t) => t >= high)) ?? high];
    let shown = ticks.filter((t) => t >= domain[0] && t <= domain[1]);
    if (shown.length > 8) shown = shown.filter((t) => /^1(e|0|$)|^0?\.0*1$/.test(String(t)));
    return { type: "log", domain, ticks: shown };
  }
  return { type: "linear", domain: [0, high * 1.06], ticks: d3.ticks(0, high * 1.06, 6) };
}
// Given as a mark: the axis of a log scale would leave labels out.
const timeAxis = (scale, label) => Plot.axisY(scale.ticks, { text: axisDuration, label: label + scaleNote(scale), labelArrow: "none", labelAnchor: "top" });
const scaleNote = (scale) => (scale.type === "log" ? " (log scale)" : "");

