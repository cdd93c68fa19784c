#!/usr/bin/env python3
"""Property files of strangers: bench/hostile/properties.py FILE…

Each is given to `run ycsb` on `null:` for an instant. It is taken, or refused with all its wrong properties
at once and a reason for each; files of YCSB's own and of its forks are arguments. Each is tried again with
a byte order mark and with CRLF, which changes nothing. HOAP names the program.
"""

import sys
import tempfile
from pathlib import Path

from common import Table, run

RUN = "run ycsb-a --target null: -P w.properties -p recordcount=100 -p operationcount=50 -p threadcount=1 --warmup 0s --out r"
BOM = b"\xef\xbb\xbf"
CHANGES = {"": lambda b: b, ", BOM": lambda b: BOM + b.removeprefix(BOM), ", CRLF": lambda b: b.replace(b"\n", b"\r\n")}


def main():
    table = Table()
    taken = refused = 0
    for name in sys.argv[1:]:
        outcomes = set()
        for change, of in CHANGES.items():
            with tempfile.TemporaryDirectory() as place:
                (Path(place) / "w.properties").write_bytes(of(Path(name).read_bytes()))
                result = run(RUN.split(), place)
                code, _, _, said = result
                outcomes.add((code, said.split("hoap: ")[-1] if code else ""))
                wrong = None
                if code not in (0, 2):
                    wrong = "neither taken nor refused"
                elif code == 2 and "propert" not in said and "proportion" not in said:
                    wrong = "refused for something else"
                elif len(outcomes) > 1:
                    wrong = "the change makes a difference"
                table.line(f"{name}{change}", result, wrong)
        taken, refused = taken + (code == 0), refused + (code == 2)
    print(f"{taken} files taken, {refused} refused")
    table.end()


main()
