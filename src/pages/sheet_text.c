/* sheet_text -- a worksheet as plain text and as Markdown. What is filled in is an answer file: see learn/answers.h. */
#include <string.h>

#include "base/columns.h"
#include "base/number.h"
#include "base/utf8.h"
#include "pages/sheet_text.h"

enum { BLANK = 8, GAP = 2, LABEL = 12 };

/* How the lines of a sheet begin: everything that is not to be read back is behind a #. */
typedef struct layout {
    FILE *out;
    int width;
    bool is_markdown, is_short;
} layout;

const char *lh_section_title(const lh_paper *p, int step, bool *is_new) {
    static const char *const title[] = {"Given", "Forward", "Backward", "Update"};
    const lh_paper_step *s = &p->step[step];
    *is_new = step == 0 || s[-1].section != s->section || s[-1].moment != s->moment;
    if (s->moment == 0) return title[s->section];
    if (s->moment == 1) return lh_printf(p->arena, "%s, after the update", title[s->section]);
    return lh_printf(p->arena, "%s, after %d update%s", title[s->section], s->moment,
                     LH_PLURAL(s->moment));
}

static void line_of(const layout *l, int n, char sign) {
    fputs("# ", l->out);
    for (int i = 2; i < n; i++) fputc(sign, l->out);
    fputc('\n', l->out);
}

/* Text behind "# " and an indent, folded at the width. */
static void say(const layout *l, int indent, const char *text) {
    int room = l->width - 2 - indent;
    do {
        size_t n = strlen(text), cut = n;
        if (lh_columns(text) > room) {
            cut = 0;
            int columns = 0;
            for (size_t i = 0; i < n && columns <= room; i++) {
                columns += lh_utf8_starts(text[i]);
                if (text[i] == ' ' && columns <= room + 1) cut = i;
            }
            if (cut == 0) cut = strcspn(text, " ");
        }
        fprintf(l->out, "#%*s%.*s\n", indent + 1, "", (int)cut, text);
        text += cut + strspn(text + cut, " ");
    } while (*text);
}

/* ---- a matrix ---- */

/* A label must not look like something that is read: then its number stands there. */
static const char *row_label(const lh_grid *g, int r, char number[16]) {
    if (!g->row) return "";
    const char *s = g->row[r];
    if (*s && !strpbrk(s, "#:=;|[]\\\n\t\r") && lh_columns(s) <= LABEL) return s;
    snprintf(number, 16, "%d", r);
    return number;
}

static int cell_width(const lh_paper_step *s, const lh_grid *g) {
    int width = s->is_scientific ? BLANK + 2 : s->decimals + 4 > BLANK ? s->decimals + 4 : BLANK;
    for (int i = 0; i < g->rows * g->cols; i++)
        if ((int)strlen(g->cell[i]) > width) width = (int)strlen(g->cell[i]);
    return width;
}

static void put_blank(FILE *out, int n) {
    for (int i = 0; i < n; i++) fputc('_', out);
}

/* A label cut to its column, letters and not bytes. */
static void put_label(FILE *out, const char *s, int width) {
    int n = lh_columns(s);
    fprintf(out, "%*s", n < width ? width - n : 0, "");
    for (int k = 0; *s; s++) {
        k += lh_utf8_starts(*s);
        if (k > width) break;
        fputc(*s, out);
    }
}

static void put_heads(const layout *l, const lh_grid *g, int labels, int from, int to, int width) {
    if (!g->col) return;
    fprintf(l->out, "  #%*s", labels > 0 ? labels : 0, "");
    for (int c = from; c < to; c++) {
        fprintf(l->out, "%*s", c > from ? GAP : labels > 0 ? GAP : 1, "");
        put_label(l->out, g->col[c], width);
    }
    fputc('\n', l->out);
}

