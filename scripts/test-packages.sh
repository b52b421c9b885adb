#!/bin/sh
# What is handed out as programs, made and tried: packages for Debian on a bare system, the archive for other Linux systems in another
# folder. The last line is `N passed, N failed`.
cd "$(dirname "$0")/.." || exit 1
log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0 failed=0

# count COMMAND...: a script that counts its own tests in its last line.
count() {
    "$@" >"$log" 2>&1
    verdict=$?
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$log" | tail -n 1)
    good=${line%% passed*} bad=${line##*passed, } bad=${bad%% failed*}
    test -n "$line" || good=0 bad=1
    test $verdict -eq 0 || test "$bad" -gt 0 || bad=1
    if test "$bad" -gt 0; then tail -n 100 "$log"; else grep -E '^(not )?ok |^skipped|^# ' "$log"; fi
    passed=$((passed + good)) failed=$((failed + bad))
}

sh scripts/deb.sh build/deb >"$log" 2>&1
case $? in
0)
    passed=$((passed + 1)) && echo 'ok - the packages are built, and lintian has nothing to say'
    count sh scripts/deb-check.sh build/deb
    ;;
77) echo "skipped: $(tail -n 1 "$log")" ;;
*) failed=$((failed + 1)) && tail -n 60 "$log" && echo 'not ok - the packages' ;;
esac
count sh scripts/archive.sh build
echo "$passed passed, $failed failed"
test "$failed" -eq 0
