#!/bin/sh
# longhand train on several processes: the same bits for any number of them, gone on with by another number, killed, and what is refused.
# LH_KILLS=100 kills so many ranks (4 without it).
. "$(dirname "$0")/tap.sh"

command -v mpirun >/dev/null && test -e "$build/longhand_mpi.so" || {
    skip 'several processes' 'Open MPI is not installed, or the program was built without it'
    finish
}
# As root, and more processes than processors: both are for tests alone.
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_mpi_yield_when_idle=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_rmaps_base_oversubscribe
export OMPI_MCA_btl OMPI_MCA_btl_vader_single_copy_mechanism OMPI_MCA_mpi_yield_when_idle
LSAN_OPTIONS=detect_leaks=0 # of Open MPI, which does not free all that it takes
export LSAN_OPTIONS

i=0
while test $i -lt 200; do
    echo "The cat sat on the mat, and the dog saw $i birds."
    i=$((i + 1))
done >text.txt
printf 'emma\nolivia\nava\nisabella\nsophia\nmia\namelia\nharper\nevelyn\nella\nluna\nnora\n' >names.txt
small='--set layers=1 dim=8 heads=2 context=16'

# on N WORD...: longhand with these words on N processes.
on() {
    ranks=$1
    shift
    timeout 120 mpirun -np "$ranks" "$longhand" "$@" >out 2>err </dev/null
    status=$?
}

