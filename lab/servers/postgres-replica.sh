# shellcheck shell=bash
# A streaming replica of this lab's postgres, which is brought up first: a hot standby, fed through the replication slot
# hoap_replica. Same users, same settings, a port of its own.
# shellcheck source=lab/servers/postgres.sh
. "$lab/servers/postgres.sh"
needs=postgres
slot=hoap_replica
primary=$LAB_RUN/postgres

server_start() {
    if [ ! -f "$dir/made" ]; then
        cp "$primary/ca.crt" "$dir/"
        on_primary superuser_sql "select pg_create_physical_replication_slot('$slot', true) where not exists
            (select from pg_replication_slots where slot_name = '$slot')" >>"$dir/log" 2>&1 || return
        copy_primary >>"$dir/log" 2>&1 || return
        settings
        echo "primary_conninfo = 'postgres://hoap_replication@127.0.0.1:$(cat "$primary/port")'
primary_slot_name = '$slot'" >>"$dir/data/lab.conf"
        touch "$dir/data/standby.signal" "$dir/made"
        own "$dir/data"
    fi
    start_postgres
}
# copy_primary: the copy is taken while the primary works, which puts into backup_label from where its log is to be
# replayed. Files may go meanwhile. npm's package has no pg_basebackup.
copy_primary() {
    rm -rf "$dir/data"
    PGCONNECT_TIMEOUT=5 psql -XAtq -v ON_ERROR_STOP=1 "$(cat "$primary/superuser_url")" <<C &&
select pg_backup_start('$name', true);
\\! cp -a "$primary/data" "$dir/data"
\\o $dir/backup_label
select labelfile from pg_backup_stop(false);
C
        rm -rf "$dir/data"/{postmaster.pid,pg_wal,pg_replslot} &&
        mkdir -m 700 "$dir/data"/{pg_wal,pg_replslot} && mv "$dir/backup_label" "$dir/data/"
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
