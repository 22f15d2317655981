#!/bin/sh
# Runs wadi-grid over a few visibilities, with each method and weighting, so that what it compiles is recorded (include/wadi/kernels.h).
# Kernels of wstack and of weighting are made for one size of image.
#   sh kernels.sh PROGRAM [SIZE ..]
set -eu
program=$1
shift
[ $# -gt 0 ] || set -- 512 1024 2048 4096
work=$(mktemp -d "${TMPDIR:-/tmp}/wadi-kernels.XXXXXX")
trap 'rm -rf "$work"' EXIT
printf '# frequency 150e6\n# ra 83.5\n# dec 22\n10 20 5 1 0.5 2\n-30 5 -2 0.25 -1 1\n15 -25 3 2 1 0.5\n0 12 0 1 0 1\n' >"$work/v.txt"
grid() {
    "$program" -q --scale 5asec -o "$work/image.fits" "$@" "$work/v.txt"
}
for size in "$@"; do
    for weight in natural uniform briggs:0; do grid -s "$size" -w "$weight"; done
    grid -s "$size" --via "ipc://$work/job" # nobody comes
done
for method in simple wproj direct; do grid -s "$1" -m "$method"; done
