#!/bin/sh
# comments.sh: no comment behind a declaration that makes the formatter break it. Prints each that does, and ends in 1.
#
#     lh_plan *
#         look; /* the loss alone ... */          such a comment goes above its line
#
# A declaration is put together again, without the comment: where it has room on a line, it was the comment that broke it.
set -u
cd "$(dirname "$0")/.." || exit 2
find src include web -name '*.[ch]' ! -path 'web/md4c/*' ! -path 'web/cjson/*' | sort | xargs awk '
    function bare(s) { sub(/^[ \t]+/, "", s); sub(/[ \t\\]+$/, "", s); return s }
    function forget() { whole = ""; parts = 0 }
    FNR == 1 { forget(); inside = 0 }
    inside { if (/\*\//) inside = 0; next }
    {
        line = $0
        has_comment = match(line, /\/\*/)
        if (has_comment) {
            rest = substr(line, RSTART)
            line = substr(line, 1, RSTART - 1)
            inside = rest !~ /\*\//
            if (rest ~ /\*\/[ \t]*[^ \t\\]/) { forget(); next } # code on both sides
        }
        code = bare(line)
        match(line, /^ */)
        indent = RLENGTH
        if (code == "" || line ~ /^#/ || (whole ~ /,$/ && indent <= first_indent)) forget()
        if (code == "") next
        if (parts++ == 0) { first = FNR; first_indent = indent; whole = sprintf("%*s%s", indent, "", code) }
        else whole = whole (whole ~ /[(*]$/ ? "" : " ") code
        is_other = whole ~ /^ *(\}|(if|else|for|while|do|case|default|return|switch)([^a-z0-9_]|$))/ || whole ~ /[{"]$|" "|[^=] *\{\./
        if (parts > 1 && has_comment && length(whole) <= 100 && !is_other) {
            printf "comments.sh: %s:%d: the comment goes above the line: %s\n", FILENAME, first, bare(whole)
            bad = 1
        }
        if (code ~ /[;{}:]$/ || (code ~ /,$/ && has_comment) || ($0 ~ /^#/ && $0 !~ /\\$/)) forget()
    }
    END { exit bad }
'
