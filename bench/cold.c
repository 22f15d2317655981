/* What a first run costs, when no kernel is cached: programs of many operators and of few, over arrays of some dozens of elements. Prints a table.
 *
 *     bench_cold [TIMES]
 *
 * Columns: seconds from text to result, and processor time of wadi and the compiler, the least of TIMES (3); then the same of a run that finds all
 * in the cache. Compilers whose kernels the run does not wait for are ended with it, and count as far as they came. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/folder.h"
#include "base/text.h"
#include "wadi/wadi.h"

enum { N = 40, ROWS = 4, OPERATORS = 17, MOST_TIMES = 99 };

/* ---- programs ---- */

/* @ is the round, ~ the one before, and each $ a constant of its own. */
static const char mixed_round[] =
    "s@ = fold 0.0 x~ (a, b) { add a b }\n"
    "y@ = stencil dims=1 edge=1 near=3,-1,0,1 y~ (l, m, r) { add (mul l $) (add m (mul r $)) }\n"
    "p@ = scanl1 y@ (a, b) { add a b }\n"
    "k@ = map k~ (a) { rem (add a 7) 13 }\n"
    "h@ = permute zeros p@ k@ (new, old) { add new old } (i, k) { true, k }\n"
    "f@ = map k@ (a) { if gt a 4 { 1 } else { 0 } }\n"
    "n@ = fold 0 f@ (a, b) { add a b }\n"
    "q@ = compact n@ x~ k@ (a, k) { gt k 4 }\n"
    "t@ = fold 0.0 q@ (a, b) { max a b }\n"
    "g@ = gather k@ p@\n"
    "u@ = fold 0.0 g@ (a, b) { add a (mul b b) }\n"
    "m@ = stencil dims=2 edge=1 near=5,-1,0,0,-1,0,0,0,1,1,0 m~ (n, w, c, e, s) {\n"
    "    add (add n s) (add (add w e) (mul c $f32))\n}\n"
    "w@ = fold 0.0f32 m@ (a, b) { max a b }\n"
    "o@ = scanl 0 k@ (a, b) { add a b }\n"
    "e@ = unit { add (the s@) (fdiv (the t@) (add (the u@) $)) }\n"
    "v@ = zip_with x~ y@ (a, b) { sub (mul a $) b }\n";
/* The last operator of a round, of a form that changes from round to round. */
static const char *const mixed_ends[] = {
    "x@ = map v@ (a) { mul (add a $) $ }\n", "x@ = map v@ (a) { sqrt (abs (sub a $)) }\n",
    "x@ = reverse dim=0 v@\n", "x@ = imap v@ (i, a) { fdiv a (add $ (convert f64 i)) }\n",
    "x@ = map v@ (a) { if lt a $ { mul a $ } else { $ } }\n"};

static void add_constant(wadi_text *t, int number) {
    wadi_text_addf(t, "%d.%d", 1 + number / 9, 1 + number % 9);
}

static void add_filled(wadi_text *t, const char *form, int round, int *constant) {
    for (; *form != '\0'; form++) {
        if (*form == '@')
            wadi_text_addf(t, "%d", round);
        else if (*form == '~')
            wadi_text_addf(t, "%d", round - 1);
        else if (*form == '$')
            add_constant(t, (*constant)++);
        else
            wadi_text_add_n(t, form, 1);
    }
}

/* Results are those of the last round, and a sum, a maximum and a histogram of each. */
static void mixed(wadi_text *t, int operators) {
    const int rounds = (operators + OPERATORS - 1) / OPERATORS;
    int constant = 0;
    wadi_text_add(t, "program mixed\nx0 = input \"x\" : f64[n]\ny0 = map x0 (a) { neg a }\n"
                     "k0 = input \"k\" : i64[n]\nm0 = input \"m\" : f32[r, c]\n"
                     "zeros = generate 16 (i) { 0.0 }\n");
    for (int k = 1; k <= rounds; k++) {
        add_filled(t, mixed_round, k, &constant);
        add_filled(t, mixed_ends[k % (int)(sizeof mixed_ends / sizeof *mixed_ends)], k, &constant);
        add_filled(t, "output e@\noutput w@\noutput h@\noutput o@\n", k, &constant);
    }
    wadi_text_addf(t, "output x%d\n", rounds);
}

static void alike(wadi_text *t, int operators) {
    int constant = 0;
    wadi_text_add(t, "program alike\nx0 = input \"x\" : f64[n]\n");
    for (int k = 1; k <= operators / 2; k++)
        add_filled(t,
                   "s@ = fold 0.0 x~ (a, b) { add a b }\n"
                   "x@ = map x~ (a) { sub (mul a 0.5) (the s@) }\n",
                   k, &constant);
    wadi_text_addf(t, "output x%d\n", operators / 2);
}

static void dot(wadi_text *t, int operators) {
    WADI_UNUSED(operators);
    wadi_text_add(t, "program dot\nx = input \"x\" : f64[n]\n"
                     "squares = map x (a) { mul a a }\n"
                     "result = fold 0.0 squares (a, b) { add a b }\noutput result\n");
}

