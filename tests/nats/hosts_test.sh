#!/bin/sh
# A job whose home, server and workers are hosts of their own: cables are pulled while it runs, and plugged in again, so that nobody hears of the end of
# a connection; hosts vanish and come back. The output is that of a run without any of this.
. "$(dirname "$0")/../hostile/network.sh"
server=/usr/sbin/nats-server
if [ ! -x $server ] || ! "$wadi" version | grep -q 'module *nats.*libnats'; then
    echo "skipped: nats-server or the module nats is not installed"
    exit 77
fi
command -v openssl >/dev/null || {
    echo "skipped: there is no openssl, which makes certificates"
    exit 77
}
host home 1
host server 2
host one 3
host two 4

# ---- the server ----

certificate() {
    curve="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
    openssl req -x509 $curve -days 2 -subj /CN=authority -keyout ca.key -out ca.pem &&
        openssl req $curve -subj /CN=server -keyout server.key -out server.csr &&
        echo 'subjectAltName=DNS:server,IP:10.77.0.2' >server.ext &&
        openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile server.ext -out server.pem
}
certificate >openssl.log 2>&1 || {
    cat openssl.log
    exit 1
}
echo 'open sesame 4711' >token
cat >config <<END2
listen: "0.0.0.0:4222"
jetstream: {store_dir: "$dir/jobs"}
tls: {cert_file: "$dir/server.pem", key_file: "$dir/server.key"}
authorization: {token: "open sesame 4711"}
END2
jobs="nats://server?ca=$dir/ca.pem&token=$dir/token"
at="nats://server/sky?${jobs#*\?}"
# A server of 2.9.10 that is asked for a job while it still begins may crash.
is_ready() { grep -q 'Server is ready' server.log && on server $brief "$wadi" job ls "$jobs" >/dev/null 2>&1; }
check_server() {
    kill -0 $nats 2>/dev/null && return
    echo "skipped: the server itself has crashed"
    tail -n 20 server.log
    exit 77
}

answered() { on server $brief "$wadi" job status "$at" 2>/dev/null | sed -n 's/.*"answered": \([0-9]*\).*/\1/p'; }
# Or home has ended, on a machine where asking takes long.
has_answers() { # N
    n=$(answered)
    ended $home && return
    check_server
    [ "${n:-0}" -ge "$1" ]
}
# So many more than now, although at most 256 items are in flight: those that were are answered then.
goes_on() { # ANSWERS SECONDS WHAT
    n=$(answered)
    await "$2" has_answers $((${n:-0} + $1)) || give_up "$3: there are no $1 answers within $2 s: $(cat home.log)"
    ended $home && echo "$3: home has ended, and nobody has seen how many answers there were" && return
    echo "$3: $1 more answers after $took ms"
}

seq -f '%07.0f?' 100000 | tr -d '\n' >in.raw # as many numbers
for i in 1 2 3; do cat in.raw; done >long.raw
$brief "$wadi" run slow.wadi s=50:@long.raw y=@plain_long.raw || wrong "the run without workers fails"

# ---- cables ----
# A worker says within a third of `ack` that it is at an item. On a busy machine it may be late for half a second, and an item that was given out six times is a dead letter.
beside server $server -c config >server.log 2>&1
nats=$last
await 120 is_ready || {
    echo "the server does not begin"
    cat server.log
    exit 1
}
beside one "$wadi" work "$at" --stay >>worker.log 2>&1
beside two "$wadi" work "$at" --stay >>worker.log 2>&1
beside home "$wadi" run slow.wadi s=50:@long.raw y=@out.raw --chunk 1 --via "$at&ack=3" --workers 2 2>home.log
home=$last
await 120 has_answers 200 || give_up "no answers: $(cat home.log)"
pulled one
goes_on 300 60 "a worker is cut off"
plugged one
pulled two
goes_on 300 60 "it is back, and the other is cut off"
plugged two
astray server
sleep 1
found server
goes_on 300 60 "the server was cut off for a second"
astray home
sleep 1
found home
goes_on 300 60 "home was cut off for a second"
ends $home "the run" || wrong "the run fails: $(cat home.log)"
same plain_long.raw out.raw "cables"

# ---- the host of home vanishes, and another goes on ----
host spare 5
command="run slow.wadi s=50:@long.raw y=@state.raw --chunk 1 --via $at&ack=3 --workers 1 --state kept --every 0.1"
beside home "$wadi" $command 2>home.log
home=$last
await 120 has_answers 600 || give_up "no answers: $(cat home.log)"
pulled home
kill -9 $home
wait $home 2>/dev/null
went_ms=$(date +%s%3N)
on spare $brief "$wadi" $command 2>home.log || wrong "another host does not go on: $(cat home.log)"
echo "the host of home vanished: another was done after $(($(date +%s%3N) - went_ms)) ms"
same plain_long.raw state.raw "another host"
left=$(on server $brief "$wadi" job ls "$jobs")
[ -z "$left" ] || wrong "left on the server: $left"
[ $failed -eq 0 ] || tail -n 20 home.log worker.log server.log
exit $failed
