/* Sequences: every source, transducer and consumer, against the interpreter and against plain C. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/conformance/runner.h"

static const char *const any2[] = {"?", "?"};

/* A ragged stream of i32 vectors, some of them empty. */
enum { ROWS = 23 };
typedef struct ragged {
    int32_t data[ROWS][ROWS];
    wadi_array row[ROWS];
    wadi_interp_source source;
} ragged;

static int64_t length_of(int64_t row) {
    return row * 7 % 5 + (row % 6 == 0 ? 13 : 0) - (row % 4 == 1 ? row * 7 % 5 : 0);
}

static void ragged_init(ragged *r, const char *name) {
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < ROWS; j++) r->data[i][j] = i * 100 + j - 300;
        r->row[i] = conf_vector(WADI_I32, length_of(i), r->data[i]);
    }
    r->source = (wadi_interp_source){.name = name, .n = ROWS, .elements = r->row};
}

static wadi_seq ragged_in(const char *name) {
    const wadi_component c = {wadi_scalar_elem(WADI_I32), 1, NULL};
    return wadi_stream_in(name, 1, &c);
}

/* ---- consumers ---- */

static wadi_acc doubled(wadi_acc a) {
    return wadi_zip_with(wadi_add, a, a);
}

static void elements_puts_all_arrays_in_one_vector(void **state) {
    (void)state;
    ragged r;
    ragged_init(&r, "s");
    int32_t want[ROWS * ROWS];
    int64_t n = 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < length_of(i); j++) want[n++] = 2 * r.data[i][j];
    wadi_program *p = wadi_program_create("elements");
    wadi_output("all", wadi_consume(wadi_elements(wadi_map_seq(doubled, ragged_in("s")))));
    const wadi_interp_input out = {"all", conf_vector(WADI_I32, n, want)};
    conf_assert_agrees(p, &(wadi_interp_io){NULL, 0, &r.source, 1}, 1, &out);
}

static wadi_acc sum_and_length(wadi_acc a) {
    return wadi_tuple2(wadi_sum(a), wadi_unit(wadi_extent(a, 0)));
}

static void tabulate_stacks_each_component(void **state) {
    (void)state;
    ragged r;
    ragged_init(&r, "s");
    int64_t lengths[ROWS];
    int32_t sums[ROWS] = {0};
    for (int i = 0; i < ROWS; i++) {
        lengths[i] = length_of(i);
        for (int j = 0; j < length_of(i); j++) sums[i] += r.data[i][j];
    }
    wadi_program *p = wadi_program_create("tabulate");
    wadi_output("t", wadi_consume(wadi_tabulate(wadi_map_seq(sum_and_length, ragged_in("s")))));
    const wadi_interp_input out[] = {{"t.0", conf_vector(WADI_I32, ROWS, sums)},
                                     {"t.1", conf_vector(WADI_I64, ROWS, lengths)}};
    conf_assert_agrees(p, &(wadi_interp_io){NULL, 0, &r.source, 1}, 2, out);
}

static wadi_acc longer_of(wadi_acc state, wadi_acc element) {
    return wadi_acond(wadi_ge(wadi_extent(element, 0), wadi_extent(state, 0)), element, state);
}

static wadi_acc add_up(wadi_acc state, wadi_acc element) {
    return wadi_zip_with(wadi_add, state, wadi_sum(element));
}

static void fold_seq_goes_through_the_stream_in_order(void **state) {
    (void)state;
    ragged r;
    ragged_init(&r, "s");
    int32_t total = 5;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < length_of(i); j++) total += r.data[i][j];
    wadi_program *p = wadi_program_create("total");
    wadi_output("total",
                wadi_consume(wadi_fold_seq(add_up, wadi_unit(wadi_i32(5)), ragged_in("s"))));
    const wadi_interp_input out = {"total", conf_scalar(WADI_I32, &total)};
    conf_assert_agrees(p, &(wadi_interp_io){NULL, 0, &r.source, 1}, 1, &out);
}

