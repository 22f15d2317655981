/* Building the programs of the method "aw". aw.c describes the two forms. */
#include "apps/gridding/aw_program.h"

#include "base/error.h"

typedef struct projection {
    const grid_aw_form *f;
    grid_inputs in;
    wadi_acc step, a, w;
} projection;

/* What a visibility needs to make its kernel. */
typedef struct choice {
    const projection *p;
    wadi_exp value, bin, place, negative, a1, a2;
    wadi_acc own_w; /* each_w: the spectrum of its kernel of w */
} choice;

/* ---- transforms of padded kernels ---- */

typedef struct direction {
    const grid_aw_form *f;
    bool inverse;
} direction;

/* Transforms the last two dimensions, whatever dimensions are outside them. */
static wadi_acc plain_transform(void *env, wadi_acc x) {
    const direction *d = env;
    const int64_t side[] = {d->f->padded, d->f->padded};
    if (d->f->own) return wadi_fft_sized(2, side, d->inverse, x);
    return d->inverse ? wadi_ifft_nd(2, x) : wadi_fft_nd(2, x);
}

static wadi_acc transform(const grid_aw_form *f, bool inverse, wadi_acc x) {
    direction d = {f, inverse};
    return f->lifted ? wadi_with_lifted_env(plain_transform, plain_transform, &d, x)
                     : plain_transform(&d, x);
}

static wadi_ix square(int side) {
    return wadi_ix2(wadi_i64(side), wadi_i64(side));
}

typedef struct padding {
    wadi_acc kernel;
    int side;
} padding;

/* Puts the kernel in the first places of the last two dimensions, and zeros behind it. */
static wadi_exp padded_element(void *env, wadi_ix ix) {
    const padding *p = env;
    const wadi_exp side = wadi_i64(p->side);
    const wadi_exp inside =
        wadi_land(wadi_lt(ix.at[ix.rank - 2], side), wadi_lt(ix.at[ix.rank - 1], side));
    return wadi_cond(inside, wadi_index(p->kernel, ix), wadi_c128(0, 0));
}

static wadi_acc spectrum(const grid_aw_form *f, wadi_acc kernel, int side) {
    padding p = {kernel, side};
    wadi_ix shape = wadi_shape_of(kernel);
    shape.at[shape.rank - 2] = shape.at[shape.rank - 1] = wadi_i64(f->padded);
    return transform(f, false, wadi_generate_env(shape, padded_element, &p));
}

/* `side` cells of a product's convolution, from number `from` of each dimension on. */
typedef struct cut {
    wadi_acc whole;
    int from;
} cut;

static wadi_exp cut_element(void *env, wadi_ix ix) {
    const cut *c = env;
    return wadi_index2(c->whole, wadi_add(ix.at[0], wadi_i64(c->from)),
                       wadi_add(ix.at[1], wadi_i64(c->from)));
}

static wadi_acc middle(const grid_aw_form *f, wadi_acc product, int from, int side) {
    cut c = {transform(f, true, product), from};
    return wadi_generate_env(square(side), cut_element, &c);
}

/* ---- six transforms ---- */

static wadi_acc slice_at(wadi_acc all, wadi_exp i) {
    const wadi_spec spec[] = {wadi_fix(i), wadi_all(), wadi_all()};
    return wadi_slice(3, spec, all);
}

static wadi_exp turned(void *env, wadi_exp z) {
    return wadi_cond(*(const wadi_exp *)env, wadi_conj(z), z);
}

static wadi_acc kernel_of_w(const choice *c) {
    const wadi_spec spec[] = {wadi_fix(c->bin), wadi_fix(c->place), wadi_all(), wadi_all()};
    return wadi_slice(4, spec, c->p->w);
}

/* Two kernels that go through one piece of code. */
typedef struct both {
    padding x, y;
    wadi_acc spectra; /* [2, padded, padded] */
} both;

static wadi_exp one_of_both(void *env, wadi_ix ix) {
    both *b = env;
    const wadi_ix at = wadi_ix2(ix.at[1], ix.at[2]);
    return wadi_cond(wadi_eq(ix.at[0], wadi_i64(0)), padded_element(&b->x, at),
                     padded_element(&b->y, at));
}

static wadi_exp product_of_both(void *env, wadi_ix ix) {
    const both *b = env;
    return wadi_mul(wadi_index3(b->spectra, wadi_i64(0), ix.at[0], ix.at[1]),
                    wadi_index3(b->spectra, wadi_i64(1), ix.at[0], ix.at[1]));
}

/* x * y, cut to the size of x. */
static wadi_acc convolve(const grid_aw_form *f, wadi_acc x, int side_x, wadi_acc y, int side_y) {
    both b = {.x = {x, side_x}, .y = {y, side_y}};
    const wadi_ix shape = wadi_ix3(wadi_i64(2), wadi_i64(f->padded), wadi_i64(f->padded));
    b.spectra = transform(f, false, wadi_generate_env(shape, one_of_both, &b));
    return middle(f, wadi_generate_env(square(f->padded), product_of_both, &b), side_y / 2, side_x);
}

static wadi_acc by_six_transforms(const choice *c) {
    const grid_aw_form *f = c->p->f;
    const wadi_acc a =
        convolve(f, slice_at(c->p->a, c->a1), f->aterm, slice_at(c->p->a, c->a2), f->aterm);
    wadi_exp negative = c->negative;
    return convolve(f, wadi_map_env(turned, &negative, kernel_of_w(c)), f->support, a, f->aterm);
}

/* ---- one transform ---- */

