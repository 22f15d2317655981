/* Fourier transforms written in the language.
 *
 * One dimension is transformed by Stockham's passes. Let L be the product of the radices done so far, and M = n / L. Then row
 * k M + i of the state is element k of the transform of length L over the input's elements i, i + M, ... A pass of radix r reads
 * the rows k M + q M' + j for q < r, with M' = M / r, and multiplies them by exp(+-2 pi i q k / (r L)). Its r results go to the
 * rows (s L + k) M' + j. They form a new outer dimension of length r (spread), so nothing is ever reordered. The dimensions that
 * are not being transformed lie inside of the rows, where loops over them are contiguous. Several dimensions are transformed
 * one after the other: each comes first when its turn has come (Frigo, Johnson 2005; Van Loan 1992, section 1.7).
 *
 * If the extent is known, all passes are laid out, and their tables are constants. If it is not known and a power of two, a first
 * pass of radix 4 or 8, whose factors are all one, leaves a power of four. Then an awhile runs passes of radix 4. Its state keeps
 * its shape, so all values of a regular element are regular. Other lengths become a convolution with a chirp over a power of two
 * (Bluestein 1970), whose length depends on the extent alone.
 */
#include "operators/fft_tables.h"

enum { MAX_RADIX = 8, MASTER = 1024 };

/* Tables that are made at their first use, one for each sign. */
typedef struct tables {
    wadi_acc master[2]; /* roots of order MASTER */
} tables;

/* The dimensions around the one being transformed: outside of it a batch or nothing (nb 1 or 0), and `nc` inside. */
typedef struct frame {
    wadi_type type; /* c64 or c128 */
    int sign, nb, nc;
    wadi_exp batch, c[2];
    tables *tables; /* of transforms of extents that are not known */
} frame;

/* Rows of an array: [batch, n, c..], or rotated: [batch, the last c, n, the other c..]. */
typedef struct rows {
    wadi_acc a;
    bool rotated;
} rows;

static wadi_exp num(int64_t v) {
    return wadi_i64(v);
}

static wadi_type part_type(wadi_type t) {
    return t == WADI_C64 ? WADI_F32 : WADI_F64;
}

static wadi_exp constant(wadi_type t, double re, double im) {
    return t == WADI_C64 ? wadi_c64((float)re, (float)im) : wadi_c128(re, im);
}

/* [batch, extents.., c..] */
static wadi_ix around(const frame *f, int n, const wadi_exp *middle) {
    wadi_ix ix = {.rank = f->nb + n + f->nc};
    int at = 0;
    if (f->nb) ix.at[at++] = f->batch;
    for (int i = 0; i < n; i++) ix.at[at++] = middle[i];
    for (int i = 0; i < f->nc; i++) ix.at[at++] = f->c[i];
    return ix;
}

/* The parts of an index of an array [batch, middle.., c..]. */
typedef struct place {
    wadi_exp batch, middle[3], c[2];
} place;

static place place_of(const frame *f, wadi_ix ix) {
    place p = {0};
    int at = 0;
    if (f->nb) p.batch = ix.at[at++];
    for (int i = 0; i + f->nb + f->nc < ix.rank; i++) p.middle[i] = ix.at[at++];
    for (int i = 0; i < f->nc; i++) p.c[i] = ix.at[at++];
    return p;
}

static wadi_exp read_row(const frame *f, const rows *r, const place *p, wadi_exp i) {
    wadi_ix ix = {.rank = f->nb + 1 + f->nc};
    int at = 0;
    if (f->nb) ix.at[at++] = p->batch;
    if (r->rotated) ix.at[at++] = p->c[f->nc - 1];
    ix.at[at++] = i;
    for (int d = 0; d < f->nc - (r->rotated ? 1 : 0); d++) ix.at[at++] = p->c[d];
    return wadi_index(r->a, ix);
}

/* ---- butterflies ---- */

/* x times sign i. */
static wadi_exp turned(wadi_exp x, int sign) {
    return sign < 0 ? wadi_complex(wadi_imag(x), wadi_neg(wadi_real(x)))
                    : wadi_complex(wadi_neg(wadi_imag(x)), wadi_real(x));
}

