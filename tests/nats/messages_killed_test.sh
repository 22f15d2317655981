#!/bin/sh
# A run from one stream of messages to another is killed ten times, and the server four times, while others publish to another subject of that stream. Each element comes once and in order, as a
# client tells that has nothing of wadi. Some kills come before anything was saved. The run follows its source, so that it does not end by itself: the same command would be another run
# then, and a server that is killed may forget what it has confirmed.
. "$(dirname "$0")/begin.sh"
. "$(dirname "$0")/streams.sh"
serve

cat >double.wadi <<'END'
program double
stream_in s : seq(i64)
y = map_seq s (b) {
  h = unit { mul (the b) 2 }
  yield h
}
stream_out "out" y
END
messages=20000
client make IN in.a 0 && client make OUT 'out.>' 0 && client put in.a 0 $messages || exit 1
others
start() { "$wadi" run double.wadi "s=@$at/IN?follow=yes" "out=@$at/OUT?subject=out.x" --chunk 50 --state kept --every "$1" 2>said & run=$!; pids="$pids $run"; }

kills=0
while [ $kills -lt 10 ]; do
    # before the third, nothing but the beginning is saved
    start $([ $kills -lt 3 ] && echo 1000 || echo 0.02)
    goal=$(($(last) + $(drawn 1500)))
    until_that grown
    kill -0 $run 2>/dev/null || wrong "run $kills has ended: $(cat said)"
    kill -9 $run 2>/dev/null
    wait $run 2>/dev/null
    kills=$((kills + 1))
    if [ $((kills % 3)) -eq 0 ]; then
        serve_again
    fi
done
start 0.05
goal=$(($(last) + 300))
until_that grown
serve_again # and the run waits for it
copied() { [ "$(client at OUT out.x 2>/dev/null)" = $((messages - 1)) ] || ! kill -0 $run 2>/dev/null; }
minutes=5
until_that copied
# A server that is killed may begin again without its last messages: the run tells it, and the same command goes on.
if ! kill -0 $run 2>/dev/null; then
    grep -q 'has lost its last messages' said || wrong "the last run fails: $(cat said)"
    start 0.05
    until_that copied
fi
kill -TERM $run 2>/dev/null
wait $run || wrong "the run that goes on fails: $(cat said)"
says said 'exactly once'
client show OUT out.x >seen || wrong "the stream cannot be read"
awk -v n=$messages '{ if ($3 != 2 * (NR - 1) || $4 != NR - 1 || (NR > 1 && $5 != run)) { print "message " $0 " is number " NR; exit 1 } run = $5 }
    END { if (NR != n) { print NR " messages, expected " n; exit 1 } }' seen || failed=1
echo "$kills kills"
exit $failed
