# Hosts on one machine, for tests: each is a network namespace, whose cable leads to a switch, a bridge in the namespace of the test. Sourced first
# of all: it begins the test again in namespaces of its own, which take everything in them along when the test ends, or skips it where that is not
# allowed. The names of hosts are known to all (/etc/hosts), their addresses are 10.77.0.N.
if [ -z "${WADI_TEST_SWITCH:-}" ]; then
    for tool in ip ss unshare nsenter; do
        command -v $tool >/dev/null || {
            echo "skipped: there is no $tool (packages iproute2, util-linux)"
            exit 77
        }
    done
    own="unshare --net --mount --pid --fork --kill-child --mount-proc"
    [ "$(id -u)" -eq 0 ] || own="$own --map-root-user"
    if ! why=$($own sh -c 'mount -t tmpfs tmpfs /run && ip netns add try && ip link add name try type veth peer name try2 && ip link add name try3 type bridge' 2>&1); then
        echo "skipped: no namespaces, virtual cables or bridges here: $why"
        exit 77
    fi
    WADI_TEST_SWITCH=1 exec $own sh "$0"
fi

set -u
wadi=$WADI_BUILD/cli/wadi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
mount -t tmpfs tmpfs /run || exit 1
export WADI_CACHE_DIR="$dir/cache" XDG_RUNTIME_DIR="$dir/run"
mkdir -m 700 cache run
unset WADI_TOKEN
ip link set lo up
ip link add name switch type bridge
ip link set switch up
echo '127.0.0.1 localhost' >hosts
mount --bind hosts /etc/hosts || exit 1

failed=0
wrong() {
    echo "$1"
    failed=1
}

# What comes next would have to wait for what failed.
give_up() {
    echo "$1"
    exit 1
}

# ---- hosts ----

switched_on() { # HOST N: a host that begins
    ip netns add "$1"
    ip link add name "to-$1" type veth peer name eth0 netns "$1"
    ip link set "to-$1" master switch up
    ip -n "$1" link set lo up
    ip -n "$1" link set eth0 up
    ip -n "$1" addr add "10.77.0.$2/24" dev eth0
}
host() { # HOST N
    echo "10.77.0.$2 $1" >>hosts
    switched_on "$1" "$2"
}
on() { # HOST COMMAND ..
    nsenter --net="/run/netns/$@"
}
# The same beside this. $last is the process.
beside() { # HOST COMMAND ..
    nsenter --net="/run/netns/$@" &
    last=$!
}

# ---- cables ----

pulled() { ip link set "to-$1" down; }
plugged() { ip link set "to-$1" up; }
# The same behind a switch: the host itself does not notice.
astray() { ip link set "to-$1" nomaster; }
found() { ip link set "to-$1" master switch; }
# Nobody hears of the end of its processes, which the caller has to kill.
switched_off() {
    ip link del "to-$1"
    ip netns del "$1"
}

# ---- waiting ----

case ${WADI_SANITIZE:-} in
*address* | *thread*) slower=5 ;;
*) slower=1 ;;
esac
# Asks again until the command succeeds, for SECONDS at most (with a sanitizer more). $took: milliseconds
await() { # SECONDS COMMAND ..
    begun_ms=$(date +%s%3N)
    end_ms=$((begun_ms + $1 * 1000 * slower))
    shift
    until "$@"; do
        took=$(($(date +%s%3N) - begun_ms))
        [ $((begun_ms + took)) -lt $end_ms ] || return 1
        sleep 0.02
    done
    took=$(($(date +%s%3N) - begun_ms))
}
ended() { ! kill -0 "$1" 2>/dev/null; } # PID
# The status is that of the process.
ends() { # PID WHAT
    await $((500 / slower)) ended "$1" || give_up "$2 does not end"
    wait "$1"
}
# What is not beside is begun with it: $brief COMMAND ..
brief="timeout 500"
same() { # EXPECTED GOT WHAT
    cmp -s "$1" "$2" || wrong "$3: the output differs: $(wc -c <"$1") and $(wc -c <"$2") bytes"
}

cat >slow.wadi <<'PROGRAM'
program slow
stream_in s : seq(f64[?])
y = map_seq s (b) {
  h = map b (x) { sin (mul x 0.001) }
  k = map h (x) { cos (exp (sin x)) }
  yield k
}
stream_out "y" y
PROGRAM
