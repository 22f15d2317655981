#!/bin/sh
# The wadi command: every subcommand, every form of binding, and its error messages.
set -u

wadi=$WADI_BUILD/cli/wadi
examples=$WADI_SOURCE/docs/examples
work=$(mktemp -d "${TMPDIR:-/tmp}/wadi-cli.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
failed=0

complain() {
    echo "FAILED: $1" >&2
    failed=$((failed + 1))
}

# gives TEXT ARGUMENTS...: the command succeeds and prints exactly TEXT.
gives() {
    want=$1
    shift
    said=$("$wadi" "$@" 2>"$work/err") || complain "wadi $*: $(cat "$work/err")"
    [ "$said" = "$want" ] || complain "wadi $*: expected
$want
but got
$said"
}

# has PATTERN ARGUMENTS...: it succeeds and a line of what it prints matches.
has() {
    want=$1
    shift
    "$wadi" "$@" >"$work/out" 2>"$work/err" || complain "wadi $*: $(cat "$work/err")"
    grep -q -- "$want" "$work/out" || complain "wadi $*: no line matches \"$want\" in
$(cat "$work/out")"
}

# refuses STATUS PATTERN ARGUMENTS...: it fails so, and says something that matches.
refuses() {
    status=$1 want=$2
    shift 2
    "$wadi" "$@" >"$work/out" 2>"$work/err"
    got=$?
    [ "$got" -eq "$status" ] || complain "wadi $*: status $got, expected $status"
    grep -q -- "$want" "$work/err" || complain "wadi $*: no complaint matches \"$want\" in
$(cat "$work/err")"
}

# ---- what there is ----
has '^wadi 0\.[0-9]*\.[0-9]' --version
has 'libzmq [0-9]' version
has '^map  *producer' ops
has '^fold  *consumer' ops
has '^stream_in  *sequence' ops
has '^atan2  *scalar  *atan2 a b' ops
has '^fold_seq s z.. (state.., x..) { yield next.. }$' ops fold_seq
has 'integers of one type; the same' ops div
has '^fuse' passes
has '^raw  *source, sink' connectors
has '^visibilities  *source ' connectors
has '^png  *sink ' connectors
has '^paper ' policies
has 'usage: wadi run' run --help
commands=$("$wadi" help | sed -n 's/^  \([a-z]*\) .*/\1/p')
[ "$(echo "$commands" | wc -l)" -ge 18 ] || complain "wadi help: no commands in \"$commands\""
for command in $commands; do
    has "usage: wadi $command" $command here.wadi x=1 --help
    has "usage: wadi $command" $command here.wadi --threads 1 -h
done
refuses 1 'cannot open --help' run -- --help
has 'usage: wadi COMMAND' help
has 'usage: wadi COMMAND' --help
has 'compiled modules' cache
refuses 2 'usage: wadi COMMAND'
refuses 2 'no command "walk"' walk
for memory in -5 -1G 5X 99999999999G G ''; do
    refuses 2 "memory" run "$examples/dotp.wadi" xs=1 ys=1 --memory "$memory"
done
for threads in -1 4097 4294967297 9223372036854775808 1x; do
    refuses 2 "threads" run "$examples/dotp.wadi" xs=1 ys=1 --threads $threads
done
refuses 2 'no operator, derived function or scalar operation "x"' ops x

printf 'program p\ninput x : f64\n\0' >"$work/zero.wadi"
for command in run check explain; do
    refuses 1 'zero.wadi: not a text: byte 24 is zero' $command "$work/zero.wadi"
    refuses 1 'standard input: not a text' $command - <"$work/zero.wadi"
done
refuses 2 'memory: "5X" is not a number of bytes' check "$examples/dotp.wadi" --memory 5X
for threads in -1 4097 1x; do refuses 2 'threads' check "$examples/dotp.wadi" --threads $threads; done
refuses 2 'seed: "-1" is not a number' check "$examples/dotp.wadi" --seed -1
refuses 2 'wait: "0" is not a number of seconds' check "$examples/dotp.wadi" --wait 0
for command in run check explain; do refuses 2 'unexpected "extra"' $command "$examples/dotp.wadi" extra; done
refuses 2 'unknown option "--wat"' run "$examples/dotp.wadi" xs=1 --wat
refuses 2 'unknown option "--wat"' run "$examples/dotp.wadi" xs=1 --wat 1
refuses 2 '--schedule: "sideways" is not auto, inside, flat, across or group' run "$examples/dotp.wadi" --schedule sideways
refuses 2 '--chunk: "-1" is not a number of elements' run "$examples/dotp.wadi" --chunk -1

# Mistakes in a text name their place once, and what to write instead.
mistake() {
    printf '%s\n' "$2" >"$work/mistake.wadi"
    refuses 1 "mistake.wadi:$1" run "$work/mistake.wadi"
}
mistake '3:12: this operation does not take f32, f32 (fdiv does), found .div.' 'program p
input x : f32
y = unit { div (the x) 2.0f32 }'
mistake '3:19: argument 1 of fold_seq is no sequence (it is written fold_seq s z.. (state.., x..) { yield next.. }), found .a.' 'program p
stream_in s : seq(f64[?])
t = fold_seq 0 s (a, b) { yield a }'
mistake '3:5: take: 0 attributes, expected 1: dim' 'program p
input x : f64[n]
t = take x 2'
mistake '3:5: take: attribute dim is 0, but its argument has rank 0' 'program p
input x : f64[n]
t = take dim=0 2 x'

# ---- running the examples ----
gives 'dot = f32 32.0' run "$examples/dotp.wadi" xs=1,2,3 ys=4,5,6
gives 'result = f64[2] [6.0, 15.0]' run "$examples/mvm.wadi" m=2x3:1,2,3,4,5,6 v=1,1,1
gives 'result = f64[3] [5.0, 0.0, 33.0]' run "$examples/smvm.wadi" v=1,2,3 lengths=1,0,2 \
    columns=0,1,2 values=5,6,7
gives 'statistics[0].0 = f64 2.0
statistics[0].1 = f64 1.0
statistics[1].0 = f64 0.0
statistics[1].1 = f64 0.0
statistics[2].0 = f64 6.0
statistics[2].1 = f64 0.0' run "$examples/stats.wadi" 'samples=1,3;;6' --chunk 2 --threads 2
has '^escape = i64\[3, 4\] \[\[' run "$examples/mandelbrot.wadi" width=4 height=3 limit=30
gives 'dot = f32 32.0' run - xs=1,2,3 ys=4,5,6 <"$examples/dotp.wadi"
gives 'dot = f32 32.0' run "$examples/dotp.wadi" xs=1,2,3 ys=4,5,6 --disable cse,fuse
refuses 1 "no pass 'fuze'" run "$examples/dotp.wadi" xs=1,2,3 ys=4,5,6 --disable fuze
cat >"$work/pairs.wadi" <<'END'
program pairs
stream_in s : seq(i64[?], i64[?])
t = map_seq s (a, b) {
    yield a
}
stream_out "t" t
END
refuses 1 'a stream of tuples cannot be typed' run "$work/pairs.wadi" 's=1,2;3'
for schedule in auto inside flat across; do
    gives 'dot = f32 32.0' run "$examples/dotp.wadi" xs=1,2,3 ys=4,5,6 --schedule $schedule
done

# ---- files and streams ----
cat >"$work/double.wadi" <<'END'
program double

stream_in s : seq(u8[?])
t = map_seq s (a) {
    b = map a (x) { add x 1u8 }
    yield b
}
stream_out "out" t
END
printf 'HAL9' >"$work/s.raw"
gives '' run "$work/double.wadi" "s=2:@$work/s.raw" "out=@$work/out.raw"
[ "$(cat "$work/out.raw")" = 'IBM:' ] || complain "raw file: $(cat "$work/out.raw")"
has '^out\[1\] = u8\[2\] \[77, 58\]' run "$work/double.wadi" "s=2:@$work/s.raw"
printf 'program p\nstream_in s : seq(f64)\nstream_out "t\033[31m" s\nn = fold_seq s 0.0 (a, x) { yield x }\noutput n as "n\033[31m"\n' >"$work/escape.wadi"
gives 't\x1b[31m[0] = f64 1.0
n\x1b[31m = f64 1.0' run "$work/escape.wadi" s=1
printf 'HAL' >"$work/short.raw"
refuses 1 "short.raw" run "$work/double.wadi" "s=2:@$work/short.raw" "out=@$work/none.raw"
[ ! -e "$work/none.raw" ] || complain 'a failed run leaves its output'
"$wadi" run "$work/double.wadi" 's=1;2' --stats >"$work/out" 2>"$work/err" || complain 'stats'
grep -q '^elements  *2 ' "$work/err" || complain "stats: $(cat "$work/err")"
"$wadi" run "$work/double.wadi" 's=1;2' --profile --chunk 1 --schedule inside >"$work/out" 2>"$work/err" || complain 'profile'
grep -q '^0\.0  *inside .* % .* 2 .* 2 .* 4 B .* b$' "$work/err" || complain "profile: $(cat "$work/err")"
grep -q '^ .* % .* rest$' "$work/err" || complain "profile: $(cat "$work/err")"
grep -q '^these are .* ms, x [0-9]* threads; memory copies reach .* GB/s here, products and sums .* Gop/s of f32, .* of f64$' "$work/err" || complain "profile: $(cat "$work/err")"
! "$wadi" run "$work/double.wadi" 's=1;2' 2>&1 | grep -q rest || complain 'a profile nobody asked for'

# Shapes say where elements begin; places and literals are what they look like.
for shape in 3x-1 2xx3 x2 1e3 99999999999999999999x1 4294967296x4294967296; do
    refuses 1 "m=$shape:" run "$examples/mvm.wadi" "m=$shape:" v=1
done
refuses 1 '4 elements do not fill the shape' run "$examples/mvm.wadi" m=3x1:1,2,3,4 v=1
refuses 1 'declares 2' run "$examples/mvm.wadi" m=4:1,2,3,4 v=1
refuses 1 'give the shape' run "$examples/mvm.wadi" m=1,2,3,4 v=1
refuses 1 '"@" is no source' run "$work/double.wadi" s=@
for sink in @ x 1,2 ''; do refuses 1 "\"$sink\" is no sink" run "$work/double.wadi" s=1 "out=$sink"; done

# Inputs from files; each result has the names of its own type.
cat >"$work/records.wadi" <<'END'
program records
input x : f64[n]
a = map x (v) { re: v, twice: add v v } : {re: f64, twice: f64}[?]
b = map x (v) { k: mul v v } : {k: f64}[?]
output a
output b
END
printf '\0\0\0\0\0\0\360\077\0\0\0\0\0\0\0\100' >"$work/x.f64" # 1 2
gives 'a = {re: f64, twice: f64}[2] [{re: 1.0, twice: 2.0}, {re: 2.0, twice: 4.0}]
b = {k: f64}[2] [{k: 1.0}, {k: 4.0}]' run "$work/records.wadi" "x=@$work/x.f64"
refuses 1 '2 elements do not fill the shape' run "$work/records.wadi" "x=3:@$work/x.f64"
head -c 15 "$work/x.f64" >"$work/torn.f64"
refuses 1 'torn.f64: 15 bytes are not a whole number of f64' run "$work/records.wadi" "x=@$work/torn.f64"
refuses 1 'none.f64' run "$work/records.wadi" "x=@$work/none.f64"

# ---- radio telescopes and pictures; a library that is not built in is named ----
cat >"$work/plane.wadi" <<'END'
program plane

stream_in s : seq(f64[?, ?])
t = map_seq s (a) {
    b = map a (x) { mul x 2.0 }
    yield b
}
stream_out "out" t
END
for kind in fits:CFITSIO png:libpng; do
    library=${kind#*:} picture=$work/plane.${kind%:*}
    if "$wadi" version | grep -q "$library"; then
        gives '' run "$work/plane.wadi" 's=2x3:1,2,3,4,5,6' "out=@$picture"
        [ -s "$picture" ] || complain "no $picture"
        refuses 1 'f32 or f64' run "$work/double.wadi" 's=1' "out=@$work/no.${kind%:*}"
        [ ! -e "$work/no.${kind%:*}" ] || complain "a failed run leaves its picture"
    else
        refuses 1 "$library" run "$work/plane.wadi" 's=2x3:1,2,3,4,5,6' "out=@$picture"
    fi
done
refuses 1 'but the program declares something else' run "$work/double.wadi" s=@none.uvfits
refuses 1 'none.uvfits' run "$examples/waterfall.wadi" rows=@none.uvfits
refuses 1 'the file tells the shape of the rows' run "$examples/waterfall.wadi" rows=4:@none.uvfits
refuses 1 'cannot write' run "$work/double.wadi" s=1 out=@x.uvfits
real=${WADI_TEST_DATA:-/nowhere}/vis/mojave.uvfits
if [ -e "$real" ] && "$wadi" version | grep -q ' CFITSIO [0-9]'; then
    has '^out\[6\] = f64\[78, 2\]' run "$examples/waterfall.wadi" "rows=@$real"
fi

# ---- complex numbers: literals, streams and raw files of interleaved parts ----
cat >"$work/turn.wadi" <<'END'
program turn

stream_in s : seq(c64[?])
t = map_seq s (a) {
    b = map a (z) { mul z 0.0+1.0ic64 }
    yield b
}
stream_out "out" t
input w : c128
r = map w (z) { conj z }
output r
END
gives 'out[0] = c64[2] [-2.0+1.0i, -4.0+0.0i]
out[1] = c64[0] []
r = c128 1.5-infi' run "$work/turn.wadi" 's=1+2i,4i;;' 'w=1.5+infi'
printf '\000\000\200\077\000\000\000\100' >"$work/z.raw" # 1 + 2i
has '^out\[0\] = c64\[1\] \[-2.0+1.0i\]' run "$work/turn.wadi" "s=1:@$work/z.raw" w=0

# ---- explaining ----
# ---- checking that no result depends on the chunks ----
gives '6 runs and the interpreter agree' check "$examples/dotp.wadi" xs=1,2,3 ys=4,5,6
cat >"$work/rows.wadi" <<END
program rows
s = stream_in "s" : seq(i64[?])
t = map_seq s (x) {
    y = fold 0 x (a, b) { add a b }
    yield y
}
stream_out "t" t
END
gives '9 runs and the interpreter agree' check "$work/rows.wadi" 's=1,2;3;4,5,6;;7' --runs 9 --seed 2
gives '6 runs and the interpreter agree' check "$work/rows.wadi" s=
cat >"$work/count.wadi" <<END
program count
s = stream_in "s" : seq(i64[?])
chunks, all = fold_batch s 0 0 (n, t, shapes, values) {
    m = unit { add (the n) 1 }
    u = fold t values (a, b) { add a b }
    yield m, u
}
output all
END
sed 's/output.*/output all/' "$work/count.wadi" >"$work/sum.wadi"
sed 's/output.*/output chunks/' "$work/count.wadi" >"$work/chunks.wadi"
gives '6 runs agree' check "$work/sum.wadi" 's=1,2;3;4,5,6;;7'
refuses 1 '"chunks" depends on how streams are cut' check "$work/chunks.wadi" 's=1,2;3;4,5,6;;7'
cat >"$work/nan.wadi" <<'END'
program nan
input x : f64[n]
y = map x (a) { copysign (sqrt a) (neg a) }
z = map x (a) { neg (sqrt a) }
output y
output z
END
gives '6 runs and the interpreter agree' check "$work/nan.wadi" x=-1,4,nan_f64,-9
# A mistake that none of the runs' cuts shows, but the interpreter's.
cat >"$work/threes.wadi" <<'END'
program threes
s = stream_in "s" : seq(i64)
threes = fold_batch s 0 (n, shapes, values) {
    m = unit { add (the n) (if (eq (extent values 0) 3) { 1 } else { 0 }) }
    yield m
}
output threes
END
refuses 1 'fold_batch: state 0 depends on how the stream is cut' check "$work/threes.wadi" 's=1;2;3;4;5;6;7;8;9'
cat >"$work/twice.wadi" <<'END'
program twice
stream_in s : seq(i64)
stream_out "s" s
END
refuses 1 '"s" names a stream_in and a stream_out' run "$work/twice.wadi" 's=1;2'
refuses 1 '"s" names a stream_in and a stream_out' check "$work/twice.wadi" 's=1;2'
cat >"$work/sums.wadi" <<'END'
program sums
stream_in s : seq(f32)
t = fold_batch s 0.0f32 (a, shapes, values) {
    u = fold 0.0f32 values (x, y) { add x y }
    w = zip_with a u (x, y) { add x y }
    yield w
}
output t
END
forty=$(awk 'BEGIN { for (i = 0; i < 40; i++) printf "%s%g", i ? ";" : "", 0.1 * i + 0.013 }')
refuses 1 '"t" depends on how streams are cut' check "$work/sums.wadi" "s=$forty"
cat >"$work/lies.wadi" <<'END'
program lies
input x : f64[m]
m = unit { extent x 0 }
y = map x (a) { complex a 0.0 }
z = foreign "fft" dims=1 arrays=1 y m (a) { yield a } : c128[m]
output z
END
if "$wadi" version | grep -q -i fftw; then
    refuses 1 'the region of a foreign does not compute what its routine does' check "$work/lies.wadi" x=1,2,3
fi
refuses 1 'nothing is delivered' check "$work/rows.wadi" 's=1' "t=@$work/t.raw"
refuses 2 'not a number from 2' check "$work/rows.wadi" --runs 1
refuses 2 'no program' check

has '^== after fuse ==' explain "$examples/dotp.wadi"
has '^== plan ==' explain "$examples/dotp.wadi"
has 'delayed products' explain "$examples/dotp.wadi" --pass fuse
has 'int64_t' explain "$examples/dotp.wadi" --kernels
has '^== kernels of .*, schedule flat ==' explain "$examples/dotp.wadi" --kernels
has '^== kernels of .*, schedule group ==' explain "$examples/dotp.wadi" --schedule group
has 'lanes' explain "$examples/dotp.wadi" --loops --schedule group
"$wadi" explain "$examples/dotp.wadi" --kernels --schedule group >"$work/out"
grep -q 'schedule flat' "$work/out" && complain 'explain --schedule shows others'
refuses 2 'schedule' explain "$examples/dotp.wadi" --schedule magic
"$wadi" explain "$examples/dotp.wadi" --pass source >"$work/out"
grep -q 'after' "$work/out" && complain 'explain --pass shows other passes'
"$wadi" explain "$examples/dotp.wadi" --kernels >"$work/out"
grep -q 'after' "$work/out" && complain 'explain --kernels shows passes'
refuses 2 'no pass "magic"' explain "$examples/dotp.wadi" --pass magic

# ---- files ----
# A pipe that has our standard output by a link takes the stream, and the link stays.
ln -s /proc/self/fd/1 "$work/so"
for place in "$work/so" /dev/stdout; do
    "$wadi" run "$work/double.wadi" "s=2:@$work/s.raw" "out=@$place" | cmp -s - "$work/out.raw" ||
        complain "$place is no stream"
done
[ -L "$work/so" ] || complain 'a link was replaced by a file'
if command -v strace >/dev/null && strace -o "$work/trace" true 2>/dev/null; then
    # How often a run that writes synced.raw waits for the disk.
    syncs() {
        strace -f -e trace=fsync,fdatasync -o "$work/trace" \
            "$wadi" run "$work/double.wadi" "s=2:@$work/s.raw" "out=@$work/synced.raw" "$@"
        grep -c 'fsync(' "$work/trace"
    }
    [ "$(syncs --sync)" -eq 2 ] || complain '--sync: file and folder are not synced'
    rm -f "$work/synced.raw"
    [ "$(syncs)" -eq 0 ] || complain 'a new file is synced unasked'
    [ "$(syncs)" -eq 2 ] || complain 'a file that replaces another is not synced'
fi

# Nobody reads what is not said: no reason to fail, while what is said goes nowhere.
mkfifo "$work/gone"
exec 4<>"$work/gone" 5>"$work/gone" 4>&-
"$wadi" run "$work/double.wadi" "s=2:@$work/s.raw" "out=@$work/out.raw" >&5 || complain "silence without a reader: status $?"
"$wadi" passes >&5 2>"$work/err" && complain 'nobody reads, and that is fine'
[ ! -s "$work/err" ] || complain "nobody reads: $(cat "$work/err")"
exec 5>&-

# Nothing that the program opens takes the place of what is closed: neither its pipes nor its files. An empty cache: the compiler runs.
mkdir "$work/fresh"
WADI_CACHE_DIR=$work/fresh timeout 60 "$wadi" run "$work/double.wadi" "s=2:@$work/s.raw" <&- >&- 2>"$work/err"
[ $? -eq 1 ] && grep -q 'standard output' "$work/err" || complain "closed input and output: $(cat "$work/err")"
timeout 60 "$wadi" run "$work/double.wadi" "s=2:@$work/s.raw" "out=@$work/out2.raw" <&- >&- 2>&- && cmp -s "$work/out2.raw" "$work/out.raw" ||
    complain "all is closed: status $?"
is_told_closed() {
    timeout 60 "$@" <&- 2>"$work/err" >"$work/out" && complain "$*: reads a closed input"
    grep -q ': standard input: is closed$' "$work/err" || complain "$*, a closed input: $(cat "$work/err")"
}
is_told_closed "$wadi" run -
is_told_closed "$WADI_BUILD/apps/audio/wadi-flac" -o "$work/no.flac" -
is_told_closed "$WADI_BUILD/apps/md5/wadi-md5" -m 8b04d5e3775d298e78455efc5ca404d5 -
is_told_closed "$WADI_BUILD/apps/md5/wadi-md5" -m - "$work/s.raw"
for name in /dev/stdin /dev/fd/0 /proc/self/fd/0; do
    is_told_bad() {
        timeout 60 "$@" <&- 2>"$work/err" >"$work/out" && complain "$*: reads a closed input"
        grep -q "$name: Bad file descriptor$" "$work/err" || complain "$*, a closed input: $(cat "$work/err")"
    }
    is_told_bad "$wadi" run "$work/double.wadi" "s=2:@$name"
    is_told_bad "$wadi" run "$name"
    is_told_bad "$WADI_BUILD/apps/audio/wadi-flac" -o "$work/no.flac" $name
    is_told_bad "$WADI_BUILD/apps/md5/wadi-md5" -m 8b04d5e3775d298e78455efc5ca404d5 $name
    is_told_bad "$WADI_BUILD/apps/gridding/wadi-grid" -o "$work/no.fits" $name
done
timeout 60 "$wadi" run "$work/double.wadi" 's=2:@/dev/null' out=@- 2>"$work/err" >&- && complain 'elements to a closed output'
grep -q 'standard output: is closed' "$work/err" || complain "a closed output: $(cat "$work/err")"

# A stack that the C compiler or a program of wadi would overflow.
(ulimit -s 200 && exec timeout 60 "$wadi" version) 2>"$work/err" >"$work/out" && complain 'a stack of 200 KiB'
grep -q '^wadi: the stack is limited to 200 KiB (ulimit -s), and at least 256 are needed$' "$work/err" || complain "a small stack: $(cat "$work/err")"

# A state may have more arrays than an element of a stream; here no array of the next state is made by the step.
awk 'BEGIN {
    for (i = 0; i < 40; i++) { r = r ", r" i; s = s ", s" i; z = z " z"; y = y ", c" }
    print "program many\nstream_in xs : seq(f64)\nz = unit { 0.0 }\nc = unit { 7.0 }"
    print substr(r, 3) " = fold_batch xs" z " (" substr(s, 3) ", shapes, values) { yield " substr(y, 3) " }"
    print "output r39"
}' >"$work/many.wadi"
[ "$(timeout -k 1 60 "$wadi" run "$work/many.wadi" 'xs=1;2;3')" = 'r39 = f64 7.0' ] || complain 'a state of 40 arrays'

# ---- complaints ----
refuses 1 'nowhere.wadi' run "$work/nowhere.wadi"
refuses 1 'input "ys" is not bound' run "$examples/dotp.wadi" xs=1
refuses 1 'has no input, source or sink of this name' run "$examples/dotp.wadi" xs=1 ys=1 zs=1
refuses 1 'ys=1' run "$examples/dotp.wadi" xs=1,2 ys=1
refuses 1 'xs=1,,2: "": not a number' run "$examples/dotp.wadi" xs=1,,2 ys=1
refuses 1 'ys=hello' run "$examples/dotp.wadi" xs=1 ys=hello
refuses 2 '"many" is not a number' run "$examples/dotp.wadi" --threads many
refuses 2 'no program' run
printf 'program p\n\ninput a : i64[?]\nb = nap a\noutput b\n' >"$work/bad.wadi"
refuses 1 'bad.wadi:4' run "$work/bad.wadi" a=1
printf 'program p\n\ninput a : i64[?]\nb = map a (x) { quot 1 x }\noutput b\n' >"$work/fault.wadi"
refuses 1 'fault.wadi:4' run "$work/fault.wadi" a=1,0

if [ -c /dev/full ]; then
    "$wadi" ops >/dev/full 2>"$work/err" && complain 'a full disk goes unnoticed'
    grep -q 'cannot write' "$work/err" || complain "full disk: $(cat "$work/err")"
    # Also where nothing was left to be written at the end: each line was refused when it came.
    if stdbuf -oL "$wadi" passes >/dev/null 2>&1; then
        stdbuf -oL "$wadi" passes >/dev/full 2>"$work/err" && complain 'lines that went nowhere go unnoticed'
        grep -q 'cannot write' "$work/err" || complain "lines that went nowhere: $(cat "$work/err")"
    fi
fi

[ "$failed" -eq 0 ] || echo "$failed complaints" >&2
[ "$failed" -eq 0 ]
