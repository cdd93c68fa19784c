# shellcheck shell=bash
# Three Redis 7.0 masters as one cluster. Append-only files, no replicas, no users.
program=redis-server cli=redis-cli nodes=3

server_install() { command -v $program >/dev/null || apt_install redis-server redis-server; }
server_start() {
    local i
    for ((i = 1; i <= nodes; i++)); do
        mkdir -p "$dir/node$i"
        node_port "$i" >/dev/null
        configure "$i" >"$dir/node$i/conf"
        alive "$i" || spawn "$i" "$program" "$dir/node$i/conf"
    done
    [ -f "$dir/made" ] || make_cluster >>"$dir/log" 2>&1
}
# The first node's port is the server's.
node_port() { if [ "$1" = 1 ]; then port; else port "port-$1"; fi; }
configure() {
    cat <<C
bind 127.0.0.1
port $(node_port "$1")
dir "$dir/node$1"
appendonly yes
cluster-enabled yes
cluster-config-file nodes.conf
cluster-port $(port "cluster_port-$1")
cluster-node-timeout 2000
C
}
make_cluster() {
    local i end=$((SECONDS + 20)) addresses=()
    for ((i = 1; i <= nodes; i++)); do
        addresses+=("127.0.0.1:$(node_port "$i")")
        until ask "$(node_port "$i")" ping | grep -qx PONG; do
            all_alive && [ $SECONDS -lt $end ] || return
            sleep 0.05
        done
    done
    "$cli" --cluster create "${addresses[@]}" --cluster-yes && touch "$dir/made"
}

server_url() { echo "redis://127.0.0.1:$(port)?cluster=true"; }
ask() { timeout 5 "$cli" -h 127.0.0.1 -p "$@"; }
# Ready is when every node knows every other one, and writes go to whichever has the slot.
server_ready() {
    local i info
    for ((i = 1; i <= nodes; i++)); do
        info=$(ask "$(node_port "$i")" cluster info) && [[ $info == *cluster_state:ok* ]] &&
            [[ $info == *cluster_known_nodes:$nodes* ]] || return
        ask "$(node_port 1)" -c set "hoap-lab-$i" ready ex 1 | grep -qx OK || return
    done
}
server_write() { ask "$(port)" -c set selftest "$1" >/dev/null; }
server_read() { ask "$(port)" -c get selftest; }
server_version() { "$program" --version | sed "s/ server v=/ /; s/ sha=.*//"; }
