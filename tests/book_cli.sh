#!/bin/sh
# longhand book as somebody would use it: what is written, what is left alone, what is said.
. "$(dirname "$0")/tap.sh"

run book -o course
exits 0 'the course'
lessons=$(grep -v '^#\|^part\|^$' "$root/lessons/contents.txt" |
    while read -r name; do test -f "$root/lessons/$name.md" && echo "$name"; done)
for name in $lessons; do there "course/$name.html"; done
for name in index.html book.css book.js search.js pictures.css; do there "course/$name"; done
grep -q "Variations" course/index.html; verdict $? "the variations are a part of the contents"
test "$(find course -name '*.tmp' | wc -l)" = 0; verdict $? 'no temporary files'
! sed 's,http://www.w3.org/2000/svg,,' course/*.css $(ls course/*.js | grep -v text.js) | grep -q 'https*:'; verdict $? 'no address of the network in styles and scripts'
grep -q 'largest error <span class="n" data-expr="error of d[A-Za-z]*\[[^"]*">[0-9.e-]*</span> in <span class="n" data-at="d' course/ex3.html
verdict $? 'a check names the number that was off most by its address'
grep -q 'data-expr="multiply-adds of the whole = 12\*tokens\*dim^2 + 2\*tokens^2\*dim">648<' course/cost.html; verdict $? 'a count has its formula'
grep -q 'data-at="block:dim" data-given="block:dim">4<' course/cost.html; verdict $? 'and the sizes in it are given'

# Again, smaller: old pages go, a stranger's file stays.
echo mine >course/notes.txt
run book -o course --only ex1
exits 0 'again'
there course/ex1.html
gone course/ex2.html
there course/notes.txt

# A file of the same name that no book wrote is not touched.
mkdir other
echo precious >other/index.html
run book -o other --only ex1
exits 2 'a folder with an index.html of its own'
warns 'other/index.html already exists'
test "$(cat other/index.html)" = precious; verdict $? 'it is as it was'
gone other/ex1.html

run book
exits 2 'no folder'
warns 'book needs a folder'
echo x >file
run book -o file
exits 2 'a file instead of a folder'
warns 'file is not a folder'
run book -o no/such/folder --only ex1
exits 2 'a folder that cannot be made'
run book -o b --only nosuch
exits 2 'a lesson that is not there'
gone b
printf '# T\n\nSee [that](nosuch).\n' >link.md
run book -o b --only link.md
exits 2 'a link to nowhere'
warns 'link.md'
warns 'leads to no lesson'
gone b
printf '# T\n\n```longhand\nconst A = 1\n```\n\nIt is {{A > 2}}.\n' >claim.md
run book -o b --only claim.md
exits 2 'a false claim'
warns 'claim.md:7'
gone b

# Names that mean something in a URL or to a shell.
mkdir 'a b#c%d'
run book -o 'a b#c%d/the book' --only ex1
exits 0 'a folder with an odd name'
there 'a b#c%d/the book/ex1.html'

# The PDF, without Chromium and with it.
mkdir bin
ln -s "$(command -v rm)" bin/rm
PATH_BEFORE=$PATH
PATH=$work/bin run book -o course --only ex1 --pdf
PATH=$PATH_BEFORE
exits 2 'no Chromium'
warns 'printed by Chromium'
there course/ex1.html
gone course/book.pdf
printf '#!/bin/sh\nexit 1\n' >bin/chromium
chmod +x bin/chromium
PATH=$work/bin:$PATH_BEFORE run book -o course --only ex1 --pdf
exits 2 'a Chromium that fails'
warns 'could not print'
gone course/book.pdf
test "$(find course -name '.whole*' -o -name '.book-*' | wc -l)" = 0; verdict $? 'nothing is left behind'
rm bin/chromium
if test -z "${LH_QUICK-}" && command -v chromium >/dev/null && command -v pdftotext >/dev/null; then
    run book -o 'a b#c%d/the book' --only ex1,ex2 --pdf
    exits 0 'a PDF'
    # The number in the contents is the page on which the lesson begins.
    pdf='a b#c%d/the book/book.pdf'
    page=$(pdftotext -layout "$pdf" - | sed -n 's/.*Example 2: one step of learning  *\([0-9][0-9]*\)$/\1/p' | head -1)
    pdftotext -f "${page:-1}" -l "${page:-1}" "$pdf" - 2>/dev/null | head -1 >out
    grep -q 'Example 2' out; verdict $? "Example 2 is on page ${page:-?}, as the contents say"
fi

# longhand open: the same pages, in the cache folder.
XDG_CACHE_HOME=$PWD/cache LONGHAND_BROWSER=echo run open
tried 'open shows the first page' 0 'cache/longhand/course/index.html'
there cache/longhand/course/ex1.html
XDG_CACHE_HOME=$PWD/cache LONGHAND_BROWSER=/nowhere/browser run open
tried 'open without a browser' 0 'no browser could be started: open'
XDG_CACHE_HOME=/proc/nowhere run open
tried 'open where nothing can be written' 2 'cannot be made'

finish
