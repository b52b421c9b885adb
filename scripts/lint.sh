#!/bin/sh
# Every check that reads the code and does not run it. Quiet when clean; the exit status is the verdict.
#
#     sh scripts/lint.sh build
build=$1
cd "$(dirname "$0")/.." || exit 1
ninja -C "$build" --quiet all || exit 1
verdict=0

sh scripts/names.sh || verdict=1
sh scripts/comments.sh || verdict=1

sh scripts/c-files.sh | xargs clang-format --dry-run -Werror || verdict=1

# What is compiled, without what is generated; tests are left to cppcheck, since cmocka's asserts do not end a path for it.
# Files compiled twice are read with the type that clang has. clang-tidy counts on stderr what it does not show.
sed -n 's|.*"file": "\.\./\(.*\)".*|\1|p' "$build/compile_commands.json" | sort -u | grep -v '^tests/' |
    xargs -P 2 -n 4 clang-tidy -p "$build" --quiet --extra-arg=-ULH_HAVE_QUADMATH --warnings-as-errors='*' 2>"$build/tidy.log" || {
    grep -v 'warnings\{0,1\} \(and [0-9]* errors\{0,1\} \)\{0,1\}generated' "$build/tidy.log"
    verdict=1
}

# cppcheck cannot read typeof: a type that it does not know will do.
cppcheck --quiet --std=c11 --language=c -j 2 --enable=warning,performance,portability --inline-suppr \
    --error-exitcode=1 --suppress=missingIncludeSystem -D_POSIX_C_SOURCE=200809L '-DLH_VERSION=""' '-D__typeof__(x)=lh_any*' \
    -I src -I include -i tests/emulated src tests bench scripts examples || verdict=1

for header in include/*.h; do
    clang -x c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -Wno-pragma-once-outside-header "$header" || verdict=1
done
exit $verdict
