#!/bin/sh
# The program as a person runs it: real recordings, pipes, mistakes.
. "${0%/*}/flac_head.sh"
data="${WADI_TEST_DATA:-}"

size() {
    wc -c <"$1"
}

# A recording, or, where there is none, the bytes of the program taken for samples.
input="$data/audio/Front_Center.wav"
if [ ! -f "$input" ]; then
    echo "no test data: recordings are left out"
    head -c 240000 "$program" >raw
    flac -s --force-raw-format --endian=little --sign=signed --channels=1 --bps=16 --sample-rate=48000 -o raw.flac raw
    flac -s -d -o made.wav raw.flac || exit 1
    input=$PWD/made.wav
fi

# ---- real recordings: accepted, the same samples, nearly as small as the reference ----
for recording in "$data"/audio/Front_Center.wav "$data"/audio/speech/*.wav "$data"/audio/flac-test-files/*.flac; do
    [ -f "$recording" ] || continue
    for level in 8 5; do
        "$program" -q -$level -f -o ours.flac "$recording" || { wrong "$recording -$level"; continue; }
        flac -s -t -w ours.flac || wrong "$recording -$level: refused by flac -t"
        flac -s -f -$level -o peer.flac "$recording" || exit 1
        [ "$(metaflac --show-md5sum ours.flac)" = "$(metaflac --show-md5sum peer.flac)" ] ||
            wrong "$recording -$level: other samples"
        for field in total-samples sample-rate channels bps; do
            [ "$(metaflac --show-$field ours.flac)" = "$(metaflac --show-$field peer.flac)" ] ||
                wrong "$recording -$level: other $field"
        done
        [ "$(size ours.flac)" -le $(($(size peer.flac) * 102 / 100)) ] ||
            wrong "$recording -$level: $(size ours.flac) bytes, flac needs $(size peer.flac)"
    done
done

# ---- tags and names ----
flac -s -f -T TITLE=Water -T ARTIST=Sand -o tagged.flac "$input"
"$program" -q -f -o out "tagged.flac" || wrong "tagged input"
[ "$(metaflac --show-tag=TITLE out)" = "TITLE=Water" ] || wrong "the title is lost"
[ "$(metaflac --show-tag=ARTIST out)" = "ARTIST=Sand" ] || wrong "the artist is lost"
cp "$input" named.wav
"$program" -q named.wav && flac -s -t -w named.flac || wrong "default name"

# ---- pipes ----
"$program" -q -5 - <"$input" >pipe.flac || wrong "standard input"
"$program" -q -5 -f -o file.flac "$input"
cat "$input" | "$program" -q -5 -f -o whole.flac - && flac -s -t -w whole.flac || wrong "a whole file from a pipe"
flac -s -t -w pipe.flac || wrong "standard output"
"$program" -5 - <"$input" 2>message | cat >pipe.flac
grep -q "rewound" message || wrong "no warning about a pipe"
flac -s -d -f -o pipe.wav pipe.flac 2>/dev/null && flac -s -d -f -o file.wav file.flac && cmp pipe.wav file.wav ||
    wrong "piped output differs"

# ---- chunks, threads, schedules ----
for options in "--chunk 1" "--chunk 7 --threads 1" "--schedule flat" "--schedule inside --threads 2" "--memory 64M"; do
    "$program" -q -5 -f $options -o same.flac "$input" || wrong "$options"
    cmp -s same.flac file.flac || wrong "$options: other bytes"
done

# ---- statistics and explanations ----
"$program" -q -f --stats stats -o out "$input"
for key in wall_s bytes_in bytes_out chunk_elements utilisation overlap_stages; do
    grep -q "^$key=" stats || wrong "no $key in the statistics"
done
samples=$(sed -n 's/^frames=//p' stats)
[ -n "$samples" ] && [ "$samples" -gt 0 ] && [ $(($(wc -c <"$input") / samples)) -ge 1 ] || wrong "frames=$samples in the statistics"
"$program" --explain "$input" >explained && [ -s explained ] || wrong "--explain"
"$program" --version | grep -q "^wadi-flac [0-9]" || wrong "--version"
"$program" --help | grep -q -e --chunk || wrong "--help"

# ---- mistakes ----
head -c 60000 "$input" >cut.wav
refuses cut.wav -o out cut.wav
cat cut.wav | refuses frame -o out -
head -c 30000 named.flac >cut.flac
refuses cut.flac -o out cut.flac
echo "no sound" >text.wav
refuses text.wav -o out text.wav
refuses missing.wav -o out missing.wav
[ ! -f "$data/audio/singularity-Nebula.ogg" ] || refuses "convert" -o out "$data/audio/singularity-Nebula.ogg"
refuses "exists" -o file.flac "$input"
refuses "no/such" -o no/such/out.flac "$input"
refuses "unknown option" --wat "$input"
[ ! -e /dev/full ] || refuses "byte" -f -o /dev/full "$input"
[ "$(find . -name 'out.*')" = "" ] || wrong "temporary files are left: $(find . -name 'out.*')"

[ ! -e failed ]
