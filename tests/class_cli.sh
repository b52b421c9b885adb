#!/bin/sh
# A class, as a teacher goes: a secret, sheets from a roster, answers as files and as one table, marks, feedback, a summary.
. "$(dirname "$0")/tap.sh"

# ---- the secret ----
run class physics.class --name 'Physics 2026'
tried 'a new secret' 0 'a new secret; Physics 2026; sheets carry the code'
code=$(sed -n 's/.*code \([a-z]*\)$/\1/p' out)
test "$(stat -c %a physics.class 2>/dev/null || echo 600)" = 600
verdict $? '... for its owner alone'
cp physics.class before
run class physics.class
tried 'a secret that is there is shown' 0 "sheets carry the code $code"
cmp -s before physics.class
verdict $? '... and not changed'
refused 'a name for a secret that is there' 'is not changed' class physics.class --name Other
refused 'a file that is no secret' 'not the secret of a class' class /dev/null
run class other.class

ends 'one sheet of a class' 0 "sheet ex1, class $code, digits 4, form A, code" sheet ex1 --class physics.class
hides 'seed' 'its seed is not told'
grep -q 'longhand mark' out
test $? -eq 1
verdict $? 'nor that a student could mark it'
"$longhand" sheet ex1 --class physics.class --form b --format html >page.html 2>err && ! grep -q seed page.html
verdict $? 'nor on the page'
"$longhand" sheet ex1 --class physics.class --format json >page.json 2>err && ! grep -q '"seed"' page.json
verdict $? 'nor as JSON'
"$longhand" sheet ex1 --class physics.class >a 2>err
"$longhand" sheet ex1 --class physics.class --form a >b 2>err
"$longhand" sheet ex1 --class physics.class --form B >c 2>err
"$longhand" sheet ex1 --class other.class >d 2>err
test "$(grep -ho 'code [0-9a-f]*' a b | sort -u | wc -l)" -eq 1
verdict $? 'form a is form A'
test "$(grep -ho 'code [0-9a-f]*' a c d | sort -u | wc -l)" -eq 3
verdict $? 'another form, another secret: other numbers'
"$longhand" sheet ex1 --class physics.class --key >key 2>err
refused 'without the secret it cannot be marked' 'was made with the secret of a class' mark ex1 key
warns '--class FILE names it'
cp key key2 && cp key key3
run mark ex1 key key2 key3
tried 'of several sheets it is said once' 2 'the same applies to key2, key3'
test "$(grep -c 'was made with the secret' err)" -eq 1
verdict $? '... and not once for each'
refused 'with another one neither' "it carries the code $code, and other.class has" mark ex1 key --class other.class
ends 'with the secret it can' 0 'all 56 numbers have full credit' mark ex1 key --class physics.class
"$longhand" sheet ex1 --seed 7 --key >own 2>err
refused 'a sheet of the student'"'"'s own making' 'anybody can make seed 7' mark ex1 own --class physics.class
sed "s/class $code, //" key >bare
refused 'a form without its class' 'no seed is known for form zzzzzz' mark ex1 "$(sed 's/form A/form zzzzzz/' bare >odd && echo odd)"
refused 'a secret that is not there' 'longhand class none.class makes a new secret' sheet ex1 --class none.class
refused 'a seed and a secret' 'the secret of the class makes the numbers' sheet ex1 --class physics.class --seed 3
refused 'a form without a secret' '--form is for a class' sheet ex1 --form A

# ---- the roster ----
# As spreadsheets write it: a mark at the beginning, semicolons, quotes, CR LF, an empty line, a name with a comma and one that
# looks like a formula.
printf '\357\273\277Last name;First name;ID number\r\n"Müller";Anna;1\r\n;;\r\nSchmidt;Ben;2\r\nSchmidt;Ben;3\r\n' >names.csv
printf '"O""Neil, Jr";Cem;4\r\n=1+1;Dora;5\r\nÖztürk;Émile;6\r\n' >>names.csv
run sheet ex1 --class physics.class --roster names.csv -o sheets
tried 'a sheet for each student' 0 'sheets: 6 sheets written' 'sheets/list.csv says who has which form'
test "$(find sheets -name '*.txt' | wc -l)" -eq 6 && test -s 'sheets/ex1-Anna-Müller.txt' && test -s sheets/ex1-Ben-Schmidt-2.txt &&
    test -s sheets/ex1-Ben-Schmidt-3.txt
