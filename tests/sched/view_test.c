/* Looking at runs while they go on: what is seen of a run whose source or sink stands still is known to the element, and the clock is the test's. */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/thread.h"
#include "sched/run.h"
#include "sched/stream.h"
#include "sched/view.h"
#include "sched/watch/answer.h"
#include "sched/watch/why.h"
#include "tests/sched/hand_plan.h"
#include "wadi/watch.h"

enum { N = 100, CHUNK = 10 };

/* ---- a clock, a source and a sink that the test holds up ---- */

static atomic_llong now_ns;

static int64_t now(void) {
    return atomic_load(&now_ns);
}

typedef struct gate {
    atomic_bool shut, reached;
} gate;

static void pass(gate *g) {
    if (!atomic_load(&g->shut)) return;
    atomic_store(&g->reached, true);
    while (atomic_load(&g->shut)) (void)sched_yield();
}

static gate in_gate, body_gate, out_gate;

typedef struct ramp {
    wadi_source base;
    int64_t index, n;
    int64_t gate_at; /* the gate stands before this element */
} ramp;

static void ramp_destroy(wadi_source *self) {
    (void)self;
}

/* Element i is i32[1]. */
static wadi_status ramp_next(wadi_source *self, int64_t k, wadi_builder *b, wadi_error *err) {
    ramp *r = (ramp *)self;
    if (r->index >= r->gate_at) pass(&in_gate);
    for (; b->count < k && r->index < r->n; r->index++) {
        const int64_t shape = 1;
        wadi_array a;
        assert_int_equal(wadi_builder_array(b, 0, &shape, &a, err), WADI_OK);
        *(int32_t *)a.column[0] = 1;
        assert_int_equal(wadi_builder_next(b, err), WADI_OK);
    }
    return WADI_OK;
}

static ramp make_ramp(int64_t gate_at) {
    static const wadi_source_ops ops = {ramp_destroy, ramp_next, NULL};
    ramp r = {.n = N, .gate_at = gate_at};
    r.base = (wadi_source){.ops = &ops, .kind = "ramp", .wake_fd = -1, .total = N, .parts = 1};
    r.base.part[0] = wadi_part_irregular(WADI_I32, 1);
    return r;
}

typedef struct count {
    wadi_sink base;
    int64_t elements;
} count;

static void count_destroy(wadi_sink *self) {
    (void)self;
}

static wadi_status count_put(wadi_sink *self, wadi_chunk *c, wadi_error *err) {
    count *s = (count *)self;
    (void)err;
    pass(&out_gate);
    s->elements += c->count;
    return WADI_OK;
}

static count make_count(void) {
    static const wadi_sink_ops ops = {count_destroy, count_put, NULL, NULL};
    return (count){.base = {.ops = &ops, .kind = "count", .wake_fd = -1}};
}

/* ---- a run in a thread of its own ---- */

typedef struct fixture {
    hand_program h;
    ramp in;
    count out;
    wadi_run *run;
    wadi_thread thread;
    wadi_status status;
} fixture;

static void go(void *env) {
    fixture *f = env;
    f->status = wadi_run_go(f->run, NULL);
}

static fixture *make(int64_t gate_at) {
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    hand_doubling(&f->h, WADI_END_SINK);
    f->h.plan.name = "double";
    const wadi_loader loader = hand_loader(&f->h);
    const wadi_run_options o = {.chunk = CHUNK, .threads = 1, .forget = true, .watchdog_s = 1e9};
    f->in = make_ramp(gate_at);
    f->out = make_count();
    assert_int_equal(wadi_run_create_for(&f->h.plan, &loader, &o, &f->run, NULL), WADI_OK);
    assert_int_equal(wadi_run_source(f->run, "in", &f->in.base, NULL), WADI_OK);
    assert_int_equal(wadi_run_sink(f->run, "out", &f->out.base, NULL), WADI_OK);
    return f;
}

