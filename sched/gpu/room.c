/* One block: the regions are its first half, the heap is the second. It is made at the first launch, of an eighth of the device's memory, and
 * grows to twice that between versions. */
#include "sched/gpu/room.h"

#include "sched/gpu/memory.h"

enum { FIRST = 8, LAST = 4 /* these parts of all memory */ };

static const int64_t smallest = 1 << 16;

void wadi_gpu_room_init(wadi_gpu_room *r, const wadi_gpu_driver *driver, wadi_buffers *blocks) {
    *r = (wadi_gpu_room){
        .blocks = blocks, .want = driver->memory / FIRST, .most = driver->memory / LAST};
}

void wadi_gpu_room_fini(wadi_gpu_room *r) {
    wadi_buffers_put(r->block);
    r->block = NULL;
    r->bytes = 0;
}

void wadi_gpu_room_begin(wadi_gpu_room *r) {
    r->taken = 0;
    if (r->bytes < r->want) wadi_gpu_room_fini(r);
}

/* As much as there is, if it is less than what is wanted. */
static void make(wadi_gpu_room *r) {
    for (int64_t bytes = r->want; bytes >= smallest && r->block == NULL; bytes /= 2) {
        r->block = wadi_buffers_get(r->blocks, bytes);
        r->bytes = r->want = bytes / (2 * WADI_GPU_UNIT) * (2 * WADI_GPU_UNIT);
    }
    if (r->block == NULL) r->bytes = 0;
}

void wadi_gpu_room_give(wadi_gpu_room *r, int64_t owners, wadi_gpu_call *call) {
    if (r->block == NULL) make(r);
    if (r->block == NULL) return;
    const int64_t half = r->bytes / 2, units = half / WADI_GPU_UNIT - r->taken;
    const uint64_t at = wadi_gpu_address(wadi_buffers_address(r->block));
    call->scratch = at;
    call->region = half / owners / WADI_GPU_UNIT * WADI_GPU_UNIT;
    call->heap = at + (uint64_t)(half + r->taken * WADI_GPU_UNIT);
    call->heap_units = units < UINT32_MAX ? (uint32_t)units : UINT32_MAX;
}

void wadi_gpu_room_took(wadi_gpu_room *r, int64_t units, bool stays) {
    if (stays) r->taken += units;
}

void wadi_gpu_room_clear(wadi_gpu_room *r) {
    r->taken = 0;
}

void wadi_gpu_room_was_short(wadi_gpu_room *r) {
    const int64_t more = r->bytes < r->most / 2 ? 2 * r->bytes : r->most;
    if (more > r->bytes) r->want = more;
}
