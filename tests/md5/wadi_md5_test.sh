#!/bin/sh
# The program as a person runs it: files, pipes, gzip, interrupts, mistakes. Results are compared with md5sum.
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

# until_that COMMAND...: returns when it succeeds, after two minutes at the latest.
until_that() {
    waited=0
    while ! "$@" 2>/dev/null && [ $waited -lt 1200 ]; do
        waited=$((waited + 1))
        sleep 0.1
    done
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

# ---- pipes ----
if "$program" -q -m "$(digest last)" - <words >out 2>message; then holds "$(digest last):last"; else wrong "pipe"; fi

# ---- packed dictionaries: the packers themselves are the judges ----
# packed NAME PACKER SUFFIX
packed() {
    if ! command -v "$2" >/dev/null; then
        echo "no $2 to pack with"
        return
    fi
    "$2" -c words >"words.$3"
    if "$program" --version | grep -q "$1 (not in this build)"; then
        status 2 "$program" -q -m "$(digest last)" "words.$3"
        says "words.$3 is packed by $1, and wadi-md5 was built without"
        return
    fi
    mkfifo fifo
    for from in "words.$3" - fifo; do
        [ $from = fifo ] && { cat "words.$3" >fifo & }
        status 0 "$program" -q -m "$(digest last)" $from <"words.$3"
        holds "$(digest last):last"
    done
    rm fifo
    # a second member begins where the first ends, and zeros may follow; other things may not
    { cat "words.$3"; printf '\nbehind\n' | "$2" -c; head -c 8 /dev/zero; } >"two.$3"
    status 0 "$program" -q -m "$(digest behind)" -m "$(digest last)" "two.$3"
    { cat "words.$3"; echo rubbish; } >"more.$3"
    status 2 "$program" -q -m "$(digest nowhere)" "more.$3"
    says "more.$3, byte $(wc -c <"words.$3")"
    says "what follows the $1 data is not $1"
    # cut short anywhere: an error that names the byte, after the words before it
    size=$(wc -c <"words.$3")
    for cut in 11 $((size / 2)) $((size - 1)); do
        head -c $cut "words.$3" >"short.$3"
        status 2 "$program" -q -m "$(digest nowhere)" "short.$3"
        says "short.$3, byte $cut .*cut short"
    done
    # a byte that is changed is noticed
    { head -c $((size - 12)) "words.$3"; printf '\252\125'; tail -c 10 "words.$3"; } >"bad.$3"
    status 2 "$program" -q -m "$(digest nowhere)" "bad.$3"
    says "bad.$3, byte"
    # as they are: lines of packed bytes are words
    { cat "words.$3"; printf '\nraw\n'; } >"raw.$3"
    status 0 "$program" -q --no-unpack -m "$(digest raw)" "raw.$3"
    # many members of many words: nothing is lost at their seams
    : >"many.$3"
    for i in 1 2 3 4 5; do
        awk -v i=$i 'BEGIN { for (k = 0; k < 60000; k++) print i * 60000 + k }' | "$2" -c >>"many.$3"
    done
    status 0 "$program" -q -m "$(digest 60000)" -m "$(digest 119999)" -m "$(digest 120000)" -m "$(digest 359999)" "many.$3"
    status 1 "$program" -m "$(digest nowhere)" "many.$3"
    says "300000 words"
}
packed gzip gzip gz
packed xz xz xz
packed zstd zstd zst
packed bzip2 bzip2 bz2
printf 'PK\003\004rest' >words.zip
status 2 "$program" -q -m "$(digest last)" words.zip
says "packed by zip"
says "no-unpack"
printf 'BZh\nPK\n\037\nBZh9\n' >alike
status 0 "$program" -q -m "$(digest BZh)" -m "$(digest BZh9)" alike

# ---- lists as others write them ----
md5sum words >list
status 1 "$program" -q -m list words
md5sum --tag words >>list
printf '\357\273\277%s\r\nAdmin:%s\r\nsome rubbish\r\n%s:salt\r\n' "$(digest first | tr a-f A-F)" "$(digest last)" "$(digest b)" >list
status 0 "$program" -q -m list words
holds "$(digest first):first"
holds "$(digest last):last"
says "2 lines are no digests"
says 'list, line 3: "some rubbish\\x0d": not an MD5 digest'
says "list, line 4: .*salted"
digest last | status 0 "$program" -q -m - words
status 2 "$program" -q -m - -
says "standard input"
gzip -c list >list.gz
status 0 "$program" -q -m list.gz words
printf '\377\376a\0' >utf16
status 2 "$program" -q -m utf16 words
says "UTF-16"

# ---- mistakes are named ----
status 2 "$program"
says "no digests"
status 2 "$program" -m "$(digest a)"
says "no dictionary"
status 2 "$program" -m 1234 words
says "1234"
printf '\n%s:salt\n' "$(digest b)" >salted
status 2 "$program" -m salted words
says "no line of salted is an MD5 digest; salted, line 2"
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

# ---- found words in a file: added to it, once each ----
printf 'first\nlast\n' >few
digest first >wanted
digest last >>wanted
status 1 "$program" -q -m "$(digest first)" -m "$(digest nowhere)" -o found few
status 0 "$program" -q -m wanted -o found few
status 0 "$program" -q -m wanted -o found few
[ ! -s out ] || wrong "found words went to standard output as well"
[ "$(sort found)" = "$(printf '%s:first\n%s:last' "$(digest first)" "$(digest last)" | sort)" ] || wrong "found: $(cat found)"
cp few notes
status 2 "$program" -q -m wanted -o notes few
says "notes, line 1"
cmp -s few notes || wrong "a file of something else was written to"
status 0 "$program" -q -m wanted -o /dev/stdout few
holds "$(digest last):last"
ln -s target link
status 0 "$program" -q -m wanted -o link few
[ -L link ] && [ "$(wc -l <target)" -eq 2 ] || wrong "not written behind the link"

# ---- an interrupted attack goes on where it was: whatever the signal, and the output is that of one run ----
awk 'BEGIN { for (i = 0; i < 1000000; i++) print "word" i }' >many
for i in 0 300000 600000 999999; do digest word$i; done >wanted
"$program" -q -m wanted -o once many

# begun_again SIGNAL TRIES ARGUMENTS...: ends the program by it again and again, until it comes to its end
begun_again() {
    signal=$1 most=$2 tries=0
    shift 2
    : >all
    while :; do
        tries=$((tries + 1))
        "$program" -q --chunk 500 --state kept --every 0.05 -m wanted "$@" many >out 2>message &
        pid=$!
        [ $tries -gt "$most" ] || sleep "0.$((tries % 3 + 1))"
        [ $tries -gt "$most" ] || kill "-$signal" $pid 2>/dev/null
        wait $pid
        got=$?
        cat out >>all
        case $got in
        137 | 143) [ $tries -le "$most" ] || break ;; # 143: it had no handler yet
        0) [ -e kept/state ] && [ $tries -lt 100 ] || break ;;
        *) break ;;
        esac
    done
    [ $got -eq 0 ] || wrong "status $got at the end of $tries runs: $(cat message)"
    [ ! -e kept ] || wrong "the place was kept after the end"
    echo "ended by $signal $((tries - 1)) times"
}
begun_again TERM 3
cmp -s all once || wrong "drained: other words: $(cat all)"
begun_again KILL 3
sort all | uniq | cmp -s - once || [ "$(sort all | uniq | wc -l)" -eq 4 ] || wrong "killed: other words: $(cat all)"
rm -f found
begun_again KILL 3 -o found
cmp -s found once || wrong "killed: another output: $(cat found)"
[ ! -s all ] || wrong "found words went to standard output as well"

