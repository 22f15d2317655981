/* The array values of a plan while it runs: the slot table that kernels see, and who owns the memory behind it.
 *
 * All columns live in one residence, that of the device which runs the plan. Descriptors (shapes, offsets, strides) are in
 * host memory. The memory of a slot is its own (blocks of the pools), or borrowed from a chunk, an input or another slot. The
 * compute thread uses this. The workers of kernels write into shapes, offsets and columns, never into the table. */
#ifndef WADI_SCHED_SLOTS_H
#define WADI_SCHED_SLOTS_H

#include "sched/chunk.h"
#include "sched/plan.h"

typedef struct wadi_slot_memory {
    void *shape, *offset;
    void *column[WADI_MAX_FIELDS]; /* the columns that the slot owns, then NULL */
    int64_t elements; /* IRREGULAR: how many elements the shapes and offsets describe */
    bool home;        /* wadi_slots_fetch has copied the columns to host memory */
    bool dropped;     /* wadi_slots_drop has given back the columns */
} wadi_slot_memory;

/* Somebody who provides the columns of a slot, for example a collector. `columns` gives room for `values` values in each column, and
 * keeps owning it. False: it declines, and the slot gets its own memory. */
typedef struct wadi_slots_place {
    bool (*columns)(void *env, int64_t values, void **out_column);
    void *env;
} wadi_slots_place;

typedef struct wadi_slots {
    const wadi_plan *plan;
    wadi_buffers *buffers;           /* a pool of host memory, for descriptors */
    const wadi_residence *residence; /* where all columns live; NULL: host memory */
    wadi_buffers *columns;           /* a pool of that memory */
    const wadi_plan_slot *
        own; /* [owns] temporaries of the version that runs; their numbers follow those of the plan */
    int owns;
    int room;                 /* entries of the tables below: plan->nslots + owns or more */
    wadi_slot *slot;          /* [room] */
    wadi_slot_memory *memory; /* [room] */
    wadi_slots_place *place;  /* [plan->nslots]; `columns` NULL: the slot has its own memory */
    int64_t
        peak; /* the most that wadi_slots_chunk_bytes would have said where columns were dropped, of the present chunk */
} wadi_slots;

/* Borrows its arguments. residence NULL: host memory. Errors: WADI_MEMORY. */
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

bool wadi_slots_is_empty(const wadi_slots *s, int slot);
/* Gives back the memory that the slot owns, and makes the slot empty. */
void wadi_slots_clear(wadi_slots *s, int slot);
/* Moves the contents of `from` to `to`, with the memory; `from` is empty afterwards. The kinds may differ if the chunk has one
 * element. */
void wadi_slots_move(wadi_slots *s, int from, int to);
/* Makes `to` refer to the contents of `from`, which keeps the memory. */
void wadi_slots_alias(wadi_slots *s, int from, int to);

/* Between two tables of one plan and one residence: slot `slot` of `to` refers to what `from` has, or gets it with its memory. */
void wadi_slots_lend(const wadi_slots *from, wadi_slots *to, int slot);
void wadi_slots_hand_over(wadi_slots *from, wadi_slots *to, int slot);
/* Between two tables of one plan, at least one of them in host memory: a slot that describes one element (ONCE, or the state of a fold) gets
 * a copy of what `from` has, in memory of its own. False when out of memory; the slot is empty then. Only the compute thread calls it. */
WADI_NODISCARD bool wadi_slots_bring(const wadi_slots *from, wadi_slots *to, int slot);

/* Copies the array of a ONCE slot to memory of its own, which the caller then gives to a slot by wadi_slots_give. False when out of
 * memory. */
WADI_NODISCARD bool wadi_slots_copy(wadi_slots *s, int from, wadi_slot *out,
                                    wadi_slot_memory *out_memory);
/* The same, but takes the columns of `from` if it owns them, instead of copying them. Then only its shape is left in `from`. */
WADI_NODISCARD bool wadi_slots_take_over(wadi_slots *s, int from, wadi_slot *out,
                                         wadi_slot_memory *out_memory);
