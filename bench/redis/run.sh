#!/usr/bin/env bash
# What a client of Redis costs: many clients of `hoap run ycsb-c` on a server of its own; CPU-seconds of client and
# server, and the client's memory at its peak.
#
#   bench/redis/run.sh [CLIENTS…]
#
# Settings: SECONDS_A_RUN=10 RECORDS=100000 HOAP=path. Needs GNU time, redis-server and redis-cli, and a limit of open files
# above the number of clients (ulimit -n).
set -euo pipefail
repository=$(cd "$(dirname "$0")/../.." && pwd)
hoap=${HOAP:-${CARGO_TARGET_DIR:-$repository/target}/release/hoap}
records=${RECORDS:-100000} seconds=${SECONDS_A_RUN:-10}
[ $# -gt 0 ] || set -- 1 50 2000
folder=$(mktemp -d)
port=${PORT:-17391}
redis-server --bind 127.0.0.1 --port "$port" --dir "$folder" --save '' --appendonly no >"$folder/log" &
server=$!
trap 'kill $server; wait $server || true; rm -r "$folder"' EXIT
until redis-cli -p "$port" ping >"$folder/ping" 2>&1; do sleep 0.1; done
server_cpu() { redis-cli -p "$port" info cpu | tr -d '\r' | awk -F: '/^used_cpu_(sys|user):/ { s += $2 } END { print s }'; }

"$hoap" load ycsb -p recordcount="$records" --target "redis://127.0.0.1:$port" >"$folder/load"
printf 'clients\tpipeline\toperations\tclient CPU s\tserver CPU s\tclient us/op\tserver us/op\tpeak MB\n'
for clients in "$@"; do
    for pipeline in 1 50; do
        before=$(server_cpu)
        /usr/bin/time -o "$folder/time" -f '%U %S %M' "$hoap" run ycsb-c -p recordcount="$records" --clients "$clients" \
            --warmup 1s --duration "${seconds}s" --out "$folder/run-$clients-$pipeline" \
            --target "redis://127.0.0.1:$port?pipeline=$pipeline" >"$folder/out"
        after=$(server_cpu)
        operations=$(redis-cli -p "$port" info commandstats | tr -d '\r' | sed -n 's/^cmdstat_hmget:calls=\([0-9]*\),.*/\1/p')
        redis-cli -p "$port" config resetstat >"$folder/reset"
        read -r user system peak <"$folder/time"
        awk -v c="$clients" -v p="$pipeline" -v o="$operations" -v u="$user" -v s="$system" -v a="$after" -v b="$before" -v k="$peak" \
            'BEGIN { cpu = u + s; srv = a - b; printf "%d\t%d\t%d\t%.2f\t%.2f\t%.2f\t%.2f\t%.0f\n", c, p, o, cpu, srv, cpu / o * 1e6, srv / o * 1e6, k / 1024 }'
    done
done
