// Pixels of a word of so many letters.
const pixels = (text) => 6.4 * text.length;
const isLying = (spec) => spec.margins === "rows" || spec.margins === "names";
function margins(spec, width) {
  const [top, right, bottom, left] = { usual: [26, 18, 38, 62], headed: [40, 18, 38, 62], rows: [34, 56, 16, 42], names: [30, 64, 10, 0] }[spec.margins];
  const names = Math.max(60, ...spec.y.ticks.map(([, name]) => pixels(name) + 14));
  return { marginTop: top, marginRight: right, marginBottom: bottom, marginLeft: left || (above(spec, width) ? 4 : names) };
}
// How many lines the longest name takes above its bar, where it has no room beside it.
function above(spec, width) {
  const longest = spec.margins === "names" ? Math.max(...spec.y.ticks.map(([, name]) => pixels(name) + 14)) : 0;
  return longest > width * 0.42 ? Math.ceil(longest / (width - 70)) : 0;
}
// As many words as have room beside each other.
function roomy(ticks, room) {
  const widest = Math.max(...ticks.map(([, text]) => pixels(text) + 12));
  const each = Math.ceil((widest * ticks.length) / room);
  return ticks.filter((_, n) => n % each === 0);
}
function scale(axis, padding) {
  // 0 has no logarithm: it stands at the lower end.
  return { type: axis.type, domain: axis.domain, axis: null, ...(axis.type === "log" ? { clamp: true } : {}), ...(axis.type === "band" || axis.type === "point" ? { padding } : {}) };
}
function facets(axis, padding, side) {
  const words = new Map(axis.ticks);
  return { domain: axis.domain, tickFormat: (v) => words.get(v), label: null, padding, axis: side };
}

// One function for each kind of mark. `width` is that of the plot without its margins, `all` the whole plot.
const marks = {
  line: ({ points, colour, dash, fx }) => [Plot.line(points, { x: "0", y: "1", fx: fx === undefined ? undefined : () => fx, stroke: css(colour), strokeWidth: 1.8, strokeDasharray: dash || "none" })],
  dot: ({ points, colour, symbol, fx }) => [Plot.dot(points, { x: "0", y: "1", fx: fx === undefined ? undefined : () => fx, r: 4.5, symbol, stroke: css(colour), strokeWidth: 1.5, fill: (p) => (p[2] ? "var(--paper)" : css(colour)) })],
  rule: ({ at, upright, colour, dash }) => [(upright ? Plot.ruleX : Plot.ruleY)(at, {
    [upright ? "x" : "y"]: "0", ...(at.some(([, ends]) => ends) ? { [upright ? "y1" : "x1"]: (r) => r[1][0], [upright ? "y2" : "x2"]: (r) => r[1][1] } : {}),
    stroke: css(colour), strokeWidth: 1.5, strokeDasharray: dash,
  })],
  area: ({ reach, colour, fx }) => [Plot.areaY(reach, { x: "0", y1: "1", y2: "2", fx: fx === undefined ? undefined : () => fx, fill: css(colour), fillOpacity: 0.18 })],
  band: ({ spans, colour, opacity }) => [
    Plot.rectX(spans, { x1: "0", x2: "1", fill: css(colour), fillOpacity: opacity }),
    Plot.tip(spans.filter((s) => s[2]), Plot.pointerX({ x: "0", frameAnchor: "bottom", title: "2" })),
  ],
  heat: ({ colour, opacity, rows, cells }) => {
    const all = cells.flatMap(([from, to, first, levels]) => [...levels].map((level, n) => ({ from, to, level, low: rows[first + n], high: rows[first + n + 1] })));
    const seen = all.filter((c) => c.level !== "-");
    const box = { x1: "from", x2: "to", y1: (c) => c.low[0], y2: (c) => c.high[0] };
    return [Plot.rect(seen, { ...box, fill: css(colour), fillOpacity: (c) => opacity[c.level], title: (c) => `${c.from}–${c.to} s\n${c.low[1]}` })];
  },
  // A word that has no room gives way to its short form.
  words: ({ words }, width, { x }) => [Plot.text(words, { x: "x", frameAnchor: "top", dy: -14, text: (w) => ((w.room / x.domain[1]) * width < pixels(w.long) ? w.short : w.long), fill: "currentColor", fillOpacity: 0.75, fontSize: 11 })],
  bar: ({ bars, lying, hollow }, width, all) => {
    const [facet, lane, from, to] = lying ? ["fy", "y", "x1", "x2"] : ["fx", "x", "y1", "y2"];
    const place = { ...(all[facet] ? { [facet]: "facet" } : {}), [lane]: "lane" };
    const shown = bars.filter((b) => b.value !== null);
    const end = (b) => b.from + b.value;
    const fontSize = all.fy ? Math.min(10, (all.height - 50) / (all.fy.domain.length * all.y.domain.length) - 2) : lying ? 12 : 10;
    const room = lying || width / (all.fx.domain.length * (all.x.domain.length + 0.6)) > 34;
    const text = { ...place, text: "label", fontSize, ...(lying ? { textAnchor: "start", dx: 4 } : { dy: -8 }) };
    return [
      (lying ? Plot.barX : Plot.barY)(shown, { ...place, [from]: "from", [to]: end, title: "title", fill: (b) => (hollow ? "var(--paper)" : css(b.colour)), stroke: (b) => css(b.colour), strokeWidth: hollow ? 1.5 : 0, strokeDasharray: hollow ? "4 2" : "none" }),
      ...(room ? [Plot.text(shown, { ...text, [lying ? "x" : "y"]: end, fill: "currentColor" })] : []),
      Plot.text(bars.filter((b) => b.value === null), { ...text, [lying ? "x" : "y"]: () => 0, fill: "var(--bad)", fontWeight: 600 }),
    ];
  },
};

