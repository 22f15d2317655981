#!/bin/sh
# --device and WADI_DEVICE: every program refuses a device that is not there, computes the same bytes on another one, and loads no library of
# devices that nobody asks for.
set -eu

wadi=$WADI_BUILD/cli/wadi
flac=$WADI_BUILD/apps/audio/wadi-flac
md5=$WADI_BUILD/apps/md5/wadi-md5
grid=$WADI_BUILD/apps/gridding/wadi-grid
example=$WADI_SOURCE/docs/examples/dotp.wadi
work=$(mktemp -d "${TMPDIR:-/tmp}/wadi-device.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
export WADI_LEARN=off WADI_CUDA_DRIVER=/none WADI_OPENCL_DRIVER=/none # the same on all machines
unset WADI_DEVICE WADI_TARGET
cd "$work"

fail() {
    echo "device: $1" >&2
    exit 1
}

# refused WORDS COMMAND...: it fails and says so.
refused() {
    words=$1
    shift
    ! "$@" >out 2>&1 || fail "$*: not refused"
    grep -q "$words" out || fail "$*: $(cat out)"
}

seq 100000 | head -c 200000 >raw
seq -f 'word%g' 5000 >words
digest=$(printf word4321 | md5sum | cut -d' ' -f1)
{
    echo "# frequency 150e6"
    echo "# ra 83.5"
    echo "# dec 22"
    awk 'BEGIN { for (i = 1; i < 500; i++) print 300 * sin(i), 280 * cos(i), i % 7, cos(i / 9), sin(i / 9), 1 }'
} >rows.txt

# The command line of each program, with these arguments in front.
run() { "$wadi" run "$@" "$example" xs=1,2,3 ys=4,5,6; }
check() { "$wadi" check "$@" "$example" xs=1,2,3 ys=4,5,6; }
sound() { "$flac" "$@" -q -f -o sound.flac --force-raw-format --endian=little --sign=signed --channels=2 --bps=16 --sample-rate=44100 raw; }
guess() { "$md5" "$@" -q --hashes "$digest" words; }
image() { "$grid" "$@" -q -o image.fits --method wstack --own-fft --size 64 --scale 1e-3rad rows.txt; }

# ---- what is not there ----

for program in run check sound guess image; do
    refused 'device: there is no "gpu", only cpu, null' $program --device gpu
    refused 'device: there is no "gpu", only cpu, null' $program --device=cpu,gpu
    refused 'device: "null" is named twice' $program --device=null,cpu,null:0
    refused 'device: "cpu:1": there is one "cpu", which has no number' $program --device cpu:1
    refused 'device: there is no "null:9", only null:0 to null:3' $program --device null:0+9
    refused 'device: "null:0+0" names 0 twice' $program --device null:0+0
    refused 'device: "cpu:0+1": there is one "cpu", which has no number' $program --device cpu:0+1
    refused 'device: "cpu,": a name is missing' $program --device cpu,
    refused 'device: "all,cpu": "all" is every device, and stands alone' $program --device all,cpu
    refused 'device: "null:1" is named twice' $program --device null:0+1,null:1
    WADI_DEVICE=gpu refused 'device: there is no "gpu", only cpu, null' $program
done
[ ! -e sound.flac ] && [ ! -e image.fits ] || fail "a run that was refused has left a file"

WADI_DEVICE=gpu "$wadi" explain "$example" >out 2>&1 && fail "wadi explain shows kernels for a device that there is not"
grep -q 'there is no "gpu"' out || fail "wadi explain: $(cat out)"
refused 'device: "cpu" is named twice' "$wadi" explain --device cpu,cpu "$example"
refused 'device: "opencl:0" is named twice' "$wadi" explain --device opencl,opencl:0 "$example"
refused 'device: "cuda+1": expected a number behind "cuda:"' "$wadi" explain --device cuda+1 "$example"

# ---- the same bytes ----

[ "$(run)" = "$(run --device null)" ] || fail "wadi run"
[ "$(run)" = "$(run --device=all)" ] || fail "wadi run on all devices, which are one"
[ "$(run)" = "$(WADI_DEVICE=null run)" ] || fail "wadi run with WADI_DEVICE"
for several in cpu,null null,cpu null,null:1 all null:0+1 null:1+0+3 cpu,null:0+1 null:0+2,null:1; do
    [ "$(run)" = "$(run --device $several)" ] || fail "wadi run --device $several"
done
check --device cpu,null | grep -q '^6 runs, one on cpu.* one on null.* agree$' || fail "wadi check compares cpu,null with nothing"
run --device cpu,null --stats >out 2>&1 && grep -q '^device       cpu,null$' out && grep -q '^shares       all on cpu' out || fail "$(cat out)"
check --device null | grep -q ' one on cpu ' || fail "wadi check compares null with nothing"
sound && mv sound.flac cpu.flac && sound --device null && cmp cpu.flac sound.flac || fail "wadi-flac"
sound --device null:0+1 && cmp cpu.flac sound.flac || fail "wadi-flac on two devices that work as one"
[ "$(guess --device null)" = "$digest:word4321" ] || fail "wadi-md5"
if image >out 2>&1; then
    mv image.fits cpu.fits && image --device null || fail "wadi-grid"
    cmp cpu.fits image.fits || fail "wadi-grid computes another image"
else
    grep -q -i cfitsio out || fail "wadi-grid: $(cat out)"
fi

# ---- devices that work as one ----

"$wadi" explain --device null:0+1 --schedule flat "$example" >out || fail "wadi explain: $(cat out)"
grep -q '^== pieces of ' out && grep -q 'shared out: each unit writes 1 of parts' out || fail "explain --device null:0+1 shows no pieces"
! "$wadi" explain --device null "$example" | grep -q '^== pieces' || fail "explain shows pieces where one device computes"

# ---- libraries ----

# loads COMMAND...: the shared objects that the linker loads for it.
loads() {
    LD_DEBUG=files LD_DEBUG_OUTPUT="$work/linker" "$@" >out 2>&1 || fail "$*: $(cat out)"
    cat linker.* | sed -n 's/.*calling init: .*\///p'
    rm linker.*
}
for command in run "$wadi version" "$wadi devices --help" "$wadi explain $example" "$wadi explain --device null $example"; do
    ! loads $command | grep -i -e opencl -e cuda -e nvrtc -e nvidia -e pocl || fail "$command loads a library of devices"
done
