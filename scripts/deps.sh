#!/bin/sh
# Installs what is missing to build Longhand, and nothing when nothing is missing.
#
#     sh scripts/deps.sh build test python page clients lint fuzz coverage man deb arm big-endian     (any of these groups)
#
# Debian and its relatives: apt-get, as root or through sudo. Elsewhere, and with DEPS=no: says what to install and ends with 2.
set -eu

missing=''  # Debian names of what is not there
optional='' # the same, of what we can do without

have() { command -v "$1" >/dev/null 2>&1; }
need() { missing="$missing $1"; }
need_command() { have "$1" || need "$2"; }
has_library() { have pkg-config && pkg-config --exists "$1"; }

# A C compiler that finds the headers of libc: Debian's gcc alone does not bring them.
has_compiler() {
    cc=${CC:-cc}
    have "${cc%% *}" && echo '#include <stdio.h>' | $cc -E - >/dev/null 2>&1
}

wish_modules() { # of Python
    for module; do
        python3 -c "import $module" 2>/dev/null || /usr/bin/python3 -c "import $module" 2>/dev/null || optional="$optional python3-$module"
    done
}

for group; do
    case $group in
    build)
        has_compiler || { need gcc; need libc6-dev; }
        need_command meson meson
        need_command ninja ninja-build
        need_command pkg-config pkg-config
        has_library libcjson || need libcjson-dev
        echo '#include <dnnl.h>' | ${CC:-cc} -E - >/dev/null 2>&1 || optional="$optional libdnnl-dev"
        has_library md4c || need libmd4c-dev
        has_library libedit || optional="$optional libedit-dev"
        have llvm-ar || optional="$optional llvm"
        have clang || optional="$optional clang"
        have wasm-ld || optional="$optional lld"
        test -d /usr/include/wasm32-wasi || optional="$optional wasi-libc"
        ls /usr/lib/llvm-*/lib/clang/*/lib/wasi >/dev/null 2>&1 || optional="$optional libclang-rt-14-dev-wasm32"
        has_library sqlite3 || optional="$optional libsqlite3-dev"
        have pyftsubset || optional="$optional fonttools python3-brotli"
        test -f /usr/share/texmf/fonts/opentype/public/lm-math/latinmodern-math.otf || optional="$optional fonts-lmodern"
        ;;
    test)
        has_library cmocka || need libcmocka-dev
        has_library libpcre2-8 || optional="$optional libpcre2-dev"
        wish_modules numpy setuptools wheel nbconvert ipykernel
        have node || optional="$optional nodejs"
        has_library ompi-c || optional="$optional libopenmpi-dev"
        have nvim || optional="$optional neovim"
        have zsh || optional="$optional zsh"
        have fish || optional="$optional fish"
        have mpirun || optional="$optional openmpi-bin"
        ;;
    python)
        need_command python3 python3
        python3 -c 'import setuptools, wheel' 2>/dev/null || /usr/bin/python3 -c 'import setuptools, wheel' 2>/dev/null ||
            { need python3-setuptools; need python3-wheel; }
        ;;
    page)
        need_command node nodejs
        need_command npm npm
        need_command chromium chromium
        wish_modules nbconvert ipykernel
        ;;
    clients)
        need_command node nodejs
        need_command npm npm
        ;;
    lint)
        need_command clang-format clang-format
        need_command clang-tidy clang-tidy
        need_command clang clang
        need_command cppcheck cppcheck
        ;;
    fuzz) need_command clang clang ;;
    coverage) need_command gcovr gcovr ;;
    man) need_command scdoc scdoc ;;
    deb)
        need_command dpkg-buildpackage dpkg-dev
        need_command dh debhelper
        need_command lintian lintian
        need_command debootstrap debootstrap
        have busybox || optional="$optional busybox-static"
        ;;
    arm)
        need_command aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu
        test -e /usr/aarch64-linux-gnu/include/stdio.h || need libc6-dev-arm64-cross
        need_command qemu-aarch64 qemu-user
        ;;
    big-endian)
        need_command s390x-linux-gnu-gcc gcc-s390x-linux-gnu
        test -e /usr/s390x-linux-gnu/include/stdio.h || need libc6-dev-s390x-cross
        need_command qemu-s390x qemu-user
        ;;
    *)
        echo "deps.sh: $group: no such group" >&2
        exit 2
        ;;
    esac
done

test -n "$missing$optional" || exit 0

by_hand() {
    test -n "$missing" || exit 0
    echo "Please install what Debian calls:$missing" >&2
    test -z "$optional" || echo "and, for a better prompt, to keep progress, for formulas and life on pages and to test more:$optional" >&2
    echo "($1)" >&2
    exit 2
}

case ${DEPS:-yes} in
yes) ;;
no) by_hand 'DEPS=no: nothing is installed' ;;
*)
    echo "deps.sh: DEPS is yes or no, not $DEPS" >&2
    exit 2
    ;;
esac
have apt-get || by_hand 'there is no apt-get here to do it'
as_root=''
if test "$(id -u)" != 0; then
    test -n "$missing" || exit 0 # no password for what we can do without
    have sudo || by_hand 'it takes root or sudo, and there is neither'
    as_root='sudo'
fi

apt() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600 "$@" >&2; }
# shellcheck disable=SC2086  # several names
install() { apt install -y --no-install-recommends $missing $optional; }

echo "installing$missing$optional" >&2
# The lists of packages are fetched when there are none, or when they turn out to be too old.
if ls /var/lib/apt/lists/*_Packages* >/dev/null 2>&1; then
    install || { apt update && install; } || by_hand 'apt-get could not do it'
else
    { apt update && install; } || by_hand 'apt-get could not do it'
fi
