#!/usr/bin/env bash
# Rows against columns: the experiment ch2pp-columns on SQLite and DuckDB, and on AsterixDB in its two formats.
#
#   bench/columnar/run.sh HOAP FOLDER WAREHOUSES [embedded|asterixdb]…      # both without a name
#
# FOLDER/embedded and FOLDER/asterixdb get the experiment's folders, with their pages; FOLDER/cold.tsv one pass of the
# 22 queries after a restart without the system's cached files (as root), FOLDER/size.tsv the bytes on disk, FOLDER/memory.tsv
# the largest resident memory of each program. AsterixDB is the lab's, with a heap of LAB_HEAP (4g), loaded by files; it is
# left up. LOOPS warm loops are measured after one that is not (3), and PASSES passes after a restart (3; those of SQLite and
# DuckDB are new processes). Needs GNU time, Python and, at 10 warehouses, 30 GB of disk and an idle machine for an hour.
set -euo pipefail
hoap=$(realpath "$1") w=$3
mkdir -p "$2"
folder=$(realpath "$2")
lab=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../../lab")
shift 3
[ $# -gt 0 ] || set -- embedded asterixdb
cd "$folder"
"$hoap" experiment show ch2pp-columns | sed -e "s/^flags = .*warehouses = 10/flags = { target = \"{analytical}\", warehouses = $w/" \
    -e "s/^loops = .*/loops = ${LOOPS:-3}/" >columns.toml
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
        for _ in $(seq "${PASSES:-3}"); do
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
        for _ in $(seq "${PASSES:-3}"); do
            for format in row column; do
                again
                cold "AsterixDB ${format}s" "${url%/*}/$format"
            done
        done
        host=${url#asterixdb://} host=${host%/*}
        # After the restarts all is in files: to compare with what the loads said.
        python3 - "${url#asterixdb://}" >>size.tsv <<'P'
import json, sys, urllib.parse, urllib.request
def ask(statement):
    body = urllib.parse.urlencode({"statement": statement}).encode()
    return json.load(urllib.request.urlopen(f"http://{sys.argv[1].split('/')[0]}/query/service", body))["results"]
for dataverse in "row", "column":
    names = ask(f"SELECT VALUE d.DatasetName FROM Metadata.`Dataset` d WHERE d.DataverseName = '{dataverse}'")
    sizes = (sum(ask(f"SELECT VALUE s.size FROM storage_size('Default', '{dataverse}', '{name}') s")) for name in names)
    print(f"AsterixDB {dataverse}s", sum(sizes), sep="\t")
P
        ;;
    esac
    "$hoap" experiment report "$engine"
done
