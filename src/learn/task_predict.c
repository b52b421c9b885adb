/* task_predict -- what happens? The choice whose condition holds. */
#include "learn/task_internal.h"

/* The condition of a choice, worked out. */
static const lh_claim *claim_of(const lh_task *t, int i) {
    return t->choice[i].own;
}

static bool open_predict(lh_task *t) {
    bool holds[LH_MOST_CHOICES];
    if (!lh_choices_gather(t, "condition")) return false;
    for (int i = 0; i < t->n_choices; i++) {
        lh_claim *claim = t->choice[i].own = lh_alloc(t->arena, sizeof *claim);
        const lh_field *f = t->choice[i].field;
        if (!lh_live_claim(t->v, f->right, lh_task_where(t, f->right_at), 4, claim)) return false;
        holds[i] = claim->holds;
    }
    return lh_choices_settle(t, holds, "none of the conditions holds, but one must",
                             "two conditions hold, but only one may");
}

static void answer(lh_task *t, const char *text, lh_answered *out) {
    int n = lh_choices_answer(t, text, out);
    if (n >= 0)
        lh_answered_say(t, out, "For that, %s.", lh_task_claim_words(t->arena, claim_of(t, n)));
}

static void work(lh_task *t, lh_text *out) {
    lh_text_add(out, "%d. %s\n", t->right + 1, lh_task_option(t, t->right));
    lh_text_add(out, "It is computed: %s, here %s\n", t->choice[t->right].field->right,
                claim_of(t, t->right)->shown);
}

const lh_task_kind lh_task_predict = {
    .name = "predict",
    .summary = "choose what will happen; then the engine shows it",
    .fields = {"choice"},
    .choices = "choice",
    .has_prose = true,
    .has_letters = true,
    .open = open_predict,
    .answer = answer,
    .key = lh_choices_key,
    .work = work,
};
