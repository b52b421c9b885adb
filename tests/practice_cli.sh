#!/bin/sh
# longhand practice and longhand progress, as somebody would use them: lines in, what the screen shows, exit codes, what is
# kept from one day to the next.
. "$(dirname "$0")/tap.sh"
COLUMNS=80 TZ=UTC HOME=$work/home
export TZ
unset NO_COLOR

fresh() { rm -rf "${work:?}/data" "${work:?}/home"; }

cat >mini.lh <<'END'
# A small sheet
const Q = [0.5 -0.3; 0.2 0.9]
const K = [0.4 0.8; -0.6 0.7]
S = Q @ K^T                # scores
Z = S / sqrt(cols(K))      # scaled
P = softmax(Z)
END
S='-0.04 -0.51; 0.80 0.51'
Z='-0.0283 -0.3606; 0.5657 0.3606'
P='0.5823 0.4177; 0.5511 0.4489'

# Without SQLite there is nothing to keep, and most of this is about keeping.
if "$longhand" progress 2>&1 | grep -q 'without SQLite'; then
    echo '1..0 # SKIP built without SQLite'
    exit 0
fi

# ---- the way through ----
fresh
type_in "$S\n$Z\n$P\n" practice mini.lh
exits 0 'a whole sheet'
silent 'a whole sheet'
shows 'Step 1 of 3   S = Q @ K^T    2 x 2, 4 decimals' 'the question: formula, shape, digits'
shows 'K   0.4  0.8;  -0.6  0.7' 'the operands stand below it'
shows '✓ right: scaled' 'why a right step is right: the comment'
shows '✓ right: P[1][0] = ' 'or the formula with numbers'
shows '3 of 3 steps, 12 of 12 numbers with full credit' 'the summary'
type_in '' progress
shows '3 of 3   steps done,   3 mastered' 'progress knows it'
hides 'To repeat' 'and there is nothing to repeat'

# ---- mistakes ----
fresh
type_in "$S\n$S\n" practice mini.lh
shows 'the scores were not divided by' 'a known mistake is named'
shows 'check Z = S / sqrt(cols(K)). Known mistake:' 'the recommendation comes first'
shows 'Z[0][0] = (-0.04) / sqrt(2)' 'with the rule in numbers'
shows 'Continue with: longhand practice' 'the end of input is a way to quit'
shows 'Z            tomorrow' 'what went wrong comes back'
exits 0 'left unfinished'
fresh
type_in "$S\n-0.0283 -0.3606; 0.5657 0.3660\nn\n0.5823 0.4177; 0.5497 0.4503\n[1][1] = 0.3606\n" practice mini.lh
shows 'check Z[1][1] = 0.3660: two digits look swapped' 'a slip of the pen'
shows '↪ follow from your Z[1][1] in step 2, carried on correctly: full credit' 'what follows has credit'
shows 'look at step 3, P, again: wrong now, follows before' 'a correction changes later marks, and that is said'

# ---- jumping over steps ----
fresh
type_in 'go P\nq\n' practice mini.lh
shows 'Z   not worked out yet: step 2' 'go does not give earlier answers away'
hides '-0.0283' 'not its numbers'
fresh
type_in "n\n" practice mini.lh
shows 'Step 2 of 3' 'who passes a step over is given it'
hides 'not worked out yet' 'and can go on'

# ---- hints ----
fresh
type_in 'go P\nh\nh\nh\nh\nh\n' practice mini.lh
shows 'hint 1 of 4: the rule' 'first the rule'
shows 'e = exp(Z - m)' 'a call is opened'
shows 'hint 2 of 4: the rule with numbers in it' 'then numbers'
shows 'hint 3 of 4: the working of one number' 'then the working'
shows 'P[0][0] = e[0][0] / s[0] = 1 / 1.7' 'all of it'
shows '0.5511 0.4489' 'then the answer'
test "$(grep -c 'hint 4 of 4' out)" = 2
verdict $? 'and there it stays'

