#!/bin/sh
# longhand train --lora from the outside: an adapter that learns, goes on, is opened by all commands and is merged; and what is refused.
. "$(dirname "$0")/tap.sh"

i=0
while [ $i -lt 100 ]; do
    printf 'the cat sat on the mat; the dog ran after the cat.\n'
    i=$((i + 1))
done >text.txt
printf 'a sea of tea and a tree\n%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 >other.txt
tr -d '\n' <text.txt >both.txt
cat other.txt >>both.txt

# number FOLDER CELL: one number of it, as explain says it.
number() {
    run explain "$1" --prompt 'the cat' "$2"
    sed -n '1s/^[^=]*= \([^ ]*\).*/\1/p' out
}

for model in gpt llama; do
    does "a small $model" train $model --data both.txt --set layers=2 dim=16 heads=2 context=16 --steps 30 --batch 4 -o $model
    cp $model/model.safetensors before
    does 'LoRA on it' train $model --lora 2 --data other.txt --steps 30 --batch 4 --rate 0.02 -o $model-small
    shows 'LoRA of rank 2 on '
    shows 'are frozen'
    cmp -s before $model/model.safetensors
    verdict $? 'the base is as it was'
    gone $model-small/model.safetensors
    gone $model-small/config.json
    is_json 'its config is JSON' $model-small/adapter_config.json
    has '... of the rank' '"r": 2,' $model-small/adapter_config.json
    does 'its weights are shown' weights $model-small --name lora_
    hides 'c_attn.weight' 'the large ones are not among them'
    size=$(wc -c <$model-small/adapter_model.safetensors)
    optimizer=$(cat $model-small/optimizer-*.safetensors | wc -c)
    test "$optimizer" -lt $((3 * size))
    verdict $? 'the optimiser knows the small matrices alone'
    does 'the program says it' program $model-small
    grep -q '_add = alpha / rank \* (.* @ W.*_A^T) @ W.*_B^T' out && ! grep -q '^ *param W[^_]* :' out
    verdict $? '... with both paths, and only small matrices to learn'
    does 'it writes' sample $model-small -i 'the ' -n 20 -t 0
    cp out small-text
    does 'it is looked into' look $model-small -i 'the cat'
    does 'it is merged' merge $model-small -o $model-merged
    gone $model-merged/adapter_config.json
    does 'the merged one writes' sample $model-merged -i 'the ' -n 20 -t 0
    cmp -s out small-text
    verdict $? '... the same text'
    a=$(number $model-small 'logits[6][3]') b=$(number $model-merged 'logits[6][3]') c=$(number $model 'logits[6][3]')
    awk -v a="$a" -v b="$b" -v c="$c" 'BEGIN { d = a - b; e = a - c; exit !(d * d < 1e-8 && e * e > 1e-4) }'
    verdict $? "... from the same numbers ($a, $b; before $c)"
done

does 'what was learned, explained' explain llama-small --prompt 'the cat' 'h[0].V{head 0}[2][1]'
shows 'WV_add[2][1]'
does '... alone' explain llama-small --prompt 'the cat' 'h[0].WV_add[2][1]'
shows 'WV_B'

# It goes on to the same bits.
does 'half of a run' train llama --lora 2 --lora-on q_proj,WV --data other.txt --steps 10 --batch 4 -o half
does '... goes on' train half --resume --data other.txt --steps 20
has 'only what was asked for' '"target_modules": \["q_proj", "v_proj"\]' half/adapter_config.json
does 'one of two matrices called c_proj' train gpt --lora 2 --lora-on attn.c_proj --data other.txt --steps 1 --batch 4 -o one
has '... has the name that is its alone' '"target_modules": \["attn.c_proj"\]' one/adapter_config.json
does '... which opens it again' sample one -i 'the ' -n 5 -t 0
cp half/adapter_model.safetensors a
does 'the same again' train llama --lora 2 --lora-on q_proj,WV --data other.txt --steps 10 --batch 4 -o again
does '... goes on' train again --resume --data other.txt --steps 20
cmp -s a again/adapter_model.safetensors
verdict $? 'two runs that went on are the same'
does 'in parts' train llama --lora 2 --data other.txt --steps 3 --batch 4 --micro 2 -o parts
does '... with layers recomputed' train llama --lora 2 --data other.txt --steps 3 --batch 4 --micro 2 --recompute -o recomputed
cmp -s parts/adapter_model.safetensors recomputed/adapter_model.safetensors
verdict $? '... to the same bits'
does 'in double' train llama --lora 2 --data other.txt --steps 2 --batch 2 --backend exact -o double

