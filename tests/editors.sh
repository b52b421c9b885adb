#!/bin/sh
# Editors with what is in editors/: Neovim shows an error with its cure and a value; files that others read are well formed.
. "$(dirname "$0")/tap.sh"

for file in "$root"/editors/vscode/*.json "$root"/editors/vscode/syntaxes/*.json; do
    python3 -m json.tool "$file" >out 2>err
    verdict $? "$(basename "$file") is JSON"
done
if command -v node >/dev/null; then
    node --check "$root/editors/vscode/extension.js" >out 2>err
    verdict $? 'the extension of VS Code is JavaScript'
else
    skip 'the extension of VS Code is JavaScript' 'node is not installed'
fi

# Every keyword of the notation is coloured in each of them.
sed -n 's/^    {"\([a-z]*\)", LH_S_.*/\1/p' "$root/src/notation/parser.c" | sort -u >keywords
test "$(wc -l <keywords)" -gt 10
verdict $? 'keywords were found'
for file in vscode/syntaxes/longhand.tmLanguage.json vim/syntax/longhand.vim emacs/longhand-mode.el; do
    : >err
    while read -r word; do grep -qw "$word" "$root/editors/$file" || echo "$word is missing" >>err; done <keywords
    test ! -s err
    verdict $? "$file has every keyword"
done

if ! command -v nvim >/dev/null; then
    skip 'Neovim' 'it is not installed'
    finish
fi
cat >wrong.lh <<'END'
X = [1 2; 3 4]
Y = X @ [1 2 3]
END
cat >right.lh <<'END'
Z = [1 2]
P = softmax(Z)
END
cat >client.lua <<'END'
vim.opt.runtimepath:append(os.getenv('EDITORS'))
vim.cmd('runtime ftdetect/longhand.vim')
vim.cmd('syntax on')
require('longhand').setup{ path = os.getenv('LONGHAND') }
local out = io.open('seen', 'w')
local function wait_for(what, f) if not vim.wait(20000, f, 50) then out:write('waited in vain for ' .. what .. '\n') end end

vim.cmd('edit wrong.lh')
out:write('filetype ' .. vim.bo.filetype .. '\n')
wait_for('a diagnostic', function() return #vim.diagnostic.get(0) > 0 end)
for _, d in ipairs(vim.diagnostic.get(0)) do out:write('diagnostic ' .. d.lnum .. ' ' .. d.message:gsub('\n', ' / ') .. '\n') end

vim.cmd('edit right.lh')
wait_for('the server', function() return #vim.lsp.buf_get_clients(0) > 0 end)
local place = { textDocument = vim.lsp.util.make_text_document_params(0), position = { line = 1, character = 0 } }
local answers = vim.lsp.buf_request_sync(0, 'textDocument/hover', place, 20000) or {}
for _, a in pairs(answers) do out:write('hover ' .. vim.inspect(a.result):gsub('\n', ' ') .. '\n') end
out:write('colour ' .. vim.fn.synIDattr(vim.fn.synID(2, 5, 1), 'name') .. '\n')
out:close()
vim.cmd('qa!')
END
EDITORS=$root/editors/vim LONGHAND=$longhand timeout 100 nvim --headless --clean -n -c 'luafile client.lua' >out 2>err </dev/null
status=$?
cat seen >>out
grep -q '^filetype longhand' seen
verdict $? 'Neovim knows the file'
grep -q '^diagnostic 1 .*2x2.*1x3.* / ' seen
verdict $? 'Neovim shows an error with its line and its cure'
grep -q '^hover .*softmax(Z).*0\.2689' seen
verdict $? 'Neovim shows the value of a step'
grep -q '^colour longhandFunction' seen
verdict $? 'Neovim colours it'
finish
