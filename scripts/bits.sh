#!/bin/sh
# A hash for each result that must stay the same to the bit while the code is rearranged.
#
#     sh scripts/bits.sh ./longhand >before.txt        then, after the change: sh scripts/bits.sh ./longhand | diff before.txt -
#
# Values and gradients of every lesson and model (exact), trained weights of the models (fast, one and two threads,
# micro-batches, bf16), samples, sheets and marked sheets. The table holds for one machine: libm, oneDNN and the processor
# have a say in the last bit. BITS_ONLY=values|train|sheets makes a part of it.
set -u
longhand=$(realpath "${1:-./longhand}")
top=$(cd "$(dirname "$longhand")" && pwd)
test -d "$top/lessons" || top=$(cd "$top/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export NO_COLOR=1 COLUMNS=80 XDG_DATA_HOME="$work/data"
hash() { printf '%s  %s\n' "$(sha256sum | cut -c1-16)" "$1"; }
wanted() { test "${BITS_ONLY:-$1}" = "$1"; }

lessons=$(grep -Ev '^(#|part|$)' "$top/lessons/contents.txt")
models=$(cd "$top/models" && ls | sed 's/\.lh$//')

if wanted values; then
    for name in $lessons $models; do
        "$longhand" run "$name" --all --digits 17 --json 2>&1 | hash "run $name"
        "$longhand" run "$name" --steps 5 --digits 17 2>&1 | hash "run $name --steps 5"
    done
fi

train() { # NAME OPTIONS...: the weights and what was said of them
    out=$work/out
    rm -rf "$out"
    "$longhand" train "$@" -o "$out" >/dev/null 2>&1
    test -s "$out/model.safetensors" || return
    header=$(od -An -tu8 -N8 "$out/model.safetensors" | tr -d ' ')
    tail -c "+$((header + 9))" "$out/model.safetensors" | hash "train $(echo "$*" | sed "s|$work/||g")" # the numbers, not how they are described
}

if wanted train; then
    "$longhand" data names -n 400 --seed 1 >"$work/names.txt" 2>/dev/null || seq 1 2000 >"$work/names.txt"
    for threads in 1 2; do
        train gpt --data "$work/names.txt" --steps 20 --set layers=2 dim=64 heads=4 context=32 --threads $threads
        train gpt --data "$work/names.txt" --steps 10 --set layers=2 dim=64 heads=4 context=32 --batch 8 --micro 3 --threads $threads
        train gpt --data "$work/names.txt" --steps 10 --set layers=2 dim=64 heads=4 context=32 --precision bf16 --threads $threads
        train micro --task names --steps 30 --threads $threads
        train adder --task addition --steps 10 --threads $threads
        train sorter --task sort --steps 10 --threads $threads
        train classic --task translate --steps 5 --threads $threads
    done
    "$longhand" train gpt --data "$work/names.txt" --steps 20 --set layers=2 dim=64 heads=4 context=32 -o "$work/gpt" >/dev/null 2>&1
    "$longhand" sample "$work/gpt" -i ma -n 60 2>&1 | hash 'sample gpt'
    "$longhand" sample "$work/gpt" -i ma -n 60 --precision bf16 2>&1 | hash 'sample gpt bf16'
    "$longhand" look "$work/gpt" --prompt maria 2>&1 | sed "s|$work||g" | hash 'look gpt'
    "$longhand" explain "$work/gpt" --prompt maria 'h[1].P{head 1}[2][1]' 2>&1 | hash 'explain gpt'
fi

if wanted sheets; then
    for name in $lessons; do
        "$longhand" sheet "$name" --seed 3 >"$work/sheet" 2>&1 || continue
        hash "sheet $name" <"$work/sheet"
        "$longhand" sheet "$name" --seed 3 --key >"$work/key" 2>/dev/null
        hash "key $name" <"$work/key"
        "$longhand" sheet "$name" --seed 3 --json --key >"$work/key.json" 2>/dev/null
        "$longhand" mark "$name" "$work/key" --json 2>&1 | sed "s|$work||g" | hash "mark key $name"
        sed 's/3/4/7' "$work/key" >"$work/slip"
        "$longhand" mark "$name" "$work/slip" --json 2>&1 | sed "s|$work||g" | hash "mark slips $name"
    done
fi
