#!/usr/bin/env python3
"""Kills hoap at random moments: bench/kills/run.py [KILLS] [SEED].

Each kind of command in turns, in a folder with files and a database with a table of the user's. Each is
ended with -9 at a moment drawn from its time, and then:

* load, of a benchmark and of a workload file, of one database and of two: --resume makes of it, byte for
  byte, what a load makes that nobody kills;
* gen: --resume makes the same files;
* run, on one database and on two by turns: every order that samples.csv says was acknowledged is in its
  database, and `verify` passes;
* history: it has all of the runs that were to be added or none, and the next call adds them;
* gather: one of the gathering process and its two drivers is killed; the others end, by themselves or,
  where they wait for one that has not come yet, at Ctrl-C;
* merge, report: their inputs are as before, and the next call makes what one makes that nobody kills;
* all: no file and no table of the user's has changed, and no temporary file is left after the next
  call in the folder.

HOAP names the program. Ends with 1 if something is lost or changed.
"""

import csv
import hashlib
import os
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HOAP = os.environ.get("HOAP", "hoap")
KILLS = int(sys.argv[1]) if len(sys.argv) > 1 else 500
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 1
RUN = "--tx-clients 2 --query-clients 0 --warmup 0s"
SHOP = Path(__file__).resolve().parents[2] / "examples/workloads/shop.toml"
OF_SHOP = ["products", "customers", "orders"]
TABLES = ["warehouse", "district", "customer", "history", "neworder", "orders", "item", "stock",
          "supplier", "nation", "region"]


def start(line, place):
    return subprocess.Popen([HOAP, *line.split()], cwd=place, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            start_new_session=True,
                            env={**os.environ, "HOAP_FLEET_TOKEN": "the-token-of-the-bench-of-kills"})


def end(process, limit=120):
    """Its exit code and what it said. One that does not end within the limit is a finding."""
    try:
        told, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        told, _ = process.communicate()
        raise Finding(f"{process.args} did not end within {limit} s: {told[-500:]}")
    if "panicked" in told:
        raise Finding(f"{process.args} panicked: {told[-500:]}")
    return process.returncode, told


def ok(line, place):
    code, told = end(start(line, place))
    if code != 0:
        raise Finding(f"hoap {line}: exit code {code}: {told[-800:]}")
    return told


def killed(process, after):
    """Kills it at this moment. Whether it was still there."""
    time.sleep(after)
    lives = process.poll() is None
    if lives:
        os.killpg(process.pid, signal.SIGKILL)
    end(process)
    return lives


class Finding(Exception):
    """Something is lost or changed."""


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def tree(folder):
    return {str(p.relative_to(folder)): digest(p) for p in sorted(folder.rglob("*")) if p.is_file()}


def rows(database, table):
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as open_:
        return sorted(map(repr, open_.execute(f"SELECT * FROM {table}")))


def loaded(database, tables=TABLES):
    return {table: rows(database, table) for table in tables}


def temporary(folder):
    return [str(p) for p in folder.rglob(".hoap-*.tmp") if p.name != ".hoap-mine.tmp"]


