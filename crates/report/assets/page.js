// Draws the charts of the page from its JSON block. Words go in as text, never as markup.
(function () {
  "use strict";
  const runs = JSON.parse(document.getElementById("data").textContent).runs;
  const colours = ["var(--c0)", "var(--c1)", "var(--c2)", "var(--c3)", "var(--c4)", "var(--c5)", "var(--c6)"];
  const symbols = ["circle", "triangle", "square", "diamond", "star", "wye", "cross"];
  const dashes = ["none", "6 3", "2 3", "9 3 2 3"];
  const pick = (list, i) => list[((i % list.length) + list.length) % list.length];

  // ---- numbers --------------------------------------------------------------------------------
  const grouped = (x, digits) => x.toLocaleString("en-GB", { maximumFractionDigits: digits, minimumFractionDigits: digits });
  const significant = (x) => grouped(x, x < 9.995 ? 2 : x < 99.95 ? 1 : 0);
  function duration(s) {
    if (s === 0) return "0 s";
    if (s < 0.9995e-6) return `${Math.round(s * 1e9)} ns`;
    if (s < 0.9995e-3) return `${significant(s * 1e6)} µs`;
    if (s < 0.9995) return `${significant(s * 1e3)} ms`;
    if (s < 119.5) return `${significant(s)} s`;
    return `${Math.floor(Math.round(s) / 60)} min ${Math.round(s) % 60} s`;
  }
  // On an axis zeros behind the point say nothing.
  const axisDuration = (s) => duration(s).replace(/\.(\d*?)0+(?= )/, (_, d) => (d ? "." + d : ""));
  const rate = (x) => grouped(x, x >= 99.95 || x === 0 ? 0 : x >= 9.995 ? 1 : 2);
  const unique = (list) => [...new Set(list)];
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

  // ---- parts ----------------------------------------------------------------------------------
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
      if (item.bar) {
        const rect = document.createElementNS(NS, "rect");
        for (const [k, v] of [["width", 12], ["height", 12], ["fill", item.colour]]) rect.setAttribute(k, v);
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
    if (!some.length) return { type: "linear", domain: [0, 1], ticks: [] };
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

  // ---- charts: each gets a run and a width, and returns what belongs into its box ----------------
  // The horizontal axis: closed loops differ in clients, open ones in their rate.
  function against(run, width, axis) {
    const all = peers(run).flatMap((r) => pointsOn(r, axis)).map((p) => p.x);
    const x = { label: run.axes[axis], labelAnchor: "center", labelArrow: "none" };
    if (axis === "clients") return { ...x, type: "point", domain: ascending(all), padding: 0.3 };
    return { ...x, domain: [0, (d3.max(all) || 1) * 1.04], ticks: Math.max(2, Math.floor(width / 110)), tickFormat: rate };
  }
  const charts = {
    headline(run, width, axis) {
      const points = pointsOn(run, axis).filter((p) => p.value !== null);
      const series = seriesOf(run).filter((name) => points.some((p) => p.series === name));
      const all = peers(run).flatMap((r) => pointsOn(r, axis));
      const most = axis === "rate" ? d3.max(all, (p) => p.x) : 0;
      const top = Math.max(d3.max(all, (p) => p.value) || 0, most) || 1;
      const intended = axis === "rate" ? [{ label: "as intended", colour: "var(--soft)", dash: "2 3" }] : [];
      return [
        legend([...series.map((name) => ({ label: name, ...lookOf(run, name) })), ...intended, ...hollowNote(points)]),
        Plot.plot({
          ...base(width, 300),
          color: { type: "identity" },
          x: against(run, width, axis),
          y: { domain: [0, top * 1.08], label: run.unit, tickFormat: rate, ticks: 6, labelArrow: "none" },
          marks: [
            grid(Plot.gridY), Plot.ruleY([0], { strokeOpacity: 0.5 }),
            ...intended.map((i) => Plot.line([[0, 0], [most, most]], { stroke: i.colour, strokeDasharray: i.dash })),
            ...series.map((name) => Plot.line(points.filter((p) => p.series === name), { x: "x", y: "value", stroke: lookOf(run, name).colour, strokeWidth: 2, strokeDasharray: lookOf(run, name).dash })),
            ...series.map((name) => Plot.dot(points.filter((p) => p.series === name), { x: "x", y: "value", ...markOf(lookOf(run, name)), r: 5 })),
            Plot.tip(points, Plot.pointer({ x: "x", y: "value", title: (p) => `${p.name}\n${p.series}\n${rate(p.value)} ${run.unit}` })),
          ],
        }),
      ];
    },

    latency(run, width, axis) {
      const names = ["p50", "p95", "p99"];
      const flat = (points) => points.filter((p) => p.latency).flatMap((p) => names.map((name) => ({ ...p, percentile: name, value: p.latency[name] })));
      const points = flat(pointsOn(run, axis));
      const series = seriesOf(run).filter((name) => points.some((p) => p.series === name));
      const scale = timeScale(flat(peers(run).flatMap((r) => pointsOn(r, axis))).map((p) => p.value));
      return [
        legend([...series.map((name) => ({ label: name, ...lookOf(run, name) })), ...hollowNote(points)]),
        Plot.plot({
          ...base(width, 280),
          color: { type: "identity" },
          marginTop: 40,
          fx: { domain: names, label: null, padding: 0.08 },
          x: { ...against(run, width / 3.4, axis), ...(axis === "clients" ? { padding: 0.5 } : {}) },
          y: { type: scale.type, domain: scale.domain },
          marks: [
            grid(Plot.gridY, { ticks: scale.ticks }), timeAxis(scale, "response time"),
            ...series.map((name) => Plot.line(points.filter((p) => p.series === name), { fx: "percentile", x: "x", y: "value", stroke: lookOf(run, name).colour, strokeWidth: 2, strokeDasharray: lookOf(run, name).dash })),
            ...series.map((name) => Plot.dot(points.filter((p) => p.series === name), { fx: "percentile", x: "x", y: "value", ...markOf(lookOf(run, name)), r: 4.5 })),
            Plot.tip(points, Plot.pointer({ fx: "percentile", x: "x", y: "value", title: (p) => `${p.name}\n${p.series}\n${p.percentile} ${duration(p.value)}` })),
          ],
        }),
      ];
    },

    queries(run, width) {
      const steps = run.steps.filter((s) => s.times.length);
      const key = (s) => String(s.number);
      const bars = steps.flatMap((s) => s.times.map((t) => ({ ...t, step: key(s), name: s.name, colour: colourOfStep(run, s) })));
      const longest = d3.max(peers(run).flatMap((r) => r.steps.flatMap((s) => s.times.map((t) => t.mean)))) || 1;
      const thick = steps.length <= 4 ? 12 : 9;
      const kinds = unique(bars.map((b) => b.query)).sort();
      const ticks = d3.ticks(0, longest, Math.max(3, width / 130));
      return [
        legend(steps.map((s) => ({ label: s.name, colour: colourOfStep(run, s), bar: true }))),
        Plot.plot({
          ...base(width, 50 + kinds.length * (steps.length * thick + 8)),
          marginLeft: 42, marginRight: 56, marginTop: 34, marginBottom: 16,
          x: { domain: [0, longest], ticks, tickFormat: axisDuration, axis: "top", label: "mean time", labelAnchor: "right", labelArrow: "none" },
          y: { domain: steps.map(key), axis: null, padding: 0.08 },
          fy: { domain: kinds, label: null, padding: 0.16, axis: "left" },
          marks: [
            grid(Plot.gridX, { ticks }), Plot.ruleX([0], { strokeOpacity: 0.5 }),
            Plot.barX(bars.filter((b) => b.mean !== null), { fy: "query", y: "step", x: "mean", fill: "colour", title: (b) => `${b.query}, ${b.name}: ${duration(b.mean)}` }),
            Plot.text(bars.filter((b) => b.mean !== null), { fy: "query", y: "step", x: "mean", text: (b) => duration(b.mean), textAnchor: "start", dx: 4, fontSize: thick - 2.5, fill: "currentColor", fillOpacity: 0.75 }),
            Plot.text(bars.filter((b) => b.mean === null), { fy: "query", y: "step", x: () => 0, text: (b) => (b.failed ? `${b.name}: failed` : `${b.name}: not measured`), textAnchor: "start", dx: 4, fontSize: thick - 2.5, fill: "var(--bad)", fontWeight: 600 }),
          ],
          color: { type: "identity" },
        }),
      ];
    },

    throughput(run, width) {
      const top = d3.max(peers(run).flatMap((r) => ticksOf(r)), (t) => t.rate) || 1;
      return overTime(run, width, "rate", { domain: [0, top * 1.15], label: run.unit, tickFormat: rate, ticks: 5, labelArrow: "none" }, [grid(Plot.gridY), Plot.ruleY([0], { strokeOpacity: 0.5 })], (t) => `${rate(t.rate)} ${run.unit}`);
    },

    p99(run, width) {
      const scale = timeScale(peers(run).flatMap((r) => ticksOf(r)).map((t) => t.p99).filter((v) => v !== null));
      const y = { type: scale.type, domain: scale.domain };
      return overTime(run, width, "p99", y, [grid(Plot.gridY, { ticks: scale.ticks }), timeAxis(scale, "p99")], (t) => duration(t.p99));
    },

    percentiles(run, width) {
      const kinds = run.curveKinds;
      const steps = run.steps.filter((s) => s.clients > 0 && run.curves.some((c) => c.step === s.number));
      const look = (s) => (run.hybrid
        ? { colour: colourOfClients(run, s.clients), dash: pick(dashes, queryCounts(run).indexOf(s.queries)) }
        : { colour: pick(colours, steps.indexOf(s)), dash: pick(dashes, Math.floor(steps.indexOf(s) / colours.length)) });
      const box = document.createElement("div");
      box.className = "multiples";
      const column = width < 640 ? width : (width - 24 * (Math.floor(width / 330) - 1)) / Math.max(1, Math.floor(width / 330));
      for (const kind of kinds) {
        const lines = steps.map((s) => ({ step: s, curve: run.curves.find((c) => c.step === s.number && c.kind === kind) })).filter((l) => l.curve);
        if (!lines.length) continue;
        const points = lines.flatMap((l) => l.curve.points.map(([q, v]) => ({
          name: l.step.name, q, v, x: q < 1 ? -Math.log10(1 - q) : Math.log10(Math.max(l.curve.count, 1)),
          line: l.step.number,
        })));
        const scale = timeScale(peers(run).flatMap((r) => r.curves.filter((c) => c.kind === kind).flatMap((c) => c.points.filter((p) => p[0] > 0).map((p) => p[1]))));
        const shown = points.filter((p) => p.q > 0 && p.v >= scale.domain[0]);
        const right = Math.max(1, d3.max(points, (p) => p.x));
        const marks = [-Math.log10(0.5), 1, 2, 3, 4, 5, 6].filter((x) => x <= right + 0.01);
        const part = document.createElement("div");
        const heading = document.createElement("h4");
        heading.textContent = kind;
        part.append(heading, Plot.plot({
          ...base(Math.max(240, column), 230),
          x: { domain: [0, right], ticks: marks, tickFormat: (x) => `${+(100 * (1 - Math.pow(10, -x))).toFixed(4)} %`, label: "percentile", labelAnchor: "center", labelArrow: "none" },
          y: { type: scale.type, domain: scale.domain },
          marks: [
            grid(Plot.gridY, { ticks: scale.ticks }), grid(Plot.gridX, { ticks: marks }), timeAxis(scale, "response time"),
            ...lines.map((l) => Plot.line(shown.filter((p) => p.line === l.step.number), { x: "x", y: "v", stroke: look(l.step).colour, strokeWidth: 1.8, strokeDasharray: look(l.step).dash })),
            Plot.tip(shown, Plot.pointer({ x: "x", y: "v", title: (p) => `${p.name}\n${p.q < 1 ? +(p.q * 100).toFixed(4) + " %" : "maximum"} ${duration(p.v)}` })),
          ],
        }));
        box.append(part);
      }
      return [legend(steps.map((s) => ({ label: s.name, ...look(s) }))), box];
    },
  };

  // One colour a number of clients; where two steps would share it, one a step.
  function colourOfStep(run, step) {
    const steps = run.steps.filter((s) => s.times.length);
    const distinct = unique(steps.map((s) => s.clients)).length === steps.length;
    return distinct ? colourOfClients(run, step.clients) : pick(colours, steps.indexOf(step));
  }

  function ticksOf(run) {
    return run.ticks.map(([step, kind, measured, at, rate, p99]) => ({ step, kind: run.kinds[kind], measured, at, rate, p99 }));
  }

  function overTime(run, width, value, y, marks, words) {
    const { steps, kinds } = run;
    const ticks = ticksOf(run);
    const end = d3.max([...steps.map((s) => s.start + s.seconds), ...ticks.map((t) => t.at)]) || 1;
    const narrow = width / Math.max(1, steps.length) < 7 * (d3.max(steps, (s) => s.name.length) || 0);
    const name = (n) => (steps.find((s) => s.number === n) || { name: `step ${n}` }).name;
    const seen = ticks.filter((t) => t[value] !== null);
    const several = kinds.length > 1;
    const look = (kind) => (several ? lookOf(run, kind) : { colour: "var(--c0)", dash: "none" });
    const plot = Plot.plot({
      ...base(width, 240),
      x: { domain: [0, end], label: "seconds since the run's start", labelAnchor: "center", labelArrow: "none", ticks: Math.max(3, Math.floor(width / 110)), tickFormat: (s) => `${grouped(s, 0)} s` },
      y,
      marks: [
        Plot.rectX(steps, { x1: "start", x2: (s) => s.start + s.seconds, fill: "currentColor", fillOpacity: 0.06 }),
        ...marks,
        ...kinds.map((kind) => Plot.line(ticks.filter((t) => t.kind === kind), { x: "at", y: value, z: "step", stroke: look(kind).colour, strokeWidth: 1.6, strokeDasharray: look(kind).dash })),
        Plot.text(steps, { x: (s) => s.start + s.seconds / 2, frameAnchor: "top", dy: -14, text: (s) => (narrow ? String(s.number) : s.name), fill: "currentColor", fillOpacity: 0.75, fontSize: 11 }),
        Plot.tip(seen, Plot.pointerX({ x: "at", y: value, title: (t) => `${name(t.step)}${t.measured ? "" : ", warm-up"}\n${grouped(t.at, 1)} s\n${several ? t.kind + " " : ""}${words(t)}` })),
      ],
    });
    return several ? [legend(kinds.map((kind) => ({ label: kind, ...look(kind) }))), plot] : [plot];
  }

  // ---- draw now, and again whenever a box gets another width ---------------------------------------
  function draw(figure) {
    const box = figure.querySelector(".plot");
    const width = Math.max(260, Math.floor(box.clientWidth));
    if (box.dataset.width === String(width)) return;
    box.dataset.width = width;
    const run = runs[Number(figure.dataset.run)];
    try {
      box.replaceChildren(...charts[figure.dataset.chart](run, width, figure.dataset.axis));
    } catch (error) {
      box.textContent = `This chart could not be drawn (${error.message}). Its numbers are in the table.`;
    }
  }
  const figures = [...document.querySelectorAll("figure[data-chart]")];
  figures.forEach(draw);
  if ("ResizeObserver" in window) {
    const observer = new ResizeObserver((entries) => requestAnimationFrame(() => entries.forEach((e) => draw(e.target))));
    figures.forEach((f) => observer.observe(f));
  }
})();