# ---- what can go wrong while typing ----
fresh
type_in '0.1 x; 1 2\n1 2 3\n[7][0] = 1\nQ = 1 2; 3 4\nfoo\ngo 99\ngo\nb\n\n   \n?\nl\n' practice mini.lh
exits 0 'nonsense'
shows '"x" (row 0, column 1) is not a number' 'no number'
shows 'S takes 2 x 2, but there are 3' 'another shape'
shows 'there is no row 7 in S: it has 2, counted from 0' 'no such row'
shows 'Q is not asked for on this sheet' 'a given matrix is not asked for'
shows '"foo" is neither a number nor a command; ? lists them' 'no command'
shows 'there is no step 99 here' 'no such step'
shows 'this is the first step' 'nowhere to go'
shows '[1][0] = 0.25' 'help'
shows '    2   Z = S / sqrt(cols(K))' 'the list'
shows '0 of 3 steps, 0 of 12 numbers' 'and nothing was counted'
printf '0.1 \000 2\n\377\376 1\n' | "$longhand" practice mini.lh >out 2>err
verdict $? 'bytes that are no text'
head -c 200000 /dev/zero | tr '\0' '7' | "$longhand" practice mini.lh >out 2>err
verdict $? 'a line of 200,000 digits'
shows 'that is too long' 'is refused'
type_in '' practice nonsuch
exits 2 'no such lesson'
type_in '' practice mini.lh --step nonsuch
exits 2 'no such step'
type_in '' practice mini.lh --step Q
exits 2 'a given step'
type_in '' practice mini.lh --seed x
exits 2 'a seed that is no number'

# ---- another day ----
fresh
type_in "$S\nh\nq\n" practice mini.lh
type_in "$Z\n" practice mini.lh
shows "in the lesson's own numbers, 1 done." 'the sheet is taken up'
shows 'Step 2 of 3   Z' 'where it was'
hides 'Step 1 of 3' 'and not from the start'
type_in 'h\nq\n' practice mini.lh
shows 'Step 3 of 3   P' 'and once more'
type_in "$P\n" practice mini.lh
shows '3 of 3 steps' 'finished'
type_in 'q\n' practice mini.lh
shows 'in the numbers of seed 1.' 'the next sheet has other numbers'
type_in 'x\nn\nx\ny\nq\n' practice mini.lh --seed 0
shows 'Begin this sheet again, with nothing on it? y/n n' 'a reset asks'
type_in 'q\n' practice mini.lh --step P --seed 0
shows 'Step 3 of 3   P = softmax(Z)' 'one step alone'
shows 'Z   -0.0283  -0.3606;  0.5657  0.3606' 'with what it needs'
type_in "$P\n" practice mini.lh --step P --seed 0
shows 'P: done' 'and it ends with that step'
exits 0 'one step'

# ---- several lines, several examples ----
fresh
type_in '1 0\n0 1\n1 0;1 0 | 0 1; 1 0\n{example 1} = 1 0; 1 0\n0 1\nn\n' practice ex4
shows 'X{example 0}[1]> 0 1' 'a matrix over two lines'
shows 'X{example 1}> ' 'an example after the other'
shows 'X{example 2}[1]> n' 'a command ends a matrix'

# ---- progress ----
fresh
type_in '' progress
exits 0 'no progress yet'
shows 'Nothing has been practised yet' 'and it says so'
test ! -e data
verdict $? 'looking makes nothing'
type_in '' progress --json
is_json 'JSON without anything' out
type_in "0,04 0.51; 0.80 0.51\n$S\n" practice mini.lh
type_in '' progress
shows 'To repeat, in other numbers' 'progress: what to repeat'
shows "longhand practice $work/mini.lh --step S" 'and how'
type_in '' progress --json
shows '"repeat": [{"lesson":' 'JSON'
type_in '' progress --export all.jsonl
exits 0 'export'
test "$(wc -l <all.jsonl)" = 2 && grep -q '"raw": "0,04 0.51; 0.80 0.51"' all.jsonl
verdict $? 'a line for each attempt, as typed'
type_in '' progress --export none/all.jsonl
exits 2 'export into nowhere'
type_in '' progress --reset
exits 2 'reset where nobody can be asked'
warns '--yes' 'needs --yes'
type_in '' progress --reset --yes
exits 0 'reset'
ls data/progress-until-*.db >/dev/null 2>&1
verdict $? 'keeps a copy'
type_in '' progress
shows 'Nothing has been practised yet' 'and forgets'

# ---- the list of steps ----
fresh
COLUMNS=60
type_in 'go 14\n1\nl\n' practice ex3
printed 'the list of steps at 60 columns has whole formulas' 0 '   19   dlogits = probs - onehot(target, cols(probs))' \
    '   41   probs.s@1 = rowsum(e)'
shows '14 ✗ probs.m = rowmax(logits)  to correct: slip of the pen' '... and how they stand'
COLUMNS=80

