/* PageRank (Page, Brin, Motwani, Winograd 1999): damping 0.85, the mass of dangling nodes spread evenly, until ranks change by at
 * most 1e-10 in all, or for a given number of steps on large graphs. Seconds are those of one step.
 *
 * wadi: the streaming form, in which the nodes that link to one node are one element of a sequence and one run is one step; and the
 * whole-array form, in which the iteration is an awhile in one run. Peers: scipy, GraphBLAS, a loop in C with OpenMP. */
#include "bench/streams/benchmarks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "bench/streams/graphblas.h"
#include "bench/streams/graphs.h"
#include "bench/streams/program.h"
#include "bench/streams/scipy_peer.h"

#define DAMPING 0.85
#define TOLERANCE 1e-10

/* ---- the programs ---- */

typedef struct graph {
    wadi_acc offsets, sources, share; /* share: 1 / links out of a node, 0 if it has none */
    wadi_acc ranks,
        given; /* at work: of the step before, and what each node gives to each of its targets */
    wadi_acc base; /* what every node gets */
} graph;

static wadi_acc vector(const char *name, wadi_type type, const char *extent) {
    const char *const extents[] = {extent};
    return wadi_input(name, type, 1, extents);
}

static graph declare(void) {
    return (graph){.offsets = vector("offsets", WADI_I64, "m"),
                   .sources = vector("sources", WADI_I32, "e"),
                   .share = vector("share", WADI_F64, "n")};
}

static wadi_exp lost(wadi_exp rank, wadi_exp share) {
    return wadi_cond(wadi_eq(share, wadi_f64(0)), rank, wadi_f64(0));
}

static wadi_exp distance(wadi_exp a, wadi_exp b) {
    return wadi_abs(wadi_sub(a, b));
}

/* What a step needs of the ranks before it. */
static void prepare(graph *g, wadi_acc ranks) {
    g->ranks = ranks;
    g->given = wadi_compute(wadi_zip_with(wadi_mul, ranks, g->share));
    const wadi_exp dangling = wadi_the(wadi_sum(wadi_zip_with(lost, ranks, g->share)));
    const wadi_exp n = wadi_convert(WADI_F64, wadi_extent(ranks, 0));
    g->base = wadi_unit(
        wadi_div(wadi_add(wadi_f64(1 - DAMPING), wadi_mul(wadi_f64(DAMPING), dangling)), n));
}

static wadi_exp rank_of(const graph *g, wadi_exp received) {
    return wadi_add(wadi_the(g->base), wadi_mul(wadi_f64(DAMPING), received));
}

static wadi_acc gather_node(void *env, wadi_acc sources) {
    const graph *g = env;
    const wadi_acc received = wadi_sum(wadi_gather(sources, g->given));
    return wadi_unit(rank_of(g, wadi_the(received)));
}

static wadi_program *streaming(void) {
    wadi_program *p = wadi_program_create("pagerank_stream");
    if (p == NULL) return NULL;
    graph g = declare();
    prepare(&g, vector("ranks", WADI_F64, "n"));
    const wadi_seq nodes =
        wadi_map_seq_env(gather_node, &g, wadi_from_offsets(g.offsets, g.sources));
    const wadi_acc next = wadi_consume(wadi_elements(nodes));
    wadi_output("next", next);
    wadi_output("change", wadi_sum(wadi_zip_with(distance, next, g.ranks)));
    return p;
}

static wadi_exp next_rank(void *env, wadi_exp received) {
    return rank_of(env, received);
}

/* The state: ranks, their last change, steps done. */
static wadi_acc step_whole(void *env, wadi_acc state) {
    graph g = *(const graph *)env;
    prepare(&g, wadi_tuple_get(state, 0));
    const wadi_acc received =
        wadi_fold_offsets(wadi_add, wadi_f64(0), g.offsets, wadi_gather(g.sources, g.given));
    const wadi_acc next = wadi_compute(wadi_map_env(next_rank, &g, received));
    const wadi_acc parts[] = {next, wadi_sum(wadi_zip_with(distance, next, g.ranks)),
                              wadi_unit(wadi_add(wadi_the(wadi_tuple_get(state, 2)), wadi_i64(1)))};
    return wadi_tuple(3, parts);
}

