# shellcheck shell=bash
# Slurm of Debian: munged, slurmctld and four slurmd, which are four nodes of a CPU each. Its "URL" is the configuration
# file, for SLURM_CONF. State is kept: jobs that wait outlive a restart.
nodes=4

server_install() {
    command -v munged >/dev/null || apt_install munge munge
    command -v slurmctld >/dev/null || apt_install slurmctld slurmctld
    command -v slurmd >/dev/null && command -v sbatch >/dev/null || apt_install slurmd slurmd slurm-client
}
server_start() {
    local i
    mkdir -p "$dir/munge" "$dir/state" "$dir/spool"
    chmod 700 "$dir/munge"
    [ -s "$dir/munge/key" ] || (umask 077 && head -c 1024 /dev/urandom >"$dir/munge/key") || return
    configuration >"$dir/slurm.conf"
    # --force: munged wants no folder of its socket's path to be writable for others, which /tmp is.
    alive 1 || spawn 1 munged --foreground --force --key-file="$dir/munge/key" --socket="$dir/munge.sock" \
        --pid-file="$dir/munge/pid" --log-file="$dir/munge/log" --seed-file="$dir/munge/seed" --num-threads=2
    alive 2 || spawn 2 slurmctld -D -f "$dir/slurm.conf"
    for ((i = 1; i <= nodes; i++)); do
        mkdir -p "$dir/spool/n$i"
        alive $((i + 2)) || spawn $((i + 2)) slurmd -D -f "$dir/slurm.conf" -N "n$i"
    done
}
# NoInAddrAny: sockets are bound to the address of their node, not to all. A node declares less than the machine has, so
# that four fit into any.
configuration() {
    local i user host
    user=$(id -un) host=$(uname -n)
    cat <<C
ClusterName=hoap-lab
SlurmctldHost=${host%%.*}(127.0.0.1)
SlurmctldPort=$(port)
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$dir/munge.sock
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool/%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,bf_interval=1
ReturnToService=2
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
C
    for ((i = 1; i <= nodes; i++)); do
        echo "NodeName=n$i NodeHostname=${host%%.*} NodeAddr=127.0.0.1 Port=$(port "port-$i") CPUs=1 RealMemory=500"
    done
}

server_url() { echo "$dir/slurm.conf"; }
slurm() { SLURM_CONF=$dir/slurm.conf timeout 10 "$@"; }
# Ready is when all nodes have registered and answer, whether or not jobs run on them.
server_ready() {
    local n
    n=$(slurm sinfo -h -N -r -t idle,alloc,mix,comp -o %N) && [ "$(wc -l <<<"$n")" = $nodes ]
}
# A job that is held, with the text as its name. slurmctld writes its state every few seconds.
server_write() {
    local _
    slurm sbatch --hold --parsable --job-name="$1" --output=/dev/null --wrap true >/dev/null || return
    for _ in {1..200}; do
        grep -qaF "$1" "$dir/state/job_state" 2>/dev/null && return
        sleep 0.1
    done
    return 1
}
server_read() { slurm squeue -h -t pending -o %j; }
server_version() { slurmctld -V | sed 's/^slurm-wlm/Slurm/'; }
