#!/bin/sh
# What comes from outside, through the program: files, folders and names from elsewhere, links, pipes, closed doors, signals.
. "$(dirname "$0")/tap.sh"

# within SECONDS WORD...: as run; ends in time, or $status is 124.
within() {
    tap_seconds=$1
    shift
    timeout "$tap_seconds" "$longhand" "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
}

# stopped NAME PART WORD...: in time, with exit status 2, PART in err and nothing in out.
# stopped_later: the same, after the first lines were shown; what a model is, is said before its folder is opened.
is_stopped() { test $status -eq 2 && grep -qF -e "$1" err; }
stopped() {
    tap_name=$1 tap_text=$2
    shift 2
    within 20 "$@"
    is_stopped "$tap_text" && ! test -s out
    verdict $? "$tap_name"
}
stopped_later() {
    tap_name=$1 tap_text=$2
    shift 2
    within 20 "$@"
    is_stopped "$tap_text" && grep -q ' parameters, ' out
    verdict $? "$tap_name"
}

printf 'emma\nolivia\nava\nisabella\nsophia\nmia\namelia\nharper\nevelyn\nella\nluna\nnora\n' >names.txt
learn='--data names.txt --lines --set layers=1 dim=4 heads=1 context=8 --batch 2'
# shellcheck disable=SC2086  # several words
"$longhand" train gpt $learn --steps 2 -o model >out 2>err
verdict $? 'a small model'

# ---- progress ----
begin_progress() {
    rm -rf data && mkdir data
    printf 'q\n' | "$longhand" practice ex1 >out 2>err
    printf '0 0\n' | "$longhand" practice ex1 >out 2>err
}
begin_progress
if ! test -f data/progress.db; then
    skip 'progress that is damaged' 'built without SQLite'
else
    # The version is a number of four bytes at 60, the program's own mark at 68.
    patch() { printf "$2" | dd of=data/progress.db bs=1 seek="$1" conv=notrunc 2>/dev/null; }
    sound=0
    for version in '\377\377\377\377' '\200\000\000\000' '\000\000\000\000' '\000\000\000\001' '\000\000\000\011'; do
        begin_progress
        patch 60 "$version"
        run
        test $status -eq 0 || sound=1
        run progress
        test $status -le 2 || sound=1
    done
    verdict $sound 'a version that cannot be: no crash'
    begin_progress
    patch 60 '\377\377\377\377'
    refused 'a version below 0' 'it is damaged' progress
    within 10 progress --reset
    test $status -eq 2 && grep -q -e '--yes' err
    verdict $? 'a damaged file is reset only where somebody says so'
    run progress --reset --yes
    tried 'a damaged file is reset' 0 'Forgotten. The copy is'
    ls data/progress-damaged-*.db >/dev/null && ! test -e data/progress.db
    verdict $? 'and has another name now'
    says 'afterwards all is new' 'Nothing has been practised yet. Begin with: longhand practice ex1' progress
    begin_progress
    patch 100 '\377\377\377\377\377\377\377\377\377\377\377\377'
    run progress --reset --yes
    tried 'pages that are damaged: reset' 0 'Forgotten'
    if command -v sqlite3 >/dev/null; then
        begin_progress
        sqlite3 data/progress.db 'DROP TABLE step'
        refused 'a table is missing' 'no such table' progress
        run progress --reset --yes
        tried 'a table is missing: reset' 0 'Forgotten'
    fi
    rm -rf data && mkdir data && mkfifo data/progress.db
    stopped 'progress.db is a pipe' 'progress.db' progress
    rm -rf data && mkdir -p data/progress.db
    stopped 'progress.db is a folder' 'progress.db' progress
fi
rm -rf data

