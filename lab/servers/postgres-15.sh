# shellcheck shell=bash
# PostgreSQL 15 of Debian, otherwise as postgres.
# shellcheck source=lab/servers/postgres.sh
. "$lab/servers/postgres.sh"
bin=/usr/lib/postgresql/15/bin

server_install() {
    [ -x $bin/postgres ] || apt_install postgresql postgresql-15 || return
    clients
}
