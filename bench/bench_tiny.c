/* bench_tiny -- one step of Example 4 (three examples, all weights): forward, backward and update, once planned.
 *
 * Beside it the same arithmetic as plain C for that one model, so that the ratio says what the graph costs.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/embedded.h"
#include "eval/exact.h"
#include "learn/lesson.h"

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Example 4 by hand: d = 2, four words, sequences of two. */
typedef struct model {
    double WQ[2][2], WK[2][2], WV[2][2], WO[2][4];
} model;

static void by_hand(model *m) {
    static const double E[4][2] = {{1, 0}, {0, 1}, {1, 1}, {0, 0}};
    static const int tokens[3][2] = {{0, 1}, {0, 0}, {1, 0}}, target[3] = {2, 3, 2};
    model d;
    memset(&d, 0, sizeof d);
    for (int e = 0; e < 3; e++) {
        const double *X[2] = {E[tokens[e][0]], E[tokens[e][1]]};
        double Q[2][2], K[2][2], V[2][2], P[2][2], H[2] = {0, 0}, logits[4], p[4], sum = 0;
        for (int r = 0; r < 2; r++)
            for (int c = 0; c < 2; c++) {
                Q[r][c] = X[r][0] * m->WQ[0][c] + X[r][1] * m->WQ[1][c];
                K[r][c] = X[r][0] * m->WK[0][c] + X[r][1] * m->WK[1][c];
                V[r][c] = X[r][0] * m->WV[0][c] + X[r][1] * m->WV[1][c];
            }
        for (int r = 0; r < 2; r++) {
            double z0 = (Q[r][0] * K[0][0] + Q[r][1] * K[0][1]) / sqrt(2),
                   z1 = (Q[r][0] * K[1][0] + Q[r][1] * K[1][1]) / sqrt(2);
            double top = z0 > z1 ? z0 : z1, a = exp(z0 - top), b = exp(z1 - top);
            P[r][0] = a / (a + b);
            P[r][1] = b / (a + b);
        }
        for (int c = 0; c < 2; c++) H[c] = P[1][0] * V[0][c] + P[1][1] * V[1][c];
        double top = -INFINITY;
        for (int w = 0; w < 4; w++) {
            logits[w] = H[0] * m->WO[0][w] + H[1] * m->WO[1][w];
            if (logits[w] > top) top = logits[w];
        }
        for (int w = 0; w < 4; w++) sum += p[w] = exp(logits[w] - top);
        double dH[2] = {0, 0};
        for (int w = 0; w < 4; w++) {
            double dl = p[w] / sum - (w == target[e]);
            for (int c = 0; c < 2; c++) {
                d.WO[c][w] += H[c] * dl;
                dH[c] += dl * m->WO[c][w];
            }
        }
        double dP[2], dV[2][2], dQ[2], dK[2][2];
        for (int k = 0; k < 2; k++) {
            dP[k] = dH[0] * V[k][0] + dH[1] * V[k][1];
            for (int c = 0; c < 2; c++) dV[k][c] = P[1][k] * dH[c];
        }
        double dot = dP[0] * P[1][0] + dP[1] * P[1][1];
        double dS[2] = {P[1][0] * (dP[0] - dot) / sqrt(2), P[1][1] * (dP[1] - dot) / sqrt(2)};
        for (int c = 0; c < 2; c++) {
            dQ[c] = dS[0] * K[0][c] + dS[1] * K[1][c];
            for (int k = 0; k < 2; k++) dK[k][c] = dS[k] * Q[1][c];
        }
        for (int i = 0; i < 2; i++)
            for (int c = 0; c < 2; c++) {
                d.WQ[i][c] += X[1][i] * dQ[c];
                d.WK[i][c] += X[0][i] * dK[0][c] + X[1][i] * dK[1][c];
                d.WV[i][c] += X[0][i] * dV[0][c] + X[1][i] * dV[1][c];
            }
    }
    double *w = (double *)m;
    const double *g = (const double *)&d;
    for (size_t i = 0; i < sizeof *m / sizeof *w; i++) w[i] -= 0.1 * g[i] / 3;
}

int main(void) {
    enum { STEPS = 100000, ROUNDS = 5 };
    lh_context *ctx = lh_context_new();
    const lh_embedded *e = lh_embedded_find("lessons/ex4.md");
    lh_program *program = lh_lesson_parse(ctx, e->name, e->text, e->length);
    lh_graph *g = lh_graph_build(ctx, program, NULL);
    lh_plan *p = g ? lh_exact.plan(g, &(lh_wish){.updates = true}) : NULL;
    if (!p) {
        fprintf(stderr, "bench_tiny: %s\n", lh_context_error(ctx)->what);
        return 2;
    }
    double best = INFINITY, hand = INFINITY, last = 0, last_hand = 0;
    for (int round = 0; round < ROUNDS; round++) {
        lh_exact.start(p);
        lh_exact.bind(p, NULL, 0);
        double t = now();
        for (int i = 0; i < STEPS; i++) lh_exact.run(p), lh_exact.commit(p);
        t = (now() - t) / STEPS;
        if (t < best) best = t;
        last = lh_exact.get(p, lh_graph_find(g, "WO")->node, (lh_cell){0, 0, 0, 3});
        model m = {{{0.1, 0}, {0, 0.1}},
                   {{0.1, 0}, {0, 0.1}},
                   {{0.1, 0}, {0, 0.1}},
                   {{0.1, 0, 0, 0}, {0, 0, 0.1, 0}}};
        t = now();
        for (int i = 0; i < STEPS; i++) by_hand(&m);
        t = (now() - t) / STEPS;
        if (t < hand) hand = t;
        last_hand = m.WO[0][3];
    }
    printf("Example 4, one step (3 examples, all weights, double)\n");
    printf("  longhand     %7.3f us   %d steps in %.3f s\n", best * 1e6, STEPS, best * STEPS);
    printf("  plain C      %7.3f us   ratio %.1f\n", hand * 1e6, best / hand);
    printf("  the same weights after %d steps: %.12g and %.12g\n", STEPS, last, last_hand);
    lh_exact.free(p);
    lh_graph_free(g);
    lh_program_free(program);
    lh_context_free(ctx);
    return fabs(last - last_hand) < 1e-9 * fabs(last_hand) ? 0 : 1;
}