# ---- the program of a folder ----
cp -r model edited
sed 's/^generate .*/# the end is gone/' model/program.lh >edited/program.lh
cmp -s model/program.lh edited/program.lh
test $? -eq 1
verdict $? '(the program was edited)'
run sample edited -n 3
tried 'an edited program.lh counts' 2 'program.lh was changed after the weights were saved; it is used'
run sample model -n 3
silent 'one that was not edited'
rm edited/program.lh
does 'without program.lh the one in the weights is used' sample edited -n 3
cp model/program.lh edited/program.lh && printf '# a remark\n' >>edited/program.lh
# shellcheck disable=SC2086
run train edited --resume --data names.txt --lines --steps 4
tried 'to go on with an edited program' 0 'program.lh was changed'
grep -q '# a remark' edited/program.lh
verdict $? 'which stays'
run sample edited -n 3
silent 'and is the one of the weights now'

sed 's/gelu(/2 * gelu(/' model/program.lh >edited/program.lh
run train edited --resume --data names.txt --lines --steps 6
tried 'to go on with a program that no family describes' 0 'program.lh was changed'
grep -q '"model_type":.*"longhand"' edited/config.json && ! grep -q 'gelu_new\|GPT2' edited/config.json
verdict $? 'has a model_type of its own'
run sample edited -n 3
silent 'and opens again'

# ---- a step that cannot be ----
metadata() { # FOLDER STEP SEED POSITION: weights without a number in them
    mkdir -p "$1"
    cp model/config.json model/tokenizer.json model/program.lh "$1"
    text="{\"__metadata__\":{\"longhand.step\":\"$2\",\"longhand.seed\":\"$3\",\"longhand.position\":\"$4\"}}"
    { printf "\\$(printf %o ${#text})\0\0\0\0\0\0\0"; printf '%s' "$text"; } >"$1/model.safetensors"
}
for step in 18446744073709551615 9223372036854775807 4294967295 2147483648; do
    metadata "step$step" $step 1 0
    stopped "step $step" "longhand.step = \"$step\", which is too large" train "step$step" --resume --data names.txt
done
metadata step-1 -1 1 0
stopped 'step -1' 'which is no number' train step-1 --resume --data names.txt
metadata step7 7 1 0
run weights step7
tried 'step 7 is read' 0 'step 7'

# ---- marking ----
run sheet ex1 --key
cp out ./'=HYPERLINK(1).txt'
cp out ./+1.txt
cp out ./@SUM.txt
cp out ./-a,b.txt
cp out "$(printf 'two\nlines.txt')"
run mark ex1 --csv ./=*.txt ./+1.txt ./@SUM.txt ./-a,b.txt two*.txt
! grep -q '^"\{0,1\}[=+@-]' out
verdict $? 'no name becomes a formula of a spreadsheet'
has 'it is text: =' "^\"?'=HYPERLINK\\(1\\)\"?," out
has 'it is text: -, with a comma' "^\"'-a,b\"," out

# ---- links and pipes where files are written ----
echo 'mine' >mine.txt
cp -r model linked
for file in model.safetensors.tmp optimizer-4.safetensors.tmp program.lh.tmp config.json.tmp; do
    ln -sf "$work/mine.txt" linked/$file
done
# shellcheck disable=SC2086
does 'a link at PATH.tmp' train linked --resume --data names.txt --lines --steps 4
test "$(cat mine.txt)" = mine && ! test -L linked/model.safetensors
verdict $? 'is not followed'
cp -r model logged && rm logged/log.jsonl && ln -s "$work/mine.txt" logged/log.jsonl
stopped_later 'log.jsonl is a link' 'log.jsonl is not a regular file' train logged --resume --data names.txt --lines --steps 4
test "$(cat mine.txt)" = mine
verdict $? 'and what it leads to is as it was'
rm logged/log.jsonl && mkfifo logged/log.jsonl
stopped_later 'log.jsonl is a pipe' 'log.jsonl is not a regular file' train logged --resume --data names.txt --lines --steps 4
for file in config.json tokenizer.json program.lh model.safetensors generation_config.json; do
    rm -rf piped && cp -r model piped && rm piped/$file && mkfifo piped/$file
    stopped "$file is a pipe" "$file" sample piped -n 2
