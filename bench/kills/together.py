#!/usr/bin/env python3
"""Two at once on each database of the lab: bench/kills/together.py [URL …].

Without URLs: SQLite, and the servers that lab/env names (HOAP_TEST_…). On each:

* two loads that replace: one is whole, the other is refused by name or comes after it;
* a load beside a run that writes, and a run beside it: refused by name, and the run passes its checks;
* a run with --beside-others: both records say so;
* two runs that only read: both pass, beside each other and beside one that writes;
* two commands that load two databases each, which are this one, and two loads of a workload file: as two
  loads, and `verify` finds the file's documents.

HOAP names the program. Prints a line for each database; ends with 1 if something was lost, refused that
should not be, or not refused that should.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HOAP = os.environ.get("HOAP", "hoap")
SERVERS = ["POSTGRES", "REDIS", "VALKEY", "CASSANDRA", "DYNAMODB", "ASTERIXDB", "MONGO_WIRE"]
SHOP = Path(__file__).resolve().parents[2] / "examples/workloads/shop.toml"
RECORDS, ROUNDS = 3000, int(os.environ.get("ROUNDS", "3"))
IN_USE = "in use: `hoap "


def start(line, place):
    return subprocess.Popen([HOAP, *line.split()], cwd=place, stdin=subprocess.DEVNULL, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def end(process):
    told, _ = process.communicate(timeout=300)
    return process.returncode, told


def expect(holds, what, told=""):
    if not holds:
        raise Finding(f"{what}: {told[-800:]}")


class Finding(Exception):
    """Something is not as it is to be."""


def own(url):
    """A place of this program's own on a server."""
    scheme, (base, _, query) = url.split(":")[0], url.partition("?")
    option = {"redis": "prefix", "dynamodb": "prefix", "postgres": "schema"}.get(scheme)
    if option:
        return f"{base}?{query}{'&' if query else ''}{option}=together"
    if scheme == "sqlite":
        return url
    return f"{base.rsplit('/', 1)[0]}/together" + (f"?{query}" if query else "")


def runs(url):
    """A load, a run on its data that writes, and one that only reads."""
    if url.startswith("asterixdb"):
        shop = "shop --customers 2000 --customers-per-zip 100"
        return shop, None, "run pagination --operations 200 --warmup 0s"
    records = f"-p recordcount={RECORDS}"
    return (f"ycsb {records}", "run ycsb-a --rate 50 --warmup 0s",
            "run ycsb-c --operations 500 --warmup 0s")


def record(place, out):
    return json.loads((place / out / "run.json").read_text())


def beside(of):
    return any(remark["id"] == "beside-others" for remark in of["remarks"])


def all_pass(of):
    return all(check["verdict"] != "fail" for check in of["checks"])


def two_loads(place, line):
    ends = [end(process) for process in [start(line, place), start(line, place)]]
    expect(any(code == 0 for code, _ in ends), "two loads, none whole", str(ends))
    for code, told in ends:
        expect(code == 0 or (code == 3 and IN_USE in told), "a load beside another", told)
    return sum(code != 0 for code, _ in ends)


def begun(place, out, process):
    """Waits until its first step is measured."""
    samples = place / out / "samples.csv"
    for _ in range(600):
        if samples.exists() and samples.read_text().count("\n") > 2:
            return
        expect(process.poll() is None, f"{out} ended early")
        time.sleep(0.1)
    raise Finding(f"{out} does not begin")


def one(url, place, number):
    data, writes, reads = runs(url)
    load = f"load {data} --target {url} --replace"
    refused = two_loads(place, load)
    reading = [start(f"{reads} --target {url} --out reading-{number}-{n}", place) for n in (1, 2)]
    for n, process in enumerate(reading, 1):
        code, told = end(process)
        expect(code == 0 and all_pass(record(place, f"reading-{number}-{n}")), "a run that reads", told)
    if writes is None:
        return refused
    first = start(f"{writes} --target {url} --duration 5m --out first-{number}", place)
    try:
        begun(place, f"first-{number}", first)
        for line in [f"{writes} --target {url} --operations 20 --out second-{number}", load]:
            code, told = end(start(line, place))
            expect(code == 3 and IN_USE in told, f"not refused: {line}", told)
            refused += 1
        code, told = end(start(f"{reads} --target {url} --out third-{number}", place))
        expect(code == 0, "a run that reads beside one that writes", told)
        others = number == 1
        if others:
            line = f"{writes} --target {url} --operations 20 --beside-others --out beside-{number}"
            code, told = end(start(line, place))
            expect(code in (0, 1), "beside others", told)
            expect(beside(record(place, f"beside-{number}")), "not said of the second run", told)
    finally:
        first.send_signal(signal.SIGTERM)
        _, told = end(first)
    of = record(place, f"first-{number}")
    expect(beside(of) == others, "what the first run says of others", told)
    # Alone it lost nothing.
    expect(others or all_pass(of), "the first run's checks", told)
    refused += two_loads(place, f"load {data} --target a={url} --target b={url} --replace")
    refused += two_loads(place, f"load shop.toml --scale 0.005 --target {url} --replace")
    code, told = end(start(f"verify shop.toml --target {url}", place))
    expect(code == 0, "the documents of a workload file", told)
    return refused


def main():
    urls = sys.argv[1:] or ["sqlite:t.db"] + [
        os.environ[name] for name in (f"HOAP_TEST_{server}" for server in SERVERS) if name in os.environ
    ]
    wrong = 0
    for url in map(own, urls):
        shown = url.split("@")[-1].split("?")[0]
        with tempfile.TemporaryDirectory(prefix="hoap-together-") as place:
            shutil.copy(SHOP, place)
            try:
                refused = sum(one(url, Path(place), number) for number in range(1, ROUNDS + 1))
                print(f"{shown}: {ROUNDS} rounds, {refused} refused by name, nothing lost", flush=True)
            except Finding as e:
                wrong += 1
                print(f"{shown}: {e}", flush=True)
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
