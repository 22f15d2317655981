/* Home's end of a work queue over ZeroMQ. Anybody may connect to it (who has a key, if there are keys). Whoever says HELLO gets a seat and the
 * charter, whoever says READY gets items. What makes no sense is ignored: it costs a stranger his seat, and nobody else anything.
 *
 * A worker is lost when its connection is, when it says BYE, or when it has said that it lives and then says nothing for too long. That a connection has ended the monitor reports by its descriptor, which
 * another connection may have by then: then a worker is taken for lost that is there. It is asked to say HELLO again, and so is every stranger
 * whose message makes sense; and answers are taken from anybody who knows the job. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "base/log.h"
#include "base/text.h"
#include "sched/transport/zmq/beats.h"
#include "sched/transport/zmq/replies.h"
#include "sched/work/dispatch.h"
#include "sched/work/socket.h"

enum {
    BATCH =
        256,  /* messages read at once, so that a flood of them does not keep home from its work */
    TOLD = 3, /* refusals that are logged */
    PIECE = 1 << 20, /* bytes of a reply with kernels */
};

static const int64_t most_silent_ms = 1000000000; /* more than anybody may ask for by an address */
static const int64_t tick_ns = 100000000;         /* how often it is looked who is late */

typedef struct seat {
    bool used,
        gone; /* gone: its connection has ended; it is given up when all messages have been read */
    bool untold; /* its HELLO has no reply so far */
    wadi_workq_peer peer;
    int fd;
    wadi_pulse pulse;
} seat;

typedef struct home {
    wadi_workq base;
    wadi_workq_socket s;
    wadi_zmq_beats beats;
    int64_t looked_ns; /* clock when it was looked who is silent */
    wadi_dispatch dispatch;
    seat seats[WADI_DISPATCH_WORKERS];
    int64_t memory;
    void (*kernels)(void *env, const char *what, int64_t most, wadi_text *out);
    void *kernels_env;
    int64_t job;              /* 0: nothing has been offered */
    wadi_workq_blob *charter; /* of that job */
    bool over;
    wadi_replies replies; /* to HELLO and strangers */
    bool any_untold;
    int refusals;
    int silent;   /* workers that were */
    bool strange; /* a handshake has failed: it is tried again and again, and told once */
} home;

static void drop_blob(void *payload) {
    wadi_workq_blob_release(payload);
}

/* ---- seats ---- */

static int find(const home *h, const wadi_workq_peer *peer) {
    for (int i = 0; i < h->dispatch.seats; i++) {
        const wadi_workq_peer *p = &h->seats[i].peer;
        if (h->seats[i].used && p->n == peer->n && memcmp(p->identity, peer->identity, p->n) == 0)
            return i;
    }
    return -1;
}

static void lose(home *h, int worker) {
    if (!h->seats[worker].used) return;
    h->seats[worker].used = false;
    wadi_dispatch_lost(&h->dispatch, worker);
}

/* If all seats are taken, one who is late may lose his: his host may have vanished, which the system notices after 20 s. He may also be busy with an
 * item that takes long, so one who has said HELLO and nothing since goes first. */
static int take_seat(home *h, const wadi_workq_peer *peer, int fd) {
    int i = 0;
    while (i < h->dispatch.seats && h->seats[i].used) i++;
    if (i == h->dispatch.seats) i = wadi_dispatch_idle(&h->dispatch);
    if (i < 0) return -1;
    lose(h, i);
    h->seats[i] = (seat){.used = true, .peer = *peer, .fd = fd};
    wadi_dispatch_join(&h->dispatch, i);
    return i;
}

static bool may_reply(home *h, int fd) {
    return wadi_replies_may(&h->replies, fd, wadi_clock_ns());
}

/* peer: who is told; NULL: nobody is. */
static void refuse(home *h, const wadi_workq_peer *peer, int fd, const char *why) {
    if (++h->refusals <= TOLD)
        wadi_logf(WADI_LOG_WARNING, "%s: somebody was turned away: %s%s", h->s.address, why,
                  h->refusals == TOLD ? " (later ones are not logged)" : "");
    if (peer != NULL && may_reply(h, fd))
        (void)wadi_workq_socket_send_bytes(&h->s, peer,
                                           (wadi_workq_control){.kind = WADI_WORKQ_REFUSED}, why,
                                           (int64_t)strlen(why));
}

/* ---- messages ---- */

