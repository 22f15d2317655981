#!/bin/sh
# Each call of OpenCL fails, and the device is lost, on the way: a run ends well with what `cpu` gives, or with an error that names the device, and
# then it leaves no file. With `cpu` in the list it ends well, unless the device fails while it is asked. Needs a device of OpenCL, such as PoCL's.
set -eu

[ -n "${WADI_TEST_ALL:-}" ] || exit 77
wadi=$WADI_BUILD/cli/wadi
"$wadi" devices | grep '^opencl:0 ' >/dev/null || exit 77
export WADI_OPENCL_DRIVER="$WADI_BUILD/tests/doubles/libdouble_opencl_failing.so" WADI_LEARN=off POCL_EXTRA_BUILD_FLAGS="${POCL_EXTRA_BUILD_FLAGS--cl-opt-disable}"
unset WADI_DEVICE WADI_TARGET WADI_OPENCL_DOUBLE
work=$(mktemp -d "${TMPDIR:-/tmp}/wadi-opencl-failing.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
cd "$work"

fail() {
    echo "opencl_failing: $1" >&2
    exit 1
}

cat >sums.wadi <<'PROGRAM'
program sums
stream_in s : seq(i32[8])
t = map_seq s (a) {
    total = fold 0i32 a (x, y) { add x y } : i32
    yield total
} : seq(i32)
stream_out "out" t
PROGRAM
head -c 32000 "$wadi" >in.raw
run() {
    rm -f out.raw
    timeout 60 "$wadi" run "$@" --chunk 300 sums.wadi s=8:@in.raw out=@out.raw 2>err
}
run --device cpu || fail "cpu: $(cat err)"
mv out.raw want.raw
run --device opencl || fail "opencl: $(cat err)"
cmp want.raw out.raw || fail "opencl writes something else"

fallen=0
for what in lost=20 lost=40 lost=60 lost=90 lost=120 $(sed -n 's/.*X([a-z_0-9]*, \([A-Za-z]*\),.*/\1/p' "$WADI_SOURCE/sched/opencl/entry.h" | sed 's/.*/fail=cl&:1:-5 fail=cl&:3:-6/'); do
    export WADI_OPENCL_DOUBLE=$what
    if run --device opencl; then
        cmp want.raw out.raw || fail "$what: something else is written"
    else
        fallen=$((fallen + 1))
        grep -q 'opencl' err || fail "$what: status $? and $(cat err)"
        [ ! -e out.raw ] || fail "$what: a file is left"
    fi
    if run --device opencl,cpu; then
        cmp want.raw out.raw || fail "$what: with cpu something else is written"
    else # that it cannot be used was seen before the run began
        grep -q -e 'there is no "opencl:0"' -e '"opencl:0" cannot be used' err || fail "$what: with cpu: $(cat err)"
        [ ! -e out.raw ] || fail "$what: with cpu a file is left"
    fi
done
[ "$fallen" -ge 20 ] || fail "only $fallen runs have noticed that a call fails"
