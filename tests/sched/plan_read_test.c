/* Plans from their text: a printed plan reads back, mistakes are refused with their line, and no text crashes the reader. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "sched/plan.h"

static const char text[] =
    "plan \"an odd name\\0a\"\n"
    "\n"
    "slot xs.0: irregular f32 rank 2\n"
    "slot \"a \\22b\\22 \\5c\".1: regular {re: f64, \"no name\": u8, bool} rank 1 level 2\n"
    "slot _.2: once i64 = [-9223372036854775808]\n"
    "slot \"_\".3: once u64 = [18446744073709551615]\n"
    "slot i8s.4: once i8 rank 1 = [2] [-128, 127]\n"
    "slot bools.5: once bool rank 1 = [2] [0, 1]\n"
    "slot f32s.6: once f32 rank 1 = [6] [-0, 1.40129846e-45, inf, -inf, nan:7fc00000, "
    "nan:ff800001]\n"
    "slot f64s.7: once f64 rank 2 = [2, 2] [0.10000000000000001, -0, 4.9406564584124654e-324, "
    "nan:7ff8000000000001]\n"
    "slot c64s.8: once c64 rank 1 = [1] [1 -0.333333343]\n"
    "slot c128s.9: once c128 = [nan:fff8000000000000 -inf]\n"
    "slot none.10: once {f32, i64} rank 2 = [0, 3] [] []\n"
    "slot n.11: once i64\n"
    "slot s.12: once i64\n"
    "input \"x s\": xs.0 [n, 3]\n"
    "input -: n.11\n"
    "\n"
    "body arrays -> n.11 from index s.12, of scalars, made for chunks\n"
    "    offered: inside flat across pure\n"
    "\n"
    "body stream -> \n"
    "    offered: flat\n"
    "\n"
    "phase 0: \"stream\"\n"
    "\n"
    "phase 1: stream\n"
    "    stage 0: read at place 1\n"
    "        source \"in\": xs.0 [?, 7]\n"
    "        source \"bare\": xs.0\n"
    "        count to n.11\n"
    "        arrays -> xs.0, n.11\n"
    "    stage 1: pick n.11 every s.12 from _.2 of stage 0: xs.0 from 1 at place 0\n"
    "        unchanged -> xs.0\n"
    "    stage 2: zip of stage 0, 1: xs.0, n.11 from 2, 0 at place 0\n"
    "        unchanged -> xs.0, n.11\n"
    "    stage 3: scan by arrays from n.11, s.12 over 1 of stage 2: xs.0 from 1 at place 0\n"
    "        state n.11 in place, s.12 -> n.11, taken\n"
    "        reads xs.0, carried, after each n.11, s.12\n"
    "        unchanged -> \n"
    "    sink \"out\" of stage 2: 1, 0 at place 0\n"
    "    fold_batch of stage 2 by arrays from n.11 over 0, 1 -> s.12 at place 1\n"
    "        state s.12 in place\n"
    "        reads xs.0, n.11, xs.0, n.11\n"
    "\n"
    "output \"more\" = n.11\n"
    "\n"
    "place 0: \"zip_with\" \"extents of \\22a\\22\" \"histogram\" \"file.c\":12\n"
    "place 1: - - - -:0\n";

static void print(const wadi_plan *p, wadi_text *out) {
    wadi_text_clear(out);
    wadi_plan_print(p, out);
}

static void a_text_is_read_as_it_stands(void **state) {
    (void)state;
    wadi_plan *p = NULL;
    wadi_error err = {.status = WADI_OK};
    wadi_text t;
    wadi_text_init(&t);
    if (wadi_plan_read(text, &p, &err) != WADI_OK) fail_msg("%s", err.msg);
    print(p, &t);
    if (strcmp(wadi_text_str(&t), text) != 0) fail_msg("%s", wadi_text_str(&t));
    assert_string_equal(p->name, "an odd name\n");
    assert_string_equal(p->slots[1].name, "a \"b\" \\");
    assert_null(p->slots[2].name);
    assert_string_equal(p->slots[3].name, "_");
    assert_true(*(const int64_t *)p->slots[2].data->column[0] == INT64_MIN);
    assert_true(*(const uint64_t *)p->slots[3].data->column[0] == UINT64_MAX);
    uint32_t bits[6];
    memcpy(bits, p->slots[6].data->column[0], sizeof bits);
    static const uint32_t want[] = {0x80000000, 1, 0x7f800000, 0xff800000, 0x7fc00000, 0xff800001};
    assert_memory_equal(bits, want, sizeof want);
    const wadi_plan_stage *g = p->phases[1].stream.stages;
    assert_int_equal(g[0].nparts, 2);
    assert_non_null(g[0].sources[0].extent);
    assert_null(g[0].sources[1].extent);
    assert_true(g[3].scan.take[1] && !g[3].scan.take[0]);
    assert_int_equal(g[1].test, -1);
    wadi_text_fini(&t);
    wadi_arena_destroy(p->arena);
}

/* The text with `was`, which it has once, replaced. */
static char *edited(const char *was, const char *is) {
    const char *at = strstr(text, was);
    char *copy = malloc(sizeof text + strlen(is));
    if (at == NULL || strstr(at + 1, was) != NULL) fail_msg("\"%s\" is not there once", was);
    (void)snprintf(copy, sizeof text + strlen(is), "%.*s%s%s", (int)(at - text), text, is,
                   at + strlen(was));
    return copy;
}

