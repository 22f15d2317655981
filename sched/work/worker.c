/* A worker's end of a work queue over ZeroMQ. It connects, and ZeroMQ connects again whenever the connection is lost: each time the worker
 * says HELLO, and home sends the charter. If that is of another job, the one before is over: home has begun anew. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/vec.h"
#include "sched/transport/zmq/beats.h"
#include "sched/work/socket.h"

static const int64_t tick_ns = 1000000000;
/* A question is asked again: soon while home makes what it is for, else when it or the reply must have been lost. */
static const int64_t soon_ns = 200000000, unheard_ns = 10000000000;
/* A HELLO is said again: its reply may be one of those that home left out, since it has few in each second for all. */
static const int64_t hello_again_ns = 10000000000;

enum {
    LARGE =
        1
        << 20, /* bytes of an answer that waits until home knows whose it is: strangers may not send much */
    AHEAD = 64 /* items that are kept meanwhile; home gives out fewer */
};

typedef struct worker {
    wadi_workq base;
    wadi_workq_socket s;
    wadi_zmq_beats beats;
    wadi_pulse home; /* over this connection */
    int64_t lost_after_ns;
    int64_t alone_ns; /* clock when home went, or the queue was opened */
    bool connected;
    bool spoke;        /* home has sent a message over this connection */
    bool silent;       /* home was given up because it said nothing, and was not met again */
    char trouble[160]; /* why the last attempt to connect has failed; "": it has not */
    int64_t renew_ns;  /* clock when it connects anew; 0: it need not */
    int64_t job;       /* whose items it takes; 0: none yet */
    bool ready;        /* home was told so, over this connection */
    bool over;         /* the job */
    bool asked;        /* home wants to know who it is, over this connection */
    bool unseated;     /* home, whose worker it was, has no seat for it now */
    int64_t again_ns;  /* clock when it says HELLO again; 0: home has replied */
    int64_t next_job;  /* of the charter that waits to be taken; 0: none does */
    void *charter;
    int64_t charter_bytes;
    const char *question;                 /* to home, that has no reply so far; NULL: none */
    int64_t question_number, question_ns; /* question_ns: clock when it is asked again */
    void *reply;
    int64_t reply_bytes;
    WADI_VEC(wadi_work_item) ahead; /* of this job, that came while an answer waited */
    wadi_error broken;              /* it can be no worker of this home */
} worker;

static void hello(worker *w) {
    w->ready = w->asked = false;
    w->again_ns = wadi_clock_ns() + hello_again_ns;
    w->question_ns = 0;
    const wadi_workq_control c = {
        .kind = WADI_WORKQ_HELLO, .job = w->job, .number = wadi_zmq_beats_tell(&w->beats)};
    (void)wadi_workq_socket_send(&w->s, NULL, c, NULL);
}

static void be_ready(worker *w) {
    if (w->ready) return;
    w->ready = wadi_workq_socket_send(
        &w->s, NULL, (wadi_workq_control){.kind = WADI_WORKQ_READY, .job = w->job}, NULL);
}

/* Home hears of it only when it has given this worker its charter. */
static void beat(void *env) {
    worker *w = env;
    const int64_t job = w->job != 0 ? w->job : w->next_job;
    if (!w->connected || job == 0 || !wadi_pulse_due(&w->home)) return;
    (void)wadi_workq_socket_send(&w->s, NULL,
                                 (wadi_workq_control){.kind = WADI_WORKQ_BEAT, .job = job}, NULL);
}

/* ---- messages ---- */

static void on_charter(worker *w, const wadi_workq_control *c, const void *payload) {
    w->unseated = false;
    if (c->job == w->job) {
        be_ready(w);
        return;
    }
    void *copy = malloc((size_t)c->bytes + 1);
    if (copy == NULL) {
        (void)wadi_fail(&w->broken, WADI_MEMORY, "%s: out of memory", w->s.address);
        return;
    }
    if (c->bytes > 0) memcpy(copy, payload, (size_t)c->bytes);
    free(w->charter);
    w->charter = copy;
    w->charter_bytes = c->bytes;
    w->next_job = c->job;
    w->over = false;
}

/* Who was late may have lost its seat, and gets one again when another worker goes. Text of a stranger: bytes that could control a terminal are replaced. */
static void on_refused(worker *w, const wadi_workq_control *c, const void *payload) {
    char why[200];
    w->unseated = w->job != 0;
    w->again_ns = w->unseated ? wadi_clock_ns() + tick_ns : 0;
    if (w->unseated) return;
    (void)snprintf(why, sizeof why, "%.*s", (int)(c->bytes < 199 ? c->bytes : 199),
                   c->bytes > 0 ? (const char *)payload : "");
    for (char *at = why; *at != '\0'; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f) *at = '?';
    (void)wadi_fail(&w->broken, WADI_IO, "%s: home says: %s", w->s.address, why);
}

