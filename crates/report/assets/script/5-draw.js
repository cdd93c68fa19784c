// Draws a chart when it comes near the view, the others when there is time, and each again whenever
// its box gets another width.
function draw(figure) {
  const box = figure.querySelector(".plot");
  const width = Math.max(240, Math.floor(box.clientWidth));
  if (!box.clientWidth || box.dataset.width === String(width)) return;
  box.dataset.width = width;
  const { chart, spec, run, axis } = figure.dataset;
  try {
    const drawing = chart === "spec" ? drawings[specs[spec].type](specs[spec], width) : charts[chart](runs[Number(run)], width, axis);
    box.replaceChildren(...drawing);
  } catch (error) {
    box.textContent = `This chart could not be drawn (${error.message}). Its numbers are in the table.`;
  }
  // The box has words for all of it; its parts would be read out as loose numbers.
  for (const svg of box.querySelectorAll("svg")) svg.setAttribute("aria-hidden", "true");
}
const figures = [...document.querySelectorAll("figure[data-chart]")];
const watched = new Set();
const resized = new ResizeObserver((entries) => requestAnimationFrame(() => entries.forEach((e) => draw(e.target))));
function show(figure) {
  draw(figure);
  if (watched.has(figure)) return;
  watched.add(figure);
  resized.observe(figure);
}
const seen = new IntersectionObserver((entries) => entries.filter((e) => e.isIntersecting).forEach((e) => {
  seen.unobserve(e.target);
  show(e.target);
}), { rootMargin: "400px 0px" });
figures.forEach((figure) => seen.observe(figure));
// What is folded has no width yet; opening it brings it into view.
const later = window.requestIdleCallback || ((go) => setTimeout(go, 30));
const waiting = figures.filter((figure) => !figure.closest("details:not([open])"));
function next() {
  const figure = waiting.find((f) => !watched.has(f));
  if (!figure) return;
  show(figure);
  later(next, { timeout: 500 });
}
addEventListener("load", () => later(next, { timeout: 500 }));
const drawAll = () => figures.forEach(draw);
addEventListener("beforeprint", drawAll);
matchMedia("print").addEventListener("change", drawAll);

// A long table is made of its CSV when its line is opened.
function parse(text) {
  const rows = [[]];
  let field = "", quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quoted && c === '"' && text[i + 1] === '"') { field += c; i++; }
    else if (c === '"') quoted = !quoted;
    else if (!quoted && (c === "," || c === "\n")) {
      rows[rows.length - 1].push(field);
      field = "";
      if (c === "\n") rows.push([]);
    } else field += c;
  }
  return rows.filter((row) => row.length);
}
function make(box) {
  const href = box.querySelector("a[download]").getAttribute("href");
  const [head, ...rows] = parse(decodeURIComponent(href.slice(href.indexOf(",") + 1)));
  const numeric = head.map((_, n) => rows.every((row) => row[n] === "" || Number.isFinite(Number(row[n]))));
  const cell = (row, kind, text, n) => {
    const made = document.createElement(kind);
    if (numeric[n]) made.className = "n";
    // Six digits: the file has them all.
    made.textContent = text === "" ? "–" : numeric[n] && kind === "td" ? String(Number(Number(text).toPrecision(6))) : text;
    row.append(made);
    return made;
  };
  const table = document.createElement("table");
  const title = document.createElement("span");
  title.textContent = box.dataset.title;
  table.createCaption().append(title);
  const top = table.createTHead().insertRow();
  head.forEach((text, n) => { cell(top, "th", text, n).scope = "col"; });
  const body = table.createTBody();
  for (const row of rows) {
    const line = body.insertRow();
    row.forEach((text, n) => cell(line, "td", text, n));
  }
  const scroll = document.createElement("div");
  scroll.className = "scroll";
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", box.dataset.title);
  scroll.append(table);
  box.prepend(scroll);
}
for (const box of document.querySelectorAll(".late")) {
  box.closest("details").addEventListener("toggle", () => make(box), { once: true });
}
