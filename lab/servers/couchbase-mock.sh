# shellcheck shell=bash
# CouchbaseMock 1.5.27, in memory: an imitation of Couchbase's key-value protocol, see docs/lab.md for what it lacks.
# Bucket default, one node, no password. $dir/http_port has the port of its administration.
# shellcheck source=lab/downloads.sh
. "$lab/downloads.sh"
keeps_data=no

server_install() { java_install couchbase-mock && loopback_tools; }
server_start() {
    local preload
    preload=$(loopback_only) || return
    alive 1 || spawn 1 env LD_PRELOAD="$preload" java -Xmx256m -XX:+UseSerialGC -cp "$(java_home couchbase-mock)/*" \
        "$lab/servers/CouchbaseMockServer.java" "$(port http_port)" "$(port)"
}
server_url() { echo "couchbase://127.0.0.1:$(port)/default"; }
# Ready is when a driver could bootstrap: GET_CLUSTER_CONFIG is answered, with the port of the data in it.
server_ready() {
    local head
    { exec 3<>"/dev/tcp/127.0.0.1/$(port)"; } 2>/dev/null &&
        printf '\x80\xb5\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >&3 &&
        head=$(timeout 5 head -c 24 <&3 | od -An -v -tx1 | tr -d ' \n') && [ "${head:0:4}" = 81b5 ] &&
        timeout 5 head -c $((16#${head:16:8})) <&3 | tee /dev/stderr | grep -aq "\"direct\":$(port)"
}
server_version() { echo "CouchbaseMock $(coordinate couchbase-mock | cut -d: -f3)"; }