/* The conjugate of a kernel has the conjugate spectrum of negative frequencies. */
static wadi_exp spectrum_of_w(const choice *c, wadi_ix ix) {
    const wadi_exp side = wadi_i64(c->p->f->padded), last = wadi_i64(c->p->f->padded - 1);
    wadi_exp at[2];
    for (int d = 0; d < 2; d++)
        at[d] = wadi_cond(c->negative, wadi_and(wadi_sub(side, ix.at[d]), last), ix.at[d]);
    const wadi_exp z = c->p->f->each_w
                           ? wadi_index2(c->own_w, at[0], at[1])
                           : wadi_index(c->p->w, wadi_ix4(c->bin, c->place, at[0], at[1]));
    return wadi_cond(c->negative, wadi_conj(z), z);
}

static wadi_exp product_element(void *env, wadi_ix ix) {
    const choice *c = env;
    const wadi_exp a1 = wadi_index3(c->p->a, c->a1, ix.at[0], ix.at[1]);
    const wadi_exp a2 = wadi_index3(c->p->a, c->a2, ix.at[0], ix.at[1]);
    return wadi_mul(wadi_mul(a1, a2), spectrum_of_w(c, ix));
}

static wadi_acc by_one_transform(const choice *c) {
    const grid_aw_form *f = c->p->f;
    choice env = *c;
    if (f->each_w) env.own_w = spectrum(f, kernel_of_w(c), f->support);
    const wadi_acc product = wadi_generate_env(square(f->padded), product_element, &env);
    return middle(f, product, f->aterm - 1, f->support);
}

/* ---- a visibility ---- */

/* The number of an antenna's A-term, and whether it is known. For an unknown antenna the first A-term is read. */
static wadi_exp antenna(const projection *p, wadi_exp k, int which, wadi_exp *known) {
    const wadi_exp n = wadi_extent(p->a, 0), zero = wadi_i64(0);
    if (p->f->same) return zero;
    const wadi_exp i = wadi_convert(WADI_I64, wadi_index2(p->in.pair, k, wadi_i64(which)));
    const wadi_exp is = wadi_land(wadi_ge(i, zero), wadi_lt(i, n));
    *known = wadi_land(*known, is);
    return wadi_cond(is, i, zero);
}

static wadi_exp times(void *env, wadi_exp z) {
    return wadi_mul(*(const wadi_exp *)env, z);
}

static wadi_acc visibility(void *env, wadi_exp k) {
    const projection *p = env;
    const grid_aw_form *f = p->f;
    const grid_spot x = grid_program_spot(&p->in, f->oversample, wadi_index1(p->in.u, k));
    const grid_spot y = grid_program_spot(&p->in, f->oversample, wadi_index1(p->in.v, k));
    const grid_wbin b =
        grid_program_wbin(wadi_index1(p->in.w, k), wadi_the(p->step), wadi_extent(p->w, 0));
    wadi_exp known = b.known;
    choice c = {.p = p, .bin = b.bin, .negative = b.negative};
    c.value = grid_program_value(&p->in, k);
    c.place = wadi_add(wadi_mul(y.sub, wadi_i64(f->oversample)), x.sub);
    c.a1 = antenna(p, k, 0, &known);
    c.a2 = antenna(p, k, 1, &known);
    const wadi_exp row = grid_program_row(&p->in, k, y.cell, wadi_i64(f->support), known);
    const wadi_exp column = grid_program_column(&p->in, x.cell, wadi_i64(f->support));
    const wadi_acc kernel = f->hoisted ? by_one_transform(&c) : by_six_transforms(&c);
    const wadi_acc parts[] = {wadi_unit(row), wadi_unit(column),
                              wadi_map_env(times, &c.value, kernel)};
    return wadi_tuple(3, parts);
}

/* ---- the programs ---- */

/* Extents as text, for declarations. */
typedef struct extents {
    char number[3][12];
    const char *a[3], *w[4];
} extents;

static const char *number(char *out, int n) {
    char digits[12];
    int length = 0, at = 0;
    for (; n > 0; n /= 10) digits[length++] = (char)('0' + n % 10);
    while (length > 0) out[at++] = digits[--length];
    out[at] = '\0';
    return out;
}

static void declare(const grid_aw_form *f, bool transformed, extents *e, wadi_acc *a, wadi_acc *w) {
    const char *side_a = number(e->number[0], transformed ? f->padded : f->aterm);
    const char *side_w = number(e->number[1], transformed && !f->each_w ? f->padded : f->support);
    e->a[0] = NULL;
    e->a[1] = e->a[2] = side_a;
    e->w[0] = NULL;
    e->w[1] = number(e->number[2], f->oversample * f->oversample);
    e->w[2] = e->w[3] = side_w;
    *a = wadi_input("a", WADI_C128, 3, e->a);
    *w = wadi_input("w_kernel", WADI_C128, 4, e->w);
}

wadi_status grid_aw_compile_transforms(const grid_aw_form *f, wadi_exe **out, wadi_error *err) {
    wadi_program *p = wadi_program_create("grid_aw_transforms");
    extents e;
    wadi_acc a, w;
    if (!p) return wadi_fail(err, WADI_MEMORY, "out of memory");
    declare(f, false, &e, &a, &w);
    wadi_output("a", spectrum(f, a, f->aterm));
    if (!f->each_w) wadi_output("w_kernel", spectrum(f, w, f->support));
    return grid_compile(p, out, err);
}

wadi_status grid_aw_compile(const grid_aw_form *f, wadi_exe **out, wadi_error *err) {
    wadi_program *p = wadi_program_create("grid_aw");
    extents e;
    projection at = {.f = f};
    if (!p) return wadi_fail(err, WADI_MEMORY, "out of memory");
    at.in = grid_program_inputs();
    at.step = wadi_input("step", WADI_F64, 0, NULL);
    declare(f, f->hoisted, &e, &at.a, &at.w);
    grid_program_scatter(&at.in, f->support, visibility, &at);
    return grid_compile(p, out, err);
}
