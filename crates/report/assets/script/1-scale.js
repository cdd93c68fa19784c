// What an axis measures decides how its values read: three digits and a unit. `idle` leaves out zeros behind the point.
function three(x, idle) {
  const digits = x < 9.995 ? 2 : x < 99.95 ? 1 : 0;
  return x.toLocaleString("en-GB", { minimumFractionDigits: idle ? 0 : digits, maximumFractionDigits: digits });
}
const units = [[0.9995e-6, 1e9, " ns"], [0.9995e-3, 1e6, " µs"], [0.9995, 1e3, " ms"], [Infinity, 1, " s"]];
function time(seconds, idle) {
  const [, times, unit] = units.find(([below]) => seconds < below);
  return three(seconds * times, idle) + unit;
}
const reads = {
  times: { axis: (v) => (v === 0 ? "0 s" : time(v, true)), tip: (v) => (v < 1e-12 ? "< 1 µs" : time(v)) },
  rates: { axis: (v) => three(v, true), tip: (v, label) => `${v < 1e-12 ? 0 : three(v)} ${label}` },
  moments: { axis: (v) => `${v.toLocaleString("en-GB")} s`, tip: (v) => `${v} s` },
  bytes: { axis: (v) => d3.format("~s")(v).replace(/([a-zA-Z]?)$/, " $1B") },
  shares: { axis: (v) => `${+(100 * v).toPrecision(4)} %` },
  amounts: { axis: (v) => v.toLocaleString("en-GB", { maximumSignificantDigits: 4 }) },
};
// 1, 2 and 5 times each power of ten, from the last one below to the first one above.
function logarithmic(low, high) {
  const powers = d3.range(Math.floor(Math.log10(low)), Math.ceil(Math.log10(high)) + 1);
  const all = powers.flatMap((p) => [1, 2, 5].map((m) => +`${m}e${p}`));
  const begin = d3.max(all.filter((v) => v <= low)), end = d3.min(all.filter((v) => v >= high));
  return all.filter((v) => v >= begin && v <= end);
}
// An axis with its domain, and its ticks with their words. `room` is what a linear one has above the highest value;
// `other` makes the other kind of it, linear or logarithmic.
function scaled(axis, count, room, other) {
  if (!axis) return axis;
  if (!axis.quantity) return axis.type === "point" && !axis.ticks.length ? { ...axis, ticks: axis.domain.map((v) => [v, String(v)]) } : axis;
  const words = reads[axis.quantity].axis;
  const [low, high] = axis.domain;
  if ((axis.type === "log") === other) {
    const begin = axis.near ? low : 0, end = axis.near ? high : (high || (axis.quantity === "times" ? 1e-6 : 1)) * room;
    return { ...axis, type: "linear", domain: [begin, end], ticks: d3.ticks(begin, end, count).map((v) => [v, words(v)]) };
  }
  const all = logarithmic(low, Math.max(high, 2 * low)), few = all.length <= 8 || axis.least;
  const ticks = all.filter((v) => few || Number.isInteger(Math.log10(v))).map((v) => [v, words(v)]);
  // What is shorter than the lowest has one place.
  const first = axis.least ? [[low / 2, `< ${words(low)}`]] : [];
  return {
    ...axis, type: "log", domain: [axis.least ? low / 2 : all[0], all[all.length - 1]], ticks: [...first, ...ticks],
    label: `${axis.label} (log scale${axis.zero ? ", 0 at its end" : ""})`,
  };
}
