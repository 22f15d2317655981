/* Blocks, each at least twice the size of the one before. A mark is the number of a block and the bytes used in it. */
#include "sched/cpu/scratch.h"

#include <string.h>

enum { SMALLEST = 1 << 16 };
enum { USED_BITS = 48 };

void wadi_scratch_init(wadi_scratch *s, wadi_buffers *buffers) {
    memset(s, 0, sizeof *s);
    s->buffers = buffers;
    s->current = -1;
    s->first = SMALLEST;
}

static void free_from(wadi_scratch *s, int block) {
    while (s->blocks > block) wadi_buffers_put(s->block[--s->blocks]);
}

void wadi_scratch_fini(wadi_scratch *s) {
    free_from(s, 0);
    s->current = -1;
}

static int64_t capacity(const wadi_scratch *s, int block) {
    return wadi_buffers_capacity(s->block[block]);
}

/* Adds a block behind the others. */
static bool add_block(wadi_scratch *s, int64_t bytes) {
    void *block = wadi_buffers_get(s->buffers, bytes);
    if (block == NULL) return false;
    s->block[s->blocks] = block;
    s->address[s->blocks++] = wadi_buffers_address(block);
    return true;
}

/* The first block: as large as what was needed before, or else as this job needs now. */
static bool add_first(wadi_scratch *s, int64_t bytes) {
    const int64_t least = bytes > SMALLEST ? bytes : SMALLEST;
    return (s->first > least && add_block(s, s->first)) || add_block(s, least);
}

/* Makes the block after the current one, large enough for `bytes`, the current one. */
static bool advance(wadi_scratch *s, int64_t bytes) {
    const int next = s->current + 1;
    if (next < s->blocks && capacity(s, next) < bytes) free_from(s, next);
    if (next == s->blocks) {
        if (next == WADI_SCRATCH_BLOCKS) return false;
        const int64_t twice = next > 0 ? 2 * capacity(s, next - 1) : 0;
        if (!(next == 0 ? add_first(s, bytes) : add_block(s, twice > bytes ? twice : bytes)))
            return false;
    }
    s->current = next;
    s->used = 0;
    return true;
}

void *wadi_scratch_take(wadi_scratch *s, int64_t bytes) {
    if (bytes < 0 || bytes > (INT64_C(1) << USED_BITS) - WADI_ALIGN) return NULL;
    const int64_t rounded = (bytes + WADI_ALIGN - 1) / WADI_ALIGN * WADI_ALIGN;
    s->used = (s->used + WADI_ALIGN - 1) / WADI_ALIGN * WADI_ALIGN;
    if (s->current < 0 || rounded > capacity(s, s->current) - s->used) {
        if (!advance(s, rounded)) return NULL;
    }
    void *memory = s->address[s->current] + s->used;
    s->used += rounded;
    return memory;
}

void *wadi_scratch_take_beside(wadi_scratch *s, int64_t bytes) {
    enum { STEP = 8 };
    if (bytes < 0 || bytes > (INT64_C(1) << USED_BITS) - WADI_ALIGN) return NULL;
    const int64_t rounded = (bytes + STEP - 1) / STEP * STEP;
    if (s->current < 0 || rounded > capacity(s, s->current) - s->used) {
        if (!advance(s, rounded)) return NULL;
    }
    void *memory = s->address[s->current] + s->used;
    s->used += rounded;
    return memory;
}

int64_t wadi_scratch_mark(const wadi_scratch *s) {
    return ((int64_t)(s->current + 1) << USED_BITS) | s->used;
}

void wadi_scratch_rewind(wadi_scratch *s, int64_t mark) {
    s->current = (int)(mark >> USED_BITS) - 1;
    s->used = mark & ((INT64_C(1) << USED_BITS) - 1);
}

void wadi_scratch_reset(wadi_scratch *s) {
    if (s->blocks > 1) {
        s->first = 0;
        for (int i = 0; i < s->blocks; i++) s->first += capacity(s, i);
        free_from(s, 0);
    }
    s->current = s->blocks > 0 ? 0 : -1;
    s->used = 0;
}
