#!/usr/bin/env bash
# Two drivers of two clients each, on a database whose answers take 5 ms: together they can do 800 operations a second.
# Of the merged run no second may show more, all seconds add up to the window, and all operations to those of the
# drivers. Then one driver is stopped for 3 s while the other goes on: the gap is that driver's, not the fleet's.
#
#   HOAP=target/release/hoap bench/truth/fleet.sh
#
# Needs GNU date and Python. It works in a new folder and prints a line a run.
set -euo pipefail
hoap=$(realpath "${HOAP:-target/release/hoap}")
cd "$(mktemp -d)"
run() { # NAME SECONDS STOPPED
    mkdir "$1"
    local start driver pids=()
    start=$(date -u -d '+3 seconds' +%Y-%m-%dT%H:%M:%SZ)
    for driver in 1 2; do
        "$hoap" run ycsb-c --target 'null:?latency_us=5000' --clients 2 --warmup 1s --duration "$2s" --start-at "$start" \
            --part "$driver/2" --out "$1/$driver" >"$1/$driver.txt" &
        pids+=($!)
    done
    if [ "$3" -gt 0 ]; then
        sleep 6
        kill -STOP "${pids[1]}"
        sleep "$3"
        kill -CONT "${pids[1]}"
    fi
    wait "${pids[@]}"
    "$hoap" merge "$1/1" "$1/2" -o "$1/merged" >"$1/merged.txt"
    python3 - "$1" <<'PY'
import csv, json, sys
place = sys.argv[1]
def rows(of):
    return [r for r in csv.DictReader(open(f"{place}/{of}/samples.csv")) if r["phase"] == "measured"]
step = json.load(open(f"{place}/merged/run.json"))["steps"][0]
merged, parts = rows("merged"), rows("1") + rows("2")
rate = max(int(r["count"]) / float(r["seconds"]) for r in merged)
seconds = sum(float(r["seconds"]) for r in merged)
count = sum(int(r["count"]) for r in merged), sum(int(r["count"]) for r in parts)
gaps = [json.load(open(f"{place}/{n}/run.json"))["steps"][0]["longest_gap"]["seconds"] for n in (1, 2)]
print(f"{place}: {len(merged)} cells, at most {rate:.1f} ops/s; {seconds:.3f} s of {step['seconds']:.3f}; "
      f"{count[0]} of {count[1]} operations; gap {step.get('longest_gap')}, of the drivers {gaps}; "
      f"did not run: {step.get('standstills', [])}")
assert rate <= 802 and abs(seconds - step["seconds"]) < 1e-3 and count[0] == count[1]
gap = step.get("longest_gap")
assert not gap or gap["seconds"] < 1, gap
PY
}
run steady 60 0
run stopped 12 3
