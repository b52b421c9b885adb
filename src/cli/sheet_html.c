/* sheet_html -- a worksheet to print: one file that needs nothing else, A4 or Letter, no step torn apart by a page's end. */
#include <string.h>

#include "cli/html.h"
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

static void put_block(FILE *out, const lh_paper_step *s, const lh_block *b, bool is_alone) {
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

/* The words at the foot of each page, as a text of CSS. */
static void put_foot(FILE *out, const lh_paper *p) {
    fputs(":root{--foot:\"", out);
    for (const char *s = p->lesson; *s; s++)
        if (*s != '"' && *s != '\\' && *s != '<') fputc(*s, out);
    if (*p->form) fprintf(out, "  \302\267  form %s", p->form);
    fprintf(out, "  \302\267  seed %llu  \302\267  %s%s\"}\n", p->seed, p->code,
            p->is_key ? "  \302\267  key" : "");
}

void lh_sheet_html(FILE *out, const lh_paper *p, const char *hidden) {
    fputs("<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
          "<meta name=viewport content=\"width=device-width\">\n",
          out);
    lh_html_in(out, "<title>", p->title, p->is_key ? " (key" : "");
    if (*p->form) lh_html_in(out, p->is_key ? ", form " : " (form ", p->form, "");
    fputs(p->is_key || *p->form ? ")</title>\n<style>\n" : "</title>\n<style>\n", out);
    put_foot(out, p);
    fprintf(out, "%s</style>\n</head>\n<body>\n<header><div><h1>", style);
    lh_html_text(out, p->title);
    lh_html_in(out, "</h1><p class=id>", p->lesson, " &middot; ");
    fprintf(out, "seed %llu &middot; %d digits &middot; %d steps &middot; code %s</p></div>",
            p->seed, p->digits, p->n_steps, p->code);
    if (p->is_key) fputs("<span class=key>KEY</span>", out);
    if (*p->form) lh_html_in(out, "<span class=form>", p->form, "</span>");
    fputs("</header>\n", out);
    if (!p->is_key)
        fputs("<div class=who><span>Name</span><span>Date</span><span>Points</span></div>\n"
              "<p class=note>Round only where you write a number down, to as many decimals as the "
              "step asks for, and go on with the numbers you wrote. A slip costs you one step: "
              "what follows from it counts.</p>\n",
              out);
    if (*hidden) lh_html_in(out, "<p class=note>", hidden, "</p>\n");
    put_given(out, p);
    for (int i = 0; i < p->n_steps; i++) {
        bool is_new;
        const char *title = lh_section_title(p, i, &is_new);
        if (is_new) lh_html_in(out, "<h2>", title, "</h2>\n");
        put_step(out, p, &p->step[i]);
    }
    fputs("</body>\n</html>\n", out);
}
