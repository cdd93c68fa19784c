#!/usr/bin/env bash
# Puts each fault of faults/ into the code and runs the test that is said to catch it: run.sh [--baseline] [WORD…].
# A word is a fault's number or a part of its name; without one all are run. With --baseline the tests run on the code
# as it is and must pass.
#
# Works on HEAD in a clone of its own under $MUTATION_DIR (default: hoap-mutation in the folder of temporary files) with
# the target folder $CARGO_TARGET_DIR (default: target in that folder). results.tsv there has what was found; a fault
# that was caught in the same code by the same tests is not run again. Exit 1: one was not caught.
set -euo pipefail
cd "$(dirname "$0")"
faults=$PWD/faults top=$(git rev-parse --show-toplevel)
work=${MUTATION_DIR:-${TMPDIR:-/tmp}/hoap-mutation}
tree=$work/tree results=$work/results.tsv log=$work/log
mkdir -p "$work"
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$work/target} LAB_RUN=$work/lab
# As in ./test.
export JDK_JAVA_OPTIONS="${JDK_JAVA_OPTIONS:+$JDK_JAVA_OPTIONS }-XX:TieredStopAtLevel=1"

baseline=no words=()
for word in "$@"; do
    if [ "$word" = --baseline ]; then baseline=yes; else words+=("$word"); fi
done
chosen() {
    local word
    [ ${#words[@]} -gt 0 ] || return 0
    for word in "${words[@]}"; do
        [[ $1 != "$word"-* && ($word != *[!0-9]* || $1 != *"$word"*) ]] || return 0
    done
    return 1
}

exec 9>"$work/lock"
flock -n 9 || { echo "mutation: another run works in $work; wait for it or set MUTATION_DIR" >&2; exit 2; }
[ -d "$tree" ] || git clone -q --shared "$top" "$tree"
# Only files that differ are written, so that cargo builds no more than it must.
git -C "$tree" fetch -q "$top" HEAD
git -C "$tree" checkout -qf --detach FETCH_HEAD
# Those of ./test. Without the library, faults in DuckDB do not build.
features=$(cat "$tree/.ci/features")
if library=$("$tree/lab/duckdb" 2>>"$work/lab.log"); then
    eval "$library"
    features+=,hoap/duckdb
fi
code=$(git -C "$tree" rev-parse HEAD:crates HEAD:databases HEAD:benchmarks HEAD:Cargo.toml HEAD:Cargo.lock | sha256sum)

server=-
take_down() {
    [ "$server" = - ] || "$tree/lab/down" >>"$work/lab.log" 2>&1 || true
    server=-
}
# shellcheck disable=SC2317 # called by the trap
end() {
    git -C "$tree" checkout -qf -- . || true
    take_down
}
trap end EXIT
trap 'exit 130' INT TERM HUP

bring_up() { # bring_up SERVER
    [ "$1" != - ] && [ "$1" != "$server" ] || return 0
    take_down
    server=$1
    "$tree/lab/up" "$1" >>"$work/lab.log" 2>&1 9>&- || return 1
    eval "$("$tree/lab/env")"
}

# try PACKAGE TARGET TEST SERVER: builds that target alone and runs the tests whose names end so, whatever modules they are
# in. Sets `found`.
try() {
    local target=() test=$3 cargo=() names=() status=0
    read -ra target <<<"$2"
    # Beside `hoap` every package has the features of dependencies that ./test builds, so a target folder serves both.
    cargo=(cargo test --profile ci --locked -p "$1" -p hoap --features "$features" "${target[@]}")
    cd "$tree"
    "${cargo[@]}" --no-run >"$log" 2>&1 9>&- || { found="does not build" && return; }
    "${cargo[@]}" -- --list --format terse >"$work/list" 2>>"$log" 9>&- || { found="has no list of tests" && return; }
    mapfile -t names < <(sed -n 's/: test$//p' "$work/list" | grep -E "(^|::)$test\$")
    [ ${#names[@]} -gt 0 ] || { found="is in no module of that program" && return; }
    bring_up "$4" || { found="has no server $4 ($work/lab.log)" && return; }
    timeout "${MUTATION_SECONDS:-900}" "${cargo[@]}" -- --exact "${names[@]}" >>"$log" 2>&1 9>&- || status=$?
    case $status in
    0) found=passes ;;
    124) found=hangs ;;
    # A program that dies before its last line is no test that fails.
    *) found="$(grep -q '^test result: FAILED' "$log" && echo fails || echo "ends without a result")" ;;
    esac
}

say() { printf '%-42s %-14s %s\n' "$1" "$2" "$3"; }
patches=$(cut -f1 "$faults/index.tsv" | grep -v '^#' | uniq)
for file in "$faults"/*.patch; do
    name=$(basename "$file" .patch)
    grep -qx "$name" <<<"$patches" || { echo "mutation: $name is not in index.tsv" >&2; exit 2; }
done
caught=0 uncaught=0 stale=0 unbuilt=0
touch "$results"
for name in $patches; do
    chosen "$name" || continue
    patch=$faults/$name.patch rows=$(grep -P "^$name\t" "$faults/index.tsv")
    key=$({ echo "$code $rows"; cat "$patch"; } | sha256sum | cut -c1-16)
    if [ $baseline = no ] && known=$(grep -P "^$name\t$key\tcaught\t" "$results" | tail -n 1) && [ -n "$known" ]; then
        say "$name" caught "$(cut -f4 <<<"$known") (before)"
        caught=$((caught + 1))
        continue
    fi
    verdict="not caught" by='' began=$SECONDS
    if [ $baseline = yes ]; then
        verdict=passes
    elif git -C "$tree" apply --check "$patch" 2>"$log"; then
        git -C "$tree" apply "$patch"
    else
        verdict="does not apply" by=$(head -n 1 "$log") rows=
        echo "mutation: $name DOES NOT APPLY any more: make it anew" >&2
    fi
    # Of several tests that may catch it the first that does is enough.
    while [ -n "$rows" ] && IFS=$'\t' read -r _ package target test needs; do
        try "$package" "$target" "$test" "$needs" </dev/null
        by+="${by:+; }$package $target $test $found"
        case $baseline,$found in
        *,"does not build") verdict=$found ;;
        yes,passes) ;;
        yes,*) verdict="not caught" ;;
        no,fails) verdict=caught && break ;;
        esac
    done <<<"$rows"
    git -C "$tree" checkout -qf -- .
    case $verdict in
    caught | passes) caught=$((caught + 1)) ;;
    "not caught") uncaught=$((uncaught + 1)) && cp "$log" "$work/$name.log" 2>/dev/null || true ;;
    "does not apply") stale=$((stale + 1)) ;;
    "does not build") unbuilt=$((unbuilt + 1)) && cp "$log" "$work/$name.log" ;;
    esac
    [ $baseline = yes ] || printf '%s\t%s\t%s\t%s\t%s\n' "$name" "$key" "$verdict" "$by" "$((SECONDS - began)) s" >>"$results"
    say "$name" "$verdict" "$by, $((SECONDS - began)) s"
done
if [ $baseline = yes ]; then
    echo "$caught pass, $uncaught do not pass, $unbuilt do not build"
else
    echo "$caught caught, $uncaught not caught, $stale do not apply, $unbuilt do not build"
fi
[ $((uncaught + stale + unbuilt)) = 0 ]
