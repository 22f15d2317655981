#!/bin/sh
# --skip and --until give what flac's own options give, metaflac reads the seek tables, and options of flac that wadi-flac does not
# need are accepted or refused as documented.
. "${0%/*}/flac_head.sh"

# Two and a half seconds of stereo at 8 kHz: the bytes of the program.
head -c 80000 "$program" >raw
flac -s --force-raw-format --endian=little --sign=signed --channels=2 --bps=16 --sample-rate=8000 -o raw.flac raw || exit 1
flac -s -d -o in.wav raw.flac || exit 1

about() {
    metaflac --show-total-samples --show-md5sum "$1"
}

# ---- parts: as many and the same samples as flac takes ----
compared=0
for part in --skip=1 --skip=4095 --skip=4096 --skip=19999 --skip=0:01 --skip=0:01.5001 --skip=0:2.4999 --until=1 --until=4097 \
    --until=20000 --until=0:02.25 --until=-1 --until=-0:01 --until=-19999 "--skip=100 --until=101" "--skip=0:01 --until=+0:01" \
    "--skip=5000 --until=+5000" "--skip=1000 --until=-0:01.125" "--skip=0 --until=-0"; do
    for input in in.wav raw.flac; do
        flac -s -f $part -o peer.flac $input 2>peer.message || { wrong "$part: flac does not take it"; continue; }
        "$program" -s -w -f $part -o ours.flac $input || { wrong "$part $input"; continue; }
        flac -s -t -w ours.flac || wrong "$part $input: refused by flac -t"
        [ "$(about ours.flac)" = "$(about peer.flac)" ] || wrong "$part $input: $(about ours.flac); flac: $(about peer.flac)"
        compared=$((compared + 1))
    done
    flac -s -d -f $part -o peer.wav raw.flac 2>peer.message && "$program" -s -w -d -f $part -o ours.wav raw.flac && cmp peer.wav ours.wav ||
        wrong "$part: decoded"
done
[ $compared -eq 38 ] || wrong "$compared parts were compared"
"$program" -s -f --skip=5 --until=9 -o ours.flac - <in.wav && [ "$(metaflac --show-total-samples ours.flac)" = 4 ] ||
    wrong "a part of a pipe"
"$program" -s -w -t --skip=100 raw.flac || wrong "a part is tested"

# expect WORDS ARGUMENTS: refused with these words, and nothing written
expect() {
    words=$1
    shift
    rm -f none.flac
    "$program" "$@" -o none.flac 2>message && wrong "$* is taken"
    grep -qF -e "$words" message || wrong "$*: $(cat message)"
    [ ! -e none.flac ] || wrong "$*: something was written"
}
expect "in.wav: --skip: sample 20000; it has only 20000" --skip=20000 in.wav
expect "in.wav: --skip: sample 24000; it has only 20000" --skip=0:03 in.wav
expect "in.wav: --until: sample 20001; it has only 20000" --until=20001 in.wav
expect "in.wav: --until: sample 500 is not behind sample 500, where --skip leads" --skip=500 --until=500 in.wav
expect "in.wav: --until: sample -1 is not behind" --until=-20001 in.wav
expect '--skip: "-5" is not a number of samples or MINUTES:SECONDS' --skip=-5 in.wav
for place in "" x 1: :5 1:60 1:1e1 0:-1 1:2:3 5s ++5 +-5 68719476737; do
    expect "--until: \"$place\" is not" "--until=$place" in.wav
done
expect "--skip and --until want a part" --keep-foreign-metadata --skip=5 in.wav
expect "the output is only a part of it" --delete-input-file --until=-5 in.wav
[ -e in.wav ] || wrong "the input is deleted though only a part of it was wanted"
# A stream whose end is not known.
flac -s -0 --force-raw-format --endian=little --sign=signed --channels=2 --bps=16 --sample-rate=8000 - <raw 2>/dev/null >endless.flac
expect "endless.flac: --until: the end of the input is not known" --until=-5 endless.flac
expect "endless.flac: --until: sample 20001; it has only 20000" --until=20001 endless.flac
expect "endless.flac: --skip: it ends at sample 20000" --skip=30000 endless.flac
"$program" -s -f --skip=19990 --until=+7 -o ours.flac endless.flac && [ "$(metaflac --show-total-samples ours.flac)" = 7 ] ||
    wrong "a part of a stream without an end"

# ---- seek tables: the wanted samples lie in the frames that are named ----
# points ARGUMENTS: the sample numbers in the table, and PLACEHOLDER for room
points() {
    "$program" -s -f -b 1000 "$@" -o ours.flac in.wav || wrong "$*"
    flac -s -t -w ours.flac || wrong "$*: refused by flac -t"
    metaflac --list --block-type=SEEKTABLE ours.flac | sed -n 's/.*point [0-9]*: sample_number=\([0-9]*\).*/\1/p; s/.*point [0-9]*: \(PLACEHOLDER\)/\1/p' |
        tr '\n' ' '
}
[ "$(points)" = "0 " ] || wrong "the usual table: $(points)"
[ "$(points -S 1s)" = "0 8000 16000 " ] || wrong "-S 1s: $(points -S 1s)"
[ "$(points --seekpoint=0.5s)" = "0 4000 8000 12000 16000 " ] || wrong "0.5s"
[ "$(points -S 4x)" = "0 5000 10000 15000 " ] || wrong "-S 4x: $(points -S 4x)"
[ "$(points -S 7999 -S 3000 -S X -S 7000 -S 0 -S X)" = "0 3000 7000 PLACEHOLDER PLACEHOLDER PLACEHOLDER " ] ||
    wrong "samples: $(points -S 7999 -S 3000 -S X -S 7000 -S 0 -S X)"
