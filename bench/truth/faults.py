#!/usr/bin/env python3
"""Puts faults into a database, one at a time, and runs a benchmark on it: each run must end red. What is red: exit code 1,
the fault named in what the terminal says, FAILED or VOID on its page, and a failed case in JUnit of a comparison with a
whole run under a gate that its numbers hold.

    HOAP=target/release/hoap bench/truth/faults.py [postgres://USER@HOST:PORT/DATABASE]

Takes SQLite and the PostgreSQL that is named, whose tables of CH2++ and YCSB it makes anew (with psql). Works in a new
folder and prints a row a fault."""

import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

HOAP = os.path.realpath(os.environ.get("HOAP", "target/release/hoap"))
QUERIES_OF_HOAP = pathlib.Path(__file__).resolve().parents[2] / "benchmarks/ch2/queries"


class Sqlite:
    # JSONB of SQLite, without fields.
    dialect, empty = "sqlite", "x'0c'"

    def __init__(self):
        self.url = {"ch2pp": "sqlite:c.db", "ycsb": "sqlite:y.db"}

    def run(self, data, text):
        with sqlite3.connect(self.url[data].removeprefix("sqlite:")) as database:
            database.executescript(text)

    def refuse(self, data, table, what, share=None):
        """A trigger that aborts: always, or for keys that end so."""
        when = f"WHEN NEW.key LIKE '%{share}'" if share else ""
        self.run(data, f"CREATE TRIGGER refuse BEFORE {what} ON {table} {when} "
                       "BEGIN SELECT RAISE(ABORT, 'refused'); END;")

    def mend(self, data, _):
        self.run(data, "DROP TRIGGER IF EXISTS refuse;")


class Postgres:
    dialect, empty = "postgres", "'{}'"

    def __init__(self, url):
        self.url = {"ch2pp": url, "ycsb": url}

    def run(self, data, text):
        subprocess.run(["psql", "-q", "-v", "ON_ERROR_STOP=1", self.url[data], "-c", text], check=True,
                       stderr=subprocess.DEVNULL)

    def refuse(self, data, table, what, share=None):
        when = f"WHEN (NEW.key LIKE '%{share}')" if share else ""
        self.run(data, "CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
                       "$$ BEGIN RAISE EXCEPTION 'refused'; END $$;"
                       f"CREATE TRIGGER refuse BEFORE {what} ON {table} FOR EACH ROW {when} EXECUTE FUNCTION refuse()")

    def mend(self, data, table):
        self.run(data, f"DROP TRIGGER IF EXISTS refuse ON {table}")


# However slow the machine is, there are enough attempts to judge, and each query runs.
SHORT = ["--warmup", "0s", "--operations", "400"]
TX = ["--tx-clients", "2", "--query-clients", "0", *SHORT]
QUERIES = ["--tx-clients", "1", "--query-clients", "1", "--warmup", "0s", "--loops", "1"]
OPERATIONS = ["--clients", "2", *SHORT]
# Name, data, benchmark, flags, table, how it is broken, words of the terminal, a gate.
FAULTS = [
    ("a syntax error in all query texts", "ch2pp", "ch2pp", [*QUERIES, "--queries-dir", "texts"], None, "q*.sql",
     ["FAILED", "Q01"], "tpm<-99%"),
    ("a syntax error in one query text", "ch2pp", "ch2pp", [*QUERIES, "--queries-dir", "texts"], None, "q06.sql",
     ["FAILED", "Q06"], "tpm<-99%"),
    ("inserts into orders abort", "ch2pp", "ch2pp", TX, "orders", "INSERT", ["FAILED", "NewOrder"], "p99[Payment]>100000%"),
    ("updates of customers abort", "ch2pp", "ch2pp", TX, "customer", "UPDATE", ["FAILED", "Payment"], "p99[NewOrder]>100000%"),
    ("all updates of records abort", "ycsb", "ycsb-a", OPERATIONS, "usertable", "UPDATE", ["FAILED", "UPDATE"], "p99[read]>100000%"),
    ("updates of a tenth of the records abort", "ycsb", "ycsb-a", OPERATIONS, "usertable", ("UPDATE", "7"), ["FAILED", "UPDATE"],
     "p99[read]>100000%"),
    ("loaded records have no field", "ycsb", "ycsb-c", OPERATIONS, "usertable", "EMPTY", ["VOID", "nothing changed"], "p99[read]>100000%"),
    ("loaded records have no field, unchecked", "ycsb", "ycsb-c", [*OPERATIONS, "--check", "off"], "usertable", "EMPTY",
     ["FAILED", "READ"], "p99[read]>100000%"),
    ("slower than --sla, closed loop", "ycsb", "ycsb-c", [*OPERATIONS, "--sla", "p99=1us"], None, None, ["FAILED", "p99"],
     "p99[read]>100000%"),
    ("slower than --sla, at a rate", "ycsb", "ycsb-c", [*OPERATIONS, "--rate", "100", "--sla", "p99=1us"], None, None,
     ["FAILED", "p99"], "p99[read]>100000%"),
]


