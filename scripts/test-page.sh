#!/bin/sh
# The living page in a browser: types of its modules, then every test of tests/page on a book of the whole course.
#
#     sh scripts/test-page.sh [NAME]       NAME: the tests whose names contain it
#
# npm brings Playwright, axe and the TypeScript compiler into tests/page/node_modules; Chromium is Debian's. The last line is `N passed, N failed`.
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
command -v wasm-ld >/dev/null || skipped 'there is no wasm-ld to build the engine with'
npm=$(npm ci --prefix tests/page --no-audit --no-fund 2>&1) || {
    # Without a network there is nothing to try with; a list of packages that npm refuses is a mistake of ours.
    case $npm in *ENOTFOUND* | *ECONNREFUSED* | *ETIMEDOUT* | *EAI_AGAIN* | *ECONNRESET* | *ENETUNREACH*) ;; *) failed "npm ci: $npm" ;; esac
    skipped "npm does not reach its registry: $npm"
}
types=$(tests/page/node_modules/.bin/tsc -p tests/page) || failed "$types"
joined=$(node tests/page/modules.mjs "$root") || failed "$joined"
./longhand book -o "$book" 2>/dev/null || failed 'the book cannot be written'
test -f "$book/engine.js" || failed 'this longhand has no engine for pages: see meson.build, option page'
NODE_NO_WARNINGS=1 node tests/page/run.mjs "$book" "${1:-}"
