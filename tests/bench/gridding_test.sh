#!/bin/sh
# The gridding benchmarks run on tiny sizes and check their own results, and a missing peer is reported. Benchmarks of compile times
# are left out because they take long.
set -eu
bench="$WADI_BUILD/bench/gridding/bench_gridding"
[ -x "$bench" ] || { echo "bench_gridding is not built"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$bench" --only wstack,wsclean,paper --quick --runs 1 --python "$folder/no-python" > "$folder/lines" 2> "$folder/table" || {
    cat "$folder/table"
    exit 1
}
cat "$folder/table"
grep -q 'ducc0 skipped' "$folder/table" || { echo "no word about the missing ducc0"; exit 1; }
grep -q '^wsclean: .*\(relative error\|skipped\)' "$folder/table" || { echo "no word about wsclean's case"; exit 1; }
if ! command -v wsclean > /dev/null; then
    grep -q 'wsclean.*\(is not installed\|skipped\)' "$folder/table" || { echo "no word about the missing wsclean"; exit 1; }
fi

"$bench" --only nonsense 2> "$folder/error" && { echo "an unknown benchmark is accepted"; exit 1; }
grep -q nonsense "$folder/error"
