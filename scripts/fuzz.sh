#!/bin/sh
# Runs every fuzz target for some seconds. Finds are kept in BUILD/finds, the corpus grows in BUILD/corpus.
#
#     sh scripts/fuzz.sh build-fuzz 60
#
# tests/corpus/NAME, where it exists, is where fuzz_NAME begins.
build=$1 seconds=$2
ninja -C "$build" --quiet all || exit 1
verdict=0
for target in "$build"/tests/fuzz_*; do
    test -f "$target" || continue
    name=${target##*/fuzz_}
    mkdir -p "$build/corpus/$name" "$build/finds"
    seeds=tests/corpus/$name
    test -d "$seeds" || seeds=''
    if "$target" -max_total_time="$seconds" -verbosity=0 -print_final_stats=1 \
        -artifact_prefix="$build/finds/$name-" "$build/corpus/$name" ${seeds:+"$seeds"} >"$build/$name.log" 2>&1; then
        echo "$name: nothing found in $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$name.log") runs"
    else
        cat "$build/$name.log"
        echo "$name: FOUND something, see $build/finds"
        verdict=1
    fi
done
exit $verdict
