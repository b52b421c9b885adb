#include "lsp/answer.h"

#include <stdio.h>
#include <string.h>

#include "cli/matrix.h"
#include "notation/format.h"

/* ---- places as JSON ---- */

static cJSON *position(const lh_document *d, int line, size_t column, bool is_bytes) {
    cJSON *p = cJSON_CreateObject();
    cJSON_AddNumberToObject(p, "line", line);
    cJSON_AddNumberToObject(p, "character", lh_document_character(d, line, column, is_bytes));
    return p;
}

/* A place of ours: lines and columns from 1, columns in bytes. Without one: the first line. */
static cJSON *range_of(const lh_document *d, lh_place at, bool is_bytes) {
    const int line = at.line > 0 ? at.line - 1 : 0;
    const size_t from = at.col > 0 ? (size_t)at.col - 1 : 0, n = at.len > 0 ? (size_t)at.len : 1;
    cJSON *r = cJSON_CreateObject();
    cJSON_AddItemToObject(r, "start", position(d, line, from, is_bytes));
    cJSON_AddItemToObject(r, "end", position(d, line, from + n, is_bytes));
    return r;
}

static size_t line_begin(const lh_document *d, size_t at) {
    while (at > 0 && d->text[at - 1] != '\n') at--;
    return at;
}

static cJSON *range_of_word(const lh_document *d, const lh_document_word *w, bool is_bytes) {
    const size_t begin = line_begin(d, w->from);
    return range_of(d, (lh_place){w->line, (int)(w->from - begin) + 1, (int)(w->to - w->from)},
                    is_bytes);
}

static cJSON *edit(cJSON *range, const char *text) {
    cJSON *e = cJSON_CreateObject();
    cJSON_AddItemToObject(e, "range", range);
    cJSON_AddStringToObject(e, "newText", text);
    return e;
}

/* ---- what is wrong ---- */

cJSON *lh_answer_diagnostics(const lh_document *d, bool is_bytes) {
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < d->n_problems; i++) {
        const lh_document_problem *p = &d->problem[i];
        cJSON *one = cJSON_CreateObject();
        cJSON_AddItemToObject(one, "range", range_of(d, p->at, is_bytes));
        cJSON_AddNumberToObject(one, "severity", p->is_warning ? 2 : 1);
        cJSON_AddStringToObject(one, "source", "longhand");
        cJSON_AddStringToObject(
            one, "message", p->cure ? lh_printf(d->arena, "%s\n%s", p->what, p->cure) : p->what);
        cJSON_AddItemToArray(list, one);
    }
    return list;
}

/* ---- the prelude and the operations ---- */

static const lh_op *op_named(const char *name) {
    for (int i = 0; i < LH_N_OPS; i++)
        if (lh_ops[i]->print_kind == LH_PRINT_CALL && !lh_ops[i]->is_internal &&
            strcmp(lh_ops[i]->name, name) == 0)
            return lh_ops[i];
    return NULL;
}

/* The prelude as a program of its own, for the names of its functions. */
static void say_function(lh_text *out, const lh_statement *fn) {
    lh_text_add(out, "```longhand\nfn %s(", fn->name);
    for (int i = 0; i < fn->n_params; i++) {
        lh_text_add(out, "%s%s", i ? ", " : "", fn->param[i]);
        if (!fn->standard[i]) continue;
        lh_text_add(out, " = ");
        lh_expr_print(out, fn->standard[i]);
    }
    lh_text_add(out, ")");
    for (int i = 0; i < fn->n_body; i++) {
        const lh_statement *s = fn->body[i];
        if (s->kind != LH_S_STEP) continue;
        lh_text_add(out, "\n  %s = ", s->name);
        lh_expr_print(out, s->expr);
    }
    lh_text_add(out, "\nend\n```\n");
    if (fn->comment) lh_text_add(out, "%s\n", fn->comment);
}

