#!/bin/sh
# dist.sh FOLDER: the source archive longhand-VERSION.tar.xz. What is committed goes into it, and nothing else; it builds without git.
# Without git, as in such an archive, everything goes into it but what was built.
set -eu
cd "$(dirname "$0")/.."
mkdir -p "$1"
version=$(sed -n "s/^ *version: '\(.*\)',/\1/p" meson.build | head -n 1)
name=longhand-$version
files() {
    if test -e .git && git rev-parse --verify --quiet HEAD >/dev/null 2>&1; then
        git archive --prefix="$name/" HEAD
    else
        tar --exclude='./build*' --exclude=./.git --exclude=./longhand --exclude=node_modules --transform="s,^\.,$name," -cf - .
    fi
}
files | xz -T0 >"$1/$name.tar.xz"
echo "$1/$name.tar.xz"
