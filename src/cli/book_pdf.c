/* book_pdf -- all lessons on one page, printed by Chromium.
 *
 * Page numbers in the contents: CSS can ask for them (target-counter), Chromium cannot answer. So the page is printed twice.
 * The first PDF says where each linked place lies: its catalogue has a table /Dests from names to objects of pages, and /Kids
 * lists those objects in order, both in plain text. The second printing has the numbers in the contents, in room that
 * was kept for them, so that nothing moves.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/book.h"

/* ---- the page ---- */

static void put_lessons(lh_book *b, FILE *out) {
    const char *part = NULL;
    for (int i = 0; i < b->n_lessons; i++) {
        const lh_book_lesson *l = &b->lesson[i];
        if (!part || strcmp(part, l->part) != 0)
            lh_html_in(out, "<h1 class=\"part\">", l->part, "</h1>\n");
        part = l->part;
        fputs("<article>\n", out);
        fputs(l->whole, out);
        fputs("</article>\n", out);
    }
}

/* page[i]: of lesson i; NULL: not known yet. */
static char *write_whole(lh_book *b, const int *page, size_t *length) {
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    int *blank = lh_alloc_array(b->arena, (size_t)b->n_lessons + 1, sizeof *blank);
    if (!out || !blank) {
        if (out) fclose(out);
        free(text);
        return NULL;
    }
    fputs("<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\" "
          "class=\"whole\">\n"
          "<head>\n<meta charset=\"utf-8\" />\n<title>Longhand</title>\n",
          out);
    fputs("<link rel=\"stylesheet\" href=\"book.css\" />\n"
          "<link rel=\"stylesheet\" href=\"pictures.css\" />\n"
          "</head>\n<body>\n<section class=\"cover\"><p class=\"book\">Longhand</p>\n"
          "<p>Transformers, worked out by hand and at full speed</p></section>\n"
          "<nav class=\"contents\">\n<h1>Contents</h1>\n",
          out);
    lh_book_contents(b, out, true, page ? page : blank);
    fputs("</nav>\n<main>\n", out);
    put_lessons(b, out);
    fputs("</main>\n</body>\n</html>\n", out);
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}

/* ---- Chromium ---- */

static const char *const browsers[] = {"chromium", "chromium-browser", "google-chrome",
                                       "google-chrome-stable", NULL};

/* The first browser on the PATH; NULL: none. */
static const char *find_browser(lh_arena *a) {
    const char *path = getenv("PATH");
    for (int i = 0; browsers[i] && path; i++)
        for (const char *s = path; *s;) {
            size_t n = strcspn(s, ":");
            char *file = lh_printf(a, "%.*s/%s", (int)n, s, browsers[i]);
            if (access(file, X_OK) == 0) return file;
            s += n + (s[n] == ':');
        }
    return NULL;
}

/* A path may hold what means something else in a URL. */
static char *file_url(lh_arena *a, const char *path) {
    lh_text t = lh_text_new(a);
    lh_text_add(&t, "file://");
    for (; *path; path++) {
        unsigned char c = (unsigned char)*path;
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || (c && strchr("/._-~", c));
        lh_text_add(&t, is_plain ? "%c" : "%%%02X", c);
    }
    return t.s;
}

