/* Records that stay whole: made of arrays, sorted, filtered, scanned, streamed in pieces, and taken apart again. */
#include "tests/conformance/maker.h"

enum { SHORT = 60 };

typedef struct packing {
    maker *m;
    wadi_type of, type[2];
} packing;

static wadi_exp packed(void *env, wadi_ix ix, wadi_exp x) {
    const packing *p = env;
    maker *m = p->m;
    m->given[0] = p->of;
    m->want = p->type[0];
    const wadi_exp u = gen_fn1(m, x);
    m->want = p->type[1];
    const wadi_exp v = gen_fn1(m, x);
    return wadi_rec3("u", u, "v", v, "at", ix.rank > 0 ? ix.at[0] : wadi_i64(7));
}

item gen_recorded(maker *m, item it) {
    packing p = {.m = m, .of = it.type};
    for (int i = 0; i < 2; i++) p.type[i] = gen_type(&m->r);
    it.a = wadi_imap_env(packed, &p, it.a);
    it.record = true;
    it.type = p.type[0];
    it.second = p.type[1];
    return it;
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

wadi_acc gen_first_field(wadi_acc r) {
    return wadi_map(first_of, r);
}

void gen_keep_fields(maker *m, item it) {
    gen_keep(m, wadi_map(place_of, it.a), it.rank, WADI_I64, it.shape);
    gen_keep(m, wadi_map(first_of, it.a), it.rank, it.type, it.shape);
    gen_keep(m, wadi_map(second_of, it.a), it.rank, it.second, it.shape);
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

static wadi_exp some_record(maker *m, const item *it) {
    const wadi_exp u = gen_literal(m, it->type);
    const wadi_exp v = gen_literal(m, it->second);
    return wadi_rec3("u", u, "v", v, "at", gen_literal(m, WADI_I64));
}

static wadi_exp three_places(wadi_exp r) {
    return wadi_mod(wadi_get(r, "at"), wadi_i64(3));
}

static wadi_exp itself_again(wadi_exp r, wadi_exp k) {
    return wadi_cond(wadi_gt(k, wadi_i64(0)), r, r);
}

static wadi_exp last_first(void *env, wadi_ix ix) {
    return wadi_sub(wadi_sub(*(const wadi_exp *)env, wadi_i64(1)), ix.at[0]);
}

/* Segments that leave the end out, one of them empty. */
static wadi_exp third_of(void *env, wadi_ix ix) {
    const wadi_exp third = wadi_quot(*(const wadi_exp *)env, wadi_i64(3));
    return wadi_cond(wadi_eq(ix.at[0], wadi_i64(1)), wadi_i64(0), third);
}

static wadi_acc pairs_of(wadi_acc r) {
    const wadi_exp rows = wadi_quot(wadi_extent(r, 0), wadi_i64(2));
    return wadi_reshape(wadi_ix2(rows, wadi_i64(2)), wadi_take(wadi_mul(rows, wadi_i64(2)), r));
}

static wadi_acc of_segments(maker *m, const item *it, wadi_exp *n) {
    const wadi_acc lengths = wadi_generate_env(wadi_ix1(wadi_i64(3)), third_of, n);
    const wadi_exp z = some_record(m, it);
    switch (gen_below(&m->r, 5)) {
    case 0:
        return wadi_fold_seg(further, z, lengths, it->a);
    case 1:
        return wadi_scanl_seg(further, z, lengths, it->a);
    case 2:
        return wadi_scanl1_seg(further, lengths, it->a);
    case 3:
        return wadi_postscanr_seg(further, z, lengths, it->a);
    default:
        return wadi_prescanl_seg(further, z, lengths, it->a);
    }
}

static wadi_acc sent(maker *m, const item *it, wadi_exp *n) {
    const wadi_acc three = wadi_fill(wadi_ix1(wadi_i64(3)), some_record(m, it));
    const wadi_acc to = wadi_map(three_places, it->a);
    switch (gen_below(&m->r, 4)) {
    case 0:
        return wadi_scatter(to, three, it->a);
    case 1:
        return wadi_histogram(further, wadi_i64(3), some_record(m, it), to, it->a);
    case 2:
        return wadi_gather(wadi_generate_env(wadi_ix1(*n), last_first, n), it->a);
    default:
        return wadi_gather(to, three);
    }
}

static wadi_acc reduced(maker *m, const item *it) {
    const wadi_exp z = some_record(m, it);
    switch (gen_below(&m->r, 4)) {
    case 0:
        return wadi_fold1(further, pairs_of(it->a));
    case 1:
        return wadi_fold(further, z, wadi_transpose(pairs_of(it->a)));
    case 2:
        return wadi_scanl(further, z, it->a);
    default:
        return wadi_scanr1(further, it->a);
    }
}

wadi_acc gen_changed_records(maker *m, const item *it) {
    const wadi_acc r = it->a;
    wadi_exp n = wadi_extent(r, 0);
    switch (gen_below(&m->r, 13)) {
    case 0:
        return wadi_tuple_get(wadi_filter(is_even, r), 0);
    case 1:
        return wadi_sort_by_key(from_behind, r);
    case 2:
        return wadi_scanl1(further, r);
    case 3:
        return wadi_concat(wadi_take(wadi_i64(3), r), wadi_drop(wadi_i64(2), r));
    case 4:
        return wadi_acond(wadi_gt(n, wadi_i64(2)), wadi_reverse(r), wadi_tail(r));
    case 5:
        return wadi_tuple_get(wadi_partition(is_even, r), 0);
    case 6:
        return wadi_expand(three_places, itself_again, wadi_take(wadi_i64(60), r));
    case 7:
    case 8:
        return of_segments(m, it, &n);
    case 9:
        return sent(m, it, &n);
    case 10:
        return reduced(m, it);
    default:
        return m->lengthy ? wadi_reverse(r) : streamed(m, r);
    }
}

wadi_eat gen_longest_records(maker *m, wadi_seq s) {
    const wadi_acc none =
        wadi_fill(wadi_ix1(wadi_i64(gen_below(&m->r, 3))), some_record(m, &m->part[0]));
    return wadi_fold_seq(longest, none, s);
}

void gen_record_step(maker *m) {
    item it = gen_pick_ranked(m, 1, 1);
    if (!m->lengthy) it.a = wadi_take(wadi_i64(SHORT), it.a);
    it.shape = gen_fresh_class(m);
    it = gen_recorded(m, it);
    for (int k = 1 + gen_below(&m->r, 3); k > 0; k--) it.a = gen_changed_records(m, &it);
    it.shape = gen_fresh_class(m);
    gen_keep_fields(m, it);
}