void wadi_slots_give(wadi_slots *s, int to, const wadi_slot *slot,
                     const wadi_slot_memory *owned_memory);

/* How many numbers the shapes of the slot have, and its offsets; 0: it has none. */
int64_t wadi_slots_shape_words(const wadi_slots *s, int slot);
int64_t wadi_slots_offset_words(const wadi_slots *s, int slot);

/* Makes storage for shapes, of `count` elements if the slot is irregular, else of one. Storage that is already there is kept. */
WADI_NODISCARD bool wadi_slots_room_for_shapes(wadi_slots *s, int slot, int64_t count);
WADI_NODISCARD bool wadi_slots_room_for_offsets(wadi_slots *s, int slot, int64_t count);
/* Makes columns of `values` values each, in the slot's place if it has one. */
WADI_NODISCARD bool wadi_slots_room_for_columns(wadi_slots *s, int slot, int64_t values);

/* Columns that were made for a slot and are not its own yet. */
typedef struct wadi_slot_columns {
    void *at[WADI_MAX_FIELDS];
    void *block[WADI_MAX_FIELDS]; /* NULL: they belong to the slot's place */
} wadi_slot_columns;

/* What wadi_slots_room_for_columns does, in two parts. The first changes nothing, and any thread may call it for a slot that no other
 * thread has in hand; the second gives the slot what was made. */
WADI_NODISCARD bool wadi_slots_make_columns(const wadi_slots *s, int slot, int64_t values,
                                            wadi_slot_columns *out);
void wadi_slots_use_columns(wadi_slots *s, int slot, const wadi_slot_columns *owned_columns);

/* The slot's columns become these of `values` values: borrowed if they live where the slots do, else copied there. False when out
 * of memory. */
WADI_NODISCARD bool wadi_slots_set_columns(wadi_slots *s, int slot, const wadi_residence *residence,
                                           void *const *column, int64_t values);
/* Gives a ONCE slot a host array. The shape is copied; the columns are borrowed, or copied if the slots live elsewhere. */
WADI_NODISCARD wadi_status wadi_slots_bind_array(wadi_slots *s, int slot, const wadi_array *a,
                                                 wadi_error *err);
/* Gives a REGULAR or IRREGULAR slot a component of a chunk; columns as in wadi_slots_set_columns. A regular component in an irregular slot
 * gets a descriptor. If an irregular component comes to a regular slot, all elements must have the shape of element 0; otherwise
 * *out_bad is the first element that has another, and the status is WADI_SHAPE. */
WADI_NODISCARD wadi_status wadi_slots_bind_component(wadi_slots *s, int slot,
                                                     const wadi_chunk_component *c, int64_t count,
                                                     int64_t *out_bad, wadi_error *err);
/* Makes the slot a component of a result chunk, which takes the memory that the slot owns. */
void wadi_slots_take(wadi_slots *s, int slot, wadi_chunk *c, int component);
/* Bytes that the slots of the present chunk own. */
int64_t wadi_slots_chunk_bytes(const wadi_slots *s);
/* Bytes of the columns that the slot owns. */
int64_t wadi_slots_column_bytes(const wadi_slots *s, int slot);
/* Gives back the columns that the slot owns, since nobody reads them any more; what describes them stays. */
void wadi_slots_drop(wadi_slots *s, int slot);
/* The value of a ONCE slot with one i64. */
int64_t wadi_slots_number(const wadi_slots *s, int slot);
/* Copies the columns of a ONCE slot to host memory, where they stay: no kernel may read the slot afterwards. After an error
 * all columns are where they were. Errors: WADI_MEMORY, those of the device. */
WADI_NODISCARD wadi_status wadi_slots_fetch(wadi_slots *s, int slot, wadi_error *err);
/* A ONCE slot whose columns are in host memory as an array, borrowed. */
wadi_array wadi_slots_array(const wadi_slots *s, int slot);

#endif
