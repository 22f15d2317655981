/* Random array operations. Arrays of one shape class have equal extents, so that zip_with can be used without faults;
 * indices are made valid by reduction modulo the extent. Integer division keeps away from zero: faults have tests of their
 * own. */
#include <string.h>

#include "tests/conformance/maker.h"

void gen_keep(maker *m, wadi_acc a, int rank, wadi_type type, int shape) {
    if (m->n == GEN_POOL) {
        memmove(m->pool, m->pool + 1, (GEN_POOL - 1) * sizeof *m->pool);
        m->n--;
    }
    m->pool[m->n++] = (item){a, rank, type, shape};
}

int gen_fresh_class(maker *m) {
    return m->classes++;
}

item gen_pick(maker *m) {
    const int back = gen_below(&m->r, gen_below(&m->r, m->n) + 1);
    return m->pool[m->n - 1 - back];
}

item gen_pick_ranked(maker *m, int least, int most) {
    for (int tries = 0; tries < 20; tries++) {
        const item it = gen_pick(m);
        if (it.rank >= least && it.rank <= most) return it;
    }
    const wadi_acc a = wadi_iota(WADI_I32, wadi_i64(gen_below(&m->r, 20)));
    return (item){a, 1, WADI_I32, gen_fresh_class(m)};
}

wadi_exp gen_small_extent(maker *m) {
    static const int values[] = {0, 1, 2, 3, 7, 8, 9, 16, 17, 31};
    const wadi_exp fixed = wadi_i64(values[gen_below(&m->r, 10)]);
    if (gen_below(&m->r, 2)) return fixed;
    const item it = gen_pick_ranked(m, 1, 3);
    return wadi_min(wadi_extent(it.a, gen_below(&m->r, it.rank)), wadi_i64(40));
}

static void do_map(maker *m) {
    const item it = gen_pick(m);
    m->given[0] = it.type;
    m->want = gen_type(&m->r);
    if (gen_below(&m->r, 3))
        gen_keep(m, wadi_map_env(gen_fn1, m, it.a), it.rank, m->want, it.shape);
    else
        gen_keep(m, wadi_imap_env(gen_of_index_and_element, m, it.a), it.rank, m->want, it.shape);
}

item gen_like(maker *m, const item *it) {
    for (int tries = 0; tries < 8; tries++) {
        const item b = gen_pick(m);
        if (b.shape == it->shape && b.rank == it->rank) return b;
    }
    return *it;
}

static void do_zip(maker *m) {
    const item a = gen_pick(m);
    item same[4] = {a, a, a, a};
    for (int k = 1; k < 4; k++) same[k] = gen_like(m, &a);
    for (int k = 0; k < 4; k++) m->given[k] = same[k].type;
    m->want = gen_type(&m->r);
    const wadi_acc x = same[0].a, y = same[1].a, z = same[2].a;
    const int choice = gen_below(&m->r, 4);
    const wadi_acc all = choice == 0   ? wadi_zip_with4_env(gen_fn4, m, x, y, z, same[3].a)
                         : choice == 1 ? wadi_zip_with3_env(gen_fn3, m, x, y, z)
                                       : wadi_zip_with_env(gen_fn2, m, x, y);
    gen_keep(m, all, a.rank, m->want, a.shape);
}

static void do_generate(maker *m) {
    m->want = gen_type(&m->r);
    const int rank = 1 + gen_below(&m->r, 2);
    const wadi_exp n = gen_small_extent(m), k = gen_small_extent(m);
    gen_keep(m, wadi_generate_env(rank == 1 ? wadi_ix1(n) : wadi_ix2(n, k), gen_of_index, m), rank,
             m->want, gen_fresh_class(m));
}

