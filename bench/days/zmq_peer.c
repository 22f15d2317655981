/* Bare PUSH and PULL over ZeroMQ. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "bench/days/days.h"

#include <zmq.h>

enum { LATER_MS = 10000 /* so long nothing may come */, AHEAD = 8 };

/* The way back has an address of its own. */
static void back_of(const char *address, char out[160]) {
    (void)snprintf(out, 160, "%s", address);
    if (strncmp(address, "ipc", 3) == 0)
        (void)snprintf(out, 160, "%s.back", address);
    else
        (void)snprintf(out, 160, "tcp://127.0.0.1:%d", 1 + atoi(strrchr(address, ':') + 1));
}

typedef struct ends {
    void *context, *push, *pull;
} ends;

/* home: it binds. */
static bool open_ends(ends *e, const char *address, bool home) {
    const int most = AHEAD, none = 0, later = LATER_MS;
    char back[160];
    back_of(address, back);
    *e = (ends){.context = zmq_ctx_new()};
    e->push = zmq_socket(e->context, ZMQ_PUSH);
    e->pull = zmq_socket(e->context, ZMQ_PULL);
    for (int i = 0; i < 2; i++) {
        void *s = i == 0 ? e->push : e->pull;
        (void)zmq_setsockopt(s, ZMQ_SNDHWM, &most, sizeof most);
        (void)zmq_setsockopt(s, ZMQ_RCVHWM, &most, sizeof most);
        (void)zmq_setsockopt(s, ZMQ_LINGER, home ? &none : &later, sizeof none);
        (void)zmq_setsockopt(s, ZMQ_RCVTIMEO, &later, sizeof later);
        (void)zmq_setsockopt(s, ZMQ_SNDTIMEO, &later, sizeof later);
    }
    if (home) return zmq_bind(e->push, address) == 0 && zmq_bind(e->pull, back) == 0;
    return zmq_connect(e->pull, address) == 0 && zmq_connect(e->push, back) == 0;
}

static void close_ends(ends *e) {
    if (e->context == NULL) return;
    (void)zmq_close(e->push);
    (void)zmq_close(e->pull);
    (void)zmq_ctx_term(e->context);
}

int days_zmq_answer(const char *address, int64_t n, int64_t items) {
    ends e = {.context = NULL};
    const size_t answer = (size_t)n / DAYS_WORDS;
    char *bytes = calloc(1, (size_t)n + 1);
    bool good = bytes != NULL && open_ends(&e, address, false);
    for (int64_t i = 0; good && i < items + 1; i++)
        good =
            zmq_recv(e.pull, bytes, (size_t)n, 0) >= 0 && zmq_send(e.push, bytes, answer, 0) >= 0;
    close_ends(&e);
    free(bytes);
    return good ? 0 : 1;
}

/* Everything is sent from the same bytes; as many as the queues take are ahead of the answers. */
static bool exchange(ends *e, const days_peer *p, const char *bytes, char *answer) {
    int64_t sent = 0, came = 0;
    while (came < p->items) {
        zmq_pollitem_t at[2] = {{.socket = e->push, .events = sent < p->items ? ZMQ_POLLOUT : 0},
                                {.socket = e->pull, .events = ZMQ_POLLIN}};
        if (zmq_poll(at, 2, LATER_MS) <= 0) return false;
        if (at[0].revents != 0 && zmq_send(e->push, bytes, (size_t)p->n, ZMQ_DONTWAIT) >= 0) sent++;
        if (at[1].revents != 0 && zmq_recv(e->pull, answer, (size_t)p->n, ZMQ_DONTWAIT) >= 0)
            came++;
    }
    return true;
}

wadi_status days_zmq_peer(void *env, double *out_s, wadi_error *err) {
    const days_peer *p = env;
    char n[24], items[24];
    ends e = {.context = NULL};
    pid_t child = 0;
    char *bytes = calloc(2, (size_t)p->n);
    (void)snprintf(n, sizeof n, "%lld", (long long)p->n);
    (void)snprintf(items, sizeof items, "%lld", (long long)p->items);
    bool good = bytes != NULL && open_ends(&e, p->address, true);
    const char *const how[] = {"zmq", p->address, n, items, NULL};
    if (good) good = days_start(how, &child, err) == WADI_OK;
    /* the first tells that the other end is there */
    good = good && zmq_send(e.push, bytes, (size_t)p->n, 0) >= 0 &&
           zmq_recv(e.pull, bytes + p->n, (size_t)p->n, 0) >= 0;
    const int64_t begin = wadi_clock_ns();
    good = good && exchange(&e, p, bytes, bytes + p->n);
    *out_s = (double)(wadi_clock_ns() - begin) * 1e-9;
    days_end(child);
    close_ends(&e);
    free(bytes);
    return good ? WADI_OK : wadi_fail(err, WADI_IO, "%s: bare ZeroMQ: an end is lost", p->address);
}
