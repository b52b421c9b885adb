#!/bin/sh
# The living page in a browser: types of its modules, then every test of tests/page on a book of the whole course.
#
#     sh scripts/test-page.sh [NAME]       NAME: the tests whose names contain it; AXE=all: every page in both colours and at both widths
#
# npm brings Playwright, axe and the TypeScript compiler into tests/page/node_modules; Chromium is Debian's. The last line is `N passed, N failed`.
# Where the tools cannot be had, it says so and nothing is counted: the page itself needs none of them.
cd "$(dirname "$0")/.." || exit 1
root=$PWD
book=$(mktemp -d)
trap 'rm -rf "$book"' EXIT
failed() {
    echo "$1"
    echo '0 passed, 1 failed'
    exit 1
}
skipped() {
    echo "skipped: $1"
    echo '0 passed, 0 failed'
    exit 0
}
for tool in node npm chromium wasm-ld; do
    command -v "$tool" >/dev/null 2>&1 || skipped "there is no $tool, and the page cannot be tried without it"
done
wanted=$(cksum <tests/page/package-lock.json)
if test "$(cat tests/page/node_modules/.wanted 2>/dev/null)" != "$wanted"; then
    npm=$(npm ci --prefix tests/page --no-audit --no-fund 2>&1) || {
        # Without a network there is nothing to try with; a list of packages that npm refuses is a mistake of ours.
        case $npm in *ENOTFOUND* | *ECONNREFUSED* | *ETIMEDOUT* | *EAI_AGAIN* | *ECONNRESET* | *ENETUNREACH*) ;; *) failed "npm ci: $npm" ;; esac
        skipped "npm does not reach its registry: $npm"
    }
    echo "$wanted" >tests/page/node_modules/.wanted
fi
types=$(tests/page/node_modules/.bin/tsc -p tests/page) || failed "$types"
joined=$(node tests/page/modules.mjs "$root") || failed "$joined"
wrong=$(./longhand book -o "$book" 2>&1 >/dev/null) || failed "the book cannot be written: $wrong"
test -f "$book/engine.js" || failed 'this longhand has no engine for pages: see meson.build, option page'
# A notebook, where there is what runs and exports one.
python=python3
python3 -c 'import nbconvert, ipykernel' 2>/dev/null || python=/usr/bin/python3
library=$(find build -maxdepth 1 -type f -name 'liblonghand.so.*.*' | head -n 1)
if "$python" -c 'import nbconvert, ipykernel' 2>/dev/null; then
    wrong=$(LONGHAND_LIBRARY=$root/$library PYTHONPATH=$root/python PYTHONDONTWRITEBYTECODE=1 IPYTHONDIR=$book/.ipython \
        "$python" tests/page/notebook.py "$book/notebook" 2>&1) || failed "the notebook cannot be run: $wrong"
else
    echo 'skipped: the notebook: there is no nbconvert, or no ipykernel; scripts/deps.sh test installs them'
fi
LONGHAND=$root/longhand NODE_NO_WARNINGS=1 node tests/page/run.mjs "$book" "${1:-}"