/* Home tells only those of its life who have told it of theirs. So one that bears silence for ever wants to be told, too, but hardly ever again. */
static int64_t bears_ms(const home *h) {
    const int64_t ms = wadi_zmq_beats_tell(&h->beats);
    return ms > 0 ? ms : most_silent_ms;
}

static void tell_job(home *h, int worker) {
    const wadi_workq_peer *peer = &h->seats[worker].peer;
    bool told = true;
    h->seats[worker].untold = false;
    if (h->over)
        told = wadi_workq_socket_send(
            &h->s, peer, (wadi_workq_control){.kind = WADI_WORKQ_END, .job = h->job}, NULL);
    else if (h->job != 0)
        told = wadi_workq_socket_send(
            &h->s, peer,
            (wadi_workq_control){.kind = WADI_WORKQ_CHARTER, .job = h->job, .number = bears_ms(h)},
            h->charter);
    if (!told) lose(h, worker);
}

static void on_hello(home *h, int worker, const wadi_workq_peer *peer, int fd, int64_t bears_ms) {
    if (worker < 0) worker = take_seat(h, peer, fd);
    if (worker >= 0) wadi_pulse_wants(&h->seats[worker].pulse, &h->beats, bears_ms);
    if (worker < 0)
        refuse(h, peer, fd, "home has as many workers as it takes");
    else if (may_reply(h, fd))
        tell_job(h, worker);
    else
        h->seats[worker].untold = h->any_untold = true;
}

/* Of many who say HELLO at once some have to wait: they do not say it again. */
static void tell_untold(home *h) {
    bool left = false;
    if (!h->any_untold) return;
    for (int i = 0; i < h->dispatch.seats; i++) {
        if (!h->seats[i].used || !h->seats[i].untold) continue;
        if (may_reply(h, h->seats[i].fd))
            tell_job(h, i);
        else
            left = true;
    }
    h->any_untold = left;
}

/* Whether it is an answer that was waited for. */
static bool on_answer(home *h, int worker, const wadi_workq_control *c, const void *payload,
                      wadi_work_item *out) {
    void *bytes = NULL;
    if (c->job != h->job) return false;
    if (c->status == WADI_OK) {
        bytes = malloc((size_t)c->bytes + 1);
        if (bytes == NULL) return false; /* it is late then, and given out again */
        if (c->bytes > 0) memcpy(bytes, payload, (size_t)c->bytes);
    }
    if (!wadi_dispatch_answered(&h->dispatch, worker, c->number, wadi_clock_ns())) {
        free(bytes);
        return false;
    }
    *out = (wadi_work_item){c->number, c->status, bytes, bytes != NULL ? c->bytes : 0};
    return true;
}

/* Of a worker that has the charter. Whoever gets no reply asks again. Where anybody can be a worker no worker takes kernels: home makes none there, and sends no
 * pieces that a stranger leaves unread. Elsewhere nobody is a stranger, and many workers may ask several times a second: their replies are not counted, or a
 * HELLO among them would have none. */
static void on_question(home *h, const wadi_workq_peer *peer, int fd, const wadi_workq_control *c,
                        const void *payload) {
    char what[WADI_WORKQ_LINE] = "";
    wadi_text reply = {0};
    const bool open = !wadi_workq_socket_excludes(&h->s);
    if (c->bytes >= (int64_t)sizeof what || (open && !may_reply(h, fd))) return;
    if (c->bytes > 0) memcpy(what, payload, (size_t)c->bytes);
    if (open)
        wadi_text_add(&reply, "error: anybody could ask for them here");
    else if (h->kernels != NULL)
        h->kernels(h->kernels_env, what, PIECE, &reply);
    else
        wadi_text_add(&reply, "error: it has no kernels");
    const wadi_workq_control out = {.kind = WADI_WORKQ_KERNELS, .job = h->job, .number = c->number};
    if (!reply.failed)
        (void)wadi_workq_socket_send_bytes(&h->s, peer, out, reply.at, (int64_t)reply.n);
    wadi_text_fini(&reply);
}

static void tell_life(home *h, int worker) {
    const wadi_workq_control c = {.kind = WADI_WORKQ_BEAT, .job = h->job};
    if (wadi_pulse_due(&h->seats[worker].pulse))
        (void)wadi_workq_socket_send(&h->s, &h->seats[worker].peer, c, NULL);
}

/* The first one comes before the worker is ready, and is answered before it has an item. */
static void on_beat(home *h, int worker) {
    if (!h->seats[worker].pulse.beats) tell_life(h, worker);
    h->seats[worker].pulse.beats = true;
    wadi_dispatch_beats(&h->dispatch, worker);
}

