#include "cli/session.h"
#include "base/ascii.h"

#include <string.h>

/* ---- what kind of line ---- */

static const char *skip_space(const char *s) {
    while (*s == ' ' || *s == '\t' || *s == '\n' || *s == '\r') s++;
    return s;
}

static bool is_word(const char *s, size_t n, const char *const *list) {
    for (; *list; list++)
        if (strlen(*list) == n && memcmp(*list, s, n) == 0) return true;
    return false;
}

static bool sees_assign(const char *s) {
    s = skip_space(s);
    return (s[0] == '=' && s[1] != '=') || (s[0] == ':' && s[1] == '=');
}

/* A line that makes or declares something, as opposed to a formula alone. */
static bool is_statement(const char *s) {
    static const char *const words[] = {"vocab",    "size",    "const",    "param", "state",
                                        "input",    "example", "examples", "text",  "repeat",
                                        "next",     "each",    "fn",       "grad",  "backward",
                                        "generate", "seed",    "mistake",  "end",   NULL};
    s = skip_space(s);
    size_t n = 0;
    while (lh_is_name_part(s[n])) n++;
    if (*s == '#' || *s == 0) return true;
    return n && (sees_assign(s + n) || (is_word(s, n, words) && *skip_space(s + n) != '('));
}

/* Counts what is opened and not closed, strings and comments aside. */
bool lh_session_is_open(const char *s) {
    static const char *const openers[] = {"fn", "grad", "repeat", "each", NULL};
    static const char *const closers[] = {"end", NULL};
    int brackets = 0, blocks = 0;
    bool at_start = true;
    while (*s) {
        size_t n = 0;
        while (lh_is_name_part(s[n])) n++;
        if (n) {
            if (at_start && brackets == 0 && !sees_assign(s + n))
                blocks += is_word(s, n, openers) - is_word(s, n, closers);
            at_start = false;
            s += n;
            continue;
        }
        if (*s == '#') {
            s += strcspn(s, "\n");
            continue;
        }
        if (*s == '"') {
            const char *end = strpbrk(s + 1, "\"\n");
            s = end ? end : s + strlen(s) - 1;
        }
        brackets += (*s == '(' || *s == '[') - (*s == ')' || *s == ']');
        if (*s == '\n')
            at_start = true;
        else if (*s != ' ' && *s != '\t')
            at_start = false;
        s++;
    }
    return brackets > 0 || blocks > 0;
}

/* ---- changing what was parsed ---- */

/* Places move down by so many lines; the name `from` becomes `to` (NULL: stays). */
typedef struct change {
    int down;
    const char *from, *to;
} change;

static void move_place(const change *c, lh_place *at) {
    if (at->line) at->line += c->down;
}

static const char *changed(const change *c, const char *name) {
    return name && c->from && strcmp(name, c->from) == 0 ? c->to : name;
}

static void change_expr(const change *c, lh_expr *e) {
    if (!e) return;
    move_place(c, &e->at);
    if (e->kind == LH_E_NAME) e->text = changed(c, e->text);
    for (int i = 0; i < e->n_args; i++) change_expr(c, e->arg[i]);
}

static void change_statement(const change *c, lh_statement *s) {
    change inner = *c;
    if (s->kind == LH_S_FN || s->kind == LH_S_GRAD)
        inner.from = NULL; /* their names are their own */
    else
        s->name = changed(c, s->name);
    move_place(c, &s->at);
    move_place(c, &s->name_at);
    change_expr(&inner, s->expr);
    change_expr(&inner, s->rows);
    change_expr(&inner, s->cols);
    change_expr(&inner, s->file);
    if (s->kind == LH_S_GENERATE) s->of = changed(c, s->of);
    for (int i = 0; i < s->n_bindings; i++) {
        move_place(&inner, &s->binding[i].at);
        change_expr(&inner, s->binding[i].expr);
    }
    for (int i = 0; i < s->n_params; i++) change_expr(&inner, s->standard[i]);
    for (int i = 0; i < s->n_patterns; i++) change_expr(&inner, s->pattern[i]);
    for (int i = 0; i < s->n_body; i++) change_statement(&inner, s->body[i]);
}

static void change_program(const change *c, lh_program *p) {
    for (int i = 0; i < p->n_statements; i++) change_statement(c, p->statement[i]);
}

static void rename_all(lh_session *s, int n_lines, const char *from, const char *to) {
    for (int i = 0; i < n_lines; i++) change_program(&(change){0, from, to}, s->line[i].parsed);
}

static bool makes(const lh_program *p, const char *name) {
    for (int i = 0; i < p->n_statements; i++)
        if (p->statement[i]->kind == LH_S_STEP && strcmp(p->statement[i]->name, name) == 0)
            return true;
    return false;
}

static bool has_answer(const lh_session *s) {
    for (int i = 0; i < s->n_lines; i++)
        if (makes(s->line[i].parsed, "ans")) return true;
    return false;
}

/* ---- reading a line ---- */

/* A formula alone, as the statement ans = formula. */
static lh_program *parse_bare(lh_context *ctx, const char *text) {
    lh_program *p = lh_program_parse(ctx, "calc", "", 0);
    if (!p) return NULL;
    lh_statement *s = lh_alloc(p->arena, sizeof *s);
    *s = (lh_statement){.kind = LH_S_STEP, .name = "ans"};
    s->expr = lh_expr_parse(ctx, p->arena, text, strlen(text));
    if (s->expr) s->at = s->name_at = s->expr->at;
    *lh_push(p->arena, p->statement, p->n_statements) = s;
    if (!lh_failed(ctx)) return p;
    lh_program_free(p);
    return NULL;
}

static int count_lines(const char *text) {
    int n = 1;
    for (; *text; text++) n += *text == '\n' && text[1];
    return n;
}

