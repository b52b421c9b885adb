#!/bin/sh
# manual.sh LONGHAND PAGE: man/longhand.1.scd as it is built. A command that has no section there gets the one that its record makes.
set -e
"$1" help manual | awk '
    FNR == 1 { file++ }
    file == 1 && /^## / { written[$2] = 1 }
    file == 2 && /^## / { is_new = !($2 in written) }
    file == 2 && is_new { sections = sections $0 "\n" }
    file == 3 && /^## help / { printf "%s", sections }
    file == 3
' "$2" - "$2"
