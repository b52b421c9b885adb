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

# A file is opened where a folder may stand.
for type in f32 bf16 q8_0; do
    does "$type in place" sample $type.gguf -i 'the cat' -n 20 -t 0
    cp out in-place
    run sample back-$type -i 'the cat' -n 20 -t 0
    cmp -s out in-place
    verdict $? '... writes what the folder of it writes'
done
does 'its program' program q8_0.gguf
has '... of its sizes' 'layers = 2, heads = 2, dim = 32' out
does 'its weights' weights q8_0.gguf
has '... with their types' 'h.0.attn.c_attn.weight *Q8_0 *32 x 96' out
does 'a number of it' explain q8_0.gguf --prompt 'the cat' 'h[1].A[1][5]' --json
cp out in-place
run explain back-q8_0 --prompt 'the cat' 'h[1].A[1][5]' --json
test "$(grep '"value"' out | head -1)" = "$(grep '"value"' in-place | head -1)"
verdict $? '... is the number of the folder'
does 'inside it' look bf16.gguf --prompt 'the cat'
does 'with few bits' sample q8_0.gguf -i 'the cat' -n 20 -t 0 --precision int8 --keep-rounded
cp out in-place
does '... kept beside it' sample q8_0.gguf -i 'the cat' -n 20 -t 0 --precision int8
has '... under its name' 'q8_0.gguf.longhand-int8.safetensors' err
cmp -s out in-place
verdict $? '... the same text'
does 'training begins with it' train gpt --init f32.gguf --data text.txt --steps 1 -o further
refused 'no conversation' 'no chat template' chat f32.gguf -i hello

# The other families, there and back.
for name in llama qwen; do
    sizes='layers=2 dim=32 heads=4 groups=2 hidden=48 context=32'
    does "a small $name" train $name --data text.txt --tokens bpe:280 --set $sizes --steps 3 -o $name
    run sample $name -i 'the cat' -n 20 -t 0
    cp out written
    for type in f32 q8_0; do
        does "... as a file in $type" gguf $name -o $name-$type.gguf --type $type
        does '... opened in place' sample $name-$type.gguf -i 'the cat' -n 20 -t 0
        if [ $type = f32 ]; then
            cmp -s out written
            verdict $? '... the same text'
        fi
    done
    does '... as a folder again' gguf $name-f32.gguf -o $name-back
    "$longhand" weights $name --json | grep '"name"\|"mean"\|"shape"' | grep -v longhand >a
    "$longhand" weights $name-back --json | grep '"name"\|"mean"\|"shape"' >b
    cmp -s a b
    verdict $? '... with the same weights'
done
printf 'GGUX' >magic.gguf
refused 'another file' 'magic.gguf is a file, and it does not begin with GGUF' sample magic.gguf
# changed NAME FIELD: a llama folder whose config says FIELD as well.
changed() {
    rm -rf odd && cp -r llama odd
    sed "s/\"model_type\"/$2, \"model_type\"/" llama/config.json >odd/config.json
    refused "$1 is not written" "$3" gguf odd -o odd.gguf
}
changed 'an unknown field' '"is_causal": false' 'odd/config.json: is_causal'
changed 'more of yarn' '"rope_scaling": {"rope_type": "yarn", "factor": 4, "beta_fast": 16}' 'beta_fast of yarn rope is not written as GGUF'
changed 'a strength of yarn' '"rope_scaling": {"rope_type": "yarn", "factor": 4, "attention_factor": 2}' 'attention_factor of yarn rope'
does 'a model of characters' train gpt --data text.txt --tokens char --set layers=1 dim=16 heads=2 context=16 --steps 2 -o chars
refused 'characters are nothing for llama.cpp' 'byte pairs' gguf chars -o chars.gguf
refused 'a folder without -o' 'writes it as a file' gguf model
refused 'another type' 'must be f32, bf16 or q8_0' gguf model -o x.gguf --type q2_k
refused 'a type for a file' 'for a folder' gguf f32.gguf --type f32
refused 'a file that is not there' 'cannot be read' gguf no-such.gguf
refused 'a file that is none' 'not a GGUF file' gguf text.txt
cp f32.gguf heads.gguf
at=$(LC_ALL=C grep -abo 'gpt2.attention.head_count' f32.gguf | head -1 | cut -d: -f1)
printf '\003' | dd of=heads.gguf bs=1 seek=$((at + 29)) conv=notrunc 2>/dev/null
refused 'values that cannot be' 'heads.gguf, as config.json: n_head is 3, which does not divide the 32 columns' sample heads.gguf
printf '\000' | dd of=heads.gguf bs=1 seek=$((at + 29)) conv=notrunc 2>/dev/null
refused '... nor be a size' 'heads.gguf, as config.json: n_head must be' sample heads.gguf
head -c 5000 f32.gguf >short.gguf
refused 'a file cut short' 'short.gguf' gguf short.gguf
refused 'into a file' 'cannot be made' gguf f32.gguf -o text.txt
refused 'as a program' 'model is a folder, but a lesson or a program is needed here' cost model
warns 'longhand program model -o mine.lh writes the program of its model'
refused 'a file as a program' 'f32.gguf is a file with a model, but a lesson' run f32.gguf
warns 'longhand program f32.gguf -o mine.lh'
does 'the program' program f32.gguf -o mine.lh
does '... has its cost' cost mine.lh
cp -r model kept
refused 'over a model' 'kept already contains a model' gguf q8_0.gguf -o kept
diff -r model kept >out
verdict $? '... which stays as it was'
finish
