#!/usr/bin/env python3
"""Samples of strangers: bench/hostile/samples.py [MUTANTS].

Each is given to `hoap learn`, with and without values. It ends within 10 s of the processor and 1 GB with a workload file that `gen`
takes, within as much, or refuses the sample by a line that says where and why. Parquet files are some of `hoap gen`, cut off
or with bytes changed. HOAP names the program.
"""

import json
import random
import struct
import sys
import tempfile
from pathlib import Path

from common import HOAP, Table, run

MUTANTS = int(sys.argv[1]) if len(sys.argv) > 1 else 200
DOCUMENT = '{"a":1,"b":"x","c":[1,2],"d":{"e":true}}\n'
ODD = ["", ".", "a.b", "$x", "'", '"', "\\", "\n", "\0", "\u202e", "[0]", "{n}", "$new", "_id", "key", "n", "seq", "index",
       "parent", "\x1b[2J", "values", "copy", "fields", "hidden", "absent", "é"]
SCHEMA = "hoap = 1\n[collections.a]\ncount = 300\nfields = { i = { integer = '1..9' }, d = { date = '2024-01-01..2024-12-31' }, " \
    "t = { text = '5..50' }, l = { array = '0..3', of = { number = '0..1' } }, o = { fields = { b = { boolean = 0.5 } } } }\n"


def many(n, of):
    return "".join(of(i) for i in range(n))


def deep(open_, close, n, inner="1"):
    return open_ * n + inner + close * n


def shape(depth, turn):
    value = f"t{depth}"
    for i in range(depth):
        value = turn(i, value)
    return json.dumps({"x": value}) + "\n"


