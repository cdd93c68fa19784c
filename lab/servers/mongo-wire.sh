# shellcheck shell=bash
# mongo-java-server 1.47.0, in memory: an imitation that speaks MongoDB's wire protocol, see docs/lab.md for what it lacks.
# LAB_MONGO_WIRE_VERSION is the wire version that it announces (default 9).
# shellcheck source=lab/downloads.sh
. "$lab/downloads.sh"
keeps_data=no

server_install() { java_install mongo-wire; }
server_start() {
    mkdir -p "$dir/tmp"
    # Queries that join take it minutes: worth the compiler that ./test spares the others. Beside such a query some
    # connections got no answer for seconds, as they do if they share a thread with its own: there are threads enough.
    alive 1 || spawn 1 java -XX:TieredStopAtLevel=4 -Xmx512m -XX:+UseSerialGC -Dio.netty.eventLoopThreads=128 \
        -Djava.io.tmpdir="$dir/tmp" \
        -cp "$(java_home mongo-wire)/*" "$lab/servers/MongoWire.java" "$(port)" "${LAB_MONGO_WIRE_VERSION:-9}"
}
server_url() { echo "mongodb://127.0.0.1:$(port)/hoap"; }
# OP_MSG with {ping: 1, $db: "admin"}; the answer has {ok: 1.0}.
server_ready() {
    local ping='\x1e\0\0\0\x10ping\0\x01\0\0\0\x02$db\0\x06\0\0\0admin\0\0'
    # shellcheck disable=SC2059
    { exec 3<>"/dev/tcp/127.0.0.1/$(port)"; } 2>/dev/null &&
        printf "\x33\0\0\0\x01\0\0\0\0\0\0\0\xdd\x07\0\0\0\0\0\0\0$ping" >&3 &&
        timeout 5 head -c 38 <&3 | od -An -tx1 | tr -d ' \n' | tee /dev/stderr | grep -q '016f6b00000000000000f03f'
}
server_version() { echo "mongo-java-server $(coordinate mongo-wire | cut -d: -f3)"; }
