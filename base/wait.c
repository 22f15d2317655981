/* A small table of waits under a lock, and the watchdog, the thread that reads it.
 *
 * Starting a thread takes longer than a short run. So a table that is no longer used is kept with its thread for the next run
 * (base/keep.h). The thread checks the clock for one more period and then sleeps until it is called. Runs that follow each
 * other closely never wake it. */
#include "base/wait.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/keep.h"
#include "base/log.h"
#include "base/thread.h"

enum { SEATS = 32, LOOKS = 4 /* of the watchdog per period */ };

typedef struct seat {
    bool taken, idle;
    int64_t since_ns;
    wadi_wait wait;
} seat;

struct wadi_waits {
    wadi_thread watchdog;
    wadi_mutex lock; /* guards the rest */
    wadi_condition wake;
    bool stop;
    bool used;          /* a run uses the table; if not, nobody waits */
    bool asleep;        /* the watchdog no longer looks at the clock */
    int64_t look_ns;    /* when the watchdog will look at the clock, if it is not asleep */
    int64_t after_ns;   /* it warns when nothing has changed for so long */
    bool told;          /* it has warned of this standstill */
    int64_t changed_ns; /* when a wait last began or ended */
    int idlers;         /* waits that may last for ever; while there are any, it does not warn */
    seat seats[SEATS];
    char name[64]; /* stays while a run uses the table */
};

static void print_waits(const wadi_waits *w, int64_t now, wadi_text *out) {
    for (int i = 0; i < SEATS; i++) {
        const seat *s = &w->seats[i];
        if (!s->taken) continue;
        wadi_text_addf(out, "%s%s %s %.1f s %s %s", out->n > 0 ? "; " : "", s->wait.owner,
                       s->wait.works ? "works" : "waits", (double)(now - s->since_ns) / 1e9,
                       s->wait.works ? "on" : "for", s->wait.what);
        if (s->wait.number >= 0) wadi_text_addf(out, " %lld", (long long)s->wait.number);
        if (s->wait.name != NULL) wadi_text_addf(out, " (%s)", s->wait.name);
    }
}

static void tell(const wadi_waits *w, int64_t now) {
    wadi_text text;
    wadi_text_init(&text);
    print_waits(w, now, &text);
    const double seconds = (double)(now - w->changed_ns) / 1e9;
    wadi_log_about((wadi_log_place){w->name, "watchdog"});
    wadi_logf(WADI_LOG_WARNING, "no progress for %.1f s: %s", seconds,
              text.n > 0 ? wadi_text_str(&text) : "nobody waits, a stage is busy");
    wadi_log_about((wadi_log_place){NULL, NULL});
    wadi_text_fini(&text);
}

/* The watchdog sleeps until it is called or it is time to look again. */
static void sleep_a_while(wadi_waits *w) {
    const int64_t period = w->after_ns / LOOKS + 1;
    w->asleep = !w->used;
    w->look_ns = wadi_clock_ns() + period;
    if (w->asleep)
        wadi_condition_wait(&w->wake, &w->lock);
    else
        (void)wadi_condition_wait_for(&w->wake, &w->lock, period);
    w->asleep = false;
}

static void watch(void *env) {
    wadi_waits *w = env;
    wadi_mutex_lock(&w->lock);
    while (!w->stop) {
        sleep_a_while(w);
        const int64_t now = wadi_clock_ns();
        if (w->stop || !w->used || w->told || w->idlers > 0) continue;
        if (now - w->changed_ns < w->after_ns) continue;
        tell(w, now);
        w->told = true;
    }
    wadi_mutex_unlock(&w->lock);
}

static void note_change(wadi_waits *w) {
    w->changed_ns = wadi_clock_ns();
    w->told = false;
}

/* A run begins. Wakes the watchdog if it would look too late. */
static void begin_run(wadi_waits *w, int64_t after_ns) {
    wadi_mutex_lock(&w->lock);
    w->used = true;
    w->after_ns = after_ns;
    note_change(w);
    if (w->asleep || w->look_ns - w->changed_ns > after_ns / LOOKS + 1)
        wadi_condition_signal(&w->wake);
    wadi_mutex_unlock(&w->lock);
}

static void destroy(void *owned_w) {
    wadi_waits *w = owned_w;
    wadi_mutex_lock(&w->lock);
    w->stop = true;
    wadi_condition_signal(&w->wake);
    wadi_mutex_unlock(&w->lock);
    wadi_thread_join(&w->watchdog);
    wadi_condition_fini(&w->wake);
    wadi_mutex_fini(&w->lock);
    free(w);
}

static const wadi_keep_kind tables = {.most = 4, .destroy = destroy};

