#!/bin/sh
# The Python module: a wheel with the library inside, and a source archive, in python/dist.
#
#     sh scripts/wheel.sh [LIBRARY]
#
# Without LIBRARY one is built for it that needs nothing but the C library: cJSON inside, products by loops of our own (no oneDNN).
set -eu
cd "$(dirname "$0")/.."
library=${1-}
if test -z "$library"; then
    test -f build-wheel/build.ninja ||
        meson setup build-wheel -Dbuildtype=release -Dprefer_static=true -Donednn=disabled -Dpage=disabled -Dman=disabled >/dev/null
    library=build-wheel/$(ninja -C build-wheel -t targets all | sed -n 's/^\(liblonghand\.so\.[0-9.]*\): .*LINKER.*/\1/p' | head -n 1)
    ninja -C build-wheel --quiet "${library#build-wheel/}"
    strip --strip-unneeded -o build-wheel/liblonghand.so "$library"
    library=build-wheel/liblonghand.so
fi
library=$(realpath "$library")
python=${PYTHON:-python3}
"$python" -c 'import setuptools, wheel' 2>/dev/null || python=/usr/bin/python3
cd python
rm -rf build longhand.egg-info dist
LONGHAND_LIBRARY=$library "$python" setup.py --quiet bdist_wheel sdist
rm -rf build longhand.egg-info
ls dist
