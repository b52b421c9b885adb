#!/bin/sh
# Cuts a maths font down to what a formula may hold: the signs in the table, ASCII, the alphabets and the pieces of tall brackets.
#
#     sh scripts/font.sh pyftsubset latinmodern-math.otf src/learn/formula_signs.c OUT.woff2
#
# The MATH table stays: browsers take the sizes of brackets, roots and fractions from it. Of the names only the copyright and the
# licence stay, since a font that was changed goes under another name.
set -eu
subset=$1 font=$2 signs=$3 out=$4
ascii='U+20-7E,U+A0' accents='U+A8,U+AF,U+2C6,U+2D9,U+2DC,U+302,U+20D7' quotes='U+201C,U+201D' brackets='U+239B-23B1,U+23B7'
italic='U+1D434-1D467,U+210E,U+1D6E2-1D71B' bold='U+1D400-1D433,U+1D6A8-1D6E1,U+1D7CE-1D7D7'
double='U+1D538-1D56B,U+1D7D8-1D7E1' script='U+1D49C-1D4CF' letters='U+2102-2134'
"$subset" "$font" --output-file="$out" --flavor=woff2 --text-file="$signs" --layout-features='' --no-hinting \
    --name-IDs='0,13,14' --drop-tables+=FFTM \
    --unicodes="$ascii,$accents,$quotes,$brackets,$italic,$bold,$double,$script,$letters"
