#!/bin/sh
# longhand tokens from the outside: learned, shown, encoded, decoded byte for byte; and what is refused.
. "$(dirname "$0")/tap.sh"
COLUMNS=60

# A text with everything in it, and any bytes.
printf 'low low low low low lower lower newest newest newest newest newest newest widest widest widest' >small.txt
{
    printf "It's the cat's mat; naïve café, 漢字 1234.\n\n  The end.\r\n\t<|endoftext|> bad \377\376 zero \000 end"
    cat small.txt
} >text.txt

for kind in bpe chars words; do
    size='--size 270'
    test $kind = bpe || size=''
    # shellcheck disable=SC2086  # two words
    "$longhand" tokens train --data text.txt --kind $kind $size -o $kind >out 2>err
    verdict $? "train $kind"
    test ! -s out && grep -q "^$kind: [0-9]* tokens" err && test "$(wc -l <err)" -eq 1
    verdict $? "one line on stderr: $kind"
    "$longhand" tokens encode $kind text.txt --ids >ids 2>err && "$longhand" tokens decode $kind ids >out 2>>err
    cmp -s out text.txt
    verdict $? "encode and decode are the identity: $kind"
    "$longhand" tokens encode $kind - --ids <text.txt 2>err | "$longhand" tokens decode $kind - 2>>err >out
    cmp -s out text.txt
    verdict $? "through a pipe: $kind"
done
"$longhand" tokens train --data text.txt --size 270 -o again 2>err && cmp -s bpe/tokenizer.json again/tokenizer.json
verdict $? 'learning again gives the same file'
mkdir pair && cp bpe/vocab.json bpe/merges.txt pair
"$longhand" tokens encode pair text.txt --ids >out && "$longhand" tokens encode bpe text.txt --ids | cmp -s - out
verdict $? 'vocab.json and merges.txt give the same ids'
if command -v python3 >/dev/null; then
    python3 -c '
import json
for kind in "bpe", "chars", "words":
    d = json.load(open(kind + "/tokenizer.json"))
    v = d["model"]["vocab"]
    assert sorted(v.values()) == list(range(len(v)))
    assert all(v[a["content"]] == a["id"] and a["special"] for a in d["added_tokens"])
    for m in d["model"].get("merges", []):
        left, right = m.split(" ")
        assert left in v and right in v and left + right in v
assert json.load(open("bpe/vocab.json")) == json.load(open("bpe/tokenizer.json"))["model"]["vocab"]' 2>err
    verdict $? 'the files are JSON, with every id and every merge in place'
else
    skip 'the files are JSON' 'there is no python3'
fi

# What is shown.
"$longhand" tokens train --data small.txt --size 267 -o small 2>err
says 'show: what it is' 'bpe   267 tokens, 10 merges   special: <|endoftext|> 266' tokens show small
says 'show: the first merge' '  256  es                    = e + s' tokens show small
says 'show: a later one' '  264  ␣newest               = ␣new + est' tokens show small
says 'show --all: every byte' '  198  \n' tokens show small --all
says 'show --data: bytes a token' '94 bytes, 29 tokens: 3.24 bytes a token' tokens show small --data small.txt
says 'encode: pieces' 'low  est  ␣new  e   r' tokens encode small 'lowest newer'
says 'encode: their ids' '259  257  263   68  81' tokens encode small 'lowest newer'
says 'encode: how many' '12 bytes, 5 tokens: 2.40 bytes a token' tokens encode small 'lowest newer'
says 'encode --ids' '259 257' tokens encode small lowest --ids
says 'encode: a mark is text' '27 91 68 77 67 78 69 83 68 87 83 91 29' tokens encode small '<|endoftext|>' --ids
says 'encode --marks: unless asked for' 266 tokens encode small '<|endoftext|>' --ids --marks
says 'encode: bytes that are no UTF-8' '\xFF  \n   ␣    \\' tokens encode small "$(printf '\377\n \\')"
says 'decode: ids with commas' 'lowest newer' tokens decode small '259, 257' 263,68 81
echo 257 >259
says 'decode: a number is an id, whatever files are called' low tokens decode small 259
rm 259
says 'encode: an empty text has no ids' '' tokens encode small '' --ids
"$longhand" tokens train --data small.txt --kind words --size 3 -o few 2>err
says 'words: the rest is unknown' '2 0' tokens encode few 'low newest' --ids
"$longhand" tokens train --data small.txt --kind chars --closed --special '<pad>,<start>' -o closed 2>err
says 'train --closed --special' 'chars   13 tokens   special: <pad> 11, <start> 12' tokens show closed
"$longhand" tokens train --data small.txt --size 5000 -o most >out 2>err && grep -q 'fewer than requested' err
verdict $? 'train says when there is no more to learn'
says 'help' 'longhand tokens train|show|encode|decode ...' tokens --help

