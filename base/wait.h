/* The register of waits: who waits for what. Everything that a run waits for is registered with its owner and its reason:
 * chunks, sources, sinks, the compiler, locks, and also long work. If nothing registered has begun or ended for a while (10 s
 * by default), a watchdog logs it all, once per standstill, so that a hang explains itself. A wait that goes on is no
 * progress, however often its owner checks.
 *
 * Safe from any thread. */
#ifndef WADI_BASE_WAIT_H
#define WADI_BASE_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "wadi/status.h"

typedef struct wadi_waits wadi_waits;

/* Printed as "sink waits 3.2 s for chunk 7 (compute)", or "compute works 3.2 s on chunk 7 (flat)". The strings must live until the
 * end of the wait. */
typedef struct wadi_wait {
    const char *owner, *what;
    int64_t number;   /* negative: none */
    const char *name; /* NULL: none */
    bool works;       /* the owner does not wait, but is busy itself */
} wadi_wait;

/* Makes a register and its watchdog, or takes those of an earlier run. The watchdog warns after after_ns without progress. */
WADI_NODISCARD wadi_status wadi_waits_create(int64_t after_ns, wadi_waits **out, wadi_error *err);
/* Whose waits they are: the run's name, for the log. Before anybody waits. It is cut at 63 bytes. */
void wadi_waits_set_name(wadi_waits *w, const char *name);
/* NULL: it has none, or w is NULL. Borrowed until the register is destroyed. */
const char *wadi_waits_name(const wadi_waits *w);
/* Nobody may be waiting any more. NULL is fine. */
void wadi_waits_destroy(wadi_waits *w);

/* Returns a ticket for wadi_wait_end. w NULL: nothing is registered. */
int wadi_wait_begin(wadi_waits *w, wadi_wait wait);
void wadi_wait_end(wadi_waits *w, int ticket);
/* The same for a wait that may last for ever, for example for a sender that may never come. While there is one, nobody is warned. */
int wadi_wait_begin_idle(wadi_waits *w, wadi_wait wait);

/* Calls fn when a wait of the calling thread has ended, registered or not; NULL: nobody any more. Times are those of wadi_clock_ns. */
typedef void (*wadi_wait_fn)(void *env, const wadi_wait *wait, int64_t begin_ns, int64_t end_ns);
void wadi_waits_listen(wadi_wait_fn fn, void *env);

/* A wait as others see it: a copy. */
typedef struct wadi_wait_seen {
    char owner[24], what[48], name[64]; /* name "": none */
    int64_t number;
    bool works, idle;
    int64_t ns; /* for how long */
} wadi_wait_seen;

/* Copies the present waits, at most `most` of them. Returns how many. */
int wadi_waits_list(wadi_waits *w, wadi_wait_seen *out, int most);

/* The present waits, separated by semicolons: how tests see that somebody waits. */
void wadi_waits_print(wadi_waits *w, wadi_text *out);

#endif
