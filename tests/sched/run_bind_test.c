/* What may be bound to a plan, and the message for everything else: ranks, types, extents by number and by name, arrays without
 * columns, unknown names, and calls in the wrong order. Messages are compared as whole sentences. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "sched/run.h"
#include "sched/stream.h"
#include "tests/sched/hand_plan.h"

/* ---- a source that hears why it is not taken, a sink that takes all ---- */

typedef struct source {
    wadi_source base;
    int64_t n, index;
    const int64_t *extents; /* of the elements; NULL: 3 each */
    int told;
    wadi_error why;
} source;

static void source_destroy(wadi_source *self) {
    (void)self;
}

static wadi_status source_next(wadi_source *self, int64_t k, wadi_builder *b, wadi_error *err) {
    source *s = (source *)self;
    for (; b->count < k && s->index < s->n; s->index++) {
        const int64_t extent = s->extents != NULL ? s->extents[s->index] : 3;
        wadi_array a;
        WADI_TRY(wadi_builder_array(b, 0, &extent, &a, err));
        if (extent > 0) memset(a.column[0], 0, (size_t)extent * 4);
        WADI_TRY(wadi_builder_next(b, err));
    }
    return WADI_OK;
}

static void source_give_up(wadi_source *self, const wadi_error *why) {
    ((source *)self)->told++;
    ((source *)self)->why = *why;
}

static source make_source(int64_t n, const int64_t *extents) {
    static const wadi_source_ops ops = {source_destroy, source_next, source_give_up};
    source s = {.base = {.ops = &ops, .wake_fd = -1, .parts = 1}, .n = n, .extents = extents};
    s.base.part[0] = wadi_part_irregular(WADI_I32, 1);
    return s;
}

static wadi_status sink_put(wadi_sink *self, wadi_chunk *c, wadi_error *err) {
    (void)self;
    (void)c;
    (void)err;
    return WADI_OK;
}

static void sink_destroy(wadi_sink *self) {
    (void)self;
}

static const wadi_sink_ops sink_ops = {sink_destroy, sink_put, NULL, NULL};

/* ---- a program with two inputs, a source and a sink ---- */

typedef struct program {
    hand_program h;
    wadi_plan_input input[2];
    wadi_plan_extent extent[1][WADI_MAX_RANK];
    wadi_loader loader;
    wadi_run *x;
    source in;
    wadi_sink out;
} program;

/* Inputs "table", f64[rows, 4], and "pair", records of i32 and f64 [rows]; the source "in" of i32[`value` or `name`]. */
static void make(program *p, int64_t value, const char *name) {
    hand_doubling(&p->h, WADI_END_SINK);
    p->h.slot[10] = (wadi_plan_slot){.name = "t", .rank = 2, .fields = 1, .type = {WADI_F64}};
    p->h.slot[11] =
        (wadi_plan_slot){.name = "p", .rank = 1, .fields = 2, .type = {WADI_I32, WADI_F64}};
    p->input[0] = (wadi_plan_input){"table", 10, {{-1, "rows"}, {4, NULL}}};
    p->input[1] = (wadi_plan_input){"pair", 11, {{-1, "rows"}}};
    p->h.plan.ninputs = 2;
    p->h.plan.inputs = p->input;
    p->extent[0][0] = (wadi_plan_extent){value, name};
    p->h.source.extent = (const wadi_plan_extent(*)[WADI_MAX_RANK])p->extent;
    p->loader = hand_loader(&p->h);
    p->in = make_source(10, NULL);
    p->out = (wadi_sink){.ops = &sink_ops, .wake_fd = -1};
    const wadi_run_options o = {.chunk = 4, .threads = 1};
    assert_int_equal(wadi_run_create_for(&p->h.plan, &p->loader, &o, &p->x, NULL), WADI_OK);
}

static double numbers[40];