static bool on_message(home *h, int worker, const wadi_workq_peer *peer, int fd,
                       const wadi_workq_control *c, const void *payload, wadi_work_item *out) {
    if (worker >= 0) wadi_pulse_heard(&h->seats[worker].pulse, fd);
    if (worker >= 0 && c->kind != WADI_WORKQ_BEAT) wadi_dispatch_heard(&h->dispatch, worker);
    if (h->job != 0 && c->job == h->job)
        wadi_zmq_guard_trust(h->s.guard, fd); /* it has the charter */
    switch (c->kind) {
    case WADI_WORKQ_HELLO:
        on_hello(h, worker, peer, fd, c->number);
        return false;
    case WADI_WORKQ_BYE:
        if (worker >= 0) lose(h, worker);
        return false;
    case WADI_WORKQ_READY:
        if (worker >= 0 && c->job == h->job) wadi_dispatch_ready(&h->dispatch, worker);
        break;
    case WADI_WORKQ_KERNELS:
        if (worker >= 0 && h->job != 0 && c->job == h->job) on_question(h, peer, fd, c, payload);
        break;
    case WADI_WORKQ_BEAT:
        if (worker >= 0 && c->job == h->job) on_beat(h, worker);
        break;
    case WADI_WORKQ_ANSWER:
        if (on_answer(h, worker, c, payload, out)) return true;
        break;
    default:
        refuse(h, NULL, -1, "a message that makes no sense");
        return false;
    }
    if (worker < 0 && may_reply(h, fd))
        (void)wadi_workq_socket_send(&h->s, peer, (wadi_workq_control){.kind = WADI_WORKQ_ASK},
                                     NULL);
    return false;
}

/* Reads what has come, up to the first answer. *out_all: nothing is left. */
static bool take_in(home *h, wadi_work_item *out, bool *out_all) {
    *out_all = false;
    for (int i = 0; i < BATCH; i++) {
        wadi_workq_control c = {0};
        wadi_workq_peer peer;
        const void *payload = NULL;
        wadi_error why = {.status = WADI_OK};
        int fd = -1;
        if (!wadi_workq_socket_read(&h->s)) {
            *out_all = true;
            return false;
        }
        if (!wadi_workq_socket_sender(&h->s, &peer, &fd)) continue;
        const int worker = find(h, &peer);
        const wadi_status status = wadi_workq_socket_message(&h->s, &c, &payload, &why);
        if (status != WADI_OK) {
            if (worker >= 0) lose(h, worker);
            refuse(h, status == WADI_UNSUPPORTED ? &peer : NULL, fd, why.msg);
        } else if (on_message(h, worker, &peer, fd, &c, payload, out)) {
            return true;
        }
    }
    return false;
}

/* A worker with other keys that finds out first ends the connection, and so does one that is killed then: that is not told to a home that has workers. A handshake that
 * takes too long is no refusal. */
static bool found_out_first(const home *h, int why) {
    return (why == EPIPE || why == ECONNRESET) && wadi_dispatch_workers(&h->dispatch) == 0;
}

static void on_strange(home *h) {
    if (!h->strange) refuse(h, NULL, -1, wadi_zmq_failed_handshake);
    h->strange = true;
}

static void take_events(home *h) {
    int what = 0, fd = -1;
    while (wadi_zmq_event(h->s.monitor, &what, &fd)) {
        if (what == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL) on_strange(h);
        if (what == ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL && found_out_first(h, fd)) on_strange(h);
        if (what == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH)
            refuse(h, NULL, -1, "a key that is not admitted");
        if (what != ZMQ_EVENT_DISCONNECTED) continue;
        for (int i = 0; i < h->dispatch.seats; i++)
            if (h->seats[i].used && h->seats[i].fd == fd) h->seats[i].gone = true;
    }
}

/* It may be there, if its descriptor was that of another connection, and say nothing more while it waits for items: so it is asked. ZeroMQ sends nothing to one who has gone. */
static void lose_gone_one(home *h, int worker) {
    h->seats[worker].gone = false;
    lose(h, worker);
    (void)wadi_workq_socket_send(&h->s, &h->seats[worker].peer,
                                 (wadi_workq_control){.kind = WADI_WORKQ_ASK}, NULL);
}

