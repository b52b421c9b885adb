/* sheet_quiz -- a worksheet for systems that courses are held in: Moodle XML, and QTI 2.1 as a package.
 *
 * Each step becomes a question with a field for each number. These systems compare a number with one value and a tolerance. So what is lost
 * there is what `longhand mark` is for: an error that is carried on counts again in every step behind it, no mistake gets its name, and other ways
 * to the same number are not known. The first question says so, to teachers. A tolerance is one unit of the last decimal: what honest rounding of
 * the numbers before it may do in a short chain.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/number.h"
#include "cli/sheet.h"

/* ---- what both have in common ---- */

/* Cell k of a step, as a number and how far an answer may be from it. */
static double tolerance_of(const lh_paper *p, const lh_paper_step *s, const char *number) {
    if (!s->is_scientific) return s->decimals ? pow(10, -s->decimals) : 0.01; /* 0 is not 1 */
    return fabs(lh_number_read(number, NULL)) * pow(10, 1 - p->digits);
}

static void add_escaped(lh_text *out, const char *text) {
    lh_text_add_xml(out, text);
}

/* Writes the field of a cell. */
typedef void (*field_writer)(lh_text *out, const lh_paper *p, int step, int cell,
                             const char *number);

static void add_grid(lh_text *out, const lh_paper *p, int step, const lh_grid *g, int first,
                     field_writer field) {
    lh_text_add(out, "<table>");
    if (g->col) {
        lh_text_add(out, g->row ? "<tr><th></th>" : "<tr>");
        for (int c = 0; c < g->cols; c++) {
            lh_text_add(out, "<th>");
            add_escaped(out, g->col[c]);
            lh_text_add(out, "</th>");
        }
        lh_text_add(out, "</tr>");
    }
    for (int r = 0; r < g->rows; r++) {
        lh_text_add(out, "<tr>");
        if (g->row) {
            lh_text_add(out, "<th>");
            add_escaped(out, g->row[r]);
            lh_text_add(out, "</th>");
        }
        for (int c = 0; c < g->cols; c++) {
            const int k = r * g->cols + c;
            lh_text_add(out, "<td>");
            if (field)
                field(out, p, step, first + k, g->cell[k]);
            else
                add_escaped(out, g->cell[k]);
            lh_text_add(out, "</td>");
        }
        lh_text_add(out, "</tr>");
    }
    lh_text_add(out, "</table>");
}

static void add_given(lh_text *out, const lh_paper *p) {
    for (int i = 0; i < p->n_given; i++) {
        lh_text_add(out, "<p><code>");
        add_escaped(out, p->given[i].line);
        lh_text_add(out, "</code>");
        if (*p->given[i].comment) {
            lh_text_add(out, " ");
            add_escaped(out, p->given[i].comment);
        }
        lh_text_add(out, "</p>");
        if (p->given[i].grid) add_grid(out, p, 0, p->given[i].grid, 0, NULL);
    }
}

static void add_step(lh_text *out, const lh_paper *p, int i, field_writer field) {
    const lh_paper_step *s = &p->step[i];
    lh_text_add(out, "<p><code>");
    add_escaped(out, s->name);
    lh_text_add(out, " %s ", s->sign);
    add_escaped(out, s->formula);
    lh_text_add(out, "</code></p><p>");
    add_escaped(out, s->comment ? s->comment : "");
    lh_text_add(out, " (");
    add_escaped(out, s->shape);
    lh_text_add(out, ", ");
    add_escaped(out, s->precision);
    lh_text_add(out, ")</p>");
    for (int k = 0; k < s->n_inside; k++) {
        lh_text_add(out, "<p><code>");
        add_escaped(out, s->inside[k].label);
        lh_text_add(out, " = ");
        add_escaped(out, s->inside[k].formula);
        lh_text_add(out, "</code></p>");
    }
    for (int k = 0; k < s->n_blocks; k++) {
        if (*s->block[k].title) {
            lh_text_add(out, "<p>");
            add_escaped(out, s->block[k].title);
            lh_text_add(out, "</p>");
        }
        add_grid(out, p, i, &s->block[k].grid, s->block[k].first, field);
    }
}

static const char *const what_is_lost =
    "For teachers: here each number is compared with one value. What longhand mark does with the "
    "same sheet is lost: an error that is carried on counts "
    "again in every later step, no mistake is named, and other valid ways to a result are not "
    "recognised. Answers "
    "as a table (longhand sheet --format csv), marked with longhand mark, keep all of it.";

/* ---- Moodle ---- */

