# shellcheck shell=bash
# Three nodes of Cassandra on 127.0.0.1, 127.0.0.2 and 127.0.0.3; otherwise as servers/cassandra.sh.
# shellcheck source=lab/servers/cassandra.sh
. "$lab/servers/cassandra.sh"
nodes=3 heap=${LAB_HEAP:-512m} up_seconds=420
