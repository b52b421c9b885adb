/* formula_mathml -- a formula as MathML Core, which browsers draw and screen readers speak.
 *
 *     <math display="block" alttext="x squared"><msup><mi>x</mi><mn>2</mn></msup></math>
 *
 * MathML Core has no mathvariant but "normal": bold, double-struck and script letters are written as the letters Unicode has
 * for them. Brackets grow only where \left asks for it. Which scripts stand below and above is decided here, by the style a
 * browser will be in at that place (is_display), so that a name such as max is treated as ∑ is.
 */
#include <string.h>

#include "base/embedded.h"
#include "base/escape.h"
#include "learn/formula_internal.h"

/* The style a browser is in: limits stand below and above in display; scripts have no spaces around operators. */
typedef enum style { STYLE_SCRIPT, STYLE_TEXT, STYLE_DISPLAY } style_kind;

static void write_node(lh_text *out, const lh_formula *f, style_kind style);

static void write_leaf(lh_text *out, const char *element, const char *attributes, const char *s) {
    lh_text_add(out, "<%s%s>", element, attributes);
    lh_text_add_xml(out, s);
    lh_text_add(out, "</%s>", element);
}

/* A browser slants a letter that stands alone in <mi>; capital Greek, ∇ and what \mathrm names stay upright, as in TeX. */
static bool is_upright(const lh_formula *f) {
    unsigned code = lh_utf8_code(f->text, lh_utf8_length(f->text, f->text + strlen(f->text)));
    bool is_capital_greek = code >= 0x391 && code <= 0x3A9;
    return f->alphabet == LH_ALPHABET_ROMAN || is_capital_greek || code == 0x2207;
}

static void write_letter(lh_text *out, const lh_formula *f) {
    const char *letters = lh_formula_letters(out->arena, f);
    bool is_single = f->text[0] && lh_formula_columns(letters) == 1;
    write_leaf(out, "mi", is_single && is_upright(f) ? " mathvariant=\"normal\"" : "", letters);
}

/* `class` is what it is among its neighbours: a minus without a left side is a prefix. */
static void write_operator(lh_text *out, const lh_formula *f, lh_sign_class class,
                           style_kind style) {
    static const char *const sizes[] = {
        "", " minsize=\"1.2em\" maxsize=\"1.2em\"", " minsize=\"1.8em\" maxsize=\"1.8em\"",
        " minsize=\"2.4em\" maxsize=\"2.4em\"", " minsize=\"3em\" maxsize=\"3em\""};
    lh_text attributes = lh_text_new(out->arena);
    bool is_bar = strcmp(f->text, "|") == 0 || strcmp(f->text, "‖") == 0;
    bool is_bracket = f->class == LH_SIGN_OPEN || f->class == LH_SIGN_CLOSE || is_bar;
    if (f->class == LH_SIGN_OPEN || (f->class == LH_SIGN_BINARY && class == LH_SIGN_PREFIX))
        lh_text_add(&attributes, " form=\"prefix\"");
    if (f->class == LH_SIGN_CLOSE) lh_text_add(&attributes, " form=\"postfix\"");
    bool is_close = class == LH_SIGN_LETTER || (style == STYLE_SCRIPT && class <= LH_SIGN_RELATION);
    if (is_close)
        lh_text_add(&attributes, " lspace=\"0\" rspace=\"0\"");
    else if (class == LH_SIGN_BINARY) /* browsers know a narrower space for some: ⊙ */
        lh_text_add(&attributes, " lspace=\"0.2222em\" rspace=\"0.2222em\"");
    if (is_bracket || f->is_stretched || f->number)
        lh_text_add(&attributes, " stretchy=\"%s\"",
                    f->is_stretched || f->number ? "true" : "false");
    if (f->number) lh_text_add(&attributes, "%s", sizes[f->number]);
    write_leaf(out, "mo", attributes.s, f->text);
}

