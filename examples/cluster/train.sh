#!/bin/sh
# One model on the machines of a hostfile, without a job queue: sh train.sh notes.txt model
#
# Two processes a machine, each with half of its processors. Ctrl-C saves first: the processes are given a minute for it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
text=$1 folder=$2
exec mpirun --hostfile "${HOSTFILE:-$here/hostfile}" --map-by socket --bind-to socket \
    --mca odls_base_sigkill_timeout 60 \
    longhand train gpt --data "$text" --set layers=6 heads=6 dim=384 context=256 --batch 64 --steps 5000 -o "$folder"
