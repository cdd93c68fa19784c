# shellcheck shell=bash
# This lab's dynamodb, which is brought up first, behind a proxy that throttles by provisioned units as Amazon
# documents it (dynamodb_throttle.py).
# shellcheck source=lab/servers/dynamodb.sh
. "$lab/servers/dynamodb.sh"
needs=dynamodb

server_install() { tool python3 python3 && tool curl curl; }
server_start() {
    alive 1 || spawn 1 python3 "$lab/servers/dynamodb_throttle.py" "$(port)" "$(cat "$LAB_RUN/dynamodb/port")"
}
server_version() { echo "DynamoDB Local $(coordinate dynamodb | cut -d: -f3), throttled by provisioned units"; }
