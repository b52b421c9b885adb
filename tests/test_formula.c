/* Formulas: every command of the table is read and written in every form; formulas of the transformer literature look as they
 * should; what is wrong gets its column; random formulas are as wide as they claim. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/embedded.h"
#include "learn/formula.h"
#include "wellformed.h"
#include "scarce.h"

int wcwidth(wchar_t c); /* X/Open, not in every POSIX header */

typedef struct desk {
    lh_context *ctx;
    lh_arena *arena;
} desk;

static desk desk_new(void) {
    desk d = {lh_context_new(), NULL};
    live = asked = refused = 0;
    assert_non_null(d.ctx);
    d.ctx->alloc = alloc_but_one;
    d.ctx->release = release_counted;
    d.arena = lh_arena_new(d.ctx);
    assert_non_null(d.arena);
    return d;
}

static void desk_free(desk d) {
    lh_arena_free(d.arena);
    lh_context_free(d.ctx);
    assert_int_equal(live, 0);
}

static lh_formula *parsed(desk d, const char *tex) {
    lh_formula *f = lh_formula_parse(d.ctx, d.arena, tex, strlen(tex), (lh_place){0});
    const lh_error *e = lh_context_error(d.ctx);
    if (!f) fail_msg("%s\n%d:%d: %s", tex, e->at.line, e->at.col, e->what);
    return f;
}

/* An opinion of its own on how wide a text is: the C library's. */
static int columns_of(const char *s) {
    mbstate_t state = {0};
    int columns = 0;
    for (wchar_t c; *s;) {
        size_t n = mbrtowc(&c, s, strlen(s), &state);
        if (n == (size_t)-1 || n == (size_t)-2) fail_msg("no UTF-8: %s", s);
        columns += wcwidth(c) < 0 ? 1 : wcwidth(c); /* letters younger than the library */
        s += n;
    }
    return columns;
}

/* Everything that must hold of any formula. */
static void check_forms(desk d, const lh_formula *f, const char *tex, int room) {
    const char *text = lh_formula_inline(d.arena, f);
    if (lh_formula_columns(text) != columns_of(text)) fail_msg("%s: how wide is %s?", tex, text);
    for (int block = 0; block < 2; block++) {
        const char *page = lh_formula_mathml(d.arena, f, block), *wrong = wellformed(page);
        if (wrong) fail_msg("%s: not well-formed at %s\n%s", tex, wrong, page);
    }
    assert_non_null(lh_formula_spoken(d.arena, f));
    lh_formula_lines lines = lh_formula_display(d.arena, f, room);
    assert_true(lines.n > 0 && lines.baseline >= 0 && lines.baseline < lines.n);
    assert_int_equal(lines.fits, lines.width <= room);
    for (int i = 0; i < lines.n; i++)
        if (columns_of(lines.line[i]) != lines.width)
            fail_msg("%s: line %d is %d wide, not %d: %s", tex, i, columns_of(lines.line[i]),
                     lines.width, lines.line[i]);
}

static void every_command_is_read(void **state) {
    (void)state;
    assert_true(lh_n_formula_commands > 200);
    for (int i = 0; i < lh_n_formula_commands; i++) {
        const lh_formula_command *c = &lh_formula_commands[i];
        desk d = desk_new();
        const char *tex = lh_formula_example(d.arena, c);
        if (!strstr(tex, c->name)) fail_msg("the example of %s does not use it: %s", c->name, tex);
        lh_formula *f = parsed(d, tex);
        check_forms(d, f, tex, 60);
        const char *text = lh_formula_inline(d.arena, f);
        if (c->does == LH_DOES_SIGN && !strstr(text, c->sign))
            fail_msg("%s: no %s in %s", tex, c->sign, text);
        if (c->does == LH_DOES_SIGN && !strstr(lh_formula_spoken(d.arena, f), c->spoken))
            fail_msg("%s: is not read \"%s\"", tex, c->spoken);
        const char *page = lh_formula_mathml(d.arena, f, true);
        bool is_line = strcmp(c->name, "overline") == 0, is_root = c->does == LH_DOES_ROOT;
        const char *element = is_line ? "mrow" : is_root ? "mroot" : c->mathml;
        if (!strstr(page, lh_printf(d.arena, "<%s", element)))
            fail_msg("%s: no <%s> in %s", tex, element, page);
        desk_free(d);
    }
}