/* Rows wider than the page go on in the next line: \ at the end. The words above each part stand once, before it. */
static void put_grid(const layout *l, const lh_paper_step *s, const lh_grid *g) {
    int labels = 0, width = cell_width(s, g);
    char number[16];
    for (int r = 0; r < g->rows; r++) {
        int n = lh_columns(row_label(g, r, number));
        if (n > labels) labels = n;
    }
    int lead = labels ? 2 + labels + 1 + GAP : 4;
    int fit = (l->width - lead - 2) / (width + GAP);
    if (fit < 1) fit = 1;
    if (fit > g->cols) fit = g->cols;
    for (int r = 0; r < g->rows; r++)
        for (int from = 0; from < g->cols; from += fit) {
            int to = from + fit < g->cols ? from + fit : g->cols;
            const char *label = row_label(g, r, number);
            if (r == 0) put_heads(l, g, labels, from, to, width);
            if (labels && from == 0)
                fprintf(l->out, "  %*s%s:", labels - lh_columns(label), "", label);
            else
                fprintf(l->out, "  %*s", labels ? labels + 1 : 2, "");
            for (int c = from; c < to; c++) {
                const char *text = g->cell[r * g->cols + c];
                fprintf(l->out, "%*s", c > from || labels ? GAP : 0, "");
                if (*text)
                    fprintf(l->out, "%*s", width, text);
                else
                    put_blank(l->out, width);
            }
            fputs(to < g->cols ? " \\\n" : "\n", l->out);
        }
}

/* ---- what is given ---- */

static void put_given(const layout *l, const char *lead, const lh_paper_given *x) {
    const lh_grid *g = x->grid;
    FILE *out = l->out;
    int used = lh_columns(lead) + lh_columns(x->line);
    if (!g) {
        fprintf(out, "%s%s", lead, x->line);
    } else {
        int row = 0;
        for (int r = 0; r < g->rows; r++) {
            int n = 2;
            for (int c = 0; c < g->cols; c++) n += lh_columns(g->cell[r * g->cols + c]) + 1;
            row = row ? row + n : n;
        }
        bool is_one = g->rows * g->cols == 1, fits = used + 3 + row <= l->width;
        fprintf(out, "%s%s = %s", lead, x->line, is_one ? "" : "[");
        if (!fits) fprintf(out, "\n%s   ", lead);
        int at = lh_columns(lead) + 3;
        for (int i = 0; i < g->rows * g->cols; i++) {
            bool ends = i && i % g->cols == 0;
            int n = lh_columns(g->cell[i]);
            if (ends) fputc(';', out);
            if ((ends && !fits) || (!fits && at + n + 3 > l->width && i)) {
                fprintf(out, "\n%s   ", lead);
                at = lh_columns(lead) + 3;
            } else if (i) {
                fputc(' ', out);
            }
            fputs(g->cell[i], out);
            at += n + 1;
        }
        fputs(is_one ? "" : "]", out);
        used = fits ? used + 3 + row : l->width;
    }
    if (*x->comment && used + 3 + lh_columns(x->comment) <= l->width)
        fprintf(out, "   # %s", x->comment);
    fputc('\n', out);
}

/* ---- a step ---- */

static void put_working(const layout *l, int indent, const lh_working *w) {
    char text[2048];
    bool plain = !*w->numbers || strcmp(w->numbers, w->value) == 0;
    snprintf(text, sizeof text, "%s %s %s%s%s%s%s", w->label, w->is_update ? ":=" : "=", w->formula,
             plain ? "" : " = ", plain ? "" : w->numbers, *w->value ? " = " : "", w->value);
    say(l, indent, text);
}

static void put_inside(const layout *l, const lh_paper_step *s) {
    for (int i = 0; i < s->n_inside; i++) put_working(l, 8, &s->inside[i]);
}