static void fold_seq_may_change_the_extent_of_its_state(void **state) {
    (void)state;
    ragged r;
    ragged_init(&r, "s");
    int last = 0;
    for (int i = 0; i < ROWS; i++)
        if (length_of(i) >= length_of(last)) last = i;
    wadi_program *p = wadi_program_create("longest");
    const wadi_acc none = wadi_fill(wadi_ix1(wadi_i64(0)), wadi_i32(0));
    wadi_output("longest", wadi_consume(wadi_fold_seq(longer_of, none, ragged_in("s"))));
    const wadi_interp_input out = {"longest", r.row[last]};
    conf_assert_agrees(p, &(wadi_interp_io){NULL, 0, &r.source, 1}, 1, &out);
}

/* ---- sources ---- */

static wadi_acc count_up(wadi_exp i) {
    return wadi_iota(WADI_I64, wadi_mod(i, wadi_i64(5)));
}

static void produce_makes_arrays_of_any_size(void **state) {
    (void)state;
    static const int64_t counts[] = {-1, 0, 1, 12};
    for (int k = 0; k < 4; k++) {
        int64_t want[40], n = 0;
        for (int64_t i = 0; i < counts[k]; i++)
            for (int64_t j = 0; j < i % 5; j++) want[n++] = j;
        wadi_program *p = wadi_program_create("produce");
        const wadi_exp count = wadi_the(wadi_input("count", WADI_I64, 0, NULL));
        wadi_output("all", wadi_consume(wadi_elements(wadi_produce(count, count_up))));
        const wadi_interp_input in = {"count", conf_scalar(WADI_I64, &counts[k])},
                                out = {"all", conf_vector(WADI_I64, n, want)};
        conf_assert_agrees(p, &(wadi_interp_io){&in, 1, NULL, 0}, 1, &out);
    }
}

static wadi_acc sum_of(wadi_acc a) {
    return wadi_sum(a);
}

static void from_shapes_cuts_a_vector(void **state) {
    (void)state;
    const int64_t shapes[] = {2, 2, 0, 3, 1, 5, 3, 1};
    double values[12], want[] = {0 + 1 + 2 + 3, 0, 4 + 5 + 6 + 7 + 8, 9 + 10 + 11};
    for (int i = 0; i < 12; i++) values[i] = i;
    const char *rows[] = {"k", "2"};
    wadi_program *p = wadi_program_create("segments");
    const wadi_acc s = wadi_input("shapes", WADI_I64, 2, rows),
                   v = wadi_input("values", WADI_F64, 1, any2);
    wadi_output("sums", wadi_consume(wadi_elements(wadi_map_seq(
                            sum_of, wadi_map_seq(wadi_flatten, wadi_from_shapes(s, v))))));
    const wadi_interp_input in[] = {
        {"shapes", conf_array(WADI_I64, 2, (const int64_t[]){4, 2}, shapes)},
        {"values", conf_vector(WADI_F64, 12, values)}};
    const wadi_interp_input out = {"sums", conf_vector(WADI_F64, 4, want)};
    conf_assert_agrees(p, &(wadi_interp_io){in, 2, NULL, 0}, 1, &out);
}

/* A sparse matrix times a vector: rows as a sequence, paper 004. */

typedef struct sparse {
    wadi_acc starts, columns, values, v;
    wadi_exp row;
} sparse;

static wadi_exp product(void *env, wadi_ix ix) {
    const sparse *m = env;
    const wadi_exp at = wadi_add(wadi_index1(m->starts, m->row), ix.at[0]);
    return wadi_mul(wadi_index1(m->values, at), wadi_index1(m->v, wadi_index1(m->columns, at)));
}

static wadi_acc row_times_vector(void *env, wadi_exp i) {
    sparse *m = env;
    m->row = i;
    const wadi_exp n =
        wadi_sub(wadi_index1(m->starts, wadi_add(i, wadi_i64(1))), wadi_index1(m->starts, i));
    return wadi_sum(wadi_generate_env(wadi_ix1(n), product, m));
}

