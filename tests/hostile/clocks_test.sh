#!/bin/sh
# A clock on the wall that jumps: runs that are saved, links and workers do not mind, for they look at the one that never does.
set -u
wadi=$WADI_BUILD/cli/wadi
jumps=$WADI_BUILD/tests/libhostile_jumps.so
case ${WADI_SANITIZE:-OFF} in
OFF | '') ;;
*) echo "skipped: a sanitizer and a preloaded clock do not go together" && exit 77 ;;
esac
dir=$(mktemp -d)
failed=0
wrong() {
    echo "$1"
    failed=1
}
trap 'rm -rf "$dir"' EXIT

# Who looks at that clock: for the dates of messages, for the age of files,
# and once for the time that libnats has from then on.
cd "$WADI_SOURCE" || exit 1
grep -rlE 'CLOCK_REALTIME|gettimeofday|[^a-z_]time\((NULL|nullptr|0|&)|timespec_get' --include='*.c' --include='*.cc' --include='*.h' \
    base sched connectors modules exe cli apps operators graph codegen | sort >"$dir/looks"
cat >"$dir/may_look" <<'END'
base/folder.c
base/process.c
base/say.c
modules/nats/steady.c
sched/device_ask.c
END
cmp -s "$dir/looks" "$dir/may_look" || wrong "others than these look at the clock on the wall: $(diff "$dir/looks" "$dir/may_look")"

cd "$dir" || exit 1
cat >double.wadi <<'PROGRAM'
program double
stream_in s : seq(f64[?])
y = map_seq s (b) {
    h = map b (x) { mul x 2.0 }
    yield h
}
stream_out "out" y
PROGRAM
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "%07d\n", i }' >in.raw
"$wadi" run double.wadi s=100:@in.raw out=@want.raw 2>said || wrong "no output: $(cat said)"

jumping() { LD_PRELOAD=$jumps timeout 20 "$wadi" "$@"; }
same() { # WHAT FILE
    cmp -s want.raw "$2" || wrong "$1: other bytes"
    grep -q "no progress" said* && wrong "$1: $(cat said*)"
}

jumping run double.wadi s=100:@in.raw out=@saved.raw --state state --every 0.001 --chunk 50 2>said || wrong "a saved run: $(cat said)"
same "a saved run" saved.raw

# The receiver doubles nothing: it takes what has been doubled through a program that leaves it as it is.
sed 's/mul x 2.0/mul x 1.0/' double.wadi >same.wadi
jumping run same.wadi "s=@ipc://$dir/link" out=@linked.raw --state received --every 0.001 --wait 15 2>said_b &
receiver=$!
jumping run double.wadi s=100:@in.raw "out=@ipc://$dir/link" --state sent --every 0.001 --chunk 50 --wait 15 2>said || wrong "a sender: $(cat said)"
wait $receiver || wrong "a receiver: $(cat said_b)"
same "a link" linked.raw

jumping work "ipc://$dir/queue" --wait 15 2>said_b &
worker=$!
jumping run double.wadi s=100:@in.raw out=@worked.raw --via "ipc://$dir/queue" --workers 1 --chunk 50 --stats 2>said || wrong "home: $(cat said)"
wait $worker || wrong "a worker: $(cat said_b)"
same "a worker" worked.raw
grep -q "elements computed by workers" said || wrong "the worker had nothing to do: $(cat said)"
exit $failed
