#!/bin/sh
# manual-page.sh LONGHAND PAGE COMMAND: the page longhand-COMMAND(1), for scdoc, from the section of that command in longhand.1.
set -e
longhand=$1 page=$2 name=$3
summary=$("$longhand" help "$name" | sed -n '2s/^ *//p;3,4{/^ /s/^ */ /p}' | tr -d '\n' | sed 's/\..*//; s/[*_\\]/\\&/g')
echo "longhand-$name(1)"
printf '\n# NAME\n\nlonghand-%s - %s\n' "$name" "$summary"
awk -v name="$name" '
    /^## / && $2 == name { is_here = 1; sub(/^## /, ""); printf "\n# SYNOPSIS\n\n*longhand* "; first = 1
        n = index($0, " "); rest = n ? substr($0, n + 1) : ""; printf "*%s* %s\n\n# DESCRIPTION\n", name, rest; next }
    /^#/ && is_here { is_here = 0 }
    is_here
' "$page"
printf '\n# EXAMPLES\n\n'
"$longhand" help "$name" | awk '/^Examples/ { is_here = 1; next } /^[^ ]/ { is_here = 0 } is_here && NF' | sed 's/[*_\\]/\\&/g; s/^  longhand/*longhand*/; s/^ */&/' |
    awk '/^\*longhand/ { print (NR > 1 ? "\n" : "") $0; next } { sub(/^ +/, ""); print "\t" $0 }'
printf '\n# SEE ALSO\n\n*longhand*(1), *longhand-notation*(7), *longhand-json*(5)\n'
