/* programs -- the programs of a lesson: `longhand` blocks, and `use` lines that make one from another. */
#include <stdlib.h>
#include <string.h>

#include "graph/build.h"
#include "learn/chosen.h"
#include "learn/lesson_internal.h"

static lh_lesson_program *program_new(lh_lesson *l, const char *name, lh_place at, int exercise) {
    lh_lesson_program *p = lh_push(l->arena, l->program, l->n_programs);
    *p = (lh_lesson_program){
        .name = name, .at = at, .exercise = exercise, .of = -1, .shuffle = -1, .file = l->file};
    return p;
}

static bool check_name(lh_lesson *l, lh_mention name, int exercise) {
    if (l->n_programs >= LH_MAX_PROGRAMS) {
        if (!l->has_too_many)
            lh_problem_add(l->problems, LH_ERROR_LIMIT, name.at,
                           "more than %d programs in one lesson", LH_MAX_PROGRAMS);
        l->has_too_many = true;
        return false;
    }
    if (!lh_is_name(name.text, strlen(name.text)) || strcmp(name.text, "this") == 0) {
        lh_problem_add(l->problems, LH_ERROR_NAME, name.at, "\"%.40s\" cannot name a program",
                       name.text);
        lh_problem_cure(l->problems, "letters, digits and _, a letter first; `this` is the "
                                     "lesson's own program");
        return false;
    }
    for (int i = 1; i < l->n_programs; i++) {
        const lh_lesson_program *p = &l->program[i];
        if (strcmp(p->name, name.text) != 0 || (p->exercise && p->exercise != exercise)) continue;
        lh_problem_add(l->problems, LH_ERROR_NAME, name.at,
                       "two programs are called %.40s: here and in line %d", name.text, p->at.line);
        lh_problem_cure(l->problems, "give one of them another name");
        return false;
    }
    return true;
}

/* ```longhand is a piece of the lesson's program, ```longhand line a program of its own. */
void lh_read_program(lh_lesson *l, const lh_segment *s) {
    lh_lesson_program *p = &l->program[0];
    if (s->n_rest) {
        lh_mention name = {lh_copy(l->arena, s->rest, s->n_rest), s->at};
        if (!check_name(l, name, 0)) return;
        p = program_new(l, name.text, s->at, 0);
    } else if (p->n_pieces == 0) {
        p->at = s->at;
    }
    int lines = 0;
    for (lh_text_row row = {0}; lh_text_row_next(s->s, s->n, s->line, &row);) lines++;
    *lh_push(l->arena, p->piece, p->n_pieces) = (lh_lesson_piece){s->line, lines};
}

/* Its pieces stand in the order of the text. */
const char *lh_program_lines(lh_lesson *l, lh_arena *a, const lh_lesson_program *p) {
    lh_text out = lh_text_new(a);
    int k = 0;
    for (lh_text_row row = {0}; lh_text_row_next(l->source, l->length, 1, &row);) {
        while (k < p->n_pieces && row.number >= p->piece[k].line + p->piece[k].n_lines) k++;
        if (k < p->n_pieces && row.number >= p->piece[k].line) lh_text_add_n(&out, row.s, row.n);
        lh_text_add_n(&out, "\n", 1);
    }
    return out.s;
}

/* ---- use ---- */

typedef enum use_option {
    USE_SET,
    USE_TRAIN,
    USE_FREEZE,
    USE_BATCH,
    USE_SHUFFLE,
    USE_MISTAKE,
    USE_SEED,
    N_USE
} use_option;

static const char *const use_words[N_USE] = {"--set",     "--train",   "--freeze", "--batch",
                                             "--shuffle", "--mistake", "--seed"};

typedef struct use_line {
    lh_lesson *l;
    lh_lesson_program *p;
    const char *line_start;
} use_line;

