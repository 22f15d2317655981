/* HTTP by libmicrohttpd. One thread serves all connections by epoll, one request each. A connection that has not ended after some seconds is cut
 * off, whatever it does: whoever sends a byte now and then, or does not read, holds up nobody but the few who find no room meanwhile. */
#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/loadable_face.h"
#include "sched/http.h"

enum {
    CONNECTIONS = 32,
    SILENT_S = 10, /* a connection that says nothing */
    ROOM = 16384,  /* bytes of a request's head */
    LOOK_MS =
        250 /* how often the thread looks whether to end, and for those who have been there too long */
};
static const int64_t MOST_NS = 20000000000;

typedef struct guest {
    struct MHD_Connection *connection; /* NULL: the seat is free */
    int64_t since_ns;
} guest;

typedef struct server {
    struct MHD_Daemon *daemon;
    wadi_http_answer_fn answer;
    void *env;
    pthread_t thread;
    bool runs;
    atomic_bool stop;
    guest guests[CONNECTIONS]; /* by the thread alone */
} server;

/* ---- answers ---- */

static const char *header(struct MHD_Connection *c, const char *name) {
    return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

static const char *argument(struct MHD_Connection *c, const char *name) {
    return MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, name);
}

static enum MHD_Result send_answer(struct MHD_Connection *c, const wadi_http_answer *a) {
    struct MHD_Response *r = MHD_create_response_from_buffer(
        a->body.n, (void *)(uintptr_t)wadi_text_str(&a->body), MHD_RESPMEM_MUST_COPY);
    if (r == NULL) return MHD_NO;
    static const struct {
        const char *name, *value;
    } always[] = {
        {MHD_HTTP_HEADER_CONNECTION, "close"}, {MHD_HTTP_HEADER_CACHE_CONTROL, "no-store"},
        {"X-Content-Type-Options", "nosniff"}, {"X-Frame-Options", "DENY"},
        {"Referrer-Policy", "no-referrer"},    {"Cross-Origin-Resource-Policy", "same-origin"}};
    enum MHD_Result fine = MHD_YES;
    for (size_t i = 0; i < sizeof always / sizeof always[0] && fine == MHD_YES; i++)
        fine = MHD_add_response_header(r, always[i].name, always[i].value);
    if (fine == MHD_YES) fine = MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, a->type);
    if (fine == MHD_YES && a->allow != NULL)
        fine = MHD_add_response_header(r, MHD_HTTP_HEADER_ALLOW, a->allow);
    if (fine == MHD_YES && a->policy != NULL)
        fine = MHD_add_response_header(r, "Content-Security-Policy", a->policy);
    if (fine == MHD_YES) fine = MHD_queue_response(c, (unsigned)a->status, r);
    MHD_destroy_response(r);
    return fine;
}

/* Called when the head of a request is there, with each piece of its body, which is dropped, and at its end. */
static enum MHD_Result on_request(void *env, struct MHD_Connection *c, const char *url,
                                  const char *method, const char *version, const char *upload,
                                  size_t *upload_n, void **own) {
    const server *s = env;
    static int has_head;
    (void)version;
    (void)upload;
    if (*own == NULL || *upload_n > 0) {
        *own = &has_head;
        *upload_n = 0;
        return MHD_YES;
    }
    const wadi_http_request q = {.method = method,
                                 .path = url,
                                 .host = header(c, MHD_HTTP_HEADER_HOST),
                                 .origin = header(c, MHD_HTTP_HEADER_ORIGIN),
                                 .authorization = header(c, MHD_HTTP_HEADER_AUTHORIZATION),
                                 .token = argument(c, "token"),
                                 .run = argument(c, "run"),
                                 .stage = argument(c, "stage")};
    wadi_http_answer a = {.status = MHD_HTTP_INTERNAL_SERVER_ERROR};
    s->answer(s->env, &q, &a);
    const enum MHD_Result sent = a.body.failed ? MHD_NO : send_answer(c, &a);
    wadi_text_fini(&a.body);
    return sent;
}

/* ---- connections ---- */

static guest *find_guest(server *s, const struct MHD_Connection *c) {
    for (int i = 0; i < CONNECTIONS; i++)
        if (s->guests[i].connection == c) return &s->guests[i];
    return NULL;
}

