/* Quicksort as a program of the language: an awhile that partitions all segments of an array at once, until it is sorted.
 *
 * One step: the middle element of each segment is its pivot; scans count, for every element, the smaller and the equal ones before it,
 * which gives its place in the segment; a permute moves it there. A segment then falls into three: smaller, equal, greater.
 *
 * wadi: the streaming form sorts one row per element of a stream, so that the awhile is lifted: rows finish after different
 * numbers of steps. It leaves segments of SHORT elements, as the peer does: the place of an element in such a segment is the number of those
 * that belong before it. A second form has partitions alone. The whole-array form is the same loop over all rows as the first segments of one array, which is what
 * one would write by hand. Peer: a quicksort in C on each row, with OpenMP, which moves each element far fewer times. */
#include "bench/streams/benchmarks.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bench/streams/program.h"
#include "bench/streams/rows.h"

/* ---- the program ---- */

/* Per element: its value, where its segment starts and how long it is. */
typedef struct state {
    wadi_acc x, start, length;
} state;

static state unpack(wadi_acc tuple) {
    return (state){wadi_tuple_get(tuple, 0), wadi_tuple_get(tuple, 1), wadi_tuple_get(tuple, 2)};
}

static wadi_acc pack(state s) {
    const wadi_acc parts[] = {s.x, s.start, s.length};
    return wadi_tuple(3, parts);
}

static wadi_exp i64(wadi_exp e) {
    return wadi_convert(WADI_I64, e);
}

enum { SHORT = 32 };

static wadi_exp is_long(const state *s, wadi_exp i) {
    return wadi_gt(wadi_index1(s->length, i), wadi_i64(SHORT));
}

/* An element that is greater than the next one of its segment. */
static wadi_exp out_of_order(void *env, wadi_ix ix) {
    const state *s = env;
    const wadi_exp i = ix.at[0], next = wadi_add(i, wadi_i64(1));
    const wadi_exp last = wadi_add(wadi_index1(s->start, i), wadi_index1(s->length, i));
    return wadi_land(wadi_lt(next, last), wadi_gt(wadi_index1(s->x, i), wadi_index1(s->x, next)));
}

static wadi_exp out_of_long_order(void *env, wadi_ix ix) {
    return wadi_land(is_long(env, ix.at[0]), out_of_order(env, ix));
}

static wadi_acc any_pair(wadi_acc tuple, wadi_exp (*test)(void *env, wadi_ix ix)) {
    state s = unpack(tuple);
    const wadi_exp pairs = wadi_max(wadi_i64(0), wadi_sub(wadi_extent(s.x, 0), wadi_i64(1)));
    return wadi_fold(wadi_lor, wadi_bool(false), wadi_generate_env(wadi_ix1(pairs), test, &s));
}

static wadi_acc unsorted(wadi_acc tuple) {
    return any_pair(tuple, out_of_order);
}

static wadi_acc unsorted_long(wadi_acc tuple) {
    return any_pair(tuple, out_of_long_order);
}

static wadi_exp pivot_of(void *env, wadi_exp start, wadi_exp length) {
    const state *s = env;
    return wadi_index1(s->x, wadi_add(start, wadi_quot(length, wadi_i64(2))));
}

static wadi_exp is_less(wadi_exp x, wadi_exp pivot) {
    return i64(wadi_lt(x, pivot));
}

static wadi_exp is_equal(wadi_exp x, wadi_exp pivot) {
    return i64(wadi_eq(x, pivot));
}

/* How many elements come before position i of the array and are smaller than, or equal to, the pivots of their segments. */
typedef struct counts {
    state s;
    wadi_acc pivot, less, equal;
} counts;

static wadi_acc count(wadi_acc flags) {
    return wadi_compute(wadi_scanl(wadi_add, wadi_i64(0), flags));
}

