#!/bin/sh
# Programs of tests/conformance on a device of OpenCL, such as PoCL's: every run gives what the interpreter gives. A driver takes seconds for
# the kernels of a program, so there are few of them; WADI_TEST_ALL asks for more.
set -eu

export WADI_DEVICE=opencl WADI_LEARN=off
seeds=0-1
programs=conformance
if [ -n "${WADI_TEST_ALL:-}" ]; then
    seeds=0-5
    programs="conformance tree"
fi
unset WADI_TEST_ALL
for program in $programs; do
    WADI_CONFORMANCE_SEEDS=${WADI_CONFORMANCE_SEEDS:-$seeds} "$WADI_BUILD/tests/conformance_${program}_test"
done
