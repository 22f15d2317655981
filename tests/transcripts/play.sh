#!/bin/sh
# Plays a transcript: sh play.sh FILE.txt. Its commands run one after the other in one shell, and their output replaces the output in
# the file. If the result differs from the file, the test fails and shows the difference. With WADI_RECORD=1 the file is rewritten
# instead; read it before you commit it.
#
#   # words             about what follows
#   $ command           run in an empty folder, with the programs in PATH and the functions of tools.sh;
#   > more of it        NAME.txt begins with nothing but these
#   a line of standard output
#   ! a line of standard error
#   ? 2                 the status, if not 0
#
# A line of output that begins like one of these is written with a backslash in front, and so is an empty line at the end. Output that
# differs from run to run is written as a pattern for as few characters as possible: <d> digits, <d.dd> a number with two decimals,
# <version>, <path>, <hex>, <text> for the rest of a line; <work> is the folder.
set -u
transcript=$1
here=${0%/*}
tools=$WADI_SOURCE/tests/transcripts/tools.sh
played=$(mktemp -d "${TMPDIR:-/tmp}/wadi-transcript.XXXXXX") || exit 1
played=$(cd "$played" && pwd -P)
trap 'chmod -R u+w "$played"; rm -rf "$played"' EXIT
mkdir "$played/work" "$played/said"

# The commands, each with files for what it says.
awk -v said="$played/said" '
    function finish() {
        if (n) printf "} >%s/%d.out 2>%s/%d.err\necho $? >%s/%d.status\n", said, n, said, n, said, n
    }
    /^\$ / { finish(); n++; print "{"; print substr($0, 3); more = 1; next }
    /^>/ && more { print substr($0, 3); next }
    { more = 0 }
    END { finish() }' "$transcript" >"$played/script"

(
    cd "$played/work" || exit 1
    # What a machine has of devices decides nothing.
    LC_ALL=C WADI_LEARN=off WADI_CUDA_DRIVER=/none WADI_OPENCL_DRIVER=/none sh -c ". '$tools'; . '$played/script'" <&- </dev/null
)
status=$?
[ $status -ne 77 ] || { cat "$played"/said/*.out; exit 77; }

awk -v said="$played/said" -v work="$played/work" -f "${here:-.}/remake.awk" "$transcript" >"$played/new" || exit 1
cmp -s "$transcript" "$played/new" && exit 0
if [ "${WADI_RECORD:-}" = 1 ]; then
    cat "$played/new" >"$transcript"
    echo "recorded anew: $transcript"
    exit 0
fi
diff -u "$transcript" "$played/new"
exit 1
