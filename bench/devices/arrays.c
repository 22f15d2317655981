/* What bounds array programs on each device: its memory, its arithmetic, or the way there.
 *
 * A case is a stream of rounds over arrays that stay where the device computes. "NAME, copied" is one round, with the copies of its inputs and
 * everything else that a run costs. "NAME, resident" is what each of eight further rounds takes. Black-Scholes is the program of "Converting
 * Data to Task-Parallelism by Rewrites" (section 6); "intensity N" does N multiplications and additions for each number that it reads, as
 * in the same paper's Figures 6 and 7; "rows of N" sums rows of that length, with the same numbers in all cases.
 *
 * The first side is `cpu`. The others are the devices that WADI_DEVICE lists; without it, all there are. Sums have the same bits on all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "bench/devices/devices.h"
#include "bench/streams/program.h"
#include "sched/devices.h"

enum { ROUNDS = 8, NUMBERS = 1 << 24, QUICK_NUMBERS = 1 << 12, INPUTS = 3 };

typedef struct job {
    const char *name;
    wadi_exp (*of)(const struct job *j, wadi_exp i); /* the number that round i is about */
    int inputs;
    int64_t extra; /* multiplications and additions; lengths of rows */
    wadi_acc in[INPUTS];
} job;

/* ---- the programs ---- */

static wadi_exp add(wadi_exp a, wadi_exp b) {
    return wadi_add(a, b);
}

/* Each round reads other numbers, as far as the compiler knows. */
static wadi_exp factor(wadi_exp i) {
    return wadi_add(wadi_f64(1), wadi_mul(wadi_f64(0x1p-20), wadi_convert(WADI_F64, i)));
}

static wadi_exp scaled(void *env, wadi_exp x) {
    return wadi_mul(x, *(const wadi_exp *)env);
}

static wadi_exp sum_of(const job *j, wadi_exp i) {
    wadi_exp f = factor(i);
    return wadi_the(wadi_sum(wadi_map_env(scaled, &f, j->in[0])));
}

static wadi_exp product_of(void *env, wadi_exp x, wadi_exp y) {
    return wadi_mul(wadi_mul(x, y), *(const wadi_exp *)env);
}

static wadi_exp dot_of(const job *j, wadi_exp i) {
    wadi_exp f = factor(i);
    return wadi_the(wadi_sum(wadi_zip_with_env(product_of, &f, j->in[0], j->in[1])));
}

/* Half of the complementary error function, at what the standard normal distribution asks. */
static wadi_exp normal(wadi_exp x) {
    return wadi_mul(wadi_f64(0.5), wadi_erfc(wadi_mul(x, wadi_f64(-0.70710678118654752))));
}

/* The price of a call option: spot s, strike k, years t; rate 2 %, volatility 30 %. */
static wadi_exp price(wadi_exp s, wadi_exp k, wadi_exp t) {
    const wadi_exp v = wadi_mul(wadi_f64(0.3), wadi_sqrt(t)),
                   drift = wadi_mul(wadi_f64(0.02 + 0.5 * 0.3 * 0.3), t),
                   d = wadi_div(wadi_add(wadi_log(wadi_div(s, k)), drift), v),
                   later = wadi_mul(k, wadi_exp_(wadi_mul(wadi_f64(-0.02), t)));
    return wadi_sub(wadi_mul(s, normal(d)), wadi_mul(later, normal(wadi_sub(d, v))));
}

static wadi_exp price_of(void *env, int n, const wadi_exp *x) {
    WADI_UNUSED(n);
    return price(wadi_mul(x[0], *(const wadi_exp *)env), x[1], x[2]);
}

static wadi_exp prices_of(const job *j, wadi_exp i) {
    wadi_exp f = factor(i);
    return wadi_the(wadi_sum(wadi_zip_with_n_env(price_of, &f, 3, j->in)));
}

static wadi_exp step(void *env, wadi_exp i, wadi_exp x) {
    WADI_UNUSED(env);
    WADI_UNUSED(i);
    return wadi_add(wadi_mul(x, wadi_f64(0.75)), wadi_f64(0.125));
}

typedef struct working {
    wadi_exp factor;
    int64_t steps;
} working;

static wadi_exp worked(void *env, wadi_exp x) {
    const working *w = env;
    return wadi_iterate_env(wadi_i64(w->steps), step, NULL, wadi_mul(x, w->factor));
}

