/* train_pairs -- longhand train on questions and answers: a task that makes them, or a file with a tab in each line. */
#include <string.h>
#include <sys/stat.h>

#include "cli/train_command.h"
#include "files/tokenizer_file.h"
#include "train/floats.h"

static bool has_input(const lh_program *p, const char *name) {
    for (int i = 0; i < p->n_statements; i++)
        if (p->statement[i]->kind == LH_S_INPUT && strcmp(p->statement[i]->name, name) == 0)
            return true;
    return false;
}

/* The vocabulary that the program writes in words. */
static const lh_vocab *own_words(lh_cli *cli, const lh_program *p) {
    for (int i = 0; i < p->n_statements; i++) {
        const lh_statement *s = p->statement[i];
        if (s->kind != LH_S_VOCAB || s->count || s->file) continue;
        lh_vocab *v = lh_alloc(cli->arena, sizeof *v);
        v->word = s->word;
        v->n_words = s->n_words;
        return v;
    }
    return NULL;
}

static bool refuse(lh_train_pairs *p, const char *task) {
    p->is_refused = true;
    lh_cli_fail(p->cli, "%s is not a task", task);
    for (const lh_train_task *t = lh_train_tasks; t->name; t++)
        fprintf(stderr, "  %-10s %s\n", t->name, t->summary);
    return false;
}

bool lh_train_is_pairs(lh_train_pairs *p, lh_cli *cli, const lh_program *program, const char *task,
                       bool has_data) {
    p->cli = cli;
    p->how.has_source = has_input(program, "source");
    p->how.task = task ? lh_train_task_find(task) : NULL;
    if (task && !p->how.task) return refuse(p, task);
    if (task && has_data) {
        p->is_refused = true;
        lh_cli_fail(cli, "--task makes examples, --data reads them: one of the two, please");
        return false;
    }
    if (p->how.has_source && !task && !has_data) p->how.task = lh_train_task_find("translate");
    p->own = own_words(cli, program);
    if (!p->how.task) return p->how.has_source;
    if (lh_train_task_is_pairs(p->how.task)) return true;
    if (!p->how.has_source) return false;
    p->is_refused = true;
    lh_cli_fail(cli, "%s has no questions, but the program needs a source", task);
    return false;
}

lh_tokenizer *lh_train_pairs_tokens(lh_train_pairs *p, const char *spec) {
    struct stat st;
    lh_context *ctx = p->cli->ctx;
    if (spec && stat(spec, &st) == 0) return lh_tokenizer_load(ctx, spec);
    if (spec && strcmp(spec, "char") != 0 && strcmp(spec, "word") != 0) {
        lh_fail(ctx, LH_ERROR_VALUE, (lh_place){0, 0, 0},
                "%s is not a vocabulary for pairs: char, word or a folder", spec);
        return NULL;
    }
    p->how.is_chars = spec && strcmp(spec, "char") == 0;
    return lh_pairs_tokenizer(ctx, &p->how, p->own);
}

enum { MATCHED = 50 }; /* answers in a batch that is only looked at */

bool lh_train_pairs_make(lh_train_pairs *p, lh_graph *g, const lh_tokenizer *t, int context,
                         int threads) {
    p->how.context = context;
    if (p->how.has_source && g->input[0]->vocab != g->input[1]->vocab) {
        lh_fail(g->ctx, LH_ERROR_VALUE, (lh_place){0, 0, 0},
                "source and given have two vocabularies, and a model folder has one tokeniser");
        lh_cure(g->ctx, "vocab 100, and input source : vocab*, as in models/classic.lh");
        return false;
    }
    p->pairs = lh_pairs_new(g->ctx, t, &p->how);
    if (p->pairs)
        p->matcher = lh_matcher_new(g, lh_pairs_feed(p->pairs), MATCHED, p->pairs->pad, threads);
    return p->matcher != NULL;
}

void lh_train_pairs_say(const lh_train_pairs *p) {
    const lh_pairs *d = p->pairs;
    if (p->how.task) {
        printf("%s: %s; a tenth of all questions is held out\n", p->how.task->name,
               p->how.task->summary);
        return;
    }
    printf("%s: %d pairs, ", p->how.name, d->n_lines[0] + d->n_lines[1]);
    if (d->n_lines[1])
        printf("%d of them held out\n", d->n_lines[1]);
    else
        puts("none held out: too few of them differ");
    if (d->n_cut)
        printf("%d pairs have more than the %d tokens of the context and are left out\n", d->n_cut,
               p->how.context);
}

/* ---- a look ---- */

enum { SHOWN = 3, ANSWERS = 200, LAST_ANSWERS = 1000 };

static void put_tokens(const lh_train_pairs *p, const int *id, int n) {
    lh_arena *a = lh_arena_new(p->cli->ctx);
    lh_text out = lh_text_new(a);
    if (a) lh_pairs_decode(p->pairs->tokens, id, n, &out), fputs(out.s, stdout);
    lh_arena_free(a);
}

/* What the model makes of the first answers of the last batch, position by position. */
static void put_answers(const lh_train_pairs *p) {
    const lh_matcher *m = p->matcher;
    const lh_drawn_batch *b = m->batch;
    const int *token = b->token, *target = b->target, *source = b->source;
    for (int e = 0; e < b->batch.examples && e < SHOWN; e++) {
        int asked = 0, said[512] = {0}, n = 0;
        while (asked < b->rows[e] && target[asked] == m->pad) asked++;
        for (int r = asked; r < b->rows[e] && n < 512; r++) said[n++] = lh_matcher_says(m, e, r);
        const bool is_right = n && memcmp(said, target + asked, (size_t)n * sizeof *said) == 0;
        fputs("    ", stdout);
        put_tokens(p, source ? source : token, source ? b->source_rows[e] : asked);
        fputs(" -> ", stdout);
        lh_ink_on(p->cli, stdout, is_right ? LH_INK_GOOD : LH_INK_BAD);
        put_tokens(p, said, n);
        lh_ink_off(p->cli, stdout);
        if (!is_right) fputs("   not ", stdout), put_tokens(p, target + asked, b->rows[e] - asked);
        putchar('\n');
        token += b->rows[e], target += b->rows[e];
        if (source) source += b->source_rows[e];
    }
}

void lh_train_pairs_look(lh_train_pairs *p, const lh_trainer *t, bool is_last) {
    if (lh_failed(p->cli->ctx)) return;
    p->matched = lh_matcher_count(p->matcher, t->plan, is_last ? LAST_ANSWERS : ANSWERS);
    if (lh_failed(p->cli->ctx) || !p->matched.all) return;
    put_answers(p);
    printf("    exact: %d of %d held-out answers, %.1f%%\n", p->matched.right, p->matched.all,
           100 * lh_matched_share(&p->matched));
    fflush(stdout);
}

void lh_train_pairs_free(lh_train_pairs *p) {
    lh_matcher_free(p->matcher);
    lh_pairs_free(p->pairs);
}
