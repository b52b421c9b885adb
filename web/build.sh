#!/bin/sh
# The engine for pages as one line of JavaScript: the module, compressed, in letters that a script may hold.
#
#     build.sh SOURCE FOLDER OUT.js OUT.d       meson calls it; FOLDER keeps the cross build between two calls
#
# A page that was opened from a disk may read scripts and nothing else, so the module comes as one.
set -eu
source=$1
folder=$2
out=$3
depends=$4
unset DESTDIR CFLAGS CPPFLAGS LDFLAGS
if ! test -f "$folder/build.ninja"; then
    mkdir -p "$folder"
    set -- --cross-file "$source/web/wasm32.ini"
    if command -v ccache >/dev/null; then
        printf "[binaries]\nc = ['ccache', 'clang']\n" >"$folder/ccache.ini"
        set -- "$@" --cross-file "$folder/ccache.ini"
    fi
    meson setup "$@" -Dbuildtype=minsize -Dwerror=true "$folder" "$source" >"$folder/setup.log" 2>&1 ||
        { cat "$folder/setup.log" >&2; rm -f "$folder/build.ninja"; exit 1; }
fi
ninja -C "$folder" --quiet >"$folder/build.log" 2>&1 || { tail -n 40 "$folder/build.log" >&2; exit 1; }
{
    printf 'longhandEngine("'
    gzip -9 -n -c "$folder/web/engine.wasm" | base64 -w 0
    printf '");\n'
} >"$out"
{
    printf '%s: ' "$out"
    find "$source/src" "$source/web" "$source/include" "$source/meson.build" "$source/scripts/embed.c" -type f ! -path '*/src/cli/*' \
        ! -path '*/web/page/*' | tr '\n' ' '
    echo
} >"$depends"
