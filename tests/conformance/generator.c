/* Programs grow in a pool of arrays: each step picks an operation whose arguments the pool can supply, and adds its
 * result. Arrays of one shape class have equal extents, so that zip_with can be used without faults; indices are made
 * valid by reduction modulo the extent. Integer division keeps away from zero: faults have tests of their own. */
#include "tests/conformance/generator.h"

#include <stdlib.h>
#include <string.h>

enum { POOL = 64, MAX_ELEMENT = 700 };

uint64_t gen_next(gen_random *r) {
    uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

int gen_below(gen_random *r, int n) {
    return (int)(gen_next(r) % (uint64_t)n);
}

typedef struct item {
    wadi_acc a;
    int rank;
    wadi_type type;
    int shape; /* class of equal extents */
} item;

typedef struct maker {
    gen_random r;
    int size;
    item pool[POOL];
    int n, classes;
    const gen_stream *stream;
    wadi_acc table;
    /* what the scalar function being built may use */
    wadi_type want;
    wadi_type given[4];
    int64_t constant;
} maker;

static const wadi_type some_types[] = {WADI_I32, WADI_I64, WADI_U8, WADI_F32,
                                       WADI_F64, WADI_I16, WADI_U32};
enum { TYPES = sizeof some_types / sizeof some_types[0] };

static bool is_float(wadi_type t) {
    return t == WADI_F32 || t == WADI_F64;
}

static wadi_type pick_type(maker *m) {
    return some_types[gen_below(&m->r, TYPES)];
}

/* ---- scalar code ---- */

static wadi_exp literal(maker *m, wadi_type t) {
    static const double values[] = {0, 1, 2, 3, 5, 7, 100, -1, -2, 0.5, -0.25, 1e6, 65535, 1e-3};
    return wadi_literal(t, values[gen_below(&m->r, (int)(sizeof values / sizeof values[0]))]);
}

static wadi_exp scalar(maker *m, wadi_type t, int depth, int n, const wadi_exp *params);

static wadi_exp comparison(maker *m, int depth, int n, const wadi_exp *params) {
    const wadi_type t = pick_type(m);
    const wadi_exp a = scalar(m, t, depth - 1, n, params), b = scalar(m, t, depth - 1, n, params);
    switch (gen_below(&m->r, 4)) {
    case 0:
        return wadi_lt(a, b);
    case 1:
        return wadi_ge(a, b);
    case 2:
        return wadi_eq(a, b);
    default:
        return wadi_land(wadi_ne(a, b), wadi_le(a, b));
    }
}

/* An element of the program's table or of a pooled vector, at an index that is always valid. */
static wadi_exp table_element(maker *m, wadi_type t, int depth, int n, const wadi_exp *params) {
    const wadi_exp i = wadi_mod(scalar(m, WADI_I64, depth - 1, n, params), wadi_i64(GEN_TABLE));
    return wadi_convert(t, wadi_index1(m->table, i));
}

typedef struct loop {
    maker *m;
    wadi_type type;
} loop;

static wadi_exp loop_step(void *env, wadi_exp i, wadi_exp state) {
    loop *l = env;
    const wadi_exp params[2] = {wadi_convert(l->type, i), state};
    const wadi_type given[4] = {l->m->given[0], l->m->given[1], l->m->given[2], l->m->given[3]};
    l->m->given[0] = l->m->given[1] = l->type;
    const wadi_exp next = scalar(l->m, l->type, 1, 2, params);
    memcpy(l->m->given, given, sizeof given);
    return next;
}

static wadi_exp integer_op(maker *m, wadi_type t, int depth, int n, const wadi_exp *params) {
    const wadi_exp a = scalar(m, t, depth - 1, n, params), b = scalar(m, t, depth - 1, n, params);
    const wadi_exp odd = wadi_or(b, wadi_literal(t, 1)),
                   distance = wadi_and(b, wadi_literal(t, 15));
    switch (gen_below(&m->r, 11)) {
    case 0:
        return wadi_quot(a, odd);
    case 1:
        return wadi_rem(a, odd);
    case 2:
        return wadi_div(a, odd);
    case 3:
        return wadi_mod(a, odd);
    case 4:
        return wadi_and(a, b);
    case 5:
        return wadi_xor(a, wadi_not(b));
    case 6:
        return wadi_shl(a, distance);
    case 7:
        return wadi_shr(a, b);
    case 8:
        return wadi_rotl(a, b);
    case 9:
        return wadi_convert(t, wadi_add(wadi_popcount(a), wadi_clz(b)));
    default:
        return wadi_convert(t, wadi_ctz(a));
    }
}

static wadi_exp float_op(maker *m, wadi_type t, int depth, int n, const wadi_exp *params) {
    const wadi_exp a = scalar(m, t, depth - 1, n, params), b = scalar(m, t, depth - 1, n, params);
    switch (gen_below(&m->r, 5)) {
    case 0:
        return wadi_div(a, b);
    case 1:
        return wadi_sqrt(wadi_abs(a));
    case 2:
        return wadi_floor(a);
    case 3:
        return wadi_fma(a, b, wadi_literal(t, 1));
    default:
        return wadi_copysign(a, b);
    }
}

/* An expression of type t over the parameters. */
static wadi_exp scalar(maker *m, wadi_type t, int depth, int n, const wadi_exp *params) {
    const int choice = depth <= 0 ? gen_below(&m->r, 2) : gen_below(&m->r, 10);
    if (choice == 0 && n == 0) return literal(m, t);
    switch (choice) {
    case 0: {
        const int p = gen_below(&m->r, n);
        return m->given[p] == t ? params[p] : wadi_convert(t, params[p]);
    }
    case 1:
        return literal(m, t);
    case 2:
        return wadi_add(scalar(m, t, depth - 1, n, params), scalar(m, t, depth - 1, n, params));
    case 3:
        return wadi_mul(scalar(m, t, depth - 1, n, params), scalar(m, t, depth - 1, n, params));
    case 4:
        return wadi_max(wadi_min(scalar(m, t, depth - 1, n, params), literal(m, t)), literal(m, t));
    case 5:
        return wadi_cond(comparison(m, depth, n, params), scalar(m, t, depth - 1, n, params),
                         scalar(m, t, depth - 1, n, params));
    case 6:
        return table_element(m, t, depth, n, params);
    case 7: {
        loop l = {m, t};
        return wadi_iterate_env(wadi_i64(gen_below(&m->r, 4)), loop_step, &l,
                                scalar(m, t, depth - 1, n, params));
    }
    default:
        return is_float(t) ? float_op(m, t, depth, n, params) : integer_op(m, t, depth, n, params);
    }
}

static wadi_exp fn1(void *env, wadi_exp a) {
    maker *m = env;
    return scalar(m, m->want, 3, 1, &a);
}

static wadi_exp fn2(void *env, wadi_exp a, wadi_exp b) {
    maker *m = env;
    const wadi_exp params[2] = {a, b};
    return scalar(m, m->want, 3, 2, params);
}

static wadi_exp fn3(void *env, wadi_exp a, wadi_exp b, wadi_exp c) {
    maker *m = env;
    const wadi_exp params[3] = {a, b, c};
    return scalar(m, m->want, 3, 3, params);
}

static wadi_exp of_index(void *env, wadi_ix ix) {
    maker *m = env;
    for (int d = 0; d < ix.rank && d < 4; d++) m->given[d] = WADI_I64;
    return scalar(m, m->want, 3, ix.rank < 4 ? ix.rank : 4, ix.at);
}

static wadi_exp of_index_and_element(void *env, wadi_ix ix, wadi_exp a) {
    maker *m = env;
    const wadi_exp params[2] = {a, ix.rank ? ix.at[ix.rank - 1] : wadi_i64(0)};
    m->given[1] = WADI_I64;
    return scalar(m, m->want, 3, 2, params);
}

/* ---- arrays ---- */

static void keep(maker *m, wadi_acc a, int rank, wadi_type type, int shape) {
    if (m->n == POOL) {
        memmove(m->pool, m->pool + 1, (POOL - 1) * sizeof *m->pool);
        m->n--;
    }
    m->pool[m->n++] = (item){a, rank, type, shape};
}

static int fresh_class(maker *m) {
    return m->classes++;
}

/* A pooled array, the younger the likelier, so that chains form. */
static item pick(maker *m) {
    const int back = gen_below(&m->r, gen_below(&m->r, m->n) + 1);
    return m->pool[m->n - 1 - back];
}

static item pick_ranked(maker *m, int least, int most) {
    for (int tries = 0; tries < 20; tries++) {
        const item it = pick(m);
        if (it.rank >= least && it.rank <= most) return it;
    }
    const wadi_acc a = wadi_iota(WADI_I32, wadi_i64(gen_below(&m->r, 20)));
    return (item){a, 1, WADI_I32, fresh_class(m)};
}

static wadi_exp small_extent(maker *m) {
    static const int values[] = {0, 1, 2, 3, 7, 8, 9, 16, 17, 31};
    const wadi_exp fixed = wadi_i64(values[gen_below(&m->r, 10)]);
    if (gen_below(&m->r, 2)) return fixed;
    const item it = pick_ranked(m, 1, 3);
    return wadi_min(wadi_extent(it.a, gen_below(&m->r, it.rank)), wadi_i64(40));
}

static void do_map(maker *m) {
    const item it = pick(m);
    m->given[0] = it.type;
    m->want = pick_type(m);
    if (gen_below(&m->r, 3))
        keep(m, wadi_map_env(fn1, m, it.a), it.rank, m->want, it.shape);
    else
        keep(m, wadi_imap_env(of_index_and_element, m, it.a), it.rank, m->want, it.shape);
}

static void do_zip(maker *m) {
    const item a = pick(m);
    item same[3] = {a, a, a};
    for (int k = 1; k < 3; k++)
        for (int tries = 0; tries < 8; tries++) {
            const item b = pick(m);
            if (b.shape == a.shape && b.rank == a.rank) {
                same[k] = b;
                break;
            }
        }
    for (int k = 0; k < 3; k++) m->given[k] = same[k].type;
    m->want = pick_type(m);
    const wadi_acc z = gen_below(&m->r, 2)
                           ? wadi_zip_with_env(fn2, m, same[0].a, same[1].a)
                           : wadi_zip_with3_env(fn3, m, same[0].a, same[1].a, same[2].a);
    keep(m, z, a.rank, m->want, a.shape);
}

static void do_generate(maker *m) {
    m->want = pick_type(m);
    const int rank = 1 + gen_below(&m->r, 2);
    const wadi_exp n = small_extent(m), k = small_extent(m);
    keep(m, wadi_generate_env(rank == 1 ? wadi_ix1(n) : wadi_ix2(n, k), of_index, m), rank, m->want,
         fresh_class(m));
}

static void do_structure(maker *m) {
    const item it = pick_ranked(m, 1, 3);
    const int dim = gen_below(&m->r, it.rank), shape = fresh_class(m);
    wadi_spec spec[4];
    switch (gen_below(&m->r, 9)) {
    case 0:
        keep(m, wadi_reverse_on(dim, it.a), it.rank, it.type, it.shape);
        return;
    case 1:
        keep(m, wadi_take_on(dim, small_extent(m), it.a), it.rank, it.type, shape);
        return;
    case 2:
        keep(m, wadi_drop_on(dim, wadi_sub(small_extent(m), wadi_i64(1)), it.a), it.rank, it.type,
             shape);
        return;
    case 3:
        keep(m, wadi_transpose(it.a), it.rank, it.type, shape);
        return;
    case 4:
        keep(m, wadi_flatten(it.a), 1, it.type, shape);
        return;
    case 5:
        keep(m, wadi_compute(it.a), it.rank, it.type, it.shape);
        return;
    case 6:
        keep(m, wadi_reshape(wadi_ix2(wadi_size(it.a), wadi_i64(1)), it.a), 2, it.type, shape);
        return;
    case 7:
        if (it.rank == 3) break;
        for (int d = 0; d <= it.rank; d++)
            spec[d] = d == dim ? wadi_fix(small_extent(m)) : wadi_all();
        keep(m, wadi_replicate(it.rank + 1, spec, it.a), it.rank + 1, it.type, shape);
        return;
    default:
        break;
    }
    /* a row, when there is one; else an empty result of the same rank */
    const wadi_acc wide = wadi_take_on(dim, wadi_i64(1), it.a);
    keep(m, wadi_drop_on(dim, wadi_i64(0), wide), it.rank, it.type, shape);
}

static wadi_exp modulo_extent(void *env, wadi_exp a) {
    maker *m = env;
    return wadi_mod(wadi_convert(WADI_I64, a), wadi_i64(m->constant));
}

static void do_gather(maker *m) {
    const item it = pick(m);
    m->constant = GEN_TABLE;
    const wadi_acc at = wadi_map_env(modulo_extent, m, it.a);
    keep(m, wadi_gather(at, m->table), it.rank, WADI_I32, it.shape);
}

/* Associative functions only. */
static wadi_fn2 associative(maker *m, wadi_type t) {
    switch (gen_below(&m->r, is_float(t) ? 3 : 6)) {
    case 0:
        return wadi_add;
    case 1:
        return wadi_min;
    case 2:
        return wadi_max;
    case 3:
        return wadi_mul;
    case 4:
        return wadi_xor;
    default:
        return wadi_or;
    }
}

static void do_fold(maker *m) {
    const item it = pick_ranked(m, 1, 3);
    const wadi_exp z = literal(m, it.type);
    switch (gen_below(&m->r, 4)) {
    case 0:
        keep(m, wadi_sum(it.a), it.rank - 1, it.type, fresh_class(m));
        return;
    case 1: {
        const wadi_acc longer = wadi_scanl(associative(m, it.type), z, it.a); /* never empty */
        keep(m, wadi_argmin(longer), it.rank - 1, WADI_I64, fresh_class(m));
        return;
    }
    case 2: {
        const wadi_acc longer = wadi_scanl(associative(m, it.type), z, it.a);
        keep(m, wadi_fold1(associative(m, it.type), longer), it.rank - 1, it.type, fresh_class(m));
        return;
    }
    default:
        keep(m, wadi_fold(associative(m, it.type), z, it.a), it.rank - 1, it.type, fresh_class(m));
        return;
    }
}

static void do_scan(maker *m) {
    const item it = pick_ranked(m, 1, 3);
    if (gen_below(&m->r, 2))
        keep(m, wadi_scanl1(associative(m, it.type), it.a), it.rank, it.type, it.shape);
    else
        keep(m, wadi_scanl(associative(m, it.type), literal(m, it.type), it.a), it.rank, it.type,
             fresh_class(m));
}

typedef struct target {
    maker *m;
    wadi_acc of;
    int rank;
    wadi_fn2 combine;
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
    return wadi_keep_if(wadi_ge(v, wadi_i64(0)), wadi_ix1(wadi_mod(v, wadi_i64(5))));
}

static void do_permute(maker *m) {
    const item it = pick_ranked(m, 1, 2);
    target t = {m, it.a, it.rank, is_float(it.type) ? wadi_add : associative(m, it.type)};
    const wadi_acc defaults = wadi_fill(wadi_ix1(wadi_i64(5)), literal(m, it.type));
    const wadi_acc p = wadi_permute_env(combine, defaults, bucket, &t, it.a);
    keep(m, p, 1, it.type, fresh_class(m));
}

static void do_acond(maker *m) {
    const item a = pick(m);
    for (int tries = 0; tries < 10; tries++) {
        const item b = pick(m);
        if (b.rank != a.rank || b.type != a.type) continue;
        const wadi_exp size = wadi_size(pick(m).a);
        m->given[0] = a.type;
        m->want = a.type;
        const wadi_exp p = wadi_gt(size, wadi_i64(gen_below(&m->r, 20)));
        const wadi_acc changed = wadi_map_env(fn1, m, a.a);
        keep(m, wadi_acond(p, changed, b.a), a.rank, a.type,
             b.shape == a.shape ? a.shape : fresh_class(m));
        return;
    }
}

static wadi_acc longer_than_three(wadi_acc a) {
    return wadi_unit(wadi_gt(wadi_extent(a, 0), wadi_i64(3)));
}

static wadi_acc halved(void *env, wadi_acc a) {
    maker *m = env;
    const wadi_acc left = wadi_take(wadi_quot(wadi_extent(a, 0), wadi_i64(2)), a);
    return wadi_map_env(fn1, m, left);
}

static wadi_acc longer_env(void *env, wadi_acc a) {
    (void)env;
    return longer_than_three(a);
}

static void do_awhile(maker *m) {
    const item it = pick_ranked(m, 1, 1);
    m->given[0] = m->want = it.type;
    keep(m, wadi_awhile_env(longer_env, halved, m, it.a), 1, it.type, fresh_class(m));
}

static void step(maker *m) {
    static void (*const steps[])(maker *) = {
        do_map,  do_map,  do_zip,  do_zip,    do_generate, do_structure, do_structure, do_structure,
        do_fold, do_fold, do_scan, do_gather, do_permute,  do_acond,     do_awhile};
    steps[gen_below(&m->r, (int)(sizeof steps / sizeof steps[0]))](m);
}

static wadi_acc body(void *env, wadi_acc element) {
    maker *m = env;
    const gen_stream *s = m->stream;
    for (int p = 0; p < s->parts; p++) {
        const wadi_acc part = s->parts == 1 ? element : wadi_tuple_get(element, p);
        keep(m, part, s->rank[p], s->type[p],
             p == 0 || !s->shared ? fresh_class(m) : m->pool[0].shape);
    }
    for (int i = 0; i < m->size; i++) step(m);
    wadi_acc out[3];
    const int n = 1 + gen_below(&m->r, 3);
    for (int i = 0; i < n; i++) out[i] = i == 0 ? m->pool[m->n - 1].a : pick(m).a;
    return n == 1 ? out[0] : wadi_tuple(n, out);
}

static void make_stream(gen_random *r, gen_stream *s) {
    memset(s, 0, sizeof *s);
    s->parts = 1 + gen_below(r, GEN_MAX_PARTS);
    s->shared = gen_below(r, 2) == 0;
    for (int p = 0; p < s->parts; p++) {
        s->type[p] = some_types[gen_below(r, TYPES)];
        s->rank[p] = p > 0 && s->shared ? s->rank[0] : gen_below(r, 3);
        s->fixed[p] = p > 0 && s->shared ? s->fixed[0] : gen_below(r, 3) == 0;
        for (int d = 0; d < s->rank[p]; d++)
            s->shape[p][d] = p > 0 && s->shared ? s->shape[0][d] : gen_below(r, 20);
    }
}

static const char *extent_text(const gen_stream *s, int p, int d, char *room) {
    int n = 0;
    if (s->shape[p][d] >= 10) room[n++] = (char)('0' + s->shape[p][d] / 10);
    room[n++] = (char)('0' + s->shape[p][d] % 10);
    room[n] = '\0';
    return room;
}

wadi_program *gen_program(uint64_t seed, int size, gen_stream *out_stream) {
    maker m = {.r = {seed * 2 + 1}, .size = size, .stream = out_stream};
    make_stream(&m.r, out_stream);
    wadi_program *p = wadi_program_create("random");
    if (!p) return NULL;
    static const char *const table_extent[] = {"7"};
    m.table = wadi_input(GEN_INPUT, WADI_I32, 1, table_extent);
    wadi_component component[GEN_MAX_PARTS];
    char room[GEN_MAX_PARTS][2][4];
    const char *extents[GEN_MAX_PARTS][2];
    for (int k = 0; k < out_stream->parts; k++) {
        for (int d = 0; d < 2; d++) extents[k][d] = extent_text(out_stream, k, d, room[k][d]);
        component[k] = (wadi_component){wadi_scalar_elem(out_stream->type[k]), out_stream->rank[k],
                                        out_stream->fixed[k] ? extents[k] : NULL};
    }
    const wadi_seq in = wadi_stream_in(GEN_SOURCE, out_stream->parts, component);
    wadi_stream_out(wadi_map_seq_env(body, &m, in), GEN_SINK);
    return p;
}

/* ---- inputs ---- */

static int64_t ragged_extent(gen_random *r) {
    static const int64_t values[] = {0, 1, 2, 3, 5, 7, 8, 9, 13, 15, 16, 17, 31, 32, 33, 64, 127};
    return values[gen_below(r, (int)(sizeof values / sizeof values[0]))];
}

static void fill(gen_random *r, wadi_type t, void *column, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        const int wide = gen_below(r, 8) == 0;
        const uint64_t bits = gen_next(r);
        const int small = (int)(bits % 41) - 20;
        switch (t) {
        case WADI_F32:
            ((float *)column)[i] = wide ? (float)(int64_t)bits : (float)small * 0.25f;
            break;
        case WADI_F64:
            ((double *)column)[i] = wide ? (double)(int64_t)bits : (double)small * 0.125;
            break;
        case WADI_I16:
            ((int16_t *)column)[i] = (int16_t)(wide ? (int)(bits & 0xffff) : small);
            break;
        case WADI_I32:
            ((int32_t *)column)[i] = wide ? (int32_t)(uint32_t)bits : small;
            break;
        case WADI_U32:
            ((uint32_t *)column)[i] = wide ? (uint32_t)bits : (uint32_t)small;
            break;
        case WADI_I64:
            ((int64_t *)column)[i] = wide ? (int64_t)bits : small;
            break;
        default:
            ((uint8_t *)column)[i] = (uint8_t)bits;
            break;
        }
    }
}

