/* A main for fuzz targets where there is no libFuzzer: every file of a folder as it is, then changed by chance (the same
 * chance every time) so many times. Prints TAP; what is wrong aborts.
 *
 *     fuzz_parse_main tests/corpus/parse 200
 */
#include <dirent.h>
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

/* One change: a byte, a piece left out, a piece twice, a piece of another file, a number. */
static size_t change(uint8_t *x, size_t n) {
    static const char *const words[] = {
        "0",      "-1", "1e308", "999999999", "nan",        "inf",          "^T",
        "[last]", "\n", "(",     ")",         "[1 2; 3 4]", "backward L\n", "end\n",
        "rows",   "@",  " x ",   "#",         "\"A\"",      "1000"};
    size_t at = chance(n), len = 1 + chance(20);
    const uint8_t *from = NULL;
    switch (chance(6)) {
    case 0:
        if (n) x[at] = (uint8_t)chance(256);
        return n;
    case 1:
        if (at + len > n) return n;
        memmove(x + at, x + at + len, n - at - len);
        return n - len;
    case 2:
        if (len > n) return n;
        from = x + chance(n - len);
        break;
    case 3: {
        const seed *s = &seeds[chance((size_t)n_seeds)];
        len = 1 + chance(80);
        if (len > s->size) return n;
        from = s->data + chance(s->size - len);
        break;
    }
    default: {
        const char *w = words[chance(sizeof words / sizeof *words)];
        len = strlen(w);
        from = (const uint8_t *)w;
        break;
    }
    }
    uint8_t piece[128];
    if (n + len > MAX_SIZE || len > sizeof piece) return n;
    memcpy(piece, from, len);
    memmove(x + at + len, x + at, n - at);
    memcpy(x + at, piece, len);
    return n + len;
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
            for (size_t c = k ? 1 + chance(5) : 0; c > 0; c--) n = change(x, n);
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
