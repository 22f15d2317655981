/* Results whose shape only the kernel knows. While a kernel runs, `emit` gives it room for the arrays of one element.
 *
 * Nobody knows yet where an element will start, so workers put elements into staging memory of their own. When the step is
 * over, the offsets are the prefix sums of the sizes, and the pieces are copied in parallel to their places in flat columns. A
 * chunk of one element (and every ONCE result) is written in place.
 *
 * A result that is irregular by its type may have one size in fact. If all elements of the last chunk had one size, room for
 * elements of that size is made beforehand, and elements that fit are written to their final place. A chunk of such elements
 * is not copied. */
#ifndef WADI_SCHED_CPU_EMISSIONS_H
#define WADI_SCHED_CPU_EMISSIONS_H

#include <stdatomic.h>

#include "base/pool.h"
#include "sched/cpu/scratch.h"
#include "sched/slots.h"

/* The elements that were emitted to one slot. */
typedef struct wadi_emission {
    bool expected;
    bool in_place;             /* one element alone: its columns become the slot's, */
    wadi_slot_columns columns; /* these */
    int next;                  /* in the list of those made */
    int64_t count;             /* elements */
    void *block;               /* `piece` */
    void **
        piece; /* [count]: element s begins here, at a multiple of 8 bytes, or of WADI_ALIGN if it is large; several columns each begin at a multiple of WADI_ALIGN bytes from there; NULL: in its place */
    int64_t size;  /* bytes of a value if elements are vectors of one field; else 0 */
    int64_t guess; /* values for which every element has a place already; 0: none */
    int64_t
        each; /* values of every element of the last chunk; 0: they differed, or are not known */
} wadi_emission;

typedef struct wadi_emissions {
    wadi_slots *slots;
    int room;
    int expected; /* slots */
    atomic_int
        made; /* 1 + the first slot in the list of those that got columns since the last finish; 0: none */
    wadi_emission *of;    /* [room], by slot */
    wadi_work_near *near; /* [room], for kernels */
} wadi_emissions;

/* Frees the tables; nothing is expected any more. */
void wadi_emissions_fini(wadi_emissions *e);
/* Before a version runs. False when out of memory. */
bool wadi_emissions_begin(wadi_emissions *e, wadi_slots *slots);
/* Slot `slot`, ONCE or IRREGULAR, will be emitted for `count` elements. False when out of memory. */
bool wadi_emissions_expect(wadi_emissions *e, int slot, int64_t count);
/* The function behind wadi_work.emit. It does not change the table of slots. w, staging: of the worker; what has been taken from `staging` for
 * short vectors is w's `room`, which is NULL after a reset of `staging`.
 * Returns WADI_FAULT_NONE, or the fault. All workers may call it at once. */
wadi_fault_kind wadi_emissions_put(wadi_emissions *e, wadi_work *w, wadi_scratch *staging, int slot,
                                   int64_t s, const int64_t *shape, void **col, int64_t *out_bytes);
/* The function behind wadi_work.make_room: room for one more short vector, behind the last one if that is possible. False when out of memory. */
bool wadi_emissions_room(wadi_work *w, wadi_scratch *staging, int64_t bytes);
/* After the kernel that emits them: makes the columns of those of the slots that were expected, which then are no longer.
 * False when out of memory. */
bool wadi_emissions_finish(wadi_emissions *e, const int *slots, int n, wadi_pool *pool);
/* Cancels all expected emissions, and clears their slots. */
void wadi_emissions_reset(wadi_emissions *e);

#endif
