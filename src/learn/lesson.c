#include "learn/lesson.h"

#include <string.h>

#include "base/ascii.h"
#include "base/embedded.h"
#include "base/utf8.h"
#include "graph/build.h"
#include "learn/lesson_internal.h"

/* ---- words and places ---- */

lh_place lh_row_place(lh_text_row row, const char *line_start) {
    return (lh_place){row.number, (int)(row.s - line_start) + 1, (int)row.n};
}

lh_mention lh_row_mention(lh_lesson *l, lh_text_row row, const char *line_start) {
    return (lh_mention){lh_copy(l->arena, row.s, row.n), lh_row_place(row, line_start)};
}

bool lh_row_is(lh_text_row row, const char *word) {
    return row.n == strlen(word) && memcmp(row.s, word, row.n) == 0;
}

bool lh_row_number(lh_text_row row, int most, int *n) {
    long long value = 0;
    if (row.n == 0 || row.n > 10) return false;
    for (size_t i = 0; i < row.n; i++) {
        if (row.s[i] < '0' || row.s[i] > '9') return false;
        value = value * 10 + (row.s[i] - '0');
    }
    if (value > most) return false;
    *n = (int)value;
    return true;
}

bool lh_is_name(const char *s, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!lh_is_name_part(s[i]) || (i == 0 && !lh_is_name_start(s[i]))) return false;
    return n > 0;
}

void lh_problem_nearest(lh_lesson *l, const char *word, const char *const *known, int n) {
    const char *near = lh_nearest(word, known, n);
    if (near) {
        lh_problem_cure(l->problems, "did you mean %s?", near);
        return;
    }
    lh_text list = lh_text_new(l->arena);
    for (int i = 0; i < n; i++) lh_text_add(&list, "%s%s", i ? " " : "", known[i]);
    lh_problem_cure(l->problems, "one of: %s", list.s);
}

bool lh_lesson_find(void *who, const char *name, lh_found *out) {
    char path[128];
    (void)who;
    for (int i = 0; i < lh_n_embedded_files; i++) {
        const lh_embedded *e = &lh_embedded_files[i];
        const char *slash = strchr(e->name, '/'), *dot = strrchr(e->name, '.');
        size_t n = slash && dot ? (size_t)(dot - slash) - 1 : 0;
        if (n == 0 || n >= sizeof path) continue;
        memcpy(path, slash + 1, n);
        path[n] = 0;
        if (strcmp(path, name) != 0) continue;
        *out = (lh_found){e->name, e->text, e->length};
        return true;
    }
    return false;
}

/* ---- blocks that are left open ---- */

static const char *const fence_words[] = {"longhand", "lesson",  "use",  "show", "sheet",
                                          "exercise", "console", "text", "sh",   "c",
                                          "json",     "python",  "html", "csv",  "markdown"};
enum { N_FENCES = sizeof fence_words / sizeof *fence_words };

/* The line inside a block in which another one begins, where the first one was not closed; 0: there is none. A block that shows
 * Markdown has a longer fence than those inside it. */
static int begins_inside(const lh_segment *s) {
    if (!s->is_block) return 0;
    for (lh_text_row row = {0}; lh_text_row_next(s->s, s->n, s->line, &row);) {
        lh_segment b = {0};
        if (!lh_segment_next(row.s, row.n, &b) || !b.is_block || b.n_fence < s->n_fence) continue;
        for (int i = 0; i < N_FENCES; i++)
            if (lh_segment_is(&b, fence_words[i])) return row.number;
    }
    return 0;
}

/* "" where the block is closed. */
static const char *open_block(lh_arena *a, const lh_segment *s) {
    int line = begins_inside(s);
    if (s->is_closed && line == 0) return "";
    const char *word = lh_copy(a, s->word, s->n_word < 40 ? s->n_word : 40);
    const char *kind = s->n_word ? lh_printf(a, "the %s block", word) : "the block";
    if (line == 0) return lh_printf(a, "%s that begins here has no end", kind);
    return lh_printf(a, "%s that begins here has no end before line %d, where another one begins",
                     kind, line);
}

static const char close_it[] = "a line of three backticks ends it";

/* ---- the program alone ---- */

/* A name says which program is meant: two of one name are refused, also where only the lesson's own is wanted. */
static void check_twins(lh_context *ctx, lh_index *names, const lh_segment *s) {
    const int before = lh_index_add(names, s->rest, s->n_rest, s->at.line);
    if (before < 0) return;
    lh_fail(ctx, LH_ERROR_NAME, (lh_place){s->at.line, s->at.col, 3},
            "two programs are called %.*s: here and in line %d", (int)s->n_rest, s->rest, before);
    lh_cure(ctx, "give one of them another name");
}

