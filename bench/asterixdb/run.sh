#!/usr/bin/env bash
# Hoap beside AsterixDB's own means: loading CH2++ (W = 1, no extra fields), by files and in batches, beside LOAD of
# the same files, and a trivial query through a session beside a bare HTTP client. On an idle machine:
#   lab/up asterixdb; eval "$(lab/env)"; bench/asterixdb/run.sh
# HOAP names the program, PIDS a file with the cluster's processes, whose CPU time is told then; the nodes must see
# TMPDIR. ROUNDS (3) of each load.
set -euo pipefail
cd "$(dirname "$0")/../.."
url=${1:-${HOAP_TEST_ASTERIXDB:?lab/up asterixdb, then eval "\$(lab/env)"}}
hoap=${HOAP:-target/release/hoap}
base=${url%/*} host=${base#asterixdb://}
work=$(mktemp -d)
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT
sqlpp() {
    local answer
    answer=$(curl -sS "http://$host/query/service" --data-urlencode "statement=$1")
    grep -q '"status": "success"' <<<"$answer" || { echo "$answer" >&2; return 1; }
}
now() { date +%s.%N; }
# CPU seconds of the cluster, and of what this shell has run.
cpu() {
    local ticks
    ticks=$(for p in $(cat "${PIDS:-/dev/null}"); do sed 's/.*) //' "/proc/$p/stat"; done | awk '{ t += $12 + $13 } END { print t + 0 }')
    awk "BEGIN { print $ticks / $(getconf CLK_TCK) }"
}
# measured NAME COMMAND…: megabytes, seconds by the clock, and CPU seconds of the cluster
measured() {
    local name=$1 start begun
    shift
    start=$(now) begun=$(cpu)
    "$@" >/dev/null
    awk "BEGIN { printf \"%s: $megabytes MB in %.2f s, %.2f s of the cluster's CPU\\n\", \"$name\", $(now) - $start, $(cpu) - $begun }"
}

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
own() {
    local c
    for c in $collections; do
        sqlpp "use bench_load; load dataset $c using localfs
            ((\"path\"=\"127.0.0.1://$work/$c.adm\"), (\"format\"=\"json\"));"
    done
}
for ((round = 1; round <= ${ROUNDS:-3}; round++)); do
    define="drop dataverse bench_load if exists; create dataverse bench_load; use bench_load;
        create type hoap_document as {hoap_key: string};"
    for c in $collections; do define+=" create dataset $c(hoap_document) primary key hoap_key;"; done
    sqlpp "$define"
    measured "LOAD, round $round" own
    sqlpp "drop dataverse bench_load if exists"
    for option in "?load_folder=$work" ""; do
        sqlpp "drop dataverse bench_hoap if exists"
        name="hoap load by $([ "$option" ] && echo files || echo batches), round $round"
        measured "$name" "$hoap" load ch2pp -w 1 --extra-fields 0 --target "$base/bench_hoap$option"
    done
done
cargo run --quiet --release -p hoap-databases --features all --example client_speed -- "$base/bench_hoap" clients=1
sqlpp "drop dataverse bench_hoap if exists"
