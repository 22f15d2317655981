#!/bin/sh
# The keys of wadi top, pressed in a terminal: what they do to the run, and what the screen says. Terminals of all sizes, that change, that take nothing,
# or that go away.
set -u
wadi="${WADI_BUILD:?}/cli/wadi"
in_terminal="$WADI_BUILD/tests/in_terminal"
work=$(mktemp -d "${TMPDIR:-/tmp}/wadi-k.XXXXXX") || exit 1
runs=
finish() {
    for r in $runs; do kill -9 "$r" 2>/dev/null; done
    wait 2>/dev/null
    rm -rf "$work"
}
trap finish EXIT
cd "$work" || exit 1
mkdir -m 700 run
export XDG_RUNTIME_DIR="$work/run"
failed=0

wrong() {
    echo "FAILED: $*"
    failed=1
}

cat >means.wadi <<'PROGRAM'
program means
stream_in s : seq(f64[2])
t = map_seq s (x) {
    m = fold 0.0 x (a, b) { add a b }
    yield m
}
stream_out "t" t
PROGRAM
# How many elements a run of the process has done: has PID NUMBER
cat >has <<'SCRIPT'
#!/bin/sh
"$wadi" top --json "$1" >"seen.$1" 2>&1 && grep -q "\"state\": \"[a-z]*\", .*\"elements\": $2, \"bytes_in\"" "seen.$1"
SCRIPT
chmod +x has
export wadi

# begin INPUT OUTPUT OPTIONS...: a run, $run, that can be watched
begin() {
    from=$1 to=$2
    shift 2
    "$wadi" run means.wadi "s=@$from" "t=@$to" "$@" 2>message 3>&- &
    run=$!
    runs="$runs $run"
    tries=0
    until "$wadi" why $run >/dev/null 2>&1 || [ $tries -ge 1200 ]; do
        tries=$((tries + 1))
        sleep 0.05
    done
}

head -c 16000 /dev/zero >in.raw # 1000 elements
mkfifo pipe
exec 3<>pipe
begin pipe out.raw --chunk 100
cat in.raw >&3

# ---- a run that is paused does nothing until it is let go on, whatever comes; other keys do nothing

cat in.raw in.raw >more.raw
"$in_terminal" "$wadi" top --every 0.1 $run <<STEPS || wrong "keys of a run"
see q quit   s sort   p pause
see $run wadi, one of 1, sorted by plan
see 0.in0
until ./has $run 1000
press s
see sorted by elements
press s
see sorted by bytes
press s
see sorted by fill
press s
see sorted by busy
press s
see sorted by plan
press p
see why: the run is paused
until cat more.raw >pipe
until sleep 1 && ./has $run 1000
press xX\e[A
see sorted by plan
see why: the run is paused
press p
see paused
press d
see the run is not saved (--state), so it cannot be drained
until ./has $run 1000
press r
see goes on
until ./has $run 3000
see why: compute waits for the source
press q
restored
ends 0
STEPS

# ---- keys that a terminal sends as several: Alt-d and Alt-p are no d and p

"$in_terminal" "$wadi" top --every 0.1 $run <<STEPS || wrong "keys of several characters"
see 0.in0
press \ep\eOP\e[15~\e[24;5~s
see sorted by elements
see why: compute waits for the source
press q
restored
ends 0
STEPS

# ---- sizes; a new size is drawn at once, however seldom the screen is. Nothing is wider or higher than the terminal, and its last column is seen

for every in 0.1 3600; do
    settles=$([ $every = 3600 ] || echo settles) # it is drawn twice
    "$in_terminal" "$wadi" top --every $every $run <<STEPS || wrong "sizes, every $every s"
see 0.in0
size 5 20
$settles
see q quit   s sort   p
fills
size 1 1
$settles
see q
size 1 400
$settles
see n next process
size 2 30
$settles
see $run wadi
size 3 200
$settles
see run 1  running
size 100 400
$settles
see why: compute waits for the source
size 24 79
$settles
fills
see why: compute waits
press q
restored
ends 0
STEPS
done
LC_ALL=C.UTF-8 "$in_terminal" "$wadi" top --every 0.1 $run <<STEPS || wrong "sizes in UTF-8"
see 0.in0
size 20 33
fills
size 20 100
see why: compute waits
press q
restored
ends 0
STEPS

# ---- terminals that go away, are closed, or take nothing; signals

# The end of its input may come before SIGHUP, which the kernel sends behind it.
"$in_terminal" "$wadi" top $run <<STEPS || wrong "a terminal that goes away"
see 0.in0
hang
ends 129 0
STEPS
"$in_terminal" sh -c "trap '' HUP; exec '$wadi' top $run" <<STEPS || wrong "a terminal that goes away, which nobody is told of"
see 0.in0
hang
ends 0
STEPS
for signal in 1 2 15; do
    "$in_terminal" "$wadi" top --every 3600 $run <<STEPS || wrong "signal $signal"
see 0.in0
signal $signal
restored
ends $((128 + signal))
STEPS
done
"$in_terminal" "$wadi" top --every 0.1 $run <<STEPS || wrong "a terminal that is stopped"
size 60 200
see 0.in0
stop
press ssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss
until sleep 1
signal 15
ends 143
STEPS
"$in_terminal" sh -c "'$wadi' top $run <&-" <<STEPS || wrong "without input"
see 0.in0
ends 0
STEPS
"$in_terminal" sh -c "'$wadi' top $run >&-" <<STEPS || wrong "without output"
ends 1
STEPS
"$in_terminal" sh -c "'$wadi' top --once $run </dev/null" <<STEPS || wrong "once"
see 0.in0
ends 0
STEPS
"$wadi" why $run >why || wrong "the run is gone"
grep -q 'compute waits for the source' why || wrong "somebody has paused it: $(cat why)"

# ---- the next process, and the end of what is shown

first=$run
begin pipe other.raw --chunk 100
second=$run
"$in_terminal" "$wadi" top --every 0.1 <<STEPS || wrong "two processes"
see wadi, one of 2, sorted by plan
press nnn
until kill -9 $first
see $second wadi, one of 1, sorted by plan
press p
see why: the run is paused
until kill -9 $second
restored
see what was watched has ended
ends 1
STEPS

# ---- d: a run with --state is saved, ends well, also while it is paused, and the next one goes on with it

yes | head -c 64000000 >long.raw # 4 million elements
for keys in d pd; do
    rm -rf kept saved.raw
    begin long.raw saved.raw --chunk 1 --state kept --every 0.2
    "$in_terminal" "$wadi" top --every 0.1 $run <<STEPS || wrong "keys $keys: $(cat message)"
see 0.in0
press $keys
restored
see what was watched has ended
ends 1
STEPS
    wait "$run" || wrong "keys $keys: the run ends with $?: $(cat message)"
    grep -q 'the run is saved in kept' message || wrong "keys $keys: it was not drained: $(cat message)"
    "$wadi" run means.wadi s=@long.raw t=@saved.raw --state kept 2>message || wrong "it does not go on: $(cat message)"
    [ -e plain.raw ] || "$wadi" run means.wadi s=@long.raw t=@plain.raw || wrong "no run"
    cmp saved.raw plain.raw || wrong "keys $keys: another result"
done
exit $failed
