/* attention -- matrix product, softmax and attention in plain C, on the numbers of Example 1, beside those of the library.
 *
 *     ./attention
 *
 * The three functions are printed in the lessons matrices, softmax and attention. They are the definition, not the fastest way.
 */
#include <longhand.h>
#include <math.h>
#include <stdio.h>

/* C = A B: each row of A with each column of B. A is m x n, B is n x p, C is m x p. */
static void product(const double *A, const double *B, double *C, int m, int n, int p) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < p; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++) sum += A[i * n + k] * B[k * p + j];
            C[i * p + j] = sum;
        }
}

/* n scores become n shares, in place. */
static void softmax(double *x, int n) {
    double most = x[0], sum = 0;
    for (int i = 1; i < n; i++)
        if (x[i] > most) most = x[i];
    for (int i = 0; i < n; i++) {
        x[i] = exp(x[i] - most); /* at most 1: it cannot overflow */
        sum += x[i];
    }
    for (int i = 0; i < n; i++) x[i] /= sum;
}

/* H = softmax(Q K^T / sqrt(d)) V. All are n x d; P, the weights, is n x n. */
static void attention(const double *Q, const double *K, const double *V, double *P, double *H,
                      int n, int d) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double score = 0;
            for (int c = 0; c < d; c++) score += Q[i * d + c] * K[j * d + c];
            P[i * n + j] = score / sqrt(d);
        }
        softmax(P + i * n, n);
    }
    product(P, V, H, n, n, d);
}

enum { N = 2, D = 2 }; /* positions and width of Example 1 */

static double compare(longhand *lh, const char *name, const double *own) {
    double theirs[N * N], most = 0;
    longhand_read(lh, name, (longhand_part){0}, theirs, N * N);
    for (int i = 0; i < N * N; i++) most = fmax(most, fabs(own[i] - theirs[i]));
    printf("%s = %.6f %.6f; %.6f %.6f\n", name, own[0], own[1], own[2], own[3]);
    return most;
}

int main(void) {
    double X[N * D], W[D * D], to[3][N * D], P[N * N], H[N * D];
    const double *Q = to[0], *K = to[1], *V = to[2];
    const char *weight[] = {"WQ", "WK", "WV"};
    const longhand_part whole = {0};
    longhand *lh = longhand_new();
    longhand_open_lesson(lh, "ex1");
    longhand_read(lh, "X", whole, X, N * D);
    for (int i = 0; i < 3; i++) {
        longhand_read(lh, weight[i], whole, W, D * D);
        product(X, W, to[i], N, D, D);
    }
    attention(Q, K, V, P, H, N, D);
    double off = compare(lh, "P", P);
    off = fmax(off, compare(lh, "H", H));
    printf("as in the library: %s\n", off < 1e-15 ? "yes" : "no");
    int status = off < 1e-15 ? 0 : 1;
    if (longhand_error(lh)) {
        fprintf(stderr, "%s\n", longhand_error(lh)->what);
        status = 2;
    }
    longhand_free(lh);
    return status;
}
