/* Ports that share a stream, and what they are told by other threads. */
#include "sched/transport/share.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/error.h"
#include "base/task.h"
#include "base/thread.h"
#include "base/vec.h"

/* Chunks that wait to be done: looking for one takes time. */
enum { MOST_CHUNKS = 256 };

static const int64_t look_ns =
    100000000; /* how often a thread that waits looks whether it is stopped */

static wadi_status open_bell(int *out, wadi_error *err) {
    *out = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return *out >= 0 ? WADI_OK : wadi_fail_errno(err, errno, "link: an event descriptor");
}

static void ring(int fd) {
    const uint64_t one = 1;
    (void)!write(fd, &one, sizeof one);
}

static void hush(int fd) {
    uint64_t rings;
    (void)!read(fd, &rings, sizeof rings);
}

/* ---- sending ---- */

struct wadi_share_sender {
    wadi_port *port;
    int bell;
    int64_t most_bytes;
    wadi_thread thread;
    wadi_mutex lock; /* all below */
    wadi_condition news;
    WADI_VEC(wadi_chunk *) waiting; /* to be laid */
    wadi_whole of;
    int64_t bytes, chunks; /* put, and not done */
    int64_t end;
    bool ended, concluded; /* there are no more; the port knows */
    bool stopped;
    bool over; /* the thread has ended, with `why` */
    wadi_error why;
    wadi_error failed; /* what the port is to be told; status WADI_OK: nothing */
    wadi_share_teller teller;
};

wadi_status wadi_share_sender_create(int64_t most_bytes, wadi_share_sender **out, wadi_error *err) {
    wadi_share_sender *s = calloc(1, sizeof *s);
    if (s == NULL) return wadi_fail(err, WADI_MEMORY, "link: out of memory");
    s->most_bytes = most_bytes;
    wadi_status status = wadi_mutex_init_with(&s->lock, &s->news, err);
    if (status != WADI_OK) {
        free(s);
        return status;
    }
    status = open_bell(&s->bell, err);
    if (status != WADI_OK)
        wadi_share_sender_destroy(s);
    else
        *out = s;
    return status;
}

static wadi_status lay(wadi_share_sender *s, const wadi_whole *of, wadi_chunk *const *chunks,
                       size_t n, wadi_error *err) {
    wadi_status status = WADI_OK;
    for (size_t i = 0; i < n; i++) {
        if (status == WADI_OK)
            status = wadi_port_lay(s->port, of, chunks[i], err);
        else
            wadi_chunk_release(chunks[i]);
    }
    return status;
}

/* Called by the port in the sender's thread. */
static wadi_status nudged(void *env, wadi_error *err) {
    wadi_share_sender *s = env;
    hush(s->bell);
    wadi_mutex_lock(&s->lock);
    const wadi_whole of = s->of;
    wadi_chunk **chunks = s->waiting.at;
    const size_t n = s->waiting.n;
    s->waiting.at = NULL;
    s->waiting.n = s->waiting.cap = 0;
    const bool ends = s->ended && !s->concluded, stopped = s->stopped;
    s->concluded = s->ended;
    wadi_mutex_unlock(&s->lock);
    const wadi_status status = lay(s, &of, chunks, n, err);
    free(chunks);
    if (status == WADI_OK && ends) wadi_port_conclude(s->port, &of, s->end);
    if (status == WADI_OK && stopped) return wadi_fail(err, WADI_CANCELLED, "cancelled");
    return status;
}

static void note_done(void *env, const wadi_chunk *c) {
    wadi_share_sender *s = env;
    wadi_mutex_lock(&s->lock);
    s->chunks--;
    s->bytes -= wadi_chunk_bytes(c);
    wadi_condition_broadcast(&s->news);
    /* by the lock, so that nobody is told who has asked not to be */
    if (s->teller.settled != NULL) s->teller.settled(s->teller.env, c->first, c->count);
    wadi_mutex_unlock(&s->lock);
}

static void note_gathered(void *env, const wadi_gatherer *what) {
    wadi_share_sender *s = env;
    wadi_mutex_lock(&s->lock);
    if (s->teller.gathered != NULL) s->teller.gathered(s->teller.env, what);
    wadi_condition_broadcast(&s->news);
    wadi_mutex_unlock(&s->lock);
}

