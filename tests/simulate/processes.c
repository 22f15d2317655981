/* Processes are threads, of which one at a time has the turn. A process may have further threads (threads.c), which are born and die with it. */
#define _GNU_SOURCE /* sched_setaffinity */
#include "tests/simulate/inside.h"

#include <poll.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"

enum { THREADS = 4096 };

struct process {
    process *of; /* the process, which is its first thread */
    pthread_t thread;
    sem_t turn; /* it has it now */
    void (*run)(void *env);
    void *env;
    bool used, ended, poked;
    bool dead;          /* of a first thread: the process */
    int64_t stopped_ns; /* likewise: it has no turn before */
    int64_t wake_ns;
    const void *waits_for; /* something of its own process; NULL: the network or the clock */
    int fd;                /* wakes it as well; -1: none */
};

static process all[THREADS];
static int used;          /* those behind were never used */
static sem_t world_turns; /* the world has the turn again */
static _Thread_local process *self;
static _Atomic int64_t now_ns;
static uint64_t luck, seed_now;

int world_chance(int n) {
    luck = wadi_hash64(luck + 1);
    return (int)(luck % (uint64_t)n);
}

int64_t world_now(void) {
    return now_ns;
}

/* ---- turns ---- */

static void await(sem_t *s) {
    while (sem_wait(s) != 0) continue; /* a signal came */
}

static void give_turn(process *to) {
    (void)sem_post(&to->turn);
    await(&world_turns);
}

static void give_back_turn(void) {
    (void)sem_post(&world_turns);
    await(&self->turn);
}

static void *live(void *p) {
    self = p;
    await(&self->turn);
    self->run(self->env);
    self->ended = true;
    world_wake(self, true);
    (void)sem_post(&world_turns);
    return NULL;
}

static process *begin(process *of, void (*run)(void *env), void *env) {
    int i = 0;
    while (i < used && all[i].used) i++;
    if (i == THREADS) abort();
    if (i == used) used++;
    process *p = &all[i];
    *p = (process){.run = run, .env = env, .used = true, .wake_ns = now_ns, .fd = -1};
    p->of = of != NULL ? of : p;
    (void)sem_init(&p->turn, 0, 0);
    if (pthread_create(&p->thread, NULL, live, p) != 0) abort();
    return p;
}

process *world_start(void (*run)(void *env), void *env) {
    return begin(NULL, run, env);
}

process *world_start_thread(void (*run)(void *env), void *env) {
    return begin(world_self(), run, env);
}

bool world_has_ended(process *p) {
    if (!p->ended) return false;
    (void)pthread_join(p->thread, NULL);
    (void)sem_destroy(&p->turn);
    p->used = false;
    return true;
}

void world_poke(process *p) {
    for (int i = 0; i < used; i++)
        if (all[i].used && all[i].of == p && all[i].waits_for == NULL) all[i].poked = true;
}

void world_kill(process *p) {
    p->dead = true;
    p->stopped_ns = 0;
    world_poke(p);
    network_cut(p);
}

void world_stop(process *p, int64_t ns) {
    p->stopped_ns = now_ns + ns;
}

bool world_am_dead(void) {
    return self->of->dead;
}

process *world_self(void) {
    if (self == NULL) abort(); /* the world itself waits for nobody, and has no sockets */
    return self->of;
}

bool world_is_dead(const process *p) {
    return p->dead;
}

/* ---- waiting ---- */

static bool wait_for(const void *what, int64_t until_ns, int fd) {
    if (self == NULL) abort();
    self->wake_ns = until_ns;
    self->waits_for = what;
    self->fd = fd;
    self->poked = what == NULL && self->of->dead;
    give_back_turn();
    self->waits_for = NULL;
    self->fd = -1;
    return now_ns < until_ns;
}

bool world_wait(int64_t until_ns, int fd) {
    return wait_for(NULL, until_ns, fd);
}

void world_sleep(int64_t ns) {
    const int64_t until = now_ns + ns;
    while (!world_am_dead() && now_ns < until) (void)world_wait(until, -1);
}

bool world_block(const void *what, int64_t until_ns) {
    return wait_for(what, until_ns, -1);
}

void world_wake(const void *what, bool everyone) {
    for (int i = 0; i < used; i++) {
        if (!all[i].used || all[i].waits_for != what || all[i].poked) continue;
        all[i].poked = true;
        if (!everyone) return;
    }
}

/* Whoever waits for a descriptor that can be read is poked. All are asked for at once. */
static void poke_readers(void) {
    static struct pollfd asked[THREADS];
    static process *who[THREADS];
    nfds_t n = 0;
    for (int i = 0; i < used; i++) {
        if (!all[i].used || all[i].ended || all[i].fd < 0) continue;
        asked[n] = (struct pollfd){.fd = all[i].fd, .events = POLLIN};
        who[n++] = &all[i];
    }
    if (n == 0 || poll(asked, n, 0) <= 0) return;
    for (nfds_t i = 0; i < n; i++)
        if (asked[i].revents != 0) who[i]->poked = true;
}

/* One of those that wake first; those that were poked wake now. Nobody: all wait for ever. */
static process *next_thread(void) {
    process *next = NULL;
    int among = 0;
    poke_readers();
    for (int i = 0; i < used; i++) {
        process *p = &all[i];
        if (!p->used || p->ended) continue;
        if (p->poked) p->wake_ns = now_ns;
        if (p->wake_ns < p->of->stopped_ns) p->wake_ns = p->of->stopped_ns;
        if (p->wake_ns == INT64_MAX || (next != NULL && p->wake_ns > next->wake_ns)) continue;
        among = next != NULL && p->wake_ns == next->wake_ns ? among + 1 : 1;
        if (among == 1 || world_chance(among) == 0) next = p;
    }
    return next;
}

bool world_turn(void) {
    const int64_t happens = network_next();
    process *p = next_thread();
    if (p == NULL && happens == INT64_MAX) return false;
    if (p == NULL || happens <= p->wake_ns) {
        if (happens > now_ns) now_ns = happens;
        network_happen();
        return true;
    }
    if (p->wake_ns > now_ns) now_ns = p->wake_ns;
    p->wake_ns = INT64_MAX;
    give_turn(p);
    return true;
}

/* Handing over a turn is fastest where no other processor has to wake up. */
static void stay_on_one_processor(void) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    (void)sched_setaffinity(0, sizeof one, &one);
}

/* A program that aborts says in which world. */
static void tell_seed(int signal_number) {
    static const char text[] = "WADI_SEED=";
    char digits[24];
    size_t at = sizeof digits;
    digits[--at] = '\n';
    for (uint64_t n = seed_now; n > 0; n /= 10) digits[--at] = (char)('0' + n % 10);
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    (void)!write(STDERR_FILENO, digits + at, sizeof digits - at);
    (void)signal(signal_number, SIG_DFL);
    (void)raise(signal_number);
}

static void prepare(void) {
    stay_on_one_processor();
    (void)sem_init(&world_turns, 0, 0);
    (void)signal(SIGABRT, tell_seed);
}

void world_begin(uint64_t seed, int breaks) {
    static bool prepared;
    if (!prepared) prepare();
    prepared = true;
    seed_now = seed;
    luck = wadi_hash64(seed);
    now_ns = INT64_C(1000000000);
    wadi_clock_set(world_now);
    network_begin(breaks);
    threads_begin();
    folder_begin();
}

void world_end(void) {
    network_end();
    folder_begin();
    wadi_clock_set(NULL);
}
