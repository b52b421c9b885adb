#!/bin/sh
# longhand exercise, through the program: one answer of each kind, the prompt, what is kept, wrong things typed.
. "$(dirname "$0")/tap.sh"

cat >mine.md <<'END'
# One weight learns

```longhand
const x = 1.5
const rate = 0.1
param w = 0.5
y = w * x
e = y - 3
loss = e * e
backward loss
w := w - rate * dw
```

```exercise compute
title: The guess
ask: y loss
hint: Multiply.
hint: Then square.

Work out the guess and the loss.
```

```exercise predict
use: back = this --set rate=-0.1
choice: The loss falls. | back:loss@1 < loss
choice: The loss rises. | back:loss@1 > loss
show: back: loss 5
because: It goes uphill, to {{back:loss@1}}.

The rate is negative. What does the loss do?
```

```exercise write
line: e

Write the line for the error.
```

```exercise experiment
set: rate
until: abs(w@5 - 2) < 0.01
key: rate=0.2

Choose a rate.
```

```exercise find
line: 0.5 * 1.5 = 0.75 | w * x
line: 0.75 - 3 = -2.52 | y - 3
because: It is {{e}}.

Which line is wrong?
```
END

run exercise --help
tried 'help' 0 'longhand exercise LESSON|FILE' '--answer TEXT' '--key'
run lint mine.md
tried 'the lesson is sound' 0

# A wrong prediction gets a sentence with its numbers, not the condition as the engine tries it.
predicted() { # CONDITION SENTENCE
    printf '# P\n\n```longhand\nvocab cat dog\nconst a = [1 2; 3 4]\nconst b = [1 2; 3 5]\ntop = argmax(onehot([1], vocab))\n```\n\n```exercise predict\nchoice: Yes. | %s\nchoice: No. | 1 == 1\n\nIs it?\n```\n' \
        "$1" >claim.md
    run exercise claim.md 1 --answer 1
    tr -s ' \n' ' ' <out | grep -qF -e "wrong For that, $2. "
    verdict $? "$1"
}
predicted 'sum(a) < 10' 'sum(a) would have to be less than 10, but it is 10'
predicted 'sum(a) > sum(b)' 'sum(a) would have to be greater than sum(b), but they are 10 and 11'
predicted 'sum(a) <= 9.9999' 'sum(a) would have to be at most 9.9999, but it is 10'
predicted 'rows(a) == 3' 'rows(a) would have to be 3, but it is 2'
predicted 'a[0][0] != b[0][0]' 'a[0][0] would have to differ from b[0][0], but both are 1'
predicted 'a[0] > b[0] + 1e-9' 'a[0] would have to be greater than b[0], but both are 1'
predicted 'sum(abs(a - b)) < 1e-9' 'a and b would have to be equal, but they differ by 1 in all'
predicted 'abs(a[0] - 1 - b[0]) < 0.5' 'a[0] - 1 and b[0] would have to differ by less than 0.5, but they differ by 1'
predicted 'abs(a[0] - b[0]) > 1e-9' 'a[0] and b[0] would have to differ, but they are equal'
predicted 'abs(a[0] - b[0] * 1.001) > 0.5' 'a[0] and b[0] * 1.001 would have to differ by more than 0.5, but they differ by only 0.001'
predicted 'abs(a - b) + 0 > 3' 'abs(a - b) + 0 would have to be greater than 3, but it is 0'
predicted 'rows(a) == 2 and cols(a) > 5' 'cols(a) would have to be greater than 5, but it is 2'
predicted 'top == "cat"' 'top would have to be "cat", but it is dog'

run exercise mine.md --list
tried 'the list' 0 '1  compute     The guess' '5  find' '0 of 5 done'
run exercise mine.md 1 --answer 'y = 0.75; loss = 5.0625'
tried 'compute, right' 0 'right'
run exercise mine.md 1 --answer 'y = 0.75; loss = 2.25'
tried 'compute, wrong' 1 'work loss out again: loss = e * e'
run exercise mine.md 1 --answer 'y = 0.75'
tried 'compute, half' 1 '1 number to go: loss comes next'
run exercise mine.md 1 --answer '9'
tried 'compute, one wrong: it is left, too' 1 '2 numbers to go in all: y comes next'
run exercise mine.md 1 --answer 'y = much'
tried 'compute, no number' 2 '"much" is not a number'
run exercise mine.md 1 --answer ''
tried 'compute, empty' 1 'There is no answer yet: type y = ...'
hides 'y = ....' '... without a full stop behind three dots'
run exercise mine.md 1 --key
tried 'compute, the key with its working' 0 'loss = 5.0625' 'y = w * x = 0.5 * 1.5 = 0.75'
run exercise mine.md 2 --answer 2
tried 'predict, right: the engine shows it, and why' 0 'right' 'the loss over 5 updates' 'It goes uphill, to '
run exercise mine.md 2 --answer 1
tried 'predict, wrong' 1 'wrong'
grep -q uphill out err
test $? -eq 1
verdict $? '... and nothing is given away'
run exercise mine.md 2 --answer 7
tried 'predict, none of them' 2 '"7" is not one of the choices: type a number from 1 to 2'
run exercise mine.md 3 --answer 'e = w * x - 3'
tried 'write, another way' 0 'The same numbers as the lesson'
run exercise mine.md 3 --answer '3 - y'
tried 'write, wrong' 1 "e is 2.25 with your line, and should be -2.25, on the lesson's numbers"
run exercise mine.md 3 --answer 'e = y - -2.25'
tried 'write, another number' 1 'with your line, and should be'
run exercise mine.md 3 --answer 'e = y - (3'
tried 'write, with a mark under the place' 2 'your line:1:9: this bracket is never closed' \
    '    e = y - (3' '            ^'
