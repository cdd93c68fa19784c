#!/usr/bin/env bash
# Loads CH2++ with hoap, and the same bytes with psql's \copy, in turns: bench/postgres/load.sh URL HOAP [ROUNDS]
# URL names a database without options; schemas hoap_load_speed and psql_load_speed are made and dropped in it.
# The bytes are those of `hoap gen`; psql copies them into tables of the same columns, which have the primary key
# that hoap's have, and no more. hoap's time is all of `hoap load`: making the data, progress, indexes, VACUUM
# (ANALYZE), durability.
set -euo pipefail
url=$1 hoap=$2 rounds=${3:-3}
options=(ch2pp -w 1 --extra-fields 0)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
query() { psql -XAtq -v ON_ERROR_STOP=1 "$url" "$@"; }
seconds() { local start=$EPOCHREALTIME; "$@" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
    awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.2f", b - a }'; }

# The key of each document in front of its text, in the format of COPY, from a load by hoap.
query -c 'drop schema if exists hoap_load_speed cascade' -c 'drop schema if exists psql_load_speed cascade'
"$hoap" load "${options[@]}" --target "$url?schema=hoap_load_speed" >/dev/null
tables=$(query -c "select tablename from pg_tables where schemaname = 'hoap_load_speed' and tablename !~ '^hoap_' order by 1")
for t in $tables; do
    query -c "\\copy hoap_load_speed.$t to '$work/$t.copy'"
done
bytes=$(cat "$work"/*.copy | wc -c)
echo "$((bytes / 1000000)) MB in the format of COPY"

by_psql() {
    for t in $tables; do
        query -c "create table psql_load_speed.$t (key text collate \"C\" primary key, doc jsonb not null)"
        query -c "\\copy psql_load_speed.$t from '$work/$t.copy'"
    done
}
by_hoap() { "$hoap" load "${options[@]}" --target "$url?schema=hoap_load_speed"; }
for ((i = 0; i < rounds; i++)); do
    query -c 'drop schema if exists psql_load_speed cascade' -c 'create schema psql_load_speed'
    printf 'psql  %s s\n' "$(seconds by_psql)"
    query -c 'drop schema if exists hoap_load_speed cascade'
    printf 'hoap  %s s\n' "$(seconds by_hoap)"
done
query -c 'drop schema if exists hoap_load_speed cascade' -c 'drop schema if exists psql_load_speed cascade'
