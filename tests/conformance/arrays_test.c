/* Programs over whole arrays, against the interpreter and against plain C. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/conformance/runner.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static const char *const any3[] = {"?", "?", "?"};

/* ---- the papers' examples ---- */

static void dot_product_of_lengths_around_the_block(void **state) {
    (void)state;
    static const int64_t lengths[] = {0, 1, 15, 16, 17, 4095, 4096, 4097, 10007};
    enum { LONGEST = 10007 };
    float *xs = malloc(LONGEST * sizeof *xs), *ys = malloc(LONGEST * sizeof *ys);
    for (int i = 0; i < LONGEST; i++) {
        xs[i] = (float)(i % 7);
        ys[i] = (float)(i % 5 - 2);
    }
    for (int k = 0; k < COUNT(lengths); k++) {
        const char *n[] = {"n"};
        wadi_program *p = wadi_program_create("dotp");
        const wadi_acc x = wadi_input("xs", WADI_F32, 1, n), y = wadi_input("ys", WADI_F32, 1, n);
        wadi_output("dot", wadi_fold(wadi_add, wadi_f32(0), wadi_zip_with(wadi_mul, x, y)));
        float want = 0; /* integers below 2^24: exact in any order */
        for (int i = 0; i < lengths[k]; i++) want += xs[i] * ys[i];
        const wadi_interp_input in[] = {{"xs", conf_vector(WADI_F32, lengths[k], xs)},
                                        {"ys", conf_vector(WADI_F32, lengths[k], ys)}};
        const wadi_interp_input out = {"dot", conf_scalar(WADI_F32, &want)};
        conf_assert_agrees(p, &(wadi_interp_io){in, 2, NULL, 0}, 1, &out);
    }
    free(xs);
    free(ys);
}

static wadi_exp times_column(void *env, wadi_ix ix, wadi_exp x) {
    const wadi_acc *v = env;
    return wadi_mul(x, wadi_index1(*v, ix.at[1]));
}

static void matrix_times_vector(void **state) {
    (void)state;
    enum { ROWS = 13, COLUMNS = 17 };
    double m[ROWS][COLUMNS], v[COLUMNS], want[ROWS] = {0};
    for (int j = 0; j < COLUMNS; j++) v[j] = j - 8;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            m[i][j] = i * j % 11;
            want[i] += m[i][j] * v[j];
        }
    const char *shape[] = {"rows", "columns"};
    wadi_program *p = wadi_program_create("mvm");
    const wadi_acc a = wadi_input("m", WADI_F64, 2, shape);
    wadi_acc x = wadi_input("v", WADI_F64, 1, shape + 1);
    wadi_output("result", wadi_fold(wadi_add, wadi_f64(0), wadi_imap_env(times_column, &x, a)));
    const wadi_interp_input in[] = {
        {"m", conf_array(WADI_F64, 2, (const int64_t[]){ROWS, COLUMNS}, m)},
        {"v", conf_vector(WADI_F64, COLUMNS, v)}};
    const wadi_interp_input out = {"result", conf_vector(WADI_F64, ROWS, want)};
    conf_assert_agrees(p, &(wadi_interp_io){in, 2, NULL, 0}, 1, &out);
}

static wadi_exp inside(void *env, wadi_exp s) {
    (void)env;
    const wadi_exp x = wadi_get(s, "x"), y = wadi_get(s, "y");
    return wadi_land(wadi_lt(wadi_get(s, "n"), wadi_i32(50)),
                     wadi_le(wadi_add(wadi_mul(x, x), wadi_mul(y, y)), wadi_f64(4)));
}

static wadi_exp square_and_add(void *env, wadi_exp s) {
    const wadi_exp *c = env, x = wadi_get(s, "x"), y = wadi_get(s, "y");
    return wadi_rec3("x", wadi_add(wadi_sub(wadi_mul(x, x), wadi_mul(y, y)), c[0]), "y",
                     wadi_add(wadi_mul(wadi_f64(2), wadi_mul(x, y)), c[1]), "n",
                     wadi_add(wadi_get(s, "n"), wadi_i32(1)));
}