# ---- a place follows the words while the dictionary waits, has one owner, and is of one attack ----
mkfifo fifo
"$program" -q --state kept --every 0.05 -m "$(digest second)" -m "$(digest last)" - <fifo >out 2>message &
pid=$!
exec 3>fifo
printf 'first\nsecond\n' >&3
until_that test -s out
"$program" -q --state kept -m "$(digest second)" - <few >second 2>&1
[ $? -eq 2 ] && grep -q 'kept: another process' second || wrong "a session had two owners: $(cat second)"
kill -TERM $pid
wait $pid || wrong "drained while the dictionary waits: $(cat message)"
exec 3>&-
grep -q 'the same command goes on' message || wrong "drained: $(cat message)"
status 2 "$program" -q --state kept -m "$(digest second)" - <few
grep -q 'of other digests' message || wrong "other digests: $(cat message)"
head -c 60 kept/state >cut && mv cut kept/state.cut && cp kept/state whole && cp kept/state.cut kept/state && rm kept/state.cut
status 2 "$program" -q --state kept -m "$(digest second)" -m "$(digest last)" - <few
cp whole kept/state
printf 'first\nsecond\nlast\n' | "$program" -q --state kept -m "$(digest second)" -m "$(digest last)" - >out 2>message ||
    wrong "the word behind the place: $(cat message)"
holds "$(digest last):last"
[ ! -e kept ] || wrong "the place was kept after the end"

# ---- drained by whoever watches it ----
if command -v python3 >/dev/null; then
    sockets=$(mktemp -d) # a short path
    XDG_RUNTIME_DIR="$sockets" "$program" -q --state kept --every 0.05 -m "$(digest second)" -m "$(digest last)" - <fifo >out 2>message &
    pid=$!
    exec 3>fifo
    printf 'first\nsecond\n' >&3
    until_that test -s out
    echo 'import glob, socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(glob.glob(sys.argv[1] + "/wadi/*")[0])
s.sendall(b"drain" + bytes([10]))
sys.exit(not s.recv(100).startswith(b"ok"))' >ask.py
    python3 ask.py "$sockets" || {
        wrong "it cannot be drained"
        exec 3>&- # then it ends with its input
    }
    wait $pid || wrong "drained from outside: $(cat message)"
    exec 3>&-
    grep -q 'the same command goes on' message || wrong "drained from outside: $(cat message)"
    [ -e kept/state ] || wrong "drained from outside, it has saved nothing"
    rm -rf "$sockets" kept
fi

[ ! -e failed ]
