#!/bin/sh
# The gridding benchmarks that need no peer run on tiny sizes, and the missing peer is told.
set -eu
bench="$WADI_BUILD/bench/gridding/bench_gridding"
[ -x "$bench" ] || { echo "bench_gridding is not built"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$bench" --only wstack --quick --runs 1 --python "$folder/no-python" > "$folder/lines" 2> "$folder/table" || {
    cat "$folder/table"
    exit 1
}
grep -q 'ducc0 skipped' "$folder/table" || { echo "no word about the missing ducc0"; exit 1; }

"$bench" --only nonsense 2> "$folder/error" && { echo "an unknown benchmark is accepted"; exit 1; }
grep -q nonsense "$folder/error"