static wadi_exp escape_time(wadi_ix ix) {
    wadi_exp c[2] = {
        wadi_sub(wadi_mul(wadi_convert(WADI_F64, ix.at[1]), wadi_f64(0.125)), wadi_f64(2)),
        wadi_sub(wadi_mul(wadi_convert(WADI_F64, ix.at[0]), wadi_f64(0.125)), wadi_f64(1))};
    const wadi_exp from = wadi_rec3("x", wadi_f64(0), "y", wadi_f64(0), "n", wadi_i32(0));
    return wadi_get(wadi_while_env(inside, square_and_add, c, from), "n");
}

static void mandelbrot_counts_as_c_does(void **state) {
    (void)state;
    enum { HEIGHT = 16, WIDTH = 24 };
    int32_t want[HEIGHT][WIDTH];
    for (int i = 0; i < HEIGHT; i++)
        for (int j = 0; j < WIDTH; j++) {
            double x = 0, y = 0;
            int32_t n = 0;
            for (; n < 50 && x * x + y * y <= 4; n++) {
                const double next = x * x - y * y + (j * 0.125 - 2);
                y = 2 * (x * y) + (i * 0.125 - 1);
                x = next;
            }
            want[i][j] = n;
        }
    wadi_program *p = wadi_program_create("mandelbrot");
    wadi_output("n", wadi_generate(wadi_ix2(wadi_i64(HEIGHT), wadi_i64(WIDTH)), escape_time));
    const wadi_interp_input out = {"n",
                                   conf_array(WADI_I32, 2, (const int64_t[]){HEIGHT, WIDTH}, want)};
    conf_assert_agrees(p, &(wadi_interp_io){0}, 1, &out);
}

/* The order of combination shows in the last bits: it must be the same everywhere. */
static void reductions_and_scans_have_one_order(void **state) {
    (void)state;
    enum { LONGEST = 3 * 4097 };
    static const int64_t shapes[][2] = {
        {3, 4095}, {3, 4096}, {3, 4097}, {1, LONGEST}, {LONGEST, 1}};
    float *v = malloc(LONGEST * sizeof *v);
    for (int i = 0; i < LONGEST; i++) v[i] = (float)(i * 7919 % 10007) * 0.37f - 1234.5f;
    for (int k = 0; k < COUNT(shapes); k++) {
        wadi_program *p = wadi_program_create("order");
        const wadi_acc a = wadi_input("v", WADI_F32, 2, any3);
        wadi_output("sum", wadi_fold(wadi_add, wadi_f32(0.1f), a));
        wadi_output("sums", wadi_scanl(wadi_add, wadi_f32(0.3f), a));
        wadi_output("products", wadi_scanl1(wadi_mul, wadi_map(wadi_cos, a)));
        wadi_output("down", wadi_sum(wadi_transpose(a)));
        wadi_output("all", wadi_fold_all(wadi_hypot, wadi_f32(1), a));
        wadi_output("where", wadi_argmax(a));
        const wadi_interp_input in = {"v", conf_array(WADI_F32, 2, shapes[k], v)};
        conf_assert_agrees(p, &(wadi_interp_io){&in, 1, NULL, 0}, 0, NULL);
    }
    free(v);
}

/* ---- permute ---- */

static wadi_ix bucket_of(void *env, wadi_ix ix) {
    const wadi_acc *a = env;
    const wadi_exp v = wadi_index1(*a, ix.at[0]);
    return wadi_keep_if(wadi_ge(v, wadi_i32(0)), wadi_ix1(wadi_mod(v, wadi_i32(10))));
}

static wadi_exp plus(void *env, wadi_exp element, wadi_exp old) {
    (void)env;
    return wadi_add(element, old);
}

static wadi_exp one(wadi_exp x) {
    (void)x;
    return wadi_u32(1);
}

static void histogram_drops_and_counts(void **state) {
    (void)state;
    enum { N = 1000 };
    int32_t v[N];
    uint32_t want[10] = {0};
    for (int i = 0; i < N; i++) {
        v[i] = i * 7919 % 613 - 50;
        if (v[i] >= 0) want[v[i] % 10]++;
    }
    wadi_program *p = wadi_program_create("histogram");
    wadi_acc a = wadi_input("v", WADI_I32, 1, any3);
    const wadi_acc zero = wadi_fill(wadi_ix1(wadi_i64(10)), wadi_u32(0));
    wadi_output("h", wadi_permute_env(plus, zero, bucket_of, &a, wadi_map(one, a)));
    const wadi_interp_input in = {"v", conf_vector(WADI_I32, N, v)},
                            out = {"h", conf_vector(WADI_U32, 10, want)};
    conf_assert_agrees(p, &(wadi_interp_io){&in, 1, NULL, 0}, 1, &out);
}