run exercise matrices 4 --answer 'Q × K^T'
tried 'write, with × for the matrix product: not read, so not wrong' 2 'Q @ K^T is the matrix product'
grep -q wrong out err
test $? -eq 1
verdict $? '... and not called wrong'
run exercise mine.md 3 --answer 'e = file("mine.md")'
tried 'write, no file' 2 'file'
run exercise mine.md 4 --answer 'rate=0.2'
tried 'experiment, right' 0 'With rate=0.2: ' ' < 0.01.'
run exercise mine.md 4 --answer 'rate=0.9'
tried 'experiment, wrong' 1 'Not yet with rate=0.9: w@5 and 2 would have to differ by less than 0.01, but'
run exercise mine.md 4 --answer 'w=2'
tried 'experiment, not this one' 2 'w cannot be set here, only rate.'
run exercise mine.md 5 --answer 2
tried 'find, right' 0 'It is -2.25.'
run exercise mine.md 5 --answer 1
tried 'find, wrong' 1 'Line 1 is right: it comes to 0.75.'
run exercise mine.md 5 --key
tried 'find, the key' 0 'wrong: it is -2.25'

run exercise mine.md --list
tried 'what is done is kept' 0 '5 of 5 done'
run progress
tried '... and progress counts it' 0 '5 exercises done'
run progress --json
tried '... also for programs' 0 '"exercises": 5'

run exercise mine.md 3 --json --answer 'y'
tried 'an answer as JSON' 1 '"verdict": "wrong"' '"kind": "write"' '"because": null'
run exercise mine.md 3 --json --key
tried 'a key as JSON' 0 '"key": "e = y - 3"'
run exercise mine.md 3 --json
tried 'a question as JSON' 0 '"question": "Write the line for the error."' '"y = w * x"' '"e = ..."'
run exercise mine.md --json
tried 'the list as JSON' 0 '"exercises": [' '"done": true'

run exercise mine.md 6 --answer 1
tried 'no such exercise' 2 'mine.md has no exercise 6: they are numbered 1 to 5'
run exercise mine.md two
tried 'no number' 2 'mine.md has no exercise two'
run exercise mine.md --answer 1
tried 'which one?' 2 'say which exercise: longhand exercise mine.md 1 --answer'
run exercise ex99
tried 'no such lesson' 2 'ex99 is neither a lesson nor a file'
printf '# Empty\n' >empty.md
run exercise empty.md
tried 'no exercises' 2 'empty.md has no exercises'
sed 's/^line: e$/line: zz/' mine.md >bad.md
run exercise bad.md 3 --answer 'e = 1'
tried 'a block that is wrong' 2 'bad.md:34:7: line: the program has no line that makes zz'
run lint bad.md
tried '... and lint knows' 1 'bad.md:34:7: line: the program has no line that makes zz'

rm -rf data
type_in '0.7\nh\nh\nh\na\n0.8\na\n0.75\n?\n\n5.0625\nn\n' exercise mine.md
tried 'the prompt' 0 'Exercise 1 of 5   compute: The guess' 'y> 0.7' 'Multiply.' 'Then square.' \
    'There is no further hint' 'Try 2 times first' '    a answer   n next' 'loss = 5.0625' 'loss> 5.0625' \
    'It is not counted, since the answer was shown' 'Exercise 2 of 5   predict' 'Exercise 3 of 5   write' \
    '0 of 5 exercises of mine.md done'
