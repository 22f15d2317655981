/* The table of slots as kernels see it, in device memory: one block with the state of a launch, the table, what is expected, and
 * behind them the shapes and offsets.
 *
 * The host has a copy of the block. Before a launch it is compared with what the host's table says now, and what differs is sent. Shapes and
 * offsets keep their places while their numbers stay the same, so most launches send a few rows. */
#ifndef WADI_SCHED_GPU_MIRROR_H
#define WADI_SCHED_GPU_MIRROR_H

#include "sched/device.h"
#include "sched/gpu/emissions.h"

/* Where the shapes and offsets of a slot are, in bytes from the begin of the block. */
typedef struct wadi_gpu_place {
    int64_t at, shapes, offsets; /* numbers of both; at 0: no place */
    bool known;                  /* the host's copy is what the device has */
} wadi_gpu_place;

/* Bytes [begin, end) of the copy that are to be sent. */
typedef struct wadi_gpu_change {
    int64_t begin, end;
} wadi_gpu_change;

typedef struct wadi_gpu_mirror {
    const wadi_residence *residence;
    wadi_buffers *buffers; /* of host memory */
    void *copy, *block;    /* here and there; NULL: none yet */
    int64_t capacity, used;
    int slots, room;
    wadi_gpu_place *place; /* [room] */
    wadi_gpu_change change;
    int64_t sent; /* bytes, in all */
} wadi_gpu_mirror;

/* Borrows its arguments. */
void wadi_gpu_mirror_init(wadi_gpu_mirror *m, const wadi_residence *residence,
                          wadi_buffers *buffers);
void wadi_gpu_mirror_fini(wadi_gpu_mirror *m);

/* Brings the block up to date for the launch, with a state that says nothing, and tells the call where it is. False when out of memory. */
bool wadi_gpu_mirror_send(wadi_gpu_mirror *m, const wadi_slots *s, const wadi_gpu_emissions *e,
                          const wadi_launch *l, wadi_gpu_call *call);
/* After the launch: the shapes that it wrote, which go to the host's table. */
void wadi_gpu_mirror_read_shapes(wadi_gpu_mirror *m, const wadi_slots *s, const wadi_launch *l);
/* The same, and the state that it has left behind. */
wadi_gpu_state wadi_gpu_mirror_read(wadi_gpu_mirror *m, const wadi_slots *s, const wadi_launch *l);

#endif