static wadi_exp dft_sum(const frame *f, int r, int s, const wadi_exp *x) {
    wadi_exp sum = x[0];
    for (int q = 1; q < r; q++) {
        double re, im;
        wadi_fft_root((int64_t)q * s, r, f->sign, &re, &im);
        sum = wadi_add(sum, s == 0 ? x[q] : wadi_mul(x[q], constant(f->type, re, im)));
    }
    return sum;
}

static wadi_exp scaled(wadi_exp x, wadi_exp factor) {
    return wadi_complex(wadi_mul(wadi_real(x), factor), wadi_mul(wadi_imag(x), factor));
}

/* The transform of the four values x[0], x[stride], .. */
static void butterfly_of_4(const frame *f, const wadi_exp *x, int stride, wadi_exp *y) {
    const wadi_exp *x1 = x + stride, *x2 = x1 + stride, *x3 = x2 + stride;
    const wadi_exp a = wadi_add(*x, *x2), b = wadi_sub(*x, *x2);
    const wadi_exp c = wadi_add(*x1, *x3), d = turned(wadi_sub(*x1, *x3), f->sign);
    y[0] = wadi_add(a, c);
    y[1] = wadi_add(b, d);
    y[2] = wadi_sub(a, c);
    y[3] = wadi_sub(b, d);
}

/* Two butterflies of radix 4, of the even and of the odd values; the results of the odd ones are multiplied by roots of order 8. */
static void butterfly_of_8(const frame *f, const wadi_exp *x, wadi_exp *y) {
    const double h = 0.70710678118654752440;
    wadi_exp even[4], odd[4];
    butterfly_of_4(f, x, 2, even);
    butterfly_of_4(f, x + 1, 2, odd);
    odd[1] = wadi_mul(odd[1], constant(f->type, h, f->sign * h));
    odd[2] = turned(odd[2], f->sign);
    odd[3] = wadi_mul(odd[3], constant(f->type, -h, f->sign * h));
    for (int s = 0; s < 4; s++) {
        y[s] = wadi_add(even[s], odd[s]);
        y[s + 4] = wadi_sub(even[s], odd[s]);
    }
}

static void butterfly(const frame *f, int r, const wadi_exp *x, wadi_exp *y) {
    if (r == 8) {
        butterfly_of_8(f, x, y);
    } else if (r == 4) {
        butterfly_of_4(f, x, 1, y);
    } else if (r == 2) {
        y[0] = wadi_add(x[0], x[1]);
        y[1] = wadi_sub(x[0], x[1]);
    } else {
        for (int s = 0; s < r; s++) y[s] = dft_sum(f, r, s, x);
    }
}

/* The values as the fields of a record. */
static wadi_exp record(int r, wadi_exp *y) {
    static const char *const names[MAX_RADIX] = {"y0", "y1", "y2", "y3", "y4", "y5", "y6", "y7"};
    return wadi_rec(r, names, y);
}

/* ---- a pass ---- */

typedef struct pass {
    const frame *f;
    rows from;
    int r;
    bool has_l, has_m; /* whether there are loops over L and M' */
    wadi_exp l, m;     /* L, M' */
    wadi_acc twiddles; /* [L, r], or [n] of roots of order n: see stride */
    wadi_exp stride;   /* of the roots; no node: twiddles is [L, r] */
    wadi_exp factor;   /* of the results; no node: none */
} pass;

static wadi_exp twiddle(const pass *p, wadi_exp k, int q) {
    if (!p->stride.node) return wadi_index2(p->twiddles, k, num(q));
    return wadi_index1(p->twiddles, wadi_mul(wadi_mul(k, num(q)), p->stride));
}

static wadi_exp pass_element(void *env, wadi_ix ix) {
    const pass *p = env;
    place at = place_of(p->f, ix);
    wadi_exp x[MAX_RADIX], y[MAX_RADIX], row = num(0), k = num(0);
    int next = 0;
    if (p->has_l) {
        k = at.middle[next++];
        row = wadi_mul(k, wadi_mul(p->m, num(p->r)));
    }
    if (p->has_m) row = wadi_add(row, at.middle[next]);
    for (int q = 0; q < p->r; q++) {
        const wadi_exp i = q == 0 ? row : wadi_add(row, wadi_mul(p->m, num(q)));
        x[q] = read_row(p->f, &p->from, &at, i);
        if (p->has_l && q > 0) x[q] = wadi_mul(x[q], twiddle(p, k, q));
    }
    butterfly(p->f, p->r, x, y);
    for (int s = 0; p->factor.node && s < p->r; s++) y[s] = scaled(y[s], p->factor);
    return record(p->r, y);
}

