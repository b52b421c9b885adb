#!/bin/sh
# What scripts/deb-check.sh does in the bare system: the packages are in /packages. Prints TAP.
set -u
cd /packages || exit 1
count=0
# try NAME COMMAND...: one test; it passed when the command did.
try() {
    what=$1
    shift
    count=$((count + 1))
    if "$@" >/tmp/out 2>&1; then
        echo "ok $count - $what"
    else
        echo "not ok $count - $what"
        tail -n 30 /tmp/out | sed 's/^/#   /'
    fi
}
# As somebody who is not root, in a folder whose name has spaces.
reader() { runuser -u reader -- env HOME=/home/reader PATH="$PATH" "$@"; }
shows() { # TEXT COMMAND...
    text=$1
    shift
    "$@" >/tmp/shown 2>/tmp/said || { cat /tmp/shown /tmp/said && return 1; }
    grep -qF -e "$text" /tmp/shown || { echo "missing: $text" && cat /tmp/shown /tmp/said && return 1; }
}
install() { apt-get -qq install -y --no-install-recommends "$@"; }
files() { find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /packages -o -path /var -o -path /home -o -path /etc/ld.so.cache \) -prune -o -print | sort; }

try 'apt finds Debian' apt-get -qq update
useradd --create-home reader
mkdir '/home/reader/my folder'
printf 'const X = [1 2; 3 4]\nY = X @ X\n' >'/home/reader/my folder/my program.lh'
chown -R reader: /home/reader
cd '/home/reader/my folder' || exit 1
files >/tmp/before

# An older version of the same, to upgrade from: version 0.1, and a file that is no longer there.
older() {
    mkdir /tmp/older && for name in longhand liblonghand0; do
        dpkg-deb -R /packages/${name}_*.deb /tmp/older/$name && sed -i 's/^Version: .*/Version: 0.1-1/' /tmp/older/$name/DEBIAN/control &&
            mkdir -p /tmp/older/$name/usr/share/$name && echo old >/tmp/older/$name/usr/share/$name/old && dpkg-deb -b /tmp/older/$name /tmp/older/ || return 1
    done
}
try 'an older version is made' older
try 'the older version is installed' install /tmp/older/*.deb
try 'apt upgrades it: the program and the library, and nothing by hand' install /packages/longhand_*.deb /packages/liblonghand0_*.deb
try 'what the new version has not is gone' test ! -e /usr/share/longhand/old
dpkg --audit >/tmp/audit 2>&1
try 'dpkg is content' test ! -s /tmp/audit

try 'longhand --version' reader longhand --version
try 'longhand run ex1' shows 0.250629 reader longhand run ex1
try 'a program in a folder whose name has spaces' shows '10' reader longhand run 'my program.lh'
try 'the same, with an option and the whole path' shows 'Y' reader longhand run '/home/reader/my folder/my program.lh' --set 'X=[1 0; 0 1]'
try 'in a locale without UTF-8' shows 0.250629 reader env LC_ALL=C LANG=C longhand run ex1
try 'an error of it ends with 2' sh -c 'longhand run nothing-of-this-name; test $? = 2'
try 'a lesson on the screen' shows 'Example 1' reader longhand read ex1 --no-pager
try 'a book is written' reader longhand book -o book
try 'its pages answer' test -s book/engine.js
try 'a model is trained' reader longhand train gpt --steps 3 --set layers=1 dim=16 heads=2 context=16 --out 'a model'
try 'and goes on writing' reader longhand sample 'a model' --number 5

# The shells, as a user types; man; what other packages bring.
try 'further programs' install man-db bash-completion zsh fish /packages/python3-longhand_*.deb
try 'man longhand-train' shows '--data' reader env MANPAGER=cat man longhand-train
for name in $(longhand help completion bash | sed -n "s/^        words='help \(.*\)'$/\1/p" | head -n 1); do
    man -w "longhand-$name" >/dev/null 2>&1 || echo "$name"
done >/tmp/no-page
try 'a page of the manual for each command' test ! -s /tmp/no-page
for page in longhand.1 longhand-json.5 longhand-notation.7; do try "man ${page#*.} ${page%.*}" man -w "${page#*.}" "${page%.*}"; done
try 'what a command is, in one line' shows longhand-train whatis longhand-train
for shell in bash zsh fish; do
    try "$shell completes a command" reader python3 /packages/tab.py $shell 'longhand expl' 'explain'
    try "$shell completes a lesson" reader python3 /packages/tab.py $shell 'longhand run ex5-p' 'ex5-plain'
    try "$shell completes a step of a program" reader python3 /packages/tab.py $shell 'longhand explain ex1 cont' 'context'
done

try 'the module for Python, without NumPy' shows 0.4982 reader python3 -c 'import longhand; print(longhand.open("ex1")["P[1][0]"])'
try 'its numbers answer in a notebook' reader python3 -c 'from longhand import _alive; assert "longhandEngine(" in _alive.script()'
try 'the rest of the packages' install /packages/liblonghand-dev_*.deb /packages/longhand-doc_*.deb gcc libc6-dev pkg-config python3-numpy
try 'man 3 longhand' man -w 3 longhand
try 'the smoke test of the packages' reader sh /packages/smoke
try 'pages of the course' test -s /usr/share/doc/longhand-doc/html/index.html
try 'a C program with the static library' sh -c 'cd /tmp && echo "#include <longhand.h>
#include <stdio.h>
int main(void) { return puts(longhand_version()) < 0; }" >static.c && cc static.c -o static $(pkg-config --cflags longhand) -Wl,-Bstatic -llonghand -Wl,-Bdynamic $(pkg-config --static --libs-only-l longhand | sed s/-llonghand//) && ./static'

try 'all of it is removed' apt-get -qq purge -y longhand liblonghand0 liblonghand-dev longhand-doc python3-longhand
files >/tmp/after
comm -13 /tmp/before /tmp/after | grep longhand >/tmp/left
try 'and nothing of it is left' sh -c '! cat /tmp/left | grep .'
echo "1..$count"
