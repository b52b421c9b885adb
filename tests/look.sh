#!/bin/sh
# Looking into a trained model from the outside: explain --prompt, look, cost --measure; and what is refused.
. "$(dirname "$0")/tap.sh"

i=0
while test $i -lt 60; do
    echo "The cat sat on the mat, and the dog saw $i birds."
    i=$((i + 1))
done >text.txt
sizes='--set layers=2 dim=16 heads=2 context=16'
# shellcheck disable=SC2086  # several words
does 'a model of characters' train gpt --data text.txt $sizes --steps 30 --batch 4 -o model
# shellcheck disable=SC2086
does 'a model of words' train gpt --data text.txt --tokens word $sizes --steps 3 --batch 4 -o words

# One number.
does 'a number of a head' explain model --prompt 'The cat sat' 'h[1].P{head 1}[7][2]'
has 'which row and column, as tokens' '^h\[1\]\.P\{head 1\}\[7\]\[2\] = 0\.[0-9]+   row 7 \(␣\), column 2 \(e\)' out
has 'its operands' '= e\{head 1\}\[7\]\[2\] / s\{head 1\}\[7\]' out
does 'a score of the vocabulary' explain model --prompt 'The cat sat' 'logits[10][5]'
has 'the largest terms, and the rest summed' '\+ 13 more \(-?[0-9.e-]+\)$' out
does 'every term' explain model --prompt 'The cat sat' 'logits[10][5]' --all
test "$(grep -o 'logits.layernorm\[10\]' out | wc -l)" -eq 16 && ! grep -q more out
verdict $? 'all 16 of them'
does 'down to the given numbers' explain model --prompt 'The' 'h[0].A[1][0]' --deep
has 'as far as the embeddings' 'E\[[0-9]+\]\[3\]' out
does 'for programs' explain model --prompt 'The cat sat' 'h[1].P{head 1}[7][2]' --json
has 'its value' '"value": ?0\.' out
printf 'The cat sat' >prompt.txt
"$longhand" explain model --prompt - 'h[1].P{head 1}[7][2]' --json <prompt.txt >from-stdin 2>err
cmp -s out from-stdin
verdict $? 'the prompt from stdin'

# Everything at once.
does 'look' look model --prompt 'The cat'
has 'tokens' '^T +h +e +␣ +c +a +t$' out
has 'attention of both layers' '^h\[1\]\.H\.P   rows look at columns' out
has 'the first row looks at itself' '^T █ +1 ' out
has 'what each layer would say' '^  h\[2\]\.X  .* 0\.[0-9]{3}' out
has 'the next token' '^The next token$' out
test "$(sed -n '/^The next token/,$p' out | grep -c '0\.')" -eq 10
verdict $? 'ten of them'
does 'one head of one layer' look model --prompt 'The cat' --layer 0 --head 1
test "$(grep -c 'rows look at columns' out)" -eq 1
verdict $? 'one map'
does 'as JSON' look model --prompt 'The cat' --json
if command -v jq >/dev/null; then
    jq -e '(.tokens | length) == 7 and (.attention | length) == 2 and (.attention[0].heads | length) == 2
        and (.layers | length) == 3 and (.next | length) == 10
        and ([.attention[1].heads[0][6][]] | add | . > 0.9999 and . < 1.0001)
        and (.layers[2].next[0].id == .next[0].id)' out >/dev/null
    verdict $? 'rows add up to 1, and the last layer says what the model says'
fi
has 'tokens as they are, not as they are shown' '"text": " "' out
! grep -q '␣' out
verdict $? 'no sign stands for another'
printf 'ñandú ☃ héllo wörld\n%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 >unicode.txt
does 'a model of byte pairs' train gpt --data unicode.txt --tokens bpe:300 --set layers=1 dim=8 heads=1 context=8 \
    --steps 2 --batch 2 -o bytes
