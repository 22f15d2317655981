#!/bin/sh
# A stream that several `wadi run` share, whose sender and gatherer are saved (--state): killed with SIGKILL and started again, the output has the bytes of one run.
. "$(dirname "$0")/begin.sh"
trap 'kill -9 $(jobs -p) 2>/dev/null; rm -rf "$dir"' EXIT # a run that is saved may take its time to end

program() { # NAME INPUT
    printf 'program %s\nstream_in %s : seq(f64[?])\ny = map_seq %s (b) {\n  h = map b (x) { sin (add x 1.0) }\n  yield h\n}\nstream_out "out" y\n' "$1" "$2" "$2" >"$1.wadi"
}
program first s
program work mid
program last res
dd if=/dev/urandom bs=1000 count=4000 2>/dev/null | od -An -v -tu1 -w8 | awk '{ printf "%07d?", $1 * 1000 + $2 }' >in.raw
upper=ipc://$dir/upper
lower=ipc://$dir/lower
run() { timeout 300 "$wadi" run "$@"; }
run first.wadi "s=25:@in.raw" out=@a.raw && run work.wadi mid=25:@a.raw out=@b.raw && run last.wadi res=25:@b.raw out=@whole.raw || wrong "no reference"

send() { exec "$wadi" run first.wadi "s=25:@in.raw" "out=@link,share:$upper" --wait 60 --chunk 50 --state sent --every 0.05 2>>sender; }
part() { exec "$wadi" run work.wadi "mid=@link,part:$upper" "out=@link,part:$lower" --wait 60 2>>parts; }
gather() { exec "$wadi" run last.wadi "res=@link,gather:$lower" out=@out.raw --wait 60 --state got --every 0.05 2>>gatherer; }
alone() { exec "$wadi" run last.wadi "res=@link,gather:$lower" out=@out.raw --wait 60 2>>gatherer; }

is_whole() {
    cmp -s out.raw whole.raw || wrong "another output: $1: $(cat sender gatherer parts)"
    rm -rf out.raw sender gatherer parts sent got
}

# ---- the sender alone is saved, and killed ----
alone &
gatherer=$!
part &
one=$!
part &
two=$!
send &
sender=$!
for turn in 1 2 3 4 5 6 7 8; do
    sleep 0.1
    kill -0 $sender 2>/dev/null || break
    kill -9 $sender 2>/dev/null
    wait $sender 2>/dev/null
    send &
    sender=$!
done
wait $gatherer || wrong "the gatherer failed: $(cat sender gatherer parts)"
wait $sender
kill $one $two 2>/dev/null
wait $one $two 2>/dev/null
is_whole "the sender is killed"

# ---- all are killed, and started again until the gatherer has all ----
gather &
gatherer=$!
part &
one=$!
part &
two=$!
send &
sender=$!
turn=0
while :; do
    sleep 0.1
    turn=$((turn + 1))
    if [ $turn -le 12 ]; then
        case $((turn % 4)) in
        0) kill -9 $gatherer 2>/dev/null ;;
        1) kill -9 $one 2>/dev/null ;;
        2) kill -9 $sender 2>/dev/null ;;
        3) kill -9 $two 2>/dev/null ;;
        esac
    fi
    [ $turn -gt 3000 ] && { wrong "it does not come to an end: $(cat sender gatherer parts)"; break; }
    if ! kill -0 $gatherer 2>/dev/null; then
        wait $gatherer 2>/dev/null && break
        gather &
        gatherer=$!
    fi
    kill -0 $sender 2>/dev/null || { wait $sender 2>/dev/null; send & sender=$!; }
    kill -0 $one 2>/dev/null || { wait $one 2>/dev/null; part & one=$!; }
    kill -0 $two 2>/dev/null || { wait $two 2>/dev/null; part & two=$!; }
done
kill -9 $sender $one $two 2>/dev/null
wait 2>/dev/null
is_whole "all are killed"

# ---- a gatherer that has lost what was had says so, and nobody waits for ever ----
mkfifo slow
half=2000000
(exec 3>slow; head -c $half in.raw >&3; until [ -e more ]; do sleep 0.05; done; tail -c +$((half + 1)) in.raw >&3) 2>/dev/null &
"$wadi" run last.wadi "res=@link,gather:$lower" out=@out.raw --wait 60 --chunk 50 2>gatherer &
gatherer=$!
"$wadi" run work.wadi "mid=@link,part:$upper" "out=@link,part:$lower" --wait 15 2>parts & # in the end it waits in vain
one=$!
"$wadi" run first.wadi "s=25:@slow" "out=@link,share:$upper" --wait 60 --chunk 50 2>sender &
sender=$!
# it has nearly all that has been sent, and has said so
had() { cat out.raw.*.wadi-part 2>/dev/null | wc -c; }
tries=0
until [ "$(had)" -ge $((half / 10 * 9)) ] || [ $tries -ge 2400 ]; do
    tries=$((tries + 1))
    sleep 0.05
done
[ $tries -lt 2400 ] || wrong "the gatherer has $(had) bytes of $half: $(cat sender gatherer parts)"
kill -9 $gatherer
wait $gatherer 2>/dev/null
rm -f out.raw.*.wadi-part
: >more
timeout 100 "$wadi" run last.wadi "res=@link,gather:$lower" out=@out.raw --wait 60 2>gatherer && wrong "a second gatherer ends well"
wait $sender && wrong "the sender ends well"
wait $one && wrong "the one between ends well"
for all in sender parts gatherer; do says $all "start all again, since the sender has no state"; done
[ -e out.raw ] && wrong "half an output"

[ $failed -eq 0 ]
