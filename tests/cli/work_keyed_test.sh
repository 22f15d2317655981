#!/bin/sh
# A stage with a state for each key, whose keys workers in processes of their own have: what a run without workers gives, whatever happens to them, and to home.
. "$(dirname "$0")/begin.sh"
. "$(dirname "$0")/../keyed_job.sh"

at=ipc://$dir/q
worker() { # in the background; its process is $last
    "$wadi" work "$at" --threads 1 --wait 60 2>>worker 3>&- &
    last=$!
}

# ---- nobody comes ----
timeout 300 $run s=@all --via "$at" 2>said || wrong "no worker: $(cat said)"
same "no worker"

# ---- four of them, over TCP ----
port=$("$WADI_BUILD/tests/keep_port" $$) || exit 1 # nobody else has it before the test ends
at=tcp://127.0.0.1:$port
all=
for i in 1 2 3 4; do
    worker
    all="$all $last"
done
timeout 300 $run s=@all --via "$at" --workers 4 --stats 2>said || wrong "four workers: $(cat said)"
same "four workers"
says said "[1-9][0-9]* elements computed by workers"
for p in $all; do wait "$p" || wrong "one of four workers: status $?"; done
at=ipc://$dir/q

# ---- workers are killed wherever they are ----
# Elements come through a pipe, so that the run cannot be over before.
mkfifo pipe
exec 3<>pipe
worker
one=$last
worker
two=$last
timeout 600 $run s=@pipe --via "$at" --workers 2 --stats >got 2>said 3>&- &
home=$!
head -c 200 all >&3
until=$(($(date +%s) + 120))
while kill -0 "$home" 2>/dev/null && [ "$(date +%s)" -lt $until ]; do
    "$wadi" top --json "$(pgrep -P "$home")" >seen 2>&1
    grep -q '"stages": \[.*"1.1".*"1.2"' seen && break
    sleep 0.05
done
says seen '"stages": \[.*"1.1".*"1.2"'
kills=0
while [ $kills -lt 20 ]; do
    tail -c +$((201 + 15 * kills)) all | head -c 15 >&3
    sleep 0.0$((kills * 7 % 10))
    kill -9 "$one"
    one=$two
    worker
    two=$last
    kills=$((kills + 1))
done
exec 3>&-
wait "$home" || wrong "killed workers: $(cat said)"
same "killed workers"
says said "[1-9][0-9]* elements computed by workers"
kill -9 "$one" "$two" 2>/dev/null # the last may come only now: it would be a worker of the next home

# ---- home is killed, and goes on ----
worker
one=$last
worker
two=$last
i=0
while [ $i -lt 30 ]; do
    before=$(ls -i kept/state 2>/dev/null)
    $run s=@all --via "$at" --workers 1 --state kept --every 0.05 2>said &
    home=$!
    [ $i -lt 3 ] && kill_saved $home "$before"
    wait $home && break
    i=$((i + 1))
done
[ $i -lt 30 ] || wrong "a home that goes on: $(cat said)"
same "a home that goes on"
kill "$one" "$two" 2>/dev/null
exit $failed
