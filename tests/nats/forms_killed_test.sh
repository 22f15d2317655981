#!/bin/sh
# A run from messages of forty lines to messages of up to seven, in chunks of neither, is killed ten times, and the server three times, while others publish to another subject of that stream. Each line comes once and in order, as a
# client tells that has nothing of wadi. The first saves nothing but its beginning. The run follows its source, so that it does not end by itself.
. "$(dirname "$0")/begin.sh"
. "$(dirname "$0")/streams.sh"
serve

cat >pairs.wadi <<'END'
program pairs
stream_in s : seq(i64[2])
y = map_seq s (b) {
  h = map b (x) { mul x 3 }
  yield h
}
stream_out "out" y
END
rows=0
more() { client rows in.a $rows "$1" 40 || wrong "no more lines"; rows=$((rows + $1)); }
client make IN in.a 0 && client make OUT 'out.>' 0 || exit 1
more 3010 # the last of them in a message of ten
others
start() { "$wadi" run pairs.wadi "s=@$at/IN?follow=yes&as=lines&separator=comma" "out=@$at/OUT?subject=out.x&as=lines&separator=comma&batch=7" --chunk 9 --state kept --every "$1" 2>said & run=$!; pids="$pids $run"; }
late() { ! kill -0 $run 2>/dev/null && grep -q 'there is no connection' said; } # a busy machine has not let it connect in time

kills=0
while [ $kills -lt 10 ]; do
    start $([ $kills -lt 2 ] && echo 1000 || echo 0.02)
    goal=$(($(last) + $(drawn 200)))
    until_that grown
    if late; then continue; fi
    kill -0 $run 2>/dev/null || wrong "run $kills has ended: $(cat said)"
    kill -9 $run 2>/dev/null
    wait $run 2>/dev/null
    kills=$((kills + 1))
    if [ $((kills % 3)) -eq 0 ]; then
        serve_again
        more 3000 # long before it is killed again: it may forget what it has just confirmed
    fi
done
# ---- in another form, or on another subject, it does not go on: what is there would be taken for its own ----
other() { # WHAT FORM OF OUT
    patient timeout 100 "$wadi" run pairs.wadi "s=@$at/IN?follow=yes&as=lines&separator=comma" "out=@$at/OUT?$2" --chunk 9 --state kept && wrong "it goes on with another $1"
    says said 'another kind, place or form of the output "out"'
}
other form 'subject=out.x'
other separator 'subject=out.x&as=lines&separator=tab'
other subject 'subject=out.y&as=lines&separator=comma'
# in how many elements go together it does
start 0.05
more 2400 # for whoever has them all by now
copied() { [ "$(client at OUT out.x 2>/dev/null)" -ge $((rows - 1)) ] 2>/dev/null || ! kill -0 $run 2>/dev/null; }
minutes=5
until_that copied
while late; do
    start 0.05
    until_that copied
done
kill -TERM $run 2>/dev/null
wait $run || wrong "the run that goes on fails: $(cat said)"
says said 'exactly once'
client dump OUT out.x >seen || wrong "the stream cannot be read"
awk -F , -v n=$rows '{ if ($1 != 3 * (NR - 1) || $2 != 6 * (NR - 1)) { print "line " NR " is " $0; exit 1 } }
    END { if (NR != n) { print NR " lines, expected " n; exit 1 } }' seen || failed=1
# of at most seven lines each, and of one run
client show OUT out.x >seen || wrong "the stream cannot be read"
awk -v n=$rows '{ if ($4 <= last || $4 > last + 7 || (NR > 1 && $5 != run)) { print "message " $0 " is behind element " last; exit 1 } last = $4; run = $5 }
    BEGIN { last = -1 } END { if (last != n - 1) { print "the last element is " last; exit 1 } }' seen || failed=1
echo "$kills kills"
exit $failed
