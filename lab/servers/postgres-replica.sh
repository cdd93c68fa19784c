# shellcheck shell=bash
# A streaming replica of this lab's postgres, which is brought up first: a hot standby made by pg_basebackup, fed
# through the replication slot hoap_replica. Same users, same settings, a port of its own.
# shellcheck source=lab/servers/postgres.sh
. "$lab/servers/postgres.sh"
needs=postgres
slot=hoap_replica
primary=$LAB_RUN/postgres

server_install() { find_postgres; }
server_start() {
    find_postgres
    if [ ! -f "$dir/made" ]; then
        cp "$primary/ca.crt" "$dir/"
        rm -rf "$dir/data" && mkdir -m 700 "$dir/data" && own "$dir/data" || return
        on_primary superuser_sql "select pg_create_physical_replication_slot('$slot') where not exists
            (select from pg_replication_slots where slot_name = '$slot')" >>"$dir/log" 2>&1 || return
        as_postgres "$bin/pg_basebackup" --no-sync -D "$dir/data" -S "$slot" -R -c fast -X stream \
            -d "postgres://hoap_replication@127.0.0.1:$(cat "$primary/port")" >>"$dir/log" 2>&1 || return
        settings
        touch "$dir/made"
    fi
    start_postgres
}
on_primary() { (dir=$primary && "$@"); }
# Ready is a standby that follows its primary.
server_ready() {
    sql 'select pg_is_in_recovery()' | grep -qx t &&
        on_primary superuser_sql "select active from pg_replication_slots where slot_name = '$slot'" | grep -qx t
}
# What is written on the primary is read here; "remote_apply" is not asked for, so it may take a moment.
server_write() { on_primary sql "create table if not exists replicated (t text); insert into replicated values ('$1')"; }
server_read() {
    local _
    for _ in {1..100}; do
        sql 'select t from replicated' 2>/dev/null | grep . && return
        sleep 0.1
    done
}
server_removed() {
    on_primary all_alive || return 0
    on_primary superuser_sql "select pg_drop_replication_slot(slot_name) from pg_replication_slots
        where slot_name = '$slot'" >/dev/null
}
