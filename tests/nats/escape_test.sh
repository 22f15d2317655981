#!/bin/sh
# Whoever may publish on the server can answer as the home of a job: what `wadi top`, `wadi why` and `wadi job` print of that has no escape sequences.
. "$(dirname "$0")/begin.sh"
command -v python3 >/dev/null || {
    echo "python3 is not there: nobody answers"
    exit 77
}
at=nats://127.0.0.1:$port
serve

# The protocol of NATS is text: whatever the home of job "sky" is asked, this answers.
cat >stranger.py <<'PROGRAM'
import socket, sys
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
f = s.makefile("rb")
words = "compute \x1b]0;owned\x07\x1b[2J\r\x9b31m \u202e waits".encode("utf-8", "surrogateescape") + b" \x9b2J\n"
s.sendall(b'CONNECT {"verbose":false}\r\nSUB wadi.sky.ask.* 1\r\nPING\r\n')
while line := f.readline():
    if line.startswith(b"PING"): s.sendall(b"PONG\r\n")
    if line.startswith(b"PONG"): open("there", "w").close()
    if line.startswith(b"MSG"):
        parts = line.split()
        f.read(int(parts[-1]) + 2)
        if len(parts) == 5: s.sendall(b"PUB %s %d\r\n%s\r\n" % (parts[3], len(words), words))
PROGRAM
answers() { # the stranger, begun anew
    rm -f there
    python3 stranger.py $port 2>stranger.log &
    stranger=$!
    pids="$pids $stranger"
    until_that test -e there
}
answers

harmless() { # WHAT FILE
    grep -q compute "$2" || wrong "$1 prints nothing of it: $(cat "$2")"
    python3 -c 'import sys; b = open(sys.argv[1], "rb").read(); t = b.decode("utf-8"); assert not any(c != "\n" and (ord(c) < 32 or 127 <= ord(c) < 160 or ord(c) == 0x202e) for c in t), b' "$2" ||
        wrong "$1 prints what could control a terminal"
}
for what in "why $at/sky" "top --once $at/sky" "top --once --json $at/sky" "job status $at/sky"; do
    "$wadi" $what >said 2>message || wrong "$what: $(cat message)"
    harmless "$what" said
done
# Errors as well.
sed -i 's/^words = /words = b"error: " + /' stranger.py
kill -9 $stranger
wait $stranger 2>/dev/null
answers
"$wadi" job pause "$at/sky" >said 2>message && wrong "an error is none"
harmless "an error" message
exit $failed
