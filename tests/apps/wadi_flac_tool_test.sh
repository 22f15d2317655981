#!/bin/sh
# wadi-flac as users of flac would use it: metadata, pipes, several inputs, decoding.
. "${0%/*}/flac_head.sh"

# raw NAME BYTES: sound of a kind, from the program's own bytes. It begins with silence: letters would look like the name of a chunk.
raw() {
    head -c $((100000 + $2)) "$program" | tail -c "$2" >"$1"
    dd if=/dev/zero of="$1" bs=8 count=1 conv=notrunc 2>/dev/null
}
# flac_of NAME CHANNELS BITS RATE RAW
flac_of() {
    flac -s -f --lax --force-raw-format --endian=little --sign=signed --channels="$2" --bps="$3" --sample-rate="$4" -o "$1" "$5" || exit 1
}
wav_of() {
    flac_of made.flac "$2" "$3" "$4" "$5" && flac -s -f -d -o "$1" made.flac || exit 1
}
# same_blocks A B TYPE...: the blocks' bytes, vendor aside
blocks() {
    file=$1
    shift
    for type in "$@"; do metaflac --list --block-type="$type" "$file"; done | grep -v -e "^METADATA" -e "is last" -e "vendor string" -e "^  length"
}

raw sound.raw 96000
wav_of in.wav 2 16 44100 sound.raw

# ---- metadata of a FLAC input ----
printf 'P6\n1 1\n255\nabc' >picture.ppm
cat >sheet.cue <<CUE
FILE "in.wav" WAVE
  TRACK 01 AUDIO
    INDEX 01 00:00:00
CUE
flac -s -f -5 --cuesheet=sheet.cue --picture='4|image/x-ppm|back|1x1x24|picture.ppm' -T ARTIST=First -T ARTIST=Second \
    -T ALBUMARTIST=Both -T 'LYRICS=a
b' -T MUSICBRAINZ_TRACKID=1 -T REPLAYGAIN_TRACK_GAIN=-1 -P 3000 -o rich.flac in.wav || exit 1
printf 'abcdNOTES' >block && metaflac --list rich.flac >/dev/null
flac -s -f -o foreign.flac --keep-foreign-metadata in.wav 2>/dev/null || wrong "flac --keep-foreign-metadata"
"$program" -q -8 -f -o poor.flac rich.flac || wrong "metadata"
blocks rich.flac VORBIS_COMMENT PICTURE CUESHEET APPLICATION >a
blocks poor.flac VORBIS_COMMENT PICTURE CUESHEET APPLICATION >b
cmp a b || wrong "metadata is not what it was: $(diff a b | head -5)"
[ "$(metaflac --list --block-type=PADDING poor.flac | grep -c "type: 1")" = 1 ] || wrong "not one padding"
metaflac --list --block-type=PADDING poor.flac | grep -q "length: 3000" || wrong "padding: $(metaflac --list --block-type=PADDING poor.flac)"
[ "$(metaflac --list --block-type=SEEKTABLE poor.flac | grep -c "type: 3")" = 1 ] || wrong "not one seek table"
flac -s -t -w poor.flac || wrong "rich metadata"
cp rich.flac own.flac
"$program" -q -f own.flac && blocks own.flac VORBIS_COMMENT PICTURE CUESHEET >b && blocks rich.flac VORBIS_COMMENT PICTURE CUESHEET >a
cmp a b || wrong "metadata of a file written over itself"
"$program" -f -o told.flac -T ARTIST=New rich.flac 2>message || wrong "-T"
grep -q "replaced" message || wrong "no word about replaced tags"
[ "$(metaflac --export-tags-to=- told.flac)" = "ARTIST=New" ] || wrong "-T: $(metaflac --export-tags-to=- told.flac)"
blocks told.flac PICTURE CUESHEET >b
blocks rich.flac PICTURE CUESHEET >a
cmp a b || wrong "-T changed pictures"
printf 'two\nlines' >lyrics
"$program" -q -f -o told.flac --tag-from-file=LYRICS=lyrics -T TITLE=x --no-padding in.wav || wrong "--tag-from-file"
[ "$(metaflac --show-tag=LYRICS told.flac)" = "$(printf 'LYRICS=two\nlines')" ] || wrong "tag from file"
[ "$(metaflac --list --block-type=PADDING told.flac)" = "" ] || wrong "--no-padding"
"$program" -q -f -P 777 -o told.flac rich.flac && metaflac --list --block-type=PADDING told.flac | grep -q "length: 777" || wrong "-P"

