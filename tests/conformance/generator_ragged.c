/* Random filters, expansions, segments, concatenations, scatters and scans from the right. What decides extents is called
 * twice by some of them, so predicates here are fixed once they are chosen. Results are kept small: expansions and
 * concatenations would grow without end. */
#include "tests/conformance/maker.h"

enum { SMALL = 200 };

static item small_vector(maker *m) {
    item it = gen_pick_ranked(m, 1, 1);
    it.a = wadi_take(wadi_i64(SMALL), it.a);
    it.shape = gen_fresh_class(m);
    return it;
}

/* ---- filters ---- */

typedef struct threshold {
    wadi_exp limit;
    bool complex;
} threshold;

static wadi_exp above(void *env, wadi_exp x) {
    const threshold *t = env;
    return t->complex ? wadi_ne(x, t->limit) : wadi_gt(x, t->limit);
}

static void fold_kept(maker *m, wadi_acc kept, wadi_type type) {
    if (gen_below(&m->r, 2)) {
        m->given[0] = type;
        m->want = type = gen_type(&m->r);
        kept = wadi_map_env(gen_fn1, m, kept);
    }
    gen_keep(m, wadi_fold(gen_associative(m, type), gen_literal(m, type), kept), 0, type,
             gen_fresh_class(m));
}

/* What a filter keeps; or folds of it, and of maps of it, which are all that read it; or both. */
static void keep_kept(maker *m, wadi_acc kept, wadi_type type) {
    if (gen_below(&m->r, 2)) gen_keep(m, kept, 1, type, gen_fresh_class(m));
    for (int n = gen_below(&m->r, 4); n > 0; n--) fold_kept(m, kept, type);
}

static void do_filter(maker *m) {
    const item it = gen_pick_ranked(m, 1, 3);
    threshold t = {gen_literal(m, it.type), gen_is_complex(it.type)};
    if (gen_below(&m->r, 2)) {
        const wadi_acc f = wadi_filter_env(above, &t, it.a);
        keep_kept(m, wadi_tuple_get(f, 0), it.type);
        gen_keep(m, wadi_tuple_get(f, 1), it.rank - 1, WADI_I64, gen_fresh_class(m));
        return;
    }
    const wadi_acc f = wadi_partition_env(above, &t, it.a);
    gen_keep(m, wadi_tuple_get(f, 0), it.rank, it.type, it.shape);
    gen_keep(m, wadi_tuple_get(f, 1), it.rank - 1, WADI_I64, gen_fresh_class(m));
}

static void do_compact(maker *m) {
    const item it = gen_pick_ranked(m, 1, 2);
    threshold t = {gen_literal(m, it.type), gen_is_complex(it.type)};
    const wadi_acc flags = wadi_map_env(above, &t, it.a);
    const wadi_acc all = wadi_tuple_get(wadi_compact(flags, it.a), 0);
    keep_kept(m, all, it.type);
}

/* ---- expand ---- */

typedef struct expansion {
    maker *m;
    wadi_type from, to;
} expansion;

static wadi_exp size_of(void *env, wadi_exp x) {
    const expansion *e = env;
    e->m->given[0] = e->from;
    e->m->want = WADI_I64;
    return wadi_mod(gen_fn1(e->m, x), wadi_i64(4));
}

static wadi_exp part_of(void *env, wadi_exp x, wadi_exp j) {
    const expansion *e = env;
    e->m->given[0] = e->from;
    e->m->given[1] = WADI_I64;
    e->m->want = e->to;
    return gen_fn2(e->m, x, j);
}

static void do_expand(maker *m) {
    const item it = small_vector(m);
    expansion e = {m, it.type, gen_type(&m->r)};
    if (gen_below(&m->r, 4) == 0) { /* three of each */
        const wadi_acc offsets = wadi_enum_from_step(wadi_add(wadi_extent(it.a, 0), wadi_i64(1)),
                                                     wadi_i64(0), wadi_i64(3));
        gen_keep(m, wadi_expand_offsets_env(part_of, &e, offsets, it.a), 1, e.to,
                 gen_fresh_class(m));
        return;
    }
    gen_keep(m, wadi_expand_env(size_of, part_of, &e, it.a), 1, e.to, gen_fresh_class(m));
}

