/* The charter of a stage that workers elsewhere compute, and its items.
 *
 * The charter has all that a worker needs before its first item: which program, which stage, and the values that do not change from chunk to
 * chunk. An item is the chunk that the body reads. Its answer has the results, but for those that home has itself: what passes
 * through, and what does not change. Numbers are little-endian, chunks in the wire form, whose checksums are checked. */
#ifndef WADI_SCHED_RUN_CHARTER_H
#define WADI_SCHED_RUN_CHARTER_H

#include "base/text.h"
#include "sched/chunk.h"
#include "sched/plan.h"
#include "sched/slots.h"
#include "sched/state.h"

enum { WADI_CHARTER_HASH = 32 };

typedef struct wadi_charter {
    wadi_state_reader program;       /* what the loader of home has written (wadi_loader) */
    uint8_t hash[WADI_CHARTER_HASH]; /* of the plan */
    int phase, stage;
    wadi_state_reader values; /* what follows */
} wadi_charter;

/* once: the values that do not change, in host memory. Errors: WADI_MEMORY, WADI_UNSUPPORTED (the program cannot travel; it is said why). */
WADI_NODISCARD wadi_status wadi_charter_write(const wadi_plan *plan, const wadi_loader *loader,
                                              int phase, int stage, wadi_slots *once,
                                              wadi_buffers *buffers, wadi_text *out,
                                              wadi_error *err);
/* Borrows the bytes. Errors: WADI_IO (it is damaged, or no charter), WADI_UNSUPPORTED (home is another version of wadi), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_charter_read(const void *bytes, int64_t n, wadi_charter *out,
                                             wadi_error *err);
/* Puts the values into the slots, which refer to *out_held until it is released. The plan is that of the hash. Errors: WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_charter_values(const wadi_charter *c, const wadi_plan *plan,
                                               wadi_slots *slots, wadi_buffers *buffers,
                                               wadi_chunk **out_held, wadi_error *err);

/* The slots of the stage's results that travel: home has those that pass through the body, and values. out: [p->nresults]. Returns how
 * many. */
int wadi_charter_results(const wadi_plan *plan, const wadi_plan_stage *p, const wadi_slots *once,
                         int *out);

/* A chunk as an item. Errors: WADI_MEMORY, WADI_UNSUPPORTED. */
WADI_NODISCARD wadi_status wadi_item_write(wadi_chunk *c, wadi_text *out, wadi_error *err);
/* Reads an item, which must have components like these slots; as_made: stored as a body makes them. Errors: WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_item_read(const void *bytes, int64_t n, const wadi_plan *plan,
                                          int nslots, const int *slots, bool as_made,
                                          wadi_buffers *buffers, wadi_chunk **out, wadi_error *err);

#endif
