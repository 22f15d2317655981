# Runs programs of tests/conformance on a device of OpenCL, such as PoCL's: opencl.sh "QUICK" "FULL", the programs of the quick suite and those at full
# length. Every run gives what the interpreter gives.
#
# cuda.sh has the programs that are not here, and says why; tests/devices/as_one_test.sh has devices of OpenCL that share the work.
#
# A driver takes a third of a second for a text of kernels and 0.1 s for each kernel, so a written program runs in one of its variants here, the next
# program in the next one (WADI_CONFORMANCE_SPARSE).
export WADI_DEVICE=opencl WADI_LEARN=off WADI_CONFORMANCE_SPARSE=1
# PoCL takes half of the time when its compiler does not optimise. Other drivers do not read this.
export POCL_EXTRA_BUILD_FLAGS="${POCL_EXTRA_BUILD_FLAGS--cl-opt-disable}"

. "$WADI_SOURCE/tests/devices/programs.sh"
absent=skip
conformance_programs "$1" 0-0 "$2" 0-1
