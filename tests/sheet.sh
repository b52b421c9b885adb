#!/bin/sh
# Worksheets through the program: sheet, mark, mistakes, run --mistake. Prints TAP.
program=${LH_BUILD_ROOT:?}/longhand
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
n=0

verdict() { # 0 or 1, what was tried
    n=$((n + 1))
    if test "$1" -eq 0; then
        echo "ok $n - $2"
    else
        echo "not ok $n - $2"
        head -c 600 out err | sed 's/^/#   /'
    fi
}

# is STATUS PART WHAT COMMAND...: it ends with STATUS and writes PART to stdout (to stderr when STATUS is 2).
is() {
    want=$1 part=$2 what=$3
    shift 3
    timeout 120 "$@" >out 2>err </dev/null
    status=$?
    bad=0
    test $status -eq "$want" || bad=1
    if test -z "$part"; then :; elif test "$want" -eq 2; then grep -qF -- "$part" err || bad=1; else grep -qF -- "$part" out || bad=1; fi
    test $bad -eq 0 || echo "# status $status, wanted $want and \"$part\""
    verdict $bad "$what"
}

# Every lesson, each format that can be filled in: the key marks as all right, the blank sheet as nothing.
lessons='ex1 ex2 ex3 ex4 ex5 ex5-plain ex6 ex6-causal recurrent whitepaper xor-relu'
test -z "$LH_QUICK" || lessons='ex3 ex4 recurrent'
for lesson in $lessons; do
    bad=0
    for format in text md json; do
        for digits in 3 4; do
            "$program" sheet $lesson --seed 2 --digits $digits --key --format $format >key 2>err || bad=1
            "$program" mark $lesson key >out 2>>err || bad=1
            grep -q '^all [0-9]* numbers have full credit$' out || bad=1
            grep -q '^  line' out && bad=1
            "$program" sheet $lesson --seed 2 --digits $digits --format $format >blank 2>>err || bad=1
            "$program" mark $lesson blank >out 2>>err
            test $? -eq 1 || bad=1
            grep -q '^0 of \([0-9]*\) numbers have full credit, \1 are blank$' out || bad=1
        done
    done
    verdict $bad "$lesson: the key is all right, the blank sheet is blank, as text, md and json"
done

# Narrow and wide screens give the same answer file.
for columns in 40 60 80 120; do
    COLUMNS=$columns "$program" sheet ex4 --seed 3 --key >key 2>err
    is 0 'have full credit' "the key at $columns columns" "$program" mark ex4 key
    COLUMNS=$columns "$program" sheet ex4 --seed 3 >out 2>err
    awk -v most="$columns" '/^#/ && length($0) > most && gsub(/[^ ]+/, "&") > 3 { print; bad = 1 } END { exit bad }' out >err
    verdict $? "no line of text runs over $columns columns"
done

# A wide matrix is folded and still read.
cat >wide.lh <<'END'
vocab a b c d e f g h i j k l m n o p
const E = [0.1 0.2; 0.3 0.4]
param W : 2 x vocab = [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1]
Y = E @ W
END
COLUMNS=60 "$program" sheet wide.lh --key >key 2>err
grep -q '\\$' key
verdict $? 'a row wider than the page goes on in the next line'
is 0 'all 32 numbers' 'and is read back' "$program" mark wide.lh key

# Formats.
"$program" sheet ex3 --seed 4 -o page.html 2>err && grep -q '^<!doctype html>' page.html && ! grep -q 'http' page.html &&
    grep -q '@page' page.html && grep -q 'break-inside:avoid' page.html
verdict $? 'html: one file that needs nothing else'
sed -n '/<style>/,/<\/style>/!p' page.html | tr '>' '>\n' | grep -c '<u style' >out
test "$(cat out)" -gt 0
verdict $? 'html has blanks'
cat >odd.md <<'END'
# A <b>lesson</b> & more

```longhand
vocab "<x>" "#"
const E = [0.1 0.2; 0.3 0.4]   # a < b & c
example "<x>" "#" -> "#"
X = E[tokens]
Y = X * 2                      # "twice" & so
```

```sheet
digits 3
Y      # alone
```
END
"$program" sheet odd.md --format html >out 2>err && ! grep -q '<b>lesson' out && grep -q '&lt;x&gt;' out
verdict $? 'html: words are escaped'
is 0 '2 x 2, 3 decimals' 'a sheet block names steps and digits' "$program" sheet odd.md
grep -q '^X =' out
test $? -eq 1
verdict $? 'and no others are asked'
"$program" sheet odd.md --key >key 2>err
is 0 'all 4 numbers' 'words that look like signs do no harm' "$program" mark odd.md key
"$program" sheet ex1 --format json >out 2>err && python3 -m json.tool out >/dev/null 2>&1
case $? in 0 | 127) bad=0 ;; *) bad=1 ;; esac
verdict $bad 'json is JSON'

# Forms.
is 0 '' 'three forms' "$program" sheet ex1 --forms 3 -o forms
test "$(ls forms | wc -l)" -eq 6 && grep -q 'form C' forms/ex1-C-key.txt &&
    test "$(grep -ho 'code [0-9a-f]*' forms/ex1-?.txt | sort -u | wc -l)" -eq 3 &&
    test "$(grep -ho 'code [0-9a-f]*' forms/* | sort -u | wc -l)" -eq 3
verdict $? 'each has its own numbers and its key'
is 0 'total' 'their keys together: a table' "$program" mark ex1 forms/ex1-A-key.txt forms/ex1-B-key.txt forms/ex1-C-key.txt