/* Its talk goes nowhere: it complains about desktops that are not there. */
static bool print_page(lh_book *b, const char *browser, const char *html, const char *pdf,
                       const char *profile) {
    char *to = lh_printf(b->arena, "--print-to-pdf=%s", pdf), *from = file_url(b->arena, html),
         *own = lh_printf(b->arena, "--user-data-dir=%s", profile);
    const char *const words[] = {browser,
                                 "--headless",
                                 "--disable-gpu",
                                 "--disable-dev-shm-usage",
                                 "--no-first-run",
                                 "--disable-background-networking",
                                 "--no-pdf-header-footer",
                                 "--generate-pdf-document-outline",
                                 own,
                                 to,
                                 from,
                                 geteuid() == 0 ? "--no-sandbox" : NULL, /* root gets no sandbox */
                                 NULL};
    fflush(NULL);
    remove(pdf);
    pid_t child = fork();
    if (child < 0) return false;
    if (child == 0) {
        int nowhere = open("/dev/null", O_RDWR);
        if (nowhere >= 0) dup2(nowhere, 0), dup2(nowhere, 1), dup2(nowhere, 2);
        execv(browser, (char *const *)words);
        _exit(127);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 && access(pdf, F_OK) == 0;
}

/* ---- page numbers ---- */

/* PDFs have bytes that are 0: strstr does not do. */
static const char *find_bytes(const char *s, const char *end, const char *what) {
    size_t n = strlen(what);
    for (; s + n <= end; s++) {
        s = memchr(s, what[0], (size_t)(end - s));
        if (!s || s + n > end) return NULL;
        if (memcmp(s, what, n) == 0) return s;
    }
    return NULL;
}

/* The page of an object: its place among the leaves of the tree of pages. Inner nodes have a /Count. */
typedef struct pages {
    lh_arena *arena;
    const char *text, *end;
    int *object; /* of page 1, 2 ... */
    int n;
} pages;

static const char *object_text(const pages *p, int number) {
    const char *head = lh_printf(p->arena, "\n%d 0 obj", number);
    const char *s = find_bytes(p->text, p->end, head);
    return s ? s + strlen(head) : NULL;
}

static void add_kids(pages *p, int object, int depth) {
    const char *s = object_text(p, object), *end = s ? find_bytes(s, p->end, "endobj") : NULL;
    if (!end || depth > 32) return;
    const char *kids = find_bytes(s, end, "/Kids");
    if (!kids) {
        *lh_push(p->arena, p->object, p->n) = object;
        return;
    }
    const char *open = memchr(kids, '[', (size_t)(end - kids));
    for (s = open ? open + 1 : end; s < end && *s != ']';) {
        char *next;
        long kid = strtol(s, &next, 10);
        if (next == s) return;
        add_kids(p, (int)kid, depth + 1);
        s = find_bytes(next, end, "R");
        if (!s) return;
        for (s++; s < end && (*s == ' ' || *s == '\n'); s++) {}
    }
}

static int reference(const char *s, const char *end, const char *key) {
    const char *at = s ? find_bytes(s, end, key) : NULL;
    return at ? (int)strtol(at + strlen(key), NULL, 10) : 0;
}

/* For each lesson the page on which its title stands; false: the PDF does not say. */
static bool find_pages(lh_book *b, const char *pdf, int *page) {
    size_t length;
    char *text = lh_file_read(b->cli->ctx, b->arena, pdf, &length);
    if (!text) return false;
    pages p = {.arena = b->arena, .text = text, .end = text + length};
    const char *catalog = find_bytes(text, p.end, "/Type /Catalog");
    int root = reference(catalog, p.end, "/Pages "), table = reference(catalog, p.end, "/Dests ");
    const char *names = table ? object_text(&p, table) : NULL,
               *names_end = names ? find_bytes(names, p.end, "endobj") : NULL;
    if (!root || !names_end) return false;
    add_kids(&p, root, 0);
    for (int i = 0; i < b->n_lessons; i++) {
        const char *key = lh_printf(b->arena, "/%s--top [", b->lesson[i].name);
        int object = reference(names, names_end, key);
        page[i] = 0;
        for (int k = 0; k < p.n; k++)
            if (p.object[k] == object) page[i] = k + 1;
        if (!object || !page[i]) return false;
    }
    return true;
}

/* ---- both ---- */

/* Chromium's profile: nothing of ours is in it. */
static void remove_folder(const char *folder) {
    pid_t child = fork();
    if (child == 0) {
        execlp("rm", "rm", "-rf", "--", folder, (char *)NULL);
        _exit(127);
    }
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
}

static bool print_twice(lh_book *b, const char *browser, const char *html, const char *pdf,
                        const char *profile) {
    int *page = lh_alloc_array(b->arena, (size_t)b->n_lessons + 1, sizeof *page);
    for (int pass = 0; page && pass < 2; pass++) {
        size_t length = 0;
        char *text = write_whole(b, pass ? page : NULL, &length);
        bool ok = text && lh_cli_write_file(b->cli, html, text, length);
        free(text);
        if (!ok) return false;
        if (!print_page(b, browser, html, pdf, profile)) {
            lh_cli_fail(b->cli, "%s could not print the book", browser);
            return false;
        }
        if (pass == 0 && !find_pages(b, pdf, page)) {
            lh_cli_fail(b->cli, "%s printed a PDF that does not say on which pages the lessons are",
                        browser);
            return false;
        }
    }
    return page != NULL;
}

int lh_book_pdf(lh_book *b, const char *folder) {
    const char *browser = find_browser(b->arena);
    if (!browser) {
        lh_cli_fail(b->cli, "the PDF is printed by Chromium, and there is none on the PATH");
        fputs(
            "install chromium (Debian: apt-get install chromium), or print index.html from another "
            "browser; the pages are written\n",
            stderr);
        return LH_EXIT_FAILED;
    }
    char here[4096] = "", profile[] = "/tmp/longhand-book-XXXXXX";
    if ((folder[0] != '/' && !getcwd(here, sizeof here)) || !mkdtemp(profile))
        return lh_cli_fail(b->cli, "%s: %s", folder, strerror(errno));
    char *path = lh_printf(b->arena, "%s%s%s", here, *here ? "/" : "", folder),
         *html = lh_printf(b->arena, "%s/.whole-%ld.html", path, (long)getpid()),
         *made = lh_printf(b->arena, "%s/.book-%ld.pdf", path, (long)getpid()),
         *pdf = lh_printf(b->arena, "%s/book.pdf", path);
    bool ok = print_twice(b, browser, html, made, profile);
    if (ok && rename(made, pdf)) {
        lh_cli_fail(b->cli, "%s cannot be written: %s", pdf, strerror(errno));
        ok = false;
    }
    remove(made);
    remove(html);
    remove_folder(profile);
    if (ok) fprintf(stderr, "%s/book.pdf\n", folder);
    return ok ? LH_EXIT_YES : LH_EXIT_FAILED;
}