[ "$(points -S 19999 -S 20000)" = "19000 PLACEHOLDER " ] || wrong "behind the end: $(points -S 19999 -S 20000)"
[ -z "$(points --no-seektable)" ] && [ -z "$(points -S -)" ] || wrong "no table"
# The offsets are those of frames: flac seeks by them.
points -S 10x >/dev/null
for at in 1 2000 9999 15001; do
    flac -s -d -f --skip=$at -o peer.wav ours.flac && flac -s -d -f --skip=$at -o right.wav raw.flac && cmp peer.wav right.wav ||
        wrong "seeking to $at"
done
for point in "" 5m x s 0s -5 0x 5000x; do expect '--seekpoint: "'"$point"'" is not' "--seekpoint=$point" in.wav; done

# ---- what flac's users type besides ----
"$program" -s -f -8 -o best.flac in.wav && "$program" -s -f -2 -e -o searched.flac in.wav && cmp best.flac searched.flac || wrong "-e"
"$program" -s -f -3p -o searched.flac in.wav && cmp best.flac searched.flac || wrong "-p"
"$program" -f -8 -m -r 6 -A "tukey(0.5)" -l 12 -o idle.flac in.wav 2>message && cmp best.flac idle.flac || wrong "-m -r -A -l"
grep -q "warning: .*change nothing" message || wrong "nothing is said about -m: $(cat message)"
"$program" -s -w -f -8 -M -o idle.flac in.wav && wrong "-w: status 0 after a warning"
cmp best.flac idle.flac || wrong "-w: the output is another one"
"$program" -w -f -o idle.flac in.wav || wrong "-w without a warning"
expect "not every player takes more than 4608 (--lax writes them all the same)" -b 8192 in.wav
"$program" -s -f --lax -b 8192 -o lax.flac in.wav && flac -s -t -w lax.flac && [ "$(metaflac --show-max-blocksize lax.flac)" = 8192 ] ||
    wrong "--lax"
expect "metaflac --import-cuesheet-from" --cuesheet=x.cue in.wav

# ---- nothing is lost without a word ----
# put AT BYTES: over what stands there
put() { printf "$2" | dd of=made bs=1 seek="$1" conv=notrunc 2>/dev/null; }
# A header whose data has no length, however long the whole says it is: samples are no chunks.
for whole in '\044\0\0\0' '\050\0\0\0' '\377\377\377\177' '\377\377\377\377'; do
    head -c 4044 in.wav >made && put 4 "$whole" && put 40 '\0\0\0\0'
    expect "made: its header was never completed" -f --delete-input-file made
    [ -e made ] || wrong "an input that was not taken is deleted"
    "$program" -s -f --ignore-chunk-sizes -o ours.flac made && [ "$(metaflac --show-total-samples ours.flac)" = 1000 ] ||
        wrong "--ignore-chunk-sizes: $whole"
done
# Nothing but chunks behind it: there are no samples.
head -c 44 in.wav >made && put 40 '\0\0\0\0' && put 44 'LIST\004\0\0\0INFO' && put 4 '\060\0\0\0'
"$program" -s -f -o ours.flac made && [ "$(metaflac --show-total-samples ours.flac)" = 0 ] || wrong "a WAV without samples"
# AIFF says twice how many there are.
flac -s -d -f --force-aiff-format -o in.aiff raw.flac || exit 1
at=$(grep -abo SSND in.aiff | head -1 | cut -d : -f 1)
for n in '\0\0\0\0' '\0\0\0\010'; do
    cp in.aiff made && put $((at + 4)) "$n"
    expect "made: its header was never completed" made
done
cp in.aiff made && put $((at + 4)) '\0\0\017\250'
expect "its header promises 20000 frames, but the chunk of samples holds 1000; --ignore-chunk-sizes takes what is there" made
# Cut within a frame.
head -c 4047 in.wav >made
expect "--ignore-chunk-sizes takes what is there" made
"$program" -s -f --ignore-chunk-sizes -o ours.flac made && [ "$(metaflac --show-total-samples ours.flac)" = 1000 ] ||
    wrong "cut within a frame"
# With -w an input stays of which there was a warning.
cp in.wav kept.wav
"$program" -s -w -f -m --delete-input-file -o ours.flac kept.wav && wrong "-w: status 0"
[ -e kept.wav ] || wrong "-w: deleted after a warning"
# A cue sheet is about all of the sound.
printf 'FILE "in.wav" WAVE\n  TRACK 01 AUDIO\n    INDEX 01 00:00:00\n' >cue
cp raw.flac cued.flac && metaflac --import-cuesheet-from=cue cued.flac || exit 1
"$program" -f --skip=5 -o ours.flac cued.flac 2>message && grep -q "cue sheet is left out" message || wrong "cue sheet: $(cat message)"
"$program" -s -w -f -o ours.flac cued.flac && [ -n "$(metaflac --list --block-type=CUESHEET ours.flac)" ] || wrong "a cue sheet is lost"

[ ! -e failed ]
