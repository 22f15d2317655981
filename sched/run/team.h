/* Several devices at work on one stage of a stream.
 *
 * The first device of a run, with the compute thread, does all that has an order: changes, folds, ends. The body of one stage, which computes
 * each element by itself, is shared: its chunks are cut into tickets, and each device takes some. Results are handed on by the compute thread, in the order of
 * the tickets, or as they come where all that follows takes elements in any order. What a device fails to do, for whatever reason, the compute thread does again in its turn: so
 * faults, their words, and what was delivered before them are those of one device. */
#ifndef WADI_SCHED_RUN_TEAM_H
#define WADI_SCHED_RUN_TEAM_H

#include "base/behind.h"
#include "base/thread.h"
#include "sched/chunk.h"
#include "sched/run/share.h"
#include "sched/run/state.h"

struct wadi_stream;

/* What came of a chunk in a body. */
typedef struct wadi_outcome {
    wadi_chunk *out; /* NULL after a failure */
    int64_t good;    /* after a failure: elements before the one that failed */
    bool starved;    /* for want of memory, before anything came of it */
    int64_t temporary_bytes;
} wadi_outcome;

typedef enum wadi_ticket_state {
    WADI_TICKET_WAITS,
    WADI_TICKET_AT_WORK,
    WADI_TICKET_DONE,
    WADI_TICKET_FAILED /* it is for the compute thread to do it */
} wadi_ticket_state;

/* The tickets in hand, in their order. */
typedef struct wadi_tickets {
    const void *of;
    wadi_ticket_state (*state)(const void *of, int i);
    int n;
    bool unordered; /* what comes of them may be handed on in any order */
} wadi_tickets;

/* The ticket that is handed on next: the first, once it is done or has failed; of those whose order does not matter, the first that is done. -1: there is none.
 * What has failed waits for its turn, so that of elements that fail the first is told. */
int wadi_tickets_next(wadi_tickets t);

typedef struct wadi_ticket {
    int64_t number; /* of all tickets of the stream */
    int member;
    wadi_ticket_state state;
    wadi_chunk *in;
    int64_t left;   /* elements known to come after it, as in wadi_job */
    int64_t due_ns; /* clock when it should be done by far */
    wadi_outcome outcome;
} wadi_ticket;

/* A device other than the first, with its thread, which alone uses the device. */
typedef struct wadi_member {
    struct wadi_team *team;
    int number; /* in the team, from 1 on */
    wadi_device *device;
    wadi_slots slots;
    wadi_crew crew;
    int64_t told_ns; /* work of the device that the run knows of */
    wadi_thread thread;
    wadi_behind behind; /* the thread, in a call of the device's driver */
    /* guarded by the team's lock */
    wadi_chunk *rehearsal; /* to compute for its time alone; what comes of it is dropped */
    int rehearsed;
    int64_t most; /* elements that it may get since memory was refused; 0: it was never refused */
    int tickets;  /* that wait for it or are at work */
    bool late;    /* its work was taken back, and it has not come to an end with it */
    bool open, out;
    bool ended; /* the thread has done all it has to do */
} wadi_member;

/* Of the stage that is shared, by the compute thread. */
typedef struct wadi_team_hooks {
    /* The next result. */
    wadi_status (*give)(struct wadi_stream *s, int stage, const wadi_chunk *in,
                        const wadi_outcome *outcome, wadi_error *err);
    /* The next elements, on the first device. */
    wadi_status (*again)(struct wadi_stream *s, int stage, wadi_chunk *in, wadi_error *err);
    /* The same for a stage with a state for each key: the states change as well. */
    wadi_status (*rescan)(struct wadi_stream *s, int stage, wadi_chunk *in, wadi_error *err);
} wadi_team_hooks;

enum { WADI_TEAM_TICKETS = 4 * WADI_DEVICES_MOST, WADI_TEAM_REHEARSALS = 2 };

typedef struct wadi_team {
    struct wadi_stream *stream;
    const wadi_team_hooks *hooks;
    wadi_sharing sharing; /* `element_ns` and `out` under the lock once it is open */
    int stage;            /* that is shared */
    int who;              /* computes it: a device, or WADI_SHARE_ALL */
    bool opened, delivering, given_up;
    bool unordered;   /* nobody needs the order of what comes of the stage */
    int64_t elements; /* of sources */
    wadi_slots home;  /* what is ONCE, in host memory, for members to read */
    int n;
    wadi_member *member; /* [n] number 0 is not used; NULL until it is opened, as `ring` */
    wadi_mutex lock;     /* guards what follows */
    wadi_condition work, done;
    bool closing;
    wadi_ticket *ring; /* [WADI_TEAM_TICKETS] */
    int head, tickets; /* the first of them, in order */
    int64_t next;      /* number of the next ticket */
} wadi_team;

/* ---- member.c ---- */

/* Starts the thread, which opens the device and waits for work. A member that cannot be opened is out, with a warning. */
void wadi_member_start(wadi_member *m);
/* The thread of a member that was told by `closing` to end has ended. False: its device does not answer, and it was left behind, with all that the device may
 * still use: the member itself stays. */
bool wadi_member_join(wadi_member *m);

/* What waits for the member is for the compute thread to do. By the team's lock. */
void wadi_member_take_back(wadi_member *m);

/* ---- team.c: by the compute thread ---- */

/* Before a chunk of a source, of `count` elements: who computes. */
WADI_NODISCARD wadi_status wadi_team_next(struct wadi_stream *s, int64_t count, wadi_error *err);
/* Whether elements of the stage are shared now. */
bool wadi_team_takes(const struct wadi_stream *s, int stage);
/* Elements of the stage, which wadi_team_takes: in host memory, and as declared. */
WADI_NODISCARD wadi_status wadi_team_share(struct wadi_stream *s, wadi_chunk *in, wadi_error *err);
/* Others, which are not as declared: the first device tells why. */
WADI_NODISCARD wadi_status wadi_team_here(struct wadi_stream *s, wadi_chunk *in, wadi_error *err);
/* The first device has computed elements of a stage in that time; others may compute them for trial. */
void wadi_team_saw(struct wadi_stream *s, int stage, wadi_chunk *in, int64_t ns);
/* Hands on what is done and in its turn. The compute thread must not be busy, as the meter sees it. */
WADI_NODISCARD wadi_status wadi_team_poll(struct wadi_stream *s, wadi_error *err);
/* Hands on all that was shared so far. For a compute thread that is busy, or that is not. */
WADI_NODISCARD wadi_status wadi_team_flush(struct wadi_stream *s, wadi_error *err);
WADI_NODISCARD wadi_status wadi_team_settle(struct wadi_stream *s, wadi_error *err);
/* Whether times are compared at the moment, which other trials would disturb. */
bool wadi_team_tries(struct wadi_stream *s);
/* The stream is over. What was not handed on is dropped. */
void wadi_team_close(struct wadi_stream *s);

#endif
