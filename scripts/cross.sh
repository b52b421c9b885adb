#!/bin/sh
# cross.sh PROCESSOR FOLDER: builds for another processor in FOLDER and runs the tests there, under qemu.
#
#     sh scripts/cross.sh aarch64 build-arm          every test that can run so
#     sh scripts/cross.sh s390x build-s390x          the tests of files: there the byte with the high digits comes first
#
# Compiler and C library come from Debian (scripts/deps.sh arm), further libraries are unpacked into FOLDER/system: nothing is installed
# for another processor, and root is not needed. The last line is `N passed, N failed`.
set -eu
cd "$(dirname "$0")/.."
processor=$1 build=$2
mkdir -p "$build"
build=$(cd "$build" && pwd)
system=$build/system
cross=$processor-linux-gnu
case $processor in
aarch64) debian=arm64 endian=little ;;
s390x) debian=s390x endian=big ;;
*) echo "cross.sh: aarch64 and s390x are known, not $processor" >&2 && exit 2 ;;
esac

packages='libcjson1 libcjson-dev libmd4c0 libmd4c-dev libcmocka0 libcmocka-dev libsqlite3-0 libsqlite3-dev libpcre2-8-0 libpcre2-dev'
fetch_libraries() {
    apt=$build/apt
    mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$system"
    sh scripts/debian-sources.sh >"$apt/sources.list"
    set -- -qq -o Dir::State="$apt" -o Dir::State::status=/dev/null -o Dir::Cache="$apt" \
        -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o APT::Architecture=$debian -o APT::Architectures=$debian -o APT::Sandbox::User=root
    apt-get "$@" update >&2
    # shellcheck disable=SC2086  # several names
    (cd "$apt" && apt-get "$@" download $packages >&2)
    for package in "$apt"/*.deb; do dpkg-deb -x "$package" "$system"; done
    rm -rf "$apt"
}
test -e "$system/usr/lib/$cross/libcjson.so" || fetch_libraries

libraries=$system/usr/lib/$cross
compiler="'$cross-gcc'"
if command -v ccache >/dev/null; then compiler="'ccache', $compiler"; fi
cat >"$build/cross.ini" <<END
[binaries]
c = [$compiler]
ar = '$cross-ar'
strip = '$cross-strip'
pkgconfig = 'pkg-config'
exe_wrapper = ['qemu-$processor', '-L', '/usr/$cross', '-E', 'LD_LIBRARY_PATH=$libraries:$build']
[properties]
sys_root = '$system'
pkg_config_libdir = '$libraries/pkgconfig:$system/usr/share/pkgconfig'
[built-in options]
c_args = ['-isystem', '$system/usr/include']
c_link_args = ['-L$libraries', '-Wl,-rpath-link,$libraries']
[host_machine]
system = 'linux'
cpu_family = '$processor'
cpu = '$processor'
endian = '$endian'
END
test -f "$build/build.ninja" || meson setup -Dwerror=true --cross-file "$build/cross.ini" \
    -Dlibedit=disabled -Donednn=disabled -Dmpi=disabled -Dpage=disabled -Dman=disabled -Dfont=disabled "$build"

# Tests that start the program find one that runs here: qemu with it. ninja needs the program itself.
test ! -e "$build/longhand-$processor" || mv "$build/longhand-$processor" "$build/longhand"
ninja -C "$build" --quiet all meson-test-prereq || { echo 'the build failed' && echo '0 passed, 1 failed' && exit 1; }
mv "$build/longhand" "$build/longhand-$processor"
printf '#!/bin/sh\nexec qemu-%s -L /usr/%s -E LD_LIBRARY_PATH="%s" "%s" "$@"\n' \
    "$processor" "$cross" "$libraries:$build" "$build/longhand-$processor" >"$build/longhand"
chmod +x "$build/longhand"

# Left out: what is not about the processor, or runs on the one that is here ...
left_out='contributing console lint wasm web web_module python shells editors library look page book book_cli read_cli'
# ... what needs more than qemu gives: processes that find each other, the size of memory and its limits ...
left_out="$left_out ranks_cli memory memory_cli generate generate_plain"
# ... and what takes minutes at a tenth of the speed. Their arithmetic is that of the tests that are run.
left_out="$left_out mark widths outside_cli lora lora_cli exercise exercise_cli learners class_cli spreadsheet programs families course chart
    train_cli inventory_cli beam quant quant_plain sheet bad_input lesson errata_cli practice practice_cli translate api_model answers quiz lsp"
tests=$(meson test -C "$build" --list 2>/dev/null | sed 's/.* \/ //' | sort -u)
case $processor in
s390x) wanted='files folder gguf weights config vectors base bf16 inputs tokenizer_file split random ops backend fast generate weights_cli gguf_cli' ;;
*) wanted=$(for name in $tests; do case $name in fuzz_* | *_avx2 | *_avx512) continue ;; esac; echo "$left_out" | grep -qw -e "$name" || echo "$name"; done) ;;
esac
log=$build/meson-logs/testlog.json
rm -f "$log"
verdict=0
# shellcheck disable=SC2086  # several names
LH_QUICK=1 meson test -C "$build" --timeout-multiplier 20 --no-rebuild --print-errorlogs --quiet $wanted || verdict=$?
sh scripts/test-summary.sh "$verdict" "$log"
