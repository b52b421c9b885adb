/* trial -- one expression tried in many surroundings: odd sizes, stretched operands, examples of
 * different lengths, heads; its gradient goes back from a weighted sum to a param behind each
 * operand.
 *
 *     {"softmax", "softmax(a)", {"RxC"}, 0}
 *
 * Operands are called a, b, c. Their shapes are written with R and C (the sizes that are varied), K
 * (3) and numbers; several shapes are tried one after another: "RxC 1xC Rx1 1x1". A + in front
 * makes all numbers of the operand positive. t is a column of R whole numbers from 0 to C - 1.
 */
#ifndef LH_TESTS_TRIAL_H
#define LH_TESTS_TRIAL_H

#include "engine.h"

enum {
    TRIAL_NO_HEADS = 1,   /* not with heads */
    TRIAL_NO_LENGTHS = 2, /* not with rows that differ from example to example */
    TRIAL_NO_BATCH = 4,   /* not with values that differ from example to example */
    TRIAL_DISCRETE = 8,   /* no gradient goes through it */
    TRIAL_HEADS_END = 16, /* the result has no heads though the operands have */
    TRIAL_COMMIT = 32,    /* after a step of training: states have moved */
    TRIAL_C_EVEN = 64,    /* C must be even */
    TRIAL_C_MANY = 128,   /* C must be more than 1 */
};

typedef struct trial {
    const char *of;   /* the operation or function that it tries */
    const char *expr; /* of a, b, c, t */
    const char *shape[3];
    unsigned flags;
} trial;

typedef enum trial_mode {
    TRIAL_FIXED,   /* params alone */
    TRIAL_BATCH,   /* three examples of one size */
    TRIAL_LENGTHS, /* three examples of different lengths */
    TRIAL_HEADS,
    TRIAL_HEADS_LENGTHS,
    TRIAL_MODES
} trial_mode;

typedef struct trial_case {
    const trial *of;
    trial_mode mode;
    int rows, cols;
    int which; /* which shape of the last operand that has several */
    int turn;  /* counts: every other one goes back from the average, has a second user ... */
} trial_case;

/* Numbers that look like nothing: never equal, never near 0. */
static inline double trial_number(int operand, int i, bool positive) {
    double x = sin(12.9898 * (i + 1) + 78.233 * (operand + 1)) * 43758.5453;
    x = (x - floor(x)) * 2;
    if (positive) return 0.4 + x;
    return x < 1 ? x - 1.15 : x - 0.85;
}

static inline int trial_size(const trial_case *c, char letter) {
    return letter == 'R' ? c->rows : letter == 'C' ? c->cols : letter == 'K' ? 3 : letter - '0';
}

/* The shape to take: number `which`, or the last there is. */
static inline const char *trial_shape(const char *shapes, int which) {
    const char *s = shapes, *next;
    while (which-- > 0 && (next = strchr(s, ' '))) s = next + 1;
    return s;
}

static inline int trial_shapes(const trial *t) {
    int most = 1;
    for (int i = 0; i < 3 && t->shape[i]; i++) {
        int n = 1;
        for (const char *s = t->shape[i]; *s; s++) n += *s == ' ';
        if (n > most) most = n;
    }
    return most;
}

static inline bool trial_has_lengths(const trial_case *c) {
    return c->mode == TRIAL_LENGTHS || c->mode == TRIAL_HEADS_LENGTHS;
}

static inline bool trial_has_heads(const trial_case *c) {
    return c->mode == TRIAL_HEADS || c->mode == TRIAL_HEADS_LENGTHS;
}

/* param A : ... = [...], and the line that makes the operand of it. False: it cannot be made here. */
static inline bool trial_operand(lh_text *t, const trial_case *c, int i) {
    const char *shapes = c->of->shape[i];
    bool positive = *shapes == '+';
    const char *s = trial_shape(shapes + positive, c->which);
    char small = (char)('a' + i), large = (char)('A' + i);
    bool by_tokens = trial_has_lengths(c) && s[0] == 'R';
    bool headed = trial_has_heads(c) && (i == 0 || (c->turn & 1));
    if (trial_has_lengths(c) && s[2] == 'R') return false;
    int rows = by_tokens ? 5 : trial_size(c, s[0]);
    int cols = trial_size(c, s[2]) * (headed ? 2 : 1);
    lh_text_add(t, "param %c : %d x %d = [", large, rows, cols);
    for (int k = 0; k < rows * cols; k++)
        lh_text_add(t, "%s%.6f", k == 0 ? "" : k % cols ? " " : "; ", trial_number(i, k, positive));
    lh_text_add(t, "]\n%c = ", small);
    if (headed) lh_text_add(t, "split(");
    lh_text_add(t, by_tokens ? "%c[tokens]" : "%c", large);
    if (c->mode == TRIAL_BATCH && (i == 0 || (c->turn & 1))) lh_text_add(t, " * x");
    lh_text_add(t, headed ? ", 2)\n" : "\n");
    return true;
}

