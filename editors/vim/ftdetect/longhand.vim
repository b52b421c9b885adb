autocmd BufRead,BufNewFile *.lh setfiletype longhand