/* What is written, and what it looks like on a line. */
static const char *const lines[][2] = {
    {"\\operatorname{softmax}\\left(\\frac{QK^\\top}{\\sqrt{d_k}}\\right)V", "softmax(QKᵀ/√dₖ)V"},
    {"\\mathrm{softmax}(z)_i = \\frac{e^{z_i}}{\\sum_j e^{z_j}}",
     "softmax(z)ᵢ = e^(zᵢ)/(∑ⱼ e^(zⱼ))"},
    {"p_i = \\frac{\\exp(z_i)}{\\sum_{j=1}^n \\exp(z_j)}", "pᵢ = exp(zᵢ)/(∑ⱼ₌₁ⁿ exp(zⱼ))"},
    {"\\mu = \\frac{1}{d} \\sum_{i=1}^{d} x_i", "μ = (1/d) ∑ᵢ₌₁ᵈ xᵢ"},
    {"\\sigma^2 = \\frac1d \\sum_{i} (x_i - \\mu)^2", "σ² = (1/d) ∑ᵢ (xᵢ − μ)²"},
    {"\\hat x = \\frac{x - \\mu}{\\sqrt{\\sigma^2 + \\epsilon}}", "x̂ = (x − μ)/√(σ² + ϵ)"},
    {"y = \\gamma \\odot \\hat{x} + \\beta", "y = γ ⊙ x̂ + β"},
    {"L = -\\sum_{t=1}^T \\log p(x_t \\mid x_{<t})", "L = −∑ₜ₌₁ᵀ log p(xₜ ∣ x_(<t))"},
    {"\\frac{\\partial L}{\\partial w} = \\frac{\\partial L}{\\partial y} \\cdot \\frac{dy}{dw}",
     "∂L/∂w = ∂L/∂y ⋅ dy/dw"},
    {"w \\leftarrow w - \\eta \\frac{\\partial L}{\\partial w}", "w ← w − η ∂L/∂w"},
    {"\\theta_{t+1} = \\theta_t - \\eta \\frac{\\hat{m}_t}{\\sqrt{\\hat{v}_t} + \\epsilon}",
     "θₜ₊₁ = θₜ − η m̂ₜ/(√v̂ₜ + ϵ)"},
    {"m_t = \\beta_1 m_{t-1} + (1 - \\beta_1) g_t", "mₜ = β₁mₜ₋₁ + (1 − β₁)gₜ"},
    {"PE_{(pos,2i)} = \\sin(pos / 10000^{2i/d})", "PE_(pos,2i) = sin(pos/10000^(2i/d))"},
    {"X \\in \\mathbb{R}^{n \\times d}", "X ∈ ℝ^(n×d)"},
    {"W_Q, W_K, W_V", "W_Q, W_K, W_V"},
    {"W_Q^{(l)} X", "W⁽ˡ⁾_Q X"},
    {"d_{\\text{model}} = 512", "d_model = 512"},
    {"\\operatorname{FFN}(x) = \\max(0, xW_1 + b_1)W_2 + b_2", "FFN(x) = max(0, xW₁ + b₁)W₂ + b₂"},
    {"\\mathrm{GELU}(x) = x \\cdot \\Phi(x)", "GELU(x) = x ⋅ Φ(x)"},
    {"\\frac{x}{2}\\left(1 + \\tanh(\\sqrt{2/\\pi})\\right)", "(x/2) (1 + tanh(√(2/π)))"},
    {"\\sigma(x) = \\frac{1}{1 + e^{-x}}", "σ(x) = 1/(1 + e⁻ˣ)"},
    {"\\tanh x = \\frac{e^x - e^{-x}}{e^x + e^{-x}}", "tanh x = (eˣ − e⁻ˣ)/(eˣ + e⁻ˣ)"},
    {"\\nabla_\\theta J(\\theta) \\approx 0", "∇_θ J(θ) ≈ 0"},
    {"\\mathcal{L}(\\theta) = \\mathbb{E}[\\ell]", "ℒ(θ) = 𝔼[ℓ]"},
    {"\\mathbf{x}^\\top \\mathbf{W} + \\mathbf{b}", "𝐱ᵀ𝐖 + 𝐛"},
    {"\\|x\\|_2 = \\sqrt{\\sum_i x_i^2}", "‖x‖₂ = √(∑ᵢ xᵢ²)"},
    {"\\begin{bmatrix} 1 & 2 \\\\ 3 & 4 \\end{bmatrix}", "[1 2; 3 4]"},
    {"\\begin{pmatrix} a \\\\ b \\\\ \\end{pmatrix}", "(a; b)"},
    {"|x| = \\begin{cases} x & x \\geq 0 \\\\ -x & \\text{otherwise} \\end{cases}",
     "|x| = {x, x ≥ 0; −x, otherwise"},
    {"\\begin{aligned} a &= b \\\\ &= c \\end{aligned}", "a = b; = c"},
    {"x_1, x_2, \\ldots, x_n", "x₁, x₂, …, xₙ"},
    {"\\int_0^1 f(x)\\,dx", "∫₀¹ f(x) dx"},
    {"\\lim_{h \\to 0} \\frac{f(x+h) - f(x)}{h}", "lim_(h→0) (f(x + h) − f(x))/h"},
    {"\\operatorname*{argmax}_i p_i", "argmaxᵢ pᵢ"},
    {"f'(x) + g''(x)", "f′(x) + g′′(x)"},
    {"\\sqrt[3]{x} \\neq \\sqrt[k]{x+1}", "³√x ≠ ᵏ√(x + 1)"},
    {"\\underbrace{QK^\\top}_{\\text{scores}}", "QKᵀ⏟(scores)"},
    {"\\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}", "(−b ± √(b² − 4ac))/(2a)"},
    {"\\frac{-x}{y} + \\frac{1}{-y}", "−x/y + 1/(−y)"},
    {"{a+b}^2 \\cdot \\left(\\frac{a}{b}\\right)^2", "(a + b)² ⋅ (a/b)²"},
    {"\\log \\frac{p}{q}", "log (p/q)"},
    {"x^12", "x¹ 2"},
    {"α ≤ β × 2", "α ≤ β × 2"},
    {"a = -b, c \\sim \\mathcal{N}(0, I)", "a = −b, c ∼ 𝒩(0, I)"},
    {"1{,}000", "1,000"},
    {"\\overline{x+y} + \\bar x", "bar(x + y) + x̄"},
    {"H = -\\sum_i p_i \\log_2 p_i", "H = −∑ᵢ pᵢ log₂ pᵢ"},
    {"\\text{50% \\& more}", "50% & more"},
};

