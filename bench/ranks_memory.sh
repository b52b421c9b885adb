#!/bin/sh
# Memory of GPT-2 with 124 million params on one process and on four: the peak of each as the system counts it, over one step with its held-out
# loss, its sample and the save behind it.
#
#     sh bench/ranks_memory.sh [PROCESSES...]                       1 4; LH_BUILD_ROOT: where the program is
#     MODEL='layers=12 heads=12 dim=768 context=1024 vocab=50257' BATCH=8
#
# Needs GNU time, Open MPI and 13 GB. Four processes take some minutes on two cores.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
longhand=${LH_BUILD_ROOT:-$root/build}/longhand
model=${MODEL:-layers=12 heads=12 dim=768 context=1024 vocab=50257} batch=${BATCH:-8}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_rmaps_base_oversubscribe OMPI_MCA_mpi_yield_when_idle
export OMPI_MCA_btl OMPI_MCA_btl_vader_single_copy_mechanism
yes 'The cat sat on the mat, and the dog saw the birds.' | head -n 280 >"$work/text" # two examples are held out

test $# -gt 0 || set -- 1 4
for n; do
    rm -rf "$work/out"
    threads=$(echo "$(nproc) $n" | awk '{ print ($1 > $2 ? int($1 / $2) : 1) }')
    # shellcheck disable=SC2016,SC2086  # the inner shell reads them; several words
    set -- sh -c 'exec /usr/bin/time -f %M -o "$0/peak.${OMPI_COMM_WORLD_RANK:-0}" "$@"' "$work" \
        "$longhand" train gpt --data "$work/text" --set $model --batch "$batch" --threads "$threads" --steps 1 -o "$work/out"
    rm -f "$work"/peak.*
    test "$n" -eq 1 || set -- mpirun -np "$n" --bind-to none "$@"
    "$@" >"$work/said" 2>"$work/err" </dev/null || { cat "$work/err" >&2 && exit 1; }
    sed -n 's/^memory \([^;]*\);.*/\1/p' "$work/said" | sed "s/^/$n processes, the first says: /"
    i=0
    while test $i -lt "$n"; do
        awk -v n="$n" -v i=$i '{ printf "%2d processes, rank %d: %.2f GB\n", n, i, $1 / 1e6 * 1.024 }' "$work/peak.$i"
        i=$((i + 1))
    done
done
