/* embed -- writes files into a C table (base/embedded.h). Runs while the program is built.
 *
 *     embed OUT.c OUT.d ROOT src/notation:.lh lessons:.md math.woff2=/build/math.woff2 ...
 *
 * NAME=FILE is one file, of any place, under that name. lessons:.md is every file of ROOT/lessons that ends in .md. The folders are named in OUT.d
 * together with the files: a folder's time changes when a file comes or goes, so that ninja runs us
 * again without being configured anew. A folder that does not exist yet has no files; its parent is
 * watched in its place.
 *
 * Bytes are written as numbers, since a C string literal may be limited to 4095 characters.
 */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
    char *path; /* from ROOT, or from / */
    const char *name;
    char *own; /* the name, where it is no part of the path */
} entry;

static entry *entries;
static size_t n_entries;

static void fail(const char *what, const char *about) {
    fprintf(stderr, "embed: %s: %s: %s\n", about, what, strerror(errno));
    exit(1);
}

static char *join(const char *a, size_t n, const char *b) {
    size_t size = n + strlen(b) + 2;
    char *s = malloc(size);
    if (!s) fail("out of memory", b);
    snprintf(s, size, "%.*s/%s", (int)n, a, b);
    return s;
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const entry *)a)->name, ((const entry *)b)->name);
}

static void add(char *path, const char *name, char *own) {
    entry *more = realloc(entries, (n_entries + 1) * sizeof *entries);
    if (!more) fail("out of memory", path);
    entries = more;
    entries[n_entries++] = (entry){path, name, own};
}

/* What lies beside the code, what pages are made of and the order of the lessons go by their names alone. */
static void add_found(char *path) {
    const char *dot = strrchr(path, '.');
    bool is_ours = strncmp(path, "src/", 4) == 0 || strncmp(path, "web/", 4) == 0 ||
                   (dot && strcmp(dot, ".txt") == 0);
    add(path, is_ours ? strrchr(path, '/') + 1 : path, NULL);
}

static void add_file(const char *argument) {
    const char *equals = strchr(argument, '=');
    char *path = strdup(equals + 1), *name = strdup(argument);
    if (!path || !name) fail("out of memory", argument);
    name[equals - argument] = 0;
    add(path, name, name);
}

static void add_folder(const char *root, const char *pattern, FILE *watch) {
    size_t n = strcspn(pattern, ":");
    const char *ending = pattern[n] ? pattern + n + 1 : "";
    char *folder = join(root, strlen(root), pattern);
    folder[strlen(root) + 1 + n] = 0;
    DIR *d = opendir(folder);
    if (!d) *strrchr(folder, '/') = 0;
    fprintf(watch, " %s", folder);
    for (struct dirent *f; d && (f = readdir(d));) {
        size_t length = strlen(f->d_name), tail = strlen(ending);
        if (f->d_name[0] == '.' || length <= tail) continue;
        if (strcmp(f->d_name + length - tail, ending) == 0) add_found(join(pattern, n, f->d_name));
    }
    if (d) closedir(d);
    free(folder);
}

static size_t write_bytes(FILE *out, const char *path, size_t number) {
    FILE *in = fopen(path, "rb");
    if (!in) fail("cannot be opened", path);
    size_t length = 0;
    fprintf(out, "static const unsigned char file%zu[] = {", number);
    for (int c; (c = getc(in)) != EOF; length++)
        fprintf(out, "%s%d,", length % 32 == 0 ? "\n" : "", c);
    fprintf(out, "0};\n");
    if (ferror(in)) fail("cannot be read", path);
    fclose(in);
    return length;
}

static void write_table(FILE *out, const char *root, FILE *watch) {
    size_t *length = calloc(n_entries + 1, sizeof *length);
    if (!length) fail("out of memory", root);
    fprintf(out, "#include \"base/embedded.h\"\n");
    for (size_t i = 0; i < n_entries; i++) {
        bool is_absolute = entries[i].path[0] == '/';
        char *path = is_absolute ? join("", 0, entries[i].path + 1)
                                 : join(root, strlen(root), entries[i].path);
        length[i] = write_bytes(out, path, i);
        fprintf(watch, " %s", path);
        free(path);
    }
    fprintf(out, "const lh_embedded lh_embedded_files[] = {\n");
    for (size_t i = 0; i < n_entries; i++)
        fprintf(out, "    {\"%s\", (const char *)file%zu, %zu},\n", entries[i].name, i, length[i]);
    fprintf(out, "    {NULL, NULL, 0},\n};\nconst int lh_n_embedded_files = %zu;\n", n_entries);
    free(length);
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: embed OUT.c OUT.d ROOT FOLDER:ENDING... NAME=FILE...\n");
        return 2;
    }
    FILE *out = fopen(argv[1], "w"), *watch = fopen(argv[2], "w");
    if (!out || !watch) fail("cannot be written", argv[1]);
    fprintf(watch, "%s:", argv[1]);
    for (int i = 4; i < argc; i++)
        if (strchr(argv[i], '='))
            add_file(argv[i]);
        else
            add_folder(argv[3], argv[i], watch);
    if (n_entries) qsort(entries, n_entries, sizeof *entries, by_name);
    write_table(out, argv[3], watch);
    fprintf(watch, "\n");
    if (fclose(out) || fclose(watch)) fail("cannot be written", argv[1]);
    for (size_t i = 0; i < n_entries; i++) free(entries[i].path), free(entries[i].own);
    free(entries);
    return 0;
}
