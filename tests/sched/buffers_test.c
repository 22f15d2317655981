/* The pool of buffers, on a heap that records requests and may refuse them: sizes of blocks, which blocks are used again, which are
 * freed first, and what is counted. */
#include "sched/buffers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/keep.h"

enum { MOST = 64 };

/* A heap that knows its blocks. */
typedef struct heap {
    void *at[MOST];
    size_t bytes[MOST];
    int out, taken, freed;
    int refuse; /* so many requests */
} heap;

static void *take(void *self, size_t bytes) {
    heap *h = self;
    h->taken++;
    if (h->refuse > 0) {
        h->refuse--;
        return NULL;
    }
    assert_true(h->out < MOST);
    h->bytes[h->out] = bytes;
    h->at[h->out] = aligned_alloc(WADI_ALIGN, bytes);
    return h->at[h->out++];
}

static void give(void *self, void *memory, size_t bytes) {
    heap *h = self;
    int i = 0;
    while (i < h->out && h->at[i] != memory) i++;
    assert_true(i < h->out);
    assert_int_equal(h->bytes[i], bytes);
    h->freed++;
    free(memory);
    h->out--;
    h->at[i] = h->at[h->out];
    h->bytes[i] = h->bytes[h->out];
}

static wadi_buffers *pool_on(heap *h, int64_t keep) {
    const wadi_memory memory = {.take = take, .give = give, .self = h};
    wadi_buffers *b = NULL;
    assert_int_equal(wadi_buffers_create(&memory, keep, &b, NULL), WADI_OK);
    return b;
}

static void end(wadi_buffers *b, heap *h) {
    assert_int_equal(wadi_buffers_used(b), 0);
    wadi_buffers_release(b);
    assert_int_equal(h->out, 0);
}

/* Powers of two and seven sizes between two of them, whole lines of memory: the least that holds what is asked for. */
static void blocks_have_the_least_of_the_sizes(void **state) {
    (void)state;
    heap h = {.out = 0};
    wadi_buffers *b = pool_on(&h, 0);
    for (int64_t power = 128; power <= 1 << 20; power *= 2) {
        for (int step = 1; step <= 8; step++) {
            const int64_t lines = power / 8 * (8 + step) + WADI_ALIGN - 1;
            const int64_t size = lines / WADI_ALIGN * WADI_ALIGN;
            const int64_t least = power / 8 * (7 + step) / WADI_ALIGN * WADI_ALIGN + 1;
            const int64_t asked[] = {least, size - 1, size};
            for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
                if (asked[i] < least || (power < 512 && i == 0)) continue;
                char *block = wadi_buffers_get(b, asked[i]);
                assert_int_equal(wadi_buffers_capacity(block), size);
                assert_int_equal(wadi_buffers_used(b), size);
                assert_int_equal((uintptr_t)block % WADI_ALIGN, 0);
                memset(block, 1, (size_t)size); /* a checker of memory sees a block too short */
                wadi_buffers_put(block);
            }
        }
    }
    for (int64_t small = 0; small <= 128; small += 64) {
        void *block = wadi_buffers_get(b, small);
        assert_int_equal(wadi_buffers_capacity(block), 128);
        wadi_buffers_put(block);
    }
    assert_null(wadi_buffers_get(b, -1));
    assert_null(wadi_buffers_get(b, INT64_MAX));
    wadi_buffers_put(NULL);
    end(b, &h);
}

