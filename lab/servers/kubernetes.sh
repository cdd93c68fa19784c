# shellcheck shell=bash
# Kubernetes of one node, n1: etcd, containerd and runc of Debian, and Kubernetes' own programs, which are one file:
# LAB_KUBERNETES, compressed by zstd; see docs/lab.md. They run in a network and a mount namespace of their own, so that
# their ports, addresses and kernel settings are nobody else's. The "URL" is a program that enters it:
#   URL kubectl get pods          URL image NAME PROGRAM    makes docker.io/library/NAME:lab of a program and brings it in
# State is kept: objects outlive a restart, running pods do not.
up_seconds=120
kubernetes=$LAB_HOME/kubernetes
address=10.77.0.1
# The group of its pods: another kubelet of this machine would end what is in its own and it does not know.
control_group=hoap-lab-$(cksum <<<"$dir" | cut -d' ' -f1)

server_install() {
    local archive=${LAB_KUBERNETES:-$LAB_HOME/hyperkube.zst}
    if [ ! -x "$kubernetes" ]; then
        [ -f "$archive" ] || cannot "is on no registry: LAB_KUBERNETES names its compressed program (docs/lab.md)"
        tool zstd zstd
        zstd -dqfo "$kubernetes.new" "$archive" && chmod +x "$kubernetes.new" && mv "$kubernetes.new" "$kubernetes" ||
            failed "cannot unpack $archive"
    fi
    [ "$(id -u)" = 0 ] || cannot "needs namespaces and control groups, as root"
    command -v cc >/dev/null || cannot "needs a C compiler, for the first process of a pod"
    command -v etcd >/dev/null || apt_install etcd etcd-server
    command -v containerd >/dev/null || apt_install containerd containerd
    tool runc runc
    [ -x /usr/lib/cni/bridge ] || apt_install - containernetworking-plugins
    tool ip iproute2
    tool iptables iptables
    tool openssl openssl
    tool busybox busybox-static
}
server_start() {
    local program
    mkdir -p "$dir"/{bin,cni,containerd,etcd,images,kubelet}
    for program in kube-apiserver kube-controller-manager kube-scheduler kubelet kubectl; do
        ln -sf "$kubernetes" "$dir/bin/$program"
    done
    alive 1 || { end_stragglers && new_namespace; } || return
    control_groups
    certificates
    [ -s "$dir/accounts.key" ] || (umask 077 && openssl genrsa -out "$dir/accounts.key" 2048 2>/dev/null) || return
    # One user with every right, whose token is in a file: the API is on loopback of the namespace.
    [ -s "$dir/tokens.csv" ] || (umask 077 && echo "$(openssl rand -hex 16),admin,1,system:masters" >"$dir/tokens.csv")
    configurations
    alive 2 || inside 2 etcd --data-dir "$dir/etcd" --unsafe-no-fsync --listen-client-urls http://127.0.0.1:2379 \
        --advertise-client-urls http://127.0.0.1:2379 --listen-peer-urls http://127.0.0.1:2380
    alive 3 || inside 3 "$dir/bin/kube-apiserver" --etcd-servers http://127.0.0.1:2379 --bind-address 127.0.0.1 \
        --secure-port 6443 --advertise-address $address --endpoint-reconciler-type none \
        --service-cluster-ip-range 10.96.0.0/24 --tls-cert-file "$dir/server.crt" --tls-private-key-file \
        "$dir/server.key" --token-auth-file "$dir/tokens.csv" --kubelet-preferred-address-types InternalIP \
        --authorization-mode RBAC --service-account-issuer https://kubernetes.default.svc \
        --service-account-key-file "$dir/accounts.key" --service-account-signing-key-file "$dir/accounts.key"
    await api_answers || return
    alive 4 || inside 4 "$dir/bin/kube-controller-manager" --kubeconfig "$dir/kubeconfig" --leader-elect=false \
        --bind-address 127.0.0.1 --service-account-private-key-file "$dir/accounts.key" --root-ca-file "$dir/ca.crt"
    alive 5 || inside 5 "$dir/bin/kube-scheduler" --kubeconfig "$dir/kubeconfig" --leader-elect=false \
        --bind-address 127.0.0.1
    alive 6 || inside 6 containerd -c "$dir/containerd.toml"
    await "$dir/in" ctr -a "$dir/containerd.sock" version || return
    [ -f "$dir/images/pause.tar" ] || pause_image || return
    alive 7 || inside 7 "$dir/bin/kubelet" --config "$dir/kubelet.yaml" --kubeconfig "$dir/kubeconfig" \
        --root-dir "$dir/kubelet" --hostname-override n1 --node-ip $address
}
inside() { # inside NODE COMMAND…: as spawn, in the namespaces
    local node=$1
    shift
    spawn "$node" nsenter -t "$(head -n 1 "$dir/pid")" -m -n "$@"
}