done
rm -rf huge && cp -r model huge && truncate -s 5G huge/config.json
stopped 'a config.json of 5 GB' 'too large' sample huge -n 2
# Who may write into /dev is root: there a device of our own, which is ours to lose.
full=/dev/full
test "$(id -u)" -ne 0 || { mknod full c 1 7 2>/dev/null && full=full; }
test $full != full && test "$(id -u)" -eq 0 || {
    run plot ex1 heat P -o $full
    tried 'a full disk' 2 "$full cannot be written"
    test -c $full
    verdict $? 'and the device is still there'
}
mkfifo picture.svg
timeout 10 cat picture.svg >seen.svg &
within 10 plot ex1 heat P -o picture.svg
wait $!
grep -q '</svg>' seen.svg && test -p picture.svg
verdict $? 'a pipe is written into'
ln -s "$work/mine.txt" "mine.svg"
does 'a link in the place of a picture' plot ex1 heat P -o mine.svg
test "$(cat mine.txt)" = mine
verdict $? 'what it led to is as it was'

# ---- files may not grow beyond a limit: as a disk that is full ----
# limited NAME TEXT WORD...: exit status 2, TEXT in err, nothing half written.
rm -rf linked
blocks=8
limited() {
    tap_name=$1 tap_text=$2
    shift 2
    (ulimit -f $blocks && exec timeout 60 "$longhand" "$@" >out 2>err </dev/null)
    status=$?
    is_stopped "$tap_text" && test -z "$(find . -name '*.tmp*' -o -name '*-journal')"
    verdict $? "a limit for files: $tap_name"
}
"$longhand" sheet ex1 --key >key.txt
learn_more='--data names.txt --lines --set layers=1 dim=32 heads=1 context=8 --batch 2'
# shellcheck disable=SC2086
"$longhand" train gpt $learn_more --steps 2 -o wide >out 2>err
(cd wide && cksum config.json model.safetensors optimizer-2.safetensors program.lh) >wide.sums
# shellcheck disable=SC2086
limited 'train' 'optimizer-0.safetensors cannot be written: ' train gpt $learn_more --steps 2 -o never
limited 'train --resume' 'wide has the model as it was last saved' train wide --resume --data names.txt --lines --steps 4
(cd wide && cksum config.json model.safetensors optimizer-2.safetensors program.lh) | cmp -s - wide.sums
verdict $? 'and what was saved is as it was'
does 'and it goes on without the limit' train wide --resume --data names.txt --lines --steps 4
echo mine >sheet.txt
limited 'sheet -o' 'sheet.txt cannot be written: ' sheet ex6-wide -o sheet.txt
test "$(cat sheet.txt)" = mine
verdict $? 'and the file is as it was'
blocks=2
limited 'mark -o' '.html cannot be written: ' mark ex1 key.txt -o feedback
blocks=8
limited 'book -o' '.html cannot be written: ' book -o book
limited 'the screen in a file' 'the output cannot be written: ' run ex6-wide
begin_progress
if test -f data/progress.db; then
    awk 'BEGIN { for (i = 0; i < 2000; i++) printf "{\"time\": \"2026-01-%02dT%02d:%02d:00Z\", \"lesson\": \"ex1\", \"seed\": %d, \"digits\": 4, \"step\": \"X\", \"raw\": \"0 0\", \"verdict\": \"wrong\", \"right\": false}\n", 1 + i % 28, i % 24, i % 60, i }' >more.jsonl
    limited 'progress --import' 'attempts could not be saved' progress --import more.jsonl
    is_stopped 'make room and import the file again'
    verdict $? 'and what to do is said'
    run progress --import more.jsonl
    tried 'and all come without the limit' 0 '2000 attempts imported'
    limited 'progress --export' 'mine.jsonl cannot be written: ' progress --export mine.jsonl
    limited 'progress --reset' 'progress-until-' progress --reset --yes
    run progress
    tried 'and nothing is forgotten' 0 'ex1'