/* A block that waits serves a request that it is less than three times, or if it is large, half as much again, too large for. */
static void what_waits_serves_again_unless_far_too_large(void **state) {
    (void)state;
    static const struct {
        int64_t waits, asked;
        bool serves;
    } cases[] = {{1024, 1024, true},  {1024, 769, true},    {1024, 768, true},
                 {1024, 512, true},   {1024, 385, true},    {1024, 256, false},
                 {1536, 1025, true},  {1536, 577, true},    {1536, 384, false},
                 {1024, 1025, false}, {98304, 65537, true}, {131072, 65536, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        heap h = {.out = 0};
        wadi_buffers *b = pool_on(&h, 1 << 20);
        void *first = wadi_buffers_get(b, cases[i].waits);
        wadi_buffers_put(first);
        void *second = wadi_buffers_get(b, cases[i].asked);
        assert_int_equal(h.taken, cases[i].serves ? 1 : 2);
        assert_int_equal(second == first, cases[i].serves);
        assert_int_equal(wadi_buffers_used(b), wadi_buffers_capacity(second));
        wadi_buffers_put(second);
        end(b, &h);
    }
}

/* Of those that wait the one nearest in size is taken; of one size, each once. */
static void the_nearest_size_serves_first(void **state) {
    (void)state;
    heap h = {.out = 0};
    wadi_buffers *b = pool_on(&h, 1 << 20);
    void *large = wadi_buffers_get(b, 1024), *small = wadi_buffers_get(b, 512);
    void *like = wadi_buffers_get(b, 512);
    wadi_buffers_put(large);
    wadi_buffers_put(small);
    wadi_buffers_put(like);
    void *x = wadi_buffers_get(b, 500), *y = wadi_buffers_get(b, 500),
         *z = wadi_buffers_get(b, 500);
    assert_true((x == small && y == like) || (x == like && y == small));
    assert_ptr_equal(z, large);
    assert_int_equal(h.taken, 3);
    assert_int_equal(wadi_buffers_used(b), 512 + 512 + 1024);
    wadi_buffers_put(x);
    wadi_buffers_put(y);
    wadi_buffers_put(z);
    end(b, &h);
}

/* As much waits as the pool may keep, to the byte; the smallest goes first. */
static void the_smallest_that_wait_are_freed_first(void **state) {
    (void)state;
    heap h = {.out = 0};
    wadi_buffers *b = pool_on(&h, 128 + 512 + 2048);
    void *block[] = {wadi_buffers_get(b, 2048), wadi_buffers_get(b, 128), wadi_buffers_get(b, 512),
                     wadi_buffers_get(b, 512)};
    assert_int_equal(wadi_buffers_peak(b), 2048 + 128 + 512 + 512);
    for (int i = 0; i < 3; i++) wadi_buffers_put(block[i]);
    assert_int_equal(h.freed, 0); /* just so much */
    wadi_buffers_put(block[3]);   /* 512 too many: that of 128, then one of 512 */
    assert_int_equal(h.freed, 2);
    assert_int_equal(h.out, 2);
    void *again[] = {wadi_buffers_get(b, 2048), wadi_buffers_get(b, 512)};
    assert_int_equal(h.taken, 4); /* both are still there */
    void *fresh = wadi_buffers_get(b, 128);
    assert_int_equal(h.taken, 5);
    wadi_buffers_put(again[0]);
    wadi_buffers_put(again[1]);
    wadi_buffers_put(fresh);
    assert_int_equal(h.freed, 2);
    assert_int_equal(wadi_buffers_peak(b), 2048 + 128 + 512 + 512);
    end(b, &h);
}

/* What waits is given back before a request fails. */
static void a_refusal_frees_what_waits_and_asks_again(void **state) {
    (void)state;
    heap h = {.out = 0};
    wadi_buffers *b = pool_on(&h, 1 << 20);
    void *held = wadi_buffers_get(b, 100);
    wadi_buffers_put(wadi_buffers_get(b, 4096));
    wadi_buffers_put(wadi_buffers_get(b, 300));
    h.refuse = 1;
    h.taken = 0;
    void *block = wadi_buffers_get(b, 100000);
    assert_non_null(block);
    assert_int_equal(h.taken, 2);
    assert_int_equal(h.freed, 2);
    assert_int_equal(h.out, 2);
    h.refuse = 2; /* nothing waits: asked once, and nothing is counted */
    h.taken = 0;
    const int64_t used = wadi_buffers_used(b), peak = wadi_buffers_peak(b);
    assert_null(wadi_buffers_get(b, 1 << 20));
    assert_int_equal(h.taken, 1);
    assert_int_equal(wadi_buffers_used(b), used);
    assert_int_equal(wadi_buffers_peak(b), peak);
    wadi_buffers_put(block);
    h.refuse = 2; /* what waits does not help */
    assert_null(wadi_buffers_get(b, 1 << 20));
    assert_int_equal(h.refuse, 0);
    assert_int_equal(h.out, 1);
    wadi_buffers_put(held);
    end(b, &h);
}

static void growing_keeps_what_is_to_be_kept(void **state) {
    (void)state;
    heap h = {.out = 0};
    wadi_buffers *b = pool_on(&h, 0);
    void *block = NULL;
    assert_true(wadi_buffers_grow(b, &block, 0, 0)); /* even an empty one is a block */
    assert_non_null(block);
    void *before = block;
    for (int i = 0; i < 128; i++) ((char *)block)[i] = (char)i;
    assert_true(wadi_buffers_grow(b, &block, 100, 128));
    assert_ptr_equal(block, before);
    assert_true(wadi_buffers_grow(b, &block, 128, 129)); /* at least twice as large */
    assert_int_equal(wadi_buffers_capacity(block), 256);
    for (int i = 0; i < 128; i++) assert_int_equal(((char *)block)[i], i);
    assert_true(wadi_buffers_grow(b, &block, 128, 5000)); /* or as large as it must be */
    assert_int_equal(wadi_buffers_capacity(block), 5120);
    for (int i = 0; i < 128; i++) assert_int_equal(((char *)block)[i], i);
    assert_int_equal(h.out, 1); /* those it stood in before are back */
    before = block;
    h.refuse = 1;
    assert_false(wadi_buffers_grow(b, &block, 128, 10000));
    assert_ptr_equal(block, before);
    for (int i = 0; i < 128; i++) assert_int_equal(((char *)block)[i], i);
    wadi_buffers_put(block);
    end(b, &h);
}

/* Whoever releases the last reference ends it, and what waits. */
static void the_last_reference_frees_what_waits(void **state) {
    (void)state;
    heap h = {.out = 0};
    wadi_buffers *b = pool_on(&h, 1 << 20);
    assert_ptr_equal(wadi_buffers_retain(b), b);
    wadi_buffers_put(wadi_buffers_get(b, 1000));
    wadi_buffers_release(b);
    assert_int_equal(h.out, 1);
    wadi_buffers_release(b);
    assert_int_equal(h.out, 0);
    wadi_buffers_release(NULL);
}

/* Of memory that is plenty, a pool holds as much as it once used in all. */
static void what_was_used_once_waits_where_memory_is_plenty(void **state) {
    (void)state;
    heap h = {.out = 0};
    const wadi_memory memory = {.take = take, .give = give, .self = &h, .plenty = true};
    wadi_buffers *b = NULL;
    assert_int_equal(wadi_buffers_create(&memory, 1000, &b, NULL), WADI_OK);
    void *x = wadi_buffers_get(b, 4096), *y = wadi_buffers_get(b, 2048);
    wadi_buffers_put(y);
    wadi_buffers_put(x);
    assert_int_equal(h.out, 2);
    void *all = wadi_buffers_get(b, 1 << 20); /* it fits neither, and makes a higher peak */
    assert_int_equal(h.out, 1);               /* together never more than that */
    wadi_buffers_put(all);
    assert_int_equal(h.out, 1);
    end(b, &h);
}

/* Of a device's memory as well, up to a quarter of what there is: arrays larger than what may wait are not taken anew for each chunk. */
static void what_was_used_once_waits_of_a_quarter_of_a_device(void **state) {
    (void)state;
    heap h = {.out = 0};
    const wadi_memory memory = {.take = take, .give = give, .self = &h, .of = 40000};
    wadi_buffers *b = NULL;
    assert_int_equal(wadi_buffers_create(&memory, 1000, &b, NULL), WADI_OK);
    for (int chunk = 0; chunk < 3; chunk++) {
        void *x = wadi_buffers_get(b, 4096), *y = wadi_buffers_get(b, 2048);
        wadi_buffers_put(y);
        wadi_buffers_put(x);
        assert_int_equal(h.taken, 2);
    }
    wadi_buffers_put(wadi_buffers_get(b, 16384));
    assert_int_equal(h.out, 0); /* more than a quarter does not wait */
    end(b, &h);
}

static int64_t held(const heap *h) {
    int64_t bytes = 0;
    for (int i = 0; i < h->out; i++) bytes += (int64_t)h->bytes[i];
    return bytes;
}

/* What is in use and what waits are together no more than the pool may keep, also where sizes change. */
static void what_waits_makes_room_for_what_is_used(void **state) {
    (void)state;
    enum { KEPT = 1 << 20, AT_A_TIME = 3, HEADERS = 100 * 64 };
    heap h = {.out = 0};
    const wadi_memory memory = {.take = take, .give = give, .self = &h, .plenty = true};
    wadi_buffers *b = NULL;
    assert_int_equal(wadi_buffers_create(&memory, KEPT, &b, NULL), WADI_OK);
    for (int64_t bytes = 1000; AT_A_TIME * bytes < KEPT / 2; bytes *= 2) {
        void *block[AT_A_TIME];
        for (int i = 0; i < AT_A_TIME; i++) {
            block[i] = wadi_buffers_get(b, bytes);
            assert_true(held(&h) <= KEPT + HEADERS);
        }
        for (int i = 0; i < AT_A_TIME; i++) wadi_buffers_put(block[i]);
        assert_true(held(&h) <= KEPT + HEADERS);
    }
    assert_true(held(&h) > KEPT / 4); /* it does keep some */
    end(b, &h);
}

/* The shelf is held, so the second pool is the first; its memory may have been the system's in between. */
static void large_blocks_of_an_idle_pool_serve_again(void **state) {
    (void)state;
    enum { LARGE = 12 << 20 };
    void *first = NULL;
    wadi_keep_hold();
    for (int round = 0; round < 3; round++) {
        wadi_buffers *b = NULL;
        assert_int_equal(wadi_buffers_create(NULL, 64 << 20, &b, NULL), WADI_OK);
        char *block = wadi_buffers_get(b, LARGE);
        if (round == 0) first = block;
        assert_ptr_equal(block, first);
        assert_int_equal(wadi_buffers_capacity(block), LARGE);
        memset(block, round, LARGE);
        wadi_buffers_put(block);
        wadi_buffers_release(b);
        void *other = malloc(LARGE); /* this would be there if it were free */
        assert_non_null(other);
        free(other);
    }
    wadi_keep_drop();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_have_the_least_of_the_sizes),
        cmocka_unit_test(what_waits_serves_again_unless_far_too_large),
        cmocka_unit_test(the_nearest_size_serves_first),
        cmocka_unit_test(the_smallest_that_wait_are_freed_first),
        cmocka_unit_test(a_refusal_frees_what_waits_and_asks_again),
        cmocka_unit_test(growing_keeps_what_is_to_be_kept),
        cmocka_unit_test(the_last_reference_frees_what_waits),
        cmocka_unit_test(what_was_used_once_waits_where_memory_is_plenty),
        cmocka_unit_test(what_was_used_once_waits_of_a_quarter_of_a_device),
        cmocka_unit_test(what_waits_makes_room_for_what_is_used),
        cmocka_unit_test(large_blocks_of_an_idle_pool_serve_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
