#!/bin/sh
# Visibilities from one process to another: wadi-vis-send and wadi-grid --listen. The image must be the one that wadi-grid makes from
# the files themselves.
set -u
grid="${WADI_BUILD:?}/apps/gridding/wadi-grid"
send="$WADI_BUILD/apps/gridding/wadi-vis-send"
work=$(mktemp -d) || exit 1 # a short name: it holds addresses of sockets
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
to="ipc://$work/link"
mkdir -m 700 run
export XDG_RUNTIME_DIR="$work/run" # of those who are watched

[ -x "$grid" ] && [ -x "$send" ] || { echo "skipped: the programs are not built"; exit 77; }

wrong() {
    echo "FAILED: $*"
    : >failed
}

# The file must have this word in it.
says() {
    grep -q -e "$2" "$1" || wrong "no \"$2\" in: $(cat "$1")"
}

# N rows of two sources, from number FROM on.
make_rows() {
    echo "# frequency 150e6"
    echo "# ra $3"
    echo "# dec 22"
    awk -v from="$1" -v n="$2" 'BEGIN {
        for (i = from; i < from + n; i++) {
            u = 300 * sin(i * 0.7) * (i % 97) / 97; v = 280 * cos(i * 0.7) * (i % 89) / 89; w = 40 * sin(i * 0.31)
            a = -6.283185307179586 * (u * 0.004 - v * 0.003 + w * -1.25e-5)
            b = -6.283185307179586 * (u * -0.007 + v * 0.009 + w * -6.5e-5)
            printf "%.12g %.12g %.12g %.12g %.12g %.6g\n", u, v, w, cos(a) + 2 * cos(b), sin(a) + 2 * sin(b), 1 + i % 3
        }
    }'
}
make_rows 0 2000 83.5 >one.txt
make_rows 2000 700 83.5 >two.txt
make_rows 0 9000 83.5 >many.txt
make_rows 0 10 84 >elsewhere.txt
size="--size 64 --scale 1e-3rad"
direct="--size 16 --scale 1e-3rad --method direct --memory 1M" # every row goes to every pixel

"$grid" -q -o probe.fits $size one.txt >said 2>&1 || {
    grep -q -i cfitsio said && { echo "skipped: no FITS files here"; exit 77; }
    cat said
    exit 1
}

# Starts a receiver of this image with these options; `finish` waits for it, and says how it ended.
listen() {
    image=$1
    shift
    "$grid" -q -o "$image" --listen "$to" "$@" >heard 2>&1 &
    receiver=$!
}
finish() {
    wait $receiver
    heard=$?
    [ $heard -eq "$1" ] || wrong "wadi-grid ended with $heard, not $1: $(cat heard)"
}

