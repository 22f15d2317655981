#!/bin/sh
# Workers as on other machines: CURVE keys over TCP, elements that fail, a home that SIGTERM ends while they compute, and routines that they
# do not have.
. "$(dirname "$0")/begin.sh"
at=ipc://$dir/q

# Three of seven elements ask for what is not there.
cat >p.wadi <<'PROGRAM'
program p
stream_in s : seq(u8)
t = map_seq s (i) {
    k = unit { convert i64 (the i) }
    a = generate 40 (j) { convert f64 j }
    n = unit { mul 10 (rem (the k) 7) }
    r = unit { add (a ! (the n)) (convert f64 (the k)) }
    yield r
}
stream_out "t" t
PROGRAM
awk 'BEGIN { for (i = 0; i < 120; i++) printf "\\%03o", i }' >numbers.octal
printf "$(cat numbers.octal)" >numbers

# ---- elements that fail ----
how="--on-fault skip --chunk 3"
# shellcheck disable=SC2086
"$wadi" run p.wadi s=@numbers t=@want.raw --dead want.dead $how 2>want.said || wrong "here: $(cat want.said)"
for n in 1 2; do "$wadi" work "$at" --wait 50 2>>worker & done
# shellcheck disable=SC2086
timeout 100 "$wadi" run p.wadi s=@numbers t=@got.raw --dead got.dead $how --via "$at" --workers 2 --stats 2>said || wrong "there: $(cat said)"
wait
cmp want.raw got.raw || wrong "elements that fail: other results"
cmp want.dead got.dead || wrong "elements that fail: other dead letters: $(diff want.dead got.dead)"
[ "$(wc -l <want.dead)" -eq 51 ] || wrong "so many failed: $(cat want.dead)"
says said "[1-9][0-9]* elements computed by workers"
says said "51 elements have failed"

# ---- a home that SIGTERM ends while a stopped worker has elements ----
cat >q.wadi <<'PROGRAM'
program q
stream_in s : seq(u8)
t = map_seq s (i) {
    m = unit { add (convert i64 (the i)) 3000 }
    a = generate m (j) { sin (convert f64 j) }
    f = fold 0.0 a (x, y) { add (mul x 0.5) y }
    yield f
}
stream_out "t" t
PROGRAM
"$wadi" run q.wadi s=@numbers t=@want.raw 2>said || wrong "here: $(cat said)"
"$wadi" work "$at" --stay --wait 50 2>>worker &
first=$!
"$wadi" work "$at" --stay --wait 50 2>>worker &
stopped=$!
# so that both have compiled the program
timeout 100 "$wadi" run q.wadi s=@numbers t=@plain.raw --chunk 2 --via "$at" --workers 2 2>said || wrong "$(cat said)"
cmp want.raw plain.raw || wrong "two workers: other results"
"$wadi" run q.wadi s=@numbers t=@late.raw --chunk 2 --via "$at" --workers 2 --state kept --every 0.01 2>said &
home=$!
tries=0
until [ -e kept/state ] || ! kill -0 $home 2>/dev/null || [ $tries -ge 6000 ]; do
    tries=$((tries + 1))
    sleep 0.01
done
kill -STOP "$stopped"
kill -TERM $home 2>/dev/null
wait $home || wrong "a home that is ended: status $?: $(cat said)"
kill -CONT "$stopped"
if [ -e kept/state ]; then
    says said "the run is saved in kept"
    [ ! -e late.raw ] || wrong "a run that is not over has its output"
    timeout 100 "$wadi" run q.wadi s=@numbers t=@late.raw --chunk 2 --via "$at" --workers 2 --state kept 2>said || wrong "going on: $(cat said)"
fi
cmp want.raw late.raw || wrong "a home that goes on: other results"
kill "$first" "$stopped"
wait "$first" "$stopped"
stopped=

# ---- routines ----
if command -v cc >/dev/null; then
    cc -fPIC -shared -I "$WADI_SOURCE/include" -I "$WADI_BUILD/generated" -x c "$WADI_SOURCE/docs/examples/routines.c" -o routines.so || wrong "no library"
    cat >r.wadi <<'PROGRAM'
