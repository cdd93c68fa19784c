#!/usr/bin/env bash
# How the cost of each step of work grows with the data: CPU-seconds, wall time, peak memory and bytes at several sizes,
# and the exponent of a power law fitted to each.
#
#   bench/growth/run.sh HOAP FOLDER [WAREHOUSES…]      # rows go to FOLDER/raw.tsv, the fit to FOLDER/fit.txt
#
# CH2++ without extra fields on SQLite, and on PostgreSQL where POSTGRES has its URL: load, `verify` of all documents, a run of
# a fixed number of transactions with the checks of what it touched, and its page; generation without a database; YCSB's
# records, 100,000 a warehouse, made, in files, and under YCSB A on `null:`. SQLite's cache is small, so that memory is
# Hoap's. CPU and memory are of the process `hoap`, in which SQLite runs. RECORDS has further numbers of YCSB's records,
# without files. Needs GNU time, and for each database about 250 MB of disk a warehouse.
set -euo pipefail
hoap=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
shift 2
here=$(realpath "$(dirname "$0")")
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
# database NAME URL WAREHOUSES BYTES: whole, from the load to the page
database() {
    local name=$1 url=$2 w=$3 bytes=$4
    # Data of another seed has no answers on record: `verify` runs no queries at any size.
    measured "load, $name" "$w" "$bytes" "$hoap" load ch2pp -w "$w" --extra-fields 0 --seed 2 --target "$url" --replace
    measured "verify, $name" "$w" "$bytes" "$hoap" verify ch2pp --target "$url"
    rm -rf run
    measured "run, $name" "$w" "$bytes" "$hoap" run ch2pp --operational "$url" --tx-clients 1 --query-clients 0 \
        --warmup 0s --operations 20000 --run-seed 1 --check touched --out run
    measured "report, $name" "$w" "$bytes" "$hoap" report run -o page.html
}
# records COUNT: of YCSB
records() {
    measured "generate, YCSB" "$1" "$(($1 * 1200))" "$hoap" gen ycsb -p recordcount="$1" --stdout
    rm -rf run
    measured "YCSB A, null:" "$1" "$(($1 * 1200))" "$hoap" run ycsb-a --target null: -p recordcount="$1" \
        --clients 1 --operations 2000000 --warmup 0s --out run
}
for w in "$@"; do
    bytes=$("$hoap" load ch2pp -w "$w" --extra-fields 0 --seed 2 --target null: --dry-run --json |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["bytes"])')
    measured generate "$w" "$bytes" "$hoap" gen ch2pp -w "$w" --extra-fields 0 --seed 2 --stdout \
        --collections customer,stock,orders
    database SQLite 'sqlite:growth.db?cache_mb=32' "$w" "$bytes"
    rm -f growth.db*
    [ -z "${POSTGRES:-}" ] || database PostgreSQL "$POSTGRES" "$w" "$bytes"
    records $((w * 100000))
    measured "files, YCSB" $((w * 100000)) $((w * 120000000)) "$hoap" gen ycsb -p recordcount=$((w * 100000)) --out ycsb
    rm -rf ycsb
done
for count in ${RECORDS:-}; do
    records "$count"
done
rm -rf run
python3 "$here/fit.py" raw.tsv | tee fit.txt