/* [batch, n, c..] */
static wadi_acc run_pass(pass *p, wadi_exp n) {
    wadi_exp middle[2];
    int dims = 0;
    if (p->has_l) middle[dims++] = p->l;
    if (p->has_m) middle[dims++] = p->m;
    const wadi_acc y = wadi_generate_env(around(p->f, dims, middle), pass_element, p);
    return wadi_reshape(around(p->f, 1, &n), wadi_spread_on(p->f->nb, y));
}

/* ---- extents that are known ---- */

typedef struct rotation {
    const frame *f;
    rows from;
    wadi_exp factor;
} rotation;

static wadi_exp rotation_element(void *env, wadi_ix ix) {
    const rotation *r = env;
    const place at = place_of(r->f, ix);
    const wadi_exp x = read_row(r->f, &r->from, &at, at.middle[0]);
    return r->factor.node ? scaled(x, r->factor) : x;
}

/* The rows unchanged, but in the order that is not rotated: for lengths that need no pass. */
static wadi_acc copy_rows(const frame *f, rows from, wadi_exp n, wadi_exp factor) {
    rotation r = {f, from, factor};
    if (!from.rotated && !factor.node) return from.a;
    return wadi_generate_env(around(f, 1, &n), rotation_element, &r);
}

static int radix_of(int64_t m) {
    static const int radices[] = {4, 2, 3, 5};
    for (int i = 0; i < 4; i++)
        if (m % radices[i] == 0) return radices[i];
    return 0;
}

static bool is_smooth(int64_t n) {
    while (n > 1) {
        const int r = radix_of(n);
        if (r == 0) return false;
        n /= r;
    }
    return true;
}

static wadi_acc smooth(const frame *f, rows from, int64_t n, wadi_exp factor) {
    if (n <= 1) return copy_rows(f, from, num(n), factor);
    for (int64_t l = 1, m = n; l < n;) {
        const int r = radix_of(m);
        m /= r;
        pass p = {.f = f, .from = from, .r = r, .l = num(l), .m = num(m)};
        p.has_l = l > 1;
        p.has_m = m > 1;
        if (l > 1) p.twiddles = wadi_fft_twiddles(f->type, l, r, f->sign);
        if (m == 1) p.factor = factor;
        from = (rows){run_pass(&p, num(n)), false};
        l *= r;
    }
    return from.a;
}

/* ---- the chirp ---- */

typedef struct chirp {
    const frame *f;
    rows from;
    wadi_exp n;
    wadi_acc chirp, kernel; /* [n], [m] */
    wadi_exp factor;
} chirp;

static wadi_exp chirp_in(void *env, wadi_ix ix) {
    const chirp *c = env;
    const place at = place_of(c->f, ix);
    const wadi_exp i = at.middle[0];
    const wadi_exp x = wadi_mul(read_row(c->f, &c->from, &at, i), wadi_index1(c->chirp, i));
    return wadi_cond(wadi_lt(i, c->n), x, constant(c->f->type, 0, 0));
}

static wadi_exp chirp_product(void *env, wadi_ix ix) {
    const chirp *c = env;
    const place at = place_of(c->f, ix);
    const wadi_exp i = at.middle[0];
    return wadi_mul(read_row(c->f, &c->from, &at, i), wadi_index1(c->kernel, i));
}

static wadi_exp chirp_out(void *env, wadi_ix ix) {
    const chirp *c = env;
    const place at = place_of(c->f, ix);
    const wadi_exp i = at.middle[0];
    const wadi_exp x = wadi_mul(read_row(c->f, &c->from, &at, i), wadi_index1(c->chirp, i));
    return scaled(x, c->factor);
}

static wadi_acc sized_axis(const frame *f, rows from, int64_t n, wadi_exp factor) {
    if (is_smooth(n)) return smooth(f, from, n, factor);
    const int64_t m = wadi_fft_chirp_length(n);
    frame forward = *f, inverse = *f;
    forward.sign = -1;
    inverse.sign = 1;
    const wadi_exp length = num(m);
    chirp c = {.f = f, .from = from, .n = num(n)};
    c.chirp = wadi_fft_chirp(f->type, n, f->sign);
    c.kernel = wadi_fft_chirp_transform(f->type, n, m, f->sign);
    c.factor = wadi_literal(part_type(f->type), 1.0 / (double)m);
    if (factor.node) c.factor = wadi_mul(c.factor, factor);
    wadi_acc y = wadi_generate_env(around(f, 1, &length), chirp_in, &c);
    c.from = (rows){smooth(&forward, (rows){y, false}, m, WADI_NO_EXP), false};
    y = wadi_generate_env(around(f, 1, &length), chirp_product, &c);
    c.from = (rows){smooth(&inverse, (rows){y, false}, m, WADI_NO_EXP), false};
    return wadi_generate_env(around(f, 1, &c.n), chirp_out, &c);
}

