// Numbers as the tables show them. The files of this folder are one script, in the order of their names.
const grouped = (x, digits) => x.toLocaleString("en-GB", { maximumFractionDigits: digits, minimumFractionDigits: digits });
const significant = (x) => grouped(x, x < 9.995 ? 2 : x < 99.95 ? 1 : 0);
function duration(s) {
  // A response time is recorded to the microsecond, and nothing takes no time.
  if (s === 0) return "< 1 µs";
  if (s < 0.9995e-6) return `${Math.round(s * 1e9)} ns`;
  if (s < 0.9995e-3) return `${significant(s * 1e6)} µs`;
  if (s < 0.9995) return `${significant(s * 1e3)} ms`;
  if (s < 119.5) return `${significant(s)} s`;
  return `${Math.floor(Math.round(s) / 60)} min ${Math.round(s) % 60} s`;
}
// On an axis zeros behind the point say nothing.
const axisDuration = (s) => (s === 0 ? "0 s" : duration(s)).replace(/\.(\d*?)0+(?= )/, (_, d) => (d ? "." + d : ""));
const rate = (x) => grouped(x, x >= 99.95 || x === 0 ? 0 : x >= 9.995 ? 1 : 2);
const unique = (list) => [...new Set(list)];
const price = (x) => (Math.abs(x) >= 0.995 || x === 0 ? grouped(x, 2) : String(+x.toPrecision(4)));
const percent = (x) => `${+(x * 100).toPrecision(3)} %`;
// How a unit's numbers read: durations carry their unit, the others have it beside the axis.
const formats = { s: duration, "%": percent, "": price };
const formatOf = (unit) => formats[unit] || rate;
