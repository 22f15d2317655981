/* Elementary functions against loops in C with the vector functions of its library (glibc's libmvec, with -ffast-math), and Black-Scholes.
 *
 *     bench_elementary [rounds [function or prices]]
 *
 * Of each function, f64 and f32: the sum over numbers that are computed, so that memory does not count, and the values at an array. Both have
 * one thread. Runs alternate and the least times count, one line a case:
 *     elementary<TAB>case<TAB>wadi seconds<TAB>C<TAB>C seconds<TAB>ratio
 * The ratio is wadi's time over C's. A case whose results differ by more than rounding ends the program. lgamma and tgamma have no vector functions in glibc. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench/arrays/peers/elementary.h"
#include "bench/streams/program.h"
#include "wadi/wadi.h"

enum { COUNT = 1 << 20, OPTIONS = 1 << 22 };

typedef struct function {
    const char *name;
    wadi_fn1 one;
    wadi_fn2 two;
    double (*sum[2])(int64_t n, double from, double step);
    void (*map[2])(int64_t n, const void *in, void *out);
    double from, to;
} function;

#define PEERS(name)                                        \
    .sum = {peer_sum_##name##_f64, peer_sum_##name##_f32}, \
    .map = {peer_map_##name##_f64, peer_map_##name##_f32}
#define ONE(name, from, to) \
    { #name, wadi_##name, NULL, PEERS(name), from, to }
#define TWO(name, from, to) \
    { #name, NULL, wadi_##name, PEERS(name), from, to }

static const function functions[] = {
    {"exp", wadi_exp_, NULL, PEERS(exp), -10, 10},
    ONE(exp2, -10, 10),
    ONE(expm1, -3, 3),
    ONE(log, 0.01, 100),
    ONE(log2, 0.01, 100),
    ONE(log10, 0.01, 100),
    ONE(log1p, -0.9, 10),
    ONE(sin, -10, 12),
    ONE(cos, -10, 11),
    ONE(tan, 0.1, 1.2),
    ONE(asin, -0.9, 0.99),
    ONE(acos, -0.99, 0.99),
    ONE(atan, -5, 10),
    ONE(sinh, -5, 6),
    ONE(cosh, -5, 6),
    ONE(tanh, -5, 6),
    ONE(asinh, -5, 10),
    ONE(acosh, 1, 10),
    ONE(atanh, -0.9, 0.99),
    ONE(cbrt, -10, 100),
    ONE(erf, -3, 4),
    ONE(erfc, -3, 4),
    ONE(lgamma, 0.1, 30),
    ONE(tgamma, 0.1, 10),
    TWO(pow, 0.01, 8),
    TWO(atan2, -5, 10),
    TWO(hypot, -5, 10),
};

static void fail(const char *name, const char *message) {
    fprintf(stderr, "bench_elementary: %s: %s\n", name, message);
    exit(1);
}

static double now(void) {
    return (double)wadi_clock_ns() * 1e-9;
}

/* ---- wadi ---- */

typedef struct form {
    const function *f;
    wadi_type t;
    bool sums;
} form;

static wadi_exp number(wadi_type t, double x) {
    return t == WADI_F32 ? wadi_f32((float)x) : wadi_f64(x);
}

static double step_of(const function *f) {
    return (f->to - f->from) / COUNT;
}

static wadi_exp value(void *env, wadi_exp a) {
    const form *m = env;
    const wadi_exp x = m->sums
                           ? wadi_add(number(m->t, m->f->from),
                                      wadi_mul(number(m->t, step_of(m->f)), wadi_convert(m->t, a)))
                           : a;
    if (m->f->one) return m->f->one(x);
    return m->f->two(x, wadi_sub(number(m->t, 2), wadi_mul(number(m->t, 0.25), x)));
}

static wadi_exe *compiled(const char *name, wadi_program *p) {
    wadi_exe *exe = NULL;
    wadi_error err = {0};
    if (wadi_compile(p, NULL, &exe, &err) != WADI_OK) fail(name, err.msg);
    wadi_program_destroy(p);
    return exe;
}

static wadi_run *run_of(const char *name, const wadi_exe *exe, int n, const char *const *names,
                        const wadi_array *arrays) {
    const wadi_run_options one = {.threads = 1};
    wadi_run *run = NULL;
    wadi_error err = {0};
    if (wadi_run_create(exe, &one, &run, &err) != WADI_OK) fail(name, err.msg);
    for (int k = 0; k < n; k++)
        if (wadi_run_input(run, names[k], &arrays[k], &err) != WADI_OK) fail(name, err.msg);
    return run;
}

static double timed(const char *name, wadi_run *run, wadi_array *y) {
    wadi_error err = {0};
    const double start = now();
    if (wadi_run_go(run, &err) != WADI_OK) fail(name, err.msg);
    const double time = now() - start;
    if (wadi_run_result(run, "y", y, &err) != WADI_OK) fail(name, err.msg);
    return time;
}

static void tell(const char *name, const double *best) {
    printf("elementary\t%s\t%.6f\tC\t%.6f\t%.2f\n", name, best[0], best[1], best[0] / best[1]);
    fflush(stdout);
}

static void keep_least(double *best, double time) {
    if (time < *best) *best = time;
}

/* ---- functions ---- */

