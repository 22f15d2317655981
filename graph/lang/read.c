/* Reading scalars from arrays, tuples of arrays, and index arithmetic. */
#include "graph/lang/grow.h"

/* ---- reading arrays ---- */

static wadi_exp read_array(const char *what, wadi_sop sop, int dim, const wadi_elem *e, wadi_acc a,
                           int n, const wadi_exp *ix) {
    wadi_node_id args[1 + WADI_MAX_RANK] = {a.node};
    for (int i = 0; i < n; i++) args[1 + i] = wadi_exp_node(what, 2 + i, ix[i]);
    wadi_node_id *own = wadi_lang_ids(1 + n, args);
    const wadi_array_type *t = wadi_scalar_type_of(e);
    if (!own || !t) return WADI_NO_EXP;
    return wadi_exp_of(wadi_node_append(what, (wadi_node){.kind = WADI_NODE_SCALAR,
                                                          .stratum = WADI_STRATUM_SCALAR,
                                                          .sop = sop,
                                                          .dim = dim,
                                                          .nargs = 1 + n,
                                                          .args = own,
                                                          .ntypes = 1,
                                                          .type = t}));
}

static void to_i64(const char *what, const char *role, wadi_ix *ix) {
    for (int d = 0; d < ix->rank; d++) ix->at[d] = wadi_exp_to_i64(what, role, ix->at[d]);
}

wadi_exp wadi_index(wadi_acc a, wadi_ix ix) {
    const wadi_array_type *t = wadi_acc_given("index", 1, a);
    if (!t) return WADI_NO_EXP;
    if (ix.rank != t->rank)
        return wadi_exp_of(wadi_lang_fail(WADI_SHAPE,
                                          "index: argument 1 is %s, expected rank %d as the index",
                                          wadi_array_type_text(t), ix.rank));
    to_i64("index", "the index", &ix);
    return read_array("index", WADI_SOP_INDEX, 0, &t->elem, a, ix.rank, ix.at);
}

wadi_exp wadi_index1(wadi_acc a, wadi_exp i) {
    return wadi_index(a, wadi_ix1(i));
}

wadi_exp wadi_index2(wadi_acc a, wadi_exp i, wadi_exp j) {
    return wadi_index(a, wadi_ix2(i, j));
}

wadi_exp wadi_index3(wadi_acc a, wadi_exp i, wadi_exp j, wadi_exp k) {
    return wadi_index(a, wadi_ix3(i, j, k));
}

wadi_exp wadi_linear(wadi_acc a, wadi_exp i) {
    const wadi_array_type *t = wadi_acc_given("linear", 1, a);
    i = wadi_exp_to_i64("linear", "the index", i);
    if (!t) return WADI_NO_EXP;
    return read_array("linear", WADI_SOP_INDEX_LINEAR, 0, &t->elem, a, 1, &i);
}

wadi_exp wadi_the(wadi_acc a) {
    const wadi_array_type *t = wadi_acc_given("the", 1, a);
    if (!t) return WADI_NO_EXP;
    if (t->rank != 0)
        return wadi_exp_of(wadi_lang_fail(WADI_SHAPE, "the: argument 1 is %s, expected rank 0",
                                          wadi_array_type_text(t)));
    return read_array("the", WADI_SOP_THE, 0, &t->elem, a, 0, NULL);
}

wadi_exp wadi_extent(wadi_acc a, int dim) {
    const wadi_array_type *t = wadi_acc_given("extent", 1, a);
    if (!t) return WADI_NO_EXP;
    if (dim < 0 || dim >= t->rank)
        return wadi_exp_of(wadi_lang_fail(
            WADI_SHAPE, "extent: argument 1 is %s, expected an array with dimension %d",
            wadi_array_type_text(t), dim));
    const wadi_elem e = wadi_elem_scalar(WADI_I64);
    return read_array("extent", WADI_SOP_EXTENT, dim, &e, a, 0, NULL);
}

wadi_exp wadi_size(wadi_acc a) {
    const wadi_array_type *t = wadi_acc_given("size", 1, a);
    if (!t) return WADI_NO_EXP;
    if (t->rank == 0) return wadi_i64(1);
    const int rank = t->rank;
    wadi_exp n = wadi_extent(a, 0);
    for (int d = 1; d < rank; d++) n = wadi_mul(n, wadi_extent(a, d));
    return n;
}

/* ---- tuples ---- */

static wadi_acc array_node(const char *what, wadi_node_kind kind, int nargs,
                           const wadi_node_id *args, int index, int ntypes,
                           const wadi_array_type *t) {
    wadi_node_id *own = wadi_lang_ids(nargs, args);
    if (!own || !t) return WADI_NO_ACC;
    return wadi_acc_of(wadi_node_append(what, (wadi_node){.kind = kind,
                                                          .stratum = WADI_STRATUM_ARRAY,
                                                          .index = index,
                                                          .nargs = nargs,
                                                          .args = own,
                                                          .ntypes = ntypes,
                                                          .type = t}));
}

wadi_acc wadi_tuple_get(wadi_acc tuple, int i) {
    const wadi_node *n = wadi_acc_get("tuple_get", 1, tuple);
    if (!n || n->stratum != WADI_STRATUM_ARRAY)
        return wadi_acc_of(wadi_lang_fail(WADI_INVALID, "tuple_get: argument 1 is missing"));
    if (i < 0 || i >= n->ntypes)
        return wadi_acc_of(wadi_lang_fail(
            WADI_INVALID, "tuple_get: there is no array %d, expected 0 to %d", i, n->ntypes - 1));
    if (n->ntypes == 1) return tuple;
    if (n->kind == WADI_NODE_TUPLE) return wadi_acc_of(n->args[i]);
    return array_node("tuple_get", WADI_NODE_PART, 1, &tuple.node, i, 1, &n->type[i]);
}

