/* Random sequences around random bodies: pieces of arrays as sources, and transducers in a row.
 *
 * m->parts and m->part say what the elements of the sequence at hand are; every function here keeps that true. */
#include "tests/conformance/maker.h"

/* ---- sources ---- */

enum { VALUES = 20, SEGMENTS = 6 };

static wadi_exp of_table(void *env, wadi_ix ix) {
    const maker *m = env;
    wadi_exp sum = wadi_i64(0);
    for (int d = 0; d < ix.rank; d++)
        sum = wadi_add(wadi_mul(sum, wadi_i64(3)), wadi_mul(ix.at[d], wadi_i64(d + 1)));
    return wadi_index1(m->table, wadi_mod(sum, wadi_i64(GEN_TABLE)));
}

/* An array of the table's elements. */
static wadi_acc made_of_table(maker *m, int rank, const int64_t *shape) {
    wadi_ix ix = {.rank = rank};
    for (int d = 0; d < rank; d++) ix.at[d] = wadi_i64(shape[d]);
    return wadi_generate_env(ix, of_table, m);
}

static wadi_acc host(wadi_type type, int rank, const int64_t *shape, void *data) {
    wadi_array a = {.rank = rank, .fields = 1, .type = {type}, .column = {data}};
    for (int d = 0; d < rank; d++) a.shape[d] = shape[d];
    return wadi_use(&a);
}

static void elements_of(maker *m, int rank) {
    m->parts = 1;
    m->part[0] = (item){.rank = rank, .type = WADI_I32};
    m->alike = false;
}

static wadi_seq slices(maker *m) {
    const int64_t shape[3] = {gen_below(&m->r, 6), gen_below(&m->r, 20), 3};
    const int rank = 2 + gen_below(&m->r, 2);
    elements_of(m, rank - 1);
    m->alike = true;
    return wadi_to_seq_on(gen_below(&m->r, rank), made_of_table(m, rank, shape));
}

static wadi_seq between_offsets(maker *m) {
    int32_t offsets[SEGMENTS + 1] = {0};
    for (int i = 1; i <= SEGMENTS; i++) offsets[i] = offsets[i - 1] + gen_below(&m->r, 4);
    const int64_t n = gen_below(&m->r, SEGMENTS + 2), values = VALUES;
    elements_of(m, 1);
    return wadi_from_offsets(host(WADI_I32, 1, &n, offsets), made_of_table(m, 1, &values));
}

static wadi_seq segments(maker *m) {
    int64_t offsets[SEGMENTS], shapes[2 * SEGMENTS];
    const int rank = 1 + gen_below(&m->r, 2);
    const int64_t n = gen_below(&m->r, SEGMENTS + 1), values = VALUES, room = 6 * 16,
                  table[2] = {n, rank};
    for (int i = 0; i < SEGMENTS; i++) offsets[i] = gen_below(&m->r, 4);
    for (int i = 0; i < 2 * SEGMENTS; i++) shapes[i] = gen_below(&m->r, 5);
    elements_of(m, rank);
    if (gen_below(&m->r, 3) == 0)
        return wadi_from_shapes(host(WADI_I64, 2, table, shapes), made_of_table(m, 1, &room));
    return wadi_from_segs(host(WADI_I64, 1, &n, offsets), host(WADI_I64, 2, table, shapes),
                          made_of_table(m, 1, &values));
}

static wadi_seq tiles(maker *m) {
    const int64_t shape[2] = {gen_below(&m->r, 12), gen_below(&m->r, 9)};
    const int rank = 1 + gen_below(&m->r, 2);
    wadi_ix block = {.rank = rank};
    for (int d = 0; d < rank; d++) block.at[d] = wadi_i64(gen_below(&m->r, 6));
    elements_of(m, rank);
    return wadi_subarrays(block, made_of_table(m, rank, shape));
}

wadi_seq gen_pieces(maker *m) {
    static wadi_seq (*const make[])(maker *) = {slices, between_offsets, segments, tiles};
    return make[gen_below(&m->r, 4)](m);
}

/* ---- transducers ---- */

static wadi_acc part_of(const maker *m, wadi_acc element, int p) {
    return m->parts == 1 ? element : wadi_tuple_get(element, p);
}

