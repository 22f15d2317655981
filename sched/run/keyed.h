/* The states of a scan that has one for each key.
 *
 * They are in host memory, wherever the run computes. Of a chunk, the keys get numbers. Scalars: a kernel works on tables in the slots of the state, which are those of all
 * keys where the device has the host's memory, and else have the states that the chunk's elements need. Others: the state of one element after the other is put there. What a failing element
 * has made of its state is put back or not taken back, so all states stay those before it. */
#ifndef WADI_SCHED_RUN_KEYED_H
#define WADI_SCHED_RUN_KEYED_H

#include "sched/run/state.h"

/* No states yet. Copies the first state, that of a key that is new, from its slots. place: for errors, borrowed, as is `fold`; key: what keys
 * are; memory: the most bytes that all states may take. Errors: WADI_MEMORY, those of the device. */
WADI_NODISCARD wadi_status wadi_states_create(wadi_crew *w, const wadi_plan_fold *fold,
                                              const wadi_plan_slot *key,
                                              const wadi_plan_place *place, int64_t memory,
                                              wadi_states **out, wadi_error *err);
void wadi_states_destroy(wadi_states *k); /* NULL is fine */

/* The chunk's elements are the next ones. Their keys are its last component, on the host, which is spread. Errors: WADI_MEMORY (also more than is allowed). */
WADI_NODISCARD wadi_status wadi_states_begin(wadi_states *k, wadi_chunk *c, wadi_error *err);
/* A carried fold: fills the slots with tables and the slot with the numbers; and keeps what the tables have now. Without the second, wadi_states_end makes all states what they were. Slots may
 * borrow the tables until then. */
WADI_NODISCARD wadi_status wadi_states_gather(wadi_states *k, wadi_crew *w, wadi_error *err);
WADI_NODISCARD wadi_status wadi_states_scatter(wadi_states *k, wadi_crew *w, wadi_error *err);
/* Others: puts the state of element s of the chunk into the slots; and takes it back. Errors: as wadi_states_begin. */
WADI_NODISCARD wadi_status wadi_states_put(wadi_states *k, wadi_crew *w, int64_t s,
                                           wadi_error *err);
WADI_NODISCARD wadi_status wadi_states_take(wadi_states *k, wadi_crew *w, int64_t s,
                                            wadi_error *err);
/* Behind the chunk, of whose first `done` elements the states have been taken back: the slots are empty, and keys that only the others have are
 * forgotten, since nothing is known of an element that fails. */
void wadi_states_end(wadi_states *k, wadi_crew *w, int64_t done);

/* The next keys, from number `first` on, at most `most` and of at most `bytes` bytes, but one in any case, and their states: a chunk of the key and the
 * arrays of the state, with a reference for the caller; NULL: there are no more. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_states_chunk(const wadi_states *k, wadi_buffers *buffers,
                                             int64_t first, int64_t most, int64_t bytes,
                                             wadi_chunk **out, wadi_error *err);

/* Appends all keys with their states, between two chunks. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_states_save(const wadi_states *k, wadi_buffers *buffers,
                                            wadi_text *out, wadi_error *err);
/* Into a table that has no keys yet. After a failure it can only be destroyed. Errors: WADI_INVALID (of another scan), WADI_IO (damaged),
 * WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_states_load(wadi_states *k, wadi_buffers *buffers,
                                            wadi_state_reader *from, wadi_error *err);

/* ---- keyed_rows.c: states of some keys, which change elsewhere, between two chunks ---- */

/* The numbers of the keys of the chunk's elements, whose key is its last component; one that is new has the first state. *out: [count] borrowed until the
 * next chunk. Errors: as wadi_states_begin; then no key is new. */
WADI_NODISCARD wadi_status wadi_states_number(wadi_states *k, wadi_crew *w, wadi_chunk *c,
                                              const int64_t **out, wadi_error *err);
int64_t wadi_states_keys(const wadi_states *k);
/* Forgets the keys from number n on. */
void wadi_states_forget(wadi_states *k, int64_t n);
/* The states of n keys of these numbers (NULL: 0, 1, ..), one behind the other, with a reference for the caller. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_states_rows(const wadi_states *k, wadi_buffers *buffers,
                                            const int64_t *key, int64_t n, wadi_chunk **out,
                                            wadi_error *err);
/* Whether the chunk, from wherever it comes, may be states of n keys. Any thread, while there are the states. */
bool wadi_states_are(const wadi_states *k, int64_t n, const wadi_chunk *rows);
/* Such a chunk becomes the states of the keys. What is allowed for all is not asked. Errors: WADI_MEMORY (some have changed). */
WADI_NODISCARD wadi_status wadi_states_set_rows(wadi_states *k, const int64_t *key,
                                                const wadi_chunk *rows, wadi_error *err);

enum { WADI_SHARDS = 64 };
/* Of a key: those that came one behind the other are spread. Less than WADI_SHARDS. */
static inline int wadi_shard_of(int64_t key) {
    return (int)((uint64_t)key * UINT64_C(0x9E3779B97F4A7C15) >> 58);
}
/* Of the last chunk, of so many elements: those of the shard that has most. */
int64_t wadi_states_most_of_shard(const wadi_states *k, int64_t count);
/* Bytes of the states of n keys, about. */
int64_t wadi_states_bytes_about(const wadi_states *k, int64_t n);

#endif
