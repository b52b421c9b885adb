/* gpu_ranks -- the second interface of the shared object with the code for GPUs: numbers outside of plans, and how they get to other GPUs.
 *
 *     lh_gpu_ranks_entry entry = dlsym(so, LH_GPU_RANKS_ENTRY);
 *     const lh_gpu_ranks *r = entry();
 *     r->open(gpu->stream), r->follow();                       from now on in a stream of its own, parallel to that of plans
 *     r->join_others(id, rank, n), r->add_all(x, 1000);        by NCCL, which is loaded when it is first needed
 *
 * NCCL is not needed to build: device/nccl.h declares the few functions. LONGHAND_NCCL names a library to use instead of the system's; tests/emulated has one that
 * communicates through shared memory, so that everything but NCCL itself is tested without a GPU.
 */
#ifndef LH_EVAL_CUDA_GPU_RANKS_H
#define LH_EVAL_CUDA_GPU_RANKS_H

#include <stdbool.h>
#include <stddef.h>

enum { LH_GPU_RANKS_VERSION = 1, LH_GPU_ID = 128 };

#define LH_GPU_RANKS_ENTRY "lh_gpu_ranks_entry_1"

typedef struct lh_gpu_ranks {
    int version;                       /* LH_GPU_RANKS_VERSION */
    const char *(*open)(void *stream); /* of plans, on the device that is open. NULL: all is well */
    void (*follow)(void); /* what was launched there comes before what is asked for here */
    void (*join)(void);   /* ... and what was asked for here before what is launched there */
    void (*copy)(void *to, const void *from, size_t bytes);
    void (*add)(float *to, const float *left, size_t n);              /* to = left + to */
    void (*shorten)(unsigned short *to, const float *from, size_t n); /* to bf16 */
    void (*lengthen)(float *to, const unsigned short *from, size_t n);
    void (*get)(void *here, const void *there, size_t bytes); /* waits */
    void (*put)(void *there, const void *here, size_t bytes); /* waits */
    const char *(*device)(void);  /* machine and place in it, in words */
    const char *(*trouble)(void); /* of all that was asked for, without waiting; NULL: none */

    const char *(*library)(const char **why); /* "NCCL 2.28.3"; NULL: there is none, and why */
    bool (*make_id)(char id[LH_GPU_ID]);
    bool (*join_others)(const char id[LH_GPU_ID], int rank, int n); /* all of them together */
    void (*leave)(void);
    /* by rank, one behind the other; number: float or bf16 */
    void (*exchange)(bool is_short, const void *from, const int *sends, void *to, const int *gets);
    void (*gather)(bool is_short, const void *from, void *to, const int *counts);
    void (*add_all)(float *x, size_t n); /* sums over all ranks, in NCCL's order */
    void (*tell)(void *bytes, size_t n, int from);
} lh_gpu_ranks;

typedef const lh_gpu_ranks *(*lh_gpu_ranks_entry)(void);

#endif
