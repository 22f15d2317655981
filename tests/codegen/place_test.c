/* Which states of folds change in place, and which arrays of the main block are written into others. Then neither the plan nor the kernels copy them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "codegen/plan/plan.h"
#include "tests/codegen/programs.h"

typedef struct planned {
    compiled c;
    wadi_plan *plan;
    wadi_versions *versions;
    const wadi_plan_fold *fold;
} planned;

static planned plan_of(const char *text) {
    planned p = {.c = compile(text, NULL)};
    wadi_error err = {.status = WADI_OK};
    if (wadi_plan_build(p.c.m, &p.c.facts, NULL, &p.plan, &p.versions, &err) != WADI_OK)
        fail_msg("%s", err.msg);
    for (int i = 0; i < p.plan->nphases; i++)
        for (int k = 0; k < p.plan->phases[i].stream.nends; k++)
            p.fold = &p.plan->phases[i].stream.ends[k].fold;
    assert_non_null(p.fold);
    return p;
}

static void planned_free(planned *p) {
    wadi_versions_destroy(p->versions);
    wadi_plan_destroy(p->plan);
    compiled_free(&p->c);
}

#define HEAD                   \
    "program sums\n"           \
    "input grid : f64[n, m]\n" \
    "s = stream_in \"s\" : seq(i64, f64[h, w])\n"

static bool in_place(const planned *p, int i) {
    return p->fold->state_out[i] == p->fold->state_in[i];
}

/* Steps of every version that allocate or emit something. */
static void assert_makes_nothing(planned *p) {
    const wadi_plan_body *body = &p->plan->bodies[p->fold->body];
    assert_int_equal(body->nresults, 0);
    for (int k = 0; k < WADI_SCHEDULE_COUNT; k++) {
        wadi_made *made = NULL;
        if (!body->offers[k]) continue;
        assert_int_equal(wadi_versions_make(p->versions, p->fold->body,
                                            (wadi_version_key){.schedule = (wadi_schedule)k}, NULL,
                                            &made, NULL),
                         WADI_OK);
        for (int i = 0; i < made->version.nsteps; i++)
            assert_int_equal(made->version.steps[i].nslots, 0);
        assert_null(strstr(made->kernels, "memcpy"));
        assert_null(strstr(made->kernels, "wadi_scratch_of"));
        wadi_made_destroy(made);
    }
}

static void scattered_sums_are_added_where_the_grid_lies(void **state) {
    (void)state;
    planned p =
        plan_of(HEAD "total = fold_seq s grid (g, y, v) {\n"
                     "    next = permute g v (x, o) { add x o } (i, j) { true, add (the y) i, j }\n"
                     "    yield next\n"
                     "}\n"
                     "output total\n");
    assert_true(p.fold->carried);
    assert_true(in_place(&p, 0));
    assert_makes_nothing(&p);
    planned_free(&p);
}

static void so_are_those_of_whole_chunks(void **state) {
    (void)state;
    planned p = plan_of(HEAD "total = fold_batch s grid (g, sy, y, sv, v) {\n"
                             "    next = permute g v (x, o) { add x o } (i) { true, i, 0i64 }\n"
                             "    yield next\n"
                             "}\n"
                             "output total\n");
    assert_true(in_place(&p, 0));
    assert_makes_nothing(&p);
    planned_free(&p);
}

static void elements_replaced_one_by_one_stay_where_they_are(void **state) {
    (void)state;
    planned p = plan_of("program sums\n"
                        "input grid : f64[n, m]\n"
                        "s = stream_in \"s\" : seq(f64[n, m])\n"
                        "total, count = fold_seq s grid 0i64 (g, k, v) {\n"
                        "    next = zip_with g v (x, y) { add (mul x 0.5) y }\n"
                        "    more = unit { add (the k) 1i64 }\n"
                        "    yield next, more\n"
                        "}\n"
                        "output total\n"
                        "output count\n");
    assert_true(p.fold->carried);
    assert_true(in_place(&p, 0));
    assert_makes_nothing(&p);
    planned_free(&p);
}