static void do_structure(maker *m) {
    const item it = gen_pick_ranked(m, 1, 3);
    const int dim = gen_below(&m->r, it.rank), shape = gen_fresh_class(m);
    wadi_spec spec[4];
    switch (gen_below(&m->r, 9)) {
    case 0:
        gen_keep(m, wadi_reverse_on(dim, it.a), it.rank, it.type, it.shape);
        return;
    case 1:
        gen_keep(m, wadi_take_on(dim, gen_small_extent(m), it.a), it.rank, it.type, shape);
        return;
    case 2:
        gen_keep(m, wadi_drop_on(dim, wadi_sub(gen_small_extent(m), wadi_i64(1)), it.a), it.rank,
                 it.type, shape);
        return;
    case 3:
        gen_keep(m, wadi_transpose(it.a), it.rank, it.type, shape);
        return;
    case 4:
        gen_keep(m, wadi_flatten(it.a), 1, it.type, shape);
        return;
    case 5:
        gen_keep(m, gen_below(&m->r, 3) ? wadi_compute(it.a) : wadi_named("it", it.a), it.rank,
                 it.type, it.shape);
        return;
    case 6:
        gen_keep(m, wadi_reshape(wadi_ix2(wadi_size(it.a), wadi_i64(1)), it.a), 2, it.type, shape);
        return;
    case 7:
        if (it.rank == 3) break;
        for (int d = 0; d <= it.rank; d++)
            spec[d] = d == dim ? wadi_fix(gen_small_extent(m)) : wadi_all();
        gen_keep(m, wadi_replicate(it.rank + 1, spec, it.a), it.rank + 1, it.type, shape);
        return;
    default:
        break;
    }
    /* a row, when there is one; else an empty result of the same rank */
    const wadi_acc wide = wadi_take_on(dim, wadi_i64(1), it.a);
    gen_keep(m, wadi_drop_on(dim, wadi_i64(0), wide), it.rank, it.type, shape);
}

static wadi_exp modulo_extent(void *env, wadi_exp a) {
    maker *m = env;
    return wadi_mod(wadi_convert(WADI_I64, a), wadi_i64(m->constant));
}

static wadi_exp modulo_length(void *env, wadi_exp a) {
    return wadi_mod(wadi_convert(WADI_I64, a), *(const wadi_exp *)env);
}

static wadi_exp as_i32(wadi_exp a) {
    return wadi_convert(WADI_I32, a);
}

/* Places that are not known to be in range, of a vector that is as long as those of the pool, and of others in turn. */
static void gather_stored(maker *m, const item *it) {
    const item from = gen_pick_ranked(m, 1, 1);
    const wadi_acc longer =
        wadi_scanl(gen_associative(m, from.type), gen_literal(m, from.type), from.a);
    wadi_exp n = wadi_extent(longer, 0);
    wadi_acc at = wadi_map_env(modulo_length, &n, it->a);
    if (gen_below(&m->r, 2)) at = wadi_map(as_i32, at);
    if (gen_below(&m->r, 3) == 0) at = wadi_gather(wadi_compute(at), wadi_iota(WADI_I64, n));
    gen_keep(m, wadi_gather(wadi_compute(at), longer), it->rank, from.type, it->shape);
}

static void do_gather(maker *m) {
    const item it = gen_pick(m);
    if (gen_below(&m->r, 2)) {
        gather_stored(m, &it);
        return;
    }
    m->constant = GEN_TABLE;
    const wadi_acc at = wadi_map_env(modulo_extent, m, it.a);
    gen_keep(m, wadi_gather(at, m->table), it.rank, WADI_I32, it.shape);
}

static wadi_acc summary(maker *m, const item *it) {
    const bool other = gen_below(&m->r, 2);
    if (it->type == WADI_BOOL) return other ? wadi_any_of(it->a) : wadi_all_of(it->a);
    return other ? wadi_sum(it->a) : wadi_product(it->a);
}

/* Of rows that are not empty. */
static void keep_extreme(maker *m, const item *it, wadi_acc longer) {
    const int choice = gen_below(&m->r, it->type == WADI_BOOL ? 2 : 4);
    const wadi_acc a = choice == 0   ? wadi_argmin(longer)
                       : choice == 1 ? wadi_argmax(longer)
                       : choice == 2 ? wadi_minimum(longer)
                                     : wadi_maximum(longer);
    gen_keep(m, a, it->rank - 1, choice < 2 ? WADI_I64 : it->type, gen_fresh_class(m));
}

static void do_fold(maker *m) {
    const item it = gen_pick_ranked(m, 1, 3);
    const wadi_exp z = gen_literal(m, it.type);
    switch (gen_below(&m->r, 4)) {
    case 0:
        gen_keep(m, summary(m, &it), it.rank - 1, it.type, gen_fresh_class(m));
        return;
    case 1: {
        if (gen_is_complex(it.type)) break;
        keep_extreme(m, &it, wadi_scanl(gen_associative(m, it.type), z, it.a));
        return;
    }
    case 2: {
        const wadi_acc longer = wadi_scanl(gen_associative(m, it.type), z, it.a);
        gen_keep(m, wadi_fold1(gen_associative(m, it.type), longer), it.rank - 1, it.type,
                 gen_fresh_class(m));
        return;
    }
    default:
        break;
    }
    gen_keep(m, wadi_fold(gen_associative(m, it.type), z, it.a), it.rank - 1, it.type,
             gen_fresh_class(m));
}

