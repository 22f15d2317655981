#!/bin/sh
# Installs into a fresh prefix, with bundles of kernels, and runs the programs where there is no compiler, no HOME and an empty cache: same
# bits, and nothing compiled. Then the bundles are spoilt in many ways: they are left out with a reason, never used and never a crash. A
# project outside adds kernels of its own by the CMake package.
set -eu

work=$(mktemp -d "${TMPDIR:-/tmp}/wadi-kernels.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
prefix=$work/prefix
unset WADI_KERNELS WADI_BUILD_KERNELS WADI_BUILD_TARGETS WADI_TARGET

fail() {
    echo "install: $1" >&2
    exit 1
}

case $(uname -m) in
x86_64) ;;
*) echo "skipped: this test makes kernels for x86-64" && exit 77 ;;
esac

cmake --install "$WADI_BUILD" --prefix "$prefix" >"$work/log" || fail "$(cat "$work/log")"
mv "$prefix" "$work/moved" # the tree must not depend on where it was installed
prefix=$work/moved
kernels=$(dirname "$(find "$prefix" -name libwadi.so)")/wadi/kernels
mkdir -p "$kernels"
rm -f "$kernels"/*

# What an installation makes for all levels and sizes, for a few, by a quick compiler.
export WADI_CC="${WADI_CC:-$WADI_SOURCE/tests/quick_cc}" WADI_LEARN=off
record() {
    WADI_BUILD_KERNELS=$kernels/$1.kernels WADI_BUILD_TARGETS=x86-64-v2,x86-64-v3 XDG_CACHE_HOME=$work/making \
        sh "$WADI_SOURCE/apps/$2/kernels.sh" "$prefix/bin/$1" "$3" || fail "recording $1"
}
programs=
for program in wadi-flac:audio:1:2:16 wadi-md5:md5:1 wadi-grid:gridding:64; do
    name=${program%%:*} rest=${program#*:}
    [ -x "$prefix/bin/$name" ] || continue
    "$prefix/bin/wadi" version >"$work/version"
    if [ "$name" = wadi-grid ] && ! grep -q 'module  *cfitsio .*(.*)$' "$work/version"; then continue; fi
    record "$name" "${rest%%:*}" "${rest#*:}"
    programs="$programs $name"
done
echo "kernels of:$programs"

# What the programs do, each into a file.
cd "$work"
seq 20000 | head -c 100000 >sound
seq 300 | sed 's/.*/&aaaaaaaaaaaaaaaaaaaa/' >words
printf '%s\n' 8b04d5e3775d298e78455efc5ca404d5 6512bd43d9caa6e02c990b0a82652dca >list
seq 30 >>words
printf '# frequency 150e6\n# ra 83.5\n# dec 22\n10 20 5 1 0.5 2\n-30 5 -2 0.25 -1 1\n15 -25 3 2 1 0.5\n' >v.txt
quiet=-q
# shellcheck disable=SC2086
use() {
    case $1 in
    wadi-flac) "$prefix/bin/wadi-flac" $quiet -f -1 --force-raw-format --endian=little --sign=signed --channels=2 --bps=16 \
        --sample-rate=44100 -o "$2" sound ;;
    wadi-md5) "$prefix/bin/wadi-md5" -q -m list words >"$2" || [ $? -eq 1 ] ;;
    wadi-grid) "$prefix/bin/wadi-grid" -q --scale 5asec -s 64 -o "$2" v.txt && cut_date "$2" ;;
    esac
}
# The header has the time at which it was written.
cut_date() {
    tr '\n' ' ' <"$1" | sed 's/DATE    = .\{70\}//' >"$1.cut" && mv "$1.cut" "$1"
}
mkdir "$work/tools" # what scripts need, and no compiler
for tool in tr sed mv; do ln -s "$(command -v $tool)" "$work/tools/$tool"; done
without_compiler() (
    unset WADI_CC HOME
    export PATH="$work/tools" XDG_CACHE_HOME="$work/empty" TMPDIR="$work"
    "$@"
)
for program in $programs; do
    WADI_KERNELS=none XDG_CACHE_HOME=$work/usual use "$program" "want.$program" || fail "$program compiled"
    without_compiler use "$program" "got.$program" 2>said || fail "$program without a compiler: $(cat said)"
    [ ! -s said ] || fail "$program said: $(cat said)"
    cmp "want.$program" "got.$program" || fail "$program: other bits"
