/* Any bytes as an answer file: read or refused, never a crash, and no number that is not written there. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "learn/answers.h"

static const char program[] = "vocab A B\n"
                              "const E = [0.2 0.3; 0.4 0.7]\n"
                              "param W = [1 2 3; 4 5 6]\n"
                              "example A B -> B\n"
                              "example B -> A\n"
                              "X = E[tokens]\n"
                              "P = softmax(X)\n"
                              "wide = X @ W\n"
                              "row = wide[last]\n"
                              "L = rowsum(row)\n"
                              "backward L\n"
                              "W := W - 0.1 * average(dW)\n";

static lh_paper *paper(lh_context *ctx) {
    static lh_program *p; /* as long as its paper */
    p = lh_program_parse(ctx, "fuzz.lh", program, strlen(program));
    static const char *const steps[] = {"all", "P.e", "P.s", "row@1", "L@1"};
    return lh_paper_new(
        ctx, p, &(lh_paper_how){.lesson = "fuzz", .digits = 4, .steps = steps, .n_steps = 5});
}

static bool has_digit(const uint8_t *data, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (data[i] >= '0' && data[i] <= '9') return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static lh_context *ctx;
    static lh_paper *sheet;
    if (!sheet) ctx = lh_context_new(), sheet = paper(ctx);
    if (!sheet) abort();
    lh_arena *a = lh_arena_new(ctx);
    lh_answer_file *f = lh_answer_file_read(a, (const char *)data, size);
    if (!f->problem) {
        lh_filled *r = lh_answers_read(a, sheet, f);
        if (!r) abort();
        int finite = 0;
        for (int i = 0; i < sheet->sheet->n_cells; i++)
            finite += r->answers->cell[i].kind == LH_WRITTEN_NUMBER &&
                      isfinite(r->answers->cell[i].value);
        if (finite && !has_digit(data, size)) abort();
        for (int i = 0; i < sheet->sheet->n_cells; i++) {
            const lh_written *w = &r->answers->cell[i];
            lh_written again = lh_written_read(r->text[i], strlen(r->text[i]));
            if (w->kind == LH_WRITTEN_NUMBER && strlen(r->text[i]) < 40 &&
                (again.kind != LH_WRITTEN_NUMBER || again.value != w->value))
                abort();
            if (w->kind == LH_WRITTEN_BLANK && r->text[i][0]) abort();
        }
        for (int i = 0; i < r->notes.n && i < LH_MAX_NOTES; i++)
            if (!r->notes.note[i].what || r->notes.note[i].line < 0) abort();
        lh_marks *m = lh_mark(a, sheet->sheet, r->answers, NULL);
        if (!m) abort();
        /* nothing is hidden here: -inf is never right, though it may follow from what was written before */
        for (int i = 0; i < sheet->sheet->n_cells; i++)
            if (isinf(r->answers->cell[i].value) && m->cell[i] != LH_FOLLOWS &&
                lh_verdict_has_credit(m->cell[i]))
                abort();
    }
    if (lh_failed(ctx)) abort();
    lh_arena_free(a);
    return 0;
}
