#!/bin/sh
# Takes all figures of the devices of this machine, with whatever peers are there, and writes them as a page for bench/results.
#
#     bench/devices/run.sh [-b BUILD] [-o FILE] [-n NAME,...] [-t SECONDS] [-- options of bench_devices]
#
# BUILD is where wadi is built, with -DCMAKE_BUILD_TYPE=Release; default: build/release. FILE: bench/results/devices-NAME.md, after the first
# device that is not cpu. NAME: these benchmarks alone, of those that bench_devices --list names, and "aw", which is bench_gridding --only
# paper. SECONDS: all of it, default 440; each benchmark has a share, and what one does not use the next ones have. A case for which no time is left is
# told; 0: as long as it takes. WADI_DEVICE lists devices; without it, all there are. A benchmark or a case that fails is told on the page, and the others
# go on; so is a peer that is missing. The page is written anew after each benchmark, and when somebody ends the script: what was measured by then is
# there. How to get the peers: bench/README.md.
set -eu

source=$(cd "$(dirname "$0")/../.." && pwd)
build=$source/build/release output='' names='' all=440
while getopts b:o:n:t: option; do
    case $option in
    b) build=$OPTARG ;;
    o) output=$OPTARG ;;
    n) names=$(echo "$OPTARG" | tr , ' ') ;;
    t) all=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
case $all in *[!0-9]* | '') echo "run.sh: -t takes seconds, not $all" >&2; exit 2 ;; esac
bench=$build/bench/devices/bench_devices
[ -x "$bench" ] || { echo "run.sh: there is no $bench: build wadi, and name the folder (-b)" >&2; exit 2; }
# A program in bench/ finds no modules by itself; without fftw, Fourier transforms would be the language's own on every device.
modules=$(cd "$build" && ls -d "$PWD"/lib*/wadi 2>/dev/null | paste -sd : || true)
[ -z "$modules" ] || export WADI_MODULES="${WADI_MODULES:-$modules}"
listed=$("$bench" --list | awk '{ print $1 }') && [ -n "$listed" ] || { echo "run.sh: $bench cannot run" >&2; exit 2; }
[ -n "$names" ] || names="$(echo "$listed" | grep -vx fission) aw fission"

asked=$*
begin=$(date +%s)
work=$(mktemp -d)
"$build/cli/wadi" devices >"$work/devices"

# The devices that are measured, a line each.
if [ -n "${WADI_DEVICE:-}" ]; then
    # "cuda" is "cuda:0"
    echo "$WADI_DEVICE" | tr , '\n' | awk 'NR == FNR { there[$1]; next } ($1 ":0") in there { $1 = $1 ":0" } { print }' "$work/devices" -
else
    awk '$1 ~ /:[0-9]+$/ && !/cannot be used/ { print $1 }' "$work/devices"
fi | grep -vx cpu >"$work/chosen" || echo "run.sh: there is no device but cpu" >&2
first=$(sed -n 1p "$work/chosen")
title=$(awk -v name="${first:-cpu}" '$1 == name { sub(/^[^ ]+ +/, ""); sub(/,.*/, ""); print; exit }' "$work/devices")
if [ -z "$output" ]; then
    output=$source/bench/results/devices-$(echo "${title:-cpu}" | tr 'A-Z' 'a-z' | tr -cs 'a-z0-9\n' - | cut -c 1-40 | sed 's/-$//').md
fi

# ---- the page ----

failed='' done_names='' child=''

# Times of one benchmark as a table.
table() {
    awk -F '\t' 'NF == 6 {
        if (!n++) print "| case | ms | beside | ms | ratio |\n|---|---|---|---|---|"
        printf "| %s | %.4g | %s | %.4g | %.3g |\n", $2, 1e3 * $3, $4, 1e3 * $5, $6
    } END { if (!n) print "Nothing was measured." }' "$1"
}

