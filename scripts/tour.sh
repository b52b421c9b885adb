#!/bin/sh
# Prints docs/tour.md with every anchor, `file:line (symbol)`, pointing at the line where the symbol is defined.
#
#     sh scripts/tour.sh > new.md      (make tour puts it in place; a test compares the two)
#
# That line is the first which begins in column 1, holds the symbol as a word and does not end in ; or, where there is none,
# the first that holds it at all. An anchor whose file or symbol is gone is named on stderr, and the exit status is 1.
cd "$(dirname "$0")/.." || exit 1
awk '
    function has_word(line, word,   rest, at, before, after) {
        for (rest = line; (at = index(rest, word)) > 0; rest = substr(rest, at + 1)) {
            before = at > 1 ? substr(rest, at - 1, 1) : (rest == line ? "" : last)
            after = substr(rest, at + length(word), 1)
            last = substr(rest, at, 1)
            if (before !~ /[A-Za-z0-9_]/ && after !~ /[A-Za-z0-9_]/) return 1
        }
        return 0
    }
    function find(file, word,   line, n, first) {
        n = first = 0
        while ((status = (getline line < file)) > 0) {
            n++
            if (!has_word(line, word)) continue
            if (!first) first = n
            if (line ~ /^[A-Za-z]/ && line !~ /;$/) { first = n; break }
        }
        close(file)
        return status < 0 ? -1 : first
    }
    {
        out = ""
        rest = $0
        while (match(rest, /`[A-Za-z0-9_.\/-]+:[0-9]+ \([^)`]+\)`/)) {
            anchor = substr(rest, RSTART + 1, RLENGTH - 2)
            file = anchor; sub(/:.*/, "", file)
            word = anchor; sub(/^[^(]*\(/, "", word); sub(/\)$/, "", word)
            line = find(file, word)
            if (line <= 0) {
                printf "docs/tour.md:%d: %s: %s\n", NR, anchor, line < 0 ? "no such file" : "no such symbol" > "/dev/stderr"
                verdict = 1
                sub(/^[^:]*:/, "", anchor)
                line = anchor + 0
            }
            out = out substr(rest, 1, RSTART) file ":" line " (" word ")`"
            rest = substr(rest, RSTART + RLENGTH)
        }
        print out rest
    }
    END { exit verdict }
' docs/tour.md
