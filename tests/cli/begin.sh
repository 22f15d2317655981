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
# kill_saved PROCESS INODE: kills it when it has saved something in `kept` (whose state was that before), if it has not ended
kill_saved() {
    tries=0
    while kill -0 "$1" 2>/dev/null && [ "$(ls -i kept/state 2>/dev/null)" = "$2" ] && [ $tries -lt 3000 ]; do
        tries=$((tries + 1))
        sleep 0.02
    done
    kill -9 "$1" 2>/dev/null
}
says() { grep -q -- "$2" "$1" || wrong "no \"$2\" in: $(cat "$1")"; }
