#!/bin/sh
# wadi-flac --state: killed or told to end, the same command goes on, and the outputs are those of one run.
set -u
program="${WADI_BUILD:?}/apps/audio/wadi-flac"
work="$WADI_BUILD/$(basename "$0" .sh).$$"
[ -x "$program" ] || { echo "skipped: wadi-flac is not built"; exit 77; }
mkdir -p "$work" || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

wrong() {
    echo "FAILED: $*"
    : >failed
}

raw="-q --force-raw-format --endian=little --sign=signed --channels=2 --bps=16 --sample-rate=48000"
many="a.raw b.raw c.raw d.raw"
mkdir one
for f in $many; do
    head -c 300000 /dev/urandom >"$f"
    cp "$f" one/
done
(cd one && "$program" $raw $many) || exit 1

same() {
    for f in $many; do
        cmp -s "${f%.raw}.flac" "one/${f%.raw}.flac" || wrong "$1: ${f%.raw}.flac differs"
    done
    [ ! -e kept ] || wrong "$1: the state is left: $(ls kept)"
    for left in *.wadi-part; do
        [ ! -e "$left" ] || wrong "$1: $left is left"
    done
    rm -f ./*.flac
}

# made FILE PID: returns when there is the file, or the process has ended, after a minute at the latest
made() {
    tries=0
    while [ ! -e "$1" ] && kill -0 "$2" 2>/dev/null && [ $tries -lt 6000 ]; do
        tries=$((tries + 1))
        sleep 0.01
    done
    [ -e "$1" ] || {
        wrong "$1 is not made: $(cat message 2>/dev/null)"
        kill -KILL "$2" 2>/dev/null
    }
}

# ---- killed again and again ----
# After tenths of a second; later after more, because on a busy machine an output may need longer than that.
turns=0
until timeout -s KILL $((turns / 24)).$((1 + turns % 6)) "$program" $raw --state kept $many; do
    turns=$((turns + 1))
    # killed on its way out: all is done, and its state was gone already
    if [ -e d.flac ] && [ ! -e kept/state ]; then
        rm -rf kept
        break
    fi
    [ $turns -lt 240 ] || { wrong "it does not come to its end"; break; }
done
same "killed $turns times"

# ---- killed right behind the first output, which it did not note: it may replace it ----
"$program" $raw --state kept $many 2>message &
pid=$!
made a.flac $pid
kill -KILL $pid 2>/dev/null
wait $pid 2>/dev/null
"$program" $raw --state kept $many || wrong "killed behind an output: it does not go on"
same "killed behind an output"

# ---- an output of somebody else stays ----
echo mine >b.flac
"$program" $raw --state kept $many 2>message && wrong "an output was replaced"
[ "$(cat b.flac)" = mine ] || wrong "an output of somebody else was replaced"
grep -q 'b.flac' message || wrong "no word of b.flac: $(cat message)"
# the others are done, and it is tried again when it is asked for again
[ -s kept/state ] || wrong "what has failed is forgotten"
grep -q '3 of 4 inputs are done: the same command goes on with those that failed' message || wrong "one that failed: $(cat message)"
rm b.flac
"$program" $raw --state kept $many || wrong "an input that failed does not go on"
same "after a failure"

# ---- one that failed, and one behind it that is killed right behind its output ----
mv a.raw away.raw
"$program" $raw --state kept $many 2>message &
pid=$!
made c.flac $pid
kill -KILL $pid 2>/dev/null
wait $pid 2>/dev/null
mv away.raw a.raw
"$program" $raw --state kept $many || wrong "failed and killed: it does not go on"
same "failed and killed"

# ---- the first signal drains, and the same command goes on with inputs that are deleted when they are done ----
"$program" $raw --state kept --delete-input-file $many 2>message &
pid=$!
made kept/state $pid
sleep 0.05
kill -TERM $pid
wait $pid
[ $? -eq 0 ] || wrong "a drained run: $(cat message)"
grep -q 'inputs are done: the same command goes on' message || wrong "a drained run says: $(cat message)"
[ -e kept/state ] || wrong "a drained run is not saved"

# ---- what is of another command is refused ----
"$program" $raw --state kept --delete-input-file a.raw 2>message && wrong "other inputs were taken"
grep -q 'of other inputs' message || wrong "other inputs: $(cat message)"
"$program" $raw -8 --state kept --delete-input-file $many 2>message && wrong "other options were taken"
grep -q 'of other options' message || wrong "other options: $(cat message)"
cp kept/state whole
head -c 100 whole >kept/state
"$program" $raw --state kept --delete-input-file $many 2>message && wrong "a damaged state was taken"
grep -q 'remove it to begin anew' message || wrong "a damaged state: $(cat message)"
cp whole kept/state
"$program" $raw -j 1 --accept-change --state kept --delete-input-file $many || wrong "it does not go on with other options"
for f in $many; do
    [ ! -e "$f" ] || wrong "$f was not deleted"
done
same "drained"
"$program" $raw --state kept - <one/a.raw >out 2>message && wrong "standard input was taken"
grep -q 'cannot go back' message || wrong "standard input: $(cat message)"

[ ! -e failed ]
