#include <string.h>

#include "base/number.h"
#include "cli/tokens.h"

/* ---- pieces ---- */

static char *text_of(const lh_tokenizer *t, lh_arena *arena, int id) {
    return lh_token_text(arena, t->token[id].bytes, t->token[id].length);
}

static void print_in_ink(const lh_cli *cli, lh_ink ink, const char *text) {
    lh_ink_print(cli, stdout, ink, "%s", text);
}

/* ---- a text ---- */

static int digits_of(int n) {
    return snprintf(NULL, 0, "%d", n);
}

/* How many columns a token takes: the wider of its piece and its id. */
static int width_of(const lh_tokenizer *t, lh_arena *arena, int id) {
    int piece = lh_columns(text_of(t, arena, id)), number = digits_of(id);
    return piece > number ? piece : number;
}

/* As many tokens as fit into a line: the pieces, and below them the ids. Returns how many. */
static size_t print_line(lh_cli *cli, lh_arena *arena, const lh_tokenizer *t, const int *ids,
                         size_t n) {
    size_t count = 0;
    int at = 0;
    while (count < n) {
        int width = width_of(t, arena, ids[count]);
        if (count && at + width > cli->width) break;
        at += width + 2;
        count++;
    }
    for (int row = 0; row < 2; row++) {
        for (size_t i = 0; i < count; i++) {
            const char *text = row ? lh_printf(arena, "%d", ids[i]) : text_of(t, arena, ids[i]);
            int pad = i + 1 < count ? width_of(t, arena, ids[i]) - lh_columns(text) + 2 : 0;
            print_in_ink(cli, row ? LH_INK_QUIET : LH_INK_NAME, text);
            printf("%*s", pad, "");
        }
        fputc('\n', stdout);
    }
    return count;
}

void lh_tokens_print(lh_cli *cli, const lh_tokenizer *t, const int *ids, size_t n) {
    for (size_t i = 0; i < n && !ferror(stdout);) {
        lh_arena *arena = lh_arena_new(cli->ctx);
        if (!arena) return;
        i += print_line(cli, arena, t, ids + i, n - i);
        if (i < n) fputc('\n', stdout);
        lh_arena_free(arena);
    }
}

void lh_tokens_tell(size_t bytes, size_t n) {
    printf("\n%zu byte%s, %zu token%s", bytes, LH_PLURAL(bytes), n, n == 1 ? "" : "s");
    if (n) printf(": %.2f bytes a token", (double)bytes / (double)n);
    fputc('\n', stdout);
}

/* ---- a vocabulary ---- */

enum { SHOWN = 20 };

/* Which merge makes a token, or -1; the first where there are several. */
static int *makers(const lh_tokenizer *t, lh_arena *arena) {
    int *maker = lh_alloc_array(arena, (size_t)t->n_tokens, sizeof *maker);
    for (int i = 0; maker && i < t->n_tokens; i++) maker[i] = -1;
    for (int i = t->n_merges - 1; maker && i >= 0; i--) maker[t->merge[i].made] = i;
    return maker;
}

static void print_token(const lh_cli *cli, lh_arena *arena, const lh_tokenizer *t, int id,
                        const int *maker) {
    static const char *const role[] = {"", "a byte", "special", "stands for the unknown"};
    const char *text = text_of(t, arena, id);
    int pad = 20 - lh_columns(text);
    printf("  %*d  ", digits_of(t->n_tokens - 1), id);
    print_in_ink(cli, LH_INK_NAME, text);
    if (maker[id] >= 0) {
        const lh_merge *m = &t->merge[maker[id]];
        printf("%*s  = %s + %s", pad > 0 ? pad : 0, "", text_of(t, arena, m->left),
               text_of(t, arena, m->right));
    } else if (t->token[id].role != LH_TOKEN_PLAIN) {
        printf("%*s  %s", pad > 0 ? pad : 0, "", role[t->token[id].role]);
    }
    fputc('\n', stdout);
}

static int print_specials(const lh_tokenizer *t) {
    for (int i = 0; i < t->n_specials; i++)
        printf("%s%s %d", i ? ", " : "   special: ", t->token[t->special[i]].bytes, t->special[i]);
    return printf("\n");
}

/* Where the interesting ones begin: bpe learned its first merge behind the bytes. */
static int first_learned(const lh_tokenizer *t) {
    return t->n_merges ? t->merge[0].made : 0;
}

void lh_tokens_show(lh_cli *cli, const lh_tokenizer *t, bool all) {
    lh_arena *arena = lh_arena_new(cli->ctx);
    int *maker = arena ? makers(t, arena) : NULL;
    size_t bytes = 0, plain = 0;
    int longest = -1, first = all ? 0 : first_learned(t), shown = 0;
    for (int i = 0; i < t->n_tokens; i++) {
        if (t->token[i].role != LH_TOKEN_PLAIN) continue;
        bytes += t->token[i].length, plain++;
        if (longest < 0 || t->token[i].length > t->token[longest].length) longest = i;
    }
    printf("%s   %d token%s", lh_tokenizer_kind_name(t->kind), t->n_tokens, LH_PLURAL(t->n_tokens));
    if (t->n_merges) printf(", %d merge%s", t->n_merges, LH_PLURAL(t->n_merges));
    print_specials(t);
    if (plain)
        printf("a token of text has %.2f bytes on average, the longest %zu: %s\n",
               (double)bytes / (double)plain, t->token[longest].length, text_of(t, arena, longest));
    fputc('\n', stdout);
    for (int i = first; maker && i < t->n_tokens && (all || shown < SHOWN); i++, shown++)
        print_token(cli, arena, t, i, maker);
    if (shown < t->n_tokens)
        printf("  %d more: longhand tokens show FOLDER --all\n", t->n_tokens - shown);
    lh_arena_free(arena);
}
