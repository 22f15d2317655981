/* stencil: each element from the elements of 1 to 9 arrays that are near it. Over several arrays, the result has the least of their extents.
 *
 * It is a producer: one element is read at each place, through the edge of its array. Indices that may be outside are made by minimum,
 * maximum and comparisons, which are known to change nothing in the interior of a loop (codegen/kernel/split.c). */
#include "operators/stencil.h"

/* ---- attributes ---- */

/* What is known of one array of a stencil. */
typedef struct stencil_part {
    wadi_edge_kind edge;
    int fun;             /* the function of its edge, or -1 */
    int places;          /* how many places of it are read */
    const int64_t *near; /* [places][dims] */
} stencil_part;

typedef struct stencil_parts {
    int dims, n;
    stencil_part of[WADI_STENCIL_ARRAYS];
} stencil_parts;

static bool read_edges(const wadi_bind *b, stencil_parts *out) {
    int64_t digits = b->attrs[1];
    int funs = 1;
    for (int k = out->n - 1; k >= 0; k--, digits /= 10) {
        if (digits % 10 < WADI_EDGE_CLAMP || digits % 10 > WADI_EDGE_FUNCTION) return false;
        out->of[k].edge = (wadi_edge_kind)(digits % 10);
    }
    for (int k = 0; k < out->n; k++)
        out->of[k].fun = out->of[k].edge == WADI_EDGE_FUNCTION ? funs++ : -1;
    return digits == 0;
}

/* NULL: they make sense; else what is wrong with them. */
static const char *read_parts(const wadi_bind *b, stencil_parts *out) {
    *out = (stencil_parts){.n = b->nargs};
    if (b->nargs < 1 || b->nargs > WADI_STENCIL_ARRAYS || b->nattrs < 2)
        return "expected 1 to 9 arrays, dims, edge and near";
    if (b->attrs[0] < 1 || b->attrs[0] > WADI_STENCIL_DIMS) return "dims: expected 1, 2 or 3";
    out->dims = (int)b->attrs[0];
    if (!read_edges(b, out)) return "edge: expected a digit from 1 to 4 for each array";
    int at = 2;
    for (int k = 0; k < out->n; k++) {
        if (at >= b->nattrs) return "near: expected the number of places of each array";
        const int64_t places = b->attrs[at++];
        _Static_assert(WADI_MAX_FUN_PARAMS == 512, "the message names the limit");
        if (places > WADI_MAX_FUN_PARAMS) return "near: expected at most 512 places of each array";
        if (places < 0 || places * out->dims > (int64_t)(b->nattrs - at))
            return "near: expected a distance along each dimension for each place";
        out->of[k].places = (int)places;
        out->of[k].near = b->attrs + at;
        for (int i = 0; i < out->of[k].places * out->dims; i++, at++)
            if (b->attrs[at] < -WADI_STENCIL_FAR || b->attrs[at] > WADI_STENCIL_FAR)
                return "near: a distance is larger than 1048576";
    }
    return at == b->nattrs ? NULL : "near: there are more numbers than places";
}

static const char *wrong_attrs(const wadi_bind *b) {
    stencil_parts s;
    return read_parts(b, &s);
}

static int count_funs(const wadi_bind *b) {
    int n = 1;
    int64_t digits = b->nattrs > 1 ? b->attrs[1] : 0;
    for (int k = 0; k < WADI_STENCIL_ARRAYS; k++, digits /= 10)
        n += digits % 10 == WADI_EDGE_FUNCTION;
    return n;
}

static int places_of(const wadi_bind *b, int arg) {
    stencil_parts s;
    (void)read_parts(b, &s);
    return s.of[arg].places;
}

/* An edge leads back by no more than the distance to it, unless it wraps around. */
static int64_t reach(const wadi_module *m, const wadi_bind *b, int arg) {
    stencil_parts s;
    int64_t most = 0;
    if (read_parts(b, &s)) return -1;
    if (m->values[b->args[arg]].type.array->rank > s.dims) return 0;
    for (int i = 0; i < s.of[arg].places; i++) {
        const int64_t distance = s.of[arg].near[i * s.dims];
        if (distance != 0 && s.of[arg].edge == WADI_EDGE_WRAP) return -1;
        if (distance > most || -distance > most) most = distance < 0 ? -distance : distance;
    }
    return most;
}