/* ---- segments ---- */

typedef struct cutting {
    wadi_exp n, count;
    int step;
} cutting;

/* Segments of at most n / count elements, some of them empty. */
static wadi_exp length_of(void *env, wadi_ix ix) {
    const cutting *c = env;
    const wadi_exp most = wadi_quot(c->n, wadi_max(c->count, wadi_i64(1)));
    const wadi_exp some = wadi_mod(wadi_mul(ix.at[0], wadi_i64(c->step)), wadi_i64(c->step + 3));
    return wadi_min(some, most);
}

static wadi_acc lengths_for(maker *m, const item *it) {
    cutting c = {.n = wadi_extent(it->a, it->rank - 1)};
    c.count = gen_small_extent(m);
    c.step = 1 + gen_below(&m->r, 40);
    return wadi_generate_env(wadi_ix1(c.count), length_of, &c);
}

/* Scans that start with a value have one result more for each segment. */
static void do_segments(maker *m) {
    static wadi_acc (*const from[])(wadi_fn2, wadi_exp, wadi_acc, wadi_acc) = {
        wadi_prescanl_seg,  wadi_postscanl_seg, wadi_prescanr_seg,
        wadi_postscanr_seg, wadi_scanl_seg,     wadi_scanr_seg};
    static wadi_acc (*const alone[])(wadi_fn2, wadi_acc, wadi_acc) = {wadi_scanl1_seg,
                                                                      wadi_scanr1_seg};
    const item it = gen_pick_ranked(m, 1, 2);
    const wadi_fn2 f = gen_associative(m, it.type);
    const wadi_exp z = gen_literal(m, it.type);
    const wadi_acc lengths = lengths_for(m, &it);
    const int fresh = gen_fresh_class(m), choice = gen_below(&m->r, 11);
    if (choice < 6) {
        gen_keep(m, from[choice](f, z, lengths, it.a), it.rank, it.type,
                 choice < 4 ? it.shape : fresh);
    } else if (choice < 8) {
        gen_keep(m, alone[choice - 6](f, lengths, it.a), it.rank, it.type, it.shape);
    } else if (choice == 8) {
        const wadi_acc both = wadi_scanl_total_seg(f, z, lengths, it.a);
        gen_keep(m, wadi_tuple_get(both, 0), it.rank, it.type, it.shape);
        gen_keep(m, wadi_tuple_get(both, 1), it.rank, it.type, fresh);
    } else
        gen_keep(m, wadi_fold_seg(f, z, lengths, it.a), it.rank, it.type, fresh);
}

static wadi_exp one_each(wadi_ix ix) {
    return wadi_add(wadi_i64(1), wadi_mul(ix.at[0], wadi_i64(0)));
}

/* One element each: none is empty. */
static void do_fold1_seg(maker *m) {
    const item it = gen_pick_ranked(m, 1, 2);
    const wadi_exp n = wadi_extent(it.a, it.rank - 1);
    if (gen_below(&m->r, 2)) {
        const wadi_acc lengths = wadi_generate(wadi_ix1(wadi_min(n, wadi_i64(5))), one_each);
        gen_keep(m, wadi_fold1_seg(gen_associative(m, it.type), lengths, it.a), it.rank, it.type,
                 gen_fresh_class(m));
        return;
    }
    const wadi_acc offsets = wadi_iota(WADI_I32, wadi_add(wadi_min(n, wadi_i64(5)), wadi_i64(1)));
    gen_keep(m, wadi_fold1_offsets(gen_associative(m, it.type), offsets, it.a), it.rank, it.type,
             gen_fresh_class(m));
}

/* ---- derived ---- */