/* ---- extents that are not known: a power of two ---- */

static wadi_exp float_of(wadi_exp n) {
    return wadi_convert(WADI_F64, n);
}

/* exp(sign 2 pi i k / n) */
static wadi_exp root(const frame *f, wadi_exp k, wadi_exp n) {
    const double two_pi = 6.283185307179586476925286766559;
    const wadi_exp angle = wadi_mul(float_of(k), wadi_div(wadi_f64(f->sign * two_pi), float_of(n)));
    return wadi_convert(f->type, wadi_complex(wadi_cos(angle), wadi_sin(angle)));
}

typedef struct roots {
    const frame *f;
    wadi_exp n, step;
    wadi_acc master; /* of order MASTER */
} roots;

static wadi_exp root_element(void *env, wadi_ix ix) {
    const roots *r = env;
    return wadi_cond(wadi_le(r->n, num(MASTER)),
                     wadi_index1(r->master, wadi_mul(ix.at[0], r->step)),
                     root(r->f, ix.at[0], r->n));
}

static wadi_exp master_element(void *env, wadi_ix ix) {
    return root(env, ix.at[0], num(MASTER));
}

/* [n]: the roots of order n. A short table is read from one that all elements of a stream share. */
static wadi_acc root_table(const frame *f, wadi_exp n) {
    wadi_acc *master = &f->tables->master[f->sign > 0];
    frame any = *f;
    if (!master->node) *master = wadi_generate_env(wadi_ix1(num(MASTER)), master_element, &any);
    roots r = {f, n, wadi_quot(num(MASTER), wadi_max(n, num(1))), *master};
    return wadi_generate_env(wadi_ix1(n), root_element, &r);
}

typedef struct loop {
    const frame *f;
    wadi_exp n;
    wadi_acc table;
} loop;

static wadi_acc more_passes(void *env, wadi_acc state) {
    const loop *o = env;
    const wadi_exp l = wadi_the(wadi_tuple_get(state, 1));
    return wadi_unit(wadi_le(l, wadi_quot(o->n, num(4))));
}

static wadi_acc one_pass(void *env, wadi_acc state) {
    const loop *o = env;
    const wadi_exp l = wadi_the(wadi_tuple_get(state, 1)), next = wadi_mul(l, num(4));
    pass p = {.f = o->f,
              .from = {wadi_tuple_get(state, 0), false},
              .r = 4,
              .has_l = true,
              .has_m = true,
              .l = l,
              .m = wadi_quot(o->n, next),
              .twiddles = o->table};
    p.stride = p.m;
    return wadi_tuple2(run_pass(&p, o->n), wadi_unit(next));
}

static wadi_acc first_pass(const frame *f, rows from, wadi_exp n, int r) {
    pass p = {.f = f, .from = from, .r = r, .has_m = true, .l = num(1)};
    p.m = wadi_quot(n, num(r));
    return run_pass(&p, n);
}

/* The passes that remain when passes with the product l of radices are done. */
static wadi_acc other_passes(const frame *f, wadi_acc start, wadi_exp n, wadi_exp l) {
    loop o = {f, n, root_table(f, n)};
    const wadi_acc end =
        wadi_awhile_env(more_passes, one_pass, &o, wadi_tuple2(start, wadi_unit(l)));
    return wadi_tuple_get(end, 0);
}

static wadi_exp is_odd_power(wadi_exp n) {
    return wadi_ne(wadi_rem(wadi_ctz(n), wadi_i32(2)), wadi_i32(0));
}

