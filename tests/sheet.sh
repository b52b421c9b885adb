#!/bin/sh
# Worksheets through the program: sheet, mark, mistakes, run --mistake.
. "$(dirname "$0")/tap.sh"

# Every lesson, each format that can be filled in: the key marks as all right, the blank sheet as nothing. tests/test_answers.c
# has more seeds and digits.
lessons='ex1 ex2 ex3 ex4 ex5 ex5-plain ex6 ex6-causal recurrent whitepaper xor-relu'
test -z "${LH_QUICK-}" || lessons='ex3 ex4 recurrent'
for lesson in $lessons; do
    bad=0
    for form in 'text 3' 'md 4' 'json 3'; do
        format=${form% *} digits=${form#* }
        "$longhand" sheet $lesson --seed 2 --digits "$digits" --key --format "$format" >key 2>err || bad=1
        "$longhand" mark $lesson key >out 2>>err || bad=1
        grep -q '^all [0-9]* numbers have full credit$' out || bad=1
        grep -q '^  line' out && bad=1
        "$longhand" sheet $lesson --seed 2 --digits "$digits" --format "$format" >blank-$format 2>>err || bad=1
    done
    verdict $bad "$lesson: the key is all right as text, md and json"
    ends "$lesson: nothing is on the blank sheet" 1 'numbers have full credit' mark $lesson blank-text
    has '... and that is said' '^0 of ([0-9]+) numbers have full credit, \1 are blank$' out
    ends '... nor as md or json' 1 '2 handed in nothing' mark $lesson blank-md blank-json
    test "$(grep -c '^blank-.* absent: nothing is written' out)" -eq 2
    verdict $? '... both of them'
done

# Narrow and wide screens give the same answer file.
for columns in 40 60 80 120; do
    COLUMNS=$columns "$longhand" sheet ex4 --seed 3 --key >key 2>err
    ends "the key at $columns columns" 0 'have full credit' mark ex4 key
    COLUMNS=$columns "$longhand" sheet ex4 --seed 3 >out 2>err
    awk -v most="$columns" '/^#/ && length($0) > most && gsub(/[^ ]+/, "&") > 3 { print; bad = 1 } END { exit bad }' out >err
    verdict $? "no line of text runs over $columns columns"
done

# A wide matrix is folded and still read.
cat >wide.lh <<'END'
vocab a b c d e f g h i j k l m n o p
const E = [0.1 0.2; 0.3 0.4]
param W : 2 x vocab = [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1]
Y = E @ W
END
COLUMNS=60 "$longhand" sheet wide.lh --key >key 2>err
grep -q '\\$' key
verdict $? 'a row wider than the page goes on in the next line'
ends 'and is read back' 0 'all 32 numbers' mark wide.lh key

# Given is what the steps asked for are worked out from: through a name, and not for its size alone.
cat >part.lh <<'END'
const A = [1 2; 3 4]
const B = [0.5 0.5; 0.25 0.1]
const C = [9 8; 7 6]
half = B / 2
Y = A @ half
Z = Y * C
M = later(C, C)
END
for try in 'Y AB' 'M -' 'Z ABC' 'all ABC'; do
    "$longhand" sheet part.lh --steps "${try% *}" >out 2>err
    test "$(sed -n 's/^# *const \([A-C]\) .*/\1/p' out | tr -d '\n')" = "$(echo "${try#* }" | tr -d -)"
    verdict $? "what is given for ${try% *}"
done

# Formats.
"$longhand" sheet ex3 --seed 4 -o page.html 2>err && grep -q '^<!doctype html>' page.html && ! grep -q 'http' page.html &&
    grep -q '@page' page.html && grep -q 'break-inside:avoid' page.html
verdict $? 'html: one file that needs nothing else'
sed -n '/<style>/,/<\/style>/!p' page.html | tr '>' '>\n' | grep -c '<u style' >out
test "$(cat out)" -gt 0
verdict $? 'html has blanks'
cat >odd.md <<'END'
# A <b>lesson</b> & more

```longhand
vocab "<x>" "#"
const E = [0.1 0.2; 0.3 0.4]   # a < b & c
example "<x>" "#" -> "#"
X = E[tokens]
Y = X * 2                      # "twice" & so
```

```sheet
digits 3
Y      # alone
```
END
"$longhand" sheet odd.md --format html >out 2>err && ! grep -q '<b>lesson' out && grep -q '&lt;x&gt;' out
verdict $? 'html: words are escaped'
ends 'a sheet block names steps and digits' 0 '2 x 2, 3 decimals' sheet odd.md
grep -q '^X =' out
test $? -eq 1
verdict $? 'and no others are asked'
"$longhand" sheet odd.md --key >key 2>err
ends 'words that look like signs do no harm' 0 'all 4 numbers' mark odd.md key
run sheet ex1 --format json
is_json 'json is JSON' out

# Forms.
does 'three forms' sheet ex1 --forms 3 -o forms
test "$(ls forms | wc -l)" -eq 6 && grep -q 'form C' forms/ex1-C-key.txt &&
    test "$(grep -ho 'code [0-9a-f]*' forms/ex1-?.txt | sort -u | wc -l)" -eq 3 &&
    test "$(grep -ho 'code [0-9a-f]*' forms/* | sort -u | wc -l)" -eq 3
verdict $? 'each has its own numbers and its key'
ends 'their keys together: a table' 0 'total' mark ex1 forms/ex1-A-key.txt forms/ex1-B-key.txt forms/ex1-C-key.txt

# What the classic numbers hide.
ends 'the classic numbers say what they hide' 0 'They hide' sheet ex1
ends 'why: a table' 0 'hidden in' sheet ex1 --why
ends 'why as JSON' 0 '"shows": false' sheet ex1 --why --format json

# Marks.
"$longhand" sheet ex3 --seed 7 --key >key 2>err
sed -n '/^S =/,/^$/p' key | sed 's/^S/Z/' | grep -v '^# ' >z
{ sed '/^Z =/,/^$/d' key && cat z; } >mistake.txt
ends 'a known mistake is named, what to do first' 1 'take S / sqrt(cols(K)), not S' mark ex3 mistake.txt
ends 'and counted' 1 'unscaled, Z' mark ex3 key mistake.txt
ends 'csv' 1 'unscaled@Z' mark ex3 key mistake.txt --csv
sed 's/^L@1 = 1.3047$/L@1 = 1.305/' key >short.txt
"$longhand" mark ex3 short.txt --csv --few-digits half >out 2>err
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 { exit !($at["points"] == $at["credit"] + 0.5) }' out
verdict $? 'half a point for a digit fewer is in the table, too'
ends 'json' 1 '"name": "unscaled"' mark ex3 mistake.txt --json
ends 'echo' 1 'Z = 0.' mark ex3 mistake.txt --echo
sed 's/^L = .*/L = 1/' key >early.txt
ends 'too few digits' 1 'give 4 decimals' mark ex3 early.txt
printf 'Z = 0.01 1; 1 0.01\n' >few.txt
ends 'too few digits in two numbers' 1 'give 6 decimals: too few digits to judge Z[0][0], Z[1][1]' mark ex1 few.txt
printf 'Z = 1 2 3; 4 5 6\nQQ = 1\nS = a 2; 3 4\n' >odd.txt
ends 'another shape' 1 'yours is 2 x 3, but 2 x 2 is asked for' mark ex3 odd.txt
grep -q 'did you mean Q?' out && grep -q 'line 3: "a" cannot be read' out
verdict $? 'unknown steps and what is no number, with their lines'
# One number left out of a matrix costs its place, and one too many costs nothing.
"$longhand" sheet ex3 --seed 3 --key >whole 2>err
sed '/^V =/,/^$/s/^\(  A:.*\)  *[^ ]*$/\1/' whole >row.txt
ends 'one number is missing' 1 'V: row 0 has 1 number, but 2 are asked for' mark ex3 row.txt
shows '149 of 150 numbers have full credit, 1 is blank' '... and costs one'
sed '/^V =/,/^$/s/^  A:.*/& 0.5/' whole >row.txt
ends 'one number too many' 0 'V: row 0 has 3 numbers, but 2 are asked for' mark ex3 row.txt

# Wrong logits that are nearly equal: their probabilities are 0.2500, each of them.
printf 'logits = 0.0003838 0 0.0003674 0\nprobs.m = 0.0003838\nprobs.e = 1.0000 0.9996 1.0000 0.9996\nprobs.s = 3.9992\nprobs = 0.2500 0.2500 0.2500 0.2500\n' >alike.txt
ends 'equal numbers that follow' 1 '12 of 195 numbers have full credit' mark ex5-plain alike.txt

for sign in ✓ ✗ · '?'; do
    printf 'X = 1 0; 5 _\nQ = 0.1 a; 0 0\n' >signs.txt
    "$longhand" mark ex1 signs.txt >out 2>err
    grep -qF "$sign" out
    verdict $? "the sign $sign"
done

# What a teacher checks first: sums, signs, a loss that falls. The inventory has these as 10.2, 10.5 and 13.6.
printf 'probs = 0.2506 0.2494 0.2506 0.2494\ndlogits = 0.2506 0.2494 -0.7494 0.2494\nL = 1.3838\nL@1 = 1.38341\n' >checks.txt
COLUMNS=200
ends 'right numbers pass every check' 1 '10 of 92 numbers have full credit, 82 are blank' mark ex2 checks.txt
grep -q '✗' out
verdict $((1 - $?)) '... and nothing is said against them'
check() { # NAME CHANGE WORDS
    sed "$2" checks.txt >changed.txt
    ends "$1" 1 "$3" mark ex2 changed.txt
}
check 'probabilities that do not add up' 's/^probs.*/probs = 0.2506 0.2494 0.2606 0.2494/' 'they add up to 1.0100: probabilities add up to 1'
check 'wrong probabilities that add up to 1' 's/^probs.*/probs = 0.2606 0.2394 0.2506 0.2494/' '0.2606'
grep -q 'add up' out
verdict $((1 - $?)) '... and nothing is said against their sum'
check 'a probability that is another' 's/^probs.*/probs = 0.9975 0.0008 0.0008 0.0008/' 'work probs out again'
check 'a quarter where 0.2506 is asked' 's/^probs.*/probs = 0.250 _ _ _/' '0.250      _      _      _    ✗ · · ·'
check 'a loss that rose' 's/1.38341/1.39/' 'the loss rose, from 1.3838 to 1.39, but this update lowers it'
check 'signs turned round' 's/^dlogits.*/dlogits = -0.2506 -0.2494 0.7494 -0.2494/' 'not onehot(target, cols(probs))'
check 'logits of the old weights' '$a\
logits@1 = 0.004982 0 0.005018 0' 'WO as it was before the update'
COLUMNS=80

# 9.4 and 13.7: every common mistake makes a difference, and going uphill raises the loss.
loss_after() { "$longhand" run ex2 --steps 2 "$@" 2>err | sed -n 's/^after 2 updates the loss over all examples is //p'; }
{ echo 1.3838 && loss_after && loss_after --mistake uphill; } >out
awk '{ loss[NR] = $1 } END { exit !(NR == 3 && loss[2] < loss[1] && loss[3] > loss[1]) }' out
verdict $? 'the gradient added, not subtracted: the loss rises'
for pair in ex1:unscaled ex1:shift_after_exp ex2:uphill ex2:one_minus ex1:wrong_side ex1:k_not_transposed ex3:no_transpose_left \
    ex2:no_rate ex4:summed ex5:no_relu ex5:no_residual ex1:wrong_row softmax:shares_without_exp \
    softmax:power_of_ten softmax:log2 softmax:no_minus_one softmax:one_minus layernorm:mean_summed layernorm:not_centred layernorm:root_twice layernorm:not_divided; do
    run sheet "${pair%:*}" --seed 1 --why
    has "${pair#*:} makes a difference in ${pair%:*}" "^  ${pair#*:} +✓ shows in" out
done

# What is refused.
refused "another lesson's sheet" 'this is a sheet of ex3, not of ex1' mark ex1 key
sed 's/seed 7/seed 8/' key >seed.txt
refused 'a seed that was changed' 'other numbers' mark ex3 seed.txt
printf 'Z = 1\0 2\n' >nul.txt
refused 'NUL bytes' 'not plain text' mark ex3 nul.txt
refused 'a missing file' 'no-such-file' mark ex3 no-such-file
refused 'a folder' 'folder' mark ex3 forms
refused 'no file' 'an argument is missing' mark ex3
refused 'an unknown step' 'no step named PP' sheet ex1 --steps PP
refused 'a given matrix as a step' 'is given' sheet ex1 --steps E
refused 'an unknown format' 'there is no format' sheet ex1 --format pdf
refused 'forms without a folder' 'needs a folder' sheet ex1 --forms 2
refused 'a seed that is none' 'whole number' sheet ex1 --seed seven
refused 'a folder that is not there' 'cannot be written' sheet ex1 -o no/such/folder.txt
printf '# x\n```longhand\nA = 1\n```\n```sheet\nB\n```\n' >bad.md
refused 'a sheet block with an unknown step' 'no step named B' sheet bad.md
printf '# x\n```longhand\nA = 1 + 1\n```\n```sheet\ndigits many\n```\n' >bad.md
refused 'a sheet block with bad digits' '2 to 9 digits' sheet bad.md
printf 'vocab A B\nconst E = [1 2; 3 4]\ninput x : vocab*\nX = E[x]\nY = 2 * X\nZ = E + E\n' >none.lh
refused 'a program without examples' 'no example to run on' sheet none.lh
head -c 10000000 /dev/zero | tr '\0' '1' >large.txt
ends 'ten megabytes' 1 'belongs to no step' mark ex3 large.txt
run mark ex3 key not.txt mistake.txt
tried 'one bad file among good ones' 2 'not.txt'
has 'the good ones are marked all the same' '^mistake' out

# Mistakes.
printf 'sheet ex1, seed 0, digits 4\nX = 1 0; _ _\nQ = 0.1 0.7; _ _\n' >part
ends 'a step that is begun has no cross' 1 '· 2 of 4, 2 blank' mark ex1 part
shows '✗ 1 of 4' '... unless some of it is wrong'
run mark ex1 part -o pages
has '... but a point' '<span class="open">· 2 of 4, 2 blank</span>' pages/part.html
ends 'the catalogue' 0 'a / sqrt(cols(k)) => a' mistakes
ends 'what one does to a lesson' 0 'Z[0][0] is 0.01, should be 0.00707107' mistakes ex1
ends 'one of the catalogue' 0 'the scores were not divided by the square root of d_k' mistakes unscaled
hides 'k_not_transposed' '... and no other'
ends 'what one does to a lesson' 0 'Z[0][0] is 0.01, should be 0.00707107' mistakes ex1 unscaled
hides 'S = Q @ K, not' '... and no other'
ends 'one that cannot be made there' 0 'cannot be made in any formula of ex1' mistakes ex1 no_bias
ends '... of JSON, too' 0 '"name": "unscaled"' mistakes ex1 unscaled --json
hides 'k_not_transposed' '... and no other'
refused 'a mistake that is none' 'did you mean unscaled?' mistakes ex1 unscald
ends 'as JSON' 0 '"should_be"' mistakes ex1 --json
ends 'run --mistake' 0 'the first difference' run ex1 --mistake unscaled
ends 'a mistake that the numbers hide' 0 'No number differs' run ex1 --mistake wrong_side@Q
refused 'a mistake that is none' 'did you mean unscaled?' run ex1 --mistake unscald
refused 'a mistake where it cannot be made' 'it can be made in: Z' run ex1 --mistake unscaled@P
refused 'a mistake that no formula fits' 'cannot be made in ex1' run ex1 --mistake log10
cat >own.lh <<'END'
const A = [1 2; 3 4]
B = A @ A
mistake swapped forward "the factors were added" w @ k => w + k
END
ends "a lesson's own mistake" 0 'swapped' mistakes own.lh
ends 'and its effect' 0 'the first difference' run own.lh --mistake swapped
printf 'B = 2 4; 6 8\n' >own.txt
ends 'and its diagnosis' 1 'take A @ A, not A + A' mark own.lh own.txt

# Everything a step is worked out from stands on its sheet.
run sheet attention --steps S
tried 'lines that are not asked' 0 '#         X = E[tokens]' '#         Q = X @ WQ' '#         K = X @ WK'
run sheet overfitting --steps y
tried 'a number that is known from the start' 0 'const drop = 0.25'
run sheet ex3 --steps dZ
tried 'names as they stand on the sheet' 0 'dZ = P * (dP - P.grad.dot)' 'P.grad.dot = rowsum(dP * P)'
run sheet optimisers --steps mhat
tried 'a state that was renewed' 0 't := t + 1' 'm := b1 * m + (1 - b1) * g'
run sheet bert --steps U
tried 'the lines of an optimiser' 0 'v := 0.9 * v + dU' 'U := U - rate * v'

# Given numbers are used as they are printed.
cat >long.lh <<'END'
const a = sqrt(2)
b = a * 1000000
END
run sheet long.lh --key --digits 9
tried 'the given number' 0 'const a = 1.41421' '1414210'

# After an update old numbers are told from new ones.
run sheet ex2 --steps probs,probs@1,L@1
tried 'more digits after the update' 0 '1 x 4, 5 decimals'
run sheet ex2 --why
tried 'and it is listed' 0 'not_recomputed'
printf 'sheet ex2, seed 0, digits 4, steps probs L probs@1 L@1\nprobs = 0.2506 0.2494 0.2506 0.2494\nL = 1.3838
probs@1 = 0.2506 0.2494 0.2506 0.2494\nL@1 = 1.3838\n' >old.txt
run mark ex2 old.txt
tried 'old numbers are named' 1 'an old number was used'

# What is too much is said at once, not after a search for numbers.
began=$(date +%s)
run sheet adder --seed 5
tried 'too many numbers' 2 'but at most 20000 are allowed' '--steps names the steps to ask'
test $(($(date +%s) - began)) -le 20
verdict $? '... at once'
run sheet classic --steps loss@2
tried 'too many numbers to be given, in all' 2 'a sheet would have to give enc[0].W1, which is 64x256, besides all the others, but at most 20000 numbers are allowed'

# Mistakes of lessons that write a function out.
run sheet layernorm --seed 5 --why
tried 'of the norm' 0 n_minus_one_steps summed_squares no_root mean_not_taken_off
run sheet optimisers --seed 5 --why
tried 'of Adam' 0 shares_swapped not_squared no_correction no_root no_rate
run sheet masks --seed 5 --why
tried 'of masks' 0 no_mask mask_zero mask_after
run run layernorm --mistake no_root
tried "a lesson's own comes first" 0 'divided by the variance, not by its root' 'the first difference'

# What the documents ask of a reader, by the commands that a reader has.
printf 'sheet ex1, seed 0, digits 4\nprobs = 0.2506 0.2494 0.2506 0.2494\n' >right.txt
printf 'sheet ex1, seed 0, digits 4\nprobs = 0.2500 0.2494 0.2506 0.2494\n' >wrong.txt
run mark ex1 right.txt
tried 'Example 1, rounded' 1 '4 of 56 numbers have full credit'
run mark ex1 wrong.txt
tried 'Example 1, and 0.250' 1 '3 of 56 numbers have full credit'
run run ex2 --steps 2 --json
python3 -c 'import json, sys
loss = json.load(open(sys.argv[1]))["loss"]
sys.exit(not all(b < a for a, b in zip(loss, loss[1:])))' "$work/out"
verdict $? 'Example 2: the loss falls'
run run ex2 --mistake uphill --steps 5
tried 'the wrong way: the loss rises' 0 '1.385652743'
for case in 'ex1 unscaled' 'ex1 shift_after_exp' 'ex2 uphill' 'ex2 one_minus' 'ex1 wrong_side' 'ex1 k_not_transposed' \
    'ex3 no_transpose_left' 'ex2 no_rate' 'ex4 summed' 'ex5 no_relu' 'ex5 no_residual' 'ex1 wrong_row'; do
    run mistakes "${case% *}" --seed 1
    sed -n "/^  ${case#* } /,/^  [a-z]/p" "$work/out" | grep -q 'should be'
    verdict $? "$case shows"
done
for case in '0.1 30' '1 3' '10 1'; do
    run run ex4 --freeze WQ,WK,WV --set "rate=${case% *}" --steps 40 --table
    tried "Example 4 learned at rate ${case% *}" 0 "all right from step ${case#* } on"
done

# The command on a sheet marks it, also for a lesson of one's own.
mkdir 'a class'
cp "$root/lessons/ex1.md" 'a class/own.md'
for lesson in ex1 matrices:fit 'a class/own.md'; do
    run sheet "$lesson"
    cp out filled.txt
    command=$(sed -n 's/^# longhand \(mark .*\) FILE marks this file\.$/\1/p' filled.txt)
    eval "run $command filled.txt"
    tried "the command on a sheet of $lesson: $command" 1 'numbers have full credit'
done

refused 'a sheet of a lesson of one'"'"'s own' 'this is a sheet of own, not of ex2' mark ex2 filled.txt
warns 'longhand mark LESSON FILE marks it, with the lesson that it was made from'

# Every mistake of the catalogue can be made on a sheet of the course, and shows there; other ways to the same number cannot.
for file in "$root"/lessons/*.md; do
    lesson=${file##*/}
    "$longhand" sheet "${lesson%.md}" --seed 2 --why 2>>err
done | sed -n 's/^  \([a-z0-9_]*\) *. shows in .*/\1/p' | sort -u >shown
"$longhand" mistakes --json >out 2>err
python3 -c 'import json, sys
shown = open(sys.argv[2]).read().split()
hidden = [m["name"] for m in json.load(open(sys.argv[1]))["mistakes"] if m["name"] not in shown and not m["is_same"]]
sys.exit("never seen on a sheet: " + " ".join(hidden) if hidden else 0)' out shown 2>err
verdict $? 'every known mistake shows on a sheet of the course'

finish
