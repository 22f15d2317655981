#!/bin/sh
# The program as a person runs it: files, pipes, gzip, interrupts, mistakes. The judge is md5sum.
set -u
program="${WADI_BUILD:?}/apps/md5/wadi-md5"
work="$WADI_BUILD/wadi_md5_test.$$"

[ -x "$program" ] || { echo "skipped: wadi-md5 is not built"; exit 77; }
mkdir -p "$work" || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

wrong() {
    echo "FAILED: $*"
    : >failed
}

digest() {
    printf '%s' "$1" | md5sum | cut -c1-32
}

# status WANT COMMAND...
status() {
    want=$1
    shift
    "$@" >out 2>message
    got=$?
    [ $got -eq "$want" ] || wrong "status $got, not $want: $* ($(cat message))"
}

says() {
    grep -q -e "$1" message || wrong "no \"$1\" in: $(cat message)"
}

holds() {
    grep -q -x -F -e "$1" out || wrong "no \"$1\" in: $(cat out)"
}

# ---- words are found wherever they stand ----
long=$(printf '%0300d' 7)
printf 'first\r\n\r\nwith space \n%s\ncolon:here\n$HEX[09]\nlast' "$long" >words
for word in first '' 'with space ' "$long" colon:here '	' last; do digest "$word"; done >wanted
status 0 "$program" -q --hashes wanted words
[ "$(wc -l <out)" -eq 7 ] || wrong "not 7 words: $(cat out)"
holds "$(digest first):first"
holds "$(digest ''):"
holds "$(digest 'with space '):with space "
holds "$(digest "$long"):$long"
holds "$(digest colon:here):\$HEX[636f6c6f6e3a68657265]"
holds "$(digest '	'):\$HEX[09]"
holds "$(digest last):last"

status 1 "$program" -q --hashes "$(digest nowhere)" words
[ ! -s out ] || wrong "found what is not there: $(cat out)"
status 0 "$program" -q --keep-cr -m "$(printf 'first\r' | md5sum | cut -c1-32)" words
status 1 "$program" -q --keep-cr -m "$(digest first)" words

# ---- pipes and gzip ----
if "$program" -q -m "$(digest last)" - <words >out 2>message; then holds "$(digest last):last"; else wrong "pipe"; fi
if gzip -c words >words.gz 2>/dev/null; then
    "$program" -q -m "$(digest last)" words.gz >out 2>message
    if [ $? -eq 2 ]; then
        says "without zlib"
    else
        holds "$(digest last):last"
        head -c 40 words.gz >short.gz
        status 2 "$program" -q -m "$(digest nowhere)" short.gz
        says "short.gz"
    fi
fi

# ---- mistakes are named ----
status 2 "$program"
says "no digests"
status 2 "$program" -m "$(digest a)"
says "no dictionary"
status 2 "$program" -m 1234 words
says "1234"
printf '%s\n%s:salt\n' "$(digest a)" "$(digest b)" >salted
status 2 "$program" -m salted words
says "salted, line 2"
status 2 "$program" -m "$(digest a)" no-such-file
says "no-such-file"
status 2 "$program" -m "$(digest a)" .
says "directory"
status 2 "$program" --loud
says "loud"
if [ -e /dev/full ]; then
    "$program" -q -m "$(digest first)" words >/dev/full 2>message
    [ $? -eq 2 ] || wrong "a full disk went unnoticed"
    says "standard output"
fi

# ---- an interrupted attack goes on where it was ----
awk 'BEGIN { for (i = 0; i < 3000000; i++) print "word" i }' >many
for i in 0 1000000 2999999; do digest word$i; done >wanted
: >all
tries=0
while [ $tries -lt 200 ]; do
    tries=$((tries + 1))
    "$program" -q --chunk 500 --restore place -m wanted many >out 2>message &
    pid=$!
    sleep 0.2
    kill -INT $pid 2>/dev/null
    wait $pid
    got=$?
    cat out >>all
    [ $got -eq 130 ] || break
    [ -e place ] || wrong "interrupted, and no place kept"
done
[ $got -eq 0 ] || wrong "status $got at the end of $tries runs: $(cat message)"
[ "$(sort all | uniq | wc -l)" -eq 3 ] || wrong "not 3 words over all runs: $(cat all)"
[ "$(wc -l <all)" -eq 3 ] || wrong "a word was told twice: $(cat all)"
[ ! -e place ] || wrong "the place was kept after the end"
echo "interrupted $((tries - 1)) times"

[ ! -e failed ]
