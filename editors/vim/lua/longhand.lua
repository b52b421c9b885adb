-- Neovim: require('longhand').setup{} starts `longhand lsp` for programs, and with lessons = true for Markdown as well.
local M = {}

function M.setup(options)
  options = options or {}
  local pattern = { 'longhand' }
  if options.lessons then table.insert(pattern, 'markdown') end
  vim.api.nvim_create_autocmd('FileType', {
    pattern = pattern,
    callback = function(event)
      local file = vim.api.nvim_buf_get_name(event.buf)
      local root = file ~= '' and vim.fn.fnamemodify(file, ':p:h') or vim.fn.getcwd()
      local how = { name = 'longhand', cmd = { options.path or 'longhand', 'lsp' }, root_dir = root }
      if vim.lsp.start then -- from 0.8 on
        vim.lsp.start(how, { bufnr = event.buf })
      else
        M.client = M.client or vim.lsp.start_client(how)
        vim.lsp.buf_attach_client(event.buf, M.client)
      end
    end,
  })
end

return M
