#!/bin/sh
# dist.sh FOLDER: the source archive longhand-VERSION.tar.xz. What is committed goes into it, and nothing else; it builds without git.
set -eu
cd "$(dirname "$0")/.."
mkdir -p "$1"
version=$(sed -n "s/^ *version: '\(.*\)',/\1/p" meson.build | head -n 1)
name=longhand-$version
git archive --prefix="$name/" HEAD | xz -T0 >"$1/$name.tar.xz"
echo "$1/$name.tar.xz"