static void formulas_look_as_they_should(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        desk d = desk_new();
        lh_formula *f = parsed(d, lines[i][0]);
        assert_string_equal(lh_formula_inline(d.arena, f), lines[i][1]);
        check_forms(d, f, lines[i][0], 60);
        desk_free(d);
    }
}

/* In two dimensions; | ends each line, so that spaces count. */
static const struct {
    const char *tex, *looks;
    int room, baseline;
} pictures[] = {
    {"\\mu = \\frac{1}{d} \\sum_{i=1}^{d} x_i", "    1  d    |μ = ─  ∑  xᵢ|    d i=1   |", 60, 1},
    {"\\frac{x_\\theta}{b}", "x | θ|──|b |", 60, 2},
    {"\\sqrt{d_k}", " __|√dₖ|", 60, 1},
    {"\\sqrt{\\frac{a}{b}}", " ┌─| │a| │─|√│b|", 60, 2},
    {"\\begin{bmatrix} 1 & 20 \\\\ 3 & 4 \\\\ 5 & 6 \\end{bmatrix}^\\top",
     "⎡ 1  20 ⎤ᵀ|⎢ 3  4  ⎥ |⎣ 5  6  ⎦ |", 60, 1},
    {"\\begin{cases} a & b \\\\ c & d \\end{cases}", "⎰ a  b|⎱ c  d|", 60, 0},
    {"\\left(\\frac{a}{b}\\right)^n x_\\theta", "⎛a⎞ⁿ  |⎜─⎟ x |⎝b⎠  θ|", 60, 1},
    {"\\underbrace{a+b}_{c}", "a + b|╰─┬─╯|  c  |", 60, 0},
    {"\\hat{x} + \\overline{ab}", "    __|x̂ + ab|", 60, 1},
    {"\\max_{i \\in S} z_i", "max zᵢ|i∈S   |", 60, 0},
    {"\\begin{aligned} a &= b + c \\\\ &= d \\end{aligned}", "a = b + c|  = d    |", 60, 0},
    /* too wide: before a relation, before +, in one dimension, not at all */
    {"aaa = bbb = ccc", "aaa = bbb|  = ccc  |", 10, 0},
    {"a = b + c + d + e", "a        |  = b + c|  + d + e|", 9, 0},
    {"a = \\frac{bbb + ccc}{d}", "a         |  = (bbb +|  ccc)/d  |", 10, 0},
    {"\\begin{aligned} aaa &= bb \\\\ &= cc \\end{aligned}", "aaa   |  = bb|  = cc|", 7, 0},
    {"\\operatorname{abcdefghij}", "abcdefghij|", 5, 0},
};

