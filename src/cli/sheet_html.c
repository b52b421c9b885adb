/* sheet_html -- a worksheet to print: one file that needs nothing else, A4 or Letter, no step torn apart by a page's end. */
#include <string.h>

#include "base/number.h"
#include "cli/html_stream.h"
#include "cli/sheet.h"

/* Thin lines and no grey areas: light on ink. Brackets are borders, since browsers leave backgrounds out when they print. */
static const char style[] =
    "@page{margin:15mm 16mm 17mm;@bottom-left{content:var(--foot);font:8pt sans-serif;color:#555}"
    "@bottom-right{content:counter(page) ' / ' counter(pages);font:8pt sans-serif;color:#555}}\n"
    "*{box-sizing:border-box}\n"
    "body{font:10.5pt/1.35 Charter,'Bitstream Charter','Iowan Old Style',Palatino,Georgia,"
    "'Liberation Serif','DejaVu Serif',serif;color:#000;margin:0 auto;max-width:178mm}\n"
    "@media screen{body{padding:12mm 8mm}}\n"
    "code,.f{font-family:ui-monospace,'DejaVu Sans Mono','Liberation Mono',Menlo,Consolas,"
    "monospace;font-size:.9em}\n"
    "header{display:flex;justify-content:space-between;align-items:flex-start;gap:8mm}\n"
    "h1{font-size:16pt;line-height:1.2;margin:0 0 1mm}\n"
    ".form{border:1pt solid #000;border-radius:1mm;font:bold 18pt sans-serif;padding:0 3mm;"
    "line-height:11mm}\n"
    ".key{font:bold 11pt sans-serif;letter-spacing:.1em}\n"
    ".id{font-size:8.5pt;color:#444;margin:0}\n"
    ".who{display:flex;gap:6mm;margin:5mm 0 3mm;align-items:flex-end}\n"
    ".who span{flex:1;border-bottom:.5pt solid #000;height:7mm;font-size:9pt;display:flex;"
    "align-items:flex-end}\n"
    ".who span:first-child{flex:3}\n"
    ".note{font-size:9pt;margin:2mm 0}\n"
    "h2{font-size:12pt;margin:6mm 0 2mm;border-bottom:.75pt solid #000;break-after:avoid}\n"
    ".given{display:flex;flex-wrap:wrap;gap:2mm 9mm;align-items:center}\n"
    ".given p{margin:0;flex-basis:100%}\n"
    ".given div{break-inside:avoid;display:flex;align-items:center;gap:1.5mm}\n"
    ".step{break-inside:avoid;padding:3mm 0 2mm;border-bottom:.3pt solid #bbb}\n"
    ".step h3{font-size:10.5pt;font-weight:normal;margin:0;display:flex;gap:3mm;"
    "align-items:baseline}\n"
    ".step h3 b{min-width:6mm;font:bold 10pt sans-serif}\n"
    ".step h3 .f{font-size:10.5pt;font-weight:bold}\n"
    ".step h3 i{margin-left:auto;font-size:8.5pt;font-style:normal;color:#333;white-space:nowrap}\n"
    ".say{margin:0 0 0 9mm;font-size:9pt;color:#333}\n"
    ".inside{margin:0 0 0 9mm;font-size:8.5pt;color:#333;columns:2;column-gap:8mm}\n"
    ".inside div{break-inside:avoid}\n"
    ".blocks{margin:2mm 0 0 9mm;display:flex;flex-wrap:wrap;gap:3mm 8mm}\n"
    ".block{break-inside:avoid}\n"
    ".block small{display:block;font-size:8.5pt}\n"
    ".block div{display:flex;align-items:center;gap:1.5mm}\n"
    "table.m{border-collapse:separate;border-spacing:0;font-variant-numeric:tabular-nums}\n"
    ".m th{font-weight:normal;font-size:8pt;color:#333;padding:0 1mm;vertical-align:bottom}\n"
    ".m tr>th:first-child{text-align:right;padding-bottom:.7mm}\n"
    ".m td{text-align:right;padding:.4mm 1.2mm;white-space:nowrap}\n"
    ".m .l,.m .r{width:1.4mm;padding:0;border:.9pt solid #000}\n"
    ".m .l{border-right:0}.m .r{border-left:0}\n"
    ".m u{display:inline-block;text-decoration:none;border-bottom:.5pt solid #777;height:6.5mm;"
    "vertical-align:bottom}\n"
    ".m .a{font-weight:bold}\n"
    ".work{margin:2mm 0 0 9mm;font-size:8.5pt}\n"
    ".work div{text-indent:-6mm;padding-left:6mm;break-inside:avoid}\n";

