#!/bin/sh
# The benchmarks of devices run on tiny sizes, and all sides give the same bits; run.sh makes a page of what they print. At full length also the
# applications, and NVIDIA's devices over the doubles, with numpy and JAX as peers where they are installed.
set -eu
bench="$WADI_BUILD/bench/devices/bench_devices"
[ -x "$bench" ] || { echo "bench_devices is not built"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
run="$WADI_SOURCE/bench/devices/run.sh -b $WADI_BUILD -o $folder/page"

names=$("$bench" --list | awk '{ print $1 }')
[ -n "${WADI_TEST_ALL:-}" ] || names=$(echo "$names" | grep -vx -e apps -e fastmath)
WADI_DEVICE=null "$bench" --quick --runs 1 --only "$(echo $names | tr ' ' ,)" > "$folder/lines" 2> "$folder/table" || {
    cat "$folder/table"
    exit 1
}
grep -q "^streams.*, kernels.*null" "$folder/lines" || { echo "no kernels of streams"; exit 1; }
grep -q 'ragged.*: null copies .* MB there' "$folder/table" || { echo "no word about copies"; exit 1; }
grep -q "^table2.*, copied.*null" "$folder/lines" && grep -q "^table2.*, resident.*null" "$folder/lines" || { echo "half of table 2"; exit 1; }
for name in $names; do
    cut -f 1 "$folder/lines" | grep -qx "$name" || { echo "$name measures nothing"; exit 1; }
done
WADI_DEVICE=null "$bench" --quick --seconds 0 --only arrays,streams,table2 > "$folder/lines" 2> "$folder/said"
[ ! -s "$folder/lines" ] && grep -q '^sum: skipping it: no time is left$' "$folder/said" || { echo "no end of time"; exit 1; }

WADI_DEVICE=null $run -n shares,arrays -- --quick --runs 1 --case sum 2> "$folder/said" || { cat "$folder/said"; exit 1; }
grep -q '^| sum, resident | .* | null | .* |$' "$folder/page" || { echo "no table in the page:"; cat "$folder/page"; exit 1; }
grep -q '^- skipping .*CuPy.* NVIDIA' "$folder/page" || { echo "no word about missing peers:"; cat "$folder/page"; exit 1; }
! WADI_DEVICE=gpu $run -n arrays -- --quick 2> "$folder/said" || { echo "a failure is no failure"; exit 1; }
grep -q 'there is no "gpu"' "$folder/page" || { echo "no word about the failure:"; cat "$folder/page"; exit 1; }

# Its programs find the modules of the build, however that is named.
fake=$folder/fake
mkdir -p "$fake/bench/devices" "$fake/cli" "$fake/lib/wadi"
printf '#!/bin/sh\n[ "$1" = --list ] && echo arrays || echo "$WADI_MODULES" >"%s"\n' "$folder/modules" > "$fake/bench/devices/bench_devices"
printf '#!/bin/sh\n' > "$fake/cli/wadi"
chmod +x "$fake/bench/devices/bench_devices" "$fake/cli/wadi"
(cd "$folder" && WADI_DEVICE=null "$WADI_SOURCE/bench/devices/run.sh" -b fake -o "$folder/none" -n arrays) 2> "$folder/said" || true
[ "$(cat "$folder/modules")" = "$(cd "$fake" && pwd)/lib/wadi" ] || { echo "other modules: $(cat "$folder/modules" "$folder/said")"; exit 1; }

# Ended early, it leaves what was measured.
rm -f "$folder/page"
WADI_DEVICE=null $run -n shares,arrays -- --quick --runs 1 --case memory 2> "$folder/said" &
script=$!
for i in $(seq 200); do
    [ -e "$folder/page" ] && break
    sleep 0.05
done
kill -TERM $script 2>/dev/null && early=yes || early=no
wait $script || true
grep -q '^| memory | ' "$folder/page" || { echo "nothing is left ($early):"; cat "$folder/said"; exit 1; }

doubles=$WADI_BUILD/tests/doubles
[ -n "${WADI_TEST_ALL:-}" ] && [ -e "$doubles/libdouble_cuda.so" ] && [ -e "$doubles/libdouble_nvrtc.so" ] || exit 0
export WADI_CUDA_DRIVER="$doubles/libdouble_cuda.so" WADI_NVRTC="$doubles/libdouble_nvrtc.so" WADI_CUFFT="$doubles/libdouble_cufft.so"
WADI_DEVICE=cuda WADI_BENCH_STAND_IN=1 "$bench" --quick --runs 1 --only arrays,fastmath > "$folder/lines" 2> "$folder/table" || {
    cat "$folder/table"
    exit 1
}
grep -q 'resident.*CuPy' "$folder/lines" || grep -q 'skipping CuPy: numpy' "$folder/table" || { echo "no word about CuPy"; exit 1; }
