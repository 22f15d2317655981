#!/bin/sh
# A sink that takes elements in any order, with workers in processes of their own: a worker that stands still holds nobody back, and each element comes once, also of a run whose
# home is killed.
. "$(dirname "$0")/begin.sh"

# Each element has a number, so its order can be seen; a filter behind what is shared.
cat >p.wadi <<'PROGRAM'
program p
stream_in s : seq(i64)
t = map_seq s (i) {
    m = unit { add (mod (the i) 7) 10000 }
    a = generate m (j) { convert f64 (add j (the i)) }
    b = map a (x) { sin (exp (sin x)) }
    f = fold 0.0 b (x, y) { add (mul x 0.5) y }
    yield i, f
}
u = filter_seq t (i, f) {
    p = unit { ne (mod (the i) 5) 0 }
    yield p
}
k = map_seq u (i, f) {
    n = unit { add (mul (the i) 1000) (convert i64 (floor (mul (the f) 100.0))) }
    yield n
}
stream_out_unordered "k" k
PROGRAM
numbers() { # FROM TO: as 8 bytes each
    awk -v from="$1" -v to="$2" 'BEGIN { for (i = from; i < to; i++) printf "\\%03o\\%03o\\000\\000\\000\\000\\000\\000", i % 256, int(i / 256) }' >octal
    printf "$(cat octal)"
}
shown() { od -An -v -t d8 -w8 "$1"; }
numbers 0 400 >in
at=ipc://$dir/q
"$wadi" run p.wadi s=@in k=@want >said 2>&1 || wrong "without workers: $(cat said)"
shown want | sort -n >want.sorted
[ "$(wc -l <want.sorted)" -eq 320 ] || wrong "without workers: $(wc -l <want.sorted) elements"
shown want | cmp -s - want.sorted || wrong "without workers: another order"

worker() { # its process is $last
    "$wadi" work "$at" --wait 100 --threads 1 2>>worker 3>&- &
    last=$!
}
same() { # WHAT FILE
    shown "$2" | sort -n | cmp -s - want.sorted || wrong "$1: other elements"
}

# ---- a worker stands still with what it has got: all else comes, and its elements last ----
mkfifo pipe
exec 3<>pipe
worker
slow=$last
worker
well=$last
timeout 500 "$wadi" run p.wadi s=@pipe k=@got --chunk 2 --via "$at" --workers 2 >said 2>&1 3>&- &
run=$!
come() { # N: returns when the sink has got so many elements, or the run has ended, after two minutes at the latest
    until=$(($(date +%s) + 120))
    while kill -0 "$run" 2>/dev/null && [ "$(date +%s)" -lt $until ]; do
        n=$("$wadi" top --once "$(pgrep -P "$run")" 2>/dev/null | awk '$1 == "0.out0" { print $5 }')
        [ "${n:-0}" -ge "$1" ] && return
        sleep 0.05
    done
    wrong "$1 elements do not come: $(cat said) $("$wadi" top --once "$(pgrep -P "$run")" 2>&1)"
    pkill -KILL -P "$run"
}
head -c 640 in >&3
come 64
stopped=$slow
kill -STOP "$slow"
tail -c +641 in >&3
exec 3>&-
wait "$run" || wrong "a worker that stands still: $(cat said)"
kill -CONT "$slow"
stopped=
same "a worker that stands still" got
shown got | cmp -s - want.sorted && wrong "a worker that stands still: nobody has overtaken it"
wait "$well" || wrong "the other worker: status $?"
kill "$slow" 2>/dev/null
wait "$slow" 2>/dev/null

# ---- home is killed again and again, and a worker stands still most of the time ----
numbers 0 2000 >in
awk 'BEGIN { srand(1); for (i = 0; i < 8; i++) print 1 + int(rand() * 9) }' >pauses
"$wadi" run p.wadi s=@in k=@want >said 2>&1 || wrong "without workers: $(cat said)"
shown want | sort -n >want.sorted
worker
slow=$last
worker
job() { # COMMAND: it becomes the job
    exec ${1:-} "$wadi" run p.wadi s=@in k=@whole --chunk 4 --via "$at" --state st --every 0.02 --certificate cert >said 2>&1
}
kills=0
status=1
while read -r tenths; do
    job &
    home=$!
    sleep "0.$tenths"
    kill -9 "$home" 2>/dev/null
    wait "$home"
    status=$?
    [ $status -eq 0 ] && break
    [ $status -eq 137 ] || wrong "home: status $status: $(cat said)"
    kills=$((kills + 1))
    if [ -z "$stopped" ]; then
        stopped=$slow
        kill -STOP "$slow"
    else
        kill -CONT "$slow"
        stopped=
    fi
done <pauses
[ -z "$stopped" ] || kill -CONT "$stopped"
stopped=
[ $status -eq 0 ] || (job "timeout 500") || wrong "home was killed: $(cat said)"
same "home was killed" whole
[ -e st/state ] && wrong "a state is left"
grep -q "^sink k 1600 raw unordered" cert || wrong "no sum in the certificate: $(grep ^sink cert)"
"$wadi" verify cert >said 2>&1 || wrong "the certificate: $(cat said)"
echo "home was killed $kills times"

# ---- an element that fails is told as such, also if its answer comes while the run is being saved: a matter of chance, so it is tried a few times ----
cat >fails.wadi <<'PROGRAM'
program fails
stream_in s : seq(i64)
t = map_seq s (i) {
    n = unit { div 1000 (sub (the i) 150) }
    yield n
}
stream_out_unordered "t" t
PROGRAM
numbers 0 200 >in
turn=0
while [ $turn -lt 4 ]; do
    rm -rf st
    worker
    timeout 500 "$wadi" run fails.wadi s=@in t=@t --chunk 1 --via "$at" --workers 1 --state st --every 0.0001 >said 2>&1 && wrong "nothing has failed"
    grep -q "wadi: div: division of 1000 by zero, element 150, " said || wrong "an element that fails: $(cat said)"
    kill "$last" 2>/dev/null
    wait "$last" 2>/dev/null
    turn=$((turn + 1))
done
exit $failed
