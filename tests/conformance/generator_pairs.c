/* Random folds over all pairs of rows and columns: products of matrices, and other functions of a row and a column. */
#include "tests/conformance/maker.h"

/* Thirds of random floats: sums of them tell the order they were made in. */
static wadi_exp uneven(void *env, wadi_ix ix) {
    const maker *m = env;
    const wadi_type type = m->want;
    const wadi_exp x = gen_of_index(env, ix);
    if (!gen_is_float(type)) return x;
    const wadi_exp place = wadi_convert(type, wadi_add(ix.at[0], ix.at[1]));
    return wadi_div(wadi_add(x, place), wadi_literal(type, 3));
}

/* A matrix of random numbers of type m->want. */
static wadi_acc matrix(maker *m, wadi_exp rows, wadi_exp columns) {
    return wadi_generate_env(wadi_ix2(rows, columns), uneven, m);
}

/* Sides above those of a tile, more often than not. */
static wadi_exp side(maker *m) {
    const wadi_exp n = gen_small_extent(m);
    return gen_below(&m->r, 4) ? wadi_add(n, wadi_i64(gen_below(&m->r, 9))) : n;
}

static wadi_acc any_pairs(maker *m, wadi_acc a, wadi_acc b) {
    const wadi_spec row[] = {wadi_all(), wadi_fix(wadi_extent(b, 0)), wadi_all()};
    const wadi_spec column[] = {wadi_fix(wadi_extent(a, 0)), wadi_all(), wadi_all()};
    m->given[0] = m->given[1] = m->want;
    m->want = gen_type(&m->r);
    const wadi_type type = m->want;
    const wadi_acc x =
        wadi_zip_with_env(gen_fn2, m, wadi_replicate(3, row, a), wadi_replicate(3, column, b));
    return wadi_fold(gen_associative(m, type), gen_literal(m, type), x);
}

void gen_pairs_step(maker *m) {
    m->want = gen_type(&m->r);
    const wadi_exp rows = side(m), columns = side(m);
    /* several stripes of the law, more often than not */
    const wadi_exp places = wadi_add(gen_small_extent(m), wadi_i64(gen_below(&m->r, 50)));
    const wadi_acc a = matrix(m, rows, places);
    const bool product = m->want != WADI_BOOL && gen_below(&m->r, 2);
    const wadi_acc b = product ? matrix(m, places, columns) : matrix(m, columns, places);
    const wadi_acc c = product ? wadi_matmul(a, b) : any_pairs(m, a, b);
    gen_keep(m, c, 2, m->want, gen_fresh_class(m));
}
