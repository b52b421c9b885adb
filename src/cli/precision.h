/* precision -- in how many bits a model's weights are read: what `sample`, `chat`, `look` and `explain` are told. */
#ifndef LH_CLI_PRECISION_H
#define LH_CLI_PRECISION_H

#include "cli/cli.h"
#include "train/rounded.h"

#define LH_OPTION_PRECISION(text)                                                                  \
    {                                                                                              \
        "precision", 0, LH_OPTION_TEXT, text, "KIND",                                              \
            "float (as in the file), bf16 (16 bits), int8 or int4: fewer bits, less to read", 0, 0 \
    }
#define LH_OPTION_KEEP_ROUNDED(flag)                                                               \
    {                                                                                              \
        "keep-rounded", 0, LH_OPTION_FLAG, flag, NULL,                                             \
            "keep the int8 or int4 weights next to the model, so the next start is faster", 0, 0   \
    }

/* false: reported */
bool lh_cli_precision(lh_cli *cli, const char *text, bool keeps, lh_precision *p);
/* of a pass that is looked into: float, int8 or int4; false: reported */
bool lh_cli_pass_precision(lh_cli *cli, const char *text, lh_precision *p);
/* lh_rounded_how.tell, of a lh_cli: on stderr, before memory is taken */
void lh_cli_tell_rounded(void *cli, const lh_rounded *r);

#endif
