#!/usr/bin/env bash
# Rows against columns: the experiment ch2pp-columns on SQLite and DuckDB, and on AsterixDB in its two formats.
#
#   bench/columnar/run.sh HOAP FOLDER WAREHOUSES [embedded|asterixdb]…      # both without a name
#
# FOLDER/embedded and FOLDER/asterixdb get the experiment's folders, with their pages; FOLDER/cold.tsv one pass of the
# 22 queries after a restart without the system's cached files (as root), FOLDER/size.tsv the bytes on disk, FOLDER/memory.tsv
# the largest resident memory of each program. AsterixDB is the lab's, with a heap of LAB_HEAP (4g), loaded by files; it is
# left up. Needs GNU time, Python and, at 10 warehouses, 15 GB of disk and an idle machine for half an hour.
set -euo pipefail
hoap=$(realpath "$1") w=$3
mkdir -p "$2"
folder=$(realpath "$2")
lab=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../../lab")
shift 3
[ $# -gt 0 ] || set -- embedded asterixdb
cd "$folder"
"$hoap" experiment show ch2pp-columns | sed "s/^flags = .*warehouses = 10/flags = { target = \"{analytical}\", warehouses = $w/" >columns.toml
grep -q "warehouses = $w " columns.toml

# experiment FOLDER CONFIGURATION URL: loads and runs, with the largest memory of it
experiment() {
    /usr/bin/time -a -o memory.tsv -f "$1 $2 load and queries\t%M kB" \
        "$hoap" experiment run columns.toml --configuration "$2" --operational "$3" --analytical "$3" --out "$1" --resume --replace
}
forget() { # the system forgets the files that it has in memory
    sync
    echo 3 >/proc/sys/vm/drop_caches
}
# cold NAME URL: one pass of the queries
cold() {
    /usr/bin/time -a -o memory.tsv -f "$1 cold queries\t%M kB" "$hoap" query ch2pp --analytical "$2" --json >cold.json 2>cold.err
    python3 - "$1" >>cold.tsv <<'P'
import json, sys
end = json.load(open("cold.json"))
print(sys.argv[1], round(end["total_seconds"], 2), round(end["power_seconds"], 4), *(round(q["seconds"], 4) for q in end["queries"]), sep="\t")
P
}
for engine in "$@"; do
    case $engine in
    embedded)
        experiment embedded rows sqlite:rows.db
        experiment embedded columns duckdb:columns.duckdb
        printf '%s\t%s\n' SQLite "$(stat -c %s rows.db)" DuckDB "$(stat -c %s columns.duckdb)" >>size.tsv
        for _ in 1 2 3; do
            forget
            cold SQLite sqlite:rows.db
            forget
            cold DuckDB duckdb:columns.duckdb
        done
        ;;
    asterixdb)
        export LAB_HEAP=${LAB_HEAP:-4g}
        again() {
            "$lab/down" --keep asterixdb-column
            forget
            "$lab/up" asterixdb-column >&2
        }
        "$lab/up" asterixdb-column >&2
        url=$(eval "$("$lab/env")" && echo "$HOAP_TEST_ASTERIXDB_COLUMN")
        mkdir -p -m 755 files
        for format in row column; do
            experiment asterixdb "${format}s" "${url%/*}/$format?load_folder=$folder/files"
        done
        for _ in 1 2; do
            for format in row column; do
                again
                cold "AsterixDB ${format}s" "${url%/*}/$format"
            done
        done
        host=${url#asterixdb://} host=${host%/*}
        for format in row column; do
            size=$(curl -sS "http://$host/query/service" --data-urlencode "statement=SELECT VALUE sum(storage_size('Default', d.DataverseName, d.DatasetName))
                FROM Metadata.\`Dataset\` d WHERE d.DataverseName = '$format'" | python3 -c 'import json, sys; print(json.load(sys.stdin)["results"][0])')
            printf 'AsterixDB %ss\t%s\n' "$format" "$size" >>size.tsv
        done
        ;;
    esac
    "$hoap" experiment report "$engine"
done
