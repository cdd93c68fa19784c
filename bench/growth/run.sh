#!/usr/bin/env bash
# How the cost of each step of work grows with the data: CPU-seconds, wall time, peak memory and bytes at several sizes,
# and the exponent of a power law fitted to each.
#
#   bench/growth/run.sh HOAP [FOLDER] [WAREHOUSES…]      # rows go to FOLDER/raw.tsv
#
# CH2++ without extra fields on SQLite: generation, load, `verify` of all documents, a run of a fixed number of
# transactions with the checks of what it touched, and its page; generation of YCSB's records, and YCSB on `null:`, at 100,000
# records a warehouse. Needs GNU time, and about 400 MB of disk a warehouse.
set -euo pipefail
hoap=$(realpath "$1")
folder=${2:-$(mktemp -d)}
shift $(($# < 2 ? $# : 2))
here=$(realpath "$(dirname "$0")")
mkdir -p "$folder"
cd "$folder"
[ $# -gt 0 ] || set -- 1 3 10 30 100
printf 'step\tsize\tbytes\twall_s\tcpu_s\tmemory_kb\n' >raw.tsv

# measured STEP SIZE BYTES COMMAND…
measured() {
    local step=$1 size=$2 bytes=$3
    shift 3
    /usr/bin/time -o time.txt -f '%e %U %S %M' "$@" >/dev/null 2>err.txt || { cat err.txt >&2; exit 1; }
    awk -v OFS='\t' -v step="$step" -v size="$size" -v bytes="$bytes" \
        '{ print step, size, bytes, $1, $2 + $3, $4 }' time.txt | tee -a raw.tsv
}
for w in "$@"; do
    data=(ch2pp -w "$w" --extra-fields 0)
    bytes=$("$hoap" load "${data[@]}" --target null: --dry-run --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["bytes"])')
    measured generate "$w" "$bytes" "$hoap" gen "${data[@]}" --stdout --collections customer,stock,orders
    rm -rf growth.db* run
    measured load "$w" "$bytes" "$hoap" load "${data[@]}" --target sqlite:growth.db
    measured verify "$w" "$bytes" "$hoap" verify ch2pp --target sqlite:growth.db
    measured "run, touched" "$w" "$bytes" "$hoap" run ch2pp --operational sqlite:growth.db --tx-clients 1 --query-clients 0 \
        --warmup 0s --operations 20000 --run-seed 1 --check touched --out run
    measured report "$w" "$bytes" "$hoap" report run -o page.html
    rm -rf growth.db* run
    records=$((w * 100000))
    measured "generate YCSB" "$w" "$((records * 1200))" "$hoap" gen ycsb -p recordcount=$records --stdout
    measured "YCSB on null:" "$w" "$((records * 1200))" "$hoap" run ycsb-a --target null: -p recordcount=$records \
        --clients 1 --operations 2000000 --warmup 0s --out run
    rm -rf run
done
python3 "$here/fit.py" raw.tsv
