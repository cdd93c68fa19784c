// The menu of a chart: its link, its picture, the table of its numbers, its other scale.
const paper = () => getComputedStyle(document.body);
// The chart as one picture: its plots and the words around them, each where it is on the screen.
function picture(figure) {
  const box = figure.querySelector(".plot"), style = paper();
  const area = box.getBoundingClientRect(), edge = 16, head = 52;
  const width = Math.ceil(area.width) + 2 * edge, height = Math.ceil(area.height) + head + 40;
  const root = svg("svg", { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}`, color: style.color, "font-family": "system-ui, sans-serif" });
  const place = (element) => {
    const r = element.getBoundingClientRect();
    return { x: r.left - area.left + edge, y: r.top - area.top + head, width: r.width, height: r.height };
  };
  const words = (text, x, y, size, weight) => {
    const made = svg("text", { x, y, "font-size": size, "font-weight": weight, fill: style.color });
    made.textContent = text;
    root.append(made);
  };
  root.append(svg("rect", { width, height, fill: style.backgroundColor }));
  const caption = figure.querySelector("figcaption").textContent;
  // A long caption is as wide as the picture.
  words(caption, edge, 26, Math.min(16, (width - 2 * edge) / (caption.length * 0.56)), 600);
  for (const part of box.querySelectorAll("svg")) {
    if (part.parentElement.closest("svg")) continue;
    const copy = part.cloneNode(true), at = place(part);
    for (const key of ["x", "y", "width", "height"]) copy.setAttribute(key, at[key]);
    copy.setAttribute("overflow", "visible");
    root.append(copy);
  }
  for (const part of box.querySelectorAll(".legend li, .facet")) {
    const at = place(part), sample = part.querySelector("svg");
    words(part.textContent, sample ? place(sample).x + sample.clientWidth + 6 : at.x, at.y + at.height * 0.72, 13, sample ? 400 : 600);
  }
  words(document.title, edge, height - 12, 11, 400);
  const colours = getComputedStyle(document.documentElement);
  return new XMLSerializer().serializeToString(root).replace(/var\((--[a-z0-9-]+)\)/g, (_, name) => colours.getPropertyValue(name).replace("var(--paper)", style.backgroundColor).trim() || "none");
}
const address = (text) => `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
function keep(href, name) {
  const link = document.createElement("a");
  link.href = href;
  link.download = name;
  link.click();
}
// The picture in dots, so many times as many as its size, as a promise of its address.
async function dots(text, times = 2) {
  const image = new Image();
  image.src = address(text);
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = times * image.width;
  canvas.height = times * image.height;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL("image/png");
}
// The link to the CSV of the table that a chart names.
function numbers(figure) {
  const table = document.getElementById(figure.querySelector(".plot").getAttribute("aria-describedby"));
  return table && (table.querySelector("a[download]") || table.closest(".scroll").nextElementSibling.querySelector("a[download]"));
}
function menu(figure) {
  const box = document.createElement("details"), title = document.createElement("summary"), list = document.createElement("ul");
  box.className = "menu";
  title.textContent = "⋯";
  title.setAttribute("aria-label", `Menu of the chart: ${figure.querySelector("figcaption").textContent}`);
  const name = figure.dataset.chart;
  const entry = (kind, words, rest) => {
    const made = Object.assign(document.createElement(kind), { textContent: words, ...rest });
    list.appendChild(document.createElement("li")).append(made);
    return made;
  };
  const plots = specs[name].plots.filter((p) => p.y.switch);
  if (plots.length) {
    const words = () => (("other" in figure.dataset) === (plots[0].y.type === "log") ? "Logarithmic scale" : "Linear scale");
    const button = entry("button", words(), { type: "button", onclick: () => {
      figure.toggleAttribute("data-other");
      delete figure.querySelector(".plot").dataset.width;
      draw(figure);
      button.textContent = words();
      box.open = false;
    } });
  }
  entry("a", "Link to this chart", { href: `#${figure.id}` });
  entry("button", "Save as SVG", { type: "button", onclick: () => keep(address(picture(figure)), `${name}.svg`) });
  entry("button", "Save as PNG", { type: "button", onclick: () => dots(picture(figure)).then((href) => keep(href, `${name}.png`)) });
  const table = numbers(figure);
  if (table) entry("a", "Numbers as CSV", { href: table.getAttribute("href"), download: table.download });
  // One menu is open at a time, and none once it is left.
  box.addEventListener("focusout", (e) => { if (!box.contains(e.relatedTarget) && e.relatedTarget) box.open = false; });
  box.addEventListener("keydown", (e) => { if (e.key === "Escape") { box.open = false; title.focus(); } });
  box.append(title, list);
  figure.prepend(box);
}
for (const card of document.querySelectorAll("figure.card")) {
  const text = () => new XMLSerializer().serializeToString(card.querySelector("svg"));
  const save = (kind, href) => {
    const made = Object.assign(document.createElement("button"), { type: "button", textContent: `Save as ${kind}`, onclick: () => Promise.resolve(href()).then((to) => keep(to, `card.${kind.toLowerCase()}`)) });
    card.append(made);
  };
  save("PNG", () => dots(text(), 1));
  save("SVG", () => address(text()));
}
