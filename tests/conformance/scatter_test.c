/* Permutes of patches: rows and patches inside, partly outside and dropped, by one worker and by several who share the rows they go
 * to. Sums of floats, whose bits depend on the order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/conformance/runner.h"

/* Enough elements to be shared. */
enum { N = 420, H = 9, W = 10, ROWS = 70, COLUMNS = 51 };

static const char *const any1[] = {"n"};
static const char *const any3[] = {"n", "h", "w"};

typedef struct places {
    wadi_acc row, column;
} places;

static wadi_exp row_of(const places *p, wadi_ix ix) {
    return wadi_add(wadi_index1(p->row, ix.at[0]), ix.at[1]);
}

static wadi_exp column_of(const places *p, wadi_ix ix) {
    return wadi_add(wadi_index1(p->column, ix.at[0]), ix.at[2]);
}

static wadi_ix in_grid(void *env, wadi_ix ix) {
    return wadi_ix2(row_of(env, ix), column_of(env, ix));
}

static wadi_ix some_dropped(void *env, wadi_ix ix) {
    const places *p = env;
    const wadi_exp c = wadi_index1(p->column, ix.at[0]);
    return wadi_keep_if(wadi_ne(wadi_mod(c, wadi_i64(4)), wadi_i64(2)), in_grid(env, ix));
}

/* Shifted over the border and clipped there. */
static wadi_ix clipped(void *env, wadi_ix ix) {
    const wadi_exp r = wadi_sub(row_of(env, ix), wadi_i64(5)),
                   c = wadi_add(column_of(env, ix), wadi_i64(4));
    const wadi_exp fits =
        wadi_and(wadi_and(wadi_ge(r, wadi_i64(0)), wadi_lt(r, wadi_i64(ROWS))),
                 wadi_and(wadi_ge(c, wadi_i64(0)), wadi_lt(c, wadi_i64(COLUMNS))));
    return wadi_keep_if(fits, wadi_ix2(r, c));
}

/* Rows that go down, columns by twos. */
static wadi_ix mirrored(void *env, wadi_ix ix) {
    const wadi_exp r = wadi_sub(wadi_i64(ROWS - 1), row_of(env, ix)),
                   c = wadi_mul(wadi_i64(2), ix.at[2]);
    return wadi_ix2(r, c);
}

/* The row goes with the innermost index. */
static wadi_ix turned(void *env, wadi_ix ix) {
    return wadi_ix2(column_of(env, ix), wadi_quot(row_of(env, ix), wadi_i64(2)));
}

/* All of a row to one place. */
static wadi_ix gathered(void *env, wadi_ix ix) {
    return wadi_ix2(row_of(env, ix), wadi_index1(((const places *)env)->column, ix.at[0]));
}

static wadi_ix wrapped(void *env, wadi_ix ix) {
    return wadi_ix2(wadi_mod(wadi_mul(row_of(env, ix), wadi_i64(3)), wadi_i64(ROWS)),
                    column_of(env, ix));
}

/* The grid as a vector. */
static wadi_ix flattened(void *env, wadi_ix ix) {
    return wadi_ix1(wadi_add(wadi_mul(row_of(env, ix), wadi_i64(COLUMNS)), column_of(env, ix)));
}

static wadi_exp plus(void *env, wadi_exp x, wadi_exp old) {
    (void)env;
    return wadi_add(x, old);
}

static wadi_exp last(void *env, wadi_exp x, wadi_exp old) {
    (void)env;
    return wadi_sub(x, wadi_mul(old, wadi_f32(0.25F)));
}

static wadi_exp start_at(wadi_ix ix) {
    return wadi_div(wadi_convert(WADI_F32, wadi_add(ix.at[0], ix.at[1])), wadi_f32(3));
}

static wadi_exp complex_of(wadi_exp x) {
    return wadi_complex(wadi_convert(WADI_F64, x),
                        wadi_mul(wadi_convert(WADI_F64, x), wadi_f64(0.1)));
}

typedef struct numbers {
    float v[N * H * W];
    int64_t row[N], column[N];
    wadi_interp_input in[3];
    wadi_interp_io io;
} numbers;

