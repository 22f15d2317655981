#!/bin/sh
# Workers in processes of their own: what they compute has the same bits, whatever happens to them; home without workers, and home that is
# killed; keys; what is refused.
. "$(dirname "$0")/begin.sh"

# Elements of different lengths; a filter before the stage that is shared, a fold and a scan behind it, a value that does not change.
cat >p.wadi <<'PROGRAM'
program p
stream_in s : seq(f64[?])
input k : f64
j = unit { add (the k) 1.5 }
big = filter_seq s (a) {
    t = unit { gt (extent a 0) 3 }
    yield t
}
t = map_seq big (a) {
    b = map a (x) { sin (mul x (the j)) }
    f = fold 0.0 b (x, y) { add (mul x 0.5) y }
    yield f
}
all = fold_seq t 0.0 (n, e) {
    m = unit { add (mul (the n) 0.9) (the e) }
    yield m
}
stream_out "t" t
output all
PROGRAM
awk 'BEGIN { for (i = 0; i < 600; i++) { for (j = 0; j < i % 7; j++) printf "%s%g", j ? "," : "", (i * 37 + j) % 101 / 8; printf ";" } }' >elements
at=ipc://$dir/q
in="s=$(cat elements)"
"$wadi" run p.wadi "$in" k=2.25 >want 2>said || wrong "without workers: $(cat said)"

worker() { # OPTIONS: in the background; its process is $last
    "$wadi" work "$at" --wait 60 "$@" 2>>worker 3>&- &
    last=$!
}
same() { # WHAT FILE
    cmp -s want "$2" || wrong "$1: other results"
}

# ---- several workers, and one that comes late ----
worker --stats --watchdog 0.001
a=$last
worker --threads 1
b=$last
timeout 300 "$wadi" run p.wadi "$in" k=2.25 --chunk 2 --via "$at" --workers 2 --stats >got 2>said || wrong "two workers: $(cat said)"
same "two workers" got
says said "elements computed by workers"
wait "$a" || wrong "a worker whose run is over: status $?"
wait "$b" || wrong "another: status $?"
says worker "of 1 jobs"
says worker "no progress for"

# ---- nobody comes ----
timeout 300 "$wadi" run p.wadi "$in" k=2.25 --chunk 2 --via "$at" --watchdog 0.001 >got 2>said || wrong "no worker: $(cat said)"
same "no worker" got
says said "no worker has come in 0 s"

# ---- workers that are killed and stopped in the middle ----
cat >slow.wadi <<'PROGRAM'
program slow
stream_in s : seq(u8)
t = map_seq s (i) {
    m = unit { add (convert i64 (the i)) 30000 }
    a = generate m (j) { convert f64 j }
    b = map a (x) { sin (exp (sin x)) }
    f = fold 0.0 b (x, y) { add (mul x 0.5) y }
    yield f
}
stream_out "t" t
PROGRAM
awk 'BEGIN { for (i = 0; i < 120; i++) printf "\\%03o", i }' >numbers.octal
printf "$(cat numbers.octal)" >numbers
"$wadi" run slow.wadi s=@numbers >slow.want 2>said || wrong "slow: $(cat said)"

