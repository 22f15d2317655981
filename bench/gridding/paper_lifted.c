/* See paper_lifted.h. */
#include "bench/gridding/paper_lifted.h"

#include "base/error.h"

typedef struct lifted {
    const grid_aw_form *f;
    grid_inputs in;
    wadi_acc step, a, w;
    wadi_acc row, column, bin, place; /* [n] */
    wadi_acc whole;
    int which;
} lifted;

/* ---- where each visibility lies ---- */

static grid_spot spot_x(const lifted *l, wadi_exp k) {
    return grid_program_spot(&l->in, l->f->oversample, wadi_index1(l->in.u, k));
}

static grid_spot spot_y(const lifted *l, wadi_exp k) {
    return grid_program_spot(&l->in, l->f->oversample, wadi_index1(l->in.v, k));
}

static grid_wbin wbin(const lifted *l, wadi_exp k) {
    return grid_program_wbin(wadi_index1(l->in.w, k), wadi_the(l->step), wadi_extent(l->w, 0));
}

static wadi_exp row_of(void *env, wadi_ix ix) {
    const lifted *l = env;
    return grid_program_row(&l->in, spot_y(l, ix.at[0]), spot_x(l, ix.at[0]),
                            wadi_i64(l->f->support), wbin(l, ix.at[0]).known);
}

static wadi_exp column_of(void *env, wadi_ix ix) {
    const lifted *l = env;
    return wadi_sub(spot_x(l, ix.at[0]).cell, wadi_i64(l->f->support / 2));
}

static wadi_exp bin_of(void *env, wadi_ix ix) {
    return wbin(env, ix.at[0]).bin;
}

static wadi_exp place_of(void *env, wadi_ix ix) {
    const lifted *l = env;
    return wadi_add(wadi_mul(spot_y(l, ix.at[0]).sub, wadi_i64(l->f->oversample)),
                    spot_x(l, ix.at[0]).sub);
}

/* ---- padded arrays of all visibilities ---- */

static wadi_exp within(wadi_ix ix, int side, wadi_exp z) {
    const wadi_exp n = wadi_i64(side);
    return wadi_cond(wadi_land(wadi_lt(ix.at[1], n), wadi_lt(ix.at[2], n)), z, wadi_c128(0, 0));
}

static wadi_exp padded_a(void *env, wadi_ix ix) {
    const lifted *l = env;
    const wadi_exp antenna =
        wadi_convert(WADI_I64, wadi_index2(l->in.pair, ix.at[0], wadi_i64(l->which)));
    return within(ix, l->f->aterm, wadi_index3(l->a, antenna, ix.at[1], ix.at[2]));
}

static wadi_exp padded_w(void *env, wadi_ix ix) {
    const lifted *l = env;
    const wadi_exp k = ix.at[0];
    const wadi_exp z = wadi_index(
        l->w, wadi_ix4(wadi_index1(l->bin, k), wadi_index1(l->place, k), ix.at[1], ix.at[2]));
    const wadi_exp negative = wadi_lt(wadi_index1(l->in.w, k), wadi_f64(0));
    return within(ix, l->f->support, wadi_cond(negative, wadi_conj(z), z));
}

static wadi_exp middle(const lifted *l, wadi_ix ix) {
    const wadi_exp half = wadi_i64(l->f->aterm / 2);
    return wadi_index3(l->whole, ix.at[0], wadi_add(ix.at[1], half), wadi_add(ix.at[2], half));
}

static wadi_exp padded_product(void *env, wadi_ix ix) {
    const lifted *l = env;
    return within(ix, l->f->aterm, middle(l, ix));
}

static wadi_exp final_value(void *env, wadi_ix ix) {
    const lifted *l = env;
    return wadi_mul(grid_program_value(&l->in, ix.at[0]), middle(l, ix));
}

static wadi_acc all(lifted *l, int side, wadi_ix_fn_env f) {
    const wadi_ix shape = wadi_ix3(wadi_extent(l->in.u, 0), wadi_i64(side), wadi_i64(side));
    return wadi_generate_env(shape, f, l);
}

static wadi_acc transform(const lifted *l, bool inverse, wadi_acc x) {
    const int64_t side[] = {l->f->padded, l->f->padded};
    return wadi_fft_sized(2, side, inverse, x);
}

static wadi_acc convolved(const lifted *l, wadi_acc x, wadi_acc y) {
    return transform(l, true,
                     wadi_zip_with(wadi_mul, transform(l, false, x), transform(l, false, y)));
}

/* ---- the grid ---- */

static wadi_exp plus(void *env, wadi_exp x, wadi_exp before) {
    WADI_UNUSED(env);
    return wadi_add(x, before);
}

static wadi_ix target(void *env, wadi_ix ix) {
    const lifted *l = env;
    const wadi_exp row = wadi_index1(l->row, ix.at[0]), column = wadi_index1(l->column, ix.at[0]);
    return wadi_keep_if(wadi_ge(row, wadi_i64(0)),
                        wadi_ix2(wadi_add(row, ix.at[1]), wadi_add(column, ix.at[2])));
}

static wadi_exp weight_kept(wadi_exp row, wadi_exp weight) {
    return wadi_cond(wadi_ge(row, wadi_i64(0)), weight, wadi_f64(0));
}

static wadi_exp counts(wadi_exp row) {
    return wadi_convert(WADI_I64, wadi_ge(row, wadi_i64(0)));
}

static wadi_acc per_visibility(lifted *l, wadi_ix_fn_env f) {
    return wadi_compute(wadi_generate_env(wadi_ix1(wadi_extent(l->in.u, 0)), f, l));
}

static void build(lifted *l) {
    l->row = per_visibility(l, row_of);
    l->column = per_visibility(l, column_of);
    l->bin = per_visibility(l, bin_of);
    l->place = per_visibility(l, place_of);
    const wadi_acc a1 = all(l, l->f->padded, padded_a);
    l->which = 1;
    const wadi_acc a2 = all(l, l->f->padded, padded_a);
    l->whole = convolved(l, a1, a2);
    l->whole = convolved(l, all(l, l->f->padded, padded_w), all(l, l->f->padded, padded_product));
    const wadi_acc values = all(l, l->f->support, final_value);
    wadi_output("grid", wadi_permute_env(plus, l->in.grid, target, l, values));
    wadi_output("weight", wadi_sum(wadi_zip_with(weight_kept, l->row, l->in.weight)));
    wadi_output("gridded", wadi_sum(wadi_map(counts, l->row)));
}

wadi_status paper_lifted_compile(const grid_aw_form *f, wadi_exe **out, wadi_error *err) {
    static const char *const a[] = {NULL, "15", "15"}, *const w[] = {NULL, NULL, "15", "15"};
    wadi_program *p = wadi_program_create("paper_lifted");
    lifted l = {.f = f};
    if (!p) return wadi_fail(err, WADI_MEMORY, "out of memory");
    l.in = grid_program_inputs();
    l.step = wadi_input("step", WADI_F64, 0, NULL);
    l.a = wadi_input("a", WADI_C128, 3, a);
    l.w = wadi_input("w_kernel", WADI_C128, 4, w);
    build(&l);
    const wadi_status st = wadi_compile(p, NULL, out, err);
    wadi_program_destroy(p);
    return st;
}
