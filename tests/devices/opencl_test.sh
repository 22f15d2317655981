#!/bin/sh
# Programs of tests/conformance on a device of OpenCL, such as PoCL's: every run gives what the interpreter gives. A driver takes seconds for
# the kernels of a program, so there are few of them; WADI_TEST_ALL asks for more. Programs that compare elementary functions bit for bit are
# not among them: a driver may round those differently.
set -eu

export WADI_DEVICE=opencl WADI_LEARN=off
# PoCL takes a third of the time when its compiler does not optimise. Other drivers do not read this.
export POCL_EXTRA_BUILD_FLAGS="${POCL_EXTRA_BUILD_FLAGS--cl-opt-disable}"

seeds=0-0
programs=conformance
if [ -n "${WADI_TEST_ALL:-}" ]; then
    seeds=0-5
    programs="conformance tree rows picks"
fi
unset WADI_TEST_ALL
for program in $programs; do
    WADI_CONFORMANCE_SEEDS=${WADI_CONFORMANCE_SEEDS:-$seeds} "$WADI_BUILD/tests/conformance_${program}_test"
done
