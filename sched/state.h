/* The state that a stage keeps from chunk to chunk, as bytes. Changes (change/change.h) and folds (run/fold.h) save it between two chunks. A
 * new one of the same plan loads it and continues with the same bits.
 *
 * The bytes are numbers, texts and chunks in the wire form, whose checksums are checked. Another process of the same build can load
 * them, on any machine that can read the wire form. They do not name their plan, so whoever stores them must store the plan's hash, too. */
#ifndef WADI_SCHED_STATE_H
#define WADI_SCHED_STATE_H

#include "base/text.h"
#include "sched/chunk.h"

/* Failure of memory is sticky in the text: whoever saves looks at `failed` once, at the end. */
void wadi_state_put(wadi_text *out, int64_t number);
void wadi_state_put_text(wadi_text *out, const char *s);
/* Elements as they are, wherever their columns live. Errors: WADI_MEMORY, WADI_UNSUPPORTED. */
WADI_NODISCARD wadi_status wadi_state_put_chunk(wadi_text *out, wadi_chunk *c, wadi_error *err);

/* Where the reading of saved bytes stands. They are borrowed. */
typedef struct wadi_state_reader {
    const char *at;
    size_t left;
} wadi_state_reader;

/* Errors of all: WADI_INVALID (the bytes end, or say something else than was saved). */
WADI_NODISCARD wadi_status wadi_state_take(wadi_state_reader *r, int64_t *out, wadi_error *err);
/* A number that is no less than 0 and no more than `most`. */
WADI_NODISCARD wadi_status wadi_state_take_count(wadi_state_reader *r, int64_t most, int64_t *out,
                                                 wadi_error *err);
/* Goes behind this text, which must stand here. */
WADI_NODISCARD wadi_status wadi_state_expect_text(wadi_state_reader *r, const char *s,
                                                  wadi_error *err);
/* With a reference for the caller, in memory of its own. Errors: WADI_IO (no chunk, or a damaged one) and WADI_MEMORY as well. */
WADI_NODISCARD wadi_status wadi_state_take_chunk(wadi_state_reader *r, wadi_buffers *buffers,
                                                 wadi_chunk **out, wadi_error *err);

#endif
