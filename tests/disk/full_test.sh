#!/bin/sh
# A disk that is full, under an output and under the state of a run: the error names the file, nothing has the final name, and after room is made the same
# command gives the same bytes. The disk is a small tmpfs, which only this test sees.
set -u
if [ "${1:-}" != inside ]; then
    unshare -m true 2>/dev/null && exec unshare -m sh "$0" inside
    unshare -rm true 2>/dev/null && exec unshare -rm sh "$0" inside
    echo "skipped: no file system may be mounted here"
    exit 77
fi
wadi=$WADI_BUILD/cli/wadi
dir=$(mktemp -d)
trap 'umount "$dir/disk" 2>/dev/null; rm -rf "$dir"' EXIT
cd "$dir" || exit 1
mkdir disk
mount -t tmpfs -o size=300k none disk || exit 77
failed=0
wrong() {
    echo "$1"
    failed=1
}
says() { grep -q -- "$1" said || wrong "no \"$1\" in: $(cat said)"; }

cat >double.wadi <<'PROGRAM'
program double
stream_in s : seq(f64[?])
y = map_seq s (b) {
    h = map b (x) { mul x 2.0 }
    yield h
}
stream_out "out" y
PROGRAM
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "%07d\n", i }' >in.raw
double() { timeout 60 "$wadi" run double.wadi s=100:@in.raw "$@" 2>said; }
double out=@want.raw || exit 1

refused() { # FILE ARGS: names the file, and leaves nothing under the name of the output
    file=$1
    shift
    double "$@"
    [ $? -eq 1 ] || wrong "status of a full disk: $*"
    says "$file.*No space left"
    [ ! -e disk/out.raw ] && [ ! -e out.raw ] || wrong "there is an output: $*"
}
whole() { # FILE ARGS
    file=$1
    shift
    double "$@" || wrong "with room again: $(cat said)"
    cmp -s "$file" want.raw || wrong "with room again, other bytes: $*"
    rm -f "$file"
}
full() { dd if=/dev/zero of=disk/filler bs=1k 2>/dev/null; }

# ---- the output ----
refused disk/out.raw out=@disk/out.raw
[ -z "$(ls -A disk)" ] || wrong "something is left: $(ls -A disk)"

# ---- the output of a saved run, which goes on where it was ----
saved="--state disk/state --every 0.001 --chunk 100"
# shellcheck disable=SC2086
{
    refused disk/out.raw out=@disk/out.raw $saved
    refused disk/out.raw out=@disk/out.raw $saved
    mount -o remount,size=4m disk
    whole disk/out.raw out=@disk/out.raw $saved --stats
}
awk '/^elements/ && $2 + 0 >= 1000 { exit 1 }' said || wrong "it began anew: $(cat said)"
[ -z "$(ls -A disk)" ] || wrong "something is left of a saved run: $(ls -A disk)"
mount -o remount,size=300k disk

# ---- the state ----
full
refused disk/state out=@out.raw --state disk/state --every 0.001
rm disk/filler
whole out.raw out=@out.raw --state disk/state --every 0.001
[ -z "$(ls -A disk)" ] || wrong "something is left of a state: $(ls -A disk)"

# ---- room comes while the run tries again ----
double out=@disk/out.raw --retries 20 --retry-after 0.05 &
n=0
until grep -q "tried again" said || [ $n -gt 2000 ]; do
    n=$((n + 1))
    sleep 0.01
done
mount -o remount,size=4m disk
wait $! || wrong "room while it tries again: $(cat said)"
cmp -s disk/out.raw want.raw || wrong "room while it tries again: other bytes"
exit $failed
