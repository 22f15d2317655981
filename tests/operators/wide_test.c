/* The largest number of arrays in a state or in an element of a stream, which is the largest number of a function's parameters: it
 * works, array by array, and one more is refused. */
#include <stdio.h>

#include "base/text.h"
#include "operators/rules.h"
#include "tests/operators/support.h"

static void list(wadi_text *t, const char *letter, int n, const char *between) {
    for (int i = 0; i < n; i++) wadi_text_addf(t, "%s%s%d", i > 0 ? between : "", letter, i);
}

/* Arrays c0, c1, .. of rank 0: 0, 10, 20, .. */
static void begin_text(wadi_text *t, int n) {
    wadi_text_init(t);
    wadi_text_add(t, "program p\ns = produce 3 (e) {\n    yield e\n}\n");
    for (int i = 0; i < n; i++) wadi_text_addf(t, "c%d = unit { %d }\n", i, 10 * i);
}

/* Bindings z0, z1, .. that add something to y0, y1, .. */
static void add_steps(wadi_text *t, int n, const char *what) {
    for (int i = 0; i < n; i++)
        wadi_text_addf(t, "    z%d = unit { add (the y%d) %s }\n", i, i, what);
    wadi_text_add(t, "    yield ");
    list(t, "z", n, ", ");
    wadi_text_add(t, "\n}\n");
}

static void add_outputs(wadi_text *t, int n) {
    for (int i = 0; i < n; i++) wadi_text_addf(t, "output r%d\n", i);
}

static int64_t number(const wadi_array *a) {
    int64_t v = 0;
    assert_int_equal(a->rank, 0);
    wadi_cells_load(a, (uint64_t *)&v);
    return v;
}

/* Whether the program can be read; if so, it is run: output i, or component i of element e, is 10 i + 3 or 10 i + e. */
static bool works(wadi_text *t) {
    wadi_module *m = NULL;
    wadi_interp_results *r = NULL;
    wadi_error err = {0};
    const bool taken = wadi_ir_parse(wadi_text_str(t), "t", wadi_operators(), &m, &err) == WADI_OK;
    if (taken) {
        if (wadi_interp_run(m, NULL, &r, &err) != WADI_OK) fail_msg("%s", err.msg);
        for (int i = 0; i < r->noutputs; i++)
            assert_int_equal(number(&r->outputs[i].array), 10 * i + 3);
        for (int k = 0; k < r->nsinks; k++)
            for (int64_t e = 0; e < r->sinks[k].n; e++)
                for (int c = 0; c < r->sinks[k].components; c++)
                    assert_int_equal(number(&r->sinks[k].elements[e * r->sinks[k].components + c]),
                                     10 * c + e);
        wadi_interp_results_destroy(r);
    }
    wadi_module_destroy(m);
    wadi_text_fini(t);
    return taken;
}

/* ---- what has many arrays ---- */

static bool loop(int n) {
    wadi_text t;
    begin_text(&t, n);
    list(&t, "r", n, ", ");
    wadi_text_add(&t, " = awhile ");
    list(&t, "c", n, " ");
    wadi_text_add(&t, " (");
    list(&t, "x", n, ", ");
    wadi_text_add(&t, ") {\n    p = unit { lt (the x0) 3 }\n    yield p\n} do (");
    list(&t, "y", n, ", ");
    wadi_text_add(&t, ") {\n");
    add_steps(&t, n, "1");
    add_outputs(&t, n);
    return works(&t);
}

/* Its second region has the same of a chunk: arrays of a dimension more. */
static bool lifted(int n) {
    wadi_text t;
    begin_text(&t, n);
    list(&t, "r", n, ", ");
    wadi_text_add(&t, " = lifted ");
    list(&t, "c", n, " ");
    wadi_text_add(&t, " (");
    list(&t, "y", n, ", ");
    wadi_text_add(&t, ") {\n");
    add_steps(&t, n, "3");
    wadi_text_add(&t, "do (");
    list(&t, "x", n, ", ");
    wadi_text_add(&t, ") {\n    yield ");
    list(&t, "x", n, ", ");
    wadi_text_add(&t, "\n}\n");
    add_outputs(&t, n);
    return works(&t);
}