static bool fail_value(const use_line *u, lh_text_row value, const char *option,
                       const char *wants) {
    lh_problem_add(u->l->problems, LH_ERROR_TEXT, lh_row_place(value, u->line_start),
                   "%s takes %s, not \"%.*s\"", option, wants, (int)(value.n < 40 ? value.n : 40),
                   value.n ? value.s : "");
    return false;
}

static void add_names(lh_lesson *l, lh_text_row list, const char ***name, int *n) {
    while (list.n) {
        const char *comma = memchr(list.s, ',', list.n);
        size_t k = comma ? (size_t)(comma - list.s) : list.n;
        if (k) *lh_push(l->arena, *name, *n) = lh_copy(l->arena, list.s, k);
        k += comma != NULL;
        list.s += k;
        list.n -= k;
    }
}

static bool add_setting(const use_line *u, lh_text_row word) {
    const char *equals = memchr(word.s, '=', word.n);
    size_t k = equals ? (size_t)(equals - word.s) : 0;
    if (k == 0 || k + 1 == word.n) return fail_value(u, word, "--set", "NAME=VALUE");
    lh_arena *a = u->l->arena;
    *lh_push(a, u->p->set, u->p->n_set) =
        (lh_setting){lh_copy(a, word.s, k), lh_copy(a, equals + 1, word.n - k - 1)};
    return true;
}

static bool set_option(const use_line *u, use_option option, lh_text_row value) {
    lh_lesson_program *p = u->p;
    int n = 0;
    switch (option) {
    case USE_SET: return add_setting(u, value);
    case USE_TRAIN: add_names(u->l, value, &p->train, &p->n_train); return true;
    case USE_FREEZE: add_names(u->l, value, &p->freeze, &p->n_freeze); return true;
    case USE_MISTAKE: p->mistake = lh_copy(u->l->arena, value.s, value.n); return true;
    case USE_BATCH:
        if (!lh_row_number(value, 1000000, &p->batch) || !p->batch)
            return fail_value(u, value, "--batch", "the number of examples in a batch");
        return true;
    case USE_SHUFFLE:
        if (!lh_row_number(value, 2147483647, &p->shuffle))
            return fail_value(u, value, "--shuffle", "a seed");
        return true;
    case USE_SEED:
        if (!lh_row_number(value, 2147483647, &n))
            return fail_value(u, value, "--seed", "the number of a worksheet");
        p->seed = (unsigned long long)n;
        return true;
    case N_USE: break;
    }
    return false;
}

static use_option option_of(lh_text_row word) {
    for (int i = 0; i < N_USE; i++)
        if (lh_row_is(word, use_words[i])) return (use_option)i;
    return N_USE;
}

/* --set a=1 b=2 --train W: after --set every NAME=VALUE is a setting. */
static bool read_options(const use_line *u, lh_text_row rest) {
    use_option last = N_USE;
    for (lh_text_row word; lh_row_word(&rest, &word);) {
        if (word.n > 2 && word.s[0] == '-' && word.s[1] == '-') {
            const char *equals = memchr(word.s, '=', word.n);
            lh_text_row name = word, value = {0};
            if (equals) name.n = (size_t)(equals - word.s);
            last = option_of(name);
            if (last == N_USE) {
                lh_problem_add(u->l->problems, LH_ERROR_NAME, lh_row_place(name, u->line_start),
                               "use has no option %.*s", (int)name.n, name.s);
                lh_problem_nearest(u->l, lh_copy(u->l->arena, name.s, name.n), use_words, N_USE);
                return false;
            }
            if (equals) value = (lh_text_row){equals + 1, word.n - name.n - 1, word.number};
            if (!equals && !lh_row_word(&rest, &value)) value.s = rest.s;
            if (value.n == 0) return fail_value(u, value, use_words[last], "a value");
            if (!set_option(u, last, value)) return false;
        } else if (last == USE_SET && memchr(word.s, '=', word.n)) {
            if (!add_setting(u, word)) return false;
        } else {
            lh_problem_add(u->l->problems, LH_ERROR_TEXT, lh_row_place(word, u->line_start),
                           "\"%.*s\" does not belong here", (int)(word.n < 40 ? word.n : 40),
                           word.s);
            lh_problem_cure(u->l->problems, "NAME = PROGRAM --set rate=1 --mistake unscaled");
            return false;
        }
    }
    return true;
}

