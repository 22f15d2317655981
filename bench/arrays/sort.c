/* Sorting vectors, ranking them, and choosing their greatest, against numpy, polars, a radix sort in C and the C library's qsort.
 *
 *     bench_sort [options]
 *
 * numpy needs `pip install numpy`, and has one thread; polars needs `pip install polars`, and has all. The radix sort has one as well: from the lowest digit to the highest, 11 bits each, all digits counted in
 * one pass. Results are compared before anything is timed. Lines and table are those of bench_streams (bench/streams/report.h). */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bench/streams/child.h"
#include "bench/streams/command.h"
#include "bench/streams/program.h"

/* ---- numbers ---- */

static uint64_t mixed(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static void fill(const char *way, wadi_type t, int64_t n, void *to) {
    for (int64_t i = 0; i < n; i++) {
        const uint64_t x = mixed((uint64_t)i + 1);
        const double unit = (double)(x >> 11) * 0x1p-53;
        const bool far = strcmp(way, "far") == 0; /* one of fifty far from the others */
        const double value = strcmp(way, "few") == 0      ? (double)(x % 10)
                             : strcmp(way, "sorted") == 0 ? (double)i
                                                          : unit;
        if (t == WADI_F64) ((double *)to)[i] = value;
        if (t == WADI_F32) ((float *)to)[i] = (float)(x >> 40) * 0x1p-24F;
        if (t == WADI_I64)
            ((int64_t *)to)[i] = (int64_t)(far && x % 50 != 0 ? (x >> 32) % 1000000 : x);
        if (t == WADI_I32) ((int32_t *)to)[i] = (int32_t)(x >> 32);
    }
}

/* ---- the radix sort in C ---- */

enum { BITS = 11, DIGITS = 1 << BITS, PASSES = 6 };

#define DIGIT(k, pass) ((k) >> (pass)*BITS & (DIGITS - 1))

/* Sorts keys of `passes` digits, between `a` and `b`; returns where they are. */
#define RADIX(NAME, KEY)                                                          \
    static KEY *NAME(int64_t n, int passes, KEY *a, KEY *b) {                     \
        static int64_t count[PASSES][DIGITS];                                     \
        memset(count, 0, sizeof count);                                           \
        for (int64_t i = 0; i < n; i++)                                           \
            for (int p = 0; p < passes; p++) count[p][DIGIT(a[i], p)]++;          \
        for (int p = 0; p < passes; p++) {                                        \
            int64_t sum = 0;                                                      \
            if (n > 0 && count[p][DIGIT(a[0], p)] == n) continue;                 \
            for (int d = 0; d < DIGITS; d++) {                                    \
                const int64_t here = count[p][d];                                 \
                count[p][d] = sum;                                                \
                sum += here;                                                      \
            }                                                                     \
            for (int64_t i = 0; i < n; i++) b[count[p][DIGIT(a[i], p)]++] = a[i]; \
            KEY *t = a;                                                           \
            a = b;                                                                \
            b = t;                                                                \
        }                                                                         \
        return a;                                                                 \
    }
RADIX(radix_32, uint32_t)
RADIX(radix_64, uint64_t)

enum { CHOSEN = 100 };
typedef enum task { SORT, RANK, RECORDS, LARGEST } task;

typedef struct job {
    const char *way;
    wadi_type type;
    task task;
    int64_t n;
    size_t size;
    void *in, *out, *room;
    int64_t *at; /* 0 .. n - 1 */
    bench_program program;
    bench_child *quick, *stable, *polars;
} job;

/* Bits as numbers of the same order, and back: floats that are no NaN. */
static uint32_t flip_32(uint32_t x, bool is_float, bool back) {
    const uint32_t sign = (uint32_t)1 << 31, negative = back ? ~x & sign : x & sign;
    return is_float && negative ? ~x : x ^ sign;
}

static uint64_t flip_64(uint64_t x, bool is_float, bool back) {
    const uint64_t sign = (uint64_t)1 << 63, negative = back ? ~x & sign : x & sign;
    return is_float && negative ? ~x : x ^ sign;
}

static wadi_status run_radix(void *env, double *out_seconds, wadi_error *err) {
    job *j = env;
    const bool is_float = j->type == WADI_F32 || j->type == WADI_F64;
    WADI_UNUSED(out_seconds);
    WADI_UNUSED(err);
    if (j->size == 4) {
        uint32_t *out = j->out;
        for (int64_t i = 0; i < j->n; i++)
            out[i] = flip_32(((const uint32_t *)j->in)[i], is_float, false);
        const uint32_t *from = radix_32(j->n, 3, out, j->room);
        for (int64_t i = 0; i < j->n; i++) out[i] = flip_32(from[i], is_float, true);
    } else {
        uint64_t *out = j->out;
        for (int64_t i = 0; i < j->n; i++)
            out[i] = flip_64(((const uint64_t *)j->in)[i], is_float, false);
        const uint64_t *from = radix_64(j->n, 6, out, j->room);
        for (int64_t i = 0; i < j->n; i++) out[i] = flip_64(from[i], is_float, true);
    }
    return WADI_OK;
}

/* ---- qsort ---- */

static int less_f64(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static wadi_status run_qsort(void *env, double *out_seconds, wadi_error *err) {
    job *j = env;
    WADI_UNUSED(out_seconds);
    WADI_UNUSED(err);
    memcpy(j->out, j->in, (size_t)j->n * j->size);
    qsort(j->out, (size_t)j->n, j->size, less_f64);
    return WADI_OK;
}

/* ---- all together ---- */

static wadi_exp record(wadi_exp key, wadi_exp at) {
    return wadi_rec2("key", key, "at", at);
}

static wadi_exp key_of(wadi_exp r) {
    return wadi_get(r, "key");
}

static wadi_exp place_of(wadi_exp r) {
    return wadi_get(r, "at");
}

static wadi_program *program_of(const job *j) {
    static const char *const extents[] = {"n"};
    wadi_program *p = wadi_program_create("sorting");
    if (p == NULL) return NULL;
    const wadi_acc x = wadi_input("x", j->type, 1, extents);
    if (j->task == SORT) wadi_output("y", wadi_sort(x));
    if (j->task == RANK) wadi_output("y", wadi_argsort(x));
    if (j->task == LARGEST) wadi_output("y", wadi_tuple_get(wadi_largest(wadi_i64(CHOSEN), x), 1));
    if (j->task == RECORDS) {
        const wadi_acc at = wadi_input("at", WADI_I64, 1, extents);
        const wadi_acc sorted = wadi_sort_by_key(key_of, wadi_zip_with(record, x, at));
        wadi_output("y", wadi_map(place_of, sorted));
        wadi_output("keys", wadi_map(key_of, sorted));
    }
    return p;
}

static bool is_less(const job *j, const void *column, int64_t a, int64_t b) {
    switch (j->type) {
    case WADI_F64:
        return ((const double *)column)[a] < ((const double *)column)[b];
    case WADI_F32:
        return ((const float *)column)[a] < ((const float *)column)[b];
    case WADI_I64:
        return ((const int64_t *)column)[a] < ((const int64_t *)column)[b];
    default:
        return ((const int32_t *)column)[a] < ((const int32_t *)column)[b];
    }
}

/* Positions of equal numbers ascend; no number comes before a less one, or before a greater one if the greatest are asked for. */
static wadi_status check_positions(const job *j, const int64_t *at, int64_t n, wadi_error *err) {
    for (int64_t i = 1; i < n; i++) {
        const int64_t a = j->task == LARGEST ? at[i] : at[i - 1],
                      b = j->task == LARGEST ? at[i - 1] : at[i];
        if (is_less(j, j->in, b, a) || (!is_less(j, j->in, a, b) && at[i - 1] >= at[i]))
            return wadi_fail(err, WADI_INTERNAL, "place %lld is wrong", (long long)i);
    }
    return WADI_OK;
}

/* As many are greater than the last one as come before it. */
static wadi_status check_greatest(const job *j, const int64_t *at, int64_t n, wadi_error *err) {
    int64_t greater = 0;
    for (int64_t i = 0; i < j->n; i++) greater += is_less(j, j->in, at[n - 1], i);
    return greater < n ? WADI_OK : wadi_fail(err, WADI_INTERNAL, "a greater one is left out");
}

/* The result is what the radix sort makes; positions are in order. */
static wadi_status check(job *j, wadi_error *err) {
    double unused = -1;
    wadi_array got, keys;
    WADI_TRY(bench_program_run(&j->program, &unused, err));
    WADI_TRY(bench_program_result(&j->program, "y", &got, err));
    if (j->task != SORT) WADI_TRY(check_positions(j, got.column[0], got.shape[0], err));
    if (j->task == LARGEST) return check_greatest(j, got.column[0], got.shape[0], err);
    if (j->task == RANK) return WADI_OK;
    if (j->task == RECORDS) WADI_TRY(bench_program_result(&j->program, "keys", &keys, err));
    if (j->task == RECORDS) got = keys;
    WADI_TRY(run_radix(j, &unused, err));
    return memcmp(got.column[0], j->out, (size_t)j->n * j->size) == 0
               ? WADI_OK
               : wadi_fail(err, WADI_INTERNAL, "sort: results differ");
}

static const char *const tasks[] = {"sort", "argsort", "records", "largest"};

static wadi_status open_peer(const bench *b, const job *j, const char *kind, bench_child **out,
                             wadi_error *err) {
    char n[24];
    wadi_error why = {0};
    (void)snprintf(n, sizeof n, "%lld", (long long)j->n);
    const char *const argv[] = {b->python,
                                WADI_BENCH_ARRAYS "/peers.py",
                                tasks[j->task],
                                kind,
                                wadi_type_name(j->type),
                                j->way,
                                n,
                                NULL};
    const wadi_status status = bench_child_open(argv, out, &why);
    if (status == WADI_OK) return WADI_OK;
    if (status != WADI_UNSUPPORTED) return wadi_fail(err, status, "%s", why.msg);
    bench_say(b, "skipping %s: %s", kind, why.msg);
    return WADI_OK;
}

static wadi_status prepare(const bench *b, job *j, wadi_error *err) {
    const size_t bytes = ((size_t)j->n + 1) * sizeof(int64_t);
    j->in = malloc(bytes);
    j->out = malloc(bytes);
    j->room = malloc(bytes);
    j->at = malloc(bytes);
    if (!j->in || !j->out || !j->room || !j->at)
        return wadi_fail(err, WADI_MEMORY, "out of memory");
    fill(j->way, j->type, j->n, j->in);
    WADI_TRY(bench_program_open(b, program_of(j), &j->program, err));
    bench_program_vector(&j->program, "x", j->type, j->n, j->in);
    if (j->task == RECORDS) {
        for (int64_t i = 0; i < j->n; i++) j->at[i] = i;
        bench_program_vector(&j->program, "at", WADI_I64, j->n, j->at);
    }
    WADI_TRY(open_peer(b, j, "quicksort", &j->quick, err));
    if (j->task == SORT || j->task == RANK) WADI_TRY(open_peer(b, j, "stable", &j->stable, err));
    return open_peer(b, j, "polars", &j->polars, err);
}

static wadi_status compare(bench *b, const char *name, job *j, wadi_error *err) {
    WADI_TRY(prepare(b, j, err));
    WADI_TRY(check(j, err));
    const bool slow = j->task != SORT || j->type != WADI_F64 || j->n > 1000000;
    const bench_side side[] = {
        {"wadi", bench_program_run, &j->program},
        {"numpy quicksort", j->quick != NULL ? bench_child_run : NULL, j->quick},
        {"numpy stable", j->stable != NULL ? bench_child_run : NULL, j->stable},
        {"polars", j->polars != NULL ? bench_child_run : NULL, j->polars},
        {"C radix sort", j->task == SORT ? run_radix : NULL, j},
        {"C qsort", slow ? NULL : run_qsort, j}};
    return bench_compare(b, "sort", name, 6, side, NULL, err);
}

typedef struct sort_case {
    const char *name;
    const char *way;
    wadi_type type;
    int64_t n;
    task task;
} sort_case;

static const sort_case cases[] = {
    {"f64, 1 M", "any", WADI_F64, 1000000, SORT},
    {"f64, 1 M, ten values", "few", WADI_F64, 1000000, SORT},
    {"f64, 1 M, sorted", "sorted", WADI_F64, 1000000, SORT},
    {"i64, 1 M", "any", WADI_I64, 1000000, SORT},
    {"i32, 1 M", "any", WADI_I32, 1000000, SORT},
    {"f32, 1 M", "any", WADI_F32, 1000000, SORT},
    {"f64, 1 M, argsort", "any", WADI_F64, 1000000, RANK},
    {"i32, 1 M, argsort", "any", WADI_I32, 1000000, RANK},
    {"f32, 10 M", "any", WADI_F32, 10000000, SORT},
    {"f64, 10 M", "any", WADI_F64, 10000000, SORT},
    {"i32, 10 M", "any", WADI_I32, 10000000, SORT},
    {"i64, 10 M", "any", WADI_I64, 10000000, SORT},
    {"records by i64, 10 M", "any", WADI_I64, 10000000, RECORDS},
    {"f64, 10 M, argsort", "any", WADI_F64, 10000000, RANK},
    {"i64, 10 M, argsort, far ones", "far", WADI_I64, 10000000, RANK},
    {"f32, 10 M, largest 100", "any", WADI_F32, 10000000, LARGEST},
    {"f64, 10 M, largest 100", "any", WADI_F64, 10000000, LARGEST},
};

static wadi_status one_case(bench *b, const sort_case *c, wadi_error *err) {
    if (!bench_wants(b, c->name)) return WADI_OK;
    job j = {.way = c->way,
             .type = c->type,
             .task = c->task,
             .n = b->quick ? c->n / 1000 : c->n,
             .size = (size_t)wadi_type_size(c->type)};
    const wadi_status status = compare(b, c->name, &j, err);
    bench_program_close(&j.program);
    bench_child_close(j.quick);
    bench_child_close(j.stable);
    bench_child_close(j.polars);
    free(j.in);
    free(j.out);
    free(j.room);
    free(j.at);

    return status;
}

static wadi_status bench_sort(bench *b, wadi_error *err) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) WADI_TRY(one_case(b, &cases[i], err));
    return WADI_OK;
}

static const bench_entry benchmarks[] = {
    {"sort", bench_sort, "vectors sorted, ranked, and their greatest"}, {NULL, NULL, NULL}};

static const char usage[] =
    "usage: bench_sort [options]\n"
    "  --case TEXT        cases whose name contains it\n"
    "  --quick            tiny sizes: checks results, measures nothing\n"
    "  --runs N           timed rounds at least\n"
    "  --threads N        for wadi; default: one per processor\n"
    "  --python PROGRAM   Python with numpy and polars; default: WADI_BENCH_PYTHON or python3\n";

int main(int argc, char **argv) {
    const bench_command command = {"bench_sort", usage, benchmarks, NULL};
    return bench_command_run(&command, argc, argv);
}
