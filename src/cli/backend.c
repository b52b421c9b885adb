/* backend -- an evaluator by its name, as --backend has it. */
#include "eval/backends.h"

#include "cli/cli.h"

const lh_evaluator *lh_cli_evaluator(lh_cli *cli, const char *name) {
    const lh_evaluator *with = lh_evaluator_find(name ? name : "fast");
    if (with) return with;
    lh_text known = lh_text_new(cli->arena);
    for (int i = 0; lh_evaluators[i]; i++)
        lh_text_add(&known, "%s%s", i ? ", " : "", lh_evaluators[i]->name);
    lh_fail(cli->ctx, LH_ERROR_NAME, (lh_place){0, 0, 0}, "there is no evaluator %s", name);
    lh_cure(cli->ctx, "one of %s", known.s);
    return NULL;
}