static void on_connection(void *env, struct MHD_Connection *c, void **own,
                          enum MHD_ConnectionNotificationCode code) {
    server *s = env;
    const bool comes = code == MHD_CONNECTION_NOTIFY_STARTED;
    guest *g = find_guest(s, comes ? NULL : c);
    (void)own;
    if (g != NULL) *g = (guest){comes ? c : NULL, wadi_clock_ns()};
}

static void cut_off(const guest *g) {
    const union MHD_ConnectionInfo *about =
        MHD_get_connection_info(g->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (about != NULL) (void)shutdown(about->connect_fd, SHUT_RDWR);
}

static void cut_off_old(const server *s) {
    const int64_t now = wadi_clock_ns();
    for (int i = 0; i < CONNECTIONS; i++)
        if (s->guests[i].connection != NULL && now - s->guests[i].since_ns > MOST_NS)
            cut_off(&s->guests[i]);
}

static void *work(void *env) {
    server *s = env;
    while (!atomic_load(&s->stop)) {
        (void)MHD_run_wait(s->daemon, LOOK_MS);
        cut_off_old(s);
    }
    return NULL;
}

/* ---- life ---- */

static void say_nothing(void *env, const char *format, va_list args) {
    (void)env;
    (void)format;
    (void)args;
}

typedef union place {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
} place;

static bool read_address(const char *address, int port, place *out) {
    memset(out, 0, sizeof *out);
    if (inet_pton(AF_INET, address, &out->v4.sin_addr) == 1) {
        out->v4.sin_family = AF_INET;
        out->v4.sin_port = htons((uint16_t)port);
        return true;
    }
    out->v6.sin6_family = AF_INET6;
    out->v6.sin6_port = htons((uint16_t)port);
    return inet_pton(AF_INET6, address, &out->v6.sin6_addr) == 1;
}

static wadi_status start_daemon(server *s, const place *at, wadi_error *err) {
    const unsigned v6 = at->any.sa_family == AF_INET6 ? (unsigned)MHD_USE_IPv6 : 0;
    s->daemon = MHD_start_daemon(
        (unsigned)MHD_USE_EPOLL | v6, 0, NULL, NULL, on_request, s, MHD_OPTION_SOCK_ADDR, &at->any,
        MHD_OPTION_EXTERNAL_LOGGER, say_nothing, NULL, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SILENT_S,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)ROOM, MHD_OPTION_NOTIFY_CONNECTION,
        on_connection, s, MHD_OPTION_END);
    if (s->daemon != NULL) return WADI_OK;
    return wadi_fail_errno(err, errno, "cannot listen there");
}

/* Signals are for the threads of the program. */
static wadi_status start_thread(server *s, wadi_error *err) {
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &before);
    const int failed = pthread_create(&s->thread, NULL, work, s);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    s->runs = failed == 0;
    return s->runs ? WADI_OK : wadi_fail_errno(err, failed, "no thread");
}

static void close_server(void *owned_s) {
    server *s = owned_s;
    atomic_store(&s->stop, true);
    if (s->runs) (void)pthread_join(s->thread, NULL);
    if (s->daemon != NULL) MHD_stop_daemon(s->daemon);
    free(s);
}

static int port_of(const server *s) {
    const union MHD_DaemonInfo *about = MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT);
    return about != NULL ? about->port : 0;
}

static wadi_status open_server(const char *address, int port, wadi_http_answer_fn answer, void *env,
                               void **out, int *out_port, wadi_error *err) {
    place at;
    if (!read_address(address, port, &at))
        return wadi_fail(err, WADI_INVALID, "%s is no numerical address", address);
    server *s = calloc(1, sizeof *s);
    if (s == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    s->answer = answer;
    s->env = env;
    wadi_status status = start_daemon(s, &at, err);
    if (status == WADI_OK) *out_port = port_of(s); /* before anybody is answered */
    if (status == WADI_OK) status = start_thread(s, err);
    if (status != WADI_OK) {
        close_server(s);
        return status;
    }
    *out = s;
    return WADI_OK;
}

static const char *version(void) {
    static char words[64];
    (void)snprintf(words, sizeof words, "libmicrohttpd %s", MHD_get_version());
    return words;
}

static const wadi_http_offer http_server = {open_server, close_server};
static const wadi_loadable_offer offers[] = {{"server", &http_server}, {0}};

WADI_LOADABLE("LGPL-2.1-or-later", version, offers);
