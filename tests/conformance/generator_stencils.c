/* Stencils: of one array or two as a step, and of up to nine, by draws of their own. */
#include "tests/conformance/maker.h"

/* ---- of one or two ---- */

typedef struct around {
    maker *m;
    wadi_type type[2]; /* of the elements of the arrays */
    int dims;
} around;

static wadi_exp some_near(around *a, wadi_window *w) {
    int d[3];
    for (int j = 0; j < 3; j++) d[j] = gen_below(&a->m->r, 5) ? gen_below(&a->m->r, 5) - 2 : -11;
    return a->dims == 1   ? wadi_near1(w, d[0])
           : a->dims == 2 ? wadi_near2(w, d[0], d[1])
                          : wadi_near3(w, d[0], d[1], d[2]);
}

/* y and something of each of the values: what was made at random may use none of them. */
static wadi_exp with_each(const maker *m, wadi_exp y, int n, const wadi_exp *x) {
    wadi_exp sum = wadi_i64(0);
    for (int k = 0; k < n; k++)
        sum = wadi_add(wadi_mul(sum, wadi_i64(3)), wadi_convert(WADI_I64, x[k]));
    if (m->want == WADI_BOOL) return wadi_ne(y, wadi_eq(wadi_and(sum, wadi_i64(1)), wadi_i64(1)));
    return wadi_add(y, wadi_convert(m->want, sum));
}

static wadi_exp near_one(void *env, wadi_window *w) {
    around *a = env;
    wadi_exp x[4];
    for (int k = 0; k < 4; k++) {
        x[k] = some_near(a, w);
        a->m->given[k] = a->type[0];
    }
    const bool four = gen_below(&a->m->r, 2);
    const wadi_exp y = four ? gen_fn4(a->m, x[0], x[1], x[2], x[3]) : gen_fn2(a->m, x[0], x[1]);
    return with_each(a->m, y, four ? 4 : 2, x);
}

static wadi_exp near_two(void *env, wadi_window *v, wadi_window *w) {
    around *a = env;
    wadi_exp x[3];
    for (int k = 0; k < 3; k++) {
        x[k] = some_near(a, k == 0 ? v : w);
        a->m->given[k] = a->type[k > 0];
    }
    return with_each(a->m, gen_fn3(a->m, x[0], x[1], x[2]), 3, x);
}

/* A value that depends on the index is made by a function of its own. */
static wadi_exp beyond(void *env, wadi_ix ix) {
    return gen_of_index(env, ix);
}

static wadi_edge some_edge(maker *m, wadi_type t) {
    switch (gen_below(&m->r, 5)) {
    case 0:
        return wadi_edge_clamp();
    case 1:
        return wadi_edge_mirror();
    case 2:
        return wadi_edge_wrap();
    case 3:
        return wadi_edge_constant(gen_literal(m, t));
    default:
        m->want = t;
        return wadi_edge_function_env(beyond, m);
    }
}

/* Edges call their functions after the stencil's own, when what is wanted has changed back. */
void gen_stencil_step(maker *m) {
    const item it = gen_pick_ranked(m, 1, 3), other = gen_pick_ranked(m, it.rank, it.rank);
    around a = {m, {it.type, other.type}, 1 + gen_below(&m->r, it.rank)};
    const bool two = other.rank == it.rank && gen_below(&m->r, 3) == 0;
    const wadi_edge edge = some_edge(m, it.type);
    wadi_edge second = wadi_edge_clamp();
    if (two) second = edge.f_env ? wadi_edge_wrap() : some_edge(m, other.type);
    const bool asks = edge.f_env || second.f_env;
    if (!asks) m->want = gen_type(&m->r);
    const wadi_type type = m->want;
    const wadi_acc r = two ? wadi_stencil2_env(a.dims, near_two, &a, edge, it.a, second, other.a)
                           : wadi_stencil_env(a.dims, near_one, &a, edge, it.a);
    gen_keep(m, r, it.rank, type, two ? gen_fresh_class(m) : it.shape);
}

/* ---- of several ---- */

enum { MOST = 9 };

/* The first of the arrays may have records: a value and its place. */
typedef struct many {
    around a; /* dims */
    int n;
    item it[MOST];
    bool record;
} many;

static wadi_exp place_of(void *env, wadi_ix ix) {
    (void)env;
    wadi_exp place = ix.at[0];
    for (int d = 1; d < ix.rank; d++) place = wadi_add(wadi_mul(place, wadi_i64(100)), ix.at[d]);
    return place;
}

static wadi_exp with_place(void *env, wadi_ix ix, wadi_exp x) {
    static const char *const names[] = {"value", "place"};
    return wadi_rec(2, names, (const wadi_exp[]){x, place_of(env, ix)});
}

