#!/bin/sh
# What a run copies between the host and memory of a device: as many bytes as `wadi explain` says and no more, however the stream is cut.
set -eu

wadi=$WADI_BUILD/cli/wadi
work=$(mktemp -d "${TMPDIR:-/tmp}/wadi-copies.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
export WADI_LEARN=off
unset WADI_DEVICE WADI_TARGET
cd "$work"

fail() {
    echo "copies: $1" >&2
    exit 1
}

# copied PUT GOT ARGUMENTS...: p.wadi copies so many bytes to the device and back, whatever the chunks.
copied() {
    put=$1 got=$2
    shift 2
    for chunk in 1 2 100; do
        "$wadi" run --device null --stats --chunk $chunk p.wadi "$@" >out 2>stats || fail "$(cat stats)"
        grep "^copied  *$put bytes to devices, $got back$" stats >/dev/null ||
            fail "not $put bytes and $got back, in chunks of $chunk: $(grep ^copied stats)"
    done
    "$wadi" run --stats p.wadi "$@" >out 2>stats || fail "$(cat stats)"
    ! grep '^copied' stats || fail "cpu copies"
}

# says LINE..: all lines of the section for p.wadi are these.
says() {
    "$wadi" explain --device null p.wadi | sed -n '/^== copies ==/,/^== kernels/p' | sed '/^==/d;/^$/d;/has memory of its own/d' >section
    printf '%s\n' "$@" >expected
    diff expected section || fail "explain says something else"
}

# An array of the program and an input go there once; 4 + 3 numbers, then 4 with each element, and one comes back.
cat >p.wadi <<'PROGRAM'
program given
input v : f32[3]
stream_in s : seq(f64[4])
t = map_seq s (a) {
    k = use : f64[4] [1.0, 2.0, 3.0, 4.0]
    n = zip_with a k (x, y) { mul x y } : f64[4]
    w = map v (x) { convert f64 x } : f64[3]
    u = fold 0.0 w (x, y) { add x y } : f64
    r = fold 0.0 n (x, y) { add x y } : f64
    q = unit { add (the r) (the u) } : f64
    yield q
} : seq(f64)
stream_out "out" t
PROGRAM
copied $((4 * 8 + 3 * 4 + 3 * 4 * 8)) $((3 * 8)) v=1,2,3 's=1,2,3,4;1,2,3,4;1,2,3,4'
"$wadi" explain --device null p.wadi | sed -n '/^== copies/,/^== kernels/p' >section
grep 'to null: v.* f32 rank 1, 4 bytes a value' section >/dev/null || fail "$(cat section)"

# Two fields; a filter works on the host, so what it keeps goes back to the device; what two readers want comes once.
cat >p.wadi <<'PROGRAM'
program kept
stream_in s : seq(i64)
t = map_seq s (a) {
    r = unit { mul (the a) 2 } : i64
    yield r
} : seq(i64)
u = filter_seq t (x) {
    p = unit { gt (the x) 4 }
    yield p
}
w = map_seq u (b) {
    q = unit { add (the b) 1 } : i64
    yield q
} : seq(i64)
c = elements t
stream_out "all" t
stream_out "out" w
output c
PROGRAM
says "phase 0, with each chunk" \
    "    to null: s.0 i64, 8 bytes an element" \
    "    to the host: r.3 i64, 8 bytes an element, to be changed there for a later stage" \
    "    to the host: p.4 bool, 1 byte an element, to be changed there for a later stage" \
    "    to null: u.2 i64, 8 bytes an element" \
    "    to the host: q.5 i64, 8 bytes an element, for sink \"out\"" \
    "when the stream of phase 0 has ended" \
    "    to null: c.1 i64 rank 1, 8 bytes a value, as it was collected" \
    "when the run has ended" \
    "    to the host: c.1 i64 rank 1, 8 bytes a value"
copied $((4 * 8 + 2 * 8 + 4 * 8)) $((4 * 8 + 4 + 2 * 8 + 4 * 8)) 's=1;2;3;4'

# A fold reads what a stage computes where it is; its state stays there until the run ends. A scan gives each state to the host.
cat >p.wadi <<'PROGRAM'
program states
stream_in s : seq(f64[?])
t = map_seq s (a) {
    r = map a (x) { mul x x } : f64[?]
    yield r
} : seq(f64[?])
zero = unit { 0.0 }
m = fold_seq t zero (z, ys) {
    u = fold 0.0 ys (x, y) { add x y }
    w = unit { add (the z) (the u) }
    yield w
}
h = scan_seq t zero (z, ys) {
    u = fold 0.0 ys (x, y) { max x y }
    w = unit { max (the z) (the u) }
    yield w
}
stream_out "largest" h
output m
PROGRAM
says "when the run begins" \
    "    to null: _.1 f64, 8 bytes an element" \
    "phase 0, with each chunk" \
    "    to null: s.0 f64 rank 1, 8 bytes a value" \
    "    to the host: r.9 f64 rank 1, 8 bytes a value, to be changed there for a later stage" \
    "    to null: ys.6 f64 rank 1, 8 bytes a value" \
    "    to the host: state.5 f64, 8 bytes an element, the state behind each element" \
    "when the run has ended" \
    "    to the host: m.4 f64, 8 bytes an element"
copied $((8 + 2 * 6 * 8)) $((6 * 8 + 3 * 8 + 8)) 's=1,2;3;4,5,6'

# Of several devices explain says what they share; what the others copy counts as well.
"$wadi" explain --device cpu,null p.wadi >out
grep -q '^    null has the same processors as one before it' out || fail "explain says nothing of null"
grep -q 'cpu computes in the memory of the host' out || fail "explain says nothing of cpu"
grep -q '^If null is home: null has memory of its own' out || fail "explain says nothing of the copies of null"
printf 'program rounds\ninput x : f64[n]\ny = map x (a) { exp a }\noutput y\n' >rounds.wadi
"$wadi" explain --device cpu,cuda --fast-math rounds.wadi | grep -q 'nothing: the others would round otherwise' || fail "explain shares what would round otherwise"
! "$wadi" explain p.wadi | grep '^== copies' || fail "cpu alone has a section of copies"
