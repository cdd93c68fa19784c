# shellcheck shell=bash
# AsterixDB 0.9.10 as it was before its release, which stores datasets as rows or as columns and knows ANALYZE; otherwise
# as servers/asterixdb.sh. LAB_ASTERIXDB_COLUMN is the archive of its build, of one folder asterixdb; see docs/lab.md.
# shellcheck source=lab/servers/asterixdb.sh
. "$lab/servers/asterixdb.sh"
version=0.9.10-SNAPSHOT
home=$LAB_HOME/asterixdb-column
# The archive lacks what the planner calls on a dataset with statistics.
CLASSPATH_PREFIX=$(java_home commons-collections)/commons-collections-3.2.2.jar
export CLASSPATH_PREFIX

server_install() {
    local archive=${LAB_ASTERIXDB_COLUMN:-$LAB_HOME/asterixdb-column.tar.zst} new=$LAB_HOME/asterixdb-column.new
    if [ ! -d "$home" ]; then
        [ -f "$archive" ] || cannot "is on no registry: LAB_ASTERIXDB_COLUMN names the archive of its build (docs/lab.md)"
        tool zstd zstd
        rm -rf "$new" && mkdir -p "$new" && zstd -dc "$archive" | tar -C "$new" -xf - asterixdb &&
            mv "$new/asterixdb" "$home" && rm -rf "$new" || failed "$archive is no archive of AsterixDB's build"
    fi
    java_install commons-collections && asterixdb_tools
}
