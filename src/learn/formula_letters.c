/* formula_letters -- UTF-8, the alphabets of mathematics, raised and lowered letters, widths.
 *
 * Unicode has the bold, double-struck and script letters as blocks of their own, A to Z and a to z in order, but for those
 * that were there before the blocks were (ℝ, ℒ): holes in the block, listed here.
 */
#include <string.h>

#include "base/utf8.h"
#include "learn/formula_internal.h"

size_t lh_utf8_length(const char *s, const char *end) {
    uint32_t c;
    return lh_utf8_read(s, (size_t)(end - s), &c);
}

unsigned lh_utf8_code(const char *s, size_t n) {
    uint32_t c = 0;
    lh_utf8_read(s, n, &c);
    return c;
}

typedef struct block {
    unsigned capital, small, digit, greek_capital, greek_small; /* where each begins, or 0 */
    const char *holes; /* a letter and the one that stands for it, in turn */
} block;

static const block blocks[] = {
    [LH_ALPHABET_BOLD] = {0x1D400, 0x1D41A, 0x1D7CE, 0x1D6A8, 0x1D6C2, ""},
    [LH_ALPHABET_DOUBLE] = {0x1D538, 0x1D552, 0x1D7D8, 0, 0, "CℂHℍNℕPℙQℚRℝZℤ"},
    [LH_ALPHABET_SCRIPT] = {0x1D49C, 0x1D4B6, 0, 0, 0, "BℬEℰFℱHℋIℐLℒMℳRℛeℯgℊoℴ"},
};

static unsigned letter_code(const block *b, unsigned code) {
    if (code >= 'A' && code <= 'Z') return b->capital + code - 'A';
    if (code >= 'a' && code <= 'z') return b->small + code - 'a';
    if (code >= '0' && code <= '9' && b->digit) return b->digit + code - '0';
    if (code >= 0x391 && code <= 0x3A9 && b->greek_capital) return b->greek_capital + code - 0x391;
    if (code >= 0x3B1 && code <= 0x3C9 && b->greek_small) return b->greek_small + code - 0x3B1;
    return code;
}

void lh_formula_letter(lh_alphabet alphabet, const char *s, size_t n, char out[5]) {
    memset(out, 0, 5);
    memcpy(out, s, n < 4 ? n : 4);
    if (alphabet <= LH_ALPHABET_ROMAN) return;
    const block *b = &blocks[alphabet];
    for (const char *hole = b->holes; *hole; hole += 4) /* one byte, then three */
        if (n == 1 && *hole == *s) {
            memcpy(out, hole + 1, 3);
            return;
        }
    lh_utf8_write(out, letter_code(b, lh_utf8_code(s, n)));
}

char *lh_formula_letters(lh_arena *a, const lh_formula *f) {
    lh_text out = lh_text_new(a);
    const char *end = f->text + strlen(f->text);
    for (const char *s = f->text; s < end;) {
        size_t n = lh_utf8_length(s, end);
        char letter[5];
        if (!n) break;
        lh_formula_letter(f->alphabet, s, n, letter);
        lh_text_add(&out, "%s", letter);
        s += n;
    }
    return out.s;
}

/* Pairs: what is written, and the same raised or lowered. */
static const char *const raised[] = {
    "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸",
    "9", "⁹", "+", "⁺", "−", "⁻", "=", "⁼", "(", "⁽", ")", "⁾", "a", "ᵃ", "b", "ᵇ", "c", "ᶜ",
    "d", "ᵈ", "e", "ᵉ", "f", "ᶠ", "g", "ᵍ", "h", "ʰ", "i", "ⁱ", "j", "ʲ", "k", "ᵏ", "l", "ˡ",
    "m", "ᵐ", "n", "ⁿ", "o", "ᵒ", "p", "ᵖ", "r", "ʳ", "s", "ˢ", "t", "ᵗ", "u", "ᵘ", "v", "ᵛ",
    "w", "ʷ", "x", "ˣ", "y", "ʸ", "z", "ᶻ", "A", "ᴬ", "B", "ᴮ", "D", "ᴰ", "E", "ᴱ", "G", "ᴳ",
    "H", "ᴴ", "I", "ᴵ", "J", "ᴶ", "K", "ᴷ", "L", "ᴸ", "M", "ᴹ", "N", "ᴺ", "O", "ᴼ", "P", "ᴾ",
    "R", "ᴿ", "T", "ᵀ", "U", "ᵁ", "V", "ⱽ", "W", "ᵂ", "β", "ᵝ", "γ", "ᵞ", "δ", "ᵟ", "⊤", "ᵀ",
    "′", "′", "∗", "*", "ϕ", "ᵠ", "φ", "ᵠ", "χ", "ᵡ", "θ", "ᶿ", "ℓ", "ˡ", NULL};
static const char *const lowered[] = {
    "0", "₀", "1", "₁", "2", "₂", "3", "₃", "4", "₄", "5", "₅", "6", "₆", "7", "₇",
    "8", "₈", "9", "₉", "+", "₊", "−", "₋", "=", "₌", "(", "₍", ")", "₎", "a", "ₐ",
    "e", "ₑ", "h", "ₕ", "i", "ᵢ", "j", "ⱼ", "k", "ₖ", "l", "ₗ", "m", "ₘ", "n", "ₙ",
    "o", "ₒ", "p", "ₚ", "r", "ᵣ", "s", "ₛ", "t", "ₜ", "u", "ᵤ", "v", "ᵥ", "x", "ₓ",
    "β", "ᵦ", "γ", "ᵧ", "ρ", "ᵨ", "ϕ", "ᵩ", "φ", "ᵩ", "χ", "ᵪ", NULL};

bool lh_formula_shift(lh_text *out, const char *s, bool above) {
    const char *const *pairs = above ? raised : lowered;
    const char *end = s + strlen(s);
    while (s < end) {
        size_t n = lh_utf8_length(s, end);
        int i = 0;
        while (pairs[i] && (strlen(pairs[i]) != n || memcmp(pairs[i], s, n) != 0)) i += 2;
        if (!n || !pairs[i]) return false;
        if (out) lh_text_add(out, "%s", pairs[i + 1]);
        s += n;
    }
    return true;
}

/* Ranges of code points that take no column, and those that take two: what \text may hold in other scripts. */
static const unsigned marks[][2] = {
    {0x300, 0x36F},   {0x483, 0x489},   {0x591, 0x5BD},   {0x610, 0x61A},   {0x64B, 0x65F},
    {0x200B, 0x200F}, {0x2060, 0x2064}, {0x20D0, 0x20F0}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};
static const unsigned wide[][2] = {{0x1100, 0x115F},   {0x2E80, 0x303E},  {0x3041, 0xA4CF},
                                   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},  {0xFE30, 0xFE6F},
                                   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},  {0x1F300, 0x1F64F},
                                   {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};

static bool is_within(const unsigned ranges[][2], size_t n, unsigned code) {
    for (size_t i = 0; i < n; i++)
        if (code >= ranges[i][0] && code <= ranges[i][1]) return true;
    return false;
}

int lh_formula_columns(const char *utf8) {
    const char *end = utf8 + strlen(utf8);
    int columns = 0;
    while (utf8 < end) {
        size_t n = lh_utf8_length(utf8, end);
        unsigned code = n ? lh_utf8_code(utf8, n) : 0xFFFD;
        utf8 += n ? n : 1;
        if (is_within(marks, sizeof marks / sizeof *marks, code)) continue;
        columns += is_within(wide, sizeof wide / sizeof *wide, code) ? 2 : 1;
    }
    return columns;
}
