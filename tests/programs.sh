#!/bin/sh
# Programs inside lessons, by their names: run, explained, checked, plotted, drawn, written out, given other inputs.
. "$(dirname "$0")/tap.sh"

# mine.md: a lesson with a program of its own, one with a name, and use lines.
cat >mine.md <<'END'
# Mine

```longhand
param w = 3
const rate = 0.1
L = w * w
backward L
w := w - rate * dw
```

```longhand fit
const w = [1 -2]
y = w * 2
```

```use
fast = this --set rate=0.5
bag = attention:bag --set wave=1
```

The number is {{fit:y[0][1]}}.
END

# Every program of the course that has a name: it runs, and what is written out means the same.
bad=0 count=0
for file in "$root"/lessons/*.md; do
    lesson=$(basename "$file" .md)
    for name in $(sed -n 's/^```longhand \(.*\)$/\1/p' "$file"); do
        count=$((count + 1))
        "$longhand" graph "$lesson:$name" >a 2>err && "$longhand" program "$lesson:$name" >copy.lh 2>err &&
            "$longhand" graph copy.lh >b 2>err || { bad=1 && echo "# $lesson:$name: $(head -n 1 err)"; }
        sed 1d a >a1
        sed 1d b >b1
        cmp -s a1 b1 || { bad=1 && echo "# $lesson:$name is another program when it is written out"; }
    done
done
test $bad -eq 0 && test $count -gt 90
verdict $? "all $count programs with a name run, and are written out"

# Everywhere a lesson may stand.
ends 'run' 0 'attention:bag   Attention: query, key, value' run attention:bag
shows 'Next: longhand explain attention:bag' 'the next command has the name, too'

# What `run` says comes next works when it is copied into a shell, and is about the same program.
follow() { # NAME: both lines, with this longhand
    sed -n '/^Next: /,$s/^\(Next: \|      \)longhand //p' out >next
    tap_bad=$(wc -l <next)
    while read -r line; do
        eval "run $line"
        test $status -eq 2 || tap_bad=$((tap_bad - 1))
        grep -q 'taken from the first example' err && tap_bad=9
    done <next
    verdict "$tap_bad" "$1"
}
cp "$root/lessons/ex4.md" "it's mine (4).md"
run run "it's mine (4).md" --set rate=0.5 --freeze WQ,WK --input 'A B -> D'
shows "Next: longhand explain 'it'\\''s mine (4).md' 'P[1][0]' --set rate=0.5 --input 'A B -> D' --freeze WQ --freeze WK" \
    'a name with signs of the shell, and every option'
shows "      longhand run 'it'\\''s mine (4).md' --steps 100 --table --set rate=0.5 --input 'A B -> D' --freeze WQ --freeze WK" 'in both lines'
follow '... and both run'
run run ex1 --set 'WQ=[1 0; 0 1]'
shows "longhand graph ex1 --set 'WQ=[1 0; 0 1]'" 'also for graph'
follow '... and both run'
run run ex5 --train E --to P
shows '--steps 100 --table --train E' 'what learns, too'
for lesson in optimisers initialisation bert attention:bag matrices; do
    run run $lesson
    follow "what comes next for $lesson"
done
ends 'explain a program with words' 0 'loss = ' explain overfitting:words loss
grep -q '{example$' out
test $? -eq 1
verdict $? '... no address is broken over two lines'
ends 'plot' 0 'X, column 1' plot matrices:fit 'points X'
for picture in 'heat P[0]' 'stripes P[0][1]' 'points P[0]' 'bars P[0][1]' 'bars logits[2]'; do
    refused "a picture of more than its name says: $picture" 'leave out' plot ex1 "$picture"
done
does 'one row' plot ex1 'bars P[0]'
refused '--vary without values' '--vary needs NAME=A,B,C, not rate=' plot ex4 'loss 10' --vary rate=
ends 'graph' 0 'attention:dots' graph attention:dots
ends 'cost' 0 'attention:dots' cost attention:dots
ends 'check one' 0 'all is well' check attention:bag
ends 'sheet' 0 'sheet attention:bag, seed 0' sheet attention:bag
ends 'mistakes' 0 'attention:bag' mistakes attention:bag
type_in 'q\n' practice attention:bag
tried 'practice' 0 'attention:bag'
ends 'a file' 0 'mine.md:fit' run mine.md:fit
ends 'a file in a folder' 0 'fit   Mine' run ./mine.md:fit
ends 'what a use line makes' 0 'const  rate      1x1    0.5' run mine.md:fast
ends 'a use line may name a program of another lesson' 0 'const  wave      1x1    1' run mine.md:bag
ends 'a use line with a mistake' 0 '1.38415' run ex2:up --steps 1
ends 'a use line with batches' 0 '1.388927709' run ex4:single --steps 3

# Names that are not there.
refused 'a name' 'did you mean attention:bag?' run attention:bags
refused 'a name like no other' 'it has teach dots d16 d64 saturate bag waves' run attention:zzzzzz
refused '... of which the text is wanted' 'it has teach dots d16 d64 saturate bag waves' program attention:zzzzzz
refused 'no name behind the colon' 'the name of a program is missing' run attention:
refused 'a lesson' 'did you mean attention:bag?' run atention:bag
refused 'a model has no names' 'it has no programs with a name' run gpt:bag
refused 'of a file' 'did you mean mine.md:fit?' run mine.md:fitt
refused 'a whole lesson is wanted' 'a whole lesson is needed here: attention' read attention:bag
refused 'a sheet of a program with settings' 'has settings: --freeze WQ,WK,WV' sheet ex4:wo
cp mine.md 'a:b.md'
ends 'a colon in the name of a file' 0 'a:b.md   Mine' run 'a:b.md'

# check LESSON checks all of them.
run check calculus-rules
tried 'all programs of a lesson' 0 'calculus-rules:product' 'calculus-rules:attend' '9 of 9 programs pass'
run check mine.md --set rate=0.2
hides 'mine.md:fit' 'with a setting the own program alone'
sed 's/^y = w \* 2/param p = 1\nL = p * log(0)\nbackward L/' mine.md >broken.md
run check broken.md
tried 'one that is not well' 1 '1 of 2 programs pass'
run check calculus-rules --json
is_json 'check as JSON' out
shows '"lesson": "calculus-rules:product"' 'JSON has them, too'

refused 'a param that learns already' 'learns already' check ex2 --train WO
refused 'training of a program with settings' 'has settings: --set layers=12' train cost:gpt1 -o x

# The names are seen.
run read attention
shows '    # longhand run attention:bag' 'read shows the command above the code'
run book -o course --only attention
grep -rqF 'longhand run attention:bag</code>' course
verdict $? 'the book as well'

# Written out, ready to be changed.
run program attention:bag -o bag.lh
tried 'into a file' 0 'longhand run bag.lh'
does 'the file runs' run bag.lh
refused 'a file that is there is left alone' 'already exists' program ex1 -o bag.lh
grep -q sinusoid bag.lh
verdict $? 'it is still what it was'
run program gpt
cmp -s out "$root/models/gpt.lh"
verdict $? 'a model as it stands'
ends 'what a use line sets is said' 0 '# run it with --set rate=1 --freeze WQ,WK,WV' program ex4:wo1
ends 'a worksheet has its numbers' 0 'const E = [-0.6 0.2; -0.9 0.2; 0.2 0.5; 0.6 0.8]' program ex1:two
run program ex1:two -o two.lh
run run two.lh --to P
cp out a
run run ex1:two --to P
sed -n '/^P = /,/^$/p' a >a1
sed -n '/^P = /,/^$/p' out >b1
cmp -s a1 b1 && test -s a1
verdict $? 'and comes to the same'

# What is shown at 80 and at 60 columns can be copied and run.
for width in 80 60; do
    bad=0
    for file in "$root"/models/*.lh; do
        model=$(basename "$file" .lh)
        COLUMNS=$width "$longhand" read "$model" 2>err | sed -n '/^    /s/^    //p' >copy.lh
        "$longhand" graph copy.lh 2>err | sed '1,/^$/d' >a
        "$longhand" graph "$model" 2>/dev/null | sed '1,/^$/d' >b
        cmp -s a b || { bad=1 && echo "# $model at $width columns: $(head -n 2 err | tr '\n' ' ')"; }
    done
    verdict $bad "models copied from $width columns"
    bad=0
    for file in "$root"/lessons/*.md; do
        lesson=$(basename "$file" .md)
        COLUMNS=$width "$longhand" read "$lesson" 2>err >page
        for name in $(sed -n 's/^    # longhand run [^:]*:\(.*\)$/\1/p' page); do
            sed -n "/^    # longhand run $lesson:$name\$/,/^\$/p" page | sed 's/^    //' >copy.lh
            "$longhand" program "$lesson:$name" | grep -q '^$' && continue # goes on behind an empty line
            "$longhand" graph copy.lh 2>err | sed 1d >a
            "$longhand" graph "$lesson:$name" | sed 1d >b
            cmp -s a b || { bad=1 && echo "# $lesson:$name at $width columns: $(head -n 2 err | tr '\n' ' ')"; }
        done
    done
    verdict $bad "programs of lessons copied from $width columns"
done
printf 'input a : 1 x 1\ninput b : 1 x 1\nexample a = 1,  # a comment\n\n        b = 2\nc = a + b\n' >broken_line.lh
ends 'an example may break behind a comma' 0 'c = a + b' run broken_line.lh

# Other inputs.
run run translator --input 'source = thank you'
tried 'one input; the others as in the first example' 0 'taken from the first example: given, wanted' \
    'source = thank you, given = <start> de nada, wanted = de nada'
run run translator --input 'source = thank you, given = <start> gracias, wanted = gracias <end>'
silent 'all inputs'
printf '%s\n' 'param w = 1' 'y = w * (step + 1) * pi' 'w := w * 1' >words.lh
ends 'words of a formula are numbers among numbers' 0 '1 * (2 + 1) * 3.14159 = 9.42478' explain words.lh y@2
run explain translator 'guess[0]' --input 'source = thank you'
exits 0 'explain'
run explain ex4 'L' --input 'B B -> D'
exits 0 'the short form'
run explain sine net --input 'x = 2'
exits 0 'numbers' # one input of two: the other is not needed
ends 'several examples' 0 'example 1        B B -> C' run ex4 --input 'A A -> D' --input 'B B -> C'
run plot ex4 bars probs --input 'B B -> D'
exits 0 'plot'
refused 'an input that is not there' 'did you mean source?' run translator --input 'surce = thank you'
refused 'a word that is not there' 'did you mean thank?' run translator --input 'source = thanks'
refused 'no words' '--input:1:9: words are missing here' run translator --input ''
refused 'a program without inputs' 'has no inputs' run matrices --input 'x = 1'

# Training.
run run ex2 --steps 10
printed 'row N is loss@N: the first' 0 '       0        0   1.383779809       0.06119'
run explain ex2 'L@10' --digits 10
grep -o '= 1\.[0-9]*' out | head -n 1 | tr -d '= ' >number
run run ex2 --steps 10
grep -q "^      10       10   $(cat number)" out
verdict $? 'and the last'
run run ex2 --mistake uphill --steps 10
tried 'a mistake reaches the training' 0 '       1        1   1.384154208'
run run ex2 --mistake upill --steps 10
tried 'a mistake that is not there' 2 'did you mean uphill?'
printf '%s\n' 'param W = [1 2]' 'W := W * 0.5' >lossless.lh
refused 'updates without a loss have no curve' 'does not name one' run lossless.lh --steps 2
refused 'what no line renews cannot learn' 'no line of ex2 updates WQ' run ex2 --train WQ,WK,WV
does 'where gradients are shown it does something' run ex2 --train WQ --all
refused 'a param that learns already' 'learns already' run ex2 --train WO
refused 'a const learns where nothing does, explained' 'no line of ex1 updates WQ' explain ex1 'P[0][0]' --train WQ
refused 'and plotted' '--train WQ changes nothing' plot ex1 'heat P' --train WQ
refused 'a const is frozen' 'does not learn anyway' run ex2 --freeze WQ
refused 'all is frozen' 'is frozen' run ex2 --freeze WO --steps 3
run run ex4 --set rate=10 --steps 30
tried 'an infinite loss may pass' 0 'the loss is infinite after 6 updates' '      30       30   0' \
    'after 30 updates the loss over all examples is 0'
ends 'as in explain' 0 'loss@9 = 0' explain ex4 loss@9 --set rate=10
ends 'explain with frozen weights' 0 'L@10 = 1.38153' explain ex4 L@10 --freeze WQ,WK,WV --batch 1
run run ex4 --freeze WQ,WK,WV --batch 1 --steps 3
grep -q '^       2        0   1.383565684' out
verdict $? 'the same batches'
ends 'an update sees its batch' 0 'WO[0][0] - rate * dWO[0][0]' explain ex4 'WO[0][0]@1' --batch 1
ends 'explain what learns' 0 'dWQ[0][0]' explain ex2 'dWQ[0][0]' --train WQ
ends 'explain a mistake' 0 'L@1 = 1.38415' explain ex2 'L@1' --mistake uphill
does 'plot with batches' plot ex4 loss 30 --freeze WQ,WK,WV --batch 1 --shuffle 3
does 'plot what learns' plot ex4 heat WQ --steps 5
ends 'up to a line inside a step' 0 'e = exp(Z - m)' run ex1 --to P.e
shows 'P[1][1] = 1 / 1.993' 'the step that it is in is shown'
hides 'H = P @ V' 'and nothing behind it'
ends 'up to a line of a gradient rule' 0 'dot = rowsum(dP * P)' run ex3 --to P.grad.dot

# The heading names the cell that is explained, also where the address is of a row or of a whole matrix.
headed() { # ADDRESS HEADING
    run explain ex2 "$1"
    grep -q "^$(printf '%s' "$2" | sed 's/[][]/\\&/g') = " out
    verdict $? "the heading of $1 is $2"
}
headed P 'P[0][0]'
headed 'P[1]' 'P[1][0]'
headed 'P[1][1]' 'P[1][1]'
headed 'P[1]@1' 'P[1][0]@1'
headed 'P@1[1]' 'P[1][0]@1'
headed 'P@1' 'P[0][0]@1'
headed 'probs[1]' 'probs[1]'
headed 'probs' 'probs[0]'
headed 'L' 'L'

# What stands in place of an example, a file, an address or a command.
run run translator --input source
tried 'an input without its words' 2 '--input source: the words for it are missing' "for example --input 'source = "
run run translator --input 'thank you'
tried 'words that do not say for which input' 2 'does not say for which input it is' "for example --input 'source = thank you'"
refused 'an equals sign without a name' 'its form is NAME = words' run translator --input '= you'
run run ex1 --input 'B A'
tried 'words alone are the tokens' 0 'example 0        B A'
refused 'a program from standard input' 'save it in a file: longhand run mine.lh' run -
refused 'an address with an open bracket' 'P[1][0: a ] is missing at its end' explain ex1 'P[1][0'
refused 'no address' 'the address is empty' explain ex1 ''
refused 'a lesson in place of a command' 'longhand run ex1 shows its steps' ex1
cp "$root/lessons/ex1.md" own.md
refused 'a file in place of a command' 'longhand run own.md shows its steps' own.md
refused 'no lesson' 'longhand --help lists the commands' ex99x
byte=$(printf '\377')
refused 'bytes that are no text, in the name of a file' 'a�b is neither' run "a${byte}b"
refused '... in an address' 'P�' explain ex1 "P$byte"
refused '... in a formula' '    1 + �' calc "1 + $byte"
refused '... in an answer' '"�" is not a number' exercise ex1 1 --answer "$byte"
refused '... in an option' '--a�' run ex1 "--a$byte"

# Options that do nothing.
refused '--batch without --steps' 'it needs --steps' run ex4 --batch 1
refused '--shuffle without --steps' 'it needs --steps' run ex4 --shuffle 1
refused '--shuffle without batches' 'all examples are in one batch' run ex4 --steps 3 --shuffle 1
refused '--to with --steps' 'there is no trace' run ex4 --steps 3 --to P
refused '--table with JSON' 'JSON has every number' run ex4 --json --table
refused '--batch for a number before training' 'a step of training' explain ex4 L --batch 1
refused '--deep with --jacobian' 'a Jacobian has no steps to follow' explain ex3 'P[1]' --jacobian --deep
refused '--steps with loss' 'how many updates' plot ex4 loss 10 --steps 3
refused '--log with a map' 'for loss and line' plot ex4 heat P --log
refused '--batch where there is no training' 'there is no training' plot ex4 heat P --batch 1

# Padding is neither right nor wrong.
run run translator --steps 60 --table
tried 'padding in the translator' 0 '5 of 5 right'
hides '<pad>      ' 'it has no row'
run run de-nada --steps 40 --table
tried 'padding in de-nada' 0 '5 of 5 right' 'all right from step'

# A size of 0 is a number of turns, and the length of nothing.
run cost gpt --set layers=0
tried 'cost of no layers' 0 'layers = 0'
hides 'layers = 1' 'and not of one'
refused 'a matrix without columns' 'but dim is 0' cost gpt --set dim=0

# Ties.
printf 'vocab A B C\nconst w = [1 1 0]\nexample A\nexample B\nX = w * rows(tokens)\nconst O : 1 x vocab = [2 2 1]\nguess = argmax(O * X[0][0])\n' >tie.lh
run run tie.lh
tried 'a tie is said by run' 0 'a tie: A = B; the first is taken'
finish
