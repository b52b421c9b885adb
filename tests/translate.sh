#!/bin/sh
# longhand data, train on pairs and translate from the outside: small models, few steps; and what is refused.
. "$(dirname "$0")/tap.sh"
tab=$(printf '\t')

# ---- data ----
does 'help of data' data --help
does 'the tasks' data
for task in copy reverse sort addition translate names; do
    grep -q "^$task " out
    verdict $? "... $task is one"
done
does 'sums' data addition -n 50
test "$(wc -l <out)" -eq 50 && ! grep -Evq "^[1-9][0-9]\+[1-9][0-9]${tab}[0-9]+$" out &&
    awk -F'[+\t]' '$1 + $2 != $3 { exit 1 }' out
verdict $? '... that are right'
cp out sums
does 'into a file' data addition -n 50 -o sums2
cmp -s sums sums2
verdict $? '... the same'
does 'another seed' data addition -n 50 -s 1
cmp -s sums out
test $? -eq 1
verdict $? '... others'
does 'held out' data addition -n 50 --held-out
cut -f1 out | grep -qxF -f - sums
test $? -eq 1
verdict $? '... none that is learned'
does 'sentences' data translate -n 200
awk -F'\t' '{ n = split($2, w, " "); split("", seen); m = split($3, p, " ")
    for (i = 1; i <= m; i++) { split(p[i], ab, "-"); seen[ab[2]] = 1 }
    for (i = 0; i < n; i++) if (!(i in seen)) exit 1
    if (NF != 3) exit 1 }' out
verdict $? '... with a place for every word'
does 'names' data names -n 20
! grep -Evq '^[a-z]+$' out
verdict $? '... in small letters'
refused 'no such task' 'multiply is not a task' data multiply
refused 'a file that cannot be written' 'no/such/folder' data names -o no/such/folder/x

# ---- training on pairs ----
small='--set layers=1 dim=16 heads=2'
# shellcheck disable=SC2086  # several words
does 'addition' train adder --task addition $small --steps 20 --batch 8 -o added
has '... what is learned' '^addition: two numbers of two digits, and their sum; a tenth of all questions is held out' out
has '... a few answers' '^    [1-9][0-9]\+[1-9][0-9] -> ' out
has '... how many are exact' 'exact: [0-9]+ of 1000 held-out answers, [0-9.]+%' out
has '... what to try' '^added: longhand translate added TEXT' out
grep -q '^{"step": 20, "loss": [0-9.]*, "val": [0-9.]*, "exact": [0-9.e+-]*}' added/log.jsonl
verdict $? '... in the log'
grep -q '"<start>"' added/tokenizer.json && grep -q '"eos_token_id":.*2' added/generation_config.json
verdict $? '... marks in the folder'
# shellcheck disable=SC2086
"$longhand" train adder --task addition $small --steps 20 --batch 8 --every 7 --time 100s -o part >out 2>err
# shellcheck disable=SC2086
"$longhand" train adder --task addition $small --steps 40 --batch 8 --until 100 -o short >out 2>err
has 'how to go on' 'continue with: longhand train short --resume --task addition' out
does '... goes on' train short --resume --task addition
cmp -s added/model.safetensors part/model.safetensors
verdict $? 'looking up changes nothing'
# shellcheck disable=SC2086
does 'sort' train sorter --task sort $small --steps 3 --batch 4 -o sorted
# shellcheck disable=SC2086
does 'a GPT adds, too' train gpt --task addition $small context=16 --steps 3 --batch 4 -o gpt2
# shellcheck disable=SC2086
does 'names' train micro --task names $small --steps 3 --batch 4 -o names
has '... are lines' '^names: 10,000 lines' out
tiny='--set layers=1 dim=16 heads=2 hidden=16'
# shellcheck disable=SC2086
does 'a translator needs nothing' train classic $tiny warm=3 --steps 60 --batch 16 --rate 0.01 -o es
has '... it has the grammar' '^translate: an English sentence' out
"$longhand" data translate -n 200 -o pairs.txt
# shellcheck disable=SC2086
does 'pairs of a file' train classic --data pairs.txt $tiny --steps 5 --batch 4 -o file
has '... are counted' '^pairs.txt: 200 pairs, [0-9]+ of them held out' out
for _ in 1 2 3 4 5 6; do printf 'you are welcome\tde nada\nthank you\tgracias\ngood day\tbuenos dias\n'; done >phrases.txt
# shellcheck disable=SC2086
does 'three phrases, again and again' train classic --data phrases.txt $tiny warm=3 --steps 120 --batch 12 --rate 0.01 -o phrases
has '... are all learned' '^phrases.txt: 18 pairs, none held out: too few of them differ' out
ends '... each of them' 0 'buenos dias' translate phrases 'good day' -q
ends '... each of them' 0 'de nada' translate phrases 'you are welcome' -q
does '... go on' train file --resume --data pairs.txt --steps 6
refused 'two sources' 'one of the two' train classic --task translate --data pairs.txt
refused 'no such task' 'multiply is not a task' train adder --task multiply
refused 'names have no question' 'names has no questions' train classic --task names
echo 'no pair here' >none.txt
refused 'a file without pairs' 'no line has a pair' train classic --data none.txt -o x
refused 'byte pairs' 'not a vocabulary for pairs: char, word or a folder' train classic --data pairs.txt --tokens bpe:100 -o x
refused 'a vocabulary that lacks a sign' 'not in the vocabulary' train sorter --task addition -o x
refused 'a context that is too short' 'the context has 8' train adder --task addition --set context=8 -o x
refused 'two vocabularies' 'two vocabularies' train translator --task translate -o x
test ! -e x
verdict $? 'nothing was made of what was refused'