static void write_sign(lh_text *out, const lh_formula *f, lh_sign_class class, style_kind style) {
    bool is_operator =
        f->command ? strcmp(f->command->mathml, "mo") == 0 : strcmp(f->text, "|") == 0;
    if (is_operator)
        write_operator(out, f, class, style);
    else
        write_letter(out, f);
}

static void write_words(lh_text *out, const char *s) {
    lh_text_add(out, "<mtext>");
    for (; *s; s++) {
        char letter[2] = {*s, 0};
        if (*s == ' ')
            lh_text_add(out, "\xC2\xA0"); /* spaces at the ends would be dropped */
        else
            lh_text_add_xml(out, letter);
    }
    lh_text_add(out, "</mtext>");
}

/* A function takes what follows it, a little apart unless a bracket follows. */
static void write_application(lh_text *out, const lh_formula *row, int i) {
    if (i + 1 >= row->n_args) return;
    lh_sign_class next = lh_formula_class(row, i + 1);
    if (next == LH_SIGN_CLOSE || next == LH_SIGN_COMMA || next == LH_SIGN_RELATION ||
        next == LH_SIGN_BINARY)
        return;
    bool is_fenced = next == LH_SIGN_OPEN || lh_formula_base(row->arg[i + 1])->kind == LH_F_FENCE;
    lh_text_add(out, "<mo>\xE2\x81\xA1</mo>"); /* U+2061, function application */
    if (!is_fenced) lh_text_add(out, "<mspace width=\"0.1667em\"/>");
}

static bool needs_space_before(const lh_formula *row, int i) {
    if (i == 0 || row->arg[i]->class != LH_SIGN_FUNCTION) return false;
    lh_sign_class left = lh_formula_class(row, i - 1);
    return left == LH_SIGN_LETTER || left == LH_SIGN_CLOSE || left == LH_SIGN_INNER ||
           (left == LH_SIGN_PREFIX && row->arg[i - 1]->kind == LH_F_SCRIPT);
}

static void write_items(lh_text *out, const lh_formula *row, style_kind style) {
    for (int i = 0; i < row->n_args; i++) {
        const lh_formula *f = row->arg[i];
        if (needs_space_before(row, i)) lh_text_add(out, "<mspace width=\"0.1667em\"/>");
        if (f->kind == LH_F_SIGN)
            write_sign(out, f, lh_formula_class(row, i), style);
        else
            write_node(out, f, style);
        if (f->class == LH_SIGN_FUNCTION) write_application(out, row, i);
    }
}

static void write_row(lh_text *out, const lh_formula *row, style_kind style) {
    if (row->n_args == 1 && row->arg[0]->class != LH_SIGN_FUNCTION) {
        write_node(out, row->arg[0], style);
        return;
    }
    lh_text_add(out, "<mrow>");
    write_items(out, row, style);
    lh_text_add(out, "</mrow>");
}

/* <element>a b c</element>, leaving out what is NULL. */
static void write_with(lh_text *out, const char *element, const lh_formula *a, const lh_formula *b,
                       const lh_formula *c, style_kind style, style_kind inner) {
    lh_text_add(out, "<%s>", element);
    write_node(out, a, style);
    if (b) write_node(out, b, inner);
    if (c) write_node(out, c, inner);
    lh_text_add(out, "</%s>", element);
}

static void write_script(lh_text *out, const lh_formula *f, style_kind style) {
    bool has_limits = style == STYLE_DISPLAY && lh_formula_bare(f->arg[0])->has_limits;
    const lh_formula *sub = f->arg[1], *sup = f->arg[2];
    const char *element = sub && sup ? (has_limits ? "munderover" : "msubsup")
                          : sub      ? (has_limits ? "munder" : "msub")
                                     : (has_limits ? "mover" : "msup");
    write_with(out, element, f->arg[0], sub, sup, style, STYLE_SCRIPT);
}

