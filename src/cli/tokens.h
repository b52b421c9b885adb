/* tokens -- tokens on the screen: pieces above their ids, a vocabulary with its merges. */
#ifndef LH_CLI_TOKENS_H
#define LH_CLI_TOKENS_H

#include "cli/cli.h"
#include "text/tokenizer.h"

void lh_tokens_print(lh_cli *cli, const lh_tokenizer *t, const int *ids, size_t n);
void lh_tokens_tell(size_t bytes, size_t n); /* 11 bytes, 2 tokens: 5.50 bytes each */
void lh_tokens_show(lh_cli *cli, const lh_tokenizer *t, bool all);

#endif
