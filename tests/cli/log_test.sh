#!/bin/sh
# --log json: each line on standard error is an object, with time, level, program, run, stage and message, and what is an error there is one.
set -u
build="${WADI_BUILD:?}"
wadi=$build/cli/wadi
command -v python3 >/dev/null || {
    echo "python3 is not there: JSON is not read"
    exit 77
}
work=$(mktemp -d "${TMPDIR:-/tmp}/wadi-l.XXXXXX") || exit 1
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
head -c 17 /dev/zero >torn.raw
head -c 160 /dev/zero >in.raw

cat >look.py <<'PROGRAM'
import datetime, json, sys
want = [line.split("|") for line in sys.argv[2:]]
lines = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
assert len(lines) == len(want), lines
for line, (level, program, run, stage, message) in zip(lines, want):
    assert list(line) == ["time", "level", "program", "run", "stage", "message"], line
    age = datetime.datetime.now(datetime.timezone.utc) - datetime.datetime.fromisoformat(line["time"].replace("Z", "+00:00"))
    assert datetime.timedelta(0) <= age < datetime.timedelta(minutes=10), line
    assert (line["level"], line["program"], line["run"] or "", line["stage"] or "") == (level, program, run, stage), line
    assert message in line["message"], line
PROGRAM
# says WANT ...: of the file `message`, see look.py
says() {
    python3 look.py message "$@" || wrong "$(cat message)"
}

"$wadi" run means.wadi s=@torn.raw t=@out.raw --log json --retries 1 --retry-after 0.01 2>message && wrong "it reads half an element"
says 'warning|wadi|means|source|the source "s" has failed, and is tried again' 'error|wadi|means|source|ends at byte 17, within a record'
"$wadi" run means.wadi s=@in.raw t=@out.raw --log json --state kept 2>message || wrong "no run"
says 'info|wadi|||exactly once'
# What has failed in a run, and how much of it, has its name and its part.
cat >rates.wadi <<'PROGRAM'
program rates
stream_in s : seq(i64)
t = map_seq s (x) {
    q = unit { quot 100 (the x) }
    yield q
}
stream_out "t" t
PROGRAM
"$wadi" run rates.wadi 's=1;0;2;0;4' --log json >/dev/null 2>message && wrong "it divides by zero"
says 'error|wadi|rates|compute|division of 100 by zero'
"$wadi" run rates.wadi 's=1;0;2;0;4' --log json --on-fault skip >/dev/null 2>message || wrong "it does not skip: $(cat message)"
says 'warning|wadi|rates|compute|2 elements have failed'
"$wadi" run rates.wadi 's=1;0;2;0;4' --log json --on-fault skip --dead-limit 1 >/dev/null 2>message && wrong "it skips two"
says 'warning|wadi|rates|compute|1 element has failed' 'error|wadi|rates|compute|the limit of elements that may fail, 1, is reached'
"$wadi" run means.wadi s=@in.raw t=@/dev/full --log json 2>message && wrong "a full device has room"
says 'error|wadi|means|sink|No space left on device'
"$wadi" run means.wadi t=@out.raw --log json 2>message && wrong "it runs without a source"
says 'error|wadi|||'
# A worker.
"$wadi" work "ipc://$work/q" --wait 0.1 --log json 2>message && wrong "a worker without a home"
says 'error|wadi|||no home for'
running=${WADI_SOURCE:?}/docs/examples/running.wadi
"$wadi" run --log json "$running" x=1,2 >/dev/null 2>message || wrong "no run"
says 'info|wadi|running|compute|routine "running" is not known here'
escape=$(printf '\033')
sed "s/\"running\"/\"run$escape[31m\"/" "$running" >escape.wadi
"$wadi" run escape.wadi x=1,2 >/dev/null 2>message || wrong "no run: $(cat message)"
grep -q 'routine "run.x1b.31m" is not known here' message || wrong "a terminal gets an escape: $(cat message)"
"$wadi" run --log=json 'no "such".wadi' 2>message && wrong "it runs"
says 'error|wadi|||no "such".wadi'
"$wadi" run means.wadi s=@torn.raw t=@out.raw --log text 2>message && wrong "it reads half an element"
grep -q '^wadi: .*ends at byte 17' message || wrong "text: $(cat message)"
"$wadi" run means.wadi s=@in.raw t=@out.raw --log xml 2>message && wrong "it takes xml"
grep -q -e '--log: "xml" is not text or json' message || wrong "xml: $(cat message)"

"$build/apps/audio/wadi-flac" --log json missing.wav 2>message && wrong "it finds nothing"
says 'error|wadi-flac|||missing.wav'
echo word >dictionary
"$build/apps/md5/wadi-md5" --log json -m missing.txt dictionary 2>message && wrong "it finds nothing"
says 'error|wadi-md5|||missing.txt'
"$build/apps/gridding/wadi-grid" --log json -o out.fits missing.uvfits 2>message && wrong "it finds nothing"
says 'error|wadi-grid|||missing.uvfits'
"$build/apps/gridding/wadi-vis-send" --log json missing.uvfits 2>message && wrong "it finds nothing"
says 'error|wadi-vis-send|||missing.uvfits'

# Where one of their runs fails, here for want of a compiler, it has its name and what has failed in it; so has the job of a worker.
printf 'RIFF\050\0\0\0WAVEfmt \020\0\0\0\001\0\001\0\100\037\0\0\200\076\0\0\002\0\020\0data\004\0\0\0abcd' >a.wav
echo 8bbe0f52e5bcd3ca31a0e4a0b04ecd71 >one
without_cc() { WADI_KERNELS=none WADI_CACHE_DIR=$work/empty WADI_CC=/bin/false "$@" 2>message && wrong "$* needs no compiler"; }
without_cc "$build/apps/audio/wadi-flac" --log json a.wav
says 'error|wadi-flac|flac|compute|/bin/false failed'
without_cc "$build/apps/md5/wadi-md5" --log json -m one dictionary
says 'error|wadi-md5|short|compute|/bin/false failed'
port=$("$WADI_BUILD/tests/keep_port" $$)
"$wadi" run means.wadi s=@in.raw t=@worked.raw --via tcp://127.0.0.1:$port --workers 1 2>home &
home=$!
without_cc "$wadi" work tcp://127.0.0.1:$port --wait 60 --log json
says 'error|wadi|means|worker|/bin/false failed'
kill $home
wait $home

# What they say of a run that went well, or of a wrong command line, is an object each as well.
echo 8bbe0f52e5bcd3ca31a0e4a0b04ecd71 >hashes
echo rubbish >>hashes
"$build/apps/md5/wadi-md5" --log json -m hashes dictionary >/dev/null 2>message
says 'warning|wadi-md5|||1 line is no digest and was skipped' 'warning|wadi-md5|||hashes, line 2: "rubbish"' 'info|wadi-md5|||1 words,'
"$wadi" run --log json 2>message && wrong "it runs nothing"
says 'error|wadi|||run: no program'
printf 'RIFF\050\0\0\0WAVEfmt \020\0\0\0\001\0\001\0\100\037\0\0\200\076\0\0\002\0\020\0data\004\0\0\0abcd' >a.wav
"$build/apps/audio/wadi-flac" --log json a.wav 2>message || wrong "no sound: $(cat message)"
"$build/apps/audio/wadi-flac" --log json -t a.flac 2>message || wrong "no sound: $(cat message)"
says 'info|wadi-flac|||a.flac: ok'

[ ! -e failed ]
