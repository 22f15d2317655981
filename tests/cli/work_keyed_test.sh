#!/bin/sh
# A stage with a state for each key, whose keys workers in processes of their own have: what a run without workers gives, whatever happens to them, and to home.
. "$(dirname "$0")/begin.sh"

# A step takes so long that home gains by it. Its state is a number, and an array beside it; behind the end each key comes with its last state.
cat >keyed.wadi <<'PROGRAM'
program keyed
stream_in s : seq(u8)
m = map_seq s (i) {
    k = unit { rem (convert i64 (the i)) 11 }
    yield k, i
}
g = generate 3 (j) { convert f64 j }
t = scan_by_key m 0.5 (z, k, i) {
    n = unit { add (convert i64 (the i)) 20000 }
    a = generate n (j) { convert f64 j }
    b = map a (x) { sin (exp (sin x)) }
    f = fold 0.0 b (x, y) { add (mul x 0.5) y }
    q = unit { add (mul (the z) 0.9) (the f) }
    yield q
}
u = fold_by_key m g 1 (h, c, k, i) {
    n = unit { add (convert i64 (the i)) 20000 }
    a = generate n (j) { convert f64 j }
    b = map a (x) { cos (exp (sin x)) }
    f = fold 0.0 b (x, y) { add (mul x 0.5) y }
    p = map h (x) { add (mul x 0.9) (the f) }
    d = unit { add (the c) 1 }
    yield p, d
}
v = map_seq u (k, p, d) {
    y = unit { add (p ! 1) (convert f64 (add (the k) (the d))) }
    yield y
}
stream_out "t" t
stream_out "v" v
PROGRAM
awk 'BEGIN { for (i = 0; i < 250; i++) printf "\\%03o", i }' >numbers.octal
printf "$(cat numbers.octal)" >numbers
cat numbers numbers >all
"$wadi" run keyed.wadi s=@all t=@t.want.raw v=@v.want.raw 2>said || wrong "without workers: $(cat said)"

at=ipc://$dir/q
worker() { # in the background; its process is $last
    "$wadi" work "$at" --threads 1 --wait 60 2>>worker 3>&- &
    last=$!
}
same() { # WHAT
    cmp t.want.raw t.got.raw || wrong "$1: other states: $(cat said)"
    cmp v.want.raw v.got.raw || wrong "$1: other last states: $(cat said)"
    rm -f t.got.raw v.got.raw
}
run="$wadi run keyed.wadi t=@t.got.raw v=@v.got.raw --chunk 10 --threads 1"

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
    if [ $i -lt 3 ]; then # killed when it has saved something
        tries=0
        while kill -0 $home 2>/dev/null && [ "$(ls -i kept/state 2>/dev/null)" = "$before" ] && [ $tries -lt 3000 ]; do
            tries=$((tries + 1))
            sleep 0.02
        done
        kill -9 $home 2>/dev/null
    fi
    wait $home && break
    i=$((i + 1))
done
[ $i -lt 30 ] || wrong "a home that goes on: $(cat said)"
same "a home that goes on"
kill "$one" "$two" 2>/dev/null
exit $failed
