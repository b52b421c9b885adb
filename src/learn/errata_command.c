/* errata_command -- the command to type for one quantity: longhand explain ex2 'logits@1[0]'. */
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "learn/errata.h"

/* The first PROGRAM:ADDRESS of an expression. */
typedef struct spot {
    int program;       /* -1: there is none */
    const char *begin; /* of the program's name */
    const char *address, *end;
} spot;

static const char *address_end(const char *s) {
    for (;; s++) {
        if (*s == '{') s = strchr(s, '}') ? strchr(s, '}') : s + strlen(s) - 1;
        bool is_part = lh_is_letter(*s) || lh_is_digit(*s) || strchr("_.@}]", *s) != NULL ||
                       (*s == '[' && lh_is_digit(s[1]));
        if (!*s || !is_part) return s;
    }
}

static spot find_address(const lh_errata *e, const char *expr) {
    for (const char *s = expr; *s; s++) {
        if (!lh_is_letter(*s)) continue;
        const char *end = s;
        while (lh_is_letter(*end) || lh_is_digit(*end)) end++;
        if (*end == ':' && lh_is_letter(end[1]))
            return (spot){
                lh_lesson_program_named(e->lesson, lh_copy(e->arena, s, (size_t)(end - s)), 0), s,
                end + 1, address_end(end + 1)};
        s = end - 1;
    }
    return (spot){-1, NULL, NULL, NULL};
}

/* Which of its cells to look at: the first of the worst. */
static int worst_cell(const lh_erratum *x) {
    int worst = 0;
    for (int i = 1; x->fits && i < x->rows * x->cols; i++)
        if (x->cell[i].verdict > x->cell[worst].verdict) worst = i;
    return worst;
}

static const char *cell_text(lh_errata *e, const lh_erratum *x) {
    int i = worst_cell(x), cols = x->exact.cols;
    if (x->exact.rows * cols == 1) return "";
    if (x->exact.rows == 1) return lh_printf(e->arena, "[%d]", i);
    return lh_printf(e->arena, "[%d][%d]", i / cols, i % cols);
}

/* The lesson or model a program is made from, and the options on the way there. NULL: it is a block of errata.md. */
static const char *base_of(lh_errata *e, int program, lh_text *options) {
    const lh_lesson_program *p = &e->lesson->program[program];
    for (;; p = &e->lesson->program[p->of]) {
        for (int i = 0; i < p->n_freeze; i++)
            lh_text_add(options, "%s%s", i ? "," : " --freeze ", p->freeze[i]);
        for (int i = 0; i < p->n_set; i++)
            lh_text_add(options, " --set %s=%s", p->set[i].name, p->set[i].value);
        if (p->of < 0) return p->of_name.text;
    }
}

static int step_of(const spot *s) {
    const char *at = memchr(s->address, '@', (size_t)(s->end - s->address));
    return at ? atoi(at + 1) : 0;
}

const char *lh_erratum_command(lh_errata *e, const lh_erratum *x) {
    if (!x->expr || !x->is_worked) return NULL;
    spot s = find_address(e, x->expr);
    if (!s.begin)
        return lh_printf(e->arena, "longhand calc %s'%s'", x->expr[0] == '-' ? "-- " : "", x->expr);
    if (s.program < 0) return NULL;
    lh_text options = lh_text_new(e->arena);
    const char *base = base_of(e, s.program, &options);
    if (!base) return NULL;
    if (options.n)
        return lh_printf(e->arena, "longhand run %s%s --steps %d", base, options.s, step_of(&s));
    bool is_whole = s.begin == x->expr && !*s.end;
    return lh_printf(e->arena, "longhand explain %s '%.*s%s'", base, (int)(s.end - s.address),
                     s.address, is_whole ? cell_text(e, x) : "");
}
