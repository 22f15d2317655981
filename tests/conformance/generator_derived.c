/* Random uses of what else the language has: orders, slices, transposes, ranks up to eight, records that pass through operations
 * whole, scans by offsets, zips of many. */
#include "tests/conformance/maker.h"

enum { SHORT = 60 };

static item short_vector(maker *m) {
    item it = gen_pick_ranked(m, 1, 1);
    it.a = wadi_take(wadi_i64(SHORT), it.a);
    it.shape = gen_fresh_class(m);
    return it;
}

/* One function of an element, which a sort writes down several times: drawn from the same state each time. */
typedef struct sort_key {
    maker *m;
    gen_random drawn_from;
} sort_key;

static wadi_exp any_key(void *env, wadi_exp x) {
    const sort_key *k = env;
    const gen_random now = k->m->r;
    k->m->r = k->drawn_from;
    const wadi_exp y = gen_fn1(k->m, x);
    k->m->r = now;
    return y;
}

/* Complex numbers have no order. */
static void do_sort(maker *m) {
    const item it = short_vector(m);
    if (!gen_is_complex(it.type) && gen_below(&m->r, 2)) {
        gen_keep(m, wadi_sort(it.a), 1, it.type, it.shape);
        return;
    }
    m->given[0] = it.type;
    do m->want = gen_type(&m->r);
    while (gen_is_complex(m->want));
    sort_key k = {m, m->r};
    gen_keep(m, wadi_sort_by_key_env(any_key, &k, it.a), 1, it.type, it.shape);
    (void)gen_below(&m->r, 2); /* on from where the key began */
}

static void do_part(maker *m) {
    const item it = gen_pick_ranked(m, 1, 3);
    const int dim = gen_below(&m->r, it.rank);
    const wadi_exp from = gen_small_extent(m), n = gen_small_extent(m);
    const int choice = gen_below(&m->r, 3);
    const wadi_acc a = choice == 0   ? wadi_slit_on(dim, from, n, it.a)
                       : choice == 1 ? wadi_init_on(dim, it.a)
                                     : wadi_tail_on(dim, it.a);
    gen_keep(m, a, it.rank, it.type, gen_fresh_class(m));
}

/* Ones between the extents, dimensions exchanged: rank 5 to 8, brought back to a vector. */
static void do_high_rank(maker *m) {
    const item it = gen_pick_ranked(m, 1, 2);
    const int rank = 5 + gen_below(&m->r, WADI_MAX_RANK - 4);
    wadi_ix shape = {.rank = rank};
    int perm[WADI_MAX_RANK];
    for (int d = 0; d < rank; d++) {
        shape.at[d] = wadi_i64(1);
        perm[d] = d;
    }
    for (int d = 0; d < it.rank; d++) shape.at[d * 3 + gen_below(&m->r, 3)] = wadi_extent(it.a, d);
    for (int d = rank - 1; d > 0; d--) {
        const int k = gen_below(&m->r, d + 1), t = perm[d];
        perm[d] = perm[k];
        perm[k] = t;
    }
    m->given[0] = it.type;
    m->want = gen_type(&m->r);
    const wadi_type type = m->want;
    const wadi_acc high = wadi_map_env(gen_fn1, m, wadi_reshape(shape, it.a));
    const wadi_acc turned = wadi_transpose_on(perm, high);
    const wadi_acc less = gen_below(&m->r, 2)
                              ? turned
                              : wadi_fold(gen_associative(m, type), gen_literal(m, type), turned);
    gen_keep(m, wadi_flatten(less), 1, type, gen_fresh_class(m));
}

static wadi_exp of_index_and_two(void *env, wadi_ix ix, wadi_exp x, wadi_exp y) {
    const wadi_exp i = ix.rank > 0 ? ix.at[0] : wadi_i64(0);
    return gen_fn3(env, x, y, i);
}

static wadi_exp of_many(void *env, int n, const wadi_exp *x) {
    const wadi_exp first = gen_fn4(env, x[0], x[1], x[2], x[3]);
    maker *m = env;
    return gen_sum(m->want)(first, wadi_convert(m->want, x[n - 1]));
}

static void do_zip_more(maker *m) {
    const item it = gen_pick(m);
    m->given[0] = m->given[1] = m->given[2] = m->given[3] = it.type;
    m->want = gen_type(&m->r);
    const wadi_type type = m->want;
    if (gen_below(&m->r, 2)) {
        m->given[2] = WADI_I64;
        gen_keep(m, wadi_izip_with_env(of_index_and_two, m, it.a, it.a), it.rank, type, it.shape);
        return;
    }
    const int n = 5 + gen_below(&m->r, 5);
    wadi_acc arrays[9];
    for (int i = 0; i < n; i++) arrays[i] = it.a;
    gen_keep(m, wadi_zip_with_n_env(of_many, m, n, arrays), it.rank, type, it.shape);
}