static wadi_array table(int64_t rows, int64_t columns) {
    return (wadi_array){
        .rank = 2, .fields = 1, .type = {WADI_F64}, .shape = {rows, columns}, .column = {numbers}};
}

static wadi_array pair(int64_t rows) {
    return (wadi_array){.rank = 1,
                        .fields = 2,
                        .type = {WADI_I32, WADI_F64},
                        .shape = {rows},
                        .column = {numbers, numbers}};
}

static void bind_all(program *p, int64_t rows) {
    const wadi_array a = table(rows, 4), b = pair(rows);
    assert_int_equal(wadi_run_input(p->x, "table", &a, NULL), WADI_OK);
    assert_int_equal(wadi_run_input(p->x, "pair", &b, NULL), WADI_OK);
    assert_int_equal(wadi_run_source(p->x, "in", &p->in.base, NULL), WADI_OK);
    assert_int_equal(wadi_run_sink(p->x, "out", &p->out, NULL), WADI_OK);
}

static void assert_input(program *p, const char *name, const wadi_array *a, wadi_status status,
                         const char *said) {
    wadi_error err = {.status = WADI_OK};
    assert_int_equal(wadi_run_input(p->x, name, a, &err), status);
    assert_string_equal(err.msg, said);
    assert_int_equal(err.status, status);
}

static void inputs_are_looked_at(void **state) {
    (void)state;
    static program p;
    make(&p, -1, NULL);
    wadi_array a = table(3, 4);
    assert_input(&p, "tables", &a, WADI_INVALID, "the program has no input \"tables\"");
    assert_input(&p, "in", &a, WADI_INVALID, "the program has no input \"in\"");
    a.rank = 1;
    assert_input(&p, "table", &a, WADI_SHAPE, "table: rank 1, but the program takes rank 2");
    a = table(3, 4);
    a.type[0] = WADI_F32;
    assert_input(&p, "table", &a, WADI_TYPE, "table: f32, but the program takes f64");
    a = table(3, 5);
    assert_input(&p, "table", &a, WADI_SHAPE, "table: extent 1 is 5, but the program declares 4");
    a = table(-3, 4);
    assert_input(&p, "table", &a, WADI_SHAPE, "table: a negative or too large extent");
    a = table(3, INT64_MAX / 2);
    assert_input(&p, "table", &a, WADI_SHAPE, "table: a negative or too large extent");
    a = table(3, 4);
    a.column[0] = NULL;
    assert_input(&p, "table", &a, WADI_INVALID,
                 "table: column 0 of an array of 12 elements is NULL");
    a = pair(3);
    a.fields = 1;
    assert_input(&p, "pair", &a, WADI_TYPE,
                 "pair: 1 fields, and not the 2 fields the program takes");
    a = pair(3);
    a.fields = 3;
    a.type[2] = WADI_I8;
    assert_input(&p, "pair", &a, WADI_TYPE,
                 "pair: 3 fields, and not the 2 fields the program takes");
    a = pair(3);
    a.type[1] = WADI_I64;
    assert_input(&p, "pair", &a, WADI_TYPE,
                 "pair: 2 fields, and not the 2 fields the program takes");
    a = pair(3);
    a.column[1] = NULL;
    assert_input(&p, "pair", &a, WADI_INVALID, "pair: column 1 of an array of 3 elements is NULL");
    /* what has been refused has fixed no name */
    a = table(2, 4);
    assert_int_equal(wadi_run_input(p.x, "table", &a, NULL), WADI_OK);
    a = pair(3);
    assert_input(&p, "pair", &a, WADI_SHAPE, "pair: extent 0 is 3, but \"rows\" is 2 in table");
    a = pair(2);
    assert_int_equal(wadi_run_input(p.x, "pair", &a, NULL), WADI_OK);
    wadi_run_destroy(p.x);
}

