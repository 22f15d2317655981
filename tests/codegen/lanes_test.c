/* Device C (codegen/emit/lanes): where lanes wait for each other, who stores, and how a fault ends a kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/targets.h"
#include "tests/codegen/code_fixture.h"

static wadi_lv num(wadi_lb *b, int64_t v) {
    return wadi_lb_i64(b, v);
}

static wadi_lv sum(wadi_lb *b, wadi_lv x, wadi_lv y) {
    return wadi_lb_bin(b, WADI_SOP_ADD, x, y);
}

static wadi_lv rounds(wadi_lb *b, wadi_lby by, int64_t n, int64_t step, const char *name) {
    const wadi_lv var = wadi_lb_for(b, num(b, 0), num(b, n), step, name);
    b->scope->owner->by = by;
    return var;
}

static wadi_lv groups(wadi_lb *b) {
    return rounds(b, WADI_BY_GROUPS, 8, 1, "unit");
}

static wadi_lv lanes(wadi_lb *b, int64_t n) {
    return rounds(b, WADI_BY_LANES, n, 1, "i");
}

static wadi_lv column(wadi_lb *b, int slot) {
    return wadi_lb_column(b, slot, 0, WADI_I64);
}

static void fault(wadi_lb *b, wadi_lv condition) {
    wadi_lv args[7];
    for (int k = 0; k < 7; k++) args[k] = num(b, k);
    wadi_lb_if(b, condition);
    wadi_linst *i = wadi_lb_act(b, WADI_L_FAULT, 7, args);
    i->imm = (wadi_scalar){.type = WADI_I64, .bits = 1};
    wadi_lb_end(b);
}

static wadi_lb *builder(void **state) {
    return &((fixture *)*state)->b;
}

static char *text_in(wadi_lb *b, wadi_status (*emit)(const wadi_lmodule *, wadi_text *, size_t *,
                                                     wadi_error *)) {
    static const wadi_plan_slot slots[4] = {{.rank = 1}, {.rank = 1}, {.rank = 2}, {.rank = 1}};
    wadi_lfun *funs[] = {b->fun};
    const wadi_lmodule m = {.name = "test", .nfuns = 1, .cap = 1, .funs = funs, .slots = slots};
    wadi_error err = {.status = WADI_OK};
    wadi_text t = {0};
    size_t kernels = 0;
    if (emit(&m, &t, &kernels, &err) != WADI_OK) fail_msg("%s", err.msg);
    char *text = strdup(wadi_text_str(&t) + kernels);
    wadi_text_fini(&t);
    assert_non_null(text);
    return text;
}

/* The kernel's text, once `open` loops are closed. The caller frees it. */
static char *written(void **state, int open) {
    wadi_lb *b = builder(state);
    while (open-- > 0) wadi_lb_end(b);
    assert_false(b->failed);
    const char *wrong = wadi_lfun_check_groups(b->fun, b->arena);
    if (wrong != NULL) fail_msg("%s", wrong);
    return text_in(b, wadi_language_opencl.emit);
}

static int count(const char *text, const char *what) {
    int n = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at++) n++;
    return n;
}

/* Whether the texts follow each other; each is looked for behind the one before. */
static void follow(const char *text, const char *const *parts) {
    const char *at = text;
    for (; *parts != NULL; parts++) {
        const char *next = strstr(at, *parts);
        if (next == NULL) fail_msg("no \"%s\" behind \"%.60s\" in\n%s", *parts, at, text);
        at = next + strlen(*parts);
    }
}
#define FOLLOW(text, ...) follow(text, (const char *const[]){__VA_ARGS__, NULL})

/* ---- waiting ---- */

static const char barrier[] = "WADI_BARRIER";

static void lanes_wait_for_what_others_have_changed(void **state) {
    wadi_lb *b = builder(state);
    (void)groups(b);
    const wadi_lv tile = wadi_lb_lanes(b, WADI_I64, 64, "tile");
    const wadi_lv i = lanes(b, 64);
    wadi_lb_put(b, tile, i, num(b, 1));
    wadi_lb_end(b);
    const wadi_lv k = lanes(b, 32);
    const wadi_lv x = wadi_lb_lane(b, tile, sum(b, k, num(b, 32)));
    wadi_lb_store(b, column(b, 1), k, x);
    char *text = written(state, 2);
    /* one for the array of the round before, one between the loops */
    FOLLOW(text, "WADI_LOCAL int64_t tile[64];", "for (int64_t unit", barrier, "tile[i] = 1;",
           barrier, "if (w->lane < 32)", "tile[i_2 + 32]");
    assert_int_equal(count(text, barrier), 2);
    free(text);
}

