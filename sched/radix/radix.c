/* Rows are sorted by digits of keys (by_digits.h): numbers as unsigned numbers of the same order, which afterwards are numbers again. Positions are
 * sorted as numbers that hold a key and the position below it, if the two fit 64 bits; else as pairs. */
#include "sched/radix/radix.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/pages.h"
#include "sched/foreign_own.h"
#include "wadi/type.h"

enum {
    DIGITS = 2048,
    FEW = 4,          /* so many elements are sorted by insertion */
    SHORT = 24,       /* so many by counting */
    SHARED = 1 << 16, /* those from this length on by several workers */
    BLOCK = 1 << 15   /* elements that a worker converts at once */
};

/* ---- digits ---- */

static int bits_of(uint64_t x) {
    int n = 0;
    for (int step = 32; step > 0; step /= 2)
        if (x >> step != 0) {
            n += step;
            x >>= step;
        }
    return n + (x != 0);
}

/* So many that about two elements have one digit: 3 to 11. */
static int digit_bits(int64_t n) {
    const int bits = bits_of((uint64_t)n) - 2;
    return bits < 3 ? 3 : bits > 11 ? 11 : bits;
}

static int shift_of(uint64_t range, int bits) {
    const int n = bits_of(range);
    return n > bits ? n - bits : 0;
}

static int64_t chunk_at(int64_t n, int64_t chunks, int64_t c) {
    return n / chunks * c + (c < n % chunks ? c : n % chunks);
}

typedef struct pair {
    uint64_t key, at;
} pair;

#define ELEMENT uint16_t
#define KEYS uint32_t
#define KEY(e) ((uint32_t)(e))
#define NAMED(f) f##_u16
#include "sched/radix/by_digits.h"

#define ELEMENT uint32_t
#define KEYS uint32_t
#define KEY(e) (e)
#define NAMED(f) f##_u32
#include "sched/radix/by_digits.h"

#define ELEMENT uint64_t
#define KEYS uint64_t
#define KEY(e) (e)
#define NAMED(f) f##_u64
#include "sched/radix/by_digits.h"

#define ELEMENT pair
#define KEYS uint64_t
#define KEY(e) ((e).key)
#define NAMED(f) f##_pair
#include "sched/radix/by_digits.h"

/* ---- numbers as keys ---- */

static const uint32_t sign32 = (uint32_t)1 << 31;
static const uint64_t sign64 = (uint64_t)1 << 63;

/* -0 becomes +0, and NaN the greatest key. */
static uint32_t key_f32(float x) {
    uint32_t b;
    const float plus = x + 0.0f;
    memcpy(&b, &plus, sizeof b);
    b ^= (b & sign32) != 0 ? ~(uint32_t)0 : sign32;
    return x != x ? ~(uint32_t)0 : b;
}

static uint64_t key_f64(double x) {
    uint64_t b;
    const double plus = x + 0.0;
    memcpy(&b, &plus, sizeof b);
    b ^= (b & sign64) != 0 ? ~(uint64_t)0 : sign64;
    return x != x ? ~(uint64_t)0 : b;
}

static float float_of(uint32_t k) {
    float x;
    const uint32_t b = (k & sign32) != 0 ? k ^ sign32 : ~k;
    memcpy(&x, &b, sizeof x);
    return x;
}

static double double_of(uint64_t k) {
    double x;
    const uint64_t b = (k & sign64) != 0 ? k ^ sign64 : ~k;
    memcpy(&x, &b, sizeof x);
    return x;
}

/* Key number i of a row. */
static uint64_t key_at(wadi_type t, const void *row, int64_t i) {
    switch (t) {
    case WADI_BOOL:
    case WADI_U8:
        return ((const uint8_t *)row)[i];
    case WADI_I8:
        return ((const uint8_t *)row)[i] ^ 0x80u;
    case WADI_U16:
        return ((const uint16_t *)row)[i];
    case WADI_I16:
        return ((const uint16_t *)row)[i] ^ 0x8000u;
    case WADI_U32:
        return ((const uint32_t *)row)[i];
    case WADI_I32:
        return ((const uint32_t *)row)[i] ^ sign32;
    case WADI_F32:
        return key_f32(((const float *)row)[i]);
    case WADI_U64:
        return ((const uint64_t *)row)[i];
    case WADI_I64:
        return ((const uint64_t *)row)[i] ^ sign64;
    case WADI_F64:
        return key_f64(((const double *)row)[i]);
    default:
        return 0;
    }
}

