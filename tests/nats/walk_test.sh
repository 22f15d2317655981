#!/bin/sh
# Whole runs whose chunks are computed by workers behind a NATS server: workers, the server and home are killed, and the output is that of a run
# without any of this.
. "$(dirname "$0")/begin.sh"
export WADI_CACHE_DIR="$dir/cache"
mkdir -m 700 cache

at=nats://127.0.0.1:$port
worker() {
    "$wadi" work "$at/$1" --stay >>worker.log 2>&1 &
    last=$!
    pids="$pids $last"
}
# Waits until home has N answers, or has ended, for two minutes at most.
answers() { # JOB N
    until=$(($(date +%s) + 120))
    while kill -0 $home 2>/dev/null && [ "$(date +%s)" -lt $until ]; do
        n=$("$wadi" job status "$at/$1" 2>/dev/null | sed -n 's/.*"answered": \([0-9]*\).*/\1/p')
        [ "${n:-0}" -ge "$2" ] && return 0
    done
    return 1
}
same() { # EXPECTED GOT WHAT
    cmp -s "$1" "$2" || wrong "$3: the output differs: $(wc -c <"$1") and $(wc -c <"$2") bytes"
}

cat >slow.wadi <<'END'
program slow
stream_in s : seq(f64[?])
y = map_seq s (b) {
  h = map b (x) { sin (mul x 0.001) }
  k = map h (x) { cos (exp (sin x)) }
  yield k
}
stream_out "y" y
END
seq -f '%07.0f?' 200000 | tr -d '\n' >in.raw # as many numbers
# Where workers are killed there must be more left than home computes alone while none is there.
for i in 1 2 3 4; do cat in.raw; done >long.raw
"$wadi" run slow.wadi s=50:@in.raw y=@plain.raw || wrong "the run without workers fails"
"$wadi" run slow.wadi s=50:@long.raw y=@plain_long.raw || wrong "the long run without workers fails"

# ---- workers are killed again and again, the server once ----
serve
worker kills
one=$last
worker kills
"$wadi" run slow.wadi s=50:@long.raw y=@kills.raw --chunk 1 --via "$at/kills?ack=1" --workers 1 2>home.log &
home=$!
pids="$pids $home"
kills=0
while [ $kills -lt 20 ] && answers kills $((kills * 100 + 20)); do
    kill -9 $one 2>/dev/null
    worker kills
    one=$last
    kills=$((kills + 1))
    # A worker that has just begun may find no server, and ends. The one that was there before serves on: no other comes until it has.
    if [ $kills -eq 7 ]; then
        kill -9 $one $nats
        wait $nats 2>/dev/null # it has the port until then
        serve
        answers kills 820 || wrong "the worker that was there before the server was killed does nothing"
        worker kills
        one=$last
    fi
    if [ $kills -eq 12 ] && "$wadi" job drain "$at/kills" >drained 2>&1; then wrong "a run that is not saved is drained: $(cat drained)"; fi
done
wait $home || wrong "the run fails: $(cat home.log)"
grep -q "is not saved" drained || wrong "it is not said why it is not drained: $(cat drained)"
[ $kills -eq 20 ] || wrong "only $kills workers were killed"
same plain_long.raw kills.raw "killed workers"

# ---- home is killed, and goes on; then it is drained, and goes on ----
command="$wadi run slow.wadi s=20:@in.raw y=@state.raw --chunk 1 --via $at/state?ack=3 --workers 1 --state kept --every 0.1"
worker state
$command 2>>home.log &
home=$!
pids="$pids $home"
answers state 600 || wrong "home has ended before it was killed"
kill -9 $home
wait $home
"$wadi" job ls $at | grep -q 'state .*has no home' || wrong "job ls: $("$wadi" job ls $at)"
$command 2>>home.log &
home=$!
pids="$pids $home"
answers state 600 || wrong "home has ended before it was drained"
"$wadi" job drain "$at/state" | grep -q draining || wrong "it is not drained"
wait $home || wrong "a drained run fails: $(cat home.log)"
[ -e state.raw ] && wrong "a drained run has all of its output"
$command 2>>home.log || wrong "the run does not go on: $(cat home.log)"
same plain.raw state.raw "killed home"

# ---- several stages, together and behind a batch; home is killed, and goes on ----
cat >long.wadi <<'END'
program long
stream_in s : seq(f64[?])
y = map_seq s (b) {
  h = map b (x) { sin (exp (sin x)) }
  yield h
}
most = filter_seq y (h) {
  t = unit { gt (h ! 0) 0.6 }
  yield t
}
z = map_seq most (h) {
  k = map h (x) { cos (exp (sin x)) }
  yield k
}
pairs = batch z 2
w = map_seq pairs (p) {
  k = map p (x) { sin (exp (cos x)) }
  yield k
}
stream_out "z" z
stream_out "w" w
END
"$wadi" run long.wadi s=20:@in.raw z=@z.raw w=@w.raw || wrong "several stages without workers"
command="$wadi run long.wadi s=20:@in.raw z=@z_state.raw w=@w_state.raw --chunk 1 --via $at/long?ack=3 --workers 1 --state kept --every 0.1"
worker long
worker long
$command 2>>home.log &
home=$!
pids="$pids $home"
answers long 600 || wrong "home has ended before it was killed, of several stages"
kill -9 $home
wait $home
$command 2>>home.log || wrong "the run of several stages does not go on: $(cat home.log)"
same z.raw z_state.raw "several stages"
same w.raw w_state.raw "stages behind a batch"

# An item that was given out too often, to workers that were killed or came too seldom to say that they are at it, is a dead letter, which stays.
left=$("$wadi" job ls $at | grep -v '^kills .* 0 item messages, 0 answer messages, [1-9][0-9]* dead letters$')
[ -z "$left" ] || wrong "left on the server: $left"
[ $failed -eq 0 ] || grep -E -A 4 '^(panic|fatal error):|signal SIG' server.log || tail -n 20 server.log
if [ $failed -ne 0 ] && grep -q '^goroutine ' server.log; then
    echo "skipped: the server itself has crashed"
    exit 77
fi
exit $failed