static wadi_exp work_of(const job *j, wadi_exp i) {
    working w = {factor(i), j->extra};
    return wadi_the(wadi_sum(wadi_map_env(worked, &w, j->in[0])));
}

static wadi_exp rows_of(const job *j, wadi_exp i) {
    wadi_exp f = factor(i);
    const wadi_exp length = wadi_i64(j->extra);
    const wadi_acc all = wadi_map_env(scaled, &f, j->in[0]),
                   rows = wadi_reshape(
                       wadi_ix2(wadi_quot(wadi_extent(j->in[0], 0), length), length), all);
    return wadi_the(wadi_sum(wadi_sum(rows)));
}

static wadi_acc round_of(void *env, wadi_exp i) {
    const job *j = env;
    return wadi_unit(j->of(j, i));
}

static wadi_acc total(wadi_acc sum, wadi_acc x) {
    return wadi_unit(add(wadi_the(sum), wadi_the(x)));
}

static const char *const names[INPUTS] = {"x", "y", "z"};

static wadi_program *build(job *j) {
    wadi_program *p = wadi_program_create("arrays");
    if (p == NULL) return NULL;
    const wadi_acc rounds = wadi_input("rounds", WADI_I64, 0, NULL);
    for (int k = 0; k < j->inputs; k++) j->in[k] = wadi_input(names[k], WADI_F64, 1, NULL);
    const wadi_seq all = wadi_produce_env(wadi_the(rounds), round_of, j);
    wadi_output("sum", wadi_consume(wadi_fold_seq(total, wadi_unit(wadi_f64(0)), all)));
    return p;
}

/* ---- sides ---- */

typedef struct side {
    bench_program program;
    int64_t rounds; /* of the next run */
    double sum;     /* of the latest */
} side;

static wadi_status go(side *s, int64_t rounds, double *out_seconds, wadi_error *err) {
    wadi_array sum;
    s->rounds = rounds;
    const int64_t start = wadi_clock_ns();
    WADI_TRY(bench_program_run(&s->program, NULL, err));
    *out_seconds = (double)(wadi_clock_ns() - start) * 1e-9;
    WADI_TRY(bench_program_result(&s->program, "sum", &sum, err));
    s->sum = *(const double *)sum.column[0];
    return WADI_OK;
}

static wadi_status run_copied(void *env, double *out_seconds, wadi_error *err) {
    return go(env, 1, out_seconds, err);
}

static wadi_status run_resident(void *env, double *out_seconds, wadi_error *err) {
    double one = 0, more = 0;
    WADI_TRY(go(env, 1, &one, err));
    WADI_TRY(go(env, 1 + ROUNDS, &more, err));
    *out_seconds = more > one ? (more - one) / ROUNDS : 0;
    return WADI_OK;
}

typedef struct devices {
    wadi_device_choices list; /* cpu first */
    side side[BENCH_MAX_SIDES];
    int n;
} devices;

static wadi_status open_sides(const bench *b, const job *j, double *const *data, int64_t n,
                              devices *d, wadi_error *err) {
    for (int i = 0; i < d->n; i++) {
        job own = *j;
        bench_program *p = &d->side[i].program;
        WADI_TRY(bench_program_open(b, build(&own), p, err));
        p->options.device = d->list.at[i].name;
        p->options.chunk =
            1; /* a round is large enough, and so the rounds of all devices are alike */
        p->options.policy = "fixed";
        p->name[p->inputs] = "rounds";
        p->input[p->inputs++] =
            (wadi_array){.fields = 1, .type = {WADI_I64}, .column = {(void *)&d->side[i].rounds}};
        for (int k = 0; k < j->inputs; k++) bench_program_vector(p, names[k], WADI_F64, n, data[k]);
    }
    return WADI_OK;
}

static wadi_status compare(bench *b, const job *j, devices *d, const char *how, bench_fn run,
                           double *out_seconds, wadi_error *err) {
    bench_side sides[BENCH_MAX_SIDES];
    char name[64];
    (void)snprintf(name, sizeof name, "%s, %s", j->name, how);
    for (int i = 0; i < d->n; i++) sides[i] = (bench_side){d->list.at[i].name, run, &d->side[i]};
    WADI_TRY(bench_compare(b, "arrays", name, d->n, sides, out_seconds, err));
    for (int i = 1; i < d->n; i++)
        WADI_TRY(bench_same(name, 1, &d->side[i].sum, &d->side[0].sum, 1e-12, err));
    return WADI_OK;
}

