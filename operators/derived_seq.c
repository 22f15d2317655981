/* Sequence functions of the language that need no operator of their own. */
#include "graph/lang/node.h"

/* ---- from_shapes: consecutive segments of a vector ---- */

typedef struct segments {
    int rank; /* of a segment */
    wadi_acc shapes, starts, values;
} segments;

typedef struct segment {
    wadi_ix shape;
    wadi_exp start;
} segment;

static wadi_ix place(void *env, wadi_ix ix) {
    const segment *s = env;
    return wadi_ix1(wadi_add(s->start, wadi_to_index(s->shape, ix)));
}

static wadi_acc nth(void *env, wadi_exp i) {
    const segments *all = env;
    segment s = {.shape = {.rank = all->rank}, .start = wadi_index1(all->starts, i)};
    for (int d = 0; d < all->rank; d++) s.shape.at[d] = wadi_index2(all->shapes, i, wadi_i64(d));
    return wadi_backpermute_env(s.shape, place, &s, all->values);
}

static wadi_exp to_i64(wadi_exp x) {
    return wadi_convert(WADI_I64, x);
}

/* The rank of the segments is how many extents a row holds: it must be known while the program
 * is built. */
static int row_length(wadi_draft *d, const wadi_array_type *t) {
    const bool known = t->extent && t->extent[1].kind == WADI_EXTENT_CONST;
    if (known && t->extent[1].value >= 1 && t->extent[1].value <= WADI_MAX_RANK)
        return (int)t->extent[1].value;
    wadi_draft_expected(d, t, WADI_SHAPE, "a table whose extent 1 is declared as a number 1..%d",
                        WADI_MAX_RANK);
    return 0;
}

wadi_seq wadi_from_shapes(wadi_acc shapes, wadi_acc values) {
    wadi_draft d = wadi_draft_begin("from_shapes");
    const wadi_array_type *t = wadi_draft_array(&d, shapes);
    wadi_expect_rank(&d, t, 2);
    wadi_expect_int(&d, t);
    const int rank = wadi_draft_failed(&d) ? 0 : row_length(&d, t);
    wadi_expect_rank(&d, wadi_draft_array(&d, values), 1);
    if (wadi_draft_failed(&d)) return WADI_NO_SEQ;
    const wadi_acc extents = wadi_map(to_i64, shapes);
    const wadi_acc sizes = wadi_product(extents);
    segments all = {rank, extents, wadi_scanl(wadi_add, wadi_i64(0), sizes), values};
    return wadi_produce_env(wadi_extent(shapes, 0), nth, &all);
}

/* ---- consume ---- */

/* A consumer's results are arrays already; only its C type kept it from being used as one. */
wadi_acc wadi_consume(wadi_eat c) {
    return (wadi_acc){c.node};
}
