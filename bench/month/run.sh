#!/usr/bin/env bash
# What it takes to report a run of 30 days in ticks of a second, with two kinds of operations: time and memory of
# `hoap report` and `hoap compare`.
#
#   bench/month/run.sh [FOLDER]
#
# Needs GNU time and Python, and 3 GB of disk.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
. "$here/short.sh"
[ -d month ] || python3 "$here/folder.py" short month
ls -l month
for command in 'report month -o page.html' 'compare month month'; do
    # shellcheck disable=SC2086
    /usr/bin/time -f "$command: %e s, %U s user, %S s system, %M kB" "$hoap" $command >"${command%% *}.txt"
done
