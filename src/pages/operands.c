#include "pages/operands.h"

#include <ctype.h>
#include <string.h>

#include "base/number.h"
#include "pages/html.h"

typedef struct gathering {
    lh_arena *a;
    const lh_addressed *from;
    int digits;
    lh_operand *list;
    int n;
} gathering;

static void gather(gathering *x, const lh_term *term) {
    if (term->kind == LH_TERM_CELL && term->node->step && x->n < LH_MOST_OPERANDS) {
        char text[LH_NUMBER_MAX];
        lh_number_text(text, sizeof text, term->value, x->digits);
        *lh_push(x->a, x->list, x->n) =
            (lh_operand){.node = term->node,
                         .at = lh_address_of(x->a, x->from, term->node, term->at),
                         .text = lh_printf(x->a, "%s", text),
                         .value = term->value};
    }
    for (int i = 0; i < term->n_parts; i++) gather(x, term->part[i]);
}

lh_operand *lh_operands_of(lh_arena *a, const lh_addressed *from, const lh_term *term, int digits,
                           int *n) {
    gathering x = {.a = a, .from = from, .digits = digits};
    gather(&x, term);
    *n = x.n;
    return x.list;
}

/* Not a part of a longer number: 1 is not in 0.1, nor in 1.5. */
static bool is_whole(const char *text, const char *at, size_t n) {
    const char before = at > text ? at[-1] : ' ', after = at[n];
    return !isalnum((unsigned char)before) && before != '.' && before != ']' &&
           !isalnum((unsigned char)after) && after != '[' &&
           !(after == '.' && isdigit((unsigned char)at[n + 1]));
}

static const char *find_whole(const char *text, const char *from, const char *wanted) {
    const size_t n = strlen(wanted);
    for (const char *at = strstr(from, wanted); n && at; at = strstr(at + 1, wanted))
        if (is_whole(text, at, n)) return at;
    return NULL;
}

void lh_put_operands(lh_text *out, const char *text, const lh_operand *list, int n) {
    const char *from = text;
    for (int i = 0; i < n; i++) {
        const char *at = list[i].at ? find_whole(text, from, list[i].text) : NULL;
        if (!at) continue;
        lh_put_xml(out, lh_copy(out->arena, from, (size_t)(at - from)));
        lh_put_in(out, "<span class=\"n\" data-at=\"", list[i].at, "\">");
        lh_put_in(out, "", list[i].text, "</span>");
        from = at + strlen(list[i].text);
    }
    lh_put_xml(out, from);
}
