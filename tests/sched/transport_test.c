/* Which addresses a link may have, and which peers the authenticator admits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <zmq.h>

#include "sched/transport/transport.h"
#include "sched/transport/zmq/zap.h"

static void addresses_say_where_they_lead(void **state) {
    (void)state;
    static const char long_path[] =
        "ipc:///a23456789012345678901234567890123456789012345678901234567890"
        "1234567890123456789012345678901234567890123456789";
    static const struct {
        const char *address;
        bool fine, local;
    } cases[] = {{"ipc:///tmp/x", true, true},
                 {"ipc://", false, true},
                 {long_path, false, true},
                 {"tcp://127.0.0.1:7700", true, true},
                 {"tcp://127.1.2.3:*", true, true},
                 {"tcp://localhost:1", true, true},
                 {"tcp://lo:1", true, true},
                 {"tcp://[::1]:65535", true, true},
                 {"tcp://127.0.0.1.example.org:7700", true, false},
                 {"tcp://127.0.0.1x:7700", true, false},
                 {"tcp://128.0.0.1:7700", true, false},
                 {"tcp://127.0.0.1:1;0.0.0.0:7700", true, false},
                 {"tcp://localhost:1;*:7700", true, false},
                 {"tcp://12.7.0.1:7700", true, false},
                 {"tcp://127.0.0.256:7700", true, false},
                 {"tcp://127.0.256.1:7700", true, false},
                 {"tcp://127.256.0.1:7700", true, false},
                 {"tcp://127.0.0:7700", true, false},
                 {"tcp://localhost.example.org:1", true, false},
                 {"tcp://[::2]:1", true, false},
                 {"tcp://*:7700", true, false},
                 {"tcp://0.0.0.0:7700", true, false},
                 {"tcp://example.org:65535", true, false},
                 {"tcp://example.org:65536", false, false},
                 {"tcp://example.org:123456", false, false},
                 {"tcp://example.org:77x", false, false},
                 {"tcp://example.org:", false, false},
                 {"tcp://example.org", false, false},
                 {"tcp://[::2]", false, false},
                 {"tcp://::1:7700", false, false},
                 {"tcp://2001:db8::1:7700", false, false},
                 {"tcp://:7700", false, false},
                 {"udp://example.org:1", false, false},
                 {"inproc://x", false, false},
                 {"", false, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wadi_error err = {0};
        const wadi_transport *row = NULL;
        const wadi_status status = wadi_transport_find(cases[i].address, &row, &err);
        if (status != (cases[i].fine ? WADI_OK : WADI_INVALID)) fail_msg("%s", cases[i].address);
        if (!cases[i].fine)
            assert_memory_equal(err.msg, cases[i].address,
                                strlen(cases[i].address) < 200 ? strlen(cases[i].address) : 200);
        if (wadi_address_is_local(cases[i].address) != cases[i].local)
            fail_msg("%s", cases[i].address);
    }
}

static void an_unknown_scheme_is_told_the_forms(void **state) {
    (void)state;
    wadi_error err = {0};
    const wadi_transport *row = NULL;
    assert_int_equal(wadi_transport_find("tcpx://h:1", &row, &err), WADI_INVALID);
    assert_string_equal(
        err.msg, "tcpx://h:1: a link leads to another process: tcp://HOST:PORT or ipc://PATH");
    assert_null(wadi_transport_of("tcp:/h:1"));
    assert_ptr_equal(wadi_transport_of("ipc://"), &wadi_transport_ipc);
}

/* ---- the authenticator, asked as ZeroMQ asks it: RFC 27 ---- */

typedef struct request {
    const char *domain, *mechanism;
    const uint8_t *key;
    size_t key_bytes;
    bool admitted;
} request;

static void ask(void *socket, const request *r) {
    char answer[6][64] = {""};
    const char *const frames[] = {"1.0", "17", r->domain, "127.0.0.1", "me", r->mechanism};
    for (int i = 0; i < 6; i++)
        assert_true(zmq_send(socket, frames[i], strlen(frames[i]),
                             i < 5 || r->key != NULL ? ZMQ_SNDMORE : 0) >= 0);
    if (r->key != NULL) assert_true(zmq_send(socket, r->key, r->key_bytes, 0) >= 0);
    for (int i = 0, more = 1; more != 0; i++) {
        size_t size = sizeof more;
        assert_in_range(i, 0, 5);
        assert_true(zmq_recv(socket, answer[i], sizeof answer[i] - 1, 0) >= 0);
        assert_int_equal(zmq_getsockopt(socket, ZMQ_RCVMORE, &more, &size), 0);
    }
    assert_string_equal(answer[0], "1.0");
    assert_string_equal(answer[1], "17");
    assert_string_equal(answer[2], r->admitted ? "200" : "400");
}

static void every_key_given_is_admitted_and_no_other(void **state) {
    (void)state;
    enum { KEYS = 3 };
    uint8_t key[KEYS + 1][32];
    char text[KEYS][41], domain[16];
    const char *keys[KEYS + 1] = {NULL};
    for (int i = 0; i <= KEYS; i++) memset(key[i], 7 * i + 1, 32);
    key[KEYS][0] = key[0][0];
    for (int i = 0; i < KEYS; i++) keys[i] = zmq_z85_encode(text[i], key[i], 32);
    void *context = zmq_ctx_new();
    wadi_error err = {0};
    assert_int_equal(wadi_zap_admit(context, keys, domain, sizeof domain, &err), WADI_OK);
    void *socket = zmq_socket(context, ZMQ_REQ);
    assert_int_equal(zmq_connect(socket, "inproc://zeromq.zap.01"), 0);
    const request requests[] = {
        {domain, "CURVE", key[0], 32, true},  {domain, "CURVE", key[1], 32, true},
        {domain, "CURVE", key[2], 32, true},  {domain, "CURVE", key[KEYS], 32, false},
        {domain, "CURVE", key[1], 31, false}, {domain, "CURVE", NULL, 0, false},
        {domain, "PLAIN", key[1], 32, false}, {"other", "CURVE", key[1], 32, false},
        {domain, "CURVE", key[0], 32, true}};
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) ask(socket, &requests[i]);
    (void)zmq_close(socket);
    assert_int_equal(zmq_ctx_term(context), 0);
}

static void what_is_no_key_is_refused(void **state) {
    (void)state;
    char domain[16];
    wadi_error err = {0};
    void *context = zmq_ctx_new();
    const char *const good = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7";
    const char *const keys[] = {good, "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf", NULL};
    assert_int_equal(wadi_zap_admit(context, keys, domain, sizeof domain, &err), WADI_INVALID);
    assert_string_equal(err.msg, "client key 2 is not a key");
    assert_int_equal(zmq_ctx_term(context), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_say_where_they_lead),
        cmocka_unit_test(an_unknown_scheme_is_told_the_forms),
        cmocka_unit_test(every_key_given_is_admitted_and_no_other),
        cmocka_unit_test(what_is_no_key_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
