#!/bin/sh
# What is wrong, through the program: exit status 2, a message on stderr, nothing on stdout, no crash.
. "$(dirname "$0")/tap.sh"

text() { # FILE LINES...
    file=$1
    shift
    printf '%s\n' "$@" >"$file"
}

refused 'a missing file' 'no-such-file.lh' run no-such-file.lh
refused 'a folder' 'folder' run ./
: >empty.lh
printf '\0\1\2\377\376garbage\n' >garbage.lh
refused 'binary garbage' '' run garbage.lh
head -c 65536 /dev/urandom >random.lh
refused 'random bytes' '' run random.lh
awk 'BEGIN { printf "x = 1"; for (i = 0; i < 250000; i++) printf " + 1"; print "" }' >long.lh
refused 'a line of a megabyte' '' run long.lh
awk 'BEGIN { printf "x = "; for (i = 0; i < 10000; i++) printf "("; print "1" }' >deep.lh
refused 'brackets 10000 deep' 'deep' run deep.lh
text repeat.lh 'repeat h for 1000000000' '  x = 1' 'end'
refused 'a repeat without end' 'too many' run repeat.lh
text self.lh 'fn f(x)' '  y = f(x)' 'end' 'z = f(1)'
refused 'a function that calls itself' 'calls itself' run self.lh
text twins.md '# Twins' '' '```longhand' 'x = 1' '```' '' '```longhand a' 'y = 1' '```' '' '```longhand a' 'y = 2' '```'
for command in run sheet check cost; do
    refused "$command: two programs of one name" 'twins.md:11:1: two programs are called a: here and in line 7' $command twins.md
done
text named.md '# Named' '' '```longhand a' 'y = 1' '```'
refused 'no program but a named one' 'no program of its own' run named.md
text name.lh 'weight = [1 2; 3 4]' 'y = wieght @ weight'
refused 'an unknown name' 'did you mean weight?' run name.lh
text forgot.lh 'param w = 1' 'L = w * w' 'w := w - 0.1 * dw'
refused 'a gradient without backward' 'dw is not defined here' run forgot.lh
warns '`backward` computes the gradient of w, and must come first'
text const.lh 'const c = 1' 'param w = 1' 'param v = 1' 'L = w * c' 'backward L' 'w := w - 0.1 * dc'
refused 'the gradient of a const' 'dc is not defined here' run const.lh
warns 'c does not learn: a const, or a param that is frozen, has no gradient'
refused 'a frozen param whose gradient the program reads' 'dWO is not defined here' run ex4 --freeze WO
warns 'WO does not learn'
text unused.lh 'param w = 1' 'param v = 1' 'L = w * w' 'backward L' 'v := v - 0.1 * dv'
refused 'the gradient of what the loss does not read' 'dv is not defined here' run unused.lh
warns 'v has no gradient: it does not affect the loss'
refused 'the gradient of a const is asked for' 'there is no step named dWQ' explain ex2 'dWQ[0][0]'
warns 'WQ does not learn'
refused 'a gradient is asked for where there are none' 'there is no step named dWO' explain ex1 'dWO[0][0]'
warns '`backward` computes the gradient of WO, and the program has none'
text shape.lh 'Q = [1 2 3; 4 5 6]' 'K = [1 2 3; 4 5 6]' 'S = Q @ K'
refused 'shapes that do not fit' 'inner sizes differ (3 and 2)' run shape.lh
refused 'the cure' 'did you mean K^T?' run shape.lh
text matrix.lh 'x = []'
refused 'an empty matrix' 'this matrix is empty' run matrix.lh
text list.lh 'A = [[1,2],[3,4]]'
refused 'a matrix as lists of lists' 'one pair of brackets, a ; between rows' run list.lh
text ended.lh 'A = [1 2; 3 4];' 'B = A'
refused 'a line that ends in a ;' 'a ; separates rows of a matrix; a line just ends' run ended.lh
text pair.lh 'A = [1 2; 3 4]' 'b = A[0,1]'
refused 'a row and a column in one bracket' 'a row and a column have a bracket each: A[1][0]' run pair.lh
text dash.lh 'a = 3' 'b = a–2'
refused 'a dash of printed text for a minus' '`–` is not part of the notation' run dash.lh
warns 'a minus is written -'
text token.lh 'vocab cat dog' 'example cat -> cow'
refused 'a token outside the vocabulary' '"cow" is not in the vocabulary' run token.lh
text ragged.lh 'vocab A B' 'input x : vocab*' 'input y : vocab*' 'example x = A, y = A B' 'const E = [1 2; 3 4]' \
    'z = E[x] + E[y]'
