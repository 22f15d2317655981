/* The data that the benchmarks generate are well-formed and have the sizes asked for; medians are medians. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/streams/child.h"
#include "bench/streams/graphs.h"
#include "bench/streams/matrices.h"
#include "bench/streams/report.h"
#include "bench/streams/rows.h"

static void check_rows(const wadi_csr *m, bool distinct) {
    assert_int_equal(m->offsets[0], 0);
    assert_int_equal(m->offsets[m->rows], m->entries);
    const int32_t *index = m->index;
    for (int64_t r = 0; r < m->rows; r++) {
        assert_true(m->offsets[r] <= m->offsets[r + 1]);
        for (int64_t i = m->offsets[r]; i < m->offsets[r + 1]; i++) {
            assert_in_range(index[i], 0, m->columns - 1);
            if (distinct && i > m->offsets[r]) assert_true(index[i] > index[i - 1]);
        }
    }
}

static void matrices_look_alike_in_size(void **state) {
    (void)state;
    for (int k = 0; k < BENCH_KINDS; k++) {
        const bench_kind *kind = &bench_kinds[k];
        const int64_t shrink = kind->entries / 500000 + 1;
        wadi_csr m = {0};
        assert_int_equal(bench_matrix_make(kind, shrink, &m, NULL), WADI_OK);
        assert_true(m.rows == kind->rows / shrink || m.rows == 1);
        assert_true(m.entries <= kind->entries / shrink);
        assert_true(m.entries >= kind->entries / shrink * 9 / 10 ||
                    m.entries == m.rows * m.columns);
        check_rows(&m, true);
        wadi_csr_fini(&m);
    }
}

static void matrices_are_the_same_each_time(void **state) {
    (void)state;
    wadi_csr a = {0}, b = {0};
    assert_int_equal(bench_matrix_make(&bench_kinds[6], 500, &a, NULL), WADI_OK);
    assert_int_equal(bench_matrix_make(&bench_kinds[6], 500, &b, NULL), WADI_OK);
    assert_int_equal(a.entries, b.entries);
    assert_memory_equal(a.index, b.index, (size_t)a.entries * sizeof(int32_t));
    assert_memory_equal(a.values, b.values, (size_t)a.entries * sizeof(double));
    wadi_csr_fini(&a);
    wadi_csr_fini(&b);
}

static void skewed_matrices_have_long_rows(void **state) {
    (void)state;
    wadi_csr m = {0};
    assert_int_equal(bench_matrix_make(&bench_kinds[8], 100, &m, NULL), WADI_OK);
    int64_t longest = 0;
    for (int64_t r = 0; r < m.rows; r++) {
        const int64_t n = m.offsets[r + 1] - m.offsets[r];
        longest = n > longest ? n : longest;
    }
    assert_true(longest > 20 * m.entries / m.rows);
    wadi_csr_fini(&m);
}

static void rmat_graphs_have_hubs(void **state) {
    (void)state;
    wadi_csr g = {0};
    assert_int_equal(bench_graph_rmat(10, 20000, &g, NULL), WADI_OK);
    assert_int_equal(g.rows, 1024);
    assert_int_equal(g.entries, 20000);
    check_rows(&g, false);
    int64_t most = 0;
    for (int64_t v = 0; v < g.rows; v++) {
        const int64_t n = g.offsets[v + 1] - g.offsets[v];
        most = n > most ? n : most;
    }
    assert_true(most > 200);
    wadi_csr_fini(&g);
}

static void a_graph_is_read_by_targets(void **state) {
    (void)state;
    char path[] = "graph.XXXXXX", command[128];
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    (void)snprintf(command, sizeof command, "printf '# c\\n0\\t2\\n1\\t2\\n3\\t0\\n' | gzip > %s",
                   path);
    assert_int_equal(system(command), 0);
    wadi_csr g = {0};
    assert_int_equal(bench_graph_read(path, &g, NULL), WADI_OK);
    assert_int_equal(g.rows, 4);
    assert_int_equal(g.entries, 3);
    const int64_t offsets[] = {0, 1, 1, 3, 3};
    const int32_t sources[] = {3, 0, 1};
    assert_memory_equal(g.offsets, offsets, sizeof offsets);
    assert_memory_equal(g.index, sources, sizeof sources);
    wadi_csr_fini(&g);
    remove(path);
}

static void rows_are_ragged(void **state) {
    (void)state;
    bench_rows r = {0};
    assert_int_equal(bench_rows_make(10000, 50, &r, NULL), WADI_OK);
    int64_t empty = 0, longest = 0;
    for (int64_t i = 0; i < r.rows; i++) {
        const int64_t n = r.offsets[i + 1] - r.offsets[i];
        empty += n == 0;
        longest = n > longest ? n : longest;
    }
    assert_true(empty > 0 && longest > 500);
    assert_true(r.n > 10000 * 40 && r.n < 10000 * 60);
    bench_rows_fini(&r);
}

static void the_median_is_in_the_middle(void **state) {
    (void)state;
    double odd[] = {5, 1, 3}, even[] = {4, 1, 3, 2};
    assert_true(bench_median(3, odd) == 3);
    assert_true(bench_median(4, even) == 2.5);
}

static void children_tell_times_or_what_is_missing(void **state) {
    (void)state;
    bench_child *c = NULL;
    wadi_error err = {0};
    double seconds = -1;
    const char *const fine[] = {"sh", "-c", "echo ready; while read x; do echo 0.25; done", NULL};
    assert_int_equal(bench_child_open(fine, &c, &err), WADI_OK);
    assert_int_equal(bench_child_run(c, &seconds, &err), WADI_OK);
    assert_true(seconds == 0.25);
    bench_child_close(c);
    const char *const lacking[] = {"sh", "-c", "echo missing numpy: pip install numpy", NULL};
    assert_int_equal(bench_child_open(lacking, &c, &err), WADI_UNSUPPORTED);
    assert_non_null(strstr(err.msg, "pip install numpy"));
    const char *const absent[] = {"./no-such-program", NULL};
    assert_int_equal(bench_child_open(absent, &c, &err), WADI_UNSUPPORTED);
    const char *const broken[] = {"sh", "-c", "exit 3", NULL};
    assert_int_equal(bench_child_open(broken, &c, &err), WADI_IO);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_look_alike_in_size),
        cmocka_unit_test(matrices_are_the_same_each_time),
        cmocka_unit_test(skewed_matrices_have_long_rows),
        cmocka_unit_test(rmat_graphs_have_hubs),
        cmocka_unit_test(a_graph_is_read_by_targets),
        cmocka_unit_test(rows_are_ragged),
        cmocka_unit_test(the_median_is_in_the_middle),
        cmocka_unit_test(children_tell_times_or_what_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
