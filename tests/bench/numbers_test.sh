#!/bin/sh
# Every line of bench_numbers and of bench_sort runs on tiny sizes, without any peer in Python, and has wadi's results compared with those of C.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

for name in numbers sort; do
    bench="$WADI_BUILD/bench/arrays/bench_$name"
    [ -x "$bench" ] || { echo "bench_$name is not built"; exit 77; }
    "$bench" --quick --runs 1 --python "$folder/no-python" > "$folder/$name" 2> "$folder/said" || {
        cat "$folder/said"
        exit 1
    }
    grep -q 'is not installed' "$folder/said" || { echo "$name: no word about the missing Python"; exit 1; }
    awk -F '\t' 'NF != 6 || $3 + 0 <= 0 || $5 + 0 <= 0 { print "no line: " $0; bad = 1 } END { exit bad }' "$folder/$name"
done
for name in $("$WADI_BUILD/bench/arrays/bench_numbers" --list | awk '{ print $1 }'); do
    cut -f 1 "$folder/numbers" | grep -qx "$name" || { echo "$name measures nothing"; exit 1; }
done
for form in fusion sharing; do
    grep -q "wadi without $form" "$folder/numbers" || { echo "no column without $form"; exit 1; }
done