# Without program.lh and tokeniser, and with fields of PEFT.
mkdir peft
cp llama-small/adapter_model.safetensors peft
sed 's/"lora_dropout": 0.0/"lora_dropout": 0.05, "peft_version": "0.18.0", "modules_to_save": null, "rank_pattern": {}/' llama-small/adapter_config.json >peft/adapter_config.json
does 'an adapter with less in it' sample peft -i 'the ' -n 20 -t 0
cmp -s out small-text
verdict $? '... takes that from its base'
for bad in '"use_dora": true' '"modules_to_save": ["lm_head"]' '"bias": "all"' '"rank_pattern": {"q_proj": 4}' '"something": 3'; do
    sed "s/\"bias\": \"none\"/$bad/" llama-small/adapter_config.json >peft/adapter_config.json
    refused "with $bad" "$(echo "$bad" | sed 's/"\([a-z_]*\)".*/\1/')" sample peft
done
sed 's/"LORA"/"IA3"/' llama-small/adapter_config.json >peft/adapter_config.json
refused 'another kind of adapter' 'peft_type IA3 is not LORA' sample peft
sed 's/"r": 2/"r": 0/' llama-small/adapter_config.json >peft/adapter_config.json
refused 'no rank' 'r must be a whole number from 1 on' sample peft
sed 's/"lora_alpha": [0-9.]*/"lora_alpha": "much"/' llama-small/adapter_config.json >peft/adapter_config.json
refused 'an alpha that is none' 'lora_alpha must be a number' sample peft
sed 's/"target_modules": \[[^]]*\]/"target_modules": [3]/' llama-small/adapter_config.json >peft/adapter_config.json
refused 'modules without names' 'target_modules must be a list of names' sample peft
echo '[]' >peft/adapter_config.json
refused 'a config without fields' 'fields in { } are expected' sample peft
echo '{' >peft/adapter_config.json
refused 'a config cut off' 'peft/adapter_config.json' sample peft
sed 's/"base_model_name_or_path": "[^"]*"/"base_model_name_or_path": "someone\/no-such"/' llama-small/adapter_config.json >peft/adapter_config.json
refused 'a base that is not there' 'changes the model someone/no-such' sample peft
warns 'base_model_name_or_path in peft/adapter_config.json'
sed "s|\"base_model_name_or_path\": \"[^\"]*\"|\"base_model_name_or_path\": \"$work/llama-small\"|" llama-small/adapter_config.json >peft/adapter_config.json
refused 'an adapter of an adapter' 'which is an adapter itself' sample peft
mkdir moved
mv llama llama-small moved
does 'both moved together' sample moved/llama-small -i 'the ' -n 20 -t 0
cmp -s out small-text
verdict $? '... write the same'
mv moved/llama moved/llama-small .

# Weights in F16 end at 65504.
cp -r llama in-f16
if command -v python3 >/dev/null; then
    # shellcheck disable=SC2016  # Python
    python3 -c 'import json, struct
