"""Prints the exponent with which CPU time and memory of each step grow with the size: the slope of a line fitted to
their logarithms. Rows of less than 50 ms of CPU are left out of the first: they measure the start of the program.
A kilobyte of GNU time is 1,024 bytes, an MB here 10^6."""
import collections
import csv
import math
import sys

rows = collections.defaultdict(list)
for row in csv.DictReader(open(sys.argv[1]), delimiter="\t"):
    rows[row["step"]].append({key: float(value) for key, value in row.items() if key != "step"})


def slope(points):
    """The slope of ln y over ln x; none of fewer than two sizes."""
    logs = [(math.log(x), math.log(y)) for x, y in points if y > 0]
    if len({x for x, _ in logs}) < 2:
        return "–"
    mean = [sum(axis) / len(logs) for axis in zip(*logs)]
    over = sum((x - mean[0]) * (y - mean[1]) for x, y in logs)
    return f"{over / sum((x - mean[0]) ** 2 for x, _ in logs):.2f}"


print(f"{'step':<18} {'CPU':>6} {'memory':>7}  from the smallest to the largest: CPU s, MB of memory")
for step, of in rows.items():
    cpu = slope([(row["size"], row["cpu_s"]) for row in of if row["cpu_s"] >= 0.05])
    memory = slope([(row["size"], row["memory_kb"]) for row in of])
    ends = " ".join(f"{row['cpu_s']:.2f}/{row['memory_kb'] * 1024 / 1e6:.0f}" for row in of)
    print(f"{step:<18} {cpu:>6} {memory:>7}  {ends}")