# Elements come through a pipe, so that the run cannot be over before the last worker is stopped. A worker is stopped first, then gets chunks,
# and is killed with them: so it does not matter how fast anybody is.
mkfifo pipe
exec 3<>pipe
fed=0
feed() { # 24 elements more
    tail -c +$((fed + 1)) numbers | head -c 24 >&3
    fed=$((fed + 24))
}
find_home() { # what timeout runs, as soon as it does: $home
    tries=0
    until home=$(pgrep -P "$run") || [ $tries -ge 6000 ]; do
        tries=$((tries + 1))
        sleep 0.02
    done
}
reached() { # STAGE N: returns when the stage has done N elements, or the run has ended, after two minutes at the latest
    until=$(($(date +%s) + 120))
    while kill -0 "$run" 2>/dev/null && [ "$(date +%s)" -lt $until ]; do
        n=$("$wadi" top --once "$(pgrep -P "$run")" 2>/dev/null | awk -v stage="$1" '$1 == stage { print $5 }')
        [ "${n:-0}" -ge "$2" ] && return
        sleep 0.05
    done
    kill -0 "$run" 2>/dev/null && {
        wrong "$1 does not reach $2: $(cat said)"
        pkill -KILL -P "$run" # what timeout runs
    }
}
worker
first=$last
worker
second=$last
worker
third=$last
timeout 600 "$wadi" run slow.wadi s=@pipe --chunk 2 --via "$at" --workers 3 --stats >got 2>said 3>&- &
run=$!
feed
# What home says of them: each of the twelve items was computed by one of them, or here.
find_home
told() { # NAME N: returns when so many are told to be done, there and here, after two minutes at the latest
    until=$(($(date +%s) + 120))
    while kill -0 "$run" 2>/dev/null && [ "$(date +%s)" -lt $until ]; do
        "$wadi" top --json "$home" >seen 2>&1
        n=$(sed -n "s/.*\"$1\": {\"workers\": \([0-9]*\), \"home\": \([0-9]*\)}.*/\1 + \2/p" seen)
        [ $((${n:-0})) -ge "$2" ] && break
        sleep 0.05
    done
    [ $((${n:-0})) -eq "$2" ] || wrong "$2 $1 are done, and it tells ${n:-none}: $(cat seen)"
}
told items 12
told elements 24
says seen '"elsewhere": {"address": "ipc://.*", "stages": \["0.0"\], "workers": [0-3], "wanted": 3, "in_flight": '
"$wadi" top --once "$home" >seen 2>&1
says seen "^[0-3] workers* elsewhere for 0.0 .* items done there "
says seen "workers here "
for p in "$first" "$second"; do
    reached 0.out0 $fed
    stopped=$p
    kill -STOP "$p"
    feed
    reached 0.in0 $((fed - 12))
    kill -9 "$p"
    worker
done
# These are killed wherever they are: before they have said anything, while they compile, or at work.
fourth=$last
kill -9 "$fourth"
feed
worker
fifth=$last
reached 0.out0 $((fed - 22))
kill -9 "$fifth"
worker
stopped=$third
kill -STOP "$third"
feed
exec 3>&-
wait "$run" || wrong "killed workers: $(cat said)"
cmp -s slow.want got || wrong "killed workers: other results"
says said "[1-9][0-9]* elements computed by workers"
kill -9 "$third" "$last" 2>/dev/null # the last may come only now: it would be a worker of the next home
stopped=

# ---- several stages: those with nothing but a filter between them go together, and so do those behind what keeps elements ----
cat >long.wadi <<'PROGRAM'
program long
stream_in s : seq(u8)
t = map_seq s (i) {
    m = unit { add (convert i64 (the i)) 10000 }
    a = generate m (j) { convert f64 j }
    b = map a (x) { sin (exp (sin x)) }
    f = fold 0.0 b (x, y) { add (mul x 0.5) y }
    yield f
}
most = filter_seq t (f) {
    p = unit { gt (the f) 0.5 }
    yield p
}
u = map_seq most (f) {
    a = generate 10000 (j) { add (the f) (convert f64 j) }
    b = map a (x) { cos (exp (cos x)) }
    g = fold 0.0 b (x, y) { add (mul x 0.5) y }
    yield g
}
pairs = batch u 2
v = map_seq pairs (p) {
    n = unit { mul 5000 (extent p 0) }
    a = generate n (j) { add (p ! (rem j (extent p 0))) (convert f64 j) }
    b = map a (x) { sin (exp (cos x)) }
    h = fold 0.0 b (x, y) { add (mul x 0.25) y }
    yield h
}
all = fold_seq v 0.0 (n, e) {
    m = unit { add (mul (the n) 0.9) (the e) }
    yield m
}
stream_out "t" t
stream_out "u" u
stream_out "v" v
output all
PROGRAM
"$wadi" run long.wadi s=@numbers t=@t.want.raw u=@u.want.raw v=@v.want.raw >long.want 2>said || wrong "long: $(cat said)"
[ "$(wc -c <v.want.raw)" -gt 300 ] || wrong "long: the filter leaves nothing"
exec 3<>pipe
worker
a=$last
worker
b=$last
timeout 600 "$wadi" run long.wadi s=@pipe t=@t.got.raw u=@u.got.raw v=@v.got.raw --chunk 2 --via "$at" --workers 2 --stats >got 2>said 3>&- &
run=$!
head -c 90 numbers >&3
find_home
until=$(($(date +%s) + 120))
while kill -0 "$run" 2>/dev/null && [ "$(date +%s)" -lt $until ]; do
    "$wadi" top --json "$home" >seen 2>&1
    grep -q '"stages": \["0.0", "0.1", "0.2"\]' seen && break
    sleep 0.05
