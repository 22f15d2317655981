/* The two ends of a process that shares a stream.
 *
 * What is sent goes through a thread of its own, which looks after the port while nothing is put: a receiver may come or be lost at any time. What is
 * received is written down in a book until somebody else has what became of it: only then is the sender told that it is done, so
 * whoever is killed meanwhile loses nothing. */
#ifndef WADI_SCHED_TRANSPORT_SHARE_H
#define WADI_SCHED_TRANSPORT_SHARE_H

#include "sched/transport/port.h"

/* ---- sending ---- */

typedef struct wadi_share_sender wadi_share_sender;

/* most_bytes: of chunks that are not done, before `put` waits; 0: it never does. Errors: WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_share_sender_create(int64_t most_bytes, wadi_share_sender **out,
                                                    wadi_error *err);
/* Of the options of its port. */
wadi_port_share wadi_share_sender_options(wadi_share_sender *s);
/* Borrows the port, which belongs to the sender's thread from now on. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_share_sender_start(wadi_share_sender *s, wadi_port *port,
                                                   wadi_error *err);
/* Who wants to know what becomes of the chunks. The functions are called in the sender's thread. */
typedef struct wadi_share_teller {
    void (*settled)(void *env, int64_t first, int64_t count); /* elements of a chunk that is done */
    void (*lost)(void *env, const wadi_error *why); /* nothing is sent any more; why is borrowed */
    void (*gathered)(void *env, const wadi_gatherer *what); /* whoever gathers has this */
    void (*confirmed)(
        void *env, bool all,
        uint64_t
            by); /* all is done, `by` has it, before anybody is told the end; false: that no longer counts */
    wadi_status (*attend)(
        void *env,
        wadi_error *
            err); /* by the thread that waits in wadi_share_sender_end, now and then; what it fails with ends the wait */
    void *env;
} wadi_share_teller;

/* From now on; all zero: nobody. */
void wadi_share_sender_tell(wadi_share_sender *s, wadi_share_teller to);
/* As wadi_port_lay, from any one thread; waits for room. Errors: those of the port. */
WADI_NODISCARD wadi_status wadi_share_sender_put(wadi_share_sender *s, const wadi_whole *of,
                                                 wadi_chunk *owned_c, wadi_error *err);
/* As wadi_port_end. */
WADI_NODISCARD wadi_status wadi_share_sender_end(wadi_share_sender *s, const wadi_whole *of,
                                                 int64_t count, wadi_error *err);
/* As wadi_port_fail, and nothing is told any more. */
void wadi_share_sender_fail(wadi_share_sender *s, const wadi_error *why);
/* Ends the thread; before the port is closed. */
void wadi_share_sender_stop(wadi_share_sender *s);
/* When the port is closed. NULL is fine. */
void wadi_share_sender_destroy(wadi_share_sender *s);

/* ---- receiving ---- */

typedef struct wadi_share_book wadi_share_book;

WADI_NODISCARD wadi_status wadi_share_book_create(wadi_share_book **out, wadi_error *err);
/* NULL is fine. */
void wadi_share_book_destroy(wadi_share_book *b);
wadi_port_share wadi_share_book_options(wadi_share_book *b);
/* Borrows the port. */
void wadi_share_book_use(wadi_share_book *b, wadi_port *port);
/* A chunk that was received. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_share_book_add(wadi_share_book *b, const wadi_chunk *c,
                                               wadi_error *err);
/* Nobody needs these elements any more. From any thread. */
void wadi_share_book_settle(wadi_share_book *b, int64_t first, int64_t count);
/* The sender is told of whoever gathers. From any thread. */
void wadi_share_book_gathered(wadi_share_book *b, const wadi_gatherer *what);
/* What is made of the part goes nowhere any more: the port that receives it fails with this. From any thread. */
void wadi_share_book_lose(wadi_share_book *b, const wadi_error *why);

#endif