static bool is_mistake(lh_text_row row) {
    lh_text_row rest = row, word = {0};
    return lh_row_word(&rest, &word) && lh_row_is(word, "mistake") && lh_row_trim(rest).n > 0;
}

/* Mistakes that a lesson adds stand in its sheet block, which no page shows. */
static void keep_mistakes(lh_text *out, const lh_segment *s, int *line) {
    for (lh_text_row row = {0}; lh_text_row_next(s->s, s->n, s->line, &row);) {
        if (!is_mistake(row)) continue;
        for (; *line < row.number; (*line)++) lh_text_add_n(out, "\n", 1);
        lh_text_add_n(out, row.s, row.n);
    }
}

/* The program's lines as they stand, every other line empty. */
static char *program_lines(lh_context *ctx, lh_arena *a, const char *file, const char *text,
                           size_t length) {
    lh_text out = lh_text_new(a);
    lh_index names = {.arena = a};
    bool any = false, has_named = false;
    int line = 1;
    for (lh_segment s = {0}; lh_segment_next(text, length, &s) && !lh_failed(ctx);) {
        const char *open = s.is_block ? open_block(a, &s) : "";
        if (*open) {
            lh_fail(ctx, LH_ERROR_TEXT, (lh_place){s.at.line, s.at.col, 3}, "%s", open);
            lh_cure(ctx, close_it);
        }
        if (lh_segment_is(&s, "sheet")) keep_mistakes(&out, &s, &line);
        if (!lh_segment_is(&s, "longhand")) continue;
        if (s.n_rest) {
            has_named = true;
            check_twins(ctx, &names, &s);
            continue;
        }
        any = true;
        for (; line < s.line; line++) lh_text_add_n(&out, "\n", 1);
        lh_text_add_n(&out, s.s, s.n);
        line = s.next_line - 1;
    }
    if (!lh_failed(ctx) && !any) {
        lh_fail(ctx, LH_ERROR_TEXT, (lh_place){0, 0, 0},
                has_named ? "it has no program of its own, only some with a name"
                          : "there is no program in it");
        lh_cure(ctx, has_named ? "the block of the one that is meant begins with ```longhand alone"
                               : "a block that begins with ```longhand holds the program");
    }
    lh_fail_in(ctx, file, text, length);
    return out.s;
}

lh_program *lh_lesson_parse(lh_context *ctx, const char *file, const char *text, size_t length) {
    if (lh_failed(ctx)) return NULL;
    if (!lh_ends_in(file, ".md")) return lh_program_parse(ctx, file, text, length);
    lh_arena *a = lh_arena_new(ctx);
    if (!a) return NULL;
    char *lines = program_lines(ctx, a, file, text, length);
    lh_program *p = lh_failed(ctx) ? NULL : lh_program_parse(ctx, file, lines, strlen(lines));
    lh_arena_free(a);
    return p;
}

const char *lh_lesson_title(lh_arena *a, const char *file, const char *text, size_t length) {
    (void)file;
    for (lh_text_row row = {0}; lh_text_row_next(text, length, 1, &row);)
        if (row.n > 2 && row.s[0] == '#' && row.s[1] == ' ') {
            lh_text_row title = lh_row_trim((lh_text_row){row.s + 2, row.n - 2, 0});
            return lh_copy(a, title.s, title.n);
        }
    return "";
}

/* ---- the sheet ---- */

/* One line of a sheet block: `digits 4`, a step, or a mistake, which the program has. */
static void sheet_line(lh_context *ctx, lh_arena *a, lh_lesson_sheet *out, lh_text_row row) {
    lh_text_row code = lh_row_code(row), word = {0}, rest = code;
    if (code.n == 0 || is_mistake(code)) return;
    lh_place at = lh_row_place(code, row.s);
    if (lh_row_word(&rest, &word) && lh_row_is(word, "digits") && lh_row_trim(rest).n) {
        rest = lh_row_trim(rest);
        if (!lh_row_number(rest, 9, &out->digits) || out->digits < 2)
            lh_fail(ctx, LH_ERROR_TEXT, at, "a sheet asks for 2 to 9 digits, not \"%.*s\"",
                    (int)rest.n, rest.s);
        return;
    }
    int count = out->n_steps;
    *lh_push(a, out->step, out->n_steps) = lh_copy(a, code.s, code.n);
    *lh_push(a, out->at, count) = at;
}