static void sparse_matrix_times_vector(void **state) {
    (void)state;
    enum { M = 20, N = 15 };
    int64_t lengths[M], columns[M * N], nonzero = 0;
    double values[M * N], v[N], want[M] = {0};
    for (int j = 0; j < N; j++) v[j] = j * 3 % 7;
    for (int i = 0; i < M; i++) {
        lengths[i] = i * 5 % 8;
        for (int64_t k = 0; k < lengths[i]; k++, nonzero++) {
            columns[nonzero] = (k * 2 + i) % N;
            values[nonzero] = (double)(i - k);
            want[i] += values[nonzero] * v[columns[nonzero]];
        }
    }
    wadi_program *p = wadi_program_create("smvm");
    const wadi_acc l = wadi_input("lengths", WADI_I64, 1, any2);
    sparse m = {.starts = wadi_scanl(wadi_add, wadi_i64(0), l),
                .columns = wadi_input("columns", WADI_I64, 1, any2),
                .values = wadi_input("values", WADI_F64, 1, any2),
                .v = wadi_input("v", WADI_F64, 1, any2)};
    const wadi_seq rows = wadi_produce_env(wadi_extent(l, 0), row_times_vector, &m);
    wadi_output("result", wadi_consume(wadi_elements(rows)));
    const wadi_interp_input in[] = {{"lengths", conf_vector(WADI_I64, M, lengths)},
                                    {"columns", conf_vector(WADI_I64, nonzero, columns)},
                                    {"values", conf_vector(WADI_F64, nonzero, values)},
                                    {"v", conf_vector(WADI_F64, N, v)}};
    const wadi_interp_input out = {"result", conf_vector(WADI_F64, M, want)};
    conf_assert_agrees(p, &(wadi_interp_io){in, 4, NULL, 0}, 1, &out);
}

/* ---- transducers ---- */

static wadi_exp times_first(void *env, wadi_exp x) {
    const wadi_acc *a = env;
    return wadi_mul(x, wadi_convert(WADI_I32, wadi_extent(*a, 0)));
}

static wadi_acc scaled(wadi_acc a, wadi_acc b) {
    return wadi_map_env(times_first, &a, b);
}

static void zip_with_seq_ends_with_the_shorter(void **state) {
    (void)state;
    ragged r, s;
    ragged_init(&r, "r");
    ragged_init(&s, "s");
    for (int64_t cut = 0; cut <= ROWS; cut += 11) {
        s.source.n = cut;
        const wadi_interp_source sources[] = {r.source, s.source};
        wadi_program *p = wadi_program_create("zip");
        const wadi_seq z = wadi_zip_with_seq(scaled, ragged_in("s"), ragged_in("r"));
        wadi_output("count", wadi_consume(wadi_elements(z)));
        conf_assert_agrees(p, &(wadi_interp_io){NULL, 0, sources, 2}, 0, NULL);
    }
}

static wadi_exp below(void *env, wadi_exp x) {
    const wadi_exp *limit = env;
    return wadi_convert(WADI_I64, wadi_lt(x, *limit));
}

static wadi_ix where(void *env, wadi_ix ix) {
    const wadi_acc *w = env;
    return wadi_keep_if(wadi_ne(wadi_index1(w[0], ix.at[0]), wadi_i64(0)),
                        wadi_ix1(wadi_index1(w[1], ix.at[0])));
}

static wadi_exp newest(void *env, wadi_exp element, wadi_exp old) {
    (void)env;
    (void)old;
    return element;
}

/* Keeps what is below zero: result sizes depend on data. */
static wadi_acc negatives(wadi_acc a) {
    wadi_exp zero = wadi_i32(0);
    wadi_acc w[2] = {wadi_map_env(below, &zero, a)};
    w[1] = wadi_scanl(wadi_add, wadi_i64(0), w[0]);
    const wadi_acc room = wadi_fill(wadi_ix1(wadi_the(wadi_sum(w[0]))), wadi_i32(0));
    return wadi_permute_env(newest, room, where, w, a);
}

static wadi_acc with_statistics(wadi_acc a) {
    const wadi_acc parts[] = {a, wadi_sum(a), wadi_scanl1(wadi_add, a),
                              wadi_iota(WADI_U8, wadi_i64(4))};
    return wadi_tuple(4, parts);
}