static void lanes_do_not_wait_without_need(void **state) {
    wadi_lb *b = builder(state);
    const wadi_lv unit = groups(b);
    const wadi_lv start = wadi_lb_bin(b, WADI_SOP_MUL, unit, num(b, 4096));
    const wadi_lv k = rounds(b, WADI_BY_ONE, 4096, 64, "k");
    const wadi_lv i = lanes(b, 64);
    wadi_lb_store(b, column(b, 1), sum(b, sum(b, start, k), i), num(b, 5));
    char *text = written(state, 3);
    assert_int_equal(count(text, barrier), 0);
    free(text);
}

/* The next round may store in the same places: its stores have to come later. */
static void rounds_that_store_in_the_same_places_are_in_order(void **state) {
    wadi_lb *b = builder(state);
    (void)groups(b);
    const wadi_lv k = rounds(b, WADI_BY_ONE, 9, 1, "k");
    const wadi_lv i = lanes(b, 64);
    wadi_lb_store(b, column(b, 1), i, k);
    char *text = written(state, 3);
    FOLLOW(text, "for (int64_t k", barrier, "{ /* by lanes */");
    assert_int_equal(count(text, barrier), 1);
    free(text);
}

/* A step that is less than the number of lanes: lanes of two rounds meet. */
static void rounds_that_overlap_are_in_order(void **state) {
    wadi_lb *b = builder(state);
    (void)groups(b);
    const wadi_lv k = rounds(b, WADI_BY_ONE, 4096, 32, "k");
    const wadi_lv i = lanes(b, 64);
    wadi_lb_store(b, column(b, 1), sum(b, k, i), k);
    char *text = written(state, 3);
    assert_int_equal(count(text, barrier), 1);
    free(text);
}

static void what_the_first_lane_stores_others_load_after_a_barrier(void **state) {
    wadi_lb *b = builder(state);
    (void)groups(b);
    wadi_lb_store(b, column(b, 1), num(b, 0), num(b, 7));
    const wadi_lv i = lanes(b, 64);
    const wadi_lv x = wadi_lb_fresh(b, column(b, 1), num(b, 0));
    wadi_lb_store(b, column(b, 2), i, x);
    char *text = written(state, 2);
    FOLLOW(text, "if (w->lane == 0) ", "[0] = 7;", barrier, "{ /* by lanes */");
    assert_int_equal(count(text, barrier), 1);
    free(text);
}

/* A loop of one round is the first lane's, as are the stores around it. */
static void the_first_lane_does_not_wait_for_itself(void **state) {
    wadi_lb *b = builder(state);
    (void)groups(b);
    wadi_lb_store(b, column(b, 1), num(b, 0), num(b, 7));
    (void)lanes(b, 1);
    const wadi_lv x = wadi_lb_fresh(b, column(b, 1), num(b, 0));
    wadi_lb_store(b, column(b, 1), num(b, 1), x);
    char *text = written(state, 2);
    assert_int_equal(count(text, barrier), 0);
    free(text);
}

/* One way of a branch has waited, the other has not. */
static void a_branch_that_waits_does_not_wait_for_the_other(void **state) {
    wadi_lb *b = builder(state);
    (void)groups(b);
    const wadi_lv tile = wadi_lb_lanes(b, WADI_I64, 64, "tile");
    wadi_lv i = lanes(b, 64);
    wadi_lb_put(b, tile, i, num(b, 1));
    wadi_lb_end(b);
    wadi_lb_if(b, wadi_lb_bin(b, WADI_SOP_GT, wadi_lb_leaf(b, WADI_L_SHAPE, 0, 0, WADI_LV_NONE),
                              num(b, 3)));
    i = lanes(b, 32);
    wadi_lb_put(b, tile, i, wadi_lb_lane(b, tile, sum(b, i, num(b, 32))));
    wadi_lb_end(b);
    wadi_lb_end(b);
    i = lanes(b, 16);
    wadi_lb_store(b, column(b, 1), i, wadi_lb_lane(b, tile, sum(b, i, num(b, 16))));
    char *text = written(state, 2);
    FOLLOW(text, barrier, "tile[i] = 1;", "if (", barrier, "if (w->lane < 32)", barrier,
           "if (w->lane < 16)");
    assert_int_equal(count(text, barrier), 3);
    free(text);
}

