#!/bin/sh
# How fast `longhand mark --lines` marks, on one core, and whether its memory stays flat.
#
#     sh bench/mark.sh [SHEETS [LESSON [FORMS]]]      100000 sheets of ex3 in 16 forms; LH_BUILD_ROOT: where the program is
#
# Of eight sheets four are all right, one has the scores unscaled, one a slip of the pen, one is half blank, one is wrong
# in its first number. The process gets them in ten parts; after each the sheets per second of its own processor time and
# its memory are printed. Needs Linux (/proc).
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
longhand=${LH_BUILD_ROOT:-$root/build}/longhand
sheets=${1:-100000} lesson=${2:-ex3} forms=${3:-16}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A key on one line is a sheet that is all right; the others are made from it.
form=0
while test "$form" -lt "$forms"; do
    form=$((form + 1))
    "$longhand" sheet "$lesson" --seed "$form" --key --format json | tr '\n' ' '
    echo
done | sed 's/"given": \[.*"answers": /"answers": /' |
    awk '{
        for (i = 0; i < 4; i++) print
        line = $0
        if (match(line, /"S": \[\[[^]]*\](, \[[^]]*\])*\]/)) {
            scores = substr(line, RSTART + 5, RLENGTH - 5)
            sub(/"Z": \[\[[^]]*\](, \[[^]]*\])*\]/, "\"Z\": " scores, line)
        }
        print line
        line = $0; sub(/"P": \[\["0\.[0-9]/, "\"P\": [[\"0.0", line); print line
        half = int(length($0) / 2); tail = substr($0, half); gsub(/"-?[0-9]+\.[0-9]+"/, "\"\"", tail)
        print substr($0, 1, half - 1) tail
        line = $0; sub(/"X": \[\["-?[0-9.]+"/, "\"X\": [[\"3.5\"", line); print line
    }' >"$work/round"

round=$(wc -l <"$work/round")
times=$(((sheets / 10 + round - 1) / round))
mkfifo "$work/in"
"$longhand" mark --lines <"$work/in" >/dev/null & # a million marks are ten gigabytes
pid=$!
exec 3>"$work/in"

ticks=$(getconf CLK_TCK)
processor() { awk '{ print $14 + $15 }' "/proc/$pid/stat"; }
memory() { awk '/^VmRSS/ { print $2 }' "/proc/$pid/status"; }

printf '%s, %s forms, %s sheets in ten parts\n' "$lesson" "$forms" "$((times * round * 10))"
printf '%12s  %18s  %10s\n' sheets 'sheets/s and core' 'memory, kB'
part=0 before=$(processor)
while test "$part" -lt 10; do
    part=$((part + 1)) i=0
    while test "$i" -lt "$times"; do
        cat "$work/round" >&3
        i=$((i + 1))
    done
    now=$(processor)
    printf '%12s  %18s  %10s\n' $((part * times * round)) \
        "$(echo "$now $before" | awk -v n=$((times * round)) -v t="$ticks" '{ printf "%.0f", n * t / ($1 - $2 + 0.01) }')" "$(memory)"
    before=$now
done
exec 3>&-
wait $pid || true