iconv -f UTF-8 -t UTF-8 out >/dev/null 2>err
verdict $? 'its sample while it learns is UTF-8'
"$longhand" sample bytes -n 200 -t 3 -k 0 >out 2>err
iconv -f UTF-8 -t UTF-8 out >/dev/null 2>err && grep -q '�' out
verdict $? 'what it writes is UTF-8, although it writes loose bytes'
"$longhand" sample bytes -i 'ñandú ☃' -n 1 -t 0 >out 2>err
grep -q '^ñandú ☃' out
verdict $? 'characters of several tokens are whole'
does 'its tokens as JSON' look bytes --prompt 'h' --json
is_json 'they are JSON' out
has 'loose bytes as numbers' '"text": null, "bytes": \[[0-9]+\]' out

# The way back: a prompt and the token that should follow.
refused 'a gradient depends on what follows' '--next' explain model --prompt 'The ca' 'dlogits[5][3]'
ends 'the token that follows has its own name' 0 '(target is t here)' explain model --prompt 'The ca' --next t 'dlogits[5][3]'
does 'a gradient' explain model --prompt 'The ca' --next t 'dlogits[5][3]' --json
LONGHAND=$longhand python3 - out <<'END' 2>err
import json, subprocess, sys, os
d = json.load(open(sys.argv[1]))
look = json.loads(subprocess.run([os.environ.get('LONGHAND', 'longhand'), 'look', 'model', '--prompt', 'The ca', '--json'],
                                 capture_output=True, text=True).stdout)
p = {x['id']: x['probability'] for x in look['next']}
sys.exit(0 if 3 not in p or abs(d['value'] - p[3] / 6) < 1e-6 else 1)
END
verdict $? 'it is the probability over the number of positions'
does 'inside a layer' explain model --prompt 'The ca' --next t 'h[1].dX[5][3]'
has '... from its users' '= h\[1\]\.dX\.' out
does 'the loss' explain model --prompt 'The ca' --next t loss
does 'a weight' explain model --prompt 'The ca' --next t 'h[0].dWA[0][0]' --deep
run explain model --prompt 'The ca' --next 't s' loss
tried 'more than a token is said' 0 '"t s" is 3 tokens; the next one is t'
refused 'a token that is not there' 'is not in the vocabulary' explain model --prompt 'The ca' --next Q loss
refused 'no token' '--next is empty' explain model --prompt 'The ca' --next '' loss
refused 'a step of training' 'trained already' explain model --prompt 'The ca' --next t loss@3
does 'a picture' look model --prompt 'The cat' --layer 1 -o map.svg
has 'an SVG' '<svg ' map.svg
does 'a folder of pictures' look model --prompt 'The cat' -o maps
test -s maps/attention0.svg && test -s maps/attention1.svg && test -s maps/next.svg
verdict $? 'one for each layer, and the next token'
does 'an unknown word is said' look words --prompt 'The zebra sat'
has 'as what it is read' '^token 1 of the prompt is not in the vocabulary and is read as <unk>' err

# Weights in few bits.
for kind in int8 int4; do
    does "looks with $kind" look model --prompt 'The ca' --precision $kind
    does "writes with $kind" sample model -i 'The ca' -n 8 -t 0 --precision $kind
    has '... and says what memory it takes' "^weights in $kind: [0-9.]+ [kM]?B instead of" err
    cp out first
    does '... keeps what was rounded' sample model -i 'The ca' -n 8 -t 0 --precision $kind --keep-rounded
    does '... and reads it again' sample model -i 'The ca' -n 8 -t 0 --precision $kind
    has '... from the file' "read from model/longhand-$kind.safetensors" err
    cmp -s out first
    verdict $? '... the same text'
    does "what $kind made of a product" explain model --prompt 'The ca' 'h[1].A[3][5]' --precision $kind
    has 'both numbers' "^in $kind: [-0-9.e]+, instead of [-0-9.e]+ with all weights" out
    has 'the parts' '^    WA in [48] bits ' out
    has 'codes and scales' 'WA\[[0-9]+\]\[5\] = [-0-9.e]+, rounded [-0-9]+ \* ' out
    does '... for programs' explain model --prompt 'The ca' 'h[1].A[3][5]' --precision $kind --json
    is_json '... is JSON' out
    python3 - out <<'END' 2>err
