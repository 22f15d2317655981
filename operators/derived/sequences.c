/* Sequence functions of the language that are built from operators.
 *
 * A source here is a `produce` whose body reads a piece of an array from outside. Such a body is a producer. So consumers of the
 * stream read the array in place: no segment is copied, and the range check stands before the loop over a segment. */
#include "graph/lang/node.h"

/* A piece of an array: its shape, and where it begins, in each dimension of the array. */
typedef struct piece {
    wadi_ix shape, begin;
} piece;

static wadi_ix place(void *env, wadi_ix ix) {
    const piece *p = env;
    for (int d = 0; d < ix.rank; d++) ix.at[d] = wadi_add(p->begin.at[d], ix.at[d]);
    return ix;
}

static wadi_acc cut(piece p, wadi_acc a) {
    return wadi_backpermute_env(p.shape, place, &p, a);
}

static wadi_exp to_i64(wadi_exp x) {
    return wadi_convert(WADI_I64, x);
}

/* The number `x`, computed once per element of the stream instead of at every read of the piece. */
static wadi_exp once(wadi_exp x) {
    return wadi_the(wadi_unit(x));
}

/* ---- segments of a vector ---- */

typedef struct segments {
    int rank; /* of a segment */
    wadi_acc shapes, starts, values;
} segments;

typedef struct segment {
    wadi_ix shape;
    wadi_exp start;
} segment;

static wadi_ix row_major(void *env, wadi_ix ix) {
    const segment *s = env;
    return wadi_ix1(wadi_add(s->start, wadi_to_index(s->shape, ix)));
}

static wadi_acc nth_segment(void *env, wadi_exp i) {
    const segments *all = env;
    segment s = {.shape = {.rank = all->rank}, .start = once(wadi_index1(all->starts, i))};
    for (int d = 0; d < all->rank; d++)
        s.shape.at[d] = once(wadi_index2(all->shapes, i, wadi_i64(d)));
    return wadi_backpermute_env(s.shape, row_major, &s, all->values);
}

/* The rank of the segments: the number of extents in a row of the table. It must be known when the program is built. */
static int row_length(wadi_draft *d, const wadi_array_type *t) {
    const bool known = t->extent && t->extent[1].kind == WADI_EXTENT_CONST;
    if (known && t->extent[1].value >= 1 && t->extent[1].value <= WADI_MAX_RANK)
        return (int)t->extent[1].value;
    wadi_draft_expected(d, t, WADI_SHAPE, "a table whose extent 1 is declared as a number 1..%d",
                        WADI_MAX_RANK);
    return 0;
}

/* Appends the table of shapes to the draft; gives the number of extents per row, 0 after a mistake. */
static int table(wadi_draft *d, wadi_acc shapes) {
    const wadi_array_type *t = wadi_draft_array(d, shapes);
    wadi_expect_rank(d, t, 2);
    wadi_expect_int(d, t);
    return wadi_draft_failed(d) ? 0 : row_length(d, t);
}

static void vector(wadi_draft *d, wadi_acc a, bool of_integers) {
    const wadi_array_type *t = wadi_draft_array(d, a);
    wadi_expect_rank(d, t, 1);
    if (of_integers) wadi_expect_int(d, t);
}

wadi_seq wadi_from_shapes(wadi_acc shapes, wadi_acc values) {
    const char *outer = wadi_lang_call("from_shapes");
    wadi_draft d = wadi_draft_begin("from_shapes");
    const int rank = table(&d, shapes);
    vector(&d, values, false);
    if (wadi_draft_failed(&d)) return WADI_NO_SEQ;
    const wadi_acc extents = wadi_map(to_i64, shapes);
    const wadi_acc sizes = wadi_product(extents);
    segments all = {rank, extents, wadi_scanl(wadi_add, wadi_i64(0), sizes), values};
    return wadi_seq_called(outer, wadi_produce_env(wadi_extent(shapes, 0), nth_segment, &all));
}

wadi_seq wadi_from_segs(wadi_acc offsets, wadi_acc shapes, wadi_acc values) {
    const char *outer = wadi_lang_call("from_segs");
    wadi_draft d = wadi_draft_begin("from_segs");
    vector(&d, offsets, true);
    const int rank = table(&d, shapes);
    vector(&d, values, false);
    if (wadi_draft_failed(&d)) return WADI_NO_SEQ;
    segments all = {rank, wadi_map(to_i64, shapes), wadi_map(to_i64, offsets), values};
    return wadi_seq_called(outer, wadi_produce_env(wadi_extent(shapes, 0), nth_segment, &all));
}

