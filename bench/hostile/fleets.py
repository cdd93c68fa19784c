#!/usr/bin/env python3
"""Fleets among strangers: bench/hostile/fleets.py [WORD].

`hoap gather` of two drivers on `null:`, while somebody else speaks to its port, a driver or `gather` is stopped or ended,
or a clock jumps; and a driver that meets what is no `gather`. A fleet that nobody ended has its run; one that was ended says who
and what to do, with exit code 1 or 130, and leaves nothing running. HOAP names the program; JUMP, if it is set, a library to
preload that jumps the clock by JUMP_BY seconds JUMP_AT seconds after the start.
"""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from common import HOAP, Table, serving

TOKEN = "0123456789abcdef-fleet"
ENVIRONMENT = {**os.environ, "HOAP_FLEET_TOKEN": TOKEN}
RUN = "run ycsb-a --target null: -p recordcount=100 --warmup 100ms --clients 1,1"


def heard():
    """Signals that a shell in the background ignores."""
    for name in [signal.SIGINT, signal.SIGHUP]:
        signal.signal(name, signal.SIG_DFL)


def start(words, place, name, before="", **variables):
    file = open(place / f"{name}.txt", "w")
    command = f"ulimit -v 6000000; {before}exec {HOAP} {words}"
    process = subprocess.Popen(["bash", "-c", command], cwd=place, stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                               env={**ENVIRONMENT, **variables}, start_new_session=True,
                               preexec_fn=heard)
    process.told = place / f"{name}.txt"
    return process


class Fleet:
    """`gather` and its drivers."""

    def __init__(self, place, duration="2s", wait="20s", more="", variables=(), before=""):
        self.place = place
        self.duration = duration
        self.variables = dict(variables)
        self.gather = start(f"gather 2 --listen 127.0.0.1:0 -o run --wait {wait} {more}", place, "gather", before,
                            **self.variables.get("gather", {}))
        self.port = int(until(lambda: after(self.gather, "drivers at 127.0.0.1:")))
        self.drivers = []

    def drive(self):
        for part in [1, 2]:
            words = f"{RUN} --duration {self.duration} --part {part}/2 --meet 127.0.0.1:{self.port} --out d{part}"
            self.drivers.append(start(words, self.place, f"driver{part}", **self.variables.get(part, {})))

    def all(self):
        return [self.gather, *self.drivers]

    def until_step(self, n=1):
        until(lambda: f"step {n}" in self.gather.told.read_text())

    def end(self, seconds=30):
        """Exit codes, None of one that did not end."""
        codes, limit = [], time.monotonic() + seconds
        for process in self.all():
            try:
                codes.append(process.wait(max(0.1, limit - time.monotonic())))
            except subprocess.TimeoutExpired:
                codes.append(None)
        for process in self.all():
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
                process.wait()
        return codes


def until(what, seconds=20):
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        if found := what():
            return found
        time.sleep(0.02)
    raise TimeoutError


def after(process, words):
    text = process.told.read_text()
    return text.split(words, 1)[1].split("\n")[0] if words in text and text.endswith("\n") else None


# Strangers at the port: each is called with it and an event that says when to end.
def silent(n):
    def strangers(port, over):
        held = []
        while not over.is_set():
            with contextlib.suppress(OSError):
                while len(held) < n:
                    held.append(socket.create_connection(("127.0.0.1", port), 2))
            over.wait(0.5)
            for one in held:
                with contextlib.suppress(OSError):
                    one.setblocking(False)
                    if one.recv(1) == b"":
                        one.close()
            held = [one for one in held if one.fileno() >= 0]
        for one in held:
            one.close()
    return strangers


def flood(port, over):
    while not over.is_set():
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", port), 2).close()


def says(*pieces, pause=0.0, n=20, endless=False):
    """So many connections, each of which says this, and again when it is closed."""
    def strangers(port, over):
        def one():
            while not over.is_set():
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 2) as to:
                    to.settimeout(2)
                    for piece in pieces:
                        to.sendall(piece)
                        over.wait(pause)
                        if over.is_set():
                            return
                    while endless and not over.is_set():
                        to.sendall(pieces[-1])
                        over.wait(pause)
                    while not over.is_set() and to.recv(65536):
                        pass
        all_ = [threading.Thread(target=one, daemon=True) for _ in range(n)]
        for thread in all_:
            thread.start()
        over.wait()
    return strangers


def head(token=TOKEN, path="/2/here", method="POST", more=""):
    return f"{method} {path} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {token}\r\n{more}".encode()


