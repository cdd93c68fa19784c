#!/usr/bin/env bash
# What it takes to merge the folders of 64 drivers, each of an hour in ticks of a second with two kinds of operations:
# time and memory of `hoap merge`, and of 16 drivers and of a quarter of the time beside it.
#
#   bench/merge/run.sh [FOLDER]
#
# Needs GNU time and Python, and 400 MB of disk.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
. "$here/../month/short.sh"
for size in '64 3600' '16 3600' '64 900'; do
    read -r drivers seconds <<<"$size"
    parts=drivers-$drivers-$seconds
    [ -d "$parts" ] || python3 "$here/folders.py" short "$parts" "$drivers" "$seconds"
    rm -rf merged
    /usr/bin/time -f "$drivers drivers of $seconds s: %e s, %U s user, %S s system, %M kB" \
        "$hoap" merge "$parts"/* -o merged >merge.txt
done
