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
assert sorted(n.split()[0] for n in lanes.values()) == sys.argv[2].split(), lanes
for kind, what in ("source", "read"), ("sink", "write"), ("compute", "chunk"):
    told = sum(e["args"]["elements"] for e in spans if lanes[e["tid"]].startswith(kind) and e["name"] == what)
    assert told == 10000, (kind, told)
assert any(e["name"] == "m" for e in spans), "no kernel"
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
python3 look.py trace.json "compute sink source" || wrong "the trace"

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
