#!/usr/bin/env bash
# Drivers that meet, on one machine: their rate, how far apart they begin, and what a fault does to the run.
#
#   bench/fleet/run.sh [FOLDER]
#
# Needs Python with hdrhistogram, and faketime. About ten minutes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
repository=$(cd "$here/../.." && pwd)
hoap=${CARGO_TARGET_DIR:-$repository/target}/release/hoap
folder=${1:-$(mktemp -d)}
mkdir -p "$folder"
cargo build --release --locked --manifest-path "$repository/Cargo.toml"
python3 "$here/fleet.py" "$hoap" "$folder" rates | tee "$folder/rates.tsv"
python3 "$here/fleet.py" "$hoap" "$folder" skew 20 | tee "$folder/skew.tsv"
python3 "$here/fleet.py" "$hoap" "$folder" faults 100 | tee "$folder/faults.tsv"