static void formulas_have_two_dimensions(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++) {
        desk d = desk_new();
        lh_formula *f = parsed(d, pictures[i].tex);
        lh_formula_lines got = lh_formula_display(d.arena, f, pictures[i].room);
        lh_text all = lh_text_new(d.arena);
        for (int k = 0; k < got.n; k++) lh_text_add(&all, "%s|", got.line[k]);
        assert_string_equal(all.s, pictures[i].looks);
        assert_int_equal(got.baseline, pictures[i].baseline);
        check_forms(d, f, pictures[i].tex, pictures[i].room);
        desk_free(d);
    }
}

static const char *const pages[][2] = {
    {"x^2", "<msup><mi>x</mi><mn>2</mn></msup>"},
    {"-x", "<mo form=\"prefix\">−</mo>"},
    {"a = -b", "<mo>=</mo><mo form=\"prefix\">−</mo>"},
    {"a - b", "<mo lspace=\"0.2222em\" rspace=\"0.2222em\">−</mo>"},
    {"x_{n-1}", "<mo lspace=\"0\" rspace=\"0\">−</mo>"},
    {"(x)", "<mo form=\"prefix\" stretchy=\"false\">(</mo>"},
    {"\\left(\\frac{a}{b}\\right)", "<mo form=\"prefix\" stretchy=\"true\" fence=\"true\">(</mo>"},
    {"\\left(a\\right)", "<mo form=\"prefix\" stretchy=\"false\" fence=\"true\">(</mo>"},
    {"\\sum_{i=1}^n i", "<munderover><mo>∑</mo>"},
    {"\\frac{1}{\\sum_i x_i}", "<msub><mo>∑</mo>"},
    {"\\max_i z", "<munder><mi>max</mi>"},
    {"\\int_0^1 x", "<msubsup><mo>∫</mo>"},
    {"\\mathbf{x}", "<mi>𝐱</mi>"},
    {"\\mathbb{R}", "<mi>ℝ</mi>"},
    {"\\mathcal{L}", "<mi>ℒ</mi>"},
    {"\\boldsymbol{\\theta}", "<mi>𝛉</mi>"},
    {"\\mathrm{d}", "<mi mathvariant=\"normal\">d</mi>"},
    {"\\mathrm{softmax}", "<mi>softmax</mi>"},
    {"\\Gamma", "<mi mathvariant=\"normal\">Γ</mi>"},
    {"\\text{a < b}", "<mtext>a\xC2\xA0&lt;\xC2\xA0"
                      "b</mtext>"},
    {"a < b", "<mo>&lt;</mo>"},
    {"\\sqrt[3]{x}", "<mroot><mi>x</mi><mn>3</mn></mroot>"},
    {"\\log x", "<mi>log</mi><mo>\xE2\x81\xA1</mo><mspace width=\"0.1667em\"/><mi>x</mi>"},
    {"\\begin{matrix} a & b \\end{matrix}",
     "<mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr></mtable>"},
    {"\\bigl( x", "minsize=\"1.2em\""},
    {"Q K^\\top", "alttext=\"Q times K transposed\""},
    {"\\text{a & \"b\"}", "alttext=\"a &amp; &quot;b&quot;\""},
};

static void pages_have_mathml(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        desk d = desk_new();
        const char *page = lh_formula_mathml(d.arena, parsed(d, pages[i][0]), true);
        if (!strstr(page, pages[i][1]))
            fail_msg("%s: no %s in\n%s", pages[i][0], pages[i][1], page);
        assert_true(strncmp(page, "<math display=\"block\" alttext=\"", 31) == 0);
        desk_free(d);
    }
}

