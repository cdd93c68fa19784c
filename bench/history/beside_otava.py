#!/usr/bin/env python3
"""Histories of known truth, as Hoap and as Apache Otava see them: beside_otava.py HOAP [HISTORIES] [SEED]

Wants the package apache-otava. Makes run folders of 200 runs with 20 percentiles each, in a folder that is removed, adds
them to a history, exports it as Otava's CSV, and asks both for changes: `hoap history check --json`, and
Otava's analysis of the CSV with its defaults (window 50, p 0.001). A third of the histories has no change, a third
one of +5 % in one of its series, and a third one run in fifty that is 20 % slower. The noise is 2 %."""

import csv
import datetime
import json
import pathlib
import random
import subprocess
import sys
import tempfile

from otava.analysis import compute_change_points

RUNS, KINDS, NOISE = 200, 10, 0.02
KIND_OF_HISTORY = ["no change", "one of +5 %", "slow single runs"]


def latency(p50, p99):
    numbers = {"p50_us": p50, "p90_us": p50, "p95_us": p50, "p99_us": p99, "p999_us": p99, "max_us": p99}
    return {"mean_us": float(p50), **numbers}


def operation(kind, p50, p99):
    counts = {"count": 100000, "timed": 100000, "at_least": 0, "unfinished": 0, "oldest_us": 0, "longest_ended_us": 0}
    rest = {"rolled_back": 0, "retries": 0, "failures": {}, "first_errors": {}, "per_second": 1000.0}
    return {"kind": kind, **counts, **rest, "latency": latency(p50, p99)}


def run(number, operations):
    started = datetime.datetime(2026, 1, 1) + datetime.timedelta(hours=number)
    step = {"number": 1, "name": "8 clients", "tx_clients": 8, "clients": 8, "query_clients": 0, "start_seconds": 0.0,
            "warmup_seconds": 0.0, "seconds": 100.0, "transactions": operations, "queries": []}
    return {"format": 3, "hoap": "0.1.0", "benchmark": "ycsb-c", "command": [], "started": started.isoformat() + "Z",
            "seconds": 100.0, "remarks": [], "configuration": {}, "data": {"version": 1}, "constants": {},
            "labels": {"commit": f"c{number:03}"}, "host": {"system": "", "processor": "", "cores": 2, "memory_bytes": 1},
            "steps": [step], "checks": [], "audit": []}


def history(kind, draw):
    """Run folders' records, and the change: (series, run)."""
    change = (draw.randrange(2 * KINDS), draw.randrange(10, RUNS - 9)) if kind == 1 else None
    records = []
    for number in range(RUNS):
        values = []
        for series in range(2 * KINDS):
            level = 100000.0 * (1.05 if change and series == change[0] and number >= change[1] else 1.0)
            slow = 1.2 if kind == 2 and draw.random() < 0.02 else 1.0
            values.append(round(level * slow * (1 + NOISE * draw.gauss(0, 1))))
        records.append(run(number, [operation(f"K{k}", values[2 * k], values[2 * k + 1]) for k in range(KINDS)]))
    return records, change


def name(series):
    return f"8 clients K{series // 2} {'p99' if series % 2 else 'p50'}"


def hoap(program, place, records):
    folders = []
    for number, record in enumerate(records):
        folder = place / f"{number:03}"
        folder.mkdir()
        (folder / "run.json").write_text(json.dumps(record))
        folders.append(str(folder))
    own = ["--dir", str(place / "history")]
    subprocess.run([program, "history", "add", *folders, *own, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    out = ["--format", "otava", "--out", str(place / "otava.csv")]
    subprocess.run([program, "history", "export", *own, *out, "--quiet"], check=True)
    check = subprocess.run([program, "history", "check", *own, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert check.returncode in (0, 1), check
    found = json.loads(check.stdout)["changes"]
    return [(f"{c['step']} {c['kind']} {c['metric']}", int(c["after"]["labels"]["commit"][1:])) for c in found]


def otava(place):
    with open(place / "otava.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == RUNS
    found = []
    for column in rows[0]:
        if "clients K" in column:
            points, _ = compute_change_points([float(row[column]) for row in rows])
            found += [(column, point.index) for point in points]
    return found


def main():
    program, histories = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 60
    draw = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    seen = {}
    for number in range(histories):
        kind = number % len(KIND_OF_HISTORY)
        with tempfile.TemporaryDirectory() as place:
            records, change = history(kind, draw)
            answers = {"hoap": hoap(program, pathlib.Path(place), records), "otava": otava(pathlib.Path(place))}
        for who, found in answers.items():
            is_true = lambda at: change and at[0] == name(change[0]) and abs(at[1] - change[1]) <= 2
            of = seen.setdefault((kind, who), [0, 0, 0, 0])
            of[0] += 1
            of[1] += any(is_true(at) for at in found)
            false = sum(not is_true(at) for at in found)
            of[2] += false > 0
            of[3] += false
    print("| history | program | histories | change found within two runs | with other changes | other changes |")
    print("|---|---|--:|--:|--:|--:|")
    for (kind, who), (all_of, near, with_false, false) in sorted(seen.items()):
        found = str(near) if kind == 1 else "–"
        print(f"| {KIND_OF_HISTORY[kind]} | {who} | {all_of} | {found} | {with_false} | {false} |")


main()
