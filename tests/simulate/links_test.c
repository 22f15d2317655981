/* Streams between a sender and a receiver that both save what they do, in worlds of many seeds: connections break, and either side is killed, at any moment,
 * and started again. Ports, their protocol and the wire form are the real ones; the runs around them are a few lines, with the rules of
 * sched/run/checkpoint.c.
 *
 * At each step: what the receiver passes on is the next element, so none is lost and none comes twice. The sender never saves a place that the receiver has not
 * saved. Nobody is sent more than it asked for. Where nobody is killed, both end well. It comes to an end. No chunk is left in memory.
 *
 *     WADI_SEED=N     this world alone, and what happens in it
 *     WADI_SEEDS=N    so many worlds; A-B: those */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "sched/builder.h"
#include "sched/transport/port.h"
#include "tests/simulate/world.h"
#include "wadi/log.h"

enum { ELEMENTS = 60, STREAM = 77, SIDES = 2, SENDER = 0, RECEIVER = 1, WINDOW = 3, STARTS = 60 };

static const char address[] = "tcp://127.0.0.1:1";
static const int64_t MS = 1000000, LIMIT_NS = INT64_C(3600) * 1000000000;

/* What outlives processes. */
typedef struct disk {
    int64_t sent;   /* the sender goes on behind it */
    int64_t stored; /* elements in the output */
    int64_t got;    /* the receiver goes on behind it */
    bool ended;     /* the receiver has all */
    bool finished[SIDES];
} disk;

typedef struct trial {
    uint64_t seed;
    disk disk;
    bool sender_binds, tells;
    process *at[SIDES];
    int starts, kills;
    char wrong[160];
} trial;

static trial *t;

static void blame(const char *why, int64_t a, int64_t b) {
    if (t->wrong[0] == '\0')
        (void)snprintf(t->wrong, sizeof t->wrong, "%s: %lld, %lld", why, (long long)a,
                       (long long)b);
}

static void say(const char *what, int64_t n, const char *words) {
    if (t->tells)
        printf("%10.3f ms  %s %lld %s\n", (double)world_now() / 1e6, what, (long long)n, words);
}

/* ---- ports ---- */

static wadi_status open_port(wadi_buffers *buffers, bool sends, wadi_port **out) {
    const wadi_port_options options = {.address = address,
                                       .bind = sends == t->sender_binds,
                                       .sends = sends,
                                       .goes_on = sends,
                                       .credit_bytes = sends ? 1000 : 200,
                                       .credit_chunks = WINDOW,
                                       .lost_after_ns = 20000 * MS,
                                       .owner = sends ? "sender" : "receiver",
                                       .other = sends ? "receiver" : "sender",
                                       .wake_fd = -1,
                                       .buffers = buffers,
                                       .stream = {.id = 1},
                                       .limits = {1 << 20, 1000}};
    return wadi_port_open(&options, out, NULL);
}

static wadi_chunk *make_chunk(wadi_buffers *buffers, int64_t first, int64_t count, int64_t number) {
    const wadi_part part = wadi_part_irregular(WADI_I64, 1);
    wadi_builder b;
    wadi_chunk *c = NULL;
    if (wadi_builder_init(&b, buffers, 1, &part, INT64_MAX, NULL) != WADI_OK) abort();
    for (int64_t i = first; i < first + count; i++) {
        const int64_t shape = 1 + i % 3;
        wadi_array a;
        if (wadi_builder_array(&b, 0, &shape, &a, NULL) != WADI_OK) abort();
        for (int64_t k = 0; k < shape; k++) ((int64_t *)a.column[0])[k] = i;
        if (wadi_builder_next(&b, NULL) != WADI_OK) abort();
    }
    if (wadi_chunk_create(buffers, 1, &c, NULL) != WADI_OK) abort();
    c->number = number;
    c->first = first;
    c->count = count;
    wadi_builder_finish(&b, c, 0, count);
    wadi_builder_fini(&b);
    return c;
}