static void measure(form m, int rounds) {
    static double in[COUNT], out[COUNT]; /* or as many floats */
    static const char *const extent[] = {"n"}, *const x[] = {"x"};
    char name[64];
    double best[2] = {1e9, 1e9};
    const bool f32 = m.t == WADI_F32;
    (void)snprintf(name, sizeof name, "%s %s%s", m.f->name, f32 ? "f32" : "f64",
                   m.sums ? "" : ", array");
    for (size_t k = 0; k < COUNT; k++) {
        const double v = m.f->from + step_of(m.f) * (double)(k * 7919 % COUNT);
        if (f32)
            ((float *)in)[k] = (float)v;
        else
            in[k] = v;
    }
    const wadi_array a = {.rank = 1, .fields = 1, .type = {m.t}, .shape = {COUNT}, .column = {in}};
    wadi_program *p = wadi_program_create("elementary");
    if (m.sums)
        wadi_output("y", wadi_sum(wadi_map_env(value, &m, wadi_iota(WADI_I32, wadi_i64(COUNT)))));
    else
        wadi_output("y", wadi_map_env(value, &m, wadi_input("x", m.t, 1, extent)));
    wadi_exe *exe = compiled(name, p);
    for (int r = 0; r < rounds; r++) {
        wadi_array y;
        double sum = 0;
        wadi_run *run = run_of(name, exe, m.sums ? 0 : 1, x, &a);
        keep_least(&best[0], timed(name, run, &y));
        const double start = now();
        if (m.sums)
            sum = m.f->sum[f32](COUNT, m.f->from, step_of(m.f));
        else
            m.f->map[f32](COUNT, in, out);
        keep_least(&best[1], now() - start);
        for (size_t k = 0; k < (m.sums ? 1 : COUNT); k++) {
            const double got = bench_number(m.t, y.column[0], (int64_t)k),
                         want = m.sums ? sum : bench_number(m.t, out, (int64_t)k);
            if (!(fabs(got - want) <= (f32 ? 1e-4 : 1e-10) * (fabs(want) + (m.sums ? COUNT : 1))))
                fail(name, "results differ");
        }
        wadi_run_destroy(run);
    }
    wadi_exe_destroy(exe);
    tell(name, best);
}

/* ---- Black-Scholes ---- */

static wadi_exp f32_times(double c, wadi_exp a) {
    return wadi_mul(number(WADI_F32, c), a);
}

static wadi_exp price(wadi_exp s, wadi_exp k, wadi_exp t) {
    const wadi_exp w = f32_times(0.3, wadi_sqrt(t));
    const wadi_exp d = wadi_div(wadi_add(wadi_log(wadi_div(s, k)), f32_times(0.065, t)), w);
    const wadi_exp p = f32_times(0.5, wadi_erfc(f32_times(-0.7071067811865476, d)));
    const wadi_exp q = f32_times(0.5, wadi_erfc(f32_times(-0.7071067811865476, wadi_sub(d, w))));
    return wadi_sub(wadi_mul(s, p), wadi_mul(wadi_mul(k, wadi_exp_(f32_times(-0.02, t))), q));
}

static void measure_prices(int rounds) {
    static float in[3][OPTIONS], out[OPTIONS];
    static const char *const extent[] = {"n"}, *const names[] = {"s", "k", "t"};
    wadi_array a[3];
    wadi_acc x[3];
    double best[2] = {1e9, 1e9};
    wadi_program *p = wadi_program_create("prices");
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < OPTIONS; i++)
            in[k][i] = (k < 2 ? 5.F : 0.25F) + (k < 2 ? 25.F : 5.F) *
                                                   (float)(i *
                                                           (k == 0   ? 7919
                                                            : k == 1 ? 6007
                                                                     : 4001) %
                                                           10007) /
                                                   10007.F;
        a[k] = (wadi_array){
            .rank = 1, .fields = 1, .type = {WADI_F32}, .shape = {OPTIONS}, .column = {in[k]}};
        x[k] = wadi_input(names[k], WADI_F32, 1, extent);
    }
    wadi_output("y", wadi_zip_with3(price, x[0], x[1], x[2]));
    wadi_exe *exe = compiled("prices", p);
    for (int r = 0; r < rounds; r++) {
        wadi_array y;
        wadi_run *run = run_of("prices", exe, 3, names, a);
        keep_least(&best[0], timed("prices", run, &y));
        const double start = now();
        peer_prices(OPTIONS, in[0], in[1], in[2], out);
        keep_least(&best[1], now() - start);
        for (size_t i = 0; i < OPTIONS; i++)
            if (fabsf(((const float *)y.column[0])[i] - out[i]) > 1e-4F)
                fail("prices", "results differ");
        wadi_run_destroy(run);
    }
    wadi_exe_destroy(exe);
    tell("Black-Scholes f32, 4 M options", best);
}

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 15;
    const char *only = argc > 2 ? argv[2] : NULL;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        for (int k = 0; k < 4; k++)
            if (!only || strcmp(only, functions[i].name) == 0)
                measure((form){&functions[i], k % 2 ? WADI_F32 : WADI_F64, k < 2}, rounds);
    if (!only || strcmp(only, "prices") == 0) measure_prices(rounds);
    return 0;
}