verdict $? '... under his or her name; two of one name by their ids'
has 'the name stands on it' '^name Anna Müller  date' 'sheets/ex1-Anna-Müller.txt'
test "$(grep -ho ', code [0-9a-f]*' sheets/*.txt | sort -u | wc -l)" -eq 6
verdict $? 'everybody has other numbers'
test "$(find sheets -name '*key*' | wc -l)" -eq 0
verdict $? 'no key lies among them'
grep -q "^Dora '" sheets/list.csv || grep -q "^Dora =" sheets/list.csv
verdict $? 'the list has them'
printf 'Name\n=cmd\n' >formula.csv
"$longhand" sheet ex1 --class physics.class --roster formula.csv -o formula 2>err
has 'a name that is a formula is none in the list' "^'=cmd," formula/list.csv

# A student who comes later, and another order: nobody else's sheet changes.
sed 's/____/0.25/' 'sheets/ex1-Anna-Müller.txt' >filled && cp filled 'sheets/ex1-Anna-Müller.txt'
{ head -n 1 names.csv && printf 'Aaron;Zoe;7\r\n' && tail -n +2 names.csv; } >more.csv
run sheet ex1 --class physics.class --roster more.csv -o sheets
tried 'a student who comes later' 0 'sheets: 1 sheet written' '6 files were there already and left as they are'
cmp -s filled 'sheets/ex1-Anna-Müller.txt'
verdict $? '... nothing that was filled in is lost'
there sheets/list-2.csv
printf 'notes of mine\n' >'sheets/ex1-Zoe-Aaron.txt'
run sheet ex1 --class physics.class --roster more.csv -o sheets
tried 'a file that is none of ours' 2 'already exists and is another sheet: it was left as it is'
test "$(cat sheets/ex1-Zoe-Aaron.txt)" = 'notes of mine'
verdict $? '... stays'

# Forms in turn, any number; the roster may name them.
run sheet ex1 --class physics.class --roster more.csv --forms 2 --key --format html -o forms
tried 'two forms in turn' 0 'forms: 7 sheets written, with keys' 'forms/all.html has all of them'
test "$(find forms -maxdepth 1 -name 'ex1-*.html' | wc -l)" -eq 7 && test "$(find forms/keys -name '*.html' | wc -l)" -eq 7 &&
    test "$(grep -ho 'code [0-9a-f]*' forms/ex1-*.html | sort -u | wc -l)" -eq 2
verdict $? '... the keys in a folder of their own'
test "$(grep -c '<article' forms/all.html)" -eq 7
verdict $? '... and one file to print'
run sheet ex1 --forms 30 -o thirty
tried 'thirty forms' 0 '30 forms'
there thirty/ex1-AD-key.txt
printf 'name,form\nAnna,B\nBen,7\n' >chosen.csv
run sheet ex1 --roster chosen.csv -o chosen
has 'the roster says which form' 'form B' chosen/ex1-Anna.txt
grep -o 'code [0-9a-f]*' thirty/ex1-B.txt >b && grep -o 'code [0-9a-f]*' chosen/ex1-Anna.txt | cmp -s - b
verdict $? '... and it is that one'
# Also without a secret, and where forms go round: a student who comes later moves nobody.
printf 'name\nAnna\nBen\nCem\n' >before.csv
printf 'name\nAaron\nAnna\nBen\nCem\n' >after.csv
for forms in '' '--forms 2'; do
    rm -rf late
    for roster in before after; do
        # shellcheck disable=SC2086
        run sheet ex1 --roster $roster.csv $forms -o late
        tried "$roster.csv $forms" 0
    done
    for who in Anna Ben Cem; do
        test "$(grep -h "^$who," late/list.csv late/list-2.csv | sort -u | wc -l)" -eq 1
        verdict $? "... $who keeps the sheet"
    done
done
test "$(sed -n 's/^[A-C][a-z]*,,\([AB]\),.*/\1/p' late/list-2.csv | tr -d '\n')" = BABA
verdict $? '... and the new one has the form that fewest had'
run sheet ex1 --roster after.csv --seed 5 --forms 2 -o late
tried 'other sheets in that folder' 2 'files are of another sheet'
gone late/list-3.csv
run sheet ex1 --roster after.csv --forms 2 --format csv
tried 'a table has no list beside it' 0 'after.csv: forms are given out in the order of this list'
run sheet ex1 --roster late/list-2.csv --forms 2 --format csv
silent '... unless the roster has the forms'
printf 'Anna\nBen\n' >plain.txt
run sheet ex1 --roster plain.txt -o plain
tried 'a name a line is a roster' 0 'plain: 2 sheets written'

# As schools export them: what it is, the file, and who is in it.
while IFS='|' read -r what text students; do
    printf '%b' "$text" >school.csv
    rm -rf school
    run sheet ex1 --roster school.csv -o school
    test "$status" -eq 0 && sed '1d; s/,,.*//; s/,"\{0,1\}sheet.*//' school/list.csv | cut -d, -f1,2 | tr '\n' ' ' >out && test "$(cat out)" = "$students "
    verdict $? "$what"