class Bench:
    def __init__(self, place):
        self.place, self.random = place, random.Random(SEED)
        self.load = "load ch2pp --scale-down 100 --target sqlite:t.db"
        for name in ["thesis.txt", "runs/thesis.txt", "tables.txt", "whole.txt", ".hoap-mine.tmp",
                     "page.html.bak", "gathered.txt"]:
            (place / name).parent.mkdir(exist_ok=True)
            (place / name).write_text(f"mine: {name}\n")
        self.mine = {name: digest(place / name) for name in tree(place)}
        ok(self.load.replace("t.db", "reference.db"), place)
        self.reference = loaded(place / "reference.db")
        shutil.copy(SHOP, place / "shop.toml")
        ok("load shop.toml --scale 0.02 --target sqlite:reference-shop.db", place)
        self.shop = loaded(place / "reference-shop.db", OF_SHOP)
        ok("gen shop.toml --scale 0.2 -o reference-files", place)
        self.files = self.made("reference-files")
        ok(f"run ycsb-a --target null: -p recordcount=1000 --clients 1,2 --operations 200000 "
           f"--warmup 10ms --out reported", place)
        ok("report reported -o page.html --csv tables", place)
        ok("run ycsb-a --target null: -p recordcount=1000 --operations 500 --warmup 0s --out earlier", place)
        ok("history add earlier --dir history", place)
        shutil.copytree(place / "history", place / "history-before")
        ok("history add reported --dir history", place)
        self.history = (place / "history/history.ndjson").read_text()
        self.page, self.tables = digest(place / "page.html"), tree(place / "tables")
        # On a busy machine drivers may begin too far apart to be merged.
        code = 2
        while code == 2:
            at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 4))
            line = (f"run ycsb-a --target null: -p recordcount=100 --duration 3s --warmup 100ms "
                    f"--start-at {at}")
            for n in (1, 2):
                shutil.rmtree(place / f"driver-{n}", ignore_errors=True)
            drivers = [start(f"{line} --part {n}/2 --out driver-{n}", place) for n in (1, 2)]
            for driver in drivers:
                end(driver)
            code, told = end(start("merge driver-1 driver-2 -o whole-reference", place))
        if code != 0:
            raise Finding(told)
        self.whole = tree(place / "whole-reference")
        # How much longer than on an idle machine each kind of command takes, by those that had ended.
        self.number, self.kind, self.slow = 0, "", {}

    def moment(self, longest):
        """Within the time that the command takes if nobody kills it."""
        return self.random.uniform(0, longest * self.slow.setdefault(self.kind, 1))

    def made(self, folder):
        return {file.name: digest(file) for file in (self.place / folder).glob("*.ndjson")}

    def fresh_database(self, name="t.db"):
        for file in [name, f"{name}-wal", f"{name}-shm"]:
            (self.place / file).unlink(missing_ok=True)
        with sqlite3.connect(self.place / name) as open_:
            # A file that hoap made, and a table that the user put into it.
            open_.execute(f"PRAGMA application_id = {int.from_bytes(b'Hoap')}")
            open_.execute("CREATE TABLE thesis (title TEXT)")
            open_.execute("INSERT INTO thesis VALUES ('mine')")

    def loads(self, databases, longest, data="ch2pp --scale-down 100", tables=TABLES):
        """A load of these databases, killed and resumed."""
        for name in databases:
            self.fresh_database(name)
        # Several have names.
        named = len(databases) > 1
        targets = " ".join(f"--target {f'{name[0]}=' if named else ''}sqlite:{name}" for name in databases)
        line = f"load {data} {targets}"
        again = self.random.choice(["", " --replace"])
        lives = killed(start(line + again, self.place), self.moment(longest))
        ok(line + " --resume", self.place)
        reference = self.reference if tables is TABLES else self.shop
        if any(loaded(self.place / name, tables) != reference for name in databases):
            raise Finding("a load that was resumed is not what a load makes")
        return lives

    def of_load(self):
        return self.loads(["t.db"], 0.6)

    def of_load_several(self):
        return self.loads(["t.db", "u.db"], 1.2)

    def of_load_file(self):
        return self.loads(["t.db"], 0.6, "shop.toml --scale 0.02", OF_SHOP)

    def of_gen(self):
        out = f"files-{self.number}"
        line = f"gen shop.toml --scale 0.2 -o {out}"
        lives = killed(start(line, self.place), self.moment(0.4))
        ok(line + " --resume", self.place)
        if self.made(out) != self.files:
            raise Finding("files that were resumed are not what gen makes")
        ok(f"gen --check {out}", self.place)
        if left := temporary(self.place / out):
            raise Finding(f"left behind: {left}")
        return lives

    def runs(self, databases, longest):
        """A run on these databases, killed."""
        out = f"run-{self.number}"
        named = len(databases) > 1
        folders = {name: self.place / out / (f"{name[0]}/01" if named else "") for name in databases}
        targets = " ".join(
            f"--operational {f'{name[0]}=' if named else ''}sqlite:{name}" for name in databases)
        before = {}
        for name in databases:
            self.fresh_database(name)
            ok(self.load.replace("t.db", name), self.place)
            before[name] = len(rows(self.place / name, "orders"))
        once = " --repeat 1" if named else ""
        line = f"run ch2pp {targets} {RUN} --duration 1s --tick 10ms{once} --out {out}"
        lives = killed(start(line, self.place), self.moment(longest))
        for name in databases:
            samples = folders[name] / "samples.csv"
            acknowledged = 0
            if samples.exists():
                with samples.open(newline="") as file:
                    for row in csv.DictReader(file):
                        # The last line of a killed run may be half of one.
                        if row.get("kind") == "NewOrder" and (row.get("count") or "").isdigit():
                            acknowledged += int(row["count"])
            self.acknowledged += acknowledged
            there = len(rows(self.place / name, "orders")) - before[name]
            if there < acknowledged:
                raise Finding(f"{acknowledged} orders were acknowledged, {there} are there")
            ok(f"verify ch2pp --target sqlite:{name}", self.place)
        # Whoever is killed is at work no longer.
        ok(f"run ch2pp {targets} {RUN} --operations 20{once} --out {out}-next", self.place)
        return lives

    def of_run(self):
        return self.runs(["t.db"], 2.0)

    def of_run_several(self):
        return self.runs(["t.db", "u.db"], 4.0)

    def of_history(self):
        folder = f"history-{self.number}"
        shutil.copytree(self.place / "history-before", self.place / folder)
        file = self.place / folder / "history.ndjson"
        before = file.read_text()
        line = f"history add reported --dir {folder}"
        lives = killed(start(line, self.place), self.moment(0.06))
        if file.read_text() not in (before, self.history):
            raise Finding("half of a history")
        whole = file.read_text() == self.history
        code, told = end(start(line, self.place))
        if whole != (code != 0) or (whole and "there already" not in told):
            raise Finding(f"history add: {code}: {told}")
        if file.read_text() != self.history:
            raise Finding("history add makes something else")
        ok(f"history check --dir {folder}", self.place)
        if left := temporary(self.place / folder):
            raise Finding(f"left behind: {left}")
        return lives

    def of_gather(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        out = f"gathered-{self.number}"
        processes = [start(f"gather 2 --listen 127.0.0.1:{port} --out {out}", self.place)]
        run = "run ycsb-a --target null: -p recordcount=100 --duration 500ms --warmup 50ms"
        for n in (1, 2):
            line = f"{run} --meet 127.0.0.1:{port} --part {n}/2 --out driver-{self.number}-{n}"
            processes.append(start(line, self.place))
        victim = self.random.randrange(3)
        lives = killed(processes.pop(victim), self.moment(1.5))
        for process in processes:
            try:
                process.wait(8)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGTERM)
            end(process)
        return lives

    def of_merge(self):
        before = {n: tree(self.place / f"driver-{n}") for n in (1, 2)}
        lives = killed(start("merge driver-1 driver-2 -o whole", self.place),
                       self.moment(0.1))
        if {n: tree(self.place / f"driver-{n}") for n in (1, 2)} != before:
            raise Finding("merge changed what it read")
        out = self.place / "whole"
        whole = (out / "run.json").exists() and not (out / ".hoap-made").exists()
        code, told = end(start("merge driver-1 driver-2 -o whole", self.place))
        # One that was whole before it was killed is not replaced; half of one is.
        if whole != (code != 0) or (whole and "is not empty" not in told):
            raise Finding(f"merge: {code}, after {'all' if whole else 'half'} of one: {told}")
        shutil.rmtree(self.place / "whole")
        ok("merge driver-1 driver-2 -o whole", self.place)
        if tree(self.place / "whole").keys() != self.whole.keys():
            raise Finding("merge makes something else")
        shutil.rmtree(self.place / "whole")
        return lives

    def of_report(self):
        before = tree(self.place / "reported")
        line = "report reported -o page.html --csv tables"
        lives = killed(start(line, self.place), self.moment(0.3))
        if tree(self.place / "reported") != before:
            raise Finding("report changed what it read")
        if not (self.place / "page.html").read_text().rstrip().endswith("</html>"):
            raise Finding("half a page")
        ok(line, self.place)
        if digest(self.place / "page.html") != self.page or tree(self.place / "tables") != self.tables:
            raise Finding("report makes something else")
        if left := temporary(self.place / "tables"):
            raise Finding(f"left behind: {left}")
        return lives

    def unchanged(self):
        now = {name: digest(self.place / name) for name in self.mine if (self.place / name).exists()}
        if now != self.mine:
            raise Finding(f"changed: {set(self.mine.items()) ^ set(now.items())}")
        for database in map(self.place.joinpath, ["t.db", "u.db"]):
            if database.exists() and rows(database, "thesis") != ["('mine',)"]:
                raise Finding("the user's table has changed")

    def all(self):
        kinds = [self.of_load, self.of_run, self.of_gather, self.of_merge, self.of_report,
                 self.of_load_several, self.of_load_file, self.of_gen, self.of_run_several, self.of_history]
        counts = {}
        self.acknowledged = 0
        for self.number in range(1, KILLS + 1):
            of = kinds[(self.number - 1) % len(kinds)]
            kind = of.__name__.removeprefix("of_").replace("_", " ")
            self.kind = kind
            try:
                lives = of()
                self.unchanged()
            except Finding as e:
                print(f"kill {self.number}, {kind}: {e}\nwhat is there stays in {self.place}")
                return 1
            self.slow[kind] *= 1.2 if lives else 0.7
            tried, hit = counts.get(kind, (0, 0))
            counts[kind] = (tried + 1, hit + lives)
            print(f"{self.number}: {kind}, {'killed' if lives else 'had ended'}", file=sys.stderr)
            for path in self.place.glob("*-[0-9]*"):
                if path.is_dir() and path.name not in ("driver-1", "driver-2"):
                    shutil.rmtree(path)
        ok("report reported -o page.html --csv tables", self.place)
        if left := temporary(self.place):
            print(f"left behind: {left}")
            return 1
        print("command\tkills\tof a process that was still there")
        for kind, (tried, hit) in counts.items():
            print(f"{kind}\t{tried}\t{hit}")
        print(f"acknowledged orders looked for: {self.acknowledged}, lost: 0; changed of the user's: 0")
        shutil.rmtree(self.place)
        return 0


if __name__ == "__main__":
    print(f"seed {SEED}")
    sys.exit(Bench(Path(tempfile.mkdtemp(prefix="hoap-kills-"))).all())
