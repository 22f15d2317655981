/* Sources and sinks of messages as programs make them: a source goes on from every position, also within a message; messages and streams that vanish beneath it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "sched/builder.h"
#include "sched/stream.h"
#include "tests/nats/raw.h"
#include "tests/nats/server.h"

enum { N = 11 };

static test_server server;
static wadi_buffers *buffers;

static void has_words(const wadi_error *err, const char *words) {
    if (strstr(err->msg, words) == NULL) fail_msg("expected \"%s\", got: %s", words, err->msg);
}

/* ---- streams ---- */

/* Waits for the answer. */
static void ask(const char *verb, const char *stream, const char *what) {
    char subject[128], text[2048];
    const int answers = test_raw_hear(server.port, "answers");
    (void)snprintf(subject, sizeof subject, "$JS.API.STREAM.%s.%s answers", verb, stream);
    test_raw_say(server.port, subject, "", what);
    test_raw_read(answers, "io.nats.jetstream", "\"error\"", text, sizeof text);
    if (strstr(text, "\"error\"") != NULL) fail_msg("%s: %s", subject, text);
}

static const char *address_of(const char *stream, const char *settings) {
    static char buffer[4][256];
    static int turn;
    char *out = buffer[turn++ % 4];
    (void)snprintf(out, sizeof buffer[0], "nats://127.0.0.1:%d/%s?wait=20%s", server.port, stream,
                   settings);
    return out;
}

/* A busy machine may not let it connect in time. */
static wadi_source *open_it(const char *address, wadi_type type) {
    const wadi_part part = wadi_part_fixed(type, 0, NULL);
    wadi_source *s = NULL;
    wadi_error err = {0};
    for (int i = 0; i < 20; i++) {
        if (wadi_source_messages(address, 1, &part, &s, &err) == WADI_OK) return s;
        if (strstr(err.msg, "there is no connection") == NULL) break;
    }
    fail_msg("%s: %s", address, err.msg);
    return NULL;
}

static void make(const char *stream) {
    char text[128];
    (void)snprintf(text, sizeof text, "{\"name\":\"%s\",\"subjects\":[\"%s.>\"]}", stream, stream);
    ask("CREATE", stream, text);
}

static void say(const char *stream, const char *text) {
    char subject[64];
    (void)snprintf(subject, sizeof subject, "%s.a", stream);
    test_raw_say(server.port, subject, "", text);
}

/* Reads at most k elements, and writes their numbers; returns how many there were, or -1. */
static int64_t try_some(wadi_source *s, int64_t k, int64_t *out, wadi_error *err) {
    wadi_builder b;
    wadi_chunk *c = NULL;
    assert_int_equal(wadi_builder_init(&b, buffers, s->parts, s->part, INT64_MAX, NULL), WADI_OK);
    const wadi_status st = s->ops->next(s, k, &b, err);
    const int64_t n = b.count;
    assert_in_range(n, 0, k);
    assert_int_equal(wadi_chunk_create(buffers, s->parts, &c, NULL), WADI_OK);
    c->count = n;
    wadi_builder_finish(&b, c, 0, n);
    for (int64_t i = 0; i < n; i++) {
        const wadi_array a = wadi_chunk_array(c, 0, i);
        out[i] = a.type[0] == WADI_U8 ? *(const uint8_t *)a.column[0] - 'A'
                                      : *(const int64_t *)a.column[0];
    }
    wadi_chunk_release(c);
    wadi_builder_fini(&b);
    return st == WADI_OK ? n : -1;
}

static int64_t read_some(wadi_source *s, int64_t k, int64_t *out) {
    wadi_error err = {0};
    const int64_t n = try_some(s, k, out, &err);
    if (n < 0) fail_msg("%s", err.msg);
    return n;
}

/* Just n elements, however they come. */
static void pass(wadi_source *s, int64_t n) {
    int64_t got[N];
    while (n > 0) n -= read_some(s, n < N ? n : N, got);
}

