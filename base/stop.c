/* The tree of stops.
 *
 * Whoever opens the pipe publishes it and then checks for a call; whoever calls notes the call and then checks for a pipe. So
 * one of the two sees the other. The same holds between a call and a stop that is added below. A stop that leaves waits for
 * calls that may have found it; afterwards the stops below it have none above them. */
#include "base/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

static void init_room(wadi_stop_room *r) {
    for (int i = 0; i < WADI_STOP_SEATS; i++) atomic_init(&r->seat[i], NULL);
    atomic_init(&r->next, NULL);
}

/* The room after r, which is made if there is none. NULL: out of memory. */
static wadi_stop_room *next_room(wadi_stop_room *r) {
    wadi_stop_room *next = atomic_load(&r->next), *none = NULL;
    if (next != NULL) return next;
    next = calloc(1, sizeof *next);
    if (next == NULL) return NULL;
    init_room(next);
    if (atomic_compare_exchange_strong(&r->next, &none, next)) return next;
    free(next);
    return none;
}

static wadi_status sit_below(wadi_stop *s, wadi_stop *above, wadi_error *err) {
    for (wadi_stop_room *r = &above->below; r != NULL; r = next_room(r)) {
        for (int i = 0; i < WADI_STOP_SEATS; i++) {
            wadi_stop *nobody = NULL;
            if (!atomic_compare_exchange_strong(&r->seat[i], &nobody, s)) continue;
            s->above = above;
            s->place = &r->seat[i];
            if (wadi_stop_called(above)) wadi_stop_call(s);
            return WADI_OK;
        }
    }
    return wadi_fail(err, WADI_MEMORY, "stop: out of memory");
}

wadi_status wadi_stop_init(wadi_stop *s, wadi_stop *above, wadi_error *err) {
    memset(s, 0, sizeof *s);
    atomic_init(&s->called, 0);
    atomic_init(&s->calling, 0);
    atomic_init(&s->pipe, 0);
    init_room(&s->below);
    return above != NULL ? sit_below(s, above, err) : WADI_OK;
}

/* The descriptor of an end of the pipe: i = 0 to read, 1 to write. -1: there is no pipe. */
static int end_of(uint64_t both, int i) {
    return (int)(both >> (32 * i) & 0xffffffff) - 1;
}

static void close_both(uint64_t both) {
    for (int i = 0; i < 2; i++)
        if (end_of(both, i) >= 0) (void)close(end_of(both, i));
}

/* Guards `above` of all stops while one is removed. Calls of a stop do not take this lock. */
static pthread_mutex_t going = PTHREAD_MUTEX_INITIALIZER;

static void leave(wadi_stop *s) {
    if (s->above == NULL) return;
    atomic_store(s->place, NULL);
    while (atomic_load(&s->above->calling) > 0) (void)sched_yield();
    s->above = NULL;
}

static void let_go(wadi_stop_room *r) {
    for (int i = 0; i < WADI_STOP_SEATS; i++) {
        wadi_stop *below = atomic_load(&r->seat[i]);
        if (below != NULL) below->above = NULL;
    }
}

void wadi_stop_fini(wadi_stop *s) {
    (void)pthread_mutex_lock(&going);
    leave(s);
    for (wadi_stop_room *r = &s->below; r != NULL; r = atomic_load(&r->next)) let_go(r);
    (void)pthread_mutex_unlock(&going);
    close_both(atomic_load(&s->pipe));
    for (wadi_stop_room *r = atomic_load(&s->below.next); r != NULL;) {
        wadi_stop_room *next = atomic_load(&r->next);
        free(r);
        r = next;
    }
    memset(s, 0, sizeof *s);
}

/* Whoever waits is woken by the byte alone, so a write that fails is tried again, a few times. EAGAIN: the pipe is full, he is awake. */
static void write_byte(int end) {
    enum { TRIES = 8 };
    const char byte = 0;
    const int before = errno; /* of what a signal has interrupted */
    for (int i = 0; end >= 0 && i < TRIES; i++)
        if (write(end, &byte, 1) == 1 || errno == EAGAIN) break;
    errno = before;
}

static bool open_pipe(uint64_t *out) {
    int end[2];
    if (pipe(end) != 0) return false;
    for (int i = 0; i < 2; i++) {
        (void)fcntl(end[i], F_SETFD, FD_CLOEXEC);
        (void)fcntl(end[i], F_SETFL, O_NONBLOCK);
    }
    *out = (uint64_t)(end[0] + 1) | (uint64_t)(end[1] + 1) << 32;
    return true;
}

wadi_status wadi_stop_fd(wadi_stop *s, int *out_fd, wadi_error *err) {
    uint_fast64_t both = atomic_load(&s->pipe);
    uint64_t fresh = 0;
    if (both == 0) {
        if (!open_pipe(&fresh)) return wadi_fail_errno(err, errno, "stop: cannot open a pipe");
        if (atomic_compare_exchange_strong(&s->pipe, &both, fresh)) {
            both = fresh;
            if (wadi_stop_called(s)) write_byte(end_of(both, 1));
        } else { /* another thread was faster */
            close_both(fresh);
        }
    }
    *out_fd = end_of(both, 0);
    return WADI_OK;
}

void wadi_stop_call(wadi_stop *s) {
    atomic_store(&s->called, 1);
    write_byte(end_of(atomic_load(&s->pipe), 1));
    (void)atomic_fetch_add(&s->calling, 1);
    for (wadi_stop_room *r = &s->below; r != NULL; r = atomic_load(&r->next)) {
        for (int i = 0; i < WADI_STOP_SEATS; i++) {
            wadi_stop *below = atomic_load(&r->seat[i]);
            if (below != NULL) wadi_stop_call(below);
        }
    }
    (void)atomic_fetch_sub(&s->calling, 1);
}

bool wadi_stop_called(const wadi_stop *s) {
    return s != NULL && atomic_load(&s->called) != 0;
}
