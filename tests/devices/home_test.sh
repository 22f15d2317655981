#!/bin/sh
# Which device of a list has whole arrays: what runs have taken is kept, trials are given up, and a device that is lost, has no memory left, or
# cannot be opened is replaced. The device beside the processors is a double of NVIDIA's.
set -eu

doubles=$WADI_BUILD/tests/doubles
[ -e "$doubles/libdouble_cuda.so" ] && [ -e "$doubles/libdouble_nvrtc.so" ] || exit 77
export WADI_CUDA_DRIVER="$doubles/libdouble_cuda.so" WADI_NVRTC="$doubles/libdouble_nvrtc.so"
unset WADI_LEARN WADI_DEVICE
work=$(mktemp -d "${TMPDIR:-/tmp}/wadi-home.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
export WADI_CACHE_DIR="$work/cache"
mkdir "$work/cache"
cd "$work"

fail() {
    echo "$1" >&2
    cat got stats >&2
    exit 1
}

# run WANT [--option..]: the run gives what the processors alone give, and says this of its home.
run() {
    told=$1
    shift
    "$WADI_BUILD/cli/wadi" run --threads 1 "$@" --stats pairs.wadi v=$n:@$n.raw >got 2>stats || fail "run $*"
    cmp -s want got || fail "other bits"
    [ -z "$told" ] || grep -q "^home  *$told" stats || fail "expected: home $told"
}

cat >pairs.wadi <<'END'
program pairs
input v : f64[n]
n = unit { extent v 0 }
f = generate n n (i, j) {
    x = sub (v ! j) (v ! i)
    fdiv x (add (mul x x) 0.01)
}
s = fold 0.0 f (p, q) { add p q }
t = compute s
u = scanl1 t (a, b) { sub b (mul a 0.5) }
w = fold 0.0 u (a, b) { add a b }
output w
END
values() { seq 1000000 | head -c $((8 * n)) >$n.raw; }
for n in 20000 300; do values; done
"$WADI_BUILD/cli/wadi" run --threads 1 pairs.wadi v=$n:@$n.raw >want

# Small programs open nobody: the driver would fail.
for i in 1 2 3; do WADI_CUDA_DOUBLE="lost=1" run 'cpu, the first of the list' --device cpu,cuda; done
[ -z "$(find cache -name '*home*')" ] || fail "a short run is kept"

# Long ones try it, and keep what it takes. How many values are a long run is a matter of the processor: a quarter more take half as long again. What they
# have found is changed here as if the double were a fast device.
n=20000
kept=
while [ -z "$kept" ]; do
    [ $n -le 640000 ] || fail "a long run is not kept"
    values
    "$WADI_BUILD/cli/wadi" run --threads 1 pairs.wadi v=$n:@$n.raw >want
    run 'cpu, the first of the list' --device cpu,cuda
    kept=$(find cache -name '*home*')
    long=$n
    n=$((n + n / 4))
done
n=$long
write() {
    head -n 1 "$kept" >head
    { cat head && echo "$1"; } >"$kept"
}
write "home 0 9e8 0 0 $((8 * n + 9)) 100 1000 0 0 0 0" # a trial may take 0.05 s
run 'cuda:0 was slower, on trial' --device cpu,cuda
n=300
"$WADI_BUILD/cli/wadi" run --threads 1 pairs.wadi v=$n:@$n.raw >want
WADI_LEARN=off run 'cpu, the first of the list' --device cpu,cuda
small=$(echo "$kept" | sed 's/home-[0-9]*/home-11/')
cp "$kept" "$small"
kept=$small
write "home 0 0 1e15 0 2409 1e9 0 2 1e6 0 2"
run 'cuda:0, ' --device cpu,cuda
grep -q '^shares  *all on cuda:0' stats || fail "shares"
run 'cpu, the first of the list' --device cpu,cuda --forget
grep -q 'copied' stats && fail "a run that forgets is not at the first device"
write "home 1 9e8 0 0 2409 1e9 0 2 1e9 0 0"
run 'cuda:0, on trial' --device cpu,cuda
[ "$(sed -n 2p "$kept" | cut -d' ' -f 2,12)" = "1 1" ] || fail "the trial is not kept: $(cat "$kept")"
run 'cuda:0, .* s a run' --device cpu,cuda

# Whatever becomes of it: at each of its calls the device is lost, or has no memory.
best="home 0 0 1e15 0 2409 1e9 0 2 1e6 0 2"
write "$best"
run 'cuda:0, ' --device cpu,cuda
lost=0
for at in 1 12 110 130 150 170 180 190 200; do
    write "$best"
    WADI_CUDA_DOUBLE="lost=$at" run '' --device cpu,cuda
    if grep -q 'warning.*cuda:0' stats; then
        lost=$((lost + 1))
        grep -q '^home .*is out\|^home .*cannot be used' stats || fail "lost at $at"
        # it is not asked in the next run either
        [ "$at" -gt 20 ] || run 'cpu, no other proved faster' --device cpu,cuda
    fi
done
[ "$lost" -ge 6 ] || fail "the device was lost only $lost times"
for memory in 1000 4000 10000 100000; do
    write "$best"
    WADI_CUDA_DOUBLE="memory=$memory" run '' --device cpu,cuda
done

# Of one device alone, and of a list that it is the first of.
WADI_CUDA_DOUBLE="lost=60" "$WADI_BUILD/cli/wadi" run --device cuda pairs.wadi v=$n:@$n.raw >got 2>stats && fail "a lost device alone"
grep -q 'cuda:0: the device is lost' stats || fail "a lost device alone"
for at in 12 30 60 90; do # while it is opened
    WADI_CUDA_DOUBLE="lost=$at" run 'cpu, for those before it cannot be used' --device cuda,cpu
    grep -q 'warning: device cuda:0 cannot be used: cuda:0: the device is lost' stats || fail "no warning"
done
WADI_CUDA_DOUBLE="fail=cuStreamCreate:1:2" run 'cpu, for those before it cannot be used' --device cuda,cpu
WADI_CUDA_DOUBLE="lost=190" run "cuda:0 is out" --device cuda,cpu
grep -q 'warning: device cuda:0 is out, and the run begins again without it: cuda:0: the device is lost' stats || fail "no warning"

# A stream that can be read only once could not begin again: no run of it is a trial, not even one that takes long.
cat >sums.wadi <<'SUMS'
program sums
stream_in s : seq(i64)
t = fold_seq s 0 (z, i) {
    t = unit { add (the z) (the i) }
    yield t
}
output t
SUMS
mkfifo pipe
sums() {
    told=$1
    "$WADI_BUILD/cli/wadi" run --device cpu,cuda --stats sums.wadi "s=@$2" >got 2>stats || fail "sums of $2"
    cmp -s want got || fail "other sums"
    grep -q "^home  *$told" stats || fail "expected: home $told"
}
slowly() {
    { cat 20000.raw && sleep 0.4; } >pipe &
    sums "$1" raw:pipe
    wait
}
"$WADI_BUILD/cli/wadi" run sums.wadi s=@20000.raw >want
rm -r cache
slowly 'cpu, the first of the list'
kept=$(find cache -name '*home*')
[ -n "$kept" ] || fail "a long run of a stream is not kept"
trial="home 0 9e8 0 0 160001 1000 1000 0 0 0 0" # runs of 0.16 s
write "$trial"
slowly 'cpu, the first of the list'
write "$trial"
sums 'cuda:0, on trial\|cuda:0 was slower, on trial' 20000.raw
