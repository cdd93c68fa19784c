#!/usr/bin/env python3
"""Workload files of strangers: bench/hostile/workloads.py.

Each file of the table is given to `gen FILE --stdout`, `gen --format parquet`, `load` on SQLite and `verify`. Each
ends within 10 s of the processor and 1 GB with documents that are JSON, or refuses the file with a line that says where and
why; none reads a file outside of the folder of the workload file. HOAP names the program.
"""

import json
import os
import tempfile
from pathlib import Path

from common import HOAP, Table, run

BEGIN = "hoap = 1\n[collections.a]\ncount = 2\n"


def chain(first, link, n):
    """Fields of which each is made of the one before."""
    return "[collections.a.fields]\nx0 = " + first + "\n" + "".join(
        f"x{i} = {link.replace('@', f'x{i - 1}')}\n" for i in range(1, n))


def nested(n, open_, close, inner="1"):
    return "fields.x = " + open_ * n + inner + close * n


# What follows BEGIN.
FILES = {
    # Small files of large documents.
    "patterns double": chain("'ab'", "{ pattern = '{@}{@}' }", 60),
    "lists double": chain("'ab'", "[{ copy = '@' }, { copy = '@' }]", 60),
    "objects double": chain("'ab'", "{ fields = { a = { copy = '@' }, b = { copy = '@' } } }", 60),
    "products double": chain("1", "{ product = ['@', '@'] }", 60),
    "products of numbers double": chain("1.0", "{ product = ['@', '@'] }", 60),
    "variants double": chain("1", "{ variants = [{ share = 1, copy = '@' }, { share = 1, copy = '@' }] }", 60),
    "arrays of arrays": nested(6, "{ array = '100000', of = ", " }"),
    "arrays of long texts": "fields.x = { array = '100000', of = { text = '16000000' } }",
    "a pattern of long pieces": "fields.x = { pattern = '" + "{lower:100000}" * 60000 + "' }",
    "a sum of sums": chain("{ array = '100000', of = 1 }", "{ array = '100000', of = { sum = '@' } }", 5),
    "a map of many": "fields.x = { map = '100000', keys = { digits = '5' }, of = 1 }",
    "a map of many names": "fields.x = { map = '100000', keys = { text = '8' }, of = 1 }",
    "a map of few names": "fields.x = { map = '100000', keys = { text = '1' }, of = 1 }",
    "long texts": "fields.x = { text = '16000000' }",
    # Long and deep files.
    "a chain of copies": chain("1", "{ copy = '@' }", 45000),
    "a chain of products": chain("1", "{ product = ['@', 'n'] }", 30000),
    "a chain of patterns": chain("'a'", "{ pattern = '{@}' }", 35000),
    "a chain of dates": chain("{ date = '2024-01-01..2024-01-02' }", "{ after = '@', by = '1s' }", 25000),
    "fields of one name each": "[collections.a.fields]\n" + "".join(f"f{i} = 1\n" for i in range(100000)),
    "lists in lists": nested(100000, "[", "]"),
    "objects in objects": nested(10000, "{ fields = { x = ", " } }"),
    "dotted names": "fields." + "x.fields." * 50000 + "y = 1",
    "headers": "fields.x = 1\n" + "".join(f"[collections.c{i}]\ncount = 1\nfields.x = 1\n" for i in range(20000)),
    "parents of parents": "fields.x = 1\n" + "".join(
        f"[collections.c{i}]\nper = '{f'c{i - 1}' if i else 'a'}'\ncount = '1'\nfields.x = 1\n" for i in range(15000)),
    "refs in a circle": "fields.x = { ref = 'a' }\nfields.y = { copy = 'x.y' }",
    "a ref to itself": "fields.x = { ref = 'a' }\nfields.y = { copy = 'x.x' }\nfields.z = { copy = 'x.z' }",
    "many values": "fields.x = { values = [" + "1," * 400000 + "] }",
    "many variants": "fields.x = { variants = [" + "{share=1,values=[1]}," * 40000 + "] }",
    "many refs of zipf": "[collections.a.fields]\n" + "".join(
        f"f{i} = {{ ref = 'a', dist = 'zipfian', theta = 0.{i + 1} }}\n" for i in range(15000))
        + "[collections.b]\ncount = 1000000000\nfields.x = 1",
    "many zipfs": "[collections.a.fields]\n" + "".join(
        f"f{i} = {{ integer = '0..900000000', dist = 'zipfian', theta = 0.5{i} }}\n" for i in range(12000)),
    "many families": "fields.x = 1\n" + "".join(
        f"[collections.c{i}]\nper = 'a'\ncount = '0..900000000'\narrange = 'rounds'\nfields.x = 1\n" for i in range(9000)),
    "many operations": "fields.x = 1\n" + "[[operations]]\nname = 'o'\nread = 'a'\n" * 25000,
    "many draws": "fields.x = 1\n[[operations]]\nname='o'\nread='$d0'\n" + "".join(
        f"draw.d{i} = {{ from = 'a' }}\n" for i in range(30000)),
    # Numbers and words that are none.
    "nan": "fields.x = nan",
    "infinity": "fields.x = [inf, -inf, { values = [inf, nan] }]",
    "a number to infinity": "fields.x = { number = '-1e308..1e308' }",
    "a range of inf": "fields.x = { number = '0..inf' }",
    "a normal of nan": "fields.x = { number = '0..1', dist = 'normal', mean = nan, sd = 1 }",
    "a normal of inf": "fields.x = { number = '0..1', dist = 'normal', mean = inf, sd = inf }",
    "a far normal": "fields.x = { number = '0..1', dist = 'normal', mean = 1e300, sd = 1e-300 }",
    "an exponential of inf": "fields.x = { number = '0..1', dist = 'exponential', mean = inf }",
    "weights of inf": "fields.x = { values = [1, 2], weights = [inf, 1] }",
    "weights of nan": "fields.x = { values = [1, 2], weights = [nan, 1] }",
    "weights beyond": "fields.x = { values = [1, 2], weights = [1e308, 1e308] }",
    "shares of inf": "fields.x = { variants = [{ share = inf, values = [1] }, { share = nan, values = [2] }] }",
    "theta near 1": "fields.x = { integer = '0..9', dist = 'zipfian', theta = 0.9999999999999999 }",
    "quantiles of nan": "fields.x = { integer = '0..9', dist = [[0, 0], [nan, 1], [1, 9]] }",
    "all integers": "fields.x = { integer = '-9223372036854775808..9223372036854775807' }",
    "all unique integers": "fields.x = { integer = '-9223372036854775808..9223372036854775807', unique = true }",
    "decimals": "fields.x = { decimal = '-9.223372036854775808..9.223372036854775807' }",
    "many digits": "fields.x = { decimal = '0.0000000000000000000000001..1' }",
    "years beyond": "fields.x = { date = '9999-12-31', every = '100000d' }\nfields.y = { after = 'x', by = '1d..106751990d' }",
    "years before": "fields.x = { date = '0000-01-01..0001-01-01' }\nfields.y = { after = 'x', by = '-106751990d..-1d' }",
    "a leap second": "fields.x = 2016-12-31T23:59:60Z",
    "the year 0": "fields.x = 0000-01-01T00:00:00+23:59",
    "the year 9999": "fields.x = 9999-12-31T23:59:59-23:59",
    "distinct of all": "fields.x = { text = '4', distinct = 9223372036854775807 }",
    "distinct, zipfian": "fields.x = { text = '4', distinct = { count = 9223372036854775807, dist = 'zipfian' } }",
    "so many children": "fields.x = 1\n[collections.b]\nper = 'a'\ncount = '0..1000000000'\nfields.x = { size = 'a' }",
    "none": "fields = {}",
    "the name _id": "fields._id = { values = ['x', '\"', 'y'] }",
    "an object for _id": "fields._id = { fields = { a = 1 } }",
    # Words that databases, terminals and files take for something.
    "quotes in names": "fields = { \"a'b\" = 1, 'c\"d' = 2, '`' = 3, '$' = 4, '' = 5, '.' = 6, '[0]' = 7, '\\' = 8 }\n"
        "indexes.by = [\"c\"]",
    "quotes in an index": "fields.x = { fields = { \"q\\\"'\" = 1 } }\nindexes.by = ['''x.'q\")); DROP TABLE a; --' ''']",
    "a quote in an index": "fields.'c\"d' = 1\nindexes.by = [''''c\"d'''']",
    "escapes": 'fields = { "\\u001b[2J\\u202e" = "\\u001b]0;x\\u0007" }',
    "an escape that is wrong": '"\\u001b[2J\\u202e" = "\\u001b]0;x\\u0007"',
    "NUL": 'key = "k\\u0000{n}"\nfields = { "a\\u0000b" = "c\\u0000d" }',
    "lines in keys": 'key = "k\\n\\t\\"{n}"\nfields.x = 1',
    "a long key": f"key = '{'k' * 900000}{{n}}'\nfields.x = 1",
    "a long name": f"fields.{'n' * 900000} = 1",
    "the name of a table of SQLite": "fields.x = 1\n[collections.sqlite_master]\ncount = 1\nfields.x = 1",
    "words of SQL": "fields.x = 1\n[collections.select]\ncount = 1\nfields.x = 1\nindexes.table = ['x']",
    "the note's name": "fields.x = 1\n[collections.hoap_note]\ncount = 1\nfields.x = 1\n[collections.hoap]\ncount = 1\nfields.x = 1",
    "two that differ by case": "fields.x = 1\n[collections.A]\ncount = 1\nfields.x = 1",
    # Files elsewhere.
    "values of /etc/passwd": "fields.x = { values = '/etc/passwd' }",
    "values above": "fields.x = { values = '../secret' }",
    "values by a link": "fields.x = { values = 'link' }",
    "values by a folder's link": "fields.x = { values = 'linked/secret' }",
    "values of a FIFO": "fields.x = { values = 'fifo' }",
    "values of stdin": "fields.x = { values = '/dev/stdin' }",
    "values of zeros": "fields.x = { values = '/dev/zero' }",
    "values of a folder": "fields.x = { values = '.' }",
    "values of a terminal": "fields.x = { values = '/dev/tty' }",
}
SECRET = "the-secret-of-the-user"