static void do_scan(maker *m) {
    const item it = gen_pick_ranked(m, 1, 3);
    if (gen_below(&m->r, 2))
        gen_keep(m, wadi_scanl1(gen_associative(m, it.type), it.a), it.rank, it.type, it.shape);
    else
        gen_keep(m, wadi_scanl(gen_associative(m, it.type), gen_literal(m, it.type), it.a), it.rank,
                 it.type, gen_fresh_class(m));
}

typedef struct target {
    maker *m;
    wadi_acc of;
    int rank;
    wadi_fn2 combine;
    bool none; /* no element counts */
} target;

static wadi_exp combine(void *env, wadi_exp element, wadi_exp old) {
    target *t = env;
    return t->combine(element, old);
}

/* Bucket by value; negative ones are dropped. */
static wadi_ix bucket(void *env, wadi_ix ix) {
    target *t = env;
    wadi_ix at = ix;
    at.rank = t->rank;
    const wadi_exp v = wadi_convert(WADI_I64, wadi_index(t->of, at));
    if (t->none) return wadi_ignore(1);
    return wadi_keep_if(wadi_ge(v, wadi_i64(0)), wadi_ix1(wadi_mod(v, wadi_i64(5))));
}

static void do_permute(maker *m) {
    const item it = gen_pick_ranked(m, 1, 2);
    target t = {m, it.a, it.rank,
                it.type == WADI_BOOL                               ? wadi_lor
                : gen_is_float(it.type) || gen_is_complex(it.type) ? wadi_add
                                                                   : gen_associative(m, it.type)};
    t.none = gen_below(&m->r, 20) == 0;
    const wadi_acc defaults = wadi_fill(wadi_ix1(wadi_i64(5)), gen_literal(m, it.type));
    const wadi_acc p = wadi_permute_env(combine, defaults, bucket, &t, it.a);
    gen_keep(m, p, 1, it.type, gen_fresh_class(m));
}

static void do_acond(maker *m) {
    const item a = gen_pick(m);
    for (int tries = 0; tries < 10; tries++) {
        const item b = gen_pick(m);
        if (b.rank != a.rank || b.type != a.type) continue;
        const wadi_exp size = wadi_size(gen_pick(m).a);
        m->given[0] = a.type;
        m->want = a.type;
        const wadi_exp p = wadi_gt(size, wadi_i64(gen_below(&m->r, 20)));
        const wadi_acc changed = wadi_map_env(gen_fn1, m, a.a);
        gen_keep(m, wadi_acond(p, changed, b.a), a.rank, a.type,
                 b.shape == a.shape ? a.shape : gen_fresh_class(m));
        return;
    }
}

static wadi_acc longer_than_three(wadi_acc a) {
    return wadi_unit(wadi_gt(wadi_extent(a, 0), wadi_i64(3)));
}

static wadi_acc halved(void *env, wadi_acc a) {
    maker *m = env;
    const wadi_acc left = wadi_take(wadi_quot(wadi_extent(a, 0), wadi_i64(2)), a);
    return wadi_map_env(gen_fn1, m, left);
}

static wadi_acc longer_env(void *env, wadi_acc a) {
    (void)env;
    return longer_than_three(a);
}

static void do_awhile(maker *m) {
    const item it = gen_pick_ranked(m, 1, 1);
    m->given[0] = m->want = it.type;
    gen_keep(m, wadi_awhile_env(longer_env, halved, m, it.a), 1, it.type, gen_fresh_class(m));
}

/* Rotates the innermost dimension: the index is only made where there is an element. */
static wadi_ix rotated(void *env, wadi_ix ix) {
    const item *it = env;
    const int last = ix.rank - 1;
    const wadi_exp next = wadi_add(ix.at[last], wadi_i64(3));
    ix.at[last] = wadi_mod(next, wadi_extent(it->a, last));
    return ix;
}

