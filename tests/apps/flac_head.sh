# The beginning of the tests of wadi-flac: makes a folder to work in, and looks for the tools flac and metaflac, which check results.
set -u
program="${WADI_BUILD:?}/apps/audio/wadi-flac"
work="$WADI_BUILD/$(basename "$0" .sh).$$"

for tool in flac metaflac; do
    command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
[ -x "$program" ] || { echo "skipped: wadi-flac is not built"; exit 77; }

mkdir -p "$work" || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

wrong() {
    echo "FAILED: $*"
    : >failed # a file, since some checks run in a pipeline's subshell
}

# The same command must fail, say so on standard error with the word given, and leave no file called out.
refuses() {
    word=$1
    shift
    rm -f out
    if "$program" "$@" >/dev/null 2>message; then wrong "accepted: $*"; fi
    grep -q -e "$word" message || wrong "no \"$word\" in: $(cat message)"
    [ ! -e out ] || wrong "left a file: $*"
}
