#!/bin/sh
# A job on a NATS server while the clocks on the wall of home and workers jump: the bytes are right, nobody ends or hangs, and SIGTERM ends everybody.
. "$(dirname "$0")/begin.sh"
jumps=$WADI_BUILD/tests/libhostile_jumps.so
case ${WADI_SANITIZE:-OFF} in
OFF | '') ;;
*) echo "skipped: a sanitizer and a preloaded clock do not go together" && exit 77 ;;
esac
export WADI_CACHE_DIR="$dir/cache"
mkdir -m 700 cache
unset WADI_CLOCK_STEPS

at=nats://127.0.0.1:$port
serve

cat >double.wadi <<'PROGRAM'
program double
stream_in s : seq(f64[?])
y = map_seq s (b) {
    h = map b (x) { mul x 2.0 }
    yield h
}
stream_out "out" y
PROGRAM
awk 'BEGIN { for (i = 0; i < 500000; i++) printf "%07d\n", i }' >in.raw
"$wadi" run double.wadi s=100:@in.raw out=@want.raw 2>said || wrong "no output: $(cat said)"

# 137: it hangs, and was killed.
jumping() { LD_PRELOAD=$jumps exec timeout -s KILL 100 "$wadi" "$@"; }
worker() { # JOB
    jumping work "$at/$1" --stay --wait 60 >>"$1.worker" 2>&1 &
    worker=$!
    pids="$pids $worker"
}
home() { # JOB FILE
    jumping run double.wadi s=100:@in.raw "out=@$2" --via "$at/$1" --workers 1 --chunk 5 --state "$1.state" --every 0.05 --stats >"$1.home" 2>&1 &
    home=$!
    pids="$pids $home"
}
# Of the program, where $1 is that of `timeout`.
end() { kill "$(ps -o pid= --ppid "$1" | tr -d ' ')" 2>/dev/null; }
gone() { # PID WHAT
    wait "$1"
    status=$?
    [ $status -eq 0 ] || wrong "$2: status $status: $(cat ./*.home ./*.worker)"
}
same() { # FILE WHAT
    cmp -s want.raw "$1" || wrong "$2: other bytes: $(cat ./*.home ./*.worker)"
}

# Whenever somebody looks.
worker jumps
home jumps jumps.raw
gone $home "home, a clock that jumps"
same jumps.raw "a clock that jumps"
grep -q "elements computed by workers" jumps.home || wrong "the worker had nothing to do: $(cat jumps.home)"
end $worker
gone $worker "a worker, a clock that jumps"

# To and fro by an hour. In a wait that it would make one of an hour, SIGTERM ends home, which goes on where it was.
export WADI_CLOCK_STEPS=70
worker steps
home steps steps.raw
until=$(($(date +%s) + 60))
while kill -0 $home 2>/dev/null && [ "$(date +%s)" -lt $until ]; do
    n=$("$wadi" job status "$at/steps" 2>/dev/null | sed -n 's/.*"answered": \([0-9]*\).*/\1/p')
    [ "${n:-0}" -ge 20 ] && break
done
end $home
gone $home "home, a clock that steps, SIGTERM"
home steps steps.raw
gone $home "home, a clock that steps"
same steps.raw "a clock that steps"
end $worker
gone $worker "a worker, a clock that steps"

# Nobody is there. It may not have begun to wait, then SIGTERM ends it as any program.
worker alone
until end $worker; do sleep 0.1; done
wait $worker
[ $? -ne 137 ] || wrong "SIGTERM does not end a worker without a home: $(cat alone.worker)"
exit $failed
