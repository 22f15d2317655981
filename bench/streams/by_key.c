/* Sums by key: how many values each key has, and their sum, behind the last element.
 *
 * wadi: fold_by_key. Peer: a hash table in C, open addressing, at most half full, which grows; one thread. Both sum in the order of the elements, so the bits
 * are compared. Few keys stay in the cache; of a million, each element misses it. One key has all elements. */
#include "bench/streams/benchmarks.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bench/streams/program.h"

typedef struct entry {
    int64_t key, count; /* count 0: free */
    double sum;
    int64_t number; /* the first key to come is 0 */
} entry;

typedef struct job {
    const char *name;
    int64_t n, keys;
    int64_t *key;
    double *value;
    entry *table;
    size_t slots, used;
} job;

/* ---- the program ---- */

typedef struct data {
    wadi_acc key, value;
} data;

static wadi_acc element(void *env, wadi_exp i) {
    const data *d = env;
    return wadi_tuple2(wadi_unit(wadi_index1(d->key, i)), wadi_unit(wadi_index1(d->value, i)));
}

static wadi_acc add(wadi_acc state, wadi_acc x) {
    const wadi_exp count = wadi_the(wadi_tuple_get(state, 0)),
                   sum = wadi_the(wadi_tuple_get(state, 1));
    return wadi_tuple2(wadi_unit(wadi_add(count, wadi_i64(1))),
                       wadi_unit(wadi_add(sum, wadi_the(wadi_tuple_get(x, 1)))));
}

static wadi_program *build(void) {
    static const char *const n[] = {"n"};
    wadi_program *p = wadi_program_create("by_key");
    if (p == NULL) return NULL;
    data d = {wadi_input("key", WADI_I64, 1, n), wadi_input("value", WADI_F64, 1, n)};
    const wadi_seq s = wadi_produce_env(wadi_extent(d.key, 0), element, &d);
    const wadi_acc zero = wadi_tuple2(wadi_unit(wadi_i64(0)), wadi_unit(wadi_f64(0)));
    const wadi_acc all = wadi_consume(wadi_tabulate(wadi_fold_by_key(add, zero, s)));
    wadi_output("keys", wadi_tuple_get(all, 0));
    wadi_output("counts", wadi_tuple_get(all, 1));
    wadi_output("sums", wadi_tuple_get(all, 2));
    return p;
}

/* ---- the table in C ---- */

static uint64_t spread(uint64_t x) {
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static entry *find(entry *table, size_t slots, int64_t key) {
    size_t at = (size_t)spread((uint64_t)key) & (slots - 1);
    while (table[at].count != 0 && table[at].key != key) at = (at + 1) & (slots - 1);
    return &table[at];
}

static bool grow(job *j) {
    const size_t slots = j->slots == 0 ? 64 : 2 * j->slots;
    entry *table = calloc(slots, sizeof *table);
    if (table == NULL) return false;
    for (size_t i = 0; i < j->slots; i++)
        if (j->table[i].count != 0) *find(table, slots, j->table[i].key) = j->table[i];
    free(j->table);
    j->table = table;
    j->slots = slots;
    return true;
}

static wadi_status run_table(void *env, double *out_seconds, wadi_error *err) {
    job *j = env;
    WADI_UNUSED(out_seconds);
    free(j->table);
    j->table = NULL;
    j->slots = j->used = 0;
    for (int64_t i = 0; i < j->n; i++) {
        if (2 * (j->used + 1) > j->slots && !grow(j))
            return wadi_fail(err, WADI_MEMORY, "out of memory");
        entry *e = find(j->table, j->slots, j->key[i]);
        if (e->count == 0) *e = (entry){.key = j->key[i], .number = (int64_t)j->used++};
        e->count++;
        e->sum += j->value[i];
    }
    return WADI_OK;
}

/* ---- all together ---- */

static wadi_status make_job(job *j, wadi_error *err) {
    uint64_t r = 1;
    j->key = calloc((size_t)j->n, sizeof *j->key);
    j->value = calloc((size_t)j->n, sizeof *j->value);
    if (!j->key || !j->value) return wadi_fail(err, WADI_MEMORY, "out of memory");
    for (int64_t i = 0; i < j->n; i++) {
        r = r * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        j->key[i] = (int64_t)spread((r >> 33) % (uint64_t)j->keys);
        j->value[i] = (double)(r >> 40) * 0x1p-24;
    }
    return WADI_OK;
}

static wadi_status same(const bench_program *p, job *j, wadi_error *err) {
    wadi_array keys, counts, sums;
    WADI_TRY(bench_program_result(p, "keys", &keys, err));
    WADI_TRY(bench_program_result(p, "counts", &counts, err));
    WADI_TRY(bench_program_result(p, "sums", &sums, err));
    bool fine = keys.shape[0] == (int64_t)j->used;
    for (int64_t i = 0; fine && i < keys.shape[0]; i++) {
        const entry *e = find(j->table, j->slots, ((const int64_t *)keys.column[0])[i]);
        fine = e->count == ((const int64_t *)counts.column[0])[i] && e->number == i &&
               memcmp(&e->sum, (const double *)sums.column[0] + i, sizeof e->sum) == 0;
    }
    return fine ? WADI_OK : wadi_fail(err, WADI_INTERNAL, "by_key: other sums than the table's");
}

static wadi_status one_case(bench *b, job *j, wadi_error *err) {
    bench_program p = {0};
    if (!bench_wants(b, j->name)) return WADI_OK;
    if (b->quick) j->n /= 1000;
    wadi_status status = make_job(j, err);
    if (status == WADI_OK) status = bench_program_open(b, build(), &p, err);
    if (status == WADI_OK) {
        bench_program_vector(&p, "key", WADI_I64, j->n, j->key);
        bench_program_vector(&p, "value", WADI_F64, j->n, j->value);
        const bench_side sides[] = {{"wadi", bench_program_run, &p}, {"C", run_table, j}};
        status = bench_compare(b, "by_key", j->name, 2, sides, NULL, err);
    }
    if (status == WADI_OK) status = same(&p, j, err);
    bench_program_close(&p);
    free(j->key);
    free(j->value);
    free(j->table);
    return status;
}

wadi_status bench_by_key(bench *b, wadi_error *err) {
    job jobs[] = {{.name = "one key", .n = 10000000, .keys = 1},
                  {.name = "thousand keys", .n = 10000000, .keys = 1000},
                  {.name = "million keys", .n = 10000000, .keys = 1000000}};
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++) WADI_TRY(one_case(b, &jobs[i], err));
    return WADI_OK;
}