/* The same source behind stages of which some run apart; its sink gets nothing, since no element has an even length. */
static fixture *make_apart(void) {
    fixture *f = make(N);
    wadi_run_destroy(f->run);
    hand_staged(&f->h, 0, N);
    const wadi_loader loader = hand_loader(&f->h);
    const wadi_run_options o = {.chunk = CHUNK,
                                .threads = 2,
                                .forget = true,
                                .stages = WADI_STAGES_APART,
                                .watchdog_s = 1e9};
    assert_int_equal(wadi_run_create_for(&f->h.plan, &loader, &o, &f->run, NULL), WADI_OK);
    assert_int_equal(wadi_run_source(f->run, "in", &f->in.base, NULL), WADI_OK);
    assert_int_equal(wadi_run_sink(f->run, "out", &f->out.base, NULL), WADI_OK);
    f->out.elements = N;
    return f;
}

static void start(fixture *f) {
    assert_int_equal(wadi_thread_start(&f->thread, go, f, NULL), WADI_OK);
}

static void end(fixture *f, wadi_status want) {
    wadi_thread_join(&f->thread);
    assert_int_equal(f->status, want);
    if (want == WADI_OK) assert_int_equal(f->out.elements, N);
    wadi_run_destroy(f->run);
    free(f);
}

static wadi_view look(fixture *f) {
    wadi_view v;
    assert_int_equal(wadi_view_take(f->run, &v, NULL), WADI_OK);
    return v;
}

static void assert_why(fixture *f, const char *want) {
    wadi_view v = look(f);
    wadi_text t = {0};
    wadi_watch_why(&v, &t);
    assert_string_equal(wadi_text_str(&t), want);
    wadi_text_fini(&t);
    wadi_view_fini(&v);
}

/* Until `holds` of the run. */
static void wait_until(fixture *f, bool (*holds)(const wadi_view *v)) {
    for (bool held = false; !held; (void)sched_yield()) {
        wadi_view v = look(f);
        held = holds(&v);
        wadi_view_fini(&v);
    }
}

static const wadi_view_node *find(const wadi_view *v, wadi_view_kind kind) {
    for (size_t i = 0; i < v->nodes.n; i++)
        if (v->nodes.at[i].kind == kind) return &v->nodes.at[i];
    return NULL;
}

static int set_up(void **state) {
    (void)state;
    atomic_store(&now_ns, INT64_C(1000000000));
    atomic_store(&in_gate.shut, false);
    atomic_store(&out_gate.shut, false);
    atomic_store(&body_gate.shut, false);
    atomic_store(&in_gate.reached, false);
    atomic_store(&body_gate.reached, false);
    atomic_store(&out_gate.reached, false);
    wadi_clock_set(now);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    wadi_clock_set(NULL);
    return 0;
}

static void assert_answer(const char *request, wadi_status want, const char *has) {
    wadi_text out = {0};
    wadi_error err = {0};
    assert_int_equal(wadi_watch_answer("a \"test\"", request, &out, &err), want);
    const char *got = want == WADI_OK ? wadi_text_str(&out) : err.msg;
    if (strstr(got, has) == NULL) fail_msg("%s: %s\nhas no %s", request, got, has);
    wadi_text_fini(&out);
}

/* ---- what is seen ---- */

static bool compute_starves(const wadi_view *v) {
    return v->edges.n == 2 && v->edges.at[0].to_ns > 0 && v->edges.at[1].to_ns > 0 &&
           v->stats.elements == 30;
}

static bool waits_begin(const wadi_view *v) {
    atomic_fetch_add(&now_ns, 1); /* a wait that has just begun is none */
    return compute_starves(v);
}