static void lose_gone(home *h) {
    for (int i = 0; i < h->dispatch.seats; i++)
        if (h->seats[i].gone) lose_gone_one(h, i);
}

/* Those who have beaten themselves: nobody else makes home send anything that he does not read. */
static void beat(void *env) {
    home *h = env;
    for (int i = 0; i < h->dispatch.seats; i++)
        if (h->seats[i].used && h->seats[i].pulse.beats) tell_life(h, i);
}

/* One that is stopped, or whose host is cut off. When it goes on it is asked to say HELLO, as any stranger. */
static void lose_silent(home *h, bool all_read) {
    const int64_t now = wadi_clock_ns();
    if (now - h->looked_ns < tick_ns) return;
    h->looked_ns = now;
    wadi_zmq_beats_look(&h->beats);
    for (int i = 0; i < h->dispatch.seats; i++) {
        if (!h->seats[i].used || !wadi_pulse_is_silent(&h->seats[i].pulse, &h->beats, all_read))
            continue;
        if (++h->silent <= TOLD)
            wadi_zmq_beats_warn(&h->beats, h->s.address, "a worker",
                                h->silent == TOLD ? " (later ones are not logged)" : "");
        lose(h, i);
    }
    beat(h);
}

static void give_out(home *h) {
    int worker = 0;
    wadi_dispatch_item i;
    while (wadi_dispatch_next(&h->dispatch, wadi_clock_ns(), &worker, &i)) {
        const wadi_workq_control c = {.kind = WADI_WORKQ_ITEM, .job = h->job, .number = i.number};
        if (h->seats[worker].gone)
            lose_gone_one(h, worker);
        else if (!wadi_workq_socket_send(&h->s, &h->seats[worker].peer, c, i.payload))
            lose(h, worker);
    }
}

/* All that can be done without waiting. True: *out is an answer, or an item that is given up. */
static bool look(home *h, wadi_work_item *out) {
    bool all = false;
    take_events(h);
    const bool came = take_in(h, out, &all);
    if (all) lose_gone(h);
    lose_silent(h, all);
    tell_untold(h);
    give_out(h);
    if (came) return true;
    const int64_t number = wadi_dispatch_given_up(&h->dispatch);
    if (number < 0) return false;
    *out = (wadi_work_item){.number = number, .status = WADI_IO};
    return true;
}

/* ---- operations ---- */

static void close_home(wadi_workq *self) {
    home *h = (home *)self;
    wadi_zmq_beats_fini(&h->beats);
    wadi_workq_socket_close(&h->s);
    wadi_dispatch_fini(&h->dispatch);
    wadi_workq_blob_release(h->charter);
    free(h);
}

/* No two jobs, also of other processes, are the same, and nobody can guess one. Not 0. */
static int64_t new_job(const home *h) {
    return (int64_t)(wadi_random_number(h) >> 1) | 1;
}