SAMPLES = {
    # What is no document, or half of one.
    "empty.json": "", "space.json": " \n\t ", "null.json": "null", "number.json": "5", "text.json": '"x"', "numbers.json": "[1,2]",
    "open.json": "[", "cut in an array.json": '[{"a":1},{"a":', "cut.json": '{"a":', "cut.ndjson": DOCUMENT * 3 + '{"a":1,"b',
    "more behind.json": '[{"a":1}] {"a":2}', "two arrays.json": '[{"a":1}][{"a":2}]', "arrays.json": '[[{"a":1}]]',
    "none.json": "[]", "nothing.json": "{}", "nothings.ndjson": "{}\n" * 1000, "in a line.json": '{"a":1}{"a":2}',
    "commas.json": '{"a":1},{"a":2}', "trailing.json": '{"a":1,}', "comments.json": '// x\n{"a":1}', "quotes.json": "{'a':1}",
    # Numbers.
    "NaN.json": '{"a":NaN}', "1e999.json": '{"a":1e999}', "ends of doubles.ndjson": '{"a":1e308}\n{"a":-1e308}\n' * 50,
    "digits.json": '{"a":' + "9" * 10000 + "}", "digits behind.json": '{"a":0.' + "9" * 10000 + "}",
    "exponent.json": '{"a":1e' + "9" * 10000 + "}", "small exponent.json": '{"a":1e-' + "9" * 10000 + "}",
    "digits.ndjson": many(500, lambda i: f'{{"a":{i + 1}{"9" * 10000}}}\n'),
    "64 bits.ndjson": '{"a":18446744073709551615}\n{"a":-9223372036854775808}\n' * 60,
    "ends.ndjson": '{"a":9223372036854775807}\n{"a":-9223372036854775808}\n' * 60,
    "last.ndjson": many(3000, lambda i: f'{{"a":{2**63 - 1 - i}}}\n'), "first.ndjson": many(3000, lambda i: f'{{"a":{i - 2**63}}}\n'),
    "denormals.ndjson": many(300, lambda i: f'{{"a":5e-324,"b":{i}.5e-320}}\n'), "zeros.ndjson": '{"a":-0.0}\n{"a":0}\n' * 40,
    "types.ndjson": '{"a":1}\n{"a":1.5}\n{"a":"1"}\n{"a":null}\n{"a":[1]}\n{"a":{"b":1}}\n{"a":true}\n' * 100,
    # Deep, wide and long.
    "deep.json": deep('{"a":', "}", 100), "deepest.json": deep('{"a":', "}", 127), "too deep.json": deep('{"a":', "}", 1_000_000),
    "deep arrays.json": '{"a":' + deep("[", "]", 120) + "}", "too deep arrays.json": '{"a":' + deep("[", "]", 1_000_000) + "}",
    "pairs.json": '{"a":' + deep("[1,", "]", 100) + "}", "pairs of objects.json": '{"a":' + deep('[1,{"b":', "}]", 50) + "}",
    "turns.ndjson": many(60, lambda k: shape(k, lambda i, v: {"a": [v]} if i % 2 else [{"b": v}, 1, "x"])),
    "levels.ndjson": many(40, lambda k: shape(k, lambda i, v: {"a": v})),
    "wide.json": "{" + many(100000, lambda i: f'"f{i}":{i},') + '"z":1}', "wide.ndjson": ("{" + many(30000, lambda i: f'"f{i}":{i},') + '"z":1}\n') * 9,
    "names.ndjson": many(100000, lambda i: f'{{"f{i}":1,"g{i}":{{"h{i}":2}}}}\n'),
    "deep names.ndjson": many(20000, lambda i: f'{{"a":{{"b{i % 100}":{{"c{i}":{{"d":{i}}}}}}}}}\n'),
    "a long name.json": '{"' + "n" * 10_000_000 + '":1}', "long names.ndjson": many(200, lambda i: f'{{"{"n" * 100_000}{i}":1}}\n'),
    "a long text.json": '{"a":"' + "x" * 50_000_000 + '"}', "a longer text.json": '{"a":"' + "x" * 100_000_000 + '"}',
    "long texts.ndjson": many(100, lambda i: f'{{"a":"{i}{"x" * 1_000_000}"}}\n'),
    "a long array.json": '{"a":[' + "1," * 10_000_000 + "1]}", "objects.json": '{"a":[' + '{"b":1},' * 3_000_000 + "{}]}",
    # Words.
    "odd names.ndjson": (json.dumps({name: 1 for name in ODD}) + "\n") * 50,
    "odd texts.ndjson": (json.dumps({f"a{i}": text for i, text in enumerate(ODD)}) + "\n") * 50,
    "halves.json": '{"a":"\\ud800"}', "twice.json": '{"a":1,"a":"x","a":{"b":1}}\n' * 50, "NUL.json": '{"a":"\0"}', "NULs.json": "\0" * 1000,
    "not UTF-8.json": b'{"a":"\xff\xfe"}', "Latin.csv": b"a,b\n\xe9,1\n", "UTF-16.json": '{"a":1}'.encode("utf-16"),
    "marked.json": b"\xef\xbb\xbf" + DOCUMENT.encode(), "marked.csv": b"\xef\xbb\xbfa,b\n1,2\n",
    # Dates, and types of Extended JSON.
    "far dates.ndjson": many(60, lambda i: f'{{"d":{{"$date":{{"$numberLong":"{(-1) ** i * (2 ** 63 - 1 - i)}"}}}}}}\n'),
    "years of 5 digits.ndjson": many(60, lambda i: f'{{"d":{{"$date":{253402300800000 + i}}}}}\n'),
    "years below 0.ndjson": many(60, lambda i: f'{{"d":{{"$date":{-62167219200001 - i}}}}}\n'),
    "day 0.ndjson": '{"d":"0000-00-00"}\n' * 60, "month 99.ndjson": '{"d":"2024-99-99"}\n' * 60,
    "all dates.ndjson": '{"d":"0000-01-01"}\n{"d":"9999-12-31"}\n' * 50, "a leap second.ndjson": '{"d":"2016-12-31T23:59:60Z"}\n' * 50,
    "types.json": '{"d":{"$numberDecimal":"9E+6144"}}{"d":{"$numberDouble":"NaN"}}{"d":{"$numberLong":"x"}}{"d":{"$oid":"zz"}}' * 30,
    # CSV.
    "empty.csv": "", "names.csv": "a,b\n", "NULs.csv": "\0,\0\n1,2\n\0,\0\n", "quote.csv": 'a,b\n"1,2\n' + "x\n" * 100000,
    "twice.csv": "a,a\n1,2\n", "no names.csv": ",,\n1,2,3\n", "ragged.csv": "a,b\n1\n", "CR.csv": "a,b\r1,2\r", "blank.csv": "\n\n\na,b\n1,2\n\n",
    "columns.csv": ",".join(f"c{i}" for i in range(100000)) + "\n" + "1," * 99999 + "1\n", "a long cell.csv": "a\n" + "x" * 50_000_000 + "\n",
    "cells.csv": "," * 5_000_000, "formulas.csv": 'a,"b\n""c",=cmd\n1,"2\n3",=1+1\n', "numbers.csv": "a\nnan\ninf\n1e400.0\n1.e5\n-.5\n.\n-\n+.\n1.1.1\n-0.0\n",
}