/* Of the first array, its place if it has one, which is another one everywhere; and of three that any of them may be. */
static wadi_exp near_many(void *env, int n, wadi_window *const *w) {
    static const char *const names[] = {"value", "place"};
    many *k = env;
    maker *m = k->a.m;
    wadi_exp x[4];
    wadi_type type[4];
    for (int i = 0; i < 4; i++) {
        const int from = i == 0 ? 0 : gen_below(&m->r, n);
        const int field = from == 0 && k->record && (i == 0 || gen_below(&m->r, 2));
        x[i] = some_near(&k->a, w[from]);
        if (from == 0 && k->record) x[i] = wadi_get(x[i], names[field]);
        type[i] = field == 1 ? WADI_I64 : k->it[from].type;
    }
    for (int i = 0; i < 4; i++) m->given[i] = type[i];
    return with_each(m, gen_fn4(m, x[0], x[1], x[2], x[3]), 4, x);
}

static wadi_edge edge_of_any_type(maker *m) {
    const int kind = gen_below(&m->r, 3);
    return kind == 0 ? wadi_edge_clamp() : kind == 1 ? wadi_edge_mirror() : wadi_edge_wrap();
}

static wadi_exp doubled(void *env, wadi_exp x) {
    static const char *const names[] = {"a", "b"};
    (void)env;
    return wadi_rec(2, names, (const wadi_exp[]){x, x});
}

/* The array twice, in one of a dimension more: a rank of 4 is rare. */
static item deeper(item it) {
    it.a = wadi_spread_on(0, wadi_map_env(doubled, NULL, it.a));
    it.rank++;
    it.shape = -1;
    return it;
}

/* Places, of which there are always some along each dimension. */
static item places(maker *m) {
    wadi_ix shape = {.rank = 1 + gen_below(&m->r, 4)};
    for (int d = 0; d < shape.rank; d++) shape.at[d] = wadi_i64(2 + gen_below(&m->r, 4));
    return (item){.a = wadi_generate_env(shape, place_of, NULL),
                  .rank = shape.rank,
                  .type = WADI_I64,
                  .shape = -1};
}

/* An array of the rank of the first one, and of its shape if `alike`. */
static item companion(maker *m, const item *first, bool alike) {
    if (first->shape < 0 && gen_below(&m->r, 2)) return *first;
    const item it = gen_pick_ranked(m, first->rank, first->rank);
    return it.rank == first->rank && (!alike || it.shape == first->shape) ? it : *first;
}

/* A stencil of 3 to 9 arrays, of which the first is `it`: of the type of `it`, and of its shape if `alike`. */
static wadi_acc stencil_of_many(maker *m, item it, bool alike) {
    many k = {.a = {.m = m}, .n = 3 + gen_below(&m->r, MOST - 2), .it = {it}};
    wadi_acc arrays[MOST] = {it.a};
    wadi_edge edges[MOST];
    k.a.dims = 1 + gen_below(&m->r, it.rank < 3 ? it.rank : 3);
    k.record = gen_below(&m->r, 3) > 0;
    m->want = it.type;
    for (int i = 0; i < k.n; i++) {
        if (i > 0) k.it[i] = companion(m, &it, alike);
        arrays[i] = k.it[i].a;
        const bool own = gen_below(&m->r, 2) && !(i == 0 && k.record);
        edges[i] = !own                      ? edge_of_any_type(m)
                   : k.it[i].type == it.type ? some_edge(m, it.type)
                                             : wadi_edge_constant(gen_literal(m, k.it[i].type));
    }
    if (k.record) arrays[0] = wadi_imap_env(with_place, NULL, it.a);
    return wadi_stencil_n_env(k.a.dims, near_many, &k, k.n, edges, arrays);
}

/* What is added to each element. */
typedef struct more {
    maker *m;
    wadi_type type; /* of the elements */
    wadi_acc all;
} more;

static wadi_exp with_all(void *env, wadi_exp x) {
    more *k = env;
    const wadi_exp all = wadi_the(k->all);
    return gen_sum(k->type)(x, with_each(k->m, gen_fn1(k->m, all), 1, &all));
}

/* The array with a stencil of several added, element by element where the shapes agree, and else as a total. */
static wadi_acc with_many(maker *m, const item *it) {
    const bool alike = it->rank > 0 && it->rank < 5 && gen_below(&m->r, 2);
    if (alike) return wadi_zip_with(gen_sum(it->type), it->a, stencil_of_many(m, *it, true));
    item first = gen_below(&m->r, 2) ? places(m) : gen_pick_ranked(m, 1, 4);
    if (first.shape >= 0 && first.rank == 3 && gen_below(&m->r, 2)) first = deeper(first);
    const wadi_acc near = stencil_of_many(m, first, false);
    more k = {m, it->type, wadi_fold_all(gen_sum(first.type), gen_literal(m, first.type), near)};
    m->given[0] = first.type;
    m->want = it->type;
    return wadi_map_env(with_all, &k, it->a);
}

void gen_stencil_beside(maker *m) {
    if (gen_below(&m->beside, 2)) return;
    maker own = *m;
    own.r = m->beside;
    item *it = &m->pool[m->n - 1];
    it->a = with_many(&own, it);
    m->beside = own.r;
}
