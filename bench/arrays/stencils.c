/* Stencils against plain C with OpenMP and SIMD: Jacobi and heat in loops, Gaussian filters whole and separable, Sobel.
 *
 *     bench_stencils [rounds]
 *
 * Each pair is run in turns, so that both meet the same machine; the least times are printed, one line a case:
 *     stencils<TAB>case<TAB>wadi seconds<TAB>C<TAB>C seconds<TAB>ratio
 * A case whose results differ by more than rounding ends the program. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "wadi/wadi.h"

enum { JACOBI = 1024, TURNS = 40, IMAGE = 2048, HEAT = 128, HEAT_TURNS = 20, TAPS = 5 };

static const char *const square[] = {"n", "n"}, *const cube[] = {"n", "n", "n"};
static const float weight[TAPS] = {1.F / 16, 4.F / 16, 6.F / 16, 4.F / 16, 1.F / 16};

/* ---- wadi ---- */

static wadi_exp sum(int n, const wadi_exp *x) {
    wadi_exp s = x[0];
    for (int i = 1; i < n; i++) s = wadi_add(s, x[i]);
    return s;
}

static wadi_exp five(wadi_window *w) {
    const wadi_exp x[] = {wadi_near2(w, -1, 0), wadi_near2(w, 0, -1), wadi_near2(w, 0, 1),
                          wadi_near2(w, 1, 0)};
    return wadi_mul(sum(4, x), wadi_f32(0.25F));
}

static wadi_exp seven(wadi_window *w) {
    const wadi_exp x[] = {wadi_near3(w, -1, 0, 0), wadi_near3(w, 0, -1, 0), wadi_near3(w, 0, 0, -1),
                          wadi_near3(w, 0, 0, 1),  wadi_near3(w, 0, 1, 0),  wadi_near3(w, 1, 0, 0)};
    const wadi_exp here = wadi_near3(w, 0, 0, 0);
    const wadi_exp change = wadi_sub(sum(6, x), wadi_mul(here, wadi_f32(6)));
    return wadi_add(here, wadi_mul(change, wadi_f32(0.1F)));
}

static wadi_exp across(wadi_window *w) {
    wadi_exp x[TAPS];
    for (int k = 0; k < TAPS; k++) x[k] = wadi_mul(wadi_near2(w, 0, k - 2), wadi_f32(weight[k]));
    return sum(TAPS, x);
}

static wadi_exp down(wadi_window *w) {
    wadi_exp x[TAPS];
    for (int k = 0; k < TAPS; k++) x[k] = wadi_mul(wadi_near2(w, k - 2, 0), wadi_f32(weight[k]));
    return sum(TAPS, x);
}

static wadi_exp whole(wadi_window *w) {
    wadi_exp x[TAPS * TAPS];
    for (int k = 0; k < TAPS * TAPS; k++)
        x[k] = wadi_mul(wadi_near2(w, k / TAPS - 2, k % TAPS - 2),
                        wadi_f32(weight[k / TAPS] * weight[k % TAPS]));
    return sum(TAPS * TAPS, x);
}

static wadi_exp sobel(wadi_window *w) {
    const wadi_exp two = wadi_f32(2);
    const wadi_exp nw = wadi_near2(w, -1, -1), n = wadi_near2(w, -1, 0), ne = wadi_near2(w, -1, 1);
    const wadi_exp west = wadi_near2(w, 0, -1), east = wadi_near2(w, 0, 1);
    const wadi_exp sw = wadi_near2(w, 1, -1), s = wadi_near2(w, 1, 0), se = wadi_near2(w, 1, 1);
    const wadi_exp right[] = {ne, wadi_mul(east, two), se}, left[] = {nw, wadi_mul(west, two), sw};
    const wadi_exp low[] = {sw, wadi_mul(s, two), se}, high[] = {nw, wadi_mul(n, two), ne};
    const wadi_exp x = wadi_sub(sum(3, right), sum(3, left));
    const wadi_exp y = wadi_sub(sum(3, low), sum(3, high));
    return wadi_sqrt(wadi_add(wadi_mul(x, x), wadi_mul(y, y)));
}

typedef struct repeated {
    int dims, turns;
    wadi_stencil_fn f;
} repeated;

static wadi_acc goes_on(void *env, wadi_acc state) {
    (void)env;
    return wadi_unit(wadi_gt(wadi_the(wadi_tuple_get(state, 1)), wadi_i64(0)));
}

static wadi_acc next(void *env, wadi_acc state) {
    const repeated *r = env;
    const wadi_acc left = wadi_tuple_get(state, 1);
    return wadi_tuple2(wadi_stencil(r->dims, r->f, wadi_edge_clamp(), wadi_tuple_get(state, 0)),
                       wadi_unit(wadi_sub(wadi_the(left), wadi_i64(1))));
}

static wadi_acc repeat(repeated r, wadi_acc a) {
    const wadi_acc start = wadi_tuple2(a, wadi_unit(wadi_i64(r.turns)));
    return wadi_tuple_get(wadi_awhile_env(goes_on, next, &r, start), 0);
}