static const char *const readings[][2] = {
    {"\\operatorname{softmax}\\left(\\frac{QK^\\top}{\\sqrt{d_k}}\\right)V",
     "softmax of Q times K transposed over the square root of d sub k, times V"},
    {"\\sum_{i=1}^n x_i^2", "the sum from i equals 1 to n of x sub i squared"},
    {"(x_i - \\mu)^2", "the quantity x sub i minus mu, squared"},
    {"f(x, y) = a(x + y)", "f of x, y equals a times the quantity x plus y"},
    {"a_{ij} = A^{-1}", "a sub i j equals A inverse"},
    {"\\frac{a+b}{2} \\leq \\frac12", "a plus b all over 2 is at most one half"},
    {"\\lim_{h \\to 0} h'", "the limit as h to 0 of h prime"},
    {"\\begin{bmatrix} 1 & 2 \\end{bmatrix}", "a matrix of 1 by 2: 1, 2; end matrix"},
    {"\\mathbf{x} \\in \\mathbb{R}^d", "bold x in R to the power d"},
    {"Attention(Q)", "Attention of Q"},
};

static void formulas_are_read_aloud(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++) {
        desk d = desk_new();
        assert_string_equal(lh_formula_spoken(d.arena, parsed(d, readings[i][0])), readings[i][1]);
        desk_free(d);
    }
}

static const struct {
    const char *tex;
    int line, col;
    const char *what, *cure;
} wrong[] = {
    {"a + \\alhpa", 1, 5, "no command \\alhpa", "\\alpha?"},
    {"\\softmax(x)", 1, 1, "no command \\softmax", "\\operatorname{softmax}"},
    {"\\frac{a}{b", 1, 9, "never closed", "}"},
    {"\\frac{a}", 1, 1, "\\frac has nothing", "{group}"},
    {"a}", 1, 2, "closes nothing", "\\}"},
    {"x^2^3", 1, 4, "second ^", "{x^a}^b"},
    {"x_1_2", 1, 4, "second _", ""},
    {"x_", 1, 2, "_ has nothing", ""},
    {"a & b", 1, 3, "& separates the columns", "aligned"},
    {"a \\\\ b", 1, 3, "ends a row", "aligned"},
    {"\\left( x", 1, 1, "no \\right", "\\right."},
    {"x \\right)", 1, 3, "no \\left", ""},
    {"\\left x \\right)", 1, 1, "needs a bracket", "\\langle"},
    {"\\begin{bmtrix} 1 \\end{bmtrix}", 1, 8, "no environment bmtrix", "bmatrix"},
    {"\\begin{matrix} 1 \\end{pmatrix}", 1, 18, "ended by \\end{pmatrix}", "same"},
    {"\\begin{matrix} 1", 1, 1, "no \\end", ""},
    {"x \\end{matrix}", 1, 3, "no \\begin", ""},
    {"\\sqrt[3{x}", 1, 6, "this [ is never closed", ""},
    {"\\text{a", 1, 6, "never closed", ""},
    {"\\text{$x$}", 1, 7, "only words", ""},
    {"\\operatorname{}", 1, 14, "without letters", ""},
    {"a\n+ $b$", 2, 3, "$ has no meaning", "\\$"},
    {"a % b", 1, 3, "% has no meaning", "\\%"},
    {"a \xFF", 1, 3, "255 is not UTF-8", ""},
    {"a \x01", 1, 3, "control character 1", ""},
    {"\xCC\x82x", 1, 1, "mark without a letter", "\\hat"},
    {"x\\", 1, 2, "nothing after it", ""},
    {"  ", 1, 1, "empty", ""},
};

static void mistakes_have_a_column(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        desk d = desk_new();
        const char *tex = wrong[i].tex;
        if (lh_formula_parse(d.ctx, d.arena, tex, strlen(tex), (lh_place){0}))
            fail_msg("%s: was read", tex);
        const lh_error *e = lh_context_error(d.ctx);
        if (!strstr(e->what, wrong[i].what) || !strstr(e->cure, wrong[i].cure))
            fail_msg("%s: %s (%s)", tex, e->what, e->cure);
        if (e->at.line != wrong[i].line || e->at.col != wrong[i].col)
            fail_msg("%s: at %d:%d, not %d:%d", tex, e->at.line, e->at.col, wrong[i].line,
                     wrong[i].col);
        desk_free(d);
    }
    desk d = desk_new(); /* in a lesson the place is the lesson's */
    assert_null(lh_formula_parse(d.ctx, d.arena, "a\\foo", 5, (lh_place){12, 8, 0}));
    assert_int_equal(lh_context_error(d.ctx)->at.line, 12);
    assert_int_equal(lh_context_error(d.ctx)->at.col, 9);
    assert_string_equal(lh_context_error(d.ctx)->file, ""); /* the caller knows which */
    desk_free(d);
}