/* An array without elements needs no columns. */
static void empty_inputs_need_no_columns(void **state) {
    (void)state;
    static program p;
    make(&p, -1, NULL);
    wadi_array a = table(0, 4), b = pair(0);
    a.column[0] = b.column[0] = b.column[1] = NULL;
    assert_int_equal(wadi_run_input(p.x, "table", &a, NULL), WADI_OK);
    assert_int_equal(wadi_run_input(p.x, "pair", &b, NULL), WADI_OK);
    wadi_run_destroy(p.x);
}

static void assert_source(program *p, wadi_status status, const char *said) {
    wadi_error err = {.status = WADI_OK};
    p->in.told = 0;
    assert_int_equal(wadi_run_source(p->x, "in", &p->in.base, &err), status);
    assert_int_equal(p->in.told, status != WADI_OK);
    if (status == WADI_OK) return;
    assert_string_equal(err.msg, said);
    assert_string_equal(p->in.why.msg, said); /* whoever supplies the elements hears it too */
    assert_int_equal(p->in.why.status, status);
}

static void sources_are_looked_at(void **state) {
    (void)state;
    static program p;
    static const int64_t two[] = {2}, three[] = {3};
    make(&p, 3, NULL);
    p.in.base.parts = 2;
    assert_source(&p, WADI_TYPE, "in: elements of 2 arrays, but the program takes 1");
    p.in.base.parts = 0;
    assert_source(&p, WADI_TYPE, "in: elements of 0 arrays, but the program takes 1");
    p.in.base.parts = -1; /* it has never said what it is made of */
    assert_source(&p, WADI_OK, "");
    p.in.base.parts = 1;
    p.in.base.part[0] = wadi_part_irregular(WADI_I32, 0);
    assert_source(&p, WADI_SHAPE, "in: rank 0, but the program takes rank 1");
    p.in.base.part[0] = wadi_part_irregular(WADI_U32, 1);
    assert_source(&p, WADI_TYPE, "in: u32, but the program takes i32");
    p.in.base.part[0] = wadi_part_fixed(WADI_I32, 1, two);
    assert_source(&p, WADI_SHAPE, "in: extent 0 is 2, but the program declares 3");
    p.in.base.part[0] = wadi_part_fixed(WADI_I32, 1, three);
    assert_source(&p, WADI_OK, "");
    p.in.base.part[0] = wadi_part_irregular(WADI_I32, 1); /* which is seen when it is read */
    assert_source(&p, WADI_OK, "");
    wadi_error err = {.status = WADI_OK};
    assert_int_equal(wadi_run_source(p.x, "out", &p.in.base, &err), WADI_INVALID);
    assert_string_equal(err.msg, "the program has no source \"out\"");
    assert_int_equal(wadi_run_sink(p.x, "in", &p.out, &err), WADI_INVALID);
    assert_string_equal(err.msg, "the program has no sink \"in\"");
    wadi_run_destroy(p.x);
}

/* Elements that are not as declared, by number or by a name that an input has fixed, or the first element: wherever they stand, in
 * whichever chunk. */
static void elements_are_looked_at(void **state) {
    (void)state;
    static const struct {
        int64_t value;
        const char *name, *said;
    } cases[] = {{3, NULL, "in: extent 0 is 5, but the program declares 3, element %"},
                 {-1, "rows", "in: extent 0 is 5, but \"rows\" is 3 in table, element %"},
                 {-1, "more", "in: extent 0 is 5, but \"more\" is 3 in in, element %"},
                 {-1, NULL, NULL}};
    for (int i = 0; i < 4; i++) {
        for (int64_t bad = 1; bad < 10; bad++) {
            static program p;
            int64_t extents[10] = {3, 3, 3, 3, 3, 3, 3, 3, 3, 3};
            wadi_error err = {.status = WADI_OK};
            char said[100] = "";
            extents[bad] = 5;
            make(&p, cases[i].value, cases[i].name);
            p.in = make_source(10, extents);
            bind_all(&p, 3);
            const wadi_status status = wadi_run_go(p.x, &err);
            assert_int_equal(status, cases[i].said == NULL ? WADI_OK : WADI_SHAPE);
            wadi_run_destroy(p.x);
            if (status == WADI_OK) continue;
            strcpy(said, cases[i].said);
            said[strlen(said) - 1] = (char)('0' + bad);
            assert_string_equal(err.msg, said);
            assert_int_equal(p.in.told, 1);
            assert_string_equal(p.in.why.msg, said);
        }
    }
}

