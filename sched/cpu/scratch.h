/* The scratch memory of one worker: a stack of bytes. A mark remembers the top, and a rewind returns to it. Memory that was
 * given out never moves. After a job that needed several blocks, the next job begins with one block of their total size, so the steady
 * state uses one block and allocates nothing. Until a job takes something, there is none: the first chunk of a stream often needs what no other does. */
#ifndef WADI_SCHED_CPU_SCRATCH_H
#define WADI_SCHED_CPU_SCRATCH_H

#include "sched/buffers.h"

enum { WADI_SCRATCH_BLOCKS = 40 };

typedef struct wadi_scratch {
    wadi_buffers *buffers;
    int blocks, current;
    int64_t used;  /* of the current block */
    int64_t first; /* bytes of the first block, when there is none */
    void *block[WADI_SCRATCH_BLOCKS];
    char *address[WADI_SCRATCH_BLOCKS]; /* where each begins */
} wadi_scratch;

void wadi_scratch_init(wadi_scratch *s, wadi_buffers *buffers);
void wadi_scratch_fini(wadi_scratch *s);

/* 64-byte aligned, not cleared; NULL when out of memory. */
void *wadi_scratch_take(wadi_scratch *s, int64_t bytes);
/* The same, 8-byte aligned: directly behind what was taken before, if there is room. */
void *wadi_scratch_take_beside(wadi_scratch *s, int64_t bytes);
int64_t wadi_scratch_mark(const wadi_scratch *s);
void wadi_scratch_rewind(wadi_scratch *s, int64_t mark);
/* Call this between jobs: frees everything that was given out. */
void wadi_scratch_reset(wadi_scratch *s);

#endif
