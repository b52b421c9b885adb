#!/bin/sh
# The documents agree with the code they describe.
. "$(dirname "$0")/tap.sh"
COLUMNS=200
cd "$root" || exit 1

# result NAME: what stands in err is what is wrong.
result() {
    test ! -s "$work/err"
    verdict $? "$1"
    : >"$work/err"
}

sh scripts/tour.sh >"$work/tour.md" 2>"$work/err"
diff "$work/tour.md" docs/tour.md >/dev/null || echo 'the line numbers of docs/tour.md are old: make tour' >>"$work/err"
result 'docs/tour.md points where it says'

"$longhand" help operations | diff - docs/operations.md >/dev/null ||
    echo 'docs/operations.md is old: make docs' >"$work/err"
result 'docs/operations.md is up to date'

"$longhand" formula --list | diff - docs/formulas.md >/dev/null ||
    echo 'docs/formulas.md is old: make docs' >"$work/err"
result 'docs/formulas.md is up to date'

# Command, then each of its options: run --to, graph -o ... A command without a section of its own has one from its record.
sh scripts/manual.sh "$longhand" man/longhand.1.scd >"$work/longhand.1.scd"
sed '/^## near /,/^## help /{/^## help /!d}' man/longhand.1.scd >"$work/without.scd"
sh scripts/manual.sh "$longhand" "$work/without.scd" >"$work/with.scd"
grep -q '^## near ' "$work/with.scd" && grep -q '^\*--minus\* _WORD_' "$work/with.scd" ||
    echo 'a command that has no section in longhand.1 gets none' >"$work/err"
if command -v scdoc >/dev/null; then scdoc <"$work/with.scd" >/dev/null 2>>"$work/err"; fi
result 'a section can be made from the record'
"$longhand" --help | awk '/^Commands/ { on = 1; next } /^$/ { on = 0 } on && /^  [a-z]/ { print $1 }' >"$work/commands"
test -s "$work/commands" || echo 'no command was found in longhand --help' >"$work/err"
while read -r command; do
    awk -v command="$command" '
        /^## / { here = $2 == command; found = found || here }
        here && !/^#/ { text = text " " $0 }
        END { if (found) print text; exit !found }
    ' "$work/longhand.1.scd" >"$work/section" || echo "man/longhand.1.scd: there is no section for $command"
    "$longhand" "$command" --help | awk '/^Options/ { on = 1; next } /^$/ { on = 0 } on' |
        grep -o '^ *\(-[a-z],\)\{0,1\} *--[a-z-]*' | tr -d ' ' | tr ',' '\n' | while read -r option; do
        grep -q -e "\*$option\*" "$work/section" || echo "man/longhand.1.scd: $command has $option"
    done
done <"$work/commands" >>"$work/err"
result 'longhand.1 has every command and option'

# ... and under each command no option that it does not have.
awk '/^# / { command = "" } /^## / { command = $2 }
    command != "" && /^\*-/ { while (match($0, /\*--[a-z0-9-]+\*/)) { print command, substr($0, RSTART + 1, RLENGTH - 2); $0 = substr($0, RSTART + RLENGTH) } }' \
    man/longhand.1.scd >"$work/options"
test "$(wc -l <"$work/options")" -gt 200 || echo 'hardly any option was found in man/longhand.1.scd' >"$work/err"
while read -r command option; do
    "$longhand" "$command" --help | grep -q -e "$option\>" || echo "man/longhand.1.scd: $command has no $option"
done <"$work/options" >>"$work/err"
result 'longhand.1 has no option that is gone'

grep -rhoE 'getenv\("[A-Z_]+"\)' src | sed 's/.*"\(.*\)".*/\1/' | sort -u | while read -r name; do
    grep -q "\*$name\*" man/longhand.1.scd || echo "man/longhand.1.scd: $name is missing"
done >"$work/err"
result 'longhand.1 has every variable of the environment'

# Fields are the names in calls such as lh_json_text(&j, "path", ...), and in json_amount of command_cost.c.
cat src/cli/*.c | sed -n 's/.*json_[a-z]*([^,"]*, "\([a-z_]*\)".*/\1/p' | sort -u >"$work/fields"
test "$(wc -l <"$work/fields")" -gt 30 || echo 'hardly any field was found in src/cli' >"$work/err"
while read -r field; do
    grep -q "\*$field\*" man/longhand-json.5.scd || echo "man/longhand-json.5.scd: $field is missing"
done <"$work/fields" >>"$work/err"
result 'longhand-json.5 has every field'

