#!/bin/sh
# Takes all figures of the devices of this machine, with whatever peers are there, and writes them as a page for bench/results.
#
#     bench/devices/run.sh [-b BUILD] [-o FILE] [-n NAME,...] [-- options of bench_devices]
#
# BUILD is where wadi is built, with -DCMAKE_BUILD_TYPE=Release; default: build/release. FILE: bench/results/devices-NAME.md, after the first
# device that is not cpu. NAME: these benchmarks alone, of those that bench_devices --list names, and "aw", which is bench_gridding --only
# paper. WADI_DEVICE lists devices; without it, all there are. A benchmark that fails is told on the page, and the others go on; so is a
# peer that is missing. How to get the peers: bench/README.md.
set -eu

source=$(cd "$(dirname "$0")/../.." && pwd)
build=$source/build/release output='' names=''
while getopts b:o:n: option; do
    case $option in
    b) build=$OPTARG ;;
    o) output=$OPTARG ;;
    n) names=$(echo "$OPTARG" | tr , ' ') ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
bench=$build/bench/devices/bench_devices
[ -x "$bench" ] || { echo "run.sh: there is no $bench: build wadi, and name the folder (-b)" >&2; exit 2; }
[ -n "$names" ] || names="$("$bench" --list | awk '{ print $1 }') aw"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
"$build/cli/wadi" devices >"$work/devices"

# The devices that are measured, a line each.
if [ -n "${WADI_DEVICE:-}" ]; then
    echo "$WADI_DEVICE" | tr , '\n'
else
    awk '$1 ~ /:[0-9]+$/ && !/cannot be used/ { print $1 }' "$work/devices"
fi | grep -vx cpu >"$work/chosen" || echo "run.sh: there is no device but cpu" >&2
first=$(sed -n 1p "$work/chosen")
title=$(awk -v name="${first:-cpu}" '$1 == name { sub(/^[^ ]+ +/, ""); sub(/,.*/, ""); print; exit }' "$work/devices")
if [ -z "$output" ]; then
    output=$source/bench/results/devices-$(echo "${title:-cpu}" | tr 'A-Z' 'a-z' | tr -cs 'a-z0-9\n' - | cut -c 1-40 | sed 's/-$//').md
fi

# ---- measuring ----

failed=''
# measure NAME COMMAND...: its lines go to NAME.lines, its words to NAME.words.
measure() {
    name=$1
    shift
    echo "run.sh: $name" >&2
    "$@" >"$work/$name.lines" 2>"$work/$name.words" || failed="$failed $name"
}

for name in $names; do
    if [ "$name" != aw ]; then
        measure "$name" "$bench" "$@" --only "$name"
        continue
    fi
    while read -r device; do
        WADI_DEVICE=$device measure "aw-$device" "$build/bench/gridding/bench_gridding" "$@" --only paper </dev/null
    done <"$work/chosen"
done

# ---- the page ----

# Times of one benchmark as a table.
table() {
    awk -F '\t' 'NF == 6 {
        if (!n++) print "| case | ms | beside | ms | ratio |\n|---|---|---|---|---|"
        printf "| %s | %.4g | %s | %.4g | %.3g |\n", $2, 1e3 * $3, $4, 1e3 * $5, $6
    } END { if (!n) print "Nothing was measured." }' "$1"
}

# What was said: once each, without the case; no table, no rates.
words() { grep "$1" "$work"/*.words | sed 's/^[^:]*:[^:]*: *\(skipping\)/\1/; s/^[^:]*words://' | sort -u | sed 's/^/- /'; }

page() {
    printf '# Devices: %s\n\n' "${title:-cpu}"
    printf 'Written by `bench/devices/run.sh%s`; wadi %s.\n\n' "${*:+ $*}" "$(git -C "$source" describe --always --dirty 2>/dev/null || echo unknown)"
    sed 's/^/    /' "$work/devices"
    if command -v nvidia-smi >/dev/null; then
        nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem,memory.total --format=csv 2>/dev/null | sed 's/^/    /'
    fi
    printf '\nThe first time is that of the device in the name of the case, or of cpu, which the other devices stand beside. A ratio below 1 means that the first is
faster. "asked" is the time that must not be exceeded. Medians of runs that alternate.\n'
    for lines in "$work"/*.lines; do
        printf '\n## %s\n\n' "$(basename "$lines" .lines)"
        table "$lines"
    done
    if words 'skipping' >"$work/skipped" && [ -s "$work/skipped" ]; then
        printf '\n## Not there\n\n' && cat "$work/skipped"
    fi
    if words 'differ' >"$work/differ" && [ -s "$work/differ" ]; then
        printf '\n## Differences\n\n' && cat "$work/differ"
    fi
    for name in $failed; do
        printf '\n## Failed: %s\n\n' "$name" && tail -n 5 "$work/$name.words" | sed 's/^/    /'
    done
}

page "$@" >"$work/page"
cp "$work/page" "$output"
grep -h skipping "$work"/*.words | sort -u >&2 || true
echo "run.sh: $output" >&2
[ -z "$failed" ] || { echo "run.sh: failed:$failed" >&2; exit 1; }
