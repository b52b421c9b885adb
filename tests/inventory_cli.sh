#!/bin/sh
# Every row of the inventory by the commands that a reader would type: inventory_cli.txt holds them with what they print.
# LH_ROW=9.4 tries one row alone and shows what its commands print.
. "$(dirname "$0")/tap.sh"
table=$root/tests/inventory_cli.txt
PATH=$build:$PATH
export PATH
only=${LH_ROW:-}
row=setup title='' bad=0 awaited=0 rows=0 expected=0

# Blanks and line ends count as one blank, so that a number may move without a change here.
flat() { tr -s ' \t\n' ' '; }

# The exit status of a command is 0 unless its next line says another.
settle() {
    test "$status" -eq "$awaited" && return
    echo "#   ended with $status, not with $awaited: $command"
    bad=1
}

row_ends() {
    test "$row" && test "$row" != setup || return
    settle
    test $expected -gt 0 || { echo '#   nothing is expected of this row' && bad=1; }
    verdict $bad "$row $title"
}

row_begins() {
    row_ends
    row=${1%% *} title=${1#* }
    rows=$((rows + 1)) bad=0 expected=0 awaited=0 status=0 command=''
    echo "$row" >>seen
    test -z "$only" || test "$only" = "$row" || row=''
}

run_line() {
    settle
    command=$1 awaited=0
    sh -c "$command" >out 2>err </dev/null
    status=$?
    cat out err | flat >flat
    test -z "$only" || { echo "# \$ $command" && cat out err; }
}

expect() { # WHETHER TEXT: 0 it is there, 1 it is not
    expected=$((expected + 1))
    text=$(printf '%s' "$2" | flat)
    grep -qF -e "$text" flat
    test $? -eq "$1" && return
    test "$1" -eq 0 && echo "#   not printed: $text" || echo "#   printed, and should not be: $text"
    echo "#   by: $command"
    bad=1
}

while IFS= read -r line; do
    case $line in
    '' | '#'*) continue ;;
    [0-9]*) row_begins "$line" && continue ;;
    esac
    test -n "$row" || continue
    case $line in
    '$ '*) run_line "${line#??}" ;;
    '> '*) expect 0 "${line#??}" ;;
    '! '*) expect 1 "${line#??}" ;;
    '= '*) awaited=${line#??} ;;
    *) echo "#   what is this line: $line" && bad=1 ;;
    esac
done <"$table"
row_ends

# Sections 1 to 13 and how many rows each has: 170 in all, each once.
section=0
: >wanted
for count in 11 16 5 14 6 18 11 13 19 18 8 17 14; do
    section=$((section + 1))
    seq -f "$section.%g" 1 "$count" >>wanted
done
sort wanted >a
sort seen >b
diff a b >out
verdict $? "there are 170 rows, each once, and here are $rows"
finish
