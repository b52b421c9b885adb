/* mark_page -- feedback for one learner: a page to be read in a browser, on paper, or as plain text without its style. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/html_stream.h"
#include "cli/mark_command.h"
#include "learn/names.h"

/* By this line a page of ours is known, which may be written again; any other file is not touched. */
#define MADE_BY "<meta name=\"generator\" content=\"longhand mark\">"

static const char style[] =
    "@page{margin:16mm 16mm 18mm;@bottom-right{content:counter(page) ' / ' counter(pages);"
    "font:8pt sans-serif;color:#555}}\n"
    "*{box-sizing:border-box}\n"
    "body{font:11pt/1.45 Charter,'Bitstream Charter','Iowan Old Style',Palatino,Georgia,"
    "'Liberation Serif','DejaVu Serif',serif;color:#111;background:#fff;margin:0 auto;"
    "max-width:46rem;padding:0 1rem}\n"
    "@media screen{body{padding:2rem 1rem}}\n"
    "code,.m{font-family:ui-monospace,'DejaVu Sans Mono','Liberation Mono',Menlo,Consolas,"
    "monospace;font-size:.88em}\n"
    "h1{font-size:1.5rem;line-height:1.2;margin:0}\n"
    "h2{font-size:1.05rem;margin:1.6rem 0 .3rem;border-bottom:1px solid #999;break-after:avoid}\n"
    "h3{font-size:1rem;font-weight:normal;margin:0;display:flex;gap:.6rem;align-items:baseline;"
    "flex-wrap:wrap}\n"
    "h3 code{font-weight:bold;overflow-wrap:anywhere}\n"
    "h3 span{margin-left:auto;white-space:nowrap}\n"
    ".who{margin:.2rem 0 .8rem;color:#444}\n"
    ".score{font-size:1.2rem;margin:.4rem 0}\n"
    ".score meter{width:12rem;height:.9rem;vertical-align:middle}\n"
    "section{break-inside:avoid;padding:.45rem 0;border-bottom:1px solid #ddd}\n"
    "section ul,.todo{margin:.2rem 0 .3rem 1.2rem;padding:0}\n"
    ".good{color:#15602a}.bad{color:#a3101a}.open{color:#555}\n"
    "table.m{border-collapse:collapse;margin:.3rem 0 .3rem 1.2rem}\n"
    ".m caption{text-align:left;font-family:sans-serif;color:#444}\n"
    ".m th{font-weight:normal;color:#555;padding:0 .5rem;text-align:right}\n"
    ".m td{padding:.05rem .6rem;text-align:right;white-space:nowrap}\n"
    ".m td.bad{border:1px solid #a3101a}\n"
    ".m small{color:#444}\n"
    ".scroll{overflow-x:auto}\n"
    "footer{margin-top:1.5rem;font-size:.85rem;color:#444}\n";

/* ---- a step ---- */

static const char *word_of(lh_verdict v) {
    return v == LH_BLANK ? "open" : lh_verdict_has_credit(v) ? "good" : "bad";
}

/* The number as written, its sign; with the right one behind it where that is wanted. */
static void put_cell(FILE *out, const lh_pages *pages, const lh_marked *m, int ask, int cell) {
    const lh_ask *q = &m->paper->sheet->ask[ask];
    lh_verdict v = m->marks->cell[cell];
    const char *text = m->filled->text[cell];
    fprintf(out, "<td class=\"%s\">", word_of(v));
    lh_html_text(out, *text ? text : "_");
    fprintf(out, " %s", lh_verdict_sign(v));
    if (pages->answers && !lh_verdict_has_credit(v))
        lh_html_in(out, " <small>should be ",
                   lh_paper_number(m->arena, &m->paper->step[ask], m->paper->digits,
                                   lh_sheet_exact(m->paper->sheet, ask, cell - q->first)),
                   "</small>");
    fputs("</td>", out);
}

static void put_block(FILE *out, const lh_pages *pages, const lh_marked *m, int ask,
                      const lh_answer_block *b) {
    const lh_grid *g = &b->grid;
    int first = m->paper->sheet->ask[ask].first + b->first;
    fputs("<div class=\"scroll\"><table class=\"m\">", out);
    if (*b->title) lh_html_in(out, "<caption>", b->title, "</caption>");
    if (g->col) {
        fputs(g->row ? "<tr><td></td>" : "<tr>", out);
        for (int c = 0; c < g->cols; c++) lh_html_in(out, "<th scope=\"col\">", g->col[c], "</th>");
        fputs("</tr>\n", out);
    }
    for (int r = 0; r < g->rows; r++) {
        fputs("<tr>", out);
        if (g->row) lh_html_in(out, "<th scope=\"row\">", g->row[r], "</th>");
        for (int c = 0; c < g->cols; c++) put_cell(out, pages, m, ask, first + r * g->cols + c);
        fputs("</tr>\n", out);
    }
    fputs("</table></div>\n", out);
}

