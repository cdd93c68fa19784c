#!/usr/bin/env bash
# What the checks around a CH2 run take: time and peak memory of a run of 30 s with --check off, touched and full,
# each on its own copy of the same data. What a level takes more than off is its check.
#
#   bench/check/run.sh HOAP [FOLDER] [WAREHOUSES…]
#
# Needs GNU time, and twice the size of the largest database on disk (about 150 MB a warehouse).
set -euo pipefail
hoap=$(realpath "$1")
folder=${2:-$(mktemp -d)}
shift $(($# < 2 ? $# : 2))
mkdir -p "$folder"
cd "$folder"
[ $# -gt 0 ] || set -- 10 30
for w in "$@"; do
    rm -rf base.db* copy.db*
    "$hoap" load ch2 -w "$w" --target sqlite:base.db >load.txt 2>&1
    ls -l base.db
    for level in off touched full; do
        rm -rf copy.db* "run-$w-$level"
        cp base.db copy.db
        /usr/bin/time -f "W $w, $level: %e s, %U s user, %S s system, %M kB" "$hoap" run ch2 \
            --operational sqlite:copy.db --tx-clients 4 --query-clients 0 --warmup 0s --duration 30s \
            --run-seed 1 --check "$level" --out "run-$w-$level" 2>err.txt >out.txt || cat err.txt
        grep -E "^W |checking the data" err.txt
        grep -E "^(before|after) the run|UNCHECKED" out.txt || true
    done
done
