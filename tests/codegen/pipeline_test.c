/* The pass table and its driver: options, stopping and starting in the middle, and which pass is blamed for a broken program. */
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
    assert_string_equal(log,
                        "source seqfuse twins foreign simplify dce mask hoist lift fuse siblings ");
    free(text);
}

/* A pass that is done already does not run again, one behind the end not at all; nothing between commas is no pass. */
static void what_runs_is_what_lies_between(void **state) {
    (void)state;
    static const char *const names[] = {"seqfuse", "twins", "foreign", "simplify", "dce",     "cse",
                                        "mask",    "hoist", "lift",    "fuse",     "siblings"};
    enum { N = sizeof names / sizeof *names };
    for (int from = -1; from < N; from++)
        for (int to = 0; to < N; to++) {
            char log[256] = "", want[256] = "source ";
            for (int i = from + 1; i <= to; i++)
                if (strcmp(names[i], "dce") != 0) strcat(strcat(want, names[i]), " ");
            free(run_text(source,
                          &(wadi_pipeline_options){.start_after = from < 0 ? NULL : names[from],
                                                   .stop_after = names[to],
                                                   .disable = ",,dce,",
                                                   .dump = count_dump,
                                                   .env = log}));
            assert_string_equal(log, want);
        }
    assert_null(wadi_pipeline_name(-1));
    assert_null(wadi_pipeline_name(N));
}

static void a_dump_knows_whether_it_is_another_text(void **state) {
    (void)state;
    compiled c = compile(source, NULL);
    assert_true(c.d->dumps.n > 3);
    int same = 0;
    for (size_t i = 0; i < c.d->dumps.n; i++) {
        const bool other = i == 0 || strcmp(c.d->dumps.at[i].text, c.d->dumps.at[i - 1].text) != 0;
        assert_int_equal(c.d->dumps.at[i].changed, other);
        same += !other;
    }
    assert_true(same > 0); /* it calls no routine */
    compiled_free(&c);
}

/* ---- who is blamed ---- */

/* The first computation reads its own result. */
static void spoil(const wadi_module *m) {
    for (int i = 0; i < m->main->nbinds; i++)
        if (strcmp(m->main->binds[i]->op->name, "map") == 0)
            m->main->binds[i]->args[0] = m->main->binds[i]->results[0];
}

static void spoil_after_hoist(void *env, const char *pass, const wadi_module *m) {
    (void)env;
    if (pass && strcmp(pass, "hoist") == 0) spoil(m);
}

static const char *const short_source = "program short\n"
                                        "input xs : f32[n]\n"
                                        "ys = map xs (x) { sqrt x }\n"
                                        "output ys\n";

static void the_pass_is_blamed_behind_which_a_program_is_wrong(void **state) {
    (void)state;
    wadi_error err = {.status = WADI_OK}, alone = {.status = WADI_OK};
    wadi_facts facts = {NULL, NULL};
    wadi_module *m = program(short_source);
    const wadi_pipeline_options spoiling = {.verify = true, .dump = spoil_after_hoist};
    assert_int_equal(wadi_pipeline_run(m, &spoiling, NULL, &facts, &err), WADI_INTERNAL);
    assert_null(facts.shapes);
    assert_null(facts.deps);
    assert_int_equal(strncmp(err.msg, "after pass lift: ", 17), 0);
    wadi_module_destroy(m);

    m = program(short_source);
    spoil(m);
    const wadi_status why = wadi_ir_verify(m, &alone);
    assert_int_not_equal(why, WADI_OK);
    assert_string_equal(err.msg + 17, alone.msg);
    const wadi_pipeline_options verifying = {.verify = true};
    assert_int_equal(wadi_pipeline_run(m, &verifying, NULL, &facts, &err), why);
    assert_string_equal(err.msg, alone.msg);
    assert_int_equal(err.at.line, alone.at.line);
    assert_int_equal(wadi_pipeline_pass(m, "dce", NULL, &err), why);
    assert_string_equal(err.msg, alone.msg);
    wadi_module_destroy(m);
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
        cmocka_unit_test(what_runs_is_what_lies_between),
        cmocka_unit_test(a_dump_knows_whether_it_is_another_text),
        cmocka_unit_test(the_pass_is_blamed_behind_which_a_program_is_wrong),
        cmocka_unit_test(passes_twice_give_what_they_gave_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
