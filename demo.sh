#!/bin/sh
# Real speech and real music through wadi-flac: installs what is missing, builds, fetches the recordings out of two small Debian
# packages, compresses them with the live progress line, lets flac judge, and prints a table. Everything stays in build/.
set -eu
cd "$(dirname "$0")"

scripts/install build demo
cmake --preset release >/dev/null
cmake --build --preset release --target wadi-flac

wadi_flac=$PWD/build/release/apps/audio/wadi-flac
work=$PWD/build/demo
mkdir -p "$work"

# Unpacks a package into $work/PACKAGE without installing it.
fetch() {
    [ -d "$work/$1" ] && return
    if ! apt-cache show "$1" >/dev/null 2>&1; then
        if [ "$(id -u)" -eq 0 ]; then apt-get -q update; else sudo apt-get -q update; fi
    fi
    (cd "$work" && rm -f "$1"_*.deb && apt-get -q -o APT::Sandbox::User=root download "$1")
    rm -rf "$work/$1.new"
    dpkg-deb -x "$work/$1"_*.deb "$work/$1.new"
    mv "$work/$1.new" "$work/$1"
}

# Speech: the loudspeaker announcements of alsa-utils, one after another, six times over. Music: the score of the game Amoebax.
fetch alsa-utils
fetch amoebax-data
sox "$work"/alsa-utils/usr/share/sounds/alsa/[FRS]*_*.wav -b 16 "$work/speech.wav" repeat 5
sox "$work"/amoebax-data/usr/share/games/amoebax/music/*.ogg -b 16 "$work/music.wav"

size() {
    wc -c <"$1"
}

stat_of() {
    sed -n "s/^$2=//p" "$work/$1.stats"
}

: >"$work/table"
for name in speech music; do
    in=$work/$name.wav
    out=$work/$name.flac
    sox "$in" "$work/first.wav" trim 0 1
    "$wadi_flac" -8 --quiet --force --stats "$work/first.stats" -o "$work/first.flac" "$work/first.wav"
    echo "$name: kernels ready after $(stat_of first wall_s) s (compiled once, then kept)"
    echo "$name: wadi-flac -8"
    "$wadi_flac" -8 --force --stats "$work/$name.stats" -o "$out" "$in"
    flac -t -s "$out"
    flac -d -s -c --force-raw-format --endian=little --sign=signed "$out" >"$work/decoded"
    sox "$in" -t raw - | cmp - "$work/decoded"
    rm "$work/decoded"
    echo "$name: flac -t accepts it, and the samples are those of the input"
    flac -8 -s -f -o "$work/$name.peer.flac" "$in"
    awk -v name="$name" -v size="$(size "$out")" -v peer="$(size "$work/$name.peer.flac")" \
        -v wall="$(stat_of "$name" wall_s)" -v bytes="$(stat_of "$name" bytes_in)" \
        -v chunk="$(stat_of "$name" chunk_elements)" -v use="$(stat_of "$name" utilisation)" \
        -v overlap="$(stat_of "$name" overlap_stages)" 'BEGIN {
        printf "%-8s %10d %10d %10.4f %10.1f %8s %11.0f%% %12s\n", name, bytes, size, size / peer,
            bytes / 1e6 / wall, chunk, 100 * use, overlap
    }' >>"$work/table"
done

echo
printf '%-8s %10s %10s %10s %10s %8s %12s %12s\n' \
    file "bytes in" "bytes out" "/ flac -8" "MB/s in" chunk utilisation overlapping
cat "$work/table"
