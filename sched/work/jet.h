/* What the module "nats" offers: a way for items of work over JetStream, what `wadi job` does with jobs, and streams of messages as sources and sinks. */
#ifndef WADI_SCHED_WORK_JET_H
#define WADI_SCHED_WORK_JET_H

#include <stdatomic.h>

#include "base/text.h"
#include "sched/work/jet_address.h"
#include "sched/work/ways.h"

/* "work" of nats */
typedef struct wadi_jet_work_offer {
    /* As wadi_way_open. */
    wadi_status (*open)(const wadi_workq_options *options, wadi_workq **out, wadi_error *err);
} wadi_jet_work_offer;

/* "jobs" of nats. Each adds lines to a text of the caller. Errors: WADI_INVALID (address), WADI_IO (no server, no such job), WADI_MEMORY. */
typedef struct wadi_jet_jobs_offer {
    /* The jobs of a server: name, whether it has a home, items and answers that wait, dead letters. The address needs no job. */
    wadi_status (*list)(const char *address, wadi_text *out, wadi_error *err);
    /* Sends home a request: status (what: "" for the numbers of the job, or a request to the run as of wadi_watch_answer_of), pause, resume, drain, resize (what: a number), and adds the answer. */
    wadi_status (*ask)(const char *address, const char *verb, const char *what, wadi_text *out,
                       wadi_error *err);
    /* The dead letters of a job. */
    wadi_status (*dead)(const char *address, wadi_text *out, wadi_error *err);
    /* Removes all that the server has of a job. Errors: also WADI_INVALID if it has a home, unless `force`. */
    wadi_status (*remove)(const char *address, bool force, wadi_error *err);
} wadi_jet_jobs_offer;

/* ---- streams of messages, as sources and sinks ---- */

/* Of a stream. Borrowed until the next call. */
typedef struct wadi_jet_message {
    const void *bytes;
    int64_t n, number;
} wadi_jet_message;

typedef enum wadi_jet_found {
    WADI_JET_MESSAGE, /* there is one */
    WADI_JET_NONE,    /* not yet */
    WADI_JET_END      /* there will be none */
} wadi_jet_found;

typedef struct wadi_jet_reader wadi_jet_reader;
typedef struct wadi_jet_reader_ops {
    void (*close)(wadi_jet_reader *r);
    /* The next message. waits: until there is one, or wake_fd is readable (WADI_CANCELLED). Errors: WADI_IO. */
    wadi_status (*next)(wadi_jet_reader *r, bool waits, int wake_fd, wadi_jet_found *found,
                        wadi_jet_message *out, wadi_error *err);
    /* Messages before this number need not be read any more. */
    int64_t (*place)(const wadi_jet_reader *r);
    /* Goes there. Errors: WADI_INVALID (the stream does not reach that far), WADI_IO (what comes there is gone). */
    wadi_status (*go_to)(wadi_jet_reader *r, int64_t number, wadi_error *err);
    /* What tells the stream from others. */
    void (*describe)(const wadi_jet_reader *r, wadi_text *out);
} wadi_jet_reader_ops;
struct wadi_jet_reader {
    const wadi_jet_reader_ops *ops;
    int64_t messages;        /* when it was opened; 0: not known */
    bool endless;            /* the next one may be long in coming */
    const atomic_bool *over; /* as of a source */
    bool
        strict; /* nothing may be left out, whatever the address says: it is read once more, and elements must get the numbers that they had */
};

typedef struct wadi_jet_writer wadi_jet_writer;
typedef struct wadi_jet_writer_ops {
    void (*close)(wadi_jet_writer *w);
    /* Before the first put. run: whose the elements are, the same if it is gone on with; 0: nobody's who goes on. *before: the number of the message on the subject that was there before the
     * first of them, 0: none, or -1: the one that is there now, which it becomes. *has: so many elements were there once; it becomes how many are. Errors: WADI_IO (others
     * have published there since). */
    wadi_status (*meet)(wadi_jet_writer *w, uint64_t run, int64_t *before, int64_t *has,
                        wadi_error *err);
    /* A message of the next elements, at least one; ends[i] bytes of it are the elements up to number i. The bytes of all are copied. Waits for room. Errors: WADI_INVALID (too large), WADI_IO,
     * WADI_CANCELLED (wake_fd). */
    wadi_status (*put)(wadi_jet_writer *w, int wake_fd, int64_t elements, const int64_t *ends,
                       const void *bytes, wadi_error *err);
    /* Waits until all that was put is confirmed. */
    wadi_status (*flush)(wadi_jet_writer *w, int wake_fd, wadi_error *err);
    int64_t (*confirmed)(const wadi_jet_writer *w); /* elements; from any thread */
} wadi_jet_writer_ops;
struct wadi_jet_writer {
    const wadi_jet_writer_ops *ops;
    int64_t window; /* bytes that it may hold */
    int64_t most;   /* bytes of a message */
    int64_t
        there; /* elements of the run that are known to be on the stream, whoever has put them */
};

/* "streams" of nats. Each takes over the address, and wipes it, if it succeeds. Errors: WADI_IO (no server, no such stream), WADI_UNSUPPORTED (no JetStream, a stream that cannot be read
 * again or written so), WADI_INVALID (subject), WADI_MEMORY. */
typedef struct wadi_jet_streams_offer {
    wadi_status (*read)(wadi_jet_address *at, wadi_jet_reader **out, wadi_error *err);
    wadi_status (*write)(wadi_jet_address *at, wadi_jet_writer **out, wadi_error *err);
} wadi_jet_streams_offer;

#endif