/* Long enough for tables: sums, extremes and a record, from defaults that count too; and a vector in a stream of others. */
static wadi_exp both(void *env, wadi_exp element, wadi_exp old) {
    (void)env;
    return wadi_rec2("sum", wadi_add(wadi_get(element, "sum"), wadi_get(old, "sum")), "least",
                     wadi_min(wadi_get(element, "least"), wadi_get(old, "least")));
}

static wadi_exp pair(wadi_exp x) {
    return wadi_rec2("sum", wadi_convert(WADI_U32, x), "least", x);
}

static wadi_exp thousands(wadi_ix i) {
    const wadi_exp x = wadi_convert(WADI_I32, wadi_mul(i.at[0], wadi_i64(1000)));
    return wadi_rec2("sum", wadi_convert(WADI_U32, x), "least", x);
}

static wadi_exp first(wadi_exp r) {
    return wadi_get(r, "sum");
}

static wadi_exp second(wadi_exp r) {
    return wadi_get(r, "least");
}

static wadi_acc tallied(wadi_acc a) {
    const wadi_acc start = wadi_generate(wadi_ix1(wadi_i64(10)), thousands);
    return wadi_permute_env(both, start, bucket_of, &a, wadi_map(pair, a));
}

static wadi_acc tallied_sums(wadi_acc a) {
    return wadi_map(first, tallied(a));
}

static void long_vectors_are_permuted_in_parts(void **state) {
    (void)state;
    enum { N = 70000 };
    static int32_t v[N];
    static const int64_t offsets[] = {0, 3, 3, 30000, 30100, N};
    for (int i = 0; i < N; i++) v[i] = (int32_t)(i * 7919LL % 100003) - 50;
    wadi_program *p = wadi_program_create("tables");
    const wadi_acc a = wadi_input("v", WADI_I32, 1, any3), all = tallied(a);
    wadi_output("sums", wadi_map(first, all));
    wadi_output("least", wadi_map(second, all));
    const wadi_acc o = wadi_input("offsets", WADI_I64, 1, any3 + 1);
    wadi_output("each",
                wadi_consume(wadi_elements(wadi_map_seq(tallied_sums, wadi_from_offsets(o, a)))));
    const wadi_interp_input in[] = {{"v", conf_vector(WADI_I32, N, v)},
                                    {"offsets", conf_vector(WADI_I64, 6, offsets)}};
    conf_assert_agrees(p, &(wadi_interp_io){in, 2, NULL, 0}, 0, NULL);
}

static wadi_exp newest(void *env, wadi_exp element, wadi_exp old) {
    (void)env;
    (void)old;
    return element;
}

static void permute_combines_collisions_in_source_order(void **state) {
    (void)state;
    enum { N = 300 };
    int32_t v[N], want[10] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
    for (int i = 0; i < N; i++) {
        v[i] = i * 31 % 97 - 3;
        if (v[i] >= 0) want[v[i] % 10] = v[i];
    }
    wadi_program *p = wadi_program_create("last");
    wadi_acc a = wadi_input("v", WADI_I32, 1, any3);
    const wadi_acc none = wadi_fill(wadi_ix1(wadi_i64(10)), wadi_i32(-1));
    wadi_output("last", wadi_permute_env(newest, none, bucket_of, &a, a));
    const wadi_interp_input in = {"v", conf_vector(WADI_I32, N, v)},
                            out = {"last", conf_vector(WADI_I32, 10, want)};
    conf_assert_agrees(p, &(wadi_interp_io){&in, 1, NULL, 0}, 1, &out);
}

/* ---- control at array level ---- */

typedef struct neighbours {
    wadi_acc a;
    wadi_exp start;
} neighbours;

/* One round of odd-even transposition: pairs that begin at even or odd places are put in order. */
static wadi_exp in_order(void *env, wadi_ix ix) {
    const neighbours *w = env;
    const wadi_exp i = ix.at[0], n = wadi_extent(w->a, 0), self = wadi_index1(w->a, i);
    const wadi_exp first = wadi_eq(wadi_mod(wadi_add(i, w->start), wadi_i64(2)), wadi_i64(0));
    const wadi_exp next = wadi_min(wadi_add(i, wadi_i64(1)), wadi_sub(n, wadi_i64(1))),
                   last = wadi_max(wadi_sub(i, wadi_i64(1)), wadi_i64(0));
    return wadi_cond(first, wadi_min(self, wadi_index1(w->a, next)),
                     wadi_max(self, wadi_index1(w->a, last)));
}

