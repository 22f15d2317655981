/* Two runs of one process, joined by a link over an address without a file: all elements arrive, and so does the reason of a failure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/thread.h"
#include "tests/connectors/pass_plan.h"
#include "wadi/stream.h"

enum { ELEMENTS = 3000, CHUNK = 37 };

typedef struct sender {
    const char *address;
    int64_t fails_at; /* -1: it does not */
    wadi_status status;
    wadi_error err;
} sender;

/* Element i is i64[2]: i and its square. */
static wadi_status tell(void *env, int64_t index, wadi_yield *yield, wadi_error *err) {
    const sender *s = env;
    const int64_t two = 2;
    wadi_array a;
    if (index == s->fails_at) return wadi_fail(err, WADI_IO, "the well is dry");
    if (index == ELEMENTS) return WADI_OK;
    WADI_TRY(wadi_yield_array(yield, 0, &two, &a, err));
    ((int64_t *)a.column[0])[0] = index;
    ((int64_t *)a.column[0])[1] = index * index;
    return WADI_OK;
}

static void send_all(void *env) {
    sender *s = env;
    const wadi_part part = wadi_part_irregular(WADI_I64, 1);
    wadi_source *in = NULL;
    wadi_sink *out = NULL;
    s->status = wadi_source_callback(1, &part, tell, s, &in, &s->err);
    if (s->status == WADI_OK) s->status = wadi_sink_link(s->address, NULL, &out, &s->err);
    if (s->status == WADI_OK) s->status = pass_through(in, out, WADI_I64, 1, CHUNK, &s->err);
    wadi_source_destroy(in);
    wadi_sink_destroy(out);
}

/* How many elements came, all of them as they were sent. */
static wadi_status receive_all(const char *address, int64_t *out_count, wadi_error *err) {
    const wadi_link_options binds = {.bind = true};
    wadi_source *in = NULL;
    wadi_sink *out = NULL;
    assert_int_equal(wadi_sink_memory(&out, NULL), WADI_OK);
    wadi_status status = wadi_source_link(address, &binds, &in, err);
    if (status == WADI_OK) status = pass_through(in, out, WADI_I64, 1, 2 * CHUNK, err);
    *out_count = wadi_sink_memory_count(out);
    for (int64_t i = 0; i < *out_count; i++) {
        wadi_array a;
        assert_int_equal(wadi_sink_memory_get(out, i, 0, &a, NULL), WADI_OK);
        assert_int_equal(((int64_t *)a.column[0])[0], i);
        assert_int_equal(((int64_t *)a.column[0])[1], i * i);
    }
    wadi_source_destroy(in);
    wadi_sink_destroy(out);
    return status;
}

static void two_runs_are_joined(void **state) {
    (void)state;
    static const int64_t fails[] = {-1, 1000};
    for (size_t i = 0; i < sizeof fails / sizeof fails[0]; i++) {
        char address[64];
        wadi_thread thread = {0};
        wadi_error err = {0};
        int64_t count = 0;
        (void)snprintf(address, sizeof address, "ipc://@wadi-inside-%d-%zu", (int)getpid(), i);
        sender s = {.address = address, .fails_at = fails[i]};
        assert_int_equal(wadi_thread_start(&thread, send_all, &s, NULL), WADI_OK);
        const wadi_status status = receive_all(address, &count, &err);
        wadi_thread_join(&thread);
        assert_int_equal(count, fails[i] < 0 ? ELEMENTS : fails[i]);
        assert_int_equal(status, fails[i] < 0 ? WADI_OK : WADI_IO);
        assert_int_equal(s.status, status);
        if (status != WADI_OK) assert_non_null(strstr(err.msg, "the well is dry"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_runs_are_joined)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
