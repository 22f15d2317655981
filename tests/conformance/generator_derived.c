/* Random uses of the rest of the language: slices, transposes, ranks up to eight, records that pass through operations
 * whole, scans by offsets, zips of many arrays. */
#include "tests/conformance/maker.h"

enum { SHORT = 60 };

static item short_vector(maker *m) {
    item it = gen_pick_ranked(m, 1, 1);
    it.a = wadi_take(wadi_i64(SHORT), it.a);
    it.shape = gen_fresh_class(m);
    return it;
}

static void do_part(maker *m) {
    const item it = gen_pick_ranked(m, 1, 3);
    const int dim = gen_below(&m->r, it.rank);
    const wadi_exp from = gen_small_extent(m), n = gen_small_extent(m);
    const int choice = gen_below(&m->r, 6);
    const wadi_acc a = choice == 0   ? wadi_slit_on(dim, from, n, it.a)
                       : choice == 1 ? wadi_init_on(dim, it.a)
                       : choice == 2 ? wadi_tail_on(dim, it.a)
                       : choice == 3 ? wadi_slit(from, n, it.a)
                       : choice == 4 ? wadi_init(it.a)
                                     : wadi_tail(it.a);
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
    for (int d = 0; d < it.rank; d++) shape.at[d * 3 + gen_below(&m->r, 2)] = wadi_extent(it.a, d);
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
    wadi_ix other = {.rank = WADI_MAX_RANK + 5 - rank};
    for (int d = 0; d < other.rank; d++) other.at[d] = wadi_i64(1);
    other.at[gen_below(&m->r, other.rank)] = wadi_size(turned);
    const wadi_fn2 f = gen_associative(m, type);
    const wadi_exp z = gen_literal(m, type);
    const int choice = gen_below(&m->r, 3);
    m->given[0] = type;
    const wadi_acc less = choice == 0   ? turned
                          : choice == 1 ? wadi_fold(f, z, turned)
                                        : wadi_map_env(gen_fn1, m, wadi_reshape(other, turned));
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

/* ---- transforms ---- */

typedef struct signal {
    maker *m;
    const item *of;
    wadi_type type;
} signal;

/* A sample of any index: those of a vector, where it has any, over and over. */
static wadi_exp sample(void *env, wadi_ix ix) {
    const signal *s = env;
    wadi_exp i = ix.at[0];
    for (int d = 1; d < ix.rank; d++) i = wadi_add(wadi_mul(i, wadi_i64(5)), ix.at[d]);
    const wadi_exp n = wadi_extent(s->of->a, 0);
    const wadi_exp some = wadi_index1(s->of->a, wadi_mod(i, n));
    return wadi_cond(wadi_gt(n, wadi_i64(0)), wadi_convert(s->type, some),
                     wadi_convert(s->type, i));
}

static wadi_acc transformed(int choice, int dims, const int64_t *sizes, wadi_exp n, wadi_acc a) {
    switch (choice) {
    case 0:
        return wadi_rfft(a);
    case 1:
        return wadi_rfft_nd(dims, a);
    case 2:
        return wadi_irfft(n, a);
    case 3:
        return wadi_irfft_nd(dims, n, a);
    case 4:
        return wadi_fft_nd(dims, a);
    case 5:
        return wadi_ifft_nd(dims, a);
    case 6:
        return wadi_fft_own(dims, true, a);
    case 7:
        return wadi_fft_sized(dims, sizes, false, a);
    case 8:
        return wadi_fft(a);
    default:
        return wadi_ifft(a);
    }
}

static void do_fft(maker *m) {
    const bool wide = gen_below(&m->r, 2) == 0;
    const wadi_type complex = wide ? WADI_C128 : WADI_C64, real = wide ? WADI_F64 : WADI_F32;
    const item it = short_vector(m);
    const int rank = 1 + gen_below(&m->r, 3), dims = 1 + gen_below(&m->r, rank),
              choice = gen_below(&m->r, 10);
    const int64_t n = 1 + gen_below(&m->r, 9);
    signal s = {m, &it, choice < 2 ? real : complex};
    wadi_ix shape = {.rank = rank};
    int64_t sizes[3] = {0};
    for (int d = 0; d < rank; d++) sizes[d] = 1 + gen_below(&m->r, rank > 1 ? 5 : 12);
    if (choice == 2 || choice == 3) sizes[rank - 1] = n / 2 + 1;
    for (int d = 0; d < rank; d++) shape.at[d] = wadi_i64(sizes[d]);
    const wadi_acc a = wadi_generate_env(shape, sample, &s);
    const wadi_acc all = transformed(choice, dims, sizes + rank - dims, wadi_i64(n), a);
    gen_keep(m, all, rank, choice == 2 || choice == 3 ? real : complex, gen_fresh_class(m));
}

void gen_derived_step(maker *m) {
    static void (*const steps[])(maker *) = {
        gen_order_step, do_part,     do_high_rank,  do_zip_more, do_permute_by,   do_offsets,
        do_scan_more,   do_promised, do_index_back, do_fft,      gen_record_step, gen_random_step};
    const int step = gen_below(&m->r, (int)(sizeof steps / sizeof steps[0]));
    if (steps[step] == do_zip_more && gen_below(&m->r, 2))
        gen_pairs_step(m);
    else
        steps[step](m);
}
