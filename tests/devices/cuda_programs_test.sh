#!/bin/sh
# wadi-flac, wadi-md5 and wadi-grid on the device `cuda` over the doubles of NVIDIA's libraries write the bytes that they write on `cpu`, alone and
# beside it. If the device is lost on the way, another one of the list goes on, or the error says so. Only WADI_TEST_ALL asks for it: each text of
# kernels takes a compiler of C++.
set -eu

[ -n "${WADI_TEST_ALL:-}" ] || exit 77
doubles=$WADI_BUILD/tests/doubles
[ -e "$doubles/libdouble_cuda.so" ] && [ -e "$doubles/libdouble_nvrtc.so" ] || exit 77
export WADI_CUDA_DRIVER="$doubles/libdouble_cuda.so" WADI_NVRTC="$doubles/libdouble_nvrtc.so" WADI_LEARN=off
unset WADI_DEVICE WADI_TARGET WADI_CUDA_DOUBLE
work=$(mktemp -d "${TMPDIR:-/tmp}/wadi-cuda-programs.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
cd "$work"

fail() {
    echo "cuda_programs: $1" >&2
    exit 1
}

head -c 40000 "$WADI_BUILD/apps/audio/wadi-flac" >raw
seq -f 'word%g' 20000 >words
digest=$(printf word14321 | md5sum | cut -d' ' -f1)
{
    echo "# frequency 150e6"
    echo "# ra 83.5"
    echo "# dec 22"
    awk 'BEGIN { for (i = 1; i < 500; i++) print 300 * sin(i), 280 * cos(i), i % 7, cos(i / 9), sin(i / 9), 1 }'
} >rows.txt

# Each program writes its result to the file that is named first.
flac() {
    out=$1 && shift
    "$WADI_BUILD/apps/audio/wadi-flac" "$@" -q -f -o "$out" --force-raw-format --endian=little --sign=signed --channels=2 --bps=16 --sample-rate=8000 raw
}
md5() {
    out=$1 && shift
    "$WADI_BUILD/apps/md5/wadi-md5" "$@" -q --hashes "$digest" words >"$out"
}
image() {
    out=$1 method=$2 && shift 2
    "$WADI_BUILD/apps/gridding/wadi-grid" "$@" -q -o "$out" --method "$method" --own-fft --size 64 --scale 1e-3rad rows.txt
}
simple() { out=$1 && shift && image "$out" simple "$@"; }
wproj() { out=$1 && shift && image "$out" wproj "$@"; }
aw() { out=$1 && shift && image "$out" aw "$@"; }

for program in flac md5 simple wproj aw; do
    $program cpu.out --device cpu 2>err || fail "$program on cpu: $(cat err)"
    [ -s cpu.out ] || fail "$program on cpu has written nothing"
    for device in cuda cpu,cuda; do
        rm -f there.out
        $program there.out --device $device 2>err || fail "$program on $device: $(cat err)"
        cmp cpu.out there.out || fail "$program on $device writes something else"
    done
    rm -f there.out
    if WADI_CUDA_DOUBLE=lost=150 $program there.out --device cuda,cpu 2>err; then
        cmp cpu.out there.out || fail "$program on cuda,cpu, whose first device is lost, writes something else"
    else # words and visibilities are read once
        [ $program != flac ] && grep -q 'cuda:0: the device is lost' err || fail "$program on cuda,cpu, whose first device is lost: $(cat err)"
        [ ! -s there.out ] || fail "$program has lost its device and has written something"
    fi
done
