# shellcheck shell=bash
# Redis 7.0 of Debian; servers/valkey.sh is the same with other programs. Append-only file on, synced every second; while a
# sync is late, writes wait in the server, and one that is killed then loses them: a test that must lose nothing sets
# appendfsync to always. Users: default (no password),
# hoap_password ("hoap secret", everything), hoap_nothing (no password, may only connect). A second port speaks TLS.
program=redis-server cli=redis-cli

server_install() {
    command -v $program >/dev/null || apt_install redis-server redis-server || return
    tool openssl openssl
}

server_start() {
    certificates
    mkdir -p "$dir/data"
    port >/dev/null
    echo "rediss://127.0.0.1:$(port tls_port)" >"$dir/tls_url"
    configure >"$dir/conf"
    alive 1 || spawn 1 "$program" "$dir/conf"
}
configure() {
    cat <<C
bind 127.0.0.1
port $(port)
dir "$dir/data"
appendonly yes
tls-port $(port tls_port)
tls-cert-file "$dir/server.crt"
tls-key-file "$dir/server.key"
tls-ca-cert-file "$dir/ca.crt"
tls-auth-clients no
user hoap_password on ">hoap secret" ~* &* +@all
user hoap_nothing on nopass -@all +@connection
C
}

server_url() { echo "redis://127.0.0.1:$(port)"; }
ask() { timeout 5 "$cli" -h 127.0.0.1 -p "$@"; }
server_ready() { ask "$(port)" set hoap-lab ready ex 1 2>&1 | tee /dev/stderr | grep -qx OK; }
server_write() { ask "$(port)" set selftest "$1" >/dev/null; }
server_read() { ask "$(port)" get selftest; }
server_version() { "$program" --version | sed "s/ server v=/ /; s/ sha=.*//"; }