/* Blanks are as wide as the number that belongs there; at least a thumb. */
static void put_cell(FILE *out, const char *text, bool is_blank, int millimetres) {
    if (is_blank)
        fprintf(out, "<td><u style=\"width:%dmm\"></u></td>", millimetres);
    else
        lh_html_in(out, "<td class=a>", text, "</td>");
}

static void put_matrix(FILE *out, const lh_grid *g, bool is_given, int millimetres) {
    bool is_one = g->rows * g->cols == 1; /* a number alone has no brackets */
    fputs("<table class=m>", out);
    if (g->col) {
        fputs(g->row ? "<tr><th></th><th></th>" : "<tr><th></th>", out);
        for (int c = 0; c < g->cols; c++) lh_html_in(out, "<th>", g->col[c], "</th>");
        fputs("</tr>", out);
    }
    for (int r = 0; r < g->rows; r++) {
        fputs("<tr>", out);
        if (g->row) lh_html_in(out, "<th>", g->row[r], "</th>");
        if (r == 0 && !is_one) fprintf(out, "<td class=l rowspan=%d></td>", g->rows);
        for (int c = 0; c < g->cols; c++) {
            const char *text = g->cell[r * g->cols + c];
            if (is_given)
                lh_html_in(out, "<td>", text, "</td>");
            else
                put_cell(out, text, !*text, millimetres);
        }
        if (r == 0 && !is_one) fprintf(out, "<td class=r rowspan=%d></td>", g->rows);
        fputs("</tr>", out);
    }
    fputs("</table>", out);
}

static void put_given(FILE *out, const lh_paper *p) {
    fputs("<h2>Given</h2>\n<div class=given>\n", out);
    for (int i = 0; i < p->n_given; i++) {
        const lh_paper_given *x = &p->given[i];
        const lh_grid *g = x->grid;
        if (!g) {
            lh_html_in(out, "<p><code>", x->line, "</code>");
            if (*x->comment) lh_html_in(out, " &nbsp; <small>", x->comment, "</small>");
            fputs("</p>\n", out);
        } else if (g->rows * g->cols == 1) {
            lh_html_in(out, "<div><code>", x->line, " = ");
            lh_html_in(out, "", g->cell[0], "</code></div>\n");
        } else {
            lh_html_in(out, "<div><code>", x->line, " =</code>");
            put_matrix(out, g, true, 0);
            fputs("</div>\n", out);
        }
    }
    fputs("</div>\n", out);
}

static void put_working(FILE *out, const lh_working *w) {
    lh_html_in(out, "<div class=f>", w->label, " = ");
    lh_html_text(out, w->formula);
    if (*w->numbers && strcmp(w->numbers, w->value) != 0) lh_html_in(out, " = ", w->numbers, "");
    if (*w->value) lh_html_in(out, " = <b>", w->value, "</b>");
    fputs("</div>", out);
}

static void put_block(FILE *out, const lh_paper_step *s, const lh_answer_block *b, bool is_alone) {
    int millimetres = s->is_scientific || s->decimals > 5 ? 21 : 17;
    fputs("<div class=block>", out);
    if (*b->title) lh_html_in(out, "<small>", b->title, "</small>");
    fputs("<div>", out);
    if (is_alone) lh_html_in(out, "<code>", s->name, " ");
    if (is_alone) lh_html_in(out, "", s->sign, "</code>");
    put_matrix(out, &b->grid, false, millimetres);
    fputs("</div></div>\n", out);
}

