/* Threads and waits of modules/nats, as those of the world's processes. One of all has the turn, and gives it away only where it waits. */
#define CALLS_THEMSELVES
#include "tests/simulate/nats/calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "modules/nats/inside.h"
#include "tests/simulate/inside.h"

/* ---- mutexes and conditions ---- */

int calls_lock(pthread_mutex_t *m) {
    while (pthread_mutex_trylock(m) != 0) (void)world_block(m, INT64_MAX);
    return 0;
}

int calls_unlock(pthread_mutex_t *m) {
    (void)pthread_mutex_unlock(m);
    world_wake(m, true);
    return 0;
}

int calls_signal(pthread_cond_t *c) {
    world_wake(c, false);
    return 0;
}

int calls_broadcast(pthread_cond_t *c) {
    world_wake(c, true);
    return 0;
}

int calls_wait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until) {
    (void)calls_unlock(m);
    const bool woken = world_block(c, (int64_t)until->tv_sec * 1000000000 + until->tv_nsec);
    (void)calls_lock(m);
    return woken ? 0 : ETIMEDOUT;
}

/* ---- threads ---- */

enum { THREADS = 64 };

static struct helper {
    bool used;
    void *(*run)(void *env);
    void *env;
    process *p;
} helpers[THREADS];

static void live(void *env) {
    const struct helper *h = env;
    (void)h->run(h->env);
}

int calls_create(pthread_t *t, const pthread_attr_t *attr, void *(*run)(void *env), void *env) {
    int i = 0;
    (void)attr;
    while (i < THREADS && helpers[i].used) i++;
    if (i == THREADS) abort();
    helpers[i] = (struct helper){true, run, env, NULL};
    helpers[i].p = world_start_thread(live, &helpers[i]);
    *t = (pthread_t)i;
    return 0;
}

int calls_join(pthread_t t, void **out) {
    struct helper *h = &helpers[(int)t];
    if (out != NULL) *out = NULL;
    while (!world_has_ended(h->p)) (void)world_block(h->p, INT64_MAX);
    h->used = false;
    return 0;
}

/* ---- time, descriptors, chance ---- */

int calls_clock(clockid_t clock, struct timespec *out) {
    (void)clock;
    *out = (struct timespec){(time_t)(world_now() / 1000000000), (long)(world_now() % 1000000000)};
    return 0;
}

/* The last descriptor is what ends the wait, if it is one. That of somebody who is dead can be read. */
int calls_poll(struct pollfd *fds, nfds_t n, int ms) {
    const int64_t until = world_now() + ms * INT64_C(1000000);
    int ready = poll(fds, n, 0);
    while (ready == 0 && !world_am_dead() && world_now() < until) {
        (void)world_wait(until, fds[n - 1].fd);
        ready = poll(fds, n, 0);
    }
    if (!world_am_dead()) return ready;
    (void)world_block(fds, world_now() + 1000000); /* others come to their end meanwhile */
    fds[n - 1].revents = POLLIN;
    return 1;
}

/* A bell. */
ssize_t calls_write(int fd, const void *bytes, size_t n) {
    const ssize_t written = write(fd, bytes, n);
    world_poke(world_self());
    return written;
}

void calls_random(void *bytes, size_t n) {
    for (size_t i = 0; i < n; i++) ((unsigned char *)bytes)[i] = (unsigned char)world_chance(256);
}

void wadi_nats_steady(void) {
}