/* ---- memory ---- */

static void arrays_that_only_the_group_changes_are_each_lanes_own(void **state) {
    wadi_lb *b = builder(state);
    const wadi_lv unit = groups(b);
    const wadi_lv run = wadi_lb_lanes(b, WADI_I64, 8, "run");
    wadi_lb_put(b, run, num(b, 0), unit);
    const wadi_lv i = lanes(b, 64);
    wadi_lb_store(b, column(b, 1), i, wadi_lb_lane(b, run, num(b, 0)));
    char *text = written(state, 2);
    assert_int_equal(count(text, "WADI_LOCAL"), 0);
    FOLLOW(text, "for (int64_t unit", "int64_t run[8];", "    run[0] = unit;", "{ /* by lanes */");
    assert_int_equal(count(text, "if (w->lane == 0) run"), 0);
    free(text);
}

static void updates_compare_and_swap(void **state) {
    static const struct {
        wadi_type type;
        const char *swap, *part;
    } types[] = {{WADI_I64, "const uint64_t wadi_next = (uint64_t)(", "(int64_t)(wadi_seen"},
                 {WADI_I32, "const uint32_t wadi_next = (uint32_t)(", "(int32_t)(wadi_seen"},
                 {WADI_F32, "const uint32_t wadi_next = wadi_bits_of_f32(", "wadi_of_bits_f32("},
                 {WADI_F64, "const uint64_t wadi_next = wadi_bits_of_f64(", "wadi_of_bits_f64("},
                 {WADI_U16, "wadi_replace(wadi_seen, wadi_shift, 0xffffu, ", "WADI_SHIFT("},
                 {WADI_I8, "wadi_replace(wadi_seen, wadi_shift, 0xffu, ", "WADI_SHIFT("}};
    wadi_lb *b = builder(state);
    (void)groups(b);
    const wadi_lv i = lanes(b, 64);
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        const wadi_lv p = wadi_lb_column(b, 1, (int)k, types[k].type);
        const wadi_lv at = wadi_lb_bin(b, WADI_SOP_REM, i, num(b, 3));
        const wadi_lv old = wadi_lb_fresh(b, p, at);
        const wadi_lv x = wadi_lb_load(b, wadi_lb_column(b, 0, (int)k, types[k].type), i, NULL);
        wadi_lb_update(b, p, at, old, wadi_lb_bin(b, WADI_SOP_MAX, old, x));
    }
    char *text = written(state, 2);
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        if (!strstr(text, types[k].swap)) fail_msg("no %s in\n%s", types[k].swap, text);
        if (!strstr(text, types[k].part)) fail_msg("no %s in\n%s", types[k].part, text);
    }
    assert_int_equal(count(text, "if (wadi_now == wadi_seen) break;"), 6);
    assert_int_equal(count(text, "if (wadi_next == wadi_seen) break;"), 6);
    assert_int_equal(count(text, "wadi_cas64(wadi_word, wadi_seen, wadi_next);"), 2);
    assert_int_equal(count(text, "wadi_cas32(wadi_word, wadi_seen, wadi_next);"), 4);
    free(text);
}

