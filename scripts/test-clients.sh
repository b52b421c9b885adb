#!/bin/sh
# `longhand lsp` and the extension of VS Code, by the libraries that VS Code itself uses: npm brings them into tests/clients/node_modules.
# The last line is `N passed, N failed`.
cd "$(dirname "$0")/.." || exit 1
npm=$(npm ci --prefix tests/clients --no-audit --no-fund 2>&1) || {
    # Without a network there is nothing to try with; a list of packages that npm refuses is a mistake of ours.
    case $npm in
    *ENOTFOUND* | *ECONNREFUSED* | *ETIMEDOUT* | *EAI_AGAIN* | *ECONNRESET* | *ENETUNREACH*)
        echo "skipped: npm does not reach its registry: $npm"
        echo '0 passed, 0 failed'
        exit 0
        ;;
    esac
    echo "npm ci: $npm"
    echo '0 passed, 1 failed'
    exit 1
}
timeout 300 node tests/clients/run.mjs "$PWD/longhand" "$PWD"