static bool make_array(gen_random *r, const gen_stream *s, int p, const wadi_array *shape_of,
                       wadi_array *out) {
    int64_t size = 1;
    *out = (wadi_array){.rank = s->rank[p], .fields = 1, .type = {s->type[p]}};
    for (int d = 0; d < out->rank; d++) {
        if (s->fixed[p])
            out->shape[d] = s->shape[p][d];
        else
            out->shape[d] = shape_of ? shape_of->shape[d] : ragged_extent(r);
        size *= out->shape[d];
    }
    while (size > MAX_ELEMENT && !s->fixed[p] && !shape_of) {
        size = 1;
        for (int d = 0; d < out->rank; d++) size *= (out->shape[d] = out->shape[d] / 2);
    }
    out->column[0] = malloc((size_t)(size + 1) * 8);
    if (!out->column[0]) return false;
    fill(r, s->type[p], out->column[0], size);
    return true;
}

bool gen_input_make(uint64_t seed, const gen_stream *s, gen_input *out) {
    static const int64_t counts[] = {0, 1, 2, 3, 7, 16, 17, 40};
    gen_random r = {seed ^ 0x5bd1e995u};
    memset(out, 0, sizeof *out);
    out->count = counts[gen_below(&r, 8)];
    out->parts = s->parts;
    out->array = calloc((size_t)(out->count * s->parts + 1), sizeof *out->array);
    bool ok = out->array != NULL;
    for (int64_t i = 0; ok && i < out->count; i++)
        for (int p = 0; ok && p < s->parts; p++) {
            wadi_array *row = out->array + i * s->parts;
            ok = make_array(&r, s, p, p > 0 && s->shared ? &row[0] : NULL, &row[p]);
        }
    for (int k = 0; k < GEN_TABLE; k++) out->table_data[k] = gen_below(&r, 100) - 50;
    out->table = (wadi_array){.rank = 1,
                              .fields = 1,
                              .type = {WADI_I32},
                              .shape = {GEN_TABLE},
                              .column = {out->table_data}};
    if (!ok) gen_input_free(out);
    return ok;
}

void gen_input_free(gen_input *in) {
    if (in->array)
        for (int64_t i = 0; i < in->count * in->parts; i++) free(in->array[i].column[0]);
    free(in->array);
    memset(in, 0, sizeof *in);
}
