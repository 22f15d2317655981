#!/bin/sh
# Too few descriptors, threads or addresses: `wadi run` does its work or says what is missing. It never aborts or hangs. A program
# without links needs no ZeroMQ; a program with a link checks beforehand whether there is room for it.
set -u
wadi=$WADI_BUILD/cli/wadi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
cd "$dir" || exit 1
export XDG_CACHE_HOME="$dir/cache"

case ${WADI_SANITIZE:-} in
*address* | *thread*) echo "a sanitizer needs all addresses: left out" && exit 77 ;;
esac

cat >double.wadi <<'END'
program double
stream_in s : seq(f64[?])
y = map_seq s (b) {
  h = map b (x) { mul x 2.0 }
  yield h
}
stream_out "out" y
END
head -c 80000 /dev/zero >zeros.raw
to=ipc://$dir/link
"$wadi" run double.wadi s=100:@zeros.raw out=@want.raw || exit 1

failed=0
wrong() {
    echo "$1"
    failed=1
}

# The command under a limit: ends with 0 and the right file, or with 1 and a reason. works: 0 is one of them.
limited() {
    limit=$1
    works=$2
    shift 2
    rm -f out.raw
    timeout 60 sh -c 'limit=$1; shift; ulimit $limit && exec "$0" run double.wadi "$@"' "$wadi" "$limit" "$@" >/dev/null 2>said
    rc=$?
    case $rc in
    0)
        [ "$works" = yes ] || wrong "ulimit $limit: ends well without its other end: $*"
        cmp -s want.raw out.raw || wrong "ulimit $limit: status 0 and a wrong file: $*"
        ;;
    1)
        grep -q '^wadi: ' said || wrong "ulimit $limit: no reason: $*"
        [ -e out.raw ] && wrong "ulimit $limit: status 1 and a file: $*"
        ;;
    127) grep -q 'loading shared libraries' said || wrong "ulimit $limit: $(cat said)" ;; # the loader's own complaint
    *) wrong "ulimit $limit: status $rc: $*: $(cat said)" ;;
    esac
}

step=${WADI_TEST_ALL:+1}
step=${step:-4}
n=3
while [ $n -le 40 ]; do
    limited "-n $n" yes s=100:@zeros.raw out=@out.raw
    n=$((n + 1))
done
[ -e out.raw ] || wrong "40 descriptors are too few for one process"
n=3
while [ $n -le 60 ]; do
    limited "-n $n" no s=100:@zeros.raw "out=@$to" --wait 0.05
    limited "-n $n" no "s=@$to" out=@out.raw --wait 0.05
    n=$((n + step))
done
v=20000
while [ $v -le 2000000 ]; do
    limited "-v $v" yes s=100:@zeros.raw out=@out.raw
    limited "-v $v" no s=100:@zeros.raw "out=@$to" --wait 0.05
    limited "-v $v" no "s=@$to" out=@out.raw --wait 0.05
    v=$((v + 1 + v * step / 6))
done

# The number of processes is no limit for the superuser.
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    chmod 777 "$dir"
    chmod -R a+rwX "$dir/cache"
    wadi_as="setpriv --reuid 65534 --regid 65534 --clear-groups"
    export XDG_CACHE_HOME="$dir/others"
    if $wadi_as "$wadi" run double.wadi s=100:@zeros.raw out=@out.raw 2>said; then
        u=1
        while [ $u -le 12 ]; do
            for bound in "s=100:@zeros.raw out=@out.raw" "s=100:@zeros.raw out=@$to" "s=@$to out=@out.raw"; do
                rm -f out.raw
                # shellcheck disable=SC2086
                timeout 60 $wadi_as sh -c "ulimit -u $u && exec \"\$0\" run double.wadi $bound --wait 0.05" "$wadi" >/dev/null 2>said
                rc=$?
                [ $rc -le 2 ] || wrong "ulimit -u $u: status $rc: $bound: $(cat said)"
                [ $rc -ne 0 ] || cmp -s want.raw out.raw || wrong "ulimit -u $u: status 0 and a wrong file: $bound"
            done
            u=$((u + 1))
        done
    else
        echo "another user cannot run wadi here: limits of processes are left out"
    fi
fi

# ---- a list of hashes without end is read until memory is full, and no further ----
echo word >words
yes d41d8cd98f00b204e9800998ecf8427e | timeout 60 sh -c 'ulimit -v 150000 && exec "$0" -q -m - words' "$WADI_BUILD/apps/md5/wadi-md5" >/dev/null 2>said
grep -q 'out of memory' said || wrong "a list of hashes without end: $(cat said)"
exit $failed
