/* train_lora -- longhand train --lora N: the program is rewritten before it is built, and what is saved is an adapter. */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "cli/train_command.h"
#include "train/lora.h"

static const char **names_of(lh_arena *a, const char *list, int *n) {
    const char **name = NULL;
    *n = 0;
    for (const char *s = list; s && *s;) {
        s += strspn(s, ", ");
        const size_t k = strcspn(s, ", ");
        if (k) *lh_push(a, name, *n) = lh_copy(a, s, k);
        s += k;
    }
    return name;
}

/* In place of the program that was read: its text, as it is saved. */
static bool put_program(lh_cli *cli, lh_model *m, const char *text) {
    lh_program *p = lh_program_parse(cli->ctx, m->source.program->file, text, strlen(text));
    if (!p) return lh_cli_report(cli), false;
    lh_program_free(m->source.program);
    m->source.program = p;
    m->source.text = text;
    m->source.length = strlen(text);
    return true;
}

static bool check(lh_cli *cli, const lh_train_lora *how, const lh_model *m, const lh_model *from,
                  bool resumes) {
    if (!how->rank && (how->on || how->alpha)) {
        lh_cli_fail(cli, "--lora-%s needs --lora N, the rank of the LoRA matrices",
                    how->on ? "on" : "alpha");
        return false;
    }
    if (how->rank && resumes) {
        lh_cli_fail(cli,
                    "--resume continues a run with the program that it has: --lora starts one");
        return false;
    }
    if (how->rank && !from->folder) {
        lh_cli_fail(cli, "--lora adds to a model's weights, but %s has no weights", m->source.name);
        fprintf(stderr, "longhand train FOLDER --lora %d, or --init FOLDER\n", how->rank);
        return false;
    }
    const bool is_adapter = from->folder && from->folder->adapter;
    if (is_adapter && (how->rank || !lh_lora_is(m->source.program))) {
        lh_cli_fail(cli, "%s is an adapter: it already has LoRA matrices", from->folder->path);
        fprintf(stderr,
                "longhand merge %s -o FOLDER turns it into a plain model; train %s --resume "
                "continues it\n",
                from->folder->path, from->folder->path);
        return false;
    }
    return true;
}

bool lh_train_lora_rewrite(lh_cli *cli, const lh_train_lora *how, lh_model *m, const lh_model *from,
                           bool resumes) {
    double alpha = 2 * how->rank;
    int n;
    if (!check(cli, how, m, from, resumes)) return false;
    if (!how->rank) return true;
    if (!lh_train_positive(cli, "lora-alpha", how->alpha, &alpha)) return false;
    const char **on = names_of(cli->arena, how->on, &n);
    const lh_lora lora = {.rank = how->rank, .alpha = alpha, .on = on, .n_on = n};
    const char *text = lh_lora_rewrite(cli->ctx, cli->arena, m->source.program, &lora);
    if (!text) return lh_cli_report(cli), false;
    return put_program(cli, m, text);
}

lh_load lh_train_lora_load(const lh_model *m, const lh_folder *from, bool resumes) {
    if (resumes) return LH_LOAD_ALL;
    return lh_lora_is(m->source.program) && !from->adapter ? LH_LOAD_FROZEN : LH_LOAD_WEIGHTS;
}

/* The base is written as a whole path: the adapter may be opened from anywhere. */
const lh_adapter *lh_train_lora_adapter(lh_cli *cli, const lh_model *m, const lh_folder *from,
                                        const lh_graph *g) {
    char whole[PATH_MAX];
    if (!from || !lh_lora_is(m->source.program)) return NULL;
    const char *base = from->adapter ? from->base->path : from->path;
    if (*base != '/' && getcwd(whole, sizeof whole))
        base = lh_printf(cli->arena, "%s/%s", whole, base);
    lh_adapter *x = lh_alloc(cli->arena, sizeof *x);
    *x = lh_lora_adapter(cli->arena, g, base);
    return x;
}

void lh_train_lora_say(lh_cli *cli, const lh_graph *g) {
    const lh_adapter x = lh_lora_adapter(cli->arena, g, "");
    if (!x.rank) return;
    printf("LoRA of rank %d on ", x.rank);
    for (int i = 0; i < x.n_on; i++) printf("%s%s", i ? ", " : "", x.on[i]);
    printf(": %s numbers are trained, %s are frozen\n",
           lh_whole_text(cli->arena, lh_trainer_params(g)),
           lh_whole_text(cli->arena, lh_trainer_frozen(g)));
}