static wadi_acc between(void *env, wadi_exp i) {
    const segments *all = env;
    const wadi_exp begin = once(wadi_index1(all->starts, i));
    const wadi_exp end = wadi_index1(all->starts, wadi_add(i, wadi_i64(1)));
    return cut((piece){wadi_ix1(wadi_sub(end, begin)), wadi_ix1(begin)}, all->values);
}

wadi_seq wadi_from_offsets(wadi_acc offsets, wadi_acc values) {
    const char *outer = wadi_lang_call("from_offsets");
    wadi_draft d = wadi_draft_begin("from_offsets");
    vector(&d, offsets, true);
    vector(&d, values, false);
    if (wadi_draft_failed(&d)) return WADI_NO_SEQ;
    segments all = {.rank = 1, .starts = wadi_map(to_i64, offsets), .values = values};
    return wadi_seq_called(
        outer, wadi_produce_env(wadi_sub(wadi_extent(offsets, 0), wadi_i64(1)), between, &all));
}

/* ---- slices ---- */

typedef struct slicing {
    int dim, rank;
    wadi_acc a;
} slicing;

static wadi_acc nth_slice(void *env, wadi_exp i) {
    const slicing *s = env;
    wadi_spec spec[WADI_MAX_RANK];
    for (int d = 0; d < s->rank; d++) spec[d] = d == s->dim ? wadi_fix(i) : wadi_all();
    return wadi_slice(s->rank, spec, s->a);
}

wadi_seq wadi_to_seq_on(int dim, wadi_acc a) {
    const char *outer = wadi_lang_call("to_seq");
    wadi_draft d = wadi_draft_begin("to_seq");
    const wadi_array_type *t = wadi_draft_array(&d, a);
    wadi_expect_dim(&d, t, dim);
    if (wadi_draft_failed(&d)) return WADI_NO_SEQ;
    slicing s = {dim, t->rank, a};
    return wadi_seq_called(outer, wadi_produce_env(wadi_extent(a, dim), nth_slice, &s));
}

wadi_seq wadi_to_seq(wadi_acc a) {
    return wadi_to_seq_on(0, a);
}

/* ---- tiles ---- */

typedef struct tiling {
    wadi_acc a;
    wadi_ix extents, block, tiles; /* tiles: how many in each dimension */
} tiling;

static wadi_acc nth_tile(void *env, wadi_exp i) {
    const tiling *t = env;
    const wadi_ix at = wadi_from_index(t->tiles, i);
    piece p = {{.rank = at.rank}, {.rank = at.rank}};
    for (int d = 0; d < at.rank; d++) {
        p.begin.at[d] = once(wadi_mul(at.at[d], t->block.at[d]));
        p.shape.at[d] = once(wadi_min(t->block.at[d], wadi_sub(t->extents.at[d], p.begin.at[d])));
    }
    return cut(p, t->a);
}

wadi_seq wadi_subarrays(wadi_ix block, wadi_acc a) {
    const char *outer = wadi_lang_call("subarrays");
    wadi_draft d = wadi_draft_begin("subarrays");
    wadi_draft_shape(&d, block);
    const wadi_array_type *t = wadi_draft_array(&d, a);
    wadi_expect_rank_from(&d, t, 1);
    wadi_expect_rank(&d, t, block.rank);
    if (wadi_draft_failed(&d)) return WADI_NO_SEQ;
    const wadi_exp one = wadi_i64(1);
    tiling all = {a, wadi_shape_of(a), block, {.rank = block.rank}};
    wadi_exp n = one;
    for (int k = 0; k < block.rank; k++) {
        all.block.at[k] = wadi_max(to_i64(block.at[k]), one);
        all.tiles.at[k] = once(wadi_quot(
            wadi_add(all.extents.at[k], wadi_sub(all.block.at[k], one)), all.block.at[k]));
        n = wadi_mul(n, all.tiles.at[k]);
    }
    return wadi_seq_called(outer, wadi_produce_env(n, nth_tile, &all));
}

/* ---- ends ---- */

wadi_exp wadi_forever(void) {
    return wadi_i64(INT64_MAX);
}

/* A consumer's results are arrays already; only the C type changes. */
wadi_acc wadi_consume(wadi_eat c) {
    const wadi_acc a = {c.node, c.program};
    if (!wadi_acc_get("consume", 1, a))
        wadi_lang_fail(WADI_INVALID, "consume: argument 1 is missing");
    return a;
}