# What was said: once each; no table, no rates. Of what is missing, not for which case.
words() {
    grep -hE "$1" "$work"/*.words 2>/dev/null | sed -E 's/^.*: (skipping [A-Z].*)/\1/' | sort -u | sed 's/^/- /'
}

# section TITLE PATTERN: what was said that matches, if anything was.
section() {
    said=$(words "$2")
    [ -z "$said" ] || printf '\n## %s\n\n%s\n' "$1" "$said"
}

page() {
    printf '# Devices: %s\n\n' "${title:-cpu}"
    printf 'Written by `bench/devices/run.sh%s`; wadi %s. It took %d s.\n\n' "${asked:+ -- $asked}" \
        "$(git -C "$source" describe --always --dirty 2>/dev/null || echo unknown)" $(($(date +%s) - begin))
    sed 's/^/    /' "$work/devices"
    if command -v nvidia-smi >/dev/null; then
        nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem,memory.total --format=csv 2>/dev/null | sed 's/^/    /'
    fi
    printf '\nThe first time is that of the device in the name of the case, or of cpu, which the other devices stand beside. A ratio below 1 means that the first is
faster. "asked" is the time that must not be exceeded. Medians of runs that alternate. What the cases are: `bench/README.md`.\n'
    grep -q '^cuda' "$work/chosen" ||
        printf '\nThere is no device of NVIDIA here: what is asked of one, and its peers, are still to be measured.\n'
    for name in $done_names; do
        printf '\n## %s\n\n' "$name"
        table "$work/$name.lines"
    done
    section 'Copies' 'copies .* MB there'
    section 'Not there' 'skipping [^i]'
    late=$(grep -hs 'skipping it: no time' "$work"/*.words | sed 's/: skipping it.*//' | sort -u | paste -sd ';' | sed 's/;/; /g')
    [ -z "$late" ] || printf '\n## No time was left\n\n%s.\n' "$late"
    section 'Differences' 'differ'
    section 'Cases that failed' ': failed: '
    for name in $failed; do
        printf '\n## Failed: %s\n\n' "$name" && tail -n 5 "$work/$name.words" | sed 's/^/    /'
    done
}

# It is never half written.
write_page() { page >"$work/page" && cp "$work/page" "$output.part" && mv "$output.part" "$output"; }

end_early() {
    trap - INT TERM HUP
    [ -z "$child" ] || kill "$child" 2>/dev/null || true
    echo "run.sh: ended early; what was measured is in $output" >&2
    write_page || true
    rm -rf "$work"
    exit 1
}
trap end_early INT TERM HUP
trap 'rm -rf "$work"' EXIT

# ---- measuring ----

# How much of the time each has, beside the others.
weight() {
    case $1 in
    arrays) echo 36 ;;
    streams) echo 18 ;;
    table2) echo 10 ;;
    apps | shares | start) echo 8 ;;
    aw) echo 6 ;;
    *) echo 3 ;;
    esac
}

# seconds_for NAME..: of the first, while the others are still to come.
seconds_for() {
    left=$((all - ($(date +%s) - begin))) mine=$(weight "$1") sum=0
    for later in "$@"; do sum=$((sum + $(weight "$later"))); done
    echo $((left > 0 ? left * mine / sum : 0))
}

# measure NAME SECONDS COMMAND...: its lines go to NAME.lines, its words to NAME.words. A case that hangs is ended.
measure() {
    name=$1 limit=$2
    shift 2
    echo "run.sh: $name" >&2
    done_names="$done_names $name"
    [ "$all" -eq 0 ] || set -- timeout -k 5 $((limit + 30)) "$@" --seconds "$limit"
    "$@" >"$work/$name.lines" 2>"$work/$name.words" </dev/null &
    child=$!
    wait "$child" || failed="$failed $name"
    child=''
    write_page
}

# The libraries beside which NVIDIA's devices are measured.
peers=$build/bench/devices/cuda_peers
if grep -q '^cuda' "$work/chosen" && [ ! -x "$peers" ] && command -v cmake >/dev/null; then
    echo "run.sh: building bench_cuda_peers" >&2
    cmake --build "$build" --target bench_cuda_peers >"$work/built" 2>&1 || tail -n 3 "$work/built" >&2
fi

set -f
for name in $names; do
    seconds=$(seconds_for $names)
    names=${names#"$name"} names=${names# }
    if [ "$name" != aw ]; then
        measure "$name" "$seconds" "$bench" "$@" --only "$name"
        continue
    fi
    devices=$(cat "$work/chosen")
    for device in $devices; do
        WADI_DEVICE=$device measure "aw-$device" $((seconds / $(wc -l <"$work/chosen"))) "$build/bench/gridding/bench_gridding" "$@" --only paper
    done
done
set +f

write_page
words 'skipping [^i]' >&2 || true
echo "run.sh: $output" >&2
[ -z "$failed" ] || { echo "run.sh: failed:$failed" >&2; exit 1; }
