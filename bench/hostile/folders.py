#!/usr/bin/env python3
"""Run folders of 200 MB that nobody's run wrote: bench/hostile/folders.py [BYTES].

A small run is made, and one file of a copy of it is filled with rows of one kind. `report` and `compare`
read each within 10 s of the processor and 1 GB, or refuse it with a line that says why. So do `history` and `runs`
with a history and folders of runs. HOAP names the program.
"""

import itertools
import json
import shutil
import sys
import tempfile
from pathlib import Path

from common import Table, run

BYTES = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000_000
RUN = "run ycsb-a --target null: -p recordcount=100 --duration 300ms --warmup 100ms --clients 1 --out base"

# File, its head where the run has none, and a row by its number.
ROWS = {
    "ticks": ("samples.csv", None, lambda n: f"1,measured,{n},1,READ,5,0,0,1,1,1,1\n"),
    "kinds": ("samples.csv", None, lambda n: f"1,measured,1,1,K{n},5,0,0,1,1,1,1\n"),
    "steps": ("samples.csv", None, lambda n: f"{n},measured,1,1,READ,5,0,0,1,1,1,1\n"),
    "phases": ("samples.csv", None, lambda n: f"1,p{n},1,1,READ,5,0,0,1,1,1,1\n"),
    "queries": ("queries.csv", "step,phase,stream,loop,query,start_seconds,seconds,rows,error\n",
                lambda n: f"1,measured,0,{n},Q01,1,0.001,1,\n"),
    "observed": ("observed.csv", "at_seconds,source,series,kind,value\n",
                 lambda n: f"{n // 4000},s,c{n % 4000},gauge,1\n"),
    "long line": ("samples.csv", None, lambda n: "1,measured,1,1,READ" if n == 0 else "READ" * 8),
}
# What takes the place of a text of run.json, by a part that is repeated.
TEXTS = {
    "nodes": ('"configuration": {', '"configuration": {"x": [%s], ', '{"":{}}'),
    "strings": ('"command": [', '"command": [%s, ', '""'),
    "numbers": ('"command": [', '"command": [%s, ', "1e308"),
    "depth": ('"configuration": {', '"configuration": {"x": %s, ', None),
}


def fill(path, head, row):
    head = head or path.open().readline()
    with path.open("w") as file:
        file.write(head)
        n, size = 0, 0
        while size < BYTES:
            size += file.write("".join(row(n + i) for i in range(20_000)))
            n += 20_000


def copies(place):
    """Folders and what they are, one at a time: together they would fill a disk."""
    base = place / "base"
    record = (base / "run.json").read_text()
    for name, (file, head, row) in ROWS.items():
        folder = shutil.copytree(base, place / "folder")
        fill(folder / file, head, row)
        yield name, folder
        shutil.rmtree(folder)
    for name, (before, after, part) in TEXTS.items():
        assert before in record, before
        folder = shutil.copytree(base, place / "folder")
        many = ",".join([part] * (BYTES // (len(part) + 1))) if part else "[" * (BYTES // 2) + "]" * (BYTES // 2)
        (folder / "run.json").write_text(record.replace(before, after % many, 1))
        yield name, folder
        shutil.rmtree(folder)
    folder = shutil.copytree(base, place / "folder")
    whole = json.loads(record)
    step = json.dumps(whole["steps"][0])
    whole["steps"] = ["STEPS"]
    many = ",".join([step] * (BYTES // len(step)))
    (folder / "run.json").write_text(json.dumps(whole).replace('"STEPS"', many, 1))
    yield "steps of the record", folder
    shutil.rmtree(folder)
    folder = shutil.copytree(base, place / "folder")
    whole["steps"], whole["started"] = json.loads(record)["steps"], "2026\n" + "x" * min(BYTES // 10, 20_000_000)
    (folder / "run.json").write_text(json.dumps(whole))
    yield "a long start", folder
    shutil.rmtree(folder)


def histories(place):
    """Histories of one kind of line, after a run with a value."""
    assert run("history add base --dir history".split(), place)[0] == 0
    file = place / "history/history.ndjson"
    head, one, value = [json.loads(line) for line in file.read_text().split("\n")[:3]]
    of_run = {**one, "folders": [], "labels": {}, "data": {}, "workload": {}}

    def runs(n, **more):
        return json.dumps({**of_run, "run": str(n), "started": f"{n:09}", **more}) + "\n"

    def values(n, **more):
        return json.dumps({**value, "run": str(n), **more}) + "\n"

    first = runs(0) + values(0)
    rows = {
        "runs": runs,
        "runs of one branch each": lambda n: runs(n, labels={"branch": str(n)}),
        "runs with a value": lambda n: runs(n) + values(n, value=1 + n % 7),
        "values of a run": lambda n: values(0) if n else first,
        "series of a run": lambda n: values(0, step=str(n)) if n else first,
        "labels": lambda n: runs(n, labels={str(m): "" for m in range(100)}),
        "acknowledged": lambda n: first if n == 0 else json.dumps(
            {"line": "acknowledged", **{k: value[k] for k in ["step", "metric", "kind"]}, "run": "0", "reason": "",
             "by": None, "at": ""}) + "\n",
        "a long line": lambda n: "x" * 100 if n else '{"line":"run","x":"',
        "empty lines": lambda n: "\n",
    }
    for name, row in rows.items():
        fill(file, json.dumps(head) + "\n", row)
        yield f"history of {name}"


def main():
    table = Table()
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        made = run(RUN.split(), place)
        assert made[0] == 0, made
        shutil.copytree(place / "base", place / "other")
        of_folder = ["report folder -o page.html", "compare folder other", "runs ."]
        of_history = ["history check --dir history", "history show --dir history -o page.html",
                      "history export --dir history --format otava -o page.html"]
        for kind, commands in itertools.chain(((kind, of_folder) for kind, _ in copies(place)),
                                              ((kind, of_history) for kind in histories(place))):
            for command in commands:
                result = run(command.split(), place, 300, processor=True)
                code, seconds, megabytes, said = result
                wrong = None
                if seconds > 10 or megabytes > 1000:
                    wrong = "more than 10 s or 1 GB"
                elif command == "runs ." and len(said) > 10_000:
                    wrong = "a long answer"
                elif code not in (0, 1, 4) and "hoap: " not in said:
                    wrong = "no word of why"
                table.line(f"{kind} | {command.rsplit(' --', 1)[0]}", result, wrong)
                (place / "page.html").unlink(missing_ok=True)
    table.end()


main()
