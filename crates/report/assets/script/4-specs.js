// Charts over several configurations. Each gets its spec and a width; the numbers are all in the spec.

// The look of a series by its number: colour, mark and dash together tell 28 apart.
const seriesLook = (n) => ({
  colour: pick(colours, n), symbol: pick(symbols, n + Math.floor(n / 7)), dash: pick(dashes, Math.floor(n / 7)),
});
// How wide each of several charts is when they stand side by side.
function column(width, count, least) {
  const fit = Math.max(1, Math.min(count, Math.floor((width + 24) / (least + 24))));
  return Math.floor((width - 24 * (fit - 1)) / fit);
}
function multiples(parts, least) {
  const box = document.createElement("div");
  box.className = "multiples";
  box.style.setProperty("--least", `${least}px`);
  for (const [name, plot] of parts) {
    const part = document.createElement("div");
    if (name) {
      const heading = document.createElement("p");
      heading.className = "facet";
      heading.textContent = name;
      part.append(heading);
    }
    part.append(plot);
    box.append(part);
  }
  return box;
}
function valueAxis(y, values) {
  if (y.unit === "s") {
    const scale = timeScale(values);
    return { y: { type: scale.type, domain: scale.domain }, marks: [grid(Plot.gridY, { ticks: scale.ticks }), timeAxis(scale, y.label)] };
  }
  const top = d3.max(values) || 1;
  const format = formatOf(y.unit);
  return { y: { domain: [0, top * 1.08], label: y.label, tickFormat: format, ticks: 6, labelArrow: "none" }, marks: [grid(Plot.gridY), Plot.ruleY([0], { strokeOpacity: 0.5 })] };
}