def parquet(place):
    (place / "shape.toml").write_text(SCHEMA)
    assert run(["gen", "./shape.toml", "--format", "parquet", "-o", "files"], place)[0] == 0
    [good] = [file.read_bytes() for file in (place / "files").rglob("*.parquet")]
    [footer] = struct.unpack("<I", good[-8:-4])
    yield "whole.parquet", good
    for at in [0, 4, 8, len(good) // 2, len(good) - 8, len(good) - 1]:
        yield f"cut at {at}.parquet", good[:at]
    for length in [0, 1, 0x7fffffff, 0xffffffff, len(good) - 12, len(good)]:
        yield f"a footer of {length}.parquet", good[:-8] + struct.pack("<I", length) + b"PAR1"
    draw = random.Random(7)
    for mutant in range(MUTANTS):
        made = bytearray(good)
        for _ in range(draw.choice([1, 1, 1, 2, 4, 16])):
            in_footer = draw.random() < 0.7
            made[draw.randrange(len(good) - 8 - footer if in_footer else 0, len(good) - 8)] = draw.choice([0, 1, 0x7f, 0x80, 0xff, draw.randrange(256)])
        yield f"mutant {mutant}.parquet", bytes(made)


def wrong_of(place, result):
    code, seconds, megabytes, said = result
    if code not in (0, 2):
        return "neither taken nor refused"
    if code and "hoap: " not in said:
        return "no word of why"
    if seconds > 10 or megabytes > 1000:
        return "more than 10 s or 1 GB"
    if len(said) > (4000 if code else 100000):
        return f"a long answer: {len(said)}"
    if "\x1b" in said or "\u202e" in said:
        return "it writes to the terminal"
    if code == 0:
        shell = f"ulimit -f 2000000; {HOAP} gen ./out.toml --stdout 2>err >/dev/null; code=$?; head -c 2000 err; exit $code"
        made = run(None, place, shell=shell, processor=True)
        if made[0] != 0:
            return f"what it wrote is refused: {made[3][:300]}"
        if made[1] > 10 or made[2] > 1000:
            return f"what it wrote takes {made[1]} s and {made[2]} MB"
    return None


def main():
    table = Table()
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        for sample, content in [*SAMPLES.items(), *parquet(place)]:
            file = place / sample.replace(" ", "-")
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
            for more in [[], ["--no-values"]]:
                (place / "out.toml").unlink(missing_ok=True)
                result = run(["learn", f"a={file.name}", "-o", "out.toml", *more], place, processor=True)
                table.line(f"{sample} {' '.join(more)}", result, wrong_of(place, result))
            file.unlink()
    table.end()


main()
