#!/bin/sh
# Workers that cannot compile get their kernels from home: without a compiler, with one that fails, for the target they ask for; with the bits of home.
# What is said where home cannot compile either, and where anybody could be home.
. "$(dirname "$0")/begin.sh"
mkdir -m 700 home worker
export WADI_CACHE_DIR="$dir/home" TMPDIR="$dir/worker"
unset WADI_TARGET WADI_KERNELS

# The schedule of the first depends on its elements, that of the second does not.
cat >ragged.wadi <<'PROGRAM'
program ragged
stream_in s : seq(f64[?])
t = map_seq s (a) {
    b = map a (x) { sin (mul x 1.5) }
    f = fold 0.0 b (x, y) { add (mul x 0.5) y }
    yield f
}
stream_out "t" t
PROGRAM
cat >plain.wadi <<'PROGRAM'
program plain
stream_in s : seq(f64)
input k : f64
t = map_seq s (x) {
    y = unit { sin (mul (the x) (the k)) }
    yield y
}
stream_out "t" t
PROGRAM
# While the first stage is tried, the second is, in a thread of its own (mostly still when kernels come).
cat >two.wadi <<'PROGRAM'
program two
stream_in s : seq(f64)
input k : f64
t = map_seq s (x) {
    g = generate 1000 (j) { sin (mul (the x) (convert f64 j)) }
    y = fold 0.0 g (a, b) { add a (mul b (the k)) }
    yield y
}
u = filter_seq t (y) {
    p = unit { lt (the y) 1000.0 }
    yield p
}
v = map_seq u (y) {
    z = unit { add (the y) 1.5 }
    yield z
}
stream_out "v" v
PROGRAM
ragged="ragged.wadi s=$(awk 'BEGIN { for (i = 0; i < 300; i++) { for (j = 0; j < i % 7; j++) printf "%s%g", j ? "," : "", (i * 37 + j) % 101 / 8; printf ";" } }')"
plain="plain.wadi k=2.25 s=$(awk 'BEGIN { for (i = 0; i < 300; i++) printf "%s%g", i ? ";" : "", i / 8 }')"
two="two.wadi ${plain#* }"
printf '0123456789abcdef secret\n' >token
chmod 600 token
printf '#!/bin/sh\nexit 1\n' >broken
printf '#!/bin/sh\ncase "$*" in *x86-64* | *armv8-a*) echo "error: no such machine" >&2; exit 1 ;; esac\nexec cc "$@"\n' >native_only
chmod 755 broken native_only

worker() { # COMPILER OPTIONS
    compiler=$1
    shift
    env WADI_CC="$compiler" WADI_CACHE_DIR="$dir/worker" "$wadi" work "$at" --wait 300 --stats "$@" 2>told &
    last=$!
}
# Home waits for the worker, so some elements are computed by it.
helped() { # WHAT PROGRAM
    what=$1
    # shellcheck disable=SC2086 # several words
    set -- $2
    "$wadi" run "$@" >want 2>said || wrong "$what: $(cat said)"
    timeout 300 "$wadi" run "$@" --chunk 2 --via "$at" --workers 1 --stats $more >got 2>said || {
        wrong "$what: $(cat said) $(cat told)"
        kill "$last"
    }
    wait "$last" || wrong "$what: the worker: $(cat told)"
    cmp -s want got || wrong "$what: other results"
    says said "[1-9][0-9]* elements computed by workers"
    says told "worked *[1-9]"
    [ -z "$(find worker -name 'wadi-sent-*')" ] || wrong "$what: a folder is left"
}
more=
at=ipc://$dir/q
for program in "$ragged" "$plain" "$two" "$two"; do
    worker /none
    helped "no compiler" "$program"
    worker "$dir/broken"
    helped "a compiler that fails" "$program"
done
case $(uname -m) in
x86_64) named=x86-64-v2 ;;
*) named=armv8-a ;;
esac
worker /none --target $named
helped "a target" "$plain"

# What home has made is in its cache: nothing is compiled for the next worker.
before=$(find home -name '*.image' | sort)
worker /none
helped "kernels of before" "$ragged"
[ "$before" = "$(find home -name '*.image' | sort)" ] || wrong "kernels of before: more entries in the cache"

at=tcp://127.0.0.1:$("$WADI_BUILD/tests/keep_port" $$)
more="--token token"
worker /none --token token
helped "a token" "$ragged"

# ---- what is said ----
# Home computes all itself then; a pipe that is open keeps it until the worker has ended.
mkfifo pipe
alone() { # WORDS COMPILER_OF_HOME OPTIONS_OF_WORKER: the worker ends with an error
    words=$1
    compiler=$2
    shift 2
    exec 3<>pipe
    WADI_CC=$compiler timeout 300 "$wadi" run bytes.wadi s=@pipe --chunk 1 --via "$at" >got 2>said 3>&- &
    home=$!
    printf 'abc' >&3
    worker /none "$@" 3>&-
    wait "$last" && wrong "$words: the worker: status 0"
    exec 3>&-
    wait "$home" || wrong "$words: $(cat said)"
    says told "/none\", cannot be run"
    says told "$words"
}
cat >bytes.wadi <<'PROGRAM'
program bytes
stream_in s : seq(u8)
t = map_seq s (x) {
    y = unit { add (convert i64 (the x)) 1 }
    yield y
}
stream_out "t" t
PROGRAM
alone "taken only with keys or a token" cc
at=ipc://$dir/q
alone "come from home: .*no such machine" "$dir/native_only"
alone "none for native come from home" cc --target native
exit $failed
