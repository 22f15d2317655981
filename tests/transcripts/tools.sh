# What transcripts have at hand: the programs, and readers of files that know nothing of wadi.

PATH="$WADI_BUILD/cli:$WADI_BUILD/apps/audio:$WADI_BUILD/apps/md5:$WADI_BUILD/apps/gridding:$PATH"
examples=$WADI_SOURCE/docs/examples

# needs WHAT...: without it the transcript is left out. `program NAME` is there, `module NAME` can be loaded.
needs() {
    case $1 in
    program) command -v "$2" >/dev/null ;;
    module) wadi version | grep -q "^  module  *$2 .*(.*[A-Z].*)$" && ! wadi version | grep -q "module  *$2 .*not installed" ;;
    esac || { echo "skipped: no $1 $2"; exit 77; }
}
