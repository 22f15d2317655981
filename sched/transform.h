/* What a call of the routines fft, ifft, rfft and irfft (sched/foreign.h) asks for: the same for every library that offers them.
 *
 * Forward is exp(-2 pi i jk/n) without a factor, inverse is scaled by 1/n. The transform of a real signal has n/2 + 1 of the n elements
 * along its last dimension. Arrays are row-major. */
#ifndef WADI_SCHED_TRANSFORM_H
#define WADI_SCHED_TRANSFORM_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/kernel.h"

enum { WADI_TRANSFORM_DIMS = 3 };

typedef enum wadi_transform_kind {
    WADI_TRANSFORM_FORWARD,
    WADI_TRANSFORM_INVERSE,
    WADI_TRANSFORM_REAL_FORWARD, /* of a real signal */
    WADI_TRANSFORM_REAL_INVERSE  /* to a real signal */
} wadi_transform_kind;

/* Without padding: it may be compared and hashed as bytes. */
typedef struct wadi_transform {
    wadi_transform_kind kind;
    int32_t steady; /* the same bits in every run are wanted: the routine's name ends in .steady */
    int32_t is_double;
    int32_t rank;                   /* 1 to WADI_TRANSFORM_DIMS */
    int64_t n[WADI_TRANSFORM_DIMS]; /* extents of the signal, at least 1 */
} wadi_transform;

/* False: the call is no such transform, or its arrays do not fit each other: to be declined. What *out does not use is 0. Thread-safe, as
 * all of these. */
bool wadi_transform_of(const wadi_call *call, wadi_transform *out);

/* Elements of the signal. */
int64_t wadi_transform_size(const wadi_transform *t);
/* Elements of one problem on either side, and their bytes. */
int64_t wadi_transform_in(const wadi_transform *t);
int64_t wadi_transform_out(const wadi_transform *t);
int64_t wadi_transform_in_bytes(const wadi_transform *t);
int64_t wadi_transform_out_bytes(const wadi_transform *t);

/* Where problem p of the call begins. The address is not followed. */
char *wadi_transform_from(const wadi_transform *t, const wadi_call *call, int64_t p);
char *wadi_transform_to(const wadi_transform *t, const wadi_call *call, int64_t p);
/* How many problems from p on lie one behind the other on both sides; at least 1. */
int64_t wadi_transform_together(const wadi_transform *t, const wadi_call *call, int64_t p);

#endif
