/* Workers of other processes as those see them who look at a run: the screen, the sentence, JSON and metrics of views that are made here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sched/view.h"
#include "sched/watch/json.h"
#include "sched/watch/metrics.h"
#include "sched/watch/screen.h"
#include "sched/watch/why.h"

static const int64_t second = INT64_C(1000000000);

/* A source and a stage of a run at work, whose stage is for workers. */
static wadi_view make_view(void) {
    wadi_view v = {.id = 1, .name = "sky", .phases = 1, .left_s = -1, .ndevices = 1};
    wadi_view_node n = {.kind = WADI_VIEW_SOURCE, .what = "raw", .total = -1};
    strcpy(v.device, "cpu");
    strcpy(v.devices[0].name, "cpu");
    strcpy(n.id, "0.in0");
    strcpy(n.name, "s");
    assert_true(wadi_vec_push(&v.nodes, n));
    n.kind = WADI_VIEW_STAGE;
    n.what = "read";
    strcpy(n.id, "0.0");
    n.elsewhere = true;
    assert_true(wadi_vec_push(&v.nodes, n));
    v.stats.elapsed_s = 10;
    v.stats.compute_s = 5;
    v.stats.threads = 2;
    v.elsewhere = (wadi_view_elsewhere){.used = true,
                                        .address = "nats://host/sky",
                                        .wanted = 2,
                                        .workers = 3,
                                        .items = 48,
                                        .most_items = 256,
                                        .bytes = 12000000,
                                        .most_bytes = 256000000,
                                        .unsent = 6,
                                        .in_turn = 4,
                                        .per_second = 12.5,
                                        .items_there = 1204,
                                        .elements_there = 120400,
                                        .items_here = 2,
                                        .elements_here = 200};
    return v;
}

static void add_wait(wadi_view *v, const char *what, int64_t ns) {
    wadi_wait_seen *w = &v->waits[v->nwaits++];
    *w = (wadi_wait_seen){.number = 7, .ns = ns};
    strcpy(w->owner, "compute");
    (void)snprintf(w->what, sizeof w->what, "%s", what);
    strcpy(w->name, "nats://host/sky?ack=1");
}

static void assert_why(const wadi_view *v, const char *want) {
    wadi_text t = {0};
    wadi_watch_why(v, &t);
    assert_string_equal(wadi_text_str(&t), want);
    wadi_text_fini(&t);
}

static void assert_has(const char *text, const char *part) {
    if (strstr(text, part) == NULL) fail_msg("no \"%s\" in:\n%s", part, text);
}

static void assert_has_not(const char *text, const char *part) {
    if (strstr(text, part) != NULL) fail_msg("a \"%s\" in:\n%s", part, text);
}

/* ---- why ---- */

static void workers_that_have_items_are_waited_for(void **state) {
    (void)state;
    wadi_view v = make_view();
    add_wait(&v, "elements from a worker", 1000);
    assert_why(&v, "compute waits for 3 workers elsewhere, which have 48 items (12.0 MB); 12 "
                   "answers/s come");
    v.waits[0].ns = 5 * second;
    assert_why(&v, "compute waits for 3 workers elsewhere, which have 48 items (12.0 MB); the "
                   "next in turn has not come for 5.0 s");
    v.elsewhere.workers = 1;
    v.elsewhere.items = 1;
    v.waits[0].ns = 0;
    assert_why(&v, "compute waits for 1 worker elsewhere, which has 1 item (12.0 MB); 12 "
                   "answers/s come");
    wadi_view_fini(&v);
}

static void items_that_are_held_are_told(void **state) {
    (void)state;
    wadi_view v = make_view();
    const char *pace = "nothing stands still: computing sets the pace, at 50 % of the time";
    v.elsewhere.held = true;
    v.elsewhere.unsent = 0;
    assert_why(&v, pace); /* nothing that is held */
    v.elsewhere.unsent = 5;
    assert_why(&v, "no items go to workers elsewhere until `wadi job resume`, and 5 wait here");
    v.elsewhere.unsent = 1;
    add_wait(&v, "elements from a worker", 5 * second);
    assert_why(&v, "no items go to workers elsewhere until `wadi job resume`, and 1 waits here");
    wadi_view_fini(&v);
}

