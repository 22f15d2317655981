/* The stage of paper 001, listing 5: each visibility picks two A kernels and a W kernel, convolves them by transforms of the kernels
 * padded with zeros, and scales the result: six transforms of two dimensions in one body. Here with the language's own
 * transforms and with the library's, against convolutions written as sums. What compiling the body anew costs is told and has
 * a limit: processor time of the compiler, against what it needs for a text that everybody knows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <dirent.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "wadi/wadi.h"

enum { SIDE = 15, PADDED = 32, A_KERNELS = 4, W_KERNELS = 3, VISIBILITIES = 20 };

static void must(wadi_status st, const wadi_error *err) {
    if (st != WADI_OK) fail_msg("%s", err->msg);
}

/* ---- the program ---- */

static const int64_t padded_sides[] = {PADDED, PADDED};

typedef struct kernels {
    wadi_acc w, a;
    bool own; /* the language's own transforms */
} kernels;

static wadi_acc forward(const kernels *k, wadi_acc x) {
    return k->own ? wadi_fft_sized(2, padded_sides, false, x) : wadi_fft_nd(2, x);
}

static wadi_acc inverse(const kernels *k, wadi_acc x) {
    return k->own ? wadi_fft_sized(2, padded_sides, true, x) : wadi_ifft_nd(2, x);
}

static wadi_exp padded_element(void *env, wadi_ix ix) {
    const wadi_acc *a = env;
    const wadi_exp inside =
        wadi_land(wadi_lt(ix.at[0], wadi_i64(SIDE)), wadi_lt(ix.at[1], wadi_i64(SIDE)));
    return wadi_cond(inside, wadi_index(*a, ix), wadi_c128(0, 0));
}

static wadi_acc padded(wadi_acc a) {
    return wadi_generate_env(wadi_ix2(wadi_i64(PADDED), wadi_i64(PADDED)), padded_element, &a);
}

static wadi_exp middle_element(void *env, wadi_ix ix) {
    const wadi_acc *a = env;
    const wadi_exp half = wadi_i64(SIDE / 2);
    return wadi_index2(*a, wadi_add(ix.at[0], half), wadi_add(ix.at[1], half));
}

/* The middle of the convolution, as large as its arguments. */
static wadi_acc convolve(const kernels *k, wadi_acc x, wadi_acc y) {
    const wadi_acc fx = forward(k, padded(x)), fy = forward(k, padded(y));
    wadi_acc full = inverse(k, wadi_zip_with(wadi_mul, fx, fy));
    return wadi_generate_env(wadi_ix2(wadi_i64(SIDE), wadi_i64(SIDE)), middle_element, &full);
}

static wadi_acc kernel_at(wadi_acc all, wadi_exp i) {
    const wadi_spec spec[] = {wadi_fix(i), wadi_all(), wadi_all()};
    return wadi_slice(3, spec, all);
}

static wadi_exp times(void *env, wadi_exp x) {
    return wadi_mul(*(const wadi_exp *)env, x);
}

/* One visibility: the indices of its kernels, and its value. */
static wadi_acc process_one(void *env, wadi_acc t) {
    const kernels *k = env;
    const wadi_acc bins = wadi_tuple_get(t, 0);
    wadi_exp vis = wadi_the(wadi_tuple_get(t, 1));
    const wadi_acc w = kernel_at(k->w, wadi_index1(bins, wadi_i64(0)));
    const wadi_acc a1 = kernel_at(k->a, wadi_index1(bins, wadi_i64(1)));
    const wadi_acc a2 = kernel_at(k->a, wadi_index1(bins, wadi_i64(2)));
    return wadi_map_env(times, &vis, convolve(k, w, convolve(k, a1, a2)));
}

static wadi_exe *compile(bool own) {
    static const char *const kernel_extents[] = {"?", "15", "15"}, *const three[] = {"3"};
    static const wadi_component c[] = {{{1, {WADI_I64}, {NULL}}, 1, three},
                                       {{1, {WADI_C128}, {NULL}}, 0, NULL}};
    wadi_program *p = wadi_program_create("aw");
    kernels k = {wadi_input("w", WADI_C128, 3, kernel_extents),
                 wadi_input("a", WADI_C128, 3, kernel_extents), own};
    wadi_exe *exe = NULL;
    wadi_error err = {0};
    wadi_seq s = wadi_stream_in("vis", 2, c);
    wadi_stream_out(wadi_map_seq_env(process_one, &k, s), "kernels");
    must(wadi_compile(p, NULL, &exe, &err), &err);
    wadi_program_destroy(p);
    return exe;
}