/* ---- types and shapes ---- */

static int fun_params(const wadi_module *m, const wadi_bind *b, int fun, wadi_type *types) {
    stencil_parts s;
    int n = 0;
    if (read_parts(b, &s)) return -1;
    for (int k = 0; k < s.n; k++) {
        const wadi_array_type *a = wadi_rule_arg(m, b, k);
        if (!a) return -1;
        if (s.of[k].fun == fun && fun > 0) return wadi_rule_add_index(types, 0, a->rank);
        if (n + s.of[k].places * a->elem.fields > WADI_MAX_FUN_PARAMS) return -1;
        for (int p = 0; p < s.of[k].places; p++)
            for (int f = 0; f < a->elem.fields; f++) types[n++] = a->elem.type[f];
    }
    return fun == 0 ? n : -1;
}

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    stencil_parts s;
    wadi_elem e;
    const char *wrong = read_parts(b, &s);
    if (wrong) return wadi_fail_at(err, b->loc, WADI_INVALID, "stencil: %s", wrong);
    WADI_TRY(wadi_rule_counts(m, b, 1, WADI_STENCIL_ARRAYS, err));
    const int rank = wadi_rule_rank_of(m, b->args[0]);
    if (rank < s.dims)
        return wadi_fail_at(err, b->loc, WADI_SHAPE,
                            "stencil: argument 1 has rank %d, expected at least %d", rank, s.dims);
    for (int k = 1; k < s.n; k++) WADI_TRY(wadi_rule_rank(m, b, k, rank, err));
    for (int f = 0; f < b->nfuns; f++) WADI_TRY(wadi_rule_fun(m, b, f, err));
    for (int k = 0; k < s.n; k++) {
        const wadi_elem *elem = &wadi_rule_arg(m, b, k)->elem;
        if (s.of[k].fun > 0)
            WADI_TRY(wadi_rule_fun_gives(b, s.of[k].fun, elem->fields, elem->type, err));
    }
    WADI_TRY(wadi_rule_fun_elem(m, b, 0, &e, err));
    return wadi_rule_result(m, b, rank, &e, err);
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    const int rank = wadi_rule_rank_of(cx->module, b->args[0]);
    for (int d = 0; d < rank; d++) {
        wadi_ext e = cx->get(cx, b->args[0], 0, d);
        for (int k = 1; k < b->nargs; k++) {
            const wadi_ext other = cx->get(cx, b->args[k], 0, d);
            if (!wadi_ext_equal(cx->extents, e, other)) e = wadi_ext_min(cx->extents, e, other);
        }
        cx->set(cx, b->results[0], 0, d, e);
    }
}

/* ---- one element ---- */

/* A place of an array. Element ix of the result exists, so ix lies in the array: only one end can be passed along each dimension. */
typedef struct place {
    const wadi_bind *b;
    const stencil_part *part;
    wadi_val array;
    int rank;
    wadi_sx raw[WADI_MAX_RANK]; /* perhaps outside */
    wadi_sx n, x;               /* along one dimension: the extent, and the index */
} place;

static wadi_sx inside(wadi_at *cx, wadi_sx x, int64_t distance, wadi_sx n) {
    const bool below = distance < 0;
    const wadi_sx end = below ? wadi_at_i64(cx, 0) : n;
    return cx->ops->prim(cx, below ? WADI_SOP_GE : WADI_SOP_LT, WADI_BOOL, 2,
                         (const wadi_sx[]){x, end});
}

static wadi_sx clamped(wadi_at *cx, wadi_sx x, int64_t distance, wadi_sx n) {
    if (distance < 0) return wadi_at_bin(cx, WADI_SOP_MAX, x, wadi_at_i64(cx, 0));
    return wadi_at_bin(cx, WADI_SOP_MIN, x, wadi_at_bin(cx, WADI_SOP_SUB, n, wadi_at_i64(cx, 1)));
}

