/* practice_view -- the question, the hints and the list of steps. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"
#include "cli/practice_command.h"
#include "pages/sheet_json.h"
#include "learn/advice.h"

enum { INDENT = LH_PRACTICE_INDENT, MAX_ROWS = 16 };

const lh_paper_step *lh_practice_view_ask(const lh_practice_view *d, int ask) {
    return &d->p->paper->step[ask];
}

static const lh_answer_block *block_at(const lh_practice_view *d) {
    return &lh_practice_view_ask(d, d->p->at)->block[d->p->block];
}

const char *lh_practice_view_sign(lh_practice_view *d, int row) {
    const char *name = block_at(d)->address;
    return row > 0 ? lh_printf(d->a, "%s[%d]> ", name, row) : lh_printf(d->a, "%s> ", name);
}

void lh_practice_view_say(lh_practice_view *d, int indent, const char *text) {
    printf("%*s", indent, "");
    lh_wrap(stdout, d->cli->width, indent, text);
}

void lh_practice_view_quiet(lh_practice_view *d, int indent, const char *text) {
    lh_ink_on(d->cli, stdout, LH_INK_QUIET);
    lh_practice_view_say(d, indent, text);
    lh_ink_off(d->cli, stdout);
}

const char *lh_practice_view_mark(lh_verdict v) {
    return v == LH_BLANK ? "_" : lh_verdict_sign(v);
}

lh_ink lh_practice_view_ink(lh_verdict v) {
    return lh_verdict_has_credit(v) ? LH_INK_GOOD : v == LH_BLANK ? LH_INK_QUIET : LH_INK_BAD;
}

/* ---- the question ---- */

/* A number that nobody wrote: rounded to what the sheet would ask for, without zeros at the end. */
static const char *rounded(lh_practice_view *d, const lh_node *n, double x) {
    int decimals = lh_decimals_for(d->p->sheet->plan, n, d->p->paper->digits);
    char number[LH_NUMBER_MAX];
    if (n->kind == LH_OP_given || n->kind == LH_OP_input || !isfinite(x) || decimals > 7)
        return lh_printf(d->a, "%s",
                         lh_number_text(number, sizeof number, x, d->p->paper->digits + 2));
    char *text = lh_printf(d->a, "%.*f", decimals, x);
    size_t k = strlen(text);
    while (strchr(text, '.') && k && text[k - 1] == '0') text[--k] = 0;
    if (k && text[k - 1] == '.') text[--k] = 0;
    return strcmp(text, "-0") == 0 ? "0" : text;
}

const char *lh_practice_view_number(lh_practice_view *d, const char *typed) {
    lh_written w = lh_written_read(typed, strlen(typed));
    char number[LH_NUMBER_MAX];
    if (w.kind != LH_WRITTEN_NUMBER) return typed;
    if (strpbrk(typed, "/%*^") || strstr(typed, "\xc2\xb7") || strstr(typed, "\xc3\x97"))
        return lh_printf(d->a, "%s", lh_number_text(number, sizeof number, w.value, 6));
    char *text = lh_copy(d->a, typed, strlen(typed)), *comma = strchr(text, ',');
    if (comma) *comma = '.';
    return text;
}

/* A cell of an operand: the learner's own text, a word of the vocabulary, or a number. */
static const char *operand_cell(lh_practice_view *d, const lh_plan *plan, const lh_step *s,
                                lh_cell at) {
    const lh_sheet *sheet = d->p->sheet;
    double x = lh_exact.get(plan, s->node, at);
    if (s->node->vocab && x >= 0 && x < s->node->vocab->n_words)
        return s->node->vocab->word[(int)x];
    for (int i = 0; i < sheet->n_asks; i++) {
        if (sheet->ask[i].step != s) continue;
        for (int k = 0; k < sheet->ask[i].n_cells; k++) {
            lh_cell c = lh_sheet_cell(sheet, i, k);
            const char *text = d->p->text[sheet->ask[i].first + k];
            if (*text && c.example == at.example && c.head == at.head && c.row == at.row &&
                c.col == at.col)
                return lh_practice_view_number(d, text);
        }
    }
    return rounded(d, s->node, x);
}