static void depth_is_refused(void **state) {
    (void)state;
    static const char *const pieces[] = {
        "{",       "x^{",    "\\frac{a}{", "\\left(",         "\\sqrt[",
        "\\sqrt ", "\\hat ", "\\mathbf{",  "\\begin{matrix}", "\\underbrace{"};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        for (int times = 100; times <= 10000; times *= 100) {
            desk d = desk_new();
            lh_text tex = lh_text_new(d.arena);
            for (int k = 0; k < times; k++) lh_text_add(&tex, "%s", pieces[i]);
            assert_null(lh_formula_parse(d.ctx, d.arena, tex.s, tex.n, (lh_place){0}));
            if (lh_context_error(d.ctx)->kind != LH_ERROR_LIMIT)
                fail_msg("%s: %s", pieces[i], lh_context_error(d.ctx)->what);
            desk_free(d);
        }
    desk many = desk_new(); /* few cells written, many meant */
    lh_text rows = lh_text_new(many.arena);
    lh_text_add(&rows, "\\begin{matrix}");
    for (int k = 0; k < 2000; k++) lh_text_add(&rows, "%s", k < 1000 ? "\\\\" : "&");
    lh_text_add(&rows, "\\end{matrix}");
    assert_null(lh_formula_parse(many.ctx, many.arena, rows.s, rows.n, (lh_place){0}));
    assert_int_equal(lh_context_error(many.ctx)->kind, LH_ERROR_LIMIT);
    desk_free(many);
    desk d = desk_new(); /* as deep as it may be: every form in good time */
    lh_text tex = lh_text_new(d.arena);
    for (int k = 0; k < LH_FORMULA_DEPTH; k++) lh_text_add(&tex, "x^{\\theta ");
    for (int k = 0; k < LH_FORMULA_DEPTH; k++) lh_text_add(&tex, "}");
    check_forms(d, parsed(d, tex.s), "x^{x^{...}}", 60);
    desk_free(d);
}

/* ---- chance ---- */

static uint64_t chance_state = 88172645463325252U;

static int chance(int n) {
    chance_state ^= chance_state << 13, chance_state ^= chance_state >> 7;
    chance_state ^= chance_state << 17;
    return (int)(chance_state % (uint64_t)n);
}

static void grow(lh_text *tex, int depth);

static void grow_leaf(lh_text *tex) {
    static const char *const leaves[] = {"x",           "Q ", "12", "0.5", "\\text{ if }",
                                         "\\text{宽é}", "漢"};
    const lh_formula_command *c = &lh_formula_commands[chance(lh_n_formula_commands)];
    if (chance(2) || c->does != LH_DOES_SIGN)
        lh_text_add(tex, "%s ", leaves[chance((int)(sizeof leaves / sizeof *leaves))]);
    else if (c->name[1])
        lh_text_add(tex, "\\%s ", c->name);
    else
        lh_text_add(tex, "%s ", strchr("+-*/=<>:()[],;!.?", c->name[0]) ? c->name : "y");
}

static void grow_table(lh_text *tex, int depth) {
    static const char *const names[] = {"matrix", "bmatrix", "cases", "aligned", "vmatrix"};
    const char *name = names[chance(5)];
    lh_text_add(tex, "\\begin{%s}", name);
    for (int i = 1 + chance(5); i > 0; i--) {
        grow(tex, depth - 1);
        lh_text_add(tex, chance(2) ? "&" : "\\\\");
    }
    lh_text_add(tex, "x\\end{%s}", name);
}

