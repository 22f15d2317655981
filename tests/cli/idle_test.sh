#!/bin/sh
# Runs whose source has nothing for them: a sink that fails ends them without waiting for the next chunk, and the first SIGTERM those that are saved.
set -u
wadi=$WADI_BUILD/cli/wadi
dir=$(mktemp -d)
sender="" receiver=""
finish() {
    for p in $sender $receiver; do kill -9 "$p" 2>/dev/null; done
    wait 2>/dev/null
    rm -rf "$dir"
}
trap finish EXIT
cd "$dir" || exit 1
export XDG_CACHE_HOME="$dir/cache"
failed=0
wrong() {
    echo "$1"
    failed=1
}

# ---- a sink that fails ----
cat >double.wadi <<'END'
program double
stream_in s : seq(i64)
y = map_seq s (b) {
  h = unit { mul (the b) 2 }
  yield h
}
stream_out "out" y
END
if [ -e /dev/full ]; then
    mkfifo numbers
    exec 3<>numbers # the pipe does not end
    echo 1 >&3
    timeout 60 "$wadi" run double.wadi s=@lines:numbers out=@lines:/dev/full 2>said 3>&-
    [ $? -eq 1 ] || wrong "a sink that fails does not end a run that waits: $(cat said)"
    grep -q 'No space left on device' said || wrong "it does not say why: $(cat said)"
    exec 3>&-
fi

# ---- SIGTERM, while the sender of a link has nothing ----
printf 'program first\nstream_in s : seq(f64[100])\nstream_out "out" s\n' >first.wadi
printf 'program second\nstream_in mid : seq(f64[100])\nstream_out "out" mid\n' >second.wadi
head -c 80000000 /dev/urandom >in.raw
at=ipc://$dir/link
send() { "$wadi" run first.wadi s=100:@in.raw "out=@$at" --wait 300 --state sent --every 0.05 2>sender.log & sender=$!; }
receive() { "$wadi" run second.wadi "mid=@$at" out=@out.raw --wait 300 --state received --every 0.05 2>receiver.log & receiver=$!; }
kept() { { wc -c <out.raw.wadi-kept; } 2>/dev/null || echo 0; }
send
receive
tries=0
until [ "$(kept)" -gt 0 ] || [ -e out.raw ] || [ $tries -ge 3000 ]; do
    tries=$((tries + 1))
    sleep 0.02
done
kill -STOP "$sender"
# what is on its way still comes
same=0
was=$(kept)
while [ $same -lt 5 ]; do
    sleep 0.1
    now=$(kept)
    [ "$now" = "$was" ] && same=$((same + 1)) || same=0
    was=$now
done
if [ ! -e out.raw ] && [ "$was" -lt 80000000 ]; then # it may have been faster than that
    kill -TERM "$receiver"
    tries=0
    while kill -0 "$receiver" 2>/dev/null && [ $tries -lt 300 ]; do
        tries=$((tries + 1))
        sleep 0.2
    done
    if kill -0 "$receiver" 2>/dev/null; then
        wrong "a saved run that waits for a link does not end"
        kill -9 "$receiver"
    fi
    wait "$receiver" || wrong "the receiver does not end well: $(cat receiver.log)"
    receive
fi
kill -CONT "$sender"
# What the receiver had taken and not computed, the sender may have forgotten: then both are started again.
n=0
while :; do
    wait "$receiver"
    r=$?
    wait "$sender"
    [ $? -eq 0 ] && [ $r -eq 0 ] && break
    n=$((n + 1))
    if [ $n -ge 5 ] || ! grep -q 'has to be started again' sender.log; then
        wrong "they do not go on: $(cat receiver.log sender.log)"
        break
    fi
    send
    receive
done
cmp in.raw out.raw || wrong "other bytes"
exit $failed
