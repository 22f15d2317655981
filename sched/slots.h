/* The array values of a plan while it runs: the slot table that kernels see, and who owns the memory behind it.
 *
 * All columns live in one residence, that of the device which runs the plan. Descriptors (shapes, offsets, strides) are in
 * host memory. The memory of a slot is its own (blocks of the pools), or borrowed from a chunk, an input or another slot. The
 * compute thread uses this. The workers of kernels write into shapes, offsets and columns, never into the table, except for
 * `emit` (cpu/emit.h). */
#ifndef WADI_SCHED_SLOTS_H
#define WADI_SCHED_SLOTS_H

#include "sched/chunk.h"
#include "sched/plan.h"

typedef struct wadi_slot_memory {
    void *shape, *offset;
    void *column[WADI_MAX_FIELDS]; /* those that the slot owns, then NULL */
    int64_t elements; /* that the slot's shapes and offsets describe; ONCE and REGULAR: no matter */
    bool home;        /* the columns have been brought to host memory: see wadi_slots_fetch */
} wadi_slot_memory;

/* Someone who knows where a slot's columns shall be: gives room for `values` values in each column and keeps it, or
 * declines, and then the slot gets memory of its own. */
typedef struct wadi_slots_place {
    bool (*columns)(void *env, int64_t values, void **out_column);
    void *env;
} wadi_slots_place;

typedef struct wadi_slots {
    const wadi_plan *plan;
    wadi_buffers *buffers;           /* of host memory: descriptors */
    const wadi_residence *residence; /* of all columns; NULL: host memory */
    wadi_buffers *columns;           /* a pool of that memory */
    const wadi_plan_slot
        *own; /* [owns] temporaries of the version at work; their numbers follow the plan's */
    int owns;
    int room;                 /* of the tables below, plan->nslots + owns or more */
    wadi_slot *slot;          /* [room] */
    wadi_slot_memory *memory; /* [room] */
    wadi_slots_place *place;  /* [plan->nslots]; columns NULL: nobody */
} wadi_slots;

/* Borrows all; residence NULL: host memory. */
WADI_NODISCARD wadi_status wadi_slots_init(wadi_slots *s, const wadi_plan *plan,
                                           wadi_buffers *buffers, const wadi_residence *residence,
                                           wadi_error *err);
void wadi_slots_fini(wadi_slots *s);

/* Makes room for the temporaries of a version, and gives back those of the version before. The tables may move. */
WADI_NODISCARD bool wadi_slots_extend(wadi_slots *s, const wadi_plan_version *v);
static inline int wadi_slots_count(const wadi_slots *s) {
    return s->plan->nslots + s->owns;
}
static inline const wadi_plan_slot *wadi_slots_plan(const wadi_slots *s, int slot) {
    return slot < s->plan->nslots ? &s->plan->slots[slot] : &s->own[slot - s->plan->nslots];
}

/* Gives back what the slot owns and forgets the rest. */
void wadi_slots_clear(wadi_slots *s, int slot);
/* `to` becomes what `from` is, with its memory; `from` is empty afterwards. The kinds may differ: a chunk of one element
 * is meant. */
void wadi_slots_move(wadi_slots *s, int from, int to);
/* `to` refers to what `from` owns. */
void wadi_slots_alias(wadi_slots *s, int from, int to);

/* A ONCE slot's array in memory of its own, which the caller gives to a slot by wadi_slots_give. */
WADI_NODISCARD bool wadi_slots_copy(wadi_slots *s, int from, wadi_slot *out,
                                    wadi_slot_memory *out_memory);
/* The same without copying where `from` owns its columns: it is left with its shape alone. */
WADI_NODISCARD bool wadi_slots_take_over(wadi_slots *s, int from, wadi_slot *out,
                                         wadi_slot_memory *out_memory);
void wadi_slots_give(wadi_slots *s, int to, const wadi_slot *slot,
                     const wadi_slot_memory *owned_memory);

/* Storage for shapes: of `count` elements when irregular, else of one. Keeps one that is there. */
WADI_NODISCARD bool wadi_slots_room_for_shapes(wadi_slots *s, int slot, int64_t count);
WADI_NODISCARD bool wadi_slots_room_for_offsets(wadi_slots *s, int slot, int64_t count);
/* Columns of `values` values each, where the slot's place says if it has one. */
WADI_NODISCARD bool wadi_slots_room_for_columns(wadi_slots *s, int slot, int64_t values);

/* The slot's columns become these of `values` values: borrowed if they live where the slots do, else copied there. False when out
 * of memory. */
WADI_NODISCARD bool wadi_slots_set_columns(wadi_slots *s, int slot, const wadi_residence *residence,
                                           void *const *column, int64_t values);
/* A ONCE slot gets a host array: shape copied, columns borrowed or, for slots that live elsewhere, copied. */
WADI_NODISCARD wadi_status wadi_slots_bind_array(wadi_slots *s, int slot, const wadi_array *a,
                                                 wadi_error *err);
/* A REGULAR or IRREGULAR slot gets a chunk's component, as wadi_slots_set_columns does. A regular component in an irregular slot gets a
 * descriptor; an irregular one in a regular slot must have the shape of its element 0 throughout: *out_bad is the first
 * element that has not, and the status WADI_SHAPE. */
WADI_NODISCARD wadi_status wadi_slots_bind_component(wadi_slots *s, int slot,
                                                     const wadi_chunk_component *c, int64_t count,
                                                     int64_t *out_bad, wadi_error *err);
/* The slot as a component of a result chunk, with the memory it owns. */
void wadi_slots_take(wadi_slots *s, int slot, wadi_chunk *c, int component);
/* Memory that slots of the present chunk own. */
int64_t wadi_slots_chunk_bytes(const wadi_slots *s);
/* The value of a ONCE slot of one i64. */
int64_t wadi_slots_number(const wadi_slots *s, int slot);
/* Brings the columns of a ONCE slot to host memory, for good: no kernel reads the slot afterwards. */
WADI_NODISCARD wadi_status wadi_slots_fetch(wadi_slots *s, int slot, wadi_error *err);
/* A ONCE slot whose columns are in host memory as an array, borrowed. */
wadi_array wadi_slots_array(const wadi_slots *s, int slot);

#endif
