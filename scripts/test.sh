#!/bin/sh
# Builds a build folder, runs every test in it and counts single tests.
#
#     sh scripts/test.sh build [TIMES]        TIMES: so many times slower than usual, for a build that checks or counts
#
# The last line is `N passed, N failed`; the exit status is 0 when there were tests and none failed.
build=$1
log=$build/meson-logs/testlog.json

finish() {
    echo "$1 passed, $2 failed"
    test "$2" -eq 0
    exit
}

# Configured before cmocka was there: look again.
grep -q cmocka "$build/build.ninja" || meson setup --reconfigure -Dtests=enabled "$build" >/dev/null ||
    finish 0 1
ninja -C "$build" --quiet all meson-test-prereq || { echo 'the build failed' && finish 0 1; }

rm -f "$log"
UBSAN_OPTIONS=print_stacktrace=1 meson test -C "$build" --timeout-multiplier "${2:-1}" --no-rebuild --print-errorlogs --quiet
verdict=$?
test -s "$log" || { echo 'no test ran' && finish 0 1; }
sh "$(dirname "$0")/test-summary.sh" "$verdict" "$log"