/* The end waits for it, so that an end which somebody knows is never forgotten here. */
static void note_confirmed(void *env, bool all, uint64_t by) {
    wadi_share_sender *s = env;
    wadi_mutex_lock(&s->lock);
    if (s->teller.confirmed != NULL) s->teller.confirmed(s->teller.env, all, by);
    wadi_mutex_unlock(&s->lock);
}

wadi_port_share wadi_share_sender_options(wadi_share_sender *s) {
    return (wadi_port_share){.on = true,
                             .fd = s->bell,
                             .nudged = nudged,
                             .settled = note_done,
                             .gathered = note_gathered,
                             .confirmed = note_confirmed,
                             .env = s};
}

static void work(void *env) {
    wadi_share_sender *s = env;
    const wadi_task before = wadi_task_begin((wadi_task){.name = "link"});
    wadi_error why = {.status = WADI_OK};
    (void)!wadi_port_serve(s->port, &why);
    wadi_mutex_lock(&s->lock);
    s->over = true;
    s->why = why;
    if (why.status != WADI_OK && s->teller.lost != NULL) s->teller.lost(s->teller.env, &why);
    const wadi_error failed = s->failed;
    wadi_condition_broadcast(&s->news);
    wadi_mutex_unlock(&s->lock);
    if (failed.status != WADI_OK) wadi_port_fail(s->port, 0, &failed);
    wadi_task_end(before);
}

wadi_status wadi_share_sender_start(wadi_share_sender *s, wadi_port *port, wadi_error *err) {
    s->port = port;
    return wadi_thread_start(&s->thread, work, s, err);
}

void wadi_share_sender_tell(wadi_share_sender *s, wadi_share_teller to) {
    wadi_mutex_lock(&s->lock);
    s->teller = to;
    wadi_mutex_unlock(&s->lock);
}

/* By the lock. */
static wadi_status wait(wadi_share_sender *s, wadi_error *err) {
    (void)wadi_condition_wait_for(&s->news, &s->lock, look_ns);
    return wadi_task_check(err);
}

/* By the lock. */
static bool is_full(const wadi_share_sender *s, int64_t bytes) {
    if (s->most_bytes == 0 || s->chunks == 0) return false;
    return s->chunks >= MOST_CHUNKS || s->bytes + bytes > s->most_bytes;
}

/* By the lock. */
static wadi_status check_over(const wadi_share_sender *s, wadi_error *err) {
    if (s->over && err != NULL) *err = s->why;
    return s->over ? s->why.status : WADI_OK;
}

static wadi_status wait_for_room(wadi_share_sender *s, const wadi_chunk *c, wadi_error *err) {
    const int64_t bytes = wadi_chunk_bytes(c);
    wadi_status status = WADI_OK;
    if (!is_full(s, bytes)) return check_over(s, err);
    const int ticket = wadi_task_wait("room for elements from", c->first, "receivers");
    while (status == WADI_OK && !s->over && is_full(s, bytes)) status = wait(s, err);
    wadi_task_go_on(ticket);
    return status == WADI_OK ? check_over(s, err) : status;
}

wadi_status wadi_share_sender_put(wadi_share_sender *s, const wadi_whole *of, wadi_chunk *owned_c,
                                  wadi_error *err) {
    wadi_mutex_lock(&s->lock);
    wadi_status status = wait_for_room(s, owned_c, err);
    const int64_t bytes = wadi_chunk_bytes(owned_c);
    const bool wanted = status == WADI_OK && !s->over; /* else all others have it already */
    if (wanted && !wadi_vec_push(&s->waiting, owned_c))
        status = wadi_fail(err, WADI_MEMORY, "link: out of memory");
    if (wanted && status == WADI_OK) {
        s->of = *of;
        s->chunks++;
        s->bytes += bytes;
    }
    wadi_mutex_unlock(&s->lock);
    if (wanted && status == WADI_OK)
        ring(s->bell);
    else
        wadi_chunk_release(owned_c);
    return status;
}

/* By the lock, which is open meanwhile. */
static wadi_status attend(wadi_share_sender *s, wadi_error *err) {
    const wadi_share_teller teller = s->teller;
    if (teller.attend == NULL) return WADI_OK;
    wadi_mutex_unlock(&s->lock);
    const wadi_status status = teller.attend(teller.env, err);
    wadi_mutex_lock(&s->lock);
    return status;
}

