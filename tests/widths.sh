#!/bin/sh
# At 60, 80 and 120 columns no line is wider than the screen: traces, graphs and costs of every program of the course.
. "$(dirname "$0")/tap.sh"

names=$(ls "$root"/lessons/*.md "$root"/models/*.lh | sed 's,.*/,,; s,\.[a-z]*$,,' | grep -vx 'index')
echo x | wc -L >/dev/null 2>&1 || { skip 'widths' 'wc has no -L' && finish; }

# fits WIDTH WORD...: what is printed is no wider.
fits() {
    tap_width=$1
    shift
    COLUMNS=$tap_width "$longhand" "$@" >out 2>err </dev/null
    test "$(wc -L <out)" -le "$tap_width" && return
    echo "# longhand $*, at $tap_width columns: $(awk -v n="$tap_width" 'length($0) > n' out | head -n 1)"
    return 1
}

for width in 60 80 120; do
    for command in run graph cost; do
        bad=0
        for name in $names; do
            fits $width $command "$name" || bad=1
        done
        verdict $bad "$command at $width columns"
    done
done

for width in 60 80 120; do
    bad=0
    for name in ex4 translator de-nada; do
        fits $width run $name --table || bad=1
    done
    verdict $bad "run --table at $width columns"
done

for width in 60 80 120; do
    fits $width mistakes && fits $width help lessons
    verdict $? "the mistakes and the lessons at $width columns"
done

# Help: what may be longer is a command on a line of its own, which is there to be copied.
for width in 60 80 120; do
    bad=0
    for command in $(sed -n 's/^COMMAND(\(.*\))$/\1/p' "$root/src/cli/commands.def"); do
        COLUMNS=$width "$longhand" help "$command" >out 2>err
        awk '!/^  [^ -]/ || substr($0, 3) ~ /  /' out >help
        test "$(wc -L <help)" -le $width || { echo "# help $command: $(awk -v n=$width 'length($0) > n' help | head -n 1)"; bad=1; }
        grep -q ' $' out && echo "# help $command: a blank at the end of a line" && bad=1
    done
    verdict $bad "help at $width columns"
done
COLUMNS=80
run help mark
sed -n 's/^\(......\)--.*/\1/p' out | sort -u >left
printf '      \n  -o, \n' | cmp -s - left
verdict $? 'options stand below each other, with a letter before them or without'

# What is typed, and what is answered: no line is wider than the screen, however long the words were.
typed='many words that are no number at all, and no command\ngo nowhere\n?\nh\nh\nh\nl\nn\nb\nq\n'
for width in 60 80 120; do
    export COLUMNS=$width LONGHAND_DATA=$work/kept-$width
    bad=0
    fits $width || bad=1
    for name in ex1 ex3; do
        # shellcheck disable=SC2059  # line ends
        printf "$typed" | "$longhand" practice $name >out 2>err
        awk '!/^[^ ]*> /' out >answered
        test "$(wc -L <answered)" -le $width || { echo "# practice $name: $(awk -v n=$width 'length($0) > n' answered | head -n 1)"; bad=1; }
        # shellcheck disable=SC2059
        printf "$typed" | "$longhand" exercise $name >out 2>err
        awk '!/^[^ ]*> /' out >answered
        test "$(wc -L <answered)" -le $width || { echo "# exercise $name: $(awk -v n=$width 'length($0) > n' answered | head -n 1)"; bad=1; }
    done
    verdict $bad "longhand alone, practice and exercise at $width columns"
done
LONGHAND_DATA=$work/data
COLUMNS=80
run run ex4 --set rate=1 --steps 3000
tried 'the numbers of a training have a column each' 0 '    1000     1000   0.00008173852929  0.0003182'
run run de-nada
tried 'a formula and its value stand two blanks apart, or on two lines' 0 '    y.logsoftmax = logsoftmax(logits)'
! grep -E '^    [^ ]+ = .*[^ ] -?[0-9.]+ -?[0-9.]+ ' out | grep -vE '  +-?[0-9]' | grep -q .
verdict $? '... everywhere'
printf 'a = 1\n' >mine.lh
run run mine.lh
printed 'a program without a title leaves no blanks behind its name' 0 'mine.lh'
run run ex1 --input 'A B B -> C' --input 'B A B -> C' --to logits
tried 'a trace that ends early shows the other examples, too' 0 'example 1   B A B -> C' \
    '    logits     0.00331764 0 0.00668236 0'
refused 'a table needs words' 'scores words' run xor-line --steps 40 --table
refused 'a mistake of no single step' 'leave out @L' run ex2 --mistake not_recomputed@L
printf 'const X = [-0.3 0.9; 1 1]\nconst W = [0.3 2; 0.1 1]\nV = X @ W\nH = [0.5 0.5] @ V\n' >dust.lh
run explain dust.lh 'H[0]'
tried 'what rounding leaves of a 0 is 0 in a formula, too' 0 '= 0.5 * 0 + 0.5 * 0.4 = 0.2'
printf 'vocab A B C\nexample A -> C\nconst E = [80 0 -1; 0 1 0; 0 0 1]\nlogits = E[tokens]\np = softmax(logits)\nL = -log(pick(p, target))\nr = 1 / p\n' >small.lh
run explain small.lh L
tried 'a small number is none that rounding left: its logarithm' 0 '-log(6.63968e-36) = 81'
run explain small.lh 'r[2]'
tried '... and what is divided by it' 0 '1 / 6.63968e-36 = 1.5061e35'
run explain ex4 WO@1
tried 'an address without a cell says which one it takes' 0 'WO[0][0]@1 = 0.098325'
run run ex2 --mistake uphill --steps 3
tried 'the mistake is named above what it does to the training' 0 'trained with the mistake uphill'
finish
