# Runs programs of tests/conformance on $WADI_DEVICE: conformance_programs "QUICK" SEEDS "FULL" SEEDS, the programs and the seeds of random ones in the
# quick suite, and those at full length. Who can do without the device sets `absent` to skip: then a program that finds none (77) ends it so.
conformance_programs() {
    programs=$1 seeds=$2
    if [ -n "${WADI_TEST_ALL:-}" ]; then
        programs=$3 seeds=$4
    fi
    unset WADI_TEST_ALL
    if [ -z "$programs" ]; then
        echo "only at full length" >&2
        exit 77
    fi
    failed=
    for program in $programs; do
        status=0
        WADI_CONFORMANCE_SEEDS=${WADI_CONFORMANCE_SEEDS:-$seeds} "$WADI_BUILD/tests/conformance_${program}_test" || status=$?
        [ "$status" -ne 77 ] || [ "${absent:-fail}" != skip ] || exit 77
        [ "$status" -eq 0 ] || failed="$failed $program"
    done
    [ -z "$failed" ] || {
        echo "$WADI_DEVICE: these have failed:$failed" >&2
        exit 1
    }
}