static void put_blocks(const layout *l, const lh_paper_step *s) {
    for (int i = 0; i < s->n_blocks; i++) {
        const lh_answer_block *b = &s->block[i];
        const lh_grid *g = &b->grid;
        if (g->rows * g->cols == 1) {
            int width = cell_width(s, g);
            fprintf(l->out, "%s %s ", b->address, s->sign);
            if (*g->cell[0])
                fputs(g->cell[0], l->out);
            else
                put_blank(l->out, width);
            fprintf(l->out, "%s%s\n", *b->title ? "   # " : "", b->title);
            continue;
        }
        fprintf(l->out, "%s %s%s%s\n", b->address, s->sign, *b->title ? "   # " : "", b->title);
        put_grid(l, s, g);
    }
}

static void put_step(const layout *l, const lh_paper_step *s) {
    char text[1024];
    snprintf(text, sizeof text, "%2d  %s %s %s", s->number, s->name, s->sign, s->formula);
    say(l, 0, text);
    snprintf(text, sizeof text, "%s, %s%s%s", s->shape, s->precision, *s->comment ? "   " : "",
             s->comment);
    say(l, 4, text);
    put_inside(l, s);
    put_blocks(l, s);
    for (int i = 0; i < s->n_working; i++) put_working(l, 4, &s->working[i]);
    fputc('\n', l->out);
}

/* ---- two pages ---- */

/* S = ____ ____; ____ ____ where a line has room for it. */
static bool put_line(const layout *l, const lh_paper_step *s, const lh_answer_block *b) {
    const lh_grid *g = &b->grid;
    int width = cell_width(s, g),
        used = lh_columns(b->address) + 4 + g->rows + (width + 1) * g->rows * g->cols;
    if (used > l->width) return false;
    fprintf(l->out, "%s %s", b->address, s->sign);
    for (int i = 0; i < g->rows * g->cols; i++) {
        fputs(i && i % g->cols == 0 ? "; " : " ", l->out);
        if (*g->cell[i])
            fprintf(l->out, "%*s", width, g->cell[i]);
        else
            put_blank(l->out, width);
    }
    fputc('\n', l->out);
    return true;
}

static void put_short_step(const layout *l, const lh_paper_step *s) {
    char text[1024];
    snprintf(text, sizeof text, "%2d  %s %s %s   (%s)", s->number, s->name, s->sign, s->formula,
             s->precision);
    say(l, 0, text);
    for (int i = 0; i < s->n_blocks; i++) {
        lh_paper_step one = *s;
        one.block = &s->block[i];
        one.n_blocks = 1;
        if (!put_line(l, s, &s->block[i])) put_blocks(l, &one);
    }
}

const char *lh_sheet_header(const lh_handout *h) {
    const lh_paper *p = h->paper;
    lh_text t = lh_text_new(p->arena);
    lh_text_add(&t, "sheet %s", p->lesson);
    if (*h->class_code)
        lh_text_add(&t, ", class %s", h->class_code);
    else
        lh_text_add(&t, ", seed %llu", p->seed);
    lh_text_add(&t, ", digits %d", p->digits);
    if (*p->form) lh_text_add(&t, ", form %s", p->form);
    lh_text_add(&t, ", code %s", p->code);
    for (int i = 0; i < p->n_asked; i++) lh_text_add(&t, "%s%s", i ? " " : ", steps ", p->asked[i]);
    return t.s;
}

/* What would make the line another one is left out of the name. */
static void put_name(FILE *out, const lh_handout *h) {
    char *name = lh_printf(h->paper->arena, "%s",
                           *h->learner ? h->learner : "______________________________");
    for (char *c = name; *c; c++)
        if (*c == '=' || *c == '#') *c = ' ';
    fprintf(out, "name %s  date ______________\n", name);
    if (*h->id) fprintf(out, "# %s\n", h->id);
}

/* Students cannot mark a sheet of a class: that takes the secret. */
static const char *what_next(const lh_handout *h) {
    if (*h->class_code) return "Hand in this file with your numbers in it.";
    return lh_printf(h->paper->arena, "longhand mark %s FILE marks this file.",
                     h->file && *h->file ? h->file : h->paper->lesson);
}

