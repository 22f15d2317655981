# Runs programs of tests/conformance on the device `cuda` over the doubles of NVIDIA's libraries: cuda.sh "QUICK" "FULL", the programs of the quick
# suite and those at full length. Every run gives what the interpreter gives.
#
# The double of NVRTC takes a compiler of C++ for each text of kernels. So a written program runs in one of its variants here, the next program in
# the next one, if SPARSE is not empty (WADI_CONFORMANCE_SPARSE).
doubles=$WADI_BUILD/tests/doubles
[ -e "$doubles/libdouble_cuda.so" ] && [ -e "$doubles/libdouble_nvrtc.so" ] || exit 77
export WADI_CUDA_DRIVER="$doubles/libdouble_cuda.so" WADI_NVRTC="$doubles/libdouble_nvrtc.so" WADI_DEVICE=cuda WADI_LEARN=off
[ -z "${SPARSE:-}" ] || export WADI_CONFORMANCE_SPARSE=1

. "$WADI_SOURCE/tests/devices/programs.sh"
conformance_programs "$1" 0-3 "$2" 0-5
