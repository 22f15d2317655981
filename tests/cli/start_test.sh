#!/bin/sh
# What a start loads beyond what is linked: only what the run needs. The dynamic linker tells it (LD_DEBUG); kernels are no libraries, and are left out.
set -u
wadi=$WADI_BUILD/cli/wadi
apps=$WADI_BUILD/apps
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place" || exit 1
failed=0

wrong() {
    echo "wrong: $*" >&2
    failed=1
}

# loads COMMAND...: `loaded` is what it loads at run time, names without versions. A compiler that it starts is another process.
loads() {
    sh -c 'echo $$ >pid; exec env LD_DEBUG=files LD_DEBUG_OUTPUT=linker "$@"' sh "$@" >out 2>said || wrong "$*: $(cat said)"
    touch "linker.$(cat pid)"
    loaded=$(sed -n 's/^.*file=\([^ ]*\) .* dynamically loaded by .*$/\1/p' "linker.$(cat pid)" | sed -e '/\/proc\/self\/fd/d' -e '/\.image$/d' -e 's,.*/,,' \
        -e 's/\.so.*//' -e '/^libgcc_s$/d' | sort -u | tr '\n' ' ')
}

loads "$wadi" --version
[ $failed = 0 ] || exit 1
grep -q 'file=libc' "linker.$(cat pid)" || { echo "skipped: this dynamic linker does not tell what it loads" && exit 77; }

# only NAMES COMMAND...: it loads at most these, which are separated by blanks
only() {
    allowed=" $1 "
    shift
    loads "$@"
    for library in $loaded; do
        case $allowed in
        *" $library "*) ;;
        *) wrong "$(basename "$1") loads $library: $*" ;;
        esac
    done
}

cat >dot.wadi <<'END'
program dot
x = generate 100 (i) { convert f64 i }
squares = map x (a) { mul a a }
result = fold 0.0 squares (a, b) { add a b }
output result
END
printf 'one\ntwo\n' >words
echo f97c5d29941bfb1b2fdab0874906ab82 >list
head -c 40000 /dev/zero >sound
printf '# frequency 150e6\n# ra 83.5\n# dec 22\n10 20 5 1 0.5 2\n-30 5 -2 0.25 -1 1\n15 -25 3 2 1 0.5\n' >v.txt

only '' "$wadi" --version
only '' "$wadi" --help
only '' "$wadi" run dot.wadi
[ ! -x "$apps/md5/wadi-md5" ] || only '' "$apps/md5/wadi-md5" -q -m list words
[ ! -x "$apps/audio/wadi-flac" ] || only '' "$apps/audio/wadi-flac" -q -f -0 --force-raw-format --endian=little --sign=signed \
    --channels=1 --bps=16 --sample-rate=8000 -o sound.flac sound
only '' "$apps/gridding/wadi-grid" --version
image='cfitsio libcfitsio' # what writes it
only "$image fftw libfftw3 libfftw3f" "$apps/gridding/wadi-grid" -q -s 32 --scale 5asec -o image.fits v.txt
only "$image" "$apps/gridding/wadi-grid" -q -s 32 --scale 5asec -m direct -o image.fits v.txt
[ ! -e "$WADI_BUILD/lib/wadi/png.so" ] || only "$image png libpng16 libz" "$apps/gridding/wadi-grid" -q -s 32 --scale 5asec -m direct -o image.fits --png p.png v.txt
# What is told of modules is asked of them: this shows that the linker tells of each.
loads "$wadi" version
case " $loaded" in
*' fftw '* | *' cfitsio '* | *' zlib '*) ;;
*) [ -z "$(ls "$WADI_BUILD/lib/wadi" 2>/dev/null)" ] || wrong "wadi version loads no module" ;;
esac
exit $failed