static wadi_ix to_cell(void *env, wadi_ix ix, int n, const wadi_exp *key) {
    (void)env;
    (void)n;
    const wadi_exp k = wadi_convert(WADI_I64, key[0]);
    return wadi_ix2(wadi_mod(k, wadi_i64(3)), wadi_mod(ix.at[0], wadi_i64(4)));
}

static wadi_exp summed(void *env, wadi_exp x, wadi_exp old) {
    maker *m = env;
    return gen_sum(m->want)(x, old);
}

/* Onto a matrix, by the values of the array itself. */
static void do_permute_by(maker *m) {
    const item it = short_vector(m);
    if (gen_is_complex(it.type)) return;
    m->want = it.type;
    const wadi_acc zero = wadi_fill(wadi_ix2(wadi_i64(3), wadi_i64(4)), gen_literal(m, it.type));
    gen_keep(m, wadi_permute_by_env(summed, zero, to_cell, m, it.a, 1, &it.a), 2, it.type,
             gen_fresh_class(m));
}

static wadi_exp offset_of(void *env, wadi_ix ix) {
    const item *it = env;
    return wadi_min(wadi_mul(ix.at[0], wadi_i64(3)), wadi_extent(it->a, 0));
}

static void do_offsets(maker *m) {
    item it = short_vector(m);
    const wadi_acc offsets =
        wadi_generate_env(wadi_ix1(wadi_i64(1 + gen_below(&m->r, 7))), offset_of, &it);
    const wadi_fn2 f = gen_associative(m, it.type);
    const wadi_exp z = gen_literal(m, it.type);
    const int choice = gen_below(&m->r, 4);
    const wadi_acc a = choice == 0   ? wadi_scanl_offsets(f, z, offsets, it.a)
                       : choice == 1 ? wadi_scanl1_offsets(f, offsets, it.a)
                       : choice == 2 ? wadi_prescanl_offsets(f, z, offsets, it.a)
                                     : wadi_fold_offsets(f, z, offsets, it.a);
    gen_keep(m, a, 1, it.type, gen_fresh_class(m));
}

static void do_scan_more(maker *m) {
    const item it = gen_pick_ranked(m, 1, 2);
    const wadi_fn2 f = gen_associative(m, it.type);
    const wadi_exp z = gen_literal(m, it.type);
    const int choice = gen_below(&m->r, 4);
    const wadi_acc a = choice == 0   ? wadi_prescanl(f, z, it.a)
                       : choice == 1 ? wadi_prescanr(f, z, it.a)
                       : choice == 2 ? wadi_postscanr(f, z, it.a)
                                     : wadi_tuple_get(wadi_scanr_total(f, z, it.a), 0);
    gen_keep(m, a, it.rank, it.type, it.shape);
}

static void do_promised(maker *m) {
    const item it = gen_pick_ranked(m, 1, 3);
    wadi_ix shape = {.rank = it.rank};
    for (int d = 0; d < it.rank; d++) shape.at[d] = wadi_extent(it.a, d);
    gen_keep(m, wadi_assert_shape(shape, it.a), it.rank, it.type, it.shape);
}

/* An index there and back. */
static wadi_exp there_and_back(void *env, wadi_ix ix) {
    const item *it = env;
    const wadi_ix shape = wadi_ix2(wadi_extent(it->a, 0), wadi_extent(it->a, 1));
    return wadi_index(it->a, wadi_from_index(shape, wadi_to_index(shape, ix)));
}

static void do_index_back(maker *m) {
    item it = gen_pick_ranked(m, 2, 2);
    if (it.rank < 2) return;
    gen_keep(m,
             wadi_generate_env(wadi_ix2(wadi_extent(it.a, 0), wadi_extent(it.a, 1)), there_and_back,
                               &it),
             2, it.type, it.shape);
}

static void do_fft(maker *m) {
    const wadi_type type = gen_below(&m->r, 2) ? WADI_C64 : WADI_C128;
    const item it = short_vector(m);
    m->given[0] = it.type;
    m->want = type;
    const wadi_acc eight =
        wadi_take(wadi_i64(8 + gen_below(&m->r, 4)), wadi_map_env(gen_fn1, m, it.a));
    gen_keep(m, gen_below(&m->r, 2) ? wadi_fft(eight) : wadi_ifft(eight), 1, type,
             gen_fresh_class(m));
}

/* ---- records that stay whole ---- */

typedef struct packing {
    maker *m;
    item of;
    wadi_type type[2];
} packing;