static void say_op(lh_text *out, const lh_op *op) {
    lh_text_add(out, "`%s`: %s\n", op->name, op->summary);
    if (op->example[0]) lh_text_add(out, "\n`%s` is `%s`\n", op->example[0], op->example[1]);
}

/* ---- hover ---- */

enum { DIGITS = 4, ROOM = 72 };

/* The step of that name whose line is this one, or the first of that name. */
static const lh_step *step_named(const lh_graph *g, const char *name, int line) {
    const lh_step *found = NULL;
    for (int i = 0; g && i < g->n_steps; i++) {
        const lh_step *s = g->step[i];
        if (strcmp(s->name, name) != 0 || s->is_dead) continue;
        if (s->at.line == line) return s;
        if (!found) found = s;
    }
    return found;
}

static void say_value(lh_text *out, lh_arena *a, const lh_document_program *p, const lh_step *s) {
    int n = 0;
    if (!p->plan || !lh_exact.has(p->plan, s->node)) return;
    char **line = lh_matrix_lines(a, p->g, p->plan, s->node, 0, 0, DIGITS, ROOM, &n);
    lh_text_add(out, "```\n");
    for (int i = 0; i < n; i++) lh_text_add(out, "%s\n", line[i]);
    lh_text_add(out, "```\n");
}

static void say_step(lh_text *out, lh_arena *a, const lh_document_program *p, const lh_step *s) {
    const char *formula = s->kind == LH_STEP_GIVEN ? "" : lh_step_formula(p->g, (lh_step *)s);
    lh_text_add(out, "```longhand\n%s%s%s\n```\n", s->path, *formula ? " = " : "", formula);
    lh_text_add(out, "%s", lh_shape_text(p->g, s->node->shape));
    if (s->comment) lh_text_add(out, ": %s", s->comment);
    lh_text_add(out, "\n");
    say_value(out, a, p, s);
}

static bool say(lh_text *out, lh_arena *a, const lh_document *d, const lh_document_word *w) {
    const lh_document_program *p = lh_document_program_at(d, w->line);
    const lh_step *s = p ? step_named(p->g, w->name, w->line) : NULL;
    const lh_statement *own = p ? lh_program_fn(p->program, w->name) : NULL;
    const lh_program *known = lh_prelude(d->ctx);
    const lh_statement *fn = own ? own : lh_program_fn(known, w->name);
    if (s && (!own || s->at.line == w->line))
        say_step(out, a, p, s);
    else if (fn)
        say_function(out, fn);
    else if (op_named(w->name))
        say_op(out, op_named(w->name));
    return out->n > 0;
}

cJSON *lh_answer_hover(const lh_document *d, size_t offset, bool is_bytes) {
    lh_document_word w;
    if (!lh_document_word_at(d, offset, &w)) return NULL;
    lh_arena *a = lh_arena_new(d->ctx);
    lh_text text = lh_text_new(a);
    cJSON *hover = NULL;
    if (a && say(&text, a, d, &w)) {
        hover = cJSON_CreateObject();
        cJSON *contents = cJSON_AddObjectToObject(hover, "contents");
        cJSON_AddStringToObject(contents, "kind", "markdown");
        cJSON_AddStringToObject(contents, "value", text.s);
        cJSON_AddItemToObject(hover, "range", range_of_word(d, &w, is_bytes));
    }
    lh_arena_free(a);
    return hover;
}

/* ---- completion ---- */

/* kinds of the protocol */
enum { KEYWORD = 14, FUNCTION = 3, VARIABLE = 6, CONSTANT = 21, OPERATOR = 24 };

static void add_item(cJSON *list, const char *label, int kind, const char *detail) {
    cJSON *item;
    cJSON_ArrayForEach(item, list) {
        const cJSON *other = cJSON_GetObjectItemCaseSensitive(item, "label");
        if (strcmp(other->valuestring, label) == 0) return;
    }
    item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "label", label);
    cJSON_AddNumberToObject(item, "kind", kind);
    if (detail) cJSON_AddStringToObject(item, "detail", detail);
    cJSON_AddItemToArray(list, item);
}