done
says seen '"stages": \["0.0", "0.1", "0.2"\]'
"$wadi" top --once "$home" >seen 2>&1
says seen "^[0-2] workers* elsewhere for 0.0, 0.1, 0.2 "
tail -c +91 numbers >&3
exec 3>&-
wait "$run" || wrong "several stages: $(cat said)"
wait "$a" "$b" || wrong "their workers"
cmp long.want got || wrong "several stages: another fold"
cmp t.want.raw t.got.raw || wrong "several stages: other elements before the filter"
cmp u.want.raw u.got.raw || wrong "several stages: other elements behind the filter"
cmp v.want.raw v.got.raw || wrong "several stages: other elements behind the batch"
says said "[1-9][0-9]* elements computed by workers"

# A scan behind them fails: its elements before that come, and none behind. The one before has the sink of all.
sed -e '/^all = /,$d' long.wadi >fails.wadi
cat >>fails.wadi <<'PROGRAM'
c = scan_seq v 0 (n, e) {
    m = unit { add (add (the n) 1) (quot 0 (sub 20 (the n))) }
    yield m
}
stream_out "c" c
PROGRAM
"$wadi" run fails.wadi s=@numbers --chunk 2 >fails.want 2>said && wrong "a scan does not fail"
grep quot said >fails.said
"$wadi" run fails.wadi s=@numbers --chunk 2 --via "$at" --workers 2 >got 2>said 3>&- &
run=$!
worker
a=$last
worker
b=$last
wait "$run" && wrong "a scan does not fail with workers"
kill "$a" "$b" 2>/dev/null # they may have ended with the run
wait "$a" "$b"
cmp fails.want got || wrong "a scan that fails: other elements before that"
grep quot said | cmp - fails.said || wrong "a scan that fails: $(cat said)"

# ---- SIGTERM: a worker leaves with status 0, or by the signal if that comes before it has begun ----
"$wadi" work "$at" 2>>worker &
a=$!
tries=0
until grep -q "^SigCgt:.*[4-7c-f]...$" "/proc/$a/status" || [ $tries -ge 6000 ]; do
    tries=$((tries + 1))
    sleep 0.01
done
kill -TERM "$a"
wait "$a"
a=$?
[ $a -eq 0 ] || [ $a -eq 143 ] || wrong "SIGTERM of a worker: $a"

# ---- a home that is drained and goes on, with the worker of before ----
worker
a=$last
i=0
while [ $i -lt 30 ]; do
    before=$(ls -i kept/state 2>/dev/null)
    "$wadi" run slow.wadi s=@numbers t=@out.raw --chunk 2 --via "$at" --workers 1 --state kept --every 0.05 2>said &
    run=$!
    [ $i -lt 2 ] && kill_saved $run "$before"
    wait $run && break
    i=$((i + 1))
done
[ $i -lt 30 ] || wrong "a home that goes on: $(cat said)"
wait "$a" || wrong "its worker"
"$wadi" run slow.wadi s=@numbers t=@plain.raw 2>said || wrong "$(cat said)"
cmp -s plain.raw out.raw || wrong "a home that goes on: other results"

# ---- keys and tokens ----
printf '0123456789abcdef secret\n' >token
chmod 600 token
worker --token token
a=$last
timeout 300 "$wadi" run p.wadi "$in" k=2.25 --chunk 2 --via "$at" --workers 1 --token token >got 2>said || wrong "a token: $(cat said)"
same "a token" got
wait "$a" || wrong "a worker with a token"
printf 'another secret 0123456789\n' >other
chmod 600 other
timeout 20 "$wadi" work "$at" --token other --wait 1 2>worker &
a=$!
timeout 300 "$wadi" run slow.wadi s=@numbers --chunk 2 --via "$at" --token token >got 2>said || wrong "a wrong token: $(cat said)"
cmp -s slow.want got || wrong "a wrong token: other results"
wait "$a" && wrong "a worker with a wrong token"

# ---- what is refused ----
refused() { # WORDS ARGUMENTS
    words=$1
    shift
    timeout 60 "$wadi" "$@" >got 2>said && wrong "not refused: $*"
    says said "$words"
}
refused "needs keys" run p.wadi "$in" k=1 --via tcp://0.0.0.0:7799
refused "expected tcp://HOST:PORT or ipc://PATH" run p.wadi "$in" k=1 --via nowhere
refused "fast math" run p.wadi "$in" k=1 --via "$at" --fast-math
refused "one device" run p.wadi "$in" k=1 --via "$at" --device cpu,null
refused "without --via" run p.wadi "$in" k=1 --workers 2
refused "no home for" work "$at" --wait 0.1
refused "no address" work
refused "there is an address already" work "$at" "$at"
exit $failed
