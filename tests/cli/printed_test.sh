#!/bin/sh
# What a program prints comes to nobody, or a file may grow no further (`ulimit -f`): the program says so and fails. No signal ends it, and it leaves
# nothing behind.
set -u
wadi=$WADI_BUILD/cli/wadi
md5=$WADI_BUILD/apps/md5/wadi-md5
flac=$WADI_BUILD/apps/audio/wadi-flac
grid=$WADI_BUILD/apps/gridding/wadi-grid
send=$WADI_BUILD/apps/gridding/wadi-vis-send
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place" || exit 1
failed=0

wrong() {
    echo "wrong: $*" >&2
    failed=1
}

for program in "$wadi" "$md5" "$flac" "$grid" "$send"; do
    for option in --help --version; do
        "$program" $option >/dev/null || wrong "$program $option: status $?"
        "$program" $option 2>said >/dev/full && wrong "$program $option >/dev/full: status 0"
        grep -q 'cannot write to standard output' said || wrong "$program $option: $(cat said)"
        "$program" $option 2>said >&- && wrong "$program $option >&-: status 0"
        grep -q 'cannot write to standard output' said || wrong "$program $option: $(cat said)"
    done
done

# none_can_grow STATUS COMMAND...: it fails so, and says why. What it says goes through a pipe, which may.
none_can_grow() {
    want=$1
    shift
    said=$({ (ulimit -f 0 && exec "$@" 2>&1); echo "status $?"; } | cat)
    status=$(echo "$said" | sed -n 's/^status //p')
    [ "$status" = "$want" ] || wrong "$*: status $status"
    case $said in
    *"File too large"*) ;;
    *) wrong "$*: said $said" ;;
    esac
}

case ${WADI_SANITIZE-} in
*thread*) exit $failed ;; # its runtime writes a file before the program begins
esac

cat >double.wadi <<'END'
program double
stream_in s : seq(f64[?])
y = map_seq s (b) {
  h = map b (x) { mul x 2.0 }
  yield h
}
stream_out "y" y
END
head -c 8000 /dev/zero >zeros.raw
printf 'one\ntwo\n' >words
echo 8bbe0f52e5bcd3ca31a0e4a0b04ecd71 >hashes
mkdir cache
export WADI_CACHE_DIR="$place/cache"
none_can_grow 1 "$wadi" run double.wadi s=10:@zeros.raw
none_can_grow 1 "$wadi" run double.wadi s=10:@zeros.raw y=@y.raw --state kept
none_can_grow 2 "$md5" -m hashes -o found --state kept words
none_can_grow 1 "$flac" --state kept words -o song.flac
for left in y.raw* found* kept song.flac* cache/*; do
    [ ! -e "$left" ] || wrong "$left is left behind"
done
exit $failed
