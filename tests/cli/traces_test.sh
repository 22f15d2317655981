#!/bin/sh
# Traces are read by a judge of their own (tests/trace_judge.c), which is as strict as the strictest viewer: those of all kinds of runs.
set -u
wadi="${WADI_BUILD:?}/cli/wadi"
judge="$WADI_BUILD/tests/trace_judge"
work=$(mktemp -d "${TMPDIR:-/tmp}/wadi-t.XXXXXX") || exit 1
runs=
finish() {
    for r in $runs; do kill -9 "$r" 2>/dev/null; done
    wait 2>/dev/null
    rm -rf "$work"
}
trap finish EXIT
cd "$work" || exit 1
failed=0

wrong() {
    echo "FAILED: $*"
    failed=1
}

# judged FILE LINE...: the judge has nothing against it, and finds such lanes
judged() {
    file=$1
    shift
    "$judge" "$file" >lanes 2>&1 || wrong "$file: $(cat lanes)"
    for line; do
        grep -q "^$line" lanes || wrong "$file: no \"$line\" in: $(cat lanes)"
    done
}

# ---- the judge itself: what is no trace

refused() {
    printf '%s' "$1" >bad.json
    "$judge" bad.json >/dev/null 2>&1 && wrong "the judge takes $1"
}
head='{"traceEvents": [{"ph": "M", "pid": 1, "tid": 0, "name": "process_name", "args": {"name": "p"}},
{"ph": "M", "pid": 1, "tid": 1, "name": "thread_name", "args": {"name": "l"}}'
x='{"ph": "X", "pid": 1, "tid": 1, "name": "a"'
printf '%s' "$head, $x, \"ts\": 0.000, \"dur\": 2.000}, $x, \"ts\": 1.000, \"dur\": 1.000}]}" >good.json
judged good.json 'l: 2 events, 0 elements'
refused ''
refused '[]'
refused "$head"
refused "$head]}x"
refused "$head,]}"
refused "$head, $x}]}"
refused "$head, $x, \"ts\": 0.000}]}"
refused "$head, $x, \"ts\": 0.000, \"dur\": 0.000}]}"
refused "$head, $x, \"ts\": -1.000, \"dur\": 1.000}]}"
refused "$head, $x, \"ts\": 0.000, \"dur\": 1.000, \"dur\": 1.000}]}"
refused "$head, $x, \"ts\": 0.000, \"dur\": 2.000}, $x, \"ts\": 1.000, \"dur\": 1.001}]}"
refused "$head, $x, \"ts\": 0.000, \"dur\": 1.000}, $x, \"ts\": 0.000, \"dur\": 2.000}]}"
refused '{"traceEvents": [{"ph": "X", "pid": 1, "tid": 1, "name": "a", "ts": 0.000, "dur": 1.000}]}'

# ---- runs: chunks of one element, several stages, one that fails, one of another device, one that does nothing

cat >means.wadi <<'PROGRAM'
program means
stream_in s : seq(f64[2])
t = map_seq s (x) {
    m = fold 0.0 x (a, b) { add a b }
    yield m
}
stream_out "t" t
PROGRAM
head -c 32000 /dev/zero >in.raw # 2000 elements
for chunk in 1 300 100000; do
    "$wadi" run means.wadi s=@in.raw t=@out.raw --chunk $chunk --trace trace.json || wrong "no run"
    judged trace.json 'source s: [0-9]* events, 2000 elements' 'sink t: [0-9]* events, 2000 elements' 'compute cpu: [0-9]* events, 2000 elements' 'compiler means'
done
"$wadi" run means.wadi s=@in.raw t=@out.raw --chunk 300 --device null --trace trace.json || wrong "no run on a device"
judged trace.json 'source s: [0-9]* events, 2000 elements' 'copies null'
: >none.raw
"$wadi" run means.wadi s=@none.raw t=@out.raw --trace trace.json || wrong "no run of nothing"
judged trace.json
head -c 17 /dev/zero >torn.raw
"$wadi" run means.wadi s=@torn.raw t=@out.raw --trace trace.json 2>said && wrong "it read half an element"
judged trace.json
cat >mixed.wadi <<'PROGRAM'
program mixed
stream_in s : seq(f64[2])
t = map_seq s (x) {
    y = map x (a) { sin (exp a) }
    yield y
}
u = filter_seq t (x) {
    m = fold 0.0 x (a, b) { add a b }
    k = unit { gt (the m) 0.0 }
    yield k
}
stream_out "u" u
PROGRAM
"$wadi" run mixed.wadi s=@in.raw u=@out.raw --chunk 7 --threads 4 --trace trace.json || wrong "no run of several stages"
judged trace.json 'source s: [0-9]* events, 2000 elements'
"$wadi" run means.wadi s=@in.raw t=@out.raw --chunk 10 --state kept --every 0.001 --certificate cert --trace trace.json 2>said || wrong "no saved run: $(cat said)"
judged trace.json 'source s: [0-9]* events, 2000 elements'

# ---- links between processes, and workers elsewhere

if "$wadi" version | grep -q 'ZeroMQ.*not'; then exit $failed; fi
"$wadi" run mixed.wadi s=@in.raw u=@ipc://"$work"/link --wait 60 --chunk 100 --trace sender.json 2>sent &
sender=$!
runs="$runs $sender"
printf 'program last\nstream_in u : seq(f64[2])\nt = map_seq u (x) {\n    y = map x (a) { add a 1.0 }\n    yield y\n}\nstream_out "t" t\n' >last.wadi
timeout 120 "$wadi" run last.wadi u=@ipc://"$work"/link t=@linked.raw --trace receiver.json 2>said || wrong "nothing is received: $(cat said)"
wait $sender || wrong "nothing is sent: $(cat sent)"
judged sender.json 'link u, to another process: [0-9]* events, 2000 elements'
judged receiver.json 'link u, from another process: [0-9]* events, 2000 elements'
for i in 1 2 3; do
    timeout 120 "$wadi" work ipc://"$work"/job >/dev/null 2>&1 &
    runs="$runs $!"
done
timeout 120 "$wadi" run mixed.wadi s=@in.raw u=@out.raw --chunk 10 --via ipc://"$work"/job --workers 3 --trace trace.json 2>said || wrong "no run with workers: $(cat said)"
judged trace.json 'source s: [0-9]* events, 2000 elements' 'elsewhere '
exit $failed
