#!/bin/sh
# longhand errata from the outside: lists that fit the screen, one entry, one claim, JSON, and every command that it tells to type.
. "$(dirname "$0")/tap.sh"

# No line is wider than the screen; … counts as one column.
for width in 60 80 120; do
    COLUMNS=$width
    export COLUMNS
    "$longhand" errata >out 2>err && "$longhand" errata --claims >>out 2>>err &&
        ! sed 's/…/./g; s/✓/+/g' out | grep -q ".\{$((width + 1))\}"
    verdict $? "lists fit in $width columns"
    ! grep -q ' $' out
    verdict $? "no spaces at the ends of lines, $width columns"
done
COLUMNS=80

says 'counts' '  all           308      79     101      48      79' errata
test "$(grep -c '^ *\(exact\|rounds\|loose\|wrong\|beyond\)  ' out)" -eq 226
verdict $? 'every entry is listed'
says 'wrong ones alone' ' wrong  ex4-p2-loss      7.13                      1.389' errata --wrong
! grep -q '^ *\(exact\|rounds\|loose\|beyond\)  ' out
verdict $? 'no other among them'
says 'one entry: printed' '  printed      0.9975   0.0008   0.0008   0.0008' errata ex4-p2-pr
says 'one entry: exact' '  exact       0.25188  0.24937  0.24937  0.24937' errata ex4-p2-pr
says 'one entry: what to type' "  see       longhand explain ex4 'probs{example 1}[0]'" errata ex4-p2-pr
says 'by the name of one place' "  see       longhand explain ex4 'probs{example 1}[0]'" errata sheet4-ex4-p2-pr
says 'other shapes' '            2x2 is printed, but it should be 2x4' errata ex2-WOnew
says 'what was denied' '  printed   not 1' errata P-after-sum
says 'beyond' '  verdict   beyond' errata similarity
says 'by document' ' wrong  flow-probs  0.1 0.8 0.05 0.05            0.2074 0.5638 0.1258 0.103' errata chapter2
says 'one claim' '  checked   ✓ ex4:probs{example 1}[0] < 0.26' errata 26
says 'claims with a word' '   8  The loss goes from 1.383 to 1.384 and is better.' errata --claims worse

"$longhand" errata nonsense >out 2>err
test $? -eq 2 && test ! -s out && grep -q 'nothing in the errata is called or mentions "nonsense"' err
verdict $? 'an unknown word is refused'
"$longhand" errata ex2-los >out 2>err
test $? -eq 0
verdict $? 'a part of a name is enough'
"$longhand" errata ex2-lsos >out 2>err
test $? -eq 2 && grep -q 'did you mean ex2-loss?' err
verdict $? 'the nearest name is told'
"$longhand" errata 99 >out 2>err
test $? -eq 2 && grep -q 'there is no claim 99' err
verdict $? 'there is no claim 99'

"$longhand" errata --json >out 2>err && grep -q '"quantities": *308' out && grep -q '"wrong": *79' out &&
    test "$(grep -o '"is_denied"' out | wc -l)" -eq 226 && test "$(grep -o '"said"' out | wc -l)" -eq 144
verdict $? 'all as JSON'

# Whatever it tells to type works.
"$longhand" errata --json >all.json
sed 's/"command":/\
&/g' all.json | sed -n 's/^"command": *"\(longhand [^"]*\)".*/\1/p' | sort -u >commands
bad=0
while read -r command; do
    echo "$command" | sed "s|^longhand|$longhand|" >one.sh
    sh one.sh >out 2>err </dev/null || { bad=1; echo "# $command"; sed 's/^/# /' err; }
done <commands
test $bad -eq 0 && test "$(wc -l <commands)" -gt 150
verdict $? "every command that is told works: $(wc -l <commands)"
finish