# Waits until the receiver has shown an image, or the sender has ended, for five minutes at most.
shown() {
    tries=0
    while [ ! -e "$1" ] && kill -0 $sender 2>/dev/null && [ $tries -lt 6000 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
}

# The stream of these files gives the image that the files give, with these options of wadi-grid.
same() {
    options=$1
    pace=$2
    shift 2
    rm -f file.fits link.fits
    "$grid" -q -o file.fits $options "$@" >said 2>&1 || wrong "$options $*: $(cat said)"
    listen link.fits $options
    "$send" -q --wait 120 --to "$to" $pace "$@" 2>said || wrong "sending $*: $(cat said)"
    finish 0
    cmp file.fits link.fits || wrong "$options $pace $*: another image"
}

# ---- the same image, bit for bit ----
same "$size" "" one.txt
same "" "" one.txt
same "--weight uniform --pol I --threads 1" "--chunk 7" one.txt
same "$size --chunk 100 --threads 2" "--chunk 1999" one.txt
same "$size" "" one.txt two.txt
same "$direct" "" many.txt # more than one batch
same "--size 16 --method direct --memory 1M" "" many.txt # the sender knows its baselines

# ---- while it runs ----
# shows RATE WHAT OPTIONS...: an image with these options is shown before one.txt, sent at that rate, has come to its end, and the last one
# is that of the file. A machine on which the first image takes longer than the stream gets a slower one.
shows() {
    rate=$1
    what=$2
    shift 2
    while :; do
        rm -f live.fits
        listen live.fits --live 0.05 "$@"
        "$send" -q --wait 120 --to "$to" --rate "$rate" one.txt &
        sender=$!
        shown live.fits
        kill -0 $sender 2>/dev/null && in_time=yes || in_time=no
        wait $sender || wrong "a live image stops its sender"
        finish 0
        cmp file.fits live.fits || wrong "another image after a live one, $what"
        rate=$((rate / 4))
        [ $in_time = no ] && [ $rate -gt 3 ] || break
    done
    [ $in_time = yes ] || wrong "no image before the end of the stream, $what"
}

"$grid" -q -o file.fits $size one.txt
# shellcheck disable=SC2086
shows 2000 "of that size" $size

"$grid" -q -o file.fits $direct many.txt
listen live.fits $direct --live 0.1 # more than one batch
"$send" -q --wait 120 --to "$to" --rate 6000 many.txt || wrong "a live image stops its sender"
finish 0
cmp file.fits live.fits || wrong "another image after a live one, of several batches"

# Neither size nor scale, and weights that change with every visibility: what is shown changes, the last image is that of the file.
for weight in natural uniform; do
    "$grid" -q -o file.fits --weight $weight one.txt
    shows 2000 "$weight weights" --weight $weight
done
"$grid" -q -o file.fits $size one.txt

rm -f slow.fits
listen slow.fits $size --live 0.1
"$send" -q --wait 120 --to "$to" --rate 0.01 two.txt 2>/dev/null & # one row now, the next in minutes
sender=$!
shown slow.fits
[ -e slow.fits ] || wrong "what has come is not shown before more comes"
kill -9 $sender
finish 1

# ---- broken off: of streams that would last for minutes ----
listen broken.fits $size --live 0.05
"$send" -q --wait 120 --to "$to" --rate 5 one.txt 2>/dev/null &
sender=$!
shown broken.fits
"$WADI_BUILD/cli/wadi" top --once wadi-vis-send >said || wrong "a sender is not seen: $(cat said)"
says said "^vis_send  run [0-9]*  running"
says said "^0.out0  end    link "
kill -9 $sender
finish 1
says heard "connection to the sender was lost"
[ -e broken.fits.partial ] || wrong "no partial image"
[ ! -e broken.fits ] || wrong "a partial image under the whole one's name"

# Again: what the broken stream left stays, and the new part stands beside it.
cp broken.fits.partial first
ln -s far/away.fits broken.fits
mkdir far
listen broken.fits $size --live 0.05
"$send" -q --wait 120 --to "$to" --rate 5 one.txt 2>/dev/null &
sender=$!
shown broken.fits
kill -9 $sender
finish 1
says heard "the image so far: broken.fits.partial.2"
cmp -s broken.fits.partial first || wrong "what a broken stream left was replaced"
[ -s broken.fits.partial.2 ] || wrong "no second partial image"
[ -L broken.fits ] && [ ! -e far/away.fits ] || wrong "the link is gone, or a live image stayed"

listen stopped.fits $size --live 0.05
"$send" -q --wait 120 --to "$to" --rate 5 one.txt 2>said &
sender=$!
shown stopped.fits
kill -INT $sender
wait $sender
[ $? -eq 130 ] || wrong "an interrupted sender does not say so"
finish 1
[ ! -e stopped.fits ] || wrong "an image of an interrupted stream"

listen long.fits $size --weight uniform --memory 1M
"$send" -q --wait 120 --to "$to" many.txt 2>said && wrong "a receiver that gives up is not noticed"
finish 1
says heard "weights other than natural need all visibilities first"
[ ! -e long.fits ] || wrong "an image of a stream that was too long"

listen deaf.fits $size --live 0.05
"$send" -q --wait 120 --to "$to" --rate 5 one.txt 2>said &
sender=$!
shown deaf.fits
kill -9 $receiver
wait $sender
[ $? -eq 1 ] || wrong "a sender without a receiver does not fail"
says said "connection to the receiver was lost"
wait $receiver 2>/dev/null

# ---- what is refused ----
# The same command must fail with this status and this word.
refuses() {
    status=$1
    word=$2
    shift 2
    "$send" -q --to "$to" --wait 0.3 "$@" >said 2>&1
    got=$?
    [ $got -eq "$status" ] || wrong "status $got, not $status: $*"
    says said "$word"
}
refuses 1 "no receiver for" one.txt
refuses 1 "different phase centres" one.txt elsewhere.txt
refuses 1 "nothing.txt" one.txt nothing.txt
refuses 2 "no input"
refuses 2 "rate" --rate never one.txt
refuses 2 "must be given together" --key k one.txt
"$send" -q --to tcp://127.0.0.1:port one.txt 2>said && wrong "sends to no port"

# ---- a sender that was written from docs/WIRE.md ----
if python3 -c "import zmq" 2>/dev/null; then
    "$grid" -o foreign.fits --size 128 --scale 1e-4rad --listen "$to" >heard 2>&1 &
    receiver=$!
    python3 "$WADI_SOURCE/docs/examples/vis_send.py" "$to" 2>said || wrong "vis_send.py: $(cat said)"
    finish 0
    says heard "4000 visibilities in 2000 rows"
    says heard "at pixel 45, 55" # of a source at l = 0.002, 20 pixels to the east, m = -0.001
else
    echo "no pyzmq: the sender in Python is left out"
fi

# ---- keys ----
for name in telescope imager stranger; do
    "$send" --new-key $name >said 2>&1 || wrong "no key: $(cat said)"
done
if grep -q CURVE said; then
    echo "no CURVE here: keys are left out"
else
    "$send" --new-key imager 2>said && wrong "a key is overwritten"
    [ "$(ls -l imager | cut -c1-10)" = "-rw-------" ] || wrong "a secret key that all may read"
    listen keys.fits $size --key imager --senders telescope.pub
    "$send" -q --to "$to" --wait 0.5 --key stranger --receiver imager.pub one.txt 2>said && wrong "a stranger is let in"
    "$send" -q --to "$to" --wait 0.5 one.txt 2>said && wrong "a sender without keys is let in"
    "$send" -q --wait 120 --to "$to" --key telescope --receiver imager.pub one.txt 2>said || wrong "with keys: $(cat said)"
    finish 0
    cmp file.fits keys.fits || wrong "another image with keys"
fi

# ---- a receiver that saves: killed or told to end, it goes on, and the image is that of one stream ----
keeps="--state kept --every 0.05 --live 0.5 $size"
"$grid" -q -o whole.fits --live 0.5 $size --listen "$to" >heard 2>&1 &
receiver=$!
"$send" -q --wait 120 --to "$to" many.txt 2>said || wrong "sending: $(cat said)"
finish 0
rows_saved() {
    sed -n 's/.*--skip \([0-9]*\) goes on.*/\1/p' heard
}
# goes_on SIGNAL STATUS SKIP: ends the receiver by it once it has saved something more
goes_on() {
    rm -f before
    [ ! -e kept/state ] || cp kept/state before
    "$grid" -o kept.fits $keeps --listen "$to" >heard 2>&1 &
    receiver=$!
    "$send" -q --wait 120 --rate 3000 --skip "$3" --to "$to" many.txt 2>said &
    sender=$!
    tries=0
    until [ -e kept/state ] && ! cmp -s kept/state before || [ $tries -ge 2400 ]; do
        tries=$((tries + 1))
        sleep 0.05
    done
    kill "-$1" $receiver
    wait $receiver
    heard=$?
    [ $heard -eq "$2" ] || wrong "a receiver ended by $1: $heard, not $2: $(cat heard)"
    kill $sender 2>/dev/null
    wait $sender
}
goes_on KILL 137 0
"$grid" -o kept.fits $keeps --pol XX --listen "$to" >heard 2>&1 && wrong "other visibilities were taken"
says heard "of other visibilities"
# what the state says is said, and then the stream goes on there
"$grid" -q -o none.fits $keeps --listen "$to" >heard 2>&1 &
receiver=$!
"$send" -q --wait 120 --to "$to" elsewhere.txt >/dev/null 2>&1
finish 1
says heard "of another observation"
saved() {
    : >heard # or what the last one said is read
    "$grid" -o kept.fits $keeps --listen "$to" >heard 2>&1 &
    receiver=$!
    tries=0
    until [ -n "$(rows_saved)" ] || [ $tries -ge 1200 ]; do tries=$((tries + 1)); sleep 0.05; done
    kill -TERM $receiver
    finish 0
}
saved
first=$(rows_saved)
[ "${first:-0}" -gt 0 ] || wrong "nothing was saved: $(cat heard)"
goes_on TERM 0 "$first"
says heard "rows are saved in kept: the same command goes on"
saved
second=$(rows_saved)
[ "${second:-0}" -gt "$first" ] || wrong "no more was saved: $(cat heard)"
"$grid" -q -o kept.fits $keeps --listen "$to" >heard 2>&1 &
receiver=$!
"$send" -q --wait 120 --skip "$second" --to "$to" many.txt 2>said || wrong "sending the rest: $(cat said)"
finish 0
cmp -s kept.fits whole.fits || wrong "the image of a receiver that went on differs"
[ ! -e kept ] || wrong "the state is left: $(ls kept)"
[ ! -e kept.fits.partial ] || wrong "a part of the image is left"
# What it has shown before it goes on is not the image.
listen shown.fits $size --live 0.05 --png shown.png --state shown
"$send" -q --wait 120 --to "$to" --rate 5 one.txt 2>said &
sender=$!
shown shown.fits
kill -TERM $receiver
finish 0
wait $sender
says heard "rows are saved in shown"
[ ! -e shown.fits ] && [ ! -e shown.png ] || wrong "a live image of a saved stream stayed"
[ ! -e shown.fits.partial ] || wrong "a saved stream has left a part of its image"

# Before anything has come, nothing is saved.
"$grid" -o none.fits $size --state none --listen "$to" >heard 2>&1 &
receiver=$!
tries=0
until grep -q "waiting for" heard || [ $tries -ge 1200 ]; do tries=$((tries + 1)); sleep 0.05; done
kill -TERM $receiver
finish 0
says heard "nothing is saved"
[ ! -e none ] || wrong "the state of nothing is left"

[ ! -e failed ]