/* Numbers of the first part: of records a field. */
static wadi_acc values_of(const maker *m, wadi_acc element) {
    const wadi_acc a = part_of(m, element, 0);
    return m->part[0].record ? gen_first_field(a) : a;
}

static wadi_acc by_size(void *env, wadi_acc element) {
    maker *m = env;
    const wadi_exp n = wadi_add(wadi_size(part_of(m, element, 0)), wadi_i64(m->constant));
    return wadi_unit(wadi_ne(wadi_mod(n, wadi_i64(3)), wadi_i64(0)));
}

static wadi_fn2 greatest(wadi_type t) {
    return t == WADI_BOOL ? wadi_lor : wadi_max;
}

static wadi_acc by_value(void *env, wadi_acc element) {
    maker *m = env;
    const wadi_acc a = values_of(m, element);
    const wadi_type t = m->part[0].type;
    const wadi_exp least = wadi_literal(t, (double)m->constant);
    const wadi_exp sum = wadi_the(wadi_fold_all(greatest(t), least, a));
    return wadi_unit(wadi_gt(sum, least));
}

static wadi_seq filtered(maker *m, wadi_seq s) {
    m->constant = gen_below(&m->r, 5);
    const bool ordered = !gen_is_complex(m->part[0].type);
    return wadi_filter_seq_env(ordered && gen_below(&m->r, 2) ? by_value : by_size, m, s);
}

/* Each part k times, along a new dimension or the outermost one. */
static wadi_acc repeated(void *env, wadi_acc element) {
    maker *m = env;
    const wadi_exp k =
        wadi_mod(wadi_add(wadi_size(part_of(m, element, 0)), wadi_i64(m->constant)), wadi_i64(3));
    wadi_acc parts[GEN_ELEMENT];
    for (int p = 0; p < m->parts; p++) {
        const wadi_spec spec[] = {wadi_fix(k), wadi_any()};
        parts[p] = wadi_replicate(2, spec, part_of(m, element, p));
    }
    return m->parts == 1 ? parts[0] : wadi_tuple(m->parts, parts);
}

static wadi_acc itself(void *env, wadi_acc element) {
    (void)env;
    return element;
}

static wadi_seq expanded(maker *m, wadi_seq s) {
    m->constant = gen_below(&m->r, 3);
    for (int p = 0; p < m->parts; p++)
        if (m->part[p].rank == WADI_MAX_RANK) return s;
    if (m->parts > 1 || m->part[0].rank == 0) return wadi_expand_seq_env(repeated, m, s);
    m->part[0].rank--;
    return wadi_expand_seq_env(itself, m, s);
}

static wadi_seq windowed(maker *m, wadi_seq s) {
    for (int p = 0; p < m->parts; p++)
        if (m->part[p].rank > 1 || (m->parts > 1 && m->part[p].rank > 0)) return s;
    for (int p = 0; p < m->parts; p++) m->part[p].rank = 1;
    const wadi_last last = (wadi_last)gen_below(&m->r, 3);
    m->alike = last != WADI_LAST_KEEP;
    return wadi_windows(wadi_i64(1 + gen_below(&m->r, 9)), wadi_i64(1 + gen_below(&m->r, 9)), last,
                        s);
}

static wadi_seq batched(maker *m, wadi_seq s) {
    for (int p = 0; p < m->parts; p++)
        if (m->part[p].rank > (m->alike ? 2 : 0)) return s;
    for (int p = 0; p < m->parts; p++) m->part[p].rank++;
    m->alike = false;
    return wadi_batch(wadi_i64(1 + gen_below(&m->r, 5)), s);
}

static wadi_acc summed_up(void *env, wadi_acc state, wadi_acc element) {
    maker *m = env;
    const wadi_exp zero = wadi_literal(m->part[0].type, 0);
    const wadi_fn2 sum = gen_sum(m->part[0].type);
    return wadi_zip_with(sum, state, wadi_fold_all(sum, zero, values_of(m, element)));
}

static wadi_seq scanned(maker *m, wadi_seq s) {
    const wadi_type t = m->part[0].type;
    const wadi_seq out = wadi_scan_seq_env(summed_up, m, wadi_unit(gen_literal(m, t)), s);
    m->parts = 1;
    m->part[0] = (item){.rank = 0, .type = t};
    m->alike = true;
    return out;
}

