#!/bin/sh
# What users name stands in the comments of kernels, and never becomes code: places that end a comment, and folders with stars.
set -u

wadi=$WADI_BUILD/cli/wadi
work=$(mktemp -d "${TMPDIR:-/tmp}/wadi-names.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
cd "$work" || exit 1
failed=0

# gives WHAT FILE: the program triples its input, and prints nothing else.
gives() {
    said=$("$wadi" run "$2" a=1,2 2>&1)
    [ "$said" = "ys = i32[2] [3, 6]" ] || {
        echo "FAILED: $1: $said" >&2
        failed=1
    }
}

# program PLACE: ys is said to be made there.
program() {
    printf 'program names\ninput a : i32[n]\nys = map a (x) { mul x 3i32 } : i32[n] @ "%s":3\noutput ys\n' "$1"
}

program '*/ ; extern int puts(const char*); puts(\"injected\"); /*' >ends.wadi
gives 'a place that ends the comment' ends.wadi
program '/* ---- start of names_arrays_0_run ---- */' >begins.wadi
gives 'a place like the mark of a kernel' begins.wadi
program 'a\\' >line.wadi
gives 'a place that joins lines' line.wadi
mkdir 'd*'
printf 'program names\ninput a : i32[n]\nys = map a (x) { mul x 3i32 }\noutput ys\n' >'d*/f.wadi'
gives 'a folder with a star' 'd*/f.wadi'
exit $failed