/* The rows of an operand on one line when they fit, else a line each. */
static void print_operand(lh_practice_view *d, const lh_plan *plan, const lh_step *s,
                          const char *label, int width) {
    const lh_answer_block *b = block_at(d);
    int example = s->node->shape.is_batched ? b->example : 0;
    lh_sizes z = lh_exact.sizes(plan, s->node, example);
    int from = z.heads > 1 && b->head < z.heads ? b->head : 0,
        to = z.heads > 1 && lh_practice_view_ask(d, d->p->at)->n_blocks == 1 ? z.heads : from + 1;
    lh_text all = lh_text_new(d->a);
    int column = INDENT + width + 3, widest = 0;
    const char **row = lh_alloc_array(d->a, (size_t)z.rows * (size_t)(to - from) + 1, sizeof *row);
    int n = 0;
    for (int h = from; row && h < to; h++)
        for (int r = 0; r < z.rows; r++) {
            lh_text t = lh_text_new(d->a);
            for (int c = 0; c < z.cols; c++)
                lh_text_add(&t, "%s%s", c ? "  " : "",
                            operand_cell(d, plan, s, (lh_cell){example, h, r, c}));
            lh_text_add(&all, "%s%s", n == 0 ? "" : r == 0 ? "  |  " : ";  ", t.s);
            row[n++] = t.s;
            if (lh_columns(t.s) > widest) widest = lh_columns(t.s);
        }
    printf("%*s", INDENT, "");
    lh_ink_print(d->cli, stdout, LH_INK_NAME, "%s%*s", label,
                 width - lh_columns(label) > 0 ? width - lh_columns(label) : 0, "");
    if (column + lh_columns(all.s) <= d->cli->width) {
        printf("   %s\n", all.s);
        return;
    }
    for (int i = 0; i < n && i < MAX_ROWS; i++) {
        printf("%*s", i ? column : 3, "");
        lh_wrap(stdout, d->cli->width, column, row[i]);
    }
    if (n > MAX_ROWS)
        printf("%*s+%d more row%s\n", column, "", n - MAX_ROWS, LH_PLURAL(n - MAX_ROWS));
}

/* What a step reads and nobody has written yet is shown, and so is no longer a question. */
static void note_seen(lh_practice_view *d, const lh_step *s) {
    const lh_sheet *sheet = d->p->sheet;
    for (int i = 0; i < sheet->n_asks; i++)
        if (sheet->ask[i].step == s && d->p->marks->step[i].n_blank) d->p->step[i].hints = LH_HINTS;
}

/* The step that asks for it, or -1. */
static int ask_of(const lh_practice_view *d, const lh_step *s) {
    const lh_sheet *sheet = d->p->sheet;
    for (int i = 0; i < sheet->n_asks; i++)
        if (sheet->ask[i].step == s && sheet->ask[i].moment == sheet->ask[d->p->at].moment)
            return i;
    return -1;
}

static bool is_open(const lh_practice_view *d, int ask) {
    return !lh_practice_is_written(d->p, ask) && d->p->step[ask].hints < LH_HINTS;
}

/* The first step before this one that is still a question, if this operand is one, or is worked out from one; else -1. */
static int still_open(const lh_practice_view *d, const lh_step *s) {
    if (!d->hides_open || s->kind == LH_STEP_GIVEN || s->node->is_discrete) return -1;
    int ask = ask_of(d, s);
    if (ask >= 0) return is_open(d, ask) ? ask : -1;
    for (int i = 0; i < d->p->at; i++)
        if (is_open(d, i)) return i;
    return -1;
}

static void print_open(lh_practice_view *d, const char *label, int width, int ask) {
    printf("%*s", INDENT, "");
    lh_ink_print(d->cli, stdout, LH_INK_NAME, "%s%*s", label,
                 width - lh_columns(label) > 0 ? width - lh_columns(label) : 0, "");
    printf("   not worked out yet: step %d\n", d->p->paper->step[ask].number);
}

