/* The pass table and its driver: options, stopping and starting in the middle, and who is blamed for a broken program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/codegen/programs.h"

static const char *const source = "program every\n"
                                  "input ws : f32[n]\n"
                                  "s = stream_in \"s\" : seq(f32[n], f32[?])\n"
                                  "t = map_seq s (xs, ys) {\n"
                                  "    vs = map ws (w) { sqrt (add w 0.5f32) }\n"
                                  "    us = map ws (w) { sqrt (add 0.5f32 w) }\n"
                                  "    n = unit { extent ys 0 }\n"
                                  "    zs = generate n (i) { ys ! i }\n"
                                  "    unused = map ys (y) { exp y }\n"
                                  "    ps = zip_with xs vs us (x, v, u) { add (mul x v) u }\n"
                                  "    sum = fold 0.0f32 ps (a, x) { add a x }\n"
                                  "    qs = map zs (z) { add z (the sum) }\n"
                                  "    yield qs\n"
                                  "}\n"
                                  "u = map_seq t (xs) {\n"
                                  "    ys = reverse dim=0 xs\n"
                                  "    yield ys\n"
                                  "}\n"
                                  "stream_out \"out\" u\n";

static void each_pass_can_be_left_out_alone(void **state) {
    (void)state;
    for (int i = 0; wadi_pipeline_name(i); i++) {
        if (!wadi_pipeline_is_optional(i)) continue;
        compiled c = compile(source, wadi_pipeline_name(i));
        for (size_t k = 0; k < c.d->dumps.n; k++)
            assert_string_not_equal(c.d->dumps.at[k].pass, wadi_pipeline_name(i));
        compiled_free(&c);
    }
    compiled none = compile(source, "seqfuse,simplify,cse,dce,hoist,fuse");
    assert_int_equal(count_op(none.m, "map_seq"), 2);
    compiled_free(&none);
    compiled all = compile(source, NULL);
    assert_int_equal(count_op(all.m, "map_seq"), 1);
    assert_int_equal(kernels(all.m), 3); /* vs, once per run; sum; the result */
    compiled_free(&all);
}

static void assert_invalid(const wadi_pipeline_options *options, const char *says) {
    wadi_error err = {.status = WADI_OK};
    wadi_facts facts = {NULL, NULL};
    wadi_module *m = program(source);
    assert_int_equal(wadi_pipeline_run(m, options, NULL, &facts, &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, says));
    wadi_module_destroy(m);
}

static void names_that_are_no_pass_are_refused(void **state) {
    (void)state;
    assert_invalid(&(wadi_pipeline_options){.disable = "cse,fuze"}, "fuze");
    assert_invalid(&(wadi_pipeline_options){.disable = "lift"}, "lift");
    assert_invalid(&(wadi_pipeline_options){.stop_after = "dc"}, "dc");
    assert_invalid(&(wadi_pipeline_options){.start_after = "dcee"}, "dcee");
    static const char *const none[] = {"", "dc", "dcee", "CSE", "cse,dce"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        wadi_module *m = program(source);
        wadi_error err = {.status = WADI_OK};
        assert_int_equal(wadi_pipeline_pass(m, none[i], NULL, &err), WADI_INVALID);
        assert_non_null(strstr(err.msg, none[i]));
        wadi_module_destroy(m);
    }
}

static char *run_text(const char *text, const wadi_pipeline_options *options) {
    wadi_error err = {.status = WADI_OK};
    wadi_facts facts = {NULL, NULL};
    wadi_module *m = program(text);
    if (wadi_pipeline_run(m, options, NULL, &facts, &err) != WADI_OK) fail_msg("%s", err.msg);
    char *after = text_of(m);
    wadi_facts_fini(&facts);
    wadi_module_destroy(m);
    return after;
}

static void a_dump_can_be_taken_up_again_after_any_pass(void **state) {
    (void)state;
    char *whole = run_text(source, NULL);
    for (int i = 0; wadi_pipeline_name(i); i++) {
        const char *pass = wadi_pipeline_name(i);
        char *half = run_text(source, &(wadi_pipeline_options){.stop_after = pass});
        char *rest = run_text(half, &(wadi_pipeline_options){.start_after = pass});
        assert_string_equal(rest, whole);
        free(half);
        free(rest);
    }
    free(whole);
}

/* The first is combined in lanes, the second in the order of the elements, which other bits come of. */
static void folds_that_were_written_in_other_orders_stay_two(void **state) {
    (void)state;
    char *after = run_text("program sums\n"
                           "input xs : f32[n]\n"
                           "a = fold 0.0f32 xs (s, x) { add s x }\n"
                           "b = fold 0.0f32 xs (s, x) { add s (bitcast f32 (bitcast i32 x)) }\n"
                           "c = fold 0.0f32 xs (s, x) { add s x }\n"
                           "output a\noutput b\noutput c\n",
                           NULL);
    int folds = 0;
    for (const char *at = after; (at = strstr(at, "= fold ")) != NULL; at++) folds++;
    assert_int_equal(folds, 2);
    assert_null(strstr(after, "bitcast"));
    free(after);
}

static void count_dump(void *env, const char *pass, const wadi_module *m) {
    (void)m;
    char *log = env;
    strcat(log, pass ? pass : "source");
    strcat(log, " ");
}

static void every_pass_is_shown(void **state) {
    (void)state;
    char log[256] = "";
    char *text = run_text(
        source, &(wadi_pipeline_options){.disable = "cse", .dump = count_dump, .env = log});
    assert_string_equal(log, "source seqfuse foreign simplify dce hoist lift fuse ");
    free(text);
}

static void passes_twice_give_what_they_gave_once(void **state) {
    (void)state;
    char *once = run_text(source, NULL);
    char *twice = run_text(once, NULL);
    assert_string_equal(once, twice);
    free(once);
    free(twice);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_pass_can_be_left_out_alone),
        cmocka_unit_test(names_that_are_no_pass_are_refused),
        cmocka_unit_test(a_dump_can_be_taken_up_again_after_any_pass),
        cmocka_unit_test(folds_that_were_written_in_other_orders_stay_two),
        cmocka_unit_test(every_pass_is_shown),
        cmocka_unit_test(passes_twice_give_what_they_gave_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
