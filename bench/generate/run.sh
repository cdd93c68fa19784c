#!/usr/bin/env bash
# Speed of `hoap gen` beside `tpchgen-cli` (a fast generator of another benchmark) and beside `cat` of
# the same bytes on the same disk. Paired: every round runs each program, so that what else the machine
# does hits all of them alike.
#
#   bench/generate/run.sh [FOLDER]
#
# FOLDER, by default a new one under $TMPDIR, is where files are written: name one on the disk to be
# measured. Settings from the environment: WAREHOUSES=5 (2 GB of NDJSON), ROUNDS=5, THREADS=2, LARGE=100
# (warehouses of the runs that show that speed and memory do not depend on size; 0 leaves them out).
#
# Writes FOLDER/raw.tsv, a line for each run, and prints the table that summary.py makes of it. Needs GNU time.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
repository=$(cd "$here/../.." && pwd)
target=${CARGO_TARGET_DIR:-$repository/target}
warehouses=${WAREHOUSES:-5} rounds=${ROUNDS:-5} threads=${THREADS:-2} large=${LARGE:-100}
folder=${1:-$(mktemp -d)}
mkdir -p "$folder"
raw=$folder/raw.tsv

cargo build --release --locked --features parquet --manifest-path "$repository/Cargo.toml"
hoap=$target/release/hoap
tpchgen=${TPCHGEN:-}
if [ -z "$tpchgen" ]; then
    cargo install tpchgen-cli --version 4.0.0 --locked --root "$folder/tpchgen"
    tpchgen=$folder/tpchgen/bin/tpchgen-cli
fi

# measure NAME BYTES COMMAND…: one line of raw.tsv. BYTES is the NDJSON that the run stands for, a
# number or the word "out" for the bytes in $folder/out.
measure() {
    local name=$1 bytes=$2
    shift 2
    /usr/bin/time -o "$folder/time" -f '%e\t%U\t%S\t%M' "$@" >"${sink:-/dev/null}" 2>/dev/null
    if [ "$bytes" = out ]; then bytes=$(du -sb "$folder/out" | cut -f1); fi
    printf '%s\t%s\t%s\t%s\n' "$round" "$name" "$bytes" "$(cat "$folder/time")" | tee -a "$raw"
}

clean() { rm -rf "$folder/out" "$folder/copy"; sync; }

# Before a run that is compared with another: memory for the page cache that was just in use, which on
# a virtual machine costs much less than memory that was not.
warm() { clean; cat "$folder"/source/*.ndjson >"$folder/copy"; clean; }

files() {
    warm
    measure "ch2pp ndjson, files" "$all" \
        "$hoap" gen ch2pp -w "$warehouses" -o "$folder/out" --threads "$threads"
}

cats() {
    warm
    sink=$folder/copy measure "cat of the same" "$all" cat "$folder"/source/*.ndjson
}

{
    echo "# $(uname -srm), $(nproc) cores, $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1)"
    echo "# $("$hoap" --version), $("$tpchgen" --version), W = $warehouses, threads = $threads"
    printf 'round\twhat\tbytes\twall\tuser\tsystem\tpeak_kb\n'
} >"$raw"

"$hoap" gen ch2pp -w "$warehouses" -o "$folder/source" --replace >/dev/null
all=$(cat "$folder"/source/*.ndjson | wc -c)
flat=$("$hoap" gen ch2 -w "$warehouses" --stdout | wc -c)
# The collections that grow with W, so that one and a hundred warehouses are the same mixture.
growing=warehouse,district,customer,history,orders,neworder,stock
few=10
small_bytes=$("$hoap" gen ch2pp -w "$few" --stdout --collections "$growing" | wc -c)
if [ "$large" -gt 0 ]; then
    large_bytes=$("$hoap" gen ch2pp -w "$large" --stdout --collections "$growing" | wc -c)
fi

for round in $(seq "$rounds"); do
    # What each costs where writing costs nothing, by one thread.
    measure "ch2pp ndjson, nowhere, 1 thread" "$all" \
        "$hoap" gen ch2pp -w "$warehouses" --stdout --threads 1
    measure "ch2 ndjson, nowhere, 1 thread" "$flat" \
        "$hoap" gen ch2 -w "$warehouses" --stdout --threads 1
    bytes=$("$tpchgen" csv -s 1 --stdout --num-threads 1 2>/dev/null | wc -c)
    measure "tpchgen-cli csv, nowhere, 1 thread" "$bytes" \
        "$tpchgen" csv -s 1 --stdout --num-threads 1

    # To files, by turns: the system's copying into the page cache varies most.
    for _ in 1 2 3 4; do cats; files; done
    clean
    measure "tpchgen-cli csv, files" out \
        "$tpchgen" csv -s 1 --output-dir "$folder/out" --num-threads "$threads"
    clean
    measure "ch2pp csv, files" out \
        "$hoap" gen ch2pp -w "$warehouses" --format csv --schema flat -o "$folder/out" --threads "$threads"
    for codec in gzip zstd; do
        clean
        measure "ch2pp ndjson $codec, files" "$all" "$hoap" gen ch2pp -w "$warehouses" \
            --compress "$codec" -o "$folder/out" --threads "$threads"
    done
    for codec in none snappy zstd; do
        clean
        measure "ch2pp parquet $codec, files" "$all" "$hoap" gen ch2pp -w "$warehouses" \
            --format parquet --compress "$codec" -o "$folder/out" --threads "$threads"
    done
    clean
    measure "tpchgen-cli parquet, files" "$bytes" \
        "$tpchgen" parquet -s 1 --output-dir "$folder/out" --num-threads "$threads"
    clean

    # Size changes neither speed nor memory.
    if [ "$large" -gt 0 ]; then
        measure "ch2pp ndjson W=$few, nowhere" "$small_bytes" \
            "$hoap" gen ch2pp -w "$few" --stdout --collections "$growing" --threads "$threads"
        measure "ch2pp ndjson W=$large, nowhere" "$large_bytes" \
            "$hoap" gen ch2pp -w "$large" --stdout --collections "$growing" --threads "$threads"
    fi
done
if [ "$large" -gt 0 ]; then
    # A twentieth of a large data set as Parquet: its row groups are as large as those of the whole.
    round=1
    measure "ch2pp parquet W=$large part 1/20, files" $((large_bytes / 20)) \
        "$hoap" gen ch2pp -w "$large" --format parquet --collections "$growing" --part 1/20 \
        -o "$folder/out" --threads "$threads"
    clean
fi
rm -rf "$folder/source" "$folder/time"
python3 "$here/summary.py" "$raw"
