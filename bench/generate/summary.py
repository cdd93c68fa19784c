"""The table of raw.tsv: the fastest of the rounds, because what else a machine does only adds."""

import sys

rows = {}
header = []
for line in open(sys.argv[1]):
    fields = line.rstrip("\n").split("\t")
    if line.startswith("#"):
        header.append(line[1:].strip())
    elif fields[0] != "round":
        rows.setdefault(fields[1], []).append([float(n) for n in fields[2:]])

print("\n".join(header) + "\n")
print("| | runs | MB | MB/s | MB per CPU-second | peak MB | wall ÷ cat |")
print("|---|--:|--:|--:|--:|--:|--:|")
cat = min((wall for _, wall, *_ in rows.get("cat of the same", [])), default=None)
for what, runs in rows.items():
    megabytes = runs[0][0] / 1e6
    wall = min(run[1] for run in runs)
    cpu = min(run[2] + run[3] for run in runs)
    peak = max(run[4] for run in runs) / 1e3
    beside = what in ("cat of the same", "ch2pp ndjson, files") and cat
    ratio = f"{wall / cat:.2f}" if beside else ""
    print(f"| {what} | {len(runs)} | {megabytes:.0f} | {megabytes / max(wall, 0.01):.0f} | "
          f"{megabytes / max(cpu, 0.01):.0f} | {peak:.0f} | {ratio} |")
