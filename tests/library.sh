#!/bin/sh
# The shared library has the names of include/longhand.h, all of them and no others.
. "$(dirname "$0")/tap.sh"
library=$(ls "$build"/liblonghand.so.[0-9]*.[0-9]* 2>/dev/null | head -n 1)
if test -z "$library" || ! command -v nm >/dev/null; then
    skip 'the names of the shared library' 'there is no nm, or no shared library'
    finish
fi
nm -D --defined-only "$library" | awk '{ sub("@.*", "", $3); print $3 }' | sort -u >have
sed '/^#/d' "$root/include/longhand.h" | tr '\n' ' ' | grep -o 'LH_API [^;(]*(' | sed 's/ *($//; s/.*[ *]//' | sort -u >want
test "$(wc -l <want)" -gt 50
verdict $? 'the header declares functions'
comm -13 want have >out
test ! -s out
verdict $? 'nothing else leaves the library'
comm -23 want have >out
test ! -s out
verdict $? 'every function of the header is in it'
for language in c c++; do
    compiler=$(test $language = c && echo "${CC:-cc}" || echo "${CXX:-c++}")
    if ! command -v "${compiler%% *}" >/dev/null; then
        skip "the header is $language" 'there is no compiler for it'
        continue
    fi
    standard=$(test $language = c && echo c11 || echo c++17)
    echo '#include <longhand.h>' | $compiler -x $language -std=$standard -Wall -Wextra -Werror -pedantic -I"$root/include" -fsyntax-only - >out 2>err
    status=$?
    verdict $status "the header is $language, alone and without a warning"
done
finish