/* For powers of two, and for 0 elements. A pass of radix 4 or 8 without factors comes first. */
static wadi_acc power_of_two(const frame *f, rows from, wadi_exp n) {
    const wadi_exp odd = is_odd_power(n);
    const wadi_acc tiny = wadi_acond(wadi_eq(n, num(2)), first_pass(f, from, n, 2),
                                     copy_rows(f, from, n, WADI_NO_EXP));
    const wadi_acc large = wadi_acond(odd, first_pass(f, from, n, 8), first_pass(f, from, n, 4));
    const wadi_acc start = wadi_acond(wadi_lt(n, num(4)), tiny, large);
    return other_passes(f, start, n, wadi_cond(odd, num(8), num(4)));
}

/* The same for the three transforms of a chirp. It is a few per cent slower but makes less code, and every dimension has three. */
static wadi_acc short_power_of_two(const frame *f, wadi_acc a, wadi_exp n) {
    const wadi_exp odd = is_odd_power(n);
    const wadi_acc start = wadi_acond(odd, first_pass(f, (rows){a, false}, n, 2), a);
    return other_passes(f, start, n, wadi_cond(odd, num(2), num(1)));
}

/* ---- any extent ---- */

static wadi_exp own_chirp_element(void *env, wadi_ix ix) {
    const roots *r = env;
    const wadi_exp twice = wadi_mul(r->n, num(2));
    return root(r->f, wadi_rem(wadi_mul(ix.at[0], ix.at[0]), twice), twice);
}

typedef struct wrapped {
    wadi_type type;
    wadi_acc chirp;
    wadi_exp n, m;
} wrapped;

/* The chirp's conjugate, wrapped around: element i and element m - i are those of the chirp at i < n. */
static wadi_exp own_kernel_element(void *env, wadi_ix ix) {
    const wrapped *w = env;
    const wadi_exp k = wadi_min(ix.at[0], wadi_sub(w->m, ix.at[0]));
    return wadi_cond(wadi_lt(k, w->n), wadi_conj(wadi_index1(w->chirp, k)),
                     constant(w->type, 0, 0));
}

/* The smallest power of two that is at least 2 n - 1, for n >= 2. */
static wadi_exp chirp_length(wadi_exp n) {
    const wadi_exp last = wadi_sub(wadi_mul(wadi_max(n, num(2)), num(2)), num(2));
    return wadi_shl(num(1), wadi_sub(wadi_i32(64), wadi_clz(last)));
}

static wadi_acc bluestein(const frame *f, rows from, wadi_exp n) {
    const frame alone = {.type = f->type, .sign = -1, .tables = f->tables};
    frame forward = *f, inverse = *f;
    forward.sign = -1;
    inverse.sign = 1;
    const wadi_exp m = chirp_length(n);
    roots order = {.f = f, .n = n};
    chirp c = {.f = f, .from = from, .n = n};
    c.chirp = wadi_generate_env(wadi_ix1(n), own_chirp_element, &order);
    wrapped w = {f->type, c.chirp, n, m};
    const wadi_acc kernel = wadi_generate_env(wadi_ix1(m), own_kernel_element, &w);
    c.kernel = short_power_of_two(&alone, kernel, m);
    c.factor = wadi_convert(part_type(f->type), wadi_div(wadi_f64(1), float_of(m)));
    wadi_acc y = wadi_generate_env(around(f, 1, &m), chirp_in, &c);
    c.from = (rows){short_power_of_two(&forward, y, m), false};
    y = wadi_generate_env(around(f, 1, &m), chirp_product, &c);
    c.from = (rows){short_power_of_two(&inverse, y, m), false};
    return wadi_generate_env(around(f, 1, &n), chirp_out, &c);
}

static wadi_acc any_axis(const frame *f, rows from, wadi_exp n) {
    const wadi_exp simple = wadi_eq(wadi_and(n, wadi_sub(n, num(1))), num(0));
    return wadi_acond(simple, power_of_two(f, from, n), bluestein(f, from, n));
}

/* ---- several dimensions ---- */

typedef struct problem {
    int dims;
    const int64_t *known; /* [dims], or NULL */
    wadi_exp n[3];
    frame f;
    wadi_exp factor; /* no node: none */
} problem;

/* The frame of dimension `t`. It comes first; inside of it are the dimensions after it, then those before it. */
static frame frame_of(const problem *p, int t) {
    frame f = p->f;
    f.nc = p->dims - 1;
    for (int i = 0; i < f.nc; i++) f.c[i] = p->n[(t + 1 + i) % p->dims];
    return f;
}

static wadi_exp own_scale_element(void *env, wadi_exp x) {
    return scaled(x, *(const wadi_exp *)env);
}

