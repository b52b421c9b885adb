#!/bin/sh
# The table of docs/cluster.md: what `longhand cost --ranks` predicts for large models on many processes.
#
#     sh bench/cluster_table.sh [MODEL...]                          124M 1.5B 7B; LH_BUILD_ROOT: where the program is
#     sh bench/cluster_table.sh --check                             is the table in docs/cluster.md the one that these commands make?
#
# Each line is one command, with one example of 128 tokens for each process and one thread, over 100 Gb/s with 5 us: it runs one process of a model of one
# and of two layers, so that 7B needs 16 GB and some minutes. What is computed takes other times on another machine; what is sent and the memory depend on
# the program alone. So --check, which is part of `make test`, does the arithmetic of what is sent by itself, from the number of params: a
# gradient goes to the process that adds it up and a sum comes back, in a ring or from all to all (n - 1) / n of them each way, and so does every new weight.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
longhand=${LH_BUILD_ROOT:-$root/build}/longhand
table=$root/docs/cluster.md

# model NAME: sets the program and its sizes
model() {
    case $1 in
    124M) program=gpt name='GPT-2, 124M (12 x 768)' sizes='layers=12 heads=12 dim=768 context=1024 vocab=50257' ;;
    1.5B) program=gpt name='GPT-2 XL, 1.5B (48 x 1600)' sizes='layers=48 heads=25 dim=1600 context=1024 vocab=50257' ;;
    7B) program=llama name='LLaMA, 7B (32 x 4096)' sizes='layers=32 heads=32 groups=32 dim=4096 width=128 hidden=11008 context=2048 vocab=32000' ;;
    *) echo "cluster_table.sh: 124M, 1.5B or 7B, not $1" >&2 && exit 2 ;;
    esac
}

# line PROCESSES: of the table
line() {
    # shellcheck disable=SC2086  # several words
    "$longhand" cost $program --set $sizes tokens=128 --threads 1 --ranks "$1" --network 100Gb --latency 5us --json | sed -n '/"ranks"/,$p' |
        awk -F'[:,]' -v n="$1" -v name="$2" '
            { gsub(/[" ]/, "", $1); x[$1] = $2 }
            function size(b) { return b < 1e9 ? sprintf("%.0f MB", b / 1e6) : sprintf("%.3g GB", b / 1e9) }
            function count(k) { return k < 1000 ? k : int(k / 1000) "," sprintf("%03d", k % 1000) }
            END {
                printf "| %s | %s | %.2g s | %.2g %% | %.0f %% | %s | %s |\n", name, count(n), x["seconds"], 100 * x["communication"] / x["seconds"],
                    100 * x["efficiency"], size(x["memory"]), size(x["bytes"]) }'
}

# params: how many numbers are learned
params() {
    # shellcheck disable=SC2086  # several words
    "$longhand" cost $program --set $sizes tokens=128 --json | sed -n 's/^ *"parameters": {"number": \([0-9]*\),.*/\1/p'
}

# check MODEL: every line of the table has the bytes that arithmetic has. Of gpt the table of tokens has two gradients, as a table and as the last product.
check() {
    model "$1"
    n_params=$(params)
    twice=0
    test "$program" != gpt || twice=$(echo "$sizes" | awk '{ for (i = 1; i <= NF; i++) { split($i, x, "="); v[x[1]] = x[2] } print v["dim"] * v["vocab"] }')
    awk -F'|' -v name="$name" -v params="$n_params" -v twice="$twice" '
        function bytes(t) { split(t, x, " "); return x[1] * (x[2] == "GB" ? 1e9 : 1e6) }
        { gsub(/^ +| +$/, "", $2) }
        $2 == name { is_here = 1 }
        $2 != "" && $2 != name { is_here = 0 }
        is_here && NF >= 9 {
            gsub(/[ ,]/, "", $3)
            wanted = 4 * (2 * (params + twice) + params) * ($3 - 1) / $3
            lines++
            if (bytes($8) < 0.97 * wanted || bytes($8) > 1.03 * wanted) {
                printf "%s on %d processes: the table says %s, arithmetic %.3g GB\n", name, $3, $8, wanted / 1e9
                is_wrong = 1
            }
        }
        END { if (lines < 3) { printf "%s: the table has %d lines of it\n", name, lines; is_wrong = 1 } exit is_wrong }' "$table"
}

if test "${1:-}" = --check; then
    for m in 124M 1.5B 7B; do check $m; done
    exit
fi
test $# -gt 0 || set -- 124M 1.5B 7B
for m; do
    model "$m"
    for n in 8 64 1024; do
        line $n "$(test $n -ne 8 || echo "$name")"
    done
done
