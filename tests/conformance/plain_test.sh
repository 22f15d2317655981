# Kernels as they are written, not as a C compiler improves them: arrays that end at a page which may not be touched, by
# kernels that no optimiser has looked at. Optimised ones may pass by luck, where what reads beside an array is moved out of the way.
set -eu

WADI_CC="$WADI_SOURCE/tests/conformance/plain_cc"
export WADI_CC
programs="arrays complex scans"
[ -z "${WADI_TEST_ALL:-}" ] || programs="$programs arrayops levels nested pieces rows scatter stages states conformance perils"
WADI_CONFORMANCE_SEEDS=10
export WADI_CONFORMANCE_SEEDS
for name in $programs; do
    "$WADI_BUILD/tests/conformance_${name}_test" > plain.log 2>&1 || {
        cat plain.log
        echo "FAIL: $name without optimisation"
        exit 1
    }
done
rm -f plain.log
