/* Results whose shapes only kernels know (sched/cpu/emissions.h is the counterpart).
 *
 * A kernel writes the shape and the size of each element to a block of the slot's own, and its values to a piece of the heap. When all has
 * been emitted, the host makes offsets of the sizes, and one launch copies all pieces to their places in columns. */
#ifndef WADI_SCHED_GPU_EMISSIONS_H
#define WADI_SCHED_GPU_EMISSIONS_H

#include "sched/gpu/primitives.h"
#include "sched/gpu/rt/call.h"
#include "sched/slots.h"

typedef struct wadi_gpu_expected {
    bool expected;
    int64_t pieces; /* elements that are emitted, */
    int64_t count;  /* and that the slot describes: one if it is ONCE */
    int64_t shapes; /* numbers of their shapes */
    void *block;    /* of the device: first the pieces, then offsets (one more), then shapes */
} wadi_gpu_expected;

typedef struct wadi_gpu_emissions {
    const wadi_residence
        *residence;    /* the device's own, also where the slots' columns are others' too */
    wadi_slots *slots; /* of the version at work */
    int room, expected;
    wadi_gpu_expected *of; /* [room], by slot */
} wadi_gpu_emissions;

void wadi_gpu_emissions_fini(wadi_gpu_emissions *e);
/* Before a version runs. False when out of memory. */
bool wadi_gpu_emissions_begin(wadi_gpu_emissions *e, const wadi_residence *residence,
                              wadi_slots *slots);
/* As wadi_device_ops.expect. */
bool wadi_gpu_emissions_expect(wadi_gpu_emissions *e, int slot, int64_t count);
/* What kernels see of the slot: false if it is not expected; then *row is empty and *seen as it was. */
bool wadi_gpu_emissions_describe(const wadi_gpu_emissions *e, int slot, wadi_gpu_emission *row,
                                 wadi_gpu_slot *seen);
/* As wadi_device_ops.finish. */
bool wadi_gpu_emissions_finish(wadi_gpu_emissions *e, const int *slots, int n,
                               wadi_gpu_primitives *p);
/* Cancels all that is expected, and clears those slots. */
void wadi_gpu_emissions_reset(wadi_gpu_emissions *e);

#endif
