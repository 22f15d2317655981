#!/bin/sh
# Calls every public function wrongly: with NULL for each of its pointers, with handles of another program or of none, and while no
# program is current. The calls are generated from the public headers. Every function that the shared library exports must be among
# them.
set -eu

here=$WADI_SOURCE/tests/api/misuse
work=$(mktemp -d "${TMPDIR:-/tmp}/wadi-misuse.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
folder=$(find "$WADI_BUILD" -mindepth 2 -name libwadi.so -exec dirname {} \; | head -n 1)
[ -n "$folder" ] || { echo "no shared library in this build"; exit 77; }

for header in "$WADI_SOURCE"/include/wadi/*.h; do
    echo "#include \"wadi/${header##*/}\""
done >"$work/all.c"
"$WADI_TEST_CC" -E -P -DWADI_NO_PLACES -I"$WADI_SOURCE/include" "$work/all.c" >"$work/all.i"
awk -v names="$work/names" -f "$here/calls.awk" "$work/all.i" >"$work/calls.inc"

sort -u "$work/names" >"$work/called"
nm -D "$folder/libwadi.so" | awk '$2 == "T" { print $3 }' | sort -u >"$work/shown"
missing=$(comm -13 "$work/called" "$work/shown")
[ -z "$missing" ] || { echo "not called: $missing"; exit 1; }

# shellcheck disable=SC2086
"$WADI_TEST_CC" -std=c11 -Wall -Wextra -Werror ${WADI_SANITIZE:+-fsanitize=$WADI_SANITIZE} -I"$WADI_SOURCE/include" -I"$WADI_BUILD/generated" \
    -DWADI_HEADERS="\"$work/all.c\"" -DWADI_CALLS="\"$work/calls.inc\"" "$here/misuse.c" -o "$work/misuse" -L"$folder" -Wl,-rpath,"$folder" -lwadi
cd "$work"
./misuse
