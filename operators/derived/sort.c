/* Sorting and ranking. Four routines of the runtime do the work where they can: `sort` for rows of numbers, `argsort` for the positions
 * of keys, by which anything else is gathered, `argfirst` for the first of these positions, and `sort_by_byte` for numbers with keys of one byte. What they mean, and what runs where there is no routine, is written here in the
 * language: one stable partition per bit of the key, from the lowest bit to the highest (LSD radix sort; Knuth, The Art of Computer
 * Programming 3, 5.2.5).
 *
 * Every row (the innermost dimension) is sorted on its own, and a pass reads and writes it in order. So this works for any number
 * and length of rows, in every schedule. Bits in which no two keys differ need no pass. */
#include "operators/derived/sort_keys.h"
#include "operators/foreign.h"
#include "operators/rules.h"

/* ---- sorting by bits, in the language ---- */

typedef struct radix {
    wadi_fn1_env bits; /* of an element, as an unsigned number of type `type` */
    const void *env;
    wadi_type type;
    wadi_acc left; /* rank 0: the bits that still need a pass */
} radix;

static wadi_exp bits_of(void *env, wadi_exp x) {
    const radix *r = env;
    return r->bits((void *)(uintptr_t)r->env, x);
}

static wadi_exp bit_is_clear(void *env, wadi_exp x) {
    const radix *r = env;
    const wadi_exp bit = wadi_shr(bits_of(env, x), wadi_ctz(wadi_the(r->left)));
    return wadi_eq(wadi_and(bit, wadi_literal(r->type, 1)), wadi_literal(r->type, 0));
}

static wadi_acc bits_left(void *env, wadi_acc state) {
    const radix *r = env;
    return wadi_unit(wadi_ne(wadi_the(wadi_tuple_get(state, 1)), wadi_literal(r->type, 0)));
}

static wadi_acc pass(void *env, wadi_acc state) {
    radix r = *(const radix *)env;
    r.left = wadi_tuple_get(state, 1);
    const wadi_acc parted = wadi_partition_env(bit_is_clear, &r, wadi_tuple_get(state, 0));
    const wadi_exp left = wadi_the(r.left), one = wadi_literal(r.type, 1);
    return wadi_tuple2(wadi_tuple_get(parted, 0), wadi_unit(wadi_and(left, wadi_sub(left, one))));
}

/* The bits in which some keys differ: those that one has and another has not. */
static wadi_acc differing(radix *r, wadi_acc a) {
    const wadi_acc bits = wadi_map_env(bits_of, r, a);
    const wadi_exp none = wadi_literal(r->type, 0);
    const wadi_exp some = wadi_the(wadi_fold_all(wadi_or, none, bits));
    const wadi_exp all = wadi_the(wadi_fold_all(wadi_and, wadi_not(none), bits));
    return wadi_unit(wadi_and(some, wadi_not(all)));
}

static wadi_acc by_bits(wadi_fn1_env bits, const void *env, wadi_type type, wadi_acc a) {
    radix r = {.bits = bits, .env = env, .type = type};
    const wadi_acc start = wadi_tuple2(a, differing(&r, a));
    return wadi_tuple_get(wadi_awhile_env(bits_left, pass, &r, start), 0);
}

static wadi_exp bits_of_number(void *env, wadi_exp x) {
    return wadi_sort_bits(x, *(const wadi_type *)env, false);
}

static wadi_acc sorted_numbers(void *env, wadi_acc a) {
    const wadi_type *t = env;
    return by_bits(bits_of_number, t, wadi_sort_unsigned(*t), a);
}

static wadi_exp with_position(void *env, wadi_ix ix, wadi_exp key) {
    return wadi_rec2("key", bits_of_number(env, key), "at", ix.at[ix.rank - 1]);
}

static wadi_exp key_of_pair(void *env, wadi_exp pair) {
    (void)env;
    return wadi_get(pair, "key");
}

static wadi_exp position_of_pair(wadi_exp pair) {
    return wadi_get(pair, "at");
}

static wadi_acc sorted_positions(void *env, wadi_acc keys) {
    const wadi_type *t = env;
    const wadi_acc pairs = wadi_imap_env(with_position, env, keys);
    return wadi_map(position_of_pair, by_bits(key_of_pair, NULL, wadi_sort_unsigned(*t), pairs));
}

