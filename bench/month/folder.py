"""Makes the folder of a long run from that of a short one.

    python3 bench/month/folder.py RUN OUT [DAYS]

RUN has one step with a measured window of whole ticks. Its ticks are drawn at random, from a fixed
seed, until the window is DAYS (30) long: the rows of samples.csv and machine.csv and the lines of
step-01.hlog, with new times. Counts and lengths in run.json are made to fit. Of the response times
of an open loop the two parts, service and wait, are left out.
"""

import collections
import csv
import json
import os
import random
import sys


def measured(path):
    """The header of a CSV file, and its rows of the measured window by the time of their end."""
    rows = collections.defaultdict(list)
    with open(path) as file:
        reader = csv.reader(file)
        header = next(reader)
        for row in reader:
            if row[1] == "measured":
                rows[float(row[2])].append(row)
    return header, rows


class Run:
    """A short run."""

    def __init__(self, folder):
        self.record = json.load(open(f"{folder}/run.json"))
        self.header, self.rows = measured(f"{folder}/samples.csv")
        self.machine_header, machine = measured(f"{folder}/machine.csv")
        # Those of a second; the last one may be shorter.
        self.machine = [row for rows in machine.values() for row in rows if float(row[3]) > 0.9]
        self.ends = sorted(self.rows)
        self.kinds = [operation["kind"] for operation in self.record["steps"][0]["transactions"]]
        self.head, self.lines = [], collections.defaultdict(dict)
        for line in open(f"{folder}/step-01.hlog"):
            if not line.startswith("Tag="):
                self.head.append(line)
                continue
            tag, start, length, longest, text = line.split(",")
            if tag.removeprefix("Tag=") not in self.kinds:
                continue
            # A tick ends a second after its interval began; what comes later is left out.
            at = min(range(len(self.ends)), key=lambda n: abs(self.ends[n] - 1 - float(start)))
            self.lines[at].setdefault(tag, (longest, text))

    def write(self, out, ticks, seed=1, **other):
        """Writes a run of so many ticks of a second, of which the record has something other."""
        os.makedirs(out)
        record = json.loads(json.dumps(self.record)) | other
        step = record["steps"][0]
        start, draw, done = step["start_seconds"], random.Random(seed), collections.Counter()
        with open(f"{out}/samples.csv", "w") as samples, open(f"{out}/step-01.hlog", "w") as log:
            samples.write(",".join(self.header) + "\n")
            log.writelines(self.head)
            for tick in range(ticks):
                at = draw.randrange(len(self.ends))
                end = f"{start + tick + 1:.6f}"
                for row in self.rows[self.ends[at]]:
                    samples.write(",".join(row[:2] + [end, "1.0"] + row[4:]) + "\n")
                    done[row[4]] += int(row[5])
                for tag, (longest, text) in self.lines[at].items():
                    log.write(f"{tag},{start + tick:.3f},1.000,{longest},{text}")
        with open(f"{out}/machine.csv", "w") as machine:
            machine.write(",".join(self.machine_header) + "\n")
            for tick in range(ticks):
                row = draw.choice(self.machine)
                machine.write(",".join(row[:2] + [f"{start + tick + 1:.6f}", "1.0"] + row[4:]) + "\n")
        step["seconds"] = float(ticks)
        record["seconds"] += ticks
        for operation in step["transactions"]:
            operation["count"] = operation["timed"] = done[operation["kind"]]
            operation["per_second"] = operation["count"] / ticks
            for part in ["service", "wait"]:
                operation.pop(part, None)
        json.dump(record, open(f"{out}/run.json", "w"), indent=2)
        open(f"{out}/queries.csv", "w").close()


if __name__ == "__main__":
    days = float(sys.argv[3]) if len(sys.argv) > 3 else 30
    Run(sys.argv[1]).write(sys.argv[2], int(days * 86400))
