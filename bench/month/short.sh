# Sourced by the benches that make long runs of a short one, with their folder as "$1": builds $hoap, goes to the
# folder and makes the run `short` in it.
# shellcheck shell=bash
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
hoap=${CARGO_TARGET_DIR:-$repository/target}/release/hoap
folder=${1:-$(mktemp -d)}
mkdir -p "$folder"
cargo build --release --locked --manifest-path "$repository/Cargo.toml"
cd "$folder"
[ -d short ] || {
    "$hoap" load ycsb --target sqlite:records.db -p recordcount=10000
    "$hoap" run ycsb-a --target sqlite:records.db --rate 100 --clients 2 --warmup 1s --duration 60s --out short
}