static wadi_exp with_element(void *env, wadi_exp key, wadi_exp x) {
    return wadi_rec2("key", bits_of_number(env, key), "x", x);
}

static wadi_exp element_of_pair(wadi_exp pair) {
    return wadi_get(pair, "x");
}

/* Of keys and elements. */
static wadi_acc sorted_elements(void *env, int n, const wadi_acc *arrays) {
    const wadi_type *t = env;
    WADI_UNUSED(n);
    const wadi_acc pairs = wadi_zip_with_env(with_element, env, arrays[0], arrays[1]);
    return wadi_map(element_of_pair, by_bits(key_of_pair, NULL, wadi_sort_unsigned(*t), pairs));
}

/* ---- keys ---- */

/* The type of keys, or -1 after a mistake. */
static int type_of_keys(const char *what, wadi_acc keys) {
    wadi_draft d = wadi_draft_begin(what);
    const wadi_array_type *t = wadi_draft_array(&d, keys);
    wadi_expect_rank_from(&d, t, 1);
    wadi_expect_plain(&d, t);
    if (wadi_draft_failed(&d)) return -1;
    if (wadi_type_is_complex(t->elem.type[0]))
        wadi_draft_fail(&d, WADI_TYPE, "the key is %s, which has no order",
                        wadi_type_name(t->elem.type[0]));
    return wadi_draft_failed(&d) ? -1 : (int)t->elem.type[0];
}

/* The array of keys that an order has for `a`; no array after a mistake. A map, whose mistakes name the order. */
static wadi_acc keys_of(const char *what, const wadi_order *o, wadi_acc a) {
    wadi_draft d = wadi_draft_begin(what);
    const wadi_array_type *t = wadi_draft_array(&d, a);
    if (!o->key_env && !o->key) wadi_draft_fail(&d, WADI_INVALID, "the key is NULL");
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    const int rank = t->rank;
    wadi_draft_fun(&d);
    const wadi_exp x = wadi_draft_param(&d, &t->elem);
    const wadi_elem *e = wadi_draft_gives(&d, o->key_env ? o->key_env(o->env, x) : o->key(x));
    return wadi_draft_acc(&d, &wadi_op_map, rank, e);
}

/* Positions in ascending order of numbers. */
static wadi_acc positions_of(wadi_acc keys, wadi_type t) {
    return wadi_routine_env("argsort", 1, keys, wadi_shape_of(keys), sorted_positions, &t);
}

static wadi_ix moved(void *env, wadi_ix ix) {
    const wadi_acc *positions = env;
    const wadi_exp at = wadi_index(*positions, ix);
    if (ix.rank > 0) ix.at[ix.rank - 1] = at;
    return ix;
}

static wadi_acc moved_by(wadi_acc positions, wadi_acc a) {
    return wadi_backpermute_env(wadi_shape_of(positions), moved, &positions, a);
}

/* ---- several keys ---- */

/* Keys of several orders as one number, the first order in the highest bits. */
typedef struct packing {
    const wadi_order *orders;
    const wadi_type *types;
    wadi_type type; /* of the number */
} packing;

static wadi_exp packed(void *env, wadi_ix ix, int n, const wadi_exp *keys) {
    const packing *p = env;
    (void)ix;
    wadi_exp all = wadi_literal(p->type, 0);
    for (int k = 0; k < n; k++) {
        const wadi_exp bits =
            wadi_convert(p->type, wadi_sort_bits(keys[k], p->types[k], p->orders[k].down));
        const int width = 8 * wadi_type_size(p->types[k]);
        all = k == 0 ? bits : wadi_or(wadi_shl(all, wadi_i32(width)), bits);
    }
    return all;
}

static wadi_type type_of_bytes(int bytes) {
    return bytes <= 1 ? WADI_U8 : bytes <= 2 ? WADI_U16 : bytes <= 4 ? WADI_U32 : WADI_U64;
}

/* The positions by the last orders whose keys fit into one number, of elements that lie in the order `before` (no array: as they are);
 * *n becomes the number of the other orders. */
