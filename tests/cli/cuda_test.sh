#!/bin/sh
# --device cuda over the doubles of NVIDIA's libraries: the documented programs give what they give on cpu, and what is missing or broken is
# said by name.
set -eu

wadi=$WADI_BUILD/cli/wadi
examples=$WADI_SOURCE/docs/examples
doubles=$WADI_BUILD/tests/doubles
work=$(mktemp -d "${TMPDIR:-/tmp}/wadi-cuda.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
export WADI_LEARN=off
unset WADI_DEVICE WADI_TARGET WADI_NVRTC WADI_CUDA_DOUBLE WADI_NVRTC_DOUBLE
cd "$work"

fail() {
    echo "cuda: $1" >&2
    exit 1
}

# refused WORDS COMMAND...: it fails and says so.
refused() {
    words=$1
    shift
    ! "$@" >out 2>&1 || fail "$*: not refused"
    grep -q "$words" out || fail "$*: $(cat out)"
}

# told WORDS: wadi devices says so of cuda, and goes on.
told() {
    "$wadi" devices >out 2>&1 || fail "wadi devices fails: $(cat out)"
    grep '^cpu ' out >/dev/null || fail "wadi devices says nothing of cpu: $(cat out)"
    grep "^cuda.*$1" out >/dev/null || fail "wadi devices: $(cat out)"
}

dotp() { "$wadi" run "$@" "$examples/dotp.wadi" xs=1,2,3 ys=4,5,6; }

# ---- libraries that cannot be used ----

export WADI_CUDA_DRIVER=$work/none.so
told 'devices of NVIDIA: none: there is no driver of NVIDIA: .*none.so'
refused 'there is no "cuda:0": there is no driver of NVIDIA: .*none.so' dotp --device cuda
"$wadi" explain --kernels --target cuda "$examples/dotp.wadi" | grep -q '^WADI_KERNEL' || fail "nothing is explained without a device"

echo 'int nothing;' >old.c && "$WADI_TEST_CC" -shared -fPIC -o old.so old.c
export WADI_CUDA_DRIVER=$work/old.so
told 'none: the library .*old.so has no function cuInit: it is too old'
refused 'has no function cuInit' dotp --device cuda:0

echo '#include <stdlib.h>
__attribute__((constructor)) static void end(void) { abort(); }' >aborts.c && "$WADI_TEST_CC" -shared -fPIC -o aborts.so aborts.c
export WADI_CUDA_DRIVER=$work/aborts.so
told 'devices of NVIDIA: none: its library is broken: asking it ended in a crash'
[ "$(dotp)" = "dot = f32 32.0" ] || fail "cpu is not there any more"

[ -e "$doubles/libdouble_cuda.so" ] && [ -e "$doubles/libdouble_nvrtc.so" ] || exit 77
export WADI_CUDA_DRIVER=$doubles/libdouble_cuda.so
WADI_CUDA_DOUBLE=devices=0 told 'devices of NVIDIA: none: this machine has no such device'
WADI_CUDA_DOUBLE=devices=0 refused 'there is no "cuda:0": this machine has no cuda device' dotp --device cuda
export WADI_NVRTC=$work/none.so
told ':0 .*Double 0, driver for CUDA 12.0, sm_80, .*: cannot be used: the compiler of CUDA C named by WADI_NVRTC: .*none.so'
refused 'the compiler of CUDA C named by WADI_NVRTC: .*none.so' dotp --device cuda

# ---- devices ----

export WADI_NVRTC=$doubles/libdouble_nvrtc.so
export WADI_CUDA_DOUBLE="devices=2 major=9"
told ':0 .*Double 0, driver for CUDA 12.0, sm_90, .*256 MiB (kernels in CUDA C)$'
told ':1 .*Double 1, .*(kernels in CUDA C)$'
refused 'there is no "cuda:7", only cuda:0 to cuda:1' dotp --device cuda:7
refused 'expected a number behind "cuda:"' dotp --device cuda:x
dotp --device cuda:1 --stats >out 2>stats && [ "$(cat out)" = "dot = f32 32.0" ] || fail "cuda:1: $(cat stats)"
grep -q '^device  *cuda:1$' stats || fail "it has run elsewhere: $(cat stats)"
WADI_CUDA_DOUBLE="mode=2" refused 'cuda:0: its owner has forbidden it to compute' dotp --device cuda
WADI_CUDA_DOUBLE="major=6" refused 'makes no code for machines as old as sm_60' dotp --device cuda
WADI_CUDA_DOUBLE="major=6" refused 'on cuda:0 alone: .* makes no code for machines as old as sm_60' "$wadi" check --runs 2 --device cpu,cuda "$examples/dotp.wadi" xs=1,2 ys=4,5
"$wadi" check --runs 2 --device cpu,cuda "$examples/stats.wadi" 'samples=1,2,3;4,5;6;7' >out 2>&1 || fail "check of a list: $(cat out)"
grep -q '^2 runs, one on cpu, one on cuda:0.* one shared.* agree$' out && grep -q '^shared: cpu [0-9]* %, cuda:0 [0-9]* %$' out || fail "check of a list: $(cat out)"
WADI_CUDA_DOUBLE="mode=2" refused 'device: "cuda:0" cannot be used: its owner has forbidden it to compute' dotp --device cpu,cuda
WADI_CUDA_DOUBLE="hang=cuDevicePrimaryCtxRetain:1" WADI_PATIENCE=0.5 refused 'cuda:0 has not answered within 0.5 s' dotp --device cuda
WADI_CUDA_DOUBLE="hang=cuInit:1" WADI_PATIENCE=0.5 refused 'there is no "cuda:0": its library did not answer within 0.5 s' dotp --device cpu,cuda
# A driver that does not come back from freeing the kernels of a program that has ended holds nobody up.
for call in cuModuleUnload:2 cuDevicePrimaryCtxRelease:3; do
    [ "$(WADI_CUDA_DOUBLE="hang=$call" WADI_PATIENCE=0.5 dotp --device cuda)" = "dot = f32 32.0" ] || fail "hang=$call"
done
WADI_CUDA_DOUBLE="lost=60" refused 'cuda:0: the device is lost: ' dotp --device cuda

# A device that is newer than the compiler, whose driver finishes what the compiler leaves open.
WADI_CUDA_DOUBLE="major=12" dotp --device cuda >out && [ "$(cat out)" = "dot = f32 32.0" ] || fail "a newer device"

# same NAME=VALUE.. of an example: equal output.
same() {
    program=$1
    shift
    "$wadi" run "$examples/$program.wadi" "$@" >cpu.out || fail "$program"
    "$wadi" run --device cuda "$examples/$program.wadi" "$@" >cuda.out || fail "$program"
    cmp cpu.out cuda.out || fail "$program computes something else"
}
same mvm m=2x3:1,2,3,4,5,6 v=1,1,1
same stats 'samples=1,2,3;4,5;6'
same mandelbrot width=24 height=12 limit=30
same smvm v=1,2,3 lengths=1,0,2 columns=0,1,2 values=5,6,7
# Its kernels would need more of a group's memory than there is.
examples=$WADI_SOURCE/tests/codegen/recorded same wide 'z=2x3:1+2i,2,3,4,5,6'
"$wadi" check --device cuda "$examples/mvm.wadi" m=2x3:1,2,3,4,5,6 v=1,1,1 >out 2>&1 || fail "wadi check: $(cat out)"
grep -q 'one on cpu.* agree$' out || fail "wadi check: $(cat out)"

# Fast math: a product and a sum round once where the processor can, and the default stays as it was.
cat >joined.wadi <<'PROGRAM'
program joined
input x : f64[n]
y = map x (v) { sub (mul v v) 1.0 }
output y
PROGRAM
want='changes'
! grep -qw fma /proc/cpuinfo || want='changes at most'
"$wadi" check --fast-math --device cuda joined.wadi x=1.0000000001,3 >out 2>&1 || fail "fast math: $(cat out)"
grep "fast math $want" out >/dev/null || fail "fast math: $(cat out)"
"$wadi" run joined.wadi x=1.0000000001,3 >cpu.out
"$wadi" run --device cuda joined.wadi x=1.0000000001,3 | cmp - cpu.out || fail "fast math stays"