/* Mirrored, indices repeat after 2n - 2. */
static wadi_sx mirrored(wadi_at *cx, wadi_sx x, wadi_sx n) {
    const wadi_sx last = wadi_at_bin(cx, WADI_SOP_SUB, n, wadi_at_i64(cx, 1));
    const wadi_sx twice = wadi_at_bin(cx, WADI_SOP_MUL, last, wadi_at_i64(cx, 2));
    const wadi_sx period = wadi_at_bin(cx, WADI_SOP_MAX, twice, wadi_at_i64(cx, 1));
    const wadi_sx up = wadi_at_bin(cx, WADI_SOP_MOD, x, period);
    return wadi_at_bin(cx, WADI_SOP_MIN, up, wadi_at_bin(cx, WADI_SOP_SUB, period, up));
}

static void moved_side(wadi_at *cx, void *env, bool yes, wadi_sx *out) {
    const place *p = env;
    *out = yes                               ? p->x
           : p->part->edge == WADI_EDGE_WRAP ? wadi_at_bin(cx, WADI_SOP_MOD, p->x, p->n)
                                             : mirrored(cx, p->x, p->n);
}

/* The index along one dimension where the edge is no function. */
static wadi_sx moved(wadi_at *cx, place *p, wadi_sx x, int64_t distance, wadi_sx n) {
    static const wadi_type index = WADI_I64;
    wadi_sx out;
    if (distance == 0) return x;
    if (p->part->edge == WADI_EDGE_CLAMP) return clamped(cx, x, distance, n);
    p->x = x;
    p->n = n;
    cx->ops->choose(cx, inside(cx, x, distance, n), 1, &index, true, moved_side, p, &out);
    return out;
}

static void element_side(wadi_at *cx, void *env, bool yes, wadi_sx *out) {
    const place *p = env;
    if (yes)
        cx->ops->read(cx, p->array, p->raw, out);
    else
        cx->ops->apply(cx, p->b->funs[p->part->fun], p->raw, out);
}

/* The element at a place; `in`: whether it lies in the array. */
static void read_or_ask(wadi_at *cx, place *p, wadi_sx in, wadi_sx *out) {
    const wadi_elem *e = &cx->module->values[p->array].type.array->elem;
    cx->ops->choose(cx, in, e->fields, e->type, false, element_side, p, out);
}

static void read_place(wadi_at *cx, place *p, int dims, const int64_t *near, const wadi_sx *ix,
                       wadi_sx *out) {
    const bool asks = p->part->edge == WADI_EDGE_FUNCTION;
    bool all = true;
    wadi_sx in = 0;
    for (int d = 0; d < p->rank; d++) {
        const int64_t distance = d < p->rank - dims ? 0 : near[d - (p->rank - dims)];
        p->raw[d] = ix[d];
        if (distance == 0) continue;
        const wadi_sx n = cx->ops->extent(cx, p->array, d);
        const wadi_sx x = wadi_at_bin(cx, WADI_SOP_ADD, ix[d], wadi_at_i64(cx, distance));
        p->raw[d] = asks ? x : moved(cx, p, x, distance, n);
        if (!asks) continue;
        const wadi_sx here = inside(cx, x, distance, n);
        in = all ? here
                 : cx->ops->prim(cx, WADI_SOP_LAND, WADI_BOOL, 2, (const wadi_sx[]){in, here});
        all = false;
    }
    if (all)
        cx->ops->read(cx, p->array, p->raw, out);
    else
        read_or_ask(cx, p, in, out);
}

static void at(wadi_at *cx, const wadi_bind *b, const wadi_sx *ix, wadi_sx *out) {
    stencil_parts s;
    wadi_sx x[WADI_MAX_FUN_PARAMS];
    int n = 0;
    (void)read_parts(b, &s);
    for (int k = 0; k < s.n; k++) {
        const wadi_array_type *t = cx->module->values[b->args[k]].type.array;
        place p = {.b = b, .part = &s.of[k], .array = b->args[k], .rank = t->rank};
        for (int i = 0; i < s.of[k].places; i++, n += t->elem.fields)
            read_place(cx, &p, s.dims, s.of[k].near + i * s.dims, ix, x + n);
    }
    cx->ops->apply(cx, b->funs[0], x, out);
}

