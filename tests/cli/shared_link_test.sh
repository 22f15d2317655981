#!/bin/sh
# A stream that several `wadi run` share over links: its output is that of one run, also where those that have a part are killed, and what is refused.
. "$(dirname "$0")/begin.sh"

program() { # NAME INPUT
    printf 'program %s\nstream_in %s : seq(f64[?])\ny = map_seq %s (b) {\n  h = map b (x) { sin (add x 1.0) }\n  yield h\n}\nstream_out "out" y\n' "$1" "$2" "$2" >"$1.wadi"
}
program first s
program work mid
program last res
cat >fold.wadi <<'END'
program fold
mid = stream_in "mid" : seq(f64[?])
total = fold_batch mid 0 (n, shapes, values) {
    m = unit { the n }
    yield m
}
output total
END
printf 'program filter\nstream_in mid : seq(f64)\ny = filter_seq mid (x) {\n  k = unit { gt (the x) 0.0 }\n  yield k\n}\nstream_out "out" y\n' >filter.wadi
dd if=/dev/urandom bs=1000 count=4000 2>/dev/null | od -An -v -tu1 -w8 | awk '{ printf "%07d?", $1 * 1000 + $2 }' >in.raw
upper=ipc://$dir/upper
lower=ipc://$dir/lower
run() { timeout 300 "$wadi" run "$@"; }
stays() { exec timeout 300 "$wadi" run "$@"; } # in the background: it is what a signal goes to

# ---- the same bytes as one process after the other ----
run first.wadi "s=25:@in.raw" out=@a.raw && run work.wadi mid=25:@a.raw out=@b.raw && run last.wadi res=25:@b.raw out=@whole.raw || wrong "no reference"

gather() { # OPTIONS
    stays last.wadi "res=@link,gather:$lower" out=@out.raw --wait 60 2>gatherer &
    gatherer=$!
    stays first.wadi "s=25:@in.raw" "out=@link,share:$upper" --wait 60 --chunk 50 2>sender &
    sender=$!
}
part() { exec "$wadi" run work.wadi "mid=@link,part:$upper" "out=@link,part:$lower" --wait 60 2>>parts; }
ends() {
    wait $sender || wrong "the sender failed: $(cat sender parts)"
    wait $gatherer || wrong "the gatherer failed: $(cat gatherer parts)"
    cmp -s out.raw whole.raw || wrong "another output: $1"
    rm -f out.raw parts
}
gather
part &
one=$!
part &
two=$!
ends "two processes"
# one that has come when all was over waits for a sender
kill $one $two 2>/dev/null
wait $one $two 2>/dev/null

# ---- elements of a part that may come in any order are known by their places as well ----
sed 's/^stream_out /stream_out_unordered /' work.wadi >any.wadi
any() { exec timeout 300 "$wadi" run any.wadi "mid=@link,part:$upper" "out=@link,part:$lower" --wait 60 2>>parts; }
gather
any &
one=$!
any &
two=$!
ends "two processes, in any order"
kill $one $two 2>/dev/null
wait $one $two 2>/dev/null

# ---- those that are killed lose nothing ----
gather
part &
one=$!
for turn in 1 2 3 4 5 6; do
    part &
    two=$!
    sleep 0.05
    kill -9 $one 2>/dev/null
    wait $one 2>/dev/null
    one=$two
done
ends "killed"
kill $one 2>/dev/null
wait $one 2>/dev/null

# ---- what makes no sense is refused, on both sides ----
refuse() { # WORDS: what a part that is read may not be used for
    words=$1
    shift
    stays first.wadi "s=25:@in.raw" "out=@link,share:$upper" --wait 60 >/dev/null 2>&1 &
    sender=$!
    run "$@" >said 2>&1 && wrong "not refused: $*"
    says said "$words"
    kill $sender
    wait $sender 2>/dev/null
}
refuse "lack the other parts" fold.wadi "mid=@link,part:$upper"
refuse "the run has nothing to save" work.wadi "mid=@link,part:$upper" out=@x.raw --state state
refuse "there is no certificate" work.wadi "mid=@link,part:$upper" out=@x.raw --certificate x.json
refuse "cannot be skipped" work.wadi "mid=@link,part:$upper" out=@x.raw --on-fault skip

run first.wadi "s=25:@in.raw" "out=@link,gather:$upper" 2>said && wrong "a sender that gathers"
says said "gather is for what is read"
run work.wadi "mid=@link,share:$upper" out=@x.raw 2>said && wrong "a receiver that shares"
says said "share is for what is sent"
run work.wadi "mid=@link,several:$upper" out=@x.raw 2>said && wrong "an unknown option"
says said "is no option"
stays last.wadi "res=@link,gather:$lower" out=@x.raw 2>gatherer &
run first.wadi "s=25:@in.raw" "out=@link,part:$lower" 2>said && wrong "a part of nothing"
says said "reads no part of one"
kill $!
wait

# one side shares, the other does not
stays last.wadi "res=@$lower" out=@x.raw --wait 60 2>receiver &
receiver=$!
stays first.wadi "s=25:@in.raw" "out=@link,share:$upper" --wait 60 >/dev/null 2>&1 &
sender=$!
run work.wadi "mid=@link,part:$upper" "out=@link,part:$lower" --wait 60 2>said && wrong "a whole receiver of a part"
says said "link,gather"
kill $sender $receiver 2>/dev/null
wait

# ---- a part need not be sent on ----
stays first.wadi "s=25:@in.raw" "out=@link,share:$upper" --wait 60 --chunk 50 2>sender &
sender=$!
run work.wadi "mid=@link,part:$upper" out=@one.raw --wait 60 2>one || wrong "a part to a file: $(cat one)"
wait $sender || wrong "the sender to a file failed: $(cat sender)"
cmp -s one.raw b.raw || wrong "the only part is not the whole"

[ $failed -eq 0 ]
