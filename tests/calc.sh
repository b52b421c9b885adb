#!/bin/sh
# longhand calc and longhand check from the outside: what is printed, and the exit status.
. "$(dirname "$0")/tap.sh"

# pipe LINE...: calc reads them.
pipe() {
    printf '%s\n' "$@" | "$longhand" calc >out 2>err
    status=$?
}

# One shot.
run calc 'softmax([2 1 0.2])'
printed 'a value with its steps' 0 'ans = softmax([2 1 0.2])' '    m = rowmax(x)                 2' \
    '    e = exp(x - m)                1 0.367879 0.165299' '    y = e / s' '      0.65224  0.239946  0.107815'
run calc 'a = [1 2; 3 4]' 'a @ a^T'
printed 'several statements' 0 'ans = a @ a^T' '    [1]   11   25'
run calc '3 + 4' 'ans * 2' 'ans + ans'
printed 'ans is renewed' 0 'ans = ans2 + ans2' '    28'
run calc '3 + 4' 'ans * 2' 'undo' 'ans'
printed 'undo gives the ans before back' 0 '    7'
run calc '[1 1e-20]'
printed 'a number that was typed is no dust of rounding' 0 '        1  1e-20'
run calc '[1e20 1] * 2'
printed 'nor is 2, beside 2e20' 0 '      2e20    2'
run calc 'sin([3.141592653589793 1])'
printed 'what rounding leaves of a 0 is' 0 '        0  0.841471'
run calc '1 / 3' --digits 3
printed 'digits' 0 '    0.333'
run calc 'a = 1' 'b = a +'
printed 'an error in the text has its place and its mark' 2 '    b = a +'
run calc '[1 2] @ [3 4]'
printed 'an error of shapes' 2 'calc:1:1: [1 2] @ [3 4]: 1x2 by 1x2: inner sizes differ (2 and 1)' '    ^~~~~~~~~~~~~'
run calc 'a = 1' 'a = 2'
printed 'a name is made once' 2 'calc:2:1: a is already defined, in line 1' '    a = 2'
run calc 'param W = [1 2; 3 4]' 'L = sum(W * W)' 'backward L' 'W := W - 0.1 * dW'
printed 'gradients and updates' 0 'W := W - 0.1 * dW' '    [1]  2.4  3.2'
run calc 'vocab A B' 'const E = [1 2; 3 4]' 'example B A' 'E[tokens]'
printed 'examples' 0 '    B    3    4'
run calc 'vocab A B' 'const E = [1 2; 3 4]' 'input tokens : vocab*' 'X = E[tokens]'
printed 'an example may come later' 0 'X = E[tokens]'

# As on paper, and what is likely not meant.
refused '× between two matrices, with both cures' 'A @ B is the matrix product, A * B goes cell by cell' \
    calc 'A = [1 2; 3 4]' 'B = [1 0; 0 1]' 'A × B'
refused '... of two rows' '[1 2 3] · [1 2 3] is the dot product' calc '[1 2 3] × [1 2 3]'
refused '... that fit only turned' 'A @ B^T is the matrix product' calc 'A = [1 2 3; 4 5 6]' 'B = [1 2 3; 4 5 6]' 'A × B'
run calc '2 × [1 2; 3 4]'
printed '× with a number' 0 '    [1]    6    8'
run calc '[1 2 3] · [4 5 6]'
printed '· of two rows is the dot product' 0 'ans = [1 2 3] @ [4 5 6]^T' '    32'
run calc '[1; 2; 3] ⋅ [4; 5; 6]'
printed '· of two columns' 0 '    32'
refused '· of rows that differ' 'sizes differ (3 and 2)' calc '[1 2 3] · [4 5]'
run calc '[1 2; 3 4] · [4 5; 6 7]'
printed '· of two matrices is the matrix product' 0 '    [1]   36   43'
run calc 'softmax([1 -inf])'
printed '-inf in a matrix' 0 '    e = exp(x - m)                1 0' '        1    0'
run calc '[7 - 9]'
tried 'a minus between spaces: the cure has the numbers that were typed' 0 'for these write 7 -9, for the difference its value'
run calc '[1 - 2]'
tried 'a minus between spaces gets a note' 0 'calc:1:2: note: this is read as two numbers, 1 and -2: for these write 1 -2' \
    '     ^~~~~' 'ans = [1 -2]'
