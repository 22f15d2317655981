#!/bin/sh
# docs/TUTORIAL.md says what is true: its blocks ```wadi FILE become files, its blocks ```console are played as a transcript.
set -u
here=$(cd "${0%/*}/.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/wadi-t.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
awk '
    /^```wadi / { file = $2; print "$ cat >" file " <<\047END\047"; next }
    /^```console$/ { console = 1; next }
    /^```/ { if (file) print "> END"; file = ""; console = 0; next }
    file { print "> " $0 }
    console { print }' "$WADI_SOURCE/docs/TUTORIAL.md" >"$work/tutorial.txt"
[ "$(grep -c '^\$' "$work/tutorial.txt")" -ge 15 ] || { echo "commands are missing"; exit 1; }
WADI_RECORD='' sh "$here/transcripts/play.sh" "$work/tutorial.txt"