# ---- the list of lessons ----
fresh
"$longhand" >before 2>&1
type_in '1 0; 0 1\n' practice ex1
COLUMNS=100 "$longhand" >out 2>err
shows '▸ ex1' 'longhand alone: a lesson begun'
shows '1 of 17 steps   longhand practice ex1' 'how far, and how to go on'
silent 'longhand alone'
shows 'continue with: longhand practice ex1' 'the sheet that waits'
shows 'II. The six examples' 'the part it is in'
test "$(wc -l <out)" -le 23; verdict $? 'longhand alone fits one screen'

# A file of one's own whose path has a space: what is shown can be copied into a shell.
fresh
cp "$root/lessons/ex6.md" 'my own.md'
type_in 'h\nh\nh\nh\nq\n' practice 'my own.md' --step 'h[0].A.P'
shows "longhand practice '$PWD/my own.md' --step 'h[0].A.P'" 'how to go on, quoted'
type_in '1 0; 0 1\nq\n' practice 'my own.md'
"$longhand" >out 2>err
shows "continue with: longhand practice '$PWD/my own.md'" 'longhand alone, quoted'
run progress
shows "continue with: longhand practice '$PWD/my own.md'" 'progress, quoted'
shows "longhand practice '$PWD/my own.md' --step 'h[0].X'" '... and what is due'
run read 'my own.md'
shows "longhand exercise 'my own.md' 1" 'read, quoted'
shows "longhand sheet 'my own.md'" '... and its sheet'
rm 'my own.md'
"$longhand" >out 2>err
shows 'longhand read start' 'a file that is gone is not what to go on with'
run progress
grep -q 'continue with' out
test $? -eq 1
verdict $? '... nor in progress'
fresh
COLUMNS=60 "$longhand" >out 2>err
shows 'begin with: longhand read start' 'for somebody new'
test "$(wc -l <out)" -le 23 && test "$(wc -L <out)" -le 80; verdict $? '... and fits'
run help lessons
exits 0 'every lesson by name'
shows 'xor-relu'
shows 'ex6-causal'

# ---- a file that cannot be written or read ----
fresh
: >data
type_in "$S\n$Z\n$P\n" practice mini.lh
exits 0 'no place to save'
shows '3 of 3 steps, 12 of 12' 'practice works all the same'
test "$(grep -c 'progress is not saved' err)" = 1
verdict $? 'and says so once'
rm -f data
mkdir data
echo 'this is no database, and it is long enough to be looked at as one by those who read a header' >"data/progress.db"
type_in "$S\n" practice mini.lh
exits 0 'a damaged file'
warns 'progress is not saved' 'is said'
grep -q 'this is no database' "data/progress.db"
verdict $? 'and not touched'
type_in '' progress
exits 2 'progress of a damaged file'
type_in '' progress --reset --yes
exits 0 'it is reset'
grep -q 'this is no database' data/progress-damaged-*.db
verdict $? 'by giving it another name'

# No file may be longer than 4 kB: as on a full disk, what is saved already stays.
fresh
type_in "$S\n" practice mini.lh
(
    trap '' XFSZ
    ulimit -f 8
    printf '%b' "$Z\n$P\n" | "$longhand" practice mini.lh >out 2>err
)
verdict $? 'a full disk: practice goes on'
shows '3 of 3 steps, 12 of 12' 'to its end'
test "$(grep -c 'progress is not saved' err)" = 1
verdict $? 'it is said once'
warns '2 attempts could not be saved' 'and at the end how much was lost'
type_in "$Z\n$P\n" practice mini.lh
shows '1 done.' 'what was saved before is there'
type_in '' progress --export -
test "$(wc -l <out)" = 3
verdict $? 'and with room it goes on'

# A gradient is asked with the values that it reads and the lines between: not with those that led to these values.
fresh
{
    printf '# Soft\n\n```longhand\nparam s = [2 1 0.2]\nconst g = [1 -2 0.5]\np = softmax(s)\nL = sum(g * p)\nbackward L\n```\n\n'
    printf '```sheet\nds\n```\n'
} >soft.md
type_in 'q\n' practice soft.md
shows '    p.grad.dot = rowsum(dp * p)' 'a gradient: the line between'
shows '    p    0.6522  0.2399  0.1078' '... what it reads'
hides 'rowmax' '... and not how that came about'
shows '1 step in the' 'one step is one step'

# Where no folder can be made, whoever asks: the reason is said, not its result.
if test -d /sys && test -f data/progress.db; then
    LONGHAND_DATA=/sys/longhand type_in '0 0\n' practice ex1
    warns 'progress is not saved: /sys/longhand/progress.db: '
    ! grep -q 'No such file' err
    verdict $? '... and why'
fi
finish
