#!/bin/sh
# longhand train and sample from the outside: a small run, sampled, interrupted, killed, gone on with; and what is refused.
# LH_KILLS=200 kills training at so many moments (20 without it).
. "$(dirname "$0")/tap.sh"

i=0
while test $i -lt 60; do
    echo "The cat sat on the mat, and the dog saw $i birds."
    i=$((i + 1))
done >text.txt
printf 'emma\nolivia\nava\nisabella\nsophia\nmia\namelia\nharper\nevelyn\nella\nluna\nnora\n' >names.txt
small='--set layers=1 dim=8 heads=2 context=16'

does 'help' train --help
does 'help of sample' sample --help

# Refused after the first lines were shown: what the model is, is said before it is made.
refused_later() {
    tap_name=$1 tap_text=$2
    shift 2
    run "$@"
    test $status -eq 2 && grep -qF -e "$tap_text" err
    verdict $? "$tap_name"
}

# A run of 20 steps, and what it says.
# shellcheck disable=SC2086  # several words
refused 'words of its own, and nothing to learn from' '(--task copy, reverse, sort, addition' train adder --steps 3 -o none
does '20 steps' train gpt --data text.txt $small --steps 20 --batch 4 -o whole
has 'params, characters' '^gpt   [0-9,]+ parameters, [0-9]+ characters$' out
has '... and what is taken of it' '^memory [0-9.]+ MB; batches of 4' out
has 'what is held out' '^text.txt: [0-9,]+ tokens; the last tenth is held out' out
has 'time a step and of the whole' 'batches of 4, about .* a step: .* for 20 steps' out
has 'a line of progress' '^  11/20  55%   loss [0-9.]+   val [0-9.]+   [0-9,]+ tok/s' out
has 'the plot' '^ *step$' out
has 'the end' '^whole: longhand sample whole' out
for file in config.json generation_config.json tokenizer.json tokenizer_config.json model.safetensors program.lh optimizer-20.safetensors log.jsonl; do
    test -s whole/$file
    verdict $? "there is $file"
done
test "$(wc -l <whole/log.jsonl)" -eq 20 && grep -q '^{"step": 20, "loss": [0-9.]*, "val": [0-9.]*}' whole/log.jsonl
verdict $? 'a line of the log for each step'
"$longhand" weights whole >out 2>err && grep -q 'step 20, seed 1, vocab=' out
verdict $? 'weights knows step and settings'

# One of a thing.
head -n 1 text.txt >line.txt
# shellcheck disable=SC2086  # several words
does 'one step' train gpt --data line.txt --lines --set layers=1 dim=8 heads=2 context=80 --steps 1 -o one
has '... is one, as is a line' '^line.txt: 1 line, ' out
has '... ahead' ' for 1 step$' out
has '... and done' '; 1 step in ' out
does 'one token' tokens encode whole T
has '... is one, as is a byte' '^1 byte, 1 token:' out

# Sampling.
does 'sample' sample whole -n 30
has 'a full context is said' 'context of 16 was full' err
"$longhand" sample whole -n 30 >first 2>err && "$longhand" sample whole -n 30 --threads 1 >second 2>err && cmp -s first second
verdict $? 'the same seed gives the same text'
"$longhand" sample whole -n 30 -t 0 -i 'The cat' >out 2>err && "$longhand" sample whole -n 30 -k 1 -s 9 -i 'The cat' >second 2>err && cmp -s out second
verdict $? 'temperature 0 is k = 1'
has 'the prompt comes first' '^The cat' out
"$longhand" sample whole -n 30 -t 0 --prompt 'The cat' >second 2>err && "$longhand" sample whole -n 30 -t 0 --input 'The cat' >third 2>err && cmp -s second third && cmp -s out second
verdict $? 'sample: --prompt, -i and --input are one option'
echo 'The dog' | "$longhand" sample whole -n 5 -i - >out 2>err
has 'a prompt from stdin' '^The dog' out
refused 'sample: a character the model does not have' 'is not in the vocabulary' sample whole -i 'grün'
refused 'sample: no folder' 'not a folder with a model' sample no-such-folder
refused 'sample: a program' 'not a folder with a model' sample gpt
refused 'sample: a temperature' 'number from 0 to 100' sample whole -t hot
refused 'sample: a share above 1' 'number from 0 to 1' sample whole -p 2
mkdir empty
refused 'sample: an empty folder' 'no program.lh' sample empty
cp -r whole broken && head -c 3000 whole/model.safetensors >broken/model.safetensors
refused 'sample: weights cut short' 'model.safetensors' sample broken
cp -r whole other && cp -r whole/tokenizer.json other && rm other/model.safetensors
refused 'sample: no weights' 'no model.safetensors' sample other

