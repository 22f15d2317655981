#!/bin/sh
# The benchmarks of devices run on tiny sizes, and all sides give the same bits.
set -eu
bench="$WADI_BUILD/bench/devices/bench_devices"
[ -x "$bench" ] || { echo "bench_devices is not built"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

WADI_DEVICE=null "$bench" --quick --runs 1 > "$folder/lines" 2> "$folder/table" || {
    cat "$folder/table"
    exit 1
}
for name in $("$bench" --list | awk '{ print $1 }'); do
    cut -f 1 "$folder/lines" | grep -qx "$name" || { echo "$name measures nothing"; exit 1; }
done
exit 0