static void stages_chain_and_sizes_depend_on_data(void **state) {
    (void)state;
    ragged r;
    ragged_init(&r, "s");
    wadi_program *p = wadi_program_create("chain");
    const wadi_seq kept = wadi_map_seq(negatives, ragged_in("s"));
    wadi_stream_out(wadi_map_seq(with_statistics, wadi_map_seq(doubled, kept)), "out");
    conf_assert_agrees(p, &(wadi_interp_io){NULL, 0, &r.source, 1}, 0, NULL);
}

static wadi_acc tree_step(wadi_acc a) {
    return wadi_take(wadi_quot(wadi_extent(a, 0), wadi_i64(2)), wadi_map(wadi_neg, a));
}

static wadi_acc two_or_more(wadi_acc a) {
    return wadi_unit(wadi_gt(wadi_extent(a, 0), wadi_i64(1)));
}

static wadi_acc control(wadi_acc a) {
    const wadi_exp even = wadi_eq(wadi_mod(wadi_extent(a, 0), wadi_i64(2)), wadi_i64(0));
    return wadi_acond(even, wadi_awhile(two_or_more, tree_step, a), wadi_reverse(a));
}

static void loops_and_branches_differ_between_elements(void **state) {
    (void)state;
    ragged r;
    ragged_init(&r, "s");
    wadi_program *p = wadi_program_create("control");
    wadi_stream_out(wadi_map_seq(control, ragged_in("s")), "out");
    conf_assert_agrees(p, &(wadi_interp_io){NULL, 0, &r.source, 1}, 0, NULL);
}

/* A regular stream with a record beside a matrix, and a free variable. */

static wadi_exp weigh(void *env, wadi_ix ix, wadi_exp x) {
    const wadi_acc *w = env;
    return wadi_mul(x, wadi_index1(*w, ix.at[1]));
}

static wadi_exp first_field(wadi_exp z) {
    return wadi_get(z, "a");
}

static wadi_acc regular_body(void *env, wadi_acc element) {
    const wadi_acc m = wadi_tuple_get(element, 0), z = wadi_tuple_get(element, 1);
    const wadi_acc weighed = wadi_imap_env(weigh, env, m);
    return wadi_tuple2(wadi_sum(wadi_transpose(weighed)),
                       wadi_zip_with(wadi_add, wadi_map(first_field, z), wadi_map(first_field, z)));
}

static void regular_streams_of_tuples_and_records(void **state) {
    (void)state;
    enum { N = 9 };
    float m[N][3][4], w[] = {1, 2, 4, 8};
    int16_t a[N][2];
    double b[N][2];
    wadi_array parts[N][2];
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 12; k++) m[i][k / 4][k % 4] = (float)(i * k % 5);
        for (int k = 0; k < 2; k++) {
            a[i][k] = (int16_t)(i - k);
            b[i][k] = i / 2.0;
        }
        parts[i][0] = conf_array(WADI_F32, 2, (const int64_t[]){3, 4}, m[i]);
        parts[i][1] = (wadi_array){.rank = 1,
                                   .fields = 2,
                                   .type = {WADI_I16, WADI_F64},
                                   .shape = {2},
                                   .column = {a[i], b[i]}};
    }
    const char *matrix[] = {"3", "4"}, *pair[] = {"2"};
    const wadi_component c[] = {
        {wadi_scalar_elem(WADI_F32), 2, matrix},
        {{.fields = 2, .type = {WADI_I16, WADI_F64}, .name = {"a", "b"}}, 1, pair}};
    wadi_program *p = wadi_program_create("regular");
    wadi_acc weights = wadi_input("w", WADI_F32, 1, any2);
    wadi_stream_out(wadi_map_seq_env(regular_body, &weights, wadi_stream_in("s", 2, c)), "out");
    const wadi_interp_input in = {"w", conf_vector(WADI_F32, 4, w)};
    const wadi_interp_source source = {.name = "s", .n = N, .elements = parts[0]};
    conf_assert_agrees(p, &(wadi_interp_io){&in, 1, &source, 1}, 0, NULL);
}

static wadi_exp scalar_work(wadi_exp x) {
    return wadi_mod(wadi_add(wadi_mul(x, wadi_i32(1103515245)), wadi_i32(12345)), wadi_i32(1000));
}