with open("llama/model.safetensors", "rb") as f: data = f.read()
n = struct.unpack("<Q", data[:8])[0]
head, data, out = json.loads(data[8:8 + n]), data[8 + n:], b""
for name, t in head.items():
    if name == "__metadata__": continue
    first, last = t["data_offsets"]
    cells = struct.unpack("<%df" % ((last - first) // 4), data[first:last])
    t["dtype"], t["data_offsets"] = "F16", [len(out), len(out) + 2 * len(cells)]
    out += struct.pack("<%de" % len(cells), *cells)
head = json.dumps(head).encode()
with open("in-f16/model.safetensors", "wb") as f: f.write(struct.pack("<Q", len(head)) + head + out)'
    does 'LoRA on it' train in-f16 --lora 2 --lora-alpha 1e7 --rate 10 --data other.txt --steps 5 --batch 4 -o far
    refused 'merged, what is too large is said' 'and its type F16 goes up to 65504' merge far -o merged-far
    gone merged-far/model.safetensors
fi

# Where a folder asks for the likeliest token, ways to draw one do nothing.
printf '{"do_sample": false}' >llama/generation_config.json
does 'the likeliest token' sample llama -i 'the ' -n 20
cp out likeliest
does '... as with temperature 0' sample llama -i 'the ' -n 20 -t 0
cmp -s out likeliest
verdict $? '... the same text'
refused 'a way to draw that does nothing' 'top-k changes nothing' sample llama -i 'the ' -n 20 -k 40
refused '... nor does another' 'top-p changes nothing' sample llama -i 'the ' -n 20 -p 0.9
refused '... nor where the command asks for it' '--top-k changes nothing: --temperature 0 asks for' sample gpt -i 'the ' -n 20 -k 40 -t 0
does 'with a temperature they count' sample llama -i 'the ' -n 20 -k 40 -t 0.8

# What a folder says of writing goes on where its tokens do.
printf '{"eos_token_id": [5, 7], "bos_token_id": 3, "temperature": 0.6, "do_sample": true}' >llama/generation_config.json
echo '{{ messages }}' >llama/chat_template.jinja
does 'trained further' train llama --data other.txt --steps 1 --batch 2 -o further
tr -d ' \t\n' <further/generation_config.json >flat
grep -q '"eos_token_id":\[5,7\]' flat && grep -q '"temperature":0.6' flat && grep -q '"do_sample":true' flat
verdict $? 'ends and temperature are there'
tr -d ' \t\n' <further/config.json | grep -q '"eos_token_id":5'
verdict $? '... in the config, too'
cmp -s llama/chat_template.jinja further/chat_template.jinja
verdict $? '... and the chat template'
mkdir elsewhere && cp llama/tokenizer.json elsewhere
does 'with other tokens' train llama --init llama --tokens elsewhere --data other.txt --steps 1 --batch 2 -o others
! grep -q temperature others/generation_config.json
verdict $? 'another tokeniser has its own ends'

# Weights that the program leaves out are named before anything is trained.
refused 'a layer too many' 'the program does not use model.layers.1.' train "$root/models/llama.lh" --init llama --set layers=1 --data other.txt -o fewer
warns 'and 6 more' 'how many others'
does '... unless it is allowed' train "$root/models/llama.lh" --init llama --set layers=1 --data other.txt --steps 1 --batch 2 --allow-unused -o fewer

# An adapter that was edited by hand, or whose base is another model now.
edited() { # NAME SCRIPT: llama-small with another adapter_config.json
    rm -rf edited && cp -r llama-small edited
    sed "$2" llama-small/adapter_config.json >edited/adapter_config.json
    does "$1" sample edited -i 'the ' -n 20 -t 0
    cmp -s out small-text
    verdict $? '... writes what it wrote'
}
edited 'one that was not edited' 's/,$/,/'
! grep -q 'is not what was saved' err
verdict $? '... and nothing is said of it'
edited 'another alpha' 's/"lora_alpha": 4/"lora_alpha": 40/'
warns 'edited/adapter_config.json is not what was saved with the weights: lora_alpha is 40 there, and 4 in the program'
edited 'another rank' 's/"r": 2/"r": 3/'
warns 'r is 3 there, and 2 in the program'
edited 'fewer matrices' 's/"target_modules": .*/"target_modules": ["q_proj"],/'
warns 'target_modules has no '
edited 'one matrix more' 's/"target_modules": \[/"target_modules": ["lm_head", /'
warns 'target_modules has lm_head, and the program does not change it'
sed "s|\"base_model_name_or_path\": .*|\"base_model_name_or_path\": \"$work/gpt\",|" llama-small/adapter_config.json >edited/adapter_config.json
refused 'a base that is another model' "edited changes the model in $work/gpt: was it trained on that one?" sample edited
sed 's|"base_model_name_or_path": .*|"base_model_name_or_path": "/no/where",|' llama-small/adapter_config.json >edited/adapter_config.json
refused 'a base that is nowhere, said once' 'edited changes the model /no/where, and there is no such folder' program edited

refused 'rank 0' '--lora needs a whole number from 1' train llama --lora 0
refused 'a rank that does not fit' 'a rank of 17 is more than h[0].WQ has: it is 8 x 16' train llama --lora 17 --data other.txt -o x
refused 'a param that is not there' 'LoRA on WX: no param is called that' train llama --lora 2 --lora-on WX --data other.txt -o x
warns 'LoRA can be used on O, WQ, WK, WV'
refused 'a row' 'g1 is one row' train llama --lora 2 --lora-on g1 --data other.txt -o x
refused 'LoRA on LoRA' 'is an adapter: it already has LoRA matrices' train llama-small --lora 2 --data other.txt -o x
refused '... or a plain program on it' 'is an adapter' train llama --init llama-small --data other.txt -o x
warns 'longhand merge llama-small'
refused 'a program without weights' 'but micro has no weights' train micro --lora 2
refused 'a run that goes on' '--resume continues a run with the program that it has' train llama-small --resume --lora 2
refused 'names alone' '--lora-on needs --lora N' train llama --lora-on WQ
refused 'an alpha of nothing' '--lora-alpha needs a number above 0' train llama --lora 2 --lora-alpha 0
refused 'into a folder with one' 'already contains a model' train llama --lora 2 --data other.txt -o llama-small
refused 'nothing to merge' 'is not an adapter' merge llama -o x
refused 'merged into one that is there' 'already contains a model' merge llama-small -o llama
refused 'merged to nowhere' '-o FOLDER' merge llama-small
refused 'as a GGUF file' 'is an adapter' gguf gpt-small -o x.gguf
finish
