/* The shelf: a short list under one lock. Things are destroyed outside the lock, because that may put other things on the
 * shelf, as a pool does with its threads. */
#include "base/keep.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"

enum { ROOM = 64 };

typedef struct entry {
    const wadi_keep_kind *kind;
    int64_t key;
    void *thing;
} entry;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the rest */
static int holders, kept;
static entry shelf[ROOM]; /* [kept], in the order they were put */
static entry lost
    [ROOM]; /* in a forked child, the parent's things: not touched, but still referenced, so leak checkers are quiet */
static bool watches_forks;

static void before_fork(void) {
    (void)pthread_mutex_lock(&lock);
}

static void after_fork(void) {
    (void)pthread_mutex_unlock(&lock);
}

static void after_fork_in_child(void) {
    memcpy(lost, shelf, sizeof lost);
    memset(shelf, 0, sizeof shelf);
    kept = 0;
    (void)pthread_mutex_unlock(&lock);
}

/* Takes entry i off the shelf; the lock is held. */
static entry take_entry(int i) {
    const entry e = shelf[i];
    memmove(&shelf[i], &shelf[i + 1], (size_t)(kept - i - 1) * sizeof e);
    memset(&shelf[--kept], 0, sizeof e);
    return e;
}

void wadi_keep_hold(void) {
    (void)pthread_mutex_lock(&lock);
    /* If this fails nothing is kept, because a forked child would wait for threads that it does not have. */
    if (!watches_forks)
        watches_forks = pthread_atfork(before_fork, after_fork, after_fork_in_child) == 0;
    holders++;
    (void)pthread_mutex_unlock(&lock);
}

/* Takes a thing off the shelf if nobody holds the shelf any more. thing is NULL if there is none. */
static entry take_needless(void) {
    entry e = {0};
    (void)pthread_mutex_lock(&lock);
    if (holders == 0 && kept > 0) e = take_entry(kept - 1);
    (void)pthread_mutex_unlock(&lock);
    return e;
}

void wadi_keep_drop(void) {
    (void)pthread_mutex_lock(&lock);
    WADI_ASSERT(holders > 0);
    holders--;
    (void)pthread_mutex_unlock(&lock);
    for (entry e = take_needless(); e.thing != NULL; e = take_needless()) e.kind->destroy(e.thing);
}

void *wadi_keep_take(const wadi_keep_kind *kind, int64_t key) {
    void *thing = NULL;
    (void)pthread_mutex_lock(&lock);
    for (int i = kept - 1; i >= 0 && thing == NULL; i--)
        if (shelf[i].kind == kind && shelf[i].key == key) thing = take_entry(i).thing;
    (void)pthread_mutex_unlock(&lock);
    return thing;
}

/* The entry that a new thing of that kind pushes off the shelf: the oldest of its kind if there are `most` of them, the oldest of
 * all if the shelf is full, else none (-1). */
static int least_wanted(const wadi_keep_kind *kind) {
    int same = 0, oldest = -1;
    for (int i = kept - 1; i >= 0; i--) {
        if (shelf[i].kind != kind) continue;
        oldest = i;
        same++;
    }
    if (same >= kind->most) return oldest;
    return kept == ROOM ? 0 : -1;
}

void wadi_keep_put(const wadi_keep_kind *kind, int64_t key, void *owned_thing) {
    entry off = {kind, key, owned_thing};
    (void)pthread_mutex_lock(&lock);
    if (holders > 0 && watches_forks && kind->most > 0) {
        const int i = least_wanted(kind);
        const entry pushed = i >= 0 ? take_entry(i) : (entry){0};
        shelf[kept++] = off;
        off = pushed;
    }
    (void)pthread_mutex_unlock(&lock);
    if (off.thing != NULL) off.kind->destroy(off.thing);
}