static void put_heading(FILE *out, const lh_marked *m, int ask) {
    const lh_ask *q = &m->paper->sheet->ask[ask];
    const lh_paper_step *s = &m->paper->step[ask];
    const lh_step_mark *mark = &m->marks->step[ask];
    bool is_right = mark->n_right == q->n_cells,
         is_blank = lh_marked_has_only(m, q->first, q->n_cells, LH_BLANK) &&
                    !m->filled->answers->other_shape[ask];
    fprintf(out, "<h3>%d <code>", s->number);
    lh_html_in(out, "", s->name, " ");
    lh_html_in(out, "", s->sign, " ");
    lh_html_in(out, "", s->formula, "</code> ");
    if (is_right)
        fprintf(out, "<span class=\"good\">%s full credit</span>", lh_verdict_sign(LH_RIGHT));
    else if (is_blank)
        fprintf(out, "<span class=\"open\">%s blank</span>", lh_verdict_sign(LH_BLANK));
    else if (mark->n_wrong == 0)
        fprintf(out, "<span class=\"open\">%s %d of %d, %d blank</span>", lh_verdict_sign(LH_BLANK),
                mark->n_right, q->n_cells, mark->n_blank);
    else
        fprintf(out, "<span class=\"bad\">%s %d of %d</span>", lh_verdict_sign(LH_WRONG),
                mark->n_right, q->n_cells);
    fputs("</h3>\n", out);
}

static void put_step(FILE *out, const lh_pages *pages, const lh_marked *m, int ask) {
    const lh_ask *q = &m->paper->sheet->ask[ask];
    const lh_paper_step *s = &m->paper->step[ask];
    int n;
    lh_advice *line = lh_advise(
        &(lh_advisor){m->arena, m->paper, m->filled, m->marks, m->from->mistakes}, ask, &n);
    fputs("<section>", out);
    put_heading(out, m, ask);
    for (int b = 0; b < s->n_blocks; b++) {
        int first = q->first + s->block[b].first,
            cells = s->block[b].grid.rows * s->block[b].grid.cols;
        bool is_open = lh_marked_has_only(m, first, cells, LH_BLANK) && !pages->answers;
        if (!is_open && !lh_marked_has_only(m, first, cells, LH_RIGHT))
            put_block(out, pages, m, ask, &s->block[b]);
    }
    if (n) fputs("<ul>\n", out);
    for (int i = 0; i < n; i++) {
        fprintf(out, "<li class=\"%s\">", word_of(line[i].verdict));
        lh_html_in(out, "", line[i].text, "</li>\n");
    }
    fputs(n ? "</ul></section>\n" : "</section>\n", out);
}

/* ---- the page ---- */

/* Where to begin: the first steps that lost credit, each once, since what follows from a slip has its credit. */
static void put_todo(FILE *out, const lh_marked *m) {
    int shown = 0;
    for (int i = 0; i < m->paper->n_steps && shown < 3; i++) {
        const lh_step_mark *mark = &m->marks->step[i];
        int n, cells = m->paper->sheet->ask[i].n_cells;
        if (mark->n_right == cells || mark->n_blank == cells) continue;
        lh_advice *line = lh_advise(
            &(lh_advisor){m->arena, m->paper, m->filled, m->marks, m->from->mistakes}, i, &n);
        if (n == 0) continue;
        if (shown++ == 0) fputs("<h2>Begin here</h2>\n<ol class=\"todo\">\n", out);
        fprintf(out, "<li>Step %d, ", m->paper->step[i].number);
        lh_html_in(out, "<code>", m->paper->step[i].name, "</code>: ");
        lh_html_in(out, "", line[0].text, "</li>\n");
    }
    if (shown) fputs("</ol>\n", out);
}

static void put_score(FILE *out, const lh_marked *m) {
    const lh_marks *k = m->marks;
    int blank = 0;
    for (int i = 0; i < k->total; i++) blank += k->cell[i] == LH_BLANK;
    fprintf(out, "<p class=\"score\"><b>%d of %d</b> numbers have full credit", k->credit,
            k->total);
    if (blank) fprintf(out, ", %d %s blank", blank, blank == 1 ? "is" : "are");
    fprintf(out, " <meter min=\"0\" max=\"%d\" value=\"%d\">%d %%</meter></p>\n", k->total,
            k->credit, k->total ? k->credit * 100 / k->total : 0);
    if (k->credit == k->total)
        fputs("<p>Every number is right, or follows correctly from one of yours.</p>\n", out);
}