static void a_source_that_stands_still_is_named(void **state) {
    (void)state;
    fixture *f = make(30);
    atomic_store(&in_gate.shut, true);
    start(f);
    wait_until(f, waits_begin);
    atomic_fetch_add(&now_ns, INT64_C(12000000000));
    wadi_view v = look(f);
    assert_string_equal(v.name, "double");
    assert_int_equal(v.state, WADI_VIEW_RUNS);
    assert_true(v.id > 0);
    assert_int_equal(v.nodes.n, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(v.nodes.at[i].elements, 30);
        assert_int_equal(v.nodes.at[i].chunks, 3);
        assert_true(v.nodes.at[i].bytes > 0);
    }
    assert_string_equal(v.nodes.at[0].id, "0.in0");
    assert_string_equal(v.nodes.at[1].id, "0.0");
    assert_string_equal(v.nodes.at[2].id, "0.out0");
    assert_string_equal(find(&v, WADI_VIEW_SOURCE)->name, "in");
    assert_string_equal(find(&v, WADI_VIEW_SOURCE)->what, "ramp");
    assert_int_equal(find(&v, WADI_VIEW_SOURCE)->total, N);
    assert_string_equal(find(&v, WADI_VIEW_END)->what, "count");
    assert_int_equal(v.edges.at[0].from, 0);
    assert_int_equal(v.edges.at[0].to, 1);
    assert_true(v.edges.at[0].queue);
    assert_int_equal(v.edges.at[0].chunks, 0);
    assert_int_equal(v.edges.at[0].most_chunks, 2);
    assert_in_range(v.edges.at[0].to_ns, INT64_C(12000000000), INT64_C(12100000000));
    assert_int_equal(v.edges.at[0].from_ns, 0);
    /* 30 of 100 elements have taken 12 s */
    assert_true(v.left_s > 27.9 && v.left_s < 28.1);
    wadi_view_fini(&v);
    assert_why(f,
               "compute waits for the source \"in\" (ramp), which has read 624 B in 30 elements, "
               "up to element 30 of 100; nothing has come for 12 s");
    atomic_store(&in_gate.shut, false);
    end(f, WADI_OK);
}

/* The sink, in its own thread, is at work on its first chunk, and both links are full. A wait alone does not tell that: it may be one that is about to
 * end. */
static bool compute_has_no_room(const wadi_view *v) {
    atomic_fetch_add(&now_ns, 1);
    return v->edges.n == 2 && v->edges.at[1].from_ns > 0 && v->edges.at[0].from_ns > 0 &&
           v->edges.at[0].chunks == 2 && v->edges.at[1].chunks == 2 &&
           atomic_load(&out_gate.reached) && v->nodes.at[v->nodes.n - 1].elements > 0;
}

static void a_sink_that_stands_still_is_named(void **state) {
    (void)state;
    fixture *f = make(N);
    atomic_store(&out_gate.shut, true);
    start(f);
    wait_until(f, compute_has_no_room);
    atomic_fetch_add(&now_ns, INT64_C(200000000000));
    wadi_view v = look(f);
    assert_int_equal(v.edges.at[1].chunks, 2);
    assert_true(v.edges.at[1].bytes > 0);
    assert_int_equal(v.edges.at[0].chunks, 2);
    assert_int_equal(v.stats.elements, 0);
    assert_in_range(find(&v, WADI_VIEW_END)->busy_ns, INT64_C(200000000000), INT64_C(200100000000));
    assert_true(find(&v, WADI_VIEW_STAGE)->busy_ns < 100000000);
    /* what has been read and waits is not done */
    const int64_t done = find(&v, WADI_VIEW_STAGE)->elements;
    assert_true(done > 0 && done < find(&v, WADI_VIEW_SOURCE)->elements);
    const double left = 200.0 * (double)(N - done) / (double)done;
    assert_true(v.left_s > left - 0.1 && v.left_s < left + 2);
    wadi_view_fini(&v);
    assert_why(f,
               "compute waits for the sink \"out\" (count), which has taken 208 B in 10 elements "
               "and has been at work on elements from 0 for 3:20 min");
    atomic_store(&out_gate.shut, false);
    end(f, WADI_OK);
}

/* ---- busy times ---- */

static void pass_body(void) {
    pass(&body_gate);
}

/* Who waits for the source may do so before that is at work on the next element. */
static bool source_is_reached(const wadi_view *v) {
    return waits_begin(v) && atomic_load(&in_gate.reached);
}

static bool kernel_is_reached(const wadi_view *v) {
    return v->nodes.n == 3 && atomic_load(&body_gate.reached);
}