static wadi_status make(int64_t after_ns, wadi_waits **out, wadi_error *err) {
    wadi_waits *w = calloc(1, sizeof *w);
    if (w == NULL) return wadi_fail(err, WADI_MEMORY, "watchdog: out of memory");
    w->used = true;
    w->after_ns = after_ns;
    w->changed_ns = wadi_clock_ns();
    int made = 0;
    wadi_status status = wadi_mutex_init(&w->lock, err);
    if (status == WADI_OK) {
        made++;
        status = wadi_condition_init(&w->wake, err);
    }
    if (status == WADI_OK) {
        made++;
        status = wadi_thread_start(&w->watchdog, watch, w, err);
    }
    if (status == WADI_OK) {
        *out = w;
        return WADI_OK;
    }
    if (made > 1) wadi_condition_fini(&w->wake);
    if (made > 0) wadi_mutex_fini(&w->lock);
    free(w);
    return status;
}

wadi_status wadi_waits_create(int64_t after_ns, wadi_waits **out, wadi_error *err) {
    wadi_waits *w = wadi_keep_take(&tables, 0);
    if (w == NULL) return make(after_ns, out, err);
    begin_run(w, after_ns);
    *out = w;
    return WADI_OK;
}

void wadi_waits_set_name(wadi_waits *w, const char *name) {
    wadi_mutex_lock(&w->lock);
    (void)snprintf(w->name, sizeof w->name, "%s", name);
    wadi_mutex_unlock(&w->lock);
}

const char *wadi_waits_name(const wadi_waits *w) {
    return w != NULL && w->name[0] != '\0' ? w->name : NULL;
}

void wadi_waits_destroy(wadi_waits *w) {
    if (w == NULL) return;
    wadi_mutex_lock(&w->lock);
    w->used = false;
    w->name[0] = '\0';
    wadi_mutex_unlock(&w->lock);
    wadi_keep_put(&tables, 0, w);
}

static int free_seat(const wadi_waits *w) {
    for (int i = 0; i < SEATS; i++) {
        if (!w->seats[i].taken) return i;
    }
    return -1;
}

enum { DEEP = 4 };

/* Of the calling thread, with what it waits for and works on now: the innermost is last, and those beyond DEEP are only counted. */
static _Thread_local struct {
    wadi_wait_fn fn; /* NULL: nobody listens */
    void *env;
    int depth;
    struct {
        wadi_wait wait;
        int64_t begin_ns;
    } at[DEEP];
} listener;

void wadi_waits_listen(wadi_wait_fn fn, void *env) {
    listener.fn = fn;
    listener.env = env;
    listener.depth = 0;
}

static void hear_begin(wadi_wait wait) {
    if (listener.fn == NULL) return;
    if (listener.depth < DEEP) {
        listener.at[listener.depth].wait = wait;
        listener.at[listener.depth].begin_ns = wadi_clock_ns();
    }
    listener.depth++;
}

/* What had begun before anybody listened is not told. */
static void hear_end(void) {
    if (listener.fn == NULL || listener.depth == 0 || --listener.depth >= DEEP) return;
    if (listener.at[listener.depth].wait.works) return;
    listener.fn(listener.env, &listener.at[listener.depth].wait,
                listener.at[listener.depth].begin_ns, wadi_clock_ns());
}

static int begin_wait(wadi_waits *w, wadi_wait wait, bool idle) {
    hear_begin(wait);
    if (w == NULL) return -1;
    wadi_mutex_lock(&w->lock);
    note_change(w);
    const int ticket = free_seat(w);
    if (ticket >= 0) w->seats[ticket] = (seat){true, idle, w->changed_ns, wait};
    if (ticket >= 0) w->idlers += idle;
    wadi_mutex_unlock(&w->lock);
    return ticket;
}

int wadi_wait_begin(wadi_waits *w, wadi_wait wait) {
    return begin_wait(w, wait, false);
}

int wadi_wait_begin_idle(wadi_waits *w, wadi_wait wait) {
    return begin_wait(w, wait, true);
}

void wadi_wait_end(wadi_waits *w, int ticket) {
    hear_end();
    if (w == NULL) return;
    wadi_mutex_lock(&w->lock);
    note_change(w);
    if (ticket >= 0) {
        w->seats[ticket].taken = false;
        w->idlers -= w->seats[ticket].idle;
    }
    wadi_mutex_unlock(&w->lock);
}

static wadi_wait_seen see(const seat *s, int64_t now) {
    wadi_wait_seen seen = {
        .number = s->wait.number, .works = s->wait.works, .idle = s->idle, .ns = now - s->since_ns};
    (void)snprintf(seen.owner, sizeof seen.owner, "%s", s->wait.owner);
    (void)snprintf(seen.what, sizeof seen.what, "%s", s->wait.what);
    (void)snprintf(seen.name, sizeof seen.name, "%s", s->wait.name != NULL ? s->wait.name : "");
    return seen;
}

int wadi_waits_list(wadi_waits *w, wadi_wait_seen *out, int most) {
    int n = 0;
    wadi_mutex_lock(&w->lock);
    const int64_t now = wadi_clock_ns();
    for (int i = 0; i < SEATS && n < most; i++)
        if (w->seats[i].taken) out[n++] = see(&w->seats[i], now);
    wadi_mutex_unlock(&w->lock);
    return n;
}

void wadi_waits_print(wadi_waits *w, wadi_text *out) {
    wadi_mutex_lock(&w->lock);
    print_waits(w, wadi_clock_ns(), out);
    wadi_mutex_unlock(&w->lock);
}
