/* The memory that kernels take while they run: regions of scratch memory, and the heap behind them.
 *
 * A region belongs to an item and is used anew in each launch; so few rounds get large regions. What has been taken of the heap is gone until
 * the launch has ended. Emitted elements stay there until they have been copied to their columns. */
#ifndef WADI_SCHED_GPU_ROOM_H
#define WADI_SCHED_GPU_ROOM_H

#include "sched/gpu/driver.h"
#include "sched/gpu/rt/call.h"
#include "sched/residence.h"

typedef struct wadi_gpu_room {
    wadi_buffers *blocks; /* the device's memory */
    int64_t want, most;   /* bytes for the next version, and at most */
    void *block;          /* NULL: none yet */
    int64_t bytes;        /* of it */
    int64_t taken;        /* units of the heap that hold emitted elements */
} wadi_gpu_room;

/* Takes no memory yet. */
void wadi_gpu_room_init(wadi_gpu_room *r, const wadi_gpu_driver *driver, wadi_buffers *blocks);
void wadi_gpu_room_fini(wadi_gpu_room *r);
/* Before a version runs. */
void wadi_gpu_room_begin(wadi_gpu_room *r);
/* Describes the room for a launch whose regions have so many owners. If there is none at all, kernels that take memory fault. */
void wadi_gpu_room_give(wadi_gpu_room *r, int64_t owners, wadi_gpu_call *call);
/* A launch has taken so many units of the heap. stays: they hold emitted elements. */
void wadi_gpu_room_took(wadi_gpu_room *r, int64_t units, bool stays);
/* Nothing that was emitted is in the heap any more. */
void wadi_gpu_room_clear(wadi_gpu_room *r);
/* It was not enough: the next version gets more, up to a limit. */
void wadi_gpu_room_was_short(wadi_gpu_room *r);

#endif