static numbers *make_numbers(void) {
    static const int64_t shape[] = {N, H, W};
    numbers *x = calloc(1, sizeof *x);
    assert_non_null(x);
    for (int i = 0; i < N * H * W; i++) x->v[i] = (float)(i * 7919 % 100003) / 7;
    for (int k = 0; k < N; k++) {
        x->row[k] = k * 37 % (ROWS - H + 1);
        x->column[k] = k * k * 11 % (COLUMNS - W + 1);
    }
    x->in[0] = (wadi_interp_input){"v", conf_array(WADI_F32, 3, shape, x->v)};
    x->in[1] = (wadi_interp_input){"row", conf_vector(WADI_I64, N, x->row)};
    x->in[2] = (wadi_interp_input){"column", conf_vector(WADI_I64, N, x->column)};
    x->io = (wadi_interp_io){x->in, 3, NULL, 0};
    return x;
}

static wadi_acc grid_of(void) {
    return wadi_generate(wadi_ix2(wadi_i64(ROWS), wadi_i64(COLUMNS)), start_at);
}

typedef wadi_ix (*target)(void *env, wadi_ix ix);

static void check(target f, bool complex) {
    numbers *x = make_numbers();
    wadi_program *p = wadi_program_create("scatter");
    const wadi_acc v = wadi_input("v", WADI_F32, 3, any3);
    places at = {wadi_input("row", WADI_I64, 1, any1), wadi_input("column", WADI_I64, 1, any1)};
    if (complex)
        wadi_output("sum", wadi_permute_env(plus, wadi_map(complex_of, grid_of()), f, &at,
                                            wadi_map(complex_of, v)));
    else
        wadi_output("sum", wadi_permute_env(last, grid_of(), f, &at, v));
    conf_assert_agrees(p, &x->io, 0, NULL);
    free(x);
}

static void patches_are_added_in_order(void **state) {
    (void)state;
    check(in_grid, true);
    check(in_grid, false);
}

static void patches_are_dropped_and_clipped(void **state) {
    (void)state;
    check(some_dropped, false);
    check(clipped, true);
    check(clipped, false);
}

static void rows_go_anywhere(void **state) {
    (void)state;
    check(mirrored, true);
    check(turned, false);
    check(gathered, false);
    check(wrapped, true);
}

static void a_vector_of_rows(void **state) {
    (void)state;
    numbers *x = make_numbers();
    wadi_program *p = wadi_program_create("vector");
    const wadi_acc v = wadi_input("v", WADI_F32, 3, any3);
    places at = {wadi_input("row", WADI_I64, 1, any1), wadi_input("column", WADI_I64, 1, any1)};
    wadi_output("sum", wadi_permute_env(last, wadi_flatten(grid_of()), flattened, &at, v));
    conf_assert_agrees(p, &x->io, 0, NULL);
    free(x);
}

/* ---- one patch after the other ---- */

typedef struct stream {
    wadi_acc v;
    places at;
    wadi_exp k;
    bool ragged;
    target f;
} stream;

static wadi_exp of_patch(void *env, wadi_ix ix) {
    const stream *s = env;
    return wadi_index3(s->v, s->k, ix.at[0], ix.at[1]);
}

static wadi_acc one_patch(void *env, wadi_exp k) {
    stream *s = env;
    s->k = k;
    const wadi_exp h =
        s->ragged ? wadi_sub(wadi_i64(H), wadi_mod(k, wadi_i64(H - 1))) : wadi_i64(H);
    const wadi_exp w = s->ragged ? wadi_sub(wadi_i64(W), wadi_mod(k, wadi_i64(3))) : wadi_i64(W);
    const wadi_acc parts[] = {wadi_unit(k), wadi_generate_env(wadi_ix2(h, w), of_patch, s)};
    return wadi_tuple(2, parts);
}

typedef struct element {
    const stream *s;
    wadi_acc k;
} element;

static wadi_ix of_element(void *env, wadi_ix ix) {
    const element *e = env;
    places at = e->s->at;
    return e->s->f(&at, wadi_ix3(wadi_the(e->k), ix.at[0], ix.at[1]));
}

