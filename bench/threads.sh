#!/bin/sh
# threads -- how a step of training is cut into pieces, and how many times faster 2 to 64 cores would be than one. The counts come from
# the pieces alone (longhand cost --measure --threads N), so that a machine with two cores can say it of sixty-four; on a machine
# with many, the tokens in a second for 1, 2, 4 ... threads stand beside them.
#
#     sh bench/threads.sh [LONGHAND]        SIZES='6 384 6 256 12' (layers dim heads context batch), RUN=1: the times, too
set -eu
longhand=${1:-./longhand}
out=$(mktemp)
trap 'rm -f "$out"' EXIT

measure() { # layers dim heads context batch threads
    "$longhand" cost gpt --set "layers=$1" "dim=$2" "heads=$3" "context=$4" "tokens=$4" vocab=65 --batch "$5" \
        --threads "$6" --measure --json >"$out"
}

# A number of the last object of that name, which is that of the whole step.
whole() {
    tr -d '\n ' <"$out" | sed 's/.*"cores":{//' | grep -o "\"$1\":[-0-9.e+]*" | head -n 1 | sed 's/.*://'
}

faster() { # cores
    tr -d '\n ' <"$out" | sed 's/.*"cores":{//' | grep -o "{\"cores\":$1,\"times\":[-0-9.e+]*" | sed 's/.*://'
}

printf '%-28s%9s%10s' 'layers x dim, context x batch' pieces 'alone ms'
for c in 2 4 8 16 32 64; do printf '%7s' "$c"; done
echo
printf '%s\n' "${SIZES:-2 64 4 64 4
4 128 4 128 8
6 384 6 256 12
12 768 12 256 4}" | while read -r layers dim heads context batch; do
    measure "$layers" "$dim" "$heads" "$context" "$batch" 1
    printf '%-28s%9s%10.3f' "$layers x $dim, $context x $batch" "$(whole pieces)" "$(whole longest | awk '{ print 1e3 * $1 }')"
    for c in 2 4 8 16 32 64; do printf '%7.1f' "$(faster "$c")"; done
    echo
    [ "${RUN:-}" ] || continue
    t=1
    while [ "$t" -le "$(nproc)" ]; do
        measure "$layers" "$dim" "$heads" "$context" "$batch" "$t"
        seconds=$(tr -d '\n ' <"$out" | sed 's/.*"measured":{//' | grep -o '"seconds":[-0-9.e+]*' | head -n 1 | sed 's/.*://')
        awk -v t="$t" -v n=$((context * batch)) -v s="$seconds" 'BEGIN { printf "    %3d threads %10.0f tokens/s\n", t, n / s }'
        t=$((t * 2))
    done
done
