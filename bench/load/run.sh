#!/usr/bin/env bash
# Loads with hoap, and the same bytes with the database's own loader, in turns: wall time and CPU-seconds of the
# client (user and system), medians, and the ratios hoap : loader.
#
# hoap makes its documents and keeps its progress. The loader reads a file, in a format of its own, that somebody made
# before. So a third side is the making alone, `hoap gen` of the same documents by one thread into /dev/null, and the
# last ratio is that of hoap to the loader and the making together.
#
#   bench/load/run.sh HOAP [ROUNDS]
#
# PostgreSQL, where HOAP_TEST_POSTGRES names a database: CH2++ (W = 1, no extra fields) against psql's \copy into
# tables of the same columns, one after the other, then the same indexes, VACUUM (ANALYZE) and, where the user may,
# CHECKPOINT. Once without TLS, and once with it where HOAP_TEST_POSTGRES_CA says that the server has it. Schemas
# hoap_load_speed and psql_load_speed are made and dropped in it.
# Redis, where HOAP_TEST_REDIS names a server: 200,000 records of YCSB against `redis-cli --pipe` of the same HSET and
# ZADD. Everything on the server with the prefixes hoap-speed and pipe-speed is removed; it needs python3.
# eval "$(lab/env)" sets both.
set -euo pipefail
hoap=$(realpath "$1") rounds=${2:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# measured NAME COMMAND…: adds a line "wall user+system" to the times of NAME.
measured() {
    local name=$1 TIMEFORMAT='%R %U %S'
    shift
    { time "$@" >"$work/out" 2>"$work/err"; } 2>"$work/time" || { cat "$work/out" "$work/err"; exit 1; }
    awk '{ printf "%.3f %.3f\n", $1, $2 + $3 }' "$work/time" | tee -a "$work/$name" | sed "s/^/  $name /"
}
median() { cut -d' ' -f"$2" "$work/$1" | sort -n | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }
# ratios OURS LOADER MAKING: of the pair, after its rounds.
ratios() {
    local names=(wall CPU) ours theirs n
    for n in 1 2; do
        ours=$(median "$1" $n) theirs=$(median "$2" $n)
        awk -v a="$ours" -v b="$theirs" -v what="${names[n - 1]}" -v x="$1" -v y="$2" \
            'BEGIN { printf "%s: %s %.3f s, %s %.3f s, ratio %.2f\n", what, x, a, y, b, a / b }'
    done
    awk -v a="$ours" -v b="$theirs" -v c="$(median "$3" 2)" -v x="$1" -v y="$2" -v z="$3" \
        'BEGIN { printf "CPU: %s %.3f s, %s and %s %.3f s, ratio %.2f\n", x, a, y, z, b + c, a / (b + c) }'
}

# postgres URL SUFFIX: the names of its sides end with the suffix.
postgres() {
    local url=$1 as=$2 t indexes bytes
    local data=(ch2pp -w 1 --extra-fields 0)
    export PGOPTIONS='-c client_min_messages=warning'
    query() { psql -XAtq -v ON_ERROR_STOP=1 "$url" "$@"; }
    local load=("$hoap" load "${data[@]}" --replace --target "$url&schema=hoap_load_speed")
    making() { "$hoap" gen "${data[@]}" --threads 1 --stdout >/dev/null; }
    # The key of each document in front of its text, in the format of COPY, from a load by hoap.
    "${load[@]}" >/dev/null 2>&1
    tables=$(query -c "select tablename from pg_tables where schemaname = 'hoap_load_speed' and tablename !~ '^hoap_' order by 1")
    for t in $tables; do query -c "\\copy hoap_load_speed.$t to '$work/$t.copy'"; done
    query -c "select replace(indexdef, 'hoap_load_speed.', 'psql_load_speed.') || ';' from pg_indexes
              where schemaname = 'hoap_load_speed' and tablename !~ '^hoap_' and indexname !~ '_pkey\$'" >"$work/indexes.sql"
    for t in $tables; do
        echo "create table psql_load_speed.$t (key text collate \"C\" primary key, doc jsonb not null);"
        echo "\\copy psql_load_speed.$t from '$work/$t.copy'"
    done >"$work/copy.sql"
    cat "$work/indexes.sql" >>"$work/copy.sql"
    for t in $tables; do echo "vacuum (analyze) psql_load_speed.$t;"; done >>"$work/copy.sql"
    # Where the user may, as hoap does.
    if query -c checkpoint 2>/dev/null; then echo "checkpoint;" >>"$work/copy.sql"; fi
    bytes=$(cat "$work"/*.copy | wc -c)
    echo "PostgreSQL${as/-/, }: CH2++, $((bytes / 1000000)) MB in the format of COPY"
    for ((i = 0; i < rounds; i++)); do
        query -c 'drop schema if exists psql_load_speed cascade' -c 'create schema psql_load_speed'
        measured "making$as" making
        measured "psql$as" psql -XAtq -v ON_ERROR_STOP=1 "$url" -f "$work/copy.sql"
        query -c 'drop schema if exists hoap_load_speed cascade'
        measured "hoap-1$as" "${load[@]}" --load-clients 1
        query -c 'drop schema if exists hoap_load_speed cascade'
        measured "hoap-auto$as" "${load[@]}"
        grep -o 'by [0-9]* client.*' "$work/out" | sed 's/^/    /'
    done
    ratios "hoap-1$as" "psql$as" "making$as"
    ratios "hoap-auto$as" "psql$as" "making$as"
    query -c 'drop schema if exists hoap_load_speed cascade' -c 'drop schema if exists psql_load_speed cascade'
    rm -f "$work"/*.copy
}

redis() {
    local url=$1
    local data=(ycsb -p recordcount=200000)
    making() { "$hoap" gen "${data[@]}" --threads 1 --stdout >/dev/null; }
    ask() { redis-cli -u "$url" "$@" >/dev/null; }
    empty() { redis-cli -u "$url" --scan --pattern "$1[.:]*" | xargs -r -n 1000 redis-cli -u "$url" unlink >/dev/null; }
    "$hoap" load "${data[@]}" --replace --target "$url?prefix=hoap-speed" >/dev/null 2>&1
    # What hoap wrote, as commands: its keys and fields are read back.
    python3 - "$url" "$work/commands" <<'PY'
import subprocess, sys
url, out = sys.argv[1:]
def ask(*words):
    text = subprocess.run(["redis-cli", "-u", url, *words], capture_output=True, check=True).stdout
    return text.decode().splitlines()
keys = ask("zrange", "hoap-speed.keys:usertable", "0", "-1")
def command(*words):
    words = [w.encode() for w in words]
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words)
with open(out, "wb") as file:
    for at in range(0, len(keys), 2000):
        some = keys[at:at + 2000]
        text = "".join(f"hgetall hoap-speed:usertable:{k}\n" for k in some)
        got = subprocess.run(["redis-cli", "-u", url], input=text.encode(), capture_output=True, check=True)
        values = got.stdout.decode().split("\n")
        size = (len(values) - 1) // len(some)
        for n, key in enumerate(some):
            file.write(command("HSET", f"pipe-speed:usertable:{key}", *values[n * size:(n + 1) * size]))
            file.write(command("ZADD", "pipe-speed.keys:usertable", "0", key))
PY
    echo "Redis: YCSB, $(($(wc -c <"$work/commands") / 1000000)) MB of commands"
    pipe() { redis-cli -u "$url" --pipe <"$work/commands"; }
    for ((i = 0; i < rounds; i++)); do
        measured making-redis making
        empty pipe-speed
        measured pipe pipe
        empty hoap-speed
        measured hoap-redis-1 "$hoap" load "${data[@]}" --target "$url?prefix=hoap-speed" --load-clients 1
        empty hoap-speed
        measured hoap-redis-auto "$hoap" load "${data[@]}" --target "$url?prefix=hoap-speed"
        grep -o 'by [0-9]* client.*' "$work/out" | sed 's/^/    /'
    done
    ratios hoap-redis-1 pipe making-redis
    ratios hoap-redis-auto pipe making-redis
    empty pipe-speed
    empty hoap-speed
}

if [ -n "${HOAP_TEST_POSTGRES:-}" ]; then
    postgres "$HOAP_TEST_POSTGRES?sslmode=disable" ""
    [ -z "${HOAP_TEST_POSTGRES_CA:-}" ] || postgres "$HOAP_TEST_POSTGRES?sslmode=require" -TLS
else
    echo "no HOAP_TEST_POSTGRES: left out"
fi
if [ -n "${HOAP_TEST_REDIS:-}" ]; then redis "$HOAP_TEST_REDIS"; else echo "no HOAP_TEST_REDIS: left out"; fi