type_in '2\nl\ngo 9\ngo 5\nback\nq\n' exercise mine.md 2
tried 'going about' 0 'right' '1 of 5 done' 'numbered 1 to 5' 'Exercise 5 of 5' 'Exercise 4 of 5'
rm -rf data
type_in 'h\n?\na\nb\nq\n' exercise mine.md 2
tried 'no hint is offered where there is none, and no letter that is a choice' 0 '? help   n next   l list   q quit' \
    'There is no hint; answer shows the answer after two tries.' 'answer after two tries   n next' 'back   l list   go 3   q quit'
hides 'h hint' '... in no line'
type_in 'n\nq\n' exercise mine.md
tried 'the keys are shown again where they differ' 0 '? help   h hint   n next' '? help   n next'
type_in '1\n1\nh\nq\n' exercise mine.md 2
printed '... also after two tries' 0 '    answer   n next' '    There is no hint; answer shows the answer.'
rm -rf data
type_in 'a\nb\nq\n' exercise mine.md 2
tried 'a letter is a choice' 0 'would have to be' '✓ right' '1 of 5 exercises of mine.md done'
type_in '0.75\n5.0625\ny - 3\nrate=0.2\n2\n' exercise mine.md
tried 'to the end' 0 '5 of 5 exercises of mine.md done'
type_in 'e = (y\ne = q\n' exercise mine.md 3
tried 'messages at the prompt' 0 'this bracket is never closed' 'q is not defined here'
run exercise softmax 3 --answer 'p = e / s'
tried 'a lesson of the course' 0 'right'
run
tried '... is counted in the list of lessons' 0 '1 of 8 exercises'
run exercise writing 3 --answer 2
tried 'a chart is drawn as the lesson draws it' 0 'weak: bars' 'rojo 0.4046  ███'
run exercise overfitting 1 --answer 2
tried 'curves too' 0 'tiny: line' '└┬─'
: >all
for lesson in $(grep -l '^show:' "${LH_SOURCE_ROOT:?}"/lessons/*.md); do
    i=0
    while test $((i += 1)) -le "$(grep -c '^```exercise' "$lesson")"; do
        run exercise "$(basename "$lesson" .md)" "$i" --key
        test $status -eq 0 -a ! -s err || { echo "$lesson $i" && cat err; } >>all
    done
done
mv all err && : >out
test ! -s err
status=$?
tried 'whatever an exercise of the course shows can be shown' 0
long=$(printf 'Überlang%.0s' 1 2 3 4 5 6 7 8 9 10)$(printf '%0900d' 0)
printf '# Long\n\n```longhand\nx = 1\n```\n\n```exercise predict\nchoice: One. | x == 1\nchoice: Two. | x == 2\n\nWhat is %s?\n```\n' "$long" >long.md
type_in 'q\n' exercise long.md
tried 'a word of any length is shown whole' 0 "$long?"
name=$(printf 'a%.0s' $(seq 100))
printf '# Deep\n\n```longhand\nfn f(x)\n  c%s = x + 1\nend\nfn g(x)\n  b%s = f(x)\nend\nconst A = [1 2]\n%s = g(A)\n```\n\n```exercise compute\nask: c%s\n\nWhat?\n```\n' \
    "$name" "$name" "$name" "$name" >deep.md
run lint deep.md
tried 'a step whose path has no room in an address' 1 'ask: the path of caaa' 'has 304 letters, and an address at most 255'
chmod 500 . 2>/dev/null
LONGHAND_DATA=/proc/nowhere run exercise softmax 3 --answer 'p = e / s'
tried 'where nothing can be kept' 0 'right' 'progress is not saved'
chmod 700 .
# What was done moves to another machine, and back, once.
LONGHAND_DATA=$PWD/first run exercise softmax 3 --answer 'p = e / s'
LONGHAND_DATA=$PWD/first run progress --export moved.jsonl
LONGHAND_DATA=$PWD/second run progress --import moved.jsonl
tried 'progress is taken over' 0 '1 attempt imported, 0 already known'
LONGHAND_DATA=$PWD/second run progress --import moved.jsonl
tried 'and no second time' 0 '0 attempts imported, 1 already known'
LONGHAND_DATA=$PWD/second "$longhand" progress --export - >back.jsonl 2>err
cmp -s moved.jsonl back.jsonl; verdict $? 'to the byte'
printf '{"lesson": "ex1", "step": "P", "time": "2026-11-16T05:30:00Z"}\n{"lesson": "ex1"}\n' >bad.jsonl
LONGHAND_DATA=$PWD/second run progress --import bad.jsonl
tried 'a line that is wrong' 2 'bad.jsonl:2: an attempt has a lesson and a step' 'nothing was imported'
LONGHAND_DATA=$PWD/second "$longhand" progress --export - 2>err | cmp -s moved.jsonl -; verdict $? 'and nothing was'

finish
