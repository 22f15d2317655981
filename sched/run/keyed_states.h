/* The tables of the states of a scan with one for each key: what keyed.c and keyed_chunks.c share. */
#ifndef WADI_SCHED_RUN_KEYED_STATES_H
#define WADI_SCHED_RUN_KEYED_STATES_H

#include "base/keys.h"
#include "sched/run/keyed.h"

/* An array of one state in memory of its own, its columns one behind the other. block NULL: the first state's. */
typedef struct wadi_states_one {
    int64_t shape[WADI_MAX_RANK];
    char *block;
} wadi_states_one;

/* One array of the state, of all keys. */
typedef struct wadi_states_all {
    const wadi_plan_slot *type; /* rank, fields and their types */
    wadi_states_one first;
    char *column[WADI_MAX_FIELDS]; /* rank 0: [room] */
    wadi_states_one *array;        /* else: [room] */
} wadi_states_all;

struct wadi_states {
    const wadi_plan_fold *fold;
    const wadi_plan_slot *key;
    const wadi_plan_place *place;
    int64_t memory; /* the most bytes */
    int64_t bytes;  /* of blocks */
    int64_t each;   /* bytes of a key's row in the tables below */
    wadi_keys keys;
    int nstate;
    wadi_states_all *state; /* [nstate] */
    int64_t room; /* for keys in the tables, which have a state for keys.n of them or fewer: */
    int64_t n;
    bool lends; /* a kernel works on the columns themselves, since the device uses host memory */
    int64_t *
        local; /* [room] the number of a key among those of the chunk; see `touched`. NULL if they are lent */
    /* the chunk */
    int64_t before;          /* keys in front of it */
    int64_t count, elements; /* its elements; those that `number` has room for */
    int64_t *number;         /* [elements] of the key of each. Once gathered: in `touched` */
    int64_t *said; /* [elements] what the kernel gets instead of `number` where keys take turns */
    int64_t *touched; /* [elements] keys of the chunk, in the order in which they come */
    int64_t ntouched;
    char *gathered; /* one column of the tables */
    int64_t gathered_bytes;
    /* columns are lent, and these are what they were: all of those of keys in front of the chunk, or that of each element's key */
    bool lent, whole;
    char *was;
    int64_t was_bytes;
};

/* Bytes of an array of this type and shape. */
int64_t wadi_states_bytes_of(const wadi_plan_slot *t, const int64_t *shape);
/* State i of a key, as a component with one element. Borrowed from the tables. */
wadi_chunk_component wadi_states_of(const wadi_states *k, int i, int64_t key);
/* Copies n values of `size` bytes at the places `at` of `all` to `some`; or back. */
void wadi_states_move(int size, void *all, const int64_t *at, int64_t n, void *some, bool back);
/* The states of `out->count` keys, key[i] or, if key is NULL, first + i, as components from `at` on, in memory of the chunk. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_states_put_rows(const wadi_states *k, const int64_t *key,
                                                int64_t first, wadi_chunk *out, int at,
                                                wadi_error *err);
/* Whether the component is of arrays of this type; and whether a chunk has n states by its types. */
bool wadi_states_is_of(const wadi_chunk_component *c, const wadi_plan_slot *t);
bool wadi_states_fit(const wadi_states *k, int64_t n, const wadi_chunk *rows);
/* One field of n keys, which are whole numbers, as every `step`-th word. */
void wadi_states_words(wadi_type t, const void *column, int64_t n, int step, uint64_t *to);
/* Gives every key that has none a state: the first one. False: out of memory. */
bool wadi_states_begin_keys(wadi_states *k);
/* Errors: WADI_MEMORY (more than is allowed). */
WADI_NODISCARD wadi_status wadi_states_check_memory(const wadi_states *k, wadi_error *err);
/* Fails with WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_states_no_memory(const wadi_states *k, wadi_error *err);

#endif
