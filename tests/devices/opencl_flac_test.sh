#!/bin/sh
# wadi-flac on a device of OpenCL, such as PoCL's, writes the bytes that it writes on `cpu`. It has many kernels, so it runs if WADI_TEST_ALL asks.
set -eu

[ -n "${WADI_TEST_ALL:-}" ] || exit 77
program="$WADI_BUILD/apps/audio/wadi-flac"
[ -x "$program" ] && "$WADI_BUILD/cli/wadi" devices | grep -q '^opencl:0' || exit 77
command -v flac >/dev/null || exit 77

# PoCL's compiler does not end within minutes when it optimises these kernels. Other drivers do not read this.
export WADI_LEARN=off POCL_EXTRA_BUILD_FLAGS="${POCL_EXTRA_BUILD_FLAGS--cl-opt-disable}"
work="$WADI_BUILD/opencl_flac.$$"
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT
cd "$work"

# A second and a quarter of stereo at 8 kHz: the bytes of the program.
head -c 40000 "$program" >raw
flac -s --force-raw-format --endian=little --sign=signed --channels=2 --bps=16 --sample-rate=8000 -o raw.flac raw
flac -s -d -o in.wav raw.flac
"$program" -s in.wav -o cpu.flac
"$program" -s --device opencl in.wav -o opencl.flac
cmp cpu.flac opencl.flac