# ---- translating ----
does 'help of translate' translate --help
does 'a translation' translate es 'you are welcome' -n 6
has '... its log probability' '^log probability -[0-9.]+ \(probability [0-9.e-]+\)' out
has '... a map' '^Where the last layer looked, averaged over its heads' out
has '... with the words read' 'you +are +welcome' out
head -1 out >first
"$longhand" translate es 'you are welcome' -n 6 -q >out 2>err && cmp -s first out
verdict $? 'the answer alone'
"$longhand" translate es 'you are welcome' -n 6 -q --beam 1 --threads 1 >out 2>err && cmp -s first out
verdict $? 'a beam of width 1 is greedy'
does 'a beam' translate es 'the old cat sees a house' -n 9 --beam 4
awk '/^log probability/ { best = $3; next } /^ +-[0-9.]+  / { if ($1 > best) bad = 1; n++ } END { exit bad || n != 3 }' out
verdict $? '... three runners-up, none better'
does 'a wide beam' translate es 'thank you' -n 3 --beam 300
sed -n 's/^ *-[0-9.]*   //p' out | sort >answers
test "$(wc -l <answers)" -gt 20 && test -z "$(uniq -d answers)" && grep -q '<' answers
verdict $? '... runners-up differ: special tokens are seen'
for _ in 1 2 3 4 5 6 7 8; do printf 'you are welcome\tde nada\nthank you\tgracias\n'; done >phrases.txt
"$longhand" train classic --data phrases.txt --set layers=1 dim=16 heads=2 hidden=32 warm=3 --steps 80 --batch 12 --rate 0.01 -o phrases >out 2>err
does 'phrases that it knows' translate phrases 'thank you' --beam 40
has '... an answer that ends at once is no blank line' '^ +-[0-9.]+   <end>$' out
has '... two maps with whole titles' '^ +the model +the grammar$' out
does 'a map for each head' translate es 'thank you' -n 6 --heads
has '... is there' 'head' out
# shellcheck disable=SC2086
"$longhand" train classic $tiny --steps 2 --batch 4 -o endless >out 2>err
does 'an answer without an end' translate endless 'thank you'
has '... is said to have none' '^no end after 64 tokens' err
has '... and has a short map' '^the first 8 of 64 tokens: the answer has no end' out
test "$(wc -l <out)" -lt 24
verdict $? '... that fits a screen'
printf 'thank you\nyou are welcome\n' | "$longhand" translate es - >out 2>err && test "$(wc -l <out)" -eq 2
verdict $? 'a line for each line of stdin'
does 'held-out questions' translate es --check 10 --beam 2
has '... are counted' '^translate: [0-9]+ of 10 held-out questions answered exactly' out
does 'a sum' translate added '12+34' -q -b 3
does 'held-out sums' translate added --check 5 --task addition
refused 'a word it does not have' 'is not in the vocabulary' translate es 'the zebra'
refused 'nothing to translate' 'no text' translate es ''
refused 'no text' 'needs a text' translate es
refused 'a text and a check' 'needs' translate es 'thank you' --check 3
refused 'no such task to check' 'with questions' translate es --check 3 --task names
refused 'a check of what it cannot read' 'not in the vocabulary' translate es --check 3 --task addition
refused 'a text too long' 'there is room for only 16' translate added 11111111111111111111
refused 'no folder' 'not a folder with a model' translate classic 'thank you'
refused 'a model of running text' 'did not learn from pairs' translate names 'thank you'
cp -r es broken && head -c 3000 es/model.safetensors >broken/model.safetensors
refused 'weights cut short' 'model.safetensors' translate broken 'thank you'
rm broken/model.safetensors
refused 'no weights' 'no model.safetensors' translate broken 'thank you'
finish