fi
rm -rf data

# ---- files that a program names ----
mkdir -p project/data away
echo '1 2' >project/data/numbers.txt
echo '3 4' >away/numbers.txt
echo '3 4' >numbers.txt
program() { printf 'const W = file("%s")\nY = W + 1\n' "$1" >project/reads.lh; }
program data/numbers.txt
does 'a file in a folder below' run project/reads.lh
for path in ../numbers.txt "$work/numbers.txt" /etc/passwd data/../../numbers.txt; do
    program "$path"
    stopped "file(\"$path\")" 'is outside the folder of the program' run project/reads.lh
done
tried 'the cure' 2 '--files FOLDER'
ln -s "$work/away" project/link
program link/numbers.txt
stopped 'a link that leads out' 'is outside the folder of the program' run project/reads.lh
does '--files allows it' run project/reads.lh --files away
does '--files allows it for every command' check project/reads.lh --files away
program "$work/away/numbers.txt"
does '--files, an absolute name' run project/reads.lh --files away
does '--files, everything' run project/reads.lh --files /
stopped '--files, another folder' 'is outside' run project/reads.lh --files project/data
mkfifo project/pipe
program pipe
stopped 'a pipe' 'not a regular file' run project/reads.lh
program /dev/urandom
stopped 'a device' 'not a regular file' run project/reads.lh --files /
program data
stopped 'a folder' 'is a folder' run project/reads.lh
truncate -s 3G project/large
program large
stopped 'a huge file' 'too large' run project/reads.lh
printf '\357\273\2771 2\r\n' >project/dos.txt
program dos.txt
does 'a file of numbers with a mark of its order and CRLF' run project/reads.lh

# ---- more than 64 of something ----
awk 'BEGIN { for (i = 0; i < 70; i++) print "input x" i " : 1 x 1"; printf "examples "
    for (i = 0; i < 70; i++) printf "%sx%d = [%d; %d]", i ? ", " : "", i, i, i + 1
    print "\nY = x69 * 2" }' >many.lh
run run many.lh
shows '138' '70 inputs: each example has its number'

# ---- a byte 0 ----
printf '# A lesson\n\nThe loss.\n\n```longhand\nX = 1\n```\n' >good.md
does 'lint' lint good.md
printf '# A lesson\n\nThe \0loss.\n\n```longhand\nX = 1\n```\n' >zero.md
run lint zero.md
tried 'a byte 0 in a lesson' 1 'zero.md:3:5: this does not look like text: byte 0x00'
run lint --json zero.md
tried 'as JSON' 1 '0x00'
run read zero.md
tried 'read refuses it' 2 'byte 0x00'
printf '# A lesson\n\n\033]0;title\007The loss.\n\n```longhand\nX = 1\n```\n' >escape.md
run lint escape.md
tried 'an escape sequence in a lesson' 1 'escape.md:3:1: this does not look like text: byte 0x1b'
printf '\357\273\277# A lesson\r\n\r\nThe loss.\r\n\r\n```longhand\r\nX = 1\r\n```\r\n' >dos.md
does 'a lesson with a mark of its order and CRLF' lint dos.md
run read dos.md
tried 'its title is one' 0 'A lesson'
head -c 300000 /dev/zero >zeros.md
within 20 lint zeros.md
test $status -eq 1 && test "$(grep -c 'byte 0x00' out)" -le 10
verdict $? 'a file of zeros is told in a few lines'