static void moodle_field(lh_text *out, const lh_paper *p, int step, int cell, const char *number) {
    (void)cell;
    lh_text_add(out, "{1:NUMERICAL:=%s:%.9g}", number, tolerance_of(p, &p->step[step], number));
}

static void moodle_begin(lh_text *out, const char *type, const char *name) {
    lh_text_add(out, "<question type=\"%s\"><name><text>", type);
    add_escaped(out, name);
    lh_text_add(out, "</text></name><questiontext format=\"html\"><text><![CDATA[");
}

static void moodle_end(lh_text *out, const char *feedback) {
    lh_text_add(out, "]]></text></questiontext>");
    if (*feedback) {
        lh_text_add(out, "<generalfeedback format=\"html\"><text>");
        add_escaped(out, feedback);
        lh_text_add(out, "</text></generalfeedback>");
    }
    lh_text_add(out, "</question>\n");
}

void lh_sheet_moodle(FILE *file, const lh_handout *h) {
    const lh_paper *p = h->paper;
    lh_text out = lh_text_new(p->arena);
    const char *title = lh_sheet_header(h);
    lh_text_add(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<quiz>\n<question "
                      "type=\"category\"><category><text>$course$/top/");
    add_escaped(&out, title);
    lh_text_add(&out, "</text></category><info format=\"html\"><text>");
    add_escaped(&out, what_is_lost);
    lh_text_add(&out, "</text></info></question>\n");
    moodle_begin(&out, "description", lh_printf(p->arena, "%s: what is given", p->title));
    add_given(&out, p);
    moodle_end(&out, "");
    for (int i = 0; i < p->n_steps; i++) {
        moodle_begin(&out, "cloze",
                     lh_printf(p->arena, "%02d %s", p->step[i].number, p->step[i].path));
        add_step(&out, p, i, moodle_field);
        moodle_end(&out, lh_printf(p->arena, "%s %s %s", p->step[i].name, p->step[i].sign,
                                   p->step[i].formula));
    }
    lh_text_add(&out, "</quiz>\n");
    fwrite(out.s, 1, out.n, file);
}

/* ---- QTI ---- */

static void qti_field(lh_text *out, const lh_paper *p, int step, int cell, const char *number) {
    (void)p, (void)step, (void)number;
    lh_text_add(out, "<textEntryInteraction responseIdentifier=\"R%d\" expectedLength=\"10\"/>",
                cell);
}

static void qti_declare(lh_text *out, const lh_paper *p, int i) {
    const lh_paper_step *s = &p->step[i];
    for (int b = 0; b < s->n_blocks; b++)
        for (int k = 0; k < s->block[b].grid.rows * s->block[b].grid.cols; k++)
            lh_text_add(out,
                        "<responseDeclaration identifier=\"R%d\" cardinality=\"single\" "
                        "baseType=\"float\"><correctResponse><value>%s</value>"
                        "</correctResponse></responseDeclaration>\n",
                        s->block[b].first + k, s->block[b].grid.cell[k]);
    lh_text_add(out, "<outcomeDeclaration identifier=\"SCORE\" cardinality=\"single\" "
                     "baseType=\"float\"><defaultValue><value>0</value>"
                     "</defaultValue></outcomeDeclaration>\n");
}

static void qti_score(lh_text *out, const lh_paper *p, int i) {
    const lh_paper_step *s = &p->step[i];
    lh_text_add(out, "<responseProcessing>\n");
    for (int b = 0; b < s->n_blocks; b++)
        for (int k = 0; k < s->block[b].grid.rows * s->block[b].grid.cols; k++) {
            const double most = tolerance_of(p, s, s->block[b].grid.cell[k]);
            const int cell = s->block[b].first + k;
            lh_text_add(out,
                        "<responseCondition><responseIf><equal toleranceMode=\"absolute\" "
                        "tolerance=\"%.9g %.9g\"><variable identifier=\"R%d\"/>"
                        "<correct identifier=\"R%d\"/></equal><setOutcomeValue "
                        "identifier=\"SCORE\"><sum><variable identifier=\"SCORE\"/>"
                        "<baseValue "
                        "baseType=\"float\">1</baseValue></sum></setOutcomeValue></responseIf></"
                        "responseCondition>\n",
                        most, most, cell, cell);
        }
    lh_text_add(out, "</responseProcessing>\n");
}

static void qti_item(lh_text *out, const lh_handout *h, int i) {
    const lh_paper *p = h->paper;
    lh_text_add(out,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<assessmentItem "
                "xmlns=\"http://www.imsglobal.org/xsd/imsqti_v2p1\" "
                "identifier=\"step%02d\" title=\"",
                p->step[i].number);
    add_escaped(out, p->step[i].path);
    lh_text_add(out, "\" adaptive=\"false\" timeDependent=\"false\">\n");
    qti_declare(out, p, i);
    lh_text_add(out, "<itemBody><div>");
    add_given(out, p);
    add_step(out, p, i, qti_field);
    lh_text_add(out, "</div></itemBody>\n");
    qti_score(out, p, i);
    lh_text_add(out, "</assessmentItem>\n");
}