static void sums_of_whole_words_are_one_instruction(void **state) {
    static const struct {
        wadi_type type;
        const char *add; /* NULL: compared and swapped */
    } types[] = {{WADI_I64, "(void)wadi_add64(WADI_WORD(uint64_t, "},
                 {WADI_U32, "(void)wadi_add32(WADI_WORD(uint32_t, "},
                 {WADI_U16, NULL},
                 {WADI_F32, NULL}};
    wadi_lb *b = builder(state);
    (void)groups(b);
    const wadi_lv i = lanes(b, 64);
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        const wadi_lv p = wadi_lb_column(b, 1, (int)k, types[k].type);
        const wadi_lv at = wadi_lb_bin(b, WADI_SOP_REM, i, num(b, 3));
        const wadi_lv old = wadi_lb_fresh(b, p, at);
        const wadi_lv x = wadi_lb_load(b, wadi_lb_column(b, 0, (int)k, types[k].type), i, NULL);
        wadi_lb_update(b, p, at, old,
                       wadi_lb_bin(b, WADI_SOP_ADD, k % 2 ? old : x, k % 2 ? x : old));
    }
    char *text = written(state, 2);
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if (types[k].add && !strstr(text, types[k].add))
            fail_msg("no %s in\n%s", types[k].add, text);
    assert_int_equal(count(text, "wadi_next = "), 2);
    free(text);
}

/* ---- faults ---- */

static void lanes_with_a_fault_leave_together(void **state) {
    wadi_lb *b = builder(state);
    (void)groups(b);
    const wadi_lv i = lanes(b, 64);
    fault(b, wadi_lb_bin(b, WADI_SOP_GT, i, wadi_lb_leaf(b, WADI_L_SHAPE, 0, 0, WADI_LV_NONE)));
    wadi_lb_store(b, column(b, 1), i, num(b, 1));
    char *text = written(state, 2);
    FOLLOW(text, "WADI_LOCAL int wadi_failed[2];", "wadi_failed[0] = wadi_failed[1] = 0;", barrier,
           "{ /* by lanes */", "const int64_t wadi_index_",
           "(void)wadi_fault_at(w, WADI_FAULT_INDEX", "wadi_failed[wadi_turn] = 1;",
           "goto wadi_end_", "\nwadi_end_", barrier, "if (wadi_failed[wadi_turn]) return;",
           "wadi_turn = 1 - wadi_turn;");
    assert_int_equal(count(text, "return"), 1);
    free(text);
}

static void a_group_with_a_fault_says_so_once(void **state) {
    wadi_lb *b = builder(state);
    const wadi_lv unit = groups(b);
    fault(b, wadi_lb_bin(b, WADI_SOP_GT, unit, wadi_lb_leaf(b, WADI_L_SHAPE, 0, 0, WADI_LV_NONE)));
    const wadi_lv i = lanes(b, 64);
    wadi_lb_store(b, column(b, 1), i, num(b, 1));
    char *text = written(state, 2);
    FOLLOW(text, "if (w->lane == 0) (void)wadi_fault_at(", "return;", "{ /* by lanes */");
    assert_null(strstr(text, "wadi_failed"));
    free(text);
}

static void an_item_with_a_fault_ends(void **state) {
    wadi_lb *b = builder(state);
    const wadi_lv s = wadi_lb_for(b, wadi_lb_leaf(b, WADI_L_ARG, 0, 0, WADI_LV_NONE),
                                  wadi_lb_leaf(b, WADI_L_ARG, 0, 1, WADI_LV_NONE), 1, "s");
    fault(b, wadi_lb_bin(b, WADI_SOP_GT, s, wadi_lb_leaf(b, WADI_L_SHAPE, 0, 0, WADI_LV_NONE)));
    char *text = written(state, 1);
    FOLLOW(text, "int test_body(wadi_item *w, int64_t begin, int64_t end) {",
           "for (int64_t s = begin; s < end; s++)", "(void)wadi_fault_at(w, ", "return 1;",
           "return 0;", "/* test is case 0 of wadi_small */", "WADI_KERNEL(wadi_small)",
           "switch (call.which) {", "case 0:", "WADI_RANGES(test_body)", "break;");
    assert_int_equal(count(text, "w->lane"), 0);
    free(text);
}

/* ---- numbers ---- */

/* That a sum is an extent is known behind its check alone: the sum itself may be too large, and a compiler may take one with a sign for one that is not. */
static void a_sum_that_is_checked_later_may_wrap_around(void **state) {
    wadi_lb *b = builder(state);
    const wadi_lv s = groups(b);
    const wadi_lv x = wadi_lb_load(b, column(b, 1), s, NULL);
    const wadi_lv e = sum(b, x, num(b, 5));
    wadi_linst *const made = wadi_lb_inst(b, e);
    fault(b, wadi_lb_bin(b, WADI_SOP_LT, e, num(b, 0)));
    made->nonneg = true;
    made->bits = WADI_EXTENT_BITS;
    wadi_lb_store(b, column(b, 0), s, e);
    char *text = written(state, 1);
    assert_int_equal(count(text, "wadi_add_i64(p[unit], 5)"), 1);
    free(text);
}

