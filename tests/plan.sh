#!/bin/sh
# longhand graph --plan from the outside: the plans of two programs as text, their width, and what is refused.
#
# After a change that is meant: COLUMNS=80 NO_COLOR=1 longhand graph ex3 --plan --backend fast >tests/plans/ex3-fast.txt
. "$(dirname "$0")/tap.sh"

for name in ex3-exact ex3-fast gpt-fast; do
    run graph "${name%-*}" --plan --backend "${name#*-}"
    diff "$root/tests/plans/$name.txt" out >err
    verdict $? "the plan $name is as it was"
done
run graph gpt --plan
diff "$root/tests/plans/gpt-fast.txt" out >err
verdict $? 'fast is the standard'

for name in ex3 gpt translator classic whitepaper; do
    for backend in exact wide fast; do
        run graph $name --plan --backend $backend
        test "$status" -eq 0 && ! grep -qE '^.{81,}$' out
        verdict $? "$name for $backend, 80 columns"
    done
done

run graph gpt --plan --all
test "$status" -eq 0 && ! grep -q ' of this turn ' out && grep -q 'h\[1\]\.dQ' out
verdict $? 'every turn with --all'
run graph gpt --plan --forward
test "$status" -eq 0 && grep -q 'attention ' out && ! grep -q 'attention, back' out && ! grep -q 'adam' out
verdict $? 'the way forward alone'
run graph gpt --plan --recompute
test "$status" -eq 0 && grep -q 'again: attention  *h\[0\]\.H ' out && grep -q 'h\[1\]: .* of this turn, 8 of them again ' out && ! grep -qE '^.{81,}$' out
verdict $? 'layers that are computed again for their gradients'
run graph gpt --plan --set layers=96 dim=12288 heads=96 context=2048
test "$status" -eq 0 && grep -q '^  in all  *[0-9]\{12,\}$' out
verdict $? 'a plan that fits into no memory'
run graph whitepaper --plan
test "$status" -eq 0
verdict $? 'a program without a loss'

# A const with a name in a file has its numbers from there, after the start: what is made of it is made in each run.
cat >frozen.lh <<'END'
vocab A B
input tokens : vocab*
input target : vocab*
example tokens = A B, target = B A
param E : vocab x 2 = [1 0; 0 1]
const W : 2 x 2 = [1 2; 3 4] as "w"
const C : 2 x 2 = [1 2; 3 4]
logits = E[tokens] @ (2 * W) @ (3 * C)
loss = average(mean(crossentropy(logits, target)))
backward loss
E := E - 0.1 * dE
END
run graph frozen.lh --plan
sed -n '/^At the start/,/^In every run/p' out >start
test "$status" -eq 0 && grep -q '3 \* C' start && ! grep -q '2 \* W' start && grep -q '2 \* W' out
verdict $? 'at the start only what is made of numbers of the program'

# A function of the prelude that is made anew costs those kernels alone that mean it: micro has a norm of its own, and a softmax changes attention.
run graph micro --plan
test "$status" -eq 0 && grep -q 'attention, back' out && grep -q 'adam' out
verdict $? 'a norm of its own leaves attention and adam their kernels'
{
    printf 'fn softmax(x)\n  y = x\nend\n'
    "$longhand" program micro
} >odd.lh
run graph odd.lh --plan
test "$status" -eq 0 && ! grep -q 'attention' out && grep -q 'adam' out
verdict $? 'a softmax of its own takes it from attention'

printf 'vocab A B\ninput tokens : vocab*\nparam E : vocab x 2 = 1\nX = E[tokens]\n' >bare.lh
refused 'a program without examples' 'has no example to run on' graph bare.lh --plan
refused 'an unknown evaluator' 'there is no evaluator gpu' graph ex3 --plan --backend gpu
grep -q 'one of exact, wide, fast' err
verdict $? 'and the known ones'
refused 'a plan as a drawing' '--plan is text' graph ex3 --plan -o x.svg
refused 'a plan as JSON' '--plan is text' graph ex3 --plan --json
refused 'layers again, but no plan' 'it needs --plan' graph gpt --recompute
refused 'layers again, of a program without' 'the program repeats no layers' graph ex3 --plan --recompute
refused 'layers again where all is kept' 'the evaluator exact keeps every value' graph gpt --plan --recompute --backend exact
refused 'layers again for no gradients' 'no gradient reads' graph gpt --plan --forward --recompute
refused 'an evaluator of no plan' 'needs --plan' graph ex3 --backend fast
finish
