#!/bin/sh
# growth -- what `longhand cost` predicts, against what is measured in the same run: steps of training of models/gpt.lh, deeper,
# wider and with a longer context. Of each pair of runs the predicted time comes from one layer and two; of five tries the
# median counts.
#
#     sh bench/growth.sh [LONGHAND]        TRIES=5 THREADS=2
set -eu
longhand=${1:-./longhand}
tries=${TRIES:-5} threads=${THREADS:-2}
out=$(mktemp)
trap 'rm -f "$out"' EXIT

# The first number of that name in an object: number measured seconds
number() {
    tr -d '\n' <"$out" | sed 's/.*"'"$1"'": *{//' | grep -o '"'"$2"'": *[-0-9.e+]*' | head -n 1 | sed 's/.*: *//'
}

printf '%-34s%10s%10s%8s%12s%10s\n' 'layers x dim, context x batch' 'ms' 'predicted' 'ratio' 'MFLOP/token' 'GFLOP/s'
while read -r layers dim heads context batch; do
    for try in $(seq "$tries"); do
        "$longhand" cost gpt --set "layers=$layers" "dim=$dim" "heads=$heads" "context=$context" "tokens=$context" \
            --batch "$batch" --threads "$threads" --measure --predict --json >"$out"
        measured=$(number measured seconds) predicted=$(number predicted seconds)
        awk -v t="$try" -v m="$measured" -v p="$predicted" -v f="$(number measured flops)" -v n=$((context * batch)) \
            'BEGIN { print p / m, m, p, f / n, f / m }'
    done | sort -n | awk -v n="$tries" -v name="$layers x $dim, $context x $batch" 'NR == int((n + 1) / 2) {
        printf "%-34s%10.2f%10.2f%8.2f%12.2f%10.1f\n", name, 1e3 * $2, 1e3 * $3, $1, 1e-6 * $4, 1e-9 * $5 }'
done <<'SIZES'
2 64 4 64 4
4 128 4 128 8
8 128 4 128 8
16 128 4 128 8
6 192 6 256 4
6 384 6 256 4
6 768 12 256 4
4 256 4 64 64
4 256 4 256 16
4 256 4 1024 4
4 256 4 4096 1
SIZES