function plot(data, width, other) {
  const lying = isLying(data), { quantity } = data.y;
  const stands = data.marks.some((m) => m.mark === "bar" && !m.lying);
  const spec = {
    ...data,
    x: scaled(data.x, data.x.quantity === "moments" ? 10 : 8, data.x.quantity === "rates" && !lying ? 1.04 : 1, false),
    // Bars have words above them.
    y: scaled(data.y, 6, stands ? 1.1 : quantity === "shares" ? 1 : 1.06, Boolean(other)),
  };
  const margin = margins(spec, width);
  const inner = width - margin.marginLeft - margin.marginRight;
  const { x, y, fx, fy } = spec;
  const value = lying ? x : y;
  const grid = { stroke: "currentColor", strokeOpacity: 0.12 };
  const values = (axis) => axis.ticks.map(([v]) => v);
  const shown = roomy(x.ticks, fx ? inner / fx.domain.length : inner);
  const words = (ticks) => { const of = new Map(ticks); return (v) => of.get(v); };
  const lines = above(spec, width), rows = y.domain.length;
  const height = spec.height + 16 * lines * rows;
  const padding = lines ? 1 - 20 / (20 + 16 * lines) : lying && !fy ? 0.25 : 0.08;
  const bar = ((height - margin.marginTop - margin.marginBottom) / (rows + padding)) * (1 - padding);
  const tips = spec.marks.filter((m) => m.title).flatMap((m) => m.points.map(([px, py, , words]) => ({ x: px, y: py, fx: m.fx, words: `${m.title}\n${words}` })));
  const near = spec.marks.some((m) => m.mark === "band") ? Plot.pointerX : Plot.pointer;
  return Plot.plot({
    width, height, ...margin,
    style: { fontSize: "12px", background: "transparent", color: "inherit" },
    color: { type: "identity" }, opacity: { type: "identity" }, symbol: { type: "identity" },
    x: scale(x, x.type === "band" ? 0.1 : fx ? 0.5 : 0.3), y: scale(y, padding),
    ...(fx ? { fx: facets(fx, y.type === "band" ? 0.12 : 0.08, x.type === "band" ? "bottom" : "top") } : {}),
    ...(fy ? { fy: facets(fy, 0.16, "left") } : {}),
    marks: [
      lying ? Plot.gridX(values(x), grid) : Plot.gridY(values(y), grid),
      ...(spec.grid ? [lying ? Plot.gridY(y.domain, grid) : Plot.gridX(values(x), grid)] : []),
      ...(value.type === "linear" ? [lying ? Plot.ruleX([0], { strokeOpacity: 0.5 }) : Plot.ruleY([0], { strokeOpacity: 0.5 })] : []),
      ...(x.ticks.length ? [Plot.axisX(shown.map(([v]) => v), { text: words(shown), label: x.label, labelArrow: "none", ...(lying ? { anchor: "top", labelAnchor: "right" } : { labelAnchor: "center" }) })] : []),
      ...(lines ? [Plot.text(y.ticks, { y: "0", text: "1", frameAnchor: "left", textAnchor: "start", lineAnchor: "bottom", lineWidth: inner / 12, dy: -bar / 2 - 3 })] : []),
      ...(y.ticks.length && !lines ? [Plot.axisY(values(y), { text: words(y.ticks), label: y.label || null, labelArrow: "none", labelAnchor: "top" })] : []),
      ...spec.marks.flatMap((m) => marks[m.mark](m, inner, spec)),
      Plot.tip(tips, near({ x: "x", y: "y", ...(fx ? { fx: "fx" } : {}), title: "words" })),
    ],
  });
}