/* Everything is bound before the run, and nothing after. */
static void a_run_has_a_beginning_and_an_end(void **state) {
    (void)state;
    static program p;
    wadi_error err = {.status = WADI_OK};
    wadi_array a = table(3, 4), b = pair(3), got;
    make(&p, 3, NULL);
    assert_int_equal(wadi_run_go(p.x, &err), WADI_INVALID);
    assert_string_equal(err.msg, "input \"table\" is not bound");
    assert_int_equal(wadi_run_input(p.x, "table", &a, NULL), WADI_OK);
    assert_int_equal(wadi_run_go(p.x, &err), WADI_INVALID);
    assert_string_equal(err.msg, "input \"pair\" is not bound");
    assert_int_equal(wadi_run_input(p.x, "pair", &b, NULL), WADI_OK);
    assert_int_equal(wadi_run_go(p.x, &err), WADI_INVALID);
    assert_string_equal(err.msg, "source \"in\" is not bound");
    assert_int_equal(wadi_run_source(p.x, "in", &p.in.base, NULL), WADI_OK);
    assert_int_equal(wadi_run_go(p.x, &err), WADI_INVALID);
    assert_string_equal(err.msg, "sink \"out\" is not bound");
    assert_int_equal(wadi_run_sink(p.x, "out", &p.out, NULL), WADI_OK);
    assert_int_equal(wadi_run_result(p.x, "all", &got, &err), WADI_INVALID);
    assert_string_equal(err.msg, "the run has not ended well: no results");
    assert_int_equal(p.in.told, 0);
    assert_int_equal(wadi_run_go(p.x, &err), WADI_OK);
    assert_int_equal(wadi_run_result(p.x, "all", &got, &err), WADI_INVALID);
    assert_string_equal(err.msg, "the program has no result \"all\"");
    const wadi_status late[] = {wadi_run_go(p.x, &err), wadi_run_input(p.x, "pair", &b, &err),
                                wadi_run_source(p.x, "in", &p.in.base, &err),
                                wadi_run_sink(p.x, "out", &p.out, &err)};
    for (int i = 0; i < 4; i++) assert_int_equal(late[i], WADI_INVALID);
    assert_string_equal(err.msg, "the run has begun already");
    assert_int_equal(p.in.told, 0); /* all went well */
    wadi_run_destroy(p.x);
}

/* What was opened for it is not opened once more. */
static void a_run_that_could_not_begin_does_not_begin_again(void **state) {
    (void)state;
    static program p;
    const wadi_run_options o = {.on_fault = WADI_ON_FAULT_SKIP, .trace = "missing/folder/trace"};
    wadi_error err = {.status = WADI_OK};
    wadi_array a = table(3, 4), b = pair(3);
    make(&p, 3, NULL);
    wadi_run_destroy(p.x);
    assert_int_equal(wadi_run_create_for(&p.h.plan, &p.loader, &o, &p.x, NULL), WADI_OK);
    assert_int_equal(wadi_run_input(p.x, "table", &a, NULL), WADI_OK);
    assert_int_equal(wadi_run_input(p.x, "pair", &b, NULL), WADI_OK);
    assert_int_equal(wadi_run_source(p.x, "in", &p.in.base, NULL), WADI_OK);
    assert_int_equal(wadi_run_sink(p.x, "out", &p.out, NULL), WADI_OK);
    assert_int_equal(wadi_run_go(p.x, &err), WADI_IO);
    assert_int_equal(wadi_run_go(p.x, &err), WADI_INVALID);
    assert_string_equal(err.msg, "the run has begun already");
    wadi_run_destroy(p.x);
}

