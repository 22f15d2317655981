/* The free parts in a sorted array. There are at most as many as parts that are taken, and one, so `take` makes room for what `give` will
 * need. */
#include "sched/opencl/range.h"

#include <stdint.h>
#include <string.h>

#include "base/error.h"

/* 0: more than can be. */
static size_t rounded(size_t bytes) {
    if (bytes > SIZE_MAX - WADI_OPENCL_ALIGN) return 0;
    if (bytes == 0) bytes = 1;
    return (bytes + WADI_OPENCL_ALIGN - 1) / WADI_OPENCL_ALIGN * WADI_OPENCL_ALIGN;
}

bool wadi_opencl_range_init(wadi_opencl_range *r, size_t size) {
    *r = (wadi_opencl_range){0};
    size = size / WADI_OPENCL_ALIGN * WADI_OPENCL_ALIGN;
    return size == 0 || wadi_vec_push(&r->free, ((wadi_opencl_part){0, size}));
}

void wadi_opencl_range_fini(wadi_opencl_range *r) {
    wadi_vec_free(&r->free);
}

static void remove_part(wadi_opencl_range *r, size_t i) {
    memmove(&r->free.at[i], &r->free.at[i + 1], (r->free.n - i - 1) * sizeof r->free.at[0]);
    r->free.n--;
}

/* There is room. */
static void insert_part(wadi_opencl_range *r, size_t i, wadi_opencl_part part) {
    memmove(&r->free.at[i + 1], &r->free.at[i], (r->free.n - i) * sizeof r->free.at[0]);
    r->free.at[i] = part;
    r->free.n++;
}

bool wadi_opencl_range_take(wadi_opencl_range *r, size_t bytes, size_t *out_begin) {
    const size_t size = rounded(bytes);
    size_t i = 0;
    if (size == 0 || !wadi_vec_reserve(&r->free, r->taken + 2)) return false;
    while (i < r->free.n && r->free.at[i].size < size) i++;
    if (i == r->free.n) return false;
    wadi_opencl_part *part = &r->free.at[i];
    *out_begin = part->begin;
    part->begin += size;
    part->size -= size;
    if (part->size == 0) remove_part(r, i);
    r->taken++;
    return true;
}

/* The first free part behind `begin`. */
static size_t behind(const wadi_opencl_range *r, size_t begin) {
    size_t low = 0, high = r->free.n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (r->free.at[middle].begin < begin)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void wadi_opencl_range_give(wadi_opencl_range *r, size_t begin, size_t bytes) {
    const size_t i = behind(r, begin), size = rounded(bytes);
    wadi_opencl_part *before = i > 0 ? &r->free.at[i - 1] : NULL;
    wadi_opencl_part *after = i < r->free.n ? &r->free.at[i] : NULL;
    const bool joins_before = before != NULL && before->begin + before->size == begin;
    const bool joins_after = after != NULL && begin + size == after->begin;
    WADI_ASSERT(before == NULL || before->begin + before->size <= begin);
    WADI_ASSERT(after == NULL || begin + size <= after->begin);
    r->taken--;
    if (joins_before && joins_after) {
        before->size += size + after->size;
        remove_part(r, i);
    } else if (joins_before) {
        before->size += size;
    } else if (joins_after) {
        after->begin = begin;
        after->size += size;
    } else {
        insert_part(r, i, (wadi_opencl_part){begin, size});
    }
}
