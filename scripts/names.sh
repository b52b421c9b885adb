#!/bin/sh
# names.sh: no file name and no public type twice in src. Prints each that is, and ends in 1.
#
# Two headers of one name are included by mistake for each other, and two types of one name compile where they must not.
set -u
cd "$(dirname "$0")/.." || exit 2
files=$(find src -name '*.[ch]' | sed 's|.*/||' | sort | uniq -d)
# "} lh_name;", "struct lh_name {" of an open definition, and "typedef ... (*lh_name)(" are definitions; "typedef struct a a;" is none.
types=$(find src include -name '*.[ch]' -exec sed -nE \
    -e 's/^\} (lh_[a-z0-9_]+);.*/\1/p' \
    -e 's/^(struct|union|enum) (lh_[a-z0-9_]+) \{.*/\2/p' \
    -e 's/^typedef [^;{]*\(\*(lh_[a-z0-9_]+)\)\(.*/\1/p' {} + | sort | uniq -d)
status=0
for name in $files; do
    echo "names.sh: the file $name is there twice: $(find src -name "$name" | sort | tr '\n' ' ')"
    status=1
done
for name in $types; do
    echo "names.sh: the type $name is there twice: $(grep -rlE "^\} $name;|^(struct|union|enum) $name \{|^typedef [^;{]*\(\*$name\)\(" src include | sort | tr '\n' ' ')"
    status=1
done
exit $status