/* What is added is made on the way, on either side of the state. */
static void elements_replaced_by_way_of_others_stay_where_they_are(void **state) {
    (void)state;
    static const char *const ways[] = {
        "    half = map g (x) { sin x }\n    next = zip_with half v (x, y) { add x y }\n",
        "    half = map g (x) { sin x }\n    next = zip_with v half (x, y) { add x y }\n",
        "    half = map g (x) { sin x }\n    wide = zip_with half v (x, y) { mul x y }\n"
        "    next = map wide (x) { neg x }\n",
        "    n = unit { convert f64 (extent g 0) }\n"
        "    next = zip_with g v (x, y) { add (mul x y) (the n) }\n",
        "    other = map v (x) { sin x }\n    wide = zip_with other g (x, y) { mul x y }\n"
        "    next = zip_with wide v (x, y) { sub x y }\n",
    };
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "program sums\ninput grid : f64[n, m]\ns = stream_in \"s\" : seq(f64[n, m])\n"
                 "total = fold_seq s grid (g, v) {\n%s    yield next\n}\noutput total\n",
                 ways[i]);
        planned p = plan_of(text);
        assert_true(in_place(&p, 0));
        assert_makes_nothing(&p);
        planned_free(&p);
    }
}

/* ---- shares ---- */

/* Steps of body `number` whose units are shares of rows. */
static int shares(const planned *p, int number, wadi_schedule schedule) {
    wadi_made *made = NULL;
    int n = 0;
    assert_int_equal(wadi_versions_make(p->versions, number,
                                        (wadi_version_key){.schedule = schedule}, NULL, &made,
                                        NULL),
                     WADI_OK);
    for (int i = 0; i < made->version.nsteps; i++) n += made->version.steps[i].apart;
    wadi_made_destroy(made);
    return n;
}

static void rows_of_patches_are_shared_by_workers(void **state) {
    (void)state;
    planned p =
        plan_of(HEAD "total = fold_seq s grid (g, y, v) {\n"
                     "    next = permute g v (x, o) { add x o } (i, j) { true, add (the y) i, j }\n"
                     "    yield next\n"
                     "}\n"
                     "output total\n");
    assert_int_equal(shares(&p, p.fold->body, WADI_SCHEDULE_INSIDE), 1);
    planned_free(&p);
    p = plan_of(HEAD
                "total = fold_batch s grid (g, sy, y, sv, v) {\n"
                "    k = unit { extent y 0 }\n"
                "    vs = reshape v k 4i64 5i64\n"
                "    next = permute g vs (x, o) { add x o } (k, i, j) { true, add (y ! k) i, j }\n"
                "    yield next\n"
                "}\n"
                "output total\n");
    assert_int_equal(shares(&p, p.fold->body, WADI_SCHEDULE_FLAT), 1);
    planned_free(&p);
}

static void rows_that_are_not_known_in_front_are_not_shared(void **state) {
    (void)state;
    static const char *const targets[] = {
        "true, j, add (the y) i", /* another row for each element */
        "true, mod (mul i i) 7i64, j",
    };
    for (int i = 0; i < 2; i++) {
        char text[1000];
        (void)snprintf(text, sizeof text,
                       HEAD "total = fold_seq s grid (g, y, v) {\n"
                            "    next = permute g v (x, o) { add x o } (i, j) { %s }\n"
                            "    yield next\n}\noutput total\n",
                       targets[i]);
        planned p = plan_of(text);
        assert_true(in_place(&p, 0));
        assert_int_equal(shares(&p, p.fold->body, WADI_SCHEDULE_INSIDE), 0);
        planned_free(&p);
    }
}

