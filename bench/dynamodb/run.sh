#!/usr/bin/env bash
# What a client of DynamoDB costs: many clients of `hoap run ycsb-c` and `ycsb-a` on the lab's DynamoDB Local;
# CPU-seconds of client and server, and the client's memory at its peak.
#
#   bench/dynamodb/run.sh [CLIENTS…]
#
# Settings: SECONDS_A_RUN=10 RECORDS=10000 HOAP=path. Needs GNU time and what `lab/up dynamodb` needs, and a limit of open
# files above the number of clients (ulimit -n).
set -euo pipefail
repository=$(cd "$(dirname "$0")/../.." && pwd)
hoap=${HOAP:-${CARGO_TARGET_DIR:-$repository/target}/release/hoap}
records=${RECORDS:-10000} seconds=${SECONDS_A_RUN:-10}
[ $# -gt 0 ] || set -- 1 50 1000
folder=$(mktemp -d)
export LAB_RUN=$folder/lab
# Any credentials will do.
export AWS_ACCESS_KEY_ID=bench AWS_SECRET_ACCESS_KEY=bench
trap '"$repository/lab/down"; rm -r "$folder"' EXIT
"$repository/lab/up" dynamodb >"$folder/up"
url=$(cat "$LAB_RUN/dynamodb/url")
server=$(head -n 1 "$LAB_RUN/dynamodb/pid" | cut -d ' ' -f 1)
ticks=$(getconf CLK_TCK)
server_cpu() { sed 's/.*) //' "/proc/$server/stat" | awk -v t="$ticks" '{ print ($12 + $13) / t }'; }

"$hoap" load ycsb -p recordcount="$records" --target "$url" >"$folder/load"
printf 'workload\tclients\toperations\tclient CPU s\tserver CPU s\tclient us/op\tserver us/op\tpeak MB\n'
for workload in ycsb-c ycsb-a; do
    for clients in "$@"; do
        before=$(server_cpu)
        /usr/bin/time -o "$folder/time" -f '%U %S %M' "$hoap" run "$workload" -p recordcount="$records" \
            --clients "$clients" --warmup 2s --duration "${seconds}s" --out "$folder/$workload-$clients" \
            --target "$url" >"$folder/out"
        after=$(server_cpu)
        # samples.csv has the warm-up too, as the CPU-seconds do.
        operations=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR > 1 { s += $at["count"] } END { print s }' \
            "$folder/$workload-$clients/samples.csv")
        read -r user system peak <"$folder/time"
        awk -v w="$workload" -v c="$clients" -v o="$operations" -v u="$user" -v s="$system" -v a="$after" -v b="$before" -v k="$peak" \
            'BEGIN { cpu = u + s; srv = a - b; printf "%s\t%d\t%d\t%.2f\t%.2f\t%.2f\t%.2f\t%.0f\n", w, c, o, cpu, srv, cpu / o * 1e6, srv / o * 1e6, k / 1024 }'
    done
done
