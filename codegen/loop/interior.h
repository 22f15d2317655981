/* The interior of a loop: the rounds in which minima, maxima, remainders, comparisons and checks of affine indices have the outcome that they
 * have almost everywhere. They are decided while the interior's code is written, and their conditions narrow its range. */
#ifndef WADI_CODEGEN_LOOP_INTERIOR_H
#define WADI_CODEGEN_LOOP_INTERIOR_H

#include "codegen/loop/loop.h"

typedef struct wadi_linterior {
    wadi_lv var;       /* of the loop, whose rounds are among 0 .. end - 1 */
    wadi_lscope *home; /* the scope around the loop, which is open */
    wadi_lscope *body; /* the loop's own */
    wadi_lv end;       /* lives in home or further out */
    wadi_lv from,
        most;     /* decisions hold from here on, and below there; NONE: everywhere. In home */
    wadi_lv cond; /* and they hold under this condition, in home; NONE: always */
    int decided;  /* how many decisions there are */
} wadi_linterior;

/** The value of a primitive on two i64 in the interior that is being written; NONE: that is not known. */
wadi_lv wadi_interior_decide(wadi_lb *b, wadi_sop op, const wadi_lv *args);
/** Whether 0 <= index < extent in the interior that is being written, which may become narrower for it. */
bool wadi_interior_in_range(wadi_lb *b, wadi_lv index, wadi_lv extent);
/** As wadi_bound_condition, but the loop whose interior is being written has only the interior's rounds, as far as they are known in `home`. */
wadi_lv wadi_interior_condition(wadi_lb *b, wadi_lscope *home, wadi_lv index, wadi_lv extent);
/** Whether an interior is being written, and `truth` does not change in it: then it has no rounds unless `truth` holds. */
bool wadi_interior_demand(wadi_lb *b, wadi_lv truth);

#endif
