#!/bin/sh
# Streams between two `wadi run`: keys, tokens, how long they wait, and that both sides are told why a stream is refused.
. "$(dirname "$0")/begin.sh"

program() { # NAME INPUT TYPE
    printf 'program p\nstream_in %s : seq(%s[?])\ny = map_seq %s (b) {\n  h = map b (x) { add x x }\n  yield h\n}\nstream_out "out" y\n' "$2" "$3" "$2" >"$1.wadi"
}
program first s f64
program second mid f64
program other mid f32
head -c 80000 /dev/zero >in.raw
head -c 8000000 /dev/zero >long.raw
at=ipc://$dir/link

# Runs both sides; their statuses and what they say: sender.., receiver... Options of the receiver, then of the sender.
both() {
    rm -f out.raw
    timeout 600 "$wadi" run "${reader:-second}.wadi" "mid=@$at" out=@"${target:-out.raw}" --wait 60 $1 >/dev/null 2>receiver &
    pid=$!
    timeout 600 "$wadi" run first.wadi "s=100:@${input:-in.raw}" "out=@$at" --wait 60 $2 >/dev/null 2>sender
    s=$?
    wait $pid
    r=$?
}
passes() {
    both "$1" "$2"
    [ $s -eq 0 ] && [ $r -eq 0 ] || wrong "status $s and $r: $1 | $2: $(cat sender receiver)"
    [ "$(wc -c <out.raw)" -eq 80000 ] || wrong "not all has come: $1 | $2"
}
fails() {
    both "$1" "$2"
    [ $s -eq 1 ] && [ $r -eq 1 ] || wrong "status $s and $r: $1 | $2: $(cat sender receiver)"
    [ ! -e out.raw ] || wrong "a file of a stream that failed: $1 | $2"
}

passes "" ""

# ---- sizes: a receiver keeps its own, however the sender cuts ----
cat >chunks.wadi <<'END'
program chunks
mid = stream_in "mid" : seq(f64[?])
chunks = fold_batch mid 0 (n, shapes, values) {
    m = unit { add (the n) 1 }
    yield m
}
output chunks
END
for cut in 1500 700; do
    timeout 600 "$wadi" run chunks.wadi "mid=@$at" --wait 60 --chunk 1000 >chunks 2>receiver &
    pid=$!
    timeout 600 "$wadi" run first.wadi "s=100:@long.raw" "out=@$at" --wait 60 --chunk $cut >/dev/null 2>sender ||
        wrong "$(cat sender)"
    wait $pid || wrong "$(cat receiver)"
    grep -q ' 10$' chunks || wrong "10000 elements by 1000, sent by $cut: $(cat chunks)"
done

# ---- reasons ----
reader=other fails "" ""
says receiver "mid: f64, but the program takes f32"
says sender "mid: f64, but the program takes f32"
input=long.raw target=/dev/full fails "" ""
says receiver "No space left"
says sender "No space left"
"$wadi" run second.wadi mid=@tcp://127.0.0.1 2>said && wrong "an address without a port"
says said "the port is missing"
"$wadi" run second.wadi mid=@tcp://0.0.0.0:7700 2>said && wrong "open to the world"
says said "needs keys"
"$wadi" run second.wadi "mid=@$at" --wait 0.2 2>said && wrong "nobody is somebody"
says said "no sender for 0."
"$wadi" check second.wadi "mid=@$at" --wait 0.2 2>said && wrong "nobody is somebody, when checked"
says said "no sender for 0."
"$wadi" run second.wadi "mid=@$at" --wait soon 2>said
[ $? -eq 2 ] || wrong "a time that is none"

# ---- tokens and keys ----
"$wadi" run second.wadi "mid=@$at" --wait 0.1 --token token 2>said && wrong "no token to read"
if "$WADI_BUILD"/apps/*/wadi-vis-send --new-key mine 2>said; then
    echo "a token of ours alone" >token
    echo "another one of the same" >unlike
    chmod 600 token
    chmod 644 unlike
    passes "--token token" "--token token"
    [ ! -s sender ] || wrong "a warning without a cause: $(cat sender)"
    WADI_TOKEN="in the environment, as well" passes "" ""
    fails "--token token --wait 1" "--token unlike --wait 0.5"
    says sender "others may read this secret"
    fails "--token token --wait 1" "--wait 0.5"
    fails "--wait 1" "--token token --wait 0.5"
    for file in sender receiver; do
        ! grep -q "of ours alone" $file || wrong "a token is shown"
    done

    "$WADI_BUILD"/apps/*/wadi-vis-send --new-key theirs
    "$WADI_BUILD"/apps/*/wadi-vis-send --new-key strange
    passes "--key mine --senders theirs.pub" "--key theirs --receiver mine.pub"
    for patience in 1 4 16 64; do # enough for the sender to reach the receiver
        fails "--key mine --senders theirs.pub --wait $patience" "--key strange --receiver mine.pub --wait $patience"
        grep -q "a key that is not admitted" receiver && grep -q "does not admit this key" sender && break
    done
    says sender "does not admit this key"
    says receiver "a key that is not admitted"
    fails "--key mine" "--key theirs"
    says receiver "--key and --senders must be given together"
    says sender "--key and --receiver must be given together"
    fails "--key mine --senders theirs.pub --token token" "--key theirs --receiver mine.pub --token token"
    says receiver "both keys and a token"
else
    echo "no CURVE here: tokens and keys are left out: $(cat said)"
fi
exit $failed
