/* Columns that are sent to the machine before it wants them, on its queue for that. A few blocks of device memory are kept for them, apart from the
 * pool: what waits there is never in the way of other work, because it is given up when memory runs out. */
#ifndef WADI_SCHED_GPU_AHEAD_H
#define WADI_SCHED_GPU_AHEAD_H

#include "base/thread.h"
#include "sched/gpu/driver.h"
#include "sched/residence.h"

/* Chunks: one that is being sent, two on the link, one at work, one whose results still refer to it. */
enum { WADI_GPU_AHEAD = 5 };

typedef enum wadi_gpu_ahead_state {
    WADI_GPU_AHEAD_FREE,
    WADI_GPU_AHEAD_SENDING,
    WADI_GPU_AHEAD_SENT,
    WADI_GPU_AHEAD_USED,   /* the machine's calls may refer to it */
    WADI_GPU_AHEAD_DROPPED /* it has no memory any more */
} wadi_gpu_ahead_state;

typedef struct wadi_gpu_ahead_block {
    wadi_ahead base; /* the first member */
    struct wadi_gpu_ahead *of;
    wadi_gpu_ahead_state state;
    void *at; /* NULL: none yet */
    int64_t bytes;
    uint64_t sent, used; /* marks: all is there; the last who used it has done so */
} wadi_gpu_ahead_block;

typedef struct wadi_gpu_ahead {
    wadi_gpu_driver *driver; /* borrowed */
    int64_t most;            /* bytes of a block */
    wadi_mutex lock;         /* guards the rest */
    bool off;                /* memory has run out */
    wadi_gpu_ahead_block block[WADI_GPU_AHEAD];
} wadi_gpu_ahead;

/* Takes no memory yet. Errors: of the mutex; then there is nothing to finish. */
WADI_NODISCARD wadi_status wadi_gpu_ahead_init(wadi_gpu_ahead *a, wadi_gpu_driver *driver,
                                               wadi_error *err);
/* All has been released. */
void wadi_gpu_ahead_fini(wadi_gpu_ahead *a);
/* As wadi_residence_ops.send and relieve. */
wadi_ahead *wadi_gpu_ahead_send(wadi_gpu_ahead *a, int n, const wadi_ahead_column *column,
                                void **out);
bool wadi_gpu_ahead_relieve(wadi_gpu_ahead *a);

#endif
