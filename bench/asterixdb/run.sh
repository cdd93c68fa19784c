#!/usr/bin/env bash
# Hoap beside AsterixDB's own means: loading CH2++ (W = 1, no extra fields) beside LOAD of the same files, and a
# trivial query through a session beside a bare HTTP client. On an idle machine:
#   lab/up asterixdb; eval "$(lab/env)"; bench/asterixdb/run.sh
# HOAP names the program; the nodes must see TMPDIR.
set -euo pipefail
cd "$(dirname "$0")/../.."
url=${1:-${HOAP_TEST_ASTERIXDB:?lab/up asterixdb, then eval "\$(lab/env)"}}
hoap=${HOAP:-target/release/hoap}
base=${url%/*} host=${base#asterixdb://}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sqlpp() {
    local answer
    answer=$(curl -sS "http://$host/query/service" --data-urlencode "statement=$1")
    grep -q '"status": "success"' <<<"$answer" || { echo "$answer" >&2; return 1; }
}
now() { date +%s.%N; }

"$hoap" gen ch2pp -w 1 --extra-fields 0 -o "$work" >/dev/null
# LOAD wants the key inside of each document.
python3 - "$work" <<'P'
import json, pathlib, sys
keys = dict(warehouse=['w_id'], district=['d_w_id', 'd_id'], customer=['c_w_id', 'c_d_id', 'c_id'],
            history=['h_c_w_id', 'h_c_d_id', 'h_c_id'], orders=['o_w_id', 'o_d_id', 'o_id'],
            neworder=['no_w_id', 'no_d_id', 'no_o_id'], stock=['s_w_id', 's_i_id'], item=['i_id'],
            supplier=['su_suppkey'], nation=['n_nationkey'], region=['r_regionkey'])
for name, fields in keys.items():
    folder = pathlib.Path(sys.argv[1])
    with open(folder / f'{name}.adm', 'w') as out:
        for line in open(folder / f'{name}.ndjson'):
            d = json.loads(line)
            out.write('{"hoap_key":"%s",%s' % ('.'.join(str(d[f]) for f in fields), line[1:]))
P
collections="warehouse district customer history orders neworder stock item supplier nation region"
megabytes=$(($(cat "$work"/*.adm | wc -c) / 1000000))
for round in 1 2 3; do
    define="drop dataverse bench_load if exists; create dataverse bench_load; use bench_load;
        create type hoap_document as {hoap_key: string};"
    for c in $collections; do define+=" create dataset $c(hoap_document) primary key hoap_key;"; done
    sqlpp "$define"
    start=$(now)
    for c in $collections; do
        sqlpp "use bench_load; load dataset $c using localfs
            ((\"path\"=\"127.0.0.1://$work/$c.adm\"), (\"format\"=\"json\"));"
    done
    seconds=$(awk "BEGIN { print $(now) - $start }")
    echo "LOAD round $round: $megabytes MB in $seconds s"
    sqlpp "drop dataverse bench_load if exists"
    sqlpp "drop dataverse bench_hoap if exists"
    start=$(now)
    "$hoap" load ch2pp -w 1 --extra-fields 0 --target "$base/bench_hoap" >/dev/null
    seconds=$(awk "BEGIN { print $(now) - $start }")
    echo "hoap load round $round: $megabytes MB in $seconds s"
done
cargo run --quiet --release -p hoap-target --features asterixdb --example asterixdb_speed -- "$base/bench_hoap"
sqlpp "drop dataverse bench_hoap if exists"
