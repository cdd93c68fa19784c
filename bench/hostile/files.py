#!/usr/bin/env python3
"""What is no file in place of one: bench/hostile/files.py [WORD [KIND]].

Each command and option that reads a file or a folder (those whose line has the word) × devices without an end, a pipe that
nobody writes, a folder, a link to itself, a file of 1 GB of nothing, a line of 50 MB, deep JSON, bytes that are no text. It
ends within 10 s of the processor and 1 GB, with an exit code that says what happened and a short line that says
why. A pipe that the user names may be waited for, until SIGTERM. HOAP names the program.
"""

import os
import shutil
import socket
import sys
import tempfile
from pathlib import Path

from common import HOAP, Table, run

RUN = "-p recordcount=100 --duration 300ms --warmup 0s --clients 1 --target null:"
KEYS = "-p recordcount=100 --target sqlite:t.db --duration 200ms --warmup 0s"
# Command, and the file that is replaced: F, which the user names, or one that stands in a folder.
USES = [
    ("run ycsb-a " + RUN + " --config F", "F"),
    ("targets --config F", "F"),
    ("run ycsb-a " + RUN + " -P F", "F"),
    ("load ycsb --target sqlite:new.db -P F", "F"),
    ("load ycsb --target sqlite:new.db --prices F", "F"),
    ("experiment run F --target null: --out e", "F"),
    ("experiment run ch2pp-fig10 --targets F --out e", "F"),
    ("price r --prices F", "F"),
    ("report r --prices F -o page.html", "F"),
    ("torture --plan F -o t", "F"),
    ("gen ./F --stdout", "F"),
    ("load ./F --target sqlite:new.db", "F"),
    ("run ./F --target sqlite:new.db", "F"),
    ("verify ./F --target sqlite:new.db", "F"),
    ("query ./F --analytical sqlite:new.db", "F"),
    ("gen values.toml --stdout", "F"),
    ("verify ch2pp --target sqlite:ch2.db --answers F", "F"),
    ("query ch2pp --analytical sqlite:ch2.db --queries-dir q --queries 6", "q/ch2pp/sqlite/q06.sql"),
    ("answers compare a a", "a/q06.json"),
    ("answers compare F F", "F"),
    ("learn a=F -o out.toml", "F"),
    ("learn a=F.csv -o out.toml", "F.csv"),
    ("learn a=F.tsv -o out.toml", "F.tsv"),
    ("learn a=F.parquet -o out.toml", "F.parquet"),
    ("learn a=folder -o out.toml", "folder/x.json"),
    ("audit F", "F"),
    ("bundle F -o out.hoap", "F"),
    ("bundle r -o out.hoap --prices F", "F"),
    ("bundle r -o out.hoap", "r/run.json"),
    ("bundle r -o out.hoap", "r/samples.csv"),
    ("bundle r -o out.hoap", "r/step-01.hlog"),
    ("bundle r -o out.hoap", "r/ledger.json"),
    ("history add F --dir h", "F"),
    ("history add r --dir h", "r/run.json"),
    ("history check --dir h", "h/history.ndjson"),
    ("history show --dir h -o page.html", "h/history.ndjson"),
    ("history export --dir h --format otava", "h/history.ndjson"),
    ("runs .", "r/run.json"),
    ("runs F", "F"),
    ("show r --full", "r/run.json"),
    ("show r --full", "r/samples.csv"),
    ("show F", "F"),
    ("show r --format ycsb", "r/step-01.hlog"),
    ("report r -o page.html", "r/run.json"),
    ("report r -o page.html", "r/samples.csv"),
    ("report r -o page.html", "r/machine.csv"),
    ("report r -o page.html", "r/observed.csv"),
    ("report r -o page.html", "r/queries.csv"),
    ("report r -o page.html", "r/step-01.hlog"),
    ("report r -o F", "F"),
    ("compare r s", "s/run.json"),
    ("compare r s", "s/samples.csv"),
    ("compare r s", "s/step-01.hlog"),
    ("merge r s -o m", "s/run.json"),
    ("merge r s -o m", "s/step-01.hlog"),
    ("merge r s -o m", "s/ledger.json"),
    ("merge r s -o m", "s/samples.csv"),
    ("experiment report F", "F"),
    ("torture report F", "F"),
    ("torture report d", "d/torture.json"),
    ("gen --check files", "files/manifest.json"),
    ("gen --check files", "files/usertable.ndjson"),
    ("gen --check F", "F"),
    ("gen ycsb -p recordcount=10 -o files --resume", "files/manifest.json"),
    ("load ycsb --target sqlite:F -p recordcount=10", "F"),
    ("run ycsb-a -p recordcount=10 --target sqlite:F", "F"),
    ("doctor sqlite:F", "F"),
    ("load ycsb --target duckdb:F -p recordcount=10", "F"),
    ("doctor duckdb:F", "F"),
    ("run ycsb-a " + KEYS, "t.db-journal"),
    ("run ycsb-a " + KEYS, "t.db-wal"),
    ("gather 1 --listen 127.0.0.1:0 -o g --wait 1s --tls-cert F --tls-key k.pem", "F"),
    ("gather 1 --listen 127.0.0.1:0 -o g --wait 1s --tls-cert c.pem --tls-key F", "F"),
    ("run ycsb-a " + RUN + " --part 1/2 --meet 127.0.0.1:1 --tls-ca F", "F"),
    ("doctor postgres://me@127.0.0.1:1/d?sslmode=verify-full&sslrootcert=F", "F"),
    ("doctor postgres://me@127.0.0.1:1/d?sslmode=require&sslcert=F&sslkey=k.pem", "F"),
    ("doctor postgres://me@127.0.0.1:1/d?sslmode=require&sslcert=c.pem&sslkey=F", "F"),
    ("doctor rediss://127.0.0.1:1?tls_ca=F", "F"),
    ("doctor rediss://127.0.0.1:1?tls_cert=c.pem&tls_key=F", "F"),
    ("doctor mongodb://127.0.0.1:1/d?tls=true&tlsCAFile=F", "F"),
    ("doctor mongodb://127.0.0.1:1/d?tls=true&tlsCertificateKeyFile=F", "F"),
    ("doctor cassandra://127.0.0.1:1/d?tls=on&tls_ca=F", "F"),
    ("doctor cassandra://127.0.0.1:1/d?tls=on&tls_ca=c.pem&tls_cert=c.pem&tls_key=F", "F"),
    ("doctor couchbases://me@127.0.0.1:1/d?tls_ca=F", "F"),
    ("doctor couchbases://127.0.0.1:1/d?tls_cert=c.pem&tls_key=F", "F"),
    ("doctor couchbases-analytics://me@127.0.0.1:1/d.s?tls_ca=F", "F"),
    ("doctor couchbase://me@127.0.0.1:1/d?password_file=F", "F"),
    ("doctor couchbase-analytics://me@127.0.0.1:1/d.s?password_file=F", "F"),
    ("doctor mongodb://me@127.0.0.1:1/d", "F", "MONGODB_PASSWORD_FILE=F"),
    ("doctor postgres://me@127.0.0.1:1/d", "F", "PGPASSFILE=F"),
    ("doctor cassandra://me@127.0.0.1:1/d?tls=off", ".cassandra/credentials", "HOME=."),
    ("doctor cassandra://me@127.0.0.1:1/d?tls=off", ".cassandra/cqlshrc", "HOME=."),
    ("doctor dynamodb://local?endpoint=http://127.0.0.1:1", "F", "AWS_SHARED_CREDENTIALS_FILE=F"),
    ("doctor dynamodb://local?endpoint=http://127.0.0.1:1", "F", "AWS_CONFIG_FILE=F"),
    ("doctor rediss://127.0.0.1:1", "F", "SSL_CERT_FILE=F"),
    ("run ycsb-a " + RUN, "F", "GITHUB_EVENT_PATH=F GITHUB_ACTIONS=true"),
]


