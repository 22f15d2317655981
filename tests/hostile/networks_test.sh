#!/bin/sh
# Workers and links over tcp between hosts whose cables are pulled, and that vanish without a word. The output is that of a run without any of this.
# Without keys nothing listens where another host could connect.
. "$(dirname "$0")/network.sh"
host home 1
host one 2
host two 3
host spare 4

key() { # NAME
    "$WADI_BUILD/apps/gridding/wadi-vis-send" --new-key "$1" >key.log || wrong "no key: $(cat key.log)"
}
key home
key one
key two
cat one.pub two.pub >others.pub
seq -f '%07.0f?' 100000 | tr -d '\n' >in.raw # as many numbers
for i in 1 2; do cat in.raw; done >long.raw
$brief "$wadi" run slow.wadi s=50:@long.raw y=@plain.raw || wrong "the run without workers fails"

# ---- workers ----

elements() { $brief "$wadi" top $home --json 2>/dev/null | sed -n 's/.*"elements": \([0-9]*\), "bytes_in".*/\1/p'; }
# Or it has ended, on a machine where looking takes long.
has_elements() { # N
    n=$(elements)
    ended $home && return
    [ "${n:-0}" -ge "$1" ]
}
goes_on() { # ELEMENTS SECONDS WHAT
    n=$(elements)
    await "$2" has_elements $((${n:-0} + $1)) || give_up "$3: there are no $1 elements within $2 s: $(cat home.log)"
    ended $home && echo "$3: home has ended, and nobody has seen how many elements there were" && return
    echo "$3: $1 more elements after $took ms"
}
worker() {
    beside "$1" "$wadi" work tcp://home:7700 --key "$1" --home home.pub --stats --wait 30 2>"$1.log"
}
worker one
one=$last
worker two
two=$last
beside home "$wadi" run slow.wadi s=50:@long.raw y=@out.raw --chunk 1 --via tcp://0.0.0.0:7700 --key home --worker-keys others.pub --workers 2 --stats 2>home.log
home=$last
await 20 has_elements 200 || give_up "no elements: $(cat home.log)"
pulled one
goes_on 300 20 "a worker is cut off"
plugged one
pulled two
goes_on 300 20 "it is back, and the other is cut off"
plugged two
astray home
sleep 1
found home
goes_on 300 20 "home was cut off for a second"
ends $home "the run" || wrong "the run fails: $(cat home.log)"
# One that was not back before the end has not heard of it, and waits for home in vain.
worked() { # PID NAME
    ends "$1" "worker $2" || grep -q 'no home for' "$2.log" || wrong "worker $2 fails: $(cat "$2.log")"
}
worked $one one
worked $two two
same plain.raw out.raw "workers"
grep -h '^work' home.log one.log two.log

# ---- a link whose sender vanishes with its host ----

cat >pass.wadi <<'PROGRAM'
program pass
stream_in y : seq(f64[?])
z = map_seq y (b) {
  h = map b (x) { add x 1.0 }
  yield h
}
stream_out "z" z
PROGRAM
for i in 1 2 3; do cat long.raw; done >longer.raw # so long that it is not over before the cable is pulled
$brief "$wadi" run slow.wadi s=50:@longer.raw y=@plain_y.raw && $brief "$wadi" run pass.wadi y=50:@plain_y.raw z=@plain_z.raw || wrong "the run without a link fails"
beside home "$wadi" run pass.wadi y=@tcp://0.0.0.0:7701 z=@z.raw --key home --senders one.pub --wait 20 2>home.log
home=$last
command="run slow.wadi s=50:@longer.raw y=@tcp://home:7701 --key one --receiver home.pub --chunk 1 --state kept --every 0.1"
beside one "$wadi" $command 2>one.log
one=$last
await 20 has_elements 500 || give_up "no elements: $(cat home.log one.log)"
pulled one
kill -9 $one || wrong "the sender has ended before"
wait $one 2>/dev/null
went_ms=$(date +%s%3N)
# Its own patience, 10 s, is shorter than the system takes to notice by itself that a host has vanished.
on spare $brief "$wadi" $command 2>spare.log || wrong "another host does not go on: $(cat spare.log)"
ends $home "the receiver" || wrong "the receiver fails: $(cat home.log)"
echo "the host of the sender vanished: another was done after $(($(date +%s%3N) - went_ms)) ms"
same plain_z.raw z.raw "a link"

# ---- a name without a file, which has no permissions ----

beside home "$wadi" run pass.wadi y=@ipc://@a_name z=@name.raw --wait 60 2>home.log
home=$last
name_is_there() {
    ended $home && give_up "the receiver has ended: $(cat home.log)"
    on home ss -lxH | grep -q '@a_name'
}
await 20 name_is_there || give_up "nobody listens: $(cat home.log)"
send="run slow.wadi s=50:@longer.raw y=@ipc://@a_name"
chmod 755 "$dir"
if setpriv --reuid 65534 "$wadi" version >/dev/null 2>&1 && mkdir -m 700 theirs && chown 65534 theirs 2>/dev/null; then
    on home $brief setpriv --reuid 65534 env WADI_CACHE_DIR="$dir/theirs" WADI_WATCH=off "$wadi" $send --wait 0.5 2>other.log && wrong "another user is let in"
    grep -q 'no receiver' other.log || wrong "another user fails otherwise: $(cat other.log)"
fi
on home $brief "$wadi" $send 2>one.log || wrong "the same user is not let in: $(cat one.log)"
ends $home "the receiver" || wrong "the receiver fails: $(cat home.log)"
same plain_z.raw name.raw "a name"

# ---- what listens ----

refused() { # ARGUMENT ..
    if on home $brief "$wadi" run "$@" >refused.log 2>&1 || ! grep -q 'needs keys' refused.log; then wrong "it is not refused: $*: $(cat refused.log)"; fi
}
for any in 0.0.0.0 10.77.0.1 home '*' '[::]' '127.0.0.1:1;0.0.0.0'; do
    refused slow.wadi s=50:@in.raw y=@x.raw --via "tcp://$any:7702"
    refused pass.wadi "y=@tcp://$any:7702" z=@x.raw
done
mkfifo never.raw
beside home "$wadi" run slow.wadi s=50:@never.raw y=@x.raw --via tcp://127.0.0.1:7703 2>home.log
home=$last
listens() {
    ended $home && give_up "home has ended: $(cat home.log)"
    [ -n "$(on home ss -ltnH)" ]
}
await 20 listens || give_up "home does not listen: $(cat home.log)"
beyond=$(on home ss -ltnH | awk '{ print $4 }' | grep -v '^127\.0\.0\.1:') && wrong "it listens where another host could connect: $beyond"
on two $brief "$wadi" work tcp://home:7703 --wait 0.3 2>work.log && wrong "a worker of another host is let in"
grep -q 'no home' work.log || wrong "another worker: $(cat work.log)"
exit $failed
