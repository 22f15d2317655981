#!/bin/sh
# A run by workers elsewhere with a certificate and a trace: the certificate has the kernels of workers that compile for different processors, and how
# many elements they have computed; the trace has a lane for each worker, and tells who computed which item. `wadi verify` makes
# the kernels anew, and needs no workers.
set -u
wadi="${WADI_BUILD:?}/cli/wadi"
command -v python3 >/dev/null || {
    echo "python3 is not there: traces are not read"
    exit 77
}
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
head -c 160000 /dev/zero >in.raw
"$wadi" run means.wadi s=@in.raw t=@plain.raw || wrong "no run"

"$wadi" work ipc://"$work"/job --stay 2>one.log &
one=$!
"$wadi" work ipc://"$work"/job --stay --target x86-64-v2 2>two.log &
two=$!
pids="$one $two"
"$wadi" run means.wadi s=@in.raw t=@out.raw --chunk 50 --via ipc://"$work"/job --workers 2 --certificate cert --trace trace.json ||
    wrong "no run by workers: $(cat one.log two.log)"
cmp plain.raw out.raw || wrong "another result"

# Both kernels stand behind the line of the workers, and the elements are all that workers have computed.
sed -n '/^worker /,/^[^wk]/p' cert >told
grep -q '^worker [1-9][0-9]* [0-9.]* cpu' told || wrong "no worker in the certificate: $(cat cert)"
grep -q '^kernel .* native [0-9a-f]\{64\}$' told || wrong "the kernels of the first worker: $(cat told)"
grep -q '^kernel .* x86-64-v2 [0-9a-f]\{64\}$' told || wrong "the kernels of the second worker: $(cat told)"

cat >look.py <<'PROGRAM'
import json, sys
events = json.load(open("trace.json", encoding="utf-8"))["traceEvents"]
lanes = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
there = {t: n for t, n in lanes.items() if n.startswith("elsewhere ")}
assert sorted(n.split(":")[-1] for n in there.values()) == sorted(sys.argv[1:]), lanes
items = [e for e in events if e["tid"] in there and e["ph"] in "Xi"]
assert len({e["args"]["item"] for e in items}) == len(items) and items, "an item twice"
assert {e["name"] for e in items} == {"stream_in, line 2"}, {e["name"] for e in items}
here = sum(e["args"]["elements"] for e in items)
told = sum(int(l.split()[1]) for l in open("cert") if l.startswith("worker "))
assert here == told <= 10000, (here, told)
PROGRAM
python3 look.py $one $two || wrong "the trace"

"$wadi" verify cert >verified 2>warned || wrong "it is not verified: $(cat warned)"
[ ! -s warned ] || wrong "kernels that are made anew are others: $(cat warned)"
# A worker with other kernels is told of. Whoever changes a certificate can write its last line anew.
python3 - <<'PROGRAM'
import hashlib
lines, worker = [], False
for line in open("cert").read().splitlines()[:-1]:
    worker = worker or line.startswith("worker ")
    if worker and line.startswith("kernel "): line = line[:-1] + ("0" if line[-1] != "0" else "1")
    lines.append(line + "\n")
text = "".join(lines)
open("other", "w").write(text + "end " + hashlib.blake2b(text.encode(), digest_size=32).hexdigest() + "\n")
PROGRAM
"$wadi" verify other >verified 2>warned || wrong "it is not verified: $(cat warned)"
[ "$(grep -c 'a worker had other kernels than this wadi makes' warned)" -eq "$(grep -c ^kernel told)" ] || wrong "other kernels: $(cat warned)"
exit $failed
