#!/bin/sh
# Installs into a fresh prefix and builds the example project against it, with the shared and with the static library: by
# find_package, which can find no other package, and by pkg-config, which knows only wadi. Each program must run and print what it
# should. The installed programs must start too, need no large library, and find their modules.
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
for header in "$WADI_SOURCE"/include/wadi/*.h lang_places.h; do
    [ -f "$prefix/include/wadi/${header##*/}" ] || fail "${header##*/} is not installed"
done

# What a public header declares and wadi defines must be visible in the shared library.
sed 's,/\*.*\*/,,' "$prefix"/include/wadi/*.h | grep -o 'wadi_[a-z0-9_]*(' | tr -d '(' | sort -u >"$work/declared"
nm "$(find "$prefix" -name libwadi.a)" 2>/dev/null | awk '$2 == "T" { print $3 }' | sort -u >"$work/defined"
nm -D "$(find "$prefix" -name libwadi.so)" | awk '$2 == "T" { print $3 }' | sort -u >"$work/visible"
hidden=$(comm -12 "$work/declared" "$work/defined" | comm -23 - "$work/visible")
[ -z "$hidden" ] || fail "declared in public headers, yet hidden (WADI_BEGIN_DECLS is missing): $hidden"

example_with() {
    build=$1
    shift
    cmake -S "$example" -B "$build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$WADI_TEST_CC" \
        -DCMAKE_C_FLAGS="$flags" "$@" >"$work/log" 2>&1 || fail "$(cat "$work/log")"
    cmake --build "$build" >"$work/log" 2>&1 || fail "$(cat "$work/log")"
    expect_output "$build/example_shared"
}

PKG_CONFIG_LIBDIR=/nowhere PKG_CONFIG_PATH='' example_with "$work/shared" -DWITH_STATIC=OFF
example_with "$work/both"
expect_output "$work/both/example_static"

# From here on pkg-config knows of nothing but wadi.
pc=$(dirname "$(find "$prefix" -name wadi.pc)")
export PKG_CONFIG_LIBDIR="$pc" PKG_CONFIG_PATH=
libdir=$(pkg-config --variable=libdir wadi)
cflags=$(pkg-config --cflags wadi) || fail "pkg-config --cflags wadi"
# shellcheck disable=SC2086
set -- $cflags
[ $# -eq 1 ] && [ -f "${1#-I}/wadi/wadi.h" ] || fail "pkg-config --cflags says: $cflags"
# Words of flags are separate arguments.
# shellcheck disable=SC2046,SC2086
"$WADI_TEST_CC" $flags "$example/main.c" -o "$work/example_pc" $cflags $(pkg-config --libs wadi) || fail "pkg-config build"
LD_LIBRARY_PATH=$libdir expect_output "$work/example_pc"
mkdir "$work/alone"
ln -s "$libdir/libwadi.a" "$work/alone/libwadi.a" # without the shared library beside it
# shellcheck disable=SC2046,SC2086
"$WADI_TEST_CC" $flags "$example/main.c" -o "$work/example_pc_static" $cflags -L"$work/alone" \
    $(pkg-config --libs --static wadi | sed 's,-L[^ ]*,,') || fail "pkg-config --static build"
expect_output "$work/example_pc_static"

# What the library needs by itself; sanitizers add their own.
if [ -z "$WADI_SANITIZE" ]; then
    needed=$(readelf -d "$libdir/libwadi.so" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' |
        grep -v -E '^(libc|libm|libsodium|libdl|libpthread|ld-linux-[a-z0-9-]*)\.so\.[0-9]*$') || true
    [ -z "$needed" ] || fail "libwadi.so needs $needed"
fi

# A module serves either library: beside the shared one, where WADI_MODULES says for the static one.
if [ -f "$libdir/wadi/png.so" ]; then
    # shellcheck disable=SC2046,SC2086
    "$WADI_TEST_CC" $flags "$example/picture.c" -o "$work/picture" $cflags $(pkg-config --libs wadi) -Wl,-rpath,"$libdir"
    # shellcheck disable=SC2046,SC2086
    "$WADI_TEST_CC" $flags "$example/picture.c" -o "$work/picture_static" $cflags -L"$work/alone" \
        $(pkg-config --libs --static wadi | sed 's,-L[^ ]*,,')
    "$work/picture" >"$work/log" || fail "shared: $(cat "$work/log")"
    WADI_MODULES=$libdir/wadi "$work/picture_static" >"$work/log" || fail "static: $(cat "$work/log")"
    ! WADI_MODULES=/nowhere "$work/picture" >"$work/log" || fail "a module that is nowhere was found"
    grep -q 'needs libpng, through the module "png", which is not installed (package wadi-png; no png.so in /nowhere)' "$work/log" ||
        fail "said of a missing module: $(cat "$work/log")"
fi

# Each module is found where the tree lies now, and missed by its name.
"$prefix/bin/wadi" version >"$work/version" || fail "wadi version"
grep -q "modules from  $(dirname "$prefix/bin")/bin/../" "$work/version" || fail "modules are sought in $(grep 'modules from' "$work/version")"
for module in "$libdir"/wadi/*.so; do
    [ -f "$module" ] || continue
    name=$(basename "$module" .so)
    grep -q "module  *$name .*(.*)$" "$work/version" || fail "wadi version says of $name: $(grep "$name" "$work/version")"
    ! grep -q "module  *$name .*not installed" "$work/version" || fail "$module is not found"
    rm "$module"
    "$prefix/bin/wadi" version | grep -q "module  *$name .*not installed (package wadi-$name)" || fail "$name is not missed"
done

for program in wadi wadi-flac wadi-md5 wadi-grid; do
    if [ -x "$prefix/bin/$program" ]; then
        "$prefix/bin/$program" --version >"$work/log" || fail "$program --version"
        grep -q "0\.1\.0" "$work/log" || fail "$program --version said: $(cat "$work/log")"
    fi
done
