#!/bin/sh
# Steps of training of gpt.lh (vocabulary 65) on 1, 2, 4 ... threads, up to all processors, and PyTorch on all of them; with what bounds both: the cores,
# what they do together in products that share nothing, and the memory.
#
#     sh bench/cores.sh [BUILD]            build; its bench_cores and bench_gpt. PYTHON: one that has PyTorch (python3)
#     ROWS='6 float,6 bf16'                some of the rows alone. STEPS=6: so many of each, the best of which counts
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$root/build}
python=${PYTHON:-python3}
most=$(nproc)

echo '== the processor'
lscpu | grep -E 'Model name|^CPU\(s\)|Thread|Core|Socket|NUMA|L[123]|Hypervisor'
for c in /sys/devices/system/cpu/cpu[0-9]*; do
    test -r "$c/topology/thread_siblings_list" && echo "$(basename "$c") shares its core with $(cat "$c/topology/thread_siblings_list")"
done
echo '== what threads do together'
"$build/bench/bench_cores"
if command -v taskset >/dev/null && test "$most" -ge 4; then # whether two neighbours are one core
    for pair in 0,1 "0,$((most / 2))"; do echo "on processors $pair:" && taskset -c "$pair" "$build/bench/bench_cores" 2 | tail -n 1; done
fi

# LAYERS THREADS: a small model has many steps in a second.
steps() { test "$1" = 4 && echo 40 || echo "${STEPS:-$((3 + $2 / 2))}"; }

# LAYERS PRECISION THREADS [profile]: the line of bench_gpt, or where the time goes.
ours() { ALONE=1 V=65 TURNS=1 T="$3" STEPS="$(steps "$1" "$3")" "$build/bench/bench_gpt" "$1" "$2" "${4:-}" | tail -n +3; }

# LAYERS PRECISION THREADS
torch() {
    case $1 in 4) size='4 128 4 128 65 8' ;; 6) size='6 384 6 256 65 12' ;; *) size='12 768 12 256 65 4' ;; esac
    # shellcheck disable=SC2046,SC2086  # several words
    "$python" "$root/bench/torch_gpt.py" $size "$(steps "$1" "$3")" "$3" $(test "$2" = bf16 && echo bf16) 2>/dev/null |
        awk -v n="$(echo "$size" | awk '{ print $4 * $6 }')" '{ printf "%9.0f\n", n / $1 }'
}

rows=${ROWS:-6 float,6 bf16,12 float,12 bf16,4 float}
echo "$rows" | tr , '\n' | while read -r layers precision; do
    echo "== $layers layers, $precision: tokens in a second of the clock, of processors"
    t=1
    while test "$t" -lt "$most"; do printf '%3d threads: ' "$t" && ours "$layers" "$precision" "$t" && t=$((t * 2)); done
    printf '%3d threads: ' "$most" && ours "$layers" "$precision" "$most"
    printf '%3d threads of PyTorch: ' "$most" && torch "$layers" "$precision" "$most"
done
echo "$rows" | tr , '\n' | while read -r layers precision; do
    echo "== $layers layers, $precision: where the time goes, $most threads" && ours "$layers" "$precision" "$most" profile
done
