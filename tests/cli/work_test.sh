#!/bin/sh
# Workers in processes of their own: what they compute has the same bits, whatever happens to them; home without workers, and home that is
# killed; keys; what is refused.
set -u
wadi=$WADI_BUILD/cli/wadi
dir=$(mktemp -d)
stopped=
end() {
    [ -z "$stopped" ] || kill -CONT "$stopped" 2>/dev/null
    jobs -p >"$dir/jobs"
    while read -r p; do kill "$p" 2>/dev/null; done <"$dir/jobs"
    rm -rf "$dir"
}
trap end EXIT
cd "$dir" || exit 1
export XDG_CACHE_HOME="$dir/cache"
unset WADI_TOKEN
failed=0
wrong() {
    echo "$1"
    failed=1
}
says() { grep -q -- "$2" "$1" || wrong "no \"$2\" in: $(cat "$1")"; }

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
    timeout 300 "$wadi" work "$at" --wait 60 "$@" 2>>worker &
    last=$!
}
# timeout passes signals on, but SIGSTOP and SIGKILL are for the process itself
itself() { # PROCESS of timeout
    pgrep -P "$1" 2>/dev/null | head -n 1
}
same() { # WHAT FILE
    cmp -s want "$2" || wrong "$1: other results"
}

# ---- several workers, and one that comes late ----
worker --stats
a=$last
worker --threads 1
b=$last
timeout 60 "$wadi" run p.wadi "$in" k=2.25 --chunk 2 --via "$at" --workers 2 --stats >got 2>said || wrong "two workers: $(cat said)"
same "two workers" got
says said "elements computed by workers"
wait "$a" || wrong "a worker whose run is over: status $?"
wait "$b" || wrong "another: status $?"
says worker "of 1 jobs"

# ---- nobody comes ----
timeout 60 "$wadi" run p.wadi "$in" k=2.25 --chunk 2 --via "$at" >got 2>said || wrong "no worker: $(cat said)"
same "no worker" got

# ---- workers that are killed and stopped in the middle ----
cat >slow.wadi <<'PROGRAM'
program slow
s = produce 120 (i) {
    m = unit { add (the i) 30000 }
    a = generate m (j) { convert f64 j }
    yield a
}
t = map_seq s (a) {
    b = map a (x) { sin (exp (sin x)) }
    f = fold 0.0 b (x, y) { add (mul x 0.5) y }
    yield f
}
stream_out "t" t
PROGRAM
"$wadi" run slow.wadi >slow.want 2>said || wrong "slow: $(cat said)"
worker
a=$last
worker
b=$last
worker
timeout 100 "$wadi" run slow.wadi --chunk 2 --via "$at" --workers 3 >got 2>said &
run=$!
n=0
while kill -0 $run 2>/dev/null && [ $n -lt 4 ]; do
    p=$(itself "$a")
    [ -n "$p" ] && kill -9 "$p"
    worker
    a=$last
    n=$((n + 1))
done
stopped=$(itself "$b")
[ -z "$stopped" ] || kill -STOP "$stopped"
wait $run || wrong "killed workers: $(cat said)"
cmp -s slow.want got || wrong "killed workers: other results"
[ -z "$stopped" ] || kill -CONT "$stopped"
stopped=

# ---- SIGTERM: a worker leaves with status 0, or by the signal if that comes before it has begun ----
"$wadi" work "$at" 2>>worker &
a=$!
until grep -q "^SigCgt:.*[4-7c-f]...$" "/proc/$a/status"; do :; done
kill -TERM "$a"
wait "$a"
a=$?
[ $a -eq 0 ] || [ $a -eq 143 ] || wrong "SIGTERM of a worker: $a"

# ---- a home that is drained and goes on, with the worker of before ----
worker
a=$last
i=0
while [ $i -lt 30 ]; do
    "$wadi" run slow.wadi t=@out.raw --chunk 2 --via "$at" --workers 1 --state kept --every 0.05 2>said &
    run=$!
    [ $i -lt 2 ] && (sleep 0.3; kill -9 $run 2>/dev/null)
    wait $run && break
    i=$((i + 1))
done
[ $i -lt 30 ] || wrong "a home that goes on: $(cat said)"
wait "$a" || wrong "its worker"
"$wadi" run slow.wadi t=@plain.raw 2>said || wrong "$(cat said)"
cmp -s plain.raw out.raw || wrong "a home that goes on: other results"

# ---- keys and tokens ----
printf '0123456789abcdef secret\n' >token
chmod 600 token
worker --token token
a=$last
timeout 60 "$wadi" run p.wadi "$in" k=2.25 --chunk 2 --via "$at" --workers 1 --token token >got 2>said || wrong "a token: $(cat said)"
same "a token" got
wait "$a" || wrong "a worker with a token"
printf 'another secret 0123456789\n' >other
chmod 600 other
timeout 20 "$wadi" work "$at" --token other --wait 1 2>worker &
a=$!
timeout 60 "$wadi" run slow.wadi --chunk 2 --via "$at" --token token >got 2>said || wrong "a wrong token: $(cat said)"
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
refused "without via" run p.wadi "$in" k=1 --workers 2
refused "no home for" work "$at" --wait 0.1
refused "no address" work
refused "there is an address already" work "$at" "$at"
exit $failed
