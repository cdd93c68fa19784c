// Charts of one run.
// Each gets the run and a width, and returns what belongs into its box.
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
  // A name that its own window has no room for is the step's number.
  const label = (s) => ((s.seconds / end) * (width - 80) < 6.2 * s.name.length ? String(s.number) : s.name);
  const name = (n) => (steps.find((s) => s.number === n) || { name: `step ${n}` }).name;
  const seen = ticks.filter((t) => t[value] !== null);
  const several = kinds.length > 1;
  const look = (kind) => (several ? lookOf(run, kind) : { colour: "var(--c0)", dash: "none" });
  const events = run.events.map(([from, to, side, what, count]) => ({ from, to, words: `${count} × ${what}\n${side}, ${grouped(from, 1)}–${grouped(to, 1)} s` }));
  const plot = Plot.plot({
    ...base(width, 240),
    x: { domain: [0, end], label: "seconds since the run's start", labelAnchor: "center", labelArrow: "none", ticks: Math.max(3, Math.floor(width / 110)), tickFormat: (s) => `${grouped(s, 0)} s` },
    y,
    marks: [
      Plot.rectX(steps, { x1: "start", x2: (s) => s.start + s.seconds, fill: "currentColor", fillOpacity: 0.06 }),
      ...marks,
      // What went wrong: a band as long as it lasted, with a line where it began for those that are short.
      Plot.rectX(events, { x1: "from", x2: "to", fill: "var(--bad)", fillOpacity: 0.12 }),
      Plot.ruleX(events, { x: "from", stroke: "var(--bad)", strokeWidth: 1.2, strokeDasharray: "2 2" }),
      ...kinds.map((kind) => Plot.line(ticks.filter((t) => t.kind === kind), { x: "at", y: value, z: "step", stroke: look(kind).colour, strokeWidth: 1.6, strokeDasharray: look(kind).dash })),
      Plot.text(steps, { x: (s) => s.start + s.seconds / 2, frameAnchor: "top", dy: -14, text: label, fill: "currentColor", fillOpacity: 0.75, fontSize: 11 }),
      Plot.tip(seen, Plot.pointerX({ x: "at", y: value, title: (t) => `${name(t.step)}${t.measured ? "" : ", warm-up"}\n${grouped(t.at, 1)} s\n${several ? t.kind + " " : ""}${words(t)}` })),
      Plot.tip(events, Plot.pointerX({ x: "from", frameAnchor: "bottom", title: "words" })),
    ],
  });
  const known = several ? kinds.map((kind) => ({ label: kind, ...look(kind) })) : [];
  const failed = events.length ? [{ label: "operations failed", colour: "var(--bad)", dash: "2 2" }] : [];
  return known.length + failed.length ? [legend([...known, ...failed]), plot] : [plot];
}

