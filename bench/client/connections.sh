#!/usr/bin/env bash
# Many connections: `hoap run ycsb-c` with so many clients, each with a connection. The connections are counted from outside,
# by the kernel (ss) and, where there is one, by redis-cli; the client's CPU-seconds and its memory at its peak.
#
#   bench/client/connections.sh HOAP CLIENTS…
#
# On a Redis of its own, or on the database of TARGET. Settings: SECONDS_A_RUN=20 RECORDS=10000 OPTIONS="" (of the run). Needs
# GNU time, ss and jq, and a limit of open files (ulimit -n) above the number of clients, which it raises to the hard limit.
set -euo pipefail
hoap=$(realpath "$1") records=${RECORDS:-10000} seconds=${SECONDS_A_RUN:-20}
shift
ulimit -n "$(ulimit -Hn)"
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || { kill "$server"; wait "$server" || true; }; rm -r "$work"' EXIT
target=${TARGET:-}
if [ -z "$target" ]; then
    port=${PORT:-17391} target=redis://127.0.0.1:${PORT:-17391}
    redis-server --bind 127.0.0.1 --port "$port" --dir "$work" --save '' --appendonly no --maxclients 12000 >"$work/log" &
    server=$!
    until redis-cli -p "$port" ping >"$work/ping" 2>&1; do sleep 0.1; done
fi
# The last port of the URL, in its place or in its options.
port=$(sed 's/.*:\([0-9]\+\).*/\1/' <<<"$target")
said() { [ -z "$server" ] || redis-cli -p "$port" info clients | tr -d '\r' | sed -n 's/^connected_clients://p'; }
most() { awk -v a="$1" -v b="$2" 'BEGIN { print (a > b ? a : b) }'; }

"$hoap" load ycsb -p recordcount="$records" --replace --target "$target" >"$work/out" 2>&1 || { cat "$work/out"; exit 1; }
printf 'clients\tconnections\tby the server\tops/s\tp50 ms\tp99 ms\tfailed\tclient us/op\twall s\tpeak MB\n'
for clients in "$@"; do
    rm -rf "$work/run"
    # shellcheck disable=SC2086
    /usr/bin/time -o "$work/time" -f '%U %S %M %e' "$hoap" run ycsb-c -p recordcount="$records" --clients "$clients" --warmup 2s \
        --duration "${seconds}s" ${OPTIONS:-} --out "$work/run" --target "$target" >"$work/out" 2>&1 &
    running=$!
    seen=0 told=0
    while kill -0 $running 2>/dev/null; do
        seen=$(most $seen "$(ss -tnH state established "dport = :$port" | wc -l)") told=$(most $told "$(said)")
        sleep 0.5
    done
    wait $running || { cat "$work/out"; exit 1; }
    read -r user system peak wall <"$work/time"
    operations=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR > 1 { s += $at["count"] } END { print s }' "$work/run/samples.csv")
    jq -r --arg c "$clients" --arg s "$seen" --arg told "$told" --arg u "$user" --arg y "$system" --arg p "$peak" --arg w "$wall" \
        --arg o "$operations" '.steps[0].transactions[0] as $t
        | [$c, $s, $told, ($t.per_second | floor), $t.latency.p50_us / 1000, $t.latency.p99_us / 1000, ([$t.failures[]] | add // 0),
           ((($u | tonumber) + ($y | tonumber)) / ($o | tonumber) * 1e6 * 100 | floor / 100), $w, ($p | tonumber / 1024 | floor)] | @tsv' "$work/run/run.json"
done