/* before, a formula, between, a formula, behind: a random one of these forms, or letters. */
static void grow(lh_text *tex, int depth) {
    static const char *const forms[][3] = {
        {"\\frac{", "}{", "}"},
        {"{", "}^{", "}"},
        {"{", "}_{", "}"},
        {"x_{", "}^{", "}"},
        {"\\sum_{", "}^{", "}"},
        {"\\sqrt[", "]{", "}"},
        {"\\left(", "\\middle|", "\\right]"},
        {"\\hat{", "}\\overline{", "}"},
        {"\\mathbf{", "}\\mathcal{", "}"},
        {"\\underbrace{", "}_{", "}"},
        {"\\operatorname*{argmax}_{", "}{", "}"},
        {"\\left\\{", "+", "\\right."},
    };
    for (int i = 1 + chance(3); i > 0; i--) {
        const char *const *f = forms[chance((int)(sizeof forms / sizeof *forms))];
        if (depth <= 0 || chance(3) == 0) {
            grow_leaf(tex);
        } else if (chance(8) == 0) {
            grow_table(tex, depth);
        } else {
            lh_text_add(tex, "%s", f[0]);
            grow(tex, depth - 1);
            lh_text_add(tex, "%s", f[1]);
            grow(tex, depth - 1);
            lh_text_add(tex, "%s", f[2]);
        }
    }
}

static void random_formulas_are_as_wide_as_they_claim(void **state) {
    (void)state;
    int n_read = 0, n_broken = 0, times = getenv("LH_QUICK") ? 300 : 1500;
    for (int i = 0; i < times; i++) {
        desk d = desk_new();
        lh_text tex = lh_text_new(d.arena);
        grow(&tex, 1 + chance(4));
        lh_formula *f = lh_formula_parse(d.ctx, d.arena, tex.s, tex.n, (lh_place){0});
        const lh_error *e = lh_context_error(d.ctx);
        if (!f && e->kind != LH_ERROR_LIMIT && !strstr(tex.s, "]"))
            fail_msg("%s: %s", tex.s, e->what);
        if (f) {
            lh_formula_lines lines60 = lh_formula_display(d.arena, f, 60);
            n_broken += lh_formula_display(d.arena, f, 10000).width > 60 && lines60.fits;
            check_forms(d, f, tex.s, 60);
            check_forms(d, f, tex.s, 1 + chance(30));
            n_read++;
        }
        desk_free(d);
    }
    assert_true(n_read > times / 2);
    assert_true(n_broken > times / 100); /* some were too wide, and made to fit */
}

/* ---- the notation ---- */

static const char *const steps[][2] = {
    {"P = softmax(Q @ K^T / sqrt(d))", "P = softmax(QKᵀ/√d)"},
    {"Z = S / sqrt(cols(K))", "Z = S/√(cols(K))"},
    {"WO := WO - 0.1 * average(dWO)", "W_O ← W_O − 0.1 ⋅ average(dW_O)"},
    {"Z = (X @ W1 + b1) * gelu(H)", "Z = (XW₁ + b₁) ⊙ gelu(H)"},
    {"x = a - (b - c) - d", "x = a − (b − c) − d"},
    {"x = (a + b)^2 / -c", "x = (a + b)²/(−c)"},
    {"x = -(a + b) @ C", "x = −(a + b)C"},
    {"y = A[1][0] + B[last] + C[][2]", "y = A_(1,0) + B_last + C_(⋅,2)"},
    {"y = [1 -2; 3.5 4]^T", "y = [1 −2; 3.5 4]ᵀ"},
    {"d_k = exp(alpha * 2) > 1", "dₖ = exp(α ⋅ 2) > 1"},
    {"H = attention(Q, K, V, hide = later(Q, K))", "H = attention(Q, K, V, hide = later(Q, K))"},
    {"y = (a / b)^2 * (c / d)", "y = (a/b)² ⊙ c/d"},
    {"y = (A @ B)^T", "y = (AB)ᵀ"},
    {"y = rate * x", "y = rate ⋅ x"},
};

static bool is_rate(void *who, const char *name) {
    (void)who;
    return strcmp(name, "rate") == 0;
}

static void steps_become_formulas(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        desk d = desk_new();
        lh_program *p = lh_program_parse(d.ctx, "test.lh", steps[i][0], strlen(steps[i][0]));
        assert_non_null(p);
        lh_formula *f = lh_formula_from_statement(d.ctx, d.arena, p->statement[0],
                                                  &(lh_formula_names){is_rate, NULL});
        assert_non_null(f);
        assert_string_equal(lh_formula_inline(d.arena, f), steps[i][1]);
        check_forms(d, f, steps[i][0], 60);
        lh_program_free(p);
        desk_free(d);
    }
}