static void do_concat(maker *m) {
    const item a = small_vector(m);
    for (int tries = 0; tries < 10; tries++) {
        item b = gen_pick_ranked(m, 1, 1);
        if (b.type != a.type) continue;
        b.a = wadi_take(wadi_i64(SMALL), b.a);
        const wadi_acc three[] = {b.a, a.a, wadi_reverse(b.a)};
        gen_keep(m, gen_below(&m->r, 3) ? wadi_concat(a.a, b.a) : wadi_concat_n(0, 3, three), 1,
                 a.type, gen_fresh_class(m));
        return;
    }
    const item c = gen_pick_ranked(m, 2, 3);
    if (c.rank < 2) return;
    const int dim = gen_below(&m->r, c.rank);
    const wadi_acc part = wadi_take_on(dim, gen_small_extent(m), c.a);
    gen_keep(m, wadi_concat_on(dim, part, wadi_take_on(dim, wadi_i64(3), c.a)), c.rank, c.type,
             gen_fresh_class(m));
}

static wadi_exp place_of(void *env, wadi_exp x) {
    maker *m = env;
    m->want = WADI_I64;
    return wadi_mod(gen_fn1(m, x), wadi_i64(9));
}

static void do_send(maker *m) {
    const item it = gen_pick_ranked(m, 1, 2);
    m->given[0] = it.type;
    const wadi_acc to = wadi_map_env(place_of, m, it.a),
                   nine = wadi_fill(wadi_ix1(wadi_i64(9)), gen_literal(m, it.type));
    threshold t = {gen_literal(m, it.type), gen_is_complex(it.type)};
    const wadi_acc flags = wadi_map_env(above, &t, it.a);
    switch (gen_below(&m->r, 4)) {
    case 0:
        gen_keep(m, wadi_scatter(to, nine, it.a), 1, it.type, gen_fresh_class(m));
        return;
    case 1:
        gen_keep(m, wadi_scatter_if(flags, to, nine, it.a), 1, it.type, gen_fresh_class(m));
        return;
    case 2:
        gen_keep(m, wadi_gather_if(flags, to, it.a, nine), it.rank, it.type, it.shape);
        return;
    default:
        gen_keep(m,
                 wadi_histogram(gen_sum(it.type), wadi_i64(9), gen_literal(m, it.type), to, it.a),
                 1, it.type, gen_fresh_class(m));
        return;
    }
}

static void do_scan_right(maker *m) {
    const item it = gen_pick_ranked(m, 1, 3);
    const wadi_fn2 f = gen_associative(m, it.type);
    const wadi_exp z = gen_literal(m, it.type);
    const int fresh = gen_fresh_class(m), choice = gen_below(&m->r, 4);
    if (choice == 0) {
        gen_keep(m, wadi_scanr(f, z, it.a), it.rank, it.type, fresh);
    } else if (choice == 1) {
        gen_keep(m, wadi_scanr1(f, it.a), it.rank, it.type, it.shape);
    } else if (choice == 2) {
        const wadi_acc both = wadi_scanl_total(f, z, it.a);
        gen_keep(m, wadi_tuple_get(both, 0), it.rank, it.type, it.shape);
        gen_keep(m, wadi_tuple_get(both, 1), it.rank - 1, it.type, fresh);
    } else {
        gen_keep(m, wadi_postscanl(f, z, it.a), it.rank, it.type, it.shape);
    }
}

static void do_zip_min(maker *m) {
    const item a = gen_pick_ranked(m, 1, 2);
    for (int tries = 0; tries < 10; tries++) {
        const item b = gen_pick_ranked(m, 1, 2);
        if (b.rank != a.rank) continue;
        m->given[0] = a.type;
        m->given[1] = b.type;
        m->want = gen_type(&m->r);
        gen_keep(m, wadi_zip_with_min_env(gen_fn2, m, a.a, b.a), a.rank, m->want,
                 gen_fresh_class(m));
        return;
    }
}

void gen_ragged_step(maker *m) {
    static void (*const steps[])(maker *) = {do_filter,    do_filter,     do_compact, do_expand,
                                             do_segments,  do_segments,   do_concat,  do_send,
                                             do_fold1_seg, do_scan_right, do_zip_min};
    steps[gen_below(&m->r, (int)(sizeof steps / sizeof steps[0]))](m);
}