/* fast = this --set rate=1 */
void lh_read_use(lh_lesson *l, lh_text_row row, const char *line_start, int exercise) {
    lh_text_row rest = lh_row_code(row), word, of;
    if (rest.n == 0) return;
    lh_place at = lh_row_place(rest, line_start);
    const char *equals = memchr(rest.s, '=', rest.n);
    lh_text_row name =
        lh_row_trim((lh_text_row){rest.s, equals ? (size_t)(equals - rest.s) : 0, row.number});
    if (equals) rest.n -= (size_t)(equals + 1 - rest.s), rest.s = equals + 1;
    if (!equals || name.n == 0 || !lh_row_word(&rest, &of) || memchr(name.s, ' ', name.n)) {
        lh_problem_add(l->problems, LH_ERROR_TEXT, at, "a use line names a program and what it is");
        lh_problem_cure(l->problems, "fast = this --set rate=1");
        return;
    }
    word = name;
    lh_mention called = lh_row_mention(l, word, line_start);
    if (!check_name(l, called, exercise)) return;
    lh_lesson_program *p = program_new(l, called.text, called.at, exercise);
    p->of_name = lh_row_mention(l, of, line_start);
    read_options(&(use_line){l, p, line_start}, rest);
}

/* ---- names ---- */

int lh_lesson_program_named(const lh_lesson *l, const char *name, int exercise) {
    if (!*name || strcmp(name, "this") == 0) return 0;
    int found = -1;
    for (int i = 1; i < l->n_programs; i++) {
        const lh_lesson_program *p = &l->program[i];
        if (strcmp(p->name, name) != 0) continue;
        if (p->exercise == exercise) return i;
        if (p->exercise == 0) found = i;
    }
    return found;
}

int lh_lesson_program_add(lh_lesson *l, const lh_lesson_program *p) {
    int number = l->n_programs;
    *lh_push(l->arena, l->program, l->n_programs) = *p;
    return number;
}

static void fail_program(lh_lesson *l, lh_mention name, int exercise) {
    const char *known[64] = {"this"};
    int n = 1;
    for (int i = 1; i < l->n_programs && n < 64; i++)
        if (l->program[i].exercise == 0 || l->program[i].exercise == exercise)
            known[n++] = l->program[i].name;
    lh_problem_add(l->problems, LH_ERROR_NAME, name.at, "there is no program named %.60s",
                   name.text);
    lh_problem_nearest(l, name.text, known, n);
}

/* attention:bag is a block of another lesson. */
static bool find_block(lh_lesson *l, lh_lesson_program *p, lh_found *found) {
    size_t n;
    int count;
    const char *block = lh_chosen_name(p->of_name.text, &n);
    if (!block) return false;
    const char *lesson = lh_copy(l->arena, p->of_name.text, n);
    if (!l->finder.find(l->finder.who, lesson, found)) return false;
    const char **name = lh_chosen_names(l->arena, found, &count);
    for (int i = 0; i < count; i++)
        if (strcmp(name[i], block) == 0) p->block = name[i];
    return p->block != NULL;
}

/* A program of this lesson comes before a lesson of that name. A line may not name itself: softmax = softmax is the lesson. */
static void find_base(lh_lesson *l, int number) {
    lh_lesson_program *p = &l->program[number];
    lh_found found;
    if (!p->of_name.text) return;
    p->of = strcmp(p->of_name.text, p->name) == 0
                ? -1
                : lh_lesson_program_named(l, p->of_name.text, p->exercise);
    if (p->of == 0 && !l->program[0].text) {
        lh_problem_add(l->problems, LH_ERROR_NAME, p->of_name.at,
                       "the lesson has no program of its own");
        lh_problem_cure(l->problems, "a block that begins with ```longhand holds the program");
    }
    if (p->of >= 0) return;
    if (l->finder.find(l->finder.who, p->of_name.text, &found) || find_block(l, p, &found)) {
        p->text = found.text;
        p->length = found.length;
        p->file = found.file;
        p->is_elsewhere = true;
        return;
    }
    fail_program(l, p->of_name, p->exercise);
}

