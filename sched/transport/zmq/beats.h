/* Beats: signs of life over a socket of ZeroMQ, also while its owner computes for hours. A socket belongs to one thread at a time, so whoever uses it has the lock. The owner has it in its
 * calls, and beats by itself where it waits; between them a thread has it now and then, and beats. A process that is stopped has neither.
 *
 * Each side says for how long it bears silence, and the other one beats four times as often. Only who has beaten is expected to go on: builds of before are not.
 * Who has not looked for a while cannot know what it missed, and counts from then on. */
#ifndef WADI_SCHED_TRANSPORT_ZMQ_BEATS_H
#define WADI_SCHED_TRANSPORT_ZMQ_BEATS_H

#include "base/thread.h"

typedef struct wadi_zmq_beats {
    int64_t silent_ns; /* how long a peer may be silent; 0: for ever */
    bool ready;        /* there is a lock; else all calls do nothing */
    bool stop;
    int inside; /* calls of the owner: one may contain another */
    wadi_mutex lock;
    wadi_condition stopped;
    wadi_thread thread;
    int64_t every_ns; /* how often somebody wants to be told; 0: nobody does */
    int64_t looked_ns, since_ns;
    void (*beat)(void *env);
    void *env;
} wadi_zmq_beats;

/* What there is to know of one peer. All zero: nothing yet. */
typedef struct wadi_pulse {
    int64_t every_ns; /* how often it wants to be told; 0: not at all */
    int64_t told_ns;
    int64_t heard_ns;
    int fd; /* of the connection, when it was heard */
    bool beats;
} wadi_pulse;

/* silent_ns: as wadi_address.silent_ns. beat: tells those of whom wadi_pulse_due says so; called with the lock, by the owner or by a thread. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_zmq_beats_init(wadi_zmq_beats *b, int64_t silent_ns,
                                               void (*beat)(void *env), void *env, wadi_error *err);
/* Before the socket is closed; from outside. Harmless for one that is all zero. */
void wadi_zmq_beats_fini(wadi_zmq_beats *b);

/* The owner's, around each of its calls that uses the socket. */
void wadi_zmq_beats_enter(wadi_zmq_beats *b);
void wadi_zmq_beats_leave(wadi_zmq_beats *b);
/* The same behind a call that came to this status, which it gives back. */
wadi_status wadi_zmq_beats_left(wadi_zmq_beats *b, wadi_status status);

/* ---- inside ---- */

/* What this side tells others: how many milliseconds of silence it bears; 0: nothing is expected of them. */
int64_t wadi_zmq_beats_tell(const wadi_zmq_beats *b);
/* The peer bears so many milliseconds of silence. It is told of life from now on. */
void wadi_pulse_wants(wadi_pulse *p, wadi_zmq_beats *b, int64_t ms);
/* A message of it has come over the connection with this descriptor; -1: it is unknown. */
void wadi_pulse_heard(wadi_pulse *p, int fd);
/* Whether the peer is to be told now; it counts as told then. */
bool wadi_pulse_due(wadi_pulse *p);
/* The owner is about to read, or has read. */
void wadi_zmq_beats_look(wadi_zmq_beats *b);
/* Whether the peer has been silent for too long. all_read: nothing of what has come is unread. A message that is large for its line is no silence: while it comes nothing else does. */
bool wadi_pulse_is_silent(const wadi_pulse *p, const wadi_zmq_beats *b, bool all_read);
/* Warns that one who was silent, such as "home", counts as lost. more: what the message ends with. */
void wadi_zmq_beats_warn(const wadi_zmq_beats *b, const char *address, const char *who,
                         const char *more);
/* How long the owner may sleep: at most `most`. */
int64_t wadi_zmq_beats_nap_ns(const wadi_zmq_beats *b, int64_t most);

#endif