const drawings = {
  lines(spec, width) {
    const points = spec.points.map(([facet, series, x, mean, low, high, count, hollow]) => ({ facet, series, x, mean, low, high, count, hollow }));
    const used = unique(points.map((p) => p.series)).sort((a, b) => a - b);
    const axis = valueAxis(spec.y, points.flatMap((p) => [p.low, p.high]));
    const format = formatOf(spec.y.unit);
    const all = ascending(points.map((p) => p.x));
    const facets = spec.facets.map((name, n) => [name, points.filter((p) => p.facet === n)]).filter(([, own]) => own.length);
    const least = 340;
    const each = column(width, facets.length, least);
    const x = { label: spec.x.label, labelAnchor: "center", labelArrow: "none" };
    if (spec.x.ordinal) Object.assign(x, { type: "point", domain: all, padding: 0.3, tickFormat: String });
    else Object.assign(x, { domain: [0, (d3.max(all) || 1) * 1.04], ticks: Math.max(2, Math.floor(each / 110)), tickFormat: rate });
    // Labels of many client counts would run into each other.
    if (spec.x.ordinal && each / all.length < 28) x.ticks = all.filter((_, n) => n % Math.ceil((28 * all.length) / each) === 0);
    const draw = (own) => Plot.plot({
      ...base(each, 290),
      color: { type: "identity" }, x, y: axis.y,
      marks: [
        ...axis.marks,
        ...used.map((s) => Plot.line(own.filter((p) => p.series === s), { x: "x", y: "mean", stroke: seriesLook(s).colour, strokeWidth: 2, strokeDasharray: seriesLook(s).dash })),
        Plot.ruleX(own.filter((p) => p.high > p.low), { x: "x", y1: "low", y2: "high", stroke: (p) => seriesLook(p.series).colour, strokeWidth: 1.5 }),
        ...used.map((s) => Plot.dot(own.filter((p) => p.series === s), { x: "x", y: "mean", r: 4.5, symbol: seriesLook(s).symbol, stroke: seriesLook(s).colour, strokeWidth: 1.5, fill: (p) => (p.hollow ? "var(--paper)" : seriesLook(s).colour) })),
        Plot.tip(own, Plot.pointer({ x: "x", y: "mean", title: (p) => `${spec.series[p.series]}\n${spec.x.label}: ${grouped(p.x, 0)}\n${format(p.mean)}${spec.y.unit === "s" ? "" : " " + spec.y.unit}${p.count > 1 ? `\n${p.count} runs, ${format(p.low)} to ${format(p.high)}` : ""}` })),
      ],
    });
    const notes = points.some((p) => p.hollow) ? [{ label: "hollow: rate not reached", colour: "transparent" }] : [];
    return [
      legend([...used.map((s) => ({ label: spec.series[s], ...seriesLook(s) })), ...notes]),
      multiples(facets.map(([name, own]) => [name, draw(own)]), least),
    ];
  },

  // Columns by cluster size. Published ones are hollow and dashed, whatever their colour.
  columns(spec, width) {
    const values = spec.values.map(([group, series, value]) => ({ group, series, value }));
    const format = formatOf(spec.y.unit);
    const look = (s) => pick(colours, s);
    const fill = (v) => (spec.published ? "var(--paper)" : look(v.series));
    const ticks = d3.ticks(0, spec.top * 1.1, 6);
    // Only the systems that a size has take room in it.
    const rank = (v) => values.filter((o) => o.group === v.group).indexOf(v);
    const most = d3.max(values, (v) => rank(v)) + 1;
    const bar = width / (spec.groups.length * (most + 0.6));
    return [
      legend(spec.series.map((label, s) => ({ label, colour: look(s), bar: true, hollow: spec.published }))),
      Plot.plot({
        ...base(width, 280),
        color: { type: "identity" },
        fx: { domain: d3.range(spec.groups.length), tickFormat: (n) => spec.groups[n], label: null, padding: 0.12 },
        x: { domain: d3.range(most), axis: null, padding: 0.1 },
        y: { domain: [0, spec.top * 1.1 || 1] },
        marks: [
          grid(Plot.gridY, { ticks }),
          Plot.axisY(ticks, { text: spec.y.unit === "s" ? axisDuration : format, label: spec.y.unit === "s" ? spec.y.label : spec.y.unit, labelArrow: "none", labelAnchor: "top" }),
          Plot.ruleY([0], { strokeOpacity: 0.5 }),
          Plot.barY(values, { fx: "group", x: rank, y: "value", fill, stroke: (v) => look(v.series), strokeWidth: spec.published ? 1.5 : 0, strokeDasharray: spec.published ? "4 2" : "none", title: (v) => `${spec.series[v.series]}, ${spec.groups[v.group]}: ${format(v.value)}` }),
          ...(bar > 34 ? [Plot.text(values, { fx: "group", x: rank, y: "value", text: (v) => format(v.value), dy: -8, fontSize: 10, fill: "currentColor" })] : []),
        ],
      }),
    ];
  },

  // Bars of a few rows, in parts where there are several series.
  bars(spec, width) {
    const values = spec.values.map(([row, series, value]) => ({ row, series, value }));
    const format = formatOf(spec.unit);
    const rows = unique(values.map((v) => v.row));
    const total = (r) => d3.sum(values.filter((v) => v.row === r), (v) => v.value);
    const several = spec.series.length > 1;
    const longest = d3.max(spec.rows, (r) => r.length) || 1;
    const left = Math.min(Math.max(60, longest * 6.4 + 14), width * 0.42);
    const cut = Math.floor((left - 10) / 6.2);
    const words = (r) => (spec.rows[r].length > cut ? spec.rows[r].slice(0, cut - 1) + "…" : spec.rows[r]);
    const most = d3.max(rows, total) || 1;
    return [
      ...(several || spec.series[0] ? [legend(spec.series.map((label, s) => ({ label, colour: pick(colours, s), bar: true })))] : []),
      Plot.plot({
        ...base(width, 46 + rows.length * 26),
        marginLeft: left, marginRight: 64, marginTop: 30, marginBottom: 10,
        color: { type: "identity" },
        x: { domain: [0, most], axis: "top", ticks: Math.max(2, Math.floor((width - left) / 110)), tickFormat: spec.unit ? format : (x) => x.toLocaleString("en-GB", { maximumSignificantDigits: 3 }), label: spec.label, labelAnchor: "right", labelArrow: "none" },
        y: { domain: rows, tickFormat: words, label: null, padding: 0.25 },
        marks: [
          grid(Plot.gridX), Plot.ruleX([0], { strokeOpacity: 0.5 }),
          Plot.barX(values, Plot.stackX({ y: "row", x: "value", z: "series", order: "z", fill: (v) => pick(colours, v.series), title: (v) => `${spec.rows[v.row]}${spec.series[v.series] ? ", " + spec.series[v.series] : ""}: ${format(v.value)}` })),
          Plot.text(rows, { y: (r) => r, x: total, text: (r) => format(total(r)), textAnchor: "start", dx: 5, fill: "currentColor" }),
        ],
      }),
    ];
  },

  // The queries one below the other, a bar a configuration; a mark a configuration where there are many.
  grouped(spec, width) {
    const values = spec.values.map(([row, series, value, why]) => ({ row, series, value, why }));
    const measured = values.filter((v) => v.value !== null);
    const missing = values.filter((v) => v.value === null);
    const longest = d3.max(measured, (v) => v.value) || 1;
    const ticks = d3.ticks(0, longest, Math.max(3, width / 130));
    const items = spec.series.map((label, s) => ({ label, ...seriesLook(s), dash: "none" }));
    const common = { marginLeft: 42, marginRight: 56, marginTop: 34, marginBottom: 16, color: { type: "identity" } };
    const x = { domain: [0, longest], ticks, tickFormat: axisDuration, axis: "top", label: "mean time", labelAnchor: "right", labelArrow: "none" };
    const title = (v) => `${spec.rows[v.row]}, ${spec.series[v.series]}: ${v.value === null ? v.why : duration(v.value)}`;
    if (spec.series.length > 5) {
      return [
        legend(items),
        Plot.plot({
          ...base(width, 50 + spec.rows.length * 20), ...common, x,
          y: { domain: d3.range(spec.rows.length), tickFormat: (r) => spec.rows[r], label: null, padding: 0.2 },
          marks: [
            grid(Plot.gridX, { ticks }), grid(Plot.gridY), Plot.ruleX([0], { strokeOpacity: 0.5 }),
            Plot.dot(measured, { y: "row", x: "value", r: 4, symbol: (v) => seriesLook(v.series).symbol, stroke: (v) => seriesLook(v.series).colour, fill: (v) => seriesLook(v.series).colour, fillOpacity: 0.25 }),
            Plot.tip(measured, Plot.pointer({ y: "row", x: "value", title })),
          ],
          symbol: { type: "identity" },
        }),
      ];
    }
    const thick = spec.series.length <= 2 ? 12 : 9;
    return [
      legend(items.map((i) => ({ ...i, bar: true }))),
      Plot.plot({
        ...base(width, 50 + spec.rows.length * (spec.series.length * thick + 8)), ...common, x,
        y: { domain: d3.range(spec.series.length), axis: null, padding: 0.08 },
        fy: { domain: d3.range(spec.rows.length), tickFormat: (r) => spec.rows[r], label: null, padding: 0.16, axis: "left" },
        marks: [
          grid(Plot.gridX, { ticks }), Plot.ruleX([0], { strokeOpacity: 0.5 }),
          Plot.barX(measured, { fy: "row", y: "series", x: "value", fill: (v) => seriesLook(v.series).colour, title }),
          Plot.text(measured, { fy: "row", y: "series", x: "value", text: (v) => duration(v.value), textAnchor: "start", dx: 4, fontSize: thick - 2, fill: "currentColor", fillOpacity: 0.8 }),
          Plot.text(missing, { fy: "row", y: "series", x: () => 0, text: (v) => `${spec.series[v.series]}: incomplete`, textAnchor: "start", dx: 4, fontSize: thick - 2, fill: "var(--bad)", fontWeight: 600 }),
        ],
      }),
    ];
  },

  // Probes of a search: full where every bound held, hollow where one broke or too few operations ran.
  search(spec, width) {
    const points = spec.points.map(([bound, x, value, holds, kind, why]) => ({ bound, x, value, holds, kind, why }));
    const scale = timeScale([...points.map((p) => p.value), ...spec.bounds.map((b) => b.seconds)]);
    const name = (p) => spec.bounds[p.bound].name;
    const look = (n) => seriesLook(n);
    const high = d3.max(points, (p) => p.x) || 1;
    const low = d3.min(points, (p) => p.x) || 0;
    const wide = high / Math.max(low, 1e-9) > 8;
    return [
      legend([
        ...spec.bounds.map((b, n) => ({ label: `${b.name}, bound ${duration(b.seconds)}`, ...look(n), dash: "none" })),
        { label: "hollow: it did not hold", colour: "transparent" },
        ...(spec.best === null ? [] : [{ label: `highest rate that held: ${rate(spec.best)}/s`, colour: "var(--good)", dash: "6 3" }]),
        ...(spec.below === null ? [] : [{ label: `lowest rate that did not: ${rate(spec.below)}/s`, colour: "var(--bad)", dash: "2 2" }]),
      ]),
      Plot.plot({
        ...base(width, 300),
        color: { type: "identity" },
        x: { type: wide ? "log" : "linear", domain: wide ? [low * 0.9, high * 1.1] : [0, high * 1.06], ticks: Math.max(2, Math.floor(width / 110)), tickFormat: rate, label: `intended operations per second${wide ? " (log scale)" : ""}`, labelAnchor: "center", labelArrow: "none" },
        y: { type: scale.type, domain: scale.domain },
        marks: [
          grid(Plot.gridY, { ticks: scale.ticks }), timeAxis(scale, "response time"),
          Plot.ruleY(spec.bounds, { y: "seconds", stroke: (_, n) => look(n).colour, strokeWidth: 1.5, strokeDasharray: "2 3" }),
          ...(spec.best === null ? [] : [Plot.ruleX([spec.best], { stroke: "var(--good)", strokeWidth: 1.5, strokeDasharray: "6 3" })]),
          ...(spec.below === null ? [] : [Plot.ruleX([spec.below], { stroke: "var(--bad)", strokeWidth: 1.5, strokeDasharray: "2 2" })]),
          ...spec.bounds.map((_, n) => Plot.dot(points.filter((p) => p.bound === n), { x: "x", y: "value", r: 5, symbol: look(n).symbol, stroke: look(n).colour, strokeWidth: 1.5, fill: (p) => (p.holds ? look(n).colour : "var(--paper)") })),
          Plot.tip(points, Plot.pointer({ x: "x", y: "value", title: (p) => `${rate(p.x)}/s\n${p.kind} ${name(p)} ${duration(p.value)}${p.why ? "\n" + p.why : ""}` })),
        ],
      }),
    ];
  },
};
