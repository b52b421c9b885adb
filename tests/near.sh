#!/bin/sh
# longhand near from the outside: neighbours, analogies, ties, and what is refused.
. "$(dirname "$0")/tap.sh"
COLUMNS=60

cat >vectors.txt <<'EOF'
king 0.9 0.8 0.1
man 0.1 0.8 0.1
woman 0.1 0.2 0.1

queen 0.9 0.2 0.1
cat 0.3 0.7 -0.2
dog	0.4 0.6 -1e-1
nil 0 0 0
EOF
{ echo '7 3'; cat vectors.txt; } >headed.txt
printf 'a 1 0\nb 2 0\nc 3 0\nd 0 1\ne 0 -1\n' >ties.txt

ends 'the nearest of cat' 0 '     1  dog  ' near vectors.txt cat
ends 'with its cosine' 0 '     1  dog     0.9769 ' near vectors.txt cat
test "$(grep -c '^ *[0-9]* *[a-z]* *-\{0,1\}[01]\.[0-9]\{4\}' out)" -eq 5
verdict $? 'a word is not its own neighbour, and zeros have none'
grep -q '1 word with only zeros has no direction' out
verdict $? 'which is said'
ends 'two of them' 0 '     2  man' near vectors.txt cat -n 2
test "$(grep -c '^     [0-9]' out)" -eq 2
verdict $? 'and no more'
ends 'an analogy' 0 '     1  queen   1.0000' near vectors.txt king --minus man --plus woman
grep -q '^king - man + woman$' out && grep -q '^nearest by cosine, of 7 words with 3 numbers each$' out && grep -q 'the words of the question are left out' out
verdict $? 'which says what was asked'
ends 'a head is passed over' 0 '     1  dog     0.9769 ' near headed.txt cat
ends 'ties are said' 0 '     2  c      1.0000 =' near ties.txt a
ends 'those left out, too' 0 '  1 more is exactly as near as the last' near ties.txt a -n 1
ends 'the word itself would be first' 0 '  the words of the question are left out; man itself would come first, with 0.99' near vectors.txt man --plus woman

ends 'the file that comes with it' 0 '     1  plane' near words airplane -n 3
cp vectors.txt words
ends 'a file of that name wins' 0 '     1  dog' near words cat
rm words
refused 'an unknown word' 'vectors.txt has no word "kng" among its 7' near vectors.txt kng
grep -q 'did you mean king?' err
verdict $? 'and the nearest'
refused 'a word without direction' 'it has no direction' near vectors.txt nil
refused 'no file' 'nowhere.txt' near nowhere.txt cat
mkdir model
refused 'a folder' 'model is a folder, but near reads a file: on each line a word and its numbers' near model cat
grep -qF 'longhand look model --prompt TEXT' err
verdict $? '... and what reads one'
: >empty.txt
refused 'an empty file' 'there is no word in it' near empty.txt cat
printf 'a 1 2\nb 1 x\n' >bad.txt
refused 'no number' 'bad.txt:2:5: "x" is not a number' near bad.txt a
printf 'a 1 2\n\nb 1\n' >bad.txt
refused 'too few' 'bad.txt:3:1: 1 number, the first word has 2' near bad.txt a
printf 'a 1 2\nb 1 2 3\n' >bad.txt
refused 'too many' 'bad.txt:2:1: 3 numbers, the first word has 2' near bad.txt a
printf 'a 1 2\nb 1 2\na 3 4\n' >bad.txt
refused 'twice' '"a" occurs twice: here and in line 1' near bad.txt a
printf 'a\n' >bad.txt
refused 'no numbers' 'a word without numbers' near bad.txt a
for word in nan inf 0x10 1e200 1,5 --1 . ; do
    printf 'a 1 2\nb 1 %s\n' "$word" >bad.txt
    refused "not a number: $word" 'is not a number' near bad.txt a
done

"$longhand" near vectors.txt cat -n 1 --json >out 2>err && grep -q '"word": *"dog"' out && grep -q '"nowhere": *1' out
verdict $? 'as JSON'
awk 'BEGIN { for (i = 0; i < 10000; i++) { printf "w%d", i; for (k = 0; k < 300; k++) printf " %.4f", sin(i * 7.1 + k * i); print "" } }' >large.txt
ends 'ten thousand words of three hundred numbers' 0 'of 10000 words with 300 numbers each' near large.txt w17
finish
