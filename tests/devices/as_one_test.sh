#!/bin/sh
# Devices that work as one: every run gives what the interpreter gives, and launches of large arrays are really shared out. WADI_TEST_ALL asks for
# more programs of tests/conformance.
set -eu

doubles=$WADI_BUILD/tests/doubles
export WADI_LEARN=off
work=$(mktemp -d "${TMPDIR:-/tmp}/wadi-as-one.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM

devices=null:0+1
if [ -e "$doubles/libdouble_cuda.so" ] && [ -e "$doubles/libdouble_nvrtc.so" ]; then
    export WADI_CUDA_DRIVER="$doubles/libdouble_cuda.so" WADI_NVRTC="$doubles/libdouble_nvrtc.so" WADI_CUDA_DOUBLE="devices=2"
    devices="null:0+1 cuda:0+1"
fi
seeds=0-1
programs="conformance rows"
if [ -n "${WADI_TEST_ALL:-}" ]; then
    seeds=0-5
    programs="conformance rows stages"
fi
unset WADI_TEST_ALL

cat >"$work/scan.wadi" <<'END'
program shared
input v : f64[n]
w = map v (a) { mul a 0.3 }
s = scanl1 w (a, b) { sub b (mul a 0.5) }
t = compute s
u = fold 0.5 t (a, b) { sub b (mul a 0.5) }
output u
END
# Every unit reads all of v, and has much to do: shared out, though that copies more.
cat >"$work/pairs.wadi" <<'END'
program pairs
input v : f64[n]
n = unit { extent v 0 }
f = generate n n (i, j) {
    x = sub (v ! j) (v ! i)
    fdiv x (add (mul x x) 0.01)
}
s = fold 0.0 f (p, q) { add p q }
output s
END
seq 1000000 | head -c 4194304 >"$work/v.raw" # as 524288 numbers
head -c 80000 "$work/v.raw" >"$work/few.raw"
"$WADI_BUILD/cli/wadi" run "$work/pairs.wadi" "v=10000:@$work/few.raw" >"$work/want"
"$WADI_BUILD/cli/wadi" run --schedule flat --device null:0+1 --stats "$work/pairs.wadi" "v=10000:@$work/few.raw" >"$work/got" 2>"$work/stats"
cmp "$work/want" "$work/got"
grep -q '^shared out   1 of' "$work/stats" || {
    cat "$work/stats" >&2
    exit 1
}
for device in $devices; do
    for schedule in flat group; do
        "$WADI_BUILD/cli/wadi" run --schedule $schedule "$work/scan.wadi" "v=524288:@$work/v.raw" >"$work/want"
        "$WADI_BUILD/cli/wadi" run --schedule $schedule --device $device --stats "$work/scan.wadi" "v=524288:@$work/v.raw" \
            >"$work/got" 2>"$work/stats"
        cmp "$work/want" "$work/got"
        grep -q '^shared out   3 of' "$work/stats" || {
            cat "$work/stats" >&2
            exit 1
        }
    done
    for program in $programs; do
        WADI_DEVICE=$device WADI_CONFORMANCE_SEEDS=${WADI_CONFORMANCE_SEEDS:-$seeds} "$WADI_BUILD/tests/conformance_${program}_test"
    done
done
