#!/bin/sh
# Scans whose blocks fill whole groups, and long segments, on a device of OpenCL whose compiler is asked for what users ask of it (opencl.sh asks PoCL for less,
# to save time). What comes is what the device `cpu` gives.
set -eu

wadi=$WADI_BUILD/cli/wadi
work=$(mktemp -d "${TMPDIR:-/tmp}/wadi-opencl-optimised.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
export WADI_LEARN=off
unset WADI_DEVICE WADI_TARGET POCL_EXTRA_BUILD_FLAGS
cd "$work"

if ! "$wadi" devices | grep '^opencl:0 ' | grep -v 'cannot be used' >/dev/null; then
    echo "there is no device of OpenCL" >&2
    exit 77
fi

# 17 blocks of 4096, of which 16 are the first group's, and a short one.
cat >scan.wadi <<'PROGRAM'
program scan
input n : i64
m = unit { the n }
x = generate m (i) { fdiv (convert f64 (rem (mul i 7919) 1000)) 1000.0 }
s = scanl1 x (a, b) { add a b }
at = generate 18 (i) { min (sub (the m) 1) (add (mul i 4096) 4095) }
y = gather at s
offsets = generate 4 (i) { mul i 20000 }
sums = fold_seg 0.0 offsets x (a, b) { add a b }
output y
output sums
PROGRAM
for device in cpu opencl:0; do
    timeout 500 "$wadi" run scan.wadi n=70000 --device $device >$device 2>err || {
        cat err >&2
        exit 1
    }
done
cmp cpu opencl:0 || {
    head cpu opencl:0 >&2
    exit 1
}
