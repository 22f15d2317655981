# What tests of several programs begin with: they source it, and are in an empty folder then. At the end what still runs is ended, also what was stopped.
# shellcheck shell=sh
set -u
wadi=$WADI_BUILD/cli/wadi
dir=$(mktemp -d)
stopped= # processes
finish() {
    for p in $stopped; do kill -CONT "$p" 2>/dev/null; done
    jobs -p >"$dir/jobs"
    while read -r p; do kill "$p" 2>/dev/null; done <"$dir/jobs"
    rm -rf "$dir"
}
trap finish EXIT
cd "$dir" || exit 1
export XDG_CACHE_HOME="$dir/cache"
unset WADI_TOKEN
failed=0
wrong() {
    echo "$1"
    failed=1
}
says() { grep -q -- "$2" "$1" || wrong "no \"$2\" in: $(cat "$1")"; }
