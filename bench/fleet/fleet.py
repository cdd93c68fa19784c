"""Fleets of drivers on one machine, for bench/fleet/run.sh.

    python3 bench/fleet/fleet.py HOAP FOLDER rates|skew|faults [NUMBER]

rates    1, 2, 4, 8 and 16 drivers of 1,000 operations a second each; on null:, or on FLEET_TARGET
skew     NUMBER runs of four drivers, of which one has a clock that is 2 s fast in every second run
         (faketime), judged by the machine's own clock too: what each driver wrote, less those 2 s
faults   NUMBER runs of three drivers, of which one is killed, stopped, not started, started twice or
         interrupted, at a random moment: the run must fail and name its part
"""

import concurrent.futures
import datetime
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import time

from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader

hoap, folder, what = sys.argv[1:4]
number = int(sys.argv[4]) if len(sys.argv) > 4 else 0
os.makedirs(folder, exist_ok=True)
environment = {**os.environ, "HOAP_FLEET_TOKEN": "a-token-of-the-bench-0123"}
# faketime moves the wall clock alone: a wrong clock of a machine leaves its monotonic one as it is.
environment["FAKETIME_DONT_FAKE_MONOTONIC"] = "1"
target = os.environ.get("FLEET_TARGET", "null:")
records = ["-p", "recordcount=1000"]


def gather(name, drivers, more=()):
    """Starts `hoap gather` and waits for its address."""
    command = [hoap, "gather", str(drivers), "--listen", "127.0.0.1:0", "-o", f"{folder}/{name}", *more]
    log = open(f"{folder}/{name}.txt", "w+")
    process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
    while True:
        log.seek(0)
        found = re.search(r" drivers? at (\S+)", log.read())
        if found:
            return process, log, found[1]
        if process.poll() is not None:
            sys.exit(f"gather ended: {folder}/{name}.txt")
        time.sleep(0.01)


def driver(name, address, part, of, flags, before=(), mark=""):
    command = [*before, hoap, "run", "ycsb-c", "--target", target, *records, *flags]
    command += ["--part", f"{part}/{of}", "--meet", address] if address else []
    command += ["--out", f"{folder}/{name}-{part}{mark}"]
    out = open(f"{folder}/{name}-{part}{mark}.txt", "w")
    return subprocess.Popen(command, stdout=out, stderr=out, env=environment)


def fleet(name, drivers, flags, before=lambda part: ()):
    begun = time.monotonic()
    process, _, address = gather(name, drivers) if drivers > 1 else (None, None, None)
    parts = [driver(name, address, n, drivers, flags, before(n)) for n in range(1, drivers + 1)]
    codes = [p.wait() for p in parts] + ([process.wait()] if process else [])
    if any(codes):
        sys.exit(f"{name}: exit codes {codes}")
    took = time.monotonic() - begun
    out = f"{folder}/{name}" if process else f"{folder}/{name}-1"
    return json.load(open(f"{out}/run.json")), took


def recount(name, drivers):
    """The p99 in µs of all reads of all drivers, from their own interval logs, by the Python port of HdrHistogram."""
    sum_ = HdrHistogram(1, 3_600_000_000, 3)
    for part in range(1, drivers + 1):
        reader = HistogramLogReader(f"{folder}/{name}-{part}/step-01.hlog", sum_)
        while (interval := reader.get_next_interval_histogram()) is not None:
            if interval.get_tag() == "READ":
                sum_.add(interval)
    return sum_.get_value_at_percentile(99)


def rates():
    print("drivers\tops/s\tof what was asked\tstart skew ms\tp99 µs\tp99 µs recounted\tseconds beyond warm-up and duration")
    flags = ["--rate", "1000", "--clients", "4", "--warmup", "1s", "--duration", "10s"]
    for drivers in [1, 2, 4, 8, 16]:
        name = f"rates-{drivers}"
        run, took = fleet(name, drivers, flags)
        step = run["steps"][0]
        [reads] = step["transactions"]
        done = reads["count"] / step["seconds"]
        skew = 1e3 * (step.get("start_skew_seconds") or 0)
        row = [f"{done:.1f}", f"{done / drivers / 1000:.5f}", f"{skew:.3f}", reads["latency"]["p99_us"]]
        print(drivers, *row, recount(name, drivers), f"{took - 11:.1f}", sep="\t", flush=True)


