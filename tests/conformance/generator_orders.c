/* Random sorts, rankings, runs and searches; loops over a row; routines that nobody has. */
#include "tests/conformance/maker.h"

enum { SHORT = 60, ORDERS = 3 };

/* One function of an element, drawn from the same state each time that it is written down. */
typedef struct sort_key {
    maker *m;
    gen_random drawn_from;
    wadi_type given, type;
} sort_key;

static wadi_exp any_key(void *env, wadi_exp x) {
    const sort_key *k = env;
    const gen_random now = k->m->r;
    k->m->r = k->drawn_from;
    k->m->given[0] = k->given;
    k->m->want = k->type;
    const wadi_exp y = gen_fn1(k->m, x);
    k->m->r = now;
    return y;
}

static wadi_type ordered_type(maker *m) {
    wadi_type t;
    do t = gen_type(&m->r);
    while (gen_is_complex(t));
    return t;
}

static sort_key make_key(maker *m, wadi_type given) {
    const wadi_type t = ordered_type(m);
    const sort_key k = {m, m->r, given, t};
    (void)gen_next(&m->r); /* on from where the key began */
    return k;
}

/* Rows that are not long. */
static item rows(maker *m) {
    item it = gen_pick_ranked(m, 1, gen_below(&m->r, 3) ? 1 : 2);
    it.a = wadi_take(wadi_i64(SHORT), it.a);
    it.shape = gen_fresh_class(m);
    return it;
}

/* The same rows, of elements that have an order. */
static item ordered_rows(maker *m) {
    item it = rows(m);
    if (!gen_is_complex(it.type)) return it;
    m->given[0] = it.type;
    m->want = ordered_type(m);
    it.type = m->want;
    it.a = wadi_map_env(gen_fn1, m, it.a);
    return it;
}

static void do_sort(maker *m) {
    const item it = ordered_rows(m);
    gen_keep(m, wadi_sort(it.a), it.rank, it.type, it.shape);
}

static void do_sort_by_key(maker *m) {
    const item it = rows(m);
    sort_key k = make_key(m, it.type);
    gen_keep(m, wadi_sort_by_key_env(any_key, &k, it.a), it.rank, it.type, it.shape);
}

static wadi_exp itself(wadi_exp x) {
    return x;
}

static void do_sort_by(maker *m) {
    const item it = ordered_rows(m);
    sort_key keys[ORDERS];
    wadi_order orders[ORDERS + 1];
    const int n = 1 + gen_below(&m->r, ORDERS);
    for (int k = 0; k < n; k++) {
        keys[k] = make_key(m, it.type);
        orders[k] = (wadi_order){.key_env = any_key, .env = &keys[k]};
        orders[k].down = gen_below(&m->r, 2) == 0;
    }
    orders[n] = gen_below(&m->r, 2) ? wadi_descending(itself) : wadi_ascending(itself);
    const int last = gen_below(&m->r, 2);
    if (gen_below(&m->r, 2))
        gen_keep(m, wadi_sort_by(n + last, orders, it.a), it.rank, it.type, it.shape);
    else
        gen_keep(m, wadi_argsort_by(n + last, orders, it.a), it.rank, WADI_I64, it.shape);
}

static void do_argsort(maker *m) {
    const item it = ordered_rows(m);
    gen_keep(m, wadi_argsort(it.a), it.rank, WADI_I64, it.shape);
}

static void do_best(maker *m) {
    const item it = ordered_rows(m);
    const wadi_exp k = wadi_i64(gen_below(&m->r, 9) - 1);
    const wadi_acc best = gen_below(&m->r, 2) ? wadi_largest(k, it.a) : wadi_smallest(k, it.a);
    const int shape = gen_fresh_class(m);
    gen_keep(m, wadi_tuple_get(best, 0), it.rank, it.type, shape);
    gen_keep(m, wadi_tuple_get(best, 1), it.rank, WADI_I64, shape);
}

