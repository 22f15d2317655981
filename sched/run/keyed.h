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

#endif