# ---- long lessons: time grows with their length, not with its square ----
many() { # FILE TIMES TEXT: a lesson of TEXT again and again
    { printf '# Long\n\n'; awk -v n="$2" -v text="$3" 'BEGIN { gsub(/@/, "\n", text); while (n-- > 0) { t = text; gsub(/%/, n, t); printf "%s", t } }'; } >"$1"
    printf '\n' >>"$1"
}
for kind in 'paragraphs:a@@' 'headings:## h%@@' 'code:```text@x@```@@' 'emphasis:*a* ' 'formulas:$x$@@' 'items:- a@' 'rows:| a | b |@' \
    'inserts without an end:{{a ' 'one word:abcdefgh' 'quotes:> a@@' 'links:[a](b) ' 'programs:```longhand@# %@```@'; do
    text=${kind#*:}
    many long.md 60000 "$text"
    within 20 lint long.md
    first=$status
    within 20 read long.md
    test "$first" -le 1 && test $status -ne 124
    verdict $? "60,000 times: ${kind%%:*}"
done
awk 'BEGIN { print "# Code\n\n```text"; while (n++ < 600000) printf "x"; print "\n```" }' >long.md
within 20 read long.md
exits 0 'a line of code of 600 kB'

# ---- closed doors ----
# shellcheck disable=SC2086
"$longhand" train gpt $learn --steps 3 -o closed <&- >&- 2>err
test $? -eq 2 && test "$(wc -l <closed/log.jsonl)" -eq 3 && ! grep -qv '^{"step": ' closed/log.jsonl
verdict $? 'stdin and stdout closed: the log has its lines alone'
# shellcheck disable=SC2086
"$longhand" train gpt $learn --steps 3 -o closed3 <&- >&- 2>&-
test "$(wc -l <closed3/log.jsonl)" -eq 3 && ! grep -qv '^{"step": ' closed3/log.jsonl
verdict $? 'all three closed'
"$longhand" run ex1 >&- 2>err
test $? -eq 2 && grep -q 'the output cannot be written' err
verdict $? 'stdout closed is said'
"$longhand" run ex1 >/dev/full 2>err
test $? -eq 2 && grep -q 'the output cannot be written' err
verdict $? 'stdout on a full disk is said'

# ---- signals ----
stop_by() { # SIGNAL NAME
    rm -rf run
    # shellcheck disable=SC2086
    "$longhand" train gpt $learn --steps 100000000 --every 100000000 -o run >out 2>err &
    pid=$!
    i=0
    until test $i -gt 200 || { test -s run/log.jsonl && test "$(wc -l <run/log.jsonl)" -gt 3; }; do
        sleep 0.1
        i=$((i + 1))
    done
    kill -s "$1" $pid
    wait $pid
    status=$?
    "$longhand" weights run >weights 2>>err
    test $status -eq 0 && grep -q 'continue with: longhand train run --resume' out && ! grep -q 'step 0,' weights
    verdict $? "$2"
}
# Under nohup the program is right to ignore it, and would be waited for without end.
case $(sed -n 's/^SigIgn:[[:space:]]*.*\(.\)$/\1/p' /proc/self/status 2>/dev/null) in
[13579bdf]) skip 'SIGHUP saves' 'it is ignored here, as under nohup' ;;
*) stop_by HUP 'SIGHUP saves' ;;
esac
stop_by TERM 'SIGTERM saves'
rm -rf run
# shellcheck disable=SC2086
(trap '' HUP && exec "$longhand" train gpt $learn --steps 100000000 --every 100000000 -o run) >out 2>err &
pid=$!
sleep 1
kill -s HUP $pid
sleep 1
kill -s TERM $pid
verdict $? 'SIGHUP that the shell ignores (nohup) stays ignored'
wait $pid

# ---- what reaches a terminal ----
escape=$(printf '\033]0;title\007')
on_terminal() { # WORD...: longhand with these words at a terminal; what that saw is in `seen`
    for tap_word; do printf "'%s' " "$tap_word"; done >words
    TERM=xterm COLUMNS=80 script -qec "'$longhand' $(cat words)" /dev/null >seen </dev/null 2>&1
    status=$?
}
no_escape() { # NAME: nothing but colours reached it
    sed 's/\x1b\[[0-9;]*m//g' seen | tr -d '\r\n\t' | LC_ALL=C grep -q '[[:cntrl:]]'
    test $? -eq 1
    verdict $? "$1"
}
if ! command -v script >/dev/null; then
    skip 'what reaches a terminal' 'there is no script(1)'