# Configs that were edited by hand: a token that there is not, and what the program says otherwise.
edited() { # FILE FIELD VALUE: a copy of the folder, in which the field has another value
    rm -rf edited && cp -r whole edited
    { echo '{' && echo "\"$2\": $3$(grep -q ':' "whole/$1" && echo ,)" && sed 1d "whole/$1" | grep -v "\"$2\":"; } >"edited/$1"
}
for file in config generation_config; do
    edited $file.json eos_token_id 5000
    refused "an end that is no token of the model: $file" "edited/$file.json: eos_token_id is 5000, but the tokens of the model are 0 to" sample edited
    refused "... $file, in look" 'eos_token_id is 5000' look edited --prompt The
done
"$longhand" sample whole -n 5 >plain 2>err
while read -r field value was; do
    edited config.json "$field" "$value"
    does "config.json with another $field" sample edited -n 5
    cmp -s out plain && grep -qF "edited/config.json is not what was saved with the weights: $field is $value there, and $was in the program" err
    verdict $? '... is not used, which is said'
done <<END
n_layer 3 1
n_positions 32 16
layer_norm_epsilon 0.001 1e-05
END
edited config.json n_layer 1
does 'config.json with its fields in another order' sample edited -n 5
test ! -s err
verdict $? '... means the same'

# A folder of another tool: no program, no metadata, names that begin with transformer.
if command -v python3 >/dev/null; then
    mkdir hf && cp whole/config.json whole/tokenizer.json hf
    python3 -c '
import json, struct
b = open("whole/model.safetensors", "rb").read()
n = struct.unpack("<Q", b[:8])[0]
h = json.loads(b[8:8 + n])
h = json.dumps({"transformer." + k: v for k, v in h.items() if k != "__metadata__"}).encode()
open("hf/model.safetensors", "wb").write(struct.pack("<Q", len(h)) + h + b[8 + n:])' 2>err
    "$longhand" sample hf -n 30 -t 0 >out 2>err && "$longhand" sample whole -n 30 -t 0 2>/dev/null | cmp -s - out
    verdict $? 'sample: weights of another tool'
    does 'train: weights of another tool' train gpt --init hf --data text.txt --steps 2 -o hf2
    refused 'resume: weights of another tool' '--init hf' train hf --resume --data text.txt
else
    skip 'weights of another tool' 'there is no python3'
fi

# Interrupted and gone on with: to the same bits.
# shellcheck disable=SC2086  # several words
"$longhand" train gpt --data text.txt $small --steps 20 --batch 4 --every 1 --threads 1 -o part >out 2>err &
pid=$!
i=0
while test $i -lt 200 && ! grep -q '"step": 3,' part/log.jsonl 2>/dev/null; do
    sleep 0.02
    i=$((i + 1))
done
kill -INT $pid
wait $pid
verdict $? 'Ctrl-C ends well'
grep -q 'continue with: longhand train part --resume --data text.txt' out || grep -q '20/20' out
verdict $? '... and says how to go on'
does 'resume' train part --resume --data text.txt
cmp -s part/model.safetensors whole/model.safetensors && cmp -s part/optimizer-20.safetensors whole/optimizer-20.safetensors
verdict $? 'the same bits as without a break'
does 'resume: nothing is left' train part --resume --data text.txt
has '... which is said' 'already has 20 steps' out
does 'resume: a step that is behind' train part --resume --data text.txt --steps 7
printed '... which is said, and nothing of the time that it takes' 0 'part already has 20 steps, and --steps is 7: nothing is left to do; --steps 40 continues'
hides ' a step: ' 'no negative number of steps'
# shellcheck disable=SC2086  # several words
does 'a length that is set as a number of the notation' train gpt --data text.txt $small steps=1.2e1 --steps 8 --batch 4 -o length
does '... is that of the whole run' train length --resume --data text.txt
has '... to its end' ' 12/12 100%' out
does 'resume: more steps' train part --resume --data text.txt --steps 25
"$longhand" weights part >out 2>err && grep -q 'step 25' out
verdict $? '... are done'

# Whoever reads the output goes: training does not.
# shellcheck disable=SC2086  # several words
{
    "$longhand" train gpt --data text.txt $small --steps 300 --batch 4 -o unread 2>err
    echo $? >code
} | head -n 1 >out
test "$(cat code)" -eq 0 && grep -q '"step": 300,' unread/log.jsonl
verdict $? 'train | head: all steps are done'
test "$(grep -c 'nobody reads the output any more' err)" -eq 1
verdict $? '... which is said once'
"$longhand" weights unread | grep -q 'step 300,'
verdict $? '... and saved'

