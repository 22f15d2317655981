#!/bin/sh
# A run with a certificate that was saved, killed, and goes on without workers: the certificate has the kernels of the workers that it had before, and how many
# elements they have computed.
set -u
wadi="${WADI_BUILD:?}/cli/wadi"
"$wadi" version | grep -q x86-64-v2 && [ "$(uname -m)" = x86_64 ] || {
    echo "skipped: there are no two targets for this processor"
    exit 77
}
work=$(mktemp -d)
pids=
finish() {
    for p in $pids; do kill -9 "$p" 2>/dev/null; done
    wait 2>/dev/null
    rm -rf "$work"
}
trap finish EXIT
cd "$work" || exit 1
unset WADI_TOKEN WADI_TARGET
failed=0
wrong() {
    echo "FAILED: $*"
    failed=1
}

cat >means.wadi <<'PROGRAM'
program means
stream_in s : seq(f64[2])
t = map_seq s (x) {
    m = fold 0.0 x (a, b) { add a b }
    yield m
}
stream_out "t" t
PROGRAM
elements=2000000
head -c $((16 * elements)) /dev/zero >in.raw

"$wadi" work ipc://"$work"/job --target x86-64-v2 2>worker.log &
worker=$!
"$wadi" run means.wadi s=@in.raw t=@out.raw --chunk 5 --via ipc://"$work"/job --workers 1 --state kept --every 0.2 --certificate cert 2>home.log &
home=$!
pids="$worker $home"
# The second saving comes when workers have computed for a while.
tries=0
seen=
savings=0
while [ $savings -lt 2 ] && [ $tries -lt 1200 ] && kill -0 $home 2>/dev/null; do
    now=$(cat kept/* 2>/dev/null | cksum)
    [ -n "$(ls kept 2>/dev/null)" ] && [ "$now" != "$seen" ] && savings=$((savings + 1))
    seen=$now
    tries=$((tries + 1))
    sleep 0.1
done
kill -0 $home 2>/dev/null || wrong "the run has ended too soon: $(cat home.log worker.log)"
kill -9 $home $worker
wait $home $worker 2>/dev/null

"$wadi" run means.wadi s=@in.raw t=@out.raw --via ipc://"$work"/job --state kept --certificate cert 2>home.log ||
    wrong "the run does not go on: $(cat home.log)"
sed -n '/^worker /,/^[^wk]/p' cert >told
[ "$(grep -c '^worker ' told)" -eq 1 ] || wrong "no worker, or more than one: $(cat cert)"
grep -q '^worker [1-9][0-9]* [0-9.]* cpu[^ ]* 0\.0$' told || wrong "the worker: $(cat told)"
n=$(sed -n 's/^worker \([0-9]*\) .*/\1/p' told)
[ "${n:-0}" -lt $elements ] || wrong "the worker has computed all: $(cat told)"
grep -q '^kernel .* x86-64-v2 [0-9a-f]\{64\}$' told || wrong "the kernels of the worker: $(cat told)"
"$wadi" verify cert >verified 2>warned || wrong "it is not verified: $(cat warned)"
[ ! -s warned ] || wrong "kernels that are made anew are others: $(cat warned)"
exit $failed