sed -n 's/^    {"\([a-z]*\)", LH_S_.*/\1/p' src/notation/parser.c >"$work/keywords"
test "$(wc -l <"$work/keywords")" -gt 10 || echo 'no keywords were found in src/notation/parser.c' >"$work/err"
while read -r word; do
    grep -q "\"$word\"" src/notation/grammar.ebnf || echo "grammar.ebnf: $word is missing"
    grep -q "\*$word\|$word\*" man/longhand-notation.7.scd || grep -q "\*.*$word.*\*" man/longhand-notation.7.scd ||
        echo "man/longhand-notation.7.scd: $word is missing"
done <"$work/keywords" >>"$work/err"
result 'the grammar and longhand-notation.7 have every keyword'

# [text](path) and [text](path#part), seen from the document.
for document in README.md CONTRIBUTING.md CHANGELOG.md docs/*.md examples/c/README.md; do
    grep -o '](\([^)#]*\)[^)]*)' "$document" | sed 's/^](//; s/[#)].*//' | grep -v '^https*:' | while read -r path; do
        test -e "$(dirname "$document")/$path" || echo "$document: $path is not there"
    done
done >"$work/err"
result 'links lead somewhere'

# `make test`, and in a block of commands a line that begins so.
cat README.md CONTRIBUTING.md docs/*.md examples/c/README.md | sed -n 's/^make \([a-z-]*\).*/\1/p; s/^[^`]*`make \([a-z-]*\).*/\1/p' |
    sort -u | while read -r target; do
    grep -q "^$target:" Makefile || echo "make $target is in the documents, not in the Makefile"
done >"$work/err"
result 'documented make targets exist'

sh scripts/names.sh >"$work/err"
result 'no file name and no type is there twice'
while IFS='|' read -r what text; do
    rm -rf "$work/twice"
    mkdir -p "$work/twice/scripts" "$work/twice/include" "$work/twice/src/a" "$work/twice/src/b"
    cp scripts/names.sh "$work/twice/scripts"
    printf '%b\n' "$text" >"$work/twice/src/a/one.h"
    sh "$work/twice/scripts/names.sh" >>"$work/err" || echo "$what: refused once" >>"$work/err"
    printf '%b\n' "$text" >"$work/twice/src/b/two.h"
    sh "$work/twice/scripts/names.sh" | grep -q 'type lh_x is .* src/a/one.h src/b/two.h' || echo "$what: not seen twice" >>"$work/err"
done <<'END'
a struct|typedef struct lh_x {\n    int a;\n} lh_x; /* a; b */
a struct that is open elsewhere|typedef struct lh_x lh_x;\nstruct lh_x {\n    int a;\n};
a struct on one line|typedef struct lh_x { int a; } lh_x;
an enum on one line|typedef enum lh_x { LH_A, LH_B } lh_x;
an enum without a tag|typedef enum {\n    LH_A\n} lh_x;
a name for another type|typedef const unsigned char *lh_x;
an array|typedef int lh_x[4];
a function|typedef void (*lh_x)(int a, void (*b)(int));
a function on two lines|typedef void (*lh_x)(int a,\n    int b);
END
result 'each kind of type that is there twice is found'

sh scripts/comments.sh >"$work/err"
result 'no comment breaks the declaration that it stands behind'

# Public headers are for C++ too.
compiler=''
for c in g++ clang++ c++; do command -v $c >/dev/null && compiler=$c && break; done
if test -n "$compiler"; then
    $compiler -x c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only include/longhand.h 2>"$work/err"
    result 'longhand.h is C++17'
else
    skip 'longhand.h is C++17' 'there is no C++ compiler'
fi

# Words that bash completes, for each command.
if command -v bash >/dev/null; then
    "$longhand" help completion >"$work/completion"
    complete_words() {
        bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _longhand; echo "${COMPREPLY[*]}"' - "$work/completion" "$@"
    }
    test "$(complete_words longhand expl)" = explain || echo 'longhand expl is not completed' >"$work/err"
    test "$(complete_words longhand run --fr)" = --freeze || echo 'run --fr is not completed' >>"$work/err"
    test "$(complete_words longhand run ex5-)" = ex5-plain || echo 'run ex5- is not completed' >>"$work/err"
    test "$(complete_words longhand read --fr)" = '' || echo 'read has no --freeze' >>"$work/err"
    result 'bash completes commands, options and lessons'
else
    skip 'bash completes commands, options and lessons' 'there is no bash'
fi
finish
