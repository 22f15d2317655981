/* Stencils against sums over the neighbourhood that are made here by other rules, and in all schedules and representations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/conformance/runner.h"

enum { CLAMP, MIRROR, WRAP, CONSTANT, FUNCTION, EDGES, OUTSIDE = -77, MOST = 4200 };

static const char *const any[] = {"?", "?", "?", "?"};

/* ---- an array with what lies beyond it, by tables ---- */

/* The index that stands at each number from -reach to n + reach - 1: built by walking outwards from the elements, so that no formula of the
 * product is repeated here. */
static void walk(int edge, int64_t n, int64_t reach, int64_t *at) {
    for (int64_t i = 0; i < n; i++) at[reach + i] = i;
    int64_t up = n > 1 ? n - 2 : 0, step = -1, down = n > 1 ? 1 : 0, back = 1;
    for (int64_t k = 0; k < reach; k++) {
        int64_t *left = &at[reach - 1 - k], *right = &at[reach + n + k];
        if (edge == CLAMP) *left = 0, *right = n - 1;
        if (edge == WRAP) *left = at[reach - 1 - k + n], *right = at[reach + k];
        if (edge != MIRROR) continue;
        *right = up;
        *left = down;
        if (n == 1) continue;
        if (up + step < 0 || up + step >= n) step = -step;
        up += step;
        if (down + back < 0 || down + back >= n) back = -back;
        down += back;
    }
}

typedef struct place {
    int d[3];
    int32_t weight;
} place;

typedef struct shape {
    const char *name;
    int dims, n, reach;
    place at[12];
} shape;

