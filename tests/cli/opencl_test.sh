#!/bin/sh
# --device opencl: the documented programs give what they give on cpu, wadi-md5 finds what it finds there, and what is missing or broken is
# said by name. The second half needs a device of OpenCL, such as PoCL's.
set -eu

wadi=$WADI_BUILD/cli/wadi
md5=$WADI_BUILD/apps/md5/wadi-md5
examples=$WADI_SOURCE/docs/examples
doubles=$WADI_BUILD/tests/doubles
work=$(mktemp -d "${TMPDIR:-/tmp}/wadi-opencl.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
export WADI_LEARN=off
unset WADI_DEVICE WADI_TARGET WADI_OPENCL_DRIVER
cd "$work"

fail() {
    echo "opencl: $1" >&2
    exit 1
}

# refused WORDS COMMAND...: it fails and says so.
refused() {
    words=$1
    shift
    ! "$@" >out 2>&1 || fail "$*: not refused"
    grep -q "$words" out || fail "$*: $(cat out)"
}

# told WORDS: wadi devices says so of opencl, and goes on.
told() {
    "$wadi" devices >out 2>&1 || fail "wadi devices fails: $(cat out)"
    grep '^cpu ' out >/dev/null || fail "wadi devices says nothing of cpu: $(cat out)"
    grep "^opencl.*$1" out >/dev/null || fail "wadi devices: $(cat out)"
}

dotp() { "$wadi" run "$@" "$examples/dotp.wadi" xs=1,2,3 ys=4,5,6; }

# ---- libraries that cannot be used ----

export WADI_OPENCL_DRIVER=$work/none.so
told 'devices of OpenCL: none: OpenCL: .*none.so'
refused 'there is no "opencl:0": OpenCL: .*none.so' dotp --device opencl
echo "no library" >text.so
export WADI_OPENCL_DRIVER=$work/text.so
told 'none: OpenCL: .*text.so'
refused 'there is no "opencl:0": OpenCL: .*text.so' dotp --device opencl:0
export WADI_OPENCL_DRIVER=$doubles/libdouble_opencl_none.so
told 'none: this machine has no such device'
refused 'there is no "opencl:0": this machine has no opencl device' dotp --device opencl
export WADI_OPENCL_DRIVER=$doubles/libdouble_opencl_old.so
told 'none: OpenCL: the library has no function clFinish'
refused 'OpenCL: the library has no function clFinish' dotp --device opencl
export WADI_OPENCL_DRIVER=$doubles/libdouble_opencl_aborts.so
told 'none: its library is broken: asking it ended in a crash'
refused 'there is no "opencl:0": its library is broken: asking it ended in a crash' dotp --device cpu,opencl:0
[ "$(WADI_CUDA_DRIVER=/none dotp --device all 2>err)" = "dot = f32 32.0" ] || fail "all, with a driver that crashes"
grep -q 'left out of "all": opencl: its library is broken' err || fail "all, with a driver that crashes: $(cat err)"
# Who ignores his children, as the program that starts wadi may do, is told as well.
if env --ignore-signal=CHLD true 2>/dev/null; then
    env --ignore-signal=CHLD "$wadi" devices >out 2>&1 || fail "wadi devices, children ignored: $(cat out)"
    grep -q '^opencl.*none: its library is broken: it ended the process that asked it' out || fail "wadi devices, children ignored: $(cat out)"
    refused 'there is no "opencl:0": its library is broken' env --ignore-signal=CHLD "$wadi" run --device cpu,opencl:0 "$examples/dotp.wadi" xs=1 ys=2
fi
export WADI_OPENCL_DRIVER=$doubles/libdouble_opencl_hangs.so WADI_PATIENCE=0.5
told 'none: its library did not answer within 0.5 s'
refused 'there is no "opencl:0": its library did not answer within 0.5 s' dotp --device opencl
[ "$(WADI_CUDA_DRIVER=/none dotp --device all 2>err)" = "dot = f32 32.0" ] || fail "all, with a driver that hangs: $(cat err)"
grep -q 'left out of "all": opencl: its library did not answer' err || fail "all, with a driver that hangs: $(cat err)"
# A signal ends who asks it.
export WADI_PATIENCE=60
dotp --device opencl >out 2>&1 &
asker=$!
sleep 0.5
kill "$asker"
! wait "$asker" || fail "a signal does not end a program that asks a driver"
# The process that asks for a program ends with it, however that ends.
child_of() { for stat in /proc/[0-9]*/stat; do sed -n "s/^\\([0-9]*\\) (.*) [A-Z] $1 .*/\\1/p" "$stat" 2>/dev/null || :; done; }
if [ -e /proc/self/stat ]; then
    "$wadi" run --device opencl "$examples/dotp.wadi" xs=1 ys=2 >out 2>&1 &
    asker=$!
    child=
    for moment in $(seq 300); do
        child=$(child_of "$asker")
        [ -z "$child" ] || break
        sleep 0.2
    done
    [ -n "$child" ] || fail "no process asks for a program"
    kill -9 "$asker"
    wait "$asker" || :
    lives() { sed 's/.*) //' "/proc/$child/stat" 2>/dev/null | grep -q '^[^Z]'; }
    for moment in $(seq 300); do
        lives || break
        sleep 0.2
    done
    ! lives || fail "a process that asks has outlived its program"
fi
unset WADI_PATIENCE
export WADI_OPENCL_DRIVER=$doubles/libdouble_opencl_broken.so
told ':0 .*Narrow, OpenCL 1.2 double, driver 1.5, no f64, 3.0 GiB (kernels in OpenCL C)$'
told ':1 .*Broken, .*(kernels in OpenCL C)$'
refused 'opencl:1: clCreateContext failed: CL_OUT_OF_RESOURCES' dotp --device opencl:1
refused 'there is no "opencl:7", only opencl:0 to opencl:1' dotp --device opencl:7
refused 'expected a number behind "opencl:"' dotp --device opencl:x
[ "$(dotp)" = "dot = f32 32.0" ] || fail "cpu is not there any more"
unset WADI_OPENCL_DRIVER

# ---- a device ----

# PoCL takes half of the time when its compiler does not optimise. Other drivers do not read this.
[ -n "${WADI_TEST_ALL:-}" ] || export POCL_EXTRA_BUILD_FLAGS="${POCL_EXTRA_BUILD_FLAGS--cl-opt-disable}"

if ! "$wadi" devices | grep '^opencl:0 ' >there || grep 'cannot be used' there >&2; then
    echo "no device of OpenCL: programs have not been run" >&2
    exit 77
fi
refused 'there is no "opencl:777", only opencl:0' dotp --device opencl:777

# ---- what PoCL lets one choose ----

if grep -q PoCL there; then
    export POCL_DEVICES="pthread pthread"
    "$wadi" devices | grep '^opencl:1 .*(kernels in OpenCL C)$' >/dev/null || fail "a second device is not told: $("$wadi" devices)"
    dotp --device opencl:0,opencl:1 --stats >out 2>&1 && grep -q '^shares  *all on opencl:0: nothing could be shared' out ||
        fail "two devices of PoCL do not share: $(cat out)"
    "$wadi" check --runs 2 --device opencl:0,opencl:1 "$examples/stats.wadi" 'samples=1,2,3;4,5;6;7' >out 2>&1 || fail "check: $(cat out)"
    grep -q ', one on opencl:0, one on opencl:1.* one shared.* agree$' out || fail "check: $(cat out)"
    # How much each of them gets is a matter of time.
    grep -q '^shared: opencl:0 [0-9][0-9]* %, opencl:1 [0-9][0-9]* %$' out || fail "check: $(cat out)"
    for device in opencl:1 opencl:0+1 opencl:0,opencl:1; do
        [ "$(dotp --device "$device")" = "dot = f32 32.0" ] || fail "$device"
    done
    refused 'there is no "opencl:2", only opencl:0 to opencl:1' dotp --device opencl:2
    refused 'there is no "opencl:2", only opencl:0 to opencl:1' dotp --device opencl:0+2
    unset POCL_DEVICES

    # No driver at all, one that is gone, and one without devices.
    mkdir vendors
    for way in empty gone none; do
        [ "$way" != gone ] || echo "$work/nowhere.so" >vendors/gone.icd
        if [ "$way" = none ]; then export POCL_DEVICES=none; else export OCL_ICD_VENDORS=$work/vendors; fi
        told 'devices of OpenCL: none: this machine has no such device'
        refused 'there is no "opencl:0": this machine has no opencl device' dotp --device opencl
        unset POCL_DEVICES OCL_ICD_VENDORS
    done

    # Its cache: new and empty, a file, and below a file.
    [ "$(POCL_CACHE_DIR=$work/cache dotp --device opencl)" = "dot = f32 32.0" ] || fail "an empty cache"
    POCL_CACHE_DIR=$work/text.so refused 'what the compiler has made cannot be loaded: opencl:0 (.*) cannot build the kernels: .' dotp --device opencl
    POCL_CACHE_DIR=$work/text.so/below refused 'opencl' dotp --device opencl
fi

# same NAME=VALUE.. of an example: equal output.
same() {
    program=$1
    shift
    "$wadi" run "$examples/$program.wadi" "$@" >cpu.out || fail "$program"
    "$wadi" run --device opencl --stats "$examples/$program.wadi" "$@" >opencl.out 2>stats || fail "$program: $(cat stats)"
    cmp cpu.out opencl.out || fail "$program computes something else"
    grep '^device  *opencl:0$' stats >/dev/null || fail "$program has run elsewhere: $(cat stats)"
    ! grep 'warnings* generated' stats || fail "$program: the driver's compiler chatters"
}
same dotp xs=1,2,3 ys=4,5,6
same stats 'samples=1,2,3;4,5;6'
if [ -n "${WADI_TEST_ALL:-}" ]; then # a driver takes seconds for a program
    same mvm m=2x3:1,2,3,4,5,6 v=1,1,1
    same mandelbrot width=24 height=12 limit=30
    same smvm v=1,2,3 lengths=1,0,2 columns=0,1,2 values=5,6,7
fi

# Rows that cannot be longer than a group's lanes, with a way of its own for each lane: PoCL once gave all lanes that of the first.
cat >rows.wadi <<'PROGRAM'
program rows
input table : i32[7]
stream_in s : seq(u8[?])
t = map_seq s (a) {
    n = unit { min (extent a 0) 5 } : i64
    ones = generate n (i) { 1 } : i64[?]
    starts = scanl 0 ones (i, j) { add i j } : i64[?]
    parts = fold1_seg starts a (x, y) { max x y } : u8[?]
    one = unit { 1.0 } : f64
    xs = map parts (x) { the one } : f64[?]
    pairs = map xs (x) {
        y = mul -2.0f32 (convert f32 x)
        z, k = while (w, k) { lt k 3 } do { 3.0f32, add k 1 } from convert f32 (table ! (mod (convert i64 x) 7)), mod (convert i64 x) 5
        p: y, q: mul (round y) z
    } : {p: f32, q: f32}[?]
    r = spread dim=0 pairs : f32[?, ?]
    yield r, parts, xs
} : seq(f32[?, ?], u8[?], f64[?])
stream_out "out" t
PROGRAM
examples=$work same rows table=3,-1,4,1,-5,9,2 's=1,2,3;4,5,6,7'

"$wadi" check --device opencl "$examples/mvm.wadi" m=2x3:1,2,3,4,5,6 v=1,1,1 >out 2>&1 || fail "wadi check: $(cat out)"
grep 'one on cpu.* agree$' out >/dev/null || fail "wadi check: $(cat out)"

# Fast math: a product and a sum round once where the processor can, and the default stays as it was.
cat >joined.wadi <<'PROGRAM'
program joined
input x : f64[n]
y = map x (v) { sub (mul v v) 1.0 }
output y
PROGRAM
want='changes'
! grep -qw fma /proc/cpuinfo || want='changes at most'
POCL_EXTRA_BUILD_FLAGS= "$wadi" check --fast-math --device opencl joined.wadi x=1.0000000001,3 >out 2>&1 || fail "fast math: $(cat out)"
grep "fast math $want" out >/dev/null || fail "fast math: $(cat out)"
"$wadi" run joined.wadi x=1.0000000001,3 >cpu.out
POCL_EXTRA_BUILD_FLAGS= "$wadi" run --device opencl joined.wadi x=1.0000000001,3 | cmp - cpu.out || fail "fast math stays"

# An application: the driver takes too long for the kernels of others, and of this one in the quick suite.
if [ -n "${WADI_TEST_ALL:-}" ]; then
    seq -f 'word%g' 5000 >words
    digest=$(printf word4321 | md5sum | cut -d' ' -f1)
    [ "$("$md5" --device opencl -q --hashes "$digest" words)" = "$digest:word4321" ] || fail "wadi-md5"
fi

# A kernel that the cache has kept is loaded again; a library that is gone does not matter to cpu.
dotp --device opencl >again && [ "$(cat again)" = "dot = f32 32.0" ] || fail "a second run"