def sparse(path):
    with open(path, "wb") as file:
        file.truncate(1 << 30)


def bind(path):
    with socket.socket(socket.AF_UNIX) as listener:
        at = os.getcwd()
        os.chdir(path.parent)
        listener.bind(path.name)
        os.chdir(at)


STRANGE = {
    "/dev/zero": lambda path: path.symlink_to("/dev/zero"),
    "/dev/urandom": lambda path: path.symlink_to("/dev/urandom"),
    "a pipe": os.mkfifo,
    "a folder": os.mkdir,
    "a socket": bind,
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a link to nothing": lambda path: path.symlink_to("nothing"),
    "nothing": lambda path: None,
    "an empty file": lambda path: path.write_text(""),
    "1 GB of nothing": sparse,
    "a line of 50 MB": lambda path: path.write_text("x" * 50_000_000),
    "deep JSON": lambda path: path.write_text("[" * 1_000_000),
    "an object of JSON": lambda path: path.write_text("{}\n"),
    "no text": lambda path: path.write_bytes(bytes(range(256)) * 100),
    "UTF-16": lambda path: path.write_bytes("a = 1\n".encode("utf-16")),
    "/proc/self/mem": lambda path: path.symlink_to("/proc/self/mem"),
}


def prepare(place):
    for name in ["r", "s"]:
        run(f"run ycsb-a {RUN} --ledger --out {name}".split(), place)
    run("load ycsb -p recordcount=100 --target sqlite:t.db".split(), place)
    run("load ch2pp --scale-down 100 --target sqlite:ch2.db".split(), place)
    run("query ch2pp --analytical sqlite:ch2.db --queries 6 --answers-out a".split(), place)
    run("history add r --dir h".split(), place)
    run("gen ycsb -p recordcount=100 -o files".split(), place)
    text = run("query ch2pp --target sqlite:ch2.db --print-texts --queries 6".split(), place)[3]
    (place / "q/ch2pp/sqlite").mkdir(parents=True)
    (place / "q/ch2pp/sqlite/q06.sql").write_text(text)
    (place / "values.toml").write_text("hoap = 1\n[collections.a]\ncount = 2\nfields.x = { values = 'F' }\n")
    for folder in ["folder", "d", ".cassandra"]:
        (place / folder).mkdir()
    run(None, place, shell="openssl req -x509 -newkey rsa:2048 -nodes -keyout k.pem -out c.pem -days 9 -subj /CN=a; chmod 600 k.pem")