done <<'END'
first, last and e-mail|First,Last,Email\nAnna,Ng,a@x\n|Anna Ng,a@x
a title|Physics 7B\n\nName;ID\nAnna;1\nBen;2\n|Anna,1 Ben,2
a title, and commas behind it|Physics 7B,,\nLast name,First name,ID\nNg,Anna,1\n|Anna Ng,1
merged cells|Student,,Contact\nFirst name,Last name,Email\nAnna,Ng,a@x\n|Anna Ng,a@x
Canvas|Student,ID,SIS User ID,SIS Login ID,Section,Quiz (12)\n    Points Possible,,,,,10\nAnna Ng,11,s1,a@x,7B,\n|Anna Ng,11
an ID number that nobody has, and an address|First name,Last name,ID number,Email address\nAnna,Ng,,a@x\nAnna,Ng,,b@x\n|Anna Ng,a@x Anna Ng,b@x
an id without a name|name,id\nAnna,1\n,2\n|Anna,1 2,2
ids alone|id\n7\n8\n|7,7 8,8
a title above a list|Physics 7B\nName\nAnna\n|Anna
END

# What is refused, with its line.
printf 'name\nAnna\nBen\nanna \n' >twice.csv
refused 'one name twice' 'twice.csv:4:1: anna is also in line 2' sheet ex1 --roster twice.csv -o no
printf 'name,id\nAnna,1\nBen,1\n' >ids.csv
refused 'one id twice' 'ids.csv:3:1: the id 1 is also in line 2' sheet ex1 --roster ids.csv -o no
printf 'name,id\nAnna,\nBen,1\nAnna,2\n' >half.csv
refused 'one name twice, and once without an id' 'half.csv:4:1: Anna is also in line 2, and line 2 has no id' sheet ex1 --roster half.csv -o no
printf 'name,id\nAnna,1\nBen,1b\nAnna,2\n' >both.csv
run sheet ex1 --roster both.csv --format csv
tried 'one name twice, with two ids' 0 'both.csv:4: Anna is also in line 2, with another id: these are two students'
printf 'name,form\nAnna,A\n,B\n' >empty.csv
refused 'no name' 'empty.csv:3:1: this student has no name' sheet ex1 --roster empty.csv -o no
printf 'town,street\nBonn,A\n' >odd.csv
refused 'no column with names' 'odd.csv:1:1: no column holds the names: this line has "town", "street"' \
    sheet ex1 --roster odd.csv -o no
printf 'name\n"Anna\nBen\n' >open.csv
refused 'an open quote' 'open.csv:2:1: a quote is opened here and never closed' sheet ex1 --roster open.csv -o no
printf 'PK\003\004xx' >book.xlsx
refused 'a workbook' 'save it as CSV' sheet ex1 --roster book.xlsx -o no
: >void.csv
refused 'an empty roster' 'the list of names is empty' sheet ex1 --roster void.csv -o no
refused 'a roster without a folder' '--roster needs a folder' sheet ex1 --roster names.csv
gone no

# ---- two pages ----
run sheet ex3 --seed 3 --two-pages
tried 'two pages as text' 0 'sheet ex3, seed 3'
test "$(wc -l <out)" -le 132
verdict $? '... 66 lines each'
"$longhand" sheet ex3 --seed 3 --two-pages --key >key 2>err
ends '... and its key is read' 0 'all 150 numbers' mark ex3 key
ends 'two pages as html' 0 'class=short' sheet ex3 --seed 3 --two-pages --format html
refused 'what cannot be read on two pages' 'too many numbers for two pages' sheet bert --two-pages --format html
refused 'two pages of JSON' '--two-pages is for text and html' sheet ex1 --two-pages --format json

