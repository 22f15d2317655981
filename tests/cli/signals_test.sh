#!/bin/sh
# The first SIGTERM or SIGINT ends a program soon, whatever it is doing, and the program dies of that signal. It leaves nothing
# behind: no file under the final name or beside it, and no running compiler.
set -eu
bin=$WADI_BUILD
wadi=$bin/cli/wadi
md5=$bin/apps/md5/wadi-md5
flac=$bin/apps/audio/wadi-flac
grid=$bin/apps/gridding/wadi-grid
send=$bin/apps/gridding/wadi-vis-send
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
failed=0

wrong() {
    echo "wrong: $*" >&2
    failed=1
}

# The process is gone within two minutes, else it is killed: a cap against hangs. By how, $status says.
gone() {
    tries=0
    while kill -0 "$1" 2>/dev/null && [ $tries -lt 2400 ]; do
        tries=$((tries + 1))
        sleep 0.05
    done
    [ $tries -lt 2400 ] || { kill -9 "$1"; status=hangs; wait "$1" 2>/dev/null || :; return; }
    status=0
    wait "$1" 2>/dev/null || status=$?
}

# until_that PID COMMAND...: returns when the command succeeds or the process has ended, after two minutes at the latest.
until_that() {
    of=$1 tries=0
    shift
    while ! "$@" && kill -0 "$of" 2>/dev/null && [ $tries -lt 2400 ]; do
        tries=$((tries + 1))
        sleep 0.05
    done
}

# The process catches SIGINT and SIGTERM: until then a shell has the one ignored for what it runs beside itself.
catches() {
    mask=$(sed -n 's/^SigCgt:.*\(.\{4\}\)$/\1/p' "/proc/$1/status" 2>/dev/null)
    [ $((0x${mask:-0} & 0x4002)) -eq $((0x4002)) ]
}

# Processor time of the process, of its threads alone, in hundredths of a second.
worked() {
    sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | awk '{ print $12 + $13 }'
}

# It has worked for 0.3 s: more than it takes to begin.
works() {
    [ "$(worked "$1")" -ge 30 ] 2>/dev/null
}

# All its threads sleep, without a child at work, and slept when this was last asked.
slept=
rests() {
    now=$(cat "/proc/$1"/task/*/stat 2>/dev/null | sed 's/.*) //' | awk '{ printf "%s %d,", $1, $12 + $13 }')
    before=$slept
    slept=$now
    [ "$before" = "$now" ] && [ -z "$(cat "/proc/$1"/task/*/children 2>/dev/null)" ] && case $now in *[RD]*) false ;; esac
}

# ends WHAT STATUS SIGNAL WHEN COMMAND...: the command ends with the status, by the signal sent when it has come so far: it works, it
# rests, or the file @NAME has content.
ends() {
    what=$1 want=$2 signal=$3 when=$4
    shift 4
    { "$@" <&3 3<&- 2>messages & } 3<&0 # else it would have no standard input
    pid=$!
    if [ ! -r /proc/self/status ]; then
        sleep 2
    elif [ "${when#@}" != "$when" ]; then
        until_that $pid test -s "${when#@}"
    else
        until_that $pid catches $pid
        until_that $pid "$when" $pid
    fi
    kill -"$signal" $pid 2>/dev/null || wrong "$what: had ended before"
    gone $pid
    [ "$status" = "$want" ] || wrong "$what: status $status, not $want: $(cat messages)"
}

twice='program dbl
stream_in s : seq(f64[?])
y = map_seq s (b) {
  h = map b (x) { mul x 2.0 }
  yield h
}
stream_out "out" y'
echo "$twice" >dbl.wadi
cat >inf.wadi <<'END'
program inf
input x : f64[n]
r = awhile x (v) { c = unit { true }
  yield c } do (v) { y = map v (a) { add a 1.0 }
  yield y }
