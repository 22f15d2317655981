/* Memory of the host that the machine itself reads and writes, for copies of one queue: a ring of pieces. While the machine works on one
 * piece, the host fills or reads another. For one thread at a time; the context is current. */
#ifndef WADI_SCHED_CUDA_STAGING_H
#define WADI_SCHED_CUDA_STAGING_H

#include "sched/cuda/queue.h"

enum { WADI_CUDA_PIECES = 4, WADI_CUDA_PIECE = 1 << 20 /* bytes */ };

typedef struct wadi_cuda_staging {
    wadi_cuda_queue *queue; /* borrowed */
    struct {
        char *at;      /* NULL: none yet */
        uint64_t mark; /* of the queue: nobody uses the piece any more when it is reached */
    } piece[WADI_CUDA_PIECES];
    int now;     /* the piece in use */
    size_t used; /* bytes of it */
    bool denied; /* there is no such memory, or no more of it */
} wadi_cuda_staging;

/* Makes the first piece; others are made when they are wanted. Too little memory is no failure. Errors: of the driver. */
WADI_NODISCARD wadi_status wadi_cuda_staging_open(wadi_cuda_staging *s, wadi_cuda_queue *queue,
                                                  wadi_error *err);
/* The queue is empty. A staging of zeros is fine. */
void wadi_cuda_staging_close(wadi_cuda_staging *s);
/* Room for *out_n bytes, at most `wanted` of them. It stays the caller's until what he queues next has ended. NULL: there is no memory for it,
 * or the device has failed. */
char *wadi_cuda_staging_room(wadi_cuda_staging *s, size_t wanted, size_t *out_n);
/* Whether the next room may be where the last one was. */
static inline bool wadi_cuda_staging_is_single(const wadi_cuda_staging *s) {
    return s->piece[1].at == NULL;
}
/* The queue is empty, and nobody reads what was copied from the machine: all is free. */
void wadi_cuda_staging_clear(wadi_cuda_staging *s);

#endif
