/* Streams of few elements that go through large arrays of the run: which arrays count as their input, and which schedule runs. Sizes decide, no
 * times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "exe/exe.h"
#include "sched/wants.h"
#include "wadi/wadi.h"

enum { WORKERS = 4, SMALL = 1000, LARGE = 100000 };

/* What an element computes as `v`, and the arrays that it goes through. */
typedef struct computed {
    const char *text, *reads;
} computed;

static const computed elements[] = {
    {"m = compute c\nv = unit { m ! (rem (the i) (extent m 0)) }\n", " x"},
    {"v = fold 0.0 c (p, q) { add p q }\n", " x"},
    {"m = scanl1 c (p, q) { add p q }\nv = unit { m ! (the i) }\n", " x"},
    {"m = fold_seg 0.0 o c (p, q) { add p q }\nv = unit { m ! (the i) }\n", " o x"},
    {"s = stencil dims=1 edge=1 near=3,-1,0,1 c (p, q, r) { add (add p q) r }\nm = compute s\n"
     "v = unit { m ! (the i) }\n",
     " x"},
    {"v = unit { mul (x ! (the i)) (the f) }\n", ""},
};
enum { FOLD = 1, PICK = 5 };

static wadi_exe *compile(const computed *e) {
    wadi_text text = {0};
    wadi_exe *exe = NULL;
    wadi_error err = {.status = WADI_OK};
    wadi_text_addf(&text,
                   "program few\ninput n : i64[]\ninput x : f64[?]\ninput o : i64[?]\n"
                   "count = unit { the n }\n"
                   "all = produce count (i) {\n"
                   "f = unit { convert f64 (the i) }\nc = map x (a) { mul a (the f) }\n%s"
                   "yield v\n}\nstream_out \"out\" all\n",
                   e->text);
    assert_false(text.failed);
    if (wadi_compile_text(wadi_text_str(&text), "p", NULL, &exe, &err) != WADI_OK)
        fail_msg("%s", err.msg);
    wadi_text_fini(&text);
    return exe;
}

/* The body of the stream: the only one with elements. */
static const wadi_plan_body *body_of(const wadi_exe *exe) {
    const wadi_plan *p = exe->plan;
    for (int i = 0; i < p->nphases; i++)
        if (p->phases[i].is_stream) return &p->bodies[p->phases[i].stream.stages[0].body];
    fail_msg("there is no stream");
    return NULL;
}

static void arrays_that_elements_go_through_are_input(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof elements / sizeof *elements; k++) {
        wadi_exe *exe = compile(&elements[k]);
        const wadi_plan_body *b = body_of(exe);
        wadi_text reads = {0};
        for (int i = 0; i < b->nreads; i++)
            wadi_text_addf(&reads, " %s", exe->plan->slots[b->reads[i]].name);
        assert_false(reads.failed);
        if (strcmp(wadi_text_str(&reads), elements[k].reads) != 0)
            fail_msg("%zu reads%s", k, wadi_text_str(&reads));
        wadi_text_fini(&reads);
        wadi_exe_destroy(exe);
    }
}

static wadi_status ignore(void *env, int64_t index, int parts, const wadi_array *element,
                          wadi_error *err) {
    (void)env, (void)index, (void)parts, (void)element, (void)err;
    return WADI_OK;
}

/* The schedule of a stream of n elements of which each has an x of so many. chunk: elements; 0: the policy decides. */
static const char *schedule_of(wadi_exe *exe, int64_t extent, int64_t n, int64_t chunk) {
    static double x[LARGE];
    static int64_t o[2] = {0, SMALL};
    const wadi_array
        number = {.fields = 1, .type = {WADI_I64}, .column = {&n}},
        values = {.rank = 1, .fields = 1, .shape = {extent}, .type = {WADI_F64}, .column = {x}},
        offsets = {.rank = 1, .fields = 1, .shape = {2}, .type = {WADI_I64}, .column = {o}};
    wadi_run_stats stats;
    wadi_sink *sink = NULL;
    wadi_run *run = NULL;
    wadi_error err = {.status = WADI_OK};
    const wadi_run_options options = {
        .threads = WORKERS, .device = "cpu", .chunk = chunk, .forget = true};
    assert_int_equal(wadi_sink_callback(ignore, NULL, &sink, NULL), WADI_OK);
    assert_int_equal(wadi_run_create(exe, &options, &run, NULL), WADI_OK);
    assert_int_equal(wadi_run_input(run, "n", &number, NULL), WADI_OK);
    assert_int_equal(wadi_run_input(run, "x", &values, NULL), WADI_OK);
    assert_int_equal(wadi_run_input(run, "o", &offsets, NULL), WADI_OK);
    assert_int_equal(wadi_run_sink(run, "out", sink, NULL), WADI_OK);
    if (wadi_run_go(run, &err) != WADI_OK) fail_msg("%s", err.msg);
    wadi_run_stats_get(run, &stats);
    wadi_run_destroy(run);
    wadi_sink_destroy(sink);
    return stats.schedule;
}

static void chosen(int which, int64_t extent, int64_t n, int64_t chunk, const char *expected) {
    wadi_exe *exe = compile(&elements[which]);
    assert_string_equal(schedule_of(exe, extent, n, chunk), expected);
    wadi_exe_destroy(exe);
}

static void few_elements_of_large_arrays_are_shared(void **state) {
    (void)state;
    chosen(FOLD, LARGE, 1, 1, "flat");
    chosen(FOLD, LARGE, WORKERS - 1, 1, "flat");
    chosen(FOLD, LARGE, WORKERS - 1, WORKERS - 1, "flat");
    chosen(FOLD, LARGE, 2, 0, "flat");
}

static void small_arrays_many_elements_and_single_values_are_not(void **state) {
    (void)state;
    chosen(FOLD, SMALL, 1, 1, "inside");
    chosen(FOLD, LARGE, WORKERS, WORKERS, "inside");
    chosen(PICK, LARGE, 1, 1, "across");
}

/* The first chunks of a long stream are small, but each worker soon has elements of its own. */
static void a_long_stream_is_not_shared_for_its_first_chunks(void **state) {
    (void)state;
    chosen(FOLD, LARGE, 40, 0, "inside");
}

/* What reads an array of the run does not wait for its first chunk to be compiled. */
static void the_kernels_are_made_ahead(void **state) {
    (void)state;
    wadi_exe *exe = compile(&elements[FOLD]);
    const wadi_plan *p = exe->plan;
    wadi_want wants[16];
    assert_true(p->nbodies <= 16);
    const int n = wadi_plan_wants(p, -1, wants);
    bool listed = false;
    for (int i = 0; i < n; i++)
        listed = listed || (&p->bodies[wants[i].body] == body_of(exe) &&
                            wants[i].version.schedule == WADI_SCHEDULE_INSIDE);
    assert_true(listed);
    wadi_exe_destroy(exe);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_that_elements_go_through_are_input),
        cmocka_unit_test(few_elements_of_large_arrays_are_shared),
        cmocka_unit_test(small_arrays_many_elements_and_single_values_are_not),
        cmocka_unit_test(a_long_stream_is_not_shared_for_its_first_chunks),
        cmocka_unit_test(the_kernels_are_made_ahead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
