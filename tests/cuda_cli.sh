#!/bin/sh
# --device: training, sampling, looking and explaining on a GPU, here an emulated one (tests/emulated), beside the processor; and what is refused.
. "$(dirname "$0")/tap.sh"

emulated=$build/tests/longhand_emulated.so
test -e "$emulated" || {
    skip 'a GPU' 'there is no compiler of C++ to make an emulated one'
    finish
}
LONGHAND_CUDA=$emulated
export LONGHAND_CUDA
small='--set layers=1 dim=8 heads=2 context=8 --batch 2'

run devices
tried 'devices are listed' 0 'gpu   0: emulated, 1.1 GB of memory' 'built with emulated; driver none'
run devices --json
tried 'for programs, too' 0 '"name": "emulated"'

# shellcheck disable=SC2086  # words
{
    run train gpt $small --steps 6 -o cpu
    tried 'on the processor' 0 'loss '
    grep '^loss' out >on_cpu
    run train gpt $small --steps 6 --device gpu -o gpu
    tried 'on the GPU' 0 'loss '
}
sed 's/;.*//' on_cpu >one
grep '^loss' out | sed 's/;.*//' | cmp -s one -
verdict $? 'the same loss to the digits that are shown'

run train gpu --resume --steps 9
tried 'what a GPU began, the processor goes on with' 0 'loss '
run train gpu --resume --steps 12 --device gpu
tried '... and a GPU again' 0 'loss '
run sample gpu -i The -n 6 -t 0 --device gpu
tried 'sampling' 0 The
cp out on_gpu
run sample gpu -i The -n 6 -t 0
cmp -s out on_gpu
verdict $? 'the same text by both'
run look gpu --prompt 'The c' --device gpu
tried 'looking' 0
cp out on_gpu
run look gpu --prompt 'The c'
cmp -s out on_gpu
verdict $? 'the same attention and the same next words'
run explain gpu --prompt 'The c' 'logits[1][2]' --device gpu
tried 'explaining' 0 'logits'

# In bf16: losses beside those in float, sampling, and a run that goes on.
# shellcheck disable=SC2086
run train gpt $small --steps 6 --device gpu --precision bf16 -o short
tried 'products in bf16' 0 'products in bf16' 'loss '
last_loss() { sed -n 's/^loss \([0-9.]*\),.*/\1/p' "$1" | tail -n 1; }
awk -v a="$(last_loss out)" -v b="$(last_loss on_cpu)" 'BEGIN { exit !(a > 0 && b > 0 && a / b < 1.01 && b / a < 1.01) }'
verdict $? 'a loss within 1 % of the one in float'
run train short --resume --steps 8 --device gpu
tried '... which goes on in bf16' 0 'products in bf16'
run sample short -i The -n 6 -t 0 --device gpu --precision bf16
tried 'sampling in bf16' 0 The
refused 'weights in few bits' 'a GPU computes in float or bf16' sample short -i The -n 2 --device gpu --precision int8

# The same bits from run to run.
# shellcheck disable=SC2086
run train gpt $small --steps 6 --device gpu -o other
cmp -s gpu/tokenizer.json other/tokenizer.json && run train gpt $small --steps 6 --device gpu -o third &&
    cmp -s other/model.safetensors third/model.safetensors
verdict $? 'the same bits from run to run'
# shellcheck disable=SC2086
run train gpt $small --steps 6 --device gpu --recompute -o again
tried 'layers recomputed' 0 'layers recomputed'
cmp -s third/model.safetensors again/model.safetensors
verdict $? '... to the same bits'

refused 'a device that is none' '--device is cpu, gpu or auto, not "tpu"' train gpt --device tpu -o x
refused 'two words for one thing' 'use only one of the two' train gpt --device gpu --backend fast -o x
# A batch in parts, and in pieces that are added up in a fixed order.
# shellcheck disable=SC2086
{
    run train gpt $small --steps 2 --device gpu -o at_once
    last_loss out >one
    run train gpt $small --micro 1 --steps 2 --device gpu -o parts
    tried 'parts of a batch' 0 ', 1 at a time' 'loss '
    last_loss out | cmp -s one -
    verdict $? '... come to the same loss'
    run train gpt $small --pieces 2 --steps 2 --device gpu -o pieces
    tried 'pieces of a batch' 0 'in 2 pieces' 'loss '
    last_loss out | cmp -s one -
    verdict $? '... come to the same loss, too'
}