/* {target, start, length} of element i. */
static wadi_exp placed(void *env, wadi_ix ix) {
    const counts *c = env;
    const wadi_exp i = ix.at[0], start = wadi_index1(c->s.start, i),
                   length = wadi_index1(c->s.length, i), end = wadi_add(start, length);
    const wadi_exp x = wadi_index1(c->s.x, i), pivot = wadi_index1(c->pivot, i);
    const wadi_exp less0 = wadi_index1(c->less, start), equal0 = wadi_index1(c->equal, start);
    const wadi_exp less = wadi_sub(wadi_index1(c->less, i), less0),
                   equal = wadi_sub(wadi_index1(c->equal, i), equal0);
    const wadi_exp all_less = wadi_sub(wadi_index1(c->less, end), less0),
                   all_equal = wadi_sub(wadi_index1(c->equal, end), equal0);
    const wadi_exp greater = wadi_sub(wadi_sub(wadi_sub(i, start), less), equal);
    const wadi_exp second = wadi_add(start, all_less), third = wadi_add(second, all_equal);
    const char *const fields[] = {"target", "start", "length"};
    const wadi_exp low[] = {wadi_add(start, less), start, all_less},
                   same[] = {wadi_add(second, equal), second, all_equal},
                   high[] = {wadi_add(third, greater), third,
                             wadi_sub(wadi_sub(length, all_less), all_equal)};
    return wadi_cond(
        wadi_lt(x, pivot), wadi_rec(3, fields, low),
        wadi_cond(wadi_eq(x, pivot), wadi_rec(3, fields, same), wadi_rec(3, fields, high)));
}

static wadi_exp newer(void *env, wadi_exp fresh, wadi_exp old) {
    (void)env;
    (void)old;
    return fresh;
}

static wadi_ix target(void *env, wadi_ix ix) {
    return wadi_ix1(wadi_get(wadi_index1(*(const wadi_acc *)env, ix.at[0]), "target"));
}

static wadi_exp field(void *env, wadi_exp record) {
    return wadi_get(record, env);
}

static char start_name[] = "start", length_name[] = "length";

static wadi_acc partition(wadi_acc tuple) {
    counts c = {.s = unpack(tuple)};
    c.pivot = wadi_compute(wadi_zip_with_env(pivot_of, &c.s, c.s.start, c.s.length));
    c.less = count(wadi_zip_with(is_less, c.s.x, c.pivot));
    c.equal = count(wadi_zip_with(is_equal, c.s.x, c.pivot));
    wadi_acc places = wadi_compute(wadi_generate_env(wadi_ix1(wadi_extent(c.s.x, 0)), placed, &c));
    const state next = {wadi_permute_env(newer, c.s.x, target, &places, c.s.x),
                        wadi_permute_env(newer, c.s.start, target, &places,
                                         wadi_map_env(field, start_name, places)),
                        wadi_permute_env(newer, c.s.length, target, &places,
                                         wadi_map_env(field, length_name, places))};
    return pack(next);
}

static wadi_acc sorted(state s) {
    return wadi_tuple_get(wadi_awhile(unsorted, partition, pack(s)), 0);
}

static state of_row(wadi_acc row) {
    const wadi_exp n = wadi_extent(row, 0);
    return (state){row, wadi_fill(wadi_ix1(n), wadi_i64(0)), wadi_fill(wadi_ix1(n), n)};
}

static wadi_acc sort_row(wadi_acc row) {
    return sorted(of_row(row));
}

/* ---- short segments by counting ---- */

/* The state, its values with SHORT more behind them, so that whoever looks at SHORT elements from any start stays inside; ranks. */
typedef struct counted {
    state s;
    wadi_acc padded, ranks;
} counted;

/* 1 if element k of the segment of element i belongs before it: it is smaller, or equal and stands before it. */
static wadi_exp before(void *env, wadi_ix ix) {
    const counted *c = env;
    const state *s = &c->s;
    const wadi_exp i = ix.at[0];
    const wadi_exp k = wadi_add(wadi_index1(s->start, i), ix.at[1]),
                   end = wadi_add(wadi_index1(s->start, i), wadi_index1(s->length, i));
    const wadi_exp x = wadi_index1(s->x, i), other = wadi_index1(c->padded, k);
    const wadi_exp first = wadi_lor(wadi_lt(other, x), wadi_land(wadi_eq(other, x), wadi_lt(k, i)));
    return wadi_cond(wadi_lt(k, end), i64(first), wadi_i64(0));
}

