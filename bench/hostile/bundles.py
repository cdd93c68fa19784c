#!/usr/bin/env python3
"""Bundles that nobody's run made: bench/hostile/bundles.py [FLIPS].

A small run is bundled, and a copy's files are replaced, its manifest changed, bytes flipped; small files unpack to gigabytes.
`hoap audit` reads each within 10 s of the processor and 1 GB and says what is wrong, or refuses it by a line. Needs zstd. HOAP names
the program.
"""

import hashlib
import io
import json
import random
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from common import Table, run

FLIPS = int(sys.argv[1]) if len(sys.argv) > 1 else 100
BEGIN = b"P*M\x18\x0e\0\0\0hoap bundle 1\n"
RUN = "run ycsb-a --target null: -p recordcount=100 --duration 1s --warmup 100ms --clients 1,2 --out r"
ROW = b"1,measured,1,1,READ,5,0,0,1,1,1,1\n"
QUERIES = b"step,phase,stream,loop,query,start_seconds,seconds,rows,error\n"
ESCAPE = "\x1b[2J\u202e"


def zstd(bytes_, *flags):
    return subprocess.run(["zstd", "-qc", *flags], input=bytes_, stdout=subprocess.PIPE, check=True).stdout


def unpacked(bundle):
    tar = tarfile.open(fileobj=io.BytesIO(zstd(bundle[len(BEGIN):], "-d")))
    return {of.name: tar.extractfile(of).read() for of in tar.getmembers()}


def packed(files, change=None, true=True):
    """`true`: the manifest tells the lengths and digests of what is there."""
    files = dict(files)
    if true:
        told = json.loads(files["manifest.json"])
        facts = {name: {"bytes": len(of), "sha256": hashlib.sha256(of).hexdigest()} for name, of in files.items()}
        told["files"] = {name: fact for name, fact in facts.items() if name != "manifest.json"}
        if change:
            change(told)
        files["manifest.json"] = json.dumps(told).encode()
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name in sorted(files, key=lambda name: name != "manifest.json"):
            of = tarfile.TarInfo(name)
            of.size, of.mode = len(files[name]), 0o644
            tar.addfile(of, io.BytesIO(files[name]))
    return BEGIN + zstd(out.getvalue(), "-1")


