#!/bin/sh
# Runs wadi-md5 with lists of digests, one for each size of its bitmap, over short, medium and long words, so that what it compiles is recorded
# (include/wadi/kernels.h):
#   sh kernels.sh PROGRAM [DIGESTS ..]
set -eu
program=$1
shift
[ $# -gt 0 ] || set -- 64 128 256 512 1024 2048 4096 8192 16384 32768 65536 131072
work=$(mktemp -d "${TMPDIR:-/tmp}/wadi-kernels.XXXXXX")
trap 'rm -rf "$work"' EXIT
awk 'BEGIN { for (i = 0; i < 300; i++) { word = i; while (length(word) < i % 3 * 30) word = word "a"; print word; print word word word } }' >"$work/words"
for digests in "$@"; do
    awk -v n="$digests" 'BEGIN { for (i = 1; i <= n; i++) printf "%032x\n", i }' >"$work/list"
    status=0
    "$program" -q -m "$work/list" "$work/words" >/dev/null || status=$?
    [ "$status" -le 1 ] || exit "$status" # 1: nothing was found
done
