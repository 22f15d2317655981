/* Several turns of a loop at once. */
#ifndef WADI_SCHED_STEPS_TURNS_H
#define WADI_SCHED_STEPS_TURNS_H

#include "sched/steps/flat.h"

/* Turns of an array that wait, and how they will be cut. */
typedef struct wadi_turns {
    int value;    /* number of the state; -1: each turn ends before the next begins */
    int at;       /* the first of its three steps */
    int from, to; /* slots with the state, and with the next one */
    int waiting, most;
    wadi_slot first;                    /* the state that the first of them reads */
    int64_t rows, strip, reach, shares; /* as the device wants them */
    wadi_steps_flat flat;               /* since a turn waits */
} wadi_turns;

/* Whether turns of the LOOP step `loop`, whose first state is there, shall wait. wadi_turns_fini ends it. */
bool wadi_turns_pay(wadi_steps *s, int loop, wadi_turns *out);
/* The first turn that waits: storage and units. If its shape is another one, or no memory is left for it, it runs at once and no turn waits any more: t->value becomes -1. */
WADI_NODISCARD wadi_status wadi_turns_begin(wadi_steps *s, wadi_turns *t, wadi_error *err);
/* Runs all that wait: then the state is what they have made of it. */
WADI_NODISCARD wadi_status wadi_turns_end(wadi_steps *s, wadi_turns *t, wadi_error *err);
void wadi_turns_fini(wadi_turns *t);

#endif