/* Meanwhile nobody looks after the port, now and then for so long that a connection breaks and is made again. */
static void work(void) {
    if (world_chance(4) == 0) world_sleep(world_chance(30) * MS);
    if (world_chance(20) == 0) world_sleep((100 + world_chance(300)) * MS);
}

/* ---- the sender ---- */

static void save_sender(int64_t at) {
    if (world_am_dead()) return;
    if (at > t->disk.got && !t->disk.ended)
        blame("the sender is ahead of the receiver", at, t->disk.got);
    t->disk.sent = at;
    say("sender saved", at, "");
}

static wadi_status send_all(wadi_port *p, wadi_buffers *buffers, wadi_error *err) {
    int64_t has = 0, pending = -1, chunks = 0;
    WADI_TRY(wadi_port_meet(p, STREAM, &has, err));
    int64_t at = has >= t->disk.sent ? t->disk.sent : 0;
    say("sender begins at", at, "");
    while (at < ELEMENTS) {
        const int64_t left = ELEMENTS - at, want = 1 + world_chance(5),
                      n = want < left ? want : left;
        WADI_TRY(wadi_port_send(p, make_chunk(buffers, at, n, chunks++), err));
        at += n;
        if (pending < 0 && world_chance(3) == 0) pending = at;
        if (pending >= 0 && wadi_port_certain(p) >= pending) {
            save_sender(pending);
            pending = -1;
        }
        work();
    }
    return wadi_port_end(p, chunks, err);
}

/* ---- the receiver ---- */

static void save_receiver(wadi_port *p, int64_t at) {
    if (world_am_dead()) return;
    t->disk.got = at;
    say("receiver saved", at, "");
    wadi_port_keep(p, at, false);
}

static void store(const wadi_chunk *c, int64_t *at) {
    for (int64_t i = 0; i < c->count; i++, (*at)++) {
        const int64_t is = *(const int64_t *)wadi_chunk_array(c, 0, i).column[0];
        if (is != *at || c->first + i != *at) blame("another element than the next one", is, *at);
    }
    if (!world_am_dead()) t->disk.stored = *at;
}

static wadi_status receive_all(wadi_port *p, wadi_error *err) {
    int64_t at = t->disk.got;
    wadi_port_keep(p, 0, false);
    if (at > 0) wadi_port_go_on(p, STREAM, at);
    t->disk.stored = at; /* what is behind it is cut off */
    say("receiver begins at", at, "");
    while (!t->disk.ended) {
        wadi_chunk *c = NULL;
        work();
        WADI_TRY(wadi_port_receive(p, &c, err));
        if (c == NULL) {
            if (at != ELEMENTS) blame("the end comes at another element", at, ELEMENTS);
            save_receiver(p, at);
            if (!world_am_dead()) t->disk.ended = true;
            break;
        }
        const int64_t number = c->number;
        store(c, &at);
        wadi_chunk_release(c);
        if (world_chance(3) == 0) save_receiver(p, at); /* with a chunk that is not done, too */
        work();
        wadi_port_done(p, number);
        if (world_chance(3) == 0) save_receiver(p, at);
    }
    wadi_port_keep(p, at, true);
    return WADI_OK;
}

/* ---- a process ---- */

static void live(void *env) {
    const int side = *(const int *)env;
    wadi_buffers *buffers = NULL;
    wadi_port *p = NULL;
    wadi_error err = {.status = WADI_OK};
    if (wadi_buffers_create(NULL, 0, &buffers, NULL) != WADI_OK) abort();
    wadi_status status = open_port(buffers, side == SENDER, &p);
    if (status == WADI_OK)
        status = side == SENDER ? send_all(p, buffers, &err) : receive_all(p, &err);
    if (status == WADI_OK && !world_am_dead()) t->disk.finished[side] = true;
    /* a sender may have to go back behind what it keeps; a receiver waits for it */
    if (side == RECEIVER && status != WADI_OK && !world_am_dead() && !t->disk.finished[SENDER])
        blame(err.msg, status, 0);
    say(side == SENDER ? "sender ends with" : "receiver ends with", status, err.msg);
    wadi_port_close(p);
    if (wadi_buffers_used(buffers) != 0) blame("memory is left", wadi_buffers_used(buffers), 0);
    wadi_buffers_release(buffers);
}