static void put_notes(FILE *out, const lh_marked *m) {
    const lh_notes *notes = &m->filled->notes;
    if (notes->n == 0) return;
    fputs("<h2>Could not be read</h2>\n<ul>\n", out);
    for (int i = 0; i < notes->n && i < LH_MAX_NOTES; i++) {
        fprintf(out, "<li>line %d: ", notes->note[i].line);
        lh_html_in(out, "", notes->note[i].what, "</li>\n");
    }
    if (notes->n > LH_MAX_NOTES)
        fprintf(out, "<li>and %d more such lines</li>\n", notes->n - LH_MAX_NOTES);
    fputs("</ul>\n", out);
}

static void put_page(FILE *out, const lh_pages *pages, const lh_marked *m) {
    const lh_paper *p = m->paper;
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" MADE_BY
          "\n<meta name=\"viewport\" content=\"width=device-width\">\n",
          out);
    lh_html_in(out, "<title>", m->learner->label, ": ");
    lh_html_in(out, "", p->title, "</title>\n<style>\n");
    fprintf(out, "%s</style>\n</head>\n<body>\n<main>\n", style);
    lh_html_in(out, "<h1>", p->title, "</h1>\n");
    lh_html_in(out, "<p class=\"who\"><b>", m->learner->label, "</b>");
    if (*p->form) lh_html_in(out, ", form ", p->form, "");
    if (m->has_seed) fprintf(out, ", seed %llu", p->seed);
    fprintf(out, ", %d digits</p>\n", p->digits);
    put_score(out, m);
    put_todo(out, m);
    put_notes(out, m);
    for (int i = 0; i < p->n_steps; i++) {
        bool is_new;
        const char *title = lh_section_title(p, i, &is_new);
        if (is_new) lh_html_in(out, "<h2>", title, "</h2>\n");
        put_step(out, pages, m, i);
    }
    fprintf(
        out,
        "</main>\n<footer>%s right, %s right but for rounding, %s follows from an earlier slip: "
        "full credit. %s without credit, %s blank, ? could not be read as a number.</footer>\n"
        "</body>\n</html>\n",
        lh_verdict_sign(LH_RIGHT), lh_verdict_sign(LH_EARLY), lh_verdict_sign(LH_FOLLOWS),
        lh_verdict_sign(LH_WRONG), lh_verdict_sign(LH_BLANK));
}

/* ---- the folder ---- */

static bool is_ours(const lh_hall *h, const char *path) {
    size_t length;
    lh_context *ctx = h->from->cli->ctx;
    lh_arena *a = lh_arena_new(ctx);
    const char *text = a ? lh_file_read(ctx, a, path, &length) : NULL;
    bool is = text && strstr(text, MADE_BY);
    lh_context_clear(ctx);
    lh_arena_free(a);
    return is;
}

static const char *path_of(const lh_pages *p, lh_arena *a, int learner) {
    return lh_printf(a, "%s/%s.html", p->folder, p->file[learner]);
}

bool lh_pages_open(lh_pages *p, const lh_hall *h) {
    lh_cli *cli = h->from->cli;
    struct stat info;
    p->file = lh_alloc_array(h->arena, (size_t)h->n + 1, sizeof *p->file);
    for (int i = 0; p->file && i < h->n; i++)
        p->file[i] = lh_name_file(h->arena, h->learner[i].label);
    if (p->file) lh_names_apart(h->arena, p->file, h->n);
    if (mkdir(p->folder, 0777) && errno != EEXIST) {
        lh_cli_fail(cli, "%s cannot be made: %s", p->folder, strerror(errno));
        return false;
    }
    if (stat(p->folder, &info) || !S_ISDIR(info.st_mode)) {
        lh_cli_fail(cli, "%s is not a folder", p->folder);
        return false;
    }
    for (int i = 0; p->file && i < h->n; i++) {
        const char *path = path_of(p, h->arena, i);
        if (access(path, F_OK) != 0 || is_ours(h, path)) continue;
        lh_cli_fail(cli, "%s exists and was not written by longhand mark: nothing was written",
                    path);
        fprintf(stderr, "choose another folder, or move the file away\n");
        return false;
    }
    return p->file != NULL;
}

bool lh_pages_write(const lh_pages *p, const lh_marked *m, int learner) {
    lh_cli *cli = m->from->cli;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (out) put_page(out, p, m);
    bool ok = out && fclose(out) == 0;
    if (!ok)
        lh_cli_fail(cli, "out of memory");
    else
        ok = lh_cli_write_file(cli, path_of(p, m->arena, learner), text, length);
    free(text);
    return ok;
}
