#!/bin/sh
# A stage with a state for each key, whose keys workers behind a NATS server have: workers, the server and home are killed, and the output is that of a run without
# any of this.
. "$(dirname "$0")/begin.sh"
export WADI_CACHE_DIR="$dir/cache"
mkdir -m 700 cache
. "$(dirname "$0")/../keyed_job.sh"

at=nats://127.0.0.1:$port
worker() { # JOB
    "$wadi" work "$at/$1" --threads 1 --stay >>worker.log 2>&1 3>&- &
    last=$!
    pids="$pids $last"
}

# ---- workers are killed wherever they are, and the server once ----
serve
mkfifo pipe
exec 3<>pipe
worker kills
one=$last
worker kills
two=$last
$run s=@pipe --via "$at/kills?ack=1" --workers 2 >said 2>&1 3>&- &
home=$!
pids="$pids $home"
head -c 200 all >&3
shared() {
    kill -0 $home 2>/dev/null || return 0
    "$wadi" top --json $home >seen 2>&1
    grep -q '"stages": \[.*"1.1".*"1.2"' seen
}
minutes=2
until_that shared
kills=0
while [ $kills -lt 20 ]; do
    tail -c +$((201 + 15 * kills)) all | head -c 15 >&3
    sleep 0.0$((kills * 7 % 10))
    kill -9 "$one"
    one=$two
    [ $kills -eq 7 ] && serve_again 3>&-
    worker kills
    two=$last
    kills=$((kills + 1))
done
exec 3>&-
wait $home || wrong "killed workers: $(cat said)"
same "killed workers"

# ---- home is killed, and goes on ----
worker state
i=0
while [ $i -lt 30 ]; do
    before=$(ls -i kept/state 2>/dev/null)
    $run s=@all --via "$at/state?ack=1" --workers 1 --state kept --every 0.05 >said 2>&1 &
    home=$!
    pids="$pids $home"
    saved() { ! kill -0 $home 2>/dev/null || [ "$(ls -i kept/state 2>/dev/null)" != "$before" ]; }
    if [ $i -lt 3 ]; then
        until_that saved
        kill -9 $home 2>/dev/null
    fi
    wait $home && break
    i=$((i + 1))
done
[ $i -lt 30 ] || wrong "a home that goes on: $(cat said)"
same "a home that goes on"
exit $failed
