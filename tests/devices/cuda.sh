# Runs programs of tests/conformance on the device `cuda` over the doubles of NVIDIA's libraries: cuda.sh "QUICK" "FULL", the programs of the quick
# suite and those at full length. Every run gives what the interpreter gives.
#
# Above the text of kernels and the calls of the vendor, `cuda` and `opencl` are the same code (sched/gpu). So a program of tests/conformance runs on one
# of them; random programs, `scalars`, `scans` and `rows` run on both. Whatever has barriers and memory of a group is here, where the double looks at
# them. `apart`, `coverage`, `fission`, `passes` and `plain` choose devices of their own or look at the compiler.
#
# The double of NVRTC takes a compiler of C++ for each text of kernels. So a written program runs in one of its variants here, the next program in
# the next one (WADI_CONFORMANCE_SPARSE).
doubles=$WADI_BUILD/tests/doubles
[ -e "$doubles/libdouble_cuda.so" ] && [ -e "$doubles/libdouble_nvrtc.so" ] || exit 77
export WADI_CUDA_DRIVER="$doubles/libdouble_cuda.so" WADI_NVRTC="$doubles/libdouble_nvrtc.so" WADI_DEVICE=cuda
export WADI_LEARN=off WADI_CONFORMANCE_SPARSE=1

. "$WADI_SOURCE/tests/devices/programs.sh"
conformance_programs "$1" 0-3 "$2" 0-3
