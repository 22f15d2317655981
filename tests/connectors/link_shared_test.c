/* A stream that several processes share: one sends, others have a part each, and one gathers what they send on. */
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/stop.h"
#include "base/task.h"
#include "sched/builder.h"
#include "sched/stream.h"
#include "tests/connectors/link_ends.h"
#include "tests/connectors/pass_plan.h"

enum { WORKERS = 3, PATIENCE_MS = 120000 };

static const wadi_link_options whole_binds = {.bind = true, .lost_after_ms = PATIENCE_MS},
                               whole_connects = {.lost_after_ms = PATIENCE_MS},
                               binds = {.bind = true, .shared = true, .lost_after_ms = PATIENCE_MS},
                               connects = {.shared = true, .lost_after_ms = PATIENCE_MS};

typedef struct addresses {
    char upper[128], lower[128];
} addresses;

static addresses two_addresses(void) {
    addresses a;
    (void)snprintf(a.upper, sizeof a.upper, "%s", link_ipc_address("upper"));
    (void)snprintf(a.lower, sizeof a.lower, "%s", link_ipc_address("lower"));
    return a;
}

static wadi_status pass_part(const addresses *a, wadi_error *err) {
    wadi_source *in = NULL;
    wadi_sink *out = NULL;
    wadi_status status = wadi_source_link(a->upper, &connects, &in, err);
    if (status == WADI_OK) status = wadi_sink_link(a->lower, &connects, &out, err);
    if (status == WADI_OK) status = pass_through(in, out, WADI_I64, 1, 7, err);
    wadi_source_destroy(in);
    wadi_sink_destroy(out);
    return status;
}

static pid_t start_worker(const addresses *a) {
    (void)fflush(NULL);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid > 0) return pid;
    wadi_error err = {0};
    _exit((int)pass_part(a, &err));
}

