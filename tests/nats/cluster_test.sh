#!/bin/sh
# The files of examples/cluster: the shell, systemd and the server read them without a complaint, and their commands do what they say. Slurm and podman are not there: what they would
# run is run here as they would.
. "$(dirname "$0")/begin.sh"
cluster=$WADI_SOURCE/examples/cluster
export WADI_CACHE_DIR="$dir/cache"
mkdir -m 700 cache bin tmp
ln -s "$wadi" bin/wadi
export PATH="$dir/bin:$PATH"

# ---- what reads them ----
sh -n "$cluster/workers.slurm" || wrong "workers.slurm is no script"
grep -q '^#SBATCH --signal=B:TERM@' "$cluster/workers.slurm" || wrong "Slurm does not tell the script that its time is over"
if command -v systemd-analyze >/dev/null && systemd-analyze --version >/dev/null 2>&1; then
    mkdir units
    for unit in "$cluster"/*.service; do
        sed "s|/usr/bin/wadi|$wadi|; s|/usr/sbin/nats-server|$server|" "$unit" >"units/$(basename "$unit")"
    done
    for unit in wadi-nats.service wadi-home@sky.service wadi-work@sky.service; do
        systemd-analyze verify --man=no --recursive-errors=no "units/$unit" >verified 2>&1
        # A system without a systemd that runs may say that much.
        grep -E "^($unit|.*units/)" verified && wrong "systemd does not take $unit"
    done
fi
cmake --list-presets=configure "$WADI_SOURCE" >presets 2>&1 || (cd "$WADI_SOURCE" && cmake --list-presets >"$dir/presets" 2>&1)
grep -q '"install"' presets || wrong "there is no preset \"install\", which the Containerfile configures"

# The keys as README.md makes them, and nats.conf with them.
if command -v openssl >/dev/null; then
    sed -n 's/^    \$ \(openssl .*\|printf .*\)/\1/p' "$cluster/README.md" >keys.sh
    [ "$(wc -l <keys.sh)" -ge 4 ] || wrong "README.md makes no keys"
    sh -e keys.sh >openssl.log 2>&1 || wrong "the commands for keys: $(cat openssl.log)"
    sed "s|/etc/wadi|$dir|; s|/var/lib/wadi-jobs|$dir/store|" "$cluster/nats.conf" >nats.conf
    $server -t -c nats.conf >conf.log 2>&1 || wrong "nats-server does not take nats.conf: $(cat conf.log)"
fi

# ---- what they run ----
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
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "%07d\n", i }' >in.raw
"$wadi" run double.wadi s=100:@in.raw out=@want.raw 2>said || wrong "no output: $(cat said)"

# The command of a unit, with what systemd puts in; %S is where states are.
command_of() { # UNIT
    sed -n 's/^ExecStart=//p' "$cluster/$1" | sed "s|/usr/bin/wadi|$wadi|; s|%S|$dir/states|; s|%i|sky|"
}
cat >sky.env <<END
PROGRAM=$dir/double.wadi
STREAMS="s=100:@$dir/in.raw out=@$dir/out.raw"
ADDRESS=nats://127.0.0.1:$port/sky
END
mkdir -p states/wadi # StateDirectory=wadi
grep -q '^StateDirectory=wadi$' "$cluster/wadi-home@.service" || wrong "nobody makes the folder of the state"
started() { # UNIT LOG: sets $last
    (
        . ./sky.env
        eval "exec $(command_of "$1")"
    ) >"$2" 2>&1 &
    last=$!
    pids="$pids $last"
}
ends_well() { # PID WHAT LOG
    gone() { ! kill -0 "$1" 2>/dev/null; }
    until_that gone "$1"
    wait "$1" || wrong "$2: status $?: $(cat "$3")"
}
minutes=3
rm -f out.raw
started wadi-work@.service worker.log
worker=$last
# As many workers as a home waits for are an option of its own; here it computes what no worker has.
started wadi-home@.service home.log
ends_well "$last" "the home of the unit" home.log
cmp -s want.raw out.raw || wrong "the home of the unit has other output: $(cat home.log)"
kill -TERM "$worker"
ends_well "$worker" "the worker of the unit, SIGTERM" worker.log

# Slurm: a task that helps until the job is over, and one whose time is over before a home has come.
task() { # JOB LOG
    env SLURM_JOB_ID="$1" SLURM_CPUS_PER_TASK=2 TMPDIR="$dir/tmp" ADDRESS="nats://127.0.0.1:$port/$1" sh "$cluster/workers.slurm" >"$2" 2>&1 &
    last=$!
    pids="$pids $last"
}
task slurm task.log
helps=$last
rm -f out.raw
"$wadi" run double.wadi s=100:@in.raw out=@out.raw --via "nats://127.0.0.1:$port/slurm" --workers 1 --stats 2>home.log || wrong "the run of Slurm's worker: $(cat home.log)"
cmp -s want.raw out.raw || wrong "with Slurm's worker other output"
ends_well "$helps" "a task of Slurm" task.log
task late late.log
late=$last
has_trap() { [ $((0x$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$late/status") & 0x4000)) -ne 0 ]; } # of SIGTERM
until_that has_trap
kill -TERM "$late"
until_that gone "$late"
[ -z "$(ls tmp)" ] || wrong "tasks of Slurm leave: $(ls tmp)"

# The entry of the image, with what `podman run` puts behind it; `podman stop` sends the signal that the file names.
[ "$(sed -n 's/^STOPSIGNAL //p' "$cluster/Containerfile")" = SIGTERM ] || wrong "another signal stops the container"
entry=$(sed -n 's/^ENTRYPOINT \[\(.*\)\]$/\1/p' "$cluster/Containerfile" | tr -d '",' | sed "s|/opt/wadi/bin/wadi|$wadi|")
[ "$entry" = "$wadi work" ] || wrong "the image begins with: $entry"
$entry "nats://127.0.0.1:$port/image" >image.log 2>&1 &
image=$!
pids="$pids $image"
rm -f out.raw
"$wadi" run double.wadi s=100:@in.raw out=@out.raw --via "nats://127.0.0.1:$port/image" --workers 1 2>home.log || wrong "the run of the image's worker: $(cat home.log)"
cmp -s want.raw out.raw || wrong "with the image's worker other output"
ends_well "$image" "the worker of the image" image.log
exit $failed
