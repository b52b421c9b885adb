#!/bin/sh
# arm.sh FOLDER: build for ARM64 here and run the tests under qemu. Libraries for ARM64 come from Debian, where this runs as root.
set -eu
cd "$(dirname "$0")/.."
build=$1
if test "$(id -u)" = 0 && ! test -e /usr/lib/aarch64-linux-gnu/libcjson.so; then
    dpkg --add-architecture arm64
    apt-get -qq update >&2
    apt-get -qq install -y --no-install-recommends libc6:arm64 libcjson-dev:arm64 libmd4c-dev:arm64 libcmocka-dev:arm64 libsqlite3-dev:arm64 >&2
fi
cat >"/tmp/longhand-arm.$$" <<'END'
[binaries]
c = 'aarch64-linux-gnu-gcc'
ar = 'aarch64-linux-gnu-ar'
strip = 'aarch64-linux-gnu-strip'
pkg-config = 'pkg-config'
exe_wrapper = 'qemu-aarch64'
[properties]
pkg_config_libdir = '/usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig'
[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
END
test -f "$build/build.ninja" || meson setup -Dwerror=true --cross-file "/tmp/longhand-arm.$$" \
    -Dlibedit=disabled -Donednn=disabled -Dmpi=disabled -Dpage=disabled -Dman=disabled "$build"
rm -f "/tmp/longhand-arm.$$"
sh scripts/test.sh "$build" 10
