#!/bin/sh
# The applications say where the time of their runs went, if they are asked: a table for each program, with its runs added up. Their results
# are the same.
set -u
apps="${WADI_BUILD:?}/apps"
work="$WADI_BUILD/applications_profile_test.$$"
mkdir -p "$work" || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

wrong() {
    echo "FAILED: $*"
    : >failed
}

# tells NAME COMMAND...: its messages are tables, of program NAME among others, whose lines add up
tells() {
    name=$1
    shift
    "$@" --profile 2>message || [ $? -eq 1 ] || wrong "status: $* ($(cat message))"
    grep -q -E "^program $name, [0-9]+ runs?\$" message || wrong "no program $name: $(cat message)"
    [ "$(grep -c '^program ' message)" -eq "$(grep -c '^these are ' message)" ] || wrong "tables without an end: $(cat message)"
    awk '/^these are / { if ($3 > 1.001 * $5 + 0.01) exit 1 }' message || wrong "a sum is more than the whole: $(cat message)"
    # Where the process has to wait for a processor between two lines, that is time of no line: then it runs again.
    left=9
    until awk '/^these are / { if ($3 < 0.98 * $5 - 0.2) exit 1 }' message; do
        [ $left -gt 0 ] || { wrong "a sum is less than the whole ten times: $(cat message)" && break; }
        left=$((left - 1))
        "$@" --profile 2>message || [ $? -eq 1 ] || wrong "status: $* ($(cat message))"
    done
    "$@" 2>message || [ $? -eq 1 ] || wrong "status: $* ($(cat message))"
    [ ! -s message ] || wrong "not asked, but told: $(cat message)"
}

if [ -x "$apps/md5/wadi-md5" ]; then
    printf 'one\ntwo\nthree\n' >words
    printf 'one' | md5sum | cut -c1-32 >list
    tells '[a-z]*' "$apps/md5/wadi-md5" -q -m list words >found
    grep -q 'one' found || wrong "not found: $(cat found)"
fi
head -c 40000 /dev/zero >sound
tells flac "$apps/audio/wadi-flac" -q -f -0 --force-raw-format --endian=little --sign=signed --channels=1 --bps=16 \
    --sample-rate=8000 -o sound.flac sound
if [ -x "$apps/gridding/wadi-grid" ] && [ -e "$WADI_BUILD/lib/wadi/cfitsio.so" ]; then
    printf '# frequency 150e6\n# ra 83.5\n# dec 22\n10 20 5 1 0.5 2\n-30 5 -2 0.25 -1 1\n15 -25 3 2 1 0.5\n' >v.txt
    tells image "$apps/gridding/wadi-grid" -q -s 32 --scale 5asec -o image.fits v.txt
fi
[ ! -e failed ]
