#!/bin/sh
# Kernels for ARM are made on another machine, where a cross compiler is: those of all examples.
set -eu
command -v aarch64-linux-gnu-gcc >/dev/null || {
    echo "no cross compiler for ARM is there: no kernels are made for it"
    exit 77
}
work=$(mktemp -d "${TMPDIR:-/tmp}/wadi-arm.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
for program in "$WADI_SOURCE"/docs/examples/*.wadi; do
    "$WADI_BUILD/cli/wadi" build --target armv8-a -o "$work/kernels" "$program" >"$work/told"
    [ -s "$work/kernels" ] || { echo "no kernels of $program"; exit 1; }
done