/* ---- states by key ---- */

/* Few keys, or as many as there are elements: of the size, and of the values if these are integers. */
static wadi_acc with_key(void *env, wadi_acc element) {
    maker *m = env;
    const wadi_type t = m->part[0].type;
    const wadi_exp zero = wadi_literal(t, 0);
    wadi_exp k = wadi_add(wadi_size(part_of(m, element, 0)), wadi_i64(m->constant));
    if (t <= WADI_U64)
        k = wadi_add(k, wadi_convert(WADI_I64, wadi_the(wadi_fold_all(gen_sum(t), zero,
                                                                      values_of(m, element)))));
    if (m->constant < 3) k = wadi_mod(k, wadi_i64(2 + m->constant));
    const wadi_type narrow[] = {WADI_I8, WADI_I64, WADI_U64, WADI_I32};
    const wadi_type of = narrow[m->constant % 4];
    const wadi_exp key = m->constant % 2 == 0
                             ? wadi_convert(of, k)
                             : wadi_rec2("k", wadi_convert(of, k), "l", wadi_u8(255));
    wadi_acc parts[GEN_ELEMENT + 1] = {wadi_unit(key)};
    for (int p = 0; p < m->parts; p++) parts[p + 1] = part_of(m, element, p);
    return wadi_tuple(m->parts + 1, parts);
}

static wadi_acc without_key(const maker *m, wadi_acc element) {
    wadi_acc parts[GEN_ELEMENT];
    for (int p = 0; p < m->parts; p++) parts[p] = wadi_tuple_get(element, p + 1);
    return m->parts == 1 ? parts[0] : wadi_tuple(m->parts, parts);
}

static wadi_acc summed_by_key(void *env, wadi_acc state, wadi_acc element) {
    return summed_up(env, state, without_key(env, element));
}

/* How many there have been, and the first values of the last few. */
static wadi_acc last_by_key(void *env, wadi_acc state, wadi_acc element) {
    const maker *m = env;
    const wadi_exp n = wadi_add(wadi_the(wadi_tuple_get(state, 0)), wadi_i64(1));
    const wadi_acc values = wadi_flatten(values_of(m, without_key(m, element)));
    const wadi_acc some = wadi_take(wadi_i64(2), values);
    const wadi_acc next = wadi_concat(some, wadi_take(wadi_i64(3), wadi_tuple_get(state, 1)));
    return wadi_tuple(2, (const wadi_acc[]){wadi_unit(n), next});
}

wadi_seq gen_by_key(maker *m, wadi_seq s) {
    const wadi_type t = m->part[0].type;
    const bool arrays = gen_below(&m->r, 2);
    m->constant = gen_below(&m->r, 6);
    const wadi_acc first = wadi_unit(gen_literal(m, t)),
                   none = wadi_take(wadi_i64(0), wadi_flatten(first));
    s = wadi_map_seq_env(with_key, m, s);
    if (gen_below(&m->r, 3) == 0) {
        const wadi_acc z = wadi_tuple(2, (const wadi_acc[]){wadi_unit(wadi_i64(0)), none});
        return arrays ? wadi_fold_by_key_env(last_by_key, m, z, s)
                      : wadi_fold_by_key_env(summed_by_key, m, first, s);
    }
    if (!arrays) return wadi_scan_by_key_env(summed_by_key, m, first, s);
    return wadi_scan_by_key_env(last_by_key, m,
                                wadi_tuple(2, (const wadi_acc[]){wadi_unit(wadi_i64(0)), none}), s);
}

static wadi_seq cut(maker *m, wadi_seq s) {
    const wadi_exp n = wadi_i64(gen_below(&m->r, 9));
    return gen_below(&m->r, 2) ? wadi_take_seq(n, s) : wadi_drop_seq(n, s);
}

wadi_seq gen_transduced(maker *m, wadi_seq s) {
    static wadi_seq (*const make[])(maker *, wadi_seq) = {cut,      filtered, expanded,
                                                          windowed, batched,  scanned};
    for (int k = gen_below(&m->r, 3); k > 0; k--) s = make[gen_below(&m->r, 6)](m, s);
    return s;
}

/* ---- consumers ---- */