static wadi_acc goes_on(void *env, wadi_acc state) {
    const wadi_acc *most = env;
    const wadi_exp change = wadi_the(wadi_tuple_get(state, 1)),
                   steps = wadi_the(wadi_tuple_get(state, 2));
    return wadi_unit(
        wadi_land(wadi_gt(change, wadi_f64(TOLERANCE)), wadi_lt(steps, wadi_the(*most))));
}

typedef struct looping {
    graph g;
    wadi_acc most;
} looping;

static wadi_acc looping_step(void *env, wadi_acc state) {
    looping *l = env;
    return step_whole(&l->g, state);
}

static wadi_acc looping_test(void *env, wadi_acc state) {
    looping *l = env;
    return goes_on(&l->most, state);
}

static wadi_program *whole(void) {
    wadi_program *p = wadi_program_create("pagerank_whole");
    if (p == NULL) return NULL;
    looping l = {.g = declare()};
    l.most = wadi_input("steps", WADI_I64, 0, NULL);
    const wadi_acc init[] = {vector("ranks", WADI_F64, "n"), wadi_unit(wadi_f64(1)),
                             wadi_unit(wadi_i64(0))};
    const wadi_acc done = wadi_awhile_env(looping_test, looping_step, &l, wadi_tuple(3, init));
    wadi_output("ranks", wadi_tuple_get(done, 0));
    wadi_output("done", wadi_tuple_get(done, 2));
    return p;
}

/* ---- running them ---- */

typedef struct job {
    const wadi_csr *m;
    double *share, *first; /* first: equal ranks, where all begin */
    double *ranks, *other;
    int64_t most, done; /* steps allowed, and taken by the latest run */
    bench_program stream, whole;
    const bench *b;
    int threads;
} job;

static double seconds_since(int64_t start) {
    return (double)(wadi_clock_ns() - start) * 1e-9;
}

static wadi_status run_stream(void *env, double *out_seconds, wadi_error *err) {
    job *j = env;
    const size_t bytes = (size_t)j->m->rows * sizeof(double);
    double change = 1;
    memcpy(j->ranks, j->first, bytes);
    const int64_t start = wadi_clock_ns();
    for (j->done = 0; change > TOLERANCE && j->done < j->most; j->done++) {
        wadi_array next, distance_moved;
        double unused = -1;
        j->stream.options.device = j->b->device;
        WADI_TRY(bench_program_run(&j->stream, &unused, err));
        WADI_TRY(bench_program_result(&j->stream, "next", &next, err));
        WADI_TRY(bench_program_result(&j->stream, "change", &distance_moved, err));
        change = *(const double *)distance_moved.column[0];
        memcpy(j->ranks, next.column[0], bytes);
    }
    *out_seconds = seconds_since(start) / (double)j->done;
    return WADI_OK;
}

static wadi_status run_whole(void *env, double *out_seconds, wadi_error *err) {
    job *j = env;
    wadi_array done;
    const int64_t start = wadi_clock_ns();
    j->whole.options.device = j->b->device;
    WADI_TRY(bench_program_run(&j->whole, out_seconds, err));
    const double seconds = seconds_since(start);
    WADI_TRY(bench_program_result(&j->whole, "done", &done, err));
    j->done = *(const int64_t *)done.column[0];
    *out_seconds = seconds / (double)j->done;
    return WADI_OK;
}

static double dangling_mass(const job *j, const double *ranks) {
    double sum = 0;
#ifdef _OPENMP
#pragma omp parallel for reduction(+ : sum) num_threads(j->threads)
#endif
    for (int64_t v = 0; v < j->m->rows; v++) sum += j->share[v] == 0 ? ranks[v] : 0;
    return sum;
}

/* One step in C: from ranks to next; `given` is room for what each node gives. */
static double step_loop(const job *j, const double *ranks, double *given, double *next) {
    const int64_t n = j->m->rows, *offsets = j->m->offsets;
    const int32_t *sources = j->m->index;
    const double base = (1 - DAMPING + DAMPING * dangling_mass(j, ranks)) / (double)n;
    double change = 0;
#ifdef _OPENMP
#pragma omp parallel for num_threads(j->threads)
#endif
    for (int64_t v = 0; v < n; v++) given[v] = ranks[v] * j->share[v];
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1024) reduction(+ : change) num_threads(j->threads)
#endif
    for (int64_t v = 0; v < n; v++) {
        double sum = 0;
        for (int64_t i = offsets[v]; i < offsets[v + 1]; i++) sum += given[sources[i]];
        next[v] = base + DAMPING * sum;
        change += fabs(next[v] - ranks[v]);
    }
    return change;
}

