/* wire -- the second stream, by the CUDA runtime. Two events order the work of one stream before that of the other. */
#include "eval/cuda/device/wire.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <unistd.h>

static struct {
    cudaStream_t plans, stream;
    cudaEvent_t before, behind;
    cudaError_t error; /* the first */
} own;

static bool is_well(cudaError_t e) {
    if (e != cudaSuccess && own.error == cudaSuccess) own.error = e;
    return e == cudaSuccess;
}

bool lh_gpu_wire_open(void *stream) {
    own.plans = stream;
    if (own.stream) return true;
    return is_well(cudaStreamCreateWithFlags(&own.stream, cudaStreamNonBlocking)) &&
           is_well(cudaEventCreateWithFlags(&own.before, cudaEventDisableTiming)) &&
           is_well(cudaEventCreateWithFlags(&own.behind, cudaEventDisableTiming));
}

void *lh_gpu_wire_stream(void) {
    return own.stream;
}

void lh_gpu_wire_order(bool is_after) {
    const cudaEvent_t event = is_after ? own.before : own.behind;
    is_well(cudaEventRecord(event, is_after ? own.plans : own.stream));
    is_well(cudaStreamWaitEvent(is_after ? own.stream : own.plans, event, 0));
}

void lh_gpu_wire_copy(void *to, const void *from, size_t bytes, lh_gpu_way way) {
    static const enum cudaMemcpyKind kind[] = {cudaMemcpyDeviceToDevice, cudaMemcpyDeviceToHost,
                                               cudaMemcpyHostToDevice};
    is_well(cudaMemcpyAsync(to, from, bytes, kind[way], own.stream));
}

void lh_gpu_wire_wait(void) {
    is_well(cudaStreamSynchronize(own.stream));
}

const char *lh_gpu_wire_device(void) {
    static char text[128];
    char machine[64] = "?", place[32] = "?";
    int device = 0;
    gethostname(machine, sizeof machine - 1);
    if (cudaGetDevice(&device) == cudaSuccess)
        is_well(cudaDeviceGetPCIBusId(place, (int)sizeof place, device));
    snprintf(text, sizeof text, "%s, %s", machine, place);
    return text;
}

const char *lh_gpu_wire_trouble(void) {
    is_well(cudaPeekAtLastError());
    return own.error == cudaSuccess ? NULL : cudaGetErrorString(own.error);
}
