#!/bin/sh
# deb.sh FOLDER: the packages for Debian, from what is committed, looked at by lintian. What they are built with is installed where this runs as root.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
mkdir -p "$1"
rm -rf "$1"/longhand-* "$1"/*.deb
archive=$(sh scripts/dist.sh "$1")
cd "$1"
name=$(basename "$root/$archive" .tar.xz)
cp "$name.tar.xz" "longhand_${name#longhand-}.orig.tar.xz"
tar -xf "$name.tar.xz"
cd "$name"
if ! dpkg-checkbuilddeps 2>/dev/null && test "$(id -u)" = 0; then
    DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=600 --no-install-recommends build-dep ./ >/dev/null || true
fi
missing=$(dpkg-checkbuilddeps 2>&1) || { echo "$missing" && exit 77; } # 77: it cannot be done here
# debhelper has a home of its own, where a cache of the compiler would be lost each time.
if command -v ccache >/dev/null; then CCACHE_DIR=${CCACHE_DIR:-$(ccache -k cache_dir)} && export CCACHE_DIR; fi
dpkg-buildpackage --build=binary --no-sign
cd ..
# It is no upload to Debian: there is no bug of its list that the first version would close.
lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs ./*.changes
ls ./*.deb