/* Room to work: more where a number has many terms, none on a key. */
static int room_for(const lh_paper_step *s) {
    int cells = 0;
    for (int i = 0; i < s->n_blocks; i++) cells += s->block[i].grid.rows * s->block[i].grid.cols;
    int room = 5 + 2 * cells + 2 * s->n_inside;
    return room > 28 ? 28 : room;
}

static void put_step(FILE *out, const lh_paper *p, const lh_paper_step *s) {
    fputs("<section class=step>", out);
    fprintf(out, "<h3><b>%d</b><span class=f>", s->number);
    lh_html_text(out, s->name);
    lh_html_in(out, " ", s->sign, " ");
    lh_html_in(out, "", s->formula, "</span><i>");
    lh_html_in(out, "", s->shape, ", ");
    lh_html_in(out, "", s->precision, "</i></h3>\n");
    if (*s->comment) lh_html_in(out, "<p class=say>", s->comment, "</p>");
    if (s->n_inside && !p->is_key) {
        fputs("<div class=inside>", out);
        for (int i = 0; i < s->n_inside; i++) put_working(out, &s->inside[i]);
        fputs("</div>", out);
    }
    fputs("<div class=blocks>", out);
    for (int i = 0; i < s->n_blocks; i++) put_block(out, s, &s->block[i], s->n_blocks == 1);
    fputs("</div>", out);
    if (p->is_key) {
        fputs("<div class=work>", out);
        for (int i = 0; i < s->n_working; i++) put_working(out, &s->working[i]);
        fputs("</div>", out);
    } else {
        fprintf(out, "<div style=\"height:%dmm\"></div>", room_for(s));
    }
    fputs("</section>\n", out);
}

/* ---- two pages ---- */

/* How a sheet is set so that it fills two pages: columns of steps, and how large. */
typedef struct setting {
    int columns, percent;
} setting;

static const setting settings[] = {{2, 100}, {2, 90}, {3, 100}, {3, 90},
                                   {3, 80},  {4, 80}, {3, 70},  {4, 70}};

/* Millimetres, as they come out of the printer; the paper is as high as Letter and as wide as A4. */
enum { PAGE = 250, WIDTH = 184, GAP = 5, BLANK = 12 };
static const double title_height = 6.5, row_height = 5.9, words_height = 3.2;

static double block_width(const lh_grid *g) {
    return g->cols * (BLANK + 1.4) + (g->row ? 4 : 0) + 8;
}

/* Blocks stand side by side as long as the column has room. */
static double step_height(const lh_paper_step *s, double width) {
    double height = title_height, row = 0, used = 0;
    if ((double)(strlen(s->formula) + strlen(s->name)) * 1.75 + 26 > width) height += 3.8;
    for (int i = 0; i < s->n_blocks; i++) {
        const lh_grid *g = &s->block[i].grid;
        double h = g->rows * row_height + (g->col ? words_height : 0) +
                   (*s->block[i].title ? words_height : 0),
               w = block_width(g);
        if (w > width) return 1e6;
        if (used + w > width) height += row, row = used = 0;
        used += w;
        if (h > row) row = h;
    }
    return height + row;
}

static double given_height(const lh_paper *p, double width) {
    double height = 30, used = 0, row = 0;
    for (int i = 0; i < p->n_given; i++) {
        const lh_grid *g = p->given[i].grid;
        if (!g) {
            height += 5;
            continue;
        }
        double w = 14 + g->cols * 8, h = g->rows * 4.5 + 2;
        if (used + w > width) height += row, row = used = 0;
        used += w;
        if (h > row) row = h;
    }
    return height + row;
}