static void a_start_made_for_the_fold_becomes_its_state(void **state) {
    (void)state;
    planned p = plan_of("program sums\n"
                        "s = stream_in \"s\" : seq(i64)\n"
                        "zero = generate 9i64 (i) { 0.0 }\n"
                        "total = fold_seq s zero (g, y) {\n"
                        "    one = generate 1i64 (i) { 1.0 }\n"
                        "    next = permute g one (x, o) { add x o } (i) { true, the y }\n"
                        "    yield next\n"
                        "}\n"
                        "output total\n");
    assert_true(p.fold->take[0]);
    assert_makes_nothing(&p);
    planned_free(&p);
}

static void a_start_that_is_wanted_itself_does_not(void **state) {
    (void)state;
    planned p = plan_of("program sums\n"
                        "s = stream_in \"s\" : seq(i64)\n"
                        "zero = generate 9i64 (i) { 0.0 }\n"
                        "total = fold_seq s zero (g, y) {\n"
                        "    one = generate 1i64 (i) { 1.0 }\n"
                        "    next = permute g one (x, o) { add x o } (i) { true, the y }\n"
                        "    yield next\n"
                        "}\n"
                        "output total\n"
                        "output zero\n");
    assert_false(p.fold->take[0]);
    assert_true(in_place(&p, 0));
    planned_free(&p);
}

static void a_state_that_is_read_elsewhere_is_kept_apart(void **state) {
    (void)state;
    static const char *const bodies[] = {
        /* by another index */
        "    back = reverse dim=0 g\n"
        "    next = zip_with g back (x, y) { add x y }\n",
        /* by the source */
        "    first = map v (x) { add x (g ! (0i64, 0i64)) }\n"
        "    next = permute g first (x, o) { add x o } (i, j) { true, add (the y) i, j }\n",
        /* by where the elements go */
        "    next = permute g v (x, o) { add x o } (i, j) { ge (g ! (i, j)) 0.0, i, j }\n"};
    for (int i = 0; i < 3; i++) {
        char text[1000];
        (void)snprintf(text, sizeof text,
                       HEAD
                       "total = fold_seq s grid (g, y, v) {\n%s    yield next\n}\noutput total\n",
                       bodies[i]);
        planned p = plan_of(text);
        assert_false(p.fold->carried);
        assert_false(in_place(&p, 0));
        planned_free(&p);
    }
}

static void states_that_change_places_are_kept_apart(void **state) {
    (void)state;
    planned p =
        plan_of(HEAD "a, b = fold_seq s grid grid (g, k, y, v) {\n"
                     "    next = permute g v (x, o) { add x o } (i, j) { true, add (the y) i, j }\n"
                     "    yield k, next\n"
                     "}\n"
                     "output a\n"
                     "output b\n");
    assert_false(p.fold->carried);
    assert_false(in_place(&p, 0));
    assert_false(in_place(&p, 1));
    planned_free(&p);
}

/* ---- arrays of the main block ---- */

/* In whose memory the array `name` is written, as the decision says it; NULL: it has its own. */
static const char *memory_of(const char *text, const char *name, char out[32]) {
    const wadi_plan_options options = {.diag = wadi_diag_create(false)};
    compiled c = compile(text, NULL);
    wadi_error err = {.status = WADI_OK};
    wadi_plan *plan = NULL;
    wadi_versions *versions = NULL;
    if (wadi_plan_build(c.m, &c.facts, &options, &plan, &versions, &err) != WADI_OK)
        fail_msg("%s", err.msg);
    const wadi_note *n = NULL;
    for (wadi_val v = 0; v < c.m->nvalues && n == NULL; v++)
        if (c.m->values[v].name != NULL && strcmp(c.m->values[v].name, name) == 0)
            n = wadi_diag_find(options.diag, WADI_NOTE_PLACED, v);
    out[0] = '\0';
    if (n != NULL) (void)snprintf(out, 32, "%s", c.m->values[n->reader].name);
    wadi_versions_destroy(versions);
    wadi_plan_destroy(plan);
    compiled_free(&c);
    wadi_diag_destroy(options.diag);
    return out[0] != '\0' ? out : NULL;
}