wadi_status wadi_share_sender_end(wadi_share_sender *s, const wadi_whole *of, int64_t count,
                                  wadi_error *err) {
    wadi_status status = WADI_OK;
    wadi_mutex_lock(&s->lock);
    s->of = *of;
    s->end = count;
    s->ended = true;
    ring(s->bell);
    const int ticket = wadi_task_wait("confirmation of elements below", count, "receivers");
    while (status == WADI_OK && !s->over) {
        status = wait(s, err);
        if (status == WADI_OK && !s->over) status = attend(s, err);
    }
    wadi_task_go_on(ticket);
    if (status == WADI_OK) status = check_over(s, err);
    wadi_mutex_unlock(&s->lock);
    return status;
}

void wadi_share_sender_fail(wadi_share_sender *s, const wadi_error *why) {
    wadi_mutex_lock(&s->lock);
    s->teller = (wadi_share_teller){0};
    s->failed = *why;
    s->stopped = true;
    wadi_mutex_unlock(&s->lock);
    ring(s->bell);
}

void wadi_share_sender_stop(wadi_share_sender *s) {
    wadi_mutex_lock(&s->lock);
    s->teller = (wadi_share_teller){0};
    s->stopped = true;
    wadi_mutex_unlock(&s->lock);
    ring(s->bell);
    wadi_thread_join(&s->thread);
}

void wadi_share_sender_destroy(wadi_share_sender *s) {
    if (s == NULL) return;
    for (size_t i = 0; i < s->waiting.n; i++) wadi_chunk_release(s->waiting.at[i]);
    wadi_vec_free(&s->waiting);
    if (s->bell >= 0) (void)close(s->bell);
    wadi_mutex_fini_with(&s->lock, &s->news);
    free(s);
}

/* ---- receiving ---- */

/* Elements of a chunk that are not settled. */
typedef struct missing {
    int64_t serial; /* of the chunk */
    int64_t first, end;
} missing;

typedef struct open_chunk {
    int64_t serial, number, session;
} open_chunk;

struct wadi_share_book {
    wadi_port *port;
    int bell;
    wadi_mutex lock; /* all below */
    int64_t serials;
    WADI_VEC(open_chunk) open;
    WADI_VEC(missing) missing;
    WADI_VEC(open_chunk) done; /* to be told; there is room for all that are open */
    wadi_error lost;           /* why it is for nothing; status WADI_OK: it is not */
    wadi_gatherer gathered;
    bool news; /* of that, to be passed on */
};

wadi_status wadi_share_book_create(wadi_share_book **out, wadi_error *err) {
    wadi_share_book *b = calloc(1, sizeof *b);
    if (b == NULL) return wadi_fail(err, WADI_MEMORY, "link: out of memory");
    wadi_status status = wadi_mutex_init(&b->lock, err);
    if (status != WADI_OK) {
        free(b);
        return status;
    }
    status = open_bell(&b->bell, err);
    if (status != WADI_OK)
        wadi_share_book_destroy(b);
    else
        *out = b;
    return status;
}

void wadi_share_book_destroy(wadi_share_book *b) {
    if (b == NULL) return;
    if (b->bell >= 0) (void)close(b->bell);
    wadi_vec_free(&b->open);
    wadi_vec_free(&b->missing);
    wadi_vec_free(&b->done);
    wadi_mutex_fini(&b->lock);
    free(b);
}

static wadi_status check_lost(wadi_share_book *b, wadi_error *err) {
    wadi_mutex_lock(&b->lock);
    const wadi_status status = b->lost.status;
    if (status != WADI_OK && err != NULL) *err = b->lost;
    wadi_mutex_unlock(&b->lock);
    return status;
}

/* None while there is news: it comes before what is done in the name of another one. */
static bool next_done(wadi_share_book *b, open_chunk *out) {
    wadi_mutex_lock(&b->lock);
    const bool some = b->done.n > 0 && !b->news;
    if (some) *out = wadi_vec_pop(&b->done);
    wadi_mutex_unlock(&b->lock);
    return some;
}

