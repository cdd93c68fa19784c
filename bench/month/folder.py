"""Makes the folder of a month's run from that of a short one.

    python3 bench/month/folder.py RUN OUT [DAYS]

RUN has one step with a measured window of whole ticks. Its ticks are drawn at random, from a fixed
seed, until the window is DAYS (30) long: the rows of samples.csv and the lines of step-01.hlog, with
new times. Counts and lengths in run.json are made to fit.
"""

import collections
import csv
import json
import os
import random
import sys

run, out = sys.argv[1:3]
days = float(sys.argv[3]) if len(sys.argv) > 3 else 30
os.makedirs(out)
record = json.load(open(f"{run}/run.json"))
step = record["steps"][0]
rows = collections.defaultdict(list)
with open(f"{run}/samples.csv") as file:
    reader = csv.reader(file)
    header = next(reader)
    for row in reader:
        if row[1] == "measured":
            rows[float(row[2])].append(row)
ends = sorted(rows)
lines = collections.defaultdict(list)
head = []
for line in open(f"{run}/step-01.hlog"):
    if not line.startswith("Tag="):
        head.append(line)
        continue
    tag, start, length, longest, text = line.split(",")
    # A tick ends a second after its interval began; what comes later is left out.
    lines[min(range(len(ends)), key=lambda n: abs(ends[n] - 1 - float(start)))].append((tag, longest, text))
start, number = step["start_seconds"], int(days * 86400)
draw = random.Random(1)
done = collections.Counter()
with open(f"{out}/samples.csv", "w") as samples, open(f"{out}/step-01.hlog", "w") as log:
    samples.write(",".join(header) + "\n")
    log.writelines(head)
    for tick in range(number):
        at = draw.randrange(len(ends))
        end = f"{start + tick + 1:.6f}"
        for row in rows[ends[at]]:
            samples.write(",".join(row[:2] + [end, "1.0"] + row[4:]) + "\n")
            done[row[4]] += int(row[5])
        for tag, longest, text in lines[at][: len(done)]:
            log.write(f"{tag},{start + tick:.3f},1.000,{longest},{text}")
step["seconds"] = float(number)
record["seconds"] += number
for operation in step["transactions"]:
    operation["count"] = operation["timed"] = done[operation["kind"]]
    operation["per_second"] = operation["count"] / number
json.dump(record, open(f"{out}/run.json", "w"), indent=2)
open(f"{out}/queries.csv", "w").close()