# A batch in parts, as on the processor: the same losses but for the order of additions.
# shellcheck disable=SC2086
{
    run train gpt $small --batch 4 --micro 3 --steps 6 -o parts_cpu
    last_loss out >one
    run train gpt $small --batch 4 --micro 3 --steps 6 --device gpu -o three
    tried 'parts of a batch that are not alike' 0 '3 at a time' 'loss '
}
last_loss out | cmp -s one -
verdict $? '... come to the same loss as on the processor'
run train three --resume --steps 8
tried '... and the processor goes on with them' 0 '3 at a time'
# shellcheck disable=SC2086
run train gpt $small --batch 4 --micro 2 --steps 4 --device gpu --precision bf16 -o parts_short
tried '... in bf16, too' 0 '2 at a time' 'products in bf16'

# A text that grows beyond its context, by the processor and by a GPU, greedy and drawn.
# shellcheck disable=SC2086
run train gpt --set layers=2 dim=32 heads=2 context=24 --batch 4 --steps 12 -o writer
for how in '-t 0' '-s 3'; do
    # shellcheck disable=SC2086
    run sample writer -i 'The king' -n 40 $how
    cp out on_cpu
    # shellcheck disable=SC2086
    run sample writer -i 'The king' -n 40 $how --device gpu
    cmp -s out on_cpu
    verdict $? "the same text by both, $how"
done
run sample writer -i The -n 8 -t 0 --device gpu --precision bf16
tried '... and in bf16' 0 The
EMULATED_MEMORY=200000 run sample writer -i The -n 8 --device gpu
tried 'too little memory for a text' 2 'out of memory on the GPU' 'needed for this run'

# shellcheck disable=SC2086
run cost gpt --set layers=1 dim=8 heads=2 tokens=8 --measure --device gpu
tried 'a step is measured on a GPU' 0 'One step of training on emulated' 'launch of its own' 'by definition:'
run cost gpt --set layers=1 dim=8 heads=2 tokens=8 --measure --device gpu --json
tried '... for programs, too' 0 '"device": "emulated"'
refused '--device without --measure' 'says where --measure runs' cost gpt --device gpu

EMULATED_NONE=1 run train gpt --device gpu -o x
tried 'no device' 2 'no GPU can be used: no device is there' 'longhand devices shows what there is'
EMULATED_NONE=1 run devices
tried '... is said by devices, too' 0 'gpu   none: no device is there'
EMULATED_MEMORY=20000000 run devices
tried 'a device without room' 0 'cannot be used: 20 MB of its memory are free, and products alone need 34 MB'
EMULATED_VERSION=3 run devices
tried 'a shared object of another version' 0 'gpu   none: longhand_cuda.so is of version 3, and this longhand needs'
EMULATED_MEMORY=100000 run train gpt --device gpu -o x
tried 'too little memory' 2 'out of memory on the GPU' 'needed for this run' 'of 100 kB are free'
cp -r gpu lost
EMULATED_LOST=300 run train lost --resume --steps 200 --device gpu
tried 'a device that is lost' 2 'the GPU stopped: the device was lost' 'has the model as it was last saved'
run sample lost -i The -n 2
tried '... and what was saved is intact' 0 The
# Whenever it is lost: while a step runs, while numbers are read, while they are saved.
rm -rf lost
cp -r gpu lost
cp -r gpu good
run train good --resume --steps 13 --device gpu
# lose N: it is lost after N runs and readings; ends with 0 where the run comes to its end. What is in the folder is told by $changed.
lose() {
    rm -rf lost
    cp -r gpu lost
    EMULATED_LOST=$1 run train lost --resume --steps 13 --device gpu
    if test $status = 0; then
        cmp -s good/model.safetensors lost/model.safetensors || changed=1
        return 0
    fi
    grep -q 'the GPU stopped: the device was lost' err || changed=1
    diff -r gpu lost >differs || changed=1
    return 1
}
changed=0 from=1 to=1000
while test $((to - from)) -gt 1; do
    middle=$(((from + to) / 2))
    if lose $middle; then to=$middle; else from=$middle; fi
done
for n in 1 2 3 4 5 6 7 8; do lose $((from - n)); done
test $changed = 0 && test $from -gt 20
verdict $? 'whenever a device is lost, what was saved last is as it was'
LONGHAND_CUDA=$build/no.so run train gpt --device gpu -o x
if test -e "$build/longhand_cuda.so"; then
    tried 'a GPU that is not there' 2 'no GPU can be used'
else
    tried 'without CUDA' 2 'no GPU can be used: this longhand was built without CUDA' '-Dcuda=enabled'
fi
# shellcheck disable=SC2086
LONGHAND_CUDA=$build/no.so run train gpt $small --steps 2 --device auto -o auto
tried 'auto goes without' 0 'device: cpu' 'loss '
# shellcheck disable=SC2086
run train gpt $small --steps 2 --device auto -o found
tried 'auto finds one' 0 'device: emulated' 'loss '
finish