import json, sys
d = json.load(open(sys.argv[1]))
r = d['rounding']
ok = abs(r['operands'] - d['value']) < 1e-9 and r['rounded'] != r['float'] and all(
    abs(n['code'] * n['scale'] - n['rounded']) < 1e-12 for t in r['terms'] for n in (t['x'], t['w']))
sys.exit(0 if ok else 1)
END
    verdict $? 'what it says adds up'
done
does 'a weight' explain model --prompt 'The ca' 'h[0].WA[3][5]' --precision int4
has 'its block' '^in int4: 4 bits, in a block of 16 from WA\[0\]\[5\] on$' out
does 'a weight that is not rounded' explain model --prompt 'The ca' 'h[0].g1[0][5]' --precision int4
has 'is said to be none' 'this weight is not rounded' out
does 'a step that rounds nothing' explain model --prompt 'The ca' 'h[0].P{head 0}[2][1]' --precision int8
has 'is said to be none' 'rounds nothing itself' out
does 'a step with a product inside' explain model --prompt 'The ca' 'h[0].F[2][1]' --precision int8
has 'has two parts' 'products inside, as with W1' out
refused 'a precision that is none' 'float, bf16, int8 or int4' sample model --precision int3
refused 'bf16 of an explanation' 'float, int8 or int4 here' explain model --prompt 'The ca' 'logits[0][0]' --precision bf16
refused 'with --next' 'in double' explain model --prompt 'The ca' --next t loss --precision int8
refused 'of a lesson' 'for a trained model' explain ex1 'P[1][0]' --precision int8
refused 'nothing to keep' '--keep-rounded' sample model --keep-rounded

# Time.
does 'cost --measure' cost gpt --set layers=2 dim=32 heads=2 context=64 tokens=64 --measure
has 'the machine' '^(One step|.*GFLOP/s)' out
has 'kernels by their names' '^    A .* layernorm, linear$' out
has 'what has none' 'by definition: ' out
does 'cost --measure for programs' cost gpt --set layers=2 dim=32 heads=2 context=64 tokens=64 --measure --json
has 'peak and time' '"peak_flops": ?[0-9]' out
does 'the forward pass alone' cost ex1 --measure
has '... and its memory in a unit that fits' '(^| )[1-9][0-9.]* k?B\. ' out
does 'cost --predict' cost gpt --set layers=5 dim=32 heads=2 context=64 tokens=64 --batch 2 --predict
has 'from one turn and two' 'layers = 2: ' out
does 'cost --predict beside --measure' cost gpt --set layers=5 dim=32 heads=2 context=64 tokens=64 --batch 2 --measure --predict --json
test "$(sed -n 's/.*"memory": *\([0-9.e+]*\).*/\1/p' out | uniq | wc -l)" -eq 1
verdict $? 'the memory that is predicted is the memory that is taken'
does 'cost --recompute' cost gpt --set layers=5 dim=32 heads=2 context=64 tokens=64 --batch 4 --recompute
has 'both sizes, and what it costs' 'with --recompute and ' out
does 'cost --recompute beside --measure' cost gpt --set layers=5 dim=32 heads=2 context=64 tokens=64 --batch 4 --measure --predict --recompute --json
test "$(sed -n 's/.*"memory": *\([0-9.e+]*\).*/\1/p' out | uniq | wc -l)" -eq 1
verdict $? '... the memory that is taken, too'
awk -F'[:,]' '/"memory":/ { less = $2 } /"kept":/ { all = $2 } /"again":/ { again = $2 } /"operations":/ { sum = $2 }
    END { exit !(less > 0 && less < 0.7 * all && again > 0.1 * sum && again < 0.4 * sum) }' out
