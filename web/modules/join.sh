#!/bin/sh
# join.sh MODULE...: modules of the page, or of a notebook, as one classic script, on standard output. Pages opened from a disk may not load modules.
#
# The modules come in the order in which they need each other; meson.build has it. Taking them together is dropping `import` lines and the word
# `export`: so an import is one line without `as`, and no two modules have the same name at their top; tests/page/modules.mjs looks that this is
# so. Lines that are comments go too: here nobody reads them.
set -e
echo '/* The living numbers of Longhand, joined from web/modules. */'
echo '(function () {'
echo '"use strict";'
for module; do
    sed -e '/^import .* from /d' -e 's/^export //' "$module" | awk '
        /^ *\/\*/ && !/\*\// { inside = 1 }
        inside { if (/\*\/ *$/) inside = 0; next }
        /^ *\/\*.*\*\/ *$/ { next }
        { print }'
done
echo '})();'
