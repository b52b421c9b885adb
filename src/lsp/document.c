#include "lsp/document.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/file.h"
#include "base/utf8.h"
#include "learn/lint.h"

enum { MOST_CELLS = 2000000 }; /* of a program that is run while it is typed */

/* ---- begin and end ---- */

static char *copy_of(const char *s) {
    const size_t n = strlen(s) + 1;
    char *copy = malloc(n);
    if (copy) memcpy(copy, s, n);
    return copy;
}

static int hex(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* file:///home/me/my%20model.lh to /home/me/my model.lh */
static char *path_of(const char *uri) {
    static const char scheme[] = "file://";
    if (strncmp(uri, scheme, sizeof scheme - 1) == 0) uri += sizeof scheme - 1;
    char *path = copy_of(uri), *to = path;
    for (const char *s = path; path && *s;) {
        const bool is_coded = *s == '%' && hex(s[1]) >= 0 && hex(s[2]) >= 0;
        *to++ = is_coded ? (char)(hex(s[1]) * 16 + hex(s[2])) : *s;
        s += is_coded ? 3 : 1;
    }
    if (to) *to = 0;
    return path;
}

static void forget_program(lh_document_program *p) {
    if (p->plan) lh_exact.free(p->plan);
    lh_graph_free(p->g);
    lh_program_free(p->program);
    lh_context_free(p->ctx);
    *p = (lh_document_program){0};
}

static void forget(lh_document *d) {
    for (int i = 0; i < d->n_known; i++) forget_program(&d->known[i]);
    free(d->known);
    d->known = NULL, d->n_known = 0;
}

lh_document *lh_document_new(const char *uri, const char *text) {
    lh_document *d = calloc(1, sizeof *d);
    if (!d) return NULL;
    d->uri = copy_of(uri), d->path = path_of(uri), d->ctx = lh_context_new();
    const size_t n = d->path ? strlen(d->path) : 0;
    d->is_lesson = n > 3 && strcmp(d->path + n - 3, ".md") == 0;
    if (d->uri && d->path && d->ctx && lh_document_set(d, text)) return d;
    lh_document_free(d);
    return NULL;
}

void lh_document_free(lh_document *d) {
    if (!d) return;
    forget(d);
    lh_arena_free(d->arena);
    if (d->ctx) lh_context_free(d->ctx);
    free(d->uri), free(d->path), free(d->text);
    free(d);
}

/* ---- what is wrong ---- */

static void add_problem(lh_document *d, lh_place at, const char *what, const char *cure,
                        bool is_warning) {
    lh_document_problem *p = lh_push(d->arena, d->problem, d->n_problems);
    *p = (lh_document_problem){at, lh_copy(d->arena, what, strlen(what)),
                               cure && *cure ? lh_copy(d->arena, cure, strlen(cure)) : NULL,
                               is_warning};
}

static void take_error(lh_document *d, lh_context *ctx) {
    const lh_error *e = lh_context_error(ctx);
    if (!lh_failed(ctx)) return;
    add_problem(d, e->at, e->what, e->cure, false);
    lh_context_clear(ctx);
}

/* ---- programs ---- */

/* Files that a program names lie beside it. */
static void read_beside(void *who, lh_context *ctx, lh_arena *arena, const char *path,
                        const char **text, size_t *length) {
    const lh_document *d = who;
    const char *slash = strrchr(d->path, '/');
    const char *folder = slash ? lh_copy(arena, d->path, (size_t)(slash - d->path) + 1) : "";
    *text = lh_file_read_within(ctx, arena, &(lh_file_reach){folder, NULL, 0}, path, length);
}

static bool is_small(const lh_graph *g) {
    double cells = 0;
    for (int i = 0; i < g->n_givens; i++) {
        const lh_shape s = g->given[i]->node->shape;
        cells += (double)g->axis[s.rows].n * (double)g->axis[s.cols].n;
    }
    return cells <= MOST_CELLS;
}

static void run_program(lh_document_program *p) {
    if (!p->g || !is_small(p->g)) return;
    p->plan = lh_exact.plan(p->g, &(lh_wish){.all = true});
    if (p->plan) lh_exact.start(p->plan), lh_exact.run(p->plan);
    if (!lh_failed(p->ctx)) return;
    if (p->plan) lh_exact.free(p->plan);
    p->plan = NULL;
}

/* Parsed, built and run. What went wrong becomes a problem of the document; false: there is not even a tree. */
static bool open_program(lh_document *d, lh_document_program *p, const char *text, size_t length,
                         bool reports) {
    *p = (lh_document_program){.ctx = lh_context_new()};
    if (!p->ctx) return false;
    p->ctx->read_file = read_beside, p->ctx->read_file_who = d;
    p->program = lh_program_parse(p->ctx, d->path, text, length);
    if (p->program && p->ctx->warning[0] && reports)
        add_problem(d, p->ctx->warned_at, p->ctx->warning, NULL, true);
    if (p->program) p->g = lh_graph_build(p->ctx, p->program, NULL);
    if (p->g) run_program(p);
    if (reports)
        take_error(d, p->ctx);
    else
        lh_context_clear(p->ctx);
    return p->program != NULL;
}

static void look_at_program(lh_document *d) {
    lh_document_program now;
    if (!open_program(d, &now, d->text, d->length, true) || (!now.g && d->n_known)) {
        forget_program(&now); /* what was last right stays */
        return;
    }
    forget(d);
    d->known = malloc(sizeof *d->known);
    if (d->known)
        d->known[d->n_known++] = now;
    else
        forget_program(&now);
}

/* ---- lessons ---- */

static void take_problems(lh_document *d, const lh_lesson *l) {
    for (int i = 0; i < l->problems->n; i++) {
        const lh_problem *p = l->problems->problem[i];
        const bool is_here = !p->error.file[0] || strcmp(p->error.file, d->path) == 0;
        if (is_here) add_problem(d, p->error.at, p->error.what, p->error.cure, p->is_warning);
    }
}

static void take_programs(lh_document *d, const lh_lesson *l) {
    lh_document_program *now = calloc((size_t)l->n_programs + 1, sizeof *now);
    int n = 0;
    for (int i = 0; now && i < l->n_programs; i++) {
        const lh_lesson_program *p = &l->program[i];
        if (!p->text || p->is_elsewhere || p->n_pieces == 0) continue;
        if (open_program(d, &now[n], p->text, p->length, false))
            n++;
        else
            forget_program(&now[n]);
    }
    if (!now || n == 0) {
        free(now);
        return;
    }
    forget(d);
    d->known = now, d->n_known = n;
}

static void look_at_lesson(lh_document *d) {
    d->ctx->read_file = read_beside, d->ctx->read_file_who = d;
    lh_lesson *l = lh_lesson_read(d->ctx, d->path, d->text, d->length, NULL);
    if (l) lh_lesson_lint(l);
    if (l) take_problems(d, l);
    if (l) take_programs(d, l);
    take_error(d, d->ctx);
    lh_lesson_free(l);
}

bool lh_document_set(lh_document *d, const char *text) {
    char *copy = copy_of(text);
    if (!copy) return false;
    free(d->text);
    d->text = copy, d->length = strlen(copy);
    lh_arena_free(d->arena);
    d->arena = lh_arena_new(d->ctx);
    d->problem = NULL, d->n_problems = 0;
    if (!d->arena) return false;
    if (d->is_lesson)
        look_at_lesson(d);
    else
        look_at_program(d);
    return true;
}

/* ---- places ---- */

static size_t line_start(const lh_document *d, int line) {
    size_t at = 0;
    while (line-- > 0 && at < d->length) {
        const char *end = memchr(d->text + at, '\n', d->length - at);
        at = end ? (size_t)(end - d->text) + 1 : d->length;
    }
    return at;
}

/* How many units a code point takes, and how many bytes. */
static size_t units_at(const char *s, size_t left, bool is_bytes, size_t *bytes) {
    uint32_t c;
    *bytes = lh_utf8_read(s, left, &c);
    if (*bytes == 0) *bytes = 1, c = 0;
    return is_bytes ? *bytes : c >= 0x10000 ? 2 : 1;
}

size_t lh_document_offset(const lh_document *d, int line, int character, bool is_bytes) {
    size_t at = line_start(d, line), bytes;
    for (size_t n = 0; at < d->length && d->text[at] != '\n' && n < (size_t)character; at += bytes)
        n += units_at(d->text + at, d->length - at, is_bytes, &bytes);
    return at;
}

int lh_document_character(const lh_document *d, int line, size_t column, bool is_bytes) {
    size_t at = line_start(d, line), end = at + column, n = 0, bytes;
    for (; at < end && at < d->length && d->text[at] != '\n'; at += bytes)
        n += units_at(d->text + at, d->length - at, is_bytes, &bytes);
    return (int)n;
}

/* ---- names ---- */

static bool begins_fence(const lh_document *d, size_t at, const char *word) {
    const size_t n = strlen(word);
    return d->length - at >= n && memcmp(d->text + at, word, n) == 0;
}

/* Goes through the text, and knows what is code: not strings, comments, words of vocab, example and text, nor prose. */
typedef struct walk {
    const lh_document *d;
    size_t at;
    int line; /* from 1 */
    bool is_code, is_words;
} walk;

static void begin_line(walk *w) {
    const lh_document *d = w->d;
    if (d->is_lesson && begins_fence(d, w->at, "```"))
        w->is_code = !w->is_code && begins_fence(d, w->at, "```longhand");
    size_t i = w->at;
    while (i < d->length && d->text[i] == ' ') i++;
    w->is_words = begins_fence(d, i, "vocab ") || begins_fence(d, i, "example ") ||
                  begins_fence(d, i, "text ") || begins_fence(d, i, "```");
}

static void skip_string(walk *w) {
    const lh_document *d = w->d;
    for (w->at++; w->at < d->length && d->text[w->at] != '"' && d->text[w->at] != '\n'; w->at++)
        if (d->text[w->at] == '\\' && w->at + 1 < d->length) w->at++;
    if (w->at < d->length && d->text[w->at] == '"') w->at++;
}

static void skip_line(walk *w) {
    while (w->at < w->d->length && w->d->text[w->at] != '\n') w->at++;
}

static bool next_name(walk *w, lh_document_word *to) {
    const lh_document *d = w->d;
    while (w->at < d->length) {
        const char c = d->text[w->at];
        if (w->at == 0 || d->text[w->at - 1] == '\n') begin_line(w);
        if (c == '\n') {
            w->at++, w->line++;
        } else if (!w->is_code || c == '#' || w->is_words) {
            skip_line(w);
        } else if (c == '"') {
            skip_string(w);
        } else if (!lh_is_name_part(c)) {
            w->at++;
        } else {
            const size_t from = w->at;
            while (w->at < d->length && lh_is_name_part(d->text[w->at])) w->at++;
            if (!lh_is_name_start(c) || w->at - from >= sizeof to->name) continue; /* a number */
            *to = (lh_document_word){.line = w->line, .from = from, .to = w->at};
            memcpy(to->name, d->text + from, w->at - from);
            return true;
        }
    }
    return false;
}

static walk walk_from_start(const lh_document *d) {
    return (walk){.d = d, .line = 1, .is_code = !d->is_lesson};
}

bool lh_document_word_at(const lh_document *d, size_t offset, lh_document_word *w) {
    walk k = walk_from_start(d);
    while (next_name(&k, w) && w->from <= offset)
        if (offset <= w->to) return true;
    return false;
}

bool lh_document_next_word(const lh_document *d, size_t from, lh_document_word *w) {
    walk k = walk_from_start(d);
    while (next_name(&k, w))
        if (w->from >= from) return true;
    return false;
}

/* ---- what makes a name ---- */

int lh_document_last_line(const lh_statement *s) {
    int last = s->at.line;
    for (int i = 0; i < s->n_body; i++) {
        const int line = lh_document_last_line(s->body[i]);
        if (line > last) last = line;
    }
    return s->n_body ? last + 1 : last;
}

static bool makes(const lh_statement *s, const char *name) {
    for (int i = 0; i < s->n_bindings; i++)
        if (s->kind == LH_S_REPEAT && strcmp(s->binding[i].name, name) == 0) return true;
    return s->name && strcmp(s->name, name) == 0 && s->kind != LH_S_BACKWARD &&
           s->kind != LH_S_UPDATE && s->kind != LH_S_NEXT && s->kind != LH_S_GENERATE &&
           s->kind != LH_S_GRAD;
}

static bool has_param(const lh_statement *s, const char *name) {
    for (int i = 0; i < s->n_params; i++)
        if (strcmp(s->param[i], name) == 0) return true;
    return false;
}

static const lh_statement *maker_in(lh_statement *const *list, int n, const char *name, int line) {
    const lh_statement *found = NULL;
    for (int i = 0; i < n; i++) {
        const lh_statement *s = list[i];
        if (s->n_body && s->at.line <= line && line <= lh_document_last_line(s)) {
            if (has_param(s, name)) return s;
            const lh_statement *inner = maker_in(s->body, s->n_body, name, line);
            if (inner) return inner;
        }
        if (makes(s, name) && (!found || s->at.line <= line)) found = s;
    }
    return found;
}

const lh_statement *lh_document_maker(const lh_program *p, const char *name, int line) {
    return maker_in(p->statement, p->n_statements, name, line);
}

static const lh_statement *block_of(lh_statement *const *list, int n, const lh_statement *maker) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < list[i]->n_body; k++) {
            if (list[i]->body[k] == maker) return list[i];
            const lh_statement *inner = block_of(list[i]->body, list[i]->n_body, maker);
            if (inner) return inner;
        }
    return NULL;
}

/* A name that a function makes, or takes, is known inside it alone; that of a repeat, there and behind it. */
bool lh_document_scope(const lh_program *p, const char *name, int line, int *from, int *to) {
    const lh_statement *m = lh_document_maker(p, name, line);
    if (!m) return false;
    const lh_statement *block = has_param(m, name) ? m : block_of(p->statement, p->n_statements, m);
    *from = 1, *to = 1 << 30;
    if (block && (block->kind == LH_S_FN || block->kind == LH_S_GRAD))
        *from = block->at.line, *to = lh_document_last_line(block);
    return true;
}

const lh_document_program *lh_document_program_at(const lh_document *d, int line) {
    for (int i = 0; i < d->n_known; i++) {
        const lh_program *p = d->known[i].program;
        const lh_statement *last = p->n_statements ? p->statement[p->n_statements - 1] : NULL;
        if (last && line <= lh_document_last_line(last)) return &d->known[i];
    }
    return d->n_known ? &d->known[d->n_known - 1] : NULL;
}