static void do_backpermute(maker *m) {
    item it = gen_pick_ranked(m, 1, 3);
    gen_keep(m, wadi_backpermute_env(wadi_shape_of(it.a), rotated, &it, it.a), it.rank, it.type,
             it.shape);
}

/* A scan from an initial value has an element in its innermost dimension. */
static void do_slice(maker *m) {
    const item it = gen_pick_ranked(m, 1, 3);
    const wadi_fn2 f = gen_associative(m, it.type);
    const wadi_acc longer = wadi_scanl(f, gen_literal(m, it.type), it.a);
    wadi_spec spec[3] = {wadi_all(), wadi_all(), wadi_all()};
    const wadi_exp last = wadi_extent(it.a, it.rank - 1);
    spec[it.rank - 1] = wadi_fix(gen_below(&m->r, 2) ? last : wadi_i64(0));
    gen_keep(m, wadi_slice(it.rank, spec, longer), it.rank - 1, it.type, gen_fresh_class(m));
}

static wadi_exp labelled(void *env, wadi_ix ix, wadi_exp a) {
    maker *m = env;
    const wadi_exp value = gen_of_index_and_element(env, ix, a);
    m->given[0] = m->want;
    const wadi_exp place = ix.rank ? ix.at[ix.rank - 1] : wadi_i64(0);
    static const char *const names[] = {"value", "place"};
    const wadi_exp values[] = {value, place};
    return wadi_rec(2, names, values);
}

static wadi_exp place_of(wadi_exp r) {
    return wadi_get(r, "place");
}

static wadi_exp value_of(wadi_exp r) {
    return wadi_get(r, "value");
}

/* The later of equal ones: associative, not commutative. */
static wadi_exp later(wadi_exp a, wadi_exp b) {
    return wadi_cond(wadi_le(value_of(a), value_of(b)), b, a);
}

static void do_record(maker *m) {
    const item it = gen_pick_ranked(m, 1, 3);
    m->given[0] = it.type;
    do {
        m->want = gen_type(&m->r);
        /* NaN would make the order partial, and complex numbers have none */
    } while (gen_is_float(m->want) || gen_is_complex(m->want));
    const wadi_type type = m->want;
    wadi_acc r = wadi_imap_env(labelled, m, it.a);
    if (gen_below(&m->r, 2)) r = wadi_scanl1(later, r);
    gen_keep(m, wadi_map(place_of, r), it.rank, WADI_I64, it.shape);
    gen_keep(m, wadi_map(value_of, r), it.rank, type, it.shape);
}

typedef struct lookup {
    maker *m;
    item from;
} lookup;

/* An element of another vector, where it has any. */
static wadi_exp looked_up(void *env, wadi_exp x) {
    const lookup *l = env;
    const wadi_exp n = wadi_extent(l->from.a, 0), zero = gen_literal(l->m, l->from.type);
    const wadi_exp at = wadi_mod(wadi_convert(WADI_I64, x), n);
    return wadi_cond(wadi_gt(n, wadi_i64(0)), wadi_index1(l->from.a, at), zero);
}

static void do_lookup(maker *m) {
    const item it = gen_pick(m);
    lookup l = {m, gen_pick_ranked(m, 1, 1)};
    gen_keep(m, wadi_map_env(looked_up, &l, it.a), it.rank, l.from.type, it.shape);
}

/* What goes round: arrays of one shape, and the number of turns that are left. */
typedef struct going {
    maker *m;
    int n;
    item part[4];
} going;

static wadi_acc turns_left(void *env, wadi_acc state) {
    const going *g = env;
    return wadi_unit(wadi_gt(wadi_the(wadi_tuple_get(state, g->n)), wadi_i64(0)));
}

/* Part k after a turn, from the state before and what is new: computed from one part or two, the next part of that type as it is, or rotated. */
static wadi_acc after_turn(const going *g, int k, wadi_acc state, const wadi_acc *fresh) {
    maker *m = g->m;
    const int i = gen_below(&m->r, g->n), j = gen_below(&m->r, g->n);
    const wadi_acc x = wadi_tuple_get(state, i), y = wadi_tuple_get(state, j);
    int next = (k + 1) % g->n;
    while (g->part[next].type != g->part[k].type) next = (next + 1) % g->n;
    item it = g->part[next];
    it.a = next < k && gen_below(&m->r, 2) ? fresh[next] : wadi_tuple_get(state, next);
    m->given[0] = g->part[i].type;
    m->given[1] = g->part[j].type;
    m->want = g->part[k].type;
    switch (g->n == 1 ? 2 : gen_below(&m->r, 5)) {
    case 0:
        return it.a;
    case 1:
        if (it.rank == 0) return it.a;
        return wadi_backpermute_env(wadi_shape_of(it.a), rotated, &it, it.a);
    case 2:
        return wadi_map_env(gen_fn1, m, x);
    default:
        return wadi_zip_with_env(gen_fn2, m, x, y);
    }
}

