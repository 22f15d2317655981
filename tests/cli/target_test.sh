#!/bin/sh
# --target: an unknown target is refused by name, the cache keeps targets apart, and valgrind runs kernels of a lower target.
set -eu

wadi=$WADI_BUILD/cli/wadi
example=$WADI_SOURCE/docs/examples/dotp.wadi
work=$(mktemp -d "${TMPDIR:-/tmp}/wadi-target.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
export WADI_CACHE_DIR="$work/cache"
unset WADI_TARGET

fail() {
    echo "target: $1" >&2
    exit 1
}

# refused WORDS COMMAND...: it fails and says so.
refused() {
    words=$1
    shift
    ! "$@" >"$work/out" 2>&1 || fail "$*: not refused"
    grep -q "$words" "$work/out" || fail "$*: $(cat "$work/out")"
}

refused 'no target "pdp-11"; there are: native' "$wadi" run --target pdp-11 "$example" xs=1,2,3 ys=4,5,6
refused 'no target "pdp-11"' env WADI_TARGET=pdp-11 "$wadi" run "$example" xs=1,2,3 ys=4,5,6
refused 'no target "pdp-11"' "$wadi" check --target pdp-11 "$example" xs=1,2,3 ys=4,5,6
refused 'no target "pdp-11"' "$WADI_BUILD/apps/audio/wadi-flac" --target pdp-11 no.wav
refused 'no target "pdp-11"' "$WADI_BUILD/apps/md5/wadi-md5" --target pdp-11 --hashes no no
refused 'no target "pdp-11"' "$WADI_BUILD/apps/gridding/wadi-grid" --target pdp-11 -o "$work/no.fits" no

"$wadi" version | grep -q '^  device  *cpu .*(kernels in C)$' || fail "wadi version names no device"
"$wadi" version | grep -q '^  target  *native .*(C)$' || fail "wadi version names no target"
"$wadi" devices | grep -q '^null .*(kernels in C)$' || fail "wadi devices says nothing of kernels"
said=$("$wadi" explain "$example" | sed -n '/^== target ==$/,/^== plan ==$/p')
echo "$said" | grep -q '^native, in C: ' || fail "explain: $said"
echo "$said" | grep -q '^devices that run it: cpu, null$' || fail "explain: $said"

[ "$(uname -m)" = x86_64 ] || exit 0
for target in native x86-64 x86-64-v2; do
    said=$("$wadi" run --target $target "$example" xs=1,2,3 ys=4,5,6) || fail "$target"
    [ "$said" = "dot = f32 32.0" ] || fail "$target: $said"
done
entries=$(find "$work/cache" -name '*.image' | wc -l)
[ "$entries" -eq 3 ] || fail "$entries entries for three targets"

command -v valgrind >/dev/null && [ -z "$WADI_SANITIZE" ] || exit 0
said=$(valgrind -q --error-exitcode=99 "$wadi" run --target x86-64-v2 "$example" xs=1,2,3 ys=4,5,6 2>"$work/err") ||
    fail "valgrind: $(cat "$work/err")"
[ "$said" = "dot = f32 32.0" ] || fail "under valgrind: $said"
