/* When to beat, and who is silent. */
#include "sched/transport/zmq/beats.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "sched/transport/zmq/guard.h"

enum { PARTS = 4 }; /* beats in the time that a peer may be silent */

static const int64_t MS = 1000000;
/* What a stranger may ask for: not more than four beats a second, and no number that runs over. */
static const int64_t least_ms = 1000, most_ms = 1000000000;

wadi_status wadi_zmq_beats_init(wadi_zmq_beats *b, int64_t silent_ns, void (*beat)(void *env),
                                void *env, wadi_error *err) {
    *b = (wadi_zmq_beats){.silent_ns = silent_ns, .beat = beat, .env = env};
    b->looked_ns = b->since_ns = wadi_clock_ns();
    WADI_TRY(wadi_mutex_init_with(&b->lock, &b->stopped, err));
    b->ready = true;
    return WADI_OK;
}

void wadi_zmq_beats_fini(wadi_zmq_beats *b) {
    if (!b->ready) return;
    wadi_mutex_lock(&b->lock);
    b->stop = true;
    wadi_condition_signal(&b->stopped);
    wadi_mutex_unlock(&b->lock);
    wadi_thread_join(&b->thread);
    wadi_mutex_fini_with(&b->lock, &b->stopped);
    b->ready = false;
}

void wadi_zmq_beats_enter(wadi_zmq_beats *b) {
    if (b->ready && b->inside++ == 0) wadi_mutex_lock(&b->lock);
}

void wadi_zmq_beats_leave(wadi_zmq_beats *b) {
    if (b->ready && --b->inside == 0) wadi_mutex_unlock(&b->lock);
}

wadi_status wadi_zmq_beats_left(wadi_zmq_beats *b, wadi_status status) {
    wadi_zmq_beats_leave(b);
    return status;
}

/* ---- the thread ---- */

static void live(void *env) {
    wadi_zmq_beats *b = env;
    wadi_mutex_lock(&b->lock);
    while (!b->stop) {
        (void)wadi_condition_wait_for(&b->stopped, &b->lock, b->every_ns / 2);
        if (!b->stop) b->beat(b->env);
    }
    wadi_mutex_unlock(&b->lock);
}

/* Without it this side is taken for silent when it computes for long. */
static void start(wadi_zmq_beats *b) {
    wadi_error why = {.status = WADI_OK};
    if (b->thread.started || wadi_thread_start(&b->thread, live, b, &why) == WADI_OK) return;
    wadi_logf(WADI_LOG_WARNING, "signs of life: %s", why.msg);
}

/* ---- peers ---- */

int64_t wadi_zmq_beats_tell(const wadi_zmq_beats *b) {
    return b->silent_ns / MS;
}

void wadi_pulse_wants(wadi_pulse *p, wadi_zmq_beats *b, int64_t ms) {
    if (ms <= 0 || !b->ready) return;
    const int64_t bears = ms < least_ms ? least_ms : ms > most_ms ? most_ms : ms;
    p->every_ns =
        bears * MS / PARTS; /* asked again it is not told at once: it may ask whenever it is told */
    if (b->every_ns == 0 || p->every_ns < b->every_ns) b->every_ns = p->every_ns;
    start(b);
}

void wadi_pulse_heard(wadi_pulse *p, int fd) {
    p->fd = fd;
    p->heard_ns = wadi_clock_ns();
}

bool wadi_pulse_due(wadi_pulse *p) {
    const int64_t now = wadi_clock_ns();
    if (p->every_ns == 0 || (p->told_ns != 0 && now - p->told_ns < p->every_ns)) return false;
    p->told_ns = now;
    return true;
}

void wadi_zmq_beats_look(wadi_zmq_beats *b) {
    const int64_t now = wadi_clock_ns();
    if (now - b->looked_ns > b->silent_ns / 2) b->since_ns = now;
    b->looked_ns = now;
}

bool wadi_pulse_is_silent(const wadi_pulse *p, const wadi_zmq_beats *b, bool all_read) {
    const int64_t from = p->heard_ns > b->since_ns ? p->heard_ns : b->since_ns,
                  most = all_read ? b->silent_ns : 2 * b->silent_ns;
    return b->silent_ns > 0 && p->beats && wadi_clock_ns() - from > most &&
           !wadi_zmq_guard_receives(p->fd, b->silent_ns);
}

void wadi_zmq_beats_warn(const wadi_zmq_beats *b, const char *address, const char *who,
                         const char *more) {
    wadi_logf(WADI_LOG_WARNING, "%s: nothing was heard of %s for %.3g s: it counts as lost%s",
              address, who, (double)b->silent_ns / 1e9, more);
}

int64_t wadi_zmq_beats_nap_ns(const wadi_zmq_beats *b, int64_t most) {
    const int64_t beat = b->every_ns / 2, look = b->silent_ns / PARTS;
    if (beat > 0 && beat < most) most = beat;
    return look > 0 && look < most ? look : most;
}
