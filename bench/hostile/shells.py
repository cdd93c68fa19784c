#!/usr/bin/env python3
"""Shells, streams and signals as strangers have them: bench/hostile/shells.py.

Each line of the table sets a shell up around the same commands, which must end as the table says, with a
record that is whole (or partial, where a signal ended the run) and that `hoap show` reads. HOAP names the
program.
"""

import json
import tempfile
from pathlib import Path

from common import HOAP, Table, run

SHORT = "run ycsb-a --target null: -p recordcount=100 --duration 1s --warmup 100ms --clients 2 --out r"
# What is before the command, what is after it.
AROUND = {
    "plain": ("", ""),
    "nohup": ("nohup ", ""),
    "setsid": ("setsid -w ", ""),
    "no stdin": ("", " <&-"),
    "no stdout": ("", " >&-"),
    "no stderr": ("", " 2>&-"),
    "none of them": ("", " <&- >&- 2>&-"),
    "a full stdout": ("", " >/dev/full"),
    "a full stderr": ("", " 2>/dev/full"),
    "head": ("", " | head -1"),
    "head of stderr": ("", " 2> >(head -1)"),
    "a reader that ends": ("", " 2>&1 | true"),
    "tee": ("", " 2>&1 | tee log"),
    "a small stack": ("ulimit -s 256; ", ""),
    "64 files": ("ulimit -Sn 64; ", ""),
    "a dumb terminal": ("TERM=dumb ", ""),
    "no terminal's name": ("env -u TERM ", ""),
    "60 columns": ("COLUMNS=60 ", ""),
    "C": ("LC_ALL=C ", ""),
    "a locale that is not there": ("LC_ALL=xx_YY.UTF-8 ", ""),
    "German": ("LC_ALL=de_DE.UTF-8 ", ""),
    "another zone": ("TZ=Asia/Kathmandu ", ""),
    "a zone that is none": ("TZ=:nothing ", ""),
    "no HOME": ("env -u HOME ", ""),
    "HOME is a file": ("HOME=/etc/passwd ", ""),
    "an empty environment": ('env -i LD_LIBRARY_PATH="$LD_LIBRARY_PATH" ', ""),
    "TMPDIR that is not there": ("TMPDIR=/no/such ", ""),
    "umask 077": ("umask 077; ", ""),
    "nice": ("nice -n 19 ", ""),
    "a background job": ("", " & wait $!"),
    "stdin that never ends": ("sleep 3 | ", ""),
    "colours": ("CLICOLOR_FORCE=1 ", ""),
    "no colours": ("NO_COLOR=1 ", ""),
}
# Signal, what ignores it before, and whether the run goes on to its end.
SIGNALS = [(name, ignored, name in ignored) for name in ["INT", "TERM", "HUP"] for ignored in ["", "INT", "TERM", "HUP"]]
SIGNALS += [("PIPE", "", True), ("WINCH", "", True), ("CONT", "", True), ("CHLD", "", True), ("URG", "", True)]


def record(place):
    file = Path(place) / "r" / "run.json"
    return json.loads(file.read_text()) if file.exists() else None


def main():
    table = Table()
    for name, (before, after) in AROUND.items():
        with tempfile.TemporaryDirectory() as place:
            result = run(None, place, shell=f"{before}{HOAP} {SHORT}{after}")
            found = record(place)
            wrong = None
            if found is None or found.get("partial") is not None or not found["steps"]:
                wrong = "the record is not whole"
            elif run(["show", "r"], place)[0] != 0:
                wrong = "show does not read it"
            table.line(name, result, wrong)
    for name, ignored, goes_on in SIGNALS:
        with tempfile.TemporaryDirectory() as place:
            trap = f"trap '' {ignored}; " if ignored else ""
            begun = "until [ -e r ]; do sleep 0.05; done; sleep 0.2"
            shell = f"{trap}{HOAP} {SHORT} & p=$!; {begun}; kill -{name} $p; wait $p"
            # Jobs of a shell without job control ignore INT.
            result = run(None, place, shell=f"set -m; {shell}")
            found = record(place)
            whole = found is not None and found.get("partial") is None
            wrong = None if found is not None and whole == goes_on else "it goes on, or ends, against the shell's word"
            if not goes_on and result[0] != 130:
                wrong = wrong or "the exit code is not 130"
            table.line(f"SIG{name}, ignored {ignored or 'none'}", result, wrong)
    table.end()


main()
