#!/bin/sh
# Installs into a fresh prefix and builds the example project against it three ways: find_package with the shared and with the
# static library, and pkg-config. Each program must run and say what it should. The programs must start as well.
set -eu

work=$(mktemp -d "${TMPDIR:-/tmp}/wadi-install.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
prefix=$work/prefix
example=$WADI_SOURCE/tests/install/example
flags=${WADI_SANITIZE:+-fsanitize=$WADI_SANITIZE}

fail() {
    echo "install: $1" >&2
    exit 1
}

expect_output() {
    said=$("$@") || fail "$1 failed"
    [ "$said" = "$(cat "$example/expected.txt")" ] || fail "$1 said: $said"
}

cmake --install "$WADI_BUILD" --prefix "$prefix" >"$work/log" || fail "$(cat "$work/log")"

# The tree must not depend on where it was installed.
mv "$prefix" "$work/moved"
prefix=$work/moved
for header in "$WADI_SOURCE"/include/wadi/*.h; do
    [ -f "$prefix/include/wadi/${header##*/}" ] || fail "${header##*/} is not installed"
done

# What a public header declares and wadi defines must be visible in the shared library.
sed 's,/\*.*\*/,,' "$prefix"/include/wadi/*.h | grep -o 'wadi_[a-z0-9_]*(' | tr -d '(' | sort -u >"$work/declared"
nm "$(find "$prefix" -name libwadi.a)" 2>/dev/null | awk '$2 == "T" { print $3 }' | sort -u >"$work/defined"
nm -D "$(find "$prefix" -name libwadi.so)" | awk '$2 == "T" { print $3 }' | sort -u >"$work/visible"
hidden=$(comm -12 "$work/declared" "$work/defined" | comm -23 - "$work/visible")
[ -z "$hidden" ] || fail "declared in public headers, yet hidden (WADI_BEGIN_DECLS is missing): $hidden"

cmake -S "$example" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$WADI_TEST_CC" \
    -DCMAKE_C_FLAGS="$flags" >"$work/log" 2>&1 || fail "$(cat "$work/log")"
cmake --build "$work/build" >"$work/log" 2>&1 || fail "$(cat "$work/log")"
expect_output "$work/build/example_shared"
expect_output "$work/build/example_static"

pc=$(dirname "$(find "$prefix" -name wadi.pc)")
export PKG_CONFIG_PATH="$pc"
# Words of flags are separate arguments.
# shellcheck disable=SC2046,SC2086
"$WADI_TEST_CC" $flags "$example/main.c" -o "$work/example_pc" $(pkg-config --cflags --libs wadi) || fail "pkg-config build"
LD_LIBRARY_PATH=$(pkg-config --variable=libdir wadi) expect_output "$work/example_pc"

for program in wadi wadi-flac; do
    if [ -x "$prefix/bin/$program" ]; then
        "$prefix/bin/$program" --version >"$work/log" || fail "$program --version"
        grep -q "0\.1\.0" "$work/log" || fail "$program --version said: $(cat "$work/log")"
    fi
done