static void a_server_that_takes_nothing_is_told(void **state) {
    (void)state;
    wadi_view v = make_view();
    add_wait(&v, "elements from a worker", 5 * second);
    v.elsewhere.stuck = 10;
    v.elsewhere.stuck_ns = second / 2;
    assert_why(&v, "compute waits for 3 workers elsewhere, which have 48 items (12.0 MB); the next "
                   "in turn has not come for 5.0 s"); /* it is on its way to the server */
    v.elsewhere.stuck_ns = 4 * second;
    strcpy(v.elsewhere.said, "maximum bytes \x1b exceeded");
    assert_why(&v, "the server of nats://host/sky has taken nothing for 4.0 s (maximum bytes . "
                   "exceeded), and 10 items wait for it");
    v.elsewhere.stuck = 1;
    v.elsewhere.said[0] = '\0';
    v.elsewhere.away = true;
    v.elsewhere.held = true;
    assert_why(&v, "the server of nats://host/sky has been away for 4.0 s, and 1 item waits for "
                   "it");
    v.elsewhere.lost = true; /* home computes all */
    v.elsewhere.held = false;
    v.nwaits = 0;
    assert_why(&v, "nothing stands still: computing sets the pace, at 50 % of the time; workers at "
                   "nats://host/sky get nothing any more, and all is computed here");
    wadi_view_fini(&v);
}

static void workers_that_are_to_come_are_waited_for(void **state) {
    (void)state;
    wadi_view v = make_view();
    v.elsewhere.workers = 1;
    add_wait(&v, "worker", 3 * second);
    assert_why(&v, "compute waits for 2 workers to come to nats://host/sky, for 3.0 s; 1 is there");
    wadi_view_fini(&v);
}

static void that_nobody_comes_is_told(void **state) {
    (void)state;
    wadi_view v = make_view();
    const char *pace = "nothing stands still: computing sets the pace, at 50 % of the time";
    assert_why(&v, pace);
    v.elsewhere.workers = 0;
    assert_why(&v, "nothing stands still: computing sets the pace, at 50 % of the time; no worker "
                   "is at nats://host/sky, and all is computed here");
    v.elsewhere.workers = 3;
    v.elsewhere.lost = true;
    assert_why(&v, "nothing stands still: computing sets the pace, at 50 % of the time; workers at "
                   "nats://host/sky get nothing any more, and all is computed here");
    v.elsewhere = (wadi_view_elsewhere){.used = false};
    assert_why(&v, pace);
    wadi_view_fini(&v);
}

/* ---- the screen ---- */

static void draw(const wadi_view *v, int height, wadi_text *out) {
    static const wadi_watch_pace still;
    const wadi_watch_screen o = {.width = 200, .height = height};
    wadi_watch_draw(v, &still, &o, out);
}

static int lines(const char *s) {
    int n = 0;
    for (; *s != '\0'; s++) n += *s == '\n';
    return n;
}

static void the_screen_has_a_line_of_workers_elsewhere(void **state) {
    (void)state;
    wadi_view v = make_view();
    wadi_text t = {0};
    draw(&v, 0, &t);
    assert_has(wadi_text_str(&t), "workers here [");
    assert_has(wadi_text_str(&t),
               "\n3 workers elsewhere for 0.0 [##        ] 48 of 256 items, 12.0 MB of 256 MB, "
               "4 in turn   12 answers/s   items done there 1.20 k, here 2   nats://host/sky\n");
    wadi_text_clear(&t);
    v.elsewhere.held = true;
    draw(&v, 0, &t);
    assert_has(wadi_text_str(&t), "here 2   paused   nats://host/sky\n");
    wadi_text_clear(&t);
    v.elsewhere = (wadi_view_elsewhere){.used = false};
    draw(&v, 0, &t);
    assert_has_not(wadi_text_str(&t), "elsewhere");
    assert_has_not(wadi_text_str(&t), "workers here");
    wadi_text_fini(&t);
    wadi_view_fini(&v);
}

static void the_table_leaves_room_for_that_line(void **state) {
    enum { NODES = 40, HEIGHT = 24 };
    (void)state;
    wadi_view v = make_view();
    wadi_text t = {0};
    while (v.nodes.n < NODES) assert_true(wadi_vec_push(&v.nodes, v.nodes.at[1]));
    draw(&v, HEIGHT, &t);
    assert_int_equal(lines(wadi_text_str(&t)), HEIGHT);
    wadi_text_fini(&t);
    wadi_view_fini(&v);
}

