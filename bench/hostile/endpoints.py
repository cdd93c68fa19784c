#!/usr/bin/env python3
"""What a run reads and serves beside the load: bench/hostile/endpoints.py [WORD].

`hoap run` on `null:` with `--observe` of endpoints that answer what no exporter does, from the first reading or from a later one;
with `--otlp` to collectors that redirect, hang or send without end; with `--metrics` that somebody keeps busy. The run ends in
its time, within 1 GB, with a record that `show`, `report`, `compare`, `bundle` and `audit` read, or is refused with a
line that says why. Key and password go nowhere else. HOAP names the program.
"""

import contextlib
import json
import shutil
import socket
import sys
import tempfile
import threading
import time
from pathlib import Path

from common import Table, run

RUN = "run ycsb-a --target null: -p recordcount=100 --warmup 100ms --clients 1"
HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
GOOD = "# TYPE a counter\na 1\nb 2\n"
SECRET = "a-secret-key"


def whole(text, status=b"200 OK", more=b""):
    body = text.encode() if isinstance(text, str) else text
    return b"HTTP/1.1 " + status + b"\r\n" + more + f"Content-Length: {len(body)}\r\n\r\n".encode() + body


def many(n, of):
    return "".join(of(i) for i in range(n))


def without_end(piece):
    while True:
        yield piece


