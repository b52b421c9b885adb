/* nccl -- what we need of NCCL 2, declared here so that it need not be there to build. Numbers and types are those of its interface, which has
 * not changed them since 2.7 (bf16: since 2.10).
 */
#ifndef LH_EVAL_CUDA_NCCL_H
#define LH_EVAL_CUDA_NCCL_H

#include <stddef.h>

typedef struct ncclComm *ncclComm_t;
typedef struct {
    char internal[128];
} ncclUniqueId; /* travels by value */

typedef int ncclResult_t;   /* 0: all is well; 7: still at work */
typedef int ncclDataType_t; /* the kinds that are sent: */
enum { NCCL_SUCCESS = 0, NCCL_IN_PROGRESS = 7, NCCL_BYTES = 0, NCCL_FLOAT = 7, NCCL_BF16 = 9 };
typedef int ncclRedOp_t;
enum { NCCL_SUM = 0 };

/* A stream of CUDA is a pointer. NCCL(name, parameters) */
#define NCCL_FUNCTIONS                                                                             \
    NCCL(ncclGetVersion, (int *version))                                                           \
    NCCL(ncclGetUniqueId, (ncclUniqueId * id))                                                     \
    NCCL(ncclCommInitRank, (ncclComm_t * comm, int n, ncclUniqueId id, int rank))                  \
    NCCL(ncclCommDestroy, (ncclComm_t comm))                                                       \
    NCCL(ncclCommAbort, (ncclComm_t comm))                                                         \
    NCCL(ncclCommGetAsyncError, (ncclComm_t comm, ncclResult_t * error))                           \
    NCCL(ncclAllReduce, (const void *from, void *to, size_t n, ncclDataType_t type,                \
                         ncclRedOp_t op, ncclComm_t comm, void *stream))                           \
    NCCL(ncclAllGather, (const void *from, void *to, size_t n, ncclDataType_t type,                \
                         ncclComm_t comm, void *stream))                                           \
    NCCL(ncclBroadcast, (const void *from, void *to, size_t n, ncclDataType_t type, int root,      \
                         ncclComm_t comm, void *stream))                                           \
    NCCL(ncclSend, (const void *from, size_t n, ncclDataType_t type, int peer, ncclComm_t comm,    \
                    void *stream))                                                                 \
    NCCL(ncclRecv,                                                                                 \
         (void *to, size_t n, ncclDataType_t type, int peer, ncclComm_t comm, void *stream))       \
    NCCL(ncclGroupStart, (void))                                                                   \
    NCCL(ncclGroupEnd, (void))

#endif