static void print_operands(lh_practice_view *d) {
    lh_practice *p = d->p;
    int n, width = 0;
    lh_step **list = lh_practice_operands(p, d->a, p->at, &n);
    lh_plan *plan = lh_practice_plan(p, p->at);
    const lh_scope *from = p->sheet->ask[p->at].step->scope;
    for (int i = 0; i < n; i++) {
        int w = lh_columns(lh_step_label(p->sheet->g, list[i], from));
        if (w > width && w <= 16) width = w;
    }
    for (int i = 0; plan && i < n; i++) {
        if (!lh_exact.has(plan, list[i]->node)) continue;
        const char *label = lh_step_label(p->sheet->g, list[i], from);
        int open = still_open(d, list[i]);
        if (open >= 0) {
            print_open(d, label, width, open);
            continue;
        }
        print_operand(d, plan, list[i], label, width);
        note_seen(d, list[i]);
    }
    lh_exact.free(plan);
}

static bool is_listed(lh_step *const *list, int n, const char *path) {
    for (int i = 0; i < n; i++)
        if (strcmp(list[i]->path, path) == 0) return true;
    return false;
}

/* Lines that lead to values which are shown are not. */
static void print_inside(lh_practice_view *d, const lh_paper_step *s) {
    int n;
    lh_step **line = lh_practice_lines(d->p, d->a, d->p->at, &n);
    for (int i = 0; i < s->n_inside; i++)
        if (is_listed(line, n, s->inside[i].path))
            lh_practice_view_quiet(
                d, INDENT, lh_printf(d->a, "%s = %s", s->inside[i].label, s->inside[i].formula));
}

void lh_practice_view_step(lh_practice_view *d) {
    lh_practice *p = d->p;
    const lh_paper_step *s = lh_practice_view_ask(d, p->at);
    const char *number = d->instead
                             ? d->instead
                             : lh_printf(d->a, "Step %d of %d   ", s->number, p->paper->n_steps),
               *formula = lh_printf(d->a, "%s %s %s", s->name, s->sign, s->formula),
               *shape = lh_printf(d->a, "%s, %s", s->shape, s->precision);
    int used = lh_columns(number) + lh_columns(formula);
    lh_ink_on(d->cli, stdout, LH_INK_BOLD);
    printf("\n%s", number);
    if (used + 4 + lh_columns(shape) <= d->cli->width) {
        printf("%s", formula);
        lh_ink_off(d->cli, stdout);
        printf("    %s\n", shape);
    } else {
        lh_wrap(stdout, d->cli->width, lh_columns(number), formula);
        lh_ink_off(d->cli, stdout);
        printf("%*s%s\n", INDENT, "", shape);
    }
    if (*block_at(d)->title) lh_practice_view_say(d, INDENT, block_at(d)->title);
    if (s->section != LH_SECTION_FORWARD) print_inside(d, s);
    print_operands(d);
}

/* ---- hints ---- */

void lh_practice_view_hint(lh_practice_view *d, int level) {
    int n;
    lh_ink_print(d->cli, stdout, LH_INK_QUIET, "  hint %d of %d: %s\n", level, LH_HINTS,
                 lh_hint_titles[level - 1]);
    const lh_hint_line *line = lh_hint_lines(d->p, d->a, level, &n);
    for (int i = 0; i < n; i++)
        if (line[i].is_quiet)
            lh_practice_view_quiet(d, INDENT, line[i].text);
        else
            lh_practice_view_say(d, INDENT, line[i].text);
}

/* ---- lists ---- */

static const char *state_words(lh_practice_view *d, int ask) {
    const lh_practice *p = d->p;
    switch (lh_practice_state(p, ask)) {
    case LH_STATE_DONE: return lh_verdict_names[p->step[ask].verdict];
    case LH_STATE_WRONG:
        return lh_printf(d->a, "to correct: %s", lh_verdict_names[p->step[ask].verdict]);
    case LH_STATE_PARTLY: return lh_printf(d->a, "%d to go", p->marks->step[ask].n_blank);
    case LH_STATE_SKIPPED: return "skipped";
    default: return "";
    }
}