/* a = b and b = a lead nowhere. */
static void check_circle(lh_lesson *l, int number) {
    int at = number;
    for (int i = 0; i <= l->n_programs && at >= 0; i++) at = l->program[at].of;
    if (at < 0) return;
    lh_problem_add(l->problems, LH_ERROR_NAME, l->program[number].at, "%s is made from itself",
                   l->program[number].name);
    lh_problem_cure(l->problems, "start from `this`, a named program or a lesson");
}

static int find_program(lh_lesson *l, lh_mention name, int exercise) {
    int found = lh_lesson_program_named(l, name.text, exercise);
    if (found < 0) fail_program(l, name, exercise);
    return found < 0 ? 0 : found;
}

/* Also the programs that show items name: `loss 100 fast wrong`, `compare wrong P`. */
void lh_read_names(lh_lesson *l) {
    for (int i = 0; i < l->n_programs; i++) find_base(l, i);
    for (int i = 0; i < l->n_programs; i++) check_circle(l, i);
    for (int i = 0; i < l->n_programs; i++) { /* what leads nowhere is cut off: the rest goes on */
        int at = i;
        for (int k = 0; k <= l->n_programs && at >= 0; k++) at = l->program[at].of;
        if (at >= 0) l->program[i].of = -1;
    }
    for (int i = 0; i < l->n_shows; i++) {
        lh_show *x = &l->show[i];
        if (x->of.text) x->program = find_program(l, x->of, x->exercise);
        int n = x->verb == LH_SHOW_LOSS ? x->n_operands : x->verb == LH_SHOW_COMPARE;
        for (int k = 0; k < n && k < x->n_operands; k++)
            *lh_push(l->arena, x->other, x->n_other) = find_program(l, x->operand[k], x->exercise);
        if (x->n_other) x->operand += x->n_other;
        x->n_operands -= x->n_other;
    }
}

/* ---- another line in its place ---- */

static const lh_statement *find_line(const lh_program *p, const char *name) {
    for (int i = 0; i < p->n_statements; i++) {
        const lh_statement *s = p->statement[i];
        bool makes = s->kind == LH_S_STEP || s->kind == LH_S_CONST || s->kind == LH_S_PARAM ||
                     s->kind == LH_S_STATE;
        size_t n = strlen(name);
        bool renews = s->kind == LH_S_UPDATE && n > 2 && strcmp(name + n - 2, ":=") == 0 &&
                      strlen(s->name) == n - 2 && strncmp(s->name, name, n - 2) == 0;
        if (renews || (makes && strcmp(s->name, name) == 0)) return s;
    }
    return NULL;
}

/* A statement ends where the next begins, or a comment or an empty line. */
static int last_line(const lh_program *p, const lh_statement *s) {
    int next = 1 << 30;
    for (int i = 0; i < p->n_statements; i++)
        if (p->statement[i]->at.line > s->at.line && p->statement[i]->at.line < next)
            next = p->statement[i]->at.line;
    return next - 1;
}

char *lh_lesson_with_line(lh_arena *a, const lh_program *p, const char *name, const char *line) {
    const lh_statement *s = find_line(p, name);
    if (!s) return NULL;
    int last = last_line(p, s);
    lh_text out = lh_text_new(a);
    for (lh_text_row row = {0}; lh_text_row_next(p->source, p->length, 1, &row);) {
        if (row.number < s->at.line || row.number > last)
            lh_text_add_n(&out, row.s, row.n);
        else if (row.number == s->at.line && line)
            lh_text_add_n(&out, line, strlen(line));
        lh_text_add_n(&out, "\n", 1);
    }
    return out.s;
}