static void assert_seconds(int64_t ns, int64_t seconds) {
    assert_in_range(ns, seconds * INT64_C(1000000000), seconds * INT64_C(1000000000) + 100000000);
}

static void whoever_is_at_work_is_busy(void **state) {
    (void)state;
    fixture *f = make(30);
    f->h.begins = pass_body;
    atomic_store(&body_gate.shut, true);
    atomic_store(&in_gate.shut, true);
    start(f);
    wait_until(f, kernel_is_reached);
    atomic_fetch_add(&now_ns, INT64_C(5000000000));
    wadi_view v = look(f);
    assert_seconds(find(&v, WADI_VIEW_STAGE)->busy_ns, 5);
    assert_seconds(find(&v, WADI_VIEW_END)->busy_ns, 0);
    assert_int_equal(v.ndevices, 1);
    assert_string_equal(v.devices[0].name, "cpu");
    assert_int_equal(v.devices[0].workers, 1);
    wadi_view_fini(&v);
    atomic_store(&body_gate.shut, false);
    wait_until(f, source_is_reached);
    const int64_t read_ns = INT64_C(7000000000);
    v = look(f);
    const int64_t before_ns = find(&v, WADI_VIEW_SOURCE)->busy_ns;
    wadi_view_fini(&v);
    atomic_fetch_add(&now_ns, read_ns);
    v = look(f);
    assert_seconds(find(&v, WADI_VIEW_SOURCE)->busy_ns - before_ns, 7);
    assert_seconds(find(&v, WADI_VIEW_STAGE)->busy_ns, 5);
    assert_seconds(v.devices[0].busy_ns, 5);
    wadi_view_fini(&v);
    assert_answer("metrics", WADI_OK, "wadi_left_seconds{run=\"");
    assert_answer("metrics", WADI_OK, "\nwadi_device_workers{run=\"");
    assert_answer("json", WADI_OK, "\"device\": \"cpu\", ");
    assert_answer("screen sort=busy", WADI_OK, "bytes/s busy link");
    atomic_store(&in_gate.shut, false);
    end(f, WADI_OK);
}

/* ---- taps ---- */

static void assert_tapped(fixture *f, const char *id, bool there, double value) {
    wadi_sample *s = NULL;
    assert_int_equal(wadi_view_tap(f->run, id, &s, NULL), WADI_OK);
    assert_int_equal(s != NULL, there);
    if (s == NULL) return;
    assert_int_equal(s->count, CHUNK);
    assert_true(s->first > 0 && s->first % CHUNK == 0);
    assert_int_equal(s->n, 1);
    assert_int_equal(s->part[0].columns, 1);
    assert_true(s->value[0] == value);
    free(s);
}

static bool has_come_to_90(const wadi_view *v) {
    atomic_fetch_add(&now_ns, 1);
    return v->stats.elements == 90 && v->edges.n == 2 && v->edges.at[0].to_ns > 0;
}

