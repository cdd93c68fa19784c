#!/usr/bin/env python3
"""Full and read-only disks: bench/hostile/disks.py [WORD] (root, Linux).

Every command of shells.py and more that writes, in a folder on a tmpfs of its own that has so many kilobytes left, no file
more, or may only be read; and with only TMPDIR there. It does its work, or ends with a line that says why; what was there
before is as it was, no temporary file is left, and a run that could not be written whole says so. HOAP names the program.
"""

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from common import Table, run
from shells import MADE, OTHERS, SHORT, WORKLOAD

MORE = [
    SHORT.replace("--out r", "--out new"),
    SHORT.replace("--out r", "--out new --repeat 3"),
    "run ycsb-a --target sqlite:y.db --duration 500ms --warmup 0s --out new",
    "run ch2pp --target sqlite:ch2.db --tx-clients 2 --query-clients 0 --duration 500ms --warmup 0s --ledger --out new",
    "load ycsb --target sqlite:y.db -p recordcount=2000 --replace",
    "load ycsb --target duckdb:new.duckdb -p recordcount=2000",
    "run ycsb-a --target sqlite:y.db --target b=null: --duration 200ms --warmup 0s --repeat 1 --out new",
    "run ycsb-a --target null: -p recordcount=100 --duration 500ms --warmup 0s --export csv=new.csv --export json=new.json --out new",
    "query ch2pp --analytical sqlite:ch2.db --queries 6 --answers-out new",
    "experiment run ch2pp-fig10 --target sqlite:new.db --rehearsal --out new --dry-run",
    "gen ycsb -p recordcount=3000 -o new",
    "gen ch2pp --scale-down 100 -o new",
]
MB = 1 << 20
# What is left: kilobytes and files; None: nothing may be written.
LEFT = {"0 KB": (0, 1000), "8 KB": (8, 1000), "40 KB": (40, 1000), "200 KB": (200, 1000), "1 MB": (1024, 1000), "no file": (4096, 0),
        "2 files": (4096, 2), "read only": None}


def digest(place):
    files = sorted(file for file in place.rglob("*") if file.is_file())
    return {str(file.relative_to(place)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def mount(place, kilobytes, inodes):
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k,nr_inodes={inodes}", "tmpfs", place], check=True)


def wrong_of(place, before, result, line):
    code, seconds, _, said = result
    if code not in (0, 1, 2, 3):
        return "the exit code says nothing"
    if code and "hoap: " not in said:
        return "no word of why"
    if "please report" in said:
        return "Hoap blames itself"
    if seconds > 30:
        return "it takes long"
    if list(place.rglob(".hoap-*.tmp")):
        return "a temporary file is left"
    now = digest(place)
    writes = {"y.db", "ch2.db", "w.db", "h/history.ndjson"}
    changed = [name for name, was in before.items() if now.get(name) != was and name.split("-")[0] not in writes]
    if changed:
        return f"it changed {changed[:3]}"
    for file in place.glob("new/**/run.json"):
        try:
            record = json.loads(file.read_text())
        except ValueError:
            return "half of a record"
        if code == 1 and record.get("partial") is None and "could not" not in said and "No space" in said:
            return "a record that looks whole"
    return None


def main():
    table = Table()
    word = (sys.argv[1:] or [""])[0]
    with tempfile.TemporaryDirectory() as above:
        base = Path(above) / "base"
        base.mkdir()
        (base / "w.toml").write_text(WORKLOAD)
        for line in [*MADE, "load ycsb --target sqlite:y.db -p recordcount=500", "load ch2pp --scale-down 100 --target sqlite:ch2.db"]:
            made = run(line.split(), base)
            assert made[0] == 0, (line, made)
        size = int(subprocess.run(["du", "-sk", "--apparent-size", base], capture_output=True, text=True).stdout.split()[0])
        blocks = sum((file.stat().st_size + 4095) // 4096 * 4 for file in base.rglob("*") if file.is_file())
        count = sum(1 for _ in base.rglob("*")) + 2
        for left, how in LEFT.items():
            for line in [*OTHERS, *MORE]:
                if word not in f"{left} | {line}":
                    continue
                place = Path(above) / "place"
                place.mkdir()
                kilobytes, inodes = how or (4096, 1000)
                mount(place, max(size, blocks) + 4 + kilobytes, count + inodes)
                try:
                    shutil.copytree(base, place, dirs_exist_ok=True)
                    before = digest(place)
                    if how is None:
                        subprocess.run(["mount", "-o", "remount,ro", place], check=True)
                    result = run(line.split(), place, 60, variables=[("TMPDIR", str(place))])
                    table.line(f"{left} | {line}", result, wrong_of(place, before, result, line))
                finally:
                    subprocess.run(["umount", "-l", place], check=True)
                place.rmdir()
    table.end()


if __name__ == "__main__":
    main()