static const char *cut(lh_practice_view *d, const char *text, int room) {
    if (lh_columns(text) <= room) return text;
    size_t n = 0;
    for (int w = 0; text[n]; n++) {
        if (lh_utf8_starts(text[n]) && w++ == room - 3) break;
    }
    return lh_printf(d->a, "%.*s...", (int)n, text);
}

/* How it stands is beside the formula, in one column where there is room, else below it. */
void lh_practice_view_list(lh_practice_view *d) {
    enum { BEFORE = 7, APART = 2, BELOW = 9, WORDS = 27 /* to correct: slip of the pen */ };
    const lh_practice *p = d->p;
    const int room = d->cli->width - BEFORE, left = room - APART - WORDS,
              column = left < 60 ? left : 60;
    for (int i = 0; i < p->paper->n_steps; i++) {
        const lh_paper_step *s = lh_practice_view_ask(d, i);
        lh_verdict v = p->step[i].verdict;
        const char *text = cut(d, lh_printf(d->a, "%s %s %s", s->name, s->sign, s->formula), room),
                   *words = state_words(d, i);
        const int used = lh_columns(text), gap = used < column ? column - used : 0;
        printf("%s%3d ", i == p->at ? " \u25b8" : "  ", s->number);
        lh_ink_print(d->cli, stdout, lh_practice_view_ink(v), "%s",
                     v == LH_BLANK ? " " : lh_practice_view_mark(v));
        printf(" %s", text);
        if (!*words)
            putchar('\n');
        else if (used + gap + APART + lh_columns(words) <= room)
            printf("%*s%s\n", gap + APART, "", words);
        else if (used + APART + lh_columns(words) <= room)
            printf("%*s%s\n", APART, "", words);
        else
            printf("\n%*s%s\n", BELOW, "", words);
    }
}

void lh_practice_view_help(lh_practice_view *d) {
    static const char *const line[][2] = {
        {"0.1 0; 0 0.25", "the whole matrix: ; or a new line between rows; brackets are optional"},
        {"1: 0.2 0.3", "row 1: rows and columns count from 0"},
        {"[1][0] = 0.25", "one number; put a name in front for a number of another step"},
        {".5 0,5 1/2 50% 5e-1", "numbers; _ is blank"},
        {"n  b  go 6  go Z", "next, back, to another step"},
        {"h", "a hint: the rule, with numbers, the working, the answer"},
        {"l", "the list of all steps"},
        {"s", "skip this step"},
        {"x", "begin this sheet again"},
        {"q", "quit; the same command continues from here"},
    };
    for (size_t i = 0; i < sizeof line / sizeof *line; i++) {
        printf("  ");
        lh_ink_print(d->cli, stdout, LH_INK_NAME, "%-20s", line[i][0]);
        printf("  ");
        lh_wrap(stdout, d->cli->width, 24, line[i][1]);
    }
    lh_practice_view_say(
        d, 2,
        "\u2713 right, \u2248 rounded early or last digit, \u21aa follows from an earlier "
        "slip: all "
        "with full credit. \u2717 to correct.");
}

void lh_practice_view_left(lh_practice_view *d) {
    lh_text t = lh_text_new(d->a);
    int n = 0;
    for (int i = 0; i < d->p->paper->n_steps; i++)
        if (lh_practice_state(d->p, i) != LH_STATE_DONE)
            lh_text_add(&t, "%s%d %s", n++ ? ", " : "", i + 1, lh_practice_view_ask(d, i)->name);
    if (!n) return;
    putchar('\n');
    lh_practice_view_say(
        d, 0,
        lh_printf(d->a,
                  "You have seen every step. Still open: %s. Continue with them, or q to end.",
                  t.s));
}
