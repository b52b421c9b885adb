#!/bin/sh
# longhand read without a terminal: lines, contents, and what is said about lessons that are wrong.
. "$(dirname "$0")/tap.sh"

run read "$root/tests/lessons/everything.md"
exits 0 'the sample'
for text in '══' '15 minutes; read first: ex1' 'QKᵀ/√dₖ' 'The weight is 0.4982, with six digits 0.498232' '25.63%' 'from 2017[1].' \
    '[1]  Vaswani' 'softmax⎜' '• inner one' '⎡ 0.501768  0.498232 ⎤' 'e[1][0] = exp(Z[1][0] - m[1])' 'Backward' '◂ target' \
    '1 of 1 right' 'all is well' 'd P[1][c] / d Z[1][k]' 'Exercise 1. The scores' 'b) The loss stays.' 'everything.md 3' \
    'Next: longhand read ex2' 'wrong: P = A'; do shows "$text"; done
hides '{{'
hides '```'
grep -q "$(printf '\033')" out
test $? = 1; verdict $? 'no escape sequences in a file'

run read ex1 --width 60
exits 0 'a lesson'
shows 'Example 1: the forward pass'

run read ex4
shows 'dWO{example 1} = 0 ⎡ 0.025188 '
run read ex1 --width 60
test "$(wc -L <out)" -le 60; verdict $? 'no line is wider than the page'
shows '              = exp(0 - 0.00707107) = 0.992954'
run graph ex3 --forward
shows 'P = softmax(Z)'
hides 'Backward'
hides 'rate'

run read xor-relu
exits 0 'a model'
shows "$(grep '^const\|^param\|^[a-z]* *=' "$root/models/xor-relu.lh" | head -1 | cut -c1-8)"

run read --contents
exits 0 'contents'
shows 'II. The six examples'
shows 'ex1'
hides 'ex2-partial'

run read
shows "$(sed -n '/^[a-z]/{/^part/!p}' "$root/lessons/contents.txt" | while read -r name; do
    test -f "$root/lessons/$name.md" && sed -n '1s/^# //p' "$root/lessons/$name.md" && break
done)"

# What is wrong is said with file and line, and nothing is printed.
wrong() { # NAME LINE TEXT MESSAGE...
    name=$1 line=$2
    printf '%b' "$3" >"$name.md"
    shift 3
    run read "$name.md"
    exits 2 "$name"
    warns "$name.md:$line:"
    for text; do warns "$text"; done
}
wrong bytes 3 '# T\n\n$a^2$\0231\0231\0231\n' 'this does not look like text' 'UTF-8'
wrong html 3 '# T\n\n<b>x</b>\n' 'cannot contain HTML'
wrong image 3 '# T\n\n![x](y.png)\n' 'cannot contain image'
wrong formula 3 '# T\n\n$\\nosuchcommand$\n' 'nosuchcommand'
wrong claim 7 '# T\n\n```longhand\nconst A = 1\n```\n\nIt is {{A > 2}}\n' '2'
wrong number 7 '# T\n\n```longhand\nconst A = 1\n```\n\nIt is {{B}}\n' 'B'
wrong show 8 '# T\n\n```longhand\nconst A = 1\n```\n\n```show\nmatrix B\n```\n' 'B'
wrong unclosed 3 '# T\n\n```longhand\nconst A = 1\n' '```'
wrong twins 9 '# T\n\n```longhand a\ny = 1\n```\n\nText.\n\n```longhand a\ny = 2\n```\n' 'two programs are called a: here and in line 3'
run read nosuch
exits 2 'no such lesson'
warns 'neither a lesson nor a file'
run read ex1 --contents
exits 2 'both'
run read ex1 --width 20
exits 2 'too narrow'

# Probabilities in one block of pictures: an equal share is a bar of equal length.
run read softmax
sed -n '/T = 0.25: sharp/,$p' out >block
longest() { awk -v row="    0 $1 " 'index($0, row) == 1 { print gsub(/█/, ""); exit }' block; }
test "$(longest 0.9813)" -gt 50 -a "$(longest 0.6522)" -eq $(($(longest 0.9813) * 6522 / 9813))
verdict $? 'bars of probabilities below each other have one scale'

finish