static wadi_acc transform(problem *p, wadi_acc a) {
    for (int t = 0; t < p->dims; t++) {
        const frame f = frame_of(p, t);
        const rows from = {a, t > 0};
        const wadi_exp factor = t == p->dims - 1 ? p->factor : WADI_NO_EXP;
        a = p->known ? sized_axis(&f, from, p->known[t], factor) : any_axis(&f, from, p->n[t]);
    }
    if (p->dims > 1) { /* the last dimension stands first */
        int perm[4] = {0};
        for (int d = 0; d < p->dims; d++) perm[p->f.nb + d] = p->f.nb + (d + 1) % p->dims;
        a = wadi_transpose_on(perm, a);
    }
    if (p->factor.node && !p->known) a = wadi_map_env(own_scale_element, &p->factor, a);
    return a;
}

static bool begins(const char *what, int dims, wadi_acc a, const wadi_array_type **t) {
    *t = wadi_acc_given(what, 1, a);
    if (!*t) return false;
    const bool complex = (*t)->elem.fields == 1 && !(*t)->elem.name[0] &&
                         ((*t)->elem.type[0] == WADI_C64 || (*t)->elem.type[0] == WADI_C128);
    if (!complex || dims < 1 || dims > 3 || (*t)->rank < dims || (*t)->rank > 4) {
        wadi_lang_fail(WADI_TYPE,
                       "%s: over %d dimensions of %s, expected 1 to 3 dimensions of an array of "
                       "complex numbers of rank 4 at most",
                       what, dims, wadi_array_type_text(*t));
        return false;
    }
    return true;
}

/* Joins the `lead` outer dimensions to one batch, transforms, and restores the extents. */
static wadi_acc batched(problem *p, int lead, wadi_acc a) {
    wadi_ix whole = {.rank = lead + p->dims};
    wadi_exp batch = num(1);
    for (int d = 0; d < lead; d++) {
        whole.at[d] = wadi_extent(a, d);
        batch = d == 0 ? whole.at[d] : wadi_mul(batch, whole.at[d]);
    }
    for (int d = 0; d < p->dims; d++) whole.at[lead + d] = p->n[d];
    p->f.nb = lead > 0 ? 1 : 0;
    p->f.batch = batch;
    frame f = p->f;
    f.nc = 0;
    const wadi_ix flat = around(&f, p->dims, p->n);
    if (lead > 1 || p->known) a = wadi_reshape(flat, a);
    const wadi_acc y = transform(p, a);
    return lead > 1 ? wadi_reshape(whole, y) : y;
}

wadi_acc wadi_fft_own(int dims, bool inverse, wadi_acc a) {
    const wadi_array_type *t;
    if (!begins("fft", dims, a, &t)) return WADI_NO_ACC;
    tables made = {0};
    problem p = {.dims = dims,
                 .f = {.type = t->elem.type[0], .sign = inverse ? 1 : -1, .tables = &made}};
    const int lead = t->rank - dims;
    wadi_exp size = num(1);
    for (int d = 0; d < dims; d++) {
        p.n[d] = wadi_extent(a, lead + d);
        size = d == 0 ? p.n[d] : wadi_mul(size, p.n[d]);
    }
    if (inverse)
        p.factor = wadi_convert(part_type(p.f.type), wadi_div(wadi_f64(1), float_of(size)));
    return batched(&p, lead, a);
}

wadi_acc wadi_fft_sized(int dims, const int64_t *n, bool inverse, wadi_acc a) {
    const wadi_array_type *t;
    if (!begins("fft_sized", dims, a, &t)) return WADI_NO_ACC;
    problem p = {
        .dims = dims, .known = n, .f = {.type = t->elem.type[0], .sign = inverse ? 1 : -1}};
    double size = 1;
    for (int d = 0; d < dims; d++) {
        if (n[d] < 0 || n[d] > (int64_t)1 << 24) {
            wadi_lang_fail(WADI_INVALID, "fft_sized: extent %lld, expected 0 to 2^24",
                           (long long)n[d]);
            return WADI_NO_ACC;
        }
        p.n[d] = num(n[d]);
        size *= (double)n[d];
    }
    if (inverse && size > 0) p.factor = wadi_literal(part_type(p.f.type), 1.0 / size);
    return batched(&p, t->rank - dims, a);
}
