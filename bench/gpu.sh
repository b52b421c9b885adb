#!/bin/sh
# gpu.sh [FOLDER]: steps of training on the GPU of this machine in bf16, in milliseconds and tokens a second, and where the time goes; beside PyTorch where it is
# there. FOLDER: a build with -Dcuda=enabled (build-gpu) and bench/bench_gpu and bench/bench_gpu_sample in it. Each line is a process of its own; one that fails is told, and the next one follows.
set -u
cd "$(dirname "$0")/.." || exit 2
build=${1:-build-gpu}
LONGHAND_CUDA=${LONGHAND_CUDA:-$PWD/$build/src/eval/cuda/longhand_cuda.so}
NO_COLOR=1
export LONGHAND_CUDA NO_COLOR
"$build/longhand" devices

# NAME, then the arguments of bench_gpu, a bar, and those of torch_gpu.py
compare() {
    name=$1
    shift
    all=$*
    ours=${all%%|*}
    theirs=${all#*|}
    echo "$name"
    # shellcheck disable=SC2086  # words
    "$build/bench/bench_gpu" $ours profile
    # shellcheck disable=SC2086
    python3 -c 'import torch' 2>/dev/null && python3 bench/torch_gpu.py $theirs
}

# Tokens a second of a text that grows: the same sizes, prompt and tokens to write.
sample() {
    name=$1
    shift
    echo "$name"
    # shellcheck disable=SC2086
    "$build/bench/bench_gpu_sample" gpt bf16 $6 $7 "layers=$1" "dim=$2" "heads=$3" "context=$4" "vocab=$5"
    python3 -c 'import torch' 2>/dev/null && python3 bench/torch_gpu_sample.py "$@"
}

sample 'GPT-2 124M writes' 12 768 12 1024 50257 16 512
compare 'GPT-2 124M, 1024 x 64' gpt bf16 64 1024 20 layers=12 dim=768 heads=12 context=1024 vocab=50257 '|' gpt 12 768 12 1024 50257 64 15
compare '4 x 128, 128 x 8' gpt bf16 8 128 200 layers=4 dim=128 heads=4 context=128 vocab=65 '|' gpt 4 128 4 128 65 8 100 graphs
compare 'Llama shape, 2048 x 8' llama bf16 8 2048 6 layers=16 dim=2048 heads=32 groups=8 width=64 hidden=8192 context=2048 vocab=32000 '|' \
    llama 16 2048 32 2048 32000 8 6 8 8192
compare 'GPT-2 1.5B, 1024 x 16' gpt bf16 16 1024 4 layers=48 dim=1600 heads=25 context=1024 vocab=50257 '|' gpt 48 1600 25 1024 50257 16 4