# ---- who is who ----
mkdir -p one/anna one/ben
"$longhand" sheet ex1 --seed 7 --key >key 2>err
for who in anna ben; do cp key one/$who/answers.txt; done
run mark ex1 one/anna/answers.txt one/ben/answers.txt
tried 'two files of one name, in two folders' 0
has '... are told apart in the list' '^anna/answers ' out
has '... both of them' '^ben/answers ' out
run mark ex1 one/anna/answers.txt one/ben/answers.txt --csv
has '... in CSV' '^anna/answers,' out
run mark ex1 one/anna/answers.txt one/ben/answers.txt --json
has '... and in JSON' '"learner": "ben/answers"' out
is_json '... which is JSON' out
for n in 1 2 10; do sed "s/^sheet.*/&\nname Form $n  date/" key >s$n.txt; done
run mark ex1 s10.txt s2.txt s1.txt
test "$(grep -o '^Form [0-9]*' out | tr -d 'Form \n')" = 1210
verdict $? '2 before 10'
for n in Zander Özil Ozan Olm; do sed "s/^sheet.*/&\nname $n  date/" key >"n-$n.txt"; done
run mark ex1 n-*.txt
test "$(sed -n 's/^\([A-ZÖ][a-z]*\) .*/\1/p' out | head -n 4 | tr '\n' ' ')" = 'Olm Ozan Özil Zander '
verdict $? 'umlauts stand with their letters'
for n in 1 2; do sed "s/^sheet.*/&\nname Anna  date/" key >anna$n.txt; done
run mark ex1 anna1.txt anna2.txt
has 'two of one name' '^Anna \(anna2\)' out
printf 'sheet ex1, seed 7\nname J\366rg M\374ller\nX = 1 0; 0 1\n' >latin1.txt
run mark ex1 latin1.txt --csv
has 'a name in Latin-1' '^Jörg Müller,' out
printf '\377\376n\000a\000m\000e\000 \000B\000o\000\n\000' >wide.txt
run mark ex1 wide.txt --csv
has 'a file in UTF-16' '^Bo,' out
run mark ex1 key key
has 'one file twice' '^key-2 ' out

# ---- which sheet it is ----
"$longhand" sheet ex1 --seed 3 --key >said 2>err
sed '/^sheet/d' said | grep -v longhand >unsaid
run mark ex1 unsaid
warns 'unsaid does not say which sheet it is, and is marked with the numbers of the lesson itself (seed 0); --seed N names others'
run mark ex1 unsaid --seed 3
tried 'a seed for it' 0 'all 56 numbers'
silent '... no word then'
printf 'name,Z\nAnna,1 2; 3 4\nBen,1 2; 3 4\nCem,_\n' >unsaid.csv
run mark ex1 unsaid.csv
warns 'unsaid.csv:2, unsaid.csv:3 do not say which sheet it is, and are marked'
tr '\n' '\r' <said >mac.txt
ends 'CR ends a line' 0 'all 56 numbers' mark ex1 mac.txt
while IFS='|' read -r line text; do
    printf '# mine\n%s\nZ = 1 2; 3 4\n' "$line" >bad.txt
    refused "$line" "bad.txt:2: $text" mark ex1 bad.txt
    printf 'name,sheet,Z\nAnna,"%s",1 2; 3 4\n' "$line" >bad.csv
    run mark ex1 bad.csv
    tried '... and in a table' 2 "bad.csv:2: $text"
done <<'END'
sheet|the line of the sheet names no lesson
sheet ex1 seed 3|a comma is missing in the line of the sheet
sheet ex1, sede 3|"sede 3" in the line of the sheet is none of seed, digits, form, class, code and steps
sheet ex1, seed x|the seed of the sheet is not a number
sheet ex1, digits 99|the digits of the sheet are not a number from 1 to 15
sheet ex3, seed 3|this is a sheet of ex3, not of ex1
sheet ex1, steps QQ|there is no step named QQ
sheet ex1, steps E|E is given
sheet ex1, seed 3, code 000000|the sheet was made from other numbers
END
printf 'name,sheet,Z\nAnna,"ex1, seed 3",1 2; 3 4\n' >bad.csv
run mark ex1 bad.csv
tried 'a sheet that is none' 2 'bad.csv:2: "ex1, seed 3" in the column sheet is not the line of a sheet'

# ---- answers as one table ----
run sheet ex1 --class physics.class --roster more.csv --key --format csv -o key.csv
tried 'a table of all answers' 0 'key.csv: a row for each of 7 students, a column for each number'
refused '... is not written over' 'it may hold answers' sheet ex1 --class physics.class --roster more.csv --format csv -o key.csv
refused '... before any sheet is made' 'it may hold answers' sheet ex1 --class physics.class --roster more.csv --format csv -o key.csv --steps QQ
run mark ex1 key.csv --class physics.class
tried 'is marked as it is' 0 'ex1   7 sheets' 'all right: 7'
# Forms that ask for different numbers, since some are too small in one and not in another: no column is lost, and none is there twice.
printf '%s\n' name s1 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 s12 s13 s14 >fourteen.csv
for lesson in ex6 ex6-three; do
    run sheet $lesson --roster fourteen.csv --forms 14 --key --format csv -o $lesson.csv
    run mark $lesson $lesson.csv
    tried "$lesson: a table of different forms" 0 '14 sheets' 'all right: 14'
    silent '... and all of it is read'
    for seed in 0 $(seq 14); do "$longhand" sheet $lesson --seed $seed --format csv | head -n 1; done 2>err | tr -d '\r' | tr ',' '\n' >all
    head -n 1 $lesson.csv | tr -d '\r' | tr ',' '\n' >columns
    test "$(sort -u all | wc -l)" -eq "$(wc -l <columns)" && test "$(uniq all | sort | uniq -c | awk '{ print $1 }' | sort -u | wc -l)" -gt 1
    verdict $? '... a column for each number that one of them asks for, once'