def wrong_of(kind, named, result):
    code, seconds, megabytes, said = result
    if code in (124, 137):
        return None if kind == "a pipe" and named and code == 124 else f"it does not end ({code})"
    if code not in (0, 1, 2, 3, 4):
        return "the exit code says nothing"
    if code and "hoap: " not in said:
        return "no word of why"
    if len(said) > 6000:
        return f"a long answer: {len(said)}"
    if seconds > 10 or megabytes > 1000:
        return "more than 10 s or 1 GB"
    if "please report" in said:
        return "Hoap blames itself"
    return None


def main():
    table = Table()
    word, kinds = [*sys.argv[1:], "", ""][:2]
    with tempfile.TemporaryDirectory() as name:
        base = Path(name) / "base"
        base.mkdir()
        prepare(base)
        cases = [(kind, use) for kind in STRANGE for use in USES if kinds in kind and word in use[0]]
        for kind, (line, file, *sets) in cases:
            place = Path(name) / "place"
            needless = shutil.ignore_patterns("*.db" if ".db" not in line else "")
            shutil.copytree(base, place, symlinks=True, ignore=needless)
            path = place / file
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            path.unlink(missing_ok=True)
            path.parent.mkdir(parents=True, exist_ok=True)
            STRANGE[kind](path)
            words = " ".join(f"'{one}'" for one in line.split())
            limit = 10 if kind == "a pipe" else 200
            limits = f"ulimit -f 4000000; timeout -k 9 {limit}"
            shell = f"{limits} {HOAP} {words} 2>&1 | head -c 20000; exit ${{PIPESTATUS[0]}}"
            result = run(None, place, shell=shell, variables=[of.split("=") for of in " ".join(sets).split()],
                         processor=True)
            table.line(f"{line} | {file} | {kind}", result, wrong_of(kind, file == "F", result))
            shutil.rmtree(place)
    table.end()


main()
