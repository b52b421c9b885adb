#include "learn/lesson.h"

#include <string.h>

static bool has_ending(const char *file, const char *ending) {
    size_t n = strlen(file), k = strlen(ending);
    return n >= k && strcmp(file + n - k, ending) == 0;
}

static size_t line_length(const char *s, const char *end) {
    const char *stop = memchr(s, '\n', (size_t)(end - s));
    return stop ? (size_t)(stop - s) : (size_t)(end - s);
}

/* A fence is a line of three backticks; what follows them says what the block is. */
static bool is_fence(const char *line, size_t n, const char *kind) {
    while (n && (*line == ' ')) line++, n--;
    while (n && (line[n - 1] == ' ' || line[n - 1] == '\r')) n--;
    size_t k = strlen(kind);
    return n == 3 + k && memcmp(line, "```", 3) == 0 && memcmp(line + 3, kind, k) == 0;
}

static bool opens_block(const char *line, size_t n) {
    while (n && (*line == ' ')) line++, n--;
    return n >= 3 && memcmp(line, "```", 3) == 0;
}

/* The program's lines as they stand, every other line empty. */
static char *program_lines(lh_context *ctx, lh_arena *a, const char *file, const char *text,
                           size_t length) {
    char *out = lh_alloc(a, length + 1);
    if (!out) return NULL;
    size_t used = 0;
    int line = 1, opened = 0;
    bool in_program = false, in_other = false, any = false;
    for (const char *s = text, *end = text + length; s < end; line++) {
        size_t n = line_length(s, end);
        bool is_text = false;
        if (in_program || in_other) {
            if (is_fence(s, n, ""))
                in_program = in_other = false;
            else
                is_text = in_program;
        } else if (opens_block(s, n)) {
            in_program = is_fence(s, n, "longhand");
            in_other = !in_program;
            any |= in_program;
            opened = line;
        }
        if (is_text) memcpy(out + used, s, n), used += n;
        s += n;
        if (s < end) out[used++] = '\n', s++;
    }
    if (in_program || in_other)
        lh_fail(ctx, LH_ERROR_TEXT, (lh_place){opened, 1, 3},
                "the block that begins here has no end"),
            lh_cure(ctx, "a line of three backticks ends it");
    else if (!any)
        lh_fail(ctx, LH_ERROR_TEXT, (lh_place){0, 0, 0}, "there is no program in it"),
            lh_cure(ctx, "a block that begins with ```longhand holds the program");
    lh_fail_in(ctx, file, text, length);
    return out;
}

lh_program *lh_lesson_parse(lh_context *ctx, const char *file, const char *text, size_t length) {
    if (lh_failed(ctx)) return NULL;
    if (!has_ending(file, ".md")) return lh_program_parse(ctx, file, text, length);
    lh_arena *a = lh_arena_new(ctx);
    if (!a) return NULL;
    char *lines = program_lines(ctx, a, file, text, length);
    lh_program *p =
        lines && !lh_failed(ctx) ? lh_program_parse(ctx, file, lines, strlen(lines)) : NULL;
    lh_arena_free(a);
    return p;
}

const char *lh_lesson_title(lh_arena *a, const char *file, const char *text, size_t length) {
    (void)file;
    const char *s = text, *end = text + length;
    while (s < end) {
        size_t n = line_length(s, end);
        if (n > 2 && s[0] == '#' && s[1] == ' ')
            return lh_copy(a, s + 2, n - 2 - (s[n - 1] == '\r'));
        s += n + 1;
    }
    return "";
}

/* One line of a sheet block: `digits 4`, or a step. */
static void sheet_line(lh_context *ctx, lh_arena *a, lh_lesson_sheet *out, const char *line,
                       size_t n, int number) {
    const char *hash = memchr(line, '#', n), *start = line;
    if (hash) n = (size_t)(hash - line);
    while (n && (*line == ' ' || *line == '\t')) line++, n--;
    while (n && (line[n - 1] == ' ' || line[n - 1] == '\t' || line[n - 1] == '\r')) n--;
    if (n == 0) return;
    lh_place at = {number, (int)(line - start) + 1, (int)n};
    if (n > 7 && memcmp(line, "digits ", 7) == 0) {
        int digits = n == 8 && line[7] >= '2' && line[7] <= '9' ? line[7] - '0' : 0;
        if (!digits)
            lh_fail(ctx, LH_ERROR_TEXT, at, "a sheet asks for 2 to 9 digits, and this is \"%.*s\"",
                    (int)(n - 7), line + 7);
        out->digits = digits;
        return;
    }
    int count = out->n_steps;
    *(const char **)lh_push(a, (void **)&out->step, &out->n_steps, sizeof *out->step) =
        lh_copy(a, line, n);
    *(lh_place *)lh_push(a, (void **)&out->at, &count, sizeof *out->at) = at;
}

lh_lesson_sheet lh_lesson_sheet_read(lh_context *ctx, lh_arena *a, const char *file,
                                     const char *text, size_t length) {
    lh_lesson_sheet out = {0};
    if (lh_failed(ctx) || !has_ending(file, ".md")) return out;
    bool in_block = false, in_sheet = false;
    int number = 1;
    for (const char *s = text, *end = text + length; s < end && !lh_failed(ctx); number++) {
        size_t n = line_length(s, end);
        if (in_block && is_fence(s, n, ""))
            in_block = in_sheet = false;
        else if (!in_block && opens_block(s, n))
            in_block = true, in_sheet = is_fence(s, n, "sheet");
        else if (in_sheet)
            sheet_line(ctx, a, &out, s, n, number);
        s += n + 1;
    }
    lh_fail_in(ctx, file, text, length);
    return out;
}
