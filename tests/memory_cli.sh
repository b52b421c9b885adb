#!/bin/sh
# What does not fit in memory is refused before it is taken: with both figures and a cure. Prints TAP.
longhand=${LH_BUILD_ROOT:?}/longhand
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
COLUMNS=80 NO_COLOR=1 LC_ALL=C.UTF-8
export COLUMNS NO_COLOR LC_ALL

# With a limit on the address space nothing runs that was built with a sanitiser.
if ! (ulimit -v 1000000 && "$longhand" --version >out 2>&1); then
    echo "1..0 # SKIP ulimit -v 1000000 leaves no room for the program"
    exit 0
fi

n=0
# refused NAME CURE COMMAND...: status 2, both figures, CURE behind them.
refused() {
    name=$1 cure=$2
    shift 2
    (ulimit -v 1000000 && "$longhand" "$@" >out 2>err </dev/null)
    status=$?
    n=$((n + 1))
    if test $status -eq 2 && grep -qE '[0-9] [MG]B( of memory)?, (and|but) .*[0-9] [MG]B' err &&
        grep -qF -e "$cure" err; then
        echo "ok $n - $name"
    else
        echo "not ok $n - $name"
        sed 's/^/# /' err
    fi
}

large='layers=6 heads=6 dim=384 context=256'
# shellcheck disable=SC2086 # settings are words
refused 'a batch' 'a smaller batch' train gpt --set $large --batch 400 --steps 1 -o out1
# shellcheck disable=SC2086
refused 'params' 'smaller sizes' train gpt --set layers=12 dim=768 heads=12 --steps 1 -o out2
refused 'a measured step' 'smaller sizes' cost gpt --measure \
    --set layers=12 dim=768 heads=12 context=1024 vocab=50257
refused 'a batch to measure' 'a smaller batch' cost gpt --measure --batch 1000000 \
    --set layers=1 dim=8 heads=1 context=4096
test ! -e out1 && test ! -e out2
status=$?
n=$((n + 1))
if test $status -eq 0; then echo "ok $n - nothing is left"; else echo "not ok $n - nothing is left"; fi

"$longhand" train gpt --set layers=1 heads=2 dim=8 context=16 --steps 1 -o m >out 2>err
(ulimit -v 1000000 && "$longhand" sample m -n 3 >out 2>err </dev/null)
status=$?
n=$((n + 1))
if test $status -eq 0; then echo "ok $n - what fits is written"; else echo "not ok $n - what fits"; fi
"$longhand" sample m -n 40 --context 4 -i 'The cat' >out 2>err </dev/null &&
    grep -q 'the context of 4 was full' err
status=$?
n=$((n + 1))
if test $status -eq 0; then echo "ok $n - a shorter context"; else echo "not ok $n - a shorter context"; fi
echo "1..$n"
