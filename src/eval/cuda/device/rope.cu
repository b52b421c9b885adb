/* rope -- pairs of columns rotated by an angle that grows with the position, and the gradient. The formulas are in eval/fast/rope.c.
 *
 * The cosines and the signed sines of all positions are computed first, in double, once for all heads and examples.
 */
#include "eval/cuda/device/gpu_grid.h"

enum { X, FREQUENCIES };

/* scratch: [row][column] cosines, then as many signed sines, of the longest example */
__global__ void find_angles(lh_gpu_work w, int rows, int cols) {
    const int apart = w.form;
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < (long long)rows * cols;
         i += (long long)gridDim.x * blockDim.x) {
        const int r = (int)(i / cols), c = (int)(i % cols);
        const double angle = (double)(w.moment->past + r) * (double)(float)at(w.in[FREQUENCIES].block, 0, 0, c);
        w.scratch[i] = (float)cos(angle);
        w.scratch[(long long)rows * cols + i] = (float)(c / apart % 2 ? sin(angle) : -sin(angle));
    }
}

/* A thread has N pairs side by side: columns c and c + apart, and those behind them. */
template <int N> __global__ void turn(lh_gpu_work w, lh_gpu_view to, int examples, int most_rows, bool is_back) {
    const int apart = w.form;
    for (int e = (int)blockIdx.y; e < examples; e += (int)gridDim.y) {
        const lh_gpu_block x = *block_of(w.in[X], e), y = *block_of(to, e);
        const unsigned half = (unsigned)(x.cols / 2 / N), pairs = half * (unsigned)x.heads;
        for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < (long long)x.rows * pairs;
             i += (long long)gridDim.x * blockDim.x) {
            const int r = i < 0x7fffffff ? (int)((unsigned)i / pairs) : (int)(i / pairs); /* division of 32 bits is much faster */
            const unsigned k = (unsigned)(i - (long long)r * pairs);
            const int h = (int)(k / half), p = N * (int)(k % half), c = p / apart * 2 * apart + p % apart, d = c + apart;
            float *cosine = w.scratch + (long long)r * x.cols, *sine = cosine + (long long)most_rows * x.cols;
            const numbers<N> cos_c = load<N>({cosine + c, false}), cos_d = load<N>({cosine + d, false}),
                             sin_c = load<N>({sine + (is_back ? d : c), false}), sin_d = load<N>({sine + (is_back ? c : d), false});
            numbers<N> a = load_at<N>(&x, h, r, c), b = load_at<N>(&x, h, r, d);
            for (int n = 0; n < N; n++) {
                const float left = a.x[n] * cos_c.x[n] + b.x[n] * sin_c.x[n], right = b.x[n] * cos_d.x[n] + a.x[n] * sin_d.x[n];
                a.x[n] = left, b.x[n] = right;
            }
            store_at<N>(&y, h, r, c, a);
            store_at<N>(&y, h, r, d, b);
        }
    }
}

/* Eight pairs lie side by side where halves are that wide, and rows of angles begin where eight can be read. */
static void launch_turn(const lh_gpu_work *w, lh_gpu_view to, bool is_back, void *stream) {
    const lh_gpu_sizes s = w->most_in[X];
    const bool is_wide = w->is_wide && w->form % 8 == 0;
    const lh_gpu_sizes halves = {s.heads, s.rows, s.cols / (is_wide ? 16 : 2)};
    const int examples = to.step ? w->batch : 1;
    LAUNCH(find_angles, dim3(parts_of((long long)s.rows * s.cols, THREADS)), THREADS, 0, stream, *w, s.rows, s.cols);
    LAUNCH_WIDE(is_wide, LAUNCH, turn, grid_of(halves, examples), THREADS, stream, *w, to, examples, s.rows, is_back);
}

extern "C" void lh_gpu_kernel_rope(const lh_gpu_work *w, void *stream) {
    launch_turn(w, w->out, false, stream);
}

extern "C" void lh_gpu_kernel_rope_back(const lh_gpu_work *w, void *stream) {
    if (w->outs[0].block) launch_turn(w, w->outs[0], true, stream);
}