static void add_names(cJSON *list, const lh_document_program *p, lh_statement *const *all, int n) {
    for (int i = 0; i < n; i++) {
        const lh_statement *s = all[i];
        const bool is_given = s->kind == LH_S_CONST || s->kind == LH_S_PARAM ||
                              s->kind == LH_S_SIZE || s->kind == LH_S_STATE ||
                              s->kind == LH_S_INPUT;
        const lh_step *step = s->name && p->g ? step_named(p->g, s->name, s->at.line) : NULL;
        const char *detail = step ? lh_shape_text(p->g, step->node->shape) : s->comment;
        if (s->name && s->kind == LH_S_FN)
            add_item(list, s->name, FUNCTION, s->comment);
        else if (s->name && (is_given || s->kind == LH_S_STEP))
            add_item(list, s->name, is_given ? CONSTANT : VARIABLE, detail);
        for (int k = 0; k < s->n_params; k++) add_item(list, s->param[k], VARIABLE, NULL);
        add_names(list, p, s->body, s->n_body);
    }
}

cJSON *lh_answer_completion(const lh_document *d, size_t offset) {
    static const char *const keyword[] = {"vocab", "size",    "const",    "param",    "state",
                                          "input", "example", "text",     "fn",       "grad",
                                          "end",   "repeat",  "for",      "with",     "next",
                                          "each",  "in",      "params",   "backward", "generate",
                                          "from",  "seed",    "examples", "starting", "until"};
    cJSON *list = cJSON_CreateArray();
    int line = 1;
    for (size_t i = 0; i < offset && i < d->length; i++) line += d->text[i] == '\n';
    const lh_document_program *p = lh_document_program_at(d, line);
    if (p) add_names(list, p, p->program->statement, p->program->n_statements);
    const lh_program *known = lh_prelude(d->ctx);
    for (int i = 0; known && i < known->n_statements; i++)
        if (known->statement[i]->kind == LH_S_FN)
            add_item(list, known->statement[i]->name, FUNCTION, known->statement[i]->comment);
    for (int i = 0; i < LH_N_OPS; i++)
        if (lh_ops[i]->print_kind == LH_PRINT_CALL && !lh_ops[i]->is_internal)
            add_item(list, lh_ops[i]->name, OPERATOR, lh_ops[i]->summary);
    for (size_t i = 0; i < sizeof keyword / sizeof *keyword; i++)
        add_item(list, keyword[i], KEYWORD, NULL);
    return list;
}

/* ---- definition ---- */

static lh_place place_of(const lh_statement *s) {
    return s->name_at.line ? s->name_at : s->at;
}

static cJSON *location(const lh_document *d, lh_place at, bool is_bytes) {
    cJSON *l = cJSON_CreateObject();
    cJSON_AddStringToObject(l, "uri", d->uri);
    cJSON_AddItemToObject(l, "range", range_of(d, at, is_bytes));
    return l;
}

cJSON *lh_answer_definition(const lh_document *d, size_t offset, bool is_bytes) {
    lh_document_word w;
    if (!lh_document_word_at(d, offset, &w)) return NULL;
    const lh_document_program *p = lh_document_program_at(d, w.line);
    const lh_statement *s = p ? lh_document_maker(p->program, w.name, w.line) : NULL;
    if (!s && p && w.name[0] == 'd')
        s = lh_document_maker(p->program, w.name + 1, w.line); /* dW is made of W */
    return s ? location(d, place_of(s), is_bytes) : NULL;
}

/* ---- another name ---- */

static const lh_document_program *owner(const lh_document *d, const lh_document_word *w, int *from,
                                        int *to) {
    const lh_document_program *p = lh_document_program_at(d, w->line);
    return p && lh_document_scope(p->program, w->name, w->line, from, to) ? p : NULL;
}

