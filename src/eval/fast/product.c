#include "eval/fast/product.h"

#include <stdio.h>
#include <string.h>

bool lh_product_takes(ptrdiff_t rs, ptrdiff_t cs, ptrdiff_t rows, ptrdiff_t cols) {
    return ((cs == 1 || cols == 1) && (rs >= cols || rows == 1)) ||
           ((rs == 1 || rows == 1) && (cs >= rows || cols == 1));
}

#ifdef HAVE_ONEDNN
#include <dnnl.h>

#include "eval/fast/signals.h"

void omp_set_num_threads(int n); /* libgomp's, which oneDNN brings: each thread sets its own */

void lh_product_one_thread(void) {
    omp_set_num_threads(1);
}

const char *lh_product_name(void) {
    static char name[32];
    const dnnl_version_t *v = dnnl_version();
    snprintf(name, sizeof name, "oneDNN %d.%d.%d", v->major, v->minor, v->patch);
    return name;
}

/* The distance between rows of a matrix that lies as it is written, or between columns of one that lies turned. */
static char layout(ptrdiff_t rs, ptrdiff_t cs, ptrdiff_t rows, ptrdiff_t cols, dnnl_dim_t *step) {
    bool is_plain = (cs == 1 || cols == 1) && (rs >= cols || rows == 1);
    if (is_plain) {
        *step = rows == 1 || rs < cols ? cols : rs;
        return 'N';
    }
    *step = cols == 1 || cs < rows ? rows : cs;
    return 'T';
}

void lh_product(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, const float *a, ptrdiff_t a_rs,
                ptrdiff_t a_cs, const float *b, ptrdiff_t b_rs, ptrdiff_t b_cs, float *c,
                ptrdiff_t c_rs, bool adds) {
    dnnl_dim_t a_step, b_step;
    char a_kind = layout(a_rs, a_cs, m, k, &a_step), b_kind = layout(b_rs, b_cs, k, n, &b_step);
    lh_signals_hold();
    dnnl_sgemm(a_kind, b_kind, m, n, k, 1, a, a_step, b, b_step, adds, c, m == 1 ? n : c_rs);
    lh_signals_let();
}

#else

void lh_product_one_thread(void) {}

const char *lh_product_name(void) {
    return "own loops";
}

/* Row by row of C; B is read along its rows where it lies so. */
void lh_product(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, const float *a, ptrdiff_t a_rs,
                ptrdiff_t a_cs, const float *b, ptrdiff_t b_rs, ptrdiff_t b_cs, float *c,
                ptrdiff_t c_rs, bool adds) {
    for (ptrdiff_t r = 0; r < m; r++) {
        float *restrict to = c + r * c_rs;
        if (!adds) memset(to, 0, (size_t)n * sizeof *to);
        for (ptrdiff_t i = 0; i < k; i++) {
            const float x = a[r * a_rs + i * a_cs];
            const float *restrict from = b + i * b_rs;
            if (b_cs == 1)
                for (ptrdiff_t j = 0; j < n; j++) to[j] += x * from[j];
            else
                for (ptrdiff_t j = 0; j < n; j++) to[j] += x * from[j * b_cs];
        }
    }
}
#endif
