# shellcheck shell=bash
# DocumentDB 0.108 over Debian's PostgreSQL 15 (process 1), with its gateway (process 2), which speaks MongoDB's wire
# protocol over TLS. LAB_DOCUMENTDB is the archive of the built extension and gateway, to be unpacked at /; see docs/lab.md.
# Users of the gateway, all with password "hoap-secret": hoap (everything), hoap_read (reads), hoap_nothing (no right).
# LAB_DOCUMENTDB_COMMAND_SECONDS (600) is how long a command may take, and how long the gateway tries it again where it lost
# PostgreSQL. PostgreSQL trusts everybody on loopback, as the gateway's own connections want it.
# shellcheck source=lab/servers/postgres.sh
. "$lab/servers/postgres.sh"
up_seconds=120
gateway=/usr/lib/postgresql/15/bin/documentdb_gateway
extensions=/usr/share/postgresql/15/extension

server_install() {
    find_documentdb && return
    local archive=${LAB_DOCUMENTDB:-$LAB_HOME/documentdb-pg15.tar.zst}
    [ -f "$archive" ] || cannot "is on no registry: LAB_DOCUMENTDB names the archive of its build (docs/lab.md)"
    tool zstd zstd
    [ -f $extensions/rum.control ] && [ -f $extensions/postgis.control ] ||
        apt_install postgresql postgresql-15 postgresql-15-rum postgresql-15-postgis-3 libpcre2-8-0 || return
    tool openssl openssl
    if [ ! -x $gateway ]; then
        [ "$(id -u)" = 0 ] || cannot "unpacks $archive over PostgreSQL's folders, as root"
        zstd -dc "$archive" | tar -C / -xf - --wildcards 'usr/lib/postgresql/15/*' 'usr/share/postgresql/15/*' \
            'usr/share/doc/documentdb/*' || failed "$archive is no archive of DocumentDB's build"
    fi
    find_documentdb || failed "$archive has no DocumentDB for PostgreSQL 15"
}
find_documentdb() {
    bin=/usr/lib/postgresql/15/bin
    [ -x $gateway ] && [ -x $bin/psql ] && [ -x $bin/initdb ] && command -v openssl >/dev/null &&
        [ -f $extensions/documentdb.control ] && [ -f $extensions/rum.control ] && [ -f $extensions/postgis.control ]
}

server_start() {
    find_documentdb
    certificates
    # The gateway is left alone through a restart of PostgreSQL, as it would be in an installation.
    [ -f "$dir/made" ] || make_data || return
    start_postgres
    await answers || return
    [ -f "$dir/made" ] || make_users || return
    gateway_settings >"$dir/gateway.json"
    alive 2 || spawn 2 "$gateway" "$dir/gateway.json"
}
make_data() {
    rm -rf "$dir/data" && mkdir -m 700 "$dir/data" && own "$dir/data" || return
    as_postgres "$bin/initdb" --no-sync -D "$dir/data" -U postgres --auth=trust --encoding=UTF8 --locale=C.UTF-8 \
        >>"$dir/log" 2>&1 || return
    cat >>"$dir/data/postgresql.conf" <<C
listen_addresses = '127.0.0.1'
port = $(port pg_port)
unix_socket_directories = ''
max_connections = 300
shared_preload_libraries = 'pg_cron, pg_documentdb_core, pg_documentdb'
cron.database_name = 'postgres'
cron.host = '127.0.0.1'
documentdb.localhost_connection_string = 'host=127.0.0.1'
documentdb.enableBackgroundWorker = true
documentdb.enableBackgroundWorkerJobs = true
C
    echo 'host all all 127.0.0.1/32 trust' >"$dir/data/pg_hba.conf"
}
make_users() {
    sql 'create extension if not exists documentdb cascade' >>"$dir/log" 2>&1 &&
        sql "create role hoap with login inherit createrole password 'hoap-secret' in role documentdb_admin_role;
            grant hoap to postgres with admin option;
            create role hoap_read with login inherit password 'hoap-secret' in role documentdb_readonly_role;
            create role hoap_nothing with login inherit password 'hoap-secret'" >>"$dir/log" 2>&1 &&
        touch "$dir/made"
}
gateway_settings() {
    cat <<C
{
  "NodeHostName": "localhost", "UseLocalHost": true, "GatewayListenPort": $(port),
  "PostgresHostName": "127.0.0.1", "PostgresPort": $(port pg_port), "PostgresSystemUser": "postgres",
  "BlockedRolePrefixes": ["documentdb", "citus", "pg", "internal_role"],
  "TransactionTimeoutSecs": 30, "CursorTimeoutSecs": 600,
  "PostgresCommandTimeoutSecs": ${LAB_DOCUMENTDB_COMMAND_SECONDS:-600},
  "EnforceSslTcp": true,
  "CertificateOptions": {"CertType": "pem_file", "FilePath": "$dir/server.crt", "KeyFilePath": "$dir/server.key"}
}
C
}
sql() { find_documentdb && PGCONNECT_TIMEOUT=5 "$bin/psql" -XAtq -v ON_ERROR_STOP=1 -h 127.0.0.1 -p "$(port pg_port)" -U postgres -d postgres -c "$1"; }
answers() { sql 'select 1' >/dev/null 2>&1; }

# With the versions, which the gateway does not tell its clients.
server_url() {
    local version
    version=$(versions | sed 's/ /%20/g')
    echo "mongodb://hoap:hoap-secret@localhost:$(port)/hoap?tls=true&tlsCAFile=$dir/ca.crt&documentdb_version=$version"
}
versions() {
    echo "$(sql "select extversion from pg_extension where extname = 'documentdb'"), PostgreSQL $(sql 'show server_version' |
        sed 's/ .*//')"
}
# {hello: 1, $db: "admin"} through the gateway, and a statement of the extension in PostgreSQL.
server_ready() {
    sql "select count(*) from documentdb_api.list_databases('{\"listDatabases\": 1}')" || return
    local hello='\x1f\0\0\0\x10hello\0\x01\0\0\0\x02$db\0\x06\0\0\0admin\0\0'
    # shellcheck disable=SC2059
    grep -qa isdbgrid < <(timeout 5 openssl s_client -quiet -connect "127.0.0.1:$(port)" -CAfile "$dir/ca.crt" 2>/dev/null \
        < <(printf "\x34\0\0\0\x01\0\0\0\0\0\0\0\xdd\x07\0\0\0\0\0\0\0$hello" && exec sleep 1))
}
server_write() { sql "select documentdb_api.insert_one('hoap', 'selftest', '{\"_id\": \"$1\"}')" >/dev/null; }
server_read() {
    sql "set documentdb_core.bsonUseEJson to on; select document from documentdb_api.collection('hoap', 'selftest')" |
        grep -o 'selftest-[0-9]*'
}
server_version() {
    echo "DocumentDB $(versions)"
}