static void a_tap_shows_what_comes_after_it_is_asked_for(void **state) {
    (void)state;
    static const char *const strange[] = {"", "0", "0.1", "0.in1", "0.out1", "1.0", "0.0 ", "0.in"};
    fixture *f = make(90);
    wadi_sample *none = NULL;
    assert_int_equal(wadi_view_tap(f->run, "0.0", &none, NULL), WADI_INVALID);
    atomic_store(&in_gate.shut, true);
    atomic_store(&out_gate.shut, true);
    start(f);
    wait_until(f, compute_has_no_room);
    for (size_t i = 0; i < sizeof strange / sizeof strange[0]; i++)
        assert_int_equal(wadi_view_tap(f->run, strange[i], &none, NULL), WADI_INVALID);
    assert_tapped(f, "0.in0", false, 0);
    assert_tapped(f, "0.out0", false, 0);
    assert_answer("tap stage=0.out0", WADI_OK, "\"stage\": \"0.out0\", \"sample\": null}\n");
    assert_answer("tap", WADI_INVALID, "stage=NUMBER is missing");
    assert_answer("tap stage=0.9", WADI_INVALID, "0.9: the run has no such stage at work");
    assert_answer("tap run=999999 stage=0.0", WADI_INVALID, "no such run");
    atomic_store(&out_gate.shut, false);
    wait_until(f, has_come_to_90);
    assert_tapped(f, "0.0", false, 0); /* nobody has asked for it before */
    assert_tapped(f, "0.in0", true, 1);
    assert_tapped(f, "0.in0", true, 1); /* still the last one */
    assert_tapped(f, "0.out0", true, 2);
    assert_answer("tap stage=0.out0", WADI_OK,
                  "\"count\": 10, \"cut\": false, \"parts\": [{\"type\": \"i32\", \"shape\": [1], "
                  "\"series\": false, \"rows\": 1, \"columns\": 1, \"row_step\": 1, "
                  "\"column_step\": 1, \"values\": [2]}]}}\n");
    atomic_store(&in_gate.shut, false);
    end(f, WADI_OK);
    assert_answer("tap stage=0.out0", WADI_INVALID, "no such run");
}

/* ---- pausing ---- */

static bool is_held(const wadi_view *v) {
    bool held = false;
    for (int i = 0; i < v->nwaits; i++)
        held = held || strcmp(v->waits[i].what, "somebody to let the run go on") == 0;
    return held && v->state == WADI_VIEW_PAUSED;
}

static void a_paused_run_takes_nothing_until_it_goes_on(void **state) {
    (void)state;
    fixture *f = make(N);
    wadi_run_pause(f->run);
    start(f);
    wait_until(f, is_held);
    wadi_view v = look(f);
    assert_int_equal(find(&v, WADI_VIEW_STAGE)->elements, 0);
    assert_true(v.left_s < 0);
    wadi_view_fini(&v);
    assert_why(f, "the run is paused, until somebody lets it go on");
    wadi_run_resume(f->run);
    end(f, WADI_OK);
}

static void a_paused_run_can_be_cancelled(void **state) {
    (void)state;
    fixture *f = make(N);
    wadi_run_pause(f->run);
    start(f);
    wait_until(f, is_held);
    wadi_run_cancel(f->run);
    end(f, WADI_CANCELLED);
}

/* ---- asking ---- */

/* A program that is drained as a whole. */
static bool drained;

static bool drain_all(bool now) {
    drained = drained || now;
    return true;
}

static void requests_are_answered(void **state) {
    (void)state;
    fixture *f = make(30);
    atomic_store(&in_gate.shut, true);
    start(f);
    wait_until(f, waits_begin);
    char run[64];
    wadi_view v = look(f);
    (void)snprintf(run, sizeof run, "why run=%lld", (long long)v.id);
    wadi_view_fini(&v);
    atomic_fetch_add(&now_ns, INT64_C(12000000000));
    assert_answer(run, WADI_OK, "double: compute waits for the source \"in\"");
    assert_answer("list", WADI_OK, "double  running  12 s  30 elements\n");
    assert_answer("json", WADI_OK, "{\"process\": \"a \\\"test\\\"\", ");
    assert_answer("json", WADI_OK,
                  "\"kind\": \"source\", \"id\": \"0.in0\", \"name\": \"in\", "
                  "\"what\": \"ramp\", \"elements\": 30, \"bytes\": 624");
    assert_answer("metrics", WADI_OK, "\nwadi_runs 1\n");
    assert_answer("metrics", WADI_OK, ",stage=\"0.in0\",name=\"in\"} 30\n");
    assert_answer("metrics", WADI_OK, ",from=\"0.in0\",to=\"0.0\"} 268435456\n");
    assert_answer("screen", WADI_OK,
                  "\n0.in0   source in               ramp              30  30% ");
    assert_answer("drain", WADI_INVALID, "is not saved");
    assert_answer("json", WADI_OK, "\"can_drain\": false");
    wadi_watch_drain_by(drain_all);
    assert_answer("json", WADI_OK, "\"can_drain\": true");
    assert_false(drained);
    assert_answer("drain", WADI_OK, "");
    assert_true(drained);
    wadi_watch_drain_by(NULL);
    assert_answer("pause", WADI_OK, "");
    assert_answer("list", WADI_OK, "double  paused ");
    assert_answer("resume", WADI_OK, "");
    assert_answer("list", WADI_OK, "double  running ");
    assert_answer("why run=999999", WADI_INVALID, "no run 999999 under way");
    assert_answer("", WADI_INVALID, "the request is empty");
    assert_answer("shut", WADI_INVALID, "shut: there is no such request");
    assert_answer("why run=-1", WADI_INVALID, "run: no such value");
    assert_answer("why run", WADI_INVALID, "run: no such value");
    assert_answer("screen sort=beauty", WADI_INVALID, "sort: no such value");
    char *json = NULL;
    assert_int_equal(wadi_run_view(f->run, &json, NULL), WADI_OK);
    assert_non_null(strstr(json, "{\"program\": \"double\", "));
    free(json);
    atomic_store(&in_gate.shut, false);
    end(f, WADI_OK);
    assert_answer("list", WADI_OK, "");
    assert_answer("pause", WADI_INVALID, "no run under way");
}

