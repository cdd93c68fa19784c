#!/usr/bin/env bash
# What a client of Cassandra costs: `hoap run ycsb-c` and `ycsb-a` beside latte on the same server; CPU-seconds of the
# client an operation, and its memory at its peak.
#
#   bench/cassandra/run.sh HOST:PORT [CLIENTS…]
#
# Both have a thread for each core that they may use: with `taskset -c 0` in front, one.
# Settings: SECONDS_A_RUN=30 RECORDS=100000 HOAP=path LATTE=path. Needs GNU time, jq and latte (cargo install --locked
# latte-cli@0.29.0); without latte its lines are left out. Keyspaces `hoap_bench` and `latte` are made and stay.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
repository=$(cd "$here/../.." && pwd)
hoap=${HOAP:-${CARGO_TARGET_DIR:-$repository/target}/release/hoap}
latte=${LATTE:-latte}
threads=$(nproc)
records=${RECORDS:-100000} seconds=${SECONDS_A_RUN:-30}
node=${1:?"usage: bench/cassandra/run.sh HOST:PORT [CLIENTS…]"}
shift
[ $# -gt 0 ] || set -- 1 100 1000
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
url="cassandra://$node/hoap_bench?read_consistency=local_quorum&write_consistency=local_quorum"

# line WHO WORKLOAD CLIENTS OPERATIONS: from what GNU time wrote
line() {
    local user system peak
    read -r user system peak <"$folder/time"
    awk -v w="$1" -v k="$2" -v c="$3" -v o="$4" -v u="$user" -v s="$system" -v m="$peak" \
        'BEGIN { printf "%s\t%s\t%d\t%d\t%.2f\t%.2f\t%.0f\n", w, k, c, o, u + s, (u + s) / o * 1e6, m / 1024 }'
}
timed() { /usr/bin/time -o "$folder/time" -f '%U %S %M' "$@" >"$folder/out"; }

# Uniform keys as latte's, one field written as in its script. Operations are those of the whole run, warm-up included in
# the CPU-seconds of both and counted in neither: a second of thirty.
"$hoap" load ycsb -p recordcount="$records" --replace --target "$url" >"$folder/load"
with_latte=$(command -v "$latte" || true)
if [ -n "$with_latte" ]; then
    "$latte" schema "$here/ycsb.rn" "$node"
    "$latte" load -q -P rows="$records" "$here/ycsb.rn" "$node" >"$folder/load"
fi
printf 'client\tworkload\tclients\toperations\tclient CPU s\tclient us/op\tpeak MB\n'
for clients in "$@"; do
    for workload in c a; do
        out="$folder/$workload-$clients"
        timed "$hoap" run "ycsb-$workload" -p requestdistribution=uniform --clients "$clients" --warmup 1s \
            --duration "${seconds}s" --out "$out" --target "$url"
        line hoap "$workload" "$clients" "$(jq '[.steps[].transactions[].count] | add' "$out/run.json")"
        [ -n "$with_latte" ] || continue
        functions='read'
        [ $workload = c ] || functions=read:1,update:1
        timed "$latte" run -q -P rows="$records" -f "$functions" -p "$((clients > threads ? clients / threads : 1))" -t "$threads" -w 1s -d "${seconds}s" \
            --retries 0 -o "$folder/latte-$workload-$clients.json" "$here/ycsb.rn" "$node"
        line latte "$workload" "$clients" "$(jq '.result.cycle_count' "$folder/latte-$workload-$clients.json")"
    done
done
