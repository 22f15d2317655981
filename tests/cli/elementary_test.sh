#!/bin/sh
# Elementary functions in kernels for all levels of x86-64, in loops that the compiler makes vectors of, have the bits of the interpreter: of
# special arguments, and of others of all sizes. WADI_TEST_ALL adds OpenCL.
set -u

wadi=$WADI_BUILD/cli/wadi
work=$(mktemp -d "${TMPDIR:-/tmp}/wadi-elementary.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
failed=0

one="exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh cbrt erf erfc lgamma tgamma"
two="atan2 pow hypot"

# program TYPE: all functions of the numbers x and y.
program() {
    printf 'program p\n\ninput xs : %s[n]\ninput ys : %s[n]\n\n' "$1" "$1"
    for f in $one; do
        printf 'r_%s = map xs (x) { %s x } : %s[?]\n' "$f" "$f" "$1"
    done
    for f in $two; do
        printf 'r_%s = zip_with xs ys (x, y) { %s x y } : %s[?]\n' "$f" "$f" "$1"
    done
    echo
    for f in $one $two; do
        echo "output r_$f"
    done
}

# numbers SEED: special ones and others, between commas.
numbers() {
    awk -v seed="$1" 'BEGIN {
        n = split("0 -0.0 1 -1 0.5 -0.5 2 -3 0.75 1e-310 -1e-310 1e-40 1e300 -1e300 1e38 1e22 1048575.5 1048576 709.7 -745.1 88.7 -103.9 inf -inf nan", s, " ")
        for (i = 1; i <= n; i++) printf "%s,", s[(i * seed) % n + 1]
        srand(seed)
        for (i = 0; i < 270; i++) {
            u = 2 * rand() - 1
            if (i % 5 == 0) u *= 2
            else if (i % 5 == 1) u *= 30
            else if (i % 5 == 2) u *= 700
            else if (i % 5 == 3) u *= exp(40 * (2 * rand() - 1))
            else u = 1 + u * exp(-20 * rand())
            printf "%.17g,", u
        }
        print "0.25"
    }'
}

# agrees TYPE ARGUMENTS...: all runs and the interpreter agree, or, on another device, all runs and one on cpu.
agrees() {
    type=$1
    shift
    said=$("$wadi" check "$@" --runs 2 "$work/$type.wadi" "xs=$(numbers 1)" "ys=$(numbers 7)" 2>&1) || :
    case $said in
    *"the interpreter agree"* | *"one on cpu agree"*) ;;
    *)
        echo "FAILED: $type $*: $said" | cut -c1-400 >&2
        failed=$((failed + 1))
        ;;
    esac
}

for type in f32 f64; do
    program "$type" >"$work/$type.wadi"
    for target in x86-64-v2 x86-64-v3 x86-64-v4; do
        if "$wadi" version | grep -q "$target"; then
            case $("$wadi" explain --target "$target" "$work/$type.wadi" 2>&1) in
            *"this processor is no"*) echo "left out: $target" ;;
            *) agrees "$type" --target "$target" ;;
            esac
        fi
    done
    if [ -n "${WADI_TEST_ALL:-}" ] && "$wadi" devices | grep -q '^opencl'; then agrees "$type" --device opencl; fi
done
[ "$failed" -eq 0 ]