# What is wrong.
: >empty.txt
mkdir nothing half broken
cp bpe/vocab.json half
head -c 600 bpe/tokenizer.json >broken/tokenizer.json
refused 'no word' 'usage: longhand tokens train|show|encode|decode' tokens
refused 'another word' 'did you mean train?' tokens trian
refused 'train without a text' '--data FILE' tokens train -o x
refused 'train without a folder' '-o FOLDER' tokens train --data small.txt
refused 'train with too much' 'takes only options' tokens train small.txt --data small.txt -o x
refused 'train: a file that is not there' 'no-such-file cannot be opened' tokens train --data no-such-file -o x
refused 'train: a folder as text' 'is a folder' tokens train --data nothing -o x
refused 'train: an empty file' 'empty.txt: the text is empty' tokens train --data empty.txt -o x
refused 'train: too small a size' 'at least 257 are needed' tokens train --data small.txt --size 100 -o x
refused 'train: a size that is no number' 'whole number' tokens train --data small.txt --size many -o x
refused 'train: another kind' 'chars, words or bpe' tokens train --data small.txt --kind letters -o x
refused 'train: a special token without < >' 'pad cannot be the name' tokens train --data small.txt --special pad -o x
refused 'train: into a file' 'a file of this name is there' tokens train --data small.txt -o text.txt
refused 'train: where no folder can be' 'cannot be made' tokens train --data small.txt -o no/such/folder
verdict "$(test ! -e x; echo $?)" 'and nothing was written'
"$longhand" train gpt --data small.txt --tokens "$work/small" --set layers=1 dim=8 heads=1 context=8 --steps 1 -o trained >out 2>err && cp -r trained kept
refused 'train: into the folder of a model' 'kept already contains a model' tokens train --data small.txt --size 260 -o kept
diff -r trained kept >out
verdict $? '... which keeps its tokens'
rm kept/tokenizer.json
does 'train: into one that has lost them' tokens train --data small.txt --size 267 -o kept
cmp -s trained/tokenizer.json kept/tokenizer.json
verdict $? '... which has them again'
refused 'show: not there' 'cannot be opened' tokens show no-such-folder
refused 'show: a folder without a vocabulary' 'has no tokenizer.json' tokens show nothing
refused 'show: half of the pair' 'without merges.txt' tokens show half
refused 'show: a file that is no vocabulary' 'not JSON' tokens show small.txt
refused 'show: a file cut short' 'was the file written to its end?' tokens show broken
refused 'show: measured with a file that is not there' 'no-such-file' tokens show small --data no-such-file
refused 'show: two folders' 'one folder' tokens show small small
refused 'encode: nothing' 'encode: the text is missing' tokens encode small
refused 'encode: no vocabulary' 'the folder of a vocabulary is missing' tokens encode
refused 'encode: two texts' 'quotes' tokens encode small low lower
refused 'encode: a character outside a closed vocabulary' 'the character "x"' tokens encode closed x
refused '... as it is' 'the character "ü"' tokens encode closed ü
refused '... in digits where it cannot be seen' 'the character "\x01"' tokens encode closed "$(printf '\001')"
refused 'decode: an unknown id' 'there is no token 999: ids go from 0 to 266' tokens decode small 259 999
refused 'decode: a negative id' 'there is no token -1' tokens decode small -1
refused 'decode: no number' '"12x" is not an id' tokens decode small 12x
refused 'decode: a number that is too large' 'is not an id' tokens decode small 99999999999999999999
refused 'decode: nothing' 'decode: the ids are missing' tokens decode small
finish
