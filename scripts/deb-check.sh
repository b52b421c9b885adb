#!/bin/sh
# deb-check.sh FOLDER: installs the packages in FOLDER on a bare Debian of its own, tries them there, upgrades and removes them.
#
# The bare system is of the release that runs here and comes from where this machine's apt gets Debian (scripts/debian-sources.sh). It is made
# by debootstrap in a folder outside the tree and removed at the end. What has to be mounted in it is mounted for the processes of this
# script alone: nothing stays mounted, whatever happens. Needs root. The last line is `N passed, N failed`.
set -eu
packages=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
skipped() {
    echo "skipped: $1"
    echo '0 passed, 0 failed'
    exit 0
}
test "$(id -u)" = 0 || skipped 'a system in a folder needs root'
command -v debootstrap >/dev/null || skipped 'there is no debootstrap; scripts/deps.sh deb installs it'
unshare --mount --pid --fork --kill-child true 2>/dev/null || skipped 'this machine allows no mounts of our own'
release=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
sources=$(sh scripts/debian-sources.sh) || skipped 'this machine has no lists of Debian'
mirror=$(echo "$sources" | awk -v release="$release" '$3 == release && $4 == "main" { print $2; exit }')
test -n "$mirror" || skipped "no source of this machine has Debian's $release"

root=$(mktemp -d "${TMPDIR:-/var/tmp}/longhand-debian.XXXXXX")
trap 'rm -rf --one-file-system "$root"' EXIT
trap 'exit 1' HUP INT TERM
system=$root/system
debootstrap --variant=minbase "$release" "$system" "$mirror" >"$root/log" 2>&1 ||
    { tail -n 5 "$root/log" && skipped 'debootstrap could not make a system'; }

# As this machine speaks to the network.
echo "$sources" >"$system/etc/apt/sources.list"
apt-config dump --format '%f "%v";%n' Acquire | grep -v '::$' >"$system/etc/apt/apt.conf.d/80here" || true
for file in resolv.conf hosts; do test ! -e /etc/$file || cp -L /etc/$file "$system/etc/$file"; done
for folder in /usr/local/share/ca-certificates; do test ! -d $folder || { mkdir -p "$system$folder" && cp -r $folder/. "$system$folder/"; }; done

mkdir "$system/packages"
cp "$packages"/*.deb debian/tests/smoke tests/tab.py scripts/deb-inside.sh "$system/packages/"
unshare --mount --pid --fork --kill-child sh -c '
    mount --make-rprivate / && mount -t proc proc "$1/proc" && mount --rbind /sys "$1/sys" &&
    mount -t tmpfs tmpfs "$1/dev" && mkdir "$1/dev/pts" "$1/dev/shm" && mount -t devpts -o newinstance,ptmxmode=0666 devpts "$1/dev/pts" &&
    ln -s pts/ptmx "$1/dev/ptmx" && ln -s /proc/self/fd "$1/dev/fd" &&
    for name in null zero full random urandom tty; do touch "$1/dev/$name" && mount --bind "/dev/$name" "$1/dev/$name" || exit 1; done
    exec chroot "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive sh /packages/deb-inside.sh
' - "$system" </dev/null 2>&1 | tee "$root/log"
passed=$(grep -c '^ok ' "$root/log" || true)
failed=$(grep -c '^not ok ' "$root/log" || true)
# The plan is the last line: without it, the list was not gone through to its end.
tail -n 1 "$root/log" | grep -qx "1\.\.$((passed + failed))" || failed=$((failed + 1))
echo "$passed passed, $failed failed"
test "$failed" -eq 0