static void a_sink_that_needs_the_order_says_so(void **state) {
    (void)state;
    static program p;
    for (int i = 0; i < 4; i++) {
        wadi_error err = {.status = WADI_OK};
        make(&p, -1, NULL);
        p.h.end[0].unordered = i & 1;
        wadi_run_destroy(p.x);
        const wadi_run_options o = {.chunk = 4, .threads = 1};
        assert_int_equal(wadi_run_create_for(&p.h.plan, &p.loader, &o, &p.x, NULL), WADI_OK);
        p.out.ordered = i & 2;
        p.out.kind = "picture";
        assert_int_equal(wadi_run_sink(p.x, "out", &p.out, &err), i == 3 ? WADI_INVALID : WADI_OK);
        if (i == 3)
            assert_non_null(strstr(err.msg, "\"out\" gets elements in any order, and a picture "
                                            "sink needs them in order"));
        wadi_run_destroy(p.x);
    }
}

static void options_are_looked_at(void **state) {
    (void)state;
    static const struct {
        wadi_run_options o;
        const char *said;
    } cases[] = {
        {{.threads = -1}, "threads: -1 is negative"},
        {{.memory = -2}, "memory: -2 is negative"},
        {{.chunk = -3}, "chunk: -3 is negative"},
        {{.schedule = (wadi_schedule_option)(WADI_SCHEDULE_COUNT + 1)}, "schedule: 5 is none"},
        {{.watchdog_s = -0.5}, "watchdog_s: -0.5 is not from 0 to 1e9"},
        {{.watchdog_s = (double)NAN}, "watchdog_s: nan is not from 0 to 1e9"},
        {{.watchdog_s = 1e10}, "watchdog_s: 1e+10 is not from 0 to 1e9"}};
    hand_program h;
    hand_doubling(&h, WADI_END_SINK);
    const wadi_loader loader = hand_loader(&h);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wadi_error err = {.status = WADI_OK};
        wadi_run *x = NULL;
        assert_int_equal(wadi_run_create_for(&h.plan, &loader, &cases[i].o, &x, &err),
                         WADI_INVALID);
        assert_string_equal(err.msg, cases[i].said);
        assert_null(x);
    }
}

/* Which failure is told where there are several: the first, unless it only says that the run is cancelled; after a cancel that alone. */
static void the_first_failure_is_told(void **state) {
    (void)state;
    static program p;
    static const int64_t negative[] = {3, 3, -1};
    make(&p, -1, NULL);
    p.in = make_source(3, negative);
    bind_all(&p, 3);
    wadi_error err = {.status = WADI_OK};
    assert_int_equal(wadi_run_go(p.x, &err), WADI_SHAPE);
    assert_string_equal(err.msg, "part 0 of an element: bad shape");
    assert_int_equal(p.in.told, 1);
    wadi_run_destroy(p.x);
    make(&p, -1, NULL);
    bind_all(&p, 3);
    wadi_run_cancel(p.x);
    assert_int_equal(wadi_run_go(p.x, &err), WADI_CANCELLED);
    assert_string_equal(err.msg, "cancelled");
    assert_int_equal(p.in.told, 0); /* that is no business of his */
    wadi_run_destroy(p.x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_are_looked_at),
        cmocka_unit_test(empty_inputs_need_no_columns),
        cmocka_unit_test(sources_are_looked_at),
        cmocka_unit_test(elements_are_looked_at),
        cmocka_unit_test(a_run_has_a_beginning_and_an_end),
        cmocka_unit_test(a_run_that_could_not_begin_does_not_begin_again),
        cmocka_unit_test(options_are_looked_at),
        cmocka_unit_test(a_sink_that_needs_the_order_says_so),
        cmocka_unit_test(the_first_failure_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