def moment(path):
    """When a driver's window began, in seconds, by what its own clock said."""
    run = json.load(open(path))
    whole, fraction = run["started"].rstrip("Z").split(".")
    started = datetime.datetime.fromisoformat(whole + "+00:00").timestamp() + float("0." + fraction)
    return started + run["steps"][0]["start_seconds"]


def skew():
    flags = ["--rate", "100", "--clients", "2", "--warmup", "500ms", "--duration", "1s"]
    said, seen = {True: [], False: []}, {True: [], False: []}
    for n in range(number):
        wrong = n % 2 == 1
        before = lambda part: ("faketime", "-f", "+2s") if wrong and part == 3 else ()
        run, _ = fleet(f"skew-{n}", 4, flags, before)
        said[wrong].append(1e3 * run["steps"][0]["start_skew_seconds"])
        began = [moment(f"{folder}/skew-{n}-{part}/run.json") - 2 * (wrong and part == 3) for part in range(1, 5)]
        seen[wrong].append(1e3 * (max(began) - min(began)))
    print("clocks\truns\tstart skew ms as the run says it: median\tlargest\tby the machine's clock: median\tlargest")
    for wrong in said:
        row = [f"{x:.3f}" for of in (said, seen) for x in (statistics.median(of[wrong]), max(of[wrong]))]
        print("one 2 s fast" if wrong else "right", len(said[wrong]), *row, sep="\t")


def fault(n):
    draw = random.Random(n)
    kind = ["killed", "stopped", "left out", "doubled", "interrupted"][n % 5]
    part, moment = draw.randint(1, 3), draw.uniform(0, 4)
    flags = ["--rate", "100", "--clients", "2", "--warmup", "1s", "--duration", "3s"]
    name = f"fault-{n}"
    process, log, address = gather(name, 3, ["--wait", "3s"])
    began = [p for p in (1, 2, 3) if kind != "left out" or p != part]
    parts = {p: driver(name, address, p, 3, flags) for p in began}
    time.sleep(moment)
    # A fault has to come before the end of the run; that a part is left out is one from the start.
    late = kind != "left out" and process.poll() is not None
    at = time.monotonic()
    if kind == "killed":
        parts[part].kill()
    elif kind == "stopped":
        parts[part].send_signal(signal.SIGSTOP)
    elif kind == "interrupted":
        parts[part].send_signal(signal.SIGINT)
    elif kind == "doubled":
        parts["again"] = driver(name, address, part, 3, flags, mark="-again")
    code = process.wait()
    took = time.monotonic() - at
    for p in parts.values():
        p.send_signal(signal.SIGCONT)
    ends = [p.wait() for p in parts.values()]
    log.seek(0)
    told = [line for line in log.read().splitlines() if line.startswith("hoap: ")]
    right = code == 1 and told and f"part {part}/3" in told[-1] and all(ends) and not late
    return kind, part, moment, code, took, bool(right), (told or [""])[-1]


def faults():
    print("fault\tpart\tafter s\texit code\tended after s\tvoid, and the part named\twhat gather said")
    seen = {}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for kind, part, moment, code, took, right, told in pool.map(fault, range(number)):
            seen.setdefault(kind, []).append(right)
            print(f"{kind}\t{part}\t{moment:.2f}\t{code}\t{took:.2f}\t{'yes' if right else 'NO'}\t{told}", flush=True)
    for kind, all_ in seen.items():
        print(f"{kind}: {sum(all_)} of {len(all_)}")


{"rates": rates, "skew": skew, "faults": faults}[what]()
