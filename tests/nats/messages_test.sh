#!/bin/sh
# Streams of messages as sources and sinks: which messages are read, what is told of those that are gone, full streams, large elements, other writers. What is there is read by a
# client that has nothing of wadi (tests/jet_messages.c).
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
sed 's/stream_out /stream_out_unordered /' double.wadi >any.wadi
cat >bytes.wadi <<'END'
program bytes
stream_in s : seq(u8[?])
stream_out "out" s
END
run() { "$wadi" run "$@" 2>said; }
# gives "NUMBERS" PLACE: what is read there, twice itself
gives() { run double.wadi "s=@$2" out=@got.raw || wrong "$2: $(cat said)"; [ "$(numbers got.raw)" = "$1" ] || wrong "$2: $(numbers got.raw), expected $1"; }

# ---- what is read ----
jm make IN in.a 0
gives "" "$at/IN"
jm put in.a 0 5
gives " 0 2 4 6 8 " "$at/IN"
gives " 4 6 " "$at/IN?from=3&to=4"
gives " 0 2 " "$at/IN?follow=yes&to=2"
gives "" "$at/IN?from=9"
jm delete IN 2
gives " 0 4 6 8 " "$at/IN"
jm make TWO 'two.>' 0
jm put two.a 1 2
jm put two.b 5 1
jm put two.a 3 1
gives " 2 4 6 " "$at/TWO?subject=two.a"
gives " 2 4 10 6 " "$at/TWO?subject=two.*"
jm text two.text hello '' x
run bytes.wadi "s=@$at/TWO?subject=two.text" >seen || wrong "$(cat said)"
says seen 'u8\[5\] \[104, 101, 108, 108, 111\]'
says seen 'u8\[0\]'
refused double.wadi "s=@$at/TWO?subject=two.text"
says said 'message 5 has 5 bytes, expected 8'
refused double.wadi "s=@$at/NONE"
says said 'has no stream "NONE"'
jm queue QUEUE q
refused double.wadi "s=@$at/QUEUE"
says said 'it is a work queue'
refused double.wadi "s=@$at/IN?budget=3"
says said 'there is no setting "budget"; there are .* subject from to follow gaps'
refused double.wadi "s=@$at/"
says said 'the name of a stream is missing'

# ---- a run that waits for what comes, and is ended and gone on with ----
jm make LIVE live 10
jm make COPY copy 0
jm put live 0 3
live="$wadi run double.wadi s=@$at/LIVE?follow=yes out=@$at/COPY --state kept --every 0.05"
waiting() { $live 2>said & run=$!; pids="$pids $run"; }
copied() { [ "$(jm show COPY copy | cut -d ' ' -f 3,4 | tr '\n' ' ')" = "$1" ]; }
ended() {
    kill -TERM $run
    wait $run || wrong "$1: $(cat said)"
}
waiting
until_that copied '0 0 2 1 4 2 '
ended "a run that waits for messages does not end well"
jm put live 3 2
waiting
until_that copied '0 0 2 1 4 2 6 3 8 4 '
kill $nats # one that is killed may forget what has just come
wait $nats
serve
jm put live 5 1
until_that copied '0 0 2 1 4 2 6 3 8 4 10 5 '
ended "a run whose server was restarted does not end well"
jm put live 6 20
$live 2>said && wrong "what is gone is not missed"
says said 'has discarded messages 7 to 16 before they were read: the first that it has is 17'
gives " 32 34 36 38 40 42 44 46 48 50 " "$at/LIVE?from=2&gaps=yes"
jm drop LIVE
jm make LIVE live 10
$live 2>said && wrong "what is gone is not missed"
says said 'other data of the source'

jm thin THIN 'thin.>' 1
jm put thin.a 0 3
refused double.wadi "s=@$at/THIN"
says said 'keeps at most 1 messages of each subject: .*gaps=yes'
gives " 4 " "$at/THIN?gaps=yes"

# ---- large messages behind small ones, of which many are asked for: a run that waits for its sink is not given all of them ----
jm make MIXED mixed 0
jm put mixed 0 1024
jm large mixed 524288 300
mkfifo pipe
exec 4<>pipe # nobody reads what is in it
"$wadi" run bytes.wadi "s=@$at/MIXED" out=@raw:pipe --memory 16M 2>said 4>&- &
run=$!
pids="$pids $run"
given() { now=$(jm given MIXED) && [ "$now" -gt 1030 ] && [ "$now" = "$was" ] || { was=$now; ! kill -0 $run 2>/dev/null; }; }
was=0
until_that given
[ "$now" -lt 1150 ] || wrong "a run of 16 MiB was given $((now - 1024)) messages of 512 KiB"
kill -9 $run
exec 4>&-
run bytes.wadi "s=@$at/MIXED" out=@raw:got.raw || wrong "large messages: $(cat said)"
[ "$(wc -c <got.raw)" = $((1024 * 8 + 524288 * 300)) ] || wrong "large messages: $(wc -c <got.raw) bytes"
jm drop MIXED

# ---- what is discarded while it is read, between messages of others ----
jm make LIM 'lim.>' 40
for i in 0 1 2 3; do jm put lim.a $i 1 && jm put lim.b $i 1; done
jm make FEW few 0
"$wadi" run double.wadi "s=@$at/LIM?subject=lim.a&follow=yes" "out=@$at/FEW" 2>said &
run=$!
pids="$pids $run"
few() { [ "$(jm show FEW few | cut -d ' ' -f 3 | tr '\n' ' ')" = '0 2 4 6 ' ]; }
until_that few
kill -STOP $run # more come than it has asked for
jm put lim.a 4 600
jm put lim.b 4 100
jm put lim.a 604 1
kill -CONT $run
gone() { ! kill -0 $run 2>/dev/null; }
until_that gone
wait $run && wrong "what is discarded meanwhile is not missed"
says said 'has discarded messages [0-9]* to [0-9]* before they were read'

