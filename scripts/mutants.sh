#!/bin/sh
# Do the tests catch faults? Each line of tests/mutants.list is made in a copy of the tree, built and tested; a fault that no
# test catches is an error, and so is one that cannot be made or does not build.
#
#     sh scripts/mutants.sh [PATTERN]          only lines that contain PATTERN
#     sh scripts/mutants.sh --list [PATTERN]   builds nothing: is the text of each line still in its file?
set -eu
cd "$(dirname "$0")/.."
root=$PWD
only_list=false
if [ "${1:-}" = --list ]; then
    only_list=true
    shift
fi
pattern=${1:-}
twice=$(sort tests/mutants.list | uniq -d | grep . || true)
if [ -n "$twice" ]; then
    echo "$twice" | sed 's/^/there twice: /'
    exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
git ls-files -z --cached --others --exclude-standard | xargs -0 tar cf - | tar xf - -C "$work"
cd "$work"
build_whole() {
    meson setup build >setup.log 2>&1 || { cat setup.log; exit 2; }
    ninja -C build >build.log 2>&1 || { tail -n 20 build.log; echo "mutants: the tree itself does not build"; exit 2; }
    LH_QUICK=1 meson test -C build --maxfail 1 >test.log 2>&1 || { tail -n 20 test.log; echo "mutants: the tests fail without any fault"; exit 2; }
}
$only_list || build_whole

# Replace the first occurrence of $FROM in a file by $TO; status 1 when it is not there.
mutate() {
    awk '!done { at = index($0, ENVIRON["FROM"])
                 if (at) { $0 = substr($0, 1, at - 1) ENVIRON["TO"] substr($0, at + length(ENVIRON["FROM"])); done = 1 } }
         { print }
         END { exit !done }' "$1" >mutant.tmp
}

# Tests whose name is in the file's are asked first, and those that look at its folder; then all.
likely() {
    for test in $tests; do
        case $1 in *"$test"*) echo "$test" ;; esac
    done
    case $1 in src/graph/* | src/eval/loops.c | src/eval/plan*.c | src/notation/prelude.lh) echo ops prelude random fast api_model ;; esac
    case $1 in src/eval/cuda/*) echo gpu cuda_cli ;; esac
    case $1 in
    src/train/* | src/cli/train*) echo train parts beam tasks generate lora inside api_model ranks lora_cli train_cli ;;
    src/eval/*) echo fast backend ragged generate quant ;;
    src/learn/mark* | src/learn/reach* | src/learn/sheet* | src/learn/digits*) echo fair answers sheets mark ;;
    src/learn/*) echo sheets exercise lesson tasks formula ;;
    src/files/* | src/text/*) echo files folder gguf text split tokenizer_file golden_tokenizers config lora gguf_cli ;;
    src/explain/*) echo check chart picture cost inside look widths ;;
    src/base/*) echo base files pattern answers fair ;;
    esac
}
$only_list || tests=$(meson test -C build --list 2>/dev/null | sed -n 's|.* / ||p')

caught=0 missed=0 number=0
tab=$(printf '\t')
while IFS= read -r line; do
    case $line in '#'* | '') continue ;; esac
    case $line in *"$pattern"*) ;; *) continue ;; esac
    number=$((number + 1))
    file=${line%%"$tab"*} rest=${line#*"$tab"}
    from=${rest%%"$tab"*} to=${rest#*"$tab"}
    cp "$file" kept.tmp
    if ! FROM=$from TO=$to mutate "$file"; then
        echo "not there:   $file: $from"
        missed=$((missed + 1))
        continue
    fi
    if $only_list; then
        caught=$((caught + 1))
        continue
    fi
    cp mutant.tmp "$file"
    first=$(likely "$file" | tr ' ' '\n' | awk '!seen[$0]++' | tr '\n' ' ') # meson fails where a test is named twice
    # shellcheck disable=SC2086 # several names
    if ! { test -z "$first" || LH_QUICK=1 meson test -C build --maxfail 1 $first; } >test.log 2>&1 ||
        ! LH_QUICK=1 meson test -C build --maxfail 1 >test.log 2>&1; then
        how=$(grep -m1 -E ' (FAIL|ERROR|TIMEOUT)' test.log | sed 's/^ *[0-9/]* *//; s/  */ /g')
        if [ -n "$how" ]; then
            caught=$((caught + 1))
            echo "caught $number: $file: $from  ->  $to   ($how)"
        else
            missed=$((missed + 1))
            echo "NOT TESTED:  $file: $from  ->  $to"
            tail -n 5 test.log
        fi
    else
        missed=$((missed + 1))
        echo "NOT CAUGHT:  $file: $from  ->  $to"
    fi
    cp kept.tmp "$file"
done <"$root/tests/mutants.list"
if $only_list; then
    echo "$caught faults can be made, $missed cannot"
else
    echo "$caught caught, $missed missed"
fi
[ "$missed" -eq 0 ]