static bool read_line(lh_session *s, const char *text, lh_calc_line *line) {
    lh_context *ctx = s->cli->ctx;
    const lh_calc_line *last = s->n_lines ? &s->line[s->n_lines - 1] : NULL;
    *line = (lh_calc_line){.text = lh_copy(s->cli->arena, text, strlen(text)),
                           .first = last ? last->first + last->height : 1,
                           .height = count_lines(text),
                           .is_bare = !is_statement(text)};
    line->parsed =
        line->is_bare ? parse_bare(ctx, text) : lh_program_parse(ctx, "calc", text, strlen(text));
    if (!line->parsed) {
        lh_fail_in(ctx, "calc", text, strlen(text));
        if (!ctx->error.file[0]) memcpy(ctx->error.file, "calc", 5);
        move_place(&(change){.down = line->first - 1}, &ctx->error.at);
        return false;
    }
    lh_cli_warn(s->cli, "calc", text, strlen(text));
    change_program(&(change){.down = line->first - 1}, line->parsed);
    return true;
}

/* ---- the program ---- */

static void forget(lh_session *s) {
    lh_exact.free(s->plan);
    lh_graph_free(s->g);
    lh_arena_free(s->arena);
    s->plan = NULL;
    s->g = NULL;
    s->arena = NULL;
}

static lh_program *join(lh_context *ctx, lh_arena *a, const lh_calc_line *line, int n_lines) {
    lh_program *p = lh_alloc(a, sizeof *p);
    lh_text source = lh_text_new(a);
    *p = (lh_program){.ctx = ctx, .arena = a, .file = "calc"};
    for (int i = 0; i < n_lines; i++) {
        lh_text_add(&source, "%s\n", line[i].text);
        for (int k = 0; k < line[i].parsed->n_statements; k++)
            *lh_push(a, p->statement, p->n_statements) = line[i].parsed->statement[k];
    }
    p->source = source.s;
    p->length = source.n;
    return p;
}

/* The lines as a program that has been run; false and the context failed when it cannot be. */
static bool build(lh_session *s, const lh_calc_line *line, int n_lines, lh_session *made) {
    lh_context *ctx = s->cli->ctx;
    *made = *s;
    made->g = NULL;
    made->plan = NULL;
    made->arena = lh_arena_new(ctx);
    if (!made->arena) return false;
    made->program = join(ctx, made->arena, line, n_lines);
    made->g = lh_graph_build(ctx, made->program, NULL);
    bool waits = made->g && made->g->n_inputs && !made->g->n_examples;
    if (made->g && !waits) {
        made->plan = lh_exact.plan(made->g, &(lh_wish){.all = true});
        if (made->plan)
            lh_exact.start(made->plan), lh_exact.bind(made->plan, NULL, 0),
                lh_exact.run(made->plan);
    }
    if (!lh_failed(ctx)) return true;
    lh_fail_in(ctx, "calc", made->program->source, made->program->length);
    forget(made);
    return false;
}

static void take_over(lh_session *s, const lh_session *made) {
    forget(s);
    s->arena = made->arena;
    s->program = made->program;
    s->g = made->g;
    s->plan = made->plan;
}

static void answer_name(char name[24], int n) {
    snprintf(name, 24, "ans%d", n);
}

/* A new ans: the old one gets a number, in the new line too. */
static void make_room(lh_session *s, lh_calc_line *line) {
    char name[24];
    if (!makes(line->parsed, "ans") || !has_answer(s)) return;
    line->renamed = s->n_answers + 1;
    answer_name(name, line->renamed);
    const char *numbered = lh_copy(s->cli->arena, name, strlen(name));
    rename_all(s, s->n_lines, "ans", numbered);
    for (int i = 0; i < line->parsed->n_statements; i++)
        change_expr(&(change){0, "ans", numbered}, line->parsed->statement[i]->expr);
}

static void give_back(lh_session *s, const lh_calc_line *line, int n_lines) {
    char name[24];
    if (!line->renamed) return;
    answer_name(name, line->renamed);
    rename_all(s, n_lines, name, "ans");
}

bool lh_session_add(lh_session *s, const char *text) {
    lh_context *ctx = s->cli->ctx;
    lh_calc_line line;
    lh_session made;
    bool ok = false;
    if (read_line(s, text, &line)) {
        lh_calc_line *room = lh_push(s->cli->arena, s->line, s->n_lines);
        s->n_lines--;
        make_room(s, &line);
        *room = line;
        ok = !lh_failed(ctx) && build(s, s->line, s->n_lines + 1, &made);
        if (!ok) give_back(s, &line, s->n_lines), lh_program_free(line.parsed);
    }
    if (ok) {
        take_over(s, &made);
        s->n_lines++;
        if (line.renamed) s->n_answers = line.renamed;
        return true;
    }
    s->error = *lh_context_error(ctx);
    lh_cli_report(s->cli);
    lh_context_clear(ctx);
    return false;
}

bool lh_session_undo(lh_session *s) {
    lh_session made;
    if (s->n_lines == 0) return false;
    lh_calc_line last = s->line[s->n_lines - 1];
    give_back(s, &last, s->n_lines - 1);
    if (!build(s, s->line, s->n_lines - 1, &made)) { /* no memory: as it was */
        lh_cli_report(s->cli);
        lh_context_clear(s->cli->ctx);
        return true;
    }
    take_over(s, &made);
    s->n_lines--;
    if (last.renamed) s->n_answers = last.renamed - 1;
    lh_program_free(last.parsed);
    return true;
}

void lh_session_close(lh_session *s) {
    forget(s);
    for (int i = 0; i < s->n_lines; i++) lh_program_free(s->line[i].parsed);
    s->n_lines = 0;
}
