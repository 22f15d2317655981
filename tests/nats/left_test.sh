#!/bin/sh
# Home is killed when all has been computed by workers, and the program computes on outside of its stream. The same command offers nothing to workers
# any more: it ends the job that the other home has left, and says so. A job that has a home stays.
. "$(dirname "$0")/begin.sh"
export WADI_CACHE_DIR="$dir/cache"
mkdir -m 700 cache

at=nats://127.0.0.1:$port
serve
"$wadi" work "$at/tail" >worker.log 2>&1 &
worker=$!
pids="$pids $worker"

# `the n` is that of the whole stream, and k says how long is computed behind it.
cat >tail.wadi <<'END'
program tail
input k : i64[]
stream_in s : seq(f64[50])
y = map_seq s (b) {
  t = fold 0.0 b (p, q) { add p q }
  yield t
}
n = fold_seq y 0.0 (a, b) {
  c = unit { add (the a) (the b) }
  yield c
}
m = unit { iterate (the k) (i, t) { if gt (the n) -1.0 { xor (add t i) 5 } else { t } } from 0 }
output n
output m
END
head -c 80000 /dev/zero >in.raw
"$wadi" run tail.wadi k=7 s=50:@in.raw >plain || wrong "the run without workers fails"

command="$wadi run tail.wadi s=50:@in.raw --chunk 20 --via $at/tail --workers 1 --state kept --every 0.1"
$command k=1000000000000000 >never 2>home.log &
home=$!
pids="$pids $home"
# What is behind the stream is another phase of the program: then the end of the stream is saved.
behind() { [ -e kept/state ] && "$wadi" top --json "$at/tail" 2>/dev/null | grep -q '"phase": [1-9]'; }
until_that behind
kill -9 $home
wait $home

# Of a job that has a home nothing goes: this one reads no element.
"$wadi" run tail.wadi k=1000000000000000 s=50:@in.raw --chunk 20 --via "$at/other" >other.out 2>other.log &
other=$!
pids="$pids $other"
has_other() { "$wadi" job status "$at/other" >/dev/null 2>&1; }
until_that has_other
: >empty.raw
"$wadi" run tail.wadi k=7 s=50:@empty.raw --via "$at/other" >empty.out 2>empty.log || wrong "a run without elements fails: $(cat empty.log)"
"$wadi" job ls "$at" | grep -q 'other .*has a home' || wrong "a living home has lost its job: $("$wadi" job ls "$at")"
grep -q 'the job that it left' empty.log && wrong "a living home is said to have left"
kill -9 $other
wait $other
"$wadi" job rm "$at/other" || wrong "the other job is not removed"

"$wadi" job ls "$at" | grep -q 'tail .*has no home' || wrong "job ls: $("$wadi" job ls "$at")"
$command k=7 --accept-change >got 2>again.log || wrong "the run does not go on: $(cat again.log)"
cmp -s plain got || wrong "another result: $(cat got)"
grep -q 'the job that it left is ended now' again.log || wrong "it says nothing of the job: $(cat again.log)"
[ -z "$("$wadi" job ls "$at")" ] || wrong "left on the server: $("$wadi" job ls "$at")"
[ ! -e kept/state ] || wrong "the state is still there"

# Of a job that has ended dead letters may be left: there is no home that could be silent.
jet() { "$WADI_BUILD/tests/jet_messages" "$port" "$@" || wrong "jet_messages $* fails"; }
jet make WADI_gone_dead 'wadi.gone.dead.>' 0
jet text wadi.gone.dead.x.1 letter
"$wadi" job ls "$at" | grep -q '^gone  *has ended  *0 item messages, 0 answer messages, 1 dead letters$' || wrong "job ls: $("$wadi" job ls "$at")"
"$wadi" job status "$at/gone" 2>said && wrong "a job that has ended has a status"
says said 'job gone has ended, and has left dead letters'
"$wadi" job rm "$at/gone" || wrong "dead letters are not removed"
[ -z "$("$wadi" job ls "$at")" ] || wrong "dead letters are left: $("$wadi" job ls "$at")"
"$wadi" job status "$at/gone" 2>said
says said 'there is no job gone on this server'

over() { ! kill -0 $worker 2>/dev/null; }
until_that over
wait $worker || wrong "the worker of the job that is over fails: $(cat worker.log)"
exit $failed