static wadi_acc count_up(void *env, wadi_acc state, wadi_acc chunk) {
    const maker *m = env;
    const wadi_acc shapes = wadi_tuple_get(chunk, 0), all_values = wadi_tuple_get(chunk, 1);
    const wadi_acc values = m->part[0].record ? gen_first_field(all_values) : all_values;
    const wadi_exp n = wadi_add(wadi_extent(shapes, 0), wadi_mul(wadi_size(values), wadi_i64(7)));
    const wadi_acc counted = wadi_zip_with(wadi_add, wadi_tuple_get(state, 0), wadi_unit(n));
    const wadi_exp zero = wadi_literal(m->part[0].type, 0);
    const wadi_fn2 most = greatest(m->part[0].type);
    const wadi_acc all = wadi_fold_all(most, zero, values);
    return wadi_tuple2(counted, wadi_zip_with(most, wadi_tuple_get(state, 1), all));
}

/* ---- an array as the state: changes that can be made in place, and such that cannot ---- */

enum { SUMS = 6 };

typedef struct sums {
    wadi_acc of;     /* the values that are added */
    wadi_exp factor; /* of the element */
} sums;

static wadi_exp as_i64(wadi_exp x) {
    return wadi_convert(WADI_I64, x);
}

static wadi_exp by_factor(void *env, wadi_exp x) {
    const sums *s = env;
    return wadi_add(wadi_mul(x, wadi_i64(3)), s->factor);
}

static wadi_exp twice_less(wadi_exp x, wadi_exp old) {
    return wadi_sub(x, wadi_mul(old, wadi_i64(2)));
}

static wadi_exp less_old(void *env, wadi_exp x, wadi_exp old) {
    (void)env;
    return wadi_sub(x, wadi_mul(old, wadi_i64(5)));
}

static wadi_ix to_sum(void *env, wadi_ix ix) {
    const sums *s = env;
    const wadi_exp v = wadi_index1(s->of, ix.at[0]);
    return wadi_keep_if(wadi_ge(v, wadi_i64(-9)), wadi_ix1(wadi_mod(v, wadi_i64(SUMS))));
}

static wadi_acc changed(maker *m, sums *s, wadi_acc x, wadi_acc old) {
    switch (gen_below(&m->r, 6)) {
    case 0:
        return wadi_map_env(by_factor, s, x);
    case 1:
        return wadi_zip_with(twice_less, x, old);
    case 2:
        return wadi_zip_with(twice_less, x, wadi_reverse(gen_below(&m->r, 2) ? x : old));
    case 3:
        s->factor = wadi_index1(gen_below(&m->r, 2) ? x : old, wadi_i64(gen_below(&m->r, SUMS)));
        return wadi_map_env(by_factor, s, x);
    default:
        return wadi_permute_env(less_old, x, to_sum, s, s->of);
    }
}

static wadi_acc changed_sums(void *env, wadi_acc state, wadi_acc element) {
    maker *m = env;
    const wadi_acc old = wadi_tuple_get(state, 0);
    const wadi_acc values = wadi_map(as_i64, wadi_flatten(values_of(m, element)));
    sums s = {values, wadi_size(values)};
    wadi_acc x = old;
    for (int k = 1 + gen_below(&m->r, 3); k > 0; k--) x = changed(m, &s, x, old);
    const wadi_exp seen = wadi_index1(gen_below(&m->r, 2) ? x : old, wadi_i64(2));
    const wadi_acc count = wadi_unit(wadi_add(wadi_the(wadi_tuple_get(state, 1)), seen));
    return wadi_tuple2(x, count);
}

static wadi_eat summed_in_place(maker *m, wadi_seq s) {
    const wadi_acc zero = wadi_iota(WADI_I64, wadi_i64(SUMS));
    return wadi_fold_seq_env(changed_sums, m, wadi_tuple2(zero, wadi_unit(wadi_i64(1))), s);
}