/* ---- the data ---- */

typedef struct pair {
    double re, im;
} pair;

static pair a_kernels[A_KERNELS][SIDE][SIDE], w_kernels[W_KERNELS][SIDE][SIDE];
static int64_t bins[VISIBILITIES][3];
static pair values[VISIBILITIES];

static void make_data(void) {
    for (int i = 0; i < A_KERNELS * SIDE * SIDE; i++)
        (&a_kernels[0][0][0])[i] = (pair){sin(0.37 * i), cos(0.11 * i)};
    for (int i = 0; i < W_KERNELS * SIDE * SIDE; i++)
        (&w_kernels[0][0][0])[i] = (pair){cos(0.53 * i), sin(0.29 * i) / 2};
    for (int i = 0; i < VISIBILITIES; i++) {
        bins[i][0] = i % W_KERNELS;
        bins[i][1] = i % A_KERNELS;
        bins[i][2] = i * 7 % A_KERNELS;
        values[i] = (pair){1 + i, 2 - i};
    }
}

static pair product(pair x, pair y) {
    return (pair){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

static void convolve_sums(pair (*x)[SIDE], pair (*y)[SIDE], pair (*out)[SIDE]) {
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            pair sum = {0, 0};
            for (int u = 0; u < SIDE; u++)
                for (int v = 0; v < SIDE; v++) {
                    const int p = i + SIDE / 2 - u, q = j + SIDE / 2 - v;
                    if (p < 0 || p >= SIDE || q < 0 || q >= SIDE) continue;
                    const pair t = product(x[u][v], y[p][q]);
                    sum.re += t.re;
                    sum.im += t.im;
                }
            out[i][j] = sum;
        }
}

static wadi_status pull(void *env, int64_t index, wadi_yield *yield, wadi_error *err) {
    wadi_array a;
    (void)env;
    if (index == VISIBILITIES) return WADI_OK;
    static const int64_t three = 3;
    wadi_status st = wadi_yield_array(yield, 0, &three, &a, err);
    if (st != WADI_OK) return st;
    memcpy(a.column[0], bins[index], sizeof bins[index]);
    st = wadi_yield_array(yield, 1, NULL, &a, err);
    if (st != WADI_OK) return st;
    memcpy(a.column[0], &values[index], sizeof values[index]);
    return WADI_OK;
}

static wadi_status push(void *env, int64_t index, int parts, const wadi_array *element,
                        wadi_error *err) {
    static pair inner[SIDE][SIDE], outer[SIDE][SIDE];
    int *taken = env;
    (void)parts, (void)err;
    convolve_sums(a_kernels[bins[index][1]], a_kernels[bins[index][2]], inner);
    convolve_sums(w_kernels[bins[index][0]], inner, outer);
    const pair *got = element->column[0];
    for (int i = 0; i < SIDE * SIDE; i++) {
        const pair want = product(values[index], (&outer[0][0])[i]);
        if (!(hypot(got[i].re - want.re, got[i].im - want.im) < 1e-8))
            fail_msg("visibility %lld, element %d: %g %g, expected %g %g", (long long)index, i,
                     got[i].re, got[i].im, want.re, want.im);
    }
    ++*taken;
    return WADI_OK;
}

static void run(const wadi_exe *exe, wadi_schedule_option schedule) {
    static const int64_t three = 3;
    const wadi_part parts[] = {wadi_part_fixed(WADI_I64, 1, &three),
                               wadi_part_fixed(WADI_C128, 0, NULL)};
    const wadi_array w = {.rank = 3,
                          .fields = 1,
                          .type = {WADI_C128},
                          .shape = {W_KERNELS, SIDE, SIDE},
                          .column = {w_kernels}};
    wadi_array a = w;
    const wadi_run_options o = {.threads = 2, .schedule = schedule};
    wadi_run *r = NULL;
    wadi_source *source = NULL;
    wadi_sink *sink = NULL;
    wadi_error err = {0};
    int taken = 0;
    a.shape[0] = A_KERNELS;
    a.column[0] = a_kernels;
    must(wadi_run_create(exe, &o, &r, &err), &err);
    must(wadi_source_callback(2, parts, pull, NULL, &source, &err), &err);
    must(wadi_sink_callback(push, &taken, &sink, &err), &err);
    must(wadi_run_input(r, "w", &w, &err), &err);
    must(wadi_run_input(r, "a", &a, &err), &err);
    must(wadi_run_source(r, "vis", source, &err), &err);
    must(wadi_run_sink(r, "kernels", sink, &err), &err);
    must(wadi_run_go(r, &err), &err);
    assert_int_equal(taken, VISIBILITIES);
    wadi_run_destroy(r);
    wadi_source_destroy(source);
    wadi_sink_destroy(sink);
}

static void both_transforms_under_both_schedules(void **state) {
    (void)state;
    for (int own = 0; own < 2; own++) {
        wadi_exe *exe = compile(own == 1);
        run(exe, WADI_SCHEDULE_FORCE_INSIDE);
        run(exe, WADI_SCHEDULE_FORCE_FLAT);
        wadi_exe_destroy(exe);
    }
}

/* ---- compiling anew ---- */

static double children_seconds(void) {
    struct rusage u;
    (void)getrusage(RUSAGE_CHILDREN, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static void remove_all(const char *directory) {
    char path[512];
    DIR *d = opendir(directory);
    for (const struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        (void)snprintf(path, sizeof path, "%s/%s", directory, e->d_name);
        if (e->d_name[0] != '.') (void)remove(path);
    }
    if (d) (void)closedir(d);
    (void)rmdir(directory);
}

/* Processor time for a program of nested loops, as the compiler is called for kernels: what is slow for one is for the other. */
static double reference_seconds(const char *directory) {
    enum { FUNCTIONS = 60 };
    char path[64], command[512];
    const char *cc = getenv("WADI_CC");
    (void)snprintf(path, sizeof path, "%s/reference.c", directory);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    for (int i = 0; i < FUNCTIONS; i++)
        fprintf(f,
                "void f%d(long n, long m, const double *a, const double *b, double *c) {\n"
                "    for (long i = 0; i < n; i++)\n"
                "        for (long j = 0; j < m; j++) {\n"
                "            double s = 0, t = 0;\n"
                "            for (long k = 0; k < %d; k++) {\n"
                "                s += a[i * %d + k] * b[k * m + j];\n"
                "                t -= a[i * %d + k] * b[k * m + j + 1];\n"
                "            }\n"
                "            c[i * m + j] = s > t ? s / (t + %d) : t;\n"
                "        }\n"
                "}\n",
                i, i + 3, i + 3, i + 3, i + 1);
    assert_int_equal(fclose(f), 0);
    (void)snprintf(command, sizeof command,
                   "%s -std=c11 -O3 -march=native -fPIC -shared -o %s/reference.so %s",
                   cc != NULL ? cc : "cc", directory, path);
    const double start = children_seconds();
    assert_int_equal(system(command), 0);
    return children_seconds() - start;
}

static void compiling_anew_is_quick(void **state) {
    (void)state;
    char directory[] = "/tmp/wadi_aw_XXXXXX";
    const char *before = getenv("WADI_CACHE_DIR");
    char *kept = before ? strdup(before) : NULL;
    assert_non_null(mkdtemp(directory));
    assert_int_equal(setenv("WADI_CACHE_DIR", directory, 1), 0);
    wadi_exe *exe = compile(true);
    const double start = children_seconds();
    run(exe, WADI_SCHEDULE_FORCE_INSIDE);
    const double seconds = children_seconds() - start, reference = reference_seconds(directory);
    print_message("the compiler took %.2f s of processor time, for the reference %.2f s\n", seconds,
                  reference);
    wadi_exe_destroy(exe);
    remove_all(directory);
    if (kept)
        (void)setenv("WADI_CACHE_DIR", kept, 1);
    else
        (void)unsetenv("WADI_CACHE_DIR");
    free(kept);
    assert_true(seconds < 5 * reference); /* usual are 0.4 times with -O3, 2.5 times with less */
}

int main(void) {
    make_data();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_transforms_under_both_schedules),
        cmocka_unit_test(compiling_anew_is_quick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
