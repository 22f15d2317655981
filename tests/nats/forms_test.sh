#!/bin/sh
# Messages that have several elements, as lines of text or as records, and elements of several arrays: what is read and written, what is told of wrong ones. The other end is a client that
# has nothing of wadi (tests/jet_messages.c).
. "$(dirname "$0")/begin.sh"
. "$(dirname "$0")/streams.sh"
serve
newline='
'
cat >bytes.wadi <<'END'
program bytes
stream_in s : seq(u8[?])
stream_out "out" s
END
cat >double.wadi <<'END'
program double
stream_in s : seq(i64)
y = map_seq s (b) {
  h = unit { mul (the b) 2 }
  yield h
}
stream_out "out" y
END
cat >pairs.wadi <<'END'
program pairs
stream_in s : seq(i64[2])
stream_out "out" s
END
cat >parts.wadi <<'END'
program parts
stream_in s : seq(u8, i32[2], f64[?])
stream_out "out" s
END
run() { patient "$wadi" run "$@"; }
# reads EXPECTED PROGRAM PLACE: what is read there, as lines
reads() { run "$2" "s=@$3" out=@lines:got.txt || wrong "$3: $(cat said)"; [ "$(cat got.txt)" = "$1" ] || wrong "$3: $(cat got.txt), expected $1"; }
shown() { jm show OUT "$1" | cut -d ' ' -f 2,4 | tr '\n' ';'; } # bytes and last element of each message

# ---- lines ----
jm make TEXT 'text.>' 0
jm text text.json "{\"a\": 1}$newline{\"a\": 2}$newline" '' "$newline" '{"a": 3}'
reads "{\"a\": 1}$newline{\"a\": 2}$newline$newline{\"a\": 3}" bytes.wadi "$at/TEXT?as=lines"
jm rows text.rows 0 7 3
reads "0 0${newline}1 2${newline}2 4${newline}3 6${newline}4 8${newline}5 10${newline}6 12" pairs.wadi "$at/TEXT?subject=text.rows&as=lines&separator=comma"
reads "3 6${newline}4 8${newline}5 10" pairs.wadi "$at/TEXT?from=6&to=6&as=lines&separator=comma"
refused pairs.wadi "s=@$at/TEXT?subject=text.rows&as=lines"
says said 'line 1 of message 5 has as value 1 "0,0", which is no i64'
jm text text.wrong "1,2$newline" "3,4${newline}5${newline}6,7"
refused pairs.wadi "s=@$at/TEXT?subject=text.wrong&as=lines&separator=comma"
says said 'line 2 of message 9 has 1 values, expected 2'
refused pairs.wadi "s=@$at/TEXT?as=words"
says said 'as: expected element, records or lines, got "words"'
refused pairs.wadi "s=@$at/TEXT?separator=comma"
says said 'it is for lines of numbers'
refused pairs.wadi "s=@$at/TEXT?as=lines&separator=none"
says said 'expected blank, comma, semicolon or tab'

# ---- records ----
jm make BIN 'bin.>' 0
jm put bin.a 3 2
run double.wadi "s=@$at/BIN?as=records" out=@got.raw || wrong "$(cat said)"
[ "$(numbers got.raw)" = ' 6 8 ' ] || wrong "records: $(numbers got.raw)"
refused pairs.wadi "s=@$at/BIN?as=records"
says said 'message 1 has 8 bytes, expected a multiple of 16'
refused bytes.wadi "s=@$at/BIN?as=records"
says said 'records (as=records) all have one shape'

# ---- written: several in a message, as many as it takes ----
jm make SRC src 0
jm put src 0 10
jm make OUT 'out.>' 0
run double.wadi "s=@$at/SRC" "out=@$at/OUT?subject=out.bin&as=records&batch=4" --chunk 10 || wrong "$(cat said)"
[ "$(shown out.bin)" = '32 3;32 7;16 9;' ] || wrong "messages: $(shown out.bin)"
jm dump OUT out.bin >seen
[ "$(numbers seen)" = ' 0 2 4 6 8 10 12 14 16 18 ' ] || wrong "records: $(numbers seen)"
run double.wadi "s=@$at/OUT?subject=out.bin&as=records" "out=@$at/OUT?subject=out.lines&as=lines&batch=1000" --chunk 5 || wrong "$(cat said)"
[ "$(shown out.lines)" = '12 4;15 9;' ] || wrong "messages: $(shown out.lines)"
[ "$(jm dump OUT out.lines | tr '\n' ' ')" = '0 4 8 12 16 20 24 28 32 36 ' ] || wrong "lines: $(jm dump OUT out.lines)"
head -c 3000000 /dev/zero | tr '\0' x >large.raw
run bytes.wadi s=300000:@large.raw "out=@$at/OUT?subject=out.large&as=lines&batch=30000" --chunk 10 || wrong "$(cat said)"
[ "$(shown out.large)" = '900003 2;900003 5;900003 8;300001 9;' ] || wrong "messages: $(shown out.large)"
refused bytes.wadi s=1500000:@large.raw "out=@$at/OUT?subject=out.larger&as=lines"
says said 'element 0 has 1500001 bytes, a message of this server takes at most'
refused bytes.wadi s=1500000:@large.raw "out=@$at/OUT?subject=out.larger&as=records&batch=4"
says said 'element 0 has 1500000 bytes, a message of this server takes at most'
printf '1 2 3\n4 5 6 7 8\n' >parts.txt
run parts.wadi s=@parts.txt "out=@$at/OUT?subject=out.parts" || wrong "$(cat said)"
[ "$(shown out.parts)" = '9 0;25 1;' ] || wrong "elements of several arrays: $(shown out.parts)"
reads "$(cat parts.txt)" parts.wadi "$at/OUT?subject=out.parts"
refused parts.wadi "s=@$at/OUT?subject=out.bin&to=1"
says said 'message 1 has 32 bytes, expected 9 and a multiple of 8'
printf 'a\nb\n' >two.raw
refused bytes.wadi s=4:@two.raw "out=@$at/OUT?subject=out.newline&as=lines"
says said 'byte 1 of element 0 is a newline, so it would be two lines'
refused double.wadi "s=@$at/SRC" "out=@$at/OUT?subject=out.x&batch=4"
says said 'several elements in a message are as=records or as=lines'
refused double.wadi "s=@$at/SRC" "out=@$at/OUT?subject=out.x&as=records&batch=0"
says said 'batch: expected a number from 1 to'