/* Taller than a line? A bracket that may grow is as wide as its largest size in some browsers, so that it grows only if it must. */
static bool is_tall(const lh_formula *f, style_kind style) {
    if (f->kind == LH_F_FRACTION || f->kind == LH_F_TABLE || f->kind == LH_F_BRACE) return true;
    if (f->kind == LH_F_SIGN && (f->class == LH_SIGN_LARGE || f->class == LH_SIGN_INTEGRAL))
        return true;
    if (f->kind == LH_F_SCRIPT && style == STYLE_DISPLAY && lh_formula_bare(f->arg[0])->has_limits)
        return true;
    if (f->kind == LH_F_SCRIPT) return is_tall(f->arg[0], style);
    for (int i = 0; i < f->n_args; i++)
        if (f->arg[i] && is_tall(f->arg[i], style)) return true;
    return false;
}

static void write_bracket(lh_text *out, const char *sign, bool is_open, bool grows) {
    if (!*sign) return;
    lh_text_add(out, "<mo form=\"%s\" stretchy=\"%s\" fence=\"true\">",
                is_open ? "prefix" : "postfix", grows ? "true" : "false");
    lh_text_add_xml(out, sign);
    lh_text_add(out, "</mo>");
}

static void write_fence(lh_text *out, const lh_formula *f, style_kind style) {
    bool grows = is_tall(f->arg[0], style);
    lh_text_add(out, "<mrow>");
    write_bracket(out, f->open, true, grows);
    write_node(out, f->arg[0], style);
    write_bracket(out, f->close, false, grows);
    lh_text_add(out, "</mrow>");
}

static void write_fraction(lh_text *out, const lh_formula *f, style_kind style) {
    style_kind inner = style == STYLE_SCRIPT ? STYLE_SCRIPT : STYLE_TEXT;
    write_with(out, "mfrac", f->arg[0], f->arg[1], NULL, inner, inner);
}

/* The sign over a letter: as wide as it is by itself, smaller where it is an arrow. Over more than a letter only ̂ grows in the
 * fonts there are, and a line is drawn by style. */
static void write_accent(lh_text *out, const lh_formula *f, style_kind style) {
    static const struct {
        const char *name, *sign, *attributes;
    } marks[] = {{"hat", "ˆ", "stretchy=\"false\""},
                 {"widehat", "\xCC\x82", "stretchy=\"true\""},
                 {"tilde", "˜", "stretchy=\"false\""},
                 {"widetilde", "˜", "stretchy=\"true\""},
                 {"dot", "˙", "stretchy=\"false\""},
                 {"ddot", "¨", "stretchy=\"false\""},
                 {"vec", "→", "stretchy=\"false\" scriptlevel=\"+2\""},
                 {"bar", "¯", "stretchy=\"false\""}};
    const char *name = f->command ? f->command->name : "bar";
    size_t i = 0, n = sizeof marks / sizeof *marks;
    while (i < n && strcmp(marks[i].name, name) != 0) i++;
    if (i == n) {
        lh_text_add(out, "<mrow style=\"border-top:0.06em solid;padding-top:0.1em\">");
        write_node(out, f->arg[0], style);
        lh_text_add(out, "</mrow>");
        return;
    }
    lh_text_add(out, "<mover accent=\"true\">");
    write_node(out, f->arg[0], style);
    lh_text_add(out, "<mo %s>%s</mo></mover>", marks[i].attributes, marks[i].sign);
}

static void write_brace(lh_text *out, const lh_formula *f, style_kind style) {
    const char *element = strcmp(f->text, "⏟") == 0 ? "munder" : "mover";
    if (f->arg[1]) lh_text_add(out, "<%s>", element);
    lh_text_add(out, "<%s>", element);
    write_node(out, f->arg[0], style);
    write_leaf(out, "mo", " stretchy=\"true\"", f->text);
    lh_text_add(out, "</%s>", element);
    if (!f->arg[1]) return;
    write_node(out, f->arg[1], STYLE_SCRIPT);
    lh_text_add(out, "</%s>", element);
}

