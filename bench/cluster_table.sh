#!/bin/sh
# The table of docs/cluster.md: a step of large models on many processes, by arithmetic.
#
#     sh bench/cluster_table.sh                     the table
#     sh bench/cluster_table.sh --check             is it the one in docs/cluster.md? TABLE names another file; LH_BUILD_ROOT: where the program is
#
# Each process has 8 examples of 1,024 tokens in one piece. Computing: two operations for each multiply-add that `longhand cost` counts, at the speed that
# bench/RESULTS.md has for such a process: 0.181 TFLOP/s on two cores of an EPYC, 294 TFLOP/s on an H200 (395,000 tokens a second of GPT-2 124M). The network: a gradient goes
# to the process that adds it up, the sum comes back, and a new weight goes to all: (n - 1) / n of 4 bytes each way, as in a ring. The table of tokens
# of gpt has two gradients. Rounds of messages: two for each bucket, as many as the tree is deep for each matrix that is more than a process's share.
# Nothing is taken to overlap, so an efficiency is a lower limit; the update is left out.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
longhand=${LH_BUILD_ROOT:-$root/build}/longhand

# lines NAME PROGRAM TWICE SIZE...: of a model; TWICE: numbers that have two gradients
lines() {
    name=$1 program=$2 twice=$3
    shift 3
    "$longhand" cost "$program" --set "$@" --json >"$work/cost"
    params=$(sed -n 's/^ *"parameters": {"number": \([0-9]*\),.*/\1/p' "$work/cost" | head -n 1)
    products=$(sed -n 's/^ *"whole": {"multiply_adds": {"number": \([0-9]*\),.*/\1/p' "$work/cost")
    sed -n '/"params"/p' "$work/cost" | tr '{' '\n' | sed -n 's/.*"times": \([0-9]*\), "rows": \([0-9]*\), "cols": \([0-9]*\),.*/\1 \2 \3/p' |
        awk -v name="$name" -v params="$params" -v products="$products" -v twice="$twice" '
            function count(k) { return k < 1000 ? k : int(k / 1000) "," sprintf("%03d", k % 1000) }
            function size(b) { return b < 1e9 ? sprintf("%.0f MB", b / 1e6) : sprintf("%.3g GB", b / 1e9) }
            function seconds(s) { return s < 1 ? sprintf("%.3g ms", 1e3 * s) : s < 100 ? sprintf("%.3g s", s) : sprintf("%.3g min", s / 60) }
            function ceiling(x) { return x > int(x) ? int(x) + 1 : int(x) }
            function rounds(n,    depth, bucket, i, all) {
                for (depth = 0; 2 ^ depth < n; depth++) {}
                bucket = n * 4096 > 2 ^ 19 ? n * 4096 : 2 ^ 19
                all = 2 * ceiling((params + twice) / bucket)
                for (i = 1; i <= NR; i++) if (cells[i] > params / n) all += times[i] * depth
                return all
            }
            function step(n, speed, rate, latency,    computes, sends) {
                computes = 8 * 2 * products / speed
                sends = sent(n) / rate + rounds(n) * latency
                return sprintf("%s | %.0f %%", seconds(computes + sends), 100 * computes / (computes + sends))
            }
            function sent(n) { return 4 * (2 * (params + twice) + params) * (n - 1) / n }
            { times[NR] = $1; cells[NR] = $2 * $3 }
            END {
                split("8 64 256 1024", ranks, " ")
                for (i = 1; i <= 4; i++) {
                    n = ranks[i]
                    printf "| %s | %s | %s | %s | %s | %s |\n", i == 1 ? name : "", count(n), size(sent(n)), size(4 * (2 * params + twice) + 8 * params / n),
                        step(n, 0.181e12, 1.25e9, 50e-6), step(n, 294e12, 50e9, 5e-6)
                }
            }'
}

table() {
    echo '| model | processes | sent by each | weights, gradients, states | a step on two cores, 10 Gb/s | efficiency | on an H200, 400 Gb/s | efficiency |'
    echo '| --- | --- | --- | --- | --- | --- | --- | --- |'
    lines 'GPT-2, 124M (12 x 768)' gpt $((768 * 50257)) layers=12 heads=12 dim=768 context=1024 vocab=50257 tokens=1024
    lines 'GPT-2 XL, 1.5B (48 x 1600)' gpt $((1600 * 50257)) layers=48 heads=25 dim=1600 context=1024 vocab=50257 tokens=1024
    lines 'LLaMA, 7B (32 x 4096)' llama 0 layers=32 heads=32 groups=32 dim=4096 width=128 hidden=11008 context=2048 vocab=32000 tokens=1024
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
table >"$work/table"
if test "${1:-}" != --check; then
    cat "$work/table"
    exit
fi
sed -n '/^| model | processes | sent/,/^$/p' "${TABLE:-$root/docs/cluster.md}" | sed '/^$/d' | diff - "$work/table"
