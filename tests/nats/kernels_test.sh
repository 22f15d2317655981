#!/bin/sh
# Workers of a job on a NATS server that cannot compile get their kernels from home, whole and in many pieces; not where anybody may be home.
. "$(dirname "$0")/begin.sh"
mkdir -m 700 home worker
export WADI_CACHE_DIR="$dir/home" TMPDIR="$dir/worker"
unset WADI_TARGET WADI_KERNELS

# A server; with messages so small that kernels take several.
start_server() { # PORT CONFIGURATION
    printf '%s\n' "listen: 127.0.0.1:$1" "jetstream: { store_dir: \"$dir/jobs$1\" }" "$2" >"$1.conf"
    $server -c "$1.conf" >"$1.log" 2>&1 &
    nats=$!
    pids="$pids $nats"
    n=0
    until grep -qs 'Server is ready' "$1.log" && "$wadi" job ls "nats://127.0.0.1:$1$secret" >/dev/null 2>&1; do
        n=$((n + 1))
        [ $n -lt 400 ] && kill -0 $nats 2>/dev/null || { cat "$1.log"; exit 1; }
        sleep 0.05
    done
}
printf '0123456789abcdef' >token
chmod 600 token

cat >p.wadi <<'PROGRAM'
program p
stream_in s : seq(f64[?])
t = map_seq s (a) {
    b = map a (x) { sin (mul x 1.5) }
    f = fold 0.0 b (x, y) { add (mul x 0.5) y }
    yield f
}
stream_out "t" t
PROGRAM
elements="s=$(awk 'BEGIN { for (i = 0; i < 300; i++) { for (j = 0; j < i % 7; j++) printf "%s%g", j ? "," : "", (i * 37 + j) % 101 / 8; printf ";" } }')"
"$wadi" run p.wadi "$elements" >want 2>said || wrong "$(cat said)"
printf '#!/bin/sh\nexit 1\n' >broken
chmod 755 broken

worker() { # COMPILER
    env WADI_CC="$1" WADI_CACHE_DIR="$dir/worker" timeout 300 "$wadi" work "$at" --stats 2>told &
    last=$!
    pids="$pids $last"
}
# A worker is at work as soon as it is there, and has its kernels later. Home computes what takes too long itself, so that it may have to be tried again.
helped() { # WHAT COMPILER
    n=0
    while [ $n -lt 10 ]; do
        n=$((n + 1))
        worker "$2"
        timeout 300 "$wadi" run p.wadi "$elements" --chunk 2 --via "$at" --workers 1 >got 2>said || {
            wrong "$1: $(cat said) $(cat told)"
            return
        }
        wait $last || wrong "$1: the worker: $(cat told)"
        cmp -s want got || wrong "$1: other results"
        grep -q "worked *[1-9]" told && return
    done
    wrong "$1: the worker has computed nothing: $(cat told)"
}
secret="?token=$dir/token"
start_server $port 'authorization: { token: "0123456789abcdef" }
max_payload: 8192'
at=nats://127.0.0.1:$port/job$secret
helped "no compiler" /none
helped "a compiler that fails" "$dir/broken"
[ -z "$(find worker -name 'wadi-sent-*')" ] || wrong "a folder is left"

# ---- a server that lets everybody in ----
secret=
port=$("$WADI_BUILD/tests/keep_port" $$)
start_server $port ''
at=nats://127.0.0.1:$port/job
mkfifo pipe
exec 3<>pipe
cat >bytes.wadi <<'PROGRAM'
program bytes
stream_in s : seq(u8)
t = map_seq s (x) {
    y = unit { add (convert i64 (the x)) 1 }
    yield y
}
stream_out "t" t
PROGRAM
timeout 300 "$wadi" run bytes.wadi s=@pipe --chunk 1 --via "$at" >got 2>said 3>&- &
home=$!
pids="$pids $home"
printf 'abc' >&3
worker /none 3>&-
wait $last && wrong "a server that lets everybody in: the worker: status 0"
exec 3>&-
wait $home || wrong "a server that lets everybody in: $(cat said)"
says told "taken only where the server knows its users"
exit $failed
