/* The message of every kind of fault: what happened, to which element, where. Whole sentences are compared, so that numbers in the
 * wrong order are found. */
#include "sched/fault.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* The places of a program: bare, with something that is compared or indexed, without a file. */
static const wadi_plan_place places[] = {{"quot", NULL, {"a.c", 7}},
                                         {"zip_with", "extent 0 of x and y", {"b.c", 123}},
                                         {"at", "in dimension 1", {"c.c", 9}},
                                         {"maximum", "the array is empty", {NULL, 0}}};

static const struct {
    wadi_fault fault;
    int64_t first;
    bool main_block;
    wadi_status status;
    const char *said;
} cases[] = {
    {{.kind = WADI_FAULT_DIVISION, .value = {7, 1, 2, 3}, .element = 2},
     10,
     false,
     WADI_FAULT,
     "quot: division of 7 by zero, element 12, at a.c:7"},
    {{.kind = WADI_FAULT_DIVISION, .value = {-8}, .element = 2},
     10,
     true,
     WADI_FAULT,
     "quot: division of -8 by zero, at a.c:7"},
    {{.kind = WADI_FAULT_INDEX, .place = 2, .value = {5, 3}},
     0,
     true,
     WADI_FAULT,
     "at: index 5 out of range 0..2 in dimension 1, at c.c:9"},
    {{.kind = WADI_FAULT_INDEX, .value = {-1, 4}, .element = 1},
     0,
     false,
     WADI_FAULT,
     "quot: index -1 out of range 0..3, element 1, at a.c:7"},
    {{.kind = WADI_FAULT_SHAPE, .place = 1, .value = {4, 6}},
     3,
     false,
     WADI_FAULT,
     "zip_with: extent 0 of x and y: 4 and 6 differ, element 3, at b.c:123"},
    {{.kind = WADI_FAULT_EMPTY, .place = 3, .element = 4},
     5,
     false,
     WADI_FAULT,
     "maximum: the array is empty, element 9"},
    {{.kind = WADI_FAULT_EXTENT, .value = {-2, 1}},
     0,
     true,
     WADI_FAULT,
     "quot: extent -2 is negative in dimension 1, at a.c:7"},
    {{.kind = WADI_FAULT_SEGMENT, .value = {3, 5, 9, 8}},
     0,
     true,
     WADI_FAULT,
     "quot: segment 3, 5 to 9, is no part of the extent 8, at a.c:7"},
    {{.kind = WADI_FAULT_MEMORY, .value = {4096}, .element = 1},
     1,
     false,
     WADI_MEMORY,
     "quot: no memory for 4096 bytes, element 2, at a.c:7"},
    {{.kind = WADI_FAULT_MEMORY, .value = {INT64_MAX / 4 - 1}},
     0,
     true,
     WADI_MEMORY,
     "quot: no memory for 2305843009213693950 bytes, at a.c:7"},
    {{.kind = WADI_FAULT_MEMORY, .value = {INT64_MAX / 4}},
     0,
     true,
     WADI_MEMORY,
     "quot: no memory: more bytes than can be counted, at a.c:7"},
    {{.kind = WADI_FAULT_DECLINED}, 0, true, WADI_FAULT, "quot: the library declined, at a.c:7"},
    {{.kind = WADI_FAULT_COUNT, .place = 1, .value = {0}},
     0,
     true,
     WADI_FAULT,
     "zip_with: extent 0 of x and y: 0 is less than 1, at b.c:123"},
    {{.kind = WADI_FAULT_CANCELLED}, 0, true, WADI_FAULT, "quot: cancelled, at a.c:7"},
    {{.kind = WADI_FAULT_NONE}, 0, true, WADI_FAULT, "quot: fault of unknown kind 0, at a.c:7"},
    {{.kind = 99}, 0, true, WADI_FAULT, "quot: fault of unknown kind 99, at a.c:7"},
    /* the array's own index, of any rank */
    {{.kind = WADI_FAULT_DIVISION, .value = {1}, .rank = 1, .index = {6}},
     0,
     true,
     WADI_FAULT,
     "quot: division of 1 by zero, index [6], at a.c:7"},
    {{.kind = WADI_FAULT_DIVISION, .value = {1}, .rank = 3, .index = {6, 0, 41}, .element = 5},
     100,
     false,
     WADI_FAULT,
     "quot: division of 1 by zero, element 105, index [6, 0, 41], at a.c:7"},
    /* places that are none */
    {{.kind = WADI_FAULT_DIVISION, .place = 4, .value = {1}},
     0,
     true,
     WADI_FAULT,
     "a result: division of 1 by zero"},
    {{.kind = WADI_FAULT_DIVISION, .place = -1, .value = {1}},
     0,
     true,
     WADI_FAULT,
     "a result: division of 1 by zero"},
};

