#!/usr/bin/env bash
# What a client costs: sessions beside the bare driver on the servers of the lab that run, and `hoap run` beside the
# field's own tools where one does the same operations. CPU-microseconds of the client an operation, in turns.
#
#   eval "$(lab/env)"; bench/client/run.sh HOAP CLIENT_SPEED [COUCHBASE_SCRIPT] >raw.tsv
#   bench/client/table.py raw.tsv
#
# CLIENT_SPEED is the example of hoap-databases, COUCHBASE_SCRIPT that of hoap-testing. Settings: ROUNDS (7) of each pair; SCALE (1) multiplies the operations of a
# round; CLIENTS ("1 16"); ONLY, the databases in place of all ("postgres redis couchbase mongodb dynamodb cassandra"). Needs
# GNU time; pgbench, redis-benchmark and latte 0.29.0 (LATTE names it; `cargo install --locked latte-cli@0.29.0` takes long)
# are used where they are there. What it makes in the servers it removes, but for keyspaces. A tool has a table of its own: `hoap`
# would take its writes for a failure.
#
# A tool and `hoap run` have one processor, the same clients, keys drawn uniformly from as many records, and values of 100
# bytes. Their seconds are those of the whole process. Only `hoap` looks at the answers, and makes each value anew, as latte
# does; pgbench and redis-benchmark send one value again and again.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
hoap=$(realpath "$1") client_speed=$(realpath "$2") script=${3:-}
rounds=${ROUNDS:-7} scale=${SCALE:-1} clients=(${CLIENTS:-1 16}) records=20000
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
value=$(printf '%0100d' 0)
run() { "$@" >"$work/out" 2>"$work/err" || { cat "$work/out" "$work/err" >&2; exit 1; }; }
scaled() { awk -v n="$1" -v x="$scale" 'BEGIN { print int(n * x) }'; }

# pairs URL: sessions beside the driver
pairs() {
    local n
    for n in "${clients[@]}"; do "$client_speed" "$1" clients="$n" rounds="$rounds" scale="$scale" | tail -n +2; done
}

# timed SIDE OPERATIONS COMMAND…: adds the CPU-microseconds an operation of a command to those of this side
timed() {
    local side=$1 operations=$2
    shift 2
    run taskset -c 0 /usr/bin/time -o "$work/time" -f '%U %S' "$@"
    awk -v n="$operations" '{ print ($1 + $2) / n * 1e6 }' "$work/time" >>"$work/$side"
}
# beside DATABASE OPERATION TOOL CLIENTS: the rows of a pair, of what `timed` has found
beside() {
    paste "$work/$3" "$work/hoap" | awk -v OFS='\t' -v row="$1\t$2\t$4\t$rounds" -v tool="$3" '
        { a[NR] = $1; b[NR] = $2; r[NR] = $2 / $1 }
        function sort(v, i, j, x) { for (i = 2; i <= NR; i++) { x = v[i]; for (j = i - 1; j && v[j] > x; j--) v[j + 1] = v[j]; v[j + 1] = x } }
        function at(v, quarter) { return v[1 + int((NR - 1) * quarter / 4)] }
        END {
            sort(a); sort(b); sort(r)
            printf "%s\t%s\t%.2f\t1\t1\t1\n", row, tool, at(a, 2)
            printf "%s\thoap\t%.2f\t%.3f\t%.3f\t%.3f\n", row, at(b, 2), at(r, 2), at(r, 1), at(r, 3)
        }'
    rm "$work/$3" "$work/hoap"
}
# Records whose keys a tool can make: user000000000000 and so on.
load() { run "$hoap" load ycsb -p recordcount=$records -p insertorder=ordered -p zeropadding=12 --replace --target "$1"; }
# ycsb OPERATION CLIENTS OPERATIONS URL: `hoap` does one kind of operation
ycsb() {
    local proportions=(-p readproportion=1 -p updateproportion=0)
    [ "$1" = read ] || proportions=(-p readproportion=0 -p updateproportion=1)
    timed hoap "$3" "$hoap" run ycsb-a "${proportions[@]}" -p requestdistribution=uniform --clients "$2" --operations "$3" \
        --warmup 1ms --out "$work/run" --target "$4"
    rm -r "$work/run"
}
has() { command -v "$1" >/dev/null || { echo "run.sh: $1 is not here" >&2; return 1; }; }