static void start(int side) {
    static const int sides[SIDES] = {SENDER, RECEIVER};
    t->disk.finished[side] = false;
    t->starts++;
    t->at[side] = world_start(live, (void *)(uintptr_t)&sides[side]);
}

/* One that has finished removes what it has saved. It is started again for the other one, which has not learnt of that: then it begins anew. */
static void forget(int side) {
    if (side == SENDER) {
        t->disk.sent = 0;
    } else {
        t->disk.got = 0;
        t->disk.ended = false;
    }
}

/* Whoever has ended and not finished is started again. */
static void after(int side) {
    const int other = 1 - side;
    t->at[side] = NULL;
    if (t->disk.finished[side]) return;
    if (t->disk.finished[other] && t->at[other] == NULL) {
        forget(other);
        start(other);
    }
    start(side);
}

static void kill_one(void) {
    const int side = world_chance(SIDES);
    if (t->at[side] == NULL || t->disk.finished[side]) return;
    say(side == SENDER ? "the sender is killed" : "the receiver is killed", 0, "");
    world_kill(t->at[side]);
    t->kills++;
}

static void simulate(trial *trial_) {
    t = trial_;
    world_begin(t->seed, (int)(t->seed % 4));
    t->sender_binds = world_chance(2) == 0;
    int kills = world_chance(5);
    int64_t next_kill = world_now() + world_chance(400) * MS;
    start(RECEIVER);
    start(SENDER);
    while (t->at[SENDER] != NULL || t->at[RECEIVER] != NULL) {
        if (!world_turn() || t->starts > STARTS || world_now() > LIMIT_NS)
            blame("it does not come to an end", t->starts, world_now());
        for (int side = 0; side < SIDES; side++)
            if (t->at[side] != NULL && world_has_ended(t->at[side])) after(side);
        if (kills > 0 && world_now() > next_kill) {
            kill_one();
            kills--;
            next_kill = world_now() + world_chance(400) * MS;
        }
        if (t->wrong[0] != '\0') break;
    }
    for (int side = 0; side < SIDES; side++) {
        if (t->at[side] == NULL) continue;
        world_kill(t->at[side]);
        while (!world_has_ended(t->at[side])) (void)world_turn();
    }
    if (t->kills == 0 && t->starts > SIDES) blame("nobody was killed, and one fails", t->starts, 0);
    if (t->disk.stored != ELEMENTS) blame("the output is not whole", t->disk.stored, ELEMENTS);
    world_end();
}

/* ---- all ---- */

static void quiet(void *env, wadi_log_level level, const char *text) {
    (void)env;
    (void)level;
    if (t->tells) printf("%10.3f ms  %s\n", (double)world_now() / 1e6, text);
}

static void streams_survive_their_processes(void **state) {
    (void)state;
    const world_seeds seeds = world_seeds_of(getenv("WADI_TEST_ALL") != NULL ? 10000 : 1000);
    const uint64_t n = seeds.last + 1 - seeds.first;
    int64_t kills = 0, starts = 0;
    wadi_log_set(quiet, NULL);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        trial world = {.seed = seed, .tells = seeds.tells};
        simulate(&world);
        kills += world.kills;
        starts += world.starts;
        if (world.wrong[0] != '\0')
            fail_msg("WADI_SEED=%llu: %s", (unsigned long long)seed, world.wrong);
    }
    wadi_log_set(NULL, NULL);
    printf("%llu worlds, %lld processes started, %lld killed\n", (unsigned long long)n,
           (long long)starts, (long long)kills);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(streams_survive_their_processes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