#define ARRAYS                                               \
    "program arrays\ninput xs : f64[n]\ninput at : i64[n]\n" \
    "a = scanl1 xs (x, y) { add x y }\n"
#define SCANNED(to, from) #to " = scanl1 " #from " (x, y) { add x y }\n"

static void arrays_replace_what_nobody_reads_any_more(void **state) {
    static const struct {
        const char *rest, *of; /* of whom z takes the memory */
    } cases[] = {
        {SCANNED(z, a) "output z\n", "a"},
        {"z = map a (x) { mul x 2.0 }\noutput z\n", "a"},
        {"m = map a (x) { mul x 2.0 }\n" SCANNED(z, m) "output z\n", "a"},
        {"z = zip_with xs a (x, y) { sub x y }\noutput z\n", "a"},
        {"b = scanl1 xs (x, y) { max x y }\nz = zip_with a b (x, y) { sub x y }\noutput z\n", "a"},
        {"b = scanl1 xs (x, y) { max x y }\nz = zip_with a b (x, y) { sub x y }\noutput z\n"
         "output a\n",
         "b"},
        {"z = imap a (i, x) { add x (convert f64 i) }\noutput z\n", "a"},
        {"r = zip_with a xs (x, y) { p: x, q: y }\n"
         "s = scanl1 r (p, q, x, y) { p: max p x, q: add q y }\n"
         "z = map s (p, q) { p: q, q: p }\noutput z\n",
         NULL}, /* fields might change places */
        {"z = permute a xs at (x, y) { add x y } (i, k) { true, k }\noutput z\n", "a"},
        {"m = fold 0.0 a (x, y) { max x y }\n"
         "z = map a (x) { mul x (the m) }\noutput z\n",
         "a"},
        /* the caller's, the program's, results, and what is read later or elsewhere stay */
        {"z = map xs (x) { mul x 2.0 }\noutput z\n", NULL},
        {"z = map a (x) { mul x 2.0 }\noutput z\noutput a\n", NULL},
        {SCANNED(z, a) "y = zip_with a z (x, y) { add x y }\noutput y\n", NULL},
        {"r = reverse dim=0 a\n" SCANNED(z, r) "output z\n", NULL},
        {"r = reverse dim=0 a\nz = zip_with a r (x, y) { add x y }\noutput z\n", NULL},
        {"z = imap a (i, x) { add x (a ! (max 0 (sub i 1))) }\noutput z\n", NULL},
        {"z = map a (x) { convert f32 x }\noutput z\n", NULL},
        {"z = permute xs a at (x, y) { add x y } (i, k) { true, k }\noutput z\n", NULL},
        {"z = scanl 0.0 a (x, y) { add x y }\noutput z\n", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1000], of[32];
        (void)snprintf(text, sizeof text, ARRAYS "%s", cases[i].rest);
        const char *is = memory_of(text, "z", of);
        if ((is == NULL) != (cases[i].of == NULL) || (is != NULL && strcmp(is, cases[i].of) != 0))
            fail_msg("z is in the memory of %s, expected %s:\n%s", is ? is : "nobody",
                     cases[i].of ? cases[i].of : "nobody", text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scattered_sums_are_added_where_the_grid_lies),
        cmocka_unit_test(so_are_those_of_whole_chunks),
        cmocka_unit_test(elements_replaced_one_by_one_stay_where_they_are),
        cmocka_unit_test(elements_replaced_by_way_of_others_stay_where_they_are),
        cmocka_unit_test(rows_of_patches_are_shared_by_workers),
        cmocka_unit_test(rows_that_are_not_known_in_front_are_not_shared),
        cmocka_unit_test(a_start_made_for_the_fold_becomes_its_state),
        cmocka_unit_test(a_start_that_is_wanted_itself_does_not),
        cmocka_unit_test(a_state_that_is_read_elsewhere_is_kept_apart),
        cmocka_unit_test(states_that_change_places_are_kept_apart),
        cmocka_unit_test(arrays_replace_what_nobody_reads_any_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