static void every_fault_has_its_sentence(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int place = cases[i].fault.place;
        const bool known = place >= 0 && place < 4;
        wadi_error err = {.status = WADI_OK};
        assert_int_equal(
            wadi_fault_error(4, places, &cases[i].fault, cases[i].first, cases[i].main_block, &err),
            cases[i].status);
        assert_int_equal(err.status, cases[i].status);
        assert_string_equal(err.msg, cases[i].said);
        if (known && places[place].loc.file != NULL)
            assert_string_equal(err.at.file, places[place].loc.file);
        else
            assert_null(err.at.file);
        assert_int_equal(err.at.line, known ? places[place].loc.line : 0);
    }
}

/* The longest index there may be does not cut off the place. */
static void the_longest_index_has_room(void **state) {
    (void)state;
    wadi_fault fault = {.kind = WADI_FAULT_DIVISION, .value = {1}, .rank = WADI_CALL_RANK};
    char said[600] = "quot: division of 1 by zero, index [";
    for (int d = 0; d < WADI_CALL_RANK; d++) {
        fault.index[d] = INT64_MAX - d;
        snprintf(said + strlen(said), sizeof said - strlen(said), "%s%lld", d > 0 ? ", " : "",
                 (long long)fault.index[d]);
    }
    snprintf(said + strlen(said), sizeof said - strlen(said), "], at a.c:7");
    wadi_error err = {.status = WADI_OK};
    assert_int_equal(wadi_fault_error(4, places, &fault, 0, true, &err), WADI_FAULT);
    assert_string_equal(err.msg, said);
}

/* A job's fault is one of the version that ran, in its chunk. */
static void a_jobs_fault_is_counted_from_its_chunk_on(void **state) {
    (void)state;
    const wadi_plan_version version = {.nplaces = 4, .places = places};
    wadi_job job = {.version = &version,
                    .first = 1000,
                    .fault = {.kind = WADI_FAULT_DIVISION, .value = {3}, .element = 7}};
    wadi_error err = {.status = WADI_OK};
    assert_int_equal(wadi_job_error(&job, &err), WADI_FAULT);
    assert_string_equal(err.msg, "quot: division of 3 by zero, element 1007, at a.c:7");
    job.main_block = true;
    assert_int_equal(wadi_job_error(&job, &err), WADI_FAULT);
    assert_string_equal(err.msg, "quot: division of 3 by zero, at a.c:7");
}

/* Each stands before the next, whoever comes first. */
static void of_several_faults_the_same_is_told(void **state) {
    (void)state;
    static const wadi_fault ordered[] = {
        {.kind = WADI_FAULT_SHAPE, .element = 0, .linear = 7, .place = 3},
        {.kind = WADI_FAULT_SHAPE, .element = 1, .linear = -1, .place = 3},
        {.kind = WADI_FAULT_SHAPE, .element = 1, .linear = 2, .place = 0},
        {.kind = WADI_FAULT_INDEX, .element = 1, .linear = 2, .place = 1},
        {.kind = WADI_FAULT_DIVISION, .element = 1, .linear = 2, .place = 1},
        {.kind = WADI_FAULT_DIVISION, .element = 1, .linear = 2, .place = 1, .value = {0, 0, 0, 1}},
        {.kind = WADI_FAULT_DIVISION, .element = 1, .linear = 2, .place = 1, .value = {0, 1}},
        {.kind = WADI_FAULT_DIVISION,
         .element = 1,
         .linear = 2,
         .place = 1,
         .value = {0, 1},
         .rank = 2,
         .index = {1, 4, 9}},
        {.kind = WADI_FAULT_DIVISION,
         .element = 1,
         .linear = 2,
         .place = 1,
         .value = {0, 1},
         .rank = 2,
         .index = {1, 5, 8}},
    };
    enum { FAULTS = sizeof ordered / sizeof ordered[0] };
    const wadi_fault none = {.kind = WADI_FAULT_NONE};
    for (int i = 0; i < FAULTS; i++) {
        assert_true(wadi_fault_is_earlier(&ordered[i], &none));
        for (int k = 0; k < FAULTS; k++)
            assert_int_equal(wadi_fault_is_earlier(&ordered[i], &ordered[k]), i < k);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fault_has_its_sentence),
        cmocka_unit_test(the_longest_index_has_room),
        cmocka_unit_test(a_jobs_fault_is_counted_from_its_chunk_on),
        cmocka_unit_test(of_several_faults_the_same_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