/* ---- meaning ---- */

/* Steps into 0..n-1 by the rule of the edge. */
static int64_t step_inside(wadi_edge_kind edge, int64_t i, int64_t n) {
    while (i < 0 || i >= n) {
        if (edge == WADI_EDGE_CLAMP)
            i = i < 0 ? 0 : n - 1;
        else if (edge == WADI_EDGE_WRAP)
            i += i < 0 ? n : -n;
        else if (n == 1)
            i = 0;
        else
            i = i < 0 ? -i : 2 * (n - 1) - i;
    }
    return i;
}

static wadi_status put_place(wadi_eval_cx *cx, const wadi_bind *b, const stencil_part *part,
                             const wadi_iarray *a, int dims, const int64_t *near, const int64_t *ix,
                             uint64_t *out) {
    int64_t at[WADI_MAX_RANK];
    uint64_t asked[WADI_MAX_RANK];
    bool is_inside = true;
    for (int d = 0; d < a->rank; d++) {
        at[d] = ix[d] + (d < a->rank - dims ? 0 : near[d - (a->rank - dims)]);
        asked[d] = (uint64_t)at[d];
        is_inside = is_inside && at[d] >= 0 && at[d] < a->shape[d];
    }
    if (!is_inside && part->fun > 0) return cx->apply(cx, b, b->funs[part->fun], asked, out);
    for (int d = 0; d < a->rank; d++) at[d] = step_inside(part->edge, at[d], a->shape[d]);
    wadi_eval_put(a, wadi_eval_get(a, at), out);
    return WADI_OK;
}

static wadi_status elem(wadi_eval_cx *cx, const wadi_bind *b, const int64_t *ix, uint64_t *out) {
    stencil_parts s;
    uint64_t x[2 * WADI_MAX_FUN_PARAMS], *to = x;
    (void)read_parts(b, &s);
    for (int k = 0; k < s.n; k++) {
        const wadi_iarray *a = cx->array(cx, b->args[k]);
        for (int i = 0; i < s.of[k].places; i++, to += a->cells)
            WADI_TRY(put_place(cx, b, &s.of[k], a, s.dims, s.of[k].near + i * s.dims, ix, to));
    }
    return cx->apply(cx, b, b->funs[0], x, out);
}

static wadi_status eval(wadi_eval_cx *cx, const wadi_bind *b) {
    const wadi_iarray *a = cx->array(cx, b->args[0]);
    int64_t extent[WADI_MAX_RANK];
    for (int d = 0; d < a->rank; d++) {
        extent[d] = a->shape[d];
        for (int k = 1; k < b->nargs; k++) {
            const int64_t other = cx->array(cx, b->args[k])->shape[d];
            if (other < extent[d]) extent[d] = other;
        }
    }
    return wadi_eval_each(cx, b, a->rank, extent, elem);
}

const wadi_op wadi_op_stencil = {
    .name = "stencil",
    .form = "stencil dims=2 edge=1 near=3,-1,0,0,0,1,0 a b.. (x, y..) { .. } (i..) { .. }..",
    .types = "a[..], b[..].., (a.., b.. -> c), (i64.. -> a).. -> c[..]",
    .about = "elements from the elements of 1 to 9 arrays near them, along the innermost dims "
             "dimensions. near: for each array the number of places and their distances. edge: a "
             "digit for each array, 1 clamp, 2 mirror, 3 wrap, 4 a function of the index outside",
    .attrs = "dims edge near",
    .kind = WADI_OP_PRODUCER,
    .skeleton = WADI_SKEL_GENERATE,
    .reads = "m",
    .places = places_of,
    .reach = reach,
    .nfuns = -1,
    .count_funs = count_funs,
    .wrong_attrs = wrong_attrs,
    .faultless = true,
    .fun_params = fun_params,
    .type = type,
    .shape = shape,
    .at = at,
    .eval = eval,
};