# ---- pictures: as flac reads them ----
printf '\211PNG\r\n\032\n\0\0\0\rIHDR\0\0\0\040\0\0\0\040\010\002\0\0\0\0\0\0\0' >icon.png
printf 'GIF89a\005\0\007\0\222\0\0;' >small.gif
printf '\377\330\377\340\0\004ab\377\300\0\021\010\0\007\0\011\003\377\331' >small.jpg
for spec in icon.png "1||icon|32x32x24|icon.png" "|image/gif|g|5x7x24/8|small.gif" "6||a jpeg||small.jpg" "3|-->|||http://localhost/x.png" small.gif; do
    flac -s -f --picture="$spec" -o a.flac in.wav 2>/dev/null || { echo "flac does not take $spec"; continue; }
    "$program" -q -f --picture="$spec" -o b.flac in.wav || wrong "--picture=$spec"
    blocks a.flac PICTURE >a
    blocks b.flac PICTURE >b
    cmp a b || wrong "--picture=$spec: $(diff a b | head -6)"
done
for spec in "99|||1x1x1|icon.png" "3|image/x|||picture.ppm" "|||1xa|icon.png" "1||||small.gif" "a|b" missing.png; do
    refuses picture\\\|missing -f --picture="$spec" -o b.flac in.wav
done

# ---- streams without a total, without MD5, with other widths, from pipes ----
flac -s -c in.wav 2>/dev/null | cat >streamed.flac
for bits in 8 12 15 16 20 24 32; do
    bytes=$(((bits + 7) / 8))
    raw wide.raw $((bytes * 20000))
    if [ $((bits % 8)) = 0 ]; then
        "$program" -q -f --force-raw-format --endian=little --sign=signed --channels=1 --bps=$bits --sample-rate=48000 -o wide.flac wide.raw ||
            wrong "raw, $bits bits"
        flac -s -t -w wide.flac 2>message || { [ $bits = 32 ] && grep -q 32 message; } || wrong "raw, $bits bits: $(cat message)"
        "$program" -s -d -f --force-raw-format --endian=little --sign=signed -o back.raw wide.flac && cmp back.raw wide.raw ||
            wrong "raw and back, $bits bits"
        "$program" -q -8 -V -f -o again.flac wide.flac || wrong "its own $bits bits"
    fi
done
[ "$(metaflac --show-total-samples streamed.flac)" -gt 0 ] && echo "flac knew the total"
"$program" -q -f -o piped.flac - <rich.flac && flac -s -t -w piped.flac || wrong "FLAC from a file on standard input"
cat streamed.flac | "$program" -q -f -o piped.flac - && flac -s -t -w piped.flac || wrong "FLAC from a pipe"
[ "$(metaflac --show-md5sum piped.flac)" = "$(metaflac --show-md5sum rich.flac)" ] || wrong "FLAC from a pipe: other samples"
"$program" -f -o piped.flac streamed.flac 2>message || wrong "no MD5"
grep -q "no MD5" message || wrong "no word about the missing MD5"
for file in rich.flac in.wav; do
    "$program" -f -o piped.flac $file 2>message || wrong "$file"
    ! grep -q "no MD5" message || wrong "$file: $(cat message)"
done
"$program" -q -c in.wav 2>/dev/null | cat >ours.flac
"$program" -s -t ours.flac || wrong "its own streams"

# ---- blocks of one size on request, else of several: STREAMINFO says which, and both decode ----
raw changing 40000
head -c 40000 /dev/zero >>changing
raw more 30000 && cat more >>changing
wav_of changing.wav 2 16 44100 changing
"$program" -q -f -8 -o cut.flac changing.wav || wrong "-8"
"$program" -q -f -8 -b 1000 -o even.flac changing.wav || wrong "-8 -b 1000"
flac -s -t -w cut.flac even.flac || wrong "blocks: flac -t"
[ "$(metaflac --show-min-blocksize cut.flac) $(metaflac --show-max-blocksize cut.flac)" = "1024 4096" ] || wrong "blocks that vary"
[ "$(metaflac --show-min-blocksize even.flac) $(metaflac --show-max-blocksize even.flac)" = "1000 1000" ] || wrong "-b 1000"
flac -s -f -d --skip=12345 -o part.wav cut.flac && flac -s -f -d --skip=12345 -o want.wav even.flac && cmp part.wav want.wav ||
    wrong "seeking in blocks that vary"
