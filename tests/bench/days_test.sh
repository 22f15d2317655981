#!/bin/sh
# Each benchmark of runs for days works with little data on each way to workers, finds its own results right, and prints its lines. It leaves nothing behind.
set -eu
bench="$WADI_BUILD/bench/days/bench_days"
[ -x "$bench" ] || { echo "bench_days is not built"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# They mostly wait, so several run at once.
run() { # BENCHMARKS
    mkdir "$1"
    (cd "$1" && exec "$bench" --quick --runs 1 --only "$1" > ../"$1".lines 2> ../"$1".said)
}
run safety &
safety=$!
run carry &
carry=$!
run recover,scale,slow,share,soak && good=yes || good=no
wait $safety || good=no
wait $carry || good=no
cat ./*.said
[ $good = yes ] || exit 1
cat ./*.lines > lines
cat ./*.said > said
for name in safety carry recover,scale,slow,share,soak; do rmdir "$name" || { echo "$name leaves behind: $(ls "$name")"; exit 1; }; done
awk -F '\t' 'NF != 6 || $3 + 0 <= 0 || $5 + 0 <= 0 { print "no line: " $0; bad = 1 } END { exit bad }' lines

has() { # BENCHMARK CASE
    cut -f 1,2 lines | grep -q "^$1	$2" || { echo "$1: no line of \"$2\""; exit 1; }
}
for name in $("$bench" --list | awk '{ print $1 }'); do has "$name" ipc; done
for what in 'alone' 'ipc'; do
    for price in 'saved every' 'certificate'; do has safety "$what, .*, $price"; done
done
for who in worker home; do has recover "ipc, a killed $who"; done
for crew in 1 2; do has scale "ipc, $crew workers"; done
for parts in '1 part' '2 parts' '4 parts'; do
    for what in 'wait' 'do not wait'; do has share "ipc, $parts, chunks that $what"; done
done
for what in GB descriptors; do has soak "ipc, .*$what"; done

# Without the server, or without libnats, that is told.
if grep -q 'skipping JetStream' said; then
    ! cut -f 2 lines | grep -q JetStream || { echo "JetStream is skipped, and measured"; exit 1; }
    exit 0
fi
for name in $("$bench" --list | awk '$1 != "share" { print $1 }'); do has "$name" JetStream; done
for who in worker home server; do has recover "JetStream, a killed $who"; done
exit 0
