#!/usr/bin/env bash
# What a client costs: Hoap on `null:` beside YCSB's own client on its BasicDB, which does as little.
# Workload A, a million records, the same number of operations, in turns; CPU-seconds of the whole
# process, start-up included. Figures are ratios of one machine at one time.
#
#   bench/harness/run.sh [FOLDER]
#
# Settings: OPERATIONS=10000000 ROUNDS=5 THREADS=2. Needs GNU time, Java and Maven (for the jar and what it
# depends on). Writes raw.tsv and prints the medians.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
repository=$(cd "$here/../.." && pwd)
target=${CARGO_TARGET_DIR:-$repository/target}
operations=${OPERATIONS:-10000000} rounds=${ROUNDS:-5} threads=${THREADS:-2}
folder=${1:-$(mktemp -d)}
mkdir -p "$folder"
raw=$folder/raw.tsv
printf 'round\tprogram\toperations\twall s\tuser s\tsystem s\tpeak kB\n' >"$raw"

cargo build --release --locked --manifest-path "$repository/Cargo.toml"
cat >"$folder/pom.xml" <<'POM'
<project><modelVersion>4.0.0</modelVersion>
<groupId>bench</groupId><artifactId>harness</artifactId><version>1</version>
<dependencies><dependency>
<groupId>site.ycsb</groupId><artifactId>core</artifactId><version>0.17.0</version>
</dependency></dependencies></project>
POM
mvn -q -B -f "$folder/pom.xml" dependency:copy-dependencies -DoutputDirectory="$folder/jars"

cat >"$folder/workload" <<PROPERTIES
workload=site.ycsb.workloads.CoreWorkload
recordcount=1000000
operationcount=$operations
readproportion=0.5
updateproportion=0.5
requestdistribution=zipfian
PROPERTIES

# measure NAME COMMAND…: one line of raw.tsv.
measure() {
    local name=$1
    shift
    /usr/bin/time -o "$folder/time" -f '%e\t%U\t%S\t%M' "$@" >/dev/null 2>&1
    printf '%s\t%s\t%s\t%s\n' "$round" "$name" "$operations" "$(cat "$folder/time")" | tee -a "$raw"
}

for round in $(seq "$rounds"); do
    rm -rf "$folder/run"
    measure hoap "$target/release/hoap" run ycsb-a --target null: -P "$folder/workload" \
        --clients "$threads" --warmup 1ms --out "$folder/run"
    measure ycsb java -cp "$folder/jars/*" site.ycsb.Client -t -db site.ycsb.BasicDB \
        -P "$folder/workload" -p basicdb.verbose=false -threads "$threads" \
        -p measurementtype=hdrhistogram
done

echo
echo "medians of $rounds rounds, CPU-seconds per million operations:"
for program in hoap ycsb; do
    awk -F'\t' -v p="$program" '$2 == p { print ($5 + $6) / $3 * 1e6 }' "$raw" | sort -g |
        awk -v p="$program" '{ v[NR] = $1 }
            END { m = v[int((NR + 1) / 2)]; printf "%s\t%.3f\t%.2f million a CPU-second\n", p, m, 1 / m }'
done