def hoap(*words):
    return subprocess.run([HOAP, *words], capture_output=True, text=True)


def load(database, data):
    size = ["-w", "1", "--scale-down", "20"] if data == "ch2pp" else ["-p", "recordcount=1000"]
    done = hoap("load", data, "--target", database.url[data], *size, "--replace")
    assert done.returncode == 0, done.stderr


def run(database, data, benchmark, flags, out):
    target = "--operational" if data == "ch2pp" else "--target"
    return hoap("run", benchmark, target, database.url[data], *flags, "--out", out)


def look(name, out, done, words, gate, whole):
    said = done.stdout + done.stderr
    missing = [word for word in words if word not in said]
    hoap("report", out, "-o", f"{out}.html")
    page = open(f"{out}.html").read()
    compared = hoap("compare", whole, out, "--fail-if", gate, "--format", "junit", "--out", f"{out}.xml")
    try:
        failed = len(xml.parse(f"{out}.xml").getroot().findall(".//failure"))
    except (OSError, xml.ParseError):
        failed = 0
    red = [done.returncode == 1, not missing, "FAILED" in page or "VOID" in page, compared.returncode == 1 and failed > 0]
    first = next((line for line in said.splitlines() if "FAILED" in line or "VOID" in line), said.strip().splitlines()[-1])
    print(f"{name}: exit {done.returncode}, JUnit {failed} failed (exit {compared.returncode}) "
          f"{'' if all(red) else f'NOT RED {red} {missing} '}| {first.strip()[:150]}", flush=True)
    return all(red)


def main():
    os.chdir(tempfile.mkdtemp())
    print(os.getcwd())
    databases = [Sqlite(), *map(Postgres, sys.argv[1:])]
    red = []
    for database in databases:
        place = pathlib.Path("texts", "ch2pp", database.dialect)
        for number, (name, data, benchmark, flags, table, broken, words, gate) in enumerate(FAULTS):
            load(database, data)
            shutil.copytree(QUERIES_OF_HOAP / "ch2pp" / database.dialect, place, dirs_exist_ok=True)
            out = f"{database.dialect}-{number}"
            plain = [flag for n, flag in enumerate(flags) if "--sla" not in (flag, flags[n - 1])]
            done = run(database, data, benchmark, plain, f"{out}-whole")
            assert done.returncode == 0, done.stdout + done.stderr
            match broken:
                case None:
                    pass
                case "EMPTY":
                    database.run(data, f"UPDATE {table} SET doc = {database.empty}")
                case _ if not table:
                    for text in place.glob(broken):
                        text.write_text("SELEC 1")
                case (what, share):
                    database.refuse(data, table, what, share)
                case what:
                    database.refuse(data, table, what)
            done = run(database, data, benchmark, flags, out)
            if table:
                database.mend(data, table)
            red.append(look(f"{database.dialect}, {name}", out, done, words, gate, f"{out}-whole"))
    print(f"{sum(red)} of {len(red)} faults end red")
    sys.exit(not all(red))


main()
