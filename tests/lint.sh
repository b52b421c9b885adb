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
tried 'every problem with its place' 1 'bad.md:4:1: a lesson block has' 'did you mean minutes?' \
    'bad.md:11:14: the claim x == 3 is false: 2 is not = 3' 'bad.md:14:1: a show block has no "heet"' \
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

# What read, book, sheet and exercise refuse, with its line; all of it, not the first thing alone.
head='# L\n\n```lesson\nminutes 5\n```\n\n```longhand\nconst A = [1 2; 3 4]\nx = A * 2\n```\n\n'
{
    printf "$head"
    printf 'A $\\frac{1}{2$ and $\\foo x$.\n\n![alt](a.png) and ![alt](b.png)\n\n<b>bold</b>\n\n'
    printf '[a](ex11) [b](#nowhere) [c](matrices.md) [d](#a-heading) [e](https://example.org) [f](ex1) [g](javascript:x)\n\n## A heading\n\n'
    printf '```show\nmatrix x   # a caption with $\\bar$\n```\n\n'
    printf '```exercise predict\ntitle: One\nchoice: $\\frac{1$ | x[0][0] == 2\nchoice: b | x[0][0] == 3\n\nWhich?\n\nSee [x](ex12).\n```\n'
} >page.md
run lint page.md
tried 'formulas, images, HTML, links' 1 'page.md:12:12: this { is never closed' 'page.md:12:21: there is no command \foo' \
    'page.md:14:1: a lesson cannot contain image files' 'page.md:16:1: a lesson cannot contain HTML' 'page.md:18:5: the link to "ex11" leads to no lesson' \
    'did you mean ex1?' 'page.md:18:15: the link to "#nowhere": there is no heading #nowhere' \
    'page.md:18:29: the link to "matrices.md" leads to no lesson' '[words](matrices)' 'the link to "javascript:x" leads to no lesson' \
    'page.md:23:' 'page.md:28:' 'page.md:33:9: the link to "ex12" leads to no lesson'
test "$(grep -c 'a lesson cannot contain image' out)" -eq 1 && ! grep -q 'a-heading\|example.org\|"ex1"' out
verdict $? '... each once, and nothing that is right'
for command in read 'book -o bk --only'; do
    run $command page.md
    test $status -eq 2
    verdict $? "... ${command%% *} refuses it"
done

printf "$head"'[a](ex11)\n' >link.md
run book -o bk --only link.md
tried 'book says where the link is' 2 'link.md:12:5: the link to "ex11" leads to no lesson of the book'

# A program that is wrong is told once, at its line, however often it is used; sheet says the same line.
{
    printf '# L\n\n```lesson\nminutes 5\n```\n\n```longhand\nconst A = [1 2; 3 4]\nconst r = 2\nx = A @ [1 2 3]\ny = x * r\n```\n\n'
    printf '```use\nfast = this --set r=3\nfresh = this --seed 7\n```\n\n{{x}} {{fast:y}} {{fresh:y == 1}}\n\n```show\nmatrix x\n```\n\n'
    printf '```exercise compute\nask: y\n\nWork it out.\n```\n\n```sheet\ny\n```\n'
} >wrong.md
run lint wrong.md
tried 'a wrong program' 1 'wrong.md:10:5: A @ [1 2 3]' 'wrong.md: 1 problem'
run sheet wrong.md
tried '... at the same line for sheet' 2 'wrong.md:10:5: A @ [1 2 3]'
printf "$head"'```sheet\nA\n```\n' >given.md
run lint given.md
tried 'a sheet that cannot be made' 1 'given.md:13:1: '
printf '# L\n\n```lesson\nminutes 5\n```\n\n```longhand\nvocab A B\nconst E = [1 2; 3 4]\ninput x : vocab*\nX = E[x]\n```\n' >none.md
run lint none.md
tried 'a lesson without a sheet' 0 'none.md:8:1: warning: no sheet can be made: the program has no example to run on'

# The mistakes that a sheet adds: one that cannot be read, and one that no line allows.
sheet="$head"'```sheet\nx\nmistake doubled forward "not doubled" see matrices  w * 2 => w\n'
printf "$sheet"'```\n' >own.md
run lint own.md
tried 'a mistake of its own' 0 'own.md: all is well'
printf "$sheet"'mistake halved forward "halved" see since-gpt2  w * 2 => w / 2\nmistake turned forward "the sign" see next-word -w => w\n```\n' >joined.md
run lint joined.md
tried 'a mistake that a lesson with a hyphen explains' 0 'joined.md:16:1: warning: turned cannot be made' 'joined.md: 1 warning'
run mistakes joined.md halved --json
tried '... by that name' 0 '"see": "since-gpt2"'
printf "$sheet"'mistake split forward "split" see next-words  w * 2 => w\n```\n' >nowhere.md
run lint nowhere.md
tried 'a mistake that no lesson explains' 1 'nowhere.md:15:1: see: there is no lesson next-words' 'did you mean next-word?'
printf "$sheet"'mistake split forward "split" see two -words-  w * 2 => w\n```\n' >unread.md
run lint unread.md
tried 'a mistake that cannot be read' 1 'unread.md:15:' 'unread.md: 1 problem'
printf "$sheet"'mistake rooted forward "no root" see matrices  sqrt(w) => w\n```\n' >unmade.md
run lint unmade.md
tried 'a mistake that cannot be made' 0 'unmade.md:15:1: warning: rooted cannot be made in any line of this lesson'

# What is left open is named.
printf "$head"'It is {{x and then.\n\nMore {{x[0][0]}}.\n' >insert.md
run lint insert.md
tried 'an open insert' 1 'insert.md:12:7: {{x and then. has no }}' 'insert.md: 1 problem'
printf "$head"'```show\nmatrix x\n\nText.\n\n```longhand two\nB = 1\n```\n' >fence.md
run lint fence.md
tried 'an open fence' 1 'fence.md:12:1: the show block that begins here has no end before line 17, where another one begins' 'fence.md: 1 problem'
finish
