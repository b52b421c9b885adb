#!/bin/sh
# What the GPT of the page reads, and the weights that have learned it: web/page/{names,sentences}{,-model}.js, from seeds. The build does not need it:
# these files are in the repository. Run it when models/micro.lh or models/gpt.lh has changed.
#
#     sh scripts/page-models.sh        some minutes
#
# Names are made up, and sentences come from the small grammar of `longhand data translate`. Weights are written as bf16, in half the letters.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
./longhand data names -n 2000 >"$work/names.txt"
./longhand data translate -n 6000 -s 5 | cut -f 1 | sed 's/$/./' >"$work/sentences.txt"
./longhand train micro --data "$work/names.txt" --steps 3000 -o "$work/names"
./longhand train gpt --data "$work/sentences.txt" --set layers=2 dim=48 heads=4 context=48 rate=0.004 warm=50 --steps 3000 --batch 16 -o "$work/sentences"
for name in names sentences; do
    python3 scripts/page-model.py "$name" "$work/$name.txt" "$work/$name" web/page
done
