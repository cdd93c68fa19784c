#!/usr/bin/env python3
"""Makes the numbers of run folders again with HdrHistogram's own package: recount.py FOLDER…

Wants the package hdrhistogram. Reads the interval logs with it, and rows and executions as CSV, and holds against them what
`run.json` says of each operation and query: counts, rates, percentiles, means, tpM, power, QpH. Prints a line a folder,
and each number that is another one; exits with 1 if there is any. `crates/audit` makes the same numbers again in
Rust: whoever doubts one of the two has the other."""

import csv
import json
import math
import pathlib
import sys

from hdrh.histogram import HdrHistogram

SHARES = [("p50_us", 0.5), ("p90_us", 0.9), ("p95_us", 0.95), ("p99_us", 0.99), ("p999_us", 0.999)]
HOUR = 3_600_000_000


class Recount:
    def __init__(self, folder):
        self.folder = folder
        self.run = json.loads((folder / "run.json").read_text())
        self.samples = self.rows("samples.csv")
        self.executions = self.rows("queries.csv")
        # Of several drivers a rate is the sum of theirs, each over its own window.
        self.merged = bool(self.run.get("drivers"))
        self.rate_slack = 0.05 if self.merged else 1e-9
        self.compared, self.wrong = 0, []

    def rows(self, name):
        with open(self.folder / name, newline="") as file:
            return list(csv.DictReader(file))

    def same(self, place, there, again):
        self.compared += 1
        if there != again:
            self.wrong.append(f"{place} is {there}, made again it is {again}")

    def near(self, place, there, again, slack=1e-9):
        self.compared += 1
        if (there is None) != (again is None) or (there is not None and abs(there - again) > slack * max(1.0, abs(again))):
            self.wrong.append(f"{place} is {there}, made again it is {again}")

    def within(self, place, there, low, high):
        self.compared += 1
        if not low <= there <= high:
            self.wrong.append(f"{place} is {there}, made again it is from {low} to {high}")

    def log(self, number):
        """The intervals of a step: tag → [(start, seconds, histogram)]."""
        tags = {}
        path = self.folder / f"step-{number:02}.hlog"
        for line in path.read_text().splitlines() if path.exists() else []:
            if line.startswith(("#", '"')):
                continue
            tag, start, seconds, _, encoded = line.split(",")
            histogram = HdrHistogram.decode(encoded)
            tags.setdefault(tag.removeprefix("Tag="), []).append((float(start), float(seconds), histogram))
        return tags

    def latency(self, place, there, histograms):
        whole = HdrHistogram(1, 1 << 33, 3)
        for histogram in histograms:
            whole.add(histogram)
        longest = there["max_us"]
        for name, share in SHARES:
            again = min(quantile(whole, share), longest) if whole.total_count else 0
            self.same(f"{place}.{name}", there[name], again)
        if not whole.total_count:
            return self.same(f"{place}.mean_us", there["mean_us"], 0.0)
        values = [(item.value_iterated_to, item.count_added_in_this_iter_step) for item in whole.get_recorded_iterator()]
        low = sum(max(0, whole.get_lowest_equivalent_value(v) - 0.5) * n for v, n in values) / whole.total_count
        high = sum((whole.get_highest_equivalent_value(v) + 0.5) * n for v, n in values) / whole.total_count
        if longest <= HOUR:
            self.within(f"{place}.mean_us", there["mean_us"], low, high)
        top = values[-1][0]
        bounds = whole.get_lowest_equivalent_value(top), whole.get_highest_equivalent_value(top)
        self.within(f"{place}.max_us", min(longest, HOUR), *bounds)

    def step(self, step):
        number, seconds = step["number"], step["seconds"]
        log = self.log(number)
        for operation in step["transactions"]:
            self.operation(f"step {number}, {operation['kind']}", step, operation, log)
        for query in step["queries"]:
            self.query(f"step {number}, {query['kind']}", number, query)
        orders = next((o for o in step["transactions"] if o["kind"] == "NewOrder"), None)
        committed = orders and seconds > 0 and orders["count"] > orders["rolled_back"]
        self.near(f"step {number}, tpm", step["tpm"], orders["count"] / seconds * 60 if committed else None, self.rate_slack)
        means = [q["mean_seconds"] for q in step["queries"]]
        whole = means and None not in means and not any(q["failed"] for q in step["queries"])
        power = math.exp(sum(math.log(max(m, 1e-9)) for m in means) / len(means)) if whole else None
        hour = len(means) * 3600 / sum(means) * step["query_clients"] if whole else None
        self.near(f"step {number}, power_seconds", step["power_seconds"], power)
        self.near(f"step {number}, queries_per_hour", step["queries_per_hour"], hour)
        if step.get("freshness"):
            place = f"step {number}, freshness"
            self.latency(f"{place}.unseen", step["freshness"]["unseen"], [h for _, _, h in log.get("freshness", [])])
            self.cells(place, step, "freshness", log.get("freshness", []))

    def operation(self, place, step, there, log):
        rows = [r for r in self.samples if r["step"] == str(step["number"]) and r["kind"] == there["kind"]]
        window = [r for r in rows if r["phase"] == "measured"]
        counted = window + [r for r in rows if r["phase"] == "grace"]
        self.same(f"{place}.count", there["count"], sum(int(r["count"]) for r in window))
        rate = there["count"] / step["seconds"] if step["seconds"] else 0
        self.near(f"{place}.per_second", there["per_second"], rate, self.rate_slack)
        self.same(f"{place}.failures", sum(there["failures"].values()), sum(int(r["failed"]) for r in counted))
        self.same(f"{place}.retries", there["retries"], sum(int(r["retries"]) for r in counted))
        self.same(f"{place}.longest_ended_us", there["longest_ended_us"], max((int(r["max_us"]) for r in window), default=0))
        for tag, name in [("", "latency"), (":service", "service"), (":wait", "wait")]:
            if there.get(name):
                histograms = [h for _, _, h in log.get(there["kind"] + tag, [])]
                self.same(f"{place}.timed ({name})", there["timed"], sum(h.total_count for h in histograms))
                self.latency(f"{place}.{name}", there[name], histograms)
        self.cells(place, step, there["kind"], log.get(there["kind"], []))

    def cells(self, place, step, kind, intervals):
        """The rows of the window beside the intervals of the log."""
        end = step["start_seconds"] + step["seconds"]
        within = [i for i in intervals if i[0] <= end - 1e-3]
        mine = [r for r in self.samples if r["step"] == str(step["number"]) and r["kind"] == kind]
        window = [r for r in mine if r["phase"] == "measured"]
        self.same(f"{place}: rows", len(window), len(within))
        for n, (row, (start, seconds, histogram)) in enumerate(zip(window, within)):
            self.within(f"{place}, cell {n + 1}.at", float(row["at_seconds"]), start + seconds - 3e-3, start + seconds + 3e-3)
            for name, share in [("p50_us", 0.5), ("p99_us", 0.99)]:
                again = min(quantile(histogram, share), int(row["max_us"])) if histogram.total_count else 0
                self.same(f"{place}, cell {n + 1}.{name}", int(row[name]), again)
            if step.get("rate_intended") is None and not self.merged:
                self.same(f"{place}, cell {n + 1}.count", int(row["count"]), histogram.total_count)

    def query(self, place, number, there):
        mine = [e for e in self.executions if e["step"] == str(number) and e["query"] == there["kind"]]
        times = [float(e["seconds"]) for e in mine if e["phase"] == "measured" and not e["error"]]
        unfinished = [float(e["seconds"]) for e in mine if e["phase"] == "unfinished"]
        longer = [t for t in unfinished if times and t > max(times)]
        self.same(f"{place}.count", there["count"], len(times))
        self.same(f"{place}.failed", there["failed"], sum(bool(e["error"]) for e in mine if e["phase"] == "measured"))
        self.same(f"{place}.unfinished", there["unfinished"], len(unfinished))
        self.same(f"{place}.at_least", there["at_least"], len(longer))
        all_times = times + longer if times else []
        self.near(f"{place}.mean_seconds", there["mean_seconds"], sum(all_times) / len(all_times) if times else None)
        self.near(f"{place}.min_seconds", there["min_seconds"], min(times, default=None))
        self.near(f"{place}.max_seconds", there["max_seconds"], max(all_times, default=None))


def quantile(histogram, share):
    """The highest value of the bucket of the n-th operation, n rounded up, as Hoap counts. The package rounds n to the
    nearest one, which is another bucket where operations are few."""
    wanted, seen = max(1, math.ceil(share * histogram.total_count)), 0
    for item in histogram.get_recorded_iterator():
        seen += item.count_added_in_this_iter_step
        if seen >= wanted:
            return histogram.get_highest_equivalent_value(item.value_iterated_to)
    return 0


def main():
    bad = False
    for name in sys.argv[1:]:
        recount = Recount(pathlib.Path(name))
        for step in recount.run["steps"]:
            recount.step(step)
        print(f"{name}: {recount.compared} numbers, {len(recount.wrong)} others")
        for line in recount.wrong:
            print(f"  {line}")
        bad = bad or bool(recount.wrong)
    sys.exit(bad)


main()