done
[ -z "$(find "$work/empty" -name '*.image' 2>/dev/null)" ] || fail "something was compiled"

# Each way of spoiling a bundle. Without a compiler: refused, with the reason and the name. With one: compiled, with the same bits.
flac=$kernels/wadi-flac.kernels quiet= # or there are no warnings
cp "$flac" whole
spoilt() {
    if without_compiler use wadi-flac spoilt.flac 2>said; then fail "$1 was used"; fi
    grep -q "$2" said || fail "$1: no reason in: $(cat said)"
    grep -q "kernels of flac (.*no C compiler found" said || fail "$1: no name in: $(cat said)"
    rm -rf "$work/anew"
    XDG_CACHE_HOME=$work/anew use wadi-flac spoilt.flac 2>said || fail "$1, with a compiler: $(cat said)"
    cmp want.wadi-flac spoilt.flac || fail "$1: other bits"
    cp whole "$flac"
    chmod 644 "$flac"
}
size=$(wc -c <whole)
head -c $((size / 2)) whole >"$flac" && spoilt "a bundle cut in half" "is damaged: it has"
: >"$flac" && spoilt "an empty bundle" "is cut off"
head -c "$size" /dev/zero >"$flac" && spoilt "zeros" "is no bundle of kernels"
{ head -c 300 whole && head -c $((size - 300)) /dev/zero; } >"$flac" && spoilt "an index of zeros" "its index has another digest"
{ head -c 20000 whole && head -c $((size - 20000)) /dev/zero; } >"$flac" && spoilt "images of zeros" "has another digest"
chmod 666 "$flac" && spoilt "a bundle for everybody" "everybody can write"
sed 's/0\.1\.0-/0.0.9-/' whole >"$flac" && spoilt "a bundle of another version" "is damaged\|of another wadi"
rm "$flac" && ln -s /dev/zero "$flac"
if without_compiler use wadi-flac spoilt.flac 2>said; then fail "a device was used"; fi
grep -q "is not a file" said || fail "a device: $(cat said)"
rm "$flac" && cp whole "$flac"

# A bundle that is named must be one.
"$prefix/bin/wadi" kernels "$flac" >said || fail "wadi kernels: $(cat said)"
grep -q 'x86-64-v3 .*flac: ' said || fail "wadi kernels said: $(cat said)"
"$prefix/bin/wadi" kernels >said || fail "wadi kernels"
grep -q "^looked for in .*/wadi/kernels" said && grep -q "wadi-flac.kernels: [0-9]* images, of this wadi" said || fail "wadi kernels said: $(cat said)"
head -c 1000 whole >cut.kernels
! "$prefix/bin/wadi" kernels cut.kernels 2>said || fail "wadi kernels took half a bundle"
! "$prefix/bin/wadi" run --kernels cut.kernels "$WADI_SOURCE/docs/examples/dotp.wadi" xs=1,2 ys=3,4 2>said || fail "wadi run took half a bundle"
grep -q "cut.kernels is damaged" said || fail "wadi run said: $(cat said)"

# A project outside: kernels of a text and of a program, by the package.
cmake -S "$WADI_SOURCE/tests/install/ahead" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$WADI_TEST_CC" \
    -DCMAKE_C_FLAGS="${WADI_SANITIZE:+-fsanitize=$WADI_SANITIZE}" >log 2>&1 || fail "$(cat log)"
XDG_CACHE_HOME=$work/building cmake --build "$work/build" >log 2>&1 || fail "$(cat log)"
XDG_CACHE_HOME=$work/building cmake --install "$work/build" --prefix "$work/own" >log 2>&1 || fail "$(cat log)"
said=$(without_compiler "$prefix/bin/wadi" run --kernels "$work/build/scale.kernels" "$WADI_SOURCE/tests/install/ahead/scale.wadi" xs=1,2,3) ||
    fail "the project's text"
[ "$said" = "ys = f64[3] [3.5, 7.0, 10.5]" ] || fail "the project's text: $said"
said=$(WADI_KERNELS=$work/own/share without_compiler "$work/build/main") || fail "the project's program"
[ "$said" = 30 ] || fail "the project's program: $said"
if without_compiler "$work/build/main" >said 2>&1; then fail "the project's program without its kernels: $(cat said)"; fi