# Process 1 holds the namespaces. The kernel settings that a kubelet would change are files there.
new_namespace() {
    spawn 1 unshare --mount --net sleep infinity
    cat >"$dir/in" <<C
#!/bin/bash
export KUBECONFIG=$dir/kubeconfig PATH=$dir/bin:\$PATH LC_ALL=C.UTF-8
[ "\$1" != image ] || set -- bash "$lab/servers/kubernetes-image" "$dir" "\${@:2}"
exec nsenter -t \$(head -n 1 "$dir/pid") -m -n "\$@"
C
    chmod +x "$dir/in"
    await "$dir/in" ip link set lo up || return
    "$dir/in" bash -eu -c '
        cd "$0"
        ip link add hoap1 type veth peer name hoap2
        ip link set hoap2 up
        ip addr add '$address'/24 dev hoap1
        ip link set hoap1 up
        ip route add default via 10.77.0.2
        mount --make-rshared /
        while read -r key value; do
            mkdir -p settings && echo "$value" >"settings/${key//\//.}"
            mount --bind "settings/${key//\//.}" "/proc/sys/$key"
        done <<S
vm/overcommit_memory 1
vm/panic_on_oom 0
kernel/panic 10
kernel/panic_on_oops 1
kernel/keys/root_maxkeys 1000000
kernel/keys/root_maxbytes 25000000
S' "$dir" >>"$dir/log" 2>&1
}

control_groups() {
    local folders=(/sys/fs/cgroup) folder
    [ -f /sys/fs/cgroup/cgroup.controllers ] || folders=(/sys/fs/cgroup/*/)
    for folder in "${folders[@]}"; do
        [ ! -f "$folder/cgroup.procs" ] || mkdir -p "$folder/$control_group"
    done
}

configurations() {
    cat >"$dir/kubeconfig" <<C
apiVersion: v1
kind: Config
clusters: [{name: lab, cluster: {server: "https://127.0.0.1:6443", certificate-authority: $dir/ca.crt}}]
users: [{name: admin, user: {token: $(cut -d, -f1 "$dir/tokens.csv")}}]
contexts: [{name: lab, context: {cluster: lab, user: admin}}]
current-context: lab
C
    chmod 600 "$dir/kubeconfig"
    cat >"$dir/cni/pods.conflist" <<C
{"cniVersion": "0.4.0", "name": "pods", "plugins": [{"type": "bridge", "bridge": "hoap0", "isGateway": true,
 "ipMasq": false, "ipam": {"type": "host-local", "ranges": [[{"subnet": "10.244.0.0/24"}]],
 "routes": [{"dst": "0.0.0.0/0"}], "dataDir": "$dir/cni/state"}}]}
C
    cat >"$dir/containerd.toml" <<C
version = 2
root = "$dir/containerd/root"
state = "$dir/containerd/state"
oom_score = 0
[grpc]
  address = "$dir/containerd.sock"
[ttrpc]
  address = "$dir/containerd.ttrpc"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "docker.io/library/pause:lab"
  restrict_oom_score_adj = true
  disable_apparmor = true
  disable_hugetlb_controller = true
  tolerate_missing_hugetlb_controller = true
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$dir/cni"
C
    cat >"$dir/kubelet.yaml" <<C
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: $address
authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
authorization: {mode: AlwaysAllow}
containerRuntimeEndpoint: unix://$dir/containerd.sock
cgroupDriver: cgroupfs
cgroupRoot: /$control_group
enforceNodeAllocatable: []
failSwapOn: false
failCgroupV1: false
oomScoreAdj: 0
localStorageCapacityIsolation: false
evictionHard: {memory.available: 100Mi, nodefs.available: 1%, imagefs.available: 1%}
imageGCHighThresholdPercent: 100
makeIPTablesUtilChains: false
resolvConf: ""
readOnlyPort: 0
healthzPort: 0
C
}

# The first process of every pod: it waits, and reaps what is left behind in the pod.
pause_image() {
    mkdir -p "$dir/images/pause" && cc -Os -static -s -x c -o "$dir/images/pause/pause" - <<'C' || return
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>
static void end(int s) { (void)s; _exit(0); }
static void reap(int s) { (void)s; while (waitpid(-1, NULL, WNOHANG) > 0); }
int main(void) { signal(SIGINT, end); signal(SIGTERM, end); signal(SIGCHLD, reap); for (;;) pause(); }
C
    "$dir/in" image pause "$dir/images/pause/pause" >>"$dir/log" 2>&1
}

server_url() { echo "$dir/in"; }
api_answers() { "$dir/in" kubectl get --raw /readyz; }
server_ready() { "$dir/in" kubectl get node n1 | grep -qw Ready && "$dir/in" kubectl get serviceaccount default; }
server_write() { "$dir/in" kubectl create configmap lab --from-literal="text=$1" >/dev/null; }
server_read() { "$dir/in" kubectl get configmap lab -o jsonpath='{.data.text}'; }
server_version() { "$dir/in" kubectl version | sed -n 's/^Server Version: v/Kubernetes /p'; }
# What was started here, and the containers' processes, which are children of it: their environment is their own.
server_stragglers() {
    local pid
    for pid in $(marked); do
        echo "$pid"
        cat "/proc/$pid/task"/*/children 2>/dev/null | tr ' ' '\n'
    done | awk 'NF && !seen[$1]++ { print $1 }'
}
# Mounts of pods go with the namespace, their control groups do not.
server_removed() {
    find /sys/fs/cgroup -depth -type d -path "*/$control_group*" -exec rmdir {} + 2>/dev/null
    return 0
}