static inline void trial_data(lh_text *t, const trial_case *c) {
    static const int at[5] = {3, 1, 4, 0, 2};
    if (trial_has_lengths(c)) {
        lh_text_add(t, "vocab A5 B5 C5 D5 E5\nvocab columns = ");
        for (int i = 0; i < c->cols; i++) lh_text_add(t, "c%d ", i);
        lh_text_add(t, "\ninput tokens : vocab*\ninput t : columns*\n");
        static const int length[3] = {2, 5, 1};
        for (int e = 0; e < 3; e++) {
            lh_text_add(t, "example tokens =");
            for (int i = 0; i < length[e]; i++) lh_text_add(t, " %c5", 'A' + at[(i * 2 + e) % 5]);
            lh_text_add(t, ", t =");
            for (int i = 0; i < length[e]; i++) lh_text_add(t, " c%d", at[(i + e) % 5] % c->cols);
            lh_text_add(t, "\n");
        }
        return;
    }
    if (c->mode == TRIAL_BATCH)
        lh_text_add(t, "input x : 1 x 1\nexample x = 0.9\nexample x = 1.25\nexample x = 1.1\n");
    lh_text_add(t, "const t = [");
    for (int i = 0; i < c->rows; i++) lh_text_add(t, i ? "; %d" : "%d", at[i % 5] % c->cols);
    lh_text_add(t, "]\n");
}

/* The whole program; NULL where this case cannot be. */
static inline char *trial_text(lh_arena *arena, const trial_case *c) {
    lh_text t = lh_text_new(arena);
    unsigned flags = c->of->flags;
    if (trial_has_heads(c) && (flags & TRIAL_NO_HEADS)) return NULL;
    if (trial_has_lengths(c) && (flags & TRIAL_NO_LENGTHS)) return NULL;
    if (c->mode != TRIAL_FIXED && (flags & TRIAL_NO_BATCH)) return NULL;
    if ((flags & TRIAL_C_EVEN) && c->cols % 2) return NULL;
    if ((flags & TRIAL_C_MANY) && c->cols == 1) return NULL;
    trial_data(&t, c);
    for (int i = 0; i < 3 && c->of->shape[i]; i++)
        if (!trial_operand(&t, c, i)) return NULL;
    bool join = trial_has_heads(c) && !(flags & TRIAL_HEADS_END);
    lh_text_add(&t, "y = %s\n", c->of->expr);
    lh_text_add(&t, join ? "z = join(y)\n" : "z = y\n");
    /* Weights of both signs, below 1, no two rows or columns alike; no sines, which cost more than the trial. */
    lh_text_add(&t, "slope = 0.5 + 1.3 * rowindex(z) - 0.9 * colindex(z)\n");
    lh_text_add(&t, "weight = slope / (1 + slope * slope)\n");
    lh_text_add(&t, "L = sum(z * weight)");
    if ((flags & TRIAL_DISCRETE) || (c->turn & 2))
        lh_text_add(&t,
                    trial_has_heads(c) ? " + 0.3 * sum(join(a) * join(a))" : " + 0.3 * sum(a * a)");
    if (c->turn & 4)
        lh_text_add(&t, "\nbackward L\n");
    else
        lh_text_add(&t, c->turn & 1 ? "\nloss = total(L)\nbackward loss\n"
                                    : "\nloss = average(L)\nbackward loss\n");
    return t.s;
}

/* Runs one case; false: `problem` says what is wrong with which program. */
static inline bool trial_run(const trial_case *c, char *problem, size_t size,
                             bool (*also)(engine *e, const trial_case *c)) {
    lh_context *ctx = lh_context_new();
    lh_arena *arena = lh_arena_new(ctx);
    char *text = trial_text(arena, c);
    bool good = true;
    if (text) {
        engine e;
        good = engine_open(&e, text, NULL) && engine_run(&e, c->of->flags & TRIAL_COMMIT ? 1 : 0) &&
               engine_check(&e, 0, 1e-13) && (!also || also(&e, c));
        if (!good) snprintf(problem, size, "%s: %s\n%s", c->of->of, e.problem, text);
        engine_close(&e);
    }
    lh_arena_free(arena);
    lh_context_free(ctx);
    return good;
}

/* Every case of a trial. Returns how many there were, or -1. */
static inline int trial_run_all(const trial *t, char *problem, size_t size,
                                bool (*also)(engine *e, const trial_case *c)) {
    static const int sizes[][2] = {{1, 1}, {1, 4}, {3, 1}, {2, 3}, {3, 5}, {5, 2}};
    int n = 0;
    for (int mode = 0; mode < TRIAL_MODES; mode++)
        for (size_t s = engine_quick(); s < sizeof sizes / sizeof *sizes;
             s += engine_quick() ? 2 : 1)
            for (int which = 0; which < trial_shapes(t); which++, n++) {
                trial_case c = {t, (trial_mode)mode, sizes[s][0], sizes[s][1], which, n};
                if (!trial_run(&c, problem, size, also)) return -1;
            }
    return n;
}

#endif