static wadi_status run_loop(void *env, double *out_seconds, wadi_error *err) {
    job *j = env;
    double *given = malloc((size_t)j->m->rows * sizeof *given);
    if (given == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    const size_t bytes = (size_t)j->m->rows * sizeof(double);
    double change = 1, *ranks = j->ranks, *next = j->other;
    memcpy(ranks, j->first, bytes);
    const int64_t start = wadi_clock_ns();
    for (j->done = 0; change > TOLERANCE && j->done < j->most; j->done++) {
        change = step_loop(j, ranks, given, next);
        double *swap = ranks;
        ranks = next;
        next = swap;
    }
    *out_seconds = seconds_since(start) / (double)j->done;
    if (ranks != j->ranks) memcpy(j->ranks, ranks, bytes);
    free(given);
    return WADI_OK;
}

/* ---- one graph ---- */

static wadi_status make_vectors(job *j, wadi_error *err) {
    const size_t n = (size_t)j->m->rows;
    j->share = calloc(n, sizeof(double));
    j->first = calloc(n, sizeof(double));
    j->ranks = calloc(n, sizeof(double));
    j->other = calloc(n, sizeof(double));
    if (!j->share || !j->first || !j->ranks || !j->other) {
        return wadi_fail(err, WADI_MEMORY, "out of memory");
    }
    const int32_t *sources = j->m->index;
    for (int64_t i = 0; i < j->m->entries; i++) j->share[sources[i]]++;
    for (size_t v = 0; v < n; v++) {
        if (j->share[v] != 0) j->share[v] = 1 / j->share[v];
        j->first[v] = 1 / (double)n;
    }
    return WADI_OK;
}

static void bind(job *j, bench_program *p) {
    const wadi_csr *m = j->m;
    bench_program_vector(p, "offsets", WADI_I64, m->rows + 1, m->offsets);
    bench_program_vector(p, "sources", WADI_I32, m->entries, m->index);
    bench_program_vector(p, "share", WADI_F64, m->rows, j->share);
}

static wadi_status open_programs(const bench *b, job *j, wadi_error *err) {
    WADI_TRY(bench_program_open(b, streaming(), &j->stream, err));
    WADI_TRY(bench_program_open(b, whole(), &j->whole, err));
    bind(j, &j->stream);
    bench_program_vector(&j->stream, "ranks", WADI_F64, j->m->rows, j->ranks);
    bind(j, &j->whole);
    bench_program_vector(&j->whole, "ranks", WADI_F64, j->m->rows, j->first);
    bench_program_vector(&j->whole, "steps", WADI_I64, 0, &j->most);
    j->whole.input[j->whole.inputs - 1].rank = 0;
    return WADI_OK;
}

typedef struct peers {
    bench_python *scipy;
    bench_graphblas *graphblas;
} peers;

static wadi_status check_peers(job *j, const peers *p, const double *want, wadi_error *err) {
    double unused = -1;
    if (p->scipy != NULL) {
        WADI_TRY(bench_python_run(p->scipy, &unused, err));
        WADI_TRY(bench_python_result(p->scipy, j->m->rows, j->other, err));
        WADI_TRY(bench_same("scipy", j->m->rows, j->other, want, 1e-10, err));
    }
    if (p->graphblas == NULL) return WADI_OK;
    WADI_TRY(bench_graphblas_run(p->graphblas, &unused, err));
    WADI_TRY(bench_graphblas_result(p->graphblas, j->other, err));
    return bench_same("GraphBLAS", j->m->rows, j->other, want, 1e-10, err);
}

static wadi_status check_forms(job *j, const double *want, int64_t steps, wadi_error *err) {
    double unused = -1;
    wadi_array got;
    WADI_TRY(run_stream(j, &unused, err));
    WADI_TRY(bench_same("streaming", j->m->rows, j->ranks, want, 1e-10, err));
    WADI_TRY(run_whole(j, &unused, err));
    WADI_TRY(bench_program_result(&j->whole, "ranks", &got, err));
    WADI_TRY(bench_same("whole array", j->m->rows, got.column[0], want, 1e-10, err));
    if (j->done == steps) return WADI_OK;
    return wadi_fail(err, WADI_INTERNAL, "%lld steps, expected %lld", (long long)j->done,
                     (long long)steps);
}

/* All forms and peers give the ranks of the loop in C. */
static wadi_status check(job *j, const peers *p, wadi_error *err) {
    const size_t bytes = (size_t)j->m->rows * sizeof(double);
    double unused = -1;
    double *want = malloc(bytes);
    if (want == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    wadi_status status = run_loop(j, &unused, err);
    memcpy(want, j->ranks, bytes);
    if (status == WADI_OK) status = check_forms(j, want, j->done, err);
    if (status == WADI_OK) status = check_peers(j, p, want, err);
    free(want);
    return status;
}

/* An absent peer is told and left out; any other failure is one. */
static wadi_status absent_is_fine(const bench *b, const char *name, wadi_status status,
                                  const wadi_error *why, wadi_error *err) {
    if (status == WADI_OK) return WADI_OK;
    if (status != WADI_UNSUPPORTED) return wadi_fail(err, status, "%s", why->msg);
    bench_say(b, "pagerank %s: %s", name, why->msg);
    return WADI_OK;
}

static wadi_status open_peers(const bench *b, const char *name, const job *j, peers *p,
                              wadi_error *err) {
    wadi_error why = {0};
    char task[64];
    if (!bench_has_peers(b)) return WADI_OK;
    (void)snprintf(task, sizeof task, "pagerank:%lld", (long long)j->most);
    wadi_status status = bench_python_open(b, task, j->m, NULL, &p->scipy, &why);
    WADI_TRY(absent_is_fine(b, name, status, &why, err));
    status = bench_graphblas_open(b, j->m, j->share, j->most, &p->graphblas, &why);
    return absent_is_fine(b, name, status, &why, err);
}

static wadi_status compare(bench *b, const char *name, job *j, const peers *p, wadi_error *err) {
    WADI_TRY(check(j, p, err));
    const bench_side side[] = {
        {"wadi", run_stream, j},
        {"wadi whole array", run_whole, j},
        {"scipy", p->scipy != NULL ? bench_python_run : NULL, p->scipy},
        {"GraphBLAS", p->graphblas != NULL ? bench_graphblas_run : NULL, p->graphblas},
        {"C OpenMP", run_loop, j},
    };
    return bench_compare(b, "pagerank", name, 5, side, NULL, err);
}

/* `most`: steps at most. */
static wadi_status rank(bench *b, const char *name, const wadi_csr *m, int64_t most,
                        wadi_error *err) {
    job j = {.m = m, .most = most, .b = b, .threads = b->threads};
    peers p = {0};
    wadi_status status = make_vectors(&j, err);
    if (status == WADI_OK) status = open_programs(b, &j, err);
    if (status == WADI_OK) status = open_peers(b, name, &j, &p, err);
    if (status == WADI_OK) status = compare(b, name, &j, &p, err);
    bench_python_close(p.scipy);
    bench_graphblas_close(p.graphblas);
    bench_program_close(&j.stream);
    bench_program_close(&j.whole);
    free(j.share);
    free(j.first);
    free(j.ranks);
    free(j.other);
    return status;
}

static wadi_status debian(bench *b, wadi_error *err) {
    char path[4096];
    if (!bench_wants(b, "debian")) return WADI_OK;
    (void)snprintf(path, sizeof path, "%s/graph/debian12-depends.edges.gz",
                   b->data != NULL ? b->data : "");
    FILE *f = b->data != NULL ? fopen(path, "rb") : NULL;
    if (f == NULL) {
        bench_say(b, "pagerank: skipping the Debian graph: no %s (--data)", path);
        return WADI_OK;
    }
    (void)fclose(f);
    wadi_csr m = {0};
    WADI_TRY(bench_graph_read(path, &m, err));
    const wadi_status status = rank(b, "debian", &m, b->quick ? 10 : 1000, err);
    wadi_csr_fini(&m);
    return status;
}

static wadi_status rmat(bench *b, wadi_error *err) {
    if (!bench_wants(b, "rmat-100M")) return WADI_OK;
    wadi_csr m = {0};
    WADI_TRY(b->quick ? bench_graph_rmat(9, 5000, &m, err)
                      : bench_graph_rmat(22, 100000000, &m, err));
    const wadi_status status = rank(b, b->quick ? "rmat-5k" : "rmat-100M", &m, 5, err);
    wadi_csr_fini(&m);
    return status;
}

wadi_status bench_pagerank(bench *b, wadi_error *err) {
    WADI_TRY(debian(b, err));
    return rmat(b, err);
}