static wadi_acc jacobi_wadi(wadi_acc a) {
    return repeat((repeated){2, TURNS, five}, a);
}

static wadi_acc heat_wadi(wadi_acc a) {
    return repeat((repeated){3, HEAT_TURNS, seven}, a);
}

static wadi_acc whole_wadi(wadi_acc a) {
    return wadi_stencil(2, whole, wadi_edge_clamp(), a);
}

static wadi_acc separable_wadi(wadi_acc a) {
    return wadi_stencil(2, down, wadi_edge_clamp(), wadi_stencil(2, across, wadi_edge_clamp(), a));
}

static wadi_acc sobel_wadi(wadi_acc a) {
    return wadi_stencil(2, sobel, wadi_edge_clamp(), a);
}

/* ---- C: clamped rows outside of the inner loop, border columns apart ---- */

static int64_t clamped(int64_t i, int64_t n) {
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

/* y[x] for a row from the rows around it: one function for each case, over columns [from, below) with clamps or without. */
#define ROWS(NAME, REACH, EXPRESSION)                                                   \
    static void NAME(int64_t n, const float *restrict in, float *restrict out) {        \
        _Pragma("omp parallel for schedule(static)") for (int64_t i = 0; i < n; i++) {  \
            const float *row[2 * (REACH) + 1];                                          \
            for (int64_t k = -(REACH); k <= (REACH); k++)                               \
                row[k + (REACH)] = in + clamped(i + k, n) * n;                          \
            float *to = out + i * n;                                                    \
            for (int64_t j = 0; j < n; j++) {                                           \
                if (j == (REACH)) j = n - (REACH);                                      \
                to[j] = EXPRESSION(EDGE);                                               \
            }                                                                           \
            _Pragma("omp simd") for (int64_t j = (REACH); j < n - (REACH); j++) to[j] = \
                EXPRESSION(INSIDE);                                                     \
        }                                                                               \
    }
#define INSIDE(k, d) row[k][j + (d)]
#define EDGE(k, d) row[k][clamped(j + (d), n)]

#define FIVE(AT) ((((AT(0, 0) + AT(1, -1)) + AT(1, 1)) + AT(2, 0)) * 0.25F)
ROWS(five_rows, 1, FIVE)

#define LINE(AT, r, k)                                                                 \
    (((((AT(r, -2) * (weight[k] * weight[0])) + AT(r, -1) * (weight[k] * weight[1])) + \
       AT(r, 0) * (weight[k] * weight[2])) +                                           \
      AT(r, 1) * (weight[k] * weight[3])) +                                            \
     AT(r, 2) * (weight[k] * weight[4]))
#define WHOLE(AT) \
    (LINE(AT, 0, 0) + LINE(AT, 1, 1) + LINE(AT, 2, 2) + LINE(AT, 3, 3) + LINE(AT, 4, 4))
ROWS(whole_rows, 2, WHOLE)

#define ACROSS(AT)                                                               \
    ((((AT(2, -2) * weight[0] + AT(2, -1) * weight[1]) + AT(2, 0) * weight[2]) + \
      AT(2, 1) * weight[3]) +                                                    \
     AT(2, 2) * weight[4])
#define DOWN(AT)                                                               \
    ((((AT(0, 0) * weight[0] + AT(1, 0) * weight[1]) + AT(2, 0) * weight[2]) + \
      AT(3, 0) * weight[3]) +                                                  \
     AT(4, 0) * weight[4])
ROWS(across_rows, 2, ACROSS)
ROWS(down_rows, 2, DOWN)

#define GX(AT) \
    (((AT(0, 1) + AT(1, 1) * 2.F) + AT(2, 1)) - ((AT(0, -1) + AT(1, -1) * 2.F) + AT(2, -1)))
#define GY(AT) \
    (((AT(2, -1) + AT(2, 0) * 2.F) + AT(2, 1)) - ((AT(0, -1) + AT(0, 0) * 2.F) + AT(0, 1)))
#define SOBEL(AT) sqrtf(GX(AT) * GX(AT) + GY(AT) * GY(AT))
ROWS(sobel_rows, 1, SOBEL)

static void turns(int n, void (*step)(int64_t, const float *restrict, float *restrict),
                  int64_t side, const float *in, float *out, float *spare) {
    const float *from = in;
    for (int t = 0; t < n; t++) {
        float *to = (n - t) % 2 ? out : spare;
        step(side, from, to);
        from = to;
    }
}

static void jacobi_c(const float *in, float *out, float *spare) {
    turns(TURNS, five_rows, JACOBI, in, out, spare);
}

static void heat_planes(int64_t n, const float *restrict in, float *restrict out) {
#pragma omp parallel for schedule(static)
    for (int64_t z = 0; z < n; z++)
        for (int64_t y = 0; y < n; y++) {
            const float *here = in + (z * n + y) * n, *zl = in + (clamped(z - 1, n) * n + y) * n,
                        *zh = in + (clamped(z + 1, n) * n + y) * n,
                        *yl = in + (z * n + clamped(y - 1, n)) * n,
                        *yh = in + (z * n + clamped(y + 1, n)) * n;
            float *to = out + (z * n + y) * n;
#define HEAT_AT(l, r) \
    (here[x] + ((((((zl[x] + yl[x]) + here[l]) + here[r]) + yh[x]) + zh[x]) - here[x] * 6.F) * 0.1F)
            for (int64_t x = 0; x < n; x += n - 1)
                to[x] = HEAT_AT(clamped(x - 1, n), clamped(x + 1, n));
#pragma omp simd
            for (int64_t x = 1; x < n - 1; x++) to[x] = HEAT_AT(x - 1, x + 1);
        }
}

static void heat_c(const float *in, float *out, float *spare) {
    turns(HEAT_TURNS, heat_planes, HEAT, in, out, spare);
}

static void whole_c(const float *in, float *out, float *spare) {
    (void)spare;
    whole_rows(IMAGE, in, out);
}

static void separable_c(const float *in, float *out, float *spare) {
    across_rows(IMAGE, in, spare);
    down_rows(IMAGE, spare, out);
}

static void sobel_c(const float *in, float *out, float *spare) {
    (void)spare;
    sobel_rows(IMAGE, in, out);
}

/* ---- the table ---- */

typedef struct stencil_case {
    const char *name;
    int rank, side;
    wadi_acc (*wadi)(wadi_acc a);
    void (*c)(const float *in, float *out, float *spare);
} stencil_case;

static const stencil_case cases[] = {
    {"Jacobi, 5 points, 1024^2, 40 turns", 2, JACOBI, jacobi_wadi, jacobi_c},
    {"heat, 7 points, 128^3, 20 turns", 3, HEAT, heat_wadi, heat_c},
    {"Gaussian 5 x 5, 2048^2", 2, IMAGE, whole_wadi, whole_c},
    {"Gaussian separable, 2048^2", 2, IMAGE, separable_wadi, separable_c},
    {"Sobel, 2048^2", 2, IMAGE, sobel_wadi, sobel_c},
};

static void fail(const char *name, const char *message) {
    fprintf(stderr, "bench_stencils: %s: %s\n", name, message);
    exit(1);
}

static wadi_exe *compiled(const stencil_case *c, wadi_error *err) {
    wadi_exe *exe = NULL;
    wadi_program *p = wadi_program_create("stencils");
    wadi_output("y", c->wadi(wadi_input("x", WADI_F32, c->rank, c->rank == 2 ? square : cube)));
    const wadi_status st = wadi_compile(p, NULL, &exe, err);
    wadi_program_destroy(p);
    if (st != WADI_OK) fail(c->name, err->msg);
    return exe;
}

typedef struct job {
    const stencil_case *c;
    wadi_run *run;
    wadi_array y;
    float *in, *out, *spare;
    size_t size;
} job;

static double now(void) {
    return (double)wadi_clock_ns() * 1e-9;
}

/* One run of each; the results agree. */
static void turn(job *j, double *best) {
    wadi_error err = {0};
    const double t0 = now();
    if (wadi_run_go(j->run, &err) != WADI_OK) fail(j->c->name, err.msg);
    const double t1 = now();
    j->c->c(j->in, j->out, j->spare);
    const double t2 = now();
    if (t1 - t0 < best[0]) best[0] = t1 - t0;
    if (t2 - t1 < best[1]) best[1] = t2 - t1;
    if (wadi_run_result(j->run, "y", &j->y, &err) != WADI_OK) fail(j->c->name, err.msg);
    const float *y = j->y.column[0];
    for (size_t i = 0; i < j->size; i++)
        if (fabsf(y[i] - j->out[i]) > 1e-5F) fail(j->c->name, "results differ");
}

static void measure(const stencil_case *c, int rounds) {
    double best[2] = {1e9, 1e9};
    wadi_error err = {0};
    job j = {.c = c, .size = 1};
    wadi_array x = {.rank = c->rank, .fields = 1, .type = {WADI_F32}};
    for (int d = 0; d < c->rank; d++) {
        x.shape[d] = c->side;
        j.size *= (size_t)c->side;
    }
    float **buffer[] = {&j.in, &j.out, &j.spare};
    for (int k = 0; k < 3; k++) *buffer[k] = calloc(j.size, sizeof **buffer[k]);
    if (!j.in || !j.out || !j.spare) fail(c->name, "out of memory");
    for (size_t i = 0; i < j.size; i++) j.in[i] = (float)(i * 7919 % 1009) / 1009.F;
    x.column[0] = j.in;
    wadi_exe *exe = compiled(c, &err);
    for (int r = 0; r < rounds; r++) {
        if (wadi_run_create(exe, NULL, &j.run, &err) != WADI_OK ||
            wadi_run_input(j.run, "x", &x, &err) != WADI_OK)
            fail(c->name, err.msg);
        turn(&j, best);
        wadi_run_destroy(j.run);
    }
    wadi_exe_destroy(exe);
    for (int k = 0; k < 3; k++) free(*buffer[k]);
    printf("stencils\t%s\t%.6f\tC\t%.6f\t%.2f\n", c->name, best[0], best[1], best[0] / best[1]);
    fflush(stdout);
}

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 15;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) measure(&cases[i], rounds);
    return 0;
}
