#!/bin/sh
# longhand gguf from the outside: a model that was trained here as a file, the file as a folder again, and what is refused.
. "$(dirname "$0")/tap.sh"

i=0
while [ $i -lt 200 ]; do
    printf 'the cat sat on the mat; the dog ran after the cat.\n'
    i=$((i + 1))
done >text.txt
does 'a small model' train gpt --data text.txt --tokens bpe:280 --set layers=2 dim=32 heads=2 context=32 --steps 20 -o model
does 'what it writes' sample model -i 'the cat' -n 20 -t 0
cp out written
for type in f32 bf16 q8_0; do
    does "as a file in $type" gguf model -o "$type.gguf" --type $type
    does '... which is shown' gguf $type.gguf --all
    grep -q 'gpt2.block_count *2' out && grep -q 'blk.1.ffn_down.weight' out
    verdict $? '... with its values and tensors'
    does '... and is a folder again' gguf $type.gguf -o back-$type
    does '... that writes' sample back-$type -i 'the cat' -n 20 -t 0
done
run sample back-f32 -i 'the cat' -n 20 -t 0
cmp -s out written
verdict $? 'in float, the same text'
run tokens encode model 'the cat sat' --ids
cp out ids
run tokens encode back-f32 'the cat sat' --ids
cmp -s out ids
verdict $? '... by the same tokens'
does 'a model of characters' train gpt --data text.txt --tokens char --set layers=1 dim=16 heads=2 context=16 --steps 2 -o chars
refused 'characters are nothing for llama.cpp' 'byte pairs' gguf chars -o chars.gguf
refused 'a folder without -o' 'writes it as a file' gguf model
refused 'another type' 'must be f32, bf16 or q8_0' gguf model -o x.gguf --type q2_k
refused 'a type for a file' 'for a folder' gguf f32.gguf --type f32
refused 'a file that is not there' 'cannot be read' gguf no-such.gguf
refused 'a file that is none' 'not a GGUF file' gguf text.txt
head -c 5000 f32.gguf >short.gguf
refused 'a file cut short' 'short.gguf' gguf short.gguf
refused 'into a file' 'cannot be made' gguf f32.gguf -o text.txt
finish
