/* Who is let in: nkeys, tokens, TLS. */
#include <arpa/inet.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "tests/nats/server.h"

/* A pair that the documentation of NATS prints. */
static const char seed[] = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY",
                  public_key[] = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4";

static char folder[] = "/tmp/wadi-nats-keys-XXXXXX";

static const char *path_of(const char *name) {
    static char paths[8][128];
    static int next;
    char *out = paths[next++ % 8];
    (void)snprintf(out, sizeof paths[0], "%s/%s", folder, name);
    return out;
}

static const char *write_file(const char *name, const char *text) {
    const char *path = path_of(name);
    assert_int_equal(wadi_file_write(path, text, strlen(text), 0600, NULL), WADI_OK);
    return path;
}

static wadi_status try_address(const char *address, wadi_error *err) {
    wadi_workq *q = NULL;
    const wadi_status st = test_try_open(address, true, &q, err);
    if (st == WADI_OK) q->ops->close(q);
    return st;
}

static wadi_status try_setting(const test_server *s, const char *host, const char *settings,
                               wadi_error *err) {
    char address[512];
    (void)snprintf(address, sizeof address, "nats://%s:%d/j?%s", host, s->port, settings);
    return try_address(address, err);
}

static void a_seed_lets_in(void **state) {
    (void)state;
    char extra[256], setting[200], text[200];
    test_server s;
    wadi_error err = {0};
    (void)snprintf(extra, sizeof extra, "authorization: {users: [{nkey: %s}]}\n", public_key);
    test_server_start(&s, true, extra);
    (void)snprintf(text, sizeof text, "%s\n%s\n", seed,
                   public_key); /* as `nk -gen user -pubout` prints them */
    (void)snprintf(setting, sizeof setting, "nkey=%s", write_file("good.nk", text));
    if (try_setting(&s, "127.0.0.1", setting, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(try_setting(&s, "127.0.0.1", "wait=1", &err), WADI_IO);
    assert_non_null(strstr(err.msg, "there is no connection"));
    test_server_end(&s);
}

/* A letter that is wrong is noticed, and no message shows a seed. */
static void a_wrong_seed_is_refused(void **state) {
    (void)state;
    char text[100], setting[200];
    wadi_error err = {0};
    test_server s = {.port = 9};
    for (size_t at = 0; at < sizeof seed - 1; at += 7) {
        (void)strcpy(text, seed);
        text[at] = text[at] == 'Q' ? 'R' : 'Q';
        (void)snprintf(setting, sizeof setting, "nkey=%s", write_file("bad.nk", text));
        assert_int_equal(try_setting(&s, "127.0.0.1", setting, &err), WADI_INVALID);
        assert_non_null(strstr(err.msg, "expected the seed of a user's nkey"));
        assert_null(strstr(err.msg, "SUACS"));
    }
    assert_int_equal(try_setting(&s, "127.0.0.1", "nkey=/none/such", &err), WADI_IO);
    assert_non_null(strstr(err.msg, "/none/such"));
    assert_int_equal(try_setting(&s, "127.0.0.1", "creds=/none/such", &err), WADI_IO);
    assert_non_null(strstr(err.msg, "/none/such"));
}

/* A server that lets nobody in, and how often somebody wanted in. In a thread of its own, where nothing may be asserted. */
typedef struct refuser {
    int listener, refused;
} refuser;

static void *refuse_all(void *env) {
    static const char info[] = "INFO {\"server_id\":\"refuser\",\"version\":\"2.9.10\",\"proto\":1,"
                               "\"headers\":true,\"max_payload\":1048576,\"auth_required\":true,"
                               "\"nonce\":\"1CCdNk5bnRKBrZ0\"}\r\n",
                      no[] = "-ERR 'Authorization Violation'\r\n";
    refuser *r = env;
    for (int s; (s = accept(r->listener, NULL, NULL)) >= 0; r->refused++) {
        char text[1024];
        const bool told = write(s, info, sizeof info - 1) > 0 && read(s, text, sizeof text) > 0 &&
                          write(s, no, sizeof no - 1) > 0;
        while (told && read(s, text, sizeof text) > 0) continue;
        (void)close(s);
    }
    return NULL;
}

static int refusals(const char *setting) {
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof a;
    refuser r = {.listener = socket(AF_INET, SOCK_STREAM, 0)};
    pthread_t thread;
    wadi_error err = {0};
    assert_int_equal(bind(r.listener, (const struct sockaddr *)&a, sizeof a), 0);
    assert_int_equal(listen(r.listener, 8), 0);
    assert_int_equal(getsockname(r.listener, (struct sockaddr *)&a, &n), 0);
    assert_int_equal(pthread_create(&thread, NULL, refuse_all, &r), 0);
    const test_server s = {.port = ntohs(a.sin_port)};
    assert_int_equal(try_setting(&s, "127.0.0.1", setting, &err), WADI_IO);
    if (strstr(err.msg, "Authorization Violation") == NULL) fail_msg("%s", err.msg);
    (void)shutdown(r.listener, SHUT_RDWR);
    (void)pthread_join(thread, NULL);
    (void)close(r.listener);
    return r.refused;
}

/* libnats keeps some signatures to itself, so whoever has a key may be let in the next time. */
static void who_signs_tries_again(void **state) {
    (void)state;
    char setting[200];
    (void)snprintf(setting, sizeof setting, "nkey=%s", write_file("again.nk", seed));
    assert_int_equal(refusals(setting), 3);
    (void)snprintf(setting, sizeof setting, "token=%s", write_file("again", "4711"));
    assert_int_equal(refusals(setting), 1);
}

static void a_token_lets_in(void **state) {
    (void)state;
    char setting[200];
    test_server s;
    wadi_error err = {0};
    test_server_start(&s, true, "authorization: {token: \"open sesame 4711\"}\n");
    (void)snprintf(setting, sizeof setting, "token=%s", write_file("good", "open sesame 4711\n"));
    if (try_setting(&s, "127.0.0.1", setting, &err) != WADI_OK) fail_msg("%s", err.msg);
    (void)snprintf(setting, sizeof setting, "token=%s", write_file("bad", "open sesame 4712\n"));
    assert_int_equal(try_setting(&s, "127.0.0.1", setting, &err), WADI_IO);
    (void)snprintf(setting, sizeof setting, "token=%s", write_file("empty", "\n"));
    assert_int_equal(try_setting(&s, "127.0.0.1", setting, &err), WADI_INVALID);
    test_server_end(&s);
}

/* An authority NAME.pem, and a certificate of localhost that it has signed. */
static bool make_certificates(const char *name) {
    char command[2048];
    (void)snprintf(command, sizeof command,
                   "cd %s && exec >/dev/null 2>&1 && "
                   "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 "
                   "-subj /CN=%s -keyout %s.key -out %s.pem && "
                   "openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "
                   "/CN=localhost -keyout %s-server.key -out %s.csr && "
                   "printf 'subjectAltName=DNS:localhost' > %s.ext && "
                   "openssl x509 -req -in %s.csr -CA %s.pem -CAkey %s.key -CAcreateserial -days 2 "
                   "-extfile %s.ext -out %s-server.pem",
                   folder, name, name, name, name, name, name, name, name, name, name, name);
    return system(command) == 0;
}

static void only_the_right_authority_is_believed(void **state) {
    (void)state;
    char extra[400], setting[200];
    test_server s;
    wadi_error err = {0};
    if (!make_certificates("right") || !make_certificates("wrong")) {
        (void)printf("skipped: openssl makes no certificates here\n");
        skip();
    }
    (void)snprintf(extra, sizeof extra, "tls: {cert_file: \"%s\", key_file: \"%s\"}\n",
                   path_of("right-server.pem"), path_of("right-server.key"));
    test_server_start(&s, true, extra);
    (void)snprintf(setting, sizeof setting, "ca=%s", path_of("right.pem"));
    if (try_setting(&s, "localhost", setting, &err) != WADI_OK) fail_msg("%s", err.msg);
    /* Another host, another authority, none. */
    assert_int_equal(try_setting(&s, "127.0.0.1", setting, &err), WADI_IO);
    (void)snprintf(setting, sizeof setting, "ca=%s", path_of("wrong.pem"));
    assert_int_equal(try_setting(&s, "localhost", setting, &err), WADI_IO);
    assert_int_equal(try_setting(&s, "localhost", "tls=yes", &err), WADI_IO);
    assert_int_equal(try_setting(&s, "localhost", "ca=/none/such", &err), WADI_IO);
    test_server_end(&s);
}

/* Where TLS is asked for, a server without it is not spoken to. */
static void tls_is_not_given_up(void **state) {
    (void)state;
    test_server s;
    wadi_error err = {0};
    test_server_start(&s, true, "");
    assert_int_equal(try_setting(&s, "localhost", "tls=yes", &err), WADI_IO);
    test_server_end(&s);
}

int main(void) {
    char command[128];
    test_need_nats();
    if (mkdtemp(folder) == NULL) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_seed_lets_in),
        cmocka_unit_test(a_wrong_seed_is_refused),
        cmocka_unit_test(who_signs_tries_again),
        cmocka_unit_test(a_token_lets_in),
        cmocka_unit_test(only_the_right_authority_is_believed),
        cmocka_unit_test(tls_is_not_given_up),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) == 0 ? failed : 1;
}
