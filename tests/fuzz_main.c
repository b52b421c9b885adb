/* A main for fuzz targets where there is no libFuzzer: every file of a folder as it is, then changed by chance (the same
 * chance every time) so many times. Prints TAP; what is wrong aborts.
 *
 *     fuzz_parse_main tests/corpus/parse 200
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_FILES = 1000, MAX_SIZE = 1 << 16 };

typedef struct seed {
    uint8_t *data;
    size_t size;
} seed;

static seed seeds[MAX_FILES];
static int n_seeds;
static uint64_t state = 1;

static size_t chance(size_t n) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (size_t)(state % (n ? n : 1));
}

static void read_seed(const char *folder, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "rb");
    seed *s = &seeds[n_seeds];
    if (!f) return;
    s->data = malloc(MAX_SIZE);
    s->size = s->data ? fread(s->data, 1, MAX_SIZE, f) : 0;
    fclose(f);
    if (s->data) n_seeds++;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* In the order of their names: a folder has none of its own. */
static void read_seeds(const char *folder) {
    char *names[MAX_FILES];
    int n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && n < MAX_FILES && (e = readdir(d));)
        if (e->d_name[0] != '.') names[n++] = strdup(e->d_name);
    if (d) closedir(d);
    qsort(names, (size_t)n, sizeof *names, by_name);
    for (int i = 0; i < n; i++) read_seed(folder, names[i]), free(names[i]);
}

static bool is_word(uint8_t c) {
    return c == '_' || c == '.' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
           (c >= 'a' && c <= 'z');
}

/* A piece of a text around a place: the word there, or the whole line. */
static void piece_at(const uint8_t *x, size_t n, size_t at, bool line, size_t *from, size_t *to) {
    *from = *to = at;
    while (*from > 0 && (line ? x[*from - 1] != '\n' : is_word(x[*from - 1]))) --*from;
    while (*to < n && (line ? x[*to] != '\n' : is_word(x[*to]))) ++*to;
    if (line && *to < n) ++*to;
}

/* x[from .. to) becomes another piece. */
static size_t replace(uint8_t *x, size_t n, size_t from, size_t to, const uint8_t *by, size_t len) {
    uint8_t piece[4096];
    if (len > sizeof piece || n - (to - from) + len > MAX_SIZE) return n;
    memcpy(piece, by, len);
    memmove(x + from + len, x + to, n - to);
    memcpy(x + from, piece, len);
    return n - (to - from) + len;
}

/* One change: a word or a line by another, twice, or left out; a sign; now and then a byte. Words and lines keep most texts
 * readable, so that what comes after the parser has work, too. */
static size_t change(uint8_t *x, size_t n) {
    static const char *const signs[] = {
        "+",   "-",     "*",     "/",     "@",          "^",         "^T",          "[last]",
        "[0]", "[][1]", "(",     ")",     ",",          "=",         ";",           "\n",
        " ",   "0",     "-1",    "1e308", "2",          "999999999", "nan",         "inf",
        " x ", "#",     "\"A\"", "1000",  "[1 2; 3 4]", "end\n",     "backward L\n"};
    const seed *other = &seeds[chance((size_t)n_seeds)];
    size_t at = chance(n), from, to, a, b;
    if (!n || !other->size) return n;
    bool line = chance(3) == 0;
    piece_at(x, n, at, line, &from, &to);
    piece_at(other->data, other->size, chance(other->size), line, &a, &b);
    switch (chance(12)) {
    case 0: return replace(x, n, from, to, x, 0);
    case 1: return replace(x, n, to, to, x + from, to - from);
    case 2: return replace(x, n, line ? from : to, to, other->data + a, b - a);
    case 3:
    case 4: {
        const char *sign = signs[chance(sizeof signs / sizeof *signs)];
        return replace(x, n, at, chance(2) ? at + 1 : at, (const uint8_t *)sign, strlen(sign));
    }
    case 5: x[at] = (uint8_t)chance(256); return n;
    case 6:
    case 7: { /* a word of the same text */
        piece_at(x, n, chance(n), false, &a, &b);
        piece_at(x, n, at, false, &from, &to);
        return from == to || a == b ? n : replace(x, n, from, to, x + a, b - a);
    }
    case 8: /* a line of the same text somewhere else */
        piece_at(x, n, chance(n), true, &a, &b);
        piece_at(x, n, at, true, &from, &to);
        return replace(x, n, from, from, x + a, b - a);
    default: return from == to || a == b ? n : replace(x, n, from, to, other->data + a, b - a);
    }
}

int main(int argc, char **argv) {
    static uint8_t x[MAX_SIZE];
    long times = argc > 2 ? strtol(argv[2], NULL, 10) : 100, done = 0;
    if (argc > 1) read_seeds(argv[1]);
    if (!n_seeds) { /* bytes, as good as any */
        for (n_seeds = 0; n_seeds < 50; n_seeds++) {
            seed *s = &seeds[n_seeds];
            s->size = 1 + chance(64);
            s->data = malloc(s->size);
            for (size_t i = 0; s->data && i < s->size; i++) s->data[i] = (uint8_t)chance(256);
            if (!s->data) break;
        }
    }
    for (int i = 0; i < n_seeds; i++)
        for (long k = 0; k <= times; k++, done++) {
            size_t n = seeds[i].size;
            memcpy(x, seeds[i].data, n);
            for (size_t c = k ? 1 + chance(3) : 0; c > 0; c--) n = change(x, n);
            uint8_t *exact = malloc(n ? n : 1); /* so that a sanitizer sees where it ends */
            if (!exact) return 1;
            memcpy(exact, x, n);
            LLVMFuzzerTestOneInput(exact, n);
            free(exact);
        }
    for (int i = 0; i < n_seeds; i++) free(seeds[i].data);
    printf("1..1\nok 1 - %ld inputs\n", done);
    return 0;
}
