#!/bin/sh
# Places of streams: sound as integers and real numbers, several files, sparse matrices, and names that raw files may not have.
set -u

wadi=$WADI_BUILD/cli/wadi
work=$(mktemp -d "${TMPDIR:-/tmp}/wadi-places.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
cd "$work" || exit 1
failed=0

complain() {
    echo "FAILED: $1" >&2
    failed=$((failed + 1))
}

# gives TEXT ARGUMENTS...: the command succeeds and prints exactly TEXT.
gives() {
    want=$1
    shift
    said=$("$wadi" "$@" 2>err) || complain "wadi $*: $(cat err)"
    [ "$said" = "$want" ] || complain "wadi $*: expected
$want
but got
$said"
}

# refuses WORDS ARGUMENTS...: it fails and says so.
refuses() {
    words=$1
    shift
    "$wadi" "$@" >said 2>err && complain "wadi $*: not refused"
    grep -q -e "$words" err || complain "wadi $*: says $(cat err), not $words"
}

# passes TYPE: a program that passes a stream of such arrays.
passes() {
    printf 'program pass\n\nstream_in s : seq(%s)\nt = map_seq s (a) {\n    yield a\n}\nstream_out "out" t\n' "$1"
}
passes 'i32[?, ?]' >whole.wadi
passes 'f32[?, ?]' >real.wadi
passes 'f64[?, ?]' >double.wadi
passes 'u8[?]' >bytes.wadi
passes 'i16[?, ?]' >short.wadi

# ---- names that bytes may not take ----
refuses '@raw:q.json writes the bytes' run bytes.wadi 's=1,2;3' out=@q.json
refuses 'does not write "npy"' run bytes.wadi 's=1,2;3' out=@q.npy
[ ! -e q.json ] && [ ! -e q.npy ] || complain 'a refused sink left a file'
gives '' run bytes.wadi 's=65,66;67' out=@raw:q.json
[ "$(cat q.json)" = ABC ] || complain 'raw: wrote something else'
gives '' run bytes.wadi 's=65,66;67' out=@q.raw
refuses 'raw takes no options' run bytes.wadi 's=1' out=@raw,fast:q.raw
refuses 'the connector png cannot read' run bytes.wadi s=@png:q.raw

# ---- frames of sound ----
refuses 'expected frames per element, as in 4096:@no.wav' run real.wadi s=0:@no.wav
refuses 'no.wav: cannot be read' run real.wadi 's=1:@no.wav'

# ---- sparse matrices ----
cat >rows.wadi <<'END'
program rows

stream_in s : seq(i32[?], f64[?])
t = map_seq s (columns, values) {
    sum = fold 0.0 values (a, b) { add a b }
    yield sum
}
stream_out "out" t
END
printf '%%%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 3 2\n2 1 5\n3 3 7\n' >m.mtx
gives 'out[0] = f64 7.0
out[1] = f64 5.0
out[2] = f64 9.0' run rows.wadi s=@m.mtx
cp m.mtx m.txt
gives 'out[0] = f64 7.0
out[1] = f64 5.0
out[2] = f64 9.0' run rows.wadi s=@matrix:m.txt
refuses 'columns and values' run whole.wadi s=@m.mtx
refuses 'line 1' run rows.wadi s=@matrix:rows.wadi

# ---- sound: files of 3 frames in 2 channels, made byte by byte ----
if ! "$wadi" version | grep -q 'module  *sndfile .*libsndfile'; then
    refuses 'wadi-sndfile' run whole.wadi s=@a.wav
    [ "$failed" -eq 0 ]
    exit
fi
# wav FORMAT BITS DATA-IN-OCTAL: 44.1 kHz, 2 channels.
wav() {
    format=$1 bits=$2 data=$3
    bytes=$(printf "$data" | wc -c)
    frame=$((bits / 4))
    little() {
        n=$1
        for _ in $(seq "$2"); do
            printf "\\$(printf %03o $((n % 256)))"
            n=$((n / 256))
        done
    }
    printf RIFF && little $((bytes + 36)) 4 && printf 'WAVEfmt ' && little 16 4 && little "$format" 2 && little 2 2
    little 44100 4 && little $((44100 * frame)) 4 && little "$frame" 2 && little "$bits" 2
    printf data && little "$bytes" 4 && printf "$data"
}
wav 1 16 '\001\000\002\000\003\000\004\000\377\377\000\200' >a.wav
wav 1 16 '\007\000\010\000' >b.wav
wav 3 32 '\000\000\000\077\000\000\200\277\000\000\200\076\000\000\000\000' >f.wav # 0.5 -1 0.25 0

gives 'out[0] = i32[2, 2] [[1, 2], [3, 4]]
out[1] = i32[1, 2] [[-1, -32768]]' run whole.wadi s=2:@a.wav
gives 'out[0] = f32[3, 2] [[3.0517578e-05, 6.1035156e-05], [9.1552734e-05, 0.00012207031], [-3.0517578e-05, -1.0]]' \
    run real.wadi s=@a.wav
gives 'out[0] = f32[2, 2] [[0.5, -1.0], [0.25, 0.0]]' run real.wadi s=@f.wav
gives 'out[0] = f64[2, 2] [[0.5, -1.0], [0.25, 0.0]]' run double.wadi s=@f.wav
refuses 'and @sound,bits=16:FILE rounds them' run whole.wadi s=@f.wav
gives 'out[0] = i32[2, 2] [[64, -128], [32, 0]]' run whole.wadi s=@sound,bits=8:f.wav
refuses 'only for samples of i32' run real.wadi s=@sound,bits=8:f.wav
refuses 'is no option' run whole.wadi s=@sound,bits=7:f.wav
refuses 'is no option' run whole.wadi s=@sound,bots=8:f.wav
refuses '2 channels, expected 1' run whole.wadi s=@sound,channels=1:a.wav
refuses 'i32, f32 or f64' run short.wadi s=@a.wav

# ---- several files ----
gives 'out[0] = i32[2, 2] [[1, 2], [3, 4]]
out[1] = i32[1, 2] [[-1, -32768]]
out[2] = i32[1, 2] [[7, 8]]' run whole.wadi 's=2:@[ab].wav'
gives 'out[0] = i32[3, 2] [[1, 2], [3, 4], [-1, -32768]]
out[1] = i32[1, 2] [[7, 8]]' run whole.wadi 's=@sound,whole:[ab].wav'
refuses 'no file matches this pattern' run whole.wadi 's=@z*.wav'
refuses 'frames per element and the option whole' run whole.wadi 's=2:@sound,whole:a.wav'
cp a.wav '[ab].wav'
gives 'out[0] = i32[3, 2] [[1, 2], [3, 4], [-1, -32768]]' run whole.wadi 's=@[ab].wav'
head -c 50 a.wav >c.wav
refuses 'truncated' run whole.wadi 's=@[bc]*.wav'

[ "$failed" -eq 0 ]