static wadi_acc turn(void *env, wadi_acc state) {
    const going *g = env;
    wadi_acc next[5];
    for (int k = 0; k < g->n; k++) next[k] = after_turn(g, k, state, next);
    const wadi_exp left = wadi_the(wadi_tuple_get(state, g->n));
    next[g->n] = wadi_unit(wadi_sub(left, wadi_i64(1)));
    return wadi_tuple(g->n + 1, next);
}

/* Each element of the stream goes round as often as its own size says. */
static void do_turns(maker *m) {
    going g = {.m = m, .n = 1 + gen_below(&m->r, 4)};
    wadi_acc start[5];
    g.part[0] = gen_pick(m);
    for (int k = 0; k < g.n; k++) {
        if (k > 0) g.part[k] = gen_like(m, &g.part[0]);
        start[k] = g.part[k].a;
    }
    start[g.n] = wadi_unit(wadi_mod(wadi_size(gen_pick(m).a), wadi_i64(4)));
    const wadi_acc end = wadi_awhile_env(turns_left, turn, &g, wadi_tuple(g.n + 1, start));
    for (int k = 0; k < g.n; k++)
        gen_keep(m, wadi_tuple_get(end, k), g.part[0].rank, g.part[k].type, g.part[0].shape);
}

static wadi_exp two_values(void *env, wadi_exp x) {
    return wadi_rec2("p", gen_fn1(env, x), "q", gen_fn1(env, x));
}

static void do_spread(maker *m) {
    const item it = gen_pick_ranked(m, 0, 3);
    const int dim = gen_below(&m->r, it.rank + 1);
    m->given[0] = it.type;
    m->want = gen_type(&m->r);
    const wadi_type type = m->want;
    const wadi_acc a = wadi_spread_on(dim, wadi_map_env(two_values, m, it.a));
    gen_keep(m, a, it.rank + 1, type, gen_fresh_class(m));
}

/* Works on the innermost dimension, so it is its own lifted version. */
static wadi_acc backwards(wadi_acc a) {
    return wadi_reverse(a);
}

static void do_lifted(maker *m) {
    const item it = gen_pick_ranked(m, 1, 3);
    gen_keep(m, wadi_with_lifted(backwards, backwards, it.a), it.rank, it.type, it.shape);
}

/* ---- all of them ---- */

static void do_control(maker *m) {
    if (!gen_control_step(m)) do_map(m);
}

void gen_step(maker *m) {
    static void (*const steps[])(maker *) = {
        do_map,           do_map,           do_zip,           do_zip,          do_generate,
        do_structure,     do_structure,     gen_stencil_step, do_fold,         do_fold,
        do_scan,          do_gather,        do_permute,       do_acond,        do_awhile,
        do_backpermute,   do_slice,         do_record,        do_lookup,       do_turns,
        gen_ragged_step,  gen_ragged_step,  gen_ragged_step,  gen_ragged_step, gen_ragged_step,
        do_control,       do_control,       do_control,       do_spread,       do_lifted,
        gen_derived_step, gen_derived_step, gen_derived_step, gen_derived_step};
    static void (*const even[])(maker *) = {
        do_map,   gen_stencil_step, do_zip,    do_zip,          gen_siblings_step,
        do_fold,  do_scan,          do_gather, do_permute,      do_backpermute,
        do_slice, do_record,        do_lookup, gen_ragged_step, gen_record_step};
    if (m->perilous && gen_below(&m->r, 4) == 0) {
        gen_peril_step(m);
        return;
    }
    if (m->lengthy) {
        even[gen_below(&m->r, (int)(sizeof even / sizeof even[0]))](m);
        return;
    }
    steps[gen_below(&m->r, (int)(sizeof steps / sizeof steps[0]))](m);
}