lh_lesson_sheet lh_lesson_sheet_read(lh_context *ctx, lh_arena *a, const char *file,
                                     const char *text, size_t length) {
    lh_lesson_sheet out = {0};
    if (lh_failed(ctx) || !lh_ends_in(file, ".md")) return out;
    for (lh_segment s = {0}; lh_segment_next(text, length, &s);)
        for (lh_text_row row = {0}; lh_segment_is(&s, "sheet") &&
                                    lh_text_row_next(s.s, s.n, s.line, &row) && !lh_failed(ctx);)
            sheet_line(ctx, a, &out, row);
    lh_fail_in(ctx, file, text, length);
    return out;
}

/* ---- the head ---- */

static void fail_head(lh_lesson *l, lh_text_row word, const char *line_start) {
    static const char *const known[] = {"minutes", "needs", "next"};
    const char *said = lh_copy(l->arena, word.s, word.n < 60 ? word.n : 60);
    lh_problem_add(l->problems, LH_ERROR_TEXT, lh_row_place(word, line_start),
                   "a lesson block has minutes, needs and next, but not \"%s\"", said);
    lh_problem_nearest(l, said, known, 3);
}

static void head_line(lh_lesson *l, lh_text_row row) {
    lh_text_row rest = lh_row_code(row), word, value;
    if (!lh_row_word(&rest, &word)) return;
    bool is_minutes = lh_row_is(word, "minutes"), is_needs = lh_row_is(word, "needs"),
         is_next = lh_row_is(word, "next");
    if (!is_minutes && !is_needs && !is_next) {
        fail_head(l, word, row.s);
        return;
    }
    rest = lh_row_trim(rest);
    if (is_minutes && (!lh_row_number(rest, 600, &l->minutes) || !l->minutes)) {
        lh_problem_add(l->problems, LH_ERROR_TEXT, lh_row_place(word, row.s),
                       "minutes is a whole number, not \"%.*s\"", (int)(rest.n < 40 ? rest.n : 40),
                       rest.s);
        return;
    }
    while (!is_minutes && lh_row_word(&rest, &value)) {
        lh_mention name = lh_row_mention(l, value, row.s);
        if (is_next)
            l->next = name;
        else
            *lh_push(l->arena, l->needs, l->n_needs) = name;
    }
}

/* ---- headings ---- */

/* Scores, scaled -> scores-scaled: letters and digits stay, spaces are -, the rest goes. */
static const char *anchor_of(lh_lesson *l, const char *text) {
    lh_text out = lh_text_new(l->arena);
    for (const char *s = text; *s; s++) {
        if (lh_insert_at(s) >= 0)
            s += 2;
        else if (lh_is_name_part(*s))
            lh_text_add(&out, "%c", lh_is_letter(*s) ? *s | 32 : *s);
        else if ((*s == ' ' || *s == '-') && out.n && out.s[out.n - 1] != '-')
            lh_text_add(&out, "-");
    }
    while (out.n && out.s[out.n - 1] == '-') out.s[--out.n] = 0;
    return out.n ? out.s : lh_printf(l->arena, "part-%d", l->n_headings + 1);
}

static void read_heading(lh_lesson *l, lh_text_row row) {
    int level = 0;
    while (level < (int)row.n && row.s[level] == '#') level++;
    if (level == 0 || level > 6 || level == (int)row.n || row.s[level] != ' ') return;
    lh_text_row text = lh_row_trim((lh_text_row){row.s + level, row.n - (size_t)level, row.number});
    const char *words = lh_copy(l->arena, text.s, text.n);
    if (level == 1 && !l->title) {
        l->title = words;
        return;
    }
    const char *anchor = anchor_of(l, words);
    lh_place at = {row.number, 1, (int)row.n};
    const int before = lh_index_add(&l->anchors, anchor, strlen(anchor), row.number);
    if (before >= 0) {
        lh_problem_add(l->problems, LH_ERROR_NAME, at,
                       "two headings have the anchor #%.60s: here and in line %d", anchor, before);
        lh_problem_cure(l->problems, "give one of them other words");
    }
    *lh_push(l->arena, l->heading, l->n_headings) = (lh_heading){words, anchor, level, at};
}

/* ---- segments ---- */

