/* Processes are threads, of which one at a time has the turn. */
#define _GNU_SOURCE /* sched_setaffinity */
#include "tests/simulate/inside.h"

#include <sched.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/hash.h"

enum { PROCESSES = 16 };

struct process {
    pthread_t thread;
    pthread_cond_t has_turn;
    void (*run)(void *env);
    void *env;
    bool used, ended, dead, poked;
    int64_t wake_ns;
};

static process all[PROCESSES];
static process *turn; /* NULL: the world's */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t world_has_turn = PTHREAD_COND_INITIALIZER;
static _Thread_local process *self;
static _Atomic int64_t now_ns;
static uint64_t luck;

int world_chance(int n) {
    luck = wadi_hash64(luck + 1);
    return (int)(luck % (uint64_t)n);
}

int64_t world_now(void) {
    return now_ns;
}

/* ---- turns ---- */

static void give_turn(process *to) {
    turn = to;
    (void)pthread_cond_signal(to != NULL ? &to->has_turn : &world_has_turn);
    while (turn != self)
        (void)pthread_cond_wait(self != NULL ? &self->has_turn : &world_has_turn, &lock);
}

static void *live(void *p) {
    self = p;
    (void)pthread_mutex_lock(&lock);
    while (turn != self) (void)pthread_cond_wait(&self->has_turn, &lock);
    (void)pthread_mutex_unlock(&lock);
    self->run(self->env);
    (void)pthread_mutex_lock(&lock);
    self->ended = true;
    turn = NULL;
    (void)pthread_cond_signal(&world_has_turn);
    (void)pthread_mutex_unlock(&lock);
    return NULL;
}

process *world_start(void (*run)(void *env), void *env) {
    int i = 0;
    while (all[i].used) i++;
    if (i == PROCESSES) abort();
    process *p = &all[i];
    *p = (process){.run = run, .env = env, .used = true, .wake_ns = now_ns};
    (void)pthread_cond_init(&p->has_turn, NULL);
    if (pthread_create(&p->thread, NULL, live, p) != 0) abort();
    return p;
}

bool world_has_ended(process *p) {
    if (!p->ended) return false;
    (void)pthread_join(p->thread, NULL);
    (void)pthread_cond_destroy(&p->has_turn);
    p->used = false;
    return true;
}

void world_kill(process *p) {
    p->dead = p->poked = true;
    network_cut(p);
}

bool world_am_dead(void) {
    return self->dead;
}

process *world_self(void) {
    return self;
}

bool world_is_dead(const process *p) {
    return p->dead;
}

void world_poke(process *p) {
    p->poked = true;
}

bool world_wait(int64_t until_ns) {
    (void)pthread_mutex_lock(&lock);
    self->wake_ns = until_ns;
    self->poked = self->dead;
    give_turn(NULL);
    (void)pthread_mutex_unlock(&lock);
    return now_ns < until_ns;
}

void world_sleep(int64_t ns) {
    const int64_t until = now_ns + ns;
    while (!self->dead && now_ns < until) (void)world_wait(until);
}

/* The one that wakes first; those that were poked wake now. */
static process *next_process(void) {
    process *next = NULL;
    for (int i = 0; i < PROCESSES; i++) {
        process *p = &all[i];
        if (!p->used || p->ended) continue;
        if (p->poked) p->wake_ns = now_ns;
        if (next == NULL || p->wake_ns < next->wake_ns) next = p;
    }
    return next;
}

bool world_turn(void) {
    const int64_t happens = network_next();
    process *p = next_process();
    if (p == NULL && happens == INT64_MAX) return false;
    if (p == NULL || happens <= p->wake_ns) {
        if (happens > now_ns) now_ns = happens;
        network_happen();
        return true;
    }
    if (p->wake_ns > now_ns) now_ns = p->wake_ns;
    p->wake_ns = INT64_MAX;
    (void)pthread_mutex_lock(&lock);
    give_turn(p);
    (void)pthread_mutex_unlock(&lock);
    return true;
}

/* Handing over a turn is fastest where no other processor has to wake up. */
static void stay_on_one_processor(void) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    (void)sched_setaffinity(0, sizeof one, &one);
}

void world_begin(uint64_t seed, int breaks) {
    static bool stays;
    if (!stays) stay_on_one_processor();
    stays = true;
    luck = wadi_hash64(seed);
    now_ns = INT64_C(1000000000);
    wadi_clock_set(world_now);
    network_begin(breaks);
}

void world_end(void) {
    network_end();
    wadi_clock_set(NULL);
}
