/* Keys of one byte are counted, and each element is placed behind those of lesser keys and those of its own key that come before it (Knuth, The Art of
 * Computer Programming 3, 5.2, algorithm D). So elements are read once and written once, whatever they are.
 *
 * A long row has parts, whose counters say where the elements of each part and key go. Workers count parts, and afterwards place them: nobody waits
 * for another, and the result does not depend on how many they are. */
#include "sched/radix/bytes.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum {
    KEYS = 256,
    SHORT = 128,   /* elements from which on they are counted: their positions fit 8 bits */
    TABLES = 4,    /* so that equal neighbours do not wait for one counter */
    MANY = 1 << 12 /* elements that are worth adding the tables up */
};

typedef struct job {
    const wadi_radix_bytes *row;
    int64_t parts;
    int64_t (*at)[KEYS]; /* for each part and key: how many, and then where the next one goes */
} job;

typedef struct pair {
    uint64_t low, high;
} pair;

static int64_t part_at(const job *j, int64_t p) {
    const int64_t n = j->row->n, over = n % j->parts;
    return n / j->parts * p + (p < over ? p : over);
}

/* ---- counting ---- */

static void count_many(const uint8_t *key, int64_t n, int64_t *at) {
    int64_t table[TABLES][KEYS] = {{0}};
    int64_t i = 0;
    for (; i + TABLES <= n; i += TABLES)
        for (int t = 0; t < TABLES; t++) table[t][key[i + t]]++;
    for (; i < n; i++) table[0][key[i]]++;
    for (int k = 0; k < KEYS; k++) {
        at[k] = 0;
        for (int t = 0; t < TABLES; t++) at[k] += table[t][k];
    }
}

static void count(const uint8_t *key, int64_t n, int64_t *at) {
    if (n >= MANY) {
        count_many(key, n, at);
        return;
    }
    memset(at, 0, KEYS * sizeof *at);
    for (int64_t i = 0; i < n; i++) at[key[i]]++;
}

static void count_parts(void *env, int worker, int64_t begin, int64_t end) {
    const job *j = env;
    WADI_UNUSED(worker);
    for (int64_t p = begin; p < end; p++)
        count(j->row->key + part_at(j, p), part_at(j, p + 1) - part_at(j, p), j->at[p]);
}

/* Key after key, and within one, part after part. */
static void lay_out(const job *j) {
    const int flip = j->row->has_sign ? KEYS / 2 : 0;
    int64_t sum = 0;
    for (int k = 0; k < KEYS; k++) {
        for (int64_t p = 0; p < j->parts; p++) {
            int64_t *at = &j->at[p][k ^ flip];
            const int64_t here = *at;
            *at = sum;
            sum += here;
        }
    }
}

/* ---- placing ---- */

#define PLACE(name, type)                                                            \
    static void place_##name(const wadi_radix_bytes *r, int64_t from, int64_t below, \
                             int64_t *at) {                                          \
        const uint8_t *key = r->key;                                                 \
        const type *x = r->from;                                                     \
        type *to = r->to;                                                            \
        for (int64_t i = from; i < below; i++) to[at[key[i]]++] = x[i];              \
    }
PLACE(1, uint8_t)
PLACE(2, uint16_t)
PLACE(4, uint32_t)
PLACE(8, uint64_t)
PLACE(16, pair)

static void place_positions(const wadi_radix_bytes *r, int64_t from, int64_t below, int64_t *at) {
    const uint8_t *key = r->key;
    int64_t *to = r->to;
    for (int64_t i = from; i < below; i++) to[at[key[i]]++] = i;
}

static void place(const wadi_radix_bytes *r, int64_t from, int64_t below, int64_t *at) {
    if (r->from == NULL)
        place_positions(r, from, below, at);
    else if (r->size == 1)
        place_1(r, from, below, at);
    else if (r->size == 2)
        place_2(r, from, below, at);
    else if (r->size == 4)
        place_4(r, from, below, at);
    else if (r->size == 8)
        place_8(r, from, below, at);
    else
        place_16(r, from, below, at);
}

static void place_parts(void *env, int worker, int64_t begin, int64_t end) {
    const job *j = env;
    WADI_UNUSED(worker);
    for (int64_t p = begin; p < end; p++) place(j->row, part_at(j, p), part_at(j, p + 1), j->at[p]);
}

/* ---- rows ---- */

/* Keys with their positions below them are sorted as numbers: 256 counters take longer. */
static bool short_row(const wadi_radix_engine *engine, const wadi_radix_bytes *r) {
    const unsigned flip = r->has_sign ? KEYS / 2 : 0;
    const size_t size = (size_t)r->size;
    uint32_t mixed[SHORT], sorted[SHORT], room[SHORT];
    int64_t *positions = r->to;
    for (unsigned i = 0; i < r->n; i++) mixed[i] = (r->key[i] ^ flip) << 8 | i;
    if (!engine->sort(&(wadi_radix_row){WADI_U32, mixed, sorted, room, r->n}, NULL)) return false;
    for (int64_t i = 0; i < r->n; i++) {
        const size_t at = sorted[i] & 0xff;
        if (r->from == NULL)
            positions[i] = (int64_t)at;
        else
            memcpy((char *)r->to + (size_t)i * size, (const char *)r->from + at * size, size);
    }
    return true;
}

static void by_one(const wadi_radix_bytes *r) {
    int64_t at[1][KEYS];
    const job j = {r, 1, at};
    count(r->key, r->n, at[0]);
    lay_out(&j);
    place(r, 0, r->n, at[0]);
}

bool wadi_radix_by_bytes(const wadi_radix_engine *engine, const wadi_radix_bytes *row,
                         wadi_pool *pool) {
    const int threads = pool != NULL && row->n >= WADI_RADIX_SHARED ? wadi_pool_threads(pool) : 1;
    if (row->n < SHORT) return short_row(engine, row);
    if (threads == 1) {
        by_one(row);
        return true;
    }
    job j = {.row = row, .parts = (int64_t)threads * 2};
    j.at = malloc((size_t)j.parts * sizeof *j.at);
    if (j.at == NULL) return false;
    wadi_pool_for(pool, j.parts, 1, count_parts, &j);
    lay_out(&j);
    wadi_pool_for(pool, j.parts, 1, place_parts, &j);
    free(j.at);
    return true;
}
