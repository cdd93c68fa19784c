# shellcheck shell=bash
# AsterixDB 0.9.8: one cluster controller and $nodes node controllers. SQL++ over HTTP.
# LAB_HEAP is the heap of a node.
# shellcheck source=lab/downloads.sh
. "$lab/downloads.sh"
nodes=1 heap=${LAB_HEAP:-1g} up_seconds=240
version=$(coordinate asterixdb | cut -d: -f3)
home=$(java_home asterixdb)

server_install() { java_install asterixdb && asterixdb_tools; }
asterixdb_tools() { java_is_there && loopback_tools && tool curl curl; }

# Process 1 is the cluster controller, the others are the nodes. A cluster that lost one starts again as a whole.
server_start() {
    local i preload options="-Djava.rmi.server.hostname=127.0.0.1 -Djava.net.preferIPv4Stack=true"
    preload=$(loopback_only) || return
    (stop) || return
    mkdir -p "$dir/tmp"
    configure >"$dir/conf"
    controller 1 512m asterixcc
    for ((i = 1; i <= nodes; i++)); do controller $((i + 1)) "$heap" asterixnc -node-id "nc$i"; done
}
controller() { # controller PROCESS HEAP PROGRAM ARGUMENT…
    spawn "$1" env LD_PRELOAD="$preload" JAVA_OPTS="-Xmx$2 $options -Djava.io.tmpdir=$dir/tmp" \
        sh "$home/bin/$3" -config-file "$dir/conf" "${@:4}"
}
# Nodes are started here and not through the node service (ncservice.port=-1), so that every process is known.
configure() {
    local i
    for ((i = 1; i <= nodes; i++)); do
        cat <<C
[nc/nc$i]
txn.log.dir=$dir/nc$i/txnlog
core.dump.dir=$dir/nc$i/coredump
iodevices=$dir/nc$i/io
nc.api.port=$(port "api_port-$i")

C
    done
    cat <<C
[nc]
address=127.0.0.1
cluster.address=127.0.0.1
cluster.port=$(port cluster_port)
ncservice.port=-1

[cc]
address=127.0.0.1
cluster.listen.port=$(port cluster_port)
client.listen.port=$(port client_port)
console.listen.port=$(port console_port)
api.port=$(port)
active.port=$(port active_port)
web.port=$(port web_port)
web.queryinterface.port=$(port query_port)

[common]
default.dir=$dir/default
log.dir=$dir/logs/
log.level=INFO
C
}

server_url() { echo "asterixdb://127.0.0.1:$(port)/hoap"; }
sqlpp() { curl -sS --max-time 30 "http://127.0.0.1:$(port)/query/service" --data-urlencode "statement=$1" 2>&1; }
# Ready is when the cluster has all its nodes and answers.
server_ready() {
    [ "$(curl -sS --max-time 5 "http://127.0.0.1:$(port)/admin/cluster" | tr -d ' \n' | grep -o '"node_id":' | wc -l)" = $nodes ] &&
        sqlpp 'select value count(*) from Metadata.`Dataverse`;' | tee /dev/stderr | grep -q '"status": "success"'
}
server_write() {
    sqlpp "create dataverse selftest if not exists; use selftest; create type t if not exists as closed { t: string };
        create dataset t(t) if not exists primary key t; upsert into t ([{ 't': '$1' }]);" | grep -q '"status": "success"'
}
server_read() { sqlpp 'select value t.t from selftest.t t;' | grep -o '"selftest-[0-9]*"' | tr -d '"'; }
server_version() { echo "AsterixDB $version"; }