done
# Through a spreadsheet: semicolons, decimal commas, a mark at the beginning, zeros lost, a column of its own.
printf 'name,id\nAnna Müller,1\nBo,2\nCem,3\n' >three.csv
"$longhand" sheet ex1 --class physics.class --roster three.csv --key --format csv >three 2>err
{
    printf '\357\273\277Timestamp;'
    tr -d '\r' <three | sed 's/"sheet \([^"]*\)"/@\1@/; 1s/,/;/g' | awk -F@ 'NR == 1 { print; next } {
        head = $1; tail = $3
        gsub(/,/, ";", head); gsub(/,/, ";", tail); gsub(/\.0*;/, ";", tail); gsub(/\./, ",", tail)
        print "9:00;" head "\"sheet " $2 "\"" tail }' | sed 's/\(,[0-9]*[1-9]\)0*;/\1;/g; s/\(,[0-9]*[1-9]\)0*;/\1;/g'
} >answers.csv
run mark ex1 answers.csv --class physics.class --roster three.csv
tried 'a spreadsheet export' 0 'the column "Timestamp" is not a step of ex1 and was not read' 'ex1   3 sheets of a class of 3' 'all right: 3'
grep -q '0,[0-9]*[1-9]00*;' answers.csv
test $? -eq 1
verdict $? '... in which no number ends in zeros'
printf 'name;form;Z\nAnna;A;"0,1 0,2; 0,3 0,4"\n' >short.csv
run mark ex1 short.csv --json
tried 'a whole step in one cell' 1 '"line": 2' '"written": [["0,1", "0,2"], ["0,3", "0,4"]]'
printf 'name,Z,P\nAnna Müller,1,2\nNobody,1,2\n' >foreign.csv
run mark ex1 foreign.csv --class physics.class --roster more.csv
tried 'by the roster alone' 2 'foreign.csv:3: Nobody is not on the roster more.csv' 'foreign.csv:3: it does not say which form it is' \
    '6 handed in nothing' '1 could not be marked'
# Merged cells: only the first column has the name of the step.
printf 'name,form,Z,,,,\nAnna,A,0.1,0.2,0.3,0.4,\n' >merged.csv
run mark ex1 merged.csv
tried 'columns without a name are not passed over in silence' 1 'merged.csv:1: 3 columns without a name: what is written there was not read'
# Two of one name and a sheet that does not say whose it is: one of them handed it in.
printf 'name,id,form\nAnna,1,A\nBen,1b,B\nAnna,2,C\n' >both.csv
printf 'name,form,Z\nAnna,A,1 2; 3 4\n' >whose.csv
run mark ex1 whose.csv --roster both.csv --summary
tried 'a sheet of one of two, whose form says which' 1 '2 handed in nothing: Ben, Anna (2)'
printf 'name,Z\nAnna,1 2; 3 4\n' >whose.csv
run mark ex1 whose.csv --roster both.csv --summary
tried '... nobody knows of which' 1 'whose.csv:2: 2 students of both.csv are called Anna' '1 handed in nothing: Ben'
printf 'town,Z\nBonn,1\n' >nobody.csv
refused 'a table without names' 'no column says whose answers these are: the first line has "town", "Z"' mark ex1 nobody.csv
printf 'name,form\nAnna,A\n' >nothing.csv
refused 'a table without answers' 'no column holds answers' mark ex1 nothing.csv
printf 'name,QQ\nAnna,1\n' >qq.csv
refused 'a table of another lesson' 'no column is a step of ex1' mark ex1 qq.csv
warns 'did you mean'
sed 's/form [a-z]*/form zzzzzz/' answers.csv >swapped.csv
run mark ex1 swapped.csv --class physics.class
tried 'a form that was changed' 2 'was made from other numbers'
"$longhand" sheet ex1 --seed 3 --key --format csv 2>err | sed 's/sheet ex1/Sheet ex1/' >capital.csv
run mark ex1 capital.csv
tried 'the line of a sheet, with a capital letter' 0 'all right: 1'
f=$(sed -n 's/^Anna Müller,[^,]*,\([a-z]*\),.*/\1/p' sheets/list.csv)
printf 'sheet ex1, class %s, digits 4, form %s\nname Émile Öztürk\nX = 1 0; 0 1\n' "$code" "$f" >swap.txt
run mark ex1 swap.txt --class physics.class --roster more.csv
tried "somebody else's sheet" 1 "form $f is the sheet of Anna Müller, and the name on it is Émile Öztürk"

