#!/bin/sh
# archive.sh BUILD: the program for other Linux systems, BUILD/longhand-VERSION-linux-PROCESSOR.tar.xz. It is unpacked anywhere and run.
#
#     bin/longhand            starts lib/longhand/longhand with the libraries beside it
#     lib/longhand/           the program, oneDNN and every other library it needs, with the C library and the loader that they were
#                             linked against: so the C library of the system may be older, or another one
#     share/                  manual pages, words for shells, licences
#
# Then it is looked at: every library comes from the archive, and every symbol is there in the version that is asked for. It is unpacked
# into another folder, and run; as root also in an empty system that has nothing but a shell. The last line is `N passed, N failed`.
set -eu
cd "$(dirname "$0")/.."
build=$(cd "$1" && pwd)
version=$(sed -n "s/^ *version: '\(.*\)',/\1/p" meson.build | head -n 1)
name=longhand-$version-linux-$(uname -m)
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
top=$work/$name
lib=$top/lib/longhand

libraries() { ldd "$1" | awk '/=> \// { print $3 } /^[[:space:]]*\/.*ld-linux/ { print $1 }'; }
loader=$(libraries "$build/longhand" | grep '/ld-linux')

DESTDIR=$work/all meson install -C "$build" --no-rebuild --quiet
installed=$(dirname "$(dirname "$(find "$work/all" -path '*/bin/longhand')")")
mkdir -p "$top/bin" "$lib" "$top/share/licences"
strip -o "$lib/longhand" "$installed/bin/longhand"
for folder in man bash-completion zsh fish; do test ! -d "$installed/share/$folder" || cp -r "$installed/share/$folder" "$top/share/"; done
for library in $(libraries "$build/longhand"); do
    cp -L "$library" "$lib/"
    package=$(dpkg -S "*/$(basename "$library")" 2>/dev/null | sed -n 's/:.*//p' | head -n 1)
    test ! -f "/usr/share/doc/${package:-none}/copyright" || cp "/usr/share/doc/$package/copyright" "$top/share/licences/$package"
done
cp LICENSE "$top/share/licences/longhand"
cp README.md CHANGELOG.md "$top/"
cat >"$top/bin/longhand" <<END
#!/bin/sh
# Starts Longhand with the libraries that came with it, wherever this folder is.
self=\$(readlink -f "\$0") || self=\$0
lib=\$(dirname "\$(dirname "\$self")")/lib/longhand
exec "\$lib/$(basename "$loader")" --library-path "\$lib" "\$lib/longhand" "\$@"
END
chmod 755 "$top/bin/longhand" "$lib"/ld-linux*
tar -C "$work" --owner=0 --group=0 --sort=name -cJf "$build/$name.tar.xz" "$name"
echo "$build/$name.tar.xz: $(du -h "$build/$name.tar.xz" | cut -f 1)"

# ---- what was made, looked at ----

passed=0 failed=0
try() { # NAME COMMAND...
    what=$1
    shift
    if "$@" >"$work/out" 2>&1; then
        passed=$((passed + 1)) && echo "ok $((passed + failed)) - $what"
    else
        failed=$((failed + 1)) && echo "not ok $((passed + failed)) - $what" && sed 's/^/#   /' "$work/out" | head -n 30
    fi
}
there="$work/another folder"
mkdir "$there"
tar -C "$there" -xJf "$build/$name.tar.xz"
mv "$top" "$work/away"
run() { env -i PATH=/usr/bin:/bin HOME="$work" "$there/$name/bin/longhand" "$@"; }
traced() { LD_TRACE_LOADED_OBJECTS=1 LD_WARN=1 LD_BIND_NOW=1 "$there/$name/lib/longhand/$(basename "$loader")" --library-path "$there/$name/lib/longhand" "$there/$name/lib/longhand/longhand" 2>&1; }
only_ours() { traced | grep -v -e "$there/" -e 'linux-vdso' | { ! grep .; }; }
# The highest version of the C library that anything in the archive asks for is one that its own has.
versions() { objdump -T "$@" 2>/dev/null | awk -v which="$which" '/GLIBC_[0-9]/ && ((which == "asked") == /\*UND\*/) { print }' | grep -o 'GLIBC_[0-9.]*' | sort -u -V; }
has_symbols() {
    which=asked && versions "$there/$name"/lib/longhand/* >"$work/asked"
    which=given && versions "$there/$name"/lib/longhand/libc.so.6 "$there/$name"/lib/longhand/libm.so.6 "$there/$name"/lib/longhand/ld-linux* >"$work/given"
    test -s "$work/asked" && ! grep -vxFf "$work/given" "$work/asked"
}
shows() { text=$1 && shift && "$@" >"$work/shown" 2>&1 && grep -qF "$text" "$work/shown" || { cat "$work/shown" && false; }; }
has_onednn() { run --version | grep -q oneDNN; }
in_empty_system() {
    mkdir -p "$work/empty/bin" "$work/empty/tmp" && cp "$(command -v busybox)" "$work/empty/bin/sh" && mv "$there/$name" "$work/empty/opt" &&
        ln -s sh "$work/empty/bin/readlink" && ln -s sh "$work/empty/bin/dirname" && chroot "$work/empty" /bin/sh -c "PATH=/bin /opt/bin/longhand $1"
}

try 'every library comes from the archive, and no symbol is missing' only_ours
try 'every version of a symbol is there' has_symbols
echo "# the newest that is asked for: $(tail -n 1 "$work/asked"); inside: $(tail -n 1 "$work/given")"
try 'it runs from a folder whose name has spaces' shows 0.250629 run run ex1
try 'it runs through a link' sh -c 'ln -s "$1/bin/longhand" "$2/by-link" && "$2/by-link" --version' - "$there/$name" "$work"
try 'oneDNN is inside' has_onednn
try 'it trains with the products of oneDNN' run train gpt --steps 3 --set layers=1 dim=32 heads=2 context=16 --out "$work/model"
if test "$(id -u)" = 0 && command -v busybox >/dev/null && ! ldd "$(command -v busybox)" >/dev/null 2>&1; then
    try 'it runs in a system that has no C library' shows 0.250629 in_empty_system 'run ex1'
else
    echo '# skipped: a system that has no C library (needs root, and busybox-static)'
fi
echo "$passed passed, $failed failed"
test "$failed" -eq 0