/* ---- rows of numbers ---- */

typedef struct row {
    wadi_type type;
    const void *from;
    void *to;
    int64_t n;
} row;

#define FOR(i) for (int64_t i = begin; i < end; i++)

/* Numbers [begin, end) as keys of the same width. */
static void to_keys(const row *r, int64_t begin, int64_t end) {
    const float *f = r->from;
    const double *d = r->from;
    switch (r->type) {
    case WADI_I16:
        FOR(i)((uint16_t *)r->to)[i] = (uint16_t)(((const uint16_t *)r->from)[i] ^ 0x8000u);
        return;
    case WADI_I32:
        FOR(i)((uint32_t *)r->to)[i] = ((const uint32_t *)r->from)[i] ^ sign32;
        return;
    case WADI_I64:
        FOR(i)((uint64_t *)r->to)[i] = ((const uint64_t *)r->from)[i] ^ sign64;
        return;
    case WADI_F32:
        FOR(i)((uint32_t *)r->to)[i] = key_f32(f[i]);
        return;
    case WADI_F64:
        FOR(i)((uint64_t *)r->to)[i] = key_f64(d[i]);
        return;
    default: {
        const size_t size = (size_t)wadi_type_size(r->type);
        memcpy((char *)r->to + (size_t)begin * size, (const char *)r->from + (size_t)begin * size,
               (size_t)(end - begin) * size);
    }
    }
}

/* And back, in place. */
static void to_numbers(const row *r, int64_t begin, int64_t end) {
    void *to = r->to;
    switch (r->type) {
    case WADI_I16:
        FOR(i)((uint16_t *)to)[i] = (uint16_t)(((uint16_t *)to)[i] ^ 0x8000u);
        return;
    case WADI_I32:
        FOR(i)((uint32_t *)to)[i] ^= sign32;
        return;
    case WADI_I64:
        FOR(i)((uint64_t *)to)[i] ^= sign64;
        return;
    case WADI_F32:
        FOR(i) {
            const float x = float_of(((uint32_t *)to)[i]);
            memcpy((float *)to + i, &x, sizeof x);
        }
        return;
    case WADI_F64:
        FOR(i) {
            const double x = double_of(((uint64_t *)to)[i]);
            memcpy((double *)to + i, &x, sizeof x);
        }
        return;
    default:
        return;
    }
}

static void keys_of_blocks(void *env, int worker, int64_t begin, int64_t end) {
    const row *r = env;
    WADI_UNUSED(worker);
    to_keys(r, begin * BLOCK, end * BLOCK < r->n ? end * BLOCK : r->n);
}

static void numbers_of_blocks(void *env, int worker, int64_t begin, int64_t end) {
    const row *r = env;
    WADI_UNUSED(worker);
    to_numbers(r, begin * BLOCK, end * BLOCK < r->n ? end * BLOCK : r->n);
}

static void by_blocks(wadi_pool *pool, int64_t n, wadi_pool_fn fn, void *env) {
    const int64_t blocks = (n + BLOCK - 1) / BLOCK;
    if (pool != NULL && n >= SHARED)
        wadi_pool_for(pool, blocks, 1, fn, env);
    else
        fn(env, 0, 0, blocks);
}

/* One byte each: counting is enough. */
static void sort_bytes(const row *r) {
    const unsigned flip = r->type == WADI_I8 ? 0x80 : 0;
    int64_t count[256] = {0};
    uint8_t *to = r->to;
    for (int64_t i = 0; i < r->n; i++) count[((const uint8_t *)r->from)[i] ^ flip]++;
    for (unsigned k = 0; k < 256; to += count[k++]) memset(to, (int)(k ^ flip), (size_t)count[k]);
}