/* ---- entries ---- */

/* The text of a kernel by items with so many stores. */
static char *items_that_store(wadi_lb *b, int stores) {
    const wadi_lv s = wadi_lb_for(b, wadi_lb_leaf(b, WADI_L_ARG, 0, 0, WADI_LV_NONE),
                                  wadi_lb_leaf(b, WADI_L_ARG, 0, 1, WADI_LV_NONE), 1, "s");
    for (int k = 0; k < stores; k++) wadi_lb_store(b, column(b, 1), sum(b, s, num(b, k)), s);
    wadi_lb_end(b);
    assert_false(b->failed);
    return text_in(b, wadi_language_opencl.emit);
}

static void a_small_kernel_by_items_shares_an_entry(void **state) {
    char *text = items_that_store(builder(state), 2);
    assert_int_equal(count(text, "WADI_KERNEL(wadi_small)"), 1);
    assert_int_equal(count(text, "WADI_KERNEL(test)"), 0);
    free(text);
    text = text_in(builder(state), wadi_language_cuda.emit);
    assert_int_equal(count(text, "WADI_KERNEL(wadi_small)"), 0);
    assert_int_equal(count(text, "WADI_KERNEL(test)"), 1);
    free(text);
}

static void a_large_kernel_has_an_entry_of_its_own(void **state) {
    char *text = items_that_store(builder(state), 64);
    assert_int_equal(count(text, "wadi_small"), 0);
    assert_int_equal(count(text, "WADI_KERNEL(test)"), 1);
    free(text);
}

/* ---- names ---- */

static void names_that_mean_something_are_not_used(void **state) {
    static const char *const names[] = {"kernel",  "float4", "NAN", "class",
                                        "barrier", "uint",   "call"};
    wadi_lb *b = builder(state);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const wadi_lv v = wadi_lb_var(b, WADI_I64, false, num(b, (int64_t)k), names[k]);
        wadi_lb_store(b, column(b, 1), wadi_lb_get(b, v), num(b, 1));
    }
    char *text = written(state, 0);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char line[60];
        snprintf(line, sizeof line, "int64_t %s_ = %zu;", names[k], k);
        if (!strstr(text, line)) fail_msg("no %s in\n%s", line, text);
    }
    free(text);
}

/* Both dialects have one text for kernels. */
static void kernels_are_the_same_in_both_dialects(void **state) {
    wadi_lb *b = builder(state);
    (void)groups(b);
    const wadi_lv i = lanes(b, 64);
    wadi_lb_store(b, column(b, 1), i, num(b, 1));
    char *opencl = written(state, 2), *cuda = text_in(b, wadi_language_cuda.emit);
    assert_string_equal(opencl, cuda);
    free(opencl);
    free(cuda);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, open_fixture, close_fixture)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(a_sum_that_is_checked_later_may_wrap_around),
        CASE(lanes_wait_for_what_others_have_changed),
        CASE(lanes_do_not_wait_without_need),
        CASE(rounds_that_store_in_the_same_places_are_in_order),
        CASE(rounds_that_overlap_are_in_order),
        CASE(what_the_first_lane_stores_others_load_after_a_barrier),
        CASE(the_first_lane_does_not_wait_for_itself),
        CASE(a_branch_that_waits_does_not_wait_for_the_other),
        CASE(arrays_that_only_the_group_changes_are_each_lanes_own),
        CASE(updates_compare_and_swap),
        CASE(sums_of_whole_words_are_one_instruction),
        CASE(lanes_with_a_fault_leave_together),
        CASE(a_group_with_a_fault_says_so_once),
        CASE(an_item_with_a_fault_ends),
        CASE(a_small_kernel_by_items_shares_an_entry),
        CASE(a_large_kernel_has_an_entry_of_its_own),
        CASE(names_that_mean_something_are_not_used),
        CASE(kernels_are_the_same_in_both_dialects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