static wadi_acc sort_step(wadi_acc state) {
    const wadi_acc a = wadi_tuple_get(state, 0), round = wadi_tuple_get(state, 1);
    neighbours w = {a, wadi_the(round)};
    const wadi_acc next = wadi_generate_env(wadi_shape_of(a), in_order, &w);
    return wadi_tuple2(next, wadi_unit(wadi_add(wadi_the(round), wadi_i64(1))));
}

static wadi_acc sort_goes_on(wadi_acc state) {
    const wadi_acc a = wadi_tuple_get(state, 0), round = wadi_tuple_get(state, 1);
    return wadi_unit(wadi_lt(wadi_the(round), wadi_extent(a, 0)));
}

static int ascending(const void *a, const void *b) {
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void sorting_by_awhile(void **state) {
    (void)state;
    enum { N = 61 };
    int32_t v[N], want[N];
    for (int i = 0; i < N; i++) want[i] = v[i] = i * 37 % 41 - 20;
    qsort(want, N, sizeof *want, ascending);
    wadi_program *p = wadi_program_create("sort");
    const wadi_acc a = wadi_input("v", WADI_I32, 1, any3);
    const wadi_acc from = wadi_tuple2(a, wadi_unit(wadi_i64(0)));
    wadi_output("sorted", wadi_tuple_get(wadi_awhile(sort_goes_on, sort_step, from), 0));
    const wadi_interp_input in = {"v", conf_vector(WADI_I32, N, v)},
                            out = {"sorted", conf_vector(WADI_I32, N, want)};
    conf_assert_agrees(p, &(wadi_interp_io){&in, 1, NULL, 0}, 1, &out);
}

static wadi_exp halves(void *env, wadi_ix ix) {
    const wadi_acc *a = env;
    const wadi_exp n = wadi_extent(*a, 0), i = wadi_mul(ix.at[0], wadi_i64(2)),
                   j = wadi_add(i, wadi_i64(1));
    return wadi_add(wadi_index1(*a, i), wadi_cond(wadi_lt(j, n), wadi_index1(*a, j), wadi_i64(0)));
}

static wadi_acc halve(wadi_acc a) {
    const wadi_exp n = wadi_quot(wadi_add(wadi_extent(a, 0), wadi_i64(1)), wadi_i64(2));
    return wadi_generate_env(wadi_ix1(n), halves, &a);
}

static wadi_acc longer_than_one(wadi_acc a) {
    return wadi_unit(wadi_gt(wadi_extent(a, 0), wadi_i64(1)));
}

static void awhile_whose_state_shrinks(void **state) {
    (void)state;
    int64_t v[100], want = 0;
    for (int i = 0; i < 100; i++) want += v[i] = i * i - 50;
    wadi_program *p = wadi_program_create("tree");
    wadi_output("sum", wadi_awhile(longer_than_one, halve, wadi_input("v", WADI_I64, 1, any3)));
    const wadi_interp_input in = {"v", conf_vector(WADI_I64, 100, v)},
                            out = {"sum", conf_vector(WADI_I64, 1, &want)};
    conf_assert_agrees(p, &(wadi_interp_io){&in, 1, NULL, 0}, 1, &out);
}

static void acond_chooses_a_tuple(void **state) {
    (void)state;
    for (int64_t n = 0; n < 3; n++) {
        const int32_t v[] = {4, 5};
        wadi_program *p = wadi_program_create("choice");
        const wadi_acc a = wadi_input("v", WADI_I32, 1, any3);
        const wadi_acc chosen = wadi_acond(
            wadi_gt(wadi_size(a), wadi_i64(0)), wadi_tuple2(wadi_map(wadi_neg, a), wadi_sum(a)),
            wadi_tuple2(wadi_iota(WADI_I32, wadi_i64(3)), wadi_unit(wadi_i32(-7))));
        wadi_output("chosen", chosen);
        const wadi_interp_input in = {"v", conf_vector(WADI_I32, n, v)};
        static const int32_t sums[] = {-7, 4, 9};
        const wadi_interp_input out = {"chosen.1", conf_scalar(WADI_I32, &sums[n])};
        conf_assert_agrees(p, &(wadi_interp_io){&in, 1, NULL, 0}, 1, &out);
    }
}

/* ---- sizes that depend on data ---- */

static wadi_exp is_odd(wadi_exp x) {
    return wadi_convert(WADI_I64, wadi_and(x, wadi_i32(1)));
}

static wadi_ix kept_place(void *env, wadi_ix ix) {
    const wadi_acc *w = env; /* flags, places */
    return wadi_keep_if(wadi_ne(wadi_index1(w[0], ix.at[0]), wadi_i64(0)),
                        wadi_ix1(wadi_index1(w[1], ix.at[0])));
}

static void filter_is_scan_and_permute(void **state) {
    (void)state;
    enum { N = 501 };
    int32_t v[N], want[N];
    int64_t n = 0;
    for (int i = 0; i < N; i++) {
        v[i] = i * i % 37;
        if (v[i] & 1) want[n++] = v[i];
    }
    wadi_program *p = wadi_program_create("filter");
    const wadi_acc a = wadi_input("v", WADI_I32, 1, any3);
    wadi_acc w[2] = {wadi_map(is_odd, a)};
    w[1] = wadi_scanl(wadi_add, wadi_i64(0), w[0]);
    const wadi_acc zero = wadi_fill(wadi_ix1(wadi_the(wadi_sum(w[0]))), wadi_i32(0));
    wadi_output("odd", wadi_permute_env(newest, zero, kept_place, w, a));
    const wadi_interp_input in = {"v", conf_vector(WADI_I32, N, v)},
                            out = {"odd", conf_vector(WADI_I32, n, want)};
    conf_assert_agrees(p, &(wadi_interp_io){&in, 1, NULL, 0}, 1, &out);
}

/* ---- ranks and structure ---- */

static wadi_exp mixed(wadi_ix ix) {
    wadi_exp v = wadi_i64(1);
    for (int d = 0; d < ix.rank; d++) v = wadi_add(wadi_mul(v, wadi_i64(10)), ix.at[d]);
    return v;
}

static wadi_acc of_rank(int rank) {
    wadi_ix shape = {.rank = rank};
    for (int d = 0; d < rank; d++) shape.at[d] = wadi_i64(d + 2);
    return wadi_generate(shape, mixed);
}

static void every_rank_through_every_rearrangement(void **state) {
    (void)state;
    for (int rank = 0; rank <= 4; rank++) {
        wadi_program *p = wadi_program_create("ranks");
        const wadi_acc a = of_rank(rank);
        const wadi_spec spec[] = {wadi_fix(wadi_i64(3)), wadi_any(), wadi_fix(wadi_i64(2))};
        wadi_output("generated", a);
        wadi_output("flat", wadi_flatten(a));
        wadi_output("transposed", wadi_transpose(a));
        wadi_output("repeated", wadi_replicate(3, spec, a));
        for (int d = 0; d < rank; d++) {
            char name[3][16] = {"reverse", "take", "drop"};
            for (int k = 0; k < 3; k++) strcat(name[k], (const char[]){(char)('0' + d), '\0'});
            wadi_output(name[0], wadi_reverse_on(d, a));
            wadi_output(name[1], wadi_take_on(d, wadi_i64(2), a));
            wadi_output(name[2], wadi_drop_on(d, wadi_i64(2), wadi_transpose(a)));
        }
        conf_assert_agrees(p, &(wadi_interp_io){0}, 0, NULL);
    }
}

static void slices_folds_and_scans_of_a_cube(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("cube");
    const wadi_acc a = of_rank(3);
    const wadi_spec row[] = {wadi_fix(wadi_i64(1)), wadi_all(), wadi_all()},
                    column[] = {wadi_all(), wadi_fix(wadi_i64(2)), wadi_fix(wadi_i64(0))};
    wadi_output("row", wadi_slice(3, row, a));
    wadi_output("column", wadi_slice(3, column, a));
    wadi_output("sums", wadi_sum(a));
    wadi_output("all", wadi_fold_all(wadi_max, wadi_i64(0), a));
    wadi_output("inner", wadi_scanl1(wadi_add, a));
    wadi_output("outer", wadi_transpose(wadi_scanl(wadi_add, wadi_i64(5), wadi_transpose(a))));
    wadi_output("square", wadi_reshape(wadi_ix2(wadi_i64(4), wadi_i64(6)), a));
    wadi_output("least", wadi_argmin(wadi_map(wadi_neg, a)));
    conf_assert_agrees(p, &(wadi_interp_io){0}, 0, NULL);
}

static void empty_dimensions_everywhere(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("empty");
    const int64_t shape[] = {3, 0};
    const wadi_acc a = wadi_input("a", WADI_F64, 2, any3);
    wadi_output("mapped", wadi_map(wadi_sqrt, a));
    wadi_output("sums", wadi_sum(a));
    wadi_output("scan", wadi_scanl(wadi_add, wadi_f64(1.5), a));
    wadi_output("scan1", wadi_scanl1(wadi_add, a));
    wadi_output("turned", wadi_sum(wadi_transpose(a)));
    wadi_output("flat", wadi_flatten(a));
    wadi_output("size", wadi_unit(wadi_size(a)));
    const wadi_interp_input in = {"a", conf_array(WADI_F64, 2, shape, "")};
    static const double zeros[3], starts[3] = {1.5, 1.5, 1.5};
    const wadi_interp_input out[] = {
        {"sums", conf_vector(WADI_F64, 3, zeros)},
        {"scan", conf_array(WADI_F64, 2, (const int64_t[]){3, 1}, starts)},
        {"turned", conf_vector(WADI_F64, 0, zeros)}};
    conf_assert_agrees(p, &(wadi_interp_io){&in, 1, NULL, 0}, 3, out);
}

/* ---- records ---- */

static wadi_exp polar(wadi_exp z) {
    const wadi_exp x = wadi_get(z, "x"), y = wadi_get(z, "y");
    return wadi_rec3("r2", wadi_add(wadi_mul(x, x), wadi_mul(y, y)), "right",
                     wadi_ge(x, wadi_f32(0)), "octant", wadi_u8(3));
}

static wadi_exp larger(wadi_exp a, wadi_exp b) {
    return wadi_cond(wadi_ge(wadi_get(a, "r2"), wadi_get(b, "r2")), a, b);
}

static wadi_exp swapped(wadi_exp z) {
    return wadi_rec2("x", wadi_get(z, "y"), "y", wadi_get(z, "x"));
}

static void records_are_columns(void **state) {
    (void)state;
    float x[50], y[50];
    for (int i = 0; i < 50; i++) {
        x[i] = (float)(i * 7 % 13 - 6);
        y[i] = (float)(i % 5);
    }
    wadi_program *p = wadi_program_create("records");
    const wadi_elem_type point = {.fields = 2, .type = {WADI_F32, WADI_F32}, .name = {"x", "y"}};
    const wadi_acc a = wadi_input_rec("points", point, 2, any3), s = wadi_map(swapped, a);
    wadi_output("swapped", s);
    wadi_output("turned", wadi_transpose(s));
    wadi_output("largest", wadi_fold1(larger, wadi_map(polar, a)));
    wadi_output("running", wadi_scanl1(larger, wadi_map(polar, s)));
    const wadi_interp_input in = {
        "points",
        {.rank = 2, .fields = 2, .type = {WADI_F32, WADI_F32}, .shape = {5, 10}, .column = {x, y}}};
    conf_assert_agrees(p, &(wadi_interp_io){&in, 1, NULL, 0}, 0, NULL);
}

/* ---- scalar code ---- */

static wadi_exp guarded(wadi_exp x) {
    return wadi_cond(wadi_eq(x, wadi_i32(0)), wadi_i32(-1), wadi_quot(wadi_i32(100), x));
}

static void cond_computes_only_its_side(void **state) {
    (void)state;
    const int32_t v[] = {0, 1, -3, 0, 7}, want[] = {-1, 100, -33, -1, 14};
    wadi_program *p = wadi_program_create("guard");
    wadi_output("q", wadi_map(guarded, wadi_input("v", WADI_I32, 1, any3)));
    const wadi_interp_input in = {"v", conf_vector(WADI_I32, 5, v)},
                            out = {"q", conf_vector(WADI_I32, 5, want)};
    conf_assert_agrees(p, &(wadi_interp_io){&in, 1, NULL, 0}, 1, &out);
}

static wadi_exp collatz_step(wadi_exp x) {
    const wadi_exp n = wadi_get(x, "n");
    const wadi_exp next =
        wadi_cond(wadi_eq(wadi_and(n, wadi_i64(1)), wadi_i64(0)), wadi_shr(n, wadi_i32(1)),
                  wadi_add(wadi_mul(n, wadi_i64(3)), wadi_i64(1)));
    return wadi_rec2("n", next, "steps", wadi_add(wadi_get(x, "steps"), wadi_i32(1)));
}

static wadi_exp not_one(wadi_exp x) {
    return wadi_gt(wadi_get(x, "n"), wadi_i64(1));
}

static wadi_exp collatz(wadi_exp n) {
    return wadi_get(wadi_while(not_one, collatz_step, wadi_rec2("n", n, "steps", wadi_i32(0))),
                    "steps");
}

static void loops_run_as_often_as_their_element_needs(void **state) {
    (void)state;
    int64_t v[40];
    int32_t want[40];
    for (int i = 0; i < 40; i++) {
        v[i] = i;
        want[i] = 0;
        for (int64_t n = i; n > 1; n = n % 2 ? 3 * n + 1 : n / 2) want[i]++;
    }
    wadi_program *p = wadi_program_create("collatz");
    wadi_output("steps", wadi_map(collatz, wadi_input("v", WADI_I64, 1, any3)));
    const wadi_interp_input in = {"v", conf_vector(WADI_I64, 40, v)},
                            out = {"steps", conf_vector(WADI_I32, 40, want)};
    conf_assert_agrees(p, &(wadi_interp_io){&in, 1, NULL, 0}, 1, &out);
}

static void an_array_read_by_many_is_computed_alike(void **state) {
    (void)state;
    double v[100];
    for (int i = 0; i < 100; i++) v[i] = i * 0.1;
    wadi_program *p = wadi_program_create("diamond");
    const wadi_acc a = wadi_map(wadi_sin, wadi_input("v", WADI_F64, 1, any3));
    const wadi_acc b = wadi_map(wadi_sqrt, wadi_map(wadi_abs, a)), c = wadi_map(wadi_neg, a);
    wadi_output("both", wadi_zip_with(wadi_add, b, c));
    wadi_output("sum", wadi_sum(b));
    wadi_output("forced", wadi_reverse(wadi_compute(c)));
    wadi_output("length", wadi_unit(wadi_extent(wadi_drop(wadi_i64(3), a), 0)));
    const wadi_interp_input in = {"v", conf_vector(WADI_F64, 100, v)};
    conf_assert_agrees(p, &(wadi_interp_io){&in, 1, NULL, 0}, 0, NULL);
}

static void host_arrays_and_gathers(void **state) {
    (void)state;
    const uint16_t table[] = {10, 20, 30, 40, 50};
    const int64_t at[2][3] = {{4, 0, 2}, {2, 2, 1}};
    const uint16_t want[2][3] = {{50, 10, 30}, {30, 30, 20}};
    const wadi_array t = conf_vector(WADI_U16, 5, table),
                     i = conf_array(WADI_I64, 2, (const int64_t[]){2, 3}, at);
    wadi_program *p = wadi_program_create("gather");
    wadi_output("taken", wadi_gather(wadi_use(&i), wadi_use(&t)));
    const wadi_interp_input out = {"taken", conf_array(WADI_U16, 2, (const int64_t[]){2, 3}, want)};
    conf_assert_agrees(p, &(wadi_interp_io){0}, 1, &out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dot_product_of_lengths_around_the_block),
        cmocka_unit_test(matrix_times_vector),
        cmocka_unit_test(mandelbrot_counts_as_c_does),
        cmocka_unit_test(reductions_and_scans_have_one_order),
        cmocka_unit_test(histogram_drops_and_counts),
        cmocka_unit_test(long_vectors_are_permuted_in_parts),
        cmocka_unit_test(permute_combines_collisions_in_source_order),
        cmocka_unit_test(sorting_by_awhile),
        cmocka_unit_test(awhile_whose_state_shrinks),
        cmocka_unit_test(acond_chooses_a_tuple),
        cmocka_unit_test(filter_is_scan_and_permute),
        cmocka_unit_test(every_rank_through_every_rearrangement),
        cmocka_unit_test(slices_folds_and_scans_of_a_cube),
        cmocka_unit_test(empty_dimensions_everywhere),
        cmocka_unit_test(records_are_columns),
        cmocka_unit_test(cond_computes_only_its_side),
        cmocka_unit_test(loops_run_as_often_as_their_element_needs),
        cmocka_unit_test(an_array_read_by_many_is_computed_alike),
        cmocka_unit_test(host_arrays_and_gathers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