/* Each number of a pick may be missing. */
static void every_pick_is_read_as_it_stands(void **state) {
    (void)state;
    static const char *const picks[] = {
        "pick",
        "pick n.11",
        "pick every s.12",
        "pick from _.2",
        "pick n.11 every s.12",
        "pick n.11 from _.2",
        "pick every s.12 from _.2",
    };
    for (size_t i = 0; i < sizeof picks / sizeof *picks; i++) {
        wadi_plan *p = NULL;
        wadi_error err = {.status = WADI_OK};
        wadi_text t;
        wadi_text_init(&t);
        char *other = edited("pick n.11 every s.12 from _.2", picks[i]);
        if (wadi_plan_read(other, &p, &err) != WADI_OK) fail_msg("%s: %s", picks[i], err.msg);
        const wadi_plan_stage *g = &p->phases[1].stream.stages[1];
        assert_int_equal(g->size, strstr(picks[i], "n.11") ? 11 : -1);
        assert_int_equal(g->hop, strstr(picks[i], "s.12") ? 12 : -1);
        assert_int_equal(g->first, strstr(picks[i], "_.2") ? 2 : -1);
        print(p, &t);
        assert_string_equal(wadi_text_str(&t), other);
        wadi_text_fini(&t);
        wadi_arena_destroy(p->arena);
        free(other);
    }
}

