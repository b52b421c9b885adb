/* golden -- what tests/golden holds of tokenisers: strings, small tokenizer.json files, and hashes of what others made of them.
 *
 *     golden_file(arena, "nasty.json", &n)             its text
 *     golden_tokenizer(ctx, arena, kind)               the tokeniser that an entry of tokenizers.json describes
 *     golden_string(atoms, i, out)                     string number i, the same as in scripts/golden/tokenizers.js
 */
#ifndef LH_TESTS_GOLDEN_H
#define LH_TESTS_GOLDEN_H

#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/utf8.h"
#include "files/tokenizer_file.h"

enum { GOLDEN_STRINGS = 10000, GOLDEN_BLOCK = 100 };

static inline const char *golden_folder(void) {
    const char *root = getenv("LH_SOURCE_ROOT");
    return root ? root : ".";
}

static inline cJSON *golden_json(lh_context *ctx, lh_arena *a, const char *name) {
    size_t n;
    const char *path = lh_printf(a, "%s/tests/golden/%s", golden_folder(), name);
    const char *text = lh_file_read(ctx, a, path, &n);
    return text ? cJSON_ParseWithLength(text, n) : NULL;
}

static inline const cJSON *golden_get(const cJSON *x, const char *name) {
    return cJSON_GetObjectItemCaseSensitive(x, name);
}

/* A token is taken out, with all that hold it and their merges. */
static inline void golden_drop(cJSON *model, const char *token) {
    cJSON *vocab = cJSON_GetObjectItem(model, "vocab"),
          *merges = cJSON_GetObjectItem(model, "merges");
    for (cJSON *x = vocab->child, *next; x; x = next) {
        next = x->next;
        if (strstr(x->string, token)) cJSON_Delete(cJSON_DetachItemViaPointer(vocab, x));
    }
    for (cJSON *x = merges->child, *next; x; x = next) {
        next = x->next;
        char both[200];
        snprintf(both, sizeof both, "%s%s", x->child->valuestring, x->child->next->valuestring);
        if (strstr(both, token)) cJSON_Delete(cJSON_DetachItemViaPointer(merges, x));
    }
}

static inline char *golden_text(lh_context *ctx, lh_arena *a, const cJSON *kind) {
    const char *name = golden_get(kind, "model")->valuestring;
    cJSON *model = golden_json(ctx, a, lh_printf(a, "model-%s.json", name));
    for (const cJSON *x = golden_get(kind, "change")->child; x; x = x->next)
        cJSON_ReplaceItemInObjectCaseSensitive(model, x->string, cJSON_Duplicate(x, 1));
    for (const cJSON *x = golden_get(kind, "drop")->child; x; x = x->next)
        golden_drop(model, x->valuestring);
    cJSON *whole = cJSON_Duplicate(golden_get(kind, "around"), 1);
    cJSON_AddItemToObject(whole, "model", model);
    char *text = cJSON_PrintUnformatted(whole);
    cJSON_Delete(whole);
    return text; /* free it */
}

static inline lh_tokenizer *golden_tokenizer(lh_context *ctx, lh_arena *a, const cJSON *kind) {
    char *text = golden_text(ctx, a, kind);
    const char *name = golden_get(kind, "name")->valuestring;
    lh_tokenizer *t = lh_tokenizer_read_json(ctx, name, text, strlen(text));
    free(text);
    return t;
}

/* ---- strings ---- */

static inline uint32_t golden_draw(uint32_t *state, uint32_t n) {
    *state ^= *state << 13, *state ^= *state >> 17, *state ^= *state << 5;
    return *state % n;
}

/* JavaScript counts in sixteen bits. */
static inline size_t golden_units(const char *s) {
    size_t n = 0;
    for (; *s; s++) n += (size_t)lh_utf8_starts(*s) + (size_t)((unsigned char)*s >= 0xF0);
    return n;
}

static inline void golden_string(const cJSON *atoms, uint32_t i, lh_text *out) {
    static const uint32_t range[][2] = {
        {1, 0x7F},          {0x80, 0x24F},      {0x250, 0x36F},    {0x400, 0x52F},
        {0x5D0, 0x5EA},     {0x621, 0x652},     {0x905, 0x94D},    {0xE01, 0xE3A},
        {0x10D0, 0x10F5},   {0x1100, 0x11F9},   {0x1E00, 0x1EFF},  {0x2000, 0x2BFF},
        {0x3041, 0x3096},   {0x3099, 0x30FF},   {0x3200, 0x32FE},  {0x4E00, 0x9FA5},
        {0xAC00, 0xD7A3},   {0xF900, 0xFA6D},   {0xFB00, 0xFB06},  {0xFE30, 0xFFEF},
        {0x1D400, 0x1D7FF}, {0x1F300, 0x1F64F}, {0x20000, 0x2A6D6}};
    uint32_t state = (i + 1) * 0x9E3779B1u | 1, n_atoms = (uint32_t)cJSON_GetArraySize(atoms);
    const char *atom[1000];
    int k = 0;
    for (const cJSON *x = atoms->child; x; x = x->next) atom[k++] = x->valuestring;
    out->n = 0;
    lh_text_add(out, "%s", "");
    for (uint32_t n = golden_draw(&state, 24); n > 0; n--) {
        uint32_t what = golden_draw(&state, 10);
        if (what < 7) {
            lh_text_add(out, "%s", atom[golden_draw(&state, n_atoms)]);
        } else if (what < 9) {
            const uint32_t *r = range[golden_draw(&state, sizeof range / sizeof *range)];
            char c[4];
            lh_text_add_n(out, c, lh_utf8_write(c, r[0] + golden_draw(&state, r[1] - r[0] + 1)));
        } else {
            const char *s = atom[golden_draw(&state, n_atoms)];
            uint32_t m = 1 + golden_draw(&state, 9);
            for (; m > 0 && golden_units(s) < 8; m--) lh_text_add(out, "%s", s);
        }
        if (golden_draw(&state, 3) == 0) lh_text_add(out, " ");
    }
}

#endif
