#!/bin/sh
# The library built for wasm32, where a size has 32 bits: Examples 1 to 6 come to the same numbers as here.
#
#     wasm.sh NATIVE SOURCE...      a program of wasm_examples.c for this machine; the files of the library
#
# Needs clang, lld, wasi-libc, libclang-rt-14-dev-wasm32 and node; where one is missing the test is passed over.
. "$(dirname "$0")/tap.sh"
native=$build/${1#"$build"/} # meson names what it built from the folder of the build
shift
ccache=$(command -v ccache)
headers=/usr/include/wasm32-wasi
if ! command -v clang >/dev/null || ! command -v wasm-ld >/dev/null || ! test -d $headers; then
    skip 'Examples 1 to 6 in wasm32' 'no clang, lld and wasi-libc; scripts/deps.sh test installs them'
    finish
fi
mkdir objects
for source; do
    case $source in /*) echo "$source" ;; *) echo "$build/$source" ;; esac
done | sort -u | awk '{ print $0 " objects/" NR ".o" }' >list
xargs -P 2 -L 1 sh -c "$ccache"' clang --target=wasm32-wasi -nostdlibinc -idirafter '$headers' -ftls-model=local-exec -std=c11 -O1 \
    -Wall -Wextra -Werror -Wshadow -Wconversion -Wno-unused-command-line-argument -D_POSIX_C_SOURCE=200809L -ffp-contract=off \
    -DLH_VERSION=\"wasm\" -I"'"$root"'/src" -I"'"$root"'/include" -c "$0" -o "$1"' <list >out 2>err
status=$?
verdict $status 'the library compiles for wasm32, without a warning'
clang --target=wasm32-wasi -nostdlibinc -idirafter $headers -std=c11 -O1 -I"$root/include" -Wl,--stack-first -Wl,-z,stack-size=1048576 \
    "$root/tests/wasm_examples.c" objects/*.o -lm -o examples.wasm >out 2>err
status=$?
verdict $status 'and is linked'
if ! command -v node >/dev/null; then
    skip 'Examples 1 to 6 in wasm32' 'there is no node'
    finish
fi
"$native" >native.txt 2>err
verdict $? 'Examples 1 to 6 on this machine'
NODE_NO_WARNINGS=1 node "$root/tests/wasm.mjs" examples.wasm >wasm.txt 2>err || NODE_NO_WARNINGS=1 \
    node --experimental-wasi-unstable-preview1 "$root/tests/wasm.mjs" examples.wasm >wasm.txt 2>err
status=$?
head -n 5 wasm.txt >out
verdict $status 'Examples 1 to 6 in wasm32; more than its memory is refused'
# The C libraries round exp, log, sin and cos in their own ways: what follows from them differs in the last digits.
paste -d '\n' native.txt wasm.txt | awk '
    NR % 2 { split($0, here); n = NF; next }
    { if (NF != n) { print "line " NR / 2 " differs"; bad = 1 }
      for (i = 1; i <= NF; i++) {
          if ($i == here[i]) { same++; continue }
          d = $i - here[i]; d = d < 0 ? -d : d; m = here[i] < 0 ? -here[i] : here[i] + 0
          if (!($i + 0 == $i) || d > 1e-12 * (1 + m)) { print "line " NR / 2 ": " here[i] " and " $i; bad = 1 } else near++ } }
    END { print same + 0 " numbers and words are the same, " near + 0 " within 1e-12"; exit bad || same < 2000 }' >out 2>err
status=$?
sed 's/^/# /' out | tail -n 3
verdict $status 'the same numbers, within 1e-12'
finish