static bool take_news(wadi_share_book *b, wadi_gatherer *out) {
    wadi_mutex_lock(&b->lock);
    const bool some = b->news;
    b->news = false;
    *out = b->gathered;
    wadi_mutex_unlock(&b->lock);
    return some;
}

/* Called by the port in the receiver's thread. */
static wadi_status tell_done(void *env, wadi_error *err) {
    wadi_share_book *b = env;
    wadi_gatherer what;
    hush(b->bell);
    if (take_news(b, &what)) wadi_port_pass_on(b->port, &what); /* before what that one has */
    const int64_t session = wadi_port_part_of(b->port).session;
    for (open_chunk c; next_done(b, &c);)
        if (c.session == session) wadi_port_done(b->port, c.number);
    return check_lost(b, err);
}

wadi_port_share wadi_share_book_options(wadi_share_book *b) {
    return (wadi_port_share){.on = true, .fd = b->bell, .nudged = tell_done, .env = b};
}

void wadi_share_book_use(wadi_share_book *b, wadi_port *port) {
    b->port = port;
}

wadi_status wadi_share_book_add(wadi_share_book *b, const wadi_chunk *c, wadi_error *err) {
    const int64_t session = wadi_port_part_of(b->port).session;
    wadi_mutex_lock(&b->lock);
    const int64_t serial = b->serials++;
    const bool added =
        wadi_vec_push(&b->open, (open_chunk){serial, c->number, session}) &&
        wadi_vec_push(&b->missing, (missing){serial, c->first, c->first + c->count}) &&
        wadi_vec_reserve(&b->done, b->done.n + b->open.n);
    wadi_mutex_unlock(&b->lock);
    return added ? WADI_OK : wadi_fail(err, WADI_MEMORY, "link: out of memory");
}

static void remove_missing(wadi_share_book *b, size_t i) {
    b->missing.at[i] = wadi_vec_last(&b->missing);
    b->missing.n--;
}

/* Without memory for a second rest more stays missing than is. */
static void subtract(wadi_share_book *b, size_t i, int64_t first, int64_t end) {
    missing *m = &b->missing.at[i];
    const missing behind = {m->serial, end, m->end};
    if (first > m->first && end < m->end) {
        if (wadi_vec_push(&b->missing, behind)) b->missing.at[i].end = first;
    } else if (first > m->first) {
        m->end = first;
    } else if (end < m->end) {
        m->first = end;
    } else {
        remove_missing(b, i);
    }
}

static bool lacks(const wadi_share_book *b, int64_t serial) {
    for (size_t i = 0; i < b->missing.n; i++)
        if (b->missing.at[i].serial == serial) return true;
    return false;
}

static bool strike(wadi_share_book *b) {
    bool some = false;
    size_t n = 0;
    for (size_t i = 0; i < b->open.n; i++) {
        const open_chunk c = b->open.at[i];
        if (lacks(b, c.serial)) {
            b->open.at[n++] = c;
            continue;
        }
        (void)wadi_vec_push(&b->done, c);
        some = true;
    }
    b->open.n = n;
    return some;
}

/* Of every chunk that has them: a sender that was lost may have sent elements again, cut elsewhere. */
void wadi_share_book_settle(wadi_share_book *b, int64_t first, int64_t count) {
    wadi_mutex_lock(&b->lock);
    for (size_t i = b->missing.n; i-- > 0;) {
        const missing *m = &b->missing.at[i];
        if (m->first < first + count && first < m->end) subtract(b, i, first, first + count);
    }
    const bool rings = strike(b);
    wadi_mutex_unlock(&b->lock);
    if (rings) ring(b->bell);
}

/* One that is lost before it was named has to be named still: something may be done that only it had. */
void wadi_share_book_gathered(wadi_share_book *b, const wadi_gatherer *what) {
    wadi_mutex_lock(&b->lock);
    if (what->by != 0 || !b->news) b->gathered = *what;
    b->news = true;
    wadi_mutex_unlock(&b->lock);
    ring(b->bell);
}

void wadi_share_book_lose(wadi_share_book *b, const wadi_error *why) {
    wadi_mutex_lock(&b->lock);
    b->lost = *why;
    wadi_mutex_unlock(&b->lock);
    ring(b->bell);
}
