#include "base/index.h"

#include <stdint.h>
#include <string.h>

static size_t hash(const char *text, size_t length) {
    uint32_t h = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)text[i]) * 16777619u;
    return h ^ h >> 15;
}

/* Where the text is, or the free place where it would be. */
static lh_index_entry *find(const lh_index *x, const char *text, size_t length) {
    for (size_t i = hash(text, length);; i++) {
        lh_index_entry *e = &x->slot[i & (x->n_slots - 1)];
        if (!e->text || (e->length == length && memcmp(e->text, text, length) == 0)) return e;
    }
}

static bool grow(lh_index *x) {
    if (2 * (x->n + 1) <= x->n_slots) return true;
    lh_index old = *x;
    size_t n_slots = old.n_slots ? 2 * old.n_slots : 16;
    lh_index_entry *slot = lh_alloc_array(x->arena, n_slots, sizeof *slot);
    if (!slot) return false;
    x->slot = slot;
    x->n_slots = n_slots;
    for (size_t i = 0; i < old.n_slots; i++)
        if (old.slot[i].text) *find(x, old.slot[i].text, old.slot[i].length) = old.slot[i];
    return true;
}

int lh_index_add(lh_index *x, const char *text, size_t length, int number) {
    if (!grow(x)) return -1;
    lh_index_entry *e = find(x, text, length);
    if (e->text) return e->number;
    *e = (lh_index_entry){text, length, number};
    x->n++;
    return -1;
}

void lh_index_set(lh_index *x, const char *text, size_t length, int number) {
    if (lh_index_add(x, text, length, number) >= 0) find(x, text, length)->number = number;
}
