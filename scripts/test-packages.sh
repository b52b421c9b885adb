#!/bin/sh
# Everything that is handed out, made and tried: packages for Debian on a bare system, the binary archive in another folder, the source
# archive without git and without a network. The last line is `N passed, N failed`.
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# count NAME COMMAND...: a script that counts its own tests in its last line.
count() {
    echo "== $1"
    shift
    "$@" >"$work/log" 2>&1
    verdict=$?
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$work/log" | tail -n 1)
    good=${line%% passed*} bad=${line##*passed, } bad=${bad%% failed*}
    test -n "$line" || good=0 bad=1
    test $verdict -eq 0 || test "$bad" -gt 0 || bad=1
    if test "$bad" -gt 0; then tail -n 60 "$work/log"; else grep -E '^(not )?ok |^skipped|^#' "$work/log"; fi
    passed=$((passed + good)) failed=$((failed + bad))
}

# One step that passes or not, with what it said where it did not.
step() {
    if "$@" >"$work/log" 2>&1; then passed=$((passed + 1)) && echo "ok - $*"; else failed=$((failed + 1)) && echo "not ok - $*" && tail -n 40 "$work/log"; fi
}

# A compiler, meson and the libraries are all it takes: no git, no network.
builds_alone() {
    sh scripts/dist.sh "$work" && mkdir "$work/source" && tar -C "$work/source" --strip-components=1 -xJf "$work"/longhand-*.tar.xz &&
        test ! -e "$work/source/.git" && mkdir "$work/bin" && printf '#!/bin/sh\nexit 1\n' >"$work/bin/git" && chmod +x "$work/bin/git" &&
        PATH=$work/bin:$PATH unshare ${alone:+--net} sh -c 'meson setup -Dpage=disabled -Dfont=disabled "$1/made" "$1/source" && ninja -C "$1/made" longhand && "$1/made/longhand" check ex1' - "$work"
}
alone=yes
unshare --net true 2>/dev/null || { alone='' && echo '# the network cannot be taken away here'; }
step builds_alone

before=$failed
step sh scripts/deb.sh build/deb
test "$failed" -gt "$before" || count 'on a bare Debian' sh scripts/deb-check.sh build/deb
step make all DEPS=no
count 'the archive for other Linux systems' sh scripts/archive.sh build
echo "$passed passed, $failed failed"
test "$failed" -eq 0