WRONG = "x" * 20
STRANGERS = {
    "nobody": lambda port, over: over.wait(),
    "60 silent": silent(60),
    "600 silent": silent(600),
    "a flood": flood,
    "letters": says(b"A" * 4096, n=50, endless=True, pause=0.001),
    "zeros": says(b"\0" * 65536, endless=True),
    "a head without end": says(b"POST /2/here HTTP/1.1\r\n", b"X: " + b"y" * 60000 + b"\r\n", endless=True),
    "a slow head": says(b"POST /2/here HTTP/1.1\r\n", b"X: y\r\n", endless=True, pause=0.3, n=300),
    "many heads": says(b"POST /2/here HTTP/1.1\r\n" + b"a:b\r\n" * 3000 + b"\r\n"),
    "wrong tokens": says(head(WRONG, more="Content-Length: 0\r\n\r\n"), n=100),
    "wrong tokens in a row": says(head(WRONG, more="Content-Length: 0\r\n\r\n") * 1000, n=20),
    "no token": says(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n", n=100),
    "a wrong token, a body without end": says(head(WRONG, more="Transfer-Encoding: chunked\r\n\r\n"), b"10000\r\n" + b"z" * 65536 + b"\r\n", endless=True),
    "TLS": says(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"a" * 500, n=100),
    "HTTP/2": says(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0"),
    "expects": says(head(WRONG, more="Expect: 100-continue\r\nContent-Length: 5\r\n\r\n"), n=50),
    # With the token: a driver of another kind.
    "no message": says(head(more="Content-Length: 5\r\n\r\nhello"), n=5),
    "1 GB announced": says(head(more="Content-Length: 1000000000\r\n\r\n"), b"z" * 65536, endless=True, n=5),
    "no end announced": says(head(more="Transfer-Encoding: chunked\r\n\r\n"), b"10000\r\n" + b"z" * 65536 + b"\r\n", endless=True, n=5),
    "deep": says(head(more="Content-Length: 1000000\r\n\r\n") + b"[" * 1000000, n=2),
    "another path": says(head(path="/1/here", more="Content-Length: 0\r\n\r\n"), n=5),
    "a file of nobody": says(head(path="/2/file/1/run.json", method="PUT", more="x-hoap-id: a\r\nx-hoap-at: 0\r\nContent-Length: 2\r\n\r\n{}"), n=5),
    "a file elsewhere": says(head(path="/2/file/1/../../x", method="PUT", more="x-hoap-id: a\r\nx-hoap-at: 0\r\nContent-Length: 2\r\n\r\n{}"), n=5),
}


def strangers(table, place, name, call):
    fleet, over = Fleet(place), threading.Event()
    thread = threading.Thread(target=call, args=(fleet.port, over), daemon=True)
    begun = time.monotonic()
    thread.start()
    time.sleep(1.0)
    fleet.drive()
    peak = 0
    while any(process.poll() is None for process in fleet.all()) and time.monotonic() - begun < 30:
        with contextlib.suppress(OSError, IndexError):
            peak = max(peak, int(Path(f"/proc/{fleet.gather.pid}/status").read_text().split("VmHWM:")[1].split()[0]) // 1000)
        time.sleep(0.05)
    codes = fleet.end(0.1)
    over.set()
    thread.join(5)
    said = "".join(process.told.read_text() for process in fleet.all())
    seconds = time.monotonic() - begun
    wrong = None
    if codes != [0, 0, 0]:
        wrong = f"the fleet has no run: {codes}"
    elif peak > 500:
        wrong = "more than 500 MB"
    elif seconds > 20:
        wrong = "it takes long"
    elif len(said) > 20000:
        wrong = f"a long answer: {len(said)}"
    elif ("token" in name and "another token" not in said) and name != "no token":
        wrong = "no word of wrong tokens"
    table.line(f"strangers: {name}", (codes[0], seconds, peak, said), wrong)


# Who is ended, by what, when; what must be said by gather and by the drivers, and the exit codes of gather and drivers. None
# stands for one that was killed.
ENDED = {
    "a driver is killed": (lambda f: f.drivers[1].kill(), ["part 2/2 is gone"], [1, 1, -9]),
    "a driver is stopped": (lambda f: f.drivers[1].send_signal(signal.SIGSTOP), ["part 2/2 is gone"], [1, 1, "stopped"]),
    "a driver is told to end": (lambda f: f.drivers[1].send_signal(signal.SIGTERM), ["part 2/2"], [1, 1, 130]),
    "a driver is interrupted": (lambda f: f.drivers[1].send_signal(signal.SIGINT), ["part 2/2"], [1, 1, 130]),
    "a driver hears its terminal go": (lambda f: f.drivers[0].send_signal(signal.SIGHUP), ["part 1/2"], [1, 130, 1]),
    "all drivers are killed": (lambda f: [d.kill() for d in f.drivers], ["is gone"], [1, -9, -9]),
    "gather is killed": (lambda f: f.gather.kill(), ["nobody answered", "see how `hoap gather` ended"], [-9, 3, 3]),
    "gather is stopped": (lambda f: f.gather.send_signal(signal.SIGSTOP), ["nobody answered"], ["stopped", 3, 3]),
    "gather is told to end": (lambda f: f.gather.send_signal(signal.SIGTERM), ["interrupted"], [130, 1, 1]),
    "gather is interrupted": (lambda f: f.gather.send_signal(signal.SIGINT), ["interrupted"], [130, 1, 1]),
    "a driver rests for 2 s": (lambda f: rest(f.drivers[1], 2), None, None),
}


def rest(process, seconds):
    process.send_signal(signal.SIGSTOP)
    time.sleep(seconds)
    process.send_signal(signal.SIGCONT)


def ended(table, place, name, when):
    act, words, expected = ENDED[name]
    fleet = Fleet(place, duration="2s")
    fleet.drive()
    begun = time.monotonic()
    try:
        if when == "in a step":
            fleet.until_step(1)
            time.sleep(0.5 + 0.8)
        elif when == "before":
            until(lambda: "2 of 2 drivers" in fleet.gather.told.read_text())
        else:
            fleet.until_step(2)
            until(lambda: "folders are here" in fleet.gather.told.read_text())
    except TimeoutError:
        pass
    act(fleet)
    if expected and "stopped" in expected:
        at = expected.index("stopped")
        for n, process in enumerate(fleet.all()):
            if n != at:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(15)
        fleet.all()[at].send_signal(signal.SIGCONT)
    codes = fleet.end()
    told = [process.told.read_text() for process in fleet.all()]
    said = "\n".join(told)
    # One that goes on where the others have ended is told so, or finds nobody.
    of = {"stopped": {1, 3}, None: {0, 1, 3}}
    allowed = [of.get(code, {code}) | ({0} if when == "at the end" else set()) for code in expected or [None] * 3]
    wrong = None
    if any(code not in may for code, may in zip(codes, allowed)):
        wrong = f"exit codes {codes}"
    elif words and when != "at the end" and not all(word in said for word in words):
        wrong = f"no word of {words}"
    elif any(code in (1, 3) and "hoap: " not in text and "void" not in text for code, text in zip(codes, told)):
        wrong = "no word of why"
    elif list(place.rglob(".hoap-*.tmp")) and -9 not in codes:
        wrong = "a temporary file is left"
    for part, code in [(1, codes[1]), (2, codes[2])]:
        file = place / f"d{part}/run.json"
        # At the end it is whole, whoever has died since.
        if code in (1, 3, 130) and when != "at the end" and file.exists() and json.loads(file.read_text()).get("partial") is None:
            wrong = wrong or f"the folder of part {part} is not marked"
    table.line(f"{name}, {when}", (max(codes[0], 1) if codes[0] is not None and codes[0] < 0 else codes[0], time.monotonic() - begun, 0, said), wrong)
    return told


# What a driver meets: the answer to a request, or None for nothing.
OK = "HTTP/1.1 200 OK\r\n"
WORD = {"now_ns": 0, "start": None, "over": None, "done": False}


def json_of(**word):
    text = json.dumps({**WORD, **word})
    return f"{OK}Content-Length: {len(text)}\r\n\r\n{text}".encode()


PLACES = {
    "silence": (None, 0),
    "nothing": (b"", 1),
    "letters": (b"A" * 100000, 1),
    "a page": (b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>", 1),
    "404": (b"HTTP/1.1 404 no\r\nContent-Length: 9\r\n\r\n\x1b[2Jnone\n", 1),
    "a redirect": (b"HTTP/1.1 307 T\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", 1),
    "1 GB announced": (f"{OK}Content-Length: 1000000000\r\n\r\n".encode() + b"z" * 2000000, 1),
    "no end": (f"{OK}\r\n".encode() + b"z" * 4000000, 1),
    "a head without end": (OK.encode() + b"X: y\r\n" * 400000, 1),
    "it is over": (json_of(over="\x1b[2J" + "x" * 500000 + "\n"), 1),
    "it is done": (json_of(done=True), 1),
    "far times": (json_of(now_ns=2**63 - 1, start=[1, 2**63 - 1]), 0),
    "far times back": (json_of(now_ns=-2**63, start=[1, -2**63]), None),
    "a start in the past": (json_of(start=[1, 0]), None),
    "a start of tomorrow": (json_of(start=[1, (int(time.time()) + 86400) * 10**9]), 0),
    "another step": (json_of(start=[99, 0]), 0),
    "numbers": (json_of(now_ns=1.5), 1),
    "100s": (b"HTTP/1.1 100 Continue\r\n\r\n" * 4000000, None),
    "deep": (f"{OK}Content-Length: 500000\r\n\r\n".encode() + b"[" * 500000, 1),
    "SSH": (b"SSH-2.0-OpenSSH_9.2\r\n", 1),
}


def meets(table, place, name):
    answer, ends = PLACES[name]

    def one(connection):
        with connection, contextlib.suppress(OSError):
            while connection.recv(65536):
                if answer == b"":
                    return
                if answer:
                    connection.sendall(answer)

    port, close = serving(one)
    begun = time.monotonic()
    driver = start(f"{RUN} --duration 300ms --part 1/2 --meet 127.0.0.1:{port} --out d", place, "driver")
    code = None
    with contextlib.suppress(subprocess.TimeoutExpired):
        code = driver.wait(7)
    peak = 0
    wrong = None
    if code is None:
        with contextlib.suppress(OSError, IndexError):
            peak = int(Path(f"/proc/{driver.pid}/status").read_text().split("VmHWM:")[1].split()[0]) // 1000
        driver.send_signal(signal.SIGTERM)
        try:
            code = driver.wait(5)
        except subprocess.TimeoutExpired:
            driver.kill()
            driver.wait()
            wrong = "deaf to SIGTERM"
    close()
    said = driver.told.read_text()
    if code not in (1, 2, 3, 130):
        wrong = wrong or f"exit code {code}"
    elif "hoap: " not in said:
        wrong = "no word of why"
    elif TOKEN in said or "\x1b" in said:
        wrong = "it shows what it must not"
    elif len(said) > 6000:
        wrong = f"a long answer: {len(said)}"
    elif peak > 500:
        wrong = "more than 500 MB"
    table.line(f"meets {name}", (code, time.monotonic() - begun, peak, said), wrong)


# Whose clock jumps, by how many seconds, how many seconds after its start.
JUMPS = [(who, by, at) for who in ["gather", 1, 2] for by in [86400, -86400, 30, -30] for at in [1.5, 2.5]]


def jumps(table, place, who, by, at):
    of = {who: {"LD_PRELOAD": os.environ["JUMP"], "JUMP_AT": str(at), "JUMP_BY": str(by)}}
    fleet = Fleet(place, variables=of)
    begun = time.monotonic()
    fleet.drive()
    codes = fleet.end(25)
    said = "".join(process.told.read_text() for process in fleet.all())
    seconds = time.monotonic() - begun
    wrong = f"the fleet has no run: {codes}" if codes != [0, 0, 0] else None
    if not wrong and seconds > 15:
        wrong = "it takes long"
    if not wrong:
        run = json.loads((place / "run/run.json").read_text())
        windows = [step["seconds"] for step in run["steps"]]
        if len(windows) != 2 or any(abs(w - 2.0) > 0.3 for w in windows):
            wrong = f"steps of {windows}"
    table.line(f"the clock of {who} jumps by {by} s at {at} s", (codes[0], seconds, 0, said), wrong)


def main():
    table = Table()
    word = (sys.argv[1:] or [""])[0]
    cases = [(f"strangers: {name}", strangers, (name, call)) for name, call in STRANGERS.items()]
    cases += [(f"{name}, {when}", ended, (name, when)) for name in ENDED for when in ["before", "in a step", "at the end"]]
    cases += [(f"meets {name}", meets, (name,)) for name in PLACES]
    if os.environ.get("JUMP"):
        cases += [(f"jumps {jump}", jumps, jump) for jump in JUMPS]
    for name, call, with_ in cases:
        if word in name:
            with tempfile.TemporaryDirectory() as place:
                try:
                    call(table, Path(place), *with_)
                except TimeoutError:
                    table.line(name, (None, 0, 0, ""), "gather did not begin")
    table.end()


if __name__ == "__main__":
    main()
