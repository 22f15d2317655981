# What tests of streams of messages begin with, behind begin.sh: a cache of kernels, the address of the server, and the client that has nothing of wadi (tests/jet_messages.c).
# shellcheck shell=sh
export WADI_CACHE_DIR="$dir/cache"
mkdir -m 700 cache
at=nats://127.0.0.1:$port
client() { "$WADI_BUILD/tests/jet_messages" "$port" "$@"; } # it may fail
jm() { client "$@" || wrong "jet_messages $* fails"; }
drawn() { echo $((1 + $(od -An -tu4 -N4 /dev/urandom) % $1)); } # a number from 1 to $1
numbers() { od -An -td8 -w8 -v "$1" | tr -s ' \n' ' '; }
# patient COMMAND..: again if a busy machine has not let it connect in time
patient() {
    for _ in 1 2 3 4 5 6 7 8; do
        "$@" 2>said && return 0
        grep -q 'there is no connection' said || return 1
    done
    return 1
}
refused() { run "$@" >seen && wrong "no failure of: $*"; } # run is the script's

# ---- runs from IN to OUT that are killed: start is the script's, and sets $run ----
last() { client last OUT 2>/dev/null || echo 0; }
grown() { [ "$(last)" -ge "$goal" ] || ! kill -0 $run 2>/dev/null; }
# others publish to another subject of OUT
others() {
    while :; do
        client put out.other 0 20 2>/dev/null
        sleep 0.05
    done &
    pids="$pids $!"
}
