/* Fourier transforms: calls of library routines. Their meaning is the transform written in the language (fft_own.c). */
#include "operators/foreign.h"

typedef struct transform {
    int dims;
    bool inverse;
    wadi_exp n; /* irfft: the innermost extent of the result */
    wadi_type type;
} transform;

static wadi_acc own(void *env, wadi_acc a) {
    const transform *t = env;
    return wadi_fft_own(t->dims, t->inverse, a);
}

/* Extents of `a`, the last one replaced if `last` is given. */
static wadi_ix extents_of(wadi_acc a, wadi_exp last) {
    wadi_ix ix = wadi_shape_of(a);
    if (ix.rank > 0 && last.node) ix.at[ix.rank - 1] = last;
    return ix;
}

static bool fits(const char *what, int dims, wadi_acc a, bool complex, wadi_type *out_type) {
    const wadi_array_type *t = wadi_acc_given(what, 1, a);
    if (!t) return false;
    const wadi_type e = t->elem.type[0];
    *out_type = e;
    const bool plain = t->elem.fields == 1 && !t->elem.name[0];
    const bool right = complex ? e == WADI_C64 || e == WADI_C128 : e == WADI_F32 || e == WADI_F64;
    if (plain && right && dims >= 1 && dims <= 3 && t->rank >= dims && t->rank <= 4) return true;
    wadi_lang_fail(WADI_TYPE,
                   "%s: over %d dimensions of %s, expected 1 to 3 dimensions of an array of %s "
                   "numbers of rank 4 at most",
                   what, dims, wadi_array_type_text(t), complex ? "complex" : "real");
    return false;
}

static wadi_acc complex_transform(const char *routine, int dims, bool inverse, wadi_acc a) {
    transform t = {.dims = dims, .inverse = inverse};
    if (!fits(routine, dims, a, true, &t.type)) return WADI_NO_ACC;
    return wadi_routine_env(routine, dims, a, wadi_shape_of(a), own, &t);
}

wadi_acc wadi_fft_nd(int dims, wadi_acc a) {
    return complex_transform("fft", dims, false, a);
}

wadi_acc wadi_ifft_nd(int dims, wadi_acc a) {
    return complex_transform("ifft", dims, true, a);
}

wadi_acc wadi_fft(wadi_acc a) {
    return wadi_fft_nd(1, a);
}

wadi_acc wadi_ifft(wadi_acc a) {
    return wadi_ifft_nd(1, a);
}

/* ---- real signals ---- */

static wadi_exp half_of(wadi_exp n) {
    return wadi_add(wadi_quot(n, wadi_i64(2)), wadi_i64(1));
}

/* The same; an empty signal has an empty transform. */
static wadi_exp half_extent(wadi_exp n) {
    return wadi_cond(wadi_eq(n, wadi_i64(0)), wadi_i64(0), half_of(n));
}

static wadi_exp to_complex(void *env, wadi_exp x) {
    const transform *t = env;
    const wadi_exp zero = wadi_literal(t->type, 0);
    return wadi_complex(x, zero);
}

static wadi_acc own_real(void *env, wadi_acc a) {
    const transform *t = env;
    const wadi_acc y = wadi_fft_own(t->dims, false, wadi_map_env(to_complex, env, a));
    return wadi_take(half_extent(wadi_extent(a, wadi_rank(a) - 1)), y);
}

wadi_acc wadi_rfft_nd(int dims, wadi_acc a) {
    transform t = {.dims = dims};
    if (!fits("rfft", dims, a, false, &t.type)) return WADI_NO_ACC;
    const wadi_exp last = half_extent(wadi_extent(a, wadi_rank(a) - 1));
    return wadi_routine_env("rfft", dims, a, extents_of(a, last), own_real, &t);
}

wadi_acc wadi_rfft(wadi_acc a) {
    return wadi_rfft_nd(1, a);
}

typedef struct mirror {
    const transform *t;
    wadi_acc half;
} mirror;

/* An element of the whole transform. Beyond the half that is given, it is the conjugate of the element at the negative index, in
 * all transformed dimensions. */
static wadi_exp mirrored(void *env, wadi_ix ix) {
    const mirror *m = env;
    const int last = ix.rank - 1;
    wadi_ix back = ix;
    for (int d = ix.rank - m->t->dims; d < last; d++) {
        const wadi_exp n = wadi_extent(m->half, d);
        back.at[d] = wadi_cond(wadi_eq(ix.at[d], wadi_i64(0)), wadi_i64(0), wadi_sub(n, ix.at[d]));
    }
    back.at[last] = wadi_sub(m->t->n, ix.at[last]);
    return wadi_cond(wadi_lt(ix.at[last], wadi_extent(m->half, last)), wadi_index(m->half, ix),
                     wadi_conj(wadi_index(m->half, back)));
}

static wadi_acc own_half(void *env, wadi_acc a) {
    transform *t = env;
    mirror m = {t, wadi_reshape(extents_of(a, half_extent(t->n)), a)};
    const wadi_acc whole = wadi_generate_env(extents_of(a, t->n), mirrored, &m);
    return wadi_map(wadi_real, wadi_fft_own(t->dims, true, whole));
}

wadi_acc wadi_irfft_nd(int dims, wadi_exp n, wadi_acc a) {
    transform t = {.dims = dims, .n = wadi_exp_to_i64("irfft", "the extent", n)};
    if (!fits("irfft", dims, a, true, &t.type)) return WADI_NO_ACC;
    return wadi_routine_env("irfft", dims, a, extents_of(a, t.n), own_half, &t);
}

wadi_acc wadi_irfft(wadi_exp n, wadi_acc a) {
    return wadi_irfft_nd(1, n, a);
}
