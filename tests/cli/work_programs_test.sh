#!/bin/sh
# wadi-md5 over a dictionary and wadi-flac over files, on workers elsewhere: the same digests found, the same files.
set -u
build="${WADI_BUILD:?}"
wadi="$build/cli/wadi"
md5="$build/apps/md5/wadi-md5"
flac="$build/apps/audio/wadi-flac"
work=$(mktemp -d "${TMPDIR:-/tmp}/wadi-p.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export WADI_TOKEN=a-secret-that-is-long-enough

wrong() {
    echo "FAILED: $*"
    : >failed
}

# ---- a dictionary on four workers

seq -f 'word%.0f' 200000 >words
for n in 1 777 65536 199999 200000; do
    printf 'word%d' $n | md5sum | cut -d' ' -f1 >>wanted
done
"$md5" -q -m wanted words >here || wrong "no search here: $?"
[ "$(wc -l <here)" -eq 5 ] || wrong "found here: $(cat here)"
for n in 1 2 3 4; do
    "$wadi" work ipc://job --stats 2>worker$n &
    eval "worker$n=\$!"
done
"$md5" -q -m wanted words --via ipc://job --workers 4 --chunk 4096 >there || wrong "no search there: $?"
sort here >a
sort there >b
cmp a b || wrong "found there: $(cat there)"
for n in 1 2 3 4; do
    eval "wait \$worker$n" || wrong "worker $n: $(cat worker$n)"
done
cat worker? | awk '/^worked/ { n += $2 } END { exit n < 150000 }' || wrong "who has worked: $(cat worker?)"

# ---- an archive of sounds

raw="--force-raw-format --endian=little --sign=signed --channels=2 --bps=16 --sample-rate=44100"
mkdir here.d there.d
for n in 1 2 3; do
    seq $n 3 200000 | head -c 400000 >"sound$n.raw"
done
# shellcheck disable=SC2086
"$flac" -q -5 $raw --output-prefix=here.d/ sound?.raw || wrong "no archive here: $?"
"$wadi" work ipc://job --stay --stats 2>worker5 &
worker5=$!
# shellcheck disable=SC2086
"$flac" -q -5 $raw --output-prefix=there.d/ sound?.raw --via ipc://job --workers 1 --chunk 4 || wrong "no archive there: $?"
kill $worker5
wait $worker5 || wrong "worker 5: $(cat worker5)"
for n in 1 2 3; do
    cmp "here.d/sound$n.flac" "there.d/sound$n.flac" || wrong "sound $n"
done
awk '/^worked/ && $2 > 0 && $8 == 3 { ok = 1 } END { exit !ok }' worker5 || wrong "who has worked: $(cat worker5)"

# ---- mistakes

# says TEXT COMMAND...
says() {
    want=$1
    shift
    "$@" >said 2>&1 && wrong "$* succeeds"
    grep -qF -e "$want" said || wrong "$*: $(cat said)"
}
says "without --via there are no workers" "$md5" -m wanted words --workers 2
says "--workers: \"many\" is not a number of workers" "$md5" -m wanted words --via ipc://job --workers many
says "--key and --worker-keys must be given together" "$md5" -m wanted words --via ipc://job --key k
says "only compressing is done by workers" "$flac" -d --via ipc://job here.d/sound1.flac
unset WADI_TOKEN
says "expected tcp://HOST:PORT" "$md5" -m wanted words --via pigeon://job

[ ! -e failed ]
