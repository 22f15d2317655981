#!/bin/sh
# wadi-grid over workers elsewhere: the image has the same bytes for one, two and three workers and without any, whoever is killed, over ipc and
# over a NATS server.
set -u
grid="${WADI_BUILD:?}/apps/gridding/wadi-grid"
wadi="$WADI_BUILD/cli/wadi"
server=/usr/sbin/nats-server
[ -x "$grid" ] || { echo "skipped: wadi-grid is not built"; exit 77; }
work=$(mktemp -d "${TMPDIR:-/tmp}/wadi-v.XXXXXX") || exit 1 # a short name: it holds addresses of sockets
pids=
finish() {
    for p in $pids; do kill -9 "$p" 2>/dev/null; done
    wait 2>/dev/null
    rm -rf "$work"
}
trap finish EXIT
cd "$work" || exit 1
mkdir -m 700 run
export XDG_RUNTIME_DIR="$work/run" # of those who are watched
unset WADI_TOKEN
ipc="ipc://$work/job"

wrong() {
    echo "FAILED: $*"
    : >failed
}
same() { # WHAT
    cmp here.fits there.fits || wrong "another image: $1"
    rm -f there.fits
}

# Rows of two sources, with w.
awk 'BEGIN {
    print "# frequency 150e6\n# ra 83.5\n# dec 22"
    for (i = 0; i < 6000; i++) {
        u = 300 * sin(i * 0.7) * (i % 97) / 97; v = 280 * cos(i * 0.7) * (i % 89) / 89; w = 400 * sin(i * 0.31)
        a = -6.283185307179586 * (u * 0.004 - v * 0.003 + w * -1.25e-5)
        b = -6.283185307179586 * (u * -0.007 + v * 0.009 + w * -6.5e-5)
        printf "%.12g %.12g %.12g %.12g %.12g %.6g\n", u, v, w, cos(a) + 2 * cos(b), sin(a) + 2 * sin(b), 1 + i % 3
    }
}' >rows.txt
image="--size 128 --scale 1e-3rad -w uniform rows.txt"
parts=60
each="--part 100"

# shellcheck disable=SC2086
"$grid" -q -o here.fits $image $each >said 2>&1 || {
    grep -q -i cfitsio said && { echo "skipped: no FITS files here"; exit 77; }
    cat said
    exit 1
}

# Starts worker N.
worker() { # N ADDRESS OPTIONS..
    n=$1
    shift
    "$wadi" work "$@" --threads 1 --stats 2>worker$n &
    eval "worker$n=\$!"
    pids="$pids $!"
}
# What the workers have computed together.
worked() {
    cat worker? | awk '/^worked/ { n += $2 } END { print n + 0 }'
}
# Workers 1 to N have ended well.
ended() {
    for n in $(seq "$1"); do
        eval "wait \$worker$n" || wrong "worker $n: $(cat worker$n)"
    done
}

# ---- as many workers as there are

# shellcheck disable=SC2086
"$grid" -q -o there.fits $image $each --via $ipc || wrong "nobody elsewhere: $?"
same "nobody elsewhere"
for workers in 1 2 3; do
    for n in $(seq $workers); do worker "$n" $ipc; done
    # shellcheck disable=SC2086
    "$grid" -q -o there.fits $image $each --via $ipc --workers $workers || wrong "$workers workers: $?"
    same "$workers workers"
    ended $workers
    [ "$(worked)" -ge 1 ] || wrong "who has worked: $(cat worker?)"
done

# ---- one of two is killed when something is in the image; the other does the rest, or home

saved() { # DIR PID: waits until something is saved, or that one has ended
    tries=0
    until [ -e "$1/state" ] || ! kill -0 "$2" 2>/dev/null || [ $tries -ge 12000 ]; do tries=$((tries + 1)); sleep 0.05; done
}
for n in 1 2; do worker $n $ipc; done
# shellcheck disable=SC2086
"$grid" -q -o there.fits $image $each --via $ipc --workers 2 --state kept --every 0s &
home=$!
saved kept $home
kill -9 $worker1
wait $home || wrong "a worker was killed: $?"
wait $worker1 2>/dev/null
wait $worker2 || wrong "worker 2: $(cat worker2)"
same "a worker was killed"
[ ! -e kept ] || wrong "something stayed of the state: $(ls kept)"

# ---- home is killed, and goes on behind what is saved, on other workers or without any

for address in $ipc ""; do
    rm -f worker?
    worker 1 $ipc --stay
    # shellcheck disable=SC2086
    "$grid" -q -o there.fits $image $each --via $ipc --workers 1 --state kept --every 0s &
    home=$!
    saved kept $home
    kill -9 $home 2>/dev/null
    wait $home 2>/dev/null
    was=$?
    [ ! -e there.fits ] || was=0 # it was faster
    kill $worker1
    wait $worker1 || wrong "worker 1: $(cat worker1)"
    [ $was -eq 0 ] || [ -e kept/state ] || wrong "nothing was saved"
    # what is saved is of this image
    if [ $was -ne 0 ]; then
        "$grid" -q -o other.fits --size 64 --scale 1e-3rad rows.txt $each --state kept >said 2>&1 && wrong "another image went on"
        grep -q "another image" said || wrong "another image: $(cat said)"
        # shellcheck disable=SC2086
        "$grid" -q -o other.fits $image --part 50 --state kept >said 2>&1 && wrong "other parts went on"
        grep -q "parts of another size" said || wrong "other parts: $(cat said)"
    fi
    if [ -n "$address" ]; then
        worker 2 $ipc
        # shellcheck disable=SC2086
        "$grid" -q -o there.fits $image $each --via $ipc --workers 1 --state kept --every 0s || wrong "gone on: $?"
        wait $worker2 || wrong "worker 2: $(cat worker2)"
        [ $was -eq 0 ] || awk -v n=$parts '/^worked/ && $2 >= n { exit 1 }' worker2 || wrong "all was gridded again: $(cat worker2)"
    else
        # shellcheck disable=SC2086
        "$grid" -q -o there.fits $image $each --state kept || wrong "gone on here: $?"
    fi
    same "home was killed"
    [ ! -e kept ] || wrong "something stayed of the state: $(ls kept)"