static const shape shapes[] = {
    {"three in a row", 1, 3, 1, {{{-1}, 1}, {{0}, 10}, {{1}, 100}}},
    {"one side, far", 1, 3, 9, {{{-9}, 1}, {{-4}, 10}, {{-3}, 100}}},
    {"far to the right", 1, 2, 7, {{{7}, 1}, {{2}, 10}}},
    {"five points",
     2,
     5,
     1,
     {{{-1, 0}, 1}, {{0, -1}, 10}, {{0, 0}, 100}, {{0, 1}, 1000}, {{1, 0}, 10000}}},
    {"a knight", 2, 4, 2, {{{-2, 1}, 1}, {{2, -1}, 10}, {{1, 2}, 100}, {{-1, -2}, 1000}}},
    {"seven points",
     3,
     7,
     1,
     {{{-1, 0, 0}, 1},
      {{0, -1, 0}, 3},
      {{0, 0, -1}, 5},
      {{0, 0, 0}, 7},
      {{0, 0, 1}, 11},
      {{0, 1, 0}, 13},
      {{1, 0, 0}, 17}}},
    {"only itself", 2, 1, 0, {{{0, 0}, 3}}},
    {"nothing", 1, 0, 0, {{{0}, 0}}},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static int32_t number_at(int64_t i) {
    return (int32_t)(i * 7919 % 613) - 300;
}

/* What function edges give: it depends on the whole index. */
static int32_t beyond(int rank, const int64_t *ix) {
    int32_t x = 5;
    for (int d = 0; d < rank; d++) x = x * 3 + (int32_t)ix[d];
    return x;
}

static int32_t value_near(int edge, int rank, const int64_t *extent, const int32_t *data,
                          const int64_t *ix) {
    int64_t at = 0, table[2 * MOST + 64];
    bool is_inside = true;
    for (int d = 0; d < rank; d++) is_inside = is_inside && ix[d] >= 0 && ix[d] < extent[d];
    if (!is_inside && edge == CONSTANT) return OUTSIDE;
    if (!is_inside && edge == FUNCTION) return beyond(rank, ix);
    for (int d = 0; d < rank; d++) {
        walk(edge, extent[d], 9, table);
        at = at * extent[d] + table[9 + ix[d]];
    }
    return data[at];
}

static int64_t size_of(int rank, const int64_t *extent) {
    int64_t n = 1;
    for (int d = 0; d < rank; d++) n *= extent[d];
    return n;
}

static void brute(const shape *s, int edge, int rank, const int64_t *extent, const int32_t *data,
                  int32_t *out) {
    const int64_t n = size_of(rank, extent);
    for (int64_t i = 0; i < n; i++) {
        int64_t ix[4], rest = i;
        for (int d = rank - 1; d >= 0; d--) ix[d] = rest % extent[d], rest /= extent[d];
        uint32_t sum = 0;
        for (int k = 0; k < s->n; k++) {
            int64_t near[4];
            for (int d = 0; d < rank; d++)
                near[d] = ix[d] + (d < rank - s->dims ? 0 : s->at[k].d[d - (rank - s->dims)]);
            sum += (uint32_t)s->at[k].weight * (uint32_t)value_near(edge, rank, extent, data, near);
        }
        out[i] = (int32_t)sum;
    }
}

/* ---- the same as programs ---- */

static wadi_exp weighted(void *env, wadi_window *w) {
    const shape *s = env;
    wadi_exp sum = wadi_i32(0);
    for (int k = s->n - 1; k >= 0; k--) { /* the order of reading does not matter */
        const int *d = s->at[k].d;
        const wadi_exp x = s->dims == 1   ? wadi_near1(w, d[0])
                           : s->dims == 2 ? wadi_near2(w, d[0], d[1])
                                          : wadi_near3(w, d[0], d[1], d[2]);
        sum = wadi_add(sum, wadi_mul(x, wadi_i32(s->at[k].weight)));
    }
    return sum;
}

static wadi_exp outside(wadi_ix ix) {
    wadi_exp x = wadi_i32(5);
    for (int d = 0; d < ix.rank; d++)
        x = wadi_add(wadi_mul(x, wadi_i32(3)), wadi_convert(WADI_I32, ix.at[d]));
    return x;
}

static wadi_edge edge_of(int edge) {
    return edge == CLAMP      ? wadi_edge_clamp()
           : edge == MIRROR   ? wadi_edge_mirror()
           : edge == WRAP     ? wadi_edge_wrap()
           : edge == CONSTANT ? wadi_edge_constant(wadi_i32(OUTSIDE))
                              : wadi_edge_function(outside);
}

static wadi_acc stencil_of(const shape *s, int edge, wadi_acc a) {
    return wadi_stencil_env(s->dims, weighted, (void *)(uintptr_t)s, edge_of(edge), a);
}

/* The same without the operator, for three of the edges: loops are split for whatever asks for the ends of an array. */
typedef struct written {
    const shape *s;
    int edge;
    wadi_acc a;
} written;

static wadi_exp one_written(const written *w, wadi_ix ix, const int *distance) {
    wadi_exp in = wadi_bool(true);
    for (int d = 0; d < ix.rank; d++) {
        const wadi_exp n = wadi_extent(w->a, d), x = wadi_add(ix.at[d], wadi_i64(distance[d]));
        ix.at[d] = w->edge == WRAP    ? wadi_mod(x, n)
                   : w->edge == CLAMP ? wadi_max(wadi_min(x, wadi_sub(n, wadi_i64(1))), wadi_i64(0))
                                      : x;
        if (w->edge == CONSTANT)
            in = wadi_land(in, wadi_land(wadi_ge(x, wadi_i64(0)), wadi_lt(x, n)));
    }
    return w->edge == CONSTANT ? wadi_cond(in, wadi_index(w->a, ix), wadi_i32(OUTSIDE))
                               : wadi_index(w->a, ix);
}

static wadi_exp all_written(void *env, wadi_ix ix) {
    const written *w = env;
    wadi_exp sum = wadi_i32(0);
    for (int k = 0; k < w->s->n; k++)
        sum = wadi_add(sum,
                       wadi_mul(one_written(w, ix, w->s->at[k].d), wadi_i32(w->s->at[k].weight)));
    return sum;
}

static void check_written(int rank, const int64_t *extent) {
    static const int edges[] = {CLAMP, WRAP, CONSTANT};
    static int32_t data[MOST], want[3 * SHAPES][MOST];
    static char name[3 * SHAPES][32];
    wadi_interp_input expected[3 * SHAPES];
    int n = 0;
    for (int i = 0; i < MOST; i++) data[i] = number_at(i);
    wadi_program *p = wadi_program_create("written");
    const wadi_acc a = wadi_input("a", WADI_I32, rank, any);
    for (int s = 0; s < SHAPES; s++)
        for (int e = 0; shapes[s].dims == rank && e < 3; e++, n++) {
            written w = {&shapes[s], edges[e], a};
            brute(&shapes[s], edges[e], rank, extent, data, want[n]);
            (void)snprintf(name[n], sizeof name[n], "s%de%d", s, e);
            wadi_output(name[n], wadi_generate_env(wadi_shape_of(a), all_written, &w));
            expected[n] = (wadi_interp_input){name[n], conf_array(WADI_I32, rank, extent, want[n])};
        }
    const wadi_interp_input in = {"a", conf_array(WADI_I32, rank, extent, data)};
    const wadi_interp_io io = {&in, 1, NULL, 0};
    conf_assert_agrees(p, &io, n, expected);
}

static void without_the_operator(void **state) {
    (void)state;
    check_written(1, (const int64_t[]){4099});
    check_written(1, (const int64_t[]){5});
    check_written(1, (const int64_t[]){1});
    check_written(2, (const int64_t[]){3, 40});
    check_written(2, (const int64_t[]){1, 2});
    check_written(3, (const int64_t[]){2, 3, 17});
}

/* All neighbourhoods and edges that fit, as outputs of one program over arrays of these extents. */
static void check_whole(int rank, const int64_t *extent) {
    static int32_t data[MOST], want[SHAPES * EDGES][MOST];
    static char name[SHAPES * EDGES][32];
    wadi_interp_input expected[SHAPES * EDGES];
    int n = 0;
    assert_true(size_of(rank, extent) <= MOST);
    for (int i = 0; i < MOST; i++) data[i] = number_at(i);
    wadi_program *p = wadi_program_create("stencils");
    const wadi_acc a = wadi_input("a", WADI_I32, rank, any);
    for (int s = 0; s < SHAPES; s++)
        for (int e = 0; shapes[s].dims <= rank && e < EDGES; e++, n++) {
            brute(&shapes[s], e, rank, extent, data, want[n]);
            (void)snprintf(name[n], sizeof name[n], "s%de%d", s, e);
            wadi_output(name[n], stencil_of(&shapes[s], e, a));
            expected[n] = (wadi_interp_input){name[n], conf_array(WADI_I32, rank, extent, want[n])};
        }
    const wadi_interp_input in = {"a", conf_array(WADI_I32, rank, extent, data)};
    const wadi_interp_io io = {&in, 1, NULL, 0};
    conf_assert_agrees(p, &io, n, expected);
}

static void vectors(void **state) {
    static const int64_t extent[] = {0, 1, 2, 3, 9, 40, 4099};
    (void)state;
    for (size_t i = 0; i < sizeof extent / sizeof *extent; i++) check_whole(1, &extent[i]);
}

static void matrices(void **state) {
    static const int64_t extent[][2] = {{0, 5}, {5, 0}, {1, 1}, {1, 7}, {7, 1}, {2, 3}, {13, 37}};
    (void)state;
    for (size_t i = 0; i < sizeof extent / sizeof *extent; i++) check_whole(2, extent[i]);
}

static void cubes(void **state) {
    static const int64_t extent[][3] = {{1, 2, 3}, {4, 5, 21}, {2, 0, 2}};
    (void)state;
    for (size_t i = 0; i < sizeof extent / sizeof *extent; i++) check_whole(3, extent[i]);
}

static void batches_of_cubes(void **state) {
    (void)state;
    check_whole(4, (const int64_t[]){2, 3, 4, 19});
}

/* ---- over chunks ---- */

enum { N = 19, LONGEST = 700 };

/* Some steps in a row that fuse in different ways. */
static wadi_acc in_a_row(wadi_acc a) {
    const wadi_acc half = wadi_map(wadi_neg, a), first = stencil_of(&shapes[0], MIRROR, half);
    const wadi_acc second = stencil_of(&shapes[1], CONSTANT, first);
    const wadi_acc both = wadi_zip_with(wadi_sub, stencil_of(&shapes[2], WRAP, second), first);
    return wadi_tuple(4,
                      (const wadi_acc[]){both, wadi_sum(stencil_of(&shapes[0], CLAMP, both)),
                                         wadi_scanl1(wadi_add, stencil_of(&shapes[2], FUNCTION, a)),
                                         wadi_reverse(stencil_of(&shapes[1], MIRROR, a))});
}

static void check_streams(wadi_acc_fn1 body) {
    static int32_t data[LONGEST + 100];
    for (int i = 0; i < LONGEST + 100; i++) data[i] = number_at(i);
    wadi_array ragged[N], even[N];
    const char *fixed[] = {"11"};
    for (int i = 0; i < N; i++) {
        ragged[i] = conf_vector(WADI_I32, i == 7 ? LONGEST : i % 6 == 2 ? 0 : i * i % 23, data + i);
        even[i] = conf_vector(WADI_I32, 11, data + 3 * i);
    }
    for (int regular = 0; regular < 2; regular++) {
        const wadi_component c = {wadi_scalar_elem(WADI_I32), 1, regular ? fixed : NULL};
        const wadi_interp_source source = {
            .name = "s", .n = N, .elements = regular ? even : ragged};
        wadi_program *p = wadi_program_create("streams");
        wadi_stream_out(wadi_map_seq(body, wadi_stream_in("s", 1, &c)), "out");
        conf_assert_agrees(p, &(wadi_interp_io){NULL, 0, &source, 1}, 0, NULL);
    }
}

static void in_streams(void **state) {
    (void)state;
    check_streams(in_a_row);
}

static wadi_acc of_windows(wadi_acc a) {
    const wadi_seq pieces = wadi_subarrays(wadi_ix1(wadi_i64(5)), a);
    return wadi_consume(wadi_elements(wadi_map_seq(in_a_row, pieces)));
}

static wadi_acc first_part(wadi_acc a) {
    return wadi_tuple_get(of_windows(a), 0);
}

static void in_sequences_inside_elements(void **state) {
    (void)state;
    check_streams(first_part);
}

static wadi_acc again(wadi_acc state) {
    const wadi_acc k = wadi_tuple_get(state, 1);
    return wadi_tuple2(stencil_of(&shapes[0], CLAMP, wadi_tuple_get(state, 0)),
                       wadi_unit(wadi_sub(wadi_the(k), wadi_i64(1))));
}

static wadi_acc goes_on(wadi_acc state) {
    return wadi_unit(wadi_gt(wadi_the(wadi_tuple_get(state, 1)), wadi_i64(0)));
}

static wadi_acc rounds(wadi_acc a) {
    const wadi_acc turns = wadi_unit(wadi_mod(wadi_size(a), wadi_i64(4)));
    return wadi_tuple_get(wadi_awhile(goes_on, again, wadi_tuple2(a, turns)), 0);
}

static void in_loops(void **state) {
    (void)state;
    check_streams(rounds);
}

/* ---- two arrays, records ---- */

static wadi_exp of_two(wadi_window *x, wadi_window *y) {
    const wadi_exp a = wadi_near1(y, 2), b = wadi_near1(x, -1);
    return wadi_add(wadi_mul(a, wadi_i32(1000)), wadi_add(b, wadi_near1(x, 1)));
}

/* Each array ends where it ends: the longer one has an element beyond the result. */
static void two_arrays_over_their_intersection(void **state) {
    (void)state;
    static const int32_t x[] = {1, 2, 3, 4, 5}, y[] = {1, 2, 3};
    wadi_program *p = wadi_program_create("two");
    const wadi_acc a = wadi_input("x", WADI_I32, 1, any), b = wadi_input("y", WADI_I32, 1, any);
    wadi_output(
        "r", wadi_stencil2(1, of_two, wadi_edge_constant(wadi_i32(0)), a, wadi_edge_mirror(), b));
    const wadi_interp_input in[] = {{"x", conf_vector(WADI_I32, 5, x)},
                                    {"y", conf_vector(WADI_I32, 3, y)}};
    /* y: 1 2 3 | 2 1: r[0] = 3000 + 0 + 2, r[1] = 2000 + 1 + 3, r[2] = 1000 + 2 + 4 */
    static const int32_t r[] = {3002, 2004, 1006};
    const wadi_interp_input expected = {"r", conf_vector(WADI_I32, 3, r)};
    const wadi_interp_io io = {in, 2, NULL, 0};
    conf_assert_agrees(p, &io, 1, &expected);
}

static wadi_exp of_records(wadi_window *w) {
    const wadi_exp l = wadi_near1(w, -1), r = wadi_near1(w, 1);
    return wadi_rec2("u", wadi_sub(wadi_get(r, "v"), wadi_get(l, "v")), "z",
                     wadi_mul(wadi_get(l, "z"), wadi_get(r, "z")));
}

static wadi_exp made(wadi_ix ix, wadi_exp x) {
    const wadi_exp f = wadi_convert(WADI_F64, x);
    return wadi_rec2("v", f, "z", wadi_complex(f, wadi_convert(WADI_F64, ix.at[0])));
}

static wadi_acc records_near(wadi_acc a) {
    const wadi_acc r = wadi_imap(made, a);
    const wadi_edge beyond_it = wadi_edge_constant(
        wadi_rec2("v", wadi_f64(0.5), "z", wadi_complex(wadi_f64(0), wadi_f64(1))));
    return wadi_tuple2(wadi_stencil(1, of_records, wadi_edge_wrap(), r),
                       wadi_stencil(1, of_records, beyond_it, r));
}

static void records_in_streams(void **state) {
    (void)state;
    check_streams(records_near);
}

/* A function edge may fault; only where it is asked. */
static wadi_exp divides(wadi_ix ix) {
    return wadi_quot(wadi_i32(12), wadi_convert(WADI_I32, wadi_add(ix.at[0], wadi_i64(1))));
}

static wadi_exp left(wadi_window *w) {
    return wadi_near1(w, -2);
}

static wadi_exp right(wadi_window *w) {
    return wadi_near1(w, 2);
}

static void edges_fault_only_outside(void **state) {
    (void)state;
    static const int32_t x[] = {1, 2, 3}, want[] = {3, 3, 2};
    wadi_program *p = wadi_program_create("faults");
    const wadi_acc a = wadi_input("x", WADI_I32, 1, any);
    wadi_output("r", wadi_stencil(1, right, wadi_edge_function(divides), a));
    const wadi_interp_input in = {"x", conf_vector(WADI_I32, 3, x)};
    const wadi_interp_io io = {&in, 1, NULL, 0};
    const wadi_interp_input expected = {"r", conf_vector(WADI_I32, 3, want)};
    conf_assert_agrees(p, &io, 1, &expected);
    p = wadi_program_create("faults");
    wadi_output(
        "r", wadi_stencil(1, left, wadi_edge_function(divides), wadi_input("x", WADI_I32, 1, any)));
    conf_case c;
    wadi_text why = {0};
    assert_true(conf_case_init(&c, p, &io, &why));
    assert_null(c.want); /* 12 quot (-1 + 1) */
    wadi_exe *exe = conf_compile(&c, NULL, &why);
    assert_non_null(exe);
    for (int s = 0; s < 3; s++) {
        static const wadi_schedule_option how[] = {
            WADI_SCHEDULE_FORCE_INSIDE, WADI_SCHEDULE_FORCE_FLAT, WADI_SCHEDULE_FORCE_GROUP};
        const conf_variant v = {NULL, how[s], 1, 0};
        wadi_error err = {0};
        int64_t delivered = 0;
        assert_int_equal(conf_go(&c, exe, &v, &delivered, &err), WADI_FAULT);
        if (!conf_told_alike(&c, &err, &why)) fail_msg("%s", wadi_text_str(&why));
    }
    wadi_exe_destroy(exe);
    conf_case_fini(&c);
    wadi_text_fini(&why);
    wadi_program_destroy(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors),
        cmocka_unit_test(matrices),
        cmocka_unit_test(cubes),
        cmocka_unit_test(batches_of_cubes),
        cmocka_unit_test(without_the_operator),
        cmocka_unit_test(in_streams),
        cmocka_unit_test(in_sequences_inside_elements),
        cmocka_unit_test(in_loops),
        cmocka_unit_test(two_arrays_over_their_intersection),
        cmocka_unit_test(records_in_streams),
        cmocka_unit_test(edges_fault_only_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