static wadi_acc by_last(int *n, const wadi_order *orders, const wadi_type *types,
                        const wadi_acc *keys, wadi_acc before) {
    wadi_acc moved_keys[sizeof(uint64_t)];
    int from = *n, bytes = 0;
    while (from > 0 && bytes + wadi_type_size(types[from - 1]) <= (int)sizeof(uint64_t))
        bytes += wadi_type_size(types[--from]);
    packing p = {orders + from, types + from, type_of_bytes(bytes)};
    const int count = *n - from;
    for (int k = 0; k < count; k++)
        moved_keys[k] = before.node ? moved_by(before, keys[from + k]) : keys[from + k];
    *n = from;
    const bool plain = count == 1 && !orders[from].down && types[from] != WADI_BOOL;
    const wadi_acc number =
        plain ? moved_keys[0] : wadi_izip_with_n_env(packed, &p, count, moved_keys);
    const wadi_acc positions = positions_of(number, plain ? types[from] : p.type);
    return before.node ? moved_by(positions, before) : positions;
}

/* The keys of an order as numbers whose ascending order it is; *t becomes their type. */
static wadi_acc numbers_of(const wadi_order *o, wadi_type *t, wadi_acc keys) {
    if (!o->down && *t != WADI_BOOL) return keys;
    packing p = {o, t, type_of_bytes(wadi_type_size(*t))};
    const wadi_acc numbers = wadi_izip_with_n_env(packed, &p, 1, &keys);
    *t = p.type;
    return numbers;
}

wadi_acc wadi_sort_positions(const char *what, int n, const wadi_order *orders,
                             const wadi_acc *keys) {
    wadi_type types[WADI_MAX_FIELDS];
    for (int k = 0; k < n; k++) {
        const int t = type_of_keys(what, keys[k]);
        if (t < 0) return WADI_NO_ACC;
        types[k] = (wadi_type)t;
    }
    wadi_acc positions = WADI_NO_ACC;
    while (n > 0) positions = by_last(&n, orders, types, keys, positions);
    return positions;
}

/* Whether one order has keys of one byte, and elements are no records: then they are moved with their keys. */
static bool is_by_byte(int n, const wadi_acc *keys, wadi_acc a) {
    const wadi_array_type *k = n == 1 ? wadi_acc_type(keys[0]) : NULL, *t = wadi_acc_type(a);
    return k && t && t->elem.fields == 1 && !t->elem.name[0] && k->elem.fields == 1 &&
           wadi_type_size(k->elem.type[0]) == 1;
}

static wadi_acc by_byte(const char *what, const wadi_order *o, wadi_acc keys, wadi_acc a) {
    const int type = type_of_keys(what, keys);
    if (type < 0) return WADI_NO_ACC;
    wadi_type t = (wadi_type)type;
    const wadi_acc arrays[] = {numbers_of(o, &t, keys), a};
    return wadi_foreign_env("sort_by_byte", 1, 2, arrays, wadi_shape_of(a), sorted_elements, &t);
}

wadi_acc wadi_sort_elements(const char *what, int n, const wadi_order *orders, const wadi_acc *keys,
                            wadi_acc a) {
    if (is_by_byte(n, keys, a)) return by_byte(what, orders, keys[0], a);
    const wadi_acc positions = wadi_sort_positions(what, n, orders, keys);
    return positions.node ? moved_by(positions, a) : WADI_NO_ACC;
}

/* The keys of the elements of `a` by all orders; false after a mistake. */
static bool all_keys(const char *what, int n, const wadi_order *orders, wadi_acc a,
                     wadi_acc *keys) {
    if (n < 1 || n > WADI_MAX_FIELDS || !orders) {
        wadi_lang_fail(WADI_INVALID, "%s: %d orders, expected 1 to %d", what, orders ? n : 0,
                       WADI_MAX_FIELDS);
        return false;
    }
    for (int k = 0; k < n; k++) {
        keys[k] = keys_of(what, &orders[k], a);
        if (!keys[k].node) return false;
    }
    return true;
}

