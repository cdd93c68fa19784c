# shellcheck shell=bash
# PgBouncer of Debian in front of this lab's postgres, which is brought up first: pool_mode is transaction for database
# hoap, session for database hoap_session. No TLS; user hoap is trusted.
# shellcheck source=lab/servers/postgres.sh
. "$lab/servers/postgres.sh"
needs=postgres
discard_signal=TERM
primary=$LAB_RUN/postgres

server_install() {
    clients
    [ -x /usr/sbin/pgbouncer ] || apt_install pgbouncer pgbouncer
}
server_start() {
    local at
    at="host=127.0.0.1 port=$(cat "$primary/port") dbname=hoap"
    cat >"$dir/pgbouncer.ini" <<C
[databases]
hoap = $at
hoap_session = $at pool_mode=session
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = $(port)
unix_socket_dir =
auth_type = trust
auth_file = $dir/users
pool_mode = transaction
ignore_startup_parameters = options
C
    echo '"hoap" ""' >"$dir/users"
    own "$dir"
    alive 1 || spawn 1 "${as_postgres[@]}" /usr/sbin/pgbouncer "$dir/pgbouncer.ini"
}
server_stragglers() { marked; }
server_version() { /usr/sbin/pgbouncer --version | head -n 1; }