refused 'lengths that do not fit' 'sizes differ for example 0' run ragged.lh
text huge.lh 'param W : 1000000000 x 1000000000 = 0'
refused 'a matrix that no machine holds' 'too large' run huge.lh
text many.lh 'vocab 1000000000'
refused 'a vocabulary that no machine holds' 'too many' run many.lh
text twice.lh 'param W = [1 2]' 'L = sum(W)' 'backward L' 'backward L'
refused 'backward twice' 'only one `backward`' run twice.lh
text file.lh 'const W = file("numbers.txt")'
refused 'a file that a program names' 'numbers.txt' run file.lh
printf '1 2\n3\n' >numbers.txt
refused 'a file of numbers with a gap' 'line 2' run file.lh
text fine.lh 'x = [1 2; 3 4]' 'y = x @ x'
refused 'an unknown step' 'there is no step named zz' explain fine.lh 'zz[0][0]'
refused 'a turn that is not there' 'there is no step named h[9].X' explain ex6 'h[9].X[0][0]'
warns 'did you mean h[0].X?'
refused 'a step of a turn that is not there' 'there is no step named h[1].A.PP' explain ex6 'h[1].A.PP[0][0]'
warns 'did you mean h[1].A.P?'
for address in 'y[1][0]' 'y[ 1 ][ 0 ]' 'y [1] [0]' ' y {example 0} [1][0] '; do
    run explain fine.lh "$address"
    test "$status" -eq 0 && grep -q ' = 15$' out
    verdict $? "spaces in an address: '$address'"
done
for command in 'graph ex1' 'plot ex1 heat P'; do
    # shellcheck disable=SC2086  # several words
    refused "${command%% *}: a picture that is no SVG" 'drawings are written as SVG, not as png' $command -o x.png
    warns '-o x.svg;'
    gone x.png
done
refused 'a cell that is not there' 'there is no row 7' explain fine.lh 'y[7][0]'
refused 'an unknown command' 'there is no command runn' runn fine.lh
refused 'an unknown option' 'has no option --foo' run --foo fine.lh
refused 'a number that is none' 'whole number' run --digits many fine.lh
refused 'a setting that is none' 'NAME=VALUE' run --set nothing fine.lh
refused 'a setting of nothing' 'no such name' run --set zz=3 fine.lh
refused 'a setting that is no number' 'set rate:1:1: fast is not defined here' run ex4 --set rate=fast
warns 'a setting is a number, a matrix or a formula: rate=0.5, rate=[1 0; 0 1]'
refused 'a setting with a bracket left open' 'set rate:1:1: this bracket is never closed' run ex4 --set 'rate=[1 2'
refused 'a size that is a word' 'set layers:1:1: many is not defined here' run gpt --set layers=many
refused 'a table with one row' '1 row for the 4 words of vocab: too few' run ex4 --set E=7
refused 'an unknown command in a formula' 'did you mean \alpha' formula 'x + \alhpa'
refused 'a group left open in a formula' 'formula:1:6: this { is never closed' formula '\frac{a'
refused 'no formula' 'needs a formula' formula
refused 'two forms of a formula' 'not both' formula x --mathml --spoken
refused 'a formula in the notation' 'notation:1:' formula --notation 'x = (1 +'
refused 'two files' 'unexpected argument "fine.lh"' run fine.lh fine.lh

# A disk that is full: the status says that the output is not whole.
if test -w /dev/full; then
    "$longhand" run fine.lh >/dev/full 2>err
    status=$?
    test $status -eq 2 && grep -q 'cannot be written' err
    verdict $? 'a full disk'
fi

# Nothing at all is no error, and says nothing wrong.
run run empty.lh
test $status -le 2 -a $status -ne 1
verdict $? 'an empty file'

finish
