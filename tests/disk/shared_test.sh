#!/bin/sh
# The sender of a stream that is shared, with a state, killed at each of the changes that it makes on the disk: the same command ends well, also where all others have what they need and have gone,
# because the sender was killed when the last word had been said and not heard. The output has the bytes of one run.
. "$(dirname "$0")/../cli/begin.sh"

recorder=$WADI_BUILD/tests/libdisk_recorder.so
if [ ! -e "$recorder" ] || ! LD_PRELOAD=$recorder "$wadi" version >/dev/null 2>&1; then
    echo "skipped: nothing can be preloaded"
    exit 77
fi

program() { # NAME INPUT
    printf 'program %s\nstream_in %s : seq(f64[?])\ny = map_seq %s (b) {\n  h = map b (x) { add x 1.0 }\n  yield h\n}\nstream_out "out" y\n' "$1" "$2" "$2" >"$1.wadi"
}
program first s
program work mid
program last res
seq -f '%07.0f?' 5000 | tr -d '\n' >in.raw
upper=ipc://$dir/upper
lower=ipc://$dir/lower
run() { timeout 300 "$wadi" run "$@"; }
run first.wadi "s=25:@in.raw" out=@a.raw && run work.wadi mid=25:@a.raw out=@b.raw && run last.wadi res=25:@b.raw out=@whole.raw || wrong "no reference"

send() { # CHANGE at which it is killed, or 0
    [ "$1" -gt 0 ] && export WADI_DISK_KILL="$1"
    WADI_DISK=$dir/log LD_PRELOAD=$recorder exec "$wadi" run first.wadi "s=25:@in.raw" "out=@link,share:$upper" --wait 60 --chunk 20 --state sent --every 1000 2>>sender
}
part() { exec timeout 300 "$wadi" run work.wadi "mid=@link,part:$upper" "out=@link,part:$lower" --wait 60 2>>parts; }
gather() { exec timeout 300 "$wadi" run last.wadi "res=@link,gather:$lower" out=@out.raw --wait 60 $saved 2>>gatherer; }

again() { # SECONDS
    timeout 300 "$wadi" run first.wadi "s=25:@in.raw" "out=@link,share:$upper" --wait "$1" --chunk 20 --state sent --every 1000 2>>sender
}

trial() { # CHANGE
    rm -rf sent was got out.raw sender parts gatherer log
    gather &
    gatherer=$!
    part &
    one=$!
    send "$1" &
    wait $!
    first=$?
    [ $first -eq 137 ] || wrong "change $1: the sender ends with $first: $(cat sender parts)"
    [ -e sent/state ] && cp -r sent was
    again 60 || wrong "change $1: the sender fails: $(cat sender parts)"
    wait $gatherer || wrong "change $1: the gatherer: $(cat gatherer sender parts)"
    wait $one || wrong "change $1: the part: $(cat parts sender gatherer)"
    cmp -s out.raw whole.raw || wrong "change $1: another output"
    [ ! -e sent ] || wrong "change $1: a state is left"
}

# Until all is confirmed and that is saved. Killed from then on, up to its last change, the sender leaves that state; all others may have gone.
for saved in "" "--state got --every 1000"; do
    n=0
    until [ $failed -ne 0 ] || [ -e was ]; do
        n=$((n + 1))
        [ $n -le 30 ] || wrong "nothing is saved"
        trial $n
    done
    [ $failed -eq 0 ] || break
    echo "killed at $n changes"
    mv was sent
    again 1 || wrong "the sender fails when all have gone: $(cat sender)"
    says sender "has heard that all of it was done"
    [ ! -e sent ] || wrong "a state is left when all have gone"
done

[ $failed -eq 0 ]