static void what_is_wrong_is_told_with_its_line(void **state) {
    (void)state;
    static const struct {
        const char *was, *is, *says;
    } cases[] = {
        {"plan \"", "program \"", "plan: line 1: expected \"plan \""},
        {"plan \"an odd name\\0a\"", "plan \"an \\0g\"", "line 1: expected two digits behind \\"},
        {"plan \"an odd name\\0a\"", "plan \"an \\00\"", "line 1: expected two digits behind \\"},
        {"plan \"an odd name\\0a\"\n", "plan a\nprogram 0123\n", "line 2: expected 64 digits"},
        {"slot xs.0: irr", "slot xs.1: irr", "line 3: slots are numbered one after the other"},
        {"irregular f32 rank 2", "ragged f32 rank 2", "line 3: expected a kind of slot"},
        {"irregular f32 rank 2", "irregular f16 rank 2", "line 3: expected a type"},
        {"irregular f32 rank 2", "irregular f32 rank 9", "line 3: too many dimensions"},
        {"irregular f32 rank 2", "irregular f32 rank 2 ", "line 3: expected the end of the line"},
        {"[-9223372036854775808]", "[-9223372036854775809]", "line 5: expected a value"},
        {"[18446744073709551615]", "[-1]", "line 6: expected a value"},
        {"[-128, 127]", "[-129, 127]", "line 7: expected a value"},
        {"[-128, 127]", "[-128, 128]", "line 7: expected a value"},
        {"[-128, 127]", "[-128]", "line 7: expected \", \""},
        {"[-128, 127]", "[-128, 127, 1]", "line 7: expected \"]\""},
        {"[2] [-128", "[-2] [-128", "line 7: no shape of an array"},
        {"[2] [-128", "[9223372036854775807] [-128", "line 7: no shape of an array"},
        {"[0, 1]", "[0, 2]", "line 8: expected a value"},
        {"nan:7fc00000", "nan:7f800000", "line 9: expected a value"},
        {"nan:7fc00000", "nan", "line 9: expected a value"},
        {"[1 -0.333333343]", "[1, -0.333333343]", "line 11: expected a value"},
        {"xs.0 [n, 3]", "xs.0 [n]", "line 16: expected \", \""},
        {"xs.0 [n, 3]", "xs.0 [n, -3]", "line 16: expected a name"},
        {"xs.0 [n, 3]", "ys.0 [n, 3]", "line 16: the slot has another name"},
        {"input -: n.11", "input -: n.13", "line 17: there is no such slot"},
        {"inside flat across pure", "inside flat sideways", "line 20: expected a version"},
        {"body stream -> \n", "body arrays -> \n", "line 22: two bodies have one name"},
        {"phase 0: \"stream\"", "phase 0: nobody", "line 25: there is no such body"},
        {"phase 1: stream", "phase 2: stream", "line 27: phases are numbered one after the other"},
        {"stage 1: pick", "stage 2: pick", "line 33: stages are numbered one after the other"},
        {"stage 1: pick", "stage 1: choose", "line 33: expected a change"},
        {"of stage 0, 1", "of stage 0, 2", "line 35: a stage reads earlier ones"},
        {"zip of stage 0, 1", "zip", "line 35: all changes but read have inputs"},
        {"read at place 1", "read of stage 0 at place 1",
         "line 28: all changes but read have inputs"},
        {"from 2, 0 at", "from 3, 0 at", "line 35: the inputs have no such component"},
        {"from 2, 0 at", "from 2 at", "line 35: as many components as parts"},
        {"over 1 of stage 2", "over 2 of stage 2", "line 37: the inputs have no such component"},
        {"xs.0 from 1 at place 0\n        state", "xs.0 from 2 at place 0\n        state",
         "line 37: the inputs have no such component"},
        {"3: scan by", "3: keyed by", "line 37: a key is a component of the input"},
        {"3: scan by", "3: keyed by 0 by", "line 39: expected \" by \""},
        {"3: scan by", "3: keys by 3 by", "line 37: the inputs have no such component"},
        {"state n.11 in place, s.12", "state s.12", "line 38: expected \", \""},
        {"after each n.11, s.12", "after each n.11", "line 39: as many slots as the state has"},
        {"reads xs.0, carried", "reads carried", "line 39: as many slots as components are read"},
        {"1, 0 at place 0\n    fold", "1, 2 at place 0\n    fold",
         "line 41: the stage has no such component"},
        {"fold_batch of stage 2", "fold_batch of stage 4", "line 42: there is no such stage"},
        {"fold_batch", "unfold", "line 42: expected a stage or an end"},
        {"output \"more\"", "input \"more\"", "line 46: expected a slot, input, body"},
        {"place 1: - - - -:0\n", "", "line 49: a place that is named is missing"},
        {"file.c\":12", "file.c\":-1", "line 48: expected a line"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wadi_plan *p = NULL;
        wadi_error err = {.msg = ""};
        char *wrong = edited(cases[i].was, cases[i].is);
        const wadi_status st = wadi_plan_read(wrong, &p, &err);
        if (st != WADI_INVALID || strstr(err.msg, cases[i].says) == NULL)
            fail_msg("%s -> %s: \"%s\", not \"%s\"", cases[i].was, cases[i].is, err.msg,
                     cases[i].says);
        assert_null(p);
        free(wrong);
    }
}

/* States by key: the key, and the slot with its numbers. */
static void states_by_key_are_read_as_they_stand(void **state) {
    (void)state;
    static const char *const as[] = {"3: keyed by 0 by", "3: keys by 1 by"};
    for (int i = 0; i < 2; i++) {
        wadi_plan *p = NULL;
        wadi_error err = {.msg = ""};
        wadi_text t;
        wadi_text_init(&t);
        char *keyed = edited("3: scan by", as[i]);
        char *at = strstr(keyed, "carried,");
        assert_non_null(at);
        wadi_text_add_n(&t, keyed, (size_t)(at - keyed));
        wadi_text_addf(&t, "carried by s.12,%s", at + strlen("carried,"));
        free(keyed);
        keyed = wadi_text_take(&t);
        if (wadi_plan_read(keyed, &p, &err) != WADI_OK) fail_msg("%s", err.msg);
        const wadi_plan_stage *g = &p->phases[1].stream.stages[3];
        assert_true(g->scan.keyed && g->scan.number == 12 && g->test == i);
        wadi_text_init(&t);
        print(p, &t);
        assert_string_equal(wadi_text_str(&t), keyed);
        wadi_text_fini(&t);
        wadi_arena_destroy(p->arena);
        free(keyed);
    }
}

/* ---- any text ---- */

static uint32_t chance(uint32_t below) {
    static uint32_t x = 2463534242u;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return x % below;
}

/* Takes away, doubles or changes some of it, or brings a piece from elsewhere. */
static void spoil(char *t, size_t room) {
    static const char bytes[] = "0123456789-.,:[]{}\"\\ \n_abcxyz";
    const size_t n = strlen(t), at = chance((uint32_t)n), m = chance(12) + 1;
    const size_t from = chance((uint32_t)n), left = n - at;
    switch (chance(4)) {
    case 0:
        memmove(t + at, t + at + (m < left ? m : left), left - (m < left ? m : left) + 1);
        break;
    case 1:
        t[at] = bytes[chance(sizeof bytes - 1)];
        break;
    case 2:
        t[at] = (char)(chance(255) + 1);
        break;
    default:
        if (n + m >= room || from + m > n) break;
        memmove(t + at + m, t + at, left + 1);
        memmove(t + at, t + (from < at ? from : from + m < n ? from + m : at), m);
    }
}

static void no_text_does_harm(void **state) {
    (void)state;
    enum { ROUNDS = 20000, ROOM = 2 * sizeof text };
    char *t = malloc(ROOM);
    int fine = 0;
    wadi_text once, twice;
    wadi_text_init(&once);
    wadi_text_init(&twice);
    for (int i = 0; i < ROUNDS; i++) {
        wadi_plan *p = NULL, *again = NULL;
        wadi_error err = {.msg = ""};
        memcpy(t, text, sizeof text);
        for (uint32_t k = chance(3) + 1; k > 0; k--) spoil(t, ROOM);
        if (wadi_plan_read(t, &p, &err) != WADI_OK) {
            if (strncmp(err.msg, "plan: line ", 11) != 0) fail_msg("%s", err.msg);
            continue;
        }
        uint8_t a[32], b[32];
        fine++;
        print(p, &once);
        if (wadi_plan_read(wadi_text_str(&once), &again, &err) != WADI_OK)
            fail_msg("%s in\n%s", err.msg, wadi_text_str(&once));
        print(again, &twice);
        assert_string_equal(wadi_text_str(&twice), wadi_text_str(&once));
        wadi_plan_hash(p, a);
        wadi_plan_hash(again, b);
        assert_memory_equal(a, b, 32);
        wadi_arena_destroy(p->arena);
        wadi_arena_destroy(again->arena);
    }
    assert_in_range(fine, ROUNDS / 50, ROUNDS / 2);
    wadi_text_fini(&once);
    wadi_text_fini(&twice);
    free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_by_key_are_read_as_they_stand),
        cmocka_unit_test(a_text_is_read_as_it_stands),
        cmocka_unit_test(every_pick_is_read_as_it_stands),
        cmocka_unit_test(what_is_wrong_is_told_with_its_line),
        cmocka_unit_test(no_text_does_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