# ---- what is written ----
jm make SRC src 0
jm put src 0 4
jm make OUT 'out.>' 0
jm put out.a 100 2
run double.wadi "s=@$at/SRC" "out=@$at/OUT?subject=out.a" || wrong "$(cat said)"
jm show OUT out.a >seen
[ "$(cut -d ' ' -f 3,4 seen | tr '\n' ';')" = '100 -;101 -;0 0;2 1;4 2;6 3;' ] || wrong "on the subject: $(cat seen)"
# the same command is another run, once the first has ended
for i in 1 2; do run double.wadi "s=@$at/SRC" "out=@$at/OUT?subject=out.again" --state again --guarantee exactly-once || wrong "$(cat said)"; done
says said 'exactly once'
[ "$(jm show OUT out.again | wc -l)" = 8 ] || wrong "two runs: $(jm show OUT out.again)"
refused double.wadi "s=@$at/SRC" "out=@$at/OUT"
says said 'more than one subject'
refused double.wadi "s=@$at/SRC" "out=@$at/OUT?subject=in.a"
says said 'does not take the subject'
refused double.wadi "s=@$at/SRC" "out=@$at/OUT?subject=out.*"
says said 'means many'
refused any.wadi "s=@$at/SRC" "out=@$at/OUT?subject=out.any" --state any
says said 'needs its elements in order'
run any.wadi "s=@$at/SRC" "out=@$at/OUT?subject=out.any" || wrong "$(cat said)"
head -c 1500000 /dev/zero >large.raw
refused bytes.wadi s=1500000:@large.raw "out=@$at/OUT?subject=out.large"
says said 'element 0 has 1500000 bytes, a message of this server takes at most'
: >none.raw
run double.wadi s=@none.raw "out=@$at/OUT?subject=out.none" --state none || wrong "nothing is written: $(cat said)"

# ---- a stream that is full ----
jm full FULL full 2
refused double.wadi "s=@$at/SRC" "out=@$at/FULL?wait=1"
says said 'maximum messages exceeded'
"$wadi" run double.wadi "s=@$at/SRC" "out=@$at/FULL?wait=300" 2>said &
run=$!
pids="$pids $run"
# the two that the run before has left do not go
sleep 0.3
jm limit FULL 100
wait $run || wrong "a stream that was full: $(cat said)"
[ "$(jm show FULL full | cut -d ' ' -f 3 | tr '\n' ' ')" = "0 2 0 2 4 6 " ] || wrong "in the stream that was full: $(jm show FULL full)"

# ---- somebody else on the subject ----
"$wadi" run double.wadi "s=@$at/SRC?follow=yes" "out=@$at/OUT?subject=out.other" 2>said &
run=$!
pids="$pids $run"
until_that sh -c "[ \$('$WADI_BUILD/tests/jet_messages' $port show OUT out.other | wc -l) = 4 ]"
jm put out.other 77 1
jm put src 4 1 # the sink fails, and nothing more comes
until_that gone
wait $run && wrong "two write to a subject"
says said 'is none of this run'

# ---- a saved run behind a link that ends while its sender waits: it has what was taken, and the sender goes on ----
jm make FAR far 0
jm put far 0 3
"$wadi" run double.wadi "s=@$at/FAR?follow=yes&to=5" "out=@ipc://$dir/link" --wait 300 --state far --every 0.05 2>sender.log &
sender=$!
pids="$pids $sender"
behind() { "$wadi" run double.wadi "s=@ipc://$dir/link" out=@behind.raw --wait 300 --state behind --every 1000 2>said & run=$!; pids="$pids $run"; }
behind
# it takes what there is; what is on its way to it when it ends, the sender may have forgotten
took() { "$wadi" top --json $run 2>/dev/null | grep -q '"elements": 3, "bytes_in"'; }
tries=0
until took || [ $tries -ge 100 ]; do
    tries=$((tries + 1))
    sleep 0.1
done
kill -TERM $run
wait $run
behind
jm put far 3 2
wait $run || wrong "a run behind a link does not go on: $(cat said sender.log)"
wait $sender || wrong "the sender of a run behind a link: $(cat sender.log)"
[ "$(numbers behind.raw)" = ' 0 4 8 12 16 ' ] || wrong "behind a link: $(numbers behind.raw)"

# ---- somebody who says that he is the run ----
jm make CUT cut 0
jm put cut 0 4
cut="$wadi run double.wadi s=@$at/CUT?follow=yes&to=8 out=@$at/OUT?subject=out.cut --state cut --every 1000"
$cut 2>said &
run=$!
pids="$pids $run"
until_that sh -c "[ \$('$WADI_BUILD/tests/jet_messages' $port show OUT out.cut | wc -l) = 4 ]"
kill -9 $run
wait $run 2>/dev/null
jm forge out.cut "$(jm show OUT out.cut | tail -1 | cut -d ' ' -f 5)" 10
jm put cut 4 4
$cut 2>said && wrong "elements that another has published count as those of the run"
says said 'has 11 elements of this run, which has given only 8'
exit $failed