static wadi_acc on_scalars(wadi_acc a) {
    const wadi_acc once = wadi_map(scalar_work, a);
    return wadi_tuple2(wadi_map(scalar_work, once), once);
}

static void streams_of_scalars_run_across(void **state) {
    (void)state;
    enum { N = 100 };
    int32_t v[N];
    wadi_array element[N];
    for (int i = 0; i < N; i++) {
        v[i] = i * i;
        element[i] = conf_scalar(WADI_I32, &v[i]);
    }
    wadi_program *p = wadi_program_create("scalars");
    const wadi_component c = {wadi_scalar_elem(WADI_I32), 0, NULL};
    wadi_stream_out(wadi_map_seq(on_scalars, wadi_stream_in("s", 1, &c)), "out");
    const wadi_interp_source source = {.name = "s", .n = N, .elements = element};
    conf_assert_agrees(p, &(wadi_interp_io){NULL, 0, &source, 1}, 0, NULL);
}

static void one_program_with_several_streams_and_outputs(void **state) {
    (void)state;
    ragged r, s;
    ragged_init(&r, "r");
    ragged_init(&s, "s");
    s.source.n = 5;
    const wadi_interp_source sources[] = {r.source, s.source};
    wadi_program *p = wadi_program_create("several");
    const wadi_acc longest = wadi_consume(
        wadi_fold_seq(longer_of, wadi_fill(wadi_ix1(wadi_i64(1)), wadi_i32(9)), ragged_in("r")));
    wadi_output("twice", doubled(longest));
    wadi_stream_out(wadi_map_seq(doubled, ragged_in("s")), "out");
    wadi_stream_out(wadi_produce(wadi_extent(longest, 0), count_up), "counts");
    conf_assert_agrees(p, &(wadi_interp_io){NULL, 0, sources, 2}, 0, NULL);
}

/* Blocks of reductions and scans end inside elements, and a few elements have all the work. */
static void few_large_elements_are_shared_by_workers(void **state) {
    (void)state;
    enum { LONG = 100003 };
    static const int64_t lengths[] = {LONG, 1, 0, LONG / 2, 4096};
    int32_t *v = malloc(LONG * sizeof *v);
    wadi_array element[5];
    for (int i = 0; i < LONG; i++) v[i] = i % 1009 - 500;
    for (int i = 0; i < 5; i++) element[i] = conf_vector(WADI_I32, lengths[i], v);
    const wadi_interp_source source = {.name = "s", .n = 5, .elements = element};
    wadi_program *p = wadi_program_create("large");
    const wadi_seq kept = wadi_map_seq(negatives, ragged_in("s"));
    wadi_stream_out(wadi_map_seq(with_statistics, kept), "out");
    conf_assert_agrees(p, &(wadi_interp_io){NULL, 0, &source, 1}, 0, NULL);
    free(v);
}

static void an_unchanged_stream_passes_through(void **state) {
    (void)state;
    ragged r;
    ragged_init(&r, "s");
    wadi_program *p = wadi_program_create("copy");
    wadi_stream_out(ragged_in("s"), "out");
    conf_assert_agrees(p, &(wadi_interp_io){NULL, 0, &r.source, 1}, 0, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_puts_all_arrays_in_one_vector),
        cmocka_unit_test(tabulate_stacks_each_component),
        cmocka_unit_test(fold_seq_goes_through_the_stream_in_order),
        cmocka_unit_test(fold_seq_may_change_the_extent_of_its_state),
        cmocka_unit_test(produce_makes_arrays_of_any_size),
        cmocka_unit_test(from_shapes_cuts_a_vector),
        cmocka_unit_test(sparse_matrix_times_vector),
        cmocka_unit_test(zip_with_seq_ends_with_the_shorter),
        cmocka_unit_test(stages_chain_and_sizes_depend_on_data),
        cmocka_unit_test(loops_and_branches_differ_between_elements),
        cmocka_unit_test(regular_streams_of_tuples_and_records),
        cmocka_unit_test(streams_of_scalars_run_across),
        cmocka_unit_test(one_program_with_several_streams_and_outputs),
        cmocka_unit_test(few_large_elements_are_shared_by_workers),
        cmocka_unit_test(an_unchanged_stream_passes_through)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
