#!/usr/bin/env python3
"""Shells, streams and signals as strangers have them: bench/hostile/shells.py.

Each line of the table sets a shell up around the same run, which must end as the table says, with a
record that is whole (or partial, where a signal ended the run) and that `hoap show` reads. With the argument
`all` every other command is tried in each, too: it ends as it does in a plain one, or says why not, and leaves no
temporary file. HOAP names the program.
"""

import json
import shutil
import sys
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
# What may keep a command from its end.
NARROW = {
    "20 files": ("ulimit -n 20; ", ""),
    "files of 4 KiB": ("trap '' XFSZ; ulimit -f 8; ", ""),
    "600 MB": ("ulimit -v 600000; ", ""),
    "a folder that is gone": ("mkdir gone; cd gone; rmdir ../gone; ", ""),
    "a folder that cannot be written": ("cd /proc; ", ""),
}
WORKLOAD = """hoap = 1
operations = [{ name = "r", read = "a" }, { name = "u", patch = "a", set = { x = 5 } }]
[collections.a]
count = 100
fields.x = { integer = "1..9" }
"""
MADE = [SHORT, SHORT.replace("out r", "out s"), "load ./w.toml --target sqlite:w.db", "gen ycsb -p recordcount=10 -o files",
        "bundle r -o b.hoap", "history add r --dir h"]
OTHERS = [
    "targets", "completions bash", "man", "man -o new", "init own", "init ch2pp", "load ycsb --target sqlite:new.db -p recordcount=100",
    "load ./w.toml --target sqlite:new.db", "run ./w.toml --target sqlite:w.db --operations 50 --warmup 0s --out new",
    "verify ./w.toml --target sqlite:w.db", "query ch2pp --print-texts --target sqlite:x", "gen ./w.toml --stdout", "gen ycsb -p recordcount=10 -o new",
    "gen ycsb -p recordcount=10 --format parquet -o new", "gen --check files", "learn a=files/usertable.ndjson -o new.toml",
    "learn a=files/usertable.ndjson -o -", "bundle r -o new.hoap", "audit b.hoap", "audit b.hoap --json", "report r -o new.html",
    "report r --csv new", "show r --full", "show r --json", "show r --format ycsb --step 1", "compare r s", "runs .", "runs . --json",
    "history add s --dir new", "history check --dir h", "history show --dir h -o new.html", "history export --dir h --format otava",
    "experiment list", "price r", "answers compare r s", "doctor sqlite:new.db", "torture report r", "merge r s -o new",
    "gather 2 --listen 127.0.0.1:0 -o new --wait 1s", "demo --out new",
]
# Signal, what ignores it before, and whether the run goes on to its end.
SIGNALS = [(name, ignored, name in ignored) for name in ["INT", "TERM", "HUP"] for ignored in ["", "INT", "TERM", "HUP"]]
SIGNALS += [("PIPE", "", True), ("WINCH", "", True), ("CONT", "", True), ("CHLD", "", True), ("URG", "", True)]


def record(place):
    file = Path(place) / "r" / "run.json"
    return json.loads(file.read_text()) if file.exists() else None


def others(table):
    with tempfile.TemporaryDirectory() as above:
        base, plain = Path(above) / "base", {}
        base.mkdir()
        (base / "w.toml").write_text(WORKLOAD)
        for line in MADE:
            assert run(line.split(), base)[0] == 0, line
        for name, (before, after) in [*AROUND.items(), *NARROW.items()]:
            for line in OTHERS:
                place = shutil.copytree(base, Path(above) / "place")
                result = run(None, place, shell=f"{before}{HOAP} {line}{after}")
                code, said = result[0], result[3]
                plain.setdefault(line, code)
                unheard = any(of in before + after for of in ["2>", "| ", "nohup"])
                wrong = None
                if code not in (0, 1, 2, 3, 141):
                    wrong = "the exit code says nothing"
                elif code != plain[line] and not unheard and "hoap: " not in said:
                    wrong = f"it ends otherwise than with {plain[line]}, and does not say why"
                elif "please report" in said:
                    wrong = "Hoap blames itself"
                elif list(place.rglob(".hoap-*.tmp")):
                    wrong = "a temporary file is left"
                table.line(f"{name} | {line}", result, wrong)
                shutil.rmtree(place)


def main():
    table = Table()
    if "all" in sys.argv[1:]:
        others(table)
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


if __name__ == "__main__":
    main()