postgres() {
    local n operation operations url="$1?schema=hoap_client&sslmode=disable"
    pairs "$1"
    has pgbench || return 0
    load "$url"
    load "$1?schema=hoap_tool&sslmode=disable"
    cat >"$work/read.sql" <<C
\set n random(0, $records - 1)
SELECT doc FROM hoap_tool.usertable WHERE key = 'user' || lpad(:n::text, 12, '0')
C
    cat >"$work/update.sql" <<C
\set n random(0, $records - 1)
UPDATE hoap_tool.usertable SET doc = doc || :document::jsonb WHERE key = 'user' || lpad(:n::text, 12, '0')
C
    for n in "${clients[@]}"; do
        for operation in read update; do
            operations=$(scaled $([ $operation = read ] && echo 100000 || echo 20000))
            operations=$((operations / n * n))
            for ((round = 0; round < rounds; round++)); do
                timed pgbench $operations pgbench -n -M prepared -f "$work/$operation.sql" -D "document={\"field5\":\"$value\"}" \
                    -c "$n" -j 1 -t $((operations / n)) "$1?sslmode=disable"
                ycsb $operation "$n" $operations "$url"
            done
            beside PostgreSQL $operation pgbench "$n"
        done
    done
    psql -XAtq "$1" -c 'SET client_min_messages = warning' -c 'DROP SCHEMA hoap_client, hoap_tool CASCADE'
}

redis() {
    local n operation operations place=${1#redis://} url="$1?prefix=hoap-client"
    pairs "$1"
    has redis-benchmark || return 0
    load "$url"
    load "$1?prefix=hoap-tool"
    local read=(hmget hoap-tool:usertable:user__rand_int__ field{0..9})
    local update=(hset hoap-tool:usertable:user__rand_int__ field5 "$value")
    for n in "${clients[@]}"; do
        for operation in read update; do
            operations=$(scaled 200000)
            local -n command=$operation
            for ((round = 0; round < rounds; round++)); do
                timed redis-benchmark "$operations" redis-benchmark -h "${place%:*}" -p "${place#*:}" -q -r $records -n "$operations" \
                    -c "$n" "${command[@]}"
                ycsb $operation "$n" "$operations" "$url"
            done
            beside Redis $operation redis-benchmark "$n"
        done
    done
    { redis-cli -u "$1" --scan --pattern 'hoap-client*' && redis-cli -u "$1" --scan --pattern 'hoap-tool*'; } |
        xargs -n 1000 redis-cli -u "$1" unlink >"$work/out"
}

cassandra() {
    local n operation operations latte=${LATTE:-latte} node=${1#cassandra://}
    node=${node%%/*}
    pairs "cassandra://$node/hoap_speed"
    has "$latte" || return 0
    local url="cassandra://$node/hoap_client?read_consistency=local_quorum&write_consistency=local_quorum"
    load "$url"
    run "$latte" schema "$here/ycsb.rn" "$node"
    run "$latte" load -q -P rows=$records "$here/ycsb.rn" "$node"
    for n in "${clients[@]}"; do
        for operation in read update; do
            operations=$(scaled 100000)
            for ((round = 0; round < rounds; round++)); do
                timed latte "$operations" "$latte" run -q -P rows=$records -f $operation -p "$n" -t 1 -w 0 -d "$operations" \
                    --retries 0 -o "$work/latte.json" "$here/ycsb.rn" "$node"
                ycsb $operation "$n" "$operations" "$url"
            done
            beside Cassandra $operation latte "$n"
        done
    done
}

# The lab's couchbase-mock has no collections, which records need: the tests' script stands in.
couchbase() {
    local place user CB_PASSWORD
    coproc "$1"
    read -r place user CB_PASSWORD <&"${COPROC[0]}"
    export CB_PASSWORD
    pairs "${place/:\/\//://$user@}"
    kill "$COPROC_PID"
    wait
}
mongodb() { pairs "$1"; }
dynamodb() { AWS_ACCESS_KEY_ID=bench AWS_SECRET_ACCESS_KEY=bench pairs "$1"; }

declare -A urls=([postgres]=${HOAP_TEST_POSTGRES:-} [redis]=${HOAP_TEST_REDIS:-} [couchbase]=$script
    [mongodb]=${HOAP_TEST_DOCUMENTDB:-${HOAP_TEST_MONGO_WIRE:-}} [dynamodb]=${HOAP_TEST_DYNAMODB:-} [cassandra]=${HOAP_TEST_CASSANDRA:-})
printf 'database\toperation\tclients\trounds\tside\tus\tratio\tlow\thigh\n'
for database in ${ONLY:-postgres redis couchbase mongodb dynamodb cassandra}; do
    [ -n "${urls[$database]}" ] || { echo "run.sh: $database does not run" >&2; continue; }
    "$database" "${urls[$database]}"
done
