/* What kernels that look at shapes alone have said before. Shapes and numbers of units are wanted by the host, so each such kernel would be
 * waited for, in each chunk; but chunks are mostly alike, and the same shapes make the same answer. */
#ifndef WADI_SCHED_GPU_MEMO_H
#define WADI_SCHED_GPU_MEMO_H

#include "sched/device.h"
#include "sched/gpu/emissions.h"

enum {
    WADI_GPU_MEMO_ENTRIES = 64,
    WADI_GPU_MEMO_WORDS =
        192, /* of all shapes and offsets: a chunk of many elements has too many */
    WADI_GPU_MEMO_ANSWER = 64
};

/* So few numbers of units that the host sums them up while a device would begin to. */
enum { WADI_GPU_FEW = 256 };

/* What a kernel was asked, and what it said. Kernels stay loaded as long as a device is open, so a handle means one kernel. */
typedef struct wadi_gpu_memo_entry {
    wadi_code code;
    int64_t first, n, count, workers;
    int words, answers; /* answers 0: none is known */
    int64_t word[WADI_GPU_MEMO_WORDS];
    int64_t answer[WADI_GPU_MEMO_ANSWER];
} wadi_gpu_memo_entry;

typedef struct wadi_gpu_memo {
    wadi_gpu_memo_entry *entry;      /* [WADI_GPU_MEMO_ENTRIES]; NULL: none yet */
    int next;                        /* that is replaced */
    wadi_gpu_memo_entry *asked;      /* whose answer is to be noted; NULL: none is */
    const wadi_gpu_memo_entry *told; /* whose numbers of units stand at `units`; NULL: nobody's */
    const int64_t *units;
} wadi_gpu_memo;

void wadi_gpu_memo_fini(wadi_gpu_memo *m);
/** Whether the answer to the launch is known. Then it has been written into the shapes of `s`, or to the numbers of units. Otherwise it may be
 *  noted, until the next call of this. `workers`: as the kernel sees them. While something is emitted whose shapes the kernel may read, nothing is
 *  known: the host has not seen them yet. */
bool wadi_gpu_memo_ask(wadi_gpu_memo *m, const wadi_residence *r, const wadi_gpu_emissions *emitted,
                       wadi_slots *s, const wadi_launch *l, int64_t workers);
/** The launch that was asked for has written its shapes. */
void wadi_gpu_memo_note_shapes(wadi_gpu_memo *m, const wadi_slots *s, const wadi_launch *l);
/** wadi_device_ops.scan of at most WADI_GPU_FEW numbers. */
int64_t wadi_gpu_memo_scan(wadi_gpu_memo *m, const wadi_residence *r, int64_t *at, int64_t n);

#endif