static const setting *setting_for(const lh_paper *p) {
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const setting *x = &settings[i];
        double scale = x->percent / 100.0, whole = WIDTH / scale,
               width = (whole - GAP * (x->columns - 1)) / x->columns;
        double height = 5 * 7, tallest = 0; /* headings */
        for (int k = 0; k < p->n_steps; k++) {
            double h = step_height(&p->step[k], width);
            height += h;
            if (h > tallest) tallest = h;
        }
        /* a step is not torn apart: a column ends in a gap, half a step on average */
        double room = x->columns * (2 * PAGE / scale - given_height(p, whole) - tallest);
        if (height <= room) return x;
    }
    return NULL;
}

bool lh_sheet_html_fits(const lh_paper *p) {
    return setting_for(p) != NULL;
}

static const char short_style[] =
    "@page{margin:11mm 12mm 13mm}\n"
    ".short{font-size:8.5pt;line-height:1.25}\n"
    "@media print{body:has(.short){max-width:none}}\n"
    ".short h1{font-size:12.5pt}.short h2{font-size:9.5pt;margin:2.5mm 0 1mm}\n"
    ".short .who{margin:2mm 0 1mm}.short .note{font-size:7.5pt;margin:1mm 0}\n"
    ".short .given{gap:1mm 5mm;font-size:8pt}.short .given .m td{padding:0 .8mm}\n"
    ".short .steps{column-gap:5mm;column-fill:auto}\n"
    ".short .step{padding:1mm 0 .8mm}.short .step h3,.short .step h3 .f{font-size:8.5pt}\n"
    ".short .step h3{display:block}.short .step h3 b{font-size:8pt;margin-right:1mm}\n"
    ".short .step h3 i{font-size:7pt;margin-left:1.5mm}.short .blocks{margin:.5mm 0 0 4mm;gap:.5mm "
    "3mm}\n"
    ".short .block small{font-size:7pt}.short .m th{font-size:6.5pt;padding:0 .6mm}\n"
    ".short .m u{height:5.4mm}.short .m td{padding:0 .6mm}\n";

static void put_short_step(FILE *out, const lh_paper_step *s) {
    fprintf(out, "<section class=step><h3><b>%d</b><span class=f>", s->number);
    lh_html_text(out, s->name);
    lh_html_in(out, " ", s->sign, " ");
    lh_html_in(out, "", s->formula, "</span><i>");
    lh_html_in(out, "", s->precision, "</i></h3>\n<div class=blocks>");
    for (int i = 0; i < s->n_blocks; i++) {
        const lh_answer_block *b = &s->block[i];
        fputs("<div class=block>", out);
        if (*b->title) lh_html_in(out, "<small>", b->title, "</small>");
        put_matrix(out, &b->grid, false, s->is_scientific || s->decimals > 5 ? BLANK + 2 : BLANK);
        fputs("</div>", out);
    }
    fputs("</div></section>\n", out);
}

/* ---- a page ---- */

/* A text of CSS: at the foot of each page stand the words that say whose it is. */
static void put_css(FILE *out, const char *s) {
    for (; *s; s++)
        if (*s != '"' && *s != '\\' && *s != '<' && (unsigned char)*s >= ' ') fputc(*s, out);
}

static void put_foot(FILE *out, const lh_handout *h) {
    const lh_paper *p = h->paper;
    put_css(out, p->lesson);
    if (*h->learner) fputs("  \302\267  ", out), put_css(out, h->learner);
    if (*p->form) fputs("  \302\267  form ", out), put_css(out, p->form);
    if (!*h->class_code) fprintf(out, "  \302\267  seed %llu", p->seed);
    fprintf(out, "  \302\267  %s%s", p->code, p->is_key ? "  \302\267  key" : "");
}