run calc '[3-1 2]'
tried 'a minus without spaces, too' 0 'calc:1:2: note: this is read as two numbers, 3 and -1: for these write 3 -1' '     ^~~' 'ans = [3 -1 2]'
run calc '[0,5 1,5]'
tried 'a decimal comma gets a note' 0 'calc:1:2: note: a comma separates two numbers, so this row has 4: a decimal number has a point, 0.5'
for matrix in '[3 -1 2]' '[3, -1]' '[3,-1; 0,5]' '[-1 2; -3 4]' '[1, 2, 3]' '[1,2;3,4]' '[1.5,2 3]'; do
    run calc "$matrix"
    tried "no note on $matrix" 0 'ans = '
    silent "$matrix"
done
run calc '[0,5 1,5; 1 2]'
tried 'a decimal comma in rows of different lengths' 2 'row 2 has 2 numbers, the first row has 4' 'a decimal number has a point'
run calc '1,5 + 2'
tried 'a decimal comma outside a matrix' 2 'a decimal number has a point: 0.5'
run calc '[1 -2; 3, - 4]'
silent 'minus signs that are clear'
run calc 'rmsnorm([1 2])'
printed 'the x that one function hands to another is not the x above it' 0 '    x = [1 2]' '    v.x = x * x                   1 4'
run calc '1 + rmsnorm([1 2])'
printed '... inside a formula, too' 0 '    x = [1 2]' '    v.x = x * x                   1 4'
run calc '-log(0.7)'
printed 'a formula may begin with a minus' 0 'ans = -log(0.7)' '    0.356675'
run calc -- '-1 + 3'
printed 'behind -- as well' 0 '    2'
refused 'two rows' 'the dot product of two rows is [1 2 3] · [4 5 6], or [1 2 3] @ [4 5 6]^T' calc '[1 2 3] @ [4 5 6]'
refused 'two columns' 'the dot product of two columns is [1; 2] · [3; 4], or [1; 2]^T @ [3; 4]' calc '[1; 2] @ [3; 4]'
refused 'two rows of different lengths' 'a dot product needs as many numbers on the left as on the right' calc '[1 2 3] @ [4 5]'
refused '... between which a dot stands' 'a dot product needs as many numbers on the left as on the right' calc '[1 2 3] · [4 5]'
refused 'a row and a number' '* multiplies cell by cell and by a number' calc '[1 2] @ 3'
refused 'a matrix and a row' 'did you mean [1 2]^T?' calc '[1 2; 3 4] @ [1 2]'
refused 'a sign of division' 'a quotient is written a / b' calc '5 ÷ 2'
refused 'ln' 'log(x) is the natural logarithm' calc 'ln(2)'
refused 'another base' 'log(x) / log(2) is the logarithm to base 2' calc 'log2(8)'
refused 'transpose' 'a transpose is written A^T' calc 'transpose([1 2])'
refused 'e' 'e^x is written exp(x)' calc 'e^2'
refused 'a name without a value' "longhand calc 'A = [1 2; 3 4]' 'A^T'" calc 'A^T'
run calc 2 + 3
tried 'a formula that the shell has split' 2 "quote the whole formula: longhand calc '2 + 3'"
touch one two
run calc 3 one two 4
tried 'a * that the shell has replaced' 2 "longhand calc '3 * 4'"
run calc 'a = 1' 'b +'
hides 'quote' 'quoted arguments are not told to be quoted'
! grep -q quote err; verdict $? '... nor in the message'
run calc '[1 2; 3 4]^-1'
tried 'a power of -1 is no inverse' 0 'calc:1:1: note: ^ works cell by cell, so this is not the inverse' '    ^~~~~~~~~~~~~'
run calc 'A = [1 2; 3 4]' '1 + A^2'
tried 'a square is no product' 0 'calc:1:5: note: ^ works cell by cell; the matrix product is A @ A'
for formula in '[1 2]^2' '2^2' '[1 2; 3 4]^0.5' '([1 2; 3 4] - 1)^2'; do
    run calc "$formula"
    silent "$formula"
done
refused 'an option that is not there' 'did you mean --digits?' calc --digts 3 1
refused 'nll with a target out of range' 'there is no column 5: columns count from 0, in whole numbers, and there are 2' \
    calc 'nll([0.1 0.9], 5)'