static void goes_on_from(wadi_source *s, int64_t from, int64_t k) {
    int64_t got[N], n;
    while ((n = read_some(s, k, got)) > 0)
        for (int64_t i = 0; i < n; i++) assert_int_equal(got[i], from++);
    assert_int_equal(from, N);
}

/* ---- positions ---- */

/* Eleven elements as each form has them, number i is i or the letter of that place; `last` is the number of the last message. */
static const struct {
    const char *stream, *settings;
    wadi_type type;
    int last;
    const char *texts[N];
} forms[] = {
    {"lines", "&as=lines", WADI_I64, 5, {"0\n1\n2\n", "", "3", "4\r\n5\n6", "7\n8\n9\n10\n"}},
    {"records", "&as=records", WADI_U8, 5, {"", "ABCDEFGHI", "J", "", "K"}},
    {"element", "", WADI_U8, 11, {"A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K"}},
};

static const char *form_address(size_t form) {
    char settings[64];
    (void)snprintf(settings, sizeof settings, "%s&follow=yes&to=%d", forms[form].settings,
                   forms[form].last);
    return address_of(forms[form].stream, settings);
}

static void a_source_goes_on_from_every_position(void **state) {
    (void)state;
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        wadi_position at[N + 1];
        int64_t got[N];
        make(forms[f].stream);
        for (int i = 0; i < forms[f].last; i++) say(forms[f].stream, forms[f].texts[i]);
        wadi_source *s = open_it(form_address(f), forms[f].type);
        for (int64_t i = 0; i <= N; i++) {
            assert_int_equal(wadi_source_tell(s, &at[i], NULL), WADI_OK);
            assert_int_equal(at[i].element, i);
            assert_int_equal(wadi_source_comes_back(s, NULL), WADI_OK);
            assert_int_equal(read_some(s, 1, got), i < N ? 1 : 0);
        }
        for (int64_t i = N; i >= 0; i--) { /* the same handle */
            assert_int_equal(wadi_source_seek(s, at[i], NULL), WADI_OK);
            goes_on_from(s, i, 3);
        }
        wadi_source_destroy(s);
        for (int64_t i = 0; i <= N; i++) { /* a fresh one, of which some is read */
            wadi_position now;
            s = open_it(form_address(f), forms[f].type);
            (void)read_some(s, 2, got);
            assert_int_equal(wadi_source_seek(s, at[i], NULL), WADI_OK);
            assert_int_equal(wadi_source_tell(s, &now, NULL), WADI_OK);
            assert_int_equal(now.element, at[i].element);
            assert_int_equal(now.mark, at[i].mark);
            goes_on_from(s, i, 1 + i);
            wadi_source_destroy(s);
        }
    }
}

static wadi_position within(int64_t element, int64_t message, int64_t given) {
    return (wadi_position){element, message << 23 | given};
}

/* Streams of the test before. */
static void what_is_no_position_is_refused_and_changes_nothing(void **state) {
    (void)state;
    static const wadi_position no[] = {{-1, 1 << 23}, {0, 0},           {0, -1},
                                       {0, 5},        {1, 1 << 23 | 2}, {3, INT64_MIN},
                                       {3, 9 << 23},  {3, INT64_MAX}};
    int64_t got[N];
    wadi_error err = {0};
    wadi_source *s = open_it(form_address(0), WADI_I64);
    assert_int_equal(read_some(s, 2, got), 2);
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        assert_int_equal(wadi_source_seek(s, no[i], &err), WADI_INVALID);
    goes_on_from(s, 2, 4);
    /* A message with fewer elements is another one. */
    assert_int_equal(wadi_source_seek(s, within(9, 1, 4), &err), WADI_OK);
    assert_int_equal(try_some(s, 1, got, &err), -1);
    has_words(&err, "message 1 has 3 elements, of which 4 have been read");
    wadi_source_destroy(s);
}