class Server:
    """Answers each request with what `answer(number of the request, the request)` gives: bytes, pieces, or None for the end."""

    def __init__(self, answer, pause=0.0):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        self.answer, self.pause, self.asked = answer, pause, []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.one, args=(connection,), daemon=True).start()

    def one(self, connection):
        with connection, contextlib.suppress(OSError):
            while asked := connection.recv(1 << 20):
                while b"\r\n\r\n" not in asked:
                    asked += connection.recv(1 << 20)
                head, body = asked.split(b"\r\n\r\n", 1)
                length = [int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")]
                while length and len(body) < length[0]:
                    body += connection.recv(1 << 20)
                self.asked.append(head)
                said = self.answer(len(self.asked), head)
                if said is None:
                    return
                for piece in [said] if isinstance(said, bytes) else said:
                    connection.sendall(piece)
                    if self.pause:
                        time.sleep(self.pause)

    def close(self):
        self.listener.close()


# What an endpoint answers, and the series that are chosen.
ENDPOINTS = {
    "good": (whole(GOOD), "*"),
    "infinite": (whole("a +Inf\nb -Inf\nc NaN\nd 1\n"), "*"),
    "sums to infinity": (whole('a{l="1"} 1e308\na{l="2"} 1e308\nd 1\n'), "*"),
    "ends of numbers": (whole("a 1e100\nb -1e100\nc 5e-324\nd -0\ne 1e99\n# TYPE f counter\nf 1e100\n"), "*"),
    "all infinite": (whole("a +Inf\n"), "*"),
    "a label of 1 MiB": (whole('a{l="' + "x" * (1 << 20) + '"} 1\nb 1\n'), "a{l},b"),
    "labels of 1,000 bytes": (whole(many(200, lambda i: f'a{{l="{i}{"x" * 980}"}} {i}\n')), "a{l}"),
    "labels of controls": (whole(many(200, lambda i: 'a{l="' + f"{i}" + "\x01\x1b\u202e" * 150 + '"} 1\n')), "a{l}"),
    "labels of quotes": (whole(many(100, lambda i: f'a{{l="{i}' + '\\"\\\\' * 200 + '"} 1\n')), "a{l}"),
    "formulas": (whole('a{l="=HYPERLINK()"} 1\na{l="\\n=1+1"} 1\na{l="</script><script>alert(1)</script>"} 1\n'), "a{l}"),
    "ends of lines": (whole('a{l="x\ry"} 1\r\nb 1\r\n'), "a{l},b"),
    "201 series": (whole(many(201, lambda i: f"a{i} 1\n")), "*"),
    "3,000,000 series": (whole(many(2_000_000, lambda i: f"a{i} 1\n")), "*"),
    "3,000,000 other series": (whole(many(2_000_000, lambda i: f"a{i} 1\n") + "b 1\n"), "b"),
    "3,000,000 types": (whole(many(700_000, lambda i: f"# TYPE a{i} gauge\n") + "b 1\n"), "b"),
    "many labels": (whole("a{" + many(1_000_000, lambda i: f'l{i}="",') + "} 1\nb 1\n"), "*{*}"),
    "16 MB of comments": (whole("# x\n" * 4_000_000 + "a 1\n"), "*"),
    "17 MB": (whole("# x\n" * 4_250_000 + "a 1\n"), "*"),
    "one line of 15 MB": (whole("a" * 15_000_000), "*"),
    "no end": (lambda n, _: without_end(HTTP + b"\r\n" + b"a 1\n" * 10000), "*"),
    "chunks without end": (lambda n, _: without_end(HTTP + b"Transfer-Encoding: chunked\r\n\r\n" + b"4\r\na 1\n\r\n" * 1000), "*"),
    "heads without end": (lambda n, _: without_end(HTTP + b"X: y\r\n" * 10000), "*"),
    "1 GB announced": (HTTP + b"Content-Length: 1000000000\r\n\r\n", "*"),
    "silent": (b"", "*"),
    "closes": (lambda n, _: None, "*"),
    "no text": (whole(bytes(range(256))), "*"),
    "empty": (whole(""), "*"),
    "a page": (whole("<html><body>log in</body></html>"), "*"),
    "JSON": (whole('{"a":1}'), "*"),
    "500": (whole("x" * 100000, b"500 Internal \x1b[2J"), "*"),
    "a redirect": (whole("", b"302 Found", b"Location: http://127.0.0.1:1/\x1b[2J\r\n"), "*"),
    "204": (b"HTTP/1.1 204 No Content\r\n\r\n", "*"),
    "100s": (lambda n, _: without_end(b"HTTP/1.1 100 Continue\r\n\r\n" * 1000), "*"),
    "101": (b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n" + b"x" * 1000, "*"),
    "gzip": (whole(b"\x1f\x8b\x08" + b"\0" * 100, more=b"Content-Encoding: gzip\r\n"), "*"),
    "SSH": (b"SSH-2.0-x\r\n", "*"),
    "protobuf": (whole(b"\n\x05hello\x12\x04text"), "*"),
    "times of the future": (whole("a 1 99999999999999999\nb 2 -99999999999999999\n"), "*"),
    "exemplars": (whole('# TYPE a histogram\na_bucket{le="+Inf"} 1 # {t="' + "x" * 100000 + '"} 1\na_count 1\n'), "*"),
}
READERS = ["show {} --full", "show {} --json", "report {} -o page.html", "compare {0} {0}", "report {} --csv csv", "runs .", "bundle {} -o b.hoap", "audit b.hoap"]


def readers(place, folder):
    """What is wrong with what the readers say of the folder."""
    shutil.rmtree(place / "csv", ignore_errors=True)
    (place / "b.hoap").unlink(missing_ok=True)
    for line in READERS:
        code, seconds, megabytes, said = run(line.format(folder).split(), place, 60, processor=True)
        if code not in (0, 1) or "panicked" in said:
            return f"{line}: {code}: {said[:200]}"
        if seconds > 10 or megabytes > 1000:
            return f"{line}: {seconds:.1f} s, {megabytes} MB"
        if "\x1b" in said or "\u202e" in said:
            return f"{line}: an escape"
    for file in [*(place / "csv").rglob("*.csv"), place / folder / "observed.csv"]:
        for row in file.read_text(errors="replace").split("\n") if file.exists() else []:
            if any(cell.startswith(("=", "@", "\"=")) for cell in row.split(",")):
                return f"{file.name}: a formula: {row[:80]}"
    return None


def observed(table, place, name, later):
    answer, chosen = ENDPOINTS[name]
    of = answer if callable(answer) else (lambda n, _: answer)
    def first_good(n, head):
        return whole('a{l="1"} 1\nb 1\n') if n == 1 else of(n, head)
    server = Server(first_good if later else of)
    line = f"{RUN} --duration 2500ms --out r --observe s=http://u:{SECRET}@127.0.0.1:{server.port}#{chosen}"
    (place / "hoap.toml").write_text(f'observe = ["s=http://u:{SECRET}@127.0.0.1:{server.port}#{chosen}"]\n'.replace("\\", "\\\\"))
    line = f"{RUN} --duration 2500ms --out r --config hoap.toml"
    result = run(line.split(), place, 60)
    server.close()
    code, seconds, megabytes, said = result
    wrong = None
    if code not in (0, 1, 2, 3):
        wrong = "the exit code says nothing"
    elif later and code:
        wrong = "a run is lost by what it reads beside"
    elif code and "hoap: " not in said:
        wrong = "no word of why"
    elif seconds > 12:
        wrong = "it takes long"
    elif megabytes > 1000:
        wrong = "more than 1 GB"
    elif len(said) > 10000:
        wrong = f"a long answer: {len(said)}"
    elif SECRET in said or "\x1b" in said or "\u202e" in said:
        wrong = "it shows what it must not"
    elif (place / "r/run.json").exists() and SECRET in (place / "r/run.json").read_text():
        wrong = "the record has the password"
    elif code == 0:
        wrong = readers(place, "r")
    table.line(f"observe {name}{', later' if later else ''}", result, wrong)


COLLECTORS = {
    "good": whole(b""),
    "a redirect": whole(b"", b"307 T", b"Location: http://127.0.0.1:PORT/v1/metrics\r\n"),
    "a redirect for ever": whole(b"", b"301 T", b"Location: /v1/metrics\r\n"),
    "letters": whole(b"A" * 1000),
    "1 GB announced": HTTP + b"Content-Length: 1000000000\r\n\r\n",
    "no end": lambda n, _: without_end(HTTP + b"\r\n" + b"z" * 65536),
    "heads without end": lambda n, _: without_end(HTTP + b"X: y\r\n" * 10000),
    "silent": b"",
    "closes": lambda n, _: None,
    "429": whole(b"", b"429 Too Many", b"Retry-After: 86400\r\n"),
    "503": whole(b"x" * 100000, b"503 No"),
    "401": whole(b"", b"401 No", b"WWW-Authenticate: Basic\r\n"),
    "partial success": whole(b"\x0a\x0a\x08\x05\x12\x06\x1b[2Jxx"),
    "100s": lambda n, _: without_end(b"HTTP/1.1 100 Continue\r\n\r\n" * 1000),
    "SSH": b"SSH-2.0-x\r\n",
    "a bomb": whole(b"\x1f\x8b\x08", more=b"Content-Encoding: gzip\r\n"),
    "cookies": whole(b"", more=b"Set-Cookie: a=" + b"x" * 60000 + b"\r\n"),
}


def collected(table, place, name, _):
    answer = COLLECTORS[name]
    other = Server(lambda n, _: whole(b""))
    if isinstance(answer, bytes):
        answer = answer.replace(b"PORT", str(other.port).encode())
    server = Server(answer if callable(answer) else (lambda n, _: answer))
    line = f"{RUN} --duration 2500ms --out r --otlp http://127.0.0.1:{server.port}"
    headers = {"OTEL_EXPORTER_OTLP_HEADERS": f"api-key={SECRET}"}
    result = run(line.split(), place, 60, variables=headers.items())
    server.close()
    other.close()
    code, seconds, megabytes, said = result
    wrong = None
    if code:
        wrong = "a run is lost by its collector"
    elif seconds > 7:
        wrong = "it takes long"
    elif megabytes > 500:
        wrong = "more than 500 MB"
    elif not server.asked:
        wrong = "nothing was sent"
    elif other.asked:
        wrong = "the key went elsewhere"
    elif SECRET in said or "\x1b" in said or len(said) > 10000:
        wrong = "it shows what it must not"
    else:
        wrong = readers(place, "r")
    table.line(f"otlp {name}", result, wrong)


# Who keeps the address of --metrics busy: what each connection says, how many there are.
VISITORS = {
    "nobody": ([], 0),
    "64 silent": ([b""], 64),
    "1,000 silent": ([b""], 1000),
    "slow heads": ([b"GET / HTTP/1.1\r\n"] + [b"X: y\r\n"] * 100, 64),
    "heads without end": ([b"GET /metrics HTTP/1.1\r\n" + b"X: y\r\n" * 100000], 20),
    "letters": ([b"A" * 1000000], 20),
    "pages": ([b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"], 64),
    "metrics": ([b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"], 64),
    "listeners": ([b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"], 64),
    "another name": ([b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"], 20),
    "posts": ([b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000000\r\n\r\n" + b"z" * 1000000], 20),
    "no HTTP": ([b"\x16\x03\x01\x02\0\x01"], 64),
    "nowhere": ([b"GET /../../etc/passwd HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"], 20),
}


def visited(table, place, name, _):
    pieces, n = VISITORS[name]
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    over = threading.Event()

    def visit():
        while not over.is_set():
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 2) as to:
                to.settimeout(1)
                for piece in pieces:
                    to.sendall(piece)
                    over.wait(0.1 if len(pieces) > 1 else 0)
                while not over.is_set() and to.recv(65536):
                    pass
            over.wait(0.01)

    threads = [threading.Thread(target=visit, daemon=True) for _ in range(n)]
    for thread in threads:
        thread.start()
    result = run(f"{RUN} --duration 3s --out r --metrics 127.0.0.1:{port}".split(), place, 60)
    over.set()
    for thread in threads:
        thread.join(3)
    code, seconds, megabytes, said = result
    wrong = None
    if code:
        wrong = "a run is lost by its visitors"
    elif seconds > 9:
        wrong = "it takes long"
    elif megabytes > 500:
        wrong = "more than 500 MB"
    else:
        wrong = readers(place, "r")
    table.line(f"metrics, {name}", result, wrong)


def main():
    table = Table()
    word = (sys.argv[1:] or [""])[0]
    cases = [("observe", observed, name, later) for later in [False, True] for name in ENDPOINTS]
    cases += [("otlp", collected, name, None) for name in COLLECTORS]
    cases += [("metrics", visited, name, None) for name in VISITORS]
    for kind, call, name, later in cases:
        if word in f"{kind} {name}{', later' if later else ''}":
            with tempfile.TemporaryDirectory() as place:
                call(table, Path(place), name, later)
    table.end()


if __name__ == "__main__":
    main()
