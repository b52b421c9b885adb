/* task_find -- one of several lines has a wrong number. */
#include <math.h>
#include <string.h>

#include "base/written.h"
#include "learn/task_internal.h"

typedef struct line {
    double exact; /* what the expression comes to */
    lh_written printed;
} line;

/* The number behind the last = of what is printed. */
static bool read_printed(lh_task *t, const lh_field *f, line *c) {
    const char *equals = strrchr(f->left, '=');
    if (!equals) return lh_task_fail(t, f->value_at, "line: has no = with a number after it");
    c->printed = lh_written_read(equals + 1, strlen(equals + 1));
    if (c->printed.kind == LH_WRITTEN_NUMBER) return true;
    return lh_task_fail(t, f->value_at, "line: \"%.40s\" after the = is not a number",
                        equals + 1 + strspn(equals + 1, " "));
}

/* More than a unit off: one unit may be a number that was cut off. Where the exact number has no more digits than are printed, nothing
 * was cut off, and 2 + 2 = 5 is wrong. The slack is for 0.1 + 0.2. */
static bool is_off(const line *c) {
    double unit = c->printed.unit, slack = 1e-12 * fabs(c->exact), steps = c->exact / unit;
    bool is_whole = unit > 0 && fabs(steps - round(steps)) < 1e-6;
    return !(fabs(c->exact - c->printed.value) <=
             (is_whole ? unit * 1e-3 : unit * (1 + 1e-9)) + slack);
}

static bool read_line(lh_task *t, lh_task_choice *choice) {
    const lh_field *f = choice->field;
    line *c = choice->own = lh_alloc(t->arena, sizeof *c);
    lh_value x;
    if (!read_printed(t, f, c)) return false;
    if (!lh_live_value(t->v, f->right, lh_task_where(t, f->right_at), &x)) return false;
    if (x.rows != 1 || x.cols != 1)
        return lh_task_fail(t, f->right_at, "line: one number is expected, not %dx%d", x.rows,
                            x.cols);
    c->exact = x.cell[0];
    return true;
}

static bool open_find(lh_task *t) {
    bool off[LH_MOST_CHOICES];
    if (!lh_choices_gather(t, "expression")) return false;
    for (int i = 0; i < t->n_choices; i++) {
        if (!read_line(t, &t->choice[i])) return false;
        off[i] = is_off(t->choice[i].own);
    }
    return lh_choices_settle(t, off, "every line is right, but one must be wrong",
                             "two lines are wrong, but only one may be");
}

/* With two digits more than are printed. */
static const char *exact_text(lh_task *t, int i) {
    const line *c = t->choice[i].own;
    return lh_task_number(t->arena, c->exact, c->printed.digits + 2);
}

static void answer(lh_task *t, const char *text, lh_answered *out) {
    int n = lh_choices_answer(t, text, out);
    if (n >= 0)
        lh_answered_say(t, out, "Line %d is right: it comes to %s.", n + 1, exact_text(t, n));
}

static void work(lh_task *t, lh_text *out) {
    for (int i = 0; i < t->n_choices; i++)
        lh_text_add(out, "%d. %s   %s%s\n", i + 1, t->choice[i].field->left,
                    i == t->right ? "wrong: it is " : "right: ", exact_text(t, i));
}

const lh_task_kind lh_task_find = {
    .name = "find",
    .summary = "the one line of several whose number is wrong",
    .fields = {"line"},
    .choices = "line",
    .open = open_find,
    .answer = answer,
    .key = lh_choices_key,
    .work = work,
};
