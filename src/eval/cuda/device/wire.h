/* wire -- what device/gpu_ranks.c needs of a GPU: a second stream, parallel to that of plans. By CUDA (wire.c), or emulated (tests/emulated/wire.c). */
#ifndef LH_EVAL_CUDA_WIRE_H
#define LH_EVAL_CUDA_WIRE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum lh_gpu_way { LH_GPU_WITHIN, LH_GPU_TO_HERE, LH_GPU_TO_THERE } lh_gpu_way;

bool lh_gpu_wire_open(void *stream); /* of plans */
void *lh_gpu_wire_stream(void);
/* it waits for that of plans; or that of plans waits for it */
void lh_gpu_wire_order(bool is_after);
void lh_gpu_wire_copy(void *to, const void *from, size_t bytes, lh_gpu_way way);
void lh_gpu_wire_wait(void);
const char *lh_gpu_wire_device(void);
const char *lh_gpu_wire_trouble(void); /* NULL: none */

/* cells.cu */
void lh_gpu_cells_add(float *to, const float *left, size_t n, void *stream);
void lh_gpu_cells_shorten(unsigned short *to, const float *from, size_t n, void *stream);
void lh_gpu_cells_lengthen(float *to, const unsigned short *from, size_t n, void *stream);

#endif