/* Every step of every lesson and model has its formula. */
static void every_program_becomes_formulas(void **state) {
    (void)state;
    int n = 0;
    for (int i = 0; i < lh_n_embedded_files; i++) {
        const lh_embedded *file = &lh_embedded_files[i];
        if (!strstr(file->name, ".lh")) continue;
        desk d = desk_new();
        lh_program *p = lh_program_parse(d.ctx, file->name, file->text, file->length);
        for (int k = 0; p && k < p->n_statements; k++) {
            const lh_statement *s = p->statement[k];
            for (int b = -1; b < s->n_body; b++) {
                const lh_statement *line = b < 0 ? s : s->body[b];
                lh_formula *f = lh_formula_from_statement(d.ctx, d.arena, line, NULL);
                if (f) check_forms(d, f, line->name, 60), n++;
            }
        }
        assert_false(lh_failed(d.ctx));
        lh_program_free(p);
        desk_free(d);
    }
    assert_true(n > 100);
}

static void too_deep_an_expression_is_refused(void **state) {
    (void)state;
    desk d = desk_new();
    lh_text text = lh_text_new(d.arena);
    for (int i = 0; i < 150; i++) lh_text_add(&text, "f(");
    lh_text_add(&text, "x");
    for (int i = 0; i < 150; i++) lh_text_add(&text, ")");
    lh_expr *e = lh_expr_parse(d.ctx, d.arena, text.s, text.n);
    assert_non_null(e);
    assert_null(lh_formula_from_expr(d.ctx, d.arena, e, NULL));
    assert_int_equal(lh_context_error(d.ctx)->kind, LH_ERROR_LIMIT);
    desk_free(d);
}

/* ---- memory, font ---- */

static void each_allocation_fails_once(void **state) {
    (void)state;
    const char *tex =
        "\\frac{\\sum_{i=1}^n x_i}{\\begin{bmatrix} a & b \\\\ c & d \\end{bmatrix}} = \\hat{y}";
    int pieces = 1;
    for (refused = 0; refused <= pieces; refused++) {
        lh_context *ctx = lh_context_new();
        ctx->alloc = alloc_but_one, ctx->release = release_counted;
        asked = 0;
        lh_arena *a = lh_arena_new(ctx);
        lh_formula *f = a ? lh_formula_parse(ctx, a, tex, strlen(tex), (lh_place){0}) : NULL;
        for (int i = 0; f && i < 200; i++) { /* enough to need more memory than at first */
            lh_formula_inline(a, f), lh_formula_spoken(a, f), lh_formula_mathml(a, f, true);
            lh_formula_display(a, f, 60), lh_formula_display(a, f, 5);
        }
        if (!refused) pieces = asked;
        if (refused) assert_true(!a || lh_failed(ctx));
        lh_arena_free(a);
        lh_context_free(ctx);
        assert_int_equal(live, 0);
    }
    refused = 0;
    assert_true(pieces > 5);
}

static void the_font_is_there_or_not_named(void **state) {
    (void)state;
    const lh_embedded *font = lh_embedded_find(LH_FORMULA_FONT);
    const char *css = lh_formula_css();
    assert_non_null(strstr(css, "Latin Modern Math"));
    assert_int_equal(strstr(css, "longhand-math.woff2") != NULL, font != NULL);
    if (!font) return;
    assert_memory_equal(font->text, "wOF2", 4);
    assert_in_range(font->length, 20000, 100000);
}

int main(void) {
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command_is_read),
        cmocka_unit_test(formulas_look_as_they_should),
        cmocka_unit_test(formulas_have_two_dimensions),
        cmocka_unit_test(pages_have_mathml),
        cmocka_unit_test(formulas_are_read_aloud),
        cmocka_unit_test(mistakes_have_a_column),
        cmocka_unit_test(depth_is_refused),
        cmocka_unit_test(random_formulas_are_as_wide_as_they_claim),
        cmocka_unit_test(steps_become_formulas),
        cmocka_unit_test(every_program_becomes_formulas),
        cmocka_unit_test(too_deep_an_expression_is_refused),
        cmocka_unit_test(each_allocation_fails_once),
        cmocka_unit_test(the_font_is_there_or_not_named),
    };
    return cmocka_run_group_tests_name("formula", tests, NULL, NULL);
}