program r
stream_in s : seq(f64[?])
y = map_seq s (x) {
    n = unit { extent x 0 }
    z = foreign "running" dims=1 arrays=1 x n (a) {
        b = scanl1 a (s, e) { add s e }
        yield b
    }
    yield z
}
stream_out "y" y
PROGRAM
    "$wadi" work "$at" --wait 50 2>lacks &
    lacks=$!
    "$wadi" work "$at" --wait 50 --routines ./routines.so --stats 2>has &
    has=$!
    "$wadi" run r.wadi "s=1,2,3;4,5;6;7,8" --routines ./routines.so >want 2>said || wrong "$(cat said)"
    timeout 100 "$wadi" run r.wadi "s=1,2,3;4,5;6;7,8" --routines ./routines.so --chunk 1 --via "$at" --workers 2 >got 2>said &
    home=$!
    if wait $lacks; then wrong "a worker without the routine works"; fi
    says lacks "routines that are missing here\|not the same here as at home"
    "$wadi" work "$at" --wait 50 --routines ./routines.so 2>>worker &
    wait $home || wrong "routines: $(cat said)"
    cmp want got || wrong "routines: other results"
    wait $has || wrong "a worker with the routine: $(cat has)"
    wait
fi

# ---- keys ----
if "$WADI_BUILD"/apps/*/wadi-vis-send --new-key mine 2>said; then
    for key in theirs strange; do "$WADI_BUILD"/apps/*/wadi-vis-send --new-key $key; done
    tcp=tcp://127.0.0.1:$("$WADI_BUILD/tests/keep_port" $$)
    "$wadi" work $tcp --key strange --home mine.pub --wait 5 2>turned &
    turned=$!
    "$wadi" work $tcp --key theirs --home strange.pub --wait 3 2>other &
    other=$!
    "$wadi" work $tcp --wait 3 2>none &
    none=$!
    "$wadi" work $tcp --key theirs --home mine.pub --wait 50 --stats 2>let_in &
    let_in=$!
    timeout 100 "$wadi" run q.wadi s=@numbers t=@got.raw --chunk 2 --via $tcp --workers 1 --key mine --worker-keys theirs.pub --stats 2>said ||
        wrong "keys: $(cat said)"
    cmp want.raw got.raw || wrong "keys: other results"
    says said "elements computed by workers"
    wait $let_in || wrong "a worker with the right key: $(cat let_in)"
    says let_in "^worked  *[1-9]"
    if wait $turned; then wrong "a worker with a wrong key works"; fi
    says turned "home does not admit this key\|no home for"
    if wait $other; then wrong "a worker that expects another home works"; fi
    says other "no home for"
    if wait $none; then wrong "a worker without keys works"; fi
    says none "no home for"

    "$wadi" work $tcp --key theirs --home mine.pub --wait 100 2>keyed &
    keyed=$!
    timeout 100 "$wadi" run q.wadi s=@numbers t=@got.raw --chunk 2 --via $tcp --workers 1 2>said &
    home=$!
    for _ in $(seq 900); do
        grep -q "handshake failed" said && break
        sleep 0.1
    done
    "$wadi" work $tcp --wait 50 2>none &
    none=$!
    wait $home || wrong "home without keys: $(cat said)"
    cmp want.raw got.raw || wrong "home without keys: other results"
    says said "somebody was turned away: the handshake failed: the peer does not speak ZeroMQ, or has other keys"
    wait $none || wrong "a worker without keys, as home: $(cat none)"
    timeout 100 "$wadi" run q.wadi s=@numbers t=@got.raw --chunk 2 --via $tcp --workers 1 --key mine --worker-keys theirs.pub 2>said ||
        wrong "keys after none: $(cat said)"
    cmp want.raw got.raw || wrong "keys after none: other results"
    wait $keyed || wrong "a worker with keys that met a home without before: $(cat keyed)"
else
    echo "no CURVE here: keys are left out: $(cat said)"
fi
exit $failed
