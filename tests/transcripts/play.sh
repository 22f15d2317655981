#!/bin/sh
# Plays a transcript: sh play.sh FILE.txt. Its commands run one after the other in one shell, and what they print is put in the
# place of what stands there; a transcript that is then another one is an error, told as a difference. WADI_RECORD=1 keeps the new
# one instead, to be read before it is committed.
#
#   # words             about what follows
#   $ command           run in an empty folder, with the programs in PATH and the functions of tools.sh;
#   > more of it        NAME.txt begins with nothing but these
#   a line of standard output
#   ! a line of standard error
#   ? 2                 the status, if not 0
#
# A line of output that begins like one of these has a backslash before it, and so has an empty one at the end. What no two runs
# have in common stands as a pattern, and as few characters as can be: <d> digits, <d.dd> a number with two decimals, <version>,
# <path>, <hex>, <text> for a line's rest; <work> is the folder.
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
    LC_ALL=C WADI_LEARN=off sh -c ". '$tools'; . '$played/script'" <&- </dev/null
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