cJSON *lh_answer_prepare_rename(const lh_document *d, size_t offset, bool is_bytes) {
    lh_document_word w;
    int from, to;
    if (!lh_document_word_at(d, offset, &w) || !owner(d, &w, &from, &to)) return NULL;
    return range_of_word(d, &w, is_bytes);
}

static bool is_name(const char *s) {
    size_t i = 0;
    for (; s[i]; i++) {
        const bool is_letter =
            (s[i] >= 'a' && s[i] <= 'z') || (s[i] >= 'A' && s[i] <= 'Z') || s[i] == '_';
        if (!is_letter && !(i && s[i] >= '0' && s[i] <= '9')) return false;
    }
    return i > 0;
}

/* {h} inside the name of a weight means the turn of the repeat h. */
static void rename_in_strings(const lh_document *d, cJSON *edits, const char *old, const char *name,
                              bool is_bytes) {
    lh_arena *a = lh_arena_new(d->ctx);
    const char *turn = lh_printf(a, "{%s}", old);
    int line = 1;
    for (size_t i = 0; i < d->length; i++) {
        line += d->text[i] == '\n';
        if (strncmp(d->text + i, turn, strlen(turn)) != 0) continue;
        const lh_place at = {line, (int)(i - line_begin(d, i)) + 2, (int)strlen(old)};
        cJSON_AddItemToArray(edits, edit(range_of(d, at, is_bytes), name));
    }
    lh_arena_free(a);
}

/* Where the name means the same, and dW with W unless somebody made a dW. */
static cJSON *rename_all(const lh_document *d, const lh_document_word *at, const char *name,
                         bool is_bytes) {
    int from, to, first, last;
    const lh_document_program *p = owner(d, at, &from, &to);
    lh_arena *a = lh_arena_new(d->ctx);
    const char *slope = lh_printf(a, "d%s", at->name), *new_slope = lh_printf(a, "d%s", name);
    const bool has_slope = !lh_document_maker(p->program, slope, at->line);
    cJSON *edits = cJSON_CreateArray();
    lh_document_word w;
    for (size_t i = 0; lh_document_next_word(d, i, &w); i = w.to) {
        const bool is_it = strcmp(w.name, at->name) == 0,
                   is_slope = has_slope && strcmp(w.name, slope) == 0;
        if ((!is_it && !is_slope) || w.line < from || w.line > to) continue;
        const bool is_other =
            is_it && lh_document_scope(p->program, w.name, w.line, &first, &last) &&
            (first != from || last != to); /* a function has its own of that name */
        if (!is_other)
            cJSON_AddItemToArray(edits,
                                 edit(range_of_word(d, &w, is_bytes), is_it ? name : new_slope));
    }
    const lh_statement *maker = lh_document_maker(p->program, at->name, at->line);
    if (maker && maker->kind == LH_S_REPEAT) rename_in_strings(d, edits, at->name, name, is_bytes);
    lh_arena_free(a);
    return edits;
}

cJSON *lh_answer_rename(const lh_document *d, size_t offset, const char *name, bool is_bytes,
                        const char **trouble) {
    lh_document_word w;
    int from, to;
    *trouble = NULL;
    if (!lh_document_word_at(d, offset, &w) || !owner(d, &w, &from, &to))
        *trouble = "this name is not defined in the program, so it cannot be renamed";
    else if (!is_name(name))
        *trouble = "a name begins with a letter, and letters, digits and _ follow";
    else if (lh_document_maker(owner(d, &w, &from, &to)->program, name, w.line))
        *trouble = "that name is already in use";
    if (*trouble) return NULL;
    cJSON *result = cJSON_CreateObject(), *changes = cJSON_AddObjectToObject(result, "changes");
    cJSON_AddItemToObject(changes, d->uri, rename_all(d, &w, name, is_bytes));
    return result;
}

/* ---- the whole text ---- */