static bool fold(int n) {
    wadi_text t;
    begin_text(&t, n);
    list(&t, "r", n, ", ");
    wadi_text_add(&t, " = fold_seq s ");
    list(&t, "c", n, " ");
    wadi_text_add(&t, " (");
    list(&t, "y", n, ", ");
    wadi_text_add(&t, ", e) {\n");
    add_steps(&t, n, "(the e)");
    add_outputs(&t, n);
    return works(&t);
}

/* An element of n arrays, through a stage that hands on what it gets. */
static bool stages(int n, const char *stage) {
    wadi_text t;
    begin_text(&t, n);
    wadi_text_add(&t, "w = map_seq s (e) {\n");
    for (int i = 0; i < n; i++)
        wadi_text_addf(&t, "    z%d = unit { add (the e) (the c%d) }\n", i, i);
    wadi_text_add(&t, "    yield ");
    list(&t, "z", n, ", ");
    wadi_text_addf(&t, "\n}\nv = %s", stage);
    if (stage[0] == 'm') {
        wadi_text_add(&t, "(");
        list(&t, "y", n, ", ");
        wadi_text_add(&t, ") {\n    yield ");
        list(&t, "y", n, ", ");
        wadi_text_add(&t, "\n}");
    }
    wadi_text_add(&t, "\nstream_out \"o\" v\n");
    return works(&t);
}

/* Two streams of n arrays each, side by side. */
static bool side_by_side(int n) {
    wadi_text t;
    begin_text(&t, n);
    wadi_text_add(&t, "w = map_seq s (e) {\n");
    for (int i = 0; i < n; i++)
        wadi_text_addf(&t, "    z%d = unit { add (the e) (the c%d) }\n", i, i);
    wadi_text_add(&t, "    yield ");
    list(&t, "z", n, ", ");
    wadi_text_add(&t, "\n}\nv = map_seq w w (");
    list(&t, "x", n, ", ");
    wadi_text_add(&t, ", ");
    list(&t, "y", n, ", ");
    wadi_text_add(&t, ") {\n    yield ");
    list(&t, "y", n, ", ");
    wadi_text_add(&t, "\n}\nstream_out \"o\" v\n");
    return works(&t);
}

static void states_of_loops(void **state) {
    (void)state;
    for (int n = 1; n <= WADI_MAX_PARAMS + 1;
         n += n < WADI_MAX_PARAMS - 1 ? WADI_MAX_PARAMS - 2 : 1) {
        assert_int_equal(loop(n), n <= WADI_MAX_PARAMS);
        assert_int_equal(lifted(n), n <= WADI_MAX_PARAMS);
    }
}

/* The region of a fold has a parameter more than the state has arrays. */
static void states_of_folds(void **state) {
    (void)state;
    for (int n = 1; n <= WADI_MAX_PARAMS + 1;
         n += n < WADI_MAX_PARAMS - 1 ? WADI_MAX_PARAMS - 2 : 1)
        assert_int_equal(fold(n), n < WADI_MAX_PARAMS);
}

static void elements_of_streams(void **state) {
    (void)state;
    for (int n = 1; n <= WADI_MAX_PARAMS + 1;
         n += n < WADI_MAX_PARAMS - 1 ? WADI_MAX_PARAMS - 2 : 1) {
        assert_int_equal(stages(n, "map_seq w "), n <= WADI_MAX_PARAMS);
        assert_int_equal(stages(n, "take_seq w 2"), n <= WADI_MAX_PARAMS);
    }
    for (int n = WADI_MAX_PARAMS / 2 - 1; n <= WADI_MAX_PARAMS / 2 + 1; n++)
        assert_int_equal(side_by_side(n), 2 * n <= WADI_MAX_PARAMS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_of_loops),
        cmocka_unit_test(states_of_folds),
        cmocka_unit_test(elements_of_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
