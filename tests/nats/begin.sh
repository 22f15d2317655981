# What tests of jobs on a NATS server begin with: they source it, and are in an empty folder then. Whoever has no server or no module is skipped.
# shellcheck shell=sh
set -u
wadi=$WADI_BUILD/cli/wadi
server=/usr/sbin/nats-server
if [ ! -x $server ] || ! "$wadi" version | grep -q 'module *nats.*libnats'; then
    echo "skipped: nats-server or the module nats is not installed"
    exit 77
fi
dir=$(mktemp -d)
pids= # what is ended at the end
finish() {
    for p in $pids; do kill -9 "$p" 2>/dev/null; done
    wait 2>/dev/null
    rm -rf "$dir"
}
trap finish EXIT
cd "$dir" || exit 1
unset WADI_TOKEN
port=$("$WADI_BUILD/tests/keep_port" $$) || exit 1 # of its server; nobody else has it before the test ends
failed=0
wrong() {
    echo "$1"
    failed=1
}
says() { grep -q -- "$2" "$1" || wrong "no \"$2\" in: $(cat "$1")"; }

# until_that COMMAND...: for a minute at most, or $minutes; longer where the command takes long, but then it says so before the test is ended
minutes=1
until_that() {
    tries=0
    last_try=$(($(date +%s) + 600))
    until "$@" || [ $tries -ge $((600 * minutes)) ]; do
        [ "$(date +%s)" -lt $last_try ] || tries=$((600 * minutes))
        tries=$((tries + 1))
        sleep 0.1
    done
    [ $tries -lt $((600 * minutes)) ] || { echo "never: $*"; head -50 ./*.log said seen 2>/dev/null; exit 1; }
}

# serve: begins a server, $nats, with what the one before has left. One of 2.9.10 that is asked for a job while it still begins may crash.
serve() {
    : >>server.log
    begun=$(grep -c 'Server is ready' server.log)
    $server -a 127.0.0.1 -p "$port" --jetstream --store_dir "$dir/jobs" >>server.log 2>&1 &
    nats=$!
    pids="$pids $nats"
    n=0
    until [ "$(grep -c 'Server is ready' server.log)" -gt "$begun" ] && "$wadi" job ls "nats://127.0.0.1:$port" >/dev/null 2>&1; do
        n=$((n + 1))
        [ $n -lt 1200 ] && kill -0 $nats 2>/dev/null || { cat server.log; exit 1; }
        sleep 0.05
    done
}

# serve_again: kills the server, and begins another
serve_again() {
    kill -9 "$nats"
    wait "$nats" 2>/dev/null
    serve
}