static void read_prose(lh_lesson *l, const lh_segment *s, lh_text *out) {
    const char *text = lh_read_prose(l, l->arena, (lh_text_row){s->s, s->n, s->line}, s->s, 0);
    const size_t n = strlen(text);
    lh_text_add_n(out, text, n);
    for (lh_text_row row = {0}; lh_text_row_next(text, n, s->line, &row);) read_heading(l, row);
}

/* The fence, the number, and empty lines: as many lines as the block has in the file. */
static void write_block(lh_lesson *l, const lh_segment *s, lh_text *out, lh_lesson_block block) {
    lh_text_add(out, "```longhand-block\n%d", l->n_blocks);
    for (size_t i = 0; i < s->n; i++)
        if (s->s[i] == '\n') lh_text_add_n(out, "\n", 1);
    if (s->n == 0) lh_text_add_n(out, "\n", 1);
    lh_text_add(out, "```\n");
    *lh_push(l->arena, l->block, l->n_blocks) = block;
}

/* A block of lines, each read by itself. True: it was one. */
static bool read_lines(lh_lesson *l, const lh_segment *s, lh_lesson_block *block) {
    bool is_head = lh_segment_is(s, "lesson"), is_use = lh_segment_is(s, "use"),
         is_show = lh_segment_is(s, "show"), is_sheet = lh_segment_is(s, "sheet");
    if (!is_head && !is_use && !is_show && !is_sheet) return false;
    block->kind = is_head   ? LH_BLOCK_LESSON
                  : is_use  ? LH_BLOCK_USE
                  : is_show ? LH_BLOCK_SHOW
                            : LH_BLOCK_SHEET;
    block->first = is_show ? l->n_shows : 0;
    for (lh_text_row row = {0}; lh_text_row_next(s->s, s->n, s->line, &row);) {
        if (is_head) head_line(l, row);
        if (is_use) lh_read_use(l, row, row.s, 0);
        if (is_show) lh_read_show(l, row, row.s, 0);
        if (is_sheet) sheet_line(l->ctx, l->arena, &l->sheet, row);
        lh_problems_take(l->problems, l->ctx, s->at);
    }
    block->n = is_show ? l->n_shows - block->first : 0;
    if (lh_row_trim((lh_text_row){s->s, s->n, 0}).n == 0)
        lh_problem_add(l->problems, LH_ERROR_TEXT, s->at, "the block is empty");
    return true;
}

static void check_fence(lh_lesson *l, const lh_segment *s) {
    for (int i = 0; i < N_FENCES; i++)
        if (s->n_word == 0 || lh_segment_is(s, fence_words[i])) return;
    const char *word = lh_copy(l->arena, s->word, s->n_word < 60 ? s->n_word : 60);
    lh_problem_add(l->problems, LH_ERROR_TEXT, s->at, "there is no kind of block \"%s\"", word);
    lh_problem_nearest(l, word, fence_words, N_FENCES);
}

static void read_block(lh_lesson *l, const lh_segment *s, lh_text *out, const char *from) {
    lh_lesson_block block = {.at = s->at, .first = l->n_exercises};
    const char *open = open_block(l->arena, s);
    if (*open) {
        lh_problem_add(l->problems, LH_ERROR_TEXT, (lh_place){s->at.line, s->at.col, 3}, "%s",
                       open);
        lh_problem_cure(l->problems, close_it);
        return; /* what it would swallow is not read: one message is enough */
    }
    if (read_lines(l, s, &block)) {
        write_block(l, s, out, block);
    } else if (lh_segment_is(s, "exercise")) {
        lh_read_exercise(l, s);
        block.kind = LH_BLOCK_EXERCISE;
        block.n = l->n_exercises - block.first;
        if (block.n) write_block(l, s, out, block);
    } else {
        if (lh_segment_is(s, "longhand")) lh_read_program(l, s);
        check_fence(l, s);
        lh_text_add_n(out, from, (size_t)(l->source + s->next - from));
    }
}

static void read_all(lh_lesson *l) {
    lh_text out = lh_text_new(l->arena);
    lh_lesson_program own = {.name = "", .of = -1, .shuffle = -1, .file = l->file};
    lh_lesson_program_add(l, &own);
    if (lh_failed(l->ctx)) return;
    if (!lh_ends_in(l->file, ".md")) {
        l->program[0].text = l->source;
        l->program[0].length = l->length;
        l->markdown = "";
        return;
    }
    size_t from = 0;
    for (lh_segment s = {0}; lh_segment_next(l->source, l->length, &s) && !lh_failed(l->ctx);) {
        if (s.is_block)
            read_block(l, &s, &out, l->source + from);
        else
            read_prose(l, &s, &out);
        from = s.next;
    }
    for (int i = 0; i < l->n_programs && !lh_failed(l->ctx); i++)
        if (l->program[i].n_pieces) {
            l->program[i].text = lh_program_lines(l, l->arena, &l->program[i]);
            l->program[i].length = strlen(l->program[i].text);
        }
    l->markdown = out.s;
    lh_read_names(l);
}

