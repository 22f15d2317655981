/* A vector under a lock, and one condition for both ends. That is enough, because at most one end waits at a time: the queue
 * cannot be full and empty at once. Cancelling may happen in a signal handler, which cannot signal a condition, so a waiting
 * end checks for it regularly. */
#include "sched/pipe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/thread.h"
#include "base/vec.h"
#include "sched/trace.h"

enum { LOOK_NS = 50000000 /* how often a waiting end checks whether the run is cancelled */ };

typedef struct under_way {
    wadi_chunk *chunk; /* NULL: the receiver has taken it */
    int64_t bytes;
} under_way;

struct wadi_pipe {
    wadi_pipe_options options;
    int made; /* how many of the next two fields are initialised */
    wadi_mutex lock;
    wadi_condition changed;
    /* guarded by the lock */
    WADI_VEC(under_way) chunks; /* in order; the receiver has the first `taken` */
    size_t taken;
    int64_t bytes; /* of all these chunks */
    int64_t count; /* chunks received so far, for the watchdog */
    int64_t sent;
    int64_t
        waits_ns[2]; /* clock when the receiver, and the sender, began to wait; 0: it does not */
    bool ended, nudged;
    wadi_error
        failed; /* the sender's failure, which comes after the chunks in flight; status WADI_OK: none */
    wadi_error given_up; /* why the receiver has given up; status WADI_OK: it has not */
};

wadi_status wadi_pipe_create(const wadi_pipe_options *options, wadi_pipe **out, wadi_error *err) {
    wadi_pipe *p = calloc(1, sizeof *p);
    if (p == NULL) return wadi_fail(err, WADI_MEMORY, "stream: out of memory");
    p->options = *options;
    wadi_status status = wadi_mutex_init(&p->lock, err);
    if (status == WADI_OK) {
        p->made++;
        status = wadi_condition_init(&p->changed, err);
    }
    if (status == WADI_OK) {
        p->made++;
        *out = p;
    } else {
        wadi_pipe_destroy(p);
    }
    return status;
}

void wadi_pipe_destroy(wadi_pipe *p) {
    if (p == NULL) return;
    for (size_t i = p->taken; i < p->chunks.n; i++) wadi_chunk_release(p->chunks.at[i].chunk);
    wadi_vec_free(&p->chunks);
    if (p->made > 1) wadi_condition_fini(&p->changed);
    if (p->made > 0) wadi_mutex_fini(&p->lock);
    free(p);
}

/* ---- waiting ---- */

typedef bool (*condition)(const wadi_pipe *p, int64_t bytes);

static bool has_room(const wadi_pipe *p, int64_t bytes) {
    const wadi_pipe_options *o = &p->options;
    return p->chunks.n == 0 ||
           ((int64_t)p->chunks.n < o->most_chunks && bytes <= o->most_bytes - p->bytes);
}

static bool all_done(const wadi_pipe *p, int64_t bytes) {
    WADI_UNUSED(bytes);
    return p->chunks.n == 0;
}

static bool has_more(const wadi_pipe *p, int64_t bytes) {
    WADI_UNUSED(bytes);
    return p->taken < p->chunks.n || p->ended || p->nudged || p->failed.status != WADI_OK;
}

static wadi_status tell(const wadi_error *why, wadi_error *err) {
    if (why->status != WADI_OK && err != NULL) *err = *why;
    return why->status;
}

static void trace_wait(const wadi_pipe *p, const char *what, int64_t begin_ns) {
    char words[64];
    if (p->options.trace == NULL) return;
    (void)snprintf(words, sizeof words, "waits for %s", what);
    wadi_trace_add_shared(p->options.trace, "link", p->options.name,
                          wadi_trace_word(p->options.trace, words), begin_ns, wadi_clock_ns(),
                          (wadi_trace_amount){.unit = NULL});
}

/* `what` is static. */
static void trace_chunk(const wadi_pipe *p, const char *what, const wadi_chunk *c) {
    if (p->options.trace == NULL) return;
    const int64_t now = wadi_clock_ns();
    wadi_trace_add_shared(p->options.trace, "link", p->options.name, what, now, now,
                          (wadi_trace_amount){.unit = "elements", .n = c->count});
}

/* Waits, with the lock held, until `holds`, or the receiver gives up, or the run is cancelled. */
static wadi_status wait_until(wadi_pipe *p, condition holds, int64_t bytes, const char *owner,
                              const char *what, int64_t number, wadi_error *err) {
    const bool sends = owner == p->options.from;
    int ticket = -1;
    bool waits = false;
    wadi_status status = WADI_OK;
    for (;;) {
        if (sends) status = tell(&p->given_up, err);
        if (status != WADI_OK || holds(p, bytes)) break;
        if (wadi_stop_called(p->options.stop)) {
            status = wadi_fail(err, WADI_CANCELLED, "cancelled");
            break;
        }
        if (!waits) {
            waits = true;
            p->waits_ns[sends] = wadi_clock_ns();
            ticket = wadi_wait_begin(
                p->options.waits,
                (wadi_wait){owner, what, number, sends ? p->options.to : p->options.from, false});
        }
        (void)wadi_condition_wait_for(&p->changed, &p->lock, LOOK_NS);
    }
    if (waits) {
        wadi_wait_end(p->options.waits, ticket);
        trace_wait(p, what, p->waits_ns[sends]);
    }
    p->waits_ns[sends] = 0;
    return status;
}