void lh_sheet_text(FILE *out, int width, const lh_handout *h) {
    const lh_paper *p = h->paper;
    layout l = {.out = out, .width = width, .is_short = h->is_short};
    char text[512];
    snprintf(text, sizeof text, "%s%s%s%s%s", p->title, *p->form ? "   form " : "", p->form,
             p->is_key ? "   " : "", p->is_key ? "KEY" : "");
    say(&l, 0, text);
    fprintf(out, "%s\n", lh_sheet_header(h));
    if (!p->is_key || *h->learner) put_name(out, h);
    if (!p->is_key) {
        fputs("#\n", out);
        say(&l, 0,
            "Write a number over each blank. Lines that begin with # are not read: work "
            "there, or on paper.");
        say(&l, 0, what_next(h));
    }
    if (*h->hidden) say(&l, 0, h->hidden);
    fputs("#\n# Given\n", out);
    for (int i = 0; i < p->n_given; i++) put_given(&l, "#   ", &p->given[i]);
    for (int i = 0; i < p->n_steps; i++) {
        const lh_paper_step *s = &p->step[i];
        bool is_new;
        const char *title = lh_section_title(p, i, &is_new);
        if (is_new) {
            fputc('\n', out);
            if (!l.is_short) line_of(&l, l.width < 72 ? l.width : 72, '-');
            fprintf(out, l.is_short ? "# %s\n" : "# %s\n\n", title);
        }
        if (l.is_short)
            put_short_step(&l, s);
        else
            put_step(&l, s);
    }
}

/* ---- Markdown ---- */

static void markdown_step(const layout *l, const lh_paper_step *s) {
    FILE *out = l->out;
    fprintf(out, "### %d. `%s %s %s`\n\n%s, %s%s%s\n\n", s->number, s->name, s->sign, s->formula,
            s->shape, s->precision, *s->comment ? ": " : "", s->comment);
    for (int i = 0; i < s->n_inside; i++)
        fprintf(out, "- `%s %s %s`\n", s->inside[i].label, s->inside[i].is_update ? ":=" : "=",
                s->inside[i].formula);
    fputs(s->n_inside ? "\n```answers\n" : "```answers\n", out);
    put_blocks(l, s);
    fputs("```\n\n", out);
    for (int i = 0; i < s->n_working; i++) {
        const lh_working *w = &s->working[i];
        bool plain = strcmp(w->numbers, w->value) == 0;
        fprintf(out, "- `%s = %s%s%s = %s`\n", w->label, w->formula, plain ? "" : " = ",
                plain ? "" : w->numbers, w->value);
    }
    if (s->n_working) fputc('\n', out);
}

void lh_sheet_markdown(FILE *out, int width, const lh_handout *h) {
    const lh_paper *p = h->paper;
    layout l = {.out = out, .width = width, .is_markdown = true};
    fprintf(out, "# %s%s%s%s\n\n```answers\n", p->title, *p->form ? ", form " : "", p->form,
            p->is_key ? ": key" : "");
    fprintf(out, "%s\n", lh_sheet_header(h));
    if (!p->is_key || *h->learner) put_name(out, h);
    fputs("```\n\n", out);
    if (!p->is_key) fprintf(out, "Write a number over each blank. %s\n\n", what_next(h));
    if (*h->hidden) fprintf(out, "%s\n\n", h->hidden);
    fputs("## Given\n\n```longhand\n", out);
    for (int i = 0; i < p->n_given; i++) put_given(&l, "", &p->given[i]);
    fputs("```\n", out);
    for (int i = 0; i < p->n_steps; i++) {
        bool is_new;
        const char *title = lh_section_title(p, i, &is_new);
        if (is_new) fprintf(out, "\n## %s\n\n", title);
        markdown_step(&l, &p->step[i]);
    }
}
