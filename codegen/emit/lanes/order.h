/* Where the lanes of a group must wait for each other.
 *
 * The writer goes through a kernel from top to bottom and says what it comes to. What lanes have used since they waited last is remembered:
 * lane arrays of the group, and memory by the column or scratch array that a pointer begins with. They must wait again in front of whatever
 * changes what others have used, or uses what others have changed. What one and the same lane does needs no waiting. */
#ifndef WADI_CODEGEN_EMIT_LANES_ORDER_H
#define WADI_CODEGEN_EMIT_LANES_ORDER_H

#include "base/vec.h"
#include "codegen/emit/c_like/names.h"

typedef enum wadi_c_way { WADI_C_LOADS, WADI_C_UPDATES /* atomically */, WADI_C_STORES } wadi_c_way;

/* A use of a lane array or of memory. */
typedef struct wadi_c_use {
    wadi_lv
        what; /* the lane array, or the instruction that makes the pointer; WADI_LV_NONE: any memory */
    bool memory;
    wadi_c_way way;
    bool alone; /* by the first lane */
} wadi_c_use;

typedef WADI_VEC(wadi_c_use) wadi_c_uses;

typedef struct wadi_c_order {
    const wadi_lfun *f;
    const wadi_c_names *names;
    uint8_t *shared;     /* [value] a lane array of the group that its lanes change */
    uint8_t *updated;    /* [value] a load that an atomic store repeats */
    wadi_c_uses pending; /* since lanes have waited */
    bool failed;         /* out of memory */
} wadi_c_order;

/** false: out of memory. fini is fine in either case. */
bool wadi_c_order_init(wadi_c_order *o, const wadi_lfun *f, const wadi_c_names *names);
void wadi_c_order_fini(wadi_c_order *o);

/** Whether `v` is a lane array that is memory of the group. */
static inline bool wadi_c_order_is_shared(const wadi_c_order *o, wadi_lv v) {
    return o->shared[v] != 0;
}
/** Whether lanes must wait in front of `i`: a loop by lanes, or what stands between such loops. Notes that they do, and what they use
 *  then. A loop that goes through its rounds one after the other is only about to begin. */
bool wadi_c_order_waits(wadi_c_order *o, const wadi_linst *i);
/** Lanes have waited for another reason. */
void wadi_c_order_waited(wadi_c_order *o);

/** What was used so far, for the other way that a branch may go. The caller frees it with wadi_vec_free. */
wadi_c_uses wadi_c_order_fork(wadi_c_order *o);
/** Adds what the other way used. Frees it. */
void wadi_c_order_join(wadi_c_order *o, wadi_c_uses *other);
/** Goes back to what was used in front of the branch, and leaves there what was used since. */
void wadi_c_order_turn(wadi_c_order *o, wadi_c_uses *other);

#endif