static void put_top(FILE *out, const lh_handout *h) {
    const lh_paper *p = h->paper;
    lh_html_in(out, "<header><div><h1>", p->title, "</h1>");
    lh_html_in(out, "<p class=id>", p->lesson, " &middot; ");
    if (*h->class_code)
        lh_html_in(out, "class ", h->class_code, "");
    else
        fprintf(out, "seed %llu", p->seed);
    fprintf(out, " &middot; %d digits &middot; %d step%s &middot; code %s</p></div>", p->digits,
            p->n_steps, LH_PLURAL(p->n_steps), p->code);
    if (p->is_key) fputs("<span class=key>KEY</span>", out);
    if (*p->form) lh_html_in(out, "<span class=form>", p->form, "</span>");
    fputs("</header>\n", out);
    if (!p->is_key || *h->learner) {
        fputs(*h->learner ? "<div class=who><span>Name&nbsp; " : "<div class=who><span>Name", out);
        lh_html_in(out, *h->learner ? "<b>" : "", h->learner, *h->learner ? "</b>" : "");
        if (*h->id) lh_html_in(out, "&nbsp; ", h->id, "");
        fputs("</span><span>Date</span><span>Points</span></div>\n", out);
    }
    if (!p->is_key)
        fputs("<p class=note>Round only where you write a number down, to as many decimals as the "
              "step asks for, and go on with the numbers you wrote. A slip costs you one step: "
              "what follows from it counts.</p>\n",
              out);
    if (*h->hidden) lh_html_in(out, "<p class=note>", h->hidden, "</p>\n");
}

/* The body of one sheet. */
static void put_sheet(FILE *out, const lh_handout *h) {
    const lh_paper *p = h->paper;
    const setting *x = h->is_short ? setting_for(p) : NULL;
    if (h->is_short && !x) x = &settings[sizeof settings / sizeof *settings - 1];
    if (x) fprintf(out, "<div class=short style=\"zoom:%d%%\">\n", x->percent);
    put_top(out, h);
    put_given(out, p);
    if (x) fprintf(out, "<div class=steps style=\"columns:%d\">\n", x->columns);
    for (int i = 0; i < p->n_steps; i++) {
        bool is_new;
        const char *title = lh_section_title(p, i, &is_new);
        if (is_new) lh_html_in(out, "<h2>", title, "</h2>\n");
        if (x)
            put_short_step(out, &p->step[i]);
        else
            put_step(out, p, &p->step[i]);
    }
    if (x) fputs("</div></div>\n", out);
}

static void put_head(FILE *out, const char *title, bool is_short) {
    fputs("<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
          "<meta name=viewport content=\"width=device-width\">\n",
          out);
    lh_html_in(out, "<title>", title, "</title>\n<style>\n");
    fprintf(out, "%s%s", style, is_short ? short_style : "");
}

void lh_sheet_html(FILE *out, const lh_handout *h) {
    const lh_paper *p = h->paper;
    const char *title = p->title;
    if (p->is_key || *p->form)
        title = lh_printf(p->arena, "%s (%s%s%s%s)", p->title, p->is_key ? "key" : "",
                          p->is_key && *p->form ? ", " : "", *p->form ? "form " : "", p->form);
    put_head(out, title, h->is_short);
    fputs(":root{--foot:\"", out);
    put_foot(out, h);
    fputs("\"}\n</style>\n</head>\n<body>\n", out);
    put_sheet(out, h);
    fputs("</body>\n</html>\n", out);
}

/* ---- a class ---- */

void lh_sheet_html_open(FILE *out, const char *title, bool is_short) {
    put_head(out, title, is_short);
    fputs("article+article{break-before:page}\n"
          "@media screen{article+article{border-top:2pt solid #000;margin-top:20mm}}\n"
          "</style>\n</head>\n<body>\n",
          out);
}

/* Each student's pages have a name of their own for the printer, so that their foot says whose they are. */
void lh_sheet_html_add(FILE *out, const lh_handout *h, int number) {
    fprintf(out, "<style>@page s%d{@bottom-left{content:\"", number);
    put_foot(out, h);
    fprintf(out, "\"}@bottom-right{content:\"\"}}</style>\n<article style=\"page:s%d\">\n", number);
    put_sheet(out, h);
    fputs("</article>\n", out);
}

void lh_sheet_html_close(FILE *out) {
    fputs("</body>\n</html>\n", out);
}