/* A sparse matrix of eight rows times a vector. */
static void gathers(wadi_text *t, int operators) {
    WADI_UNUSED(operators);
    wadi_text_add(t, "program gathers\nx = input \"x\" : f64[n]\nk = input \"k\" : i64[columns]\n"
                     "rows = unit { 8 }\n"
                     "matrix = produce rows (row) {\n"
                     "    length = unit { rem (k ! (the row)) 5 }\n"
                     "    products = generate length (i) {\n"
                     "        at = add (mul (the row) 5) i\n"
                     "        mul (x ! at) (x ! (k ! at))\n    }\n"
                     "    sum = fold 0.0 products (a, b) { add a b }\n    yield sum\n}\n"
                     "result = elements matrix\noutput result\n");
}

static const struct {
    const char *name;
    void (*write)(wadi_text *t, int operators);
    int operators;
} programs[] = {{"mixed", mixed, 500},        {"mixed", mixed, 100}, {"mixed", mixed, 50},
                {"mixed", mixed, 17},         {"alike", alike, 500}, {"dot product", dot, 2},
                {"sparse matrix", gathers, 6}};

/* ---- runs ---- */

typedef struct cost {
    double elapsed_s, processor_s;
} cost;

static double processor_s(void) {
    double s = 0;
    for (int k = 0; k < 2; k++) {
        struct rusage u;
        if (getrusage(k == 0 ? RUSAGE_SELF : RUSAGE_CHILDREN, &u) != 0) continue;
        s += (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
             1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
    }
    return s;
}

static wadi_status bind(wadi_run *run, const char *text, wadi_error *err) {
    static double x[N];
    static int64_t k[N];
    static float m[N];
    for (int i = 0; i < N; i++) {
        x[i] = 1.0 / (i + 1);
        k[i] = i;
        m[i] = (float)i;
    }
    const wadi_array xs = {1, 1, {WADI_F64}, {N}, {x}}, ks = {1, 1, {WADI_I64}, {N}, {k}},
                     ms = {2, 1, {WADI_F32}, {ROWS, N / ROWS}, {m}};
    WADI_TRY(wadi_run_input(run, "x", &xs, err));
    if (strstr(text, "input \"k\"") == NULL) return WADI_OK;
    WADI_TRY(wadi_run_input(run, "k", &ks, err));
    if (strstr(text, "input \"m\"") == NULL) return WADI_OK;
    return wadi_run_input(run, "m", &ms, err);
}

static wadi_status run_text(const char *text, cost *least, wadi_error *err) {
    const int64_t start = wadi_clock_ns();
    const double before_s = processor_s();
    wadi_exe *exe = NULL;
    wadi_run *run = NULL;
    wadi_status st = wadi_compile_text(text, "bench_cold", NULL, &exe, err);
    if (st == WADI_OK) st = wadi_run_create(exe, NULL, &run, err);
    if (st == WADI_OK) st = bind(run, text, err);
    if (st == WADI_OK) st = wadi_run_go(run, err);
    wadi_run_destroy(run);
    wadi_exe_destroy(exe);
    const double elapsed_s = (double)(wadi_clock_ns() - start) * 1e-9;
    const double used_s = processor_s() - before_s;
    if (elapsed_s < least->elapsed_s) least->elapsed_s = elapsed_s;
    if (used_s < least->processor_s) least->processor_s = used_s;
    return st;
}

/* Once with an empty cache and once more. */
static wadi_status run_twice(const char *text, cost *cold, cost *warm, wadi_error *err) {
    wadi_folder folder;
    WADI_TRY(wadi_folder_make(wadi_folder_parent(), "bench_cold-", &folder, err));
    (void)setenv("WADI_CACHE_DIR", folder.path, 1);
    wadi_status st = run_text(text, cold, err);
    if (st == WADI_OK) st = run_text(text, warm, err);
    wadi_folder_remove(&folder);
    return st;
}

static wadi_status print_row(size_t p, int times, wadi_error *err) {
    cost cold = {1e9, 1e9}, warm = {1e9, 1e9};
    wadi_text t = {0};
    programs[p].write(&t, programs[p].operators);
    wadi_status st = t.failed ? wadi_fail(err, WADI_MEMORY, "out of memory") : WADI_OK;
    for (int i = 0; i < times && st == WADI_OK; i++)
        st = run_twice(wadi_text_str(&t), &cold, &warm, err);
    if (st == WADI_OK)
        printf("| %s | %d | %.2f | %.2f | %.3f | %.3f |\n", programs[p].name, programs[p].operators,
               cold.elapsed_s, cold.processor_s, warm.elapsed_s, warm.processor_s);
    (void)fflush(stdout);
    wadi_text_fini(&t);
    return st;
}

int main(int argc, char **argv) {
    const long times = argc > 1 ? strtol(argv[1], NULL, 10) : 3;
    wadi_error err = {.status = WADI_OK};
    wadi_status st = WADI_OK;
    if (times < 1 || times > MOST_TIMES) {
        fprintf(stderr, "usage: bench_cold [TIMES]\n");
        return 2;
    }
    printf("| program | operators | cold, s | processor, s | warm, s | processor, s |\n"
           "|---|---|---|---|---|---|\n");
    for (size_t p = 0; p < sizeof programs / sizeof *programs && st == WADI_OK; p++)
        st = print_row(p, (int)times, &err);
    if (st != WADI_OK) fprintf(stderr, "bench_cold: %s\n", err.msg);
    return st == WADI_OK ? 0 : 1;
}