static void lines_fit_the_terminal(void **state) {
    (void)state;
    fixture *f = make(30);
    atomic_store(&in_gate.shut, true);
    start(f);
    wait_until(f, waits_begin);
    for (int width = 0; width < 140; width += 7)
        for (int height = 0; height < 30; height += 5) {
            char request[80];
            wadi_text out = {0};
            (void)snprintf(request, sizeof request, "screen width=%d height=%d utf8=1", width,
                           height);
            assert_int_equal(wadi_watch_answer("t", request, &out, NULL), WADI_OK);
            for (const char *at = wadi_text_str(&out); *at != '\0';) {
                int shown = 0;
                for (; *at != '\n'; at++) shown += ((unsigned char)*at & 0xc0) != 0x80;
                assert_true(shown <= width);
                at++;
            }
            wadi_text_fini(&out);
        }
    atomic_store(&in_gate.shut, false);
    end(f, WADI_OK);
}

/* ---- many look while runs begin and end ---- */

static atomic_bool looked_enough;
static atomic_int looked;

static void look_on(void *env) {
    static const char *const requests[] = {"json", "screen", "metrics",       "why",
                                           "list", "tap",    "tap stage=0.0", "tap stage=0.out0"};
    (void)env;
    for (int i = 0; !atomic_load(&looked_enough); i++) {
        wadi_text out = {0};
        const wadi_status status = wadi_watch_answer("t", requests[i % 8], &out, NULL);
        assert_true(status == WADI_OK || (i % 8 >= 5 && status == WADI_INVALID));
        wadi_text_fini(&out);
        atomic_fetch_add(&looked, 1);
    }
}

static void looking_disturbs_no_run(void **state) {
    (void)state;
    wadi_thread lookers[2] = {{0}};
    wadi_clock_set(NULL);
    atomic_store(&looked_enough, false);
    atomic_store(&looked, 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(wadi_thread_start(&lookers[i], look_on, NULL, NULL), WADI_OK);
    for (int i = 0; i < 40 || atomic_load(&looked) < 40; i++) {
        fixture *f = i % 2 == 0 ? make(N) : make_apart();
        start(f);
        end(f, WADI_OK);
    }
    atomic_store(&looked_enough, true);
    for (int i = 0; i < 2; i++) wadi_thread_join(&lookers[i]);
}

int main(void) {
#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(a_source_that_stands_still_is_named),
        CASE(a_sink_that_stands_still_is_named),
        CASE(whoever_is_at_work_is_busy),
        CASE(a_tap_shows_what_comes_after_it_is_asked_for),
        CASE(a_paused_run_takes_nothing_until_it_goes_on),
        CASE(a_paused_run_can_be_cancelled),
        CASE(requests_are_answered),
        CASE(lines_fit_the_terminal),
        CASE(looking_disturbs_no_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