# A number that was cut off loses its zeros, too: 0.50009 is 0.5000 then, and 0.5 in a spreadsheet. It counts as much as on paper.
"$longhand" sheet ex1 --seed 11 --key --format csv >rounded.csv 2>err
"$longhand" sheet ex1 --seed 11 --key --digits 7 --format csv 2>err | sed '2s/\(\.[0-9]\{4\}\)[0-9]*/\1/g' | sed 's/digits 7, code [0-9a-f]*/digits 4/' >cut.csv
sed '2s/\(\.[0-9]*[1-9]\)0*/\1/g; 2s/\.0000//g' cut.csv >dropped.csv
for table in rounded cut dropped; do
    run mark ex1 $table.csv --few-digits none --csv
    tried "$table.csv has full credit" 0 ',56,56,56,,'
done
has '... and there were zeros to drop' '0[,.][0-9]*0,' cut.csv

# ---- who was absent ----
"$longhand" sheet ex1 --class physics.class --roster three.csv --key --format csv >all-here.csv 2>err
awk -F'"' 'NR == 3 { print $1 "\"" $2 "\"" substr(",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,", 1, 56); next } { print }' all-here.csv >one-absent.csv
run mark ex1 one-absent.csv --class physics.class --roster three.csv
tried 'who wrote nothing is absent, and not 0 %' 1 'ex1   2 sheets of a class of 3' 'mean 56.0 of 56, 100 %;' 'Bo           absent' '1 handed in nothing: Bo'
hides 'Hardest steps' '... no step is harder for it'
run mark ex1 one-absent.csv --class physics.class --table
has '... in the table' '^Bo .*absent$' out
run mark ex1 one-absent.csv --class physics.class --csv
has '... in CSV, without points' '^Bo,Bo,2,.*,4,,,56,yes,,' out
run mark ex1 one-absent.csv --class physics.class --json
tried '... and in JSON' 1 '"absent": true' '"absent": 1' '"mean": 1'
head -n 1 one-absent.csv >empty.csv && sed -n 3p one-absent.csv >>empty.csv
run mark ex1 empty.csv --class physics.class --json
tried 'nobody wrote anything: there is no mean' 1 '"mean": null'
printf 'sheet ex1, seed 3, digits 4\nname Anna\nX 0.24 0.69\n' >lost.txt
printf 'sheet ex1, seed 3, digits 4\nname Bo\n\nI was ill\n' >ill.txt
run mark ex1 lost.txt ill.txt
tried 'numbers behind a name without = are not nothing' 1 'ex1   1 sheet' 'Anna        0/56     0 %' '1 handed in nothing: Bo'

# ---- letters with marks: composed, and as macOS writes them ----
printf 'name,seed,Z\nMu\314\210ller,7,1\nNguye\314\202\314\203n,7,1\nZander,7,1\n' >apart.csv
printf 'name\nMüller\nNguyễn\nZander\n' >composed.csv
run mark ex1 apart.csv --roster composed.csv --csv
tried 'they are one name' 1 'Müller,Müller,' 'Nguyễn,Nguyễn,'
silent '... so nobody is missing'
printf 'name\nO\314\210zil\nZander\n' >apart.csv && printf 'name\nÖzil\nZander\n' >composed.csv
for roster in apart composed; do run sheet ex1 --roster $roster.csv -o accents; done
tried '... with one sheet' 0 '2 files were there already'
printf 'name\nO\314\210zil\nÖzil\n' >twice.csv
refused '... and there twice' 'is also in line 2' sheet ex1 --roster twice.csv -o no

# ---- as spreadsheets save it: an id without its zeros, a title ----
printf 'name,id\nAnna,0007\nBen,0012\n' >zeros.csv
printf 'Quiz 3\n\nid,seed,Z\n7,3,1 2; 3 4\n012,3,1 2; 3 4\n' >lost.csv
run mark ex1 lost.csv --roster zeros.csv --csv
tried '0007 is 7' 1 'Anna,Anna,0007,lost.csv:4' 'Ben,Ben,0012,lost.csv:5'
silent '... and nobody is missing'

# ---- who handed in twice ----
printf 'name,id,seed,Z\nAnna,1,7,1\nBen,2,7,1\nANNA,1,7,2\n' >again.csv
printf 'sheet ex1, seed 7\nname Ben\nZ = 1 2; 3 4\n' >ben.txt
run mark ex1 again.csv ben.txt
tried 'by the id' 1 'Anna is on 2 sheets: again.csv:2, again.csv:4; each is marked and counts'
printf 'name,id\nAnna,1\nBen,2\n' >two.csv
run mark ex1 again.csv ben.txt --roster two.csv --summary
tried '... and by the roster' 1 'Ben is on 2 sheets: again.csv:3, ben.txt;'

