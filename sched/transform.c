/* Reading a call as a transform. */
#include "sched/transform.h"

#include <string.h>

#include "wadi/type.h"

/* ---- what is asked ---- */

static bool read_name(const char *name, wadi_transform *t) {
    static const char *const kinds[] = {[WADI_TRANSFORM_FORWARD] = "fft",
                                        [WADI_TRANSFORM_INVERSE] = "ifft",
                                        [WADI_TRANSFORM_REAL_FORWARD] = "rfft",
                                        [WADI_TRANSFORM_REAL_INVERSE] = "irfft"};
    const size_t length = strcspn(name, ".");
    t->steady = strcmp(name + length, ".steady") == 0;
    if (!t->steady && name[length] != '\0') return false;
    for (int k = 0; k <= WADI_TRANSFORM_REAL_INVERSE; k++) {
        t->kind = (wadi_transform_kind)k;
        if (strlen(kinds[k]) == length && strncmp(name, kinds[k], length) == 0) return true;
    }
    return false;
}

static bool types_fit(const wadi_transform *t, int32_t in, int32_t out) {
    const int32_t complex = t->is_double ? WADI_C128 : WADI_C64,
                  real = t->is_double ? WADI_F64 : WADI_F32;
    return in == (t->kind == WADI_TRANSFORM_REAL_FORWARD ? real : complex) &&
           out == (t->kind == WADI_TRANSFORM_REAL_INVERSE ? real : complex);
}

/* Whether the side that is not the signal has the extents that belong to it. */
static bool extents_fit(const wadi_transform *t, const wadi_call_array *other) {
    if (other->rank != t->rank) return false;
    for (int d = 0; d < t->rank; d++) {
        const bool half = d == t->rank - 1 && t->kind >= WADI_TRANSFORM_REAL_FORWARD;
        if (t->n[d] < 1 || other->shape[d] != (half ? t->n[d] / 2 + 1 : t->n[d])) return false;
    }
    return true;
}

bool wadi_transform_of(const wadi_call *call, wadi_transform *out) {
    const wadi_call_array *in = &call->array[0], *to = &call->array[1];
    wadi_transform t = {0};
    if (call->nin != 1 || call->nout != 1 || !read_name(call->routine, &t)) return false;
    const bool inverse = t.kind == WADI_TRANSFORM_REAL_INVERSE;
    const wadi_call_array *signal = inverse ? to : in;
    if (signal->rank < 1 || signal->rank > WADI_TRANSFORM_DIMS) return false;
    t.rank = signal->rank;
    t.is_double = signal->type == WADI_C128 || signal->type == WADI_F64;
    for (int d = 0; d < t.rank; d++) t.n[d] = signal->shape[d];
    *out = t;
    return types_fit(&t, in->type, to->type) && extents_fit(&t, inverse ? in : to);
}

/* ---- sizes ---- */

int64_t wadi_transform_size(const wadi_transform *t) {
    int64_t n = 1;
    for (int d = 0; d < t->rank; d++) n *= t->n[d];
    return n;
}

/* Of the side whose last dimension is n/2 + 1. */
static int64_t half_size(const wadi_transform *t) {
    const int64_t last = t->n[t->rank - 1];
    return wadi_transform_size(t) / last * (last / 2 + 1);
}

int64_t wadi_transform_in(const wadi_transform *t) {
    return t->kind == WADI_TRANSFORM_REAL_INVERSE ? half_size(t) : wadi_transform_size(t);
}

int64_t wadi_transform_out(const wadi_transform *t) {
    return t->kind == WADI_TRANSFORM_REAL_FORWARD ? half_size(t) : wadi_transform_size(t);
}

static int64_t width(const wadi_transform *t, bool is_real) {
    return (t->is_double ? 8 : 4) * (is_real ? 1 : 2);
}

static int64_t in_width(const wadi_transform *t) {
    return width(t, t->kind == WADI_TRANSFORM_REAL_FORWARD);
}

static int64_t out_width(const wadi_transform *t) {
    return width(t, t->kind == WADI_TRANSFORM_REAL_INVERSE);
}

int64_t wadi_transform_in_bytes(const wadi_transform *t) {
    return in_width(t) * wadi_transform_in(t);
}

int64_t wadi_transform_out_bytes(const wadi_transform *t) {
    return out_width(t) * wadi_transform_out(t);
}

/* ---- where ---- */

static char *problem(const wadi_call_array *a, int64_t bytes, int64_t p) {
    return (char *)a->data + (a->start != NULL ? a->start[p] : p * a->distance) * bytes;
}

char *wadi_transform_from(const wadi_transform *t, const wadi_call *call, int64_t p) {
    return problem(&call->array[0], in_width(t), p);
}

char *wadi_transform_to(const wadi_transform *t, const wadi_call *call, int64_t p) {
    return problem(&call->array[1], out_width(t), p);
}

int64_t wadi_transform_together(const wadi_transform *t, const wadi_call *call, int64_t p) {
    const char *from = wadi_transform_from(t, call, p), *to = wadi_transform_to(t, call, p);
    const int64_t in = wadi_transform_in_bytes(t), out = wadi_transform_out_bytes(t);
    int64_t n = 1;
    while (p + n < call->count && wadi_transform_from(t, call, p + n) - from == n * in &&
           wadi_transform_to(t, call, p + n) - to == n * out)
        n++;
    return n;
}
