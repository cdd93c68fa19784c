# shellcheck shell=bash
# Amazon's DynamoDB Local 3.1.0, in memory: what it holds is gone when it ends. Any credentials.
# shellcheck source=lab/downloads.sh
. "$lab/downloads.sh"
keeps_data=no

server_install() { java_install dynamodb && loopback_tools && tool curl curl; }
server_start() {
    local home preload
    home=$(java_home dynamodb)
    preload=$(loopback_only) || return
    mkdir -p "$dir/tmp"
    alive 1 || spawn 1 env LD_PRELOAD="$preload" java -Xmx512m -XX:+UseSerialGC -Djava.net.preferIPv4Stack=true \
        -Djava.io.tmpdir="$dir/tmp" -Djava.library.path="$home" -Dsqlite4java.library.path="$home" -cp "$home/*" \
        software.amazon.dynamodb.services.local.main.ServerRunner -inMemory -sharedDb -disableTelemetry -port "$(port)"
}
server_url() { echo "dynamodb://us-east-1?endpoint=http://127.0.0.1:$(port)"; }
# Signatures are not checked, but have to have their form.
call() {
    curl -sS --max-time 5 "http://127.0.0.1:$(port)/" -H "X-Amz-Target: DynamoDB_20120810.$1" \
        -H 'Content-Type: application/x-amz-json-1.0' -d "$2" \
        -H 'Authorization: AWS4-HMAC-SHA256 Credential=lab/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0'
}
server_ready() { call ListTables '{}' 2>&1 | tee /dev/stderr | grep -q TableNames; }
server_version() { echo "DynamoDB Local $(coordinate dynamodb | cut -d: -f3)"; }
