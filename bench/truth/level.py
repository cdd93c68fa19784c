#!/usr/bin/env python3
"""A proxy before a PostgreSQL server holds each answer back for a time, and for another from second 15 of the window on.
It counts what it forwards. A run through it must say when the level of throughput changed and between which rates, as
the proxy counted them, and of a run without a change, or with a pause, nothing of the kind.

    HOAP=target/release/hoap bench/truth/level.py postgres://USER@HOST:PORT/DATABASE

Makes the table `usertable`, for 1,000 records of YCSB, anew. Works in a new folder and prints a line a run."""

import bisect
import datetime
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

HOAP = os.path.realpath(os.environ.get("HOAP", "target/release/hoap"))
SERVER = sys.argv[1]
WARMUP, CHANGE, WINDOW, CLIENTS = 2, 15, 40, 4
# Milliseconds before and after the change, and the length of a pause that begins there, in seconds.
CASES = [(10, 10, 0), (10, 10, 2), (10, 12, 0), (10, 20, 0), (20, 10, 0), (10, 100, 0)]


class Proxy:
    """Forwards connections of this machine to the server."""

    def __init__(self, server):
        self.server, self.answers, self.delay = server, [], lambda: 0.0
        self.listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            server = socket.create_connection(self.server)
            for one, other, held in [(client, server, False), (server, client, True)]:
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=self.pump, args=(one, other, held), daemon=True).start()

    def pump(self, one, other, held):
        try:
            while chunk := one.recv(1 << 16):
                if held:
                    time.sleep(self.delay())
                    self.answers.append(time.time())
                other.sendall(chunk)
            other.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def rate(self, begin, end):
        answers = sorted(self.answers)
        return (bisect.bisect(answers, end) - bisect.bisect(answers, begin)) / (end - begin)


def hoap(*words):
    done = subprocess.run([HOAP, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def main():
    url = urllib.parse.urlsplit(SERVER)
    proxy = Proxy((url.hostname, url.port or 5432))
    through = url._replace(netloc=f"{url.username}@127.0.0.1:{proxy.listener.getsockname()[1]}").geturl()
    os.chdir(tempfile.mkdtemp())
    hoap("load", "ycsb", "--target", SERVER, "-p", "recordcount=1000", "--replace")
    wrong = 0
    for number, (before, after, pause) in enumerate(CASES):
        start = (datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=10)).replace(microsecond=0)
        change = start.timestamp() + WARMUP + CHANGE

        def delay():
            now = time.time()
            paused = max(0.0, change + pause - now) if pause and now >= change else 0.0
            return paused + (before if now < change else after) / 1e3

        proxy.answers, proxy.delay = [], delay
        hoap("run", "ycsb-c", "--target", through, "--clients", str(CLIENTS), "--warmup", f"{WARMUP}s", "--duration",
             f"{WINDOW}s", "--start-at", start.strftime("%Y-%m-%dT%H:%M:%SZ"), "--out", str(number))
        run = json.load(open(f"{number}/run.json"))
        step = run["steps"][0]
        level = step.get("level")
        # A second on either side is of neither level.
        rates = proxy.rate(change - CHANGE + 1, change - 1), proxy.rate(change + pause + 1, change + 24)
        true = rates[1] / rates[0] - 1
        if level:
            said = level["after"] / level["before"] - 1
            what = f"{level['before']:.0f} to {level['after']:.0f} ops/s ({said:+.1%}) at {level['at_seconds']:.1f} s"
            right = (before != after and not level["drift"] and abs(level["at_seconds"] - CHANGE) <= 2
                     and all(abs(level[k] / rate - 1) < 0.1 for k, rate in zip(["before", "after"], rates)))
        else:
            what, right = "one level", before == after
        gap = step.get("longest_gap", {}).get("seconds", 0)
        right = right and (not pause or abs(gap - pause) < 0.2)
        wrong += not right
        print(f"{before} ms, {after} ms, pause {pause} s: {rates[0]:.0f} to {rates[1]:.0f} answers/s ({true:+.1%}); "
              f"Hoap: {what}; longest gap {gap:.2f} s{'' if right else '  WRONG'}", flush=True)
    sys.exit(wrong > 0)


main()
