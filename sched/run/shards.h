/* Elements of a chunk, parted by their keys, and what comes of the parts in the order of the elements again.
 *
 * The states of some keys after their elements depend on nothing but these elements, in their order, and the states before: so an item that has both may be computed
 * anywhere, and twice. A key has a shard, by its number; an item has the elements of neighbouring shards. Nothing of that is saved, so the
 * next chunk may be parted into another number of items. */
#ifndef WADI_SCHED_RUN_SHARDS_H
#define WADI_SCHED_RUN_SHARDS_H

#include "sched/chunk.h"
#include "sched/run/keyed.h"

typedef struct wadi_shard_item {
    int low, high;    /* shards [low, high) */
    int64_t first, n; /* its elements: `order` from `first` on. n 0: there are none */
    int64_t nkeys;    /* its keys: `key` from `first` on */
} wadi_shard_item;

typedef struct wadi_shards {
    int n;
    wadi_shard_item item[WADI_SHARDS];
    int64_t count;
    int64_t *order; /* [count] elements by items; in each they rise */
    int64_t *
        key; /* [count] numbers of keys by items, as they first come; between two items there is a gap */
} wadi_shards;

/* Which keys a chunk has had: one number each, all zero at first. */
typedef struct wadi_shard_marks {
    int64_t *of;
    int64_t n, chunk;
} wadi_shard_marks;
void wadi_shard_marks_fini(wadi_shard_marks *m);

/* number: [count] keys of the elements, all less than `keys`; n: items wanted, at least 1. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_shards_part(const int64_t *number, int64_t count, int64_t keys,
                                            int n, wadi_shard_marks *marks, wadi_shards *out,
                                            wadi_error *err);
void wadi_shards_fini(wadi_shards *p); /* harmless if all zero */

/* Chunks of the same components, of[i] with an element for each of item i (not looked at if it has none), become one for all elements. It
 * may refer to them. Errors: WADI_IO (they do not belong together: what is regular has several shapes), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_shards_join(const wadi_shards *p, wadi_chunk *const *of,
                                            wadi_buffers *buffers, wadi_chunk **out,
                                            wadi_error *err);

#endif
