#!/usr/bin/env python3
"""CPU seconds that DuckDB itself takes to write the tables of a loaded file into another one.

usage: write.py LIBDUCKDB.SO FILE.duckdb NEW.duckdb [COMPRESSION ...]

The tables are first copied into memory, then each is written by one thread, with DuckDB's own choice of
compression and with each that is named (`force_compression`)."""

import ctypes
import os
import resource
import sys

if len(sys.argv) < 4:
    sys.exit(__doc__)
library, file, new = sys.argv[1:4]
duckdb = ctypes.CDLL(library)
duckdb.duckdb_result_error.restype = ctypes.c_char_p
database, connection = ctypes.c_void_p(), ctypes.c_void_p()
assert duckdb.duckdb_open(None, ctypes.byref(database)) == 0
assert duckdb.duckdb_connect(database, ctypes.byref(connection)) == 0


def run(text):
    result = (ctypes.c_char * 128)()
    if duckdb.duckdb_query(connection, text.encode(), ctypes.byref(result)):
        sys.exit(f"{text}: {duckdb.duckdb_result_error(ctypes.byref(result)).decode()}")
    duckdb.duckdb_destroy_result(ctypes.byref(result))


def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


TABLES = ["customer", "history", "orders", "stock", "item", "supplier"]
run("SET threads = 1")
run(f"ATTACH '{file}' AS loaded (READ_ONLY)")
for table in TABLES:
    run(f"CREATE TABLE {table} AS SELECT * FROM loaded.{table}")
for compression in ["auto"] + sys.argv[4:]:
    if os.path.exists(new):
        os.remove(new)
    run(f"SET force_compression = '{compression}'")
    run(f"ATTACH '{new}' AS new")
    before = cpu()
    for table in TABLES:
        run(f"CREATE TABLE new.{table} AS SELECT * FROM {table}")
        run("CHECKPOINT new")
    seconds = cpu() - before
    run("DETACH new")
    print(f"{compression}: {seconds:.2f} CPU s, {os.path.getsize(new) / 1e6:.0f} MB")
