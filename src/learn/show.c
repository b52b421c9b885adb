/* show -- a line of a show block: a verb, what it is to show, a caption. */
#include <string.h>

#include "explain/diagram.h"
#include "learn/lesson_internal.h"

const char *const lh_show_words[LH_N_SHOW] = {
    "trace",   "explain", "matrix", "given", "graph",  "heat",    "bars",     "loss",
    "table",   "compare", "check",  "cost",  "points", "line",    "jacobian", "mistakes",
    "vectors", "stripes", "growth", "model", "moves",  "diagram",
};

/* What a verb takes: whether a number of updates or a program comes first, how many steps follow, in words. */
typedef struct show_form {
    bool has_updates, has_program;
    int least, most;
    const char *takes;
} show_form;

enum { MANY = 64 };

static const show_form forms[LH_N_SHOW] = {
    [LH_SHOW_TRACE] = {false, false, 1, MANY, "steps: trace Q K V"},
    [LH_SHOW_EXPLAIN] = {false, false, 1, 1, "one cell: explain P[1][0]"},
    [LH_SHOW_MATRIX] = {false, false, 1, MANY, "steps: matrix P"},
    [LH_SHOW_GIVEN] = {false, false, 0, 0, "nothing more"},
    [LH_SHOW_GRAPH] = {false, false, 0, 1,
                       "nothing more, or the step that it leads to: graph WO:="},
    [LH_SHOW_HEAT] = {false, false, 1, 1, "one step: heat P"},
    [LH_SHOW_BARS] = {false, false, 1, 1, "one step: bars probs"},
    [LH_SHOW_LOSS] = {true, false, 0, MANY, "the number of updates, then programs: loss 100 fast"},
    [LH_SHOW_TABLE] = {true, false, 0, 0, "the number of updates: table 30"},
    [LH_SHOW_COMPARE] = {false, true, 1, MANY, "a program and steps: compare wrong P"},
    [LH_SHOW_CHECK] = {false, false, 0, 0, "nothing more"},
    [LH_SHOW_COST] = {false, false, 0, 0, "nothing more"},
    [LH_SHOW_POINTS] = {false, false, 1, 3,
                        "steps: points, their classes, a background: points X Y out"},
    [LH_SHOW_LINE] = {false, false, 2, MANY, "steps, the first along the bottom: line xs ys"},
    [LH_SHOW_JACOBIAN] = {false, false, 1, 1, "a row of a call: jacobian P[1]"},
    [LH_SHOW_MISTAKES] = {false, false, 0, 0, "nothing more"},
    [LH_SHOW_VECTORS] = {false, false, 1, 1, "one step: vectors E"},
    [LH_SHOW_STRIPES] = {false, false, 1, 1, "one step: stripes PE"},
    [LH_SHOW_GROWTH] = {false, false, 2, MANY, "steps, the first along the bottom: growth xs ys"},
    [LH_SHOW_MODEL] = {false, false, 0, 0, "nothing more"},
    [LH_SHOW_MOVES] = {false, false, 2, 2, "two steps, before and after: moves X Y"},
    [LH_SHOW_DIAGRAM] = {false, false, 1, 1, "a name: diagram transformer, gpt, today or training"},
};

static int verb_of(lh_text_row word) {
    for (int i = 0; i < LH_N_SHOW; i++)
        if (lh_row_is(word, lh_show_words[i])) return i;
    return -1;
}

static void fail_form(lh_lesson *l, const lh_show *x) {
    lh_problem_add(l->problems, LH_ERROR_TEXT, x->at, "%s takes %s", lh_show_words[x->verb],
                   forms[x->verb].takes);
}

/* P{example 1, head 2}[0] is one operand: a space inside braces parts nothing. */
static bool next_operand(lh_text_row *rest, lh_text_row *word) {
    *rest = lh_row_trim(*rest);
    size_t n = 0;
    for (bool inside = false; n < rest->n; n++) {
        char c = rest->s[n];
        if (c == '{') inside = true;
        if (c == '}') inside = false;
        if (!inside && (c == ' ' || c == '\t')) break;
    }
    *word = (lh_text_row){rest->s, n, rest->number};
    rest->s += n;
    rest->n -= n;
    return n > 0;
}

static void read_operands(lh_lesson *l, lh_show *x, lh_text_row rest, const char *line_start) {
    const show_form *form = &forms[x->verb];
    lh_text_row word;
    int n = 0;
    if (form->has_updates &&
        (!lh_row_word(&rest, &word) || !lh_row_number(word, LH_MOST_UPDATES, &n))) {
        fail_form(l, x);
        return;
    }
    x->updates = n;
    while (next_operand(&rest, &word))
        *lh_push(l->arena, x->operand, x->n_operands) = lh_row_mention(l, word, line_start);
    int steps = x->n_operands - form->has_program;
    if (steps < form->least || steps > form->most) fail_form(l, x);
}

/* `fast: trace Q`: the colon stands at the end of the first word. */
static bool read_program_name(lh_text_row *rest, lh_text_row *word) {
    lh_text_row after = *rest;
    if (!lh_row_word(&after, word) || word->s[word->n - 1] != ':') return false;
    word->n--;
    *rest = after;
    return true;
}

static void read_caption(lh_lesson *l, lh_show *x, lh_text_row row, lh_text_row code,
                         const char *line_start) {
    const char *end = row.s + row.n, *hash = code.s + code.n;
    while (hash < end && *hash != '#') hash++;
    x->caption = "";
    if (hash == end) return;
    lh_text_row text = lh_row_trim((lh_text_row){hash + 1, (size_t)(end - hash) - 1, row.number});
    x->caption_at = lh_row_place(text, line_start);
    x->caption = lh_read_prose(l, l->arena, text, line_start, x->exercise);
}

/* A diagram's name is no step of a program. */
static void check_diagram(lh_lesson *l, const lh_show *x) {
    int n = 0;
    for (; lh_diagram_names[n]; n++)
        if (strcmp(lh_diagram_names[n], x->operand[0].text) == 0) return;
    lh_problem_add(l->problems, LH_ERROR_TEXT, x->operand[0].at, "there is no diagram %.60s",
                   x->operand[0].text);
    lh_problem_nearest(l, x->operand[0].text, lh_diagram_names, n);
}

void lh_read_show(lh_lesson *l, lh_text_row row, const char *line_start, int exercise) {
    lh_text_row code = lh_row_code(row), rest = code, word = {0};
    if (code.n == 0) return;
    lh_show x = {.at = lh_row_place(code, line_start), .exercise = exercise, .caption = ""};
    if (read_program_name(&rest, &word)) x.of = lh_row_mention(l, word, line_start);
    int verb = lh_row_word(&rest, &word) ? verb_of(word) : -1;
    if (verb < 0) {
        const char *said = lh_copy(l->arena, word.s, word.n < 60 ? word.n : 60);
        lh_problem_add(l->problems, LH_ERROR_TEXT, lh_row_place(word, line_start),
                       "a show block has no \"%s\"", said);
        lh_problem_nearest(l, said, lh_show_words, LH_N_SHOW);
        return;
    }
    x.verb = (lh_show_verb)verb;
    read_operands(l, &x, rest, line_start);
    if (x.verb == LH_SHOW_DIAGRAM && x.n_operands == 1) check_diagram(l, &x);
    read_caption(l, &x, row, code, line_start);
    *lh_push(l->arena, l->show, l->n_shows) = x;
}
