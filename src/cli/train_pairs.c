/* train_pairs -- longhand train on questions and answers: a task that makes them, or a file with a tab in each line. */
#include <string.h>

#include "base/number.h"
#include "cli/train_command.h"
#include "train/floats.h"

enum { MATCHED = 50 }; /* answers in a batch that is only looked at */

bool lh_train_pairs_make(lh_train_pairs *p, lh_cli *cli, const lh_material *m, lh_graph *g,
                         int threads) {
    p->cli = cli;
    p->material = m;
    p->matcher = lh_matcher_new(g, lh_pairs_feed(m->pairs), MATCHED, m->pairs->pad, threads);
    return p->matcher != NULL;
}

void lh_train_pairs_say(const lh_train_pairs *p) {
    const lh_pairs *d = p->material->pairs;
    const lh_pairs_how *how = &p->material->how;
    if (how->task) {
        printf("%s: %s; a tenth of all questions is held out\n", how->task->name,
               how->task->summary);
        return;
    }
    printf("%s: %d pairs, ", how->name, d->n_lines[0] + d->n_lines[1]);
    if (d->n_lines[1])
        printf("%d of them held out\n", d->n_lines[1]);
    else
        puts("none held out: too few of them differ");
    if (d->n_cut)
        printf("left out: %d pair%s of more than the %d tokens of the context\n", d->n_cut,
               LH_PLURAL(d->n_cut), how->context);
}

/* ---- a look ---- */

enum { SHOWN = 3, ANSWERS = 200, LAST_ANSWERS = 1000 };

static void put_tokens(const lh_train_pairs *p, const int *id, int n) {
    lh_arena *a = lh_arena_new(p->cli->ctx);
    lh_text out = lh_text_new(a);
    if (a) lh_pairs_decode(p->material->pairs->tokens, id, n, &out), fputs(out.s, stdout);
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
}
