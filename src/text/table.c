#include "text/table.h"

#include <string.h>

/* Eight bytes at a time: multiply, and bring the high bits down. The length goes in first, so that the zeros behind the last
 * bytes say nothing. */
uint32_t lh_byte_hash(const char *s, size_t n) {
    const uint64_t factor = 0x9E3779B97F4A7C15u;
    uint64_t h = n * factor;
    for (; n >= 8; s += 8, n -= 8) {
        uint64_t eight;
        memcpy(&eight, s, 8);
        h = (h ^ eight) * factor;
        h ^= h >> 32;
    }
    uint64_t rest = 0;
    for (size_t i = 0; i < n; i++) rest |= (uint64_t)(unsigned char)s[i] << (8 * i);
    h = (h ^ rest) * factor;
    return (uint32_t)(h >> 32);
}

static lh_byte_slot *byte_slot(const lh_byte_table *t, const char *s, size_t n, uint32_t hash) {
    size_t i = hash & (t->size - 1);
    for (; t->slot[i].bytes; i = (i + 1) & (t->size - 1)) {
        lh_byte_slot *p = &t->slot[i];
        if (p->hash == hash && p->length == n && memcmp(p->bytes, s, n) == 0) break;
    }
    return &t->slot[i];
}

int lh_byte_find_hashed(const lh_byte_table *t, const char *bytes, size_t n, uint32_t hash) {
    if (!t->size) return -1;
    const lh_byte_slot *p = byte_slot(t, bytes, n, hash);
    return p->bytes ? p->value : -1;
}

int lh_byte_find(const lh_byte_table *t, const char *bytes, size_t n) {
    return lh_byte_find_hashed(t, bytes, n, lh_byte_hash(bytes, n));
}

/* Room for one more; false: no memory. */
static bool byte_grow(lh_byte_table *t) {
    if (t->used * 2 < t->size) return true;
    lh_byte_table more = {.arena = t->arena, .size = t->size ? t->size * 2 : 64, .used = t->used};
    more.slot = lh_alloc_array(t->arena, more.size, sizeof *more.slot);
    if (!more.slot) return false;
    for (size_t i = 0; i < t->size; i++) {
        const lh_byte_slot *p = &t->slot[i];
        if (p->bytes) *byte_slot(&more, p->bytes, p->length, p->hash) = *p;
    }
    *t = more;
    return true;
}

void lh_byte_put(lh_byte_table *t, const char *bytes, size_t n, int value) {
    uint32_t hash = lh_byte_hash(bytes, n);
    if (!byte_grow(t)) return;
    lh_byte_slot *p = byte_slot(t, bytes, n, hash);
    if (!p->bytes) t->used++;
    *p = (lh_byte_slot){bytes, n, hash, value};
}

static bool pair_grow(lh_pair_table *t) {
    if (t->used * 2 < t->size) return true;
    lh_pair_table more = {.arena = t->arena, .size = t->size ? t->size * 2 : 64, .used = t->used};
    more.slot = lh_alloc_array(t->arena, more.size, sizeof *more.slot);
    if (!more.slot) return false;
    for (size_t i = 0; i < t->size; i++) {
        const lh_pair_slot *p = &t->slot[i];
        if (p->value) *lh_pair_place(&more, p->left, p->right) = *p;
    }
    *t = more;
    return true;
}

void lh_pair_put(lh_pair_table *t, int left, int right, int value) {
    if (!pair_grow(t)) return;
    lh_pair_slot *p = lh_pair_place(t, left, right);
    if (!p->value) t->used++;
    *p = (lh_pair_slot){left, right, value + 1};
}