static wadi_status on_item(worker *w, const wadi_workq_control *c, const void *payload,
                           wadi_work_item *out, wadi_error *err) {
    if (c->job != w->job) return WADI_OK;
    void *copy = malloc((size_t)c->bytes + 1);
    if (copy == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", w->s.address);
    if (c->bytes > 0) memcpy(copy, payload, (size_t)c->bytes);
    *out = (wadi_work_item){.number = c->number, .bytes = copy, .n = c->bytes};
    return WADI_OK;
}

static void put_question(worker *w) {
    if (w->question == NULL || !w->connected || wadi_clock_ns() < w->question_ns) return;
    const wadi_workq_control c = {
        .kind = WADI_WORKQ_KERNELS, .job = w->job, .number = w->question_number};
    (void)wadi_workq_socket_send_bytes(&w->s, NULL, c, w->question, (int64_t)strlen(w->question));
    w->question_ns = wadi_clock_ns() + unheard_ns;
}

static void on_reply(worker *w, const wadi_workq_control *c, const void *payload) {
    static const char wait[] = WADI_WORKQ_WAIT;
    if (w->question == NULL || c->job != w->job || c->number != w->question_number) return;
    if (c->bytes == sizeof wait - 1 && memcmp(payload, wait, sizeof wait - 1) == 0) {
        w->question_ns = wadi_clock_ns() + soon_ns;
        return;
    }
    w->reply = malloc((size_t)c->bytes + 1);
    if (w->reply == NULL) return; /* it is asked again */
    if (c->bytes > 0) memcpy(w->reply, payload, (size_t)c->bytes);
    ((char *)w->reply)[c->bytes] = '\0';
    w->reply_bytes = c->bytes;
    w->question = NULL;
}

/* What is read after the news that the connection has ended came before it. */
static void note_voice(worker *w) {
    wadi_pulse_heard(&w->home, wadi_workq_socket_fd(&w->s));
    if (w->connected)
        w->spoke = true;
    else
        w->alone_ns = wadi_clock_ns();
}

/* Reads messages up to an item; `out` is NULL: it wants none. Those that make no sense are ignored: the address may be somebody else's. */
static wadi_status take_in(worker *w, wadi_work_item *out, wadi_error *err) {
    while ((out == NULL || out->number < 0) && wadi_workq_socket_read(&w->s)) {
        wadi_workq_control c = {0};
        const void *payload = NULL;
        wadi_error why = {.status = WADI_OK};
        const wadi_status status = wadi_workq_socket_message(&w->s, &c, &payload, &why);
        if (status == WADI_UNSUPPORTED) w->broken = why;
        if (status != WADI_OK) continue;
        note_voice(w);
        if (c.kind == WADI_WORKQ_CHARTER || c.kind == WADI_WORKQ_END) w->again_ns = 0;
        if (c.kind == WADI_WORKQ_CHARTER) on_charter(w, &c, payload);
        if (c.kind == WADI_WORKQ_CHARTER) wadi_pulse_wants(&w->home, &w->beats, c.number);
        if (c.kind == WADI_WORKQ_BEAT) w->home.beats = true;
        if (c.kind == WADI_WORKQ_ITEM && out != NULL) WADI_TRY(on_item(w, &c, payload, out, err));
        if (c.kind == WADI_WORKQ_END && (c.job == w->job || w->job == 0)) w->over = true;
        if (c.kind == WADI_WORKQ_ASK) w->asked = true;
        if (c.kind == WADI_WORKQ_KERNELS) on_reply(w, &c, payload);
        if (c.kind == WADI_WORKQ_REFUSED) on_refused(w, &c, payload);
    }
    return WADI_OK;
}

/* Who is there is not home, or will have our keys when it has begun again. After what this side has found wrong, ZeroMQ does not connect again by itself. */
static void on_trouble(worker *w, bool found_here) {
    if (!w->silent)
        (void)snprintf(w->trouble, sizeof w->trouble,
                       "; somebody is there, who does not speak ZeroMQ or has other keys");
    if (found_here && w->renew_ns == 0) w->renew_ns = wadi_clock_ns() + tick_ns;
}

static void take_events(worker *w) {
    int what = 0, fd = -1;
    while (wadi_zmq_event(w->s.monitor, &what, &fd)) {
        if (what == ZMQ_EVENT_HANDSHAKE_SUCCEEDED) {
            w->connected = true;
            w->silent = false;
            w->trouble[0] = '\0';
            hello(w);
        }
        if (what == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH)
            (void)wadi_fail(&w->broken, WADI_IO, "%s: home does not admit this key", w->s.address);
        if (what == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL) on_trouble(w, true);
        if (what == ZMQ_EVENT_DISCONNECTED && !w->connected) on_trouble(w, false);
        if (what == ZMQ_EVENT_DISCONNECTED && w->connected) {
            w->connected = w->ready = w->spoke = false;
            w->home = (wadi_pulse){.beats = false};
            if (w->unseated)
                (void)wadi_fail(&w->broken, WADI_IO,
                                "%s: home has gone, and had no seat left for this worker",
                                w->s.address);
            w->alone_ns = wadi_clock_ns();
        }
    }
}

static wadi_status check(const worker *w, wadi_error *err) {
    const int64_t alone = wadi_clock_ns() - w->alone_ns;
    if (w->broken.status != WADI_OK && err != NULL) *err = w->broken;
    WADI_TRY(w->broken.status);
    if (w->spoke || w->lost_after_ns == 0 || alone < w->lost_after_ns) return WADI_OK;
    return wadi_fail(err, WADI_IO, "%s: no home for %.1f s%s", w->s.address, (double)alone / 1e9,
                     w->trouble);
}

/* ---- waiting ---- */

typedef bool (*condition)(const worker *w, const wadi_work_item *item);

static wadi_status renew(worker *w, wadi_error *err) {
    if (w->connected) w->renew_ns = 0;
    if (w->renew_ns == 0 || wadi_clock_ns() < w->renew_ns) return WADI_OK;
    w->renew_ns = 0;
    return wadi_workq_socket_renew(&w->s, err);
}

/* Home may have been stopped, or its host cut off. It may be there again later, and knows this worker no more then than any other. */
static void give_up_silent(worker *w) {
    wadi_zmq_beats_look(&w->beats);
    if (!w->connected || !wadi_pulse_is_silent(&w->home, &w->beats, true)) return;
    wadi_zmq_beats_warn(&w->beats, w->s.address, "home", "");
    (void)snprintf(w->trouble, sizeof w->trouble,
                   "; somebody is there who says nothing: it may be stopped");
    w->silent = true;
    w->connected = w->ready = w->spoke = false;
    w->home = (wadi_pulse){.beats = false};
    w->alone_ns = w->renew_ns = wadi_clock_ns();
}

/* A home that does not know it has asked at each sign of life of an hour: one HELLO answers all, since each costs home a charter. */
static void say_who(worker *w) {
    if (!w->connected) return;
    if (w->asked || (w->again_ns != 0 && wadi_clock_ns() >= w->again_ns)) hello(w);
}

static wadi_status look(worker *w, condition holds, wadi_work_item *item, bool *out_holds,
                        wadi_error *err) {
    take_events(w);
    WADI_TRY(renew(w, err));
    WADI_TRY(take_in(w, item, err));
    if (item == NULL || item->number < 0) give_up_silent(w);
    beat(w);
    say_who(w);
    put_question(w);
    *out_holds = holds(w, item);
    return *out_holds ? WADI_OK : check(w, err);
}

static int64_t nap_ns(const worker *w) {
    const int64_t part = w->lost_after_ns / 4 + 1, tick = wadi_zmq_beats_nap_ns(&w->beats, tick_ns);
    if (w->question != NULL) return part > 1 && part < soon_ns ? part : soon_ns;
    return w->lost_after_ns > 0 && part < tick ? part : tick;
}

static wadi_status wait_until(worker *w, condition holds, const char *what, wadi_work_item *item,
                              wadi_error *err) {
    bool so = false;
    wadi_status status = look(w, holds, item, &so, err);
    if (status != WADI_OK || so) return status;
    const int ticket =
        wadi_wait_begin_idle(w->base.waits, (wadi_wait){"worker", what, -1, w->s.address, false});
    while (status == WADI_OK && !so) {
        status = wadi_workq_socket_sleep(&w->s, w->base.wake_fd, nap_ns(w), err);
        if (status == WADI_OK) status = look(w, holds, item, &so, err);
    }
    wadi_wait_end(w->base.waits, ticket);
    return status;
}

/* ---- items that came early ---- */

static void drop_ahead(worker *w) {
    for (size_t i = 0; i < w->ahead.n; i++) free(w->ahead.at[i].bytes);
    wadi_vec_clear(&w->ahead);
}

static void keep_ahead(worker *w, wadi_work_item item) {
    if (w->ahead.n < AHEAD && wadi_vec_push(&w->ahead, item)) return;
    free(item.bytes); /* home gives it to somebody when it is late */
}

static bool take_ahead(worker *w, wadi_work_item *out) {
    if (w->ahead.n == 0 || w->over || w->next_job != 0) return false;
    *out = w->ahead.at[0];
    w->ahead.n--;
    memmove(&w->ahead.at[0], &w->ahead.at[1], w->ahead.n * sizeof w->ahead.at[0]);
    return true;
}

/* ---- operations ---- */

static void close_worker(wadi_workq *self) {
    worker *w = (worker *)self;
    wadi_zmq_beats_fini(&w->beats);
    if (w->connected)
        (void)wadi_workq_socket_send(
            &w->s, NULL, (wadi_workq_control){.kind = WADI_WORKQ_BYE, .job = w->job}, NULL);
    wadi_workq_socket_close(&w->s);
    drop_ahead(w);
    wadi_vec_free(&w->ahead);
    free(w->charter);
    free(w->reply);
    free(w);
}

static bool has_charter_or_end(const worker *w, const wadi_work_item *item) {
    WADI_UNUSED(item);
    return w->next_job != 0 || w->over;
}

static wadi_status charter(wadi_workq *self, void **out, int64_t *out_n, wadi_error *err) {
    worker *w = (worker *)self;
    *out = NULL;
    *out_n = 0;
    WADI_TRY(wait_until(w, has_charter_or_end, "a job of", NULL, err));
    w->over = false;
    if (w->next_job == 0) return WADI_OK;
    *out = w->charter;
    *out_n = w->charter_bytes;
    w->job = w->next_job;
    drop_ahead(w);
    w->charter = NULL;
    w->next_job = 0;
    w->ready = false;
    return WADI_OK;
}

static bool has_item_or_end(const worker *w, const wadi_work_item *item) {
    return item->number >= 0 || w->over || w->next_job != 0;
}

static wadi_status fetch(wadi_workq *self, wadi_work_item *out, wadi_error *err) {
    worker *w = (worker *)self;
    *out = (wadi_work_item){.number = -1};
    if (w->job == 0) return wadi_fail(err, WADI_INVALID, "work queue: items without a charter");
    if (w->connected) be_ready(w);
    if (take_ahead(w, out)) return WADI_OK;
    WADI_TRY(wait_until(w, has_item_or_end, "an item of", out, err));
    if (out->number < 0 && !w->over) out->status = WADI_IO; /* another charter has come */
    return WADI_OK;
}

/* Home has heard over this connection whose it is, or wants no answer any more. */
static bool is_known(const worker *w) {
    return w->ready || w->unseated || w->over || w->next_job != 0;
}

static bool is_known_or_has_item(const worker *w, const wadi_work_item *item) {
    return item->number >= 0 || is_known(w);
}

/* ZeroMQ connects again by itself, and what is sent then is the first that home hears over the new connection. A stranger that sends much is cut. */
static wadi_status be_known(worker *w, wadi_error *err) {
    take_events(w);
    while (!is_known(w)) {
        wadi_work_item item = {.number = -1};
        WADI_TRY(wait_until(w, is_known_or_has_item, "to be known by", &item, err));
        if (item.number >= 0) keep_ahead(w, item);
    }
    return WADI_OK;
}

static wadi_status answer(wadi_workq *self, const wadi_work_item *item, wadi_error *err) {
    worker *w = (worker *)self;
    const wadi_workq_control c = {
        .kind = WADI_WORKQ_ANSWER, .status = item->status, .job = w->job, .number = item->number};
    const int64_t n = item->status == WADI_OK ? item->n : 0;
    if (n > LARGE) WADI_TRY(be_known(w, err));
    if (n > LARGE && (w->over || w->next_job != 0)) return WADI_OK;
    if (wadi_workq_socket_send_bytes(&w->s, NULL, c, item->bytes, n)) return WADI_OK;
    return wadi_fail(err, WADI_IO, "%s: an answer could not be sent: %s", w->s.address,
                     wadi_zmq.strerror(errno));
}

static bool has_reply_or_end(const worker *w, const wadi_work_item *item) {
    WADI_UNUSED(item);
    return w->question == NULL || w->over || w->next_job != 0;
}

static wadi_status ask(wadi_workq *self, const char *what, void **out, int64_t *out_n,
                       wadi_error *err) {
    worker *w = (worker *)self;
    *out = NULL;
    *out_n = 0;
    if (!wadi_workq_socket_excludes(&w->s))
        return wadi_fail(err, WADI_COMPILE, "%s",
                         w->s.path == NULL
                             ? "over tcp:// they are taken only with keys or a token, by which "
                               "home is known"
                             : "over ipc:// they are taken only in a folder that not everybody "
                               "can write to");
    w->question = what;
    w->question_number++;
    w->question_ns = 0;
    const wadi_status status = wait_until(w, has_reply_or_end, "kernels of", NULL, err);
    w->question = NULL;
    *out = w->reply;
    *out_n = w->reply_bytes;
    w->reply = NULL;
    return status;
}

/* ---- with the lock ---- */

static wadi_status lock_charter(wadi_workq *self, void **out, int64_t *out_n, wadi_error *err) {
    wadi_zmq_beats *b = &((worker *)self)->beats;
    wadi_zmq_beats_enter(b);
    return wadi_zmq_beats_left(b, charter(self, out, out_n, err));
}

static wadi_status lock_fetch(wadi_workq *self, wadi_work_item *out, wadi_error *err) {
    wadi_zmq_beats *b = &((worker *)self)->beats;
    wadi_zmq_beats_enter(b);
    return wadi_zmq_beats_left(b, fetch(self, out, err));
}

static wadi_status lock_answer(wadi_workq *self, const wadi_work_item *item, wadi_error *err) {
    wadi_zmq_beats *b = &((worker *)self)->beats;
    wadi_zmq_beats_enter(b);
    return wadi_zmq_beats_left(b, answer(self, item, err));
}

static wadi_status lock_ask(wadi_workq *self, const char *what, void **out, int64_t *out_n,
                            wadi_error *err) {
    wadi_zmq_beats *b = &((worker *)self)->beats;
    wadi_zmq_beats_enter(b);
    return wadi_zmq_beats_left(b, ask(self, what, out, out_n, err));
}

/* ---- what is home's ---- */

static wadi_status not_here(wadi_error *err) {
    return wadi_fail(err, WADI_INVALID, "work queue: that is for home to do");
}

static wadi_status no_offer(wadi_workq *self, const void *bytes, int64_t n, wadi_error *err) {
    WADI_UNUSED(self);
    WADI_UNUSED(bytes);
    WADI_UNUSED(n);
    return not_here(err);
}

static bool no_room(wadi_workq *self, int64_t n) {
    WADI_UNUSED(self);
    WADI_UNUSED(n);
    return false;
}

static wadi_status no_submit(wadi_workq *self, int64_t number, const void *bytes, int64_t n,
                             wadi_error *err) {
    WADI_UNUSED(number);
    return no_offer(self, bytes, n, err);
}

static wadi_status no_collect(wadi_workq *self, int64_t wait_ns, wadi_work_item *out,
                              wadi_error *err) {
    WADI_UNUSED(out);
    return no_offer(self, NULL, wait_ns, err);
}

static int no_workers(wadi_workq *self) {
    WADI_UNUSED(self);
    return 0;
}

static void no_look(wadi_workq *self, wadi_workq_open *out) {
    WADI_UNUSED(self);
    *out = (wadi_workq_open){.items = 0};
}

static wadi_status no_end(wadi_workq *self, wadi_error *err) {
    WADI_UNUSED(self);
    return not_here(err);
}

static const wadi_workq_ops ops = {close_worker, no_offer,   no_room,     no_submit,
                                   no_collect,   no_workers, no_look,     no_end,
                                   lock_charter, lock_fetch, lock_answer, lock_ask};

wadi_status wadi_workq_worker_open(const wadi_workq_options *options, const char *file,
                                   wadi_workq **out, wadi_error *err) {
    worker *w = calloc(1, sizeof *w);
    if (w == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", options->address);
    w->base = (wadi_workq){&ops, options->wake_fd, options->waits};
    w->lost_after_ns = options->lost_after_ns;
    w->alone_ns = wadi_clock_ns();
    wadi_status status = wadi_workq_socket_open(&w->s, options, file, err);
    if (status != WADI_OK) {
        free(w);
        return status;
    }
    status = wadi_zmq_beats_init(&w->beats, options->silent_ns, beat, w, err);
    if (status == WADI_OK)
        *out = &w->base;
    else
        close_worker(&w->base);
    return status;
}