/* ---- sender ---- */

wadi_status wadi_pipe_send(wadi_pipe *p, wadi_chunk *owned_c, wadi_error *err) {
    const under_way u = {owned_c, wadi_chunk_bytes(owned_c)};
    wadi_mutex_lock(&p->lock);
    wadi_status status =
        wait_until(p, has_room, u.bytes, p->options.from, "room for chunk", p->sent, err);
    if (status == WADI_OK && !wadi_vec_push(&p->chunks, u))
        status = wadi_fail(err, WADI_MEMORY, "stream: out of memory");
    if (status == WADI_OK) {
        trace_chunk(p, "send", owned_c);
        p->bytes += u.bytes;
        p->sent++;
        wadi_condition_broadcast(&p->changed);
    }
    wadi_mutex_unlock(&p->lock);
    if (status != WADI_OK) wadi_chunk_release(owned_c);
    return status;
}

static wadi_status settle(wadi_pipe *p, wadi_error *err) {
    return wait_until(p, all_done, 0, p->options.from, "confirmation of chunks below", p->sent,
                      err);
}

wadi_status wadi_pipe_settle(wadi_pipe *p, wadi_error *err) {
    wadi_mutex_lock(&p->lock);
    const wadi_status status = settle(p, err);
    wadi_mutex_unlock(&p->lock);
    return status;
}

wadi_status wadi_pipe_check(wadi_pipe *p, wadi_error *err) {
    wadi_mutex_lock(&p->lock);
    const wadi_status status = tell(&p->given_up, err);
    wadi_mutex_unlock(&p->lock);
    return status;
}

wadi_status wadi_pipe_end(wadi_pipe *p, wadi_error *err) {
    wadi_mutex_lock(&p->lock);
    p->ended = true;
    wadi_condition_broadcast(&p->changed);
    const wadi_status status = settle(p, err);
    wadi_mutex_unlock(&p->lock);
    return status;
}

void wadi_pipe_fail(wadi_pipe *p, const wadi_error *why) {
    wadi_mutex_lock(&p->lock);
    if (p->failed.status == WADI_OK) p->failed = *why;
    wadi_condition_broadcast(&p->changed);
    if (why->status != WADI_CANCELLED) (void)!settle(p, NULL);
    wadi_mutex_unlock(&p->lock);
}

/* ---- receiver ---- */

wadi_status wadi_pipe_receive(wadi_pipe *p, wadi_chunk **out, wadi_error *err) {
    *out = NULL;
    wadi_mutex_lock(&p->lock);
    wadi_status status = wait_until(p, has_more, 0, p->options.to, "chunk", p->count, err);
    if (status == WADI_OK && p->taken < p->chunks.n) {
        *out = p->chunks.at[p->taken].chunk;
        p->chunks.at[p->taken++].chunk = NULL;
        p->count++;
        trace_chunk(p, "receive", *out);
    } else if (status == WADI_OK && !p->nudged) {
        status = tell(&p->failed, err);
    }
    wadi_mutex_unlock(&p->lock);
    return status;
}

bool wadi_pipe_nudged(wadi_pipe *p) {
    wadi_mutex_lock(&p->lock);
    const bool nudged = p->nudged;
    p->nudged = false;
    wadi_mutex_unlock(&p->lock);
    return nudged;
}

void wadi_pipe_nudge(wadi_pipe *p) {
    wadi_mutex_lock(&p->lock);
    p->nudged = true;
    wadi_condition_broadcast(&p->changed);
    wadi_mutex_unlock(&p->lock);
}

void wadi_pipe_done(wadi_pipe *p) {
    wadi_mutex_lock(&p->lock);
    WADI_ASSERT(p->taken > 0);
    p->bytes -= p->chunks.at[0].bytes;
    p->taken--;
    p->chunks.n--;
    memmove(&p->chunks.at[0], &p->chunks.at[1], p->chunks.n * sizeof p->chunks.at[0]);
    wadi_condition_broadcast(&p->changed);
    wadi_mutex_unlock(&p->lock);
}

void wadi_pipe_give_up(wadi_pipe *p, const wadi_error *why) {
    wadi_mutex_lock(&p->lock);
    if (p->given_up.status == WADI_OK) p->given_up = *why;
    wadi_condition_broadcast(&p->changed);
    wadi_mutex_unlock(&p->lock);
}

/* ---- looking at it ---- */

static int64_t since(int64_t begin_ns, int64_t now) {
    return begin_ns != 0 ? now - begin_ns : 0;
}

wadi_pipe_fill wadi_pipe_look(wadi_pipe *p) {
    wadi_mutex_lock(&p->lock);
    const int64_t now = wadi_clock_ns();
    const wadi_pipe_fill fill = {.chunks = (int64_t)p->chunks.n,
                                 .most_chunks = p->options.most_chunks,
                                 .bytes = p->bytes,
                                 .most_bytes = p->options.most_bytes,
                                 .received = p->count,
                                 .sender_ns = since(p->waits_ns[true], now),
                                 .receiver_ns = since(p->waits_ns[false], now)};
    wadi_mutex_unlock(&p->lock);
    return fill;
}