verdict $? '... and less than without'
cat >numbers.lh <<'END'
size layers = 2
input x : 1 x 2
input y : 1 x 1
examples x = [1 2; 2 2; 0 2; 3 2], y = [1; 0; 1; 0]
repeat h for layers with X = x
  param W : 2 x 2 = 0.1
  next X = X + gelu(X @ W)
end
loss = average(mse(X, y))
backward loss
each W in params
  W := W - 0.1 * dW
end
END
does 'cost --recompute of numbers' cost numbers.lh --recompute
has 'they have examples of their own' 'on 4 examples' out
refused 'nothing to recompute' 'the program repeats no layers' cost ex3 --recompute
on_ranks='cost gpt --set layers=4 dim=32 heads=2 context=32 tokens=32'
# shellcheck disable=SC2086  # several words
{
    does 'cost --ranks' $on_ranks --ranks 4 --network 1Gb --latency 100us
    has 'time, share and efficiency' 'efficiency of [0-9]' out
    has 'the network it was asked for' '1 Gb/s for each process and direction, 100 us' out
    # number NAME: of the JSON about processes.
    number() { sed -n '/"ranks"/,$ s/.*"'"$1"'": *\([0-9.e+-]*\).*/\1/p' out | head -n 1; }
    does 'for programs' $on_ranks --ranks 4 --network 1Gb --latency 100us --json
    four=$(number memory)
    # On a slow network hardly anything of it is hidden behind the backward pass.
    does 'a slow network' $on_ranks --ranks 4 --network 1Mb --latency 10ms --json
    slow=$(number communication)
    echo "$slow $(number bytes) $(number rounds)" | awk '{ all = $2 / 125e3 + $3 * 0.01; exit !($2 > 0 && $3 > 0 && $1 > 0.8 * all && $1 < 1.001 * all) }'
    verdict $? 'communication is bytes by the rate, and a latency for each round'
    does 'a hundred times faster' $on_ranks --ranks 4 --network 12.5MB --latency 100us --json
    echo "$slow $(number communication)" | awk '{ exit !($1 > 95 * $2) }'
    verdict $? 'bits are not bytes, and ms are not us'
    does 'half as many bytes for gradients' $on_ranks --ranks 4 --network 1Mb --latency 10ms --wire bf16 --json
    echo "$slow $(number communication)" | awk '{ exit !($1 > 1.2 * $2) }'
    verdict $? 'take less time'
    does 'any order' $on_ranks --ranks 4 --any-order --json
    echo "$four $(number memory)" | awk '{ exit !($2 < $1) }'
    verdict $? 'needs no copies'
    does 'sixteen processes' $on_ranks --ranks 16 --network 1Gb --latency 100us --json
    echo "$four $(number memory)" | awk '{ exit !($2 < $1) }'
    verdict $? 'more processes, less memory for each'
    does 'one process' $on_ranks --ranks 1 --json
    has 'has nobody to speak to' '"communication": ?0,' out
    has 'and loses nothing' '"efficiency": ?1,' out
    refused 'a rate without a unit' 'such as 100Gb' $on_ranks --ranks 4 --network 100
    refused 'a rate of nothing' 'such as 100Gb' $on_ranks --ranks 4 --network 0Gb
    refused 'a time without a unit' 'such as 5us' $on_ranks --ranks 4 --latency 5
    refused 'a number that cannot be sent' 'wire is float or bf16' $on_ranks --ranks 4 --wire half
    refused 'an order for nobody' 'ranks N says how many' $on_ranks --any-order
    refused 'a network for nobody' 'ranks N says how many' $on_ranks --network 1Gb
    refused 'fewer examples than processes' 'batch 9 --pieces 9 gives each one' $on_ranks --ranks 9 --batch 8
    refused 'fewer pieces than processes' 'in 3 pieces has work for 3' $on_ranks --ranks 4 --pieces 3
}
refused 'processes for what learns nothing' 'ranks predicts a step of training' cost ex1 --ranks 2
refused 'a precision that is none' 'float or bf16' cost gpt --predict --precision half
cat >turns.lh <<'END'
size n = 3
X0 = [1 2 3; 3 4 5; 5 6 7]
param W : 3 x n = normal(0.1)
repeat h for n with X = X0
  next X = X @ W
