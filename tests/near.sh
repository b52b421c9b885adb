#!/bin/sh
# longhand near from the outside: neighbours, analogies, ties, and what is refused. Prints TAP.
longhand=${LH_BUILD_ROOT:?}/longhand
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
COLUMNS=60 NO_COLOR=1 LC_ALL=C.UTF-8
export COLUMNS NO_COLOR LC_ALL
n=0

verdict() { # 0 or 1, what was tried
    n=$((n + 1))
    if test "$1" -eq 0; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
    test "$1" -eq 0 || sed 's/^/# /' out err 2>/dev/null | head -40
}

# says NAME TEXT COMMAND...: status 0, and stdout has a line that begins with TEXT.
says() {
    name=$1 line=$2
    shift 2
    "$longhand" near "$@" >out 2>err </dev/null
    status=$?
    test $status -eq 0 && grep -q "^$line" out
    verdict $? "$name"
}

# refused NAME PART COMMAND...: status 2, nothing on stdout, PART in the message.
refused() {
    name=$1 part=$2
    shift 2
    "$longhand" near "$@" >out 2>err </dev/null
    status=$?
    test $status -eq 2 && ! test -s out && grep -qF -e "$part" err
    verdict $? "$name"
}

cat >vectors.txt <<'EOF'
king 0.9 0.8 0.1
man 0.1 0.8 0.1
woman 0.1 0.2 0.1

queen 0.9 0.2 0.1
cat 0.3 0.7 -0.2
dog	0.4 0.6 -1e-1
nil 0 0 0
EOF
{ echo '7 3'; cat vectors.txt; } >headed.txt
printf 'a 1 0\nb 2 0\nc 3 0\nd 0 1\ne 0 -1\n' >ties.txt

says 'the nearest of cat' '     1  dog  ' vectors.txt cat
says 'with its cosine' '     1  dog     0.9769 ' vectors.txt cat
test "$(grep -c '^ *[0-9]* *[a-z]* *-\{0,1\}[01]\.[0-9]\{4\}' out)" -eq 5
verdict $? 'a word is not its own neighbour, and zeros have none'
grep -q '1 word of zeros alone has no direction' out
verdict $? 'which is said'
says 'two of them' '     2  man' vectors.txt cat -n 2
test "$(grep -c '^     [0-9]' out)" -eq 2
verdict $? 'and no more'
says 'an analogy' '     1  queen   1.0000' vectors.txt king --minus man --plus woman
grep -q '^king - man + woman ' out && grep -q 'the words of the question are left out' out
verdict $? 'which says what was asked'
says 'a head is passed over' '     1  dog     0.9769 ' headed.txt cat
says 'ties are said' '     2  c      1.0000 =' ties.txt a
says 'those left out, too' '  1 more is exactly as near as the last' ties.txt a -n 1
says 'the word itself would be first' '  the words of the question are left out; man itself would come first, with 0.99' vectors.txt man --plus woman

refused 'an unknown word' 'vectors.txt has no word "kng" among its 7' vectors.txt kng
grep -q 'did you mean king?' err
verdict $? 'and the nearest'
refused 'a word without direction' 'it has no direction' vectors.txt nil
refused 'no file' 'nowhere.txt' nowhere.txt cat
: >empty.txt
refused 'an empty file' 'there is no word in it' empty.txt cat
printf 'a 1 2\nb 1 x\n' >bad.txt
refused 'no number' 'bad.txt:2:5: "x" is not a number' bad.txt a
printf 'a 1 2\n\nb 1\n' >bad.txt
refused 'too few' 'bad.txt:3:1: 1 numbers, the first word has 2' bad.txt a
printf 'a 1 2\nb 1 2 3\n' >bad.txt
refused 'too many' 'bad.txt:2:1: 3 numbers, the first word has 2' bad.txt a
printf 'a 1 2\nb 1 2\na 3 4\n' >bad.txt
refused 'twice' '"a" stands twice: here and in line 1' bad.txt a
printf 'a\n' >bad.txt
refused 'no numbers' 'a word without numbers' bad.txt a
for word in nan inf 0x10 1e200 1,5 --1 . ; do
    printf 'a 1 2\nb 1 %s\n' "$word" >bad.txt
    refused "not a number: $word" 'is not a number' bad.txt a
done

"$longhand" near vectors.txt cat -n 1 --json >out 2>err && grep -q '"word": *"dog"' out && grep -q '"nowhere": *1' out
verdict $? 'as JSON'
awk 'BEGIN { for (i = 0; i < 10000; i++) { printf "w%d", i; for (k = 0; k < 300; k++) printf " %.4f", sin(i * 7.1 + k * i); print "" } }' >large.txt
"$longhand" near large.txt w17 >out 2>err
test $? -eq 0 && grep -q 'of 10000 words with 300 numbers each' out
verdict $? 'ten thousand words of three hundred numbers'
echo "1..$n"