static void end(pid_t pid) {
    (void)kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* A worker that comes when all is over waits for a sender, so they are ended. */
static void a_shared_stream_comes_whole_and_in_order(void **state) {
    (void)state;
    const addresses a = two_addresses();
    wadi_error err = {0};
    int64_t count = 0;
    pid_t workers[WORKERS];
    const pid_t sender = link_start_sender(a.upper, &binds, (link_teller){LINK_ELEMENTS, -1, -1});
    for (int i = 0; i < WORKERS; i++) workers[i] = start_worker(&a);
    const wadi_status status = link_receive(a.lower, &binds, 5, &count, &err);
    if (status != WADI_OK) print_error("%s\n", err.msg);
    assert_int_equal(status, WADI_OK);
    assert_int_equal(count, LINK_ELEMENTS);
    assert_int_equal(link_exit_status(sender), WADI_OK);
    for (int i = 0; i < WORKERS; i++) end(workers[i]);
}

static void an_empty_stream_is_shared(void **state) {
    (void)state;
    const addresses a = two_addresses();
    wadi_error err = {0};
    int64_t count = -1;
    const pid_t sender = link_start_sender(a.upper, &binds, (link_teller){0, -1, -1}),
                worker = start_worker(&a);
    assert_int_equal(link_receive(a.lower, &binds, 5, &count, &err), WADI_OK);
    assert_int_equal(count, 0);
    assert_int_equal(link_exit_status(sender), WADI_OK);
    end(worker);
}

/* The sender keeps little, so it does not come to its failure before others are there to hear of it. */
static void a_failure_of_the_sender_arrives_with_its_words(void **state) {
    (void)state;
    const wadi_link_options keeps_little = {
        .bind = true, .shared = true, .credit_bytes = 4000, .lost_after_ms = PATIENCE_MS};
    const addresses a = two_addresses();
    wadi_error err = {0};
    int64_t count = 0;
    const pid_t sender = link_start_sender(a.upper, &keeps_little,
                                           (link_teller){LINK_ELEMENTS, 321, -1}),
                worker = start_worker(&a);
    assert_int_equal(link_receive(a.lower, &binds, 5, &count, &err), WADI_IO);
    assert_string_equal(err.msg, "the well is dry");
    assert_int_equal(link_exit_status(sender), WADI_IO);
    end(worker);
}

static void refuses(const wadi_link_options *from, const wadi_link_options *to, const char *words) {
    const addresses a = two_addresses();
    wadi_error err = {0};
    int64_t count = 0;
    const pid_t sender = link_start_sender(a.upper, from, (link_teller){LINK_ELEMENTS, -1, -1});
    assert_int_not_equal(link_receive(a.upper, to, 5, &count, &err), WADI_OK);
    if (strstr(err.msg, words) == NULL) print_error("%s\n", err.msg);
    assert_non_null(strstr(err.msg, words));
    assert_int_equal(count, 0);
    end(sender);
}

/* Both ends must know. Builds of before say nothing of it, as those here that do not share. */
static void who_shares_alone_is_told_what_to_write(void **state) {
    (void)state;
    refuses(&binds, &whole_connects, "@link,part:");
    refuses(&whole_binds, &connects, "@link,share:");
}

/* The receiver waits on for others, so it is the sender that is told. */
static void senders_of_the_other_kind_are_turned_away(void **state) {
    (void)state;
    const addresses a = two_addresses();
    const pid_t gatherer = link_start_receiver(a.lower, &binds),
                sender = link_start_sender(a.lower, &whole_connects, (link_teller){1, -1, -1});
    assert_int_equal(link_exit_status(sender), WADI_INVALID);
    end(gatherer);
}

static void who_has_a_part_saves_nothing(void **state) {
    (void)state;
    const wadi_link_options saved = {.shared = true, .goes_on = true};
    wadi_source *in = NULL;
    wadi_sink *out = NULL;
    wadi_error err = {0};
    assert_int_equal(wadi_source_link("ipc:///tmp/none", &saved, &in, &err), WADI_UNSUPPORTED);
    assert_non_null(strstr(err.msg, "--state"));
    assert_int_equal(wadi_sink_link("ipc:///tmp/none", &saved, &out, &err), WADI_UNSUPPORTED);
    assert_non_null(strstr(err.msg, "--state"));
}

/* ---- a sink that is stopped while it waits for its end ---- */

static atomic_int told;

static void note_settled(wadi_source *self, int64_t first, int64_t count) {
    (void)self, (void)first, (void)count;
    atomic_fetch_add(&told, 1);
}

static void note_lost(wadi_source *self, const wadi_error *why) {
    (void)self, (void)why;
    atomic_fetch_add(&told, 1);
}

static wadi_status attend_nothing(wadi_source *self, wadi_error *err) {
    (void)self, (void)err;
    return WADI_OK;
}

static void name_whole(const wadi_source *self, wadi_whole *out) {
    (void)self;
    *out = (wadi_whole){.stream = 7, .elements = 1};
}

static wadi_chunk *one_element(wadi_buffers *buffers) {
    const int64_t one = 1;
    const wadi_part part = wadi_part_fixed(WADI_I64, 1, &one);
    wadi_builder b;
    wadi_array a;
    wadi_chunk *c = NULL;
    assert_int_equal(wadi_builder_init(&b, buffers, 1, &part, INT64_MAX, NULL), WADI_OK);
    assert_int_equal(wadi_builder_array(&b, 0, NULL, &a, NULL), WADI_OK);
    *(int64_t *)a.column[0] = 1;
    assert_int_equal(wadi_builder_next(&b, NULL), WADI_OK);
    assert_int_equal(wadi_chunk_create(buffers, 1, &c, NULL), WADI_OK);
    c->count = 1;
    wadi_builder_finish(&b, c, 0, 1);
    wadi_builder_fini(&b);
    return c;
}

/* Nobody gathers, so its thread fails after a while. The owner may close the source first, as `wadi run` does. */
static void a_sink_that_was_stopped_tells_its_source_nothing(void **state) {
    (void)state;
    static const wadi_source_ops ops = {
        .settled = note_settled, .lost = note_lost, .whole = name_whole, .attend = attend_nothing};
    const wadi_link_options soon = {.shared = true, .lost_after_ms = 300};
    const addresses a = two_addresses();
    wadi_source source = {.ops = &ops};
    wadi_buffers *buffers = NULL;
    wadi_sink *sink = NULL;
    wadi_stop stop;
    assert_int_equal(wadi_buffers_create(NULL, 0, &buffers, NULL), WADI_OK);
    assert_int_equal(wadi_stop_init(&stop, NULL, NULL), WADI_OK);
    assert_int_equal(wadi_sink_link(a.lower, &soon, &sink, NULL), WADI_OK);
    sink->part_of = &source;
    wadi_chunk *c = one_element(buffers);
    assert_int_equal(sink->ops->put(sink, c, NULL), WADI_OK);
    wadi_chunk_release(c);
    wadi_stop_call(&stop);
    const wadi_task before = wadi_task_begin((wadi_task){.name = "test", .stop = &stop});
    assert_int_equal(sink->ops->finish(sink, NULL), WADI_CANCELLED);
    wadi_task_end(before);
    const int told_before = atomic_load(&told);
    for (int i = 0; i < 100 && atomic_load(&told) == told_before; i++) (void)poll(NULL, 0, 20);
    assert_int_equal(atomic_load(&told), told_before);
    wadi_sink_destroy(sink);
    wadi_stop_fini(&stop);
    wadi_buffers_release(buffers);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shared_stream_comes_whole_and_in_order),
        cmocka_unit_test(an_empty_stream_is_shared),
        cmocka_unit_test(a_failure_of_the_sender_arrives_with_its_words),
        cmocka_unit_test(who_shares_alone_is_told_what_to_write),
        cmocka_unit_test(senders_of_the_other_kind_are_turned_away),
        cmocka_unit_test(who_has_a_part_saves_nothing),
        cmocka_unit_test(a_sink_that_was_stopped_tells_its_source_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
