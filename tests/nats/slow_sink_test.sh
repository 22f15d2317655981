#!/bin/sh
# A sink that takes next to nothing, behind workers that are a hundred times faster: the source is held back, and the memory of home and that of the server stay within what they were given.
. "$(dirname "$0")/begin.sh"
case ${WADI_SANITIZE:-OFF} in
OFF | '') ;;
*) echo "skipped: a sanitizer has memory of its own" && exit 77 ;;
esac
export WADI_CACHE_DIR="$dir/cache"
mkdir -m 700 cache
serve
at=nats://127.0.0.1:$port/slow

cat >double.wadi <<'PROGRAM'
program double
stream_in s : seq(f64[1000])
y = map_seq s (b) {
    h = map b (x) { add x 1.0 }
    yield h
}
stream_out "out" y
PROGRAM
memory=64 # MiB
truncate -s 400000000 in.raw # zeros, of which the disk has none
mkfifo out
peak() { sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$1/status"; }

# What home and the server need for a stream of next to nothing.
"$wadi" work "$at" --stay >worker.log 2>&1 &
pids="$pids $!"
head -c 80000 /dev/zero >few.raw
run() { exec "$wadi" run double.wadi "s=1000:@$1" "out=@out" --via "$at" --workers 1 --memory ${memory}M; }
run few.raw 2>said &
home=$!
pids="$pids $home"
exec 3<out
small=0
while p=$(peak $home 2>/dev/null) && [ -n "$p" ]; do
    small=$p
    kill -0 $home 2>/dev/null || break
    head -c 80000 <&3 >/dev/null && break
done
exec 3<&-
wait $home
server_small=$(peak $nats)

# Ten elements are taken in a while. The source may be ahead of that by what fits into the memory, and one chunk.
run in.raw 2>said &
home=$!
pids="$pids $home"
exec 3<out
taken=0
most=0
while [ $taken -lt 3000 ]; do
    head -c 80000 <&3 >/dev/null
    taken=$((taken + 10))
    sleep 0.01
    [ $((taken % 100)) -eq 0 ] && "$wadi" top --json "$at" >seen 2>&1 || continue
    read=$(sed -n 's/.*"kind": "source"[^}]*"elements": \([0-9]*\).*/\1/p' seen)
    [ $((${read:-0} - taken)) -le $most ] || most=$((read - taken))
done
there=$(sed -n 's/.*"items": {"workers": \([0-9]*\).*/\1/p' seen)
home_kb=$(($(peak $home) - small))
server_kb=$(($(peak $nats) - server_small))
echo "the source was $most elements ahead: $((most * 8000 / 1048576)) MiB of $memory; $there items were computed by the worker"
echo "home has $home_kb KB more than for a small stream, the server $server_kb KB"
[ "$most" -gt 0 ] || wrong "nobody tells how far the source is: $(cat seen)"
[ $((most * 8000)) -le $((memory * 1048576 * 11 / 10)) ] || wrong "the source was $most elements ahead"
[ "${there:-0}" -gt 0 ] || wrong "the worker has computed nothing: $(cat seen)"
[ $home_kb -le $((memory * 1024 * 11 / 10)) ] || wrong "home has $home_kb KB more than for a small stream"
[ $server_kb -le $((memory * 1024 * 11 / 10)) ] || wrong "the server has $server_kb KB more than for a small stream"
# It goes on as soon as somebody takes more.
cat <&3 | wc -c >rest &
rest=$!
wait $home || wrong "the run fails: $(cat said)"
exec 3<&-
wait $rest
[ "$(cat rest)" -eq $((400000000 - taken * 8000)) ] || wrong "$(cat rest) bytes have come behind $taken elements"
exit $failed
