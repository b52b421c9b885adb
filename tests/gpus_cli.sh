#!/bin/sh
# longhand train on several processes, each with a GPU: emulated ones, with an emulated NCCL between them (tests/emulated). The same bits as one process
# with one GPU, whether numbers go from GPU to GPU or through the processes' memory; and what is said where they cannot.
. "$(dirname "$0")/tap.sh"

emulated=$build/tests/longhand_emulated.so
command -v mpirun >/dev/null && test -e "$build/longhand_mpi.so" && test -e "$emulated" || {
    skip 'several GPUs' 'Open MPI is not installed, or there is no compiler of C++ to make emulated GPUs'
    finish
}
LONGHAND_CUDA=$emulated LONGHAND_NCCL=$build/tests/longhand_emulated_nccl.so EMULATED_DEVICES=4
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_mpi_yield_when_idle=1
export LONGHAND_CUDA LONGHAND_NCCL EMULATED_DEVICES OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
export OMPI_MCA_rmaps_base_oversubscribe OMPI_MCA_btl OMPI_MCA_btl_vader_single_copy_mechanism OMPI_MCA_mpi_yield_when_idle
LSAN_OPTIONS=detect_leaks=0 # of Open MPI, which does not free all that it takes
export LSAN_OPTIONS

i=0
while test $i -lt 20; do
    echo "The cat sat on the mat, and the dog saw $i birds."
    i=$((i + 1))
done >text.txt
small='--data text.txt --set layers=1 dim=8 heads=2 context=4 --batch 6 --pieces 6 --every 100 --device gpu'

# on N WORD...: longhand with these words on N processes.
on() {
    ranks=$1
    shift
    timeout 300 mpirun -np "$ranks" "$longhand" "$@" >out 2>err </dev/null
    status=$?
}

# same FOLDER FOLDER: the same weights, states and settings, to the bit.
same() {
    (cd "$1" && cksum ./*.safetensors ./*.json) >one && (cd "$2" && cksum ./*.safetensors ./*.json) >two && cmp -s one two
}

# shellcheck disable=SC2086  # several words
{
    run train gpt $small --steps 2 -o alone
    tried 'one process, one GPU' 0 'in 6 pieces'
    for n in 2 3; do
        on $n train gpt $small --steps 2 -o by_nccl_$n
        tried "$n processes, each with its GPU" 0 "in 6 pieces for $n processes" 'from GPU to GPU by NCCL 2.99.99'
        same alone by_nccl_$n
        verdict $? '... come to the same bits'
    done

    EMULATED_DEVICES=1 on 2 train gpt $small --steps 2 -o by_mpi
    tried 'two processes with one GPU' 0 'by MPI: ranks 0 and 1 have the same GPU, and NCCL needs one for each'
    same alone by_mpi
    verdict $? '... come to the same bits'
    EMULATED_DEVICES=2 on 3 train gpt $small --steps 1 -o three
    tried 'three with two' 0 'ranks 0 and 2 have the same GPU'
    LONGHAND_NCCL=/nowhere/libnccl.so on 2 train gpt $small --steps 2 -o without
    tried 'without NCCL' 0 'by MPI: NCCL was not found: /nowhere/libnccl.so'
    same alone without
    verdict $? '... the same bits'
    EMULATED_NCCL_REFUSES=1 on 2 train gpt $small --steps 2 -o refused
    tried 'an NCCL that refuses one of them' 0 'by MPI: the GPUs cannot connect to each other'
    same alone refused
    verdict $? '... the same bits'

    on 2 train by_nccl_3 --resume --data text.txt --device gpu --steps 3
    tried 'what three began, two go on with' 0 'loss '
    run train alone --resume --data text.txt --device gpu --steps 3
    same alone by_nccl_3
    verdict $? '... and one alone, to the same bits'

    on 2 train gpt $small --steps 1 --any-order -o any
    tried 'in the order of NCCL' 0 'added up in any order, from GPU to GPU'
    grep -q 'in the fixed order: [0-9.]*e-0[678] of the largest' out
    verdict $? '... which says how far it is from the fixed one'
    on 2 train gpt $small --steps 1 --wire bf16 -o half
    tried 'in bf16' 0 'gradients sent in bf16, from GPU to GPU'
    grep -q 'in the fixed order: 0.00[0-9]* of the largest' out
    verdict $? '... which says how far it is'
    EMULATED_DEVICES=1 on 2 train gpt $small --steps 1 --wire bf16 -o half_by_mpi
    same half half_by_mpi
    verdict $? '... and comes to the same bits by MPI'
    # The table of tokens is more than a rank's share: it is told by itself.
    wide='--data text.txt --set layers=1 dim=8 heads=2 context=4 vocab=400 --batch 2 --pieces 2 --steps 2 --device gpu'
    run train gpt $wide -o wide
    on 2 train gpt $wide -o wide_by_nccl
    same wide wide_by_nccl
    verdict $? 'a param that is more than a share, by NCCL'
    EMULATED_DEVICES=1 on 2 train gpt $wide -o wide_by_mpi
    same wide wide_by_mpi
    verdict $? '... and by MPI'
}
EMULATED_NONE=1 on 2 train gpt --data text.txt --device gpu -o x
test $status -ne 0 && test $status -ne 124 && grep -q 'no GPU can be used' err
verdict $? 'no GPU'
finish
