// Draws a chart when it comes near the view, the others when there is time, and each again whenever
// its box gets another width.
function draw(figure) {
  const box = figure.querySelector(".plot");
  const width = Math.max(240, Math.floor(onPaper ? Math.min(box.clientWidth, A4) : box.clientWidth));
  if (!box.clientWidth || box.dataset.width === String(width)) return;
  box.dataset.width = width;
  try {
    box.replaceChildren(...chart(specs[figure.dataset.chart], width, "other" in figure.dataset));
  } catch (error) {
    box.textContent = `This chart could not be drawn (${error.message}). Its numbers are in the table.`;
  }
  // The box has words for all of it; its parts would be read out as loose numbers.
  for (const svg of box.querySelectorAll("svg")) svg.setAttribute("aria-hidden", "true");
}
const figures = [...document.querySelectorAll("figure[data-chart]")];
figures.forEach(menu);
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
function printing(on) {
  onPaper = on;
  drawAll();
}
addEventListener("beforeprint", () => printing(true));
addEventListener("afterprint", () => printing(false));
matchMedia("print").addEventListener("change", drawAll);