static void qti_manifest(lh_text *out, const lh_handout *h) {
    const lh_paper *p = h->paper;
    lh_text_add(out,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<manifest "
                "xmlns=\"http://www.imsglobal.org/xsd/imscp_v1p1\" identifier=\"longhand-%s\">\n"
                "<metadata><schema>QTIv2.1 "
                "Package</schema><schemaversion>1.0.0</schemaversion></metadata>\n<organizations/"
                ">\n<resources>\n",
                p->code);
    for (int i = 0; i < p->n_steps; i++)
        lh_text_add(out,
                    "<resource identifier=\"step%02d\" type=\"imsqti_item_xmlv2p1\" "
                    "href=\"step%02d.xml\"><file href=\"step%02d.xml\"/></resource>\n",
                    p->step[i].number, p->step[i].number, p->step[i].number);
    lh_text_add(out, "</resources>\n</manifest>\n");
}

/* ---- a package: files in a zip, as they are ---- */

typedef struct zip {
    lh_text out, index; /* index: the table at the end */
    int n;
} zip;

static void put_number(lh_text *t, uint32_t x, int bytes) {
    for (int i = 0; i < bytes; i++) lh_text_add_n(t, &(char){(char)(x >> 8 * i)}, 1);
}

static uint32_t crc32_of(const char *s, size_t n) {
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < n; i++) {
        crc ^= (unsigned char)s[i];
        for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
    }
    return ~crc;
}

/* What a file's own header and its line in the table both say: version 2.0, stored, 1 January 2026. */
static void put_entry(lh_text *t, const char *name, uint32_t crc, uint32_t size) {
    put_number(t, 20, 2), put_number(t, 0x0800, 2), put_number(t, 0, 2);
    put_number(t, 0, 2), put_number(t, (2026 - 1980) << 9 | 1 << 5 | 1, 2);
    put_number(t, crc, 4), put_number(t, size, 4), put_number(t, size, 4);
    put_number(t, (uint32_t)strlen(name), 2), put_number(t, 0, 2);
}

static void zip_add(zip *z, const char *name, const lh_text *file) {
    const uint32_t crc = crc32_of(file->s, file->n), at = (uint32_t)z->out.n;
    put_number(&z->out, 0x04034b50, 4);
    put_entry(&z->out, name, crc, (uint32_t)file->n);
    lh_text_add_n(&z->out, name, strlen(name));
    lh_text_add_n(&z->out, file->s, file->n);
    put_number(&z->index, 0x02014b50, 4), put_number(&z->index, 20, 2);
    put_entry(&z->index, name, crc, (uint32_t)file->n);
    put_number(&z->index, 0, 2), put_number(&z->index, 0, 2), put_number(&z->index, 0, 2),
        put_number(&z->index, 0, 4);
    put_number(&z->index, at, 4);
    lh_text_add_n(&z->index, name, strlen(name));
    z->n++;
}

static void zip_end(zip *z) {
    const uint32_t at = (uint32_t)z->out.n;
    lh_text_add_n(&z->out, z->index.s, z->index.n);
    put_number(&z->out, 0x06054b50, 4), put_number(&z->out, 0, 4);
    put_number(&z->out, (uint32_t)z->n, 2), put_number(&z->out, (uint32_t)z->n, 2);
    put_number(&z->out, (uint32_t)z->index.n, 4), put_number(&z->out, at, 4),
        put_number(&z->out, 0, 2);
}

void lh_sheet_qti(FILE *file, const lh_handout *h) {
    lh_arena *a = h->paper->arena;
    zip z = {lh_text_new(a), lh_text_new(a), 0};
    lh_text manifest = lh_text_new(a), note = lh_text_new(a);
    qti_manifest(&manifest, h);
    zip_add(&z, "imsmanifest.xml", &manifest);
    for (int i = 0; i < h->paper->n_steps; i++) {
        lh_text item = lh_text_new(a);
        qti_item(&item, h, i);
        zip_add(&z, lh_printf(a, "step%02d.xml", h->paper->step[i].number), &item);
    }
    lh_text_add(&note, "%s\n\n%s\n", lh_sheet_header(h), what_is_lost);
    zip_add(&z, "README.txt", &note);
    zip_end(&z);
    fwrite(z.out.s, 1, z.out.n, file);
}
