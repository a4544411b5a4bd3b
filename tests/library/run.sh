#!/bin/sh
# The libraries as `cmake --install` leaves them: what they show, and that a client links and runs.
# run.sh BUILD-FOLDER C-COMPILER
set -u
# shellcheck source=tests/common.sh
. "$(dirname "$0")/../common.sh"
build=$1 compiler=$2
source=$(cd "$here/../.." && pwd)
prefix=$work/prefix

check "installing" cmake --install "$build" --prefix "$prefix"
libdir=$(dirname "$(find "$prefix" -name libpistachio.a)")
version=$(sed -n 's/^Version: //p' "$libdir/pkgconfig/pistachio.pc")

# The functions that the header declares.
sed -n 's/^PISTACHIO_API .*[ *]\(pistachio_[a-z0-9_]*\)(.*/\1/p' "$source/include/pistachio/pistachio.h" |
    sort >"$work/declared"
echo AdbcDriverInit | sort - "$work/declared" -o "$work/declared"
check "the header declares functions" test "$(wc -l <"$work/declared")" -gt 20

# shows NAME NM-OPTION LIBRARY: exactly those.
shows() {
    nm "$2" --defined-only "$3" | sed -n 's/^[0-9a-f]* [B-TV-Z] \([^@]*\).*/\1/p' |
        grep -v '^PISTACHIO_0$' | sort >"$work/shown"
    check "$1 shows what the header declares" diff "$work/declared" "$work/shown"
}
shows "the archive" -g "$libdir/libpistachio.a"

# runs NAME: the client, built with the flags in $flags.
runs() {
    # shellcheck disable=SC2086
    check "$1: the client links" "$compiler" -Wall -Werror -o "$work/client" "$here/client.c" $flags
    check "$1: the client runs" sh -c "LD_LIBRARY_PATH='$libdir' '$work/client' >'$work/answer'"
    check "$1: the answer" test "$(cat "$work/answer" 2>/dev/null)" = "$version answer 42"
    rm -f "$work/client" "$work/answer"
}

if command -v pkg-config >/dev/null; then
    PKG_CONFIG_PATH=$libdir/pkgconfig
    export PKG_CONFIG_PATH
    check "pistachio.pc" pkg-config --validate pistachio
    # The archive in the shared library's place.
    flags=$(pkg-config --static --cflags --libs pistachio | sed 's/-lpistachio/-l:libpistachio.a/')
    runs "archive"
else
    skip "links by pistachio.pc: there is no pkg-config"
fi

if [ -e "$libdir/libpistachio.so" ]; then
    shows "the shared library" -D "$libdir/libpistachio.so.0"
    flags="-I$prefix/include -L$libdir -lpistachio"
    runs "shared library"
    if command -v pkg-config >/dev/null; then
        flags=$(pkg-config --cflags --libs pistachio)
        runs "shared library by pistachio.pc"
    fi
fi

# The CMake package, from another folder than that it was built in.
if [ -e "$libdir/libpistachio.so" ]; then
    mkdir "$work/project"
    cat >"$work/project/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.22)
project(client C)
find_package(pistachio $version REQUIRED)
add_executable(client $here/client.c)
target_link_libraries(client PRIVATE pistachio::pistachio)
END
    check "the CMake package is found" sh -c "cmake -G Ninja -S '$work/project' -B '$work/project/build' \
        -DCMAKE_PREFIX_PATH='$prefix' -DCMAKE_C_COMPILER='$compiler' >'$work/log' 2>&1 || { cat '$work/log'; false; }"
    check "a client links by it" sh -c "cmake --build '$work/project/build' >'$work/log' 2>&1 || { cat '$work/log'; false; }"
    check "and runs" sh -c "'$work/project/build/client' >'$work/answer'"
    check "with the answer" test "$(cat "$work/answer" 2>/dev/null)" = "$version answer 42"
    check "ADBC's manifest names the library" grep -q "= \"$libdir/libpistachio.so.0\"" \
        "$prefix/etc/adbc/drivers/pistachio.toml"
fi


# Modules lie beside the library, where the installed program and the library find them.
check "modules are beside the library" test -e "$libdir/pistachio-http.so" -a -e "$libdir/pistachio-serve.so"
# Nobody listens on that port: it is the module that says so.
check "the program finds modules" sh -c "\"\$1\" --set http_timeout=1 -c \"from 'https://127.0.0.1:9/b.parquet'\" 2>&1 | grep -q 'onnect'" \
    - "$prefix/bin/pistachio"
check "the program needs no library of ours" "$prefix/bin/pistachio" -c "select 1"
finish