cJSON *lh_answer_format(const lh_document *d) {
    cJSON *edits = cJSON_CreateArray();
    lh_context *ctx = lh_context_new();
    lh_arena *a = ctx ? lh_arena_new(ctx) : NULL;
    char *set = !a             ? NULL
                : d->is_lesson ? lh_format_lesson(ctx, a, d->path, d->text, d->length)
                               : lh_format_program(ctx, a, d->path, d->text, d->length);
    int lines = 0;
    for (size_t i = 0; i < d->length; i++) lines += d->text[i] == '\n';
    if (set && strcmp(set, d->text) != 0) {
        cJSON *range = cJSON_CreateObject();
        cJSON_AddItemToObject(range, "start", position(d, 0, 0, true));
        cJSON_AddItemToObject(range, "end", position(d, lines + 1, 0, true));
        cJSON_AddItemToArray(edits, edit(range, set));
    }
    lh_arena_free(a);
    if (ctx) lh_context_free(ctx);
    return edits;
}

static void add_fold(cJSON *list, int from, int to) {
    if (to <= from) return;
    cJSON *fold = cJSON_CreateObject();
    cJSON_AddNumberToObject(fold, "startLine", from - 1);
    cJSON_AddNumberToObject(fold, "endLine", to - 1);
    cJSON_AddItemToArray(list, fold);
}

static void add_folds(cJSON *list, lh_statement *const *all, int n) {
    for (int i = 0; i < n; i++) {
        if (all[i]->n_body) add_fold(list, all[i]->at.line, lh_document_last_line(all[i]));
        add_folds(list, all[i]->body, all[i]->n_body);
    }
}

/* Blocks of code in a lesson, from fence to fence. */
static void add_fences(const lh_document *d, cJSON *list) {
    int line = 1, open = 0;
    for (size_t i = 0; i < d->length; line++) {
        if (strncmp(d->text + i, "```", 3) == 0) {
            if (open) add_fold(list, open, line);
            open = open ? 0 : line;
        }
        const char *end = strchr(d->text + i, '\n');
        i = end ? (size_t)(end - d->text) + 1 : d->length;
    }
}

cJSON *lh_answer_folding(const lh_document *d) {
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < d->n_known; i++)
        add_folds(list, d->known[i].program->statement, d->known[i].program->n_statements);
    if (d->is_lesson) add_fences(d, list);
    return list;
}

static void add_symbols(const lh_document *d, cJSON *list, lh_statement *const *all, int n,
                        bool is_bytes) {
    for (int i = 0; i < n; i++) {
        const lh_statement *s = all[i];
        const bool is_named = s->name && *s->name && s->kind != LH_S_UPDATE &&
                              s->kind != LH_S_BACKWARD && s->kind != LH_S_NEXT &&
                              s->kind != LH_S_EXAMPLE && s->kind != LH_S_TEXT;
        cJSON *inner = list;
        if (is_named) {
            cJSON *one = cJSON_CreateObject();
            cJSON_AddStringToObject(one, "name", s->name);
            cJSON_AddNumberToObject(one, "kind",
                                    s->kind == LH_S_FN     ? 12
                                    : s->kind == LH_S_STEP ? 13
                                                           : 14);
            if (s->comment) cJSON_AddStringToObject(one, "detail", s->comment);
            lh_place whole = s->at;
            cJSON *range = range_of(d, whole, is_bytes);
            if (s->n_body) {
                cJSON_ReplaceItemInObjectCaseSensitive(
                    range, "end", position(d, lh_document_last_line(s) - 1, 3, is_bytes));
            }
            cJSON_AddItemToObject(one, "range", range);
            cJSON_AddItemToObject(one, "selectionRange", range_of(d, place_of(s), is_bytes));
            inner = s->n_body ? cJSON_AddArrayToObject(one, "children") : list;
            cJSON_AddItemToArray(list, one);
        }
        add_symbols(d, inner, s->body, s->n_body, is_bytes);
    }
}

cJSON *lh_answer_symbols(const lh_document *d, bool is_bytes) {
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < d->n_known; i++)
        add_symbols(d, list, d->known[i].program->statement, d->known[i].program->n_statements,
                    is_bytes);
    return list;
}
