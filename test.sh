#!/bin/sh
# Installs what is missing, builds, and runs the tests. The last line counts tests over all suites; status 1 when anything failed.
#
#   ./test.sh        the quick suite in the dev build: six to seven minutes on two processors, building included; unlike users' its kernels
#                    are not optimised
#   ./test.sh all    everything: the suite at full length (WADI_TEST_ALL=1: more random programs, fuzzing and hostile runs), the
#                    quick suite again under the address and undefined behaviour sanitizers and, but for tests that have one
#                    thread, under the thread sanitizer, and a build with clang
set -u
cd "$(dirname "$0")"

case ${1-quick} in
quick | all) what=${1-quick} ;;
*)
    echo "usage: ./test.sh [quick|all]" >&2
    exit 2
    ;;
esac

scripts/install build test || exit 1

mkdir -p build
export WADI_CACHE_DIR="$PWD/build/kernels" POCL_CACHE_DIR="$PWD/build/opencl"
mkdir -p "$POCL_CACHE_DIR"

jobs=$(nproc)
passed=0
failed=0
summary=

note() {
    summary="$summary
$1"
}

build() {
    echo "== $1: build"
    cmake --preset "$1" && cmake --build --preset "$1" -j "$jobs" && return
    note "$1: does not build"
    failed=$((failed + 1))
    return 1
}

# What tests said as they failed: a long log may be cut, its end is kept.
reasons() {
    grep -A 3 -E '^\[ +(ERROR|LINE|FAILED) +\]|^(ERROR|SUMMARY): |Sanitizer: |^FAIL|^not ok' "$1" | head -n 80
}

# suite NAME [COMMAND]: the command stands before ctest. One test more than there are processors: some only wait (tests/CMakeLists.txt).
suite() {
    name=$1
    shift
    echo "== $name: tests"
    log=build/$name/ctest.log
    "$@" ctest --preset "$name" -j $((jobs + 1)) 2>&1 | tee "$log"
    note "$name:
$(sed -n '/tests passed,/,$p' "$log")
$(reasons "$log")"
    # "98% tests passed, 1 tests failed out of 50"; a skipped test is neither.
    counts=$(awk '/\*\*\*Skipped/ { skipped++ }
        /tests passed, .* tests failed out of/ { bad = $4; all = $NF }
        END { print all - bad - skipped, bad + (all == 0) }' "$log")
    passed=$((passed + ${counts% *}))
    failed=$((failed + ${counts#* }))
}

# quick_suite NAME [COMMAND]: kernels are not optimised, and a written program of tests/conformance runs in one of its variants, the next program in the
# next one.
quick_suite() {
    name=$1
    shift
    suite "$name" "$@" env WADI_CC="$PWD/tests/quick_cc" WADI_CONFORMANCE_SPARSE=1
}

quick() {
    build dev && quick_suite dev
}

all() {
    # Programs of tests/conformance have kernels for each of their variants: a sixteenth of the texts is optimised.
    build dev && suite dev env WADI_TEST_ALL=1 WADI_CONFORMANCE_CC="$PWD/tests/some_cc"
    # Sanitizers look at wadi, not at its kernels, which are compiled once more, without optimisation, and found by the second of them.
    build asan-ubsan && quick_suite asan-ubsan
    # The thread sanitizer of gcc 12 does not start where the kernel spreads addresses more widely than it knows.
    if build tsan; then
        if build/tsan/tests/base_error_test >/dev/null 2>&1; then
            quick_suite tsan
        else
            quick_suite tsan setarch -R
        fi
    fi
    build clang && note "clang: builds without warnings"
}

$what

echo "$summary"
echo
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