done

# ---- the first SIGTERM saves, and ends with status 0

worker 1 $ipc --stay
# shellcheck disable=SC2086
"$grid" -q -o there.fits $image $each --via $ipc --workers 1 --state kept --every 0s >said 2>&1 &
home=$!
saved kept $home
kill -TERM $home
wait $home
was=$?
if [ ! -e there.fits ]; then # else it was faster
    [ $was -eq 0 ] || wrong "SIGTERM: $was $(cat said)"
    grep -q "parts are saved in kept" said || wrong "SIGTERM: $(cat said)"
fi
# shellcheck disable=SC2086
"$grid" -q -o there.fits $image $each --via $ipc --workers 1 --state kept || wrong "gone on: $?"
same "SIGTERM"
kill $worker1
wait $worker1 || wrong "worker 1: $(cat worker1)"

# ---- real visibilities

data="${WADI_TEST_DATA:-}/vis/mojave.uvfits"
if [ -e "$data" ]; then
    "$grid" -q -o here2.fits --size 400 --scale 0.05mas --part 1000 "$data" || wrong "real data: $?"
    worker 1 $ipc
    "$grid" -q -o there.fits --size 400 --scale 0.05mas --part 1000 "$data" --via $ipc --workers 1 || wrong "real data: $?"
    cmp here2.fits there.fits || wrong "another image of real data"
    wait $worker1 || wrong "worker 1: $(cat worker1)"
    rm -f there.fits
else
    echo "no real data here"
fi

# ---- mistakes

# says TEXT COMMAND...
says() {
    want=$1
    shift
    "$@" >said 2>&1 && wrong "$* succeeds"
    grep -qF -e "$want" said || wrong "$*: $(cat said)"
}
g="$grid -q -o no.fits --size 64 --scale 1e-3rad"
for method in wproj aw simple direct; do
    # shellcheck disable=SC2086
    says "by wstack; $method has one grid" $g -m $method rows.txt --via $ipc
    # shellcheck disable=SC2086
    says "$method has one grid" $g -m $method rows.txt --state kept
done
# shellcheck disable=SC2086
{
    says "--via wants files" $g --listen $ipc --via $ipc
    says "--part is of files" $g --listen $ipc --part 5
    says "without --via there are no workers" $g rows.txt --workers 2
    says "--workers: \"many\" is not a number of workers" $g rows.txt --via $ipc --workers many
    says "--key and --worker-keys must be given together" $g rows.txt --via $ipc --key k
    says "--senders are those of --listen" $g rows.txt --via $ipc --key k --senders s
    says "--fast-math" $g rows.txt --via $ipc --fast-math
    says "--part: \"0\" is not a number of visibilities" $g rows.txt --part 0
    says "expected tcp://HOST:PORT" $g rows.txt --via pigeon://job
}
[ ! -e no.fits ] || wrong "an image of a mistake"
[ ! -e kept ] || wrong "a state of a mistake: $(ls kept)"

# ---- a NATS server, which takes no message as large as a part

if [ -x $server ] && "$wadi" version | grep -q 'module *nats.*libnats'; then
    port=$("$WADI_BUILD/tests/keep_port" $$)
    at=nats://127.0.0.1:$port
    : >server.log
    $server -a 127.0.0.1 -p $port --jetstream --store_dir "$work/jobs" >server.log 2>&1 &
    pids="$pids $!"
    n=0
    until grep -q 'Server is ready' server.log && "$wadi" job ls $at >/dev/null 2>&1; do
        n=$((n + 1))
        [ $n -lt 400 ] || { cat server.log; exit 1; }
        sleep 0.05
    done
    for k in 1 2 3 4 5 6; do cat rows.txt; done >big.txt
    sed -i '4,${/^#/d}' big.txt
    whole="--size 512 --scale 1e-3rad --part 32000 big.txt"
    # shellcheck disable=SC2086
    "$grid" -q -o here.fits $whole || wrong "no image here: $?"
    for n in 1 2; do worker $n $at/sky; done
    # shellcheck disable=SC2086
    "$grid" -q -o there.fits $whole --via $at/sky --workers 2 || wrong "over NATS: $?"
    same "over NATS"
    ended 2
    [ "$(worked)" -ge 1 ] || wrong "who has worked over NATS: $(cat worker?)"
    [ -z "$("$wadi" job ls $at)" ] || wrong "a job stayed: $("$wadi" job ls $at)"
else
    echo "no NATS server here"
fi

[ ! -e failed ]