static void do_runs(maker *m) {
    item it = rows(m);
    if (!gen_is_complex(it.type) && gen_below(&m->r, 2)) it.a = wadi_sort(it.a);
    if (gen_below(&m->r, 2)) {
        gen_keep(m, wadi_group_ids(it.a), it.rank, WADI_I64, it.shape);
        return;
    }
    const wadi_acc all = wadi_unique(it.a);
    const int shape = gen_fresh_class(m);
    gen_keep(m, wadi_tuple_get(all, 0), 1, it.type, shape);
    gen_keep(m, wadi_tuple_get(all, 1), 1, WADI_I64, shape);
    gen_keep(m, wadi_tuple_get(all, 2), it.rank - 1, WADI_I64, gen_fresh_class(m));
}

static void do_search(maker *m) {
    const item it = ordered_rows(m), other = gen_pick_ranked(m, 0, 3);
    m->given[0] = other.type;
    m->want = it.type;
    const bool alone = it.rank == 1 && gen_below(&m->r, 2);
    const wadi_acc needles = alone ? wadi_map_env(gen_fn1, m, other.a) : wadi_reverse(it.a);
    const wadi_acc sorted = gen_below(&m->r, 4) ? wadi_sort(it.a) : it.a;
    const wadi_acc found =
        gen_below(&m->r, 2) ? wadi_lower_bound(sorted, needles) : wadi_upper_bound(sorted, needles);
    gen_keep(m, found, alone ? other.rank : it.rank, WADI_I64, alone ? other.shape : it.shape);
}

typedef struct row_fold {
    maker *m;
    const item *it;
} row_fold;

static wadi_exp joined(void *env, wadi_exp state, wadi_exp x) {
    const row_fold *r = env;
    r->m->given[0] = r->m->want;
    r->m->given[1] = r->it->type;
    return gen_fn2(r->m, state, x);
}

static wadi_exp folded(void *env, wadi_ix row) {
    const row_fold *r = env;
    return wadi_sfoldl_env(joined, env, gen_literal(r->m, r->m->want), row, r->it->a);
}

static void do_sfoldl(maker *m) {
    const item it = rows(m);
    row_fold r = {m, &it};
    m->want = gen_type(&m->r);
    const wadi_type type = m->want;
    wadi_ix shape = {.rank = it.rank - 1};
    for (int d = 0; d < shape.rank; d++) shape.at[d] = wadi_extent(it.a, d);
    gen_keep(m, wadi_generate_env(shape, folded, &r), shape.rank, type, gen_fresh_class(m));
}

static wadi_acc meaning(void *env, int n, const wadi_acc *arrays) {
    maker *m = env;
    return n == 1 ? wadi_map_env(gen_fn1, m, arrays[0])
                  : wadi_zip_with_env(gen_fn2, m, arrays[0], arrays[n - 1]);
}

static void do_foreign(maker *m) {
    const item it = rows(m);
    const wadi_acc arrays[] = {it.a, it.a, it.a};
    wadi_ix shape = {.rank = it.rank};
    for (int d = 0; d < it.rank; d++) shape.at[d] = wadi_extent(it.a, d);
    const int n = 1 + gen_below(&m->r, 3), dims = gen_below(&m->r, it.rank + 1);
    m->given[0] = m->given[1] = it.type;
    m->want = gen_type(&m->r);
    const wadi_type type = m->want;
    gen_keep(m, wadi_foreign_env("nobody has it", dims, n, arrays, shape, meaning, m), it.rank,
             type, it.shape);
}

void gen_order_step(maker *m) {
    static void (*const steps[])(maker *) = {do_sort,    do_sort_by_key, do_sort_by, do_argsort,
                                             do_best,    do_runs,        do_search,  do_sfoldl,
                                             do_foreign, do_sort,        do_sort};
    steps[gen_below(&m->r, (int)(sizeof steps / sizeof steps[0]))](m);
}
