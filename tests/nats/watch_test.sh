#!/bin/sh
# wadi top and wadi why of a job on a NATS server: its home tells of the run and of the workers, also with the socket of its own machine off. Items are
# paused, let go on, and drained there.
. "$(dirname "$0")/begin.sh"
export WADI_WATCH=off
minutes=2

host=nats://127.0.0.1:$port
serve
at=$host/sky

# ---- nobody is there ----
"$wadi" top --once "$at" >seen 2>&1 && wrong "a job that is not there is shown"
says seen "there is no job sky on this server"
"$wadi" top --json "$at" >seen 2>&1 && wrong "a job that is not there is told"
says seen "there is no job sky on this server"
"$wadi" why "$at" >seen 2>&1 && wrong "a job that is not there has a reason"
says seen "there is no job sky on this server"
"$wadi" why tcp://127.0.0.1:7799 >seen 2>&1 && wrong "an address of ZeroMQ is asked"
says seen "only jobs on a NATS server"

cat >sky.wadi <<'PROGRAM'
program sky
stream_in s : seq(f64)
t = map_seq s (a) {
  b = unit { sin (mul (the a) 0.5) }
  yield b
}
stream_out "t" t
PROGRAM
mkfifo in.raw
exec 3<>in.raw
"$wadi" work "$at" --stay >worker.log 2>&1 3>&- &
pids="$pids $!"
"$wadi" run sky.wadi s=@in.raw t=@out.raw --via "$at" --workers 1 --chunk 2 --trace sky.json 2>said 3>&- &
home=$!
pids="$pids $home"
feed() { head -c 160 /dev/zero >&3; } # 20 elements, in 10 items

# ---- what home tells ----
done_items() { # N
    "$wadi" top --json "$at" >seen 2>&1 || return 1
    n=$(sed -n 's/.*"items": {"workers": \([0-9]*\), "home": \([0-9]*\)}.*/\1 + \2/p' seen)
    [ $((${n:-0})) -eq "$1" ]
}
feed
until_that done_items 10
says seen '^\[{"process": "wadi", "pid": [0-9]*, "runs": \[{"program": "sky", .*"state": "running"'
says seen "\"elsewhere\": {\"address\": \"$at\", \"stages\": \[\"0.0\"\], \"workers\": [01], \"wanted\": 1, \"in_flight\": [0-9]*, \"credit\": 256, "
says seen '"elements": {"workers": [0-9]*, "home": [0-9]*}, "paused": false, "lost": false}'
"$wadi" top --once "$at?wait=5" >seen 2>&1 || wrong "top: $(cat seen)"
[ "$(head -1 seen)" = "$at" ] || wrong "top does not begin with the job: $(cat seen)"
says seen '^sky  run 1  running  '
says seen '^[01] workers* elsewhere for 0.0 .* of 256 items, .* items done there '
says seen '^0.in0 .*source s '
[ -z "$(tail -1 seen | grep '^$')" ] || wrong "top ends with an empty line"
waits_for_source() { "$wadi" why "$at" >seen 2>&1 && grep -q "$at, sky: compute waits for the source \"s\"" seen; }
until_that waits_for_source
# The numbers of the job are those of before.
"$wadi" job status "$at" >seen 2>&1
says seen '^{"job": "sky", "epoch": "[^"]*", "submitted": [0-9]*, "answered": [0-9]*, .*"paused": false, "draining": false}$'

# ---- pause ----
"$wadi" job pause "$at" >seen 2>&1
says seen paused
held() { "$wadi" why "$at" >seen 2>&1 && grep -q 'no items go to workers elsewhere until `wadi job resume`, and [0-9]* waits* here' seen; }
feed
until_that held
"$wadi" top --once "$at" >seen 2>&1
says seen '   paused   nats'
"$wadi" job resume "$at" >seen 2>&1
says seen resumed
until_that done_items 20

# ---- a server that is full ----
if command -v python3 >/dev/null; then
    cat >room.py <<'PROGRAM'
import json, socket, sys
port, stream, most = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
server = socket.create_connection(("127.0.0.1", port))
lines = server.makefile("rb")
server.sendall(b'CONNECT {"verbose":false}\r\nSUB reply 1\r\n')
def ask(what, body):
    server.sendall(b"PUB $JS.API.STREAM.%s.%s reply %d\r\n%s\r\n" % (what, stream.encode(), len(body), body))
    line = lines.readline()
    while not line.startswith(b"MSG "): line = lines.readline()
    return json.loads(lines.read(int(line.split()[-1])))