/* MathML Core aligns columns by style alone; what stands in a cell is a block, which Chromium moves for -webkit-right only. In aligned the two halves of a pair touch: the relation brings its own space. */
static const char *cell_style(const lh_formula *f, int c) {
    if (f->align == LH_ALIGN_LEFT) return " style=\"text-align:left;text-align:-webkit-left\"";
    if (f->align == LH_ALIGN_CENTRE) return "";
    return c % 2 == 0 ? " style=\"text-align:right;text-align:-webkit-right;padding-right:0\""
                      : " style=\"text-align:left;text-align:-webkit-left;padding-left:0\"";
}

static void write_table(lh_text *out, const lh_formula *f) {
    bool is_display = f->align == LH_ALIGN_PAIRS;
    style_kind style = is_display ? STYLE_DISPLAY : STYLE_TEXT;
    lh_text_add(out, "<mrow>");
    write_bracket(out, f->open, true, true);
    lh_text_add(out, "<mtable%s>", is_display ? " displaystyle=\"true\"" : "");
    for (int i = 0; i < f->n_args; i++) {
        int c = i % f->cols;
        lh_text_add(out, "%s<mtd%s>", c == 0 ? "<mtr>" : "", cell_style(f, c));
        write_row(out, f->arg[i], style);
        lh_text_add(out, "</mtd>%s", c == f->cols - 1 ? "</mtr>" : "");
    }
    lh_text_add(out, "</mtable>");
    write_bracket(out, f->close, false, true);
    lh_text_add(out, "</mrow>");
}

static void write_node(lh_text *out, const lh_formula *f, style_kind style) {
    switch (f->kind) {
    case LH_F_ROW: write_row(out, f, style); break;
    case LH_F_SIGN:
        write_sign(out, f, f->class == LH_SIGN_BINARY ? LH_SIGN_LETTER : f->class, style);
        break;
    case LH_F_NUMBER: write_leaf(out, "mn", "", lh_formula_letters(out->arena, f)); break;
    case LH_F_NAME: write_letter(out, f); break;
    case LH_F_TEXT: write_words(out, f->text); break;
    case LH_F_SPACE: lh_text_add(out, "<mspace width=\"%s\"/>", f->text); break;
    case LH_F_FRACTION: write_fraction(out, f, style); break;
    case LH_F_ROOT:
        write_with(out, f->arg[1] ? "mroot" : "msqrt", f->arg[0], f->arg[1], NULL, style,
                   STYLE_SCRIPT);
        break;
    case LH_F_SCRIPT: write_script(out, f, style); break;
    case LH_F_FENCE: write_fence(out, f, style); break;
    case LH_F_ACCENT: write_accent(out, f, style); break;
    case LH_F_BRACE: write_brace(out, f, style); break;
    case LH_F_TABLE: write_table(out, f); break;
    case LH_F_KINDS: break;
    }
}

char *lh_formula_mathml(lh_arena *a, const lh_formula *f, bool is_block) {
    lh_text out = lh_text_new(a);
    lh_text_add(&out, "<math display=\"%s\" alttext=\"", is_block ? "block" : "inline");
    lh_text_add_xml(&out, lh_formula_spoken(a, f));
    lh_text_add(&out, "\">");
    write_node(&out, f, is_block ? STYLE_DISPLAY : STYLE_TEXT);
    lh_text_add(&out, "</math>");
    return out.s;
}

#define FONTS "\"Latin Modern Math\",\"STIX Two Math\",\"Cambria Math\",\"Noto Sans Math\",math"

const char *lh_formula_css(void) {
    static const char without[] = "math{font-family:" FONTS "}\n";
    static const char with[] = "@font-face{font-family:\"Longhand Math\";"
                               "src:url(longhand-math.woff2) format(\"woff2\")}\n"
                               "math{font-family:\"Longhand Math\"," FONTS "}\n";
    return lh_embedded_find(LH_FORMULA_FONT) ? with : without;
}
