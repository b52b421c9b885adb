/* Statements that hold words as they stand: vocab, example, text.
 *
 * The words are read from behind the token in hand, so nothing here looks at a token between the
 * keyword (or the =) and the end of the line.
 */
#include "notation/parser.h"

#include <limits.h>
#include <string.h>

static bool is_whole(const char *s) {
    return *s && s[strspn(s, "0123456789")] == 0;
}

static void word_add(lh_parser *p, const char ***list, int *n, const char *word) {
    *lh_push(p->lx.arena, *list, *n) = word;
}

static void no_arrow(lh_parser *p, lh_word w) {
    if (w.kind == LH_W_ARROW)
        lh_parser_fail(p, w.at, "write \"->\" in quotes if it is a word",
                       "the arrow is only allowed in `example words -> words`");
}

static void vocab_count(lh_parser *p, lh_statement *s, lh_place at) {
    s->count = (int)lh_parser_whole(p, s->word[0], at, INT_MAX);
    if (s->count == 0)
        lh_parser_fail(p, at, "vocab 65 is the number of tokens",
                       "a vocabulary has at least one token");
    s->n_words = 0;
    s->word = NULL;
}

/* vocab 65 is a count; vocab "65" is a word. */
static void vocab_words(lh_parser *p, lh_statement *s) {
    lh_word w, first = {.kind = LH_W_END};
    while ((w = lh_lexer_word(&p->lx, false)).kind != LH_W_END) {
        no_arrow(p, w);
        if (s->n_words == 0) first = w;
        word_add(p, &s->word, &s->n_words, w.text);
    }
    if (lh_failed(p->lx.ctx)) return;
    if (s->n_words == 0)
        lh_parser_fail(p, s->at, "vocab A B C, or vocab 65, or vocab file(\"words.txt\")",
                       "the words of the vocabulary are missing");
    else if (s->n_words == 1 && first.kind == LH_W_PLAIN && is_whole(s->word[0]))
        vocab_count(p, s, first.at);
}

/* With a name, the `=` behind it is in hand when the words are read. */
void lh_read_vocab(lh_parser *p, lh_statement *s) {
    if (lh_lexer_sees_binding(&p->lx)) {
        lh_lexer_next(&p->lx);
        s->name_at = p->lx.tok.at;
        s->name = lh_parse_name(p, "the name of the vocabulary");
    }
    if (lh_lexer_sees_file(&p->lx)) {
        lh_lexer_next(&p->lx);
        s->file = lh_parse_expr(p);
        if (s->file->kind != LH_E_CALL)
            lh_parser_fail(p, s->file->at, "vocab file(\"words.txt\")",
                           "a vocabulary consists of words, a number or one file(...)");
        return;
    }
    vocab_words(p, s);
    lh_lexer_next(&p->lx);
}

static void words_missing(lh_parser *p, lh_place at) {
    lh_parser_fail(p, at, "example A B -> C, or example source = A B, target = C",
                   "words are missing here");
}

/* example NAME = words, NAME = words; behind a comma the line may break */
static void example_long(lh_parser *p, lh_statement *s) {
    lh_word w;
    do {
        lh_lexer_next(&p->lx);
        lh_place start = p->lx.tok.at;
        lh_binding *b = lh_parser_binding(p, s, lh_token_copy(&p->lx));
        lh_lexer_next(&p->lx); /* now = is in hand */
        while ((w = lh_lexer_word(&p->lx, true)).kind == LH_W_PLAIN || w.kind == LH_W_QUOTED)
            word_add(p, &b->word, &b->n_words, w.text);
        no_arrow(p, w);
        if (b->n_words == 0) words_missing(p, w.at);
        b->at = lh_lexer_span(&p->lx, start);
        if (w.kind == LH_W_COMMA) lh_lexer_pass_break(&p->lx);
        if (w.kind == LH_W_COMMA && !lh_lexer_sees_binding(&p->lx))
            lh_parser_fail(p, w.at, "write \",\" in quotes if it is a word",
                           "expected NAME = words after the comma");
    } while (w.kind == LH_W_COMMA && !lh_failed(p->lx.ctx));
}

/* example words -> words: the bindings are made as their first words come. */
static void example_short(lh_parser *p, lh_statement *s) {
    lh_binding *b = NULL;
    lh_word w;
    s->is_short = true;
    while ((w = lh_lexer_word(&p->lx, false)).kind != LH_W_END && !lh_failed(p->lx.ctx)) {
        if (w.kind == LH_W_ARROW) {
            if (s->has_target)
                lh_parser_fail(p, w.at, "example A B -> C has one", "this is the second arrow");
            s->has_target = true;
            b = NULL;
            continue;
        }
        if (!b) b = lh_parser_binding(p, s, s->has_target ? "target" : "tokens");
        b->at = b->n_words ? lh_lexer_span(&p->lx, b->at) : w.at;
        word_add(p, &b->word, &b->n_words, w.text);
    }
    if (!b) words_missing(p, w.at);
}

void lh_read_example(lh_parser *p, lh_statement *s) {
    if (lh_lexer_sees_binding(&p->lx))
        example_long(p, s);
    else
        example_short(p, s);
    lh_lexer_next(&p->lx);
}

void lh_read_text(lh_parser *p, lh_statement *s) {
    lh_binding *b = lh_parser_binding(p, s, "text");
    lh_word w;
    while ((w = lh_lexer_word(&p->lx, false)).kind != LH_W_END) {
        no_arrow(p, w);
        b->at = b->n_words ? lh_lexer_span(&p->lx, b->at) : w.at;
        word_add(p, &b->word, &b->n_words, w.text);
    }
    if (b->n_words == 0)
        lh_parser_fail(p, s->at, "text I love AI", "the words of the text are missing");
    lh_lexer_next(&p->lx);
}
