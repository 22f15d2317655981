# Kernels compiled without optimisation, on arrays that end at a page without access rights. An optimised kernel might pass by luck,
# because the compiler has removed a read outside an array. The quick suite compiles all kernels without optimisation; there, this
# test runs some that are optimised as users' kernels are.
set -eu

case ${WADI_CC:-} in
*/quick_cc)
    unset WADI_CC
    programs="complex rows"
    ;;
*)
    export WADI_CC="$WADI_SOURCE/tests/conformance/plain_cc"
    programs="arrays complex scans"
    ;;
esac
unset WADI_CONFORMANCE_CC
[ -z "${WADI_TEST_ALL:-}" ] || programs="$programs rows"
WADI_CONFORMANCE_SEEDS=10
export WADI_CONFORMANCE_SEEDS
for name in $programs; do
    "$WADI_BUILD/tests/conformance_${name}_test" > plain.log 2>&1 || {
        cat plain.log
        echo "FAIL: $name, compiled by ${WADI_CC:-the usual compiler}"
        exit 1
    }
done
rm -f plain.log