end
loss = sum(X)
END
printf 'size n = 4\nconst A : 1 x n = 1\nB = rowsum(A)\n' >size.lh
does 'two settings of one name' run size.lh --set n=2 --set n=3
has 'of two settings the last one counts' '= 3$|  3$' out
refused 'turns that are a size, too' 'this happens with n = 2, which --predict tries' cost turns.lh --predict
test "$(grep -c '^turns.lh:' err)" -eq 1
verdict $? 'said once'
does 'and measured as it is' cost turns.lh --measure

# What is refused.
refused 'a step that is not there' 'did you mean' explain model --prompt 'The cat' 'h[1].QQ[0][0]'
refused 'a row that is not there' 'there is no row 7' explain model --prompt 'The cat' 'h[1].A[7][0]'
refused 'a head that is not there' 'there is no head 2' explain model --prompt 'The cat' 'h[1].P{head 2}[0][0]'
refused 'the loss' 'depends on the input target' explain model --prompt 'The cat' 'loss'
refused 'a gradient' 'depends on the input target' explain model --prompt 'The cat' 'h[1].dA[0][0]'
refused 'a prompt that is too long' 'the prompt has 33 tokens, but the model can use only 16' \
    explain model --prompt 'The cat sat on the mat, and the d' 'logits[0][0]'
refused 'no prompt' "longhand explain model --prompt" explain model 'logits[0][0]'
mkdir few
printf '{"version": "1.0", "added_tokens": [], "normalizer": null, "pre_tokenizer": null, "post_processor": null, "decoder": {"type": "Fuse"},
    "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, " ": 2}, "merges": []}}' >few/tokenizer.json
printf 'ab ba ab ba ab ba ab ba ab ba ab ba' >ab.txt
does 'a model of three letters' train gpt --data ab.txt --tokens few --set layers=1 dim=8 heads=1 context=8 --steps 1 --batch 2 -o letters
does 'it leaves out what it does not know' look letters --prompt 'aXb'
refused '... and says so where nothing is left' 'nothing is left of the prompt: the tokeniser of letters leaves out' look letters --prompt XYZ
sed 's/"added_tokens"/"truncation": {"max_length": 4, "direction": "Right", "strategy": "LongestFirst", "stride": 0}, &/' few/tokenizer.json >letters/tokenizer.json
does 'a tokeniser that cuts a prompt' look letters --prompt 'ab ba'
warns 'only the first 4 of 5 tokens of the prompt are read, as "truncation" in letters/tokenizer.json says'
does '... a model that writes' sample letters -i 'ab ba' -n 3
warns 'only the first 4 of 5 tokens'
does '... nothing to cut' sample letters -i 'ab b' -n 3
silent '... then'
refused 'an empty one' 'the prompt is empty' look model --prompt ''
refused 'a program with a prompt' 'is not a folder' explain ex1 --prompt 'A B' 'P[0][0]'
refused 'a layer that is not there' 'there is no layer 2' look model --prompt 'The' --layer 2
refused 'a head that no layer has' 'there is no head 2' look model --prompt 'The' --head 2
refused 'a picture nowhere' 'cannot be written' look model --prompt 'The' -o nowhere/map.svg
cp -r model bare && rm bare/model.safetensors
refused 'a folder without weights' 'bare' look bare --prompt 'The'
cp -r model short && head -c 5000 model/model.safetensors >short/model.safetensors
refused 'weights that end early' 'model.safetensors' look short --prompt 'The'
cp -r model mute && rm mute/tokenizer.json
refused 'a folder without a tokeniser' 'tokenizer' explain mute --prompt 'The' 'logits[0][0]'

finish
