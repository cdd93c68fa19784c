#!/usr/bin/env bash
# The experiment ch2pp-postgres whole, on servers of the lab: fig8.sh HOAP FOLDER [OPTION…].
# First the primary alone, then with its replica. What is done in FOLDER is not done again. An option is one of
# `hoap experiment run`, such as --scale-down 20 for a rehearsal. Leaves the servers up (lab/down), and the page in
# FOLDER/report.html. At 10 warehouses it takes more than an hour: keep the machine quiet.
set -euo pipefail
hoap=$(realpath "$1") folder=$2
shift 2
lab=$(dirname "${BASH_SOURCE[0]}")/../../lab
url() { # url NAME: of a server that is up
    "$lab/up" "$1" >&2
    local name=HOAP_TEST_${1^^}
    name=${name//-/_}
    (eval "$("$lab/env")" && printf '%s\n' "${!name}")
}
run() { # run LABEL OPTION…
    "$hoap" experiment run ch2pp-postgres --configuration "$1" --out "$folder" --resume --replace "${@:2}"
}
primary=$(url postgres)
run 1Q+0A --operational "$primary" "$@"
run shared --operational "$primary" --analytical "$primary" "$@"
replica=$(url postgres-replica)
run 1Q+1A --operational "$primary" --analytical "$replica" "$@"
"$hoap" experiment report "$folder"