/* ---- characters ---- */

enum { MOST_REPORTED = 8 };

/* What stands at s and has no place in a text: how many bytes it has, 0 for none. As for programs: notation/lexer.c. */
static size_t stray_length(const char *s, const char *end, size_t *n) {
    uint32_t c = 0;
    *n = lh_utf8_read(s, (size_t)(end - s), &c);
    if (*n == 0) return *n = 1;
    const bool is_line_end = c == '\r' && s + 1 < end && s[1] == '\n';
    const bool is_control = c < ' ' && c != '\t' && c != '\n' && !is_line_end;
    return is_control || (c >= 0x7F && c < 0xA0) || lh_insert_at(s) >= 0 ? *n : 0;
}

static void report_stray(lh_lesson *l, lh_place at, const char *s) {
    if (at.len == 3) {
        lh_problem_add(l->problems, LH_ERROR_TEXT, at,
                       "this character (U+E000 to U+F8FF) has no meaning of its own");
        lh_problem_cure(l->problems, "take it out: symbol fonts leave such characters behind");
    } else {
        lh_problem_add(l->problems, LH_ERROR_TEXT, at, "this does not look like text: byte 0x%02x",
                       (unsigned)(unsigned char)*s);
        lh_problem_cure(l->problems, "save the file as text in UTF-8");
    }
}

/* A byte 0 would end the text, an escape would reach the terminal, and a character of inserts would be taken for one:
 * each is a problem, and goes. The sign for what cannot be shown has three bytes: places stay as they are. */
static void take_strays_out(lh_lesson *l, char *text) {
    const char *line_start = text;
    int line = 1, found = 0;
    size_t n;
    for (char *s = text, *end = text + l->length; s < end; s += n) {
        const size_t k = stray_length(s, end, &n);
        if (k && found++ < MOST_REPORTED)
            report_stray(l, (lh_place){line, (int)(s - line_start) + 1, (int)k}, s);
        if (k) memcpy(s, k == 3 ? "\xef\xbf\xbd" : "??", k);
        if (*s == '\n') line++, line_start = s + 1;
    }
}

static const char *short_name(lh_arena *a, const char *file) {
    const char *slash = strrchr(file, '/'), *start = slash ? slash + 1 : file,
               *dot = strrchr(start, '.');
    return lh_copy(a, start, dot ? (size_t)(dot - start) : strlen(start));
}

lh_lesson *lh_lesson_read(lh_context *ctx, const char *file, const char *text, size_t length,
                          const lh_finder *finder) {
    lh_arena *a = lh_failed(ctx) ? NULL : lh_arena_new(ctx);
    if (!a) return NULL;
    lh_lesson *l = lh_alloc(a, sizeof *l);
    *l = (lh_lesson){.ctx = ctx, .arena = a, .length = length, .problems = lh_problems_new(a)};
    l->anchors.arena = a;
    l->most_updates = LH_MOST_UPDATES;
    l->finder = finder ? *finder : (lh_finder){lh_lesson_find, NULL};
    l->file = lh_copy(a, file, strlen(file));
    l->name = short_name(a, file);
    char *copy = lh_alloc(a, length + 1);
    if (copy) l->source = memcpy(copy, text, length);
    if (copy && lh_ends_in(l->file, ".md")) take_strays_out(l, copy);
    if (copy && !lh_failed(ctx)) read_all(l);
    if (!l->title) l->title = "";
    if (!lh_failed(ctx)) return l;
    lh_fail_in(ctx, l->file, l->source, length);
    lh_arena_free(a);
    return NULL;
}

lh_lesson *lh_lesson_open(lh_context *ctx, const char *file, const char *text, size_t length,
                          const lh_finder *finder) {
    lh_lesson *l = lh_lesson_read(ctx, file, text, length, finder);
    if (!l) return NULL;
    lh_problems_sort(l->problems);
    lh_problems_fail(l->problems, ctx, l->file, l->source, l->length);
    if (!lh_failed(ctx)) return l;
    lh_lesson_free(l);
    return NULL;
}

void lh_lesson_free(lh_lesson *l) {
    if (l) lh_arena_free(l->arena);
}