wadi_eat gen_consumed(maker *m, wadi_seq s) {
    const int choice = gen_below(&m->r, 6);
    bool high = false; /* too high for a new dimension */
    for (int p = 0; p < m->parts; p++) high = high || m->part[p].rank == WADI_MAX_RANK;
    if (m->parts == 1 && m->part[0].record && m->part[0].rank == 1 && choice > 2)
        return gen_longest_records(m, s);
    if (choice > 3 && !gen_is_complex(m->part[0].type)) return summed_in_place(m, s);
    if (choice == 0 && !high) return wadi_tabulate_min(s);
    if (choice == 1) return wadi_from_seq(s);
    if (choice == 0 || choice == 2 || gen_is_complex(m->part[0].type)) return wadi_elements(s);
    const wadi_acc z =
        wadi_tuple2(wadi_unit(wadi_i64(3)), wadi_unit(wadi_literal(m->part[0].type, 0)));
    return wadi_fold_batch_env(count_up, m, z, s);
}

/* ---- sequences over an element's own arrays ---- */

static wadi_acc combined(void *env, wadi_acc state, wadi_acc element) {
    return summed_up(env, state, element);
}

static wadi_acc sum_by_rows(void *env, wadi_acc element) {
    const maker *m = env;
    maker rows = *m;
    rows.part[0].rank--;
    const wadi_exp zero = wadi_literal(m->part[0].type, 0);
    return wadi_consume(wadi_fold_seq_env(combined, &rows, wadi_unit(zero), wadi_to_seq(element)));
}

static wadi_exp plus_itself(void *env, wadi_exp x) {
    const maker *m = env;
    return gen_sum(m->part[0].type)(x, x);
}

static wadi_acc twice(void *env, wadi_acc element) {
    return wadi_map_env(plus_itself, env, element);
}

static wadi_seq mapped(maker *m, wadi_seq s) {
    if (m->part[0].rank == 0 || gen_below(&m->r, 2)) return wadi_map_seq_env(twice, m, s);
    s = wadi_map_seq_env(sum_by_rows, m, s);
    m->part[0].rank = 0;
    m->alike = true;
    return s;
}

/* The sequence beside itself, or what is left of it. */
static wadi_acc both(void *env, wadi_acc a, wadi_acc b) {
    maker *m = env;
    const wadi_exp zero = wadi_literal(m->part[0].type, 0);
    const wadi_fn2 sum = gen_sum(m->part[0].type);
    return wadi_zip_with(sum, wadi_fold_all(sum, zero, a), summed_up(m, wadi_unit(zero), b));
}

static wadi_seq zipped(maker *m, wadi_seq s) {
    const wadi_seq t = gen_below(&m->r, 2) ? cut(m, s) : filtered(m, s);
    s = gen_below(&m->r, 2) ? wadi_zip_with_seq_env(both, m, s, t)
                            : wadi_zip_with_seq_env(both, m, t, s);
    m->part[0].rank = 0;
    m->alike = true;
    return s;
}

static void keep_consumed(maker *m, wadi_seq s) {
    const int rank = m->part[0].rank;
    const wadi_type t = m->part[0].type;
    wadi_eat e = {0};
    int to = 1;
    switch (rank > 2 ? 0
                     : gen_below(&m->r, 4)) { /* arrays of the pool have at most three dimensions */
    case 0:
        e = wadi_elements(s);
        break;
    case 1:
        e = m->alike ? wadi_tabulate(s) : wadi_tabulate_min(s);
        to = rank + 1;
        break;
    case 2:
        e = wadi_fold_seq_env(summed_up, m, wadi_unit(gen_literal(m, t)), s);
        to = 0;
        break;
    default:
        e = wadi_tabulate_min(s);
        to = rank + 1;
    }
    gen_keep(m, wadi_consume(e), to, t, gen_fresh_class(m));
}

void gen_inner(maker *m) {
    static wadi_seq (*const make[])(maker *, wadi_seq) = {cut,    filtered, expanded, scanned,
                                                          mapped, windowed, batched,  zipped};
    const item it = gen_pick_ranked(m, 1, 3);
    const item part = m->part[0];
    const int parts = m->parts;
    const bool alike = m->alike;
    if (!it.a.node) return;
    m->parts = 1;
    m->part[0] = (item){.rank = it.rank - 1, .type = it.type};
    m->alike = true;
    wadi_seq s = wadi_to_seq_on(gen_below(&m->r, it.rank), it.a);
    for (int k = gen_below(&m->r, 3); k > 0; k--) s = make[gen_below(&m->r, 8)](m, s);
    keep_consumed(m, s);
    m->parts = parts;
    m->part[0] = part;
    m->alike = alike;
}
