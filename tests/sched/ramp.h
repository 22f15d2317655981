/* A source of i32[i % 5] with all values i, which may fail; and a sink that adds up what it gets, and may fail. */
#ifndef WADI_TESTS_SCHED_RAMP_H
#define WADI_TESTS_SCHED_RAMP_H

#include "sched/stream.h"

typedef struct ramp {
    wadi_source base;
    int64_t n, next, fail_at;
    bool back;  /* it can go back, */
    int breaks; /* so many times; 0: always */
} ramp;

/* n elements. */
void ramp_init(ramp *r, int64_t n);

typedef struct adding {
    wadi_sink base;
    int64_t seen, fail_at;
    wadi_status fails_with; /* OK: IO */
    bool once, fails_last;  /* it would go on after that; finish fails */
    uint64_t sum;
    bool finished, aborted;
} adding;

void adding_init(adding *a);

#endif
