#!/bin/sh
# A stage with a state for each key, whose keys workers behind a NATS server have: workers, the server and home are killed, and the output is that of a run without
# any of this.
. "$(dirname "$0")/begin.sh"
export WADI_CACHE_DIR="$dir/cache"
mkdir -m 700 cache

at=nats://127.0.0.1:$port
worker() { # JOB
    "$wadi" work "$at/$1" --threads 1 --stay >>worker.log 2>&1 3>&- &
    last=$!
    pids="$pids $last"
}
same() { # WHAT
    cmp t.want.raw t.got.raw || wrong "$1: other states: $(cat home.log)"
    cmp v.want.raw v.got.raw || wrong "$1: other last states: $(cat home.log)"
    rm -f t.got.raw v.got.raw
}

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
run="$wadi run keyed.wadi t=@t.got.raw v=@v.got.raw --chunk 10 --threads 1"

# ---- workers are killed wherever they are, and the server once ----
serve
mkfifo pipe
exec 3<>pipe
worker kills
one=$last
worker kills
two=$last
$run s=@pipe --via "$at/kills?ack=1" --workers 2 >home.log 2>&1 3>&- &
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
wait $home || wrong "killed workers: $(cat home.log)"
same "killed workers"

# ---- home is killed, and goes on ----
worker state
i=0
while [ $i -lt 30 ]; do
    before=$(ls -i kept/state 2>/dev/null)
    $run s=@all --via "$at/state?ack=1" --workers 1 --state kept --every 0.05 >home.log 2>&1 &
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
[ $i -lt 30 ] || wrong "a home that goes on: $(cat home.log)"
same "a home that goes on"
exit $failed
