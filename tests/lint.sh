#!/bin/sh
# longhand lint, through the program: what it prints, and its exit status.
. "$(dirname "$0")/tap.sh"

{
    printf '# Good\n\n```lesson\nminutes 5\n```\n\n'
    printf '```longhand\nx = [1 1] @ [1; 1]\n```\n\nIt is {{x}}. {{x == 2}}\n'
} >good.md
run lint good.md
tried 'a good lesson' 0 'good.md: all is well: 1 number, 1 claim, 0 exercises'
test "$(wc -l <out)" -eq 1 && test ! -s err
verdict $? '... in one line'

sed 's/x == 2/x == 3/; s/minutes 5/minuets 5/' good.md >bad.md
printf '\n```show\nheet x\n```\n\n0.123\n' >>bad.md
run lint bad.md
tried 'every problem with its place' 1 'bad.md:4:1: a lesson block says' 'did you mean minutes?' \
    'bad.md:11:14: the claim x == 3 is false: 2 is not = 3' 'bad.md:14:1: a show block knows no "heet"' \
    'did you mean heat?' 'bad.md:17:1: 0.123 is typed' 'bad.md: 4 problems, 1 warning'

run lint good.md bad.md
tried 'several files' 1 'good.md: all is well' 'bad.md: 4 problems'
run lint no-such-file.md good.md
tried 'a file that cannot be read' 2 'no-such-file.md' 'good.md: all is well'
run lint --json bad.md
tried 'as JSON' 1 '"line": 14' '"is_warning": false' '"cure": "did you mean heat?"' '"claims": 1'
run lint
tried 'the course' 0 'lessons/ex1.md' 'lessons/ex6-wide.md'
printf '# Open\n\n```longhand\nx = 1\n' >open.md
run lint open.md
tried 'a block without an end' 1 'open.md:3:1: the longhand block that begins here has no end'
mkdir sub
printf '# A\n\n```use\nb = other\n```\n\n{{b:x == 2}}\n' >sub/a.md
run lint sub/a.md
tried 'a neighbour that is not there' 1 'sub/a.md:4:5: there is no program named other'
cp good.md sub/other.md
run lint sub/a.md
tried 'a neighbour' 0 'sub/a.md: 1 warning'
run run bad.md
tried 'other commands take the program alone' 0 'x = [1 1] @ [1; 1]'
finish
