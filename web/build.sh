#!/bin/sh
# The engine for pages, and the one for models that learn there, as a line of JavaScript each: a module, compressed, in letters that
# a script may hold.
#
#     build.sh SOURCE FOLDER ENGINE.js FAST.js OUT.d       meson calls it; FOLDER keeps the cross build between two calls
#
# A page that was opened from a disk may read scripts and nothing else, so the module comes as one.
set -eu
source=$1
folder=$2
engine=$3
fast=$4
depends=$5
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
# line FUNCTION MODULE: the call that hands the module to the page.
line() {
    printf '%s("' "$1"
    gzip -9 -n -c "$folder/web/$2.wasm" | base64 -w 0
    printf '");\n'
}
line longhandEngine engine >"$engine"
line longhandFast fast >"$fast"
{
    printf '%s %s: ' "$engine" "$fast"
    find "$source/src" "$source/web" "$source/include" "$source/meson.build" "$source/scripts/embed.c" -type f ! -path '*/src/cli/*' \
        ! -path '*/web/page/*' ! -path '*/web/modules/*' | tr '\n' ' '
    echo
} >"$depends"