else
    on_terminal run "$escape.lh"
    no_escape 'the name of a file that is not there'
    grep -q '␛]0;title␇' seen
    verdict $? 'it is shown by its pictures'
    cp project/reads.lh "$(printf 'a\033[2Jb\302\233c\377.lh')"
    on_terminal run "$(printf 'a\033[2Jb\302\233c\377.lh')"
    no_escape 'the name of a file that is'
    on_terminal "$escape"
    no_escape 'a command'
    on_terminal run ex1 "--$escape"
    no_escape 'an option'
    printf '# a%s' "$escape" >made.txt
    on_terminal near made.txt "$escape"
    no_escape 'a file of words'
    "$longhand" run "$escape.lh" 2>err
    LC_ALL=C grep -q "$(printf '\033')" err
    verdict $? 'into a file goes what there is'
    unset NO_COLOR
    on_terminal run ex1
    export NO_COLOR=1
    grep -q "$(printf '\033')\[[0-9]*m" seen
    verdict $? 'colours are there'
    no_escape 'and nothing else'
    "$longhand" run ex1 >plain 2>err
    sed 's/\x1b\[[0-9;]*m//g' seen | tr -d '\r' | cmp -s - plain
    verdict $? 'the words are the same as in a file'
    if test -f data/progress.db || { begin_progress && test -f data/progress.db; } && command -v sqlite3 >/dev/null; then
        sqlite3 data/progress.db "INSERT INTO attempt VALUES (99, 1700000000, 'ex' || char(27) || '[2J', 1, 4, 'P' || char(27) || 'c', '', 'wrong', 'm' || char(7), 0, 0, 1)"
        on_terminal progress
        no_escape 'what is kept of a learner'
        grep -q '␛\[2J' seen
        verdict $? 'is shown by its pictures'
    fi
    unset NO_COLOR
    on_terminal train gpt --data names.txt --lines --set layers=1 dim=4 heads=1 context=8 --batch 2 --steps 5 -o shown
    export NO_COLOR=1
    grep -q "$(printf '\r\033')\[K" seen && test $status -eq 0
    verdict $? 'a line that is renewed in its place'
fi

# ---- make DEPS=no ----
mkdir tools
for tool in sh id env ls; do ln -s "$(command -v $tool)" tools/$tool; done
printf '#!/bin/sh\n: >"%s/installed"\n' "$work" >tools/apt-get
cp tools/apt-get tools/sudo
chmod +x tools/apt-get tools/sudo
PATH=$work/tools DEPS=no sh "$root/scripts/deps.sh" build >out 2>err
status=$?
test $status -eq 2 && grep -q 'Please install' err && ! test -e installed
verdict $? 'DEPS=no: nothing is installed, and what is missing is said'
PATH=$work/tools sh "$root/scripts/deps.sh" build >out 2>err
test -e installed
verdict $? '(without it, it would be)'
(cd "$root" && make -n DEPS=no all) >out 2>err
has 'make hands it on' "DEPS='no' sh scripts/deps.sh build" out
(cd "$root" && make help) >out 2>err
has 'make help says it' 'make DEPS=no installs nothing' out

# ---- read-only ----
if test "$(id -u)" -ne 0; then
    mkdir locked && chmod 500 locked
    stopped 'a folder that may not be written' 'cannot be' train gpt --data names.txt --steps 1 -o locked/model
    stopped 'a picture there' 'cannot be written' plot ex1 heat P -o locked/p.svg
    chmod 700 locked
else
    skip 'a folder that may not be written' 'root may write everywhere'
fi
finish
