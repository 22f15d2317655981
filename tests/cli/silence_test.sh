#!/bin/sh
# Processes that are stopped and say nothing, though the system keeps their connections: what they have goes to others, and nobody waits for them for ever. Nothing depends on how fast
# anybody is: each step waits for what it needs.
. "$(dirname "$0")/begin.sh"
mkdir -m 700 run
export XDG_RUNTIME_DIR="$dir/run"
stop() { # PID
    stopped="$stopped $1"
    kill -STOP "$1"
}
reached() { # PID N: that run has done N elements; two minutes at most
    until=$(($(date +%s) + 120))
    while [ "$(date +%s)" -lt $until ]; do
        n=$("$wadi" top "$1" --json 2>/dev/null | sed -n 's/.*"elements": \([0-9]*\), "bytes_in".*/\1/p')
        [ "${n:-0}" -ge "$2" ] && return
        sleep 0.05
    done
    echo "only ${n:-no} elements: $(cat sender gatherer parts home worker 2>/dev/null)"
    exit 1
}
# The status is that of the process; no status where it does not end.
ends() { # PID WHAT
    until=$(($(date +%s) + 240))
    while kill -0 "$1" 2>/dev/null; do
        [ "$(date +%s)" -lt $until ] || {
            echo "$2 does not end"
            exit 1
        }
        sleep 0.05
    done
    wait "$1"
}

program() { # NAME INPUT
    printf 'program %s\nstream_in %s : seq(f64)\ny = map_seq %s (b) {\n  h = unit { sin (add (the b) 1.0) }\n  yield h\n}\nstream_out "out" y\n' "$1" "$2" "$2" >"$1.wadi"
}
program first s
program work mid
program last res
printf 'program pass\nstream_in s : seq(f64)\nstream_out "out" s\n' >pass.wadi
seq -f '%07.0f?' 4000 | tr -d '\n' >in.raw # as many numbers
"$wadi" run first.wadi s=@in.raw out=@a.raw && "$wadi" run work.wadi mid=@a.raw out=@b.raw && "$wadi" run last.wadi res=@b.raw out=@whole.raw || wrong "no reference"

# ---- one that has a part ----
shared() { # ADDRESS OF THE UPPER LINK, OF THE LOWER ONE
    mkfifo pipe
    exec 3<>pipe
    "$wadi" run last.wadi "res=@link,gather:$2" out=@out.raw --wait 240 --chunk 10 2>gatherer 3>&- &
    gatherer=$!
    "$wadi" run first.wadi s=@pipe "out=@link,share:$1" --wait 240 --chunk 10 2>sender 3>&- &
    sender=$!
    part "$@"
    one=$last
    head -c 8000 in.raw >&3
    reached $gatherer 500
    stop $one
    tail -c +8001 in.raw | head -c 8000 >&3
    reached $sender 1010 # it has given some of these to the only one that is there
    part "$@"
    two=$last
    tail -c +16001 in.raw >&3
    exec 3>&-
    ends $sender "the sender" || wrong "the sender fails: $(cat sender)"
    ends $gatherer "the gatherer" || wrong "the gatherer fails: $(cat gatherer)"
    cmp -s out.raw whole.raw || wrong "another output over $1"
    says sender "counts as lost"
    kill -0 $one 2>/dev/null || wrong "it was not stopped"
    kill -KILL $one $two 2>/dev/null
    wait $one $two 2>/dev/null
    rm -f pipe out.raw
}
part() { # THE SAME
    "$wadi" run work.wadi "mid=@link,part:$1" "out=@link,part:$2" --wait 240 2>>parts 3>&- &
    last=$!
}
shared "ipc://$dir/upper?silence=2" "ipc://$dir/lower?silence=2"
a_port=$("$WADI_BUILD/tests/keep_port" $$)
b_port=$("$WADI_BUILD/tests/keep_port" $$)
shared "tcp://127.0.0.1:$a_port?silence=2" "tcp://127.0.0.1:$b_port?silence=2"

# ---- a message that takes longer than anybody may be silent ----
command -v python3 >/dev/null && {
    cat >line.py <<'PROGRAM'
import socket, sys, threading, time
def carry(a, b, slow):
    try:
        while data := a.recv(65536):
            b.sendall(data)
            time.sleep(slow * len(data) / 65536)
    except OSError:
        pass
    for end in a, b:
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
door = socket.create_server(("127.0.0.1", int(sys.argv[1])))
while True:
    one = door.accept()[0]
    try:
        two = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
    except OSError: # the sender is not there yet
        one.close()
        continue
    two.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    threading.Thread(target=carry, args=(one, two, 0), daemon=True).start()
    threading.Thread(target=carry, args=(two, one, 0.4), daemon=True).start()
PROGRAM
    c_port=$("$WADI_BUILD/tests/keep_port" $$)
    d_port=$("$WADI_BUILD/tests/keep_port" $$)
    python3 line.py $d_port $c_port 2>line 3>&- &
    line=$!
    seq -f '%07.0f?' 200000 | tr -d '\n' >long.raw # 25 pieces of the line, which takes 10 s for them
    "$wadi" run first.wadi s=@long.raw out=@a.raw && "$wadi" run last.wadi res=@a.raw out=@whole.raw || wrong "no reference"
    "$wadi" run last.wadi "res=@link,part:tcp://127.0.0.1:$d_port?silence=4" "out=@link,part:ipc://$dir/slow" --wait 240 2>part 3>&- &
    part=$!
    "$wadi" run first.wadi s=@long.raw "out=@link,share:tcp://127.0.0.1:$c_port?silence=4" --wait 240 --chunk 200000 2>sender 3>&- &
    sender=$!
    "$wadi" run pass.wadi "s=@link,gather:ipc://$dir/slow" out=@out.raw --wait 240 --chunk 200000 2>gatherer 3>&- &
    gatherer=$!
    ends $sender "the sender over a slow line" || wrong "the sender over a slow line fails: $(cat sender)"
    ends $part "the part over a slow line" || wrong "the part over a slow line fails: $(cat part)"
    ends $gatherer "the gatherer behind a slow line" || wrong "the gatherer behind a slow line fails: $(cat gatherer)"
    cmp -s out.raw whole.raw || wrong "another output over a slow line"
    kill $line
}

# ---- home ----
mkfifo never
exec 3<>never
"$wadi" run first.wadi s=@never out=@x.raw --via "ipc://$dir/q?silence=2" --workers 1 --chunk 10 2>home 3>&- &
home=$!
"$wadi" work "ipc://$dir/q?silence=2" --wait 30 2>worker 3>&- &
worker=$!
head -c 8000 in.raw >&3
reached $home 1 # by the worker
stop $home
ends $worker "the worker of a stopped home" && wrong "a worker of a stopped home ends well"
says worker "no home for"

# ---- what makes no sense ----
"$wadi" run first.wadi s=@in.raw "out=@ipc://$dir/z?silence=5" --wait 0.1 2>said && wrong "a link that is not shared"
says said "silence is for streams that are shared"
for n in 0.5 x -1 1e9 ''; do
    "$wadi" work "ipc://$dir/z?silence=$n" --wait 0.1 2>said && wrong "silence=$n"
    says said "expected seconds"
done

[ $failed -eq 0 ]