# Killed before its first look: the folder knows the size of a batch from the beginning.
# shellcheck disable=SC2086  # several words
"$longhand" train gpt --data text.txt $small --steps 90000 --batch 5 --every 90000 -o early >out 2>err &
pid=$!
i=0
while test $i -lt 500 && ! test -s early/model.safetensors; do
    sleep 0.02
    i=$((i + 1))
done
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
run train early --resume --data text.txt --steps 2
tried 'resume: killed before the first look' 0 'batches of 5, about' '2/2'

# Memory that is said is what is taken, within three hundredths.
if is_sanitised; then
    skip 'memory as it is said' 'a sanitiser takes more'
elif command -v python3 >/dev/null; then
    # shellcheck disable=SC2016  # Python
    said=$(python3 -c 'import re, resource, subprocess, sys
for turn in range(3):  # pages come and go: of three tries one must fit
    text = subprocess.run(sys.argv[1:] + ["memory%d" % turn], stdout=subprocess.PIPE, text=True).stdout
    said = float(re.search(r"memory ([0-9.]+) MB", text).group(1))
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e6
    print("%.1f said, %.1f taken" % (said, peak), end="; ")
    if abs(said - peak) <= 0.03 * peak: sys.exit(0)
sys.exit(1)' "$longhand" train gpt --data text.txt --set layers=3 dim=96 heads=4 context=64 --batch 16 --steps 3 -o)
    verdict $? "memory as it is said: $said"
else
    skip 'memory as it is said' 'there is no python3'
fi
warns_not() { ! grep -qF 'another text' err; verdict $? "$1"; }
run train part --resume --data text.txt --steps 26
warns_not 'the same text: nothing to say'
sed 's/a/o/' text.txt >turned.txt
run train part --resume --data turned.txt --steps 27
tried 'resume: another text is said' 0 'learned from another text: text.txt' 'now turned.txt'
run train part --resume --data turned.txt --steps 28
warns_not 'and once is enough'

# A few examples at a time, and products in bf16: the folder remembers both.
# shellcheck disable=SC2086  # several words
does 'a few at a time' train gpt --data text.txt $small --steps 20 --batch 4 --micro 3 -o few
has '... which is said' 'batches of 4, 3 at a time, about' out
sed -n 's/.*"step": 20, "loss": \([0-9.]*\).*/\1/p' whole/log.jsonl few/log.jsonl >losses
awk 'NR == 1 { a = $1 } NR == 2 { exit !(a - $1 < 0.001 && $1 - a < 0.001) }' losses && test "$(wc -l <losses)" -eq 2
verdict $? '... and comes to the same loss'
refused 'no example at a time' 'from 1 to' train gpt --data text.txt --micro 0 -o x
refused 'a precision that is none' 'float or bf16' train gpt --data text.txt --precision half -o x
refused 'bf16 by an evaluator that has none' 'bf16 are made by the evaluators fast and cuda, not by exact' \
    train gpt --data text.txt --precision bf16 --backend exact -o x
if grep -qE "amx_bf16|avx512_bf16" /proc/cpuinfo 2>/dev/null; then
    # shellcheck disable=SC2086  # several words
    does 'products in bf16' train gpt --data text.txt $small --steps 20 --batch 4 --precision bf16 --micro 2 -o bf16
    has '... which is said' '2 at a time, products in bf16' out
    # shellcheck disable=SC2086  # several words
    "$longhand" train gpt --data text.txt $small --steps 20 --batch 4 --precision bf16 --micro 2 --every 1 -o bf16part >out 2>err &
    pid=$!
    i=0
    while test $i -lt 200 && ! grep -q '"step": 3,' bf16part/log.jsonl 2>/dev/null; do
        sleep 0.02
        i=$((i + 1))
    done
    kill -INT $pid
    wait $pid
    does 'resume in bf16' train bf16part --resume --data text.txt
    cmp -s bf16part/model.safetensors bf16/model.safetensors && ! cmp -s bf16/model.safetensors whole/model.safetensors
    verdict $? '... the same bits as without a break, and others than in float'
    does 'resume in another precision' train bf16 --resume --data text.txt --precision float --steps 21
else
    # shellcheck disable=SC2086  # several words
    refused 'no bf16 here' 'bf16 products are not available' train gpt --data text.txt $small --precision bf16 -o x
fi

# Layers that are computed again for their gradients: the same bits, with dropout, in parts, and where a run goes on otherwise than it began.
# shellcheck disable=SC2086  # several words
{
    does 'all values kept' train gpt --data text.txt $small layers=5 drop=0.2 --steps 6 --batch 4 --micro 3 -o keeps
    does 'layers recomputed' train gpt --data text.txt $small layers=5 drop=0.2 --steps 6 --batch 4 --micro 3 --recompute -o again
    has '... which is said' '3 at a time, layers recomputed, about' out
    refused 'values that are kept anyway' 'the evaluator exact keeps every value' train gpt --data text.txt $small --recompute --backend exact -o x
}
same_run() {
    cmp -s keeps/model.safetensors again/model.safetensors && cmp -s keeps/optimizer-"$1".safetensors again/optimizer-"$1".safetensors
}
same_run 6
verdict $? '... to the same bits'
does 'on with layers recomputed' train keeps --resume --data text.txt --steps 8 --recompute
does 'on with all values kept' train again --resume --data text.txt --steps 8
same_run 8
verdict $? '... to the same bits'
cat >flat.lh <<'EOT'
vocab 40
input tokens : vocab*
input target : vocab*
param E : vocab x 4 = normal(1)
logits = E[tokens] @ E^T
loss = average(mean(crossentropy(logits, target)))
backward loss
E := E - 0.1 * dE
EOT
run train flat.lh --data text.txt --recompute -o x
test "$status" -eq 2 && grep -q 'the program repeats no layers' err && grep -q 'leave out --recompute' err
verdict $? 'no layers to recompute are refused'

# The definitions in double come to the same losses, and keep the same kind of folder.
# shellcheck disable=SC2086  # several words
does 'training by the exact evaluator' train gpt --data text.txt $small --steps 3 --batch 4 --backend exact -o slow
sed -n 's/^loss \([0-9]*\.[0-9][0-9]\).*/\1/p' out >slow.loss
# shellcheck disable=SC2086  # several words
run train gpt --data text.txt $small --steps 3 --batch 4 -o quick
sed -n 's/^loss \([0-9]*\.[0-9][0-9]\).*/\1/p' out >quick.loss
test -s slow.loss && cmp -s slow.loss quick.loss
verdict $? '... to the same loss'
does 'it writes' sample slow -n 3
does 'it goes on' train slow --resume --data text.txt --steps 4 --backend exact
# shellcheck disable=SC2086  # several words
run train gpt --data text.txt $small --batch 4 --micro 2 --backend exact -o x
test "$status" -eq 2 && grep -q 'exact cannot run a batch in parts' err
verdict $? 'parts by the exact evaluator are refused'
# shellcheck disable=SC2086  # several words
refused 'an unknown evaluator' 'there is no evaluator gpu' train gpt --data text.txt $small --backend gpu -o x

for seed in 1 2 3 3; do
    # shellcheck disable=SC2086  # several words
    rm -rf seeded && "$longhand" train gpt --data text.txt $small --steps 2 --batch 4 --seed $seed -o seeded >out 2>err
    cksum <seeded/model.safetensors
done >sums
test "$(sort -u sums | wc -l)" -eq 3 && test "$(tail -2 sums | sort -u | wc -l)" -eq 1
verdict $? 'another seed, another model; the same seed, the same one'

# kill -9 at any moment: what was saved goes on, and comes to the same bits.
kills=${LH_KILLS:-20} lost=0 i=0
rm -rf part
while test "$i" -lt "$kills"; do
    i=$((i + 1))
    if test -e part/model.safetensors; then
        "$longhand" train part --resume --data text.txt --batch 4 --every 1 >out 2>err &
    else
        # shellcheck disable=SC2086  # several words
        "$longhand" train gpt --data text.txt $small --steps 20 --batch 4 --every 1 -o part >out 2>err &
    fi
    pid=$!
    sleep "0.$(awk -v seed="$i" 'BEGIN { srand(seed); printf "%03d", 20 + rand() * 150 }')"
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    test -e part/model.safetensors || continue
    "$longhand" weights part >seen 2>err || lost=1
    grep -q 'optimiser: .* in addition to the weights' seen || lost=1
    if grep -q 'step 20,' seen; then
        cmp -s part/model.safetensors whole/model.safetensors || lost=1
        rm -rf part
    fi
done
verdict $lost "killed at $kills moments, nothing is lost"

# Fine-tuning, lines, words, byte pairs, the course, time and loss as ends.
does 'init' train gpt --init whole --data text.txt --steps 3 --rate 1e-4 -o tuned
"$longhand" weights tuned >out 2>err && grep -q 'step 3, .*dim=8' out
verdict $? '... takes sizes from there'
does 'a folder as the program' train whole --data text.txt --steps 2 -o tuned2
does 'lines' train micro --data names.txt --steps 30 --batch 4 -o names
has '... are examples' '^names.txt: 12 lines, .*; every tenth line is held out' out
"$longhand" sample names -n 100 >out 2>err && test "$(wc -l <out)" -eq 1
verdict $? 'sample ends with the line'
# shellcheck disable=SC2086  # several words
does 'words' train gpt --data text.txt --tokens word $small --steps 2 -o words
# shellcheck disable=SC2086  # several words
does 'byte pairs' train gpt --data text.txt --tokens bpe:300 $small --steps 2 -o pairs
does 'the vocabulary of another folder' train gpt --data text.txt --tokens pairs --steps 2 -o pairs2
cmp -s pairs/tokenizer.json pairs2/tokenizer.json
verdict $? '... is kept'
does 'the course' train gpt --steps 2 -o course
has '... is the text' "^the course's text: [0-9,]* tokens" out
does 'until a loss' train gpt --data text.txt --until 9 --batch 2 -o until
has '... stops early' '20 steps in' out
does 'for a time' train gpt --data text.txt --time 1s --batch 2 -o time
"$longhand" train micro --data - --steps 2 -o stdin <names.txt >out 2>err
verdict $? 'from stdin'

# A model in parts is one, too.
mkdir parts
printf '{"weight_map": {}}' >parts/model.safetensors.index.json
printf '{}' >parts/config.json
run train gpt --data text.txt --steps 1 -o parts
test $status -eq 2 && test "$(cat parts/config.json)" = '{}' && test ! -e parts/model.safetensors
verdict $? 'nothing is trained over a model in parts'

# What is wrong.
: >empty.txt
head -c 3000 whole/model.safetensors >binary
echo hello >short.txt
refused 'an empty text' 'empty.txt: the text is empty' train gpt --data empty.txt -o x
refused 'a binary file' 'binary: this is not text' train gpt --data binary -o x
refused 'a short text' 'an example takes 17' train gpt --data short.txt -o x
refused 'no such file' 'no-such-file cannot be opened' train gpt --data no-such-file -o x
refused 'a folder as text' 'is a folder' train gpt --data empty -o x
refused 'another vocabulary' 'neither char, word' train gpt --tokens letters -o x
refused 'a vocabulary without end' 'bpe:1000' train gpt --tokens bpe -o x
refused 'too few tokens in the model' 'the vocabulary of the model has 5' train gpt --data text.txt --set vocab=5 -o x
sed 's/cat/QQQ/' text.txt >other.txt
refused 'characters that the model does not have' 'the character "Q"' train whole --resume --steps 30 --data other.txt
refused 'no such setting' 'no such name' train gpt --set width=5 -o x
refused 'a rate' 'number above 0' train gpt --rate fast -o x
refused 'a time' '90s, 10m or 2h' train gpt --time soon -o x
refused 'a loss' 'number above 0' train gpt --until -1 -o x
refused 'sizes that no machine has' 'but the machine has only' train gpt --set dim=200000 -o x
refused_later 'values that no machine has' 'of memory, but only' train gpt --data text.txt --set layers=40 dim=32 context=1000 --batch 20000 -o x
refused 'a program that learns nothing from text' 'running text' train ex1 -o x
refused 'a program without an update' 'running text' train xor-relu -o x
refused 'resume without a folder' 'not a folder with a model' train gpt --resume
tr 'a-z' 'A-Z' <text.txt >capitals.txt
cksum whole/* >kept.sums
refused 'resume with other tokens' 'with the tokens that whole has' train whole --resume --tokens char --data capitals.txt --steps 30
cksum whole/* | cmp -s - kept.sums
verdict $? '... and its own are still there'
refused 'resume elsewhere' 'saves in the folder where it began' train whole --resume -o x
refused 'resume and init' 'one of the two' train whole --resume --init whole
refused 'a folder that holds a model' 'of step 20' train gpt --data text.txt -o whole
refused_later 'a file in place of the folder' 'cannot be opened as a folder' train gpt --data text.txt -o text.txt
refused_later 'no place for the folder' 'cannot be made' train gpt --data text.txt -o no/such/folder
run train gpt --data text.txt --rate 1e38 --steps 9 -o nan
tried 'a loss that is no number' 2 'the loss of step 2 is nan'
has '... where it began' '^it starts in line [0-9]+: ' err
"$longhand" weights nan >out 2>err && grep -q '^step 0,' out
verdict $? '... and the last good weights are there'
rm whole/optimizer-20.safetensors
refused 'resume without the optimiser' '--init whole' train whole --resume --data text.txt --steps 30
test ! -e x
verdict $? 'and nothing was written'
finish