# ---- messages of a killed process of the run that come late, and end within one of this process or behind all that it has put: their elements are left out ----
# Each message has a chunk of its own, because it fills one or comes when the one before it is written: what comes together would be written together.
jm make LATE 'late.>' 0
taken() { [ "$(jm given LATE)" = "$1" ] || ! kill -0 $run 2>/dev/null; }
written() { [ "$(shown out.late)" = "$1" ] || ! kill -0 $run 2>/dev/null; }
# goes_on MESSAGES: waits for more, behind so many, the last of which has no element; it has looked at the subject then
goes_on() {
    for _ in 1 2 3 4 5 6 7 8; do
        "$wadi" run double.wadi "s=@$at/LATE?subject=late.in&as=lines&follow=yes&wait=20" "out=@$at/OUT?subject=out.late&as=lines&batch=4&wait=20" --chunk 4 --state late 2>said &
        run=$!
        pids="$pids $run"
        until_that taken "$1"
        kill -0 $run 2>/dev/null || ! grep -q 'there is no connection' said || continue
        return
    done
}
# shows MESSAGES: when they are there, the run is ended
shows() {
    until_that written "$1"
    kill -TERM $run
    wait $run || wrong "elements that have come late: $(cat said)"
    [ "$(shown out.late)" = "$1" ] || wrong "behind late messages: $(shown out.late), expected $1"
}
forge() { jm forge out.late "$(jm show OUT out.late | head -n 1 | cut -d ' ' -f 5)" "$1"; }
jm text late.in "0${newline}1" ''
goes_on 2
shows '4 1;'
jm text late.in ''
goes_on 3
forge 3
jm text late.in "2${newline}3${newline}4${newline}5" 6
shows '4 1;0 3;5 5;3 6;'
jm text late.in ''
goes_on 6
forge 11
jm text late.in "7${newline}8${newline}9${newline}10" "11${newline}12${newline}13${newline}14"
shows '4 1;0 3;5 5;3 6;0 11;9 14;'
[ "$(jm dump OUT out.late | tr '\n' ' ')" = '0 2 8 10 12 24 26 28 ' ] || wrong "behind late messages: $(jm dump OUT out.late)"
# Once a message of this process is taken, it is another's.
jm text late.in ''
goes_on 9
jm text late.in 15
until_that written '4 1;0 3;5 5;3 6;0 11;9 14;3 15;'
jm text late.in 16
until_that written '4 1;0 3;5 5;3 6;0 11;9 14;3 15;3 16;' # the one in front is confirmed
forge 18
jm text late.in "17${newline}18${newline}19"
wait $run && wrong "two processes of one run are not noticed"
says said 'it runs somewhere else, too'

# ---- from a program in C, that of the documents ----
folder=$(find "$WADI_BUILD" -mindepth 2 -name libwadi.so -exec dirname {} \; | head -n 1)
if [ -n "$folder" ]; then
    # shellcheck disable=SC2086
    "$WADI_TEST_CC" -Wall -Wextra -Werror ${WADI_SANITIZE:+-fsanitize=$WADI_SANITIZE} -I"$WADI_SOURCE/include" -I"$WADI_BUILD/generated" "$WADI_SOURCE/docs/examples/messages.c" \
        -o messages -L"$folder" -Wl,-rpath,"$folder" -lwadi || wrong "the example does not compile"
    for i in 1 2; do patient ./messages "$at/TEXT?subject=text.rows&as=lines&separator=comma" "$at/OUT?subject=out.sums&as=lines&batch=100" sums || wrong "the example: $(cat said)"; done
    [ "$(jm dump OUT out.sums | tr '\n' ' ')" = '0 3 6 9 12 15 18 0 3 6 9 12 15 18 ' ] || wrong "the example: $(jm dump OUT out.sums)"
    patient ./messages "$at/NONE?as=lines" "$at/OUT?subject=out.sums" sums && wrong "the example reads what is not there"
    says said 'has no stream "NONE"'
fi
exit $failed
