#!/bin/sh
# Kernels in OpenCL C under oclgrind, which goes through them step by step: no access beside an array, no two lanes that change one place without
# a barrier between them, no barrier that only some lanes reach, no wrong call of OpenCL; and the results are those of cpu. A kernel that breaks
# each rule on purpose shows that oclgrind sees it.
#
# What it cannot take: programs with several bodies, since wadi builds these side by side, and its compiler crashes when two threads use it; atomic
# stores, where it takes the first look at a place for a race; its own check for values that nobody has written, which takes what the host
# has written for unwritten; and what an optimiser makes of kernels (it knows no llvm.assume).
set -eu

case ${WADI_SANITIZE:-} in
*address* | *thread*)
    echo "oclgrind brings its library in before the one of the sanitizer, which then refuses to run: kernels have not been looked at" >&2
    exit 77
    ;;
esac

library=
for at in "${WADI_OCLGRIND:-}" /usr/lib/oclgrind/liboclgrind-rt.so /usr/lib/*/oclgrind/liboclgrind-rt.so /usr/local/lib/oclgrind/liboclgrind-rt.so; do
    [ -n "$library" ] || [ ! -e "$at" ] || library=$at
done
if [ -z "$library" ] || ! command -v oclgrind >/dev/null || ! command -v oclgrind-kernel >/dev/null; then
    echo "oclgrind is not installed: kernels have not been looked at" >&2
    exit 77
fi

wadi=$WADI_BUILD/cli/wadi
examples=$WADI_SOURCE/docs/examples
work=$(mktemp -d "${TMPDIR:-/tmp}/wadi-oclgrind.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
export WADI_LEARN=off WADI_OPENCL_DRIVER="$library"
unset WADI_DEVICE WADI_TARGET
cd "$work"

fail() {
    echo "oclgrind: $1" >&2
    exit 1
}

# Little memory, since each byte has a history.
looked() {
    timeout 120 oclgrind --check-api --data-races --num-threads 1 --global-mem-size 2097152 --build-options -cl-opt-disable --log log "$@"
}

"$wadi" devices | grep '^opencl:0 .*Oclgrind' >/dev/null || fail "it is not found: $("$wadi" devices)"

# ---- does it see anything? ----

# seen WORDS: running the kernel of kernel.cl is reported so.
seen() {
    cat >kernel.cl
    printf 'kernel.cl\nk\n64 1 1\n64 1 1\n\n<size=256 fill=0>\n' >kernel.sim
    timeout 60 oclgrind-kernel --data-races kernel.sim >out 2>&1 || true
    grep -q "$1" out || fail "it does not see: $1: $(cat out)"
}
seen 'Invalid write' <<'KERNEL'
__kernel void k(__global int *x) { x[get_local_id(0) + 1] = 1; }
KERNEL
seen 'race' <<'KERNEL'
__kernel void k(__global int *x) {
    __local int y[64];
    const int i = get_local_id(0);
    y[i] = i;
    x[i] = y[63 - i];
}
KERNEL
seen 'divergence' <<'KERNEL'
__kernel void k(__global int *x) {
    if (get_local_id(0) < 7) barrier(CLK_LOCAL_MEM_FENCE);
    x[get_local_id(0)] = 1;
}
KERNEL

# ---- programs ----

# clean FILE NAME=VALUE..: equal output, and nothing to report.
clean() {
    "$wadi" run "$@" >cpu.out || fail "$*"
    : >log
    looked "$wadi" run --device opencl "$@" >opencl.out 2>said || fail "$*: $(cat said log)"
    [ ! -s log ] || fail "$*: $(head -n 40 log)"
    cmp cpu.out opencl.out || fail "$1 computes something else"
}
clean "$examples/dotp.wadi" xs=1,2,3 ys=4,5,6
clean "$examples/mvm.wadi" m=2x3:1,2,3,4,5,6 v=1,1,1

# Folds by teams and their halvings, scans through a tile, segments; more rows than a group has lanes.
cat >lanes.wadi <<'PROGRAM'
program lanes
input x : i64[?]
total = fold 0 x (a, b) { add a b } : i64[]
sums = scanl 0 x (a, b) { add a b } : i64[?]
output total
output sums
PROGRAM
clean lanes.wadi "x=$(seq -s, 1 150)"
cat >rows.wadi <<'PROGRAM'
program rows
input m : i64[?, ?]
sums = fold 0 m (a, b) { add a b } : i64[?]
high = map sums (x) { gt x 20 } : bool[?]
output sums
output high
PROGRAM
clean rows.wadi "m=70x3:$(seq -s, 1 210)"
if [ -n "${WADI_TEST_ALL:-}" ]; then
    clean "$examples/stats.wadi" 'samples=1,2,3;4,5;6'
    clean "$examples/mandelbrot.wadi" width=6 height=4 limit=8
fi
