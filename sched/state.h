/* The state that a stage keeps from chunk to chunk, as bytes. Changes (change/change.h), folds and collectors (run/state.h) save it between
 * two chunks. A new one of the same plan loads it and continues with the same bits.
 *
 * The bytes are numbers, texts and chunks in the wire form, whose checksums are checked. Another process of the same build can load
 * them, on any machine that can read the wire form. They do not name their plan, so whoever stores them must store the plan's hash, too. */
#ifndef WADI_SCHED_STATE_H
#define WADI_SCHED_STATE_H

#include "base/text.h"
#include "sched/chunk.h"

/* Append a number or a text. If memory runs out, `failed` of the text is set, which the caller checks once, at the end. */
void wadi_state_put(wadi_text *out, int64_t number);
void wadi_state_put_text(wadi_text *out, const char *s);
/* Appends a chunk, wherever its columns live. The chunk itself is not changed. Errors: WADI_MEMORY, WADI_UNSUPPORTED. */
WADI_NODISCARD wadi_status wadi_state_put_chunk(wadi_text *out, wadi_chunk *c, wadi_error *err);

/* The saved bytes that have not been read yet; borrowed. */
typedef struct wadi_state_reader {
    const char *at;
    size_t left;
} wadi_state_reader;

/* These read what the functions above have written. Errors: WADI_INVALID (the bytes end, or they are not what was saved). */
WADI_NODISCARD wadi_status wadi_state_take(wadi_state_reader *r, int64_t *out, wadi_error *err);
/* Elements, or samples, that can have come: counting on from there does not overflow. */
#define WADI_STATE_ELEMENTS (INT64_MAX / 2)
/* A number that is no less than 0 and no more than `most`. */
WADI_NODISCARD wadi_status wadi_state_take_count(wadi_state_reader *r, int64_t most, int64_t *out,
                                                 wadi_error *err);
/* Appends the text that stands here. WADI_MEMORY as well. */
WADI_NODISCARD wadi_status wadi_state_take_text(wadi_state_reader *r, wadi_text *out,
                                                wadi_error *err);
/* Goes behind this text, which must stand here. */
WADI_NODISCARD wadi_status wadi_state_expect_text(wadi_state_reader *r, const char *s,
                                                  wadi_error *err);
/* Reads a chunk into its own memory; the caller has one reference. Errors: also WADI_IO (no chunk, or a damaged one) and WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_state_take_chunk(wadi_state_reader *r, wadi_buffers *buffers,
                                                 wadi_chunk **out, wadi_error *err);

#endif
