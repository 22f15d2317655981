#!/bin/sh
# scripts/on_gpu over the doubles of NVIDIA's libraries, with a stand-in for compute-sanitizer: what it runs, counts and says when something fails.
set -eu

on_gpu=$WADI_SOURCE/scripts/on_gpu
doubles=$WADI_BUILD/tests/doubles
work=$(mktemp -d "${TMPDIR:-/tmp}/wadi-on-gpu-test.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
export TMPDIR="$work"
unset WADI_DEVICE WADI_CUDA_DOUBLE

fail() {
    echo "on_gpu: $1" >&2
    exit 1
}

# ends STATUS LASTLINE OPTION..
ends() {
    want=$1 last=$2 status=0
    shift 2
    "$on_gpu" --build "$WADI_BUILD" "$@" >out 2>&1 || status=$?
    [ "$status" -eq "$want" ] || fail "$*: status $status: $(cat out)"
    tail -n 1 out | grep -x "$last" >/dev/null || fail "$*: $(cat out)"
}
cd "$work"

ends 2 'usage: .*' --device
ends 2 'usage: .*' --what 3
ends 2 'on_gpu: --seeds takes A-B.*' --seeds 3-
ends 2 'on_gpu: --seconds takes a number.*' --seconds soon
ends 2 'on_gpu: --jobs takes a number above 0.*' --jobs 0
ends 2 'on_gpu: there is no folder none' --build none
mkdir empty
ends 2 'on_gpu: .*/empty has no cli/wadi: build it first.*' --build empty
WADI_CUDA_DRIVER=$work/none.so "$on_gpu" --build "$WADI_BUILD" >out 2>&1 && fail "it begins without a device"
grep -q 'there is no device cuda:0 that can be used' out || fail "$(cat out)"

[ -e "$doubles/libdouble_cuda.so" ] && [ -e "$doubles/libdouble_nvrtc.so" ] || exit 77
export WADI_CUDA_DRIVER="$doubles/libdouble_cuda.so" WADI_NVRTC="$doubles/libdouble_nvrtc.so"

# A stand-in that writes down what it is asked for. Where FINDS names the tool, it finds something.
mkdir bin
cat >bin/compute-sanitizer <<'TOOL'
#!/bin/sh
[ "$1" = --tool ] && [ "$3" = --error-exitcode ] || exit 3
echo "$2 $5 $WADI_DEVICE $WADI_CONFORMANCE_SEEDS" >>"$ASKED"
[ "$2" != "${FINDS:-}" ] || {
    echo "========= Invalid __global__ read of size 8 bytes"
    exit "$4"
}
TOOL
chmod +x bin/compute-sanitizer
export ASKED="$work/asked"
PATH=$work/bin:$PATH

mkdir -p few/tests few/cli
ln -s "$WADI_BUILD/cli/wadi" few/cli/wadi
ends 0 '1 passed, 0 failed, 0 skipped' --only 'check dotp'
grep '^check dotp  *passed ' out >/dev/null || fail "no line of the table: $(cat out)"
ends 0 '1 passed, 0 failed, 0 skipped' --only conformance/rows --seeds 0-0 --seconds 100
ends 1 '0 passed, 0 failed, 0 skipped' --only nothing
ends 1 '0 passed, 0 failed, 1 skipped' --only 'check dotp' --seconds 0
grep '^check dotp: no time is left  *skipped ' out >/dev/null || fail "no word about the time: $(cat out)"
ends 0 '21 passed, 0 failed, 0 skipped' --only 'check ' --seconds 100 --jobs 3 --build "$work/few"
mkdir mine && : >mine/other
ends 0 '1 passed, 0 failed, 0 skipped' --only conformance/rows --seeds 0-0 --keep mine
[ -e mine/other ] && [ -s mine/conformance_rows.log ] || fail "a folder that is to be kept is not: $(ls mine)"
: >asked
ends 0 '4 passed, 0 failed, 0 skipped' --only racecheck --seeds 7-9
[ "$(sed 's,/.*/,,' asked | head -n 1)" = "racecheck conformance_conformance_test cuda:0 7-8" ] || fail "the sanitizer is asked for: $(cat asked)"
export FINDS=initcheck
ends 1 '17 passed, 4 failed, 0 skipped' --only 'check ' --seeds 0-0 --keep logs
unset FINDS
grep '^initcheck rows  *FAILED ' out >/dev/null || fail "no line of what has failed: $(cat out)"
grep 'Invalid __global__ read' out >/dev/null || fail "no reason: $(cat out)"
grep "the logs are in $work/logs" out >/dev/null || fail "no logs: $(cat out)"
[ -s logs/initcheck_rows.log ] || fail "no log"
rm bin/compute-sanitizer
if ! command -v compute-sanitizer >/dev/null; then
    ends 1 '0 passed, 0 failed, 4 skipped' --only memcheck
fi
# A program that gives wrong values fails its step.
mkdir -p broken/tests broken/cli
ln -s "$WADI_BUILD/cli/wadi" broken/cli/wadi
printf '#!/bin/sh\necho "[  FAILED  ] one"\nexit 1\n' >broken/tests/conformance_rows_test
chmod +x broken/tests/conformance_rows_test
ends 1 '0 passed, 1 failed, 0 skipped' --build broken --only conformance/rows
grep 'FAILED  \] one' out >/dev/null || fail "no reason: $(cat out)"
# Whoever ends it ends the step that runs.
printf '#!/bin/sh\necho $$ >"%s/pid"\nexec sleep 1000\n' "$work" >broken/tests/conformance_rows_test
"$on_gpu" --build broken --only conformance/rows --jobs 2 >out 2>&1 &
began=$!
tries=0
until [ -s pid ] || [ $tries -ge 600 ]; do
    tries=$((tries + 1))
    sleep 0.05
done
kill "$began"
wait "$began" && fail "an end from outside is no failure"
tries=0
while kill -0 "$(cat pid)" 2>/dev/null; do
    tries=$((tries + 1))
    [ $tries -lt 600 ] || fail "the step outlives whoever ended it"
    sleep 0.05
done