# ---- marks for a spreadsheet ----
printf 'name,seed,Z\n=HYPERLINK(1),7,-1 2;3 4\n"+49 30, a",7,1\n@me,7,\n-x,7,\n' | sed 's/-1 2;3 4/"-1 2; 3 4"/' >bad.csv
run mark ex1 bad.csv --csv
for name in '=HYPERLINK(1)' '@me' '-x'; do
    grep -qF "'$name,'$name" out
    verdict $? "$name is no formula in CSV"
done
has 'nor where it stands in quotes' "^\"'\\+49 30, a\"," out
has 'numbers stay numbers' ',7,4,[0-9]*,[0-9]*,56,' out
grep -q "'[0-9]" out
test $? -eq 1
verdict $? '... without an apostrophe'

# ---- feedback ----
awk '/^S =/ { on = 1 } on && /^ / { s[++n] = $0 } /^$/ { on = 0 } /^Z =/ { z = 1 } z && /^ *[AB]:/ { print s[++k + (n > 2)]; next } /^$/ { z = 0 } { print }' key |
    sed "s/^sheet.*/&\nname <b>Eve<\/b>  date/" >eve.txt
mkdir feedback
printf 'mine\n' >feedback/other.html
run mark ex1 eve.txt s1.txt one/anna/answers.txt -o feedback
tried 'a page for each' 1 'feedback: 3 feedback pages'
there feedback/Form-1.html
there feedback/answers.html
test "$(cat feedback/other.html)" = mine
verdict $? 'other files stay'
page=$(grep -l '&lt;b&gt;Eve' feedback/*.html)
grep -q '<b>Eve' "$page"
test $? -eq 1
verdict $? 'names are escaped'
has 'what to do comes first' '<h2>Begin here</h2>' "$page"
has 'the number of points' 'of 56</b> numbers have full credit' "$page"
sed 's/<style>.*<\/style>//; s/<[^>]*>//g' feedback/Form-1.html | grep -q 'full credit'
verdict $? 'it can be read without its style'
grep -q 'http' feedback/*.html
test $? -eq 1
verdict $? 'it needs nothing else'
grep -q 'should be' "$page"
test $? -eq 1
verdict $? 'the right numbers are not told'
run mark ex1 eve.txt -o feedback --answers
has '... unless they are asked for' 'should be' "$page"
printf 'mine\n' >feedback/Form-1.html
run mark ex1 eve.txt s1.txt -o feedback
tried 'a page that is not ours' 2 'feedback/Form-1.html exists and was not written by longhand mark: nothing was written'
test "$(cat feedback/Form-1.html)" = mine
verdict $? '... is not written over'
printf 'x\n' >file
refused 'a folder that is a file' 'is not a folder' mark ex1 key -o file
refused '--answers without pages' '--answers is for the pages' mark ex1 key --answers

# ---- the class on one screen ----
i=0
while test $i -lt 40; do
    i=$((i + 1))
    sed "s/^sheet.*/&\nname Student $i  date/" "$(test $((i % 4)) -eq 0 && echo eve.txt || echo key)" | sed '/<b>Eve/d' >class$i.txt
done
for columns in 60 80 120; do
    COLUMNS=$columns "$longhand" mark ex1 class*.txt --summary >out 2>err
    test "$(wc -l <out)" -le 24
    verdict $? "the summary is one screen at $columns columns"
    sed 's/[^ -~]/x/g' out | awk -v most="$columns" 'length($0) > most { bad = 1 } END { exit bad }'
    verdict $? '... and no line is wider'
done
run mark ex1 class*.txt
tried 'mean, hardest steps, commonest mistakes' 1 'ex1   40 sheets' 'mean ' 'median 100 %' 'Hardest steps' 'Commonest mistakes' 'unscaled, Z'
has 'the hardest first' '^  Z  ' out
test "$(grep -o '^Student [0-9]*' out | head -n 12 | tail -n 1)" = 'Student 12'
verdict $? 'in natural order'
ends 'a column for each step' 1 'total' mark ex1 class*.txt --table
run mark ex1 class*.txt --json
tried 'as JSON' 1 '"mean": 0.98' '"hardest": [{"step": "Z"' '"lost": 10'

# ---- as many as you like, one a line ----
"$longhand" sheet ex1 --seed 7 --key --format json 2>err | tr -d '\n' | sed 's/^{/{"id": "u-1", /' >line
{
    cat line
    printf '\n\nnot json\n{"lesson": "/etc/passwd", "answers": {}}\n{"lesson": "ex3", "seed": 2, "answers": {"Z": [[1, 2], [3, 4]]}, "name": "Bo"}\n'
    printf '{"lesson": "ex1", "seed": 7, "code": "000000", "answers": {}}\n{"answers": {}}\n'
    sed 's/"u-1"/7/' line
} >lines
"$longhand" mark --lines <lines >out 2>err
status=$?
exits 2 'a line that cannot be marked'
test "$(wc -l <out)" -eq 7
verdict $? 'an answer for each line'
sed -n 1p out | grep -q '"line": 1, .*"id": "u-1".*"credit": 56, "total": 56'
verdict $? 'the marks, with the id that was sent'
sed -n 2p out | grep -q '"line": 3.*"error": "a line must be a sheet as JSON'
verdict $? 'no JSON'
sed -n 3p out | grep -q '"error": "there is no lesson'
verdict $? 'a line opens no file'
sed -n 4p out | grep -q '"learner": "Bo".*"verdicts"'
verdict $? 'another lesson on the next line'
sed -n 5p out | grep -q '"error": "the sheet was made from other numbers'
verdict $? 'an old sheet'
sed -n 6p out | grep -q 'does not say to which lesson'
verdict $? 'no lesson'
sed -n 7p out | grep -q '"id": "7"'
verdict $? 'and it goes on'
if command -v python3 >/dev/null; then
    python3 -c 'import json, sys; [json.loads(l) for l in open("out")]' 2>err
    verdict $? 'each line is JSON'
fi
{ head -c 5000000 /dev/zero | tr '\0' 'x' && echo && cat line; } >long
"$longhand" mark --lines ex1 <long >out 2>err
status=$?
sed -n 1p out | grep -q 'longer than 4 MB' && sed -n 2p out | grep -q '"credit": 56'
verdict $? 'a line without end is refused, and the next one marked'
sed 's/"lesson": "ex1", *//' line >nameless
"$longhand" mark --lines ex1 <nameless >out 2>err
status=$?
exits 0 'a lesson named on the command line'
"$longhand" mark --lines ex3 <line >out 2>err
grep -q 'there is no lesson ex1 here' out
verdict $? 'and no other then'
refused 'lines and files' '--lines reads standard input' mark --lines ex1 --csv

# Memory does not grow: after 40 sheets as much as after 2,000. (tests/test_class.c looks at ever new numbers.) Its own memory counts, not the
# pages of the program that happen to be there; and it is looked at when those sheets are marked, however slow the machine is.
if grep -q RssAnon /proc/self/status 2>/dev/null; then
    mkfifo pipe
    "$longhand" mark --lines <pipe >marks 2>err &
    pid=$!
    exec 3>pipe
    seed=0
    for most in 40 2000; do
        while test $seed -lt $most; do
            seed=$((seed + 1))
            printf '{"lesson": "ex1", "seed": %s, "answers": {"Z": [[1, 2], [3, 4]]}}\n' $((seed % 4)) >&3
        done
        while test "$(wc -l <marks)" -lt $most && kill -0 $pid 2>/dev/null; do sleep 0.2; done
        awk '/^RssAnon/ { print $2 }' /proc/$pid/status
    done >memory
    exec 3>&-
    wait $pid
    test "$(wc -l <marks)" -eq 2000
    verdict $? 'an answer comes as soon as a line was sent'
    cp memory out
    if is_sanitised; then
        skip 'memory does not grow with their number' 'a sanitiser gives memory back later'
    else
        awk 'NR == 1 { before = $1 } END { exit NR != 2 || $1 > before * 1.1 }' memory
        verdict $? 'memory does not grow with their number'
    fi
fi

# ---- docs/teaching.md ----
# Its table is the roster, its commands are run in order; sheets come back as they were made, so the answer is "no", never "cannot".
mkdir teaching && cd teaching || exit 1
sed -n '/^```csv/,/^```/p' "$root/docs/teaching.md" | grep -v '^```' >names.csv
sed -n '/^ *```sh/,/^ *```/p' "$root/docs/teaching.md" | sed -n 's/^ *\(longhand .*\)/\1/p' >commands
test "$(wc -l <commands)" -gt 8
verdict $? 'docs/teaching.md has commands'
PATH=$build:$PATH
while read -r command; do
    case $command in
    *sheets.jsonl*) longhand sheet ex3 --class physics.class --key --format json 2>../err | tr -d '\n' >sheets.jsonl ;;
    esac
    eval "$command" >../out 2>../err </dev/null
    status=$?
    test $status -lt 2
    verdict $? "docs/teaching.md: $command"
done <commands
cd ..
grep -q '"credit": 150' teaching/marks.jsonl && test "$(find teaching/feedback -name '*.html' | wc -l)" -eq 3 &&
    test "$(find teaching/sheets -name '*.txt' | wc -l)" -eq 3 && grep -q 'Cem Öztürk' teaching/marks.csv && test -s teaching/print/all.html
verdict $? '... and do what they say'
finish