run calc 'a = [0 2]' 'nll([0.1 0.9], sum(a))'
tried '... that is computed' 2 'there is no column 2: columns count from 0 to 1'
refused 'a dropout rate over 1' 'the rate must be at least 0 and less than 1' calc 'dropout([1 2 3], 1.5)'
refused 'a dropout rate of 1' 'calc:1:1: dropout with a rate of 1 leaves out every number' calc 'dropout([1 2 3], 1)'
run calc 'coin([1 2 3], 0)'
tried 'a coin that never falls on 1 is none' 0 '0    0    0'
refused 'a dropout rate below 0' 'a probability must be between 0 and 1, but this one is 2' calc 'dropout([1 2 3], -1)'
refused 'const training' 'training already has a meaning' calc 'const training = 0'
run calc 'argmax([1 1 0; 0 1 2])'
printed 'a tie of argmax is said' 0 '    a tie in row 0: column 0 = column 1; the first is taken'
run calc 'argmax([1 0 2])'
hides 'tie' 'where there is none, none is said'
run calc 'vocab 1 2' 'const E = [1 2; 3 4]' 'example 2 1' 'E[tokens]'
printed 'words that are numbers have quotes before a matrix' 0 '         [0]  [1]' '    "2"    3    4'

# Questions.
run calc '?softmax'
tried 'a function of the prelude, with its rule' 0 'fn softmax(x)' 'grad softmax(x)' '    end'
run calc '?rowmax'
printed 'a primitive' 0 '    The largest number of each row.' '    rowmax([1 5 2; 7 0 3]) = [5; 7]'
run calc 'a = [1 2; 3 4]' 'P = softmax(a)' '?P[1][0]'
printed 'a cell' 0 'P[1][0] = 0.268941'
run calc 'a = [1 2; 3 4]' 'b = a * 2' '?b'
printed 'a name: formula, value, shape' 0 'b = a * 2' '    [1]    6    8' '    2x2'
run calc 'a = 1' '?a[3]'
tried 'a cell that is not there' 2 'there is no row 3 in a'
run calc '?sofmax'
printed 'a name that is not there' 2 'did you mean softmax?'

# A pipe.
pipe 'softmax([1 2])'
printed 'a pipe' 0 'ans = softmax([1 2])' '      0.268941  0.731059'
pipe 'a = [1 2;' '3 4]' 'fn f(x)' '  # squares' '' '  y = x * x' 'end' 'f(a)' 'list'
printed 'brackets and blocks over several lines' 0 'ans = f(a)' '    [1]    9   16' '   8  ans = f(a)'
pipe 'a = 1' 'oops(a)' 'a + 1'
printed 'the first error ends a pipe' 2 'calc:2:1: there is no function oops'
hides 'ans = a + 1' 'nothing runs behind the error'
pipe 'a = 1' 'quit' 'oops'
printed 'quit' 0
pipe 'list' 'undo'
printed 'nothing to list, nothing to undo' 0 '    nothing yet' '    nothing to undo'
pipe '1 + 1' 'ans = ans + 1' '?ans' 'undo' 'ans'
printed 'ans may be made by name' 0 'ans = ans1 + 1' '    3' '    2'

# check
cat >right.lh <<'END'
param W = [1 2; 3 4]
P = softmax(W)
L = sum(P * P)
backward L
END
cat >wrong.lh <<'END'
fn f(x)
  y = x * x
end
grad f(x)
  dx = dy * x
end
param W = [1 2]
L = sum(f(W))
backward L
END
echo 'a = [1 2] @ [3 4]' >broken.lh
run check right.lh
printed 'check: all is well' 0 'all is well'
run check wrong.lh
printed 'check: a wrong rule' 1 '  dW[0]   (line 7)' 'not all is well'
run check broken.lh
printed 'check: cannot run' 2 '    a = [1 2] @ [3 4]'
run check right.lh --json
printed 'check --json' 0
if ! command -v python3 >/dev/null; then
    skip 'the JSON' 'there is no python3'
else
    python3 -c '
import json, sys
d = json.load(open("out"))
assert d["ok"] and d["loss"] == "L" and d["rules"] == "softmax"
assert {f["check"] for f in d["findings"]} == {"numbers", "softmax", "wide", "differences", "rules"}
assert all(f["ok"] and f["error"] <= f["limit"] for f in d["findings"] if f["check"] != "numbers")' 2>err
    verdict $? 'the JSON'
fi
finish