static wadi_acc positions_by(const char *what, int n, const wadi_order *orders, wadi_acc a) {
    wadi_acc keys[WADI_MAX_FIELDS];
    return all_keys(what, n, orders, a, keys) ? wadi_sort_positions(what, n, orders, keys)
                                              : WADI_NO_ACC;
}

/* ---- the calls ---- */

static wadi_exp itself(wadi_exp x) {
    return x;
}

wadi_order wadi_ascending(wadi_fn1 key) {
    return (wadi_order){.key = key};
}

wadi_order wadi_descending(wadi_fn1 key) {
    return (wadi_order){.key = key, .down = true};
}

wadi_acc wadi_sort(wadi_acc a) {
    const char *outer = wadi_lang_call("sort");
    const wadi_order order = wadi_ascending(itself);
    const int type = type_of_keys("sort", keys_of("sort", &order, a));
    if (type < 0) return wadi_acc_called(outer, WADI_NO_ACC);
    wadi_type t = (wadi_type)type;
    return wadi_acc_called(outer, t == WADI_BOOL ? sorted_numbers(&t, a)
                                                 : wadi_routine_env("sort", 1, a, wadi_shape_of(a),
                                                                    sorted_numbers, &t));
}

static wadi_acc sorted_by(const char *what, int n, const wadi_order *orders, wadi_acc a) {
    const char *outer = wadi_lang_call(what);
    wadi_acc keys[WADI_MAX_FIELDS];
    const bool fine = all_keys(what, n, orders, a, keys);
    return wadi_acc_called(outer,
                           fine ? wadi_sort_elements(what, n, orders, keys, a) : WADI_NO_ACC);
}

wadi_acc wadi_sort_by(int n, const wadi_order *orders, wadi_acc a) {
    return sorted_by("sort_by", n, orders, a);
}

wadi_acc wadi_sort_by_key_env(wadi_fn1_env key, void *env, wadi_acc a) {
    return sorted_by("sort_by_key", 1, &(wadi_order){.key_env = key, .env = env}, a);
}

wadi_acc wadi_sort_by_key(wadi_fn1 key, wadi_acc a) {
    return sorted_by("sort_by_key", 1, &(wadi_order){.key = key}, a);
}

wadi_acc wadi_argsort_by(int n, const wadi_order *orders, wadi_acc a) {
    const char *outer = wadi_lang_call("argsort_by");
    return wadi_acc_called(outer, positions_by("argsort_by", n, orders, a));
}

wadi_acc wadi_argsort(wadi_acc a) {
    const char *outer = wadi_lang_call("argsort");
    const wadi_order order = wadi_ascending(itself);
    return wadi_acc_called(outer, positions_by("argsort", 1, &order, a));
}

/* The first positions in the order of keys. */
typedef struct first {
    wadi_type type;
    wadi_exp k;
} first;

static wadi_acc first_positions(void *env, wadi_acc keys) {
    first *f = env;
    return wadi_take(f->k, sorted_positions(&f->type, keys));
}

static wadi_acc first_of(const char *what, wadi_order order, wadi_exp k, wadi_acc a) {
    const char *outer = wadi_lang_call(what);
    const wadi_acc keys = keys_of(what, &order, a);
    const int type = type_of_keys(what, keys);
    k = wadi_exp_to_i64(what, "k", k);
    if (type < 0 || !k.node) return wadi_acc_called(outer, WADI_NO_ACC);
    wadi_type t = (wadi_type)type;
    const wadi_acc numbers = numbers_of(&order, &t, keys);
    first f = {t, k};
    wadi_ix shape = wadi_shape_of(numbers);
    wadi_exp *n = &shape.at[shape.rank - 1];
    *n = wadi_min(wadi_max(k, wadi_i64(0)), *n);
    const wadi_acc positions = wadi_routine_env("argfirst", 1, numbers, shape, first_positions, &f);
    return wadi_acc_called(outer, wadi_tuple2(moved_by(positions, a), positions));
}

wadi_acc wadi_largest(wadi_exp k, wadi_acc a) {
    return first_of("largest", wadi_descending(itself), k, a);
}

wadi_acc wadi_smallest(wadi_exp k, wadi_acc a) {
    return first_of("smallest", wadi_ascending(itself), k, a);
}