static wadi_exp counted_place(void *env, wadi_ix ix) {
    const counted *c = env;
    const wadi_exp i = ix.at[0];
    return wadi_cond(is_long(&c->s, i), i,
                     wadi_add(wadi_index1(c->s.start, i), wadi_index1(c->ranks, i)));
}

static wadi_ix place_at(void *env, wadi_ix ix) {
    return wadi_ix1(wadi_index1(*(const wadi_acc *)env, ix.at[0]));
}

static wadi_acc sort_row_short(wadi_acc row) {
    counted c = {.s = unpack(wadi_awhile(unsorted_long, partition, pack(of_row(row))))};
    const wadi_exp n = wadi_extent(c.s.x, 0);
    c.padded = wadi_compute(wadi_concat(c.s.x, wadi_fill(wadi_ix1(wadi_i64(SHORT)), wadi_f64(0))));
    c.ranks = wadi_fold(wadi_add, wadi_i64(0),
                        wadi_generate_env(wadi_ix2(n, wadi_i64(SHORT)), before, &c));
    wadi_acc places = wadi_generate_env(wadi_ix1(n), counted_place, &c);
    return wadi_permute_env(newer, c.s.x, place_at, &places, c.s.x);
}

static wadi_acc vector(const char *name, wadi_type type, const char *extent) {
    const char *const extents[] = {extent};
    return wadi_input(name, type, 1, extents);
}

static wadi_program *streaming(const char *name, wadi_acc (*sort)(wadi_acc)) {
    wadi_program *p = wadi_program_create(name);
    if (p == NULL) return NULL;
    const wadi_seq rows =
        wadi_from_offsets(vector("offsets", WADI_I64, "m"), vector("values", WADI_F64, "n"));
    wadi_output("sorted", wadi_consume(wadi_elements(wadi_map_seq(sort, rows))));
    return p;
}

static wadi_program *whole(void) {
    wadi_program *p = wadi_program_create("quicksort_whole");
    if (p == NULL) return NULL;
    const state s = {vector("values", WADI_F64, "n"), vector("starts", WADI_I64, "n"),
                     vector("lengths", WADI_I64, "n")};
    wadi_output("sorted", sorted(s));
    return p;
}

/* ---- the quicksort in C ---- */

static void swap(double *a, double *b) {
    const double t = *a;
    *a = *b;
    *b = t;
}

static void insertion_sort(double *x, int64_t n) {
    for (int64_t i = 1; i < n; i++) {
        const double v = x[i];
        int64_t k = i;
        for (; k > 0 && x[k - 1] > v; k--) x[k] = x[k - 1];
        x[k] = v;
    }
}

/* Hoare's partition around the middle element; the smaller side first, so the stack stays small. */
static void quicksort(double *x, int64_t n) {
    while (n > 24) {
        const double pivot = x[n / 2];
        int64_t i = -1, k = n;
        for (;;) {
            do i++;
            while (x[i] < pivot);
            do k--;
            while (x[k] > pivot);
            if (i >= k) break;
            swap(&x[i], &x[k]);
        }
        const int64_t left = k + 1;
        if (left < n - left) {
            quicksort(x, left);
            x += left;
            n -= left;
        } else {
            quicksort(x + left, n - left);
            n = left;
        }
    }
    insertion_sort(x, n);
}

typedef struct loop {
    const bench_rows *rows;
    double *out;
    int threads;
} loop;

static wadi_status run_loop(void *env, double *out_seconds, wadi_error *err) {
    const loop *l = env;
    const int64_t *offsets = l->rows->offsets;
    WADI_UNUSED(out_seconds);
    WADI_UNUSED(err);
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 64) num_threads(l->threads)
#endif
    for (int64_t r = 0; r < l->rows->rows; r++) {
        const size_t n = (size_t)(offsets[r + 1] - offsets[r]);
        memcpy(l->out + offsets[r], l->rows->values + offsets[r], n * sizeof *l->out);
        quicksort(l->out + offsets[r], (int64_t)n);
    }
    return WADI_OK;
}

/* ---- all together ---- */

