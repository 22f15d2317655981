/* What a run did, and when: a lane for each thread, and for what several threads do together (compilers, links, workers elsewhere), with spans of time. In a file of its own, a trace is text in the format of trace events,
 * which https://ui.perfetto.dev shows. Source: "Trace Event Format", Google, 2016. */
#ifndef WADI_SCHED_TRACE_H
#define WADI_SCHED_TRACE_H

#include <stdint.h>

#include "base/text.h"
#include "base/thread.h"

/* Belongs to one thread at a time. A lane that is NULL takes spans, and forgets them. */
typedef struct wadi_trace_lane wadi_trace_lane;
typedef struct wadi_trace wadi_trace;

/* What a span is about: a text that lives as long as the trace, or a key whose name is known when the trace is written. */
typedef struct wadi_trace_what {
    const char *name;
    const void *key; /* if name is NULL */
} wadi_trace_what;

/* How much a span is about: {"elements", 300}. unit NULL: nothing is told, no number either; else static. */
typedef struct wadi_trace_amount {
    const char *unit;
    int64_t n;
    bool numbered; /* it has a number, too: `item` */
    int64_t item;
} wadi_trace_amount;

/* NULL: out of memory. */
wadi_trace *wadi_trace_create(int64_t begin_ns);
void wadi_trace_destroy(wadi_trace *owned_t);

/* A lane named "KIND NAME". Any thread. NULL: t is, or out of memory. */
wadi_trace_lane *wadi_trace_lane_add(wadi_trace *t, const char *kind, const char *name);
/* A span that begins now: its begin, for wadi_trace_end. Both read the clock only if there is a lane. */
int64_t wadi_trace_begin(const wadi_trace_lane *l);
void wadi_trace_end(wadi_trace_lane *l, const char *name, int64_t begin_ns, int64_t elements);
/* Times as wadi_clock_ns tells them; elements below 0: not told. Spans of a lane that overlap must lie within each other. */
void wadi_trace_add(wadi_trace_lane *l, wadi_trace_what what, int64_t begin_ns, int64_t end_ns,
                    int64_t elements);

/* A text that lives as long as the trace; equal texts are one. Any thread. NULL: t is, or out of memory. */
const char *wadi_trace_word(wadi_trace *t, const char *words);
/* A span of what is no thread's, from any thread: in the lane "KIND NAME", or, where that overlaps with one that is there, in "KIND NAME, 2" and so on. A span without length is a moment,
 * and is shown as one, in the first of them. `name` is that of wadi_trace_what, and may be NULL: then nothing is added. */
void wadi_trace_add_shared(wadi_trace *t, const char *kind, const char *of, const char *name,
                           int64_t begin_ns, int64_t end_ns, wadi_trace_amount amount);
/* The same in the one lane of that name: a span that would overlap with the one before begins where that ends. Names come from elsewhere, and a lane takes memory: the first WADI_TRACE_NAMES of a kind have
 * one, and the others share "KIND others". */
enum { WADI_TRACE_NAMES = 256 };
void wadi_trace_add_behind(wadi_trace *t, const char *kind, const char *of, const char *name,
                           int64_t begin_ns, int64_t end_ns, wadi_trace_amount amount);
/* A span that goes on with the last one of the lane if that has this key and `turn`, else a new one. */
void wadi_trace_extend(wadi_trace_lane *l, const void *key, int64_t turn, int64_t begin_ns,
                       int64_t end_ns);

/* Frees the spans: what is added from now on is lost. No lane is used now. */
void wadi_trace_forget(wadi_trace *t);

/* How many spans had no room: a lane takes the first WADI_TRACE_MOST. */
enum { WADI_TRACE_MOST = 1 << 20 };
int64_t wadi_trace_lost(wadi_trace *t);
/* And how many are in lanes that several names share. */
int64_t wadi_trace_shared(wadi_trace *t);

/* The names of keys; NULL: such spans are left out. */
typedef struct wadi_trace_names {
    const char *(*of)(void *env, const void *key);
    void *env;
} wadi_trace_names;

/* A part of the text goes to `put` as soon as it is large; the lanes' threads have ended. Errors: those of put, WADI_MEMORY. */
typedef struct wadi_trace_writer {
    wadi_status (*put)(void *env, const wadi_text *part, wadi_error *err);
    void *env;
} wadi_trace_writer;
WADI_NODISCARD wadi_status wadi_trace_write(wadi_trace *t, const char *program,
                                            wadi_trace_names names, wadi_trace_writer to,
                                            wadi_error *err);

#endif
