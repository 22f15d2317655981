#!/bin/sh
# Every benchmark of images and grids runs on small sizes: all forms of wadi's programs agree with the peers in C, without any peer in Python.
set -eu
bench="$WADI_BUILD/bench/arrays/bench_images"
[ -x "$bench" ] || { echo "bench_images is not built"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$bench" --quick --runs 1 --python "$folder/no-python" > "$folder/lines" 2> "$folder/table" || {
    cat "$folder/table"
    exit 1
}
awk -F '\t' 'NF != 6 || $3 + 0 <= 0 || $5 + 0 <= 0 { print "not six fields, or no time: " $0; bad = 1 } END { exit bad }' "$folder/lines"
for name in $("$bench" --list | awk '{ print $1 }'); do
    cut -f 1 "$folder/lines" | grep -qx "$name" || { echo "$name measures nothing"; exit 1; }
done
grep -q 'wadi, no fusion' "$folder/lines" || { echo "nothing without fusion"; exit 1; }
grep -q 'is not installed' "$folder/table" || { echo "no word about the missing Python"; exit 1; }
exit 0