/* ---- for programs ---- */

static void json_has_them(void **state) {
    (void)state;
    wadi_view v = make_view();
    wadi_text t = {0};
    wadi_watch_json(&v, &t);
    assert_has(
        wadi_text_str(&t),
        "\"elsewhere\": {\"address\": \"nats://host/sky\", \"stages\": [\"0.0\"], \"workers\": "
        "3, \"wanted\": 2, \"in_flight\": 48, \"credit\": 256, \"bytes_in_flight\": "
        "12000000, \"budget\": 256000000, \"unsent\": 6, \"in_turn\": 4, \"per_second\": "
        "12.5, \"items\": "
        "{\"workers\": 1204, \"home\": 2}, \"elements\": {\"workers\": 120400, \"home\": "
        "200}, \"paused\": false, \"lost\": false}, \"why\"");
    wadi_text_clear(&t);
    v.nodes.at[1].elsewhere = false;
    wadi_watch_json(&v, &t);
    assert_has(wadi_text_str(&t), "\"stages\": [], \"workers\"");
    wadi_text_clear(&t);
    v.nodes.at[0].elsewhere = v.nodes.at[1].elsewhere = true;
    wadi_watch_json(&v, &t);
    assert_has(wadi_text_str(&t), "\"stages\": [\"0.in0\", \"0.0\"], \"workers\"");
    wadi_text_clear(&t);
    v.elsewhere = (wadi_view_elsewhere){.used = false};
    wadi_watch_json(&v, &t);
    assert_has(wadi_text_str(&t), "\"elsewhere\": null, \"why\"");
    wadi_text_fini(&t);
    wadi_view_fini(&v);
}

static void metrics_have_them(void **state) {
    static const char *const lines_of[] = {
        "wadi_elsewhere_workers{run=\"1\",program=\"sky\"} 3\n",
        "wadi_elsewhere_fill_items{run=\"1\",program=\"sky\"} 48\n",
        "wadi_elsewhere_limit_items{run=\"1\",program=\"sky\"} 256\n",
        "wadi_elsewhere_fill_bytes{run=\"1\",program=\"sky\"} 12000000\n",
        "wadi_elsewhere_limit_bytes{run=\"1\",program=\"sky\"} 256000000\n",
        "wadi_elsewhere_answers_in_turn{run=\"1\",program=\"sky\"} 4\n",
        "wadi_elsewhere_answers_per_second{run=\"1\",program=\"sky\"} 12.5\n",
        "wadi_elsewhere_items_total{run=\"1\",program=\"sky\",by=\"workers\"} 1204\n",
        "wadi_elsewhere_items_total{run=\"1\",program=\"sky\",by=\"home\"} 2\n",
        "wadi_elsewhere_elements_total{run=\"1\",program=\"sky\",by=\"workers\"} 120400\n",
        "wadi_elsewhere_elements_total{run=\"1\",program=\"sky\",by=\"home\"} 200\n",
        "wadi_elsewhere_paused{run=\"1\",program=\"sky\"} 0\n"};
    (void)state;
    wadi_view v = make_view();
    wadi_text t = {0};
    wadi_watch_metrics(&v, 1, &t);
    for (size_t i = 0; i < sizeof lines_of / sizeof *lines_of; i++)
        assert_has(wadi_text_str(&t), lines_of[i]);
    wadi_text_clear(&t);
    v.elsewhere = (wadi_view_elsewhere){.used = false};
    wadi_watch_metrics(&v, 1, &t);
    assert_has_not(wadi_text_str(&t), "\nwadi_elsewhere");
    wadi_text_fini(&t);
    wadi_view_fini(&v);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_that_have_items_are_waited_for),
        cmocka_unit_test(items_that_are_held_are_told),
        cmocka_unit_test(a_server_that_takes_nothing_is_told),
        cmocka_unit_test(workers_that_are_to_come_are_waited_for),
        cmocka_unit_test(that_nobody_comes_is_told),
        cmocka_unit_test(the_screen_has_a_line_of_workers_elsewhere),
        cmocka_unit_test(the_table_leaves_room_for_that_line),
        cmocka_unit_test(json_has_them),
        cmocka_unit_test(metrics_have_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