refuses 4608 -f -b 5000 -o no.flac changing.wav

if flac -s -f --ogg -o in.oga in.wav 2>/dev/null; then refuses "Ogg container" -f -o no.flac in.oga; fi

# ---- damage ----
damage() { # FILE FROM BYTE: a copy, one byte changed
    cp "$1" damaged.flac && printf '%b' "$3" | dd of=damaged.flac bs=1 seek="$2" conv=notrunc 2>/dev/null
}
damage rich.flac 30 '\001\002\003'
refuses "MD5" -f -o out.flac damaged.flac
refuses "MD5" -t damaged.flac
flac_of plain.flac 2 16 44100 sound.raw
metaflac --remove-all plain.flac
total=$(metaflac --show-total-samples plain.flac)
damage plain.flac 24 "$(printf '\\0%o\\0%o' $(((total - 4000) / 256 % 256)) $(((total - 4000) % 256)))"
refuses "more" -f -o out.flac damaged.flac
damage plain.flac 24 "$(printf '\\0%o\\0%o' $(((total + 4000) / 256 % 256)) $(((total + 4000) % 256)))"
refuses "truncated" -f -o out.flac damaged.flac
head -c 40000 plain.flac >cut.flac
refuses "cut.flac" -f -o out.flac cut.flac
head -c 40000 streamed.flac | refuses "sample" -f -o out.flac -
cat plain.flac plain.flac >twice.flac
refuses "twice.flac" -t twice.flac
(cat plain.flac; printf 'TAGtrailing') >tailed.flac
"$program" -s -t tailed.flac || wrong "a tag behind the sound"
(printf 'ID3\003\0\0\0\0\0\004abcd'; cat plain.flac) >headed.flac
"$program" -s -t headed.flac || wrong "a tag before the sound"
[ ! -e out.flac ] || wrong "left a file"

