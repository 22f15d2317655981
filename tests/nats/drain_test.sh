#!/bin/sh
# wadi job drain of a program that is saved as a whole, as wadi-md5 is: it ends well, and the same command goes on. One that is not saved refuses, and goes on.
. "$(dirname "$0")/begin.sh"
md5=$WADI_BUILD/apps/md5/wadi-md5

at=nats://127.0.0.1:$port
serve
"$wadi" work "$at/hunt" --stay >worker.log 2>&1 &
pids="$pids $!"

echo 900150983cd24fb0d6963f7d28e17f72 >hashes # of "abc"
mkfifo words                                  # they never end
exec 3<>words
hunts() {
    echo one >&3
    "$md5" -q -m hashes -o found --via "$at/hunt" --workers 1 words "$@" 2>said &
    home=$!
    pids="$pids $home"
}
has_home() { "$wadi" job status "$at/hunt" >status 2>/dev/null; }

hunts
until_that has_home
"$wadi" job drain "$at/hunt" 2>refused && wrong "a program that is not saved is drained"
grep -q 'is not saved (--state)' refused || wrong "it is not told why: $(cat refused)"
kill -0 $home || wrong "a program that is not saved has ended"
kill -TERM $home
wait $home

hunts --state kept
drained() { "$wadi" job drain "$at/hunt" >/dev/null 2>refused; }
until_that drained
ended() { ! kill -0 $home 2>/dev/null; }
until_that ended
wait $home
[ $? -eq 0 ] || wrong "it does not end well: $(cat said)"
grep -q 'the search is saved in kept' said || wrong "it does not say that it is saved: $(cat said)"
[ -s kept/state ] || wrong "it is not saved"
exit $failed