/* ---- what vanishes ---- */

static void a_message_that_is_gone_while_it_is_read_is_missed(void **state) {
    (void)state;
    int64_t got[N];
    wadi_error err = {0};
    make("gone");
    for (int i = 0; i < 4; i++) say("gone", "1\n2\n3\n");
    wadi_source *s = open_it(address_of("gone", "&as=lines&follow=yes&to=4"), WADI_I64);
    pass(s, 11);
    wadi_position at;
    assert_int_equal(wadi_source_tell(s, &at, NULL), WADI_OK);
    assert_int_equal(at.mark, within(11, 4, 2).mark);
    wadi_source_destroy(s);
    ask("MSG.DELETE", "gone", "{\"seq\":2}");
    s = open_it(address_of("gone", "&as=lines&follow=yes&to=4"), WADI_I64);
    assert_int_equal(wadi_source_seek(s, at, &err), WADI_OK);
    assert_int_equal(read_some(s, N, got), 1);
    assert_int_equal(read_some(s, N, got), 0);
    assert_int_equal(wadi_source_seek(s, within(5, 2, 2), &err), WADI_OK);
    assert_int_equal(try_some(s, 1, got, &err), -1);
    has_words(&err, "message 2 is gone, of which 2 elements have been read");
    wadi_source_destroy(s);
    s = open_it(address_of("gone", "&as=lines&follow=yes&to=4&gaps=yes"), WADI_I64);
    assert_int_equal(wadi_source_seek(s, within(5, 2, 2), &err), WADI_OK);
    pass(s, 6);
    assert_int_equal(read_some(s, N, got), 0);
    wadi_source_destroy(s);
    /* The beginning of the stream has passed it. */
    ask("MSG.DELETE", "gone", "{\"seq\":1}");
    s = open_it(address_of("gone", "&as=lines&follow=yes&to=4"), WADI_I64);
    assert_int_equal(wadi_source_seek(s, within(2, 1, 2), &err), WADI_IO);
    has_words(&err, "has discarded messages 1 to 2 before they were read");
    wadi_source_destroy(s);
}

/* What is at hand is given; then the rest is missed. */
static void a_stream_that_is_purged_or_removed_meanwhile(void **state) {
    (void)state;
    int64_t got[N];
    wadi_error err = {0};
    make("purged");
    say("purged", "0\n1\n2\n");
    wadi_source *s = open_it(address_of("purged", "&as=lines&follow=yes"), WADI_I64);
    assert_int_equal(read_some(s, 1, got), 1);
    ask("PURGE", "purged", "");
    assert_int_equal(read_some(s, N, got), 2);
    wadi_source_destroy(s);
    s = open_it(address_of("purged", "&as=lines&follow=yes"), WADI_I64);
    assert_int_equal(wadi_source_seek(s, within(1, 1, 1), &err), WADI_IO);
    has_words(&err, "has discarded messages 1 to 1 before they were read");
    say("purged", "3");
    assert_int_equal(read_some(s, N, got), 1);
    assert_int_equal(got[0], 3);
    ask("DELETE", "purged", "");
    assert_int_equal(try_some(s, N, got, &err), -1);
    has_words(&err, "has no stream \"purged\"");
    wadi_source_destroy(s);
}

int main(void) {
    test_need_nats();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_source_goes_on_from_every_position),
        cmocka_unit_test(what_is_no_position_is_refused_and_changes_nothing),
        cmocka_unit_test(a_message_that_is_gone_while_it_is_read_is_missed),
        cmocka_unit_test(a_stream_that_is_purged_or_removed_meanwhile),
    };
    if (wadi_buffers_create(NULL, 0, &buffers, NULL) != WADI_OK) return 1;
    test_server_start(&server, true, "");
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    test_server_end(&server);
    wadi_buffers_release(buffers);
    return failed;
}
