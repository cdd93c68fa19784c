#!/usr/bin/env python3
"""Records whose values nobody measured: bench/hostile/texts.py [WORD].

Every value of a `run.json`, one at a time, becomes a long text, an escape sequence, the end of a range, nothing or another kind of
value; so do those of a bundle's manifest, a history and answers. Every command that reads them ends within 10 s of the processor
and 1 GB, says at most 20 KB, moves no cursor, and does not panic. HOAP names the program.
"""

import copy
import itertools
import json
import re
import shutil
import sys
import tempfile
from pathlib import Path

from common import Table, run

KEYS = "-p recordcount=100 --duration 200ms --warmup 0s"
MADE = [
    "load ycsb --target sqlite:y.db -p recordcount=100",
    f"run ycsb-a --target sqlite:y.db {KEYS} --clients 1,2 --ledger --label a=b --sla p99=1s --out r",
    f"run ycsb-a --target sqlite:y.db {KEYS} --clients 1,2 --ledger --label a=b --out s",
    "load ch2pp --scale-down 100 --target sqlite:ch2.db",
    "run ch2pp --operational sqlite:ch2.db --analytical sqlite:ch2.db --tx-clients 1 --query-clients 1 --duration 300ms --warmup 0s --out q",
    "query ch2pp --analytical sqlite:ch2.db --queries 6 --answers-out a",
    "history add r --dir h",
    "bundle r -o b.hoap",
]
# File, and the commands that read it.
READERS = {
    "r/run.json": ["show r --full", "show r --format markdown", "runs .", "compare s r", "report r s -o page.html", "bundle r -o new.hoap",
                   "audit new.hoap", "history add r --dir h", "merge r s -o m"],
    "q/run.json": ["show q --full", "report q -o page.html", "compare q q", "bundle q -o new.hoap", "audit new.hoap"],
    "h/history.ndjson": ["history check --dir h", "history show --dir h -o page.html", "history export --dir h --format otava"],
    "a/q06.json": ["answers compare a a", "bundle r -o new.hoap --answers a"],
}
OTHER = {
    "long": "x" * 500_000,
    "escapes": "\x1b[2J\x1b]0;x\x07\u202e\r\n\0" * 20,
    "high": 1e308,
    "below": -1,
    "none": None,
    "no date": "-009999-01-01T00:00:00Z",
}


def paths(value, at=()):
    if isinstance(value, (dict, list)) and at:
        yield at
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else []
    some = items if isinstance(value, dict) else itertools.islice(items, 1)
    for key, of in some:
        yield from paths(of, (*at, key))
    if not isinstance(value, (dict, list)):
        yield at


def put(value, at, other):
    value = copy.deepcopy(value)
    of = value
    for key in at[:-1]:
        of = of[key]
    of[at[-1]] = other
    return value


def kept(kind, old):
    """Whether the change is of a kind that may be read: a text for a text, a number for a number, nothing for all."""
    return kind == "none" or isinstance(old, str) == isinstance(OTHER[kind], str)


def main():
    table = Table()
    word = (sys.argv[1:] or [""])[0]
    with tempfile.TemporaryDirectory() as name:
        base = Path(name) / "base"
        base.mkdir()
        for line in MADE:
            made = run(line.split(), base)
            assert made[0] == 0, (line, made)
        for file, commands in READERS.items():
            text = (base / file).read_text()
            lines = [json.loads(line) for line in text.split("\n") if line] if file.endswith("ndjson") else [json.loads(text)]
            for n, whole in enumerate(lines[:8]):
                for at in paths(whole):
                    old = whole
                    for key in at:
                        old = old[key]
                    for kind, other in OTHER.items():
                        where = f"{file} {'.'.join(map(str, at))}: {kind}"
                        if word not in where or not kept(kind, old):
                            continue
                        place = shutil.copytree(base, Path(name) / "place", ignore=shutil.ignore_patterns("*.db"))
                        changed = [*lines[:n], put(whole, at, other), *lines[n + 1:]]
                        (place / file).write_text("\n".join(map(json.dumps, changed)) + "\n")
                        worst, why = None, None
                        for command in commands:
                            if command == "audit new.hoap" and not (place / "new.hoap").exists():
                                continue
                            result = run(command.split(), place, 60, processor=True)
                            code, seconds, megabytes, said = result
                            wrong = None
                            if seconds > 10 or megabytes > 1000:
                                wrong = "more than 10 s or 1 GB"
                            elif len(said) > (20_000 if "--json" not in command and "--format" not in command else 3_000_000):
                                wrong = f"a long answer: {len(said)}"
                            elif re.search("[\x00-\x08\x0b-\x1f\x7f\u202e]", said):
                                wrong = "it moves the cursor"
                            elif code not in (0, 1, 2, 3, 4):
                                wrong = f"the exit code says nothing: {code}"
                            elif code and not said.strip():
                                wrong = "no word of why"
                            elif "panicked" in said or "please report" in said:
                                wrong = "Hoap blames itself"
                            if wrong and not why:
                                worst, why = (command, result), wrong
                        table.cases += 1
                        if why:
                            table.line(f"{where} | {worst[0]}", worst[1], why)
                        shutil.rmtree(place)
    table.end()


if __name__ == "__main__":
    main()
