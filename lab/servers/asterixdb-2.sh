# shellcheck shell=bash
# AsterixDB with two nodes, otherwise as servers/asterixdb.sh.
# shellcheck source=lab/servers/asterixdb.sh
. "$lab/servers/asterixdb.sh"
nodes=2
