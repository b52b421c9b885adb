#!/bin/sh
# gpu.sh [FOLDER]: steps of training on the GPU of this machine, in milliseconds and tokens a second, beside PyTorch where it is there. FOLDER: a build
# with -Dcuda=enabled (build-gpu). Each line is a run of its own; the first steps, which plan and record, are not counted.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build-gpu}
LONGHAND_CUDA=$PWD/$build/longhand_cuda.so
NO_COLOR=1
export LONGHAND_CUDA NO_COLOR
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$build/longhand" devices
printf '%-28s %12s %12s %12s\n' 'layers x dim, context x batch' 'ms a step' 'tokens/s' 'loss'
while read -r layers dim heads context batch steps; do
    "$build/longhand" train gpt --set layers="$layers" dim="$dim" heads="$heads" context="$context" --batch "$batch" --steps "$steps" \
        --every "$steps" --seed 1 --device gpu -o "$work/$layers-$dim-$context" >"$work/out" 2>&1 || { tail -n 2 "$work/out"; continue; }
    ms=$(sed -n 's/.*about \([0-9.]*\) ms a step.*/\1/p' "$work/out" | head -n 1)
    loss=$(sed -n 's/^loss \([0-9.]*\),.*/\1/p' "$work/out" | tail -n 1)
    awk -v n="$layers x $dim, $context x $batch" -v ms="${ms:-0}" -v tokens=$((context * batch)) -v loss="$loss" \
        'BEGIN { printf "%-28s %12s %12.0f %12s\n", n, ms, ms > 0 ? 1000 * tokens / ms : 0, loss }'
done <<'LIST'
4 128 4 128 8 50
6 384 6 256 12 50
12 768 12 1024 4 12
LIST
