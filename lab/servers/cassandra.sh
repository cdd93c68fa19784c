# shellcheck shell=bash
# Cassandra 5.0.9 from its library jar: $nodes nodes, 127.0.0.1 and up, one port. Cassandra's defaults, but smaller.
# LAB_HEAP is the heap of a node. LAB_CASSANDRA_AUTH=1 at the first start: users have passwords; there is cassandra, "cassandra".
# shellcheck source=lab/downloads.sh
. "$lab/downloads.sh"
nodes=1 heap=${LAB_HEAP:-768m} up_seconds=240

server_install() { java_install cassandra; }

server_start() {
    local i
    [ -f "$dir/authenticator" ] || echo "${LAB_CASSANDRA_AUTH:-0}" >"$dir/authenticator"
    # The first node is the seed: the others want it to be there.
    start_node 1
    for ((i = 2; i <= nodes; i++)); do
        alive "$i" || { await_node 1 && break; } || return
    done
    for ((i = 2; i <= nodes; i++)); do start_node "$i"; done
}
await_node() {
    local end=$((SECONDS + up_seconds))
    until cql "$1" 1 "$hello" >/dev/null 2>&1; do
        alive "$1" && [ $SECONDS -lt $end ] || return
        sleep 0.3
    done
}
start_node() {
    local node=$dir/node$1 x opens=()
    mkdir -p "$node/conf" "$node/tmp"
    configure "$1" >"$node/conf/cassandra.yaml"
    cp "$lab/servers/cassandra-logback.xml" "$node/conf/logback.xml"
    for x in java.base/jdk.internal.misc java.base/java.lang.ref java.management.rmi/com.sun.jmx.remote.internal.rmi \
        java.rmi/sun.rmi.registry java.rmi/sun.rmi.server java.sql/java.sql jdk.attach/sun.tools.attach \
        jdk.unsupported/sun.misc; do
        opens+=(--add-exports "$x=ALL-UNNAMED")
    done
    for x in java.base/java.io java.base/java.lang java.base/java.lang.module java.base/java.lang.reflect \
        java.base/java.nio java.base/java.util java.base/jdk.internal.loader java.base/jdk.internal.math \
        java.base/jdk.internal.module java.base/jdk.internal.ref java.base/jdk.internal.reflect \
        java.base/jdk.internal.util.jar java.base/sun.nio.ch jdk.management/com.sun.management.internal; do
        opens+=(--add-opens "$x=ALL-UNNAMED")
    done
    alive "$1" || spawn "$1" java -Xms"$heap" -Xmx"$heap" -XX:+UseG1GC -XX:MaxDirectMemorySize=256m -Xss256k "${opens[@]}" \
        -Djdk.attach.allowAttachSelf=true -javaagent:"$(echo "$(java_home cassandra)"/jamm-*.jar)" \
        -Djava.io.tmpdir="$node/tmp" -Dcassandra.config="file://$node/conf/cassandra.yaml" \
        -Dlogback.configurationFile="$node/conf/logback.xml" -Dcassandra.storagedir="$node" -Dcassandra.logdir="$node" \
        -Dcassandra-foreground=yes -Dcassandra.ring_delay_ms=1000 -Dcassandra.skip_wait_for_gossip_to_settle=0 \
        -Dcassandra.superuser_setup_delay_ms=1000 -Dio.netty.tryReflectionSetAccessible=true \
        -cp "$node/conf:$(java_home cassandra)/*" org.apache.cassandra.service.CassandraDaemon
}
# No node has data when the cluster is made, so none has to wait for others' data (auto_bootstrap).
configure() {
    local node=$dir/node$1 prefix=AllowAll
    [ "$(cat "$dir/authenticator")" = 0 ] || prefix=Password
    cat <<C
cluster_name: lab
num_tokens: 16
partitioner: org.apache.cassandra.dht.Murmur3Partitioner
endpoint_snitch: SimpleSnitch
authenticator: ${prefix}Authenticator
authorizer: $([ $prefix = Password ] && echo Cassandra || echo AllowAll)Authorizer
data_file_directories: ["$node/data"]
commitlog_directory: "$node/commitlog"
saved_caches_directory: "$node/saved_caches"
hints_directory: "$node/hints"
cdc_raw_directory: "$node/cdc_raw"
commitlog_sync: periodic
commitlog_sync_period: 10000ms
commitlog_segment_size: 16MiB
listen_address: 127.0.0.$1
rpc_address: 127.0.0.$1
storage_port: $(port storage_port)
native_transport_port: $(port)
seed_provider: [{class_name: org.apache.cassandra.locator.SimpleSeedProvider, parameters: [{seeds: "127.0.0.1"}]}]
auto_bootstrap: false
concurrent_compactors: 1
memtable_heap_space: 128MiB
memtable_offheap_space: 128MiB
C
}

# Of CQL's binary protocol what one query takes. cql NODE CONSISTENCY QUERY prints the rows' bytes as text; fails where
# the answer is an error.
hello='select release_version from system.local'
cql() {
    local reply
    { exec 3<>"/dev/tcp/127.0.0.$1/$(port)"; } 2>/dev/null || { echo "no connection" >&2 && return 1; }
    frame 01 "0001$(short CQL_VERSION)$(short 3.0.0)"
    reply=$(answer) || return
    if [ "${reply:0:2}" = 03 ]; then # AUTHENTICATE
        frame 0f "$(printf '%08x' 20)00$(hex cassandra)00$(hex cassandra)"
        reply=$(answer) || return
    fi
    frame 07 "$(printf '%08x' ${#3})$(hex "$3")$(printf '%04x' "$2")00"
    reply=$(answer)
    bytes "${reply:2}" | tr -c '[:print:]' ' '
    [ "${reply:0:2}" = 08 ]
}
frame() { bytes "04000001$1$(printf '%08x' $((${#2} / 2)))$2" >&3; }
# answer: the opcode and the body of a frame in hex
answer() {
    local head
    head=$(timeout 15 head -c 9 <&3 | hex_bytes) && [ ${#head} = 18 ] || return
    echo "${head:8:2}$(timeout 15 head -c $((16#${head:10:8})) <&3 | hex_bytes)"
}
hex_bytes() { od -An -v -tx1 | tr -d ' \n'; }
hex() { printf '%s' "$1" | hex_bytes; }
short() { printf '%04x%s' ${#1} "$(hex "$1")"; }
# shellcheck disable=SC2001
bytes() { printf "$(sed 's/../\\x&/g' <<<"$1")"; }

server_url() { echo "cassandra://127.0.0.1:$(port)/hoap"; }
# Ready is when every node answers a query that every replica has to answer: consistency ONE (1) or ALL (5).
server_ready() {
    local i consistency=5 query='select count(*) from system_distributed.view_build_status'
    [ $nodes != 1 ] || { consistency=1 query=$hello; }
    for ((i = 1; i <= nodes; i++)); do cql "$i" $consistency "$query" 2>&1 || return; done
}
# Nodes learn of a table one after the other; until then they refuse its rows.
server_write() {
    local _
    cql 1 1 "create keyspace if not exists selftest with replication = {'class': 'SimpleStrategy', 'replication_factor': $nodes}" &&
        cql 1 1 'create table if not exists selftest.t (t text primary key)' || return
    for _ in {1..100}; do
        cql 1 5 "insert into selftest.t (t) values ('$1')" && return
        sleep 0.1
    done
} >/dev/null
server_read() { cql $nodes 1 'select t from selftest.t' | grep -o "selftest-[0-9]*"; }
server_version() { echo "Cassandra $(coordinate cassandra | cut -d: -f3)"; }