typedef struct job {
    bench_rows rows;
    loop loop;
    int64_t *starts, *lengths;
    bench_program stream, pairs, whole;
} job;

static wadi_status check(bench_program *p, const char *what, const job *j, wadi_error *err) {
    double unused = -1;
    wadi_array got;
    WADI_TRY(bench_program_run(p, &unused, err));
    WADI_TRY(bench_program_result(p, "sorted", &got, err));
    return bench_same(what, j->rows.n, got.column[0], j->loop.out, 0, err);
}

static wadi_status open_stream(const bench *b, const job *j, wadi_program *owned_p,
                               bench_program *out, wadi_error *err) {
    WADI_TRY(bench_program_open(b, owned_p, out, err));
    bench_program_vector(out, "offsets", WADI_I64, j->rows.rows + 1, j->rows.offsets);
    bench_program_vector(out, "values", WADI_F64, j->rows.n, j->rows.values);
    return WADI_OK;
}

static wadi_status prepare(const bench *b, job *j, wadi_error *err) {
    const size_t n = (size_t)j->rows.n + 1;
    j->loop = (loop){&j->rows, malloc(n * sizeof(double)), b->threads};
    j->starts = malloc(n * sizeof(int64_t));
    j->lengths = malloc(n * sizeof(int64_t));
    if (!j->loop.out || !j->starts || !j->lengths) {
        return wadi_fail(err, WADI_MEMORY, "out of memory");
    }
    for (int64_t r = 0; r < j->rows.rows; r++) {
        for (int64_t i = j->rows.offsets[r]; i < j->rows.offsets[r + 1]; i++) {
            j->starts[i] = j->rows.offsets[r];
            j->lengths[i] = j->rows.offsets[r + 1] - j->rows.offsets[r];
        }
    }
    WADI_TRY(open_stream(b, j, streaming("quicksort_stream", sort_row_short), &j->stream, err));
    WADI_TRY(open_stream(b, j, streaming("quicksort_pairs", sort_row), &j->pairs, err));
    WADI_TRY(bench_program_open(b, whole(), &j->whole, err));
    bench_program_vector(&j->whole, "values", WADI_F64, j->rows.n, j->rows.values);
    bench_program_vector(&j->whole, "starts", WADI_I64, j->rows.n, j->starts);
    bench_program_vector(&j->whole, "lengths", WADI_I64, j->rows.n, j->lengths);
    return WADI_OK;
}

static wadi_status compare(bench *b, const char *name, job *j, wadi_error *err) {
    double unused = -1;
    WADI_TRY(prepare(b, j, err));
    WADI_TRY(run_loop(&j->loop, &unused, err));
    WADI_TRY(check(&j->stream, "quicksort, streaming", j, err));
    WADI_TRY(check(&j->pairs, "quicksort, streaming, by partitions alone", j, err));
    WADI_TRY(check(&j->whole, "quicksort, whole array", j, err));
    const bench_side side[] = {{"wadi", bench_program_run, &j->stream},
                               {"wadi, partitions alone", bench_program_run, &j->pairs},
                               {"wadi whole array", bench_program_run, &j->whole},
                               {"C OpenMP", run_loop, &j->loop}};
    return bench_compare(b, "quicksort", name, 4, side, NULL, err);
}

static wadi_status one_case(bench *b, const char *name, int64_t rows, int64_t mean,
                            wadi_error *err) {
    if (!bench_wants(b, name)) return WADI_OK;
    job j = {0};
    if (b->quick) rows = rows / 1000 + 1;
    WADI_TRY(bench_rows_make(rows, mean, &j.rows, err));
    const wadi_status status = compare(b, name, &j, err);
    bench_program_close(&j.stream);
    bench_program_close(&j.pairs);
    bench_program_close(&j.whole);
    free(j.loop.out);
    free(j.starts);
    free(j.lengths);
    bench_rows_fini(&j.rows);
    return status;
}

wadi_status bench_quicksort(bench *b, wadi_error *err) {
    WADI_TRY(one_case(b, "rows of 20", 50000, 20, err));
    return one_case(b, "rows of 1000", 2000, 1000, err);
}