/* A tuple of tuples becomes one tuple of all their arrays, so that the arguments of a tuple node are arrays. */
wadi_acc wadi_tuple(int n, const wadi_acc *parts) {
    wadi_node_id args[WADI_DRAFT_ARGS];
    int count = 0;
    if (n > 0 && !parts)
        return wadi_acc_of(wadi_lang_fail(WADI_INVALID, "tuple: the arrays are NULL"));
    for (int i = 0; i < n; i++) {
        const int arrays = wadi_parts(parts[i]);
        if (arrays == 0)
            return wadi_acc_of(
                wadi_lang_fail(WADI_INVALID, "tuple: argument %d is missing", i + 1));
        if (count + arrays > WADI_DRAFT_ARGS)
            return wadi_acc_of(
                wadi_lang_fail(WADI_UNSUPPORTED, "tuple: more than %d arrays", WADI_DRAFT_ARGS));
        for (int k = 0; k < arrays; k++) args[count++] = wadi_tuple_get(parts[i], k).node;
    }
    if (count == 0) return wadi_acc_of(wadi_lang_fail(WADI_INVALID, "tuple: no arrays"));
    if (count == 1) return wadi_acc_of(args[0]);
    wadi_program *p = wadi_program_current();
    wadi_array_type *t = p ? WADI_NEW_N(p->arena, wadi_array_type, (size_t)count) : NULL;
    for (int i = 0; t && i < count; i++) {
        const wadi_array_type *part = wadi_acc_type(wadi_acc_of(args[i]));
        if (!part) return WADI_NO_ACC;
        t[i] = *part;
    }
    return array_node("tuple", WADI_NODE_TUPLE, count, args, 0, count, t);
}

wadi_acc wadi_tuple2(wadi_acc a, wadi_acc b) {
    return wadi_tuple(2, (const wadi_acc[]){a, b});
}

/* ---- indices ---- */

wadi_ix wadi_ix0(void) {
    return (wadi_ix){0};
}

wadi_ix wadi_ix1(wadi_exp i) {
    return (wadi_ix){.rank = 1, .at = {i}};
}

wadi_ix wadi_ix2(wadi_exp i, wadi_exp j) {
    return (wadi_ix){.rank = 2, .at = {i, j}};
}

wadi_ix wadi_ix3(wadi_exp i, wadi_exp j, wadi_exp k) {
    return (wadi_ix){.rank = 3, .at = {i, j, k}};
}

wadi_ix wadi_ix4(wadi_exp i, wadi_exp j, wadi_exp k, wadi_exp l) {
    return (wadi_ix){.rank = 4, .at = {i, j, k, l}};
}

wadi_ix wadi_shape_of(wadi_acc a) {
    const int rank = wadi_rank(a);
    wadi_ix shape = {.rank = rank > 0 ? rank : 0};
    if (rank < 0) (void)wadi_acc_given("shape_of", 1, a);
    for (int d = 0; d < rank; d++) shape.at[d] = wadi_extent(a, d);
    return shape;
}

static bool rank_fits(const char *what, int rank) {
    if (rank >= 0 && rank <= WADI_MAX_RANK) return true;
    wadi_lang_fail(WADI_SHAPE, "%s: rank %d, expected 0 to %d", what, rank, WADI_MAX_RANK);
    return false;
}

wadi_exp wadi_to_index(wadi_ix shape, wadi_ix ix) {
    if (!rank_fits("to_index", shape.rank)) return WADI_NO_EXP;
    if (shape.rank != ix.rank)
        return wadi_exp_of(
            wadi_lang_fail(WADI_SHAPE, "to_index: the index has rank %d, expected %d as the shape",
                           ix.rank, shape.rank));
    to_i64("to_index", "an extent", &shape);
    to_i64("to_index", "the index", &ix);
    if (ix.rank == 0) return wadi_i64(0);
    wadi_exp linear = ix.at[0];
    for (int d = 1; d < ix.rank; d++) linear = wadi_add(wadi_mul(linear, shape.at[d]), ix.at[d]);
    return linear;
}

wadi_ix wadi_from_index(wadi_ix shape, wadi_exp linear) {
    if (!rank_fits("from_index", shape.rank)) return wadi_ix0();
    to_i64("from_index", "an extent", &shape);
    linear = wadi_exp_to_i64("from_index", "the index", linear);
    wadi_ix ix = {.rank = shape.rank};
    for (int d = shape.rank - 1; d > 0; d--) {
        ix.at[d] = wadi_rem(linear, shape.at[d]);
        linear = wadi_quot(linear, shape.at[d]);
    }
    if (ix.rank > 0) ix.at[0] = linear;
    return ix;
}

wadi_ix wadi_ignore(int rank) {
    if (!rank_fits("ignore", rank)) return wadi_ix0();
    wadi_ix ix = {.rank = rank, .keep = wadi_bool(false)};
    for (int d = 0; d < rank; d++) ix.at[d] = wadi_i64(0);
    return ix;
}

wadi_ix wadi_keep_if(wadi_exp keep, wadi_ix ix) {
    wadi_type t;
    if (!wadi_exp_plain("keep_if", 1, keep, &t)) return ix;
    if (t != WADI_BOOL)
        wadi_lang_fail(WADI_TYPE, "keep_if: argument 1 is %s, expected bool", wadi_type_name(t));
    ix.keep = ix.keep.node ? wadi_land(ix.keep, keep) : keep;
    return ix;
}