config = ask(b"INFO", b"")["config"]
config["max_bytes"] = most
config["discard"] = "new"
assert "error" not in ask(b"UPDATE", json.dumps(config).encode())
PROGRAM
    python3 room.py "${host##*:}" WADI_sky_items 100 || wrong "the server takes no other limit"
    # how many it is ahead by depends on how fast answers came before
    full() { "$wadi" why "$at" >seen 2>&1 && grep -q "the server of $at has taken nothing for .* (maximum bytes exceeded), and [0-9]* items wait for it" seen; }
    feed
    until_that full
    python3 room.py "${host##*:}" WADI_sky_items 100000000 || wrong "the server takes no other limit"
    until_that done_items 30
else
    feed
fi

# ---- the run ends ----
exec 3>&-
wait $home || wrong "the run fails: $(cat said)"
"$WADI_BUILD/tests/trace_judge" sky.json >lanes 2>&1 || wrong "the trace: $(cat lanes)"
says lanes '^elsewhere '
says lanes '^source s: [0-9]* events, 60 elements'
[ "$(wc -c <out.raw)" -eq 480 ] || wrong "out.raw has $(wc -c <out.raw) bytes"
"$wadi" top --once "$at" >seen 2>&1 && wrong "a job that is over is shown"

# ---- items that are held do not hold up SIGTERM: home computes what has not gone to workers ----
head -c 8000000 /dev/zero >zeros.raw
"$wadi" run sky.wadi s=@zeros.raw t=@out.raw --via "$at" --workers 1 --chunk 1 --state held --every 0.1 2>said &
home=$!
pids="$pids $home"
is_there() { "$wadi" top --once "$at" >seen 2>&1 && grep -q '^0.in0' seen; }
until_that is_there
"$wadi" job pause "$at" >seen 2>&1
says seen paused
until_that held
kill -TERM $home
ended() { ! kill -0 $home 2>/dev/null; }
until_that ended
wait $home || wrong "a run that is ended while its items are held ends with $?: $(cat said)"
says said 'the run is saved in held'

# ---- keys, in a terminal: p holds the items of a saved run, r and d let them go, d ends it ----
"$wadi" run sky.wadi s=@zeros.raw t=@out.raw --via "$at" --workers 1 --chunk 1 --state kept --every 0.1 2>said &
home=$!
pids="$pids $home"
until_that is_there
# workers_have some: notes how many items are done there; workers_have still: as many as a second before; workers_have more: more than were noted last
cat >workers_have <<'SCRIPT'
#!/bin/sh
count() { "$wadi" top --json "$at" 2>&1 | sed -n 's/.*"items": {"workers": \([0-9]*\),.*/\1/p'; }
before=$(cat before 2>/dev/null)
now=$(count)
[ -n "$now" ] || exit 1
[ "$1" != more ] || { [ "$now" -gt "$before" ]; exit; }
echo "$now" >before
[ "$1" = still ] || exit 0
sleep 1
[ "$now" = "$(count)" ]
SCRIPT
chmod +x workers_have
export wadi at
timeout 600 "$WADI_BUILD/tests/in_terminal" "$wadi" top --every 0.1 "$at" <<STEPS || wrong "keys: $(cat said)"
size 30 180
settles
see $at, sorted by plan
see 0.in0
press s
see sorted by elements
press p
see no more items go to workers
see until \`wadi job resume\`
until ./workers_have still
until ./workers_have still
press r
see goes on
until ./workers_have more
press p
see no more items go to workers
see until \`wadi job resume\`
press d
see ends as by SIGTERM
see job sky
press q
restored
ends 0
STEPS
until_that ended
wait $home || wrong "the drained run ends with $?: $(cat said)"
says said 'the run is saved in kept'

# ---- a terminal that goes away does nothing to the job ----
"$wadi" run sky.wadi s=@zeros.raw t=@out.raw --via "$at" --workers 1 --chunk 1 --state kept --every 0.1 2>said &
home=$!
pids="$pids $home"
until_that is_there
# The end of its input may come before SIGHUP.
timeout 600 "$WADI_BUILD/tests/in_terminal" "$wadi" top "$at" <<STEPS || wrong "a terminal that goes away"
see 0.in0
hang
ends 129 0
STEPS
until_that ./workers_have some
until_that ./workers_have more
drained() { "$wadi" job drain "$at" >seen 2>&1 || ended; } # a busy home may answer too late
until_that drained
until_that ended
wait $home || wrong "the run ends with $?: $(cat said)"
exit $failed