def bundles(good):
    files = unpacked(good)
    at = "runs/01"
    record = files[f"{at}/run.json"]
    whole = json.loads(record)
    head = files[f"{at}/samples.csv"].split(b"\n")[0] + b"\n"
    log = files[f"{at}/step-01.hlog"].splitlines(True)
    before, line = b"".join(of for of in log if not of.startswith(b"Tag")), [of for of in log if of.startswith(b"Tag")][0]
    machine = files[f"{at}/machine.csv"].splitlines(True)
    values = json.dumps({**whole, "configuration": {"x": [{"": {}}] * 370000}}).encode()

    def with_(name, content):
        return packed({**files, f"{at}/{name}": content})

    def told(**more):
        return packed(files, lambda manifest: manifest.update(more))

    def runs(n, content):
        many = {f"runs/{i:04}/run.json": content for i in range(n)}
        listed = [{"at": f"runs/{i:04}", "name": "x"} for i in range(n)]
        return packed({"manifest.json": files["manifest.json"], **many}, lambda manifest: manifest.update(runs=listed))

    yield "as it was", good
    yield "packed again", packed(files)
    for name, bundle in {"empty": b"", "its begin": BEGIN, "half": good[:len(good) // 2], "cut off": good[:-1], "twice": good * 2}.items():
        yield name, bundle
    yield "rows", with_("samples.csv", head + ROW * 6_000_000)
    yield "fewer rows", with_("samples.csv", head + ROW * 1_900_000)
    yield "steps", with_("samples.csv", head + b"".join(b"%d" % i + ROW[1:] for i in range(1_500_000)))
    yield "kinds", with_("samples.csv", head + b"".join(b"%d,measured,1,1,K%d,5,0,0,1,1,1,1\n" % (i // 256, i % 256) for i in range(500_000)))
    yield "a long kind", with_("samples.csv", head + ROW.replace(b"READ", b"K" * 200_000_000))
    yield "an open quote", with_("samples.csv", head + b'"' + b"x\n" * 1_000_000)
    yield "numbers", with_("samples.csv", head + b"9223372036854775807,measured,1e308,nan,READ,9007199254740993,0,0,-1,1,1,18446744073709551615\n")
    yield "rows of the machine", with_("machine.csv", machine[0] + machine[1] * 1_900_000)
    yield "rows of queries", with_("queries.csv", QUERIES + b"1,measured,0,1,Q01,1,0.001,1,\n" * 1_900_000)
    yield "intervals", with_("step-01.hlog", before + line * 1_300_000)
    yield "logs", packed({**files, **{f"{at}/step-{i:02}.hlog": before + line * 10000 for i in range(1, 90)}})
    yield "no histogram", with_("step-01.hlog", b"Tag=READ,1,1,1,HISTFAAAAAAAAAA\n")
    yield "values", with_("run.json", values)
    yield "values in many runs", runs(20, values)
    yield "many runs", runs(500, record)
    yield "depth", with_("run.json", b'{"a":' * 200000)
    yield "digits", with_("run.json", record.replace(b'"seed": 1', b'"seed": 1' + b"0" * 10000))
    yield "null", with_("run.json", b"null")
    yield "words", with_("run.json", json.dumps({**whole, "started": ESCAPE, "benchmark": ESCAPE}).encode())
    yield "300 MB of nothing", with_("witness.ndjson", bytes(300 << 20))
    yield "listed runs", told(runs=[{"at": f"runs/{i}", "name": "x"} for i in range(100000)])
    yield "runs of no place", told(runs=[{"at": "", "name": ESCAPE * 1000}])
    yield "runs of one place", told(runs=[{"at": at, "name": "r"}] * 50)
    yield "reasons", told(reasons={f"x{i}{ESCAPE}": "=cmd" for i in range(50000)})
    yield "a long version", told(program={"version": ESCAPE * 100000, "sha256": ""})
    yield "listed files", packed(files, lambda of: of["files"].update({f"{at}/f{i}": {"bytes": 2**64 - 1, "sha256": ""} for i in range(9000)}))
    yield "other files", packed({**files, **{f"{at}/x{i}": b"" for i in range(3000)}})
    draw = random.Random(3)
    for n in range(FLIPS):
        made = bytearray(good)
        for _ in range(draw.choice([1, 1, 2, 8])):
            made[draw.randrange(len(made))] = draw.randrange(256)
        yield f"flipped {n}", bytes(made)
        name = draw.choice([name for name in files if files[name]])
        made = bytearray(files[name])
        for _ in range(draw.choice([1, 2, 8])):
            made[draw.randrange(len(made))] = draw.choice(b'0919-.e,"[]{}\n')
        yield f"flipped {n} in {name}", packed({**files, name: bytes(made)}, true=name != "manifest.json")


def main():
    table = Table()
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        for line in [RUN, "bundle r -o good.hoap"]:
            assert run(line.split(), place)[0] == 0, line
        for kind, bundle in bundles((place / "good.hoap").read_bytes()):
            (place / "x.hoap").write_bytes(bundle)
            result = run(["audit", "x.hoap"], place, processor=True)
            code, seconds, megabytes, said = result
            wrong = None
            if code not in (0, 1, 2):
                wrong = "the exit code says nothing"
            elif code and "hoap: " not in said:
                wrong = "no word of why"
            elif seconds > 10 or megabytes > 1000:
                wrong = "more than 10 s or 1 GB"
            elif len(said) > 500_000:
                wrong = f"a long answer: {len(said)}"
            elif "\x1b" in said or "\u202e" in said:
                wrong = "it writes to the terminal"
            table.line(f"{kind} ({len(bundle)} bytes)", result, wrong)
    table.end()


main()
