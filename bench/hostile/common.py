"""What the campaigns of this folder share: a command with a limit, its time and its memory."""

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

HOAP = os.environ.get("HOAP", "hoap")


# Virtual memory and seconds of the processor that a case may take: what takes all memory stops the whole machine.
LIMITS = ["prlimit", f"--as={5 << 30}:", "--cpu=60:"]


def run(words, place=".", limit=300, shell=None, variables=(), processor=False):
    """Exit code (None: it was killed at the limit), seconds (of the processor: those that a busy machine
    does not add to), megabytes at its peak, what it said."""
    times = tempfile.NamedTemporaryFile(mode="r")
    command = ["bash", "-c", shell] if shell else [HOAP, *words]
    timed = [*LIMITS, "/usr/bin/time", "-o", times.name, "-f", "%e %U %S %M", *command]
    process = subprocess.Popen(timed, cwd=place, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace",
                               start_new_session=True, env={**os.environ, **dict(variables)})
    try:
        said, _ = process.communicate(timeout=limit)
        code = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        said, code = process.communicate()[0], None
    last = Path(times.name).read_text().split("\n")
    measured = re.fullmatch(r"(\S+) (\S+) (\S+) (\d+)", last[-2] if len(last) > 1 else "")
    whole, user, system, kilobytes = measured.groups() if measured else (limit, limit, 0, 0)
    seconds = float(user) + float(system) if processor else float(whole)
    return code, seconds, int(kilobytes) // 1000, said


class Table:
    """Prints a line a case, and ends the program with 1 where a case is a finding."""

    def __init__(self):
        self.cases, self.findings, self.seconds, self.megabytes = 0, 0, 0.0, 0

    def line(self, name, result, wrong):
        """`wrong` says what is wrong with the case, or nothing."""
        code, seconds, megabytes, said = result
        self.cases += 1
        self.seconds, self.megabytes = max(self.seconds, seconds), max(self.megabytes, megabytes)
        told = [line for line in said.split("\n") if line.startswith("hoap: ")] or [""]
        if "panicked" in said or code is None or (code is not None and code < 0):
            wrong = wrong or ("panicked" if "panicked" in said else "did not end")
        self.findings += bool(wrong)
        mark = f"  FINDING: {wrong}" if wrong else ""
        print(f"{name} | {code} | {seconds:.1f} s | {megabytes} MB | {told[-1][:150]}{mark}", flush=True)

    def end(self):
        print(f"{self.cases} cases, {self.findings} findings; at most {self.seconds:.1f} s and "
              f"{self.megabytes} MB")
        sys.exit(self.findings > 0)


def serving(one):
    """The port of a server that does this with each connection, and a function that ends it."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)

    def accept():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=one, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener.getsockname()[1], listener.close