static wadi_status offer(wadi_workq *self, const void *charter, int64_t n, wadi_error *err) {
    home *h = (home *)self;
    wadi_workq_blob *blob = wadi_workq_blob_new(charter, n);
    if (blob == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", h->s.address);
    wadi_dispatch_clear(&h->dispatch);
    wadi_workq_blob_release(h->charter);
    h->charter = blob;
    h->job = new_job(h);
    h->over = false;
    for (int i = 0; i < h->dispatch.seats; i++)
        if (h->seats[i].used) tell_job(h, i);
    return WADI_OK;
}

static bool has_room(wadi_workq *self, int64_t n) {
    const home *h = (const home *)self;
    return wadi_dispatch_room(&h->dispatch, n, h->memory);
}

static wadi_status submit(wadi_workq *self, int64_t number, const void *bytes, int64_t n,
                          wadi_error *err) {
    home *h = (home *)self;
    wadi_workq_blob *blob = wadi_workq_blob_new(bytes, n);
    if (blob != NULL && wadi_dispatch_push(&h->dispatch, number, n, blob)) {
        give_out(h);
        return WADI_OK;
    }
    wadi_workq_blob_release(blob);
    return wadi_fail(err, WADI_MEMORY, "%s: out of memory", h->s.address);
}

static wadi_status collect(wadi_workq *self, int64_t wait_ns, wadi_work_item *out,
                           wadi_error *err) {
    home *h = (home *)self;
    const int64_t until = wadi_clock_ns() + wait_ns;
    *out = (wadi_work_item){.number = -1};
    for (;;) {
        if (look(h, out)) return WADI_OK;
        const int64_t left = until - wadi_clock_ns();
        if (left <= 0) return WADI_OK;
        WADI_TRY(
            wadi_workq_socket_sleep(&h->s, h->base.wake_fd, left < tick_ns ? left : tick_ns, err));
    }
}

static int workers(wadi_workq *self) {
    return wadi_dispatch_workers(&((const home *)self)->dispatch);
}

static void look_at(wadi_workq *self, wadi_workq_open *out) {
    const home *h = (const home *)self;
    *out = (wadi_workq_open){.items = (int64_t)h->dispatch.items.n,
                             .most_items = wadi_dispatch_most(&h->dispatch),
                             .bytes = h->dispatch.bytes,
                             .most_bytes = h->memory};
}

static wadi_status end(wadi_workq *self, wadi_error *err) {
    home *h = (home *)self;
    WADI_UNUSED(err);
    h->over = true;
    wadi_dispatch_clear(&h->dispatch);
    for (int i = 0; i < h->dispatch.seats; i++)
        if (h->seats[i].used) tell_job(h, i);
    return WADI_OK;
}

/* ---- with the lock ---- */

static wadi_status lock_offer(wadi_workq *self, const void *charter, int64_t n, wadi_error *err) {
    wadi_zmq_beats *b = &((home *)self)->beats;
    wadi_zmq_beats_enter(b);
    return wadi_zmq_beats_left(b, offer(self, charter, n, err));
}

static wadi_status lock_submit(wadi_workq *self, int64_t number, const void *bytes, int64_t n,
                               wadi_error *err) {
    wadi_zmq_beats *b = &((home *)self)->beats;
    wadi_zmq_beats_enter(b);
    return wadi_zmq_beats_left(b, submit(self, number, bytes, n, err));
}

static wadi_status lock_collect(wadi_workq *self, int64_t wait_ns, wadi_work_item *out,
                                wadi_error *err) {
    wadi_zmq_beats *b = &((home *)self)->beats;
    wadi_zmq_beats_enter(b);
    return wadi_zmq_beats_left(b, collect(self, wait_ns, out, err));
}

static wadi_status lock_end(wadi_workq *self, wadi_error *err) {
    wadi_zmq_beats *b = &((home *)self)->beats;
    wadi_zmq_beats_enter(b);
    return wadi_zmq_beats_left(b, end(self, err));
}

/* ---- what is a worker's ---- */

static wadi_status no_charter(wadi_workq *self, void **out, int64_t *out_n, wadi_error *err) {
    WADI_UNUSED(self);
    WADI_UNUSED(out);
    WADI_UNUSED(out_n);
    return wadi_fail(err, WADI_INVALID, "work queue: home does not work");
}

static wadi_status no_fetch(wadi_workq *self, wadi_work_item *out, wadi_error *err) {
    WADI_UNUSED(out);
    return no_charter(self, NULL, NULL, err);
}

static wadi_status no_answer(wadi_workq *self, const wadi_work_item *item, wadi_error *err) {
    WADI_UNUSED(item);
    return no_charter(self, NULL, NULL, err);
}

static wadi_status no_ask(wadi_workq *self, const char *what, void **out, int64_t *out_n,
                          wadi_error *err) {
    WADI_UNUSED(what);
    return no_charter(self, out, out_n, err);
}

static const wadi_workq_ops ops = {close_home,   lock_offer, has_room,  lock_submit,
                                   lock_collect, workers,    look_at,   lock_end,
                                   no_charter,   no_fetch,   no_answer, no_ask};

wadi_status wadi_workq_home_open(const wadi_workq_options *options, const char *file,
                                 wadi_workq **out, wadi_error *err) {
    home *h = calloc(1, sizeof *h);
    if (h == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", options->address);
    h->base = (wadi_workq){&ops, options->wake_fd, options->waits};
    h->memory = options->memory;
    h->kernels = options->kernels;
    h->kernels_env = options->kernels_env;
    const int seats = options->seats > 0 ? options->seats : WADI_DISPATCH_WORKERS;
    wadi_dispatch_init(&h->dispatch, seats, drop_blob);
    wadi_status status = wadi_workq_socket_open(&h->s, options, file, err);
    if (status != WADI_OK) {
        free(h);
        return status;
    }
    status = wadi_zmq_beats_init(&h->beats, options->silent_ns, beat, h, err);
    if (status == WADI_OK)
        *out = &h->base;
    else
        close_home(&h->base);
    return status;
}
