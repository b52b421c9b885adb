#!/bin/sh
# The Python module: a wheel with the library inside, and a source archive, in python/dist.
#
#     sh scripts/wheel.sh [LIBRARY]
#
# Without LIBRARY one is built for it, with products by loops of our own (no oneDNN) and with the engine for notebooks where its tools are
# there; cJSON and quadmath go into the wheel beside it.
set -eu
cd "$(dirname "$0")/.."
library=${1-}
if test -z "$library"; then
    test -f build-wheel/build.ninja ||
        meson setup build-wheel -Dbuildtype=release -Donednn=disabled -Dman=disabled \
            -Dmpi=disabled -Dc_link_args='-Wl,-rpath,$ORIGIN' >/dev/null
    name=$(ninja -C build-wheel -t targets all | sed -n 's/^\(liblonghand\.so\.[0-9.]*\): .*LINKER.*/\1/p' | head -n 1)
    ninja -C build-wheel --quiet "$name"
    strip --strip-unneeded -o build-wheel/liblonghand.so "build-wheel/$name"
    library=build-wheel/liblonghand.so
fi
library=$(realpath "$library")
for other in $(ldd "$library" | sed -n 's/.* => \(.*\/lib\(cjson\|quadmath\)[^ ]*\) .*/\1/p'); do library=$library:$other; done
python=${PYTHON:-python3}
"$python" -c 'import setuptools, wheel' 2>/dev/null || python=/usr/bin/python3
cd python
rm -rf build longhand.egg-info dist
LONGHAND_LIBRARY=$library "$python" setup.py --quiet bdist_wheel sdist
rm -rf build longhand.egg-info
ls dist