static wadi_acc add_element(void *env, wadi_acc grid, wadi_acc e) {
    element x = {env, wadi_tuple_get(e, 0)};
    return wadi_permute_env(last, grid, of_element, &x, wadi_tuple_get(e, 1));
}

static wadi_acc sum_of_stream(stream *s) {
    s->v = wadi_input("v", WADI_F32, 3, any3);
    s->at = (places){wadi_input("row", WADI_I64, 1, any1), wadi_input("column", WADI_I64, 1, any1)};
    return wadi_consume(
        wadi_fold_seq_env(add_element, s, grid_of(), wadi_produce_env(wadi_i64(N), one_patch, s)));
}

static void patches_of_a_stream_are_added_in_order(void **state) {
    (void)state;
    static const target targets[] = {in_grid, some_dropped, clipped, mirrored, turned};
    for (int i = 0; i < 5; i++) {
        numbers *x = make_numbers();
        stream s = {.ragged = i % 2 == 0, .f = targets[i]};
        wadi_program *p = wadi_program_create("stream");
        wadi_output("sum", sum_of_stream(&s));
        conf_assert_agrees(p, &x->io, 0, NULL);
        free(x);
    }
}

/* ---- patches that leave the grid ---- */

static wadi_acc sum_of_all(target f) {
    const wadi_acc v = wadi_input("v", WADI_F32, 3, any3);
    places at = {wadi_input("row", WADI_I64, 1, any1), wadi_input("column", WADI_I64, 1, any1)};
    return wadi_permute_env(last, grid_of(), f, &at, v);
}

static void assert_same_fault(numbers *x, target f, bool streams) {
    static const conf_variant variants[] = {{NULL, WADI_SCHEDULE_FORCE_FLAT, 1, 0},
                                            {NULL, WADI_SCHEDULE_FORCE_FLAT, 2, 0},
                                            {NULL, WADI_SCHEDULE_FORCE_FLAT, 5, 0},
                                            {NULL, WADI_SCHEDULE_FORCE_INSIDE, 2, 0}};
    wadi_program *p = wadi_program_create("outside");
    stream s = {.f = f};
    wadi_output("sum", streams ? sum_of_stream(&s) : sum_of_all(f));
    conf_case c;
    wadi_text why;
    wadi_text_init(&why);
    assert_true(conf_case_init(&c, p, &x->io, &why));
    assert_null(c.want);
    assert_ptr_equal(strstr(c.fault.msg, "permute: index "), c.fault.msg);
    assert_non_null(strstr(c.fault.msg, " out of range "));
    wadi_exe *exe = conf_compile(&c, NULL, &why);
    assert_non_null(exe);
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        wadi_error err = {.status = WADI_OK};
        int64_t delivered = 0;
        assert_int_equal(conf_go(&c, exe, &variants[i], &delivered, &err), WADI_FAULT);
        if (!conf_told_alike(&c, &err, &why))
            fail_msg("variant %d: %s", (int)i, wadi_text_str(&why));
    }
    wadi_exe_destroy(exe);
    conf_case_fini(&c);
    wadi_text_fini(&why);
    wadi_program_destroy(p);
}

static void the_first_that_leaves_the_grid_is_told(void **state) {
    (void)state;
    static const struct {
        int k;
        int64_t row, column;
    } outside[] = {{300, ROWS - 2, 0},    {299, 3, COLUMNS - 3},  {298, -1, -1},
                   {297, 40, -2},         {17, INT64_MAX - 3, 0}, {16, 20, INT64_MIN},
                   {15, 1 << 30, 1 << 30}};
    numbers *x = make_numbers();
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
        x->row[outside[i].k] = outside[i].row;
        x->column[outside[i].k] = outside[i].column;
        assert_same_fault(x, in_grid, false);
        assert_same_fault(x, in_grid, true);
    }
    free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patches_are_added_in_order),
        cmocka_unit_test(patches_are_dropped_and_clipped),
        cmocka_unit_test(rows_go_anywhere),
        cmocka_unit_test(a_vector_of_rows),
        cmocka_unit_test(patches_of_a_stream_are_added_in_order),
        cmocka_unit_test(the_first_that_leaves_the_grid_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
