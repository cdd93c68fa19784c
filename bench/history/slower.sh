#!/usr/bin/env bash
# 40 runs of 2,000 operations, from the 25th on on a store whose answers take 6 % longer, and what `hoap history check`
# says of them: slower.sh HOAP. Fails unless it names c24 as the first slower one for the median response time.
set -euo pipefail

hoap=$(realpath -- "$1")
place=$(mktemp -d)
trap 'rm -r -- "$place"' EXIT
cd "$place"
for n in $(seq 0 39); do
    latency=2000
    [ "$n" -lt 24 ] || latency=2120
    "$hoap" run ycsb-c --target "null:?latency_us=$latency" -p recordcount=1000 --clients 4 --operations 2000 \
        --warmup 100ms --label "commit=c$n" --out "runs/$n" --quiet >run.txt
done
"$hoap" history add runs/* --dir history --quiet >added.txt
"$hoap" history check --dir history | tee check.txt || [ "${PIPESTATUS[0]}" = 1 ]
grep --quiet 'p50 of READ: between c23 and c24, +' check.txt