/* The first place from which on keys are `key` or more. */
static int64_t first_at(const row *r, bool (*before)(const void *, int64_t)) {
    int64_t low = 0, high = r->n;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (before(r->to, middle))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool f32_is_less(const void *a, int64_t i) {
    return ((const float *)a)[i] < 0;
}

static bool f64_is_less(const void *a, int64_t i) {
    return ((const double *)a)[i] < 0;
}

/* Zeros of both signs are equal: they come in the order of the source. The keys had one sign. */
static void order_zeros(const row *r) {
    if (r->type == WADI_F32) {
        const float *from = r->from;
        float *to = (float *)r->to + first_at(r, f32_is_less);
        for (int64_t i = 0; i < r->n; i++)
            if (from[i] == 0) *to++ = from[i];
    } else {
        const double *from = r->from;
        double *to = (double *)r->to + first_at(r, f64_is_less);
        for (int64_t i = 0; i < r->n; i++)
            if (from[i] == 0) *to++ = from[i];
    }
}

typedef struct zeros {
    const row *r;
    atomic_bool found; /* a -0 */
} zeros;

static void find_minus_zero(void *env, int worker, int64_t begin, int64_t end) {
    zeros *z = env;
    const row *r = z->r;
    WADI_UNUSED(worker);
    const int64_t to = end * BLOCK < r->n ? end * BLOCK : r->n;
    unsigned found = 0;
    if (r->type == WADI_F32)
        for (int64_t i = begin * BLOCK; i < to; i++)
            found |= ((const uint32_t *)r->from)[i] == sign32;
    else
        for (int64_t i = begin * BLOCK; i < to; i++)
            found |= ((const uint64_t *)r->from)[i] == sign64;
    if (found) atomic_store(&z->found, true);
}

static bool sort_keys(const row *r, void *room, wadi_pool *pool) {
    switch (wadi_type_size(r->type)) {
    case 2:
        return sort_by_all_u16(pool, r->to, room, r->n);
    case 4:
        return sort_by_all_u32(pool, r->to, room, r->n);
    default:
        return sort_by_all_u64(pool, r->to, room, r->n);
    }
}

static bool sort_row(row *r, void *room, wadi_pool *pool) {
    if (wadi_type_size(r->type) == 1) {
        sort_bytes(r);
        return true;
    }
    by_blocks(pool, r->n, keys_of_blocks, r);
    if (!sort_keys(r, room, pool)) return false;
    by_blocks(pool, r->n, numbers_of_blocks, r);
    if (r->type != WADI_F32 && r->type != WADI_F64) return true;
    zeros z = {.r = r};
    by_blocks(pool, r->n, find_minus_zero, &z);
    if (atomic_load(&z.found)) order_zeros(r);
    return true;
}

/* ---- positions ---- */

/* Memory for rows of one length; what is not needed is NULL. */
typedef struct rooms {
    int64_t n;
    uint64_t *a, *b; /* [n] */
    pair *p, *q;     /* [n] */
} rooms;

typedef struct ranking {
    wadi_type type;
    const void *from;
    int64_t n;
    int64_t *to;
    uint64_t low; /* the least key */
    int bits;     /* of a position */
    rooms *rooms;
} ranking;

static int64_t end_of(const ranking *r, int64_t end) {
    return end * BLOCK < r->n ? end * BLOCK : r->n;
}

static void find_keys(void *env, int worker, int64_t begin, int64_t end) {
    const ranking *r = env;
    WADI_UNUSED(worker);
    const int64_t to = end_of(r, end);
    const wadi_type t = r->type;
    for (int64_t i = begin * BLOCK; i < to; i++) r->rooms->a[i] = key_at(t, r->from, i);
}

static void pack(void *env, int worker, int64_t begin, int64_t end) {
    const ranking *r = env;
    WADI_UNUSED(worker);
    const int64_t to = end_of(r, end);
    for (int64_t i = begin * BLOCK; i < to; i++)
        r->rooms->a[i] = (r->rooms->a[i] - r->low) << r->bits | (uint64_t)i;
}

static void unpack(void *env, int worker, int64_t begin, int64_t end) {
    const ranking *r = env;
    WADI_UNUSED(worker);
    const uint64_t mask = ((uint64_t)1 << r->bits) - 1;
    const int64_t to = end_of(r, end);
    for (int64_t i = begin * BLOCK; i < to; i++) r->to[i] = (int64_t)(r->rooms->a[i] & mask);
}

static void make_pairs(void *env, int worker, int64_t begin, int64_t end) {
    const ranking *r = env;
    WADI_UNUSED(worker);
    const int64_t to = end_of(r, end);
    for (int64_t i = begin * BLOCK; i < to; i++)
        r->rooms->p[i] = (pair){r->rooms->a[i], (uint64_t)i};
}

static void positions_of_pairs(void *env, int worker, int64_t begin, int64_t end) {
    const ranking *r = env;
    WADI_UNUSED(worker);
    const int64_t to = end_of(r, end);
    for (int64_t i = begin * BLOCK; i < to; i++) r->to[i] = (int64_t)r->rooms->p[i].at;
}

static bool rank_pairs(ranking *r, wadi_pool *pool) {
    rooms *o = r->rooms;
    if (o->p == NULL) o->p = wadi_pages_take(64, (size_t)r->n * sizeof *o->p);
    if (o->q == NULL) o->q = wadi_pages_take(64, (size_t)r->n * sizeof *o->q);
    if (o->p == NULL || o->q == NULL) return false;
    by_blocks(pool, r->n, make_pairs, r);
    if (!sort_by_all_pair(pool, o->p, o->q, r->n)) return false;
    by_blocks(pool, r->n, positions_of_pairs, r);
    return true;
}

static bool rank_row(ranking *r, wadi_pool *pool) {
    rooms *o = r->rooms;
    by_blocks(pool, r->n, find_keys, r);
    const span_u64 s = look_u64(o->a, r->n);
    if (s.in_order) {
        for (int64_t i = 0; i < r->n; i++) r->to[i] = i;
        return true;
    }
    r->low = s.low;
    r->bits = bits_of((uint64_t)r->n - 1);
    if (bits_of(s.high - s.low) + r->bits > 64) return rank_pairs(r, pool);
    by_blocks(pool, r->n, pack, r);
    if (!sort_by_all_u64(pool, o->a, o->b, r->n)) return false;
    by_blocks(pool, r->n, unpack, r);
    return true;
}

/* ---- calls ---- */

static bool is_named(const char *name, const char *routine) {
    return strlen(routine) == wadi_foreign_stem(name) &&
           strncmp(name, routine, strlen(routine)) == 0;
}

bool wadi_radix_has(const char *name) {
    return is_named(name, "sort") || is_named(name, "argsort");
}

bool wadi_radix_shares(const wadi_call *call) {
    const wadi_call_array *a = &call->array[0];
    return wadi_radix_has(call->routine) && a->rank == 1 && a->shape[0] >= SHARED;
}

/* Where a problem's elements begin. */
static char *problem_of(const wadi_call_array *a, int64_t p) {
    const int64_t at = a->start != NULL ? a->start[p] : p * a->distance;
    return (char *)a->data + at * wadi_type_size((wadi_type)a->type);
}

static bool fits(const wadi_call *call, bool numbers) {
    const wadi_call_array *a = &call->array[0], *to = &call->array[1];
    const wadi_type t = (wadi_type)a->type;
    return call->nin == 1 && call->nout == 1 && a->rank == 1 && to->rank == 1 &&
           a->shape[0] == to->shape[0] && t >= WADI_BOOL && t <= WADI_F64 &&
           to->type == (int32_t)(numbers ? t : WADI_I64);
}

static bool rank_rows(const wadi_call *call, rooms *o, wadi_pool *pool) {
    const wadi_call_array *a = &call->array[0], *to = &call->array[1];
    for (int64_t p = 0; p < call->count; p++) {
        ranking r = {.type = (wadi_type)a->type, .from = problem_of(a, p), .n = o->n, .rooms = o};
        r.to = (int64_t *)(void *)problem_of(to, p);
        if (!rank_row(&r, pool)) return false;
    }
    return true;
}

static bool sort_rows(const wadi_call *call, rooms *o, wadi_pool *pool) {
    const wadi_call_array *a = &call->array[0], *to = &call->array[1];
    for (int64_t p = 0; p < call->count; p++) {
        row r = {(wadi_type)a->type, problem_of(a, p), problem_of(to, p), o->n};
        if (!sort_row(&r, o->b, pool)) return false;
    }
    return true;
}

bool wadi_radix_run(const wadi_call *call, wadi_pool *pool) {
    const bool numbers = is_named(call->routine, "sort");
    if (!fits(call, numbers)) return false;
    rooms o = {.n = call->array[0].shape[0]};
    if (o.n == 0) return true;
    const size_t bytes = (size_t)o.n * sizeof(uint64_t);
    o.b = wadi_pages_take(64, bytes);
    if (!numbers) o.a = wadi_pages_take(64, bytes);
    const bool fine = o.b != NULL && (numbers || o.a != NULL) &&
                      (numbers ? sort_rows(call, &o, pool) : rank_rows(call, &o, pool));
    free(o.a);
    free(o.b);
    free(o.p);
    free(o.q);
    return fine;
}