# What the classic numbers hide.
is 0 'They hide' 'the classic numbers say what they hide' "$program" sheet ex1
is 0 'hidden in' 'why: a table' "$program" sheet ex1 --why
is 0 '"shows": false' 'why as JSON' "$program" sheet ex1 --why --format json

# Marks.
"$program" sheet ex3 --seed 7 --key >key 2>err
sed -n '/^S =/,/^$/p' key | sed 's/^S/Z/' | grep -v '^# ' >z
{ sed '/^Z =/,/^$/d' key && cat z; } >mistake.txt
is 1 'take S / sqrt(cols(K)), not S' 'a known mistake is named, what to do first' "$program" mark ex3 mistake.txt
is 1 'unscaled, Z' 'and counted' "$program" mark ex3 key mistake.txt
is 1 'unscaled@Z' 'csv' "$program" mark ex3 key mistake.txt --csv
is 1 '"name": "unscaled"' 'json' "$program" mark ex3 mistake.txt --json
is 1 'Z = 0.' 'echo' "$program" mark ex3 mistake.txt --echo
sed 's/^L = .*/L = 1/' key >early.txt
is 1 'give 4 decimals' 'too few digits' "$program" mark ex3 early.txt
printf 'Z = 1 2 3; 4 5 6\nQQ = 1\nS = a 2; 3 4\n' >odd.txt
is 1 'yours is 2 x 3, and 2 x 2 is asked for' 'another shape' "$program" mark ex3 odd.txt
grep -q 'did you mean Q?' out && grep -q 'line 3: "a" is not read' out
verdict $? 'unknown steps and what is no number, with their lines'
for sign in ✓ ✗ · '?'; do
    printf 'X = 1 0; 5 _\nQ = 0.1 a; 0 0\n' >signs.txt
    "$program" mark ex1 signs.txt >out 2>err
    grep -qF "$sign" out
    verdict $? "the sign $sign"
done

# What is refused.
is 2 'this is a sheet of ex3, not of ex1' "another lesson's sheet" "$program" mark ex1 key
sed 's/seed 7/seed 8/' key >seed.txt
is 2 'other numbers' 'a seed that was changed' "$program" mark ex3 seed.txt
printf 'Z = 1\0 2\n' >nul.txt
is 2 'no plain text' 'NUL bytes' "$program" mark ex3 nul.txt
is 2 'no-such-file' 'a missing file' "$program" mark ex3 no-such-file
is 2 'folder' 'a folder' "$program" mark ex3 forms
is 2 'something is missing' 'no file' "$program" mark ex3
is 2 'no step named PP' 'an unknown step' "$program" sheet ex1 --steps PP
is 2 'is given' 'a given matrix as a step' "$program" sheet ex1 --steps E
is 2 'there is no format' 'an unknown format' "$program" sheet ex1 --format pdf
is 2 'wants a folder' 'forms without a folder' "$program" sheet ex1 --forms 2
is 2 'whole number' 'a seed that is none' "$program" sheet ex1 --seed seven
is 2 'cannot be written' 'a folder that is not there' "$program" sheet ex1 -o no/such/folder.txt
printf '# x\n```longhand\nA = 1\n```\n```sheet\nB\n```\n' >bad.md
is 2 'no step named B' 'a sheet block with an unknown step' "$program" sheet bad.md
printf '# x\n```longhand\nA = 1 + 1\n```\n```sheet\ndigits many\n```\n' >bad.md
is 2 '2 to 9 digits' 'a sheet block with bad digits' "$program" sheet bad.md
printf 'vocab A B\nconst E = [1 2; 3 4]\ninput x : vocab*\nX = E[x]\nY = 2 * X\nZ = E + E\n' >none.lh
is 2 'no example to run on' 'a program without examples' "$program" sheet none.lh
head -c 10000000 /dev/zero | tr '\0' '1' >large.txt
is 1 'belongs to no step' 'ten megabytes' "$program" mark ex3 large.txt
is 2 'not.txt' 'one bad file among good ones' "$program" mark ex3 key not.txt mistake.txt
grep -q '^mistake' out
verdict $? 'the good ones are marked all the same'

# Mistakes.
is 0 'a / sqrt(cols(k)) => a' 'the catalogue' "$program" mistakes
is 0 'Z[0][0] is 0.01, should be 0.00707107' 'what one does to a lesson' "$program" mistakes ex1
is 0 '"should_be"' 'as JSON' "$program" mistakes ex1 --json
is 0 'the first difference' 'run --mistake' "$program" run ex1 --mistake unscaled
is 0 'No number differs' 'a mistake that the numbers hide' "$program" run ex1 --mistake wrong_side@Q
is 2 'did you mean unscaled?' 'a mistake that is none' "$program" run ex1 --mistake unscald
is 2 'it can be made in: Z' 'a mistake where it cannot be made' "$program" run ex1 --mistake unscaled@P
is 2 'cannot be made in ex1' 'a mistake that no formula fits' "$program" run ex1 --mistake log10
cat >own.lh <<'END'
const A = [1 2; 3 4]
B = A @ A
mistake swapped forward "the factors were added" w @ k => w + k
END
is 0 'swapped' "a lesson's own mistake" "$program" mistakes own.lh
is 0 'the first difference' 'and its effect' "$program" run own.lh --mistake swapped
printf 'B = 2 4; 6 8\n' >own.txt
is 1 'take A @ A, not A + A' 'and its diagnosis' "$program" mark own.lh own.txt

echo "1..$n"
