#!/bin/sh
# wadi top and wadi why: a run that waits for its source is seen, paused, let go on and drained from another process; the sockets of processes that
# are gone disappear.
set -u
wadi="${WADI_BUILD:?}/cli/wadi"
command -v python3 >/dev/null || {
    echo "python3 is not there: what is shown is not read"
    exit 77
}
work=$(mktemp -d "${TMPDIR:-/tmp}/wadi-w.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir -m 700 run
export XDG_RUNTIME_DIR="$work/run"

wrong() {
    echo "FAILED: $*"
    : >failed
}

# fails_with TEXT ARGUMENTS...
fails_with() {
    want=$1
    shift
    "$wadi" "$@" >said 2>&1 && wrong "wadi $* succeeds"
    grep -qF -e "$want" said || wrong "wadi $*: $(cat said)"
}

# until_says TEXT ARGUMENTS...: wadi prints it in the end
until_says() {
    want=$1
    shift
    tries=0
    until "$wadi" "$@" >said 2>&1 && grep -qF -e "$want" said; do
        tries=$((tries + 1))
        [ $tries -lt 600 ] || {
            wrong "wadi $* never says \"$want\": $(cat said)"
            return 1
        }
        sleep 0.05
    done
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
head -c 16000 /dev/zero >in.raw
"$wadi" run means.wadi s=@in.raw t=@plain.raw || wrong "no run"

fails_with "no process of wadi is there" top
fails_with "no process of wadi is there" why
fails_with 'no process "nobody"' top nobody
fails_with "--sort: \"beauty\" is not plan, elements, bytes, fill or busy" top --sort beauty
fails_with "--every: \"0\" is not seconds" top --every 0
fails_with 'unexpected "b"' why a b

# ---- a run that waits for its source

mkfifo pipe
exec 3<>pipe
"$wadi" run means.wadi s=@pipe t=@out.raw --chunk 100 2>message &
running=$!
cat in.raw >&3
until_says 'compute waits for the source "s" (raw), which has read 16.0 kB in 1.00 k elements; nothing has come for' why
"$wadi" why means >said || wrong "no reason by the program's name"
grep -q "^$running wadi, means: compute waits for the source .*; it waits for bytes (pipe)\$" said || wrong "why: $(cat said)"
"$wadi" why $running >/dev/null || wrong "no reason by the number"
"$wadi" top wadi >said || wrong "no screen without a terminal"
grep -q '^0.in0 .* s .* raw .* 1.00 k ' said || wrong "no source: $(cat said)"
grep -q '^why: compute waits for the source' said || wrong "no reason: $(cat said)"

"$wadi" top --json >runs.json || wrong "no JSON"
python3 - $running <<'PROGRAM' || wrong "JSON: $(cat runs.json)"
import json, sys
process, = json.load(open("runs.json"))
assert process["process"] == "wadi" and process["pid"] == int(sys.argv[1])
run, = process["runs"]
assert set(run) == set("""program pid run state can_drain phase phases elapsed_s left_s elements bytes_in bytes_out chunks chunk_elements
    failed_elements threads utilisation stages_apart device schedule memory busy_s nodes edges waits devices elsewhere why""".split()), set(run)
assert run["program"] == "means" and run["state"] == "running" and run["elements"] == 1000 and run["left_s"] is None
assert [(n["kind"], n["id"], n["elements"]) for n in run["nodes"]] == \
    [("source", "0.in0", 1000), ("stage", "0.0", 1000), ("end", "0.out0", 1000)]
assert [(e["from"], e["to"], e["queue"]) for e in run["edges"]] == [(0, 1, True), (1, 2, True)]
assert run["elsewhere"] is None
assert run["edges"][0]["to_waits_s"] > 0 and run["bytes_in"] == 16000
assert any(w["who"] == "source" and w.get("waits_for") == "bytes" and w["name"] == "pipe" for w in run["waits"])
PROGRAM

# ---- one that is stopped does not answer, and nobody waits for it who cannot even ask

kill -STOP $running
python3 - "$XDG_RUNTIME_DIR/wadi/$running.wadi" >/dev/null 2>&1 <<'PROGRAM' &
import socket, sys, time
held = []
while True:
    s = socket.socket(socket.AF_UNIX)
    s.setblocking(False)
    try:
        s.connect(sys.argv[1])
    except BlockingIOError:
        break
    held.append(s)
open("full", "w").close()
time.sleep(60)
PROGRAM
filling=$!
tries=0
until [ -e full ] || [ $tries -ge 600 ]; do
    tries=$((tries + 1))
    sleep 0.05
done
[ -e full ] || wrong "its socket takes connections without end"
for command in why "top --once"; do
    # shellcheck disable=SC2086
    timeout 30 "$wadi" $command >said 2>&1
    status=$?
    [ $status -eq 0 ] || wrong "wadi $command ends with $status: $(cat said)"
    grep -q "process $running does not answer" said || wrong "wadi $command: $(cat said)"
done
kill $filling
wait $filling
kill -CONT $running

kill -TERM $running # a screen is in keys_test.sh
wait $running
[ $? -eq 143 ] || wrong "the run has not ended by the signal: $(cat message)"

# ---- paused before it reads, then drained

"$wadi" run means.wadi s=@pipe t=@out.raw --state kept 2>message && wrong "a pipe cannot be saved"
yes | head -c 16000000 >long.raw
"$wadi" run means.wadi s=@long.raw t=@out.raw --chunk 1 --state kept --every 1 2>message &
running=$!
tries=0
until [ -n "$(ls run/wadi 2>/dev/null)" ] || [ $tries -ge 600 ]; do
    tries=$((tries + 1))
    sleep 0.05
done
python3 - <<'PROGRAM' || wrong "requests by the socket"
import os, socket, time
folder = os.environ["XDG_RUNTIME_DIR"] + "/wadi/"
def ask(request):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(60)
    s.connect(folder + os.listdir(folder)[0])
    s.sendall(request)
    got = b""
    try:
        while piece := s.recv(65536):
            got += piece
    except ConnectionResetError: # it has not read all of the request
        pass
    return got.decode()
assert ask(b"pause\n") == "ok\n"
assert "paused" in ask(b"list\n"), ask(b"list\n")
assert ask(b"resume\n") == "ok\n"
assert "no such request" in ask(b"fly\n")
assert ask(b"x" * 1000) == "" # a line that never ends
assert ask(b"\n").startswith("error ")
silent = [socket.socket(socket.AF_UNIX) for _ in range(3)]
for s in silent[:2]:
    s.connect(folder + os.listdir(folder)[0])
silent[0].close()
assert "running" in ask(b"list\n") # after the silent one is given up
assert ask(b"drain\n") == "ok\n"
PROGRAM
wait $running || wrong "a drained run has failed: $(cat message)"
grep -q 'the run is saved in kept' message || wrong "it was not drained: $(cat message)"
"$wadi" run means.wadi s=@long.raw t=@out.raw --state kept 2>message || wrong "it does not go on: $(cat message)"
"$wadi" run means.wadi s=@long.raw t=@plain.raw || wrong "no run"
cmp out.raw plain.raw || wrong "another result"

# ---- sockets of processes that are gone, and folders that are not private

[ -z "$(ls run/wadi)" ] || wrong "a socket is left: $(ls run/wadi)"
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("run/wadi/99999999.wadi")'
: >run/wadi/other
fails_with "no process of wadi is there" top
[ ! -e run/wadi/99999999.wadi ] || wrong "a stale socket stays"
[ -e run/wadi/other ] || wrong "somebody's file is gone"
"$wadi" run means.wadi s=@pipe t=@out.raw 2>message &
running=$!
until_says "$running wadi" top
WADI_WATCH=off "$wadi" run means.wadi s=@pipe t=@other.raw 2>message2 &
hidden=$!
tries=0
until ls other.raw.*.wadi-part >/dev/null 2>&1 || [ $tries -ge 600 ]; do
    tries=$((tries + 1))
    sleep 0.05
done
"$wadi" top >said
grep -q "^$hidden" said && wrong "it is seen: $(cat said)"
kill -9 $running $hidden
wait $running $hidden
fails_with "no process of wadi is there" top
[ ! -e "run/wadi/$running.wadi" ] || wrong "the socket of a killed process stays"
chmod 777 run/wadi
fails_with "can be written by somebody else" top
"$wadi" run means.wadi s=@in.raw t=@out.raw 2>message || wrong "a run needs its socket: $(cat message)"
[ ! -s message ] || wrong "a run complains: $(cat message)"

[ ! -e failed ]
