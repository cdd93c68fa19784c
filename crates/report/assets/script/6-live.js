// The page of a run that goes on. Messages have what changed (crates/hoap/src/live): the last value of a part of what is
// known, and cells of the time series, of which a later one replaces that of its number.
const known = { cells: [] };
const byId = (id) => document.getElementById(id);
const element = (kind, rest) => Object.assign(document.createElement(kind), rest);
const cells = (phase, step) => known.cells.filter((c) => c.phase === phase && c.step === step);
function take({ all, cells: more = [], ...parts }) {
  if (all) known.cells = [];
  for (const cell of more) {
    const last = known.cells[known.cells.length - 1];
    if (last && last.n === cell.n) known.cells.pop();
    if (!last || last.n <= cell.n) known.cells.push(cell);
  }
  Object.assign(known, parts);
}
// Key figures: label, value, unit, note, whether it is bad.
function facts() {
  const { now, record, cells: all } = known, last = all[all.length - 1];
  const facts = [];
  if (now && now.words) {
    if (now.speed) facts.push(["Throughput now", three(now.speed[0]), now.speed[1], "successes of the last interval"]);
    if (now.times) facts.push(["Response time now, p99", time(now.times[1] / 1e6), "", `median ${time(now.times[0] / 1e6)}`]);
    const window = cells("measured", now.step).flatMap((c) => c.operations);
    const [done, failed] = [1, 2].map((at) => d3.sum(window, (row) => row[at]));
    if (now.phase === "measured") facts.push(["Operations of this step", done.toLocaleString("en-GB"), "", "succeeded"]);
    if (failed) facts.push(["Failed operations of this step", failed.toLocaleString("en-GB"), "", `of ${(done + failed).toLocaleString("en-GB")}`, true]);
    const { queries, running = [] } = now.tick || {};
    if (queries !== null && queries !== undefined) facts.push(["Queries of this step", String(queries), "", running.length ? `running: ${running.join(" ")}` : ""]);
  }
  if (last && last.freshness) facts.push(["Freshness now, p99", time(last.freshness[4] / 1e6), "", `median ${time(last.freshness[3] / 1e6)}`]);
  if (last && last.cpu) facts.push(["Machine", three(last.cpu[3]), "cores", `busy; driver ${three(last.cpu[0] + last.cpu[1])}${last.cpu[2] > 0.005 ? `, stolen ${three(last.cpu[2])}` : ""}`]);
  return [...facts, ...(record ? record.figures : [])];
}
function figure([label, value, unit, note, bad]) {
  const box = element("div", { className: bad ? "bad" : "" });
  const number = element("dd", { className: "value", textContent: unit ? `${value} ` : value });
  if (unit) number.append(element("span", { className: "unit", textContent: unit }));
  box.append(element("dt", { textContent: label }), number, element("dd", { className: "note", textContent: note }));
  return box;
}
function words() {
  const { end, now, work } = known;
  if (end) return end.words;
  if (work) return `${work.what}: ${Math.floor(100 * work.share)} %`;
  if (!now) return "The run begins.";
  if (now.phase === "ended") return `step ${now.step} has ended.`;
  const left = now.told ? ` · ${now.told} left` : "";
  return `${known.turn ? `${known.turn.words}: ` : ""}step ${now.step}${now.of ? ` of ${now.of}` : ""} (${now.name}) · ${now.words}${left}`;
}
function table({ id, title, columns, rows }) {
  const scroll = element("div", { className: "scroll", tabIndex: 0 }), made = element("table", { id });
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", title);
  made.createCaption().append(element("span", { textContent: title }));
  const head = made.createTHead().insertRow();
  for (const [heading, numeric] of columns) head.append(element("th", { scope: "col", className: numeric ? "n" : "", textContent: heading }));
  const body = made.createTBody();
  for (const row of rows) {
    const line = body.insertRow();
    row.forEach(([text, name], n) => line.append(element(n || columns[0][1] ? "td" : "th", { className: name, textContent: text })));
  }
  scroll.append(made);
  return scroll;
}
// Lines over time: a line for each step of a kind, with gaps where there is nothing.
function over(quantity, label, kinds, value) {
  const steps = [...d3.group(known.cells, (c) => c.step)];
  const windows = steps.map(([step, all]) => [step, all.filter((c) => c.phase === "measured")]).filter(([, all]) => all.length)
    .map(([step, all]) => [step, all[0].at - all[0].seconds, all[all.length - 1].at]);
  const look = (n) => specs.looks[n % specs.looks.length];
  const round = (x) => Math.round(10 * x) / 10;
  const lines = kinds.flatMap((kind, n) => steps.map(([step, all]) => ({
    mark: "line", ...look(n), title: `step ${step}\n${kind}`,
    points: all.map((c) => [round(c.at), value(c, kind)]).filter(([, y]) => y !== undefined)
      .map(([x, y]) => [x, y, 0, `${reads.moments.tip(x)}\n${reads[quantity].tip(y, label)}`]),
  }))).filter((line) => line.points.length);
  const values = lines.flatMap((line) => line.points.map(([, y]) => y)).filter((y) => y > 0);
  const [low, high] = [d3.min(values) || 0, d3.max(values) || 0];
  const axis = { type: "linear", ticks: [] }, end = known.cells.length ? known.cells[known.cells.length - 1].at : 1;
  return {
    legend: kinds.length > 1 ? kinds.map((kind, n) => ({ label: kind, sample: "line", ...look(n) })) : [], least: 0,
    plots: lines.length ? [{
      name: "", height: 254, margins: "headed", grid: false,
      x: { ...axis, quantity: "moments", label: "seconds since the run's start", domain: [0, end] },
      y: { ...axis, quantity, label, domain: [low, high], type: quantity === "times" && high > 30 * low ? "log" : "linear" },
      marks: [
        { mark: "band", colour: "ink", opacity: 0.06, spans: windows.map(([, from, to]) => [from, to, ""]) }, ...lines,
        { mark: "words", words: windows.map(([step, from, to]) => ({ x: (from + to) / 2, room: to - from, long: `step ${step}`, short: String(step) })) },
      ],
    }] : [],
  };
}
function charts() {
  const { unit, period, headline } = known.record;
  const counted = (row) => !headline || row[0] === headline;
  const kinds = [...new Set(known.cells.flatMap((c) => c.operations.filter(counted).map((row) => row[0])))];
  const row = (c, kind) => c.operations.find((r) => r[0] === kind);
  const quantile = (at) => (c, kind) => { const r = row(c, kind); return r && r[1] ? r[at] / 1e6 : undefined; };
  const cores = ["driver, user", "driver, system", "stolen", "all processes"];
  const drawn = {
    throughput: over("rates", unit, kinds, (c, kind) => { const r = row(c, kind); return r && c.seconds > 0 ? (r[1] * period) / c.seconds : undefined; }),
    p99: over("times", "p99", kinds, quantile(4)),
    freshness: over("times", "age, p99", ["p99"], (c) => c.freshness && c.freshness[4] / 1e6),
    cpu: over("rates", "cores", cores, (c, kind) => c.cpu && c.cpu[cores.indexOf(kind)]),
  };
  for (const chart of figures) {
    const spec = drawn[chart.dataset.chart];
    chart.hidden = !spec.plots.length;
    if (chart.hidden) continue;
    specs[chart.dataset.chart] = spec;
    delete chart.querySelector(".plot").dataset.width;
    const { top, bottom } = chart.getBoundingClientRect();
    if (bottom > 0 && top < innerHeight) draw(chart);
  }
}
let drawnOf;
function refresh() {
  byId("live-state").textContent = words();
  byId("live-figures").replaceChildren(...facts().map(figure));
  const { now, plan, record, end, work, cells: all } = known, bar = byId("live-left");
  const spent = (known.turn ? known.turn.begun : 0) + (all.length ? all[all.length - 1].at : 0);
  if (end) bar.value = 1;
  else if (work) bar.value = work.share;
  else if (now && now.left !== undefined && !now.open) bar.value = spent / Math.max(spent + now.left, 1e-9);
  else bar.removeAttribute("value");
  if (plan) byId("live-plan").replaceChildren(...plan.steps.map(([number, name, lasts]) => element("li", { value: number, textContent: `${name}: ${lasts}`, className: now && now.step === number && now.phase !== "ended" ? "now" : "" })));
  if (!record) return;
  if (drawnOf !== record) {
    drawnOf = record;
    document.title = record.title;
    document.querySelector("h1").textContent = record.title;
    document.querySelector(".meta").textContent = `${record.about}. The run goes on: numbers of a step count once it has ended.`;
    byId("live-tables").replaceChildren(...record.tables.map(table));
    const remarks = byId("live-remarks");
    remarks.hidden = !record.remarks.length;
    remarks.firstElementChild.replaceChildren(...record.remarks.map(([text, grave]) => element("li", { textContent: text, className: grave ? "grave" : "" })));
  }
  charts();
}
const events = new EventSource("events");
// What is not seen is not drawn, and what comes at once is drawn once.
let due = false;
function soon() {
  if (due || document.hidden) return;
  due = true;
  requestAnimationFrame(() => { due = false; refresh(); });
}
events.onmessage = (message) => {
  take(JSON.parse(message.data));
  if (!known.end) return soon();
  events.close();
  if (known.end.report) location.replace("report");
  else refresh();
};
events.onerror = () => { if (!known.end) byId("live-state").textContent = "The connection is lost: the run has ended, or was stopped."; };
document.addEventListener("visibilitychange", soon);
addEventListener("scroll", soon, { passive: true });