output r
END
samples="--force-raw-format --endian=little --sign=signed --channels=2 --bps=16 --sample-rate=44100"
mkfifo silent unread
export WADI_CACHE_DIR="$place/cache"
head -c 8000 /dev/zero >z.raw
"$wadi" run dbl.wadi s=10:@z.raw out=@warm.raw # a warm cache
"$flac" -q $samples -o warm.flac z.raw
rm warm.raw warm.flac

ends "wadi, a loop that does not end" 143 TERM works "$wadi" run inf.wadi x=1,2,3
ends "wadi, SIGINT" 130 INT works "$wadi" run inf.wadi x=1,2,3
ends "wadi, a FIFO nobody writes to" 143 TERM rests "$wadi" run dbl.wadi s=10:@silent out=@o.raw
sleep 1000 >silent &
writer=$!
ends "wadi, a silent FIFO" 143 TERM rests "$wadi" run dbl.wadi s=10:@silent out=@o.raw
ends "wadi, a program from a silent pipe" 143 TERM rests "$wadi" run - s=1 <silent
ends "wadi-md5, a silent dictionary" 143 TERM rests "$md5" --hashes 00112233445566778899aabbccddeeff silent
ends "wadi-md5, silent standard input" 130 INT rests "$md5" --hashes 00112233445566778899aabbccddeeff - <silent
ends "wadi-md5, silent hashes" 143 TERM rests "$md5" --hashes silent z.raw
ends "wadi-grid, visibilities from a silent FIFO" 143 TERM rests "$grid" -q -s 64 --fov 1deg -o o.fits silent
ends "wadi-vis-send, visibilities from a silent FIFO" 143 TERM rests "$send" silent ipc://"$place"/link
ends "wadi-flac, a silent FIFO" 143 TERM rests "$flac" -q -o o.flac silent
ends "wadi-flac, silent samples" 130 INT rests "$flac" -q $samples -o o.flac - <silent
ends "wadi-flac, decoding a silent FIFO" 143 TERM rests "$flac" -q -d -o o.wav silent
kill $writer

# In the midst: analysed, coded and half written when no more comes.
mkfifo midst
{
    head -c 6000000 "$flac" || : # cut short where the signal comes early
    exec sleep 1000
} >midst 2>/dev/null &
writer=$!
ends "wadi-flac, samples that stop coming" 143 TERM rests "$flac" -q $samples -o o.flac midst
kill $writer

for signal in TERM INT; do # nobody at the other end
    [ $signal = TERM ] && end=143 || end=130
    ends "wadi, no sender, $signal" $end $signal rests "$wadi" run dbl.wadi s=@ipc://"$place"/none out=@o.raw --wait 600
    ends "wadi, no receiver, $signal" $end $signal rests "$wadi" run dbl.wadi s=10:@z.raw out=@ipc://"$place"/none --wait 600
    ends "wadi, no receiver of nothing, $signal" $end $signal rests \
        "$wadi" run dbl.wadi s=10:@/dev/null out=@ipc://"$place"/none --wait 600
    ends "wadi-grid, no sender, $signal" $end $signal rests \
        "$grid" -q -s 64 --fov 1deg -o o.fits --listen ipc://"$place"/none
done

ends "wadi, a FIFO nobody reads" 143 TERM rests "$wadi" run dbl.wadi s=10:@z.raw out=@unread
sleep 1000 <unread &
reader=$!
head -c 1600000 /dev/zero >long.raw
ends "wadi, a full FIFO" 143 TERM rests "$wadi" run dbl.wadi s=1000:@long.raw out=@unread
ends "wadi, a full standard output" 143 TERM rests "$wadi" run dbl.wadi s=1000:@long.raw >unread
ends "wadi-flac, a full standard output" 143 TERM rests "$flac" -q $samples -c "$flac" >unread
kill $reader

# a compiler that does not care
cat >cc <<'END'
#!/bin/sh
trap '' TERM
echo $$ >"$0.pid"
sleep 1000
END
chmod 700 cc
ends "wadi, a compiler that hangs" 143 TERM @cc.pid \
    env WADI_CC="$place/cc" WADI_CACHE_DIR="$place/cold" "$wadi" run inf.wadi x=1,2