# same FOLDER FOLDER: the same weights, states and settings, to the bit.
same() {
    (cd "$1" && cksum ./*.safetensors ./*.json) >one && (cd "$2" && cksum ./*.safetensors ./*.json) >two && cmp -s one two
}

# each NAME NUMBERS WORD...: so many processes come to the same bits as one that was started alone.
each() {
    name=$1 numbers=$2
    shift 2
    rm -rf alone
    run "$@" --steps 6 --pieces 8 --threads 1 -o alone
    test $status -eq 0
    verdict $? "$name: a process alone"
    for n in $numbers; do
        rm -rf many
        on $n "$@" --steps 6 --threads 2 -o many
        test $status -eq 0 && same alone many
        verdict $? "$name: the same bits on $n processes"
    done
}

# shellcheck disable=SC2086  # several words
{
    each gpt '1 2 3 4 8' train gpt --data text.txt $small
    each 'dropout and byte pairs, one example at a time' '3 8' train gpt --data text.txt --tokens bpe:280 --micro 1 --batch 10 $small drop=0.2
}
# shellcheck disable=SC2086  # several words
each 'layers recomputed' '3' train gpt --data text.txt --recompute --batch 10 $small drop=0.2
each 'lines' '2 3 8' train micro --data names.txt
each 'pairs' '2 3 8' train adder --task addition
each 'encoder and decoder' '2 3 8' train classic --task translate

# Fewer words than processes, and a batch that is no multiple of anything.
printf 'abcabcabcabc' >short.txt
run train gpt --data short.txt --set layers=1 dim=8 heads=2 context=4 --batch 7 --pieces 7 --steps 2 -o alone2
on 5 train gpt --data short.txt --set layers=1 dim=8 heads=2 context=4 --batch 7 --pieces 7 --steps 2 -o many2
test $status -eq 0 && same alone2 many2
verdict $? 'a text too short to be shared out, and a batch of 7'

# Gone on with by another number of processes.
# shellcheck disable=SC2086  # several words
run train gpt --data text.txt $small --steps 12 --pieces 8 -o whole
# shellcheck disable=SC2086  # several words
on 3 train gpt --data text.txt $small steps=12 --steps 5 -o part
on 2 train part --resume --data text.txt --set steps=12 --steps 9
on 4 train part --resume --data text.txt --set steps=12 --steps 11
run train part --resume --data text.txt --steps 12
test $status -eq 0 && same whole part
verdict $? '3, then 2, then 4 processes, then one alone: as if never interrupted'

# Gradients that are sent in several buckets while the backward pass still runs, and weights that are told in several parts.
several='--set layers=2 dim=272 heads=2 context=8 --batch 4 --steps 2'
# shellcheck disable=SC2086  # several words
{
    run train gpt --data text.txt $several --pieces 4 -o alone3
    on 3 train gpt --data text.txt $several --pieces 4 -o many3
    test $status -eq 0 && same alone3 many3
    verdict $? 'several buckets: the same bits on 3 processes'

    # Another order is near, and says how near; so are numbers of 16 bits.
    on 3 train gpt --data text.txt $several --pieces 4 --any-order -o any
    test $status -eq 0 && grep -q 'in the fixed order: [0-9.]*e-0[678] of the largest' out
    verdict $? 'another order says how far it is from the fixed one'
    on 3 train gpt --data text.txt $several --pieces 4 --wire bf16 -o half
    test $status -eq 0 && grep -q 'in the fixed order: 0.00[0-9]* of the largest' out
    verdict $? 'and so do gradients in bf16'
    ! same alone3 half
    verdict $? 'which are sent in bf16'
    on 3 train gpt --data text.txt $several --pieces 4 --any-order --wire bf16 -o both
    test $status -eq 0 && grep -q 'in the fixed order: 0.00[0-9]* of the largest' out
    verdict $? 'both'
    # loss FOLDER: of the first step, before anything was renewed.
    loss() { sed -n 's/.*"loss": *\([0-9.]*\).*/\1/p' "$1/log.jsonl" | head -n 1; }
    echo "$(loss alone3) $(loss any) $(loss half) $(loss both)" |
        awk '{ for (i = 2; i <= 4; i++) if ($i < $1 * (1 - 1e-6) || $i > $1 * (1 + 1e-6)) exit 1 }'
    verdict $? 'the loss is not sent in bf16'
    on 1 train gpt --data text.txt $several --any-order -o single
    run train gpt --data text.txt $several -o none
    same single none
    verdict $? 'one process in any order: as it is without MPI'
}
refused 'what cannot be sent' 'wire is float or bf16' train gpt --wire half -o x

has_once() {
    test "$(grep -cF -e "$1" out err | awk -F: '{ n += $2 } END { print n }')" -eq 1
    verdict $? "said once: $1"
}

# shellcheck disable=SC2086  # several words
on 3 train gpt --data text.txt $small --steps 3 -o said
has_once 'in 8 pieces for 3 processes'
has_once 'said: longhand sample said'

# What is wrong is said, once, and nobody waits for ever.
# shellcheck disable=SC2086  # several words
on 3 train gpt --data nothing.txt $small -o x
test $status -ne 0 && test $status -ne 124
verdict $? 'no such text'
has_once 'nothing.txt cannot be opened'

# shellcheck disable=SC2086  # several words
on 3 train gpt --data text.txt --set layers=1 dim=7 heads=2 context=16 -o x
test $status -ne 0 && test $status -ne 124 && ! grep -q MPI_ABORT err
verdict $? 'sizes that do not fit'
has_once 'cannot be split into 2 equal heads'
printf 'a b\n' >unpaired.txt
on 3 train classic --data unpaired.txt -o x
test $status -ne 0 && test $status -ne 124
verdict $? 'pairs that are none'
has_once 'no line has a pair in it'

apart() {
    name=$1 text=$2
    shift 2
    rm -rf x
    # shellcheck disable=SC2086  # several words
    timeout 60 mpirun -np 1 "$longhand" train gpt --data text.txt $small -o x : -np 1 "$longhand" "$@" -o x >out 2>err </dev/null
    status=$?
    test $status -ne 0 && test $status -ne 124 && grep -q -e "$text" out err
    verdict $? "$name"
}
sed 's/150 birds/150 words/' text.txt >other.txt
head -c 500 text.txt >less.txt
# shellcheck disable=SC2086  # several words
{
    apart 'another text on one process' 'rank 1: \(longhand: \)\{0,1\}bytes ' train gpt --data other.txt $small
    apart 'no text on one process' 'rank 1: \(longhand: \)\{0,1\}missing.txt cannot be opened' train gpt --data missing.txt $small
    apart 'a text of another size' 'less.txt has 500 bytes here' train gpt --data less.txt $small
    apart 'another program' 'and rank 0 has "# GPT-2, exactly"' train micro --data text.txt
    apart 'another batch' 'this process has "--batch 3", and rank 0 has "--batch 12"' train gpt --data text.txt $small --batch 3
    apart 'another order' 'this process has "--any-order", and rank 0 has "a fixed order"' train gpt --data text.txt $small --any-order
    apart 'another size' 'and rank 0 has "' train gpt --data text.txt --set layers=2 dim=8 heads=2 context=16
}
# shellcheck disable=SC2086  # several words
on 9 train gpt --data text.txt $small -o x
grep -qF 'there are 9 processes, and a batch of 12 in 8 pieces has work for 8' err
verdict $? 'more processes than pieces'
on 2 train gpt --data - -o x
grep -qF 'cannot share what comes from a pipe' err
verdict $? 'a pipe'
# shellcheck disable=SC2086  # several words
on 2 train gpt --data text.txt $small --rate 1e30 --steps 5 -o lost
test $status -ne 0 && test $status -ne 124
verdict $? 'a loss that is no number'
has_once 'the loss of step'

# A disk that is full where rank 0 saves: the others end with it, and what was saved before is whole.
# shellcheck disable=SC2086  # several words
on 2 train gpt --data text.txt $small --steps 4 -o full
cp -r full before
timeout 60 mpirun -np 1 sh -c "trap '' XFSZ; ulimit -f 1; exec \"$longhand\" train full --resume --data text.txt --steps 8 --every 1" : \
    -np 1 "$longhand" train full --resume --data text.txt --steps 8 --every 1 >out 2>err </dev/null
status=$?
test $status -ne 0 && test $status -ne 124 && cmp -s full/model.safetensors before/model.safetensors
verdict $? 'a full disk ends all, and the last save is whole'

# The library for it is not there.
mkdir bare && cp "$longhand" bare/
OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 bare/longhand train gpt --data text.txt -o x >out 2>err </dev/null
status=$?
test $status -eq 2 && grep -qF 'this is one of 2 processes, but they cannot communicate' err
verdict $? 'without the shared object'

# SIGTERM, as a job queue sends it: saved, and gone on with.
rm -rf queue
# shellcheck disable=SC2086  # several words
timeout 120 mpirun --mca odls_base_sigkill_timeout 20 -np 2 "$longhand" train gpt --data text.txt $small --steps 100000 --every 100000 -o queue >out 2>err </dev/null &
pid=$!
i=0
while test $i -lt 100 && ! grep -q 'a step' out; do i=$((i + 1)) && sleep 0.1; done
sleep 1
pkill -TERM -P "$(pgrep -P $pid mpirun || echo $pid)" longhand 2>/dev/null || kill -TERM $pid
wait $pid
grep -q 'continue with: longhand train queue --resume' out && "$longhand" weights queue >seen 2>err && ! grep -q 'step 0,' seen
verdict $? 'SIGTERM saves first'

# kill -9 of any rank at any moment: all end soon, and what was saved goes on to the same bits.
# The moments are spread over what a whole run takes here.
kills=${LH_KILLS:-4} lost=0 i=0
rm -rf part
start=$(date +%s%N)
# shellcheck disable=SC2086  # several words
on 3 train gpt --data text.txt $small --steps 12 --every 1 -o part
took=$((($(date +%s%N) - start) / 1000000))
same whole part
verdict $? 'a run that nobody kills'
rm -rf part
while test "$i" -lt "$kills"; do
    i=$((i + 1))
    if test -e part/model.safetensors; then
        timeout 60 mpirun -np 3 "$longhand" train part --resume --data text.txt --steps 12 --every 1 >out 2>err </dev/null &
    else
        # shellcheck disable=SC2086  # several words
        timeout 60 mpirun -np 3 "$longhand" train gpt --data text.txt $small --steps 12 --every 1 -o part >out 2>err </dev/null &
    fi
    pid=$!
    sleep "$(awk -v seed="$i" -v took=$took 'BEGIN { srand(seed); printf "%.3f", rand() * took / 1000 }')"
    run=$(pgrep -P $pid) # timeout's child
    victim=$(pgrep -P "${run:-0}" | awk -v seed="$i" 'BEGIN { srand(seed) } { pid[NR] = $1 } END { if (NR) print pid[1 + int(rand() * NR)] }')
    test -n "$victim" && kill -9 "$victim" 2>/dev/null
    wait $pid
    test $? -ne 124 || lost=1
    test -e part/model.safetensors || continue
    "$longhand" weights part >seen 2>err || lost=1
    if grep -q 'step 12,' seen; then
        cmp -s part/model.safetensors whole/model.safetensors || lost=1
        rm -rf part
    fi
done
verdict $lost "a rank killed at $kills moments, nothing is lost"
finish
