#!/bin/sh
# Programs of tests/conformance on the device `cuda` over the doubles of NVIDIA's libraries: every run gives what the interpreter gives.
# WADI_TEST_ALL asks for more of them.
set -eu

doubles=$WADI_BUILD/tests/doubles
[ -e "$doubles/libdouble_cuda.so" ] && [ -e "$doubles/libdouble_nvrtc.so" ] || exit 77
export WADI_CUDA_DRIVER="$doubles/libdouble_cuda.so" WADI_NVRTC="$doubles/libdouble_nvrtc.so" WADI_DEVICE=cuda WADI_LEARN=off

seeds=0-3
programs="conformance rows"
if [ -n "${WADI_TEST_ALL:-}" ]; then
    seeds=0-5
    programs="conformance tree rows picks scatter stage_faults stages saved nested"
fi
unset WADI_TEST_ALL
for program in $programs; do
    WADI_CONFORMANCE_SEEDS=${WADI_CONFORMANCE_SEEDS:-$seeds} "$WADI_BUILD/tests/conformance_${program}_test"
done
