#!/usr/bin/env python3
"""Servers that answer what no good one does: bench/hostile/servers.py [WORD].

Each kind of URL is opened at each server of the table (`hoap doctor URL`). It ends by itself within 35 s
(a server that is silent has a database's own time to connect, at most 32 s) and 1 GB, says why in a line,
and shows no password. A real server of another kind is told within 2 s. HOAP names the program.
"""

import sys

from common import Table, run, serving

URLS = {
    "postgres": "postgres://me@127.0.0.1:{}/d",
    "redis": "redis://127.0.0.1:{}",
    "rediss": "rediss://127.0.0.1:{}",
    "mongodb": "mongodb://127.0.0.1:{}/d",
    "cassandra": "cassandra://127.0.0.1:{}/d",
    "couchbase": "couchbase://me@127.0.0.1:{}/d",
    "couchbase-analytics": "couchbase-analytics://me@127.0.0.1:{}/d.s",
    "asterixdb": "asterixdb://127.0.0.1:{}/d",
    "dynamodb": "dynamodb://local?endpoint=http://127.0.0.1:{}",
}
MANY = b"A" * 65536
ROW = b"D\x80\0\0\0"
POSTGRES = b"R\0\0\0\x08\0\0\0\0K\0\0\0\x0c\0\0\0\1\0\0\0\2Z\0\0\0\5I"
HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def postgres(asked, first):
    if asked.endswith(b"\x04\xd2\x16\x2f"):
        return b"N"
    return POSTGRES if first else ROW + MANY


# What is answered to what was asked (b"" when the connection begins); the second argument says whether it
# is the first answer but for PostgreSQL's question for TLS. `None` ends the connection, an iterator goes on
# for ever. With it, whose answer it is.
SERVERS = {
    "silent": (lambda asked, first: b"", None),
    "closes": (lambda asked, first: None, None),
    "zeros": (lambda asked, first: forever(b"\0" * 65536), None),
    "letters": (lambda asked, first: forever(MANY), None),
    "lines": (lambda asked, first: forever(b"+" + MANY), None),
    "noise": (lambda asked, first: bytes(range(256)) * 16, None),
    "echo": (lambda asked, first: asked, None),
    "PostgreSQL, a row of 2 GB": (postgres, "postgres"),
    "Redis, a bulk of 2 GB": (lambda asked, first: forever(b"$2147483647\r\n" + MANY), "redis"),
    "MongoDB, a message of 2 GB": (lambda asked, first: b"\xff\xff\xff\x7f" + asked[4:8] * 2 + b"\xdd\7\0\0" + MANY,
                                   "mongodb"),
    "Cassandra, a frame of 2 GB": (lambda asked, first: b"\x84\0\0\0\6\x7f\xff\xff\xff" + MANY, "cassandra"),
    "Couchbase, a packet of 2 GB": (lambda asked, first: b"\x81\x1f" + b"\0" * 6 + b"\x7f\xff\xff\xff" + b"\0" * 12 + MANY,
                                    "couchbase"),
    "HTTP, a body without end": (lambda asked, first: forever(HTTP + b"\r\n" + MANY), "http"),
    "HTTP, headers without end": (lambda asked, first: forever(HTTP + b"X: " + MANY), "http"),
    "HTTP, 2 GB announced": (lambda asked, first: HTTP + b"Content-Length: 2147483647\r\n\r\n" + MANY, "http"),
    "HTTP, redirects": (lambda asked, first: b"HTTP/1.1 307 T\r\nLocation: /\r\nContent-Length: 0\r\n\r\n", "http"),
    "HTTP, 100 without end": (lambda asked, first: forever(b"HTTP/1.1 100 Continue\r\n\r\n" * 4000), "http"),
    "HTTP, nested": (lambda asked, first: HTTP + b"Content-Length: 2000000\r\n\r\n" + b"[" * 2000000, "http"),
    "SSH": (lambda asked, first: None if asked else b"SSH-2.0-OpenSSH_9.2\r\n", "ssh"),
    "MySQL": (lambda asked, first: None if asked else b"\x4a\0\0\0\x0a8.0.36\0" + b"\0" * 60, "mysql"),
}
HTTP_URLS = {"couchbase-analytics", "asterixdb", "dynamodb"}
# Drivers that take what they are told into memory: docs/security.md names them.
UNLIMITED = {("redis", "Redis, a bulk of 2 GB"), ("redis", "lines"), ("redis", "letters"), ("redis", "zeros"),
             ("rediss", "letters"), ("couchbase", "letters"), ("couchbase", "lines"),
             ("dynamodb", "HTTP, a body without end")}
# Those that answer another protocol's question as real servers of their kind do.
REAL = {"http", "ssh", "mysql"}
# Those that speak first.
GREET = {"ssh", "mysql"}


def forever(piece):
    while True:
        yield piece


def serve(answer, greets):
    """The port of a server that answers so, and a function that ends it."""

    def one(connection):
        first = True
        with connection:
            try:
                if greets:
                    connection.sendall(answer(b"", True))
                while asked := connection.recv(65536):
                    said = answer(asked, first)
                    if said is None:
                        return
                    first = first and said == b"N"
                    for piece in [said] if isinstance(said, bytes) else said:
                        connection.sendall(piece)
            except OSError:
                pass

    return serving(one)


def main():
    table = Table()
    word = (sys.argv[1:] or [""])[0]
    for server, (answer, kind) in SERVERS.items():
        for name, url in URLS.items():
            if word not in f"{server} | {name}":
                continue
            port, close = serve(answer, kind in GREET)
            result = run(["doctor", url.format(port)], limit=90,
                         variables={"PGPASSWORD": "a-secret", "CB_PASSWORD": "a-secret", "REDISCLI_AUTH": "a-secret",
                                    "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "a-secret"}.items())
            close()
            code, seconds, megabytes, said = result
            other = kind in REAL and not (kind == "http" and name in HTTP_URLS)
            tls = name == "rediss"
            wrong = None
            if "a-secret" in said:
                wrong = "it shows a password"
            elif code == 0:
                wrong = "it finds it sound"
            elif "hoap: " not in said:
                wrong = "no word of why"
            elif megabytes > 1000 and (name, server) not in UNLIMITED:
                wrong = "more than 1 GB"
            elif seconds > (2.5 if other and not tls else 35):
                wrong = "it takes long"
            table.line(f"{server} | {name}", result, wrong)
    table.end()


if __name__ == "__main__":
    main()
