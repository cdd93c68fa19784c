# shellcheck shell=bash
# Valkey 8 of Debian's backports, from a list of packages of the lab's own: apt's configuration stays as it is.
# Everything else is as in servers/redis.sh.
# shellcheck source=lab/servers/redis.sh
. "$lab/servers/redis.sh"
program=valkey-server cli=valkey-cli

server_install() {
    command -v $program >/dev/null || valkey_packages || return
    tool openssl openssl
}
valkey_packages() {
    local lists=$LAB_HOME/backports
    grep -qs '^VERSION_CODENAME=bookworm' /etc/os-release || cannot "has packages for Debian 12 only; install $program"
    mkdir -p "$lists/parts" "$lists/lists/partial"
    cp -f /etc/apt/sources.list.d/debian.sources "$lists/parts/" 2>/dev/null
    echo 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian bookworm-backports main' \
        >"$lists/parts/backports.list"
    apt_options=(-o "Dir::Etc::SourceParts=$lists/parts" -o "Dir::State::Lists=$lists/lists" -t bookworm-backports)
    apt_install valkey-server valkey-server
}
