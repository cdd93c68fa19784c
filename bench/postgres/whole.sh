#!/usr/bin/env bash
# From the load to the page: a CH2++ run on PostgreSQL at W warehouses without extra fields, beside a load by one client alone.
#
#   bench/postgres/whole.sh HOAP URL W [load]      # load: the load by one client as well, first
#
# Prints wall time, CPU and memory of each command, which are the client's. Needs GNU time, and 250 MB of disk a warehouse.
set -euo pipefail
hoap=$(realpath "$1") url=$2 w=$3
place=$(mktemp -d)
trap 'rm -rf -- "$place"' EXIT
cd "$place"
measured() { # measured NAME COMMAND…
    local name=$1
    shift
    /usr/bin/time -o time.txt -f '%e s, %U user, %S system, %M kB' "$@" >out.txt 2>err.txt || { cat out.txt err.txt >&2; exit 1; }
    echo "$name: $(cat time.txt)"
}
load=("$hoap" load ch2pp -w "$w" --extra-fields 0 --target "$url" --replace)
[ "${4:-}" != load ] || measured "load by one client" "${load[@]}" --load-clients 1
begun=$(date +%s.%N)
measured "load by auto clients" "${load[@]}" --load-clients auto
measured "run and checks" "$hoap" run ch2pp --operational "$url" --analytical "$url" --tx-clients 4 --query-clients 0 \
    --warmup 5s --duration 25s --out run
measured "page" "$hoap" report run -o page.html
python3 -c "import time; print(f\"from the load to the page: {time.time() - $begun:.1f} s\")"