// Points name their place by its number among the chart's places; bars are lists.
function unpack(spec) {
  for (const p of spec.plots) for (const mark of p.marks) {
    if (mark.bars) mark.bars = mark.bars.map(([facet, lane, from, value, colour, label, title]) => {
      const names = [(p.fy || p.fx || p.y).ticks[facet ?? lane][1], spec.legend[lane]?.label];
      return { facet, lane, from, value, colour, label, title: title || `${names.join(", ")}: ${label}` };
    });
    if (!mark.run) continue;
    const all = [...mark.run[1].map((y, n) => [mark.run[0] + n, y]), ...(mark.points || [])];
    mark.points = all.map(([at, y, hollow, words]) => {
      const [x, place] = spec.places[at];
      const lines = [place || (p.x.quantity === "moments" ? reads.moments.tip(x) : ""), words || (p.y.quantity && reads[p.y.quantity].tip ? reads[p.y.quantity].tip(y, p.y.label) : "")];
      return [x, y, hollow, lines.filter(Boolean).join("\n")];
    });
  }
  delete spec.places;
}
// A chart: its legend, and its plots side by side where there is room. `other` is the other kind of scale.
function chart(spec, width, other) {
  if (spec.places) unpack(spec);
  const named = spec.plots.length > 1 || spec.plots.some((p) => p.name);
  const least = onPaper ? Math.min(spec.least, 320) : spec.least;
  const fit = Math.max(1, Math.min(spec.plots.length, Math.floor((width + 24) / (least + 24))));
  const each = named ? Math.floor((width - 24 * (fit - 1)) / fit) : width;
  const plots = spec.plots.map((p) => [p.name, plot(p, Math.max(240, each), other && p.y.switch)]);
  const parts = spec.legend.length ? [legend(spec.legend)] : [];
  if (!named) return [...parts, ...plots.map(([, made]) => made)];
  const box = document.createElement("div");
  box.className = "multiples";
  box.style.setProperty("--least", `${least}px`);
  for (const [name, made] of plots) {
    const part = document.createElement("div");
    if (name) part.append(Object.assign(document.createElement("p"), { className: "facet", textContent: name }));
    part.append(made);
    box.append(part);
  }
  return [...parts, box];
}
