#!/bin/sh
# wadi run --trace: Python reads the file; spans of a thread lie within each other or apart, and tell every element that was read, computed and
# written, once.
set -u
wadi="${WADI_BUILD:?}/cli/wadi"
command -v python3 >/dev/null || {
    echo "python3 is not there: traces are not read"
    exit 77
}
work="$WADI_BUILD/trace_test.$$"
mkdir -p "$work" || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

wrong() {
    echo "FAILED: $*"
    : >failed
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
head -c 160000 /dev/zero >in.raw

cat >look.py <<'PROGRAM'
import json, sys
events = json.load(open(sys.argv[1], encoding="utf-8"))["traceEvents"]
lanes = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
spans = [e for e in events if e["ph"] == "X"]
assert [e["args"]["name"] for e in events if e["name"] == "process_name"] == ["means"]
assert sorted({n.split()[0] for n in lanes.values()}) == sys.argv[2].split(), lanes
assert len(set(lanes.values())) == len(lanes), lanes
# The format of events, as far as they are used: what viewers refuse or leave out without a word.
for e in events:
    assert set(e) <= {"ph", "pid", "tid", "ts", "dur", "name", "args", "s"} and e["pid"] == 1 and isinstance(e["name"], str), e
    assert e["ph"] in "MXi" and isinstance(e["tid"], int), e
    if e["ph"] != "M": assert e["ts"] >= 0 and e["tid"] in lanes and isinstance(e.get("args", {}), dict), e
    if e["ph"] == "X": assert e["dur"] > 0 and "s" not in e, e
    if e["ph"] == "i": assert e["s"] == "t" and "dur" not in e, e
for kind, what in ("source", "read"), ("sink", "write"), ("compute", "chunk"):
    told = sum(e["args"]["elements"] for e in spans if lanes[e["tid"]].startswith(kind) and e["name"] == what)
    assert told == 10000, (kind, told)
assert any(e["name"] == "m" for e in spans), "no kernel"
# Each link tells of all elements, once sent and once received; the workers' loops are those of the kernel.
moments = [e for e in events if e["ph"] == "i"]
for link in "link s to compute", "link compute to t":
    for what in "send", "receive":
        told = sum(e["args"]["elements"] for e in moments if lanes[e["tid"]] == link and e["name"] == what)
        assert told == 10000, (link, what, told)
assert {e["name"] for e in spans if lanes[e["tid"]].startswith("worker")} == {"m"}, "loops of workers"
made = [e["name"] for e in spans if lanes[e["tid"]].startswith("compiler means")]
assert made and all(n.startswith("stream_0, ") and n.endswith(sys.argv[3]) for n in made), made
copied = {(e["name"], e["args"]["bytes"]) for e in spans if lanes[e["tid"]].startswith("copies null")}
assert not copied or {n for n, b in copied} == {"to the device", "to the host"}, copied
for lane in lanes:
    ends = []
    for begin, length, name in sorted((e["ts"], -e["dur"], e["name"]) for e in spans if e["tid"] == lane):
        while ends and ends[-1] <= begin:
            ends.pop()
        assert not ends or begin - length <= ends[-1] + 0.0015, (lanes[lane], name, begin)
        ends.append(begin - length)
PROGRAM

"$wadi" run means.wadi s=@in.raw t=@plain.raw || wrong "no run"
"$wadi" run means.wadi s=@in.raw t=@out.raw --chunk 300 --trace trace.json || wrong "no traced run"
cmp plain.raw out.raw || wrong "another result"
python3 look.py trace.json "compiler compute link sink source worker" ": from the cache" || wrong "the trace"
WADI_CACHE_DIR=$PWD/empty "$wadi" run means.wadi s=@in.raw t=@out.raw --chunk 300 --device null --trace trace.json || wrong "no traced run on a device"
python3 look.py trace.json "compiler compute copies link sink source worker" ": compiled" || wrong "the trace of a device"

# A link between two processes: what was sent and received, and the waits for it.
cat >first.wadi <<'PROGRAM'
program first
stream_in s : seq(f64[2])
t = map_seq s (x) {
    y = map x (a) { add a 0.0 }
    yield y
}
stream_out "t" t
PROGRAM
# The sender waits for a receiver, the receiver for what is not yet written; `wadi why` tells both.
until_why() { # PROCESS WORDS
    tries=0
    until "$wadi" why $1 2>/dev/null | grep -q -- "$2" || [ $tries -ge 600 ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
    [ $tries -lt 600 ] || wrong "why: $("$wadi" why $1), not $2"
}
mkfifo slow
exec 3<>slow
"$wadi" run first.wadi s=@slow t=@ipc://"$PWD"/link --wait 60 --chunk 300 --trace sender.json 2>sent 3>&- &
sender=$!
head -c 80000 in.raw >&3
until_why $sender '"t" (link).*it waits for room for chunk (receiver)'
"$wadi" run means.wadi s=@ipc://"$PWD"/link t=@linked.raw --trace receiver.json 2>message 3>&- &
receiver=$!
until_why $receiver '"s" (link).*it waits for chunk (sender)'
head -c 80000 in.raw >&3 & # it has the pipe open as well
exec 3>&-
wait $sender || wrong "nothing is sent: $(cat sent)"
wait $receiver || wrong "nothing is received: $(cat message)"
cmp plain.raw linked.raw || wrong "another result over the link"
cat >link.py <<'PROGRAM'
import json, sys
events = json.load(open(sys.argv[1], encoding="utf-8"))["traceEvents"]
lane = [e["tid"] for e in events if e["name"] == "thread_name" and e["args"]["name"] == sys.argv[2]]
assert len(lane) == 1, lane
of = [e for e in events if e["tid"] == lane[0] and e["ph"] == "X"]
assert sum(e["args"]["elements"] for e in of if e["name"] == sys.argv[3]) == 10000, of
assert any(e["name"].startswith(sys.argv[4]) for e in of), {e["name"] for e in of}
PROGRAM
python3 link.py receiver.json "link s, from another process" receive "waits for chunk (sender)" || wrong "the trace of the receiver"
python3 link.py sender.json "link t, to another process" send "waits for room for chunk (receiver)" || wrong "the trace of the sender"

# A file that cannot be written is an error before the run; a run that fails has a trace.
"$wadi" run means.wadi s=@in.raw t=@other.raw --trace missing/trace.json 2>message && wrong "it wrote nowhere"
grep -q 'missing/trace.json' message || wrong "the message: $(cat message)"
[ ! -e other.raw ] || wrong "it ran"
head -c 17 /dev/zero >torn.raw
"$wadi" run means.wadi s=@torn.raw t=@other.raw --trace torn.json 2>message && wrong "it read half an element"
python3 -c 'import json; json.load(open("torn.json"))' || wrong "no trace of a run that failed"

# So has one that is interrupted while it waits for its source.
mkfifo pipe
(cat in.raw && exec sleep 600) >pipe &
feeder=$!
"$wadi" run means.wadi s=@pipe t=@other.raw --trace stopped.json 2>message &
running=$!
tries=0
until ls stopped.json.*.wadi-part >/dev/null 2>&1 || [ $tries -ge 1200 ]; do
    tries=$((tries + 1))
    sleep 0.05
done
kill -INT $running
wait $running
[ $? -eq 130 ] || wrong "an interrupted run does not say so: $(cat message)"
kill $feeder
python3 -c 'import json; json.load(open("stopped.json"))' || wrong "no trace of an interrupted run: $(cat message)"

# Nor does it replace what the run reads, its result, or the file of elements that fail.
cp in.raw before.raw
refuses() {
    "$wadi" run means.wadi s=@in.raw "$@" 2>message && wrong "two files of one name: $*"
    grep -q 'name the same file, expected two' message || wrong "$*: $(cat message)"
}
refuses t=@new.raw --trace ./in.raw
refuses t=@raw:new.raw --trace new.raw
refuses t=@new.raw --on-fault skip --dead new.json --trace new.json
cmp in.raw before.raw || wrong "the input is replaced"
[ ! -e new.raw ] || wrong "it ran"

[ ! -e failed ]