def documents(said):
    for line in said.split("\n"):
        if line.startswith("{"):
            json.loads(line, parse_constant=lambda word: word / 0)


def commands(name):
    limits = "ulimit -f 4000000; "
    for command in ["gen w.toml --stdout", "gen w.toml --format parquet -o files", "load w.toml --target sqlite:t.db",
                    "verify w.toml --target sqlite:t.db"]:
        # Half of a document that is printed is no JSON.
        yield command, f"{limits}{HOAP} {command} 2>err >out; code=$?; head -c 3000 err; [ $code = 0 ] && head -c 200000 out; exit $code"


def main():
    table = Table()
    for name, lines in FILES.items():
        with tempfile.TemporaryDirectory() as above:
            (Path(above) / "secret").write_text(SECRET)
            place = Path(above) / "here"
            place.mkdir()
            (place / "link").symlink_to("../secret")
            (place / "linked").symlink_to("..")
            os.mkfifo(place / "fifo")
            (place / "w.toml").write_text(BEGIN + lines)
            for command, shell in commands(name):
                result = run(None, place, limit=60, shell=shell, processor=True)
                code, seconds, megabytes, said = result
                made = (place / "out").read_text(errors="replace") if (place / "out").exists() else ""
                wrong = None
                if code not in (0, 2) and not command.startswith("verify"):
                    wrong = "neither taken nor refused"
                elif code and "hoap: " not in said:
                    wrong = "no word of why"
                elif seconds > 10 or megabytes > 1000:
                    wrong = "more than 10 s or 1 GB"
                elif len(said) > 2000 + 200000 or (code and len(said) > 2900):
                    wrong = "a long error"
                elif SECRET in said or SECRET in made or "root:" in made:
                    wrong = "it reads a file elsewhere"
                elif "\x1b" in said or "\u202e" in said.replace(made[:200000], ""):
                    wrong = "it writes to the terminal"
                elif code == 0 and "--stdout" in command:
                    try:
                        documents(made)
                    except ValueError as e:
                        wrong = f"no JSON: {e}"
                table.line(f"{name} | {command.split()[0]}", result, wrong)
                if command.startswith("load") and code:
                    break
                if code == 2 and "--stdout" in command:
                    break
    table.end()


main()
