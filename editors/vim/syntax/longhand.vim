" Longhand: transformers as on paper.
if exists('b:current_syntax') | finish | endif
syntax match longhandComment /#.*$/ contains=@Spell
syntax region longhandString start=/"/ skip=/\\./ end=/"/ end=/$/ contains=longhandTurn
syntax match longhandTurn /{\h\w*}/ contained
syntax match longhandNumber /\<\d\+\(\.\d*\)\?\([eE][-+]\?\d\+\)\?\>/
syntax match longhandFunction /\<\h\w*\ze(/
syntax match longhandKeyword /^\s*\zs\(fn\|grad\|repeat\|each\|next\|end\|backward\|generate\|seed\|examples\|mistake\|vocab\|example\|text\)\>/
syntax match longhandGiven /^\s*\zs\(const\|param\|state\|input\|size\)\>/
syntax keyword longhandWord for with in params from starting until as numpy
syntax keyword longhandConstant inf pi last training step
syntax match longhandOperator /:=\|=>\|->\|==\|!=\|<=\|>=\|\^T\|[-+*\/@^<>=√×·ᵀ]/
highlight default link longhandComment Comment
highlight default link longhandString String
highlight default link longhandTurn Special
highlight default link longhandNumber Number
highlight default link longhandFunction Function
highlight default link longhandKeyword Statement
highlight default link longhandGiven Type
highlight default link longhandWord Keyword
highlight default link longhandConstant Constant
highlight default link longhandOperator Operator
let b:current_syntax = 'longhand'