static wadi_exp packed(void *env, wadi_ix ix, wadi_exp x) {
    const packing *p = env;
    maker *m = p->m;
    m->given[0] = p->of.type;
    m->want = p->type[0];
    const wadi_exp u = gen_fn1(m, x);
    m->want = p->type[1];
    const wadi_exp v = gen_fn1(m, x);
    return wadi_rec3("u", u, "v", v, "at", ix.at[0]);
}

static wadi_exp place_of(wadi_exp r) {
    return wadi_get(r, "at");
}

static wadi_exp first_of(wadi_exp r) {
    return wadi_get(r, "u");
}

static wadi_exp second_of(wadi_exp r) {
    return wadi_get(r, "v");
}

static wadi_exp from_behind(wadi_exp r) {
    return wadi_neg(wadi_get(r, "at"));
}

static wadi_exp is_even(wadi_exp r) {
    return wadi_eq(wadi_mod(wadi_get(r, "at"), wadi_i64(2)), wadi_i64(0));
}

/* Of two records the one further on: associative. */
static wadi_exp further(wadi_exp a, wadi_exp b) {
    return wadi_cond(wadi_ge(place_of(a), place_of(b)), a, b);
}

static wadi_acc itself(wadi_acc a) {
    return a;
}

static wadi_acc backwards(wadi_acc a) {
    return wadi_reverse(a);
}

static wadi_acc not_alone(wadi_acc a) {
    return wadi_unit(wadi_gt(wadi_extent(a, 0), wadi_i64(1)));
}

static wadi_acc longest(wadi_acc state, wadi_acc a) {
    return wadi_acond(wadi_gt(wadi_extent(a, 0), wadi_extent(state, 0)), a, state);
}

/* Through a sequence of its pieces. */
static wadi_acc streamed(maker *m, wadi_acc r) {
    wadi_seq s =
        gen_below(&m->r, 2)
            ? wadi_subarrays(wadi_ix1(wadi_i64(1 + gen_below(&m->r, 5))), r)
            : wadi_windows(wadi_i64(1 + gen_below(&m->r, 5)), wadi_i64(1 + gen_below(&m->r, 4)),
                           (wadi_last)gen_below(&m->r, 3), wadi_to_seq(r));
    if (gen_below(&m->r, 2)) s = wadi_map_seq(gen_below(&m->r, 2) ? itself : backwards, s);
    if (gen_below(&m->r, 3) == 0) s = wadi_filter_seq(not_alone, s);
    if (gen_below(&m->r, 3) == 0) s = wadi_take_seq(gen_small_extent(m), s);
    if (gen_below(&m->r, 3) == 0) s = wadi_scan_seq(longest, wadi_take(wadi_i64(1), r), s);
    if (gen_below(&m->r, 3) == 0)
        return wadi_consume(wadi_fold_seq(longest, wadi_take(wadi_i64(0), r), s));
    return gen_below(&m->r, 2) ? wadi_consume(wadi_elements(s))
                               : wadi_flatten(wadi_consume(wadi_tabulate_min(s)));
}

static wadi_acc changed(maker *m, wadi_acc r) {
    switch (gen_below(&m->r, 9)) {
    case 0:
        return wadi_tuple_get(wadi_filter(is_even, r), 0);
    case 1:
        return wadi_sort_by_key(from_behind, r);
    case 2:
        return wadi_scanl1(further, r);
    case 3:
        return wadi_concat(wadi_take(wadi_i64(3), r), wadi_drop(wadi_i64(2), r));
    case 4:
        return wadi_acond(wadi_gt(wadi_extent(r, 0), wadi_i64(2)), wadi_reverse(r), wadi_tail(r));
    case 5:
        return wadi_tuple_get(wadi_partition(is_even, r), 0);
    default:
        return streamed(m, r);
    }
}

static void do_packed(maker *m) {
    packing p = {.m = m, .of = short_vector(m)};
    for (int i = 0; i < 2; i++) p.type[i] = gen_type(&m->r);
    wadi_acc r = wadi_imap_env(packed, &p, p.of.a);
    for (int k = 1 + gen_below(&m->r, 3); k > 0; k--) r = changed(m, r);
    const int shape = gen_fresh_class(m);
    gen_keep(m, wadi_map(place_of, r), 1, WADI_I64, shape);
    gen_keep(m, wadi_map(first_of, r), 1, p.type[0], shape);
    gen_keep(m, wadi_map(second_of, r), 1, p.type[1], shape);
}

void gen_derived_step(maker *m) {
    static void (*const steps[])(maker *) = {do_sort,       do_part,    do_high_rank, do_zip_more,
                                             do_permute_by, do_offsets, do_scan_more, do_promised,
                                             do_index_back, do_fft,     do_packed,    do_packed};
    steps[gen_below(&m->r, (int)(sizeof steps / sizeof steps[0]))](m);
}
