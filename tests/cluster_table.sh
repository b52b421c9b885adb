#!/bin/sh
# The table of docs/cluster.md is what bench/cluster_table.sh makes, and its arithmetic is what `longhand cost --ranks` finds by trying.
. "$(dirname "$0")/tap.sh"

LH_BUILD_ROOT=$build sh "$root/bench/cluster_table.sh" --check >out 2>err
verdict $? 'the table in docs/cluster.md is the one that the script makes'
sed 's/| 1.58 GB |/| 1.57 GB |/' "$root/docs/cluster.md" >other.md
! LH_BUILD_ROOT=$build TABLE=other.md sh "$root/bench/cluster_table.sh" --check >out 2>err
verdict $? 'another number is noticed'

# What each of 8 processes sends in a step of a small gpt: gradients, with those of the table of tokens twice, their sums, and new weights.
run cost gpt --set layers=2 dim=64 heads=4 context=32 vocab=24 tokens=32 --threads 1 --ranks 8 --json
awk '
    /"parameters": {"number"/ { split($0, x, /[:,]/); params = x[3] }
    /"ranks"/ { is_here = 1 }
    is_here && /"bytes": [0-9]/ { split($0, x, /[:,]/); bytes = x[2] }
    END { wanted = 4 * (3 * params + 2 * 24 * 64) * 7 / 8; exit !(bytes > 0.95 * wanted && bytes < 1.05 * wanted) }' out
verdict $? 'what is sent by arithmetic is what is sent'
finish
