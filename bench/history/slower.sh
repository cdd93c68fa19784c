#!/usr/bin/env bash
# 40 runs of 1,000 operations, from the 25th on on a store whose answers take 6 % longer, and what `hoap history check`
# says of them: slower.sh HOAP. Fails unless it names c24 as the first slower one for the median response time.
set -euo pipefail

hoap=$(realpath -- "$1")
place=$(mktemp -d)
trap 'rm -r -- "$place"' EXIT
cd "$place"
for n in $(seq 0 39); do
    # The last 2 ms of an answer are spun: of shorter ones four clients would want two processors whole.
    latency=8000
    [ "$n" -lt 24 ] || latency=8480
    "$hoap" run ycsb-c --target "null:?latency_us=$latency" -p recordcount=1000 --clients 4 --operations 1000 \
        --warmup 100ms --label "commit=c$n" --out "runs/$n" --quiet >run.txt
done
"$hoap" history add runs/* --dir history --quiet >added.txt
"$hoap" history check --dir history | tee check.txt || [ "${PIPESTATUS[0]}" = 1 ]
grep --quiet 'p50 of READ: between c23 and c24, +' check.txt
