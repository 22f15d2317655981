#!/bin/sh
# Runs wadi-flac over a little noise of the usual kinds, so that what it compiles is recorded (include/wadi/kernels.h):
#   sh kernels.sh PROGRAM [KIND ..]       KIND: LEVEL:CHANNELS:BITS
set -eu
program=$1
shift
[ $# -gt 0 ] || set -- 0:2:16 1:2:16 2:2:16 3:2:16 4:2:16 5:2:16 6:2:16 7:2:16 8:2:16 5:1:16 8:1:16 5:2:24 8:2:24
work=$(mktemp -d "${TMPDIR:-/tmp}/wadi-kernels.XXXXXX")
trap 'rm -rf "$work"' EXIT
seq 40000 | head -c 144000 >"$work/sound" # 6000 samples of 24 bytes: whole in each kind
for kind in "$@"; do
    level=${kind%%:*} bits=${kind##*:} channels=${kind#*:}
    channels=${channels%:*}
    "$program" -q -f "-$level" --force-raw-format --endian=little --sign=signed "--channels=$channels" "--bps=$bits" \
        --sample-rate=44100 -o "$work/out.flac" "$work/sound"
done