[ -s cc.pid ] || wrong "the compiler did not run"
! kill -0 "$(cat cc.pid)" 2>/dev/null || wrong "the compiler runs on"
rm cc.pid
ends "wadi-flac, a compiler that hangs" 143 TERM @cc.pid \
    env WADI_CC="$place/cc" WADI_CACHE_DIR="$place/cold" "$flac" -q $samples -o o.flac z.raw
[ -s cc.pid ] || wrong "the compiler did not run for wadi-flac"
! kill -0 "$(cat cc.pid)" 2>/dev/null || wrong "the compiler runs on"

# Signals that come twice at once, as timeout(1) sends them, count once; later the second one ends the process.
"$wadi" run dbl.wadi s=10:@silent out=@o.raw 2>/dev/null &
pid=$!
until_that $pid catches $pid
kill -TERM $pid $pid
gone $pid
[ "$status" = 143 ] || wrong "two signals at once: status $status"

# A run that is saved ends well, and the same command goes on: the outputs are those of one run.
cat >long.wadi <<'END'
program long
stream_in s : seq(i64[10])
t = map_seq s (x) {
    y = map x (v) { iterate 3000 (k, a) { add (mul a 7) (xor a k) } from v }
    yield y
}
stream_out "out" t
END
head -c 160000 /dev/urandom >random.raw
"$wadi" run long.wadi s=@random.raw out=@once.raw
ends "wadi, a run that is saved" 0 TERM @kept/state \
    "$wadi" run long.wadi s=@random.raw out=@saved.raw --chunk 20 --state kept --every 0
[ -s kept/state ] && [ ! -e saved.raw ] && [ -s saved.raw.wadi-kept ] || wrong "the run was not saved"
grep -q 'the same command goes on' messages || wrong "a run that is saved: $(cat messages)"
"$wadi" run long.wadi s=@random.raw out=@saved.raw --state kept
cmp once.raw saved.raw || wrong "a run that went on has other outputs"
[ ! -e kept ] && [ ! -e saved.raw.wadi-kept ] || wrong "a run that went on has left something"

# Outside of streams there is nothing to save: what was saved stays.
cat >behind.wadi <<'END'
program behind
input x : f64[n]
stream_in s : seq(i64[10])
t = fold_seq s 0 (k, e) { n = unit { add (the k) (e ! 1) }
  yield n }
y = map x (v) { add v (convert f64 (the t)) }
r = awhile y (v) { c = unit { true }
  yield c } do (v) { z = map v (a) { add a 1.0 }
  yield z }
output r
END
ends "wadi, a loop behind a stream that is saved" 0 TERM works \
    "$wadi" run behind.wadi x=1,2,3 s=@random.raw --state kept
[ -s kept/state ] || wrong "a loop behind a stream: nothing is saved"
ends "wadi, the same once more" 0 INT works "$wadi" run behind.wadi x=1,2,3 s=@random.raw --state kept
rm -r kept
ends "wadi, a loop without a stream" 1 TERM works "$wadi" run inf.wadi x=1,2,3 --state kept
[ ! -e kept ] || wrong "a loop without a stream has left something"
ends "wadi, a saved run that waits for workers" 0 TERM rests \
    "$wadi" run dbl.wadi s=10:@z.raw out=@waited.raw --via "ipc://$place/queue" --workers 1 --state kept

# Nobody reads: no words, and the end that shells expect.
status=$( { "$wadi" run dbl.wadi s=1000:@long.raw 2>messages || echo $? >code; } | head -n 1 >/dev/null; cat code)
[ "$status" = 141 ] || wrong "a reader that is gone: status $status"
[ ! -s messages ] || wrong "a reader that is gone: $(cat messages)"

for left in o.* *.wadi-part; do
    [ ! -e "$left" ] || wrong "$left is left behind"
done
exit $failed