# ---- decoding ----
"$program" -s -d -f -o back.wav rich.flac && cmp back.wav in.wav || wrong "-d"
"$program" -s -d -c rich.flac | cmp - in.wav || wrong "-dc"
flac -s -d -f --force-raw-format --endian=big --sign=unsigned -o a.raw rich.flac
"$program" -s -d -f --force-raw-format --endian=big --sign=unsigned -o b.raw rich.flac && cmp a.raw b.raw || wrong "-d raw"
raw six.raw 120000
for about in "6 16" "1 24" "2 24" "3 8"; do
    flac_of many.flac ${about% *} ${about#* } 48000 six.raw 2>/dev/null || continue
    flac -s -d -f -o a.wav many.flac
    "$program" -s -d -f -o b.wav many.flac && cmp a.wav b.wav || wrong "-d $about"
    "$program" -q -f -o c.flac a.wav && flac -s -t -w c.flac || wrong "$about"
    [ "$(metaflac --show-md5sum c.flac)" = "$(metaflac --show-md5sum many.flac)" ] || wrong "$about: other samples"
done
# speakers
flac -s -f -T WAVEFORMATEXTENSIBLE_CHANNEL_MASK=0x003F --force-raw-format --endian=little --sign=signed --channels=6 --bps=16 \
    --sample-rate=48000 -o mask.flac six.raw
flac -s -d -f -o mask.wav mask.flac
flac -s -f -o a.flac mask.wav && "$program" -q -f -o b.flac mask.wav || wrong "a mask"
[ "$(metaflac --show-tag=WAVEFORMATEXTENSIBLE_CHANNEL_MASK b.flac)" = "$(metaflac --show-tag=WAVEFORMATEXTENSIBLE_CHANNEL_MASK a.flac)" ] ||
    wrong "the mask is lost"
"$program" -s -d -f -o c.wav b.flac && cmp c.wav mask.wav || wrong "-d with a mask"

# ---- chunks of WAV ----
size=$(wc -c <in.wav)
(
    printf 'RIFF\0\0\0\0WAVEnote\003\0\0\0abc\0'
    tail -c +13 in.wav
    printf 'LIST\032\0\0\0INFOINAM\006\0\0\0Water\0IART\0\0\0\0'
) >chunky.wav
riff=$((size + 12 + 34 - 8))
printf "$(printf '\\%o\\%o\\%o\\%o' $((riff % 256)) $((riff / 256 % 256)) $((riff / 65536 % 256)) 0)" | dd of=chunky.wav bs=1 seek=4 conv=notrunc 2>/dev/null
"$program" -q -f --keep-foreign-metadata -o chunky.flac chunky.wav || wrong "--keep-foreign-metadata"
flac -s -t -w chunky.flac || wrong "--keep-foreign-metadata: refused"
flac -s -d -f --keep-foreign-metadata -o a.wav chunky.flac && cmp a.wav chunky.wav || wrong "flac does not put the chunks back"
"$program" -s -d -f --keep-foreign-metadata -o b.wav chunky.flac && cmp b.wav chunky.wav || wrong "chunks are not put back"
[ "$(metaflac --show-tag=TITLE chunky.flac)" = "TITLE=Water" ] || wrong "the chunk's title"
"$program" -q -f -o again.flac chunky.flac && flac -s -d -f --keep-foreign-metadata -o a.wav again.flac && cmp a.wav chunky.wav ||
    wrong "chunks in a FLAC input"
refuses "chunks" -d -f --keep-foreign-metadata -o a.wav rich.flac

# ---- headers never completed ----
dd if=in.wav of=died.wav bs=1M 2>/dev/null
printf '\044\0\0\0' | dd of=died.wav bs=1 seek=4 conv=notrunc 2>/dev/null
printf '\0\0\0\0' | dd of=died.wav bs=1 seek=40 conv=notrunc 2>/dev/null
refuses "never completed" -f -o out.flac died.wav
cat died.wav | refuses "never completed" -f -o out.flac -
"$program" -q -f --ignore-chunk-sizes -o rescued.flac died.wav || wrong "--ignore-chunk-sizes"
[ "$(metaflac --show-md5sum rescued.flac)" = "$(metaflac --show-md5sum rich.flac)" ] || wrong "rescued other samples"
printf '\377\377\377\377' | dd of=died.wav bs=1 seek=40 conv=notrunc 2>/dev/null
cat died.wav | "$program" -q -f -o rescued.flac - || wrong "a WAV of unknown length from a pipe"
[ "$(metaflac --show-md5sum rescued.flac)" = "$(metaflac --show-md5sum rich.flac)" ] || wrong "unknown length: other samples"
head -c 20044 in.wav | "$program" -q -f --ignore-chunk-sizes -o rescued.flac - && [ "$(metaflac --show-total-samples rescued.flac)" = 5000 ] ||
    wrong "a WAV cut off"

# ---- several inputs, names, joined letters ----
mkdir many dest
cp in.wav many/one.wav && cp in.wav many/three.wav && echo "no sound" >many/two.wav
"$program" -8s many/*.wav 2>message && wrong "a bad input, and status 0"
grep -q two.wav message || wrong "no word about two.wav"
flac -s -t -w many/one.flac many/three.flac || wrong "the others are not done"
[ ! -e many/two.flac ] || wrong "left a file for two.wav"
"$program" -8sf --output-prefix=dest/x- many/one.wav many/three.wav && flac -s -t dest/x-one.flac dest/x-three.flac || wrong "--output-prefix"
"$program" -fsVo joined.flac in.wav && cmp joined.flac many/one.flac >/dev/null
flac -s -t -w joined.flac || wrong "joined letters"
refuses "one output" -o x.flac many/one.wav many/three.wav
"$program" --best -f -s -o a.flac in.wav && "$program" -8 -f -s -o b.flac in.wav && cmp a.flac b.flac || wrong "--best"
"$program" --fast -f -s -j 1 -o a.flac in.wav && "$program" -0 -f -s -o b.flac in.wav && cmp a.flac b.flac || wrong "--fast"
"$program" -s -t many/one.flac many/three.flac || wrong "-t of several"
cp in.wav gone.wav
"$program" -s --delete-input-file gone.wav && [ ! -e gone.wav ] && flac -s -t -w gone.flac || wrong "--delete-input-file"
cp cut.flac stays.flac
"$program" -s --delete-input-file -d stays.flac 2>/dev/null
[ -e stays.flac ] || wrong "deleted the input of a failure"
"$program" -s -f --delete-input-file many/one.flac && [ -e many/one.flac ] || wrong "deleted what it wrote"
refuses "metaflac" --replay-gain in.wav

[ ! -e failed ]
