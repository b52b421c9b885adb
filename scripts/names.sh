#!/bin/sh
# names.sh: no file name and no public type twice in src. Prints each that is, and ends in 1.
#
# Two headers of one name are included by mistake for each other, and two types of one name compile where they must not.
set -u
cd "$(dirname "$0")/.." || exit 2
files=$(find src -name '*.[ch]' | sed 's|.*/||' | sort | uniq -d)
# Definitions are "} lh_name;", "typedef enum lh_name { ... } lh_name;", "struct lh_name {" and any other typedef; "typedef struct a a;"
# is none. A name counts once in a file: behind #if there may be several.
types=$(find src include -name '*.[ch]' -exec awk '
    function define(name) {
        if (name ~ /^lh_[a-z0-9_]+$/ && !seen[FILENAME, name]++) print name, FILENAME
    }
    /^(struct|union|enum) lh_[a-z0-9_]+ \{/ { define($2) }
    /^\} lh_[a-z0-9_]+;/ || (/^typedef .*;/ && !/^typedef (struct|union|enum) [a-z0-9_]+ [a-z0-9_]+;/) {
        line = $0
        sub(/\/\*.*/, "", line)
        sub(/;[^;]*$/, "", line)
        if (match(line, /\(\*?lh_[a-z0-9_]+\)\(/)) { # of a function
            line = substr(line, RSTART, RLENGTH)
            gsub(/[(*)]/, "", line)
        } else if (line !~ /\}/) sub(/[[(].*/, "", line)
        sub(/.*[ *}]/, "", line)
        define(line)
    }
    /^typedef [^;{]*\(\*lh_[a-z0-9_]+\)\([^;]*$/ { # ... that goes on in the next line
        match($0, /\(\*lh_[a-z0-9_]+\)/)
        define(substr($0, RSTART + 2, RLENGTH - 3))
    }' {} + | sort)
status=0
for name in $files; do
    echo "names.sh: the file $name is there twice: $(find src -name "$name" | sort | tr '\n' ' ')"
    status=1
done
for name in $(echo "$types" | cut -d ' ' -f 1 | sort | uniq -d); do
    echo "names.sh: the type $name is there twice: $(echo "$types" | sed -n "s/^$name //p" | tr '\n' ' ')"
    status=1
done
exit $status
