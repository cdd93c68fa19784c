#!/usr/bin/env bash
# A picture of what run.sh measured: CPU-seconds and memory of each step over the bytes of data, both axes logarithmic; a
# dashed line grows as the data does.
#
#   bench/growth/plot.sh RAW.tsv PICTURE.png      # needs Chromium; draws with the library of Hoap's pages
set -euo pipefail
raw=$(realpath "$1") picture=$(realpath -m "$2")
vendor=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../../crates/report/assets/vendor")
place=$(mktemp -d)
trap 'rm -rf -- "$place"' EXIT
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
python3 - "$raw" "$vendor" >"$place/plot.html" <<'P'
import csv, json, sys
raw, vendor = sys.argv[1:]
rows = [{key: row[key] if key == "step" else float(row[key]) for key in row} for row in csv.DictReader(open(raw), delimiter="\t")]
script = "".join(open(f"{vendor}/{name}.min.js").read() + "\n" for name in ("d3", "plot.umd"))
print("""<!doctype html><meta charset="utf-8"><style>body { margin: 16px; font: 13px sans-serif; background: white; width: 1068px }
h2 { font-size: 14px; margin: 0 0 8px; font-weight: 600 } .two { display: flex; gap: 28px } figure { margin: 0 0 8px }</style>
<div id="legend"></div><div class="two"><div id="cpu"><h2>CPU, seconds</h2></div><div id="memory"><h2>Largest resident memory, MB</h2></div></div>
<script>""", script, "</script><script>const rows = ", json.dumps(rows), """;
const steps = [...new Set(rows.map(row => row.step))];
const range = ["#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#3ca951", "#ff8ab7", "#a463f2", "#97bbf5", "#9c6b4e", "#9498a0", "#1f6f54", "#b0413e"];
const color = { domain: steps, range: steps.map((_, i) => range[i % range.length]) };
document.getElementById("legend").append(Plot.legend({ color: { ...color, type: "categorical" } }));
// The start of the program, less than 50 ms, is not what grows.
const measured = rows.filter(row => row.cpu_s >= 0.05);
const ends = d3.extent(measured, row => row.bytes);
function draw(at, of, data, domain, extra) {
    const chart = Plot.plot({
        width: 520, height: 420, marginLeft: 48, grid: true, color,
        x: { type: "log", label: "data, GB (as JSON text)", domain: [ends[0] / 1e9 / 1.3, ends[1] / 1e9 * 1.3], tickFormat: "~g", ticks: 5 },
        y: { type: "log", label: null, domain, tickFormat: "~g", ticks: 5 },
        marks: [...extra, Plot.line(data, { x: row => row.bytes / 1e9, y: of, stroke: "step", marker: "dot" })],
    });
    document.getElementById(at).append(chart);
}
const line = d3.range(-4, 5).map(power => ends.map(bytes => ({ bytes, cpu: 10 ** power * bytes / 1e9, power }))).flat();
draw("cpu", row => row.cpu_s, measured, [0.05, d3.max(rows, row => row.cpu_s) * 1.3],
    [Plot.line(line, { x: row => row.bytes / 1e9, y: "cpu", z: "power", stroke: "#bbb", strokeDasharray: "3 4", clip: true })]);
draw("memory", row => row.memory_kb * 1024 / 1e6, rows.filter(row => row.bytes >= ends[0]), [10, 1000], []);
</script>""")
P
"$chromium" --headless --no-sandbox --disable-gpu --hide-scrollbars --virtual-time-budget=5000 --window-size=1100,540 \
    --screenshot="$picture" "file://$place/plot.html" 2>/dev/null