static void say_rates(const bench *b, const job *j, const devices *d, int64_t n,
                      const double *seconds) {
    for (int i = 0; i < d->n; i++)
        if (seconds[i] > 0)
            bench_say(b, "%s on %s: reads %.2f GB/s", j->name, d->list.at[i].name,
                      1e-9 * (double)(n * j->inputs * 8) / seconds[i]);
}

static wadi_status one_case(bench *b, const job *j, const wadi_device_choices *list,
                            double *const *data, int64_t n, wadi_error *err) {
    double seconds[BENCH_MAX_SIDES];
    devices *d = calloc(1, sizeof *d);
    if (d == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    d->list = *list;
    d->n = list->n < BENCH_MAX_SIDES ? list->n : BENCH_MAX_SIDES;
    wadi_status status = open_sides(b, j, data, n, d, err);
    if (status == WADI_OK) status = compare(b, j, d, "copied", run_copied, NULL, err);
    if (status == WADI_OK) status = compare(b, j, d, "resident", run_resident, seconds, err);
    if (status == WADI_OK) say_rates(b, j, d, n, seconds);
    for (int i = 0; i < d->n; i++) bench_program_close(&d->side[i].program);
    free(d);
    return status;
}

/* ---- all together ---- */

static const job jobs[] = {
    {.name = "sum", .of = sum_of, .inputs = 1},
    {.name = "dot", .of = dot_of, .inputs = 2},
    {.name = "Black-Scholes", .of = prices_of, .inputs = 3},
    {.name = "intensity 1", .of = work_of, .inputs = 1, .extra = 1},
    {.name = "intensity 4", .of = work_of, .inputs = 1, .extra = 4},
    {.name = "intensity 16", .of = work_of, .inputs = 1, .extra = 16},
    {.name = "intensity 64", .of = work_of, .inputs = 1, .extra = 64},
    {.name = "rows of 1", .of = rows_of, .inputs = 1, .extra = 1},
    {.name = "rows of 16", .of = rows_of, .inputs = 1, .extra = 16},
    {.name = "rows of 256", .of = rows_of, .inputs = 1, .extra = 256},
    {.name = "rows of 4096", .of = rows_of, .inputs = 1, .extra = 4096},
};

/* cpu, and behind it the others. */
static wadi_status find_devices(wadi_device_choices *out, wadi_error *err) {
    wadi_device_choices asked;
    const char *named = getenv("WADI_DEVICE");
    WADI_TRY(wadi_device_find_all("cpu", out, err));
    WADI_TRY(wadi_device_find_all(named != NULL && *named != '\0' ? named : "all", &asked, err));
    for (int i = 0; i < asked.n && out->n < WADI_DEVICES_MOST; i++)
        if (strcmp(asked.at[i].name, out->at[0].name) != 0) out->at[out->n++] = asked.at[i];
    return WADI_OK;
}

static wadi_status run_jobs(bench *b, const wadi_device_choices *list, double *const *data,
                            int64_t n, wadi_error *err) {
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++)
        if (bench_wants(b, jobs[i].name)) WADI_TRY(one_case(b, &jobs[i], list, data, n, err));
    return WADI_OK;
}

wadi_status bench_arrays(bench *b, wadi_error *err) {
    const int64_t n = b->quick ? QUICK_NUMBERS : NUMBERS;
    double *data[INPUTS] = {NULL};
    wadi_device_choices list;
    wadi_status status = find_devices(&list, err);
    for (int k = 0; k < INPUTS && status == WADI_OK; k++) {
        data[k] = malloc((size_t)n * sizeof **data);
        if (data[k] == NULL) status = wadi_fail(err, WADI_MEMORY, "out of memory");
        for (int64_t i = 0; data[k] != NULL && i < n; i++)
            data[k][i] = 0.05 + (double)((i * 7919 + k * 31) % 100003) / 110000;
    }
    if (status == WADI_OK && list.n == 1) bench_say(b, "arrays: there is no device but cpu");
    if (status == WADI_OK) status = run_jobs(b, &list, data, n, err);
    for (int k = 0; k < INPUTS; k++) free(data[k]);
    return status;
}
