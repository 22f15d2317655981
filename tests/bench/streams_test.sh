#!/bin/sh
# Every streaming benchmark runs on tiny sizes, its results checked against plain C by itself, without any peer being installed;
# and the lines for programs have their six fields.
set -eu
bench="$WADI_BUILD/bench/streams/bench_streams"
[ -x "$bench" ] || { echo "bench_streams is not built"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$bench" --quick --runs 1 --python "$folder/no-python" --mkl "$folder/no-mkl" > "$folder/lines" 2> "$folder/table" || {
    cat "$folder/table"
    exit 1
}
awk -F '\t' '
NF != 6 { print "not six fields: " $0; bad = 1 }
$3 + 0 <= 0 || $5 + 0 <= 0 { print "no time: " $0; bad = 1 }
{ ratio = $3 / $5; if ($6 < 0.99 * ratio || $6 > 1.01 * ratio) { print "wrong ratio: " $0; bad = 1 } seen[$1] = 1 }
END { exit bad }' "$folder/lines"

for name in $("$bench" --list | awk '{ print $1 }'); do
    cut -f 1 "$folder/lines" | grep -qx "$name" || { echo "$name measures nothing"; exit 1; }
done
grep -q 'is not installed' "$folder/table" || { echo "no word about the missing Python"; exit 1; }
grep -q 'pip install mkl' "$folder/table" || { echo "no word about the missing MKL"; exit 1; }

"$bench" --only nonsense 2> "$folder/error" && { echo "an unknown benchmark is accepted"; exit 1; }
grep -q nonsense "$folder/error"
"$bench" --threads 0 2> /dev/null && { echo "no threads are accepted"; exit 1; }
exit 0
