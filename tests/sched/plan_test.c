/* Plans as text and as hashes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/sched/hand_plan.h"

static void a_plan_prints_for_people(void **state) {
    (void)state;
    hand_program h;
    wadi_text t;
    wadi_text_init(&t);
    hand_doubling(&h, WADI_END_SINK);
    wadi_plan_print(&h.plan, &t);
    assert_non_null(strstr(wadi_text_str(&t), "slot in.0: irregular i32 rank 1\n"));
    assert_non_null(strstr(wadi_text_str(&t), "slot init.4: once i64 = [1]\n"));
    assert_non_null(strstr(wadi_text_str(&t), "body double -> doubled.1\n"
                                              "    offered: inside flat\n"));
    wadi_plan_version_print(&h.plan, &h.version[0][WADI_SCHEDULE_FLAT], &t);
    assert_non_null(strstr(wadi_text_str(&t), "    shape double_shape -> doubled.1\n"
                                              "    alloc -> doubled.1\n"
                                              "    flat double_flat over double_units\n"));
    assert_non_null(strstr(wadi_text_str(&t), "phase 0: stream\n"
                                              "    stage 0: read at place 0\n"
                                              "        source \"in\": in.0\n"
                                              "        double -> doubled.1\n"
                                              "    sink \"out\" of stage 0: 0"));
    wadi_text_fini(&t);
    hand_counting(&h);
    wadi_plan_print(&h.plan, &t);
    assert_non_null(strstr(wadi_text_str(&t), "    count to n."));
    assert_non_null(strstr(wadi_text_str(&t), "output \"table\" = table.5\n"));
    wadi_text_fini(&t);
}

/* Numbers that a change takes are slots, of which the first has the number 0; -1 is none. */
static void what_a_change_takes_is_printed(void **state) {
    (void)state;
    static const struct {
        int size, hop;
        const char *text;
    } cases[] = {{4, 0, "windows init.4 every in.0, last keep"},
                 {0, 4, "windows in.0 every init.4, last keep"},
                 {0, -1, "windows in.0, last keep"},
                 {-1, -1, "windows, last keep"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hand_program h;
        wadi_text t;
        wadi_text_init(&t);
        hand_doubling(&h, WADI_END_SINK);
        h.stage[0].change = WADI_CHANGE_WINDOWS;
        h.stage[0].last = WADI_LAST_WINDOW_KEEP;
        h.stage[0].nparts = 0;
        h.stage[0].size = cases[i].size;
        h.stage[0].hop = cases[i].hop;
        wadi_plan_print(&h.plan, &t);
        if (!strstr(wadi_text_str(&t), cases[i].text)) fail_msg("%s", wadi_text_str(&t));
        wadi_text_fini(&t);
    }
}

static void the_hash_covers_what_a_run_computes(void **state) {
    (void)state;
    hand_program a, b;
    uint8_t x[32], y[32];
    hand_doubling(&a, WADI_END_FOLD);
    hand_doubling(&b, WADI_END_FOLD);
    wadi_plan_hash(&a.plan, x);
    wadi_plan_hash(&b.plan, y);
    assert_memory_equal(x, y, 32);
    b.slot[0].name = "another name";
    b.place[0].loc.line = 99;
    wadi_plan_hash(&b.plan, y);
    assert_memory_equal(x, y, 32);
    b.one = 2; /* the initial state */
    wadi_plan_hash(&b.plan, y);
    assert_memory_not_equal(x, y, 32);
    b.one = 1;
    b.slot[1].type[0] = WADI_F32;
    wadi_plan_hash(&b.plan, y);
    assert_memory_not_equal(x, y, 32);
    b.slot[1].type[0] = a.slot[1].type[0];
    b.plan.program[0] = 1; /* the text of the program */
    wadi_plan_hash(&b.plan, y);
    assert_memory_not_equal(x, y, 32);
    hand_doubling(&b, WADI_END_SINK);
    wadi_plan_hash(&b.plan, y);
    assert_memory_not_equal(x, y, 32);
}

/* Every number of the streams and every byte of the data counts. */
static void no_part_of_a_plan_is_left_out_of_its_hash(void **state) {
    (void)state;
    hand_program h;
    uint8_t x[32], y[32];
    static int64_t data[] = {3, 1, 4, 1, 5};
    const wadi_array five = {
        .rank = 1, .shape = {5}, .fields = 1, .type = {WADI_I64}, .column = {data}};
    hand_staged(&h, 1, 2);
    h.slot[4].rank = 1;
    h.slot[4].data = &five;
    int *const numbers[] = {&h.slot[0].rank,      &h.body[0].index_slot, &h.stage[1].test,
                            &h.stage[2].size,     &h.stage[2].hop,       &h.stage[3].nparts,
                            &h.stage[3].nresults, &h.stage[0].body,      &h.end[0].stage,
                            &h.end[1].nfrom,      &h.source.nslots};
    wadi_plan_hash(&h.plan, x);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        *numbers[i] -= 1;
        wadi_plan_hash(&h.plan, y);
        *numbers[i] += 1;
        if (memcmp(x, y, 32) == 0) fail_msg("number %d", (int)i);
    }
    for (size_t i = 0; i < sizeof data; i++) {
        ((uint8_t *)data)[i] ^= 0x40;
        wadi_plan_hash(&h.plan, y);
        ((uint8_t *)data)[i] ^= 0x40;
        if (memcmp(x, y, 32) == 0) fail_msg("byte %d", (int)i);
    }
    wadi_plan_hash(&h.plan, y);
    assert_memory_equal(x, y, 32);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_prints_for_people),
        cmocka_unit_test(what_a_change_takes_is_printed),
        cmocka_unit_test(the_hash_covers_what_a_run_computes),
        cmocka_unit_test(no_part_of_a_plan_is_left_out_of_its_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
