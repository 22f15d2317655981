/* A stream that several processes share, in worlds of many seeds: connections break, and those that have a part are killed at any moment, leave, and come anew.
 * Ports, their protocol, their threads and the wire form are the real ones; the runs around them are a few lines.
 *
 *     sender -> {workers} -> gatherer
 *
 * In some worlds the sender and the gatherer save what they do, are killed too, also both at once, and started again; the rules of their savings are those of sched/run/checkpoint.c. In some
 * all are stopped now and then, and go on later.
 *
 * At each step: what the gatherer passes on is the next element, so none is lost, none comes twice, and the order is that of the sender. Nobody holds more than
 * it has asked for. It comes to an end, and the sender ends only when the gatherer has all. No saving of the sender is ahead of the gatherer. No chunk is left in memory.
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
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/thread.h"
#include "sched/builder.h"
#include "sched/transport/share.h"
#include "tests/simulate/world.h"
#include "wadi/log.h"

enum { ELEMENTS = 60, WORKERS = 3, SENDER = WORKERS, GATHERER, SIDES, WINDOW = 2, STARTS = 150 };

static const char upper[] = "tcp://127.0.0.1:1", lower[] = "tcp://127.0.0.1:2";
static const int64_t MS = 1000000, LIMIT_NS = INT64_C(3600) * 1000000000;

/* What outlives processes. */
typedef struct disk {
    int64_t sent;   /* the sender goes on behind it */
    bool confirmed; /* it has heard that all is done */
    uint64_t confirmed_by;
    int64_t got; /* the gatherer goes on behind it */
} disk;

typedef struct trial {
    uint64_t seed;
    bool tells;
    bool saves[SIDES]; /* the sender, the gatherer */
    bool loses;        /* the gatherer, which is not saved: then failures are as they should be */
    disk disk;
    process *at[SIDES];
    bool finished[SIDES];
    int64_t gathered; /* elements */
    bool has_all;
    int64_t all_ns; /* when */
    int deserters;  /* workers that leave when they have heard of the end, and told nobody */
    bool calm;      /* nothing breaks, and nobody leaves */
    int starts, kills;
    char wrong[200];
} trial;

static trial *t;

static void blame(const char *why, int64_t a, int64_t b) {
    if (t->wrong[0] == '\0')
        (void)snprintf(t->wrong, sizeof t->wrong, "%s: %lld, %lld", why, (long long)a,
                       (long long)b);
}

static void say(int side, const char *what, int64_t n, const char *words) {
    if (t->tells)
        printf("%10.3f ms  %d %s %lld %s\n", (double)world_now() / 1e6, side, what, (long long)n,
               words);
}

/* ---- ports ---- */

static wadi_status open_port(wadi_buffers *buffers, const char *address, bool sends, bool binds,
                             wadi_port_share share, wadi_port **out, wadi_error *err) {
    const wadi_port_options options = {.address = address,
                                       .bind = binds,
                                       .sends = sends,
                                       .share = share,
                                       .goes_on = sends && binds && t->saves[SENDER],
                                       .credit_bytes = sends ? 1000 : 200,
                                       .credit_chunks = WINDOW,
                                       .lost_after_ns = 20000 * MS,
                                       .owner = sends ? "sender" : "receiver",
                                       .other = sends ? "receiver" : "sender",
                                       .wake_fd = -1,
                                       .buffers = buffers,
                                       .stream = {.id = t->saves[SENDER] ? 1 : 77},
                                       .limits = {1 << 20, 1000}};
    return wadi_port_open(&options, out, err);
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

static void work(void) {
    if (world_chance(4) == 0) world_sleep(world_chance(30) * MS);
    if (world_chance(30) == 0) world_sleep((100 + world_chance(300)) * MS);
}

/* ---- the sender ---- */

static void save_sender(int64_t at) {
    if (world_am_dead()) return;
    if (at > t->gathered || (t->saves[GATHERER] && at > t->disk.got && !t->has_all))
        blame("the sender is ahead of the gatherer", at, t->gathered);
    t->disk.sent = at;
    say(SENDER, "saved", at, "");
}

static void note_confirmed(void *env, bool all, uint64_t by) {
    (void)env;
    if (world_am_dead()) return;
    t->disk.confirmed = all;
    t->disk.confirmed_by = by;
    say(SENDER, "confirmed", all, "");
}

static wadi_status send_all(wadi_share_sender *s, wadi_port *p, wadi_buffers *buffers,
                            wadi_error *err) {
    int64_t at = t->disk.sent, chunks = 0, pending = -1;
    wadi_whole of = {.stream = 77,
                     .start = at,
                     .lasts = t->saves[SENDER],
                     .confirmed = t->disk.confirmed,
                     .confirmed_by = t->disk.confirmed_by};
    say(SENDER, "begins at", at, "");
    if (t->saves[SENDER])
        wadi_share_sender_tell(s, (wadi_share_teller){.confirmed = note_confirmed});
    if (t->saves[SENDER]) world_sleep(world_chance(100) * MS); /* its stream has no name yet */
    while (at < ELEMENTS) {
        const int64_t left = ELEMENTS - at, want = 1 + world_chance(5),
                      n = want < left ? want : left;
        WADI_TRY(wadi_share_sender_put(s, &of, make_chunk(buffers, at, n, chunks++), err));
        at += n;
        if (t->saves[SENDER] && pending < 0 && world_chance(3) == 0) pending = at;
        if (pending >= 0 && wadi_port_certain(p) >= pending) {
            save_sender(pending);
            pending = -1;
        }
        work();
    }
    of.elements = at;
    return wadi_share_sender_end(s, &of, chunks, err);
}

/* At the end of a sender, whatever has become of it. */
static void end_sender(wadi_share_sender *s, wadi_port *p, wadi_status status) {
    const wadi_error gone = {.status = WADI_CANCELLED, .msg = "gone"};
    if (s != NULL && p != NULL) {
        if (status != WADI_OK) wadi_share_sender_fail(s, &gone);
        wadi_share_sender_stop(s);
    }
    wadi_port_close(p);
    wadi_share_sender_destroy(s);
}

static wadi_status be_sender(wadi_buffers *buffers, wadi_error *err) {
    wadi_share_sender *s = NULL;
    wadi_port *p = NULL;
    if (wadi_share_sender_create(400, &s, NULL) != WADI_OK) abort();
    wadi_status status =
        open_port(buffers, upper, true, true, wadi_share_sender_options(s), &p, err);
    if (status == WADI_OK) status = wadi_share_sender_start(s, p, err);
    if (status == WADI_OK) status = send_all(s, p, buffers, err);
    if (status == WADI_OK && !world_am_dead() && !t->saves[SENDER] && t->gathered != ELEMENTS)
        blame("the sender ends before the gatherer has all", t->gathered, ELEMENTS);
    if (status == WADI_OK && !world_am_dead() && !t->saves[SENDER] && !t->has_all)
        blame("the sender ends before the gatherer knows the end", t->gathered, ELEMENTS);
    if (t->calm && t->has_all && world_now() - t->all_ns > 1000 * MS)
        blame("the sender is not told that the gatherer knows the end", world_now(), t->all_ns);
    end_sender(s, p, status);
    return status;
}

/* ---- a worker: cuts what it gets, and sends it on ---- */

typedef struct worker {
    wadi_share_book *book;
    wadi_share_sender *sender;
    wadi_port *in, *out;
} worker;

static void settle(void *env, int64_t first, int64_t count) {
    wadi_share_book_settle(((worker *)env)->book, first, count);
}

static void gathered(void *env, const wadi_gatherer *what) {
    wadi_share_book_gathered(((worker *)env)->book, what);
}

static void lose(void *env, const wadi_error *why) {
    wadi_share_book_lose(((worker *)env)->book, why);
}

static wadi_status attend(void *env, wadi_error *err) {
    return wadi_port_attend(((worker *)env)->in, err);
}

static wadi_status pass_on(worker *w, const wadi_chunk *c, wadi_error *err) {
    const wadi_whole of = wadi_port_part_of(w->in).whole;
    for (int64_t at = 0; at < c->count;) {
        const int64_t left = c->count - at, want = 1 + world_chance(6),
                      n = want < left ? want : left;
        wadi_chunk *part = NULL;
        if (wadi_chunk_slice((wadi_chunk *)(uintptr_t)c, at, n, &part, NULL) != WADI_OK) abort();
        part->first = part->number = c->first + at;
        at += n;
        work();
        WADI_TRY(wadi_share_sender_put(w->sender, &of, part, err));
    }
    return WADI_OK;
}

static wadi_status work_all(worker *w, bool leaves, wadi_error *err) {
    for (int i = 0;; i++) {
        wadi_chunk *c = NULL;
        if (leaves && i == 3) return wadi_fail(err, WADI_CANCELLED, "it leaves");
        WADI_TRY(wadi_port_receive(w->in, &c, err));
        if (c == NULL && t->deserters-- > 0) return wadi_fail(err, WADI_CANCELLED, "it deserts");
        if (c == NULL) break;
        wadi_status status = wadi_share_book_add(w->book, c, err);
        if (status == WADI_OK) status = pass_on(w, c, err);
        wadi_chunk_release(c);
        WADI_TRY(status);
    }
    const wadi_whole of = wadi_port_part_of(w->in).whole;
    if (of.elements != ELEMENTS) blame("a worker is told another number", of.elements, ELEMENTS);
    WADI_TRY(wadi_share_sender_end(w->sender, &of, of.elements, err));
    wadi_port_keep(w->in, of.elements, true);
    return WADI_OK;
}

static wadi_status be_worker(wadi_buffers *buffers, wadi_error *err) {
    worker w = {.book = NULL};
    const bool leaves = world_chance(6) == 0;
    if (leaves) t->calm = false;
    if (wadi_share_book_create(&w.book, NULL) != WADI_OK) abort();
    if (wadi_share_sender_create(0, &w.sender, NULL) != WADI_OK) abort();
    wadi_status status =
        open_port(buffers, upper, false, false, wadi_share_book_options(w.book), &w.in, err);
    if (status == WADI_OK) wadi_share_book_use(w.book, w.in);
    if (status == WADI_OK)
        status = open_port(buffers, lower, true, false, wadi_share_sender_options(w.sender), &w.out,
                           err);
    if (status == WADI_OK) status = wadi_share_sender_start(w.sender, w.out, err);
    wadi_share_sender_tell(
        w.sender,
        (wadi_share_teller){
            .settled = settle, .lost = lose, .gathered = gathered, .attend = attend, .env = &w});
    if (status == WADI_OK) status = work_all(&w, leaves, err);
    end_sender(w.sender, w.out, status);
    const wadi_error gone = {.status = WADI_CANCELLED, .msg = "gone"};
    if (status != WADI_OK && w.in != NULL) wadi_port_give_up(w.in, &gone);
    wadi_port_close(w.in);
    wadi_share_book_destroy(w.book);
    return status;
}

/* ---- the gatherer ---- */

static int64_t check_elements(const wadi_chunk *c, int64_t at) {
    for (int64_t i = 0; i < c->count; i++, at++) {
        const int64_t is = *(const int64_t *)wadi_chunk_array(c, 0, i).column[0];
        if (is != at || c->first + i != is) blame("another element than the next one", is, at);
    }
    if (!world_am_dead()) t->gathered = at;
    return at;
}

static void save_gatherer(wadi_port *p, int64_t at) {
    if (!t->saves[GATHERER] || world_chance(3) > 0 || world_am_dead()) return;
    t->disk.got = at;
    say(GATHERER, "saved", at, "");
    wadi_port_keep(p, at, false);
}

static wadi_status gather(wadi_port *p, wadi_error *err) {
    int64_t at = t->gathered = t->disk.got; /* what is behind it is cut off */
    if (t->saves[GATHERER]) wadi_port_keep(p, 0, false);
    if (at > 0) wadi_port_go_on(p, 77, at);
    say(GATHERER, "begins at", at, "");
    for (;;) {
        wadi_chunk *c = NULL;
        work();
        WADI_TRY(wadi_port_receive(p, &c, err));
        if (c == NULL) break;
        const int64_t number = c->number;
        at = check_elements(c, at);
        wadi_chunk_release(c);
        save_gatherer(p, at);
        work();
        wadi_port_done(p, number);
        save_gatherer(p, at);
    }
    if (world_am_dead()) return wadi_fail(err, WADI_CANCELLED, "dead");
    if (at != ELEMENTS) blame("the end comes at another element", at, ELEMENTS);
    t->has_all = true;
    t->all_ns = world_now();
    if (t->saves[GATHERER]) wadi_port_keep(p, at, true);
    return WADI_OK;
}

static wadi_status be_gatherer(wadi_buffers *buffers, wadi_error *err) {
    wadi_port *p = NULL;
    wadi_status status =
        open_port(buffers, lower, false, true, (wadi_port_share){.on = true}, &p, err);
    if (status == WADI_OK) status = gather(p, err);
    wadi_port_close(p);
    return status;
}

/* ---- processes ---- */

static void live(void *env) {
    const int side = *(const int *)env;
    wadi_buffers *buffers = NULL;
    wadi_error err = {.status = WADI_OK};
    if (wadi_buffers_create(NULL, 0, &buffers, NULL) != WADI_OK) abort();
    const wadi_status status = side == SENDER     ? be_sender(buffers, &err)
                               : side == GATHERER ? be_gatherer(buffers, &err)
                                                  : be_worker(buffers, &err);
    say(side, "ends with", status, err.msg);
    if (status == WADI_OK && !world_am_dead()) t->finished[side] = true;
    if (side >= WORKERS && status != WADI_OK && !t->saves[SENDER] && !t->loses)
        blame(err.msg, side, status);
    if (side < WORKERS && status != WADI_OK && status != WADI_CANCELLED && !world_am_dead() &&
        !t->finished[SENDER] && !t->has_all && !t->saves[SENDER] && !t->loses)
        blame(err.msg, side, status);
    if (strstr(err.msg, "another stream") != NULL && !world_am_dead()) blame(err.msg, side, status);
    if (wadi_buffers_used(buffers) != 0) blame("memory is left", wadi_buffers_used(buffers), side);
    wadi_buffers_release(buffers);
}

static void start(int side) {
    static const int sides[SIDES] = {0, 1, 2, SENDER, GATHERER};
    t->starts++;
    t->at[side] = world_start(live, (void *)(uintptr_t)&sides[side]);
}

static bool is_over(void) {
    for (int side = 0; side < SIDES; side++)
        if (t->at[side] != NULL) return false;
    return true;
}

/* A sender that has ended well has removed what it saved. The gatherer lacks something, so it begins anew. */
static bool goes_on(int side) {
    if (side == SENDER && t->finished[side]) t->disk = (disk){.got = t->disk.got};
    t->finished[side] = false;
    return true;
}

/* Whoever was killed or has left comes anew, as long as there is something to do: workers, and others if they are saved. */
static void look_after(void) {
    for (int side = 0; side < SIDES; side++) {
        if (t->at[side] == NULL || !world_has_ended(t->at[side])) continue;
        t->at[side] = NULL;
        if (t->has_all) continue;
        if (t->saves[SENDER] ? goes_on(side)
                             : side < WORKERS && !t->finished[side] && t->at[SENDER] != NULL)
            start(side);
    }
}

static void kill_one(void) {
    const int sides = t->saves[GATHERER] ? SIDES
                      : t->saves[SENDER] ? SENDER + 1
                                         : WORKERS,
              side = world_chance(sides);
    if (t->at[side] == NULL || t->has_all) return;
    say(side, "is killed", 0, "");
    world_kill(t->at[side]);
    t->kills++;
}

/* Nobody sees it from outside. Where whoever fails is started again it may be longer than the others wait for one that is lost. */
static void stop_one(void) {
    const int side = world_chance(SIDES), most = t->saves[SENDER] ? 60000 : 6000;
    if (t->at[side] == NULL) return;
    const int64_t ns = (1 + world_chance(world_chance(4) == 0 ? most : 60)) * MS;
    say(side, "is stopped", ns / MS, "");
    world_stop(t->at[side], ns);
}

static void kill_rest(void) {
    for (int side = 0; side < SIDES; side++) {
        if (t->at[side] == NULL) continue;
        world_kill(t->at[side]);
        while (!world_has_ended(t->at[side])) (void)world_turn();
    }
}

static void simulate(trial *trial_) {
    t = trial_;
    world_begin(t->seed, (int)(t->seed % 4));
    if (t->seed % 3 == 1) t->saves[SENDER] = true;
    if (t->seed % 6 == 1) t->saves[GATHERER] = true;
    int kills = world_chance(8);
    if (world_chance(4) == 0) t->deserters = 1 + world_chance(5);
    t->calm = kills == 0 && t->deserters == 0 && t->seed % 4 == 0 && t->seed % 5 != 2;
    int64_t next_kill = world_now() + world_chance(200) * MS, next_stop = next_kill;
    int stops = t->seed % 5 == 2 ? 1 + world_chance(8) : 0;
    for (int side = SIDES; side-- > 0;)
        if (side >= WORKERS || side == 0 || world_chance(4) > 0) start(side);
    while (!is_over() && t->wrong[0] == '\0') {
        if (!world_turn() || t->starts > STARTS || world_now() > LIMIT_NS)
            blame("it does not come to an end", t->starts, world_now());
        look_after();
        if (stops > 0 && world_now() > next_stop) {
            stop_one();
            stops--;
            next_stop = world_now() + world_chance(200) * MS;
        }
        if (kills > 0 && world_now() > next_kill) {
            kill_one();
            if (t->seed % 12 == 7) kill_one();
            kills--;
            next_kill = world_now() + world_chance(200) * MS;
        }
    }
    kill_rest();
    if (t->gathered != ELEMENTS) blame("the output is not whole", t->gathered, ELEMENTS);
    world_end();
}

/* ---- all ---- */

static void quiet(void *env, wadi_log_level level, const char *text) {
    (void)env;
    (void)level;
    if (t->tells) printf("%10.3f ms  %s\n", (double)world_now() / 1e6, text);
}

static void shared_streams_survive_those_that_share_them(void **state) {
    (void)state;
    const world_seeds seeds = world_seeds_of(getenv("WADI_TEST_ALL") != NULL ? 5000 : 500);
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
    printf("%llu worlds, %lld processes started, %lld killed\n",
           (unsigned long long)(seeds.last + 1 - seeds.first), (long long)starts, (long long)kills);
}

/* ---- a chunk that comes again to the worker that has it ---- */

typedef struct repeater {
    wadi_buffers *buffers;
    wadi_port *port;
    int64_t begin_ns;
    int stage;
} repeater;

static const wadi_whole whole = {.stream = 77};

static void lay_twice(repeater *r, int64_t from, int64_t to) {
    for (int64_t at = from; at < to; at += 2)
        for (int i = 0; i < 2; i++)
            if (wadi_port_lay(r->port, &whole, make_chunk(r->buffers, at, 2, at), NULL) != WADI_OK)
                abort();
}

/* The first elements last, so that the gatherer has to hold others. */
static wadi_status repeat_more(void *env, wadi_error *err) {
    repeater *r = env;
    (void)err;
    if (r->stage == 0) {
        lay_twice(r, 2, ELEMENTS);
        r->stage = 1;
    } else if (r->stage == 1 && world_now() - r->begin_ns > 500 * MS) {
        lay_twice(r, 0, 2);
        wadi_port_conclude(r->port, &whole, ELEMENTS);
        r->stage = 2;
    }
    return WADI_OK;
}

static void be_repeater(void *env) {
    repeater r = {.begin_ns = world_now()};
    const wadi_port_share share = {
        .on = true, .fd = eventfd(0, EFD_CLOEXEC), .nudged = repeat_more, .env = &r};
    (void)env;
    if (share.fd < 0 || wadi_buffers_create(NULL, 0, &r.buffers, NULL) != WADI_OK) abort();
    if (open_port(r.buffers, lower, true, false, share, &r.port, NULL) != WADI_OK) abort();
    t->finished[SENDER] = wadi_port_serve(r.port, NULL) == WADI_OK;
    wadi_port_close(r.port);
    wadi_buffers_release(r.buffers);
    (void)close(share.fd);
}

/* The gatherer would answer two equal ones once, and the worker wait for ever. */
static void repeat(uint64_t seed) {
    trial world = {.seed = seed};
    t = &world;
    world_begin(seed, 0);
    start(GATHERER);
    t->at[0] = world_start(be_repeater, NULL);
    while (!is_over() && world_now() < LIMIT_NS) {
        assert_true(world_turn());
        for (int side = 0; side < SIDES; side++)
            if (t->at[side] != NULL && world_has_ended(t->at[side])) t->at[side] = NULL;
    }
    const bool over = is_over();
    kill_rest();
    world_end();
    assert_true(over && t->finished[SENDER] && t->has_all);
    assert_string_equal(t->wrong, "");
}

static void what_comes_again_is_sent_and_done_once(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++) repeat(seed);
}

/* ---- nobody gathers ---- */

/* The worker has passed on what its sender gives without an answer, and waits for more: nothing but the loss of the gatherer wakes it. */
static void without_a_gatherer_all_end_with_an_error(void **state) {
    (void)state;
    trial world = {.seed = 1};
    t = &world;
    world_begin(1, 0);
    start(SENDER);
    start(0);
    while (!is_over() && world_now() < LIMIT_NS && world_turn())
        for (int side = 0; side < SIDES; side++)
            if (t->at[side] != NULL && world_has_ended(t->at[side])) t->at[side] = NULL;
    const bool over = is_over();
    kill_rest();
    world_end();
    assert_true(over);
    assert_false(t->finished[SENDER] || t->finished[0]);
}

/* What the first gatherer had is lost with it. Either nothing is missing, or whoever could know says so; nobody waits for ever. */
static void lose_gatherer(uint64_t seed, int *io_whole) {
    trial world = {.seed = seed, .loses = true};
    t = &world;
    world_begin(seed, 0);
    for (int side = SIDES; side-- > 0;) start(side);
    int64_t kill_ns = world_now() + world_chance(800) * MS;
    while (!is_over() && t->starts < STARTS && world_now() < LIMIT_NS && world_turn()) {
        for (int side = 0; side < SIDES; side++) {
            if (t->at[side] == NULL || !world_has_ended(t->at[side])) continue;
            t->at[side] = NULL;
            if (side == GATHERER && kill_ns == INT64_MAX && !t->has_all) start(side);
            if (side < WORKERS && t->at[SENDER] != NULL && !t->has_all) start(side);
            if (side == SENDER) kill_ns = INT64_MAX - 1; /* nobody is started again */
        }
        if (world_now() < kill_ns || t->at[GATHERER] == NULL) continue;
        kill_ns = INT64_MAX;
        world_kill(t->at[GATHERER]);
    }
    const bool over = is_over();
    kill_rest();
    world_end();
    if (!over) fail_msg("WADI_SEED=%llu: it does not come to an end", (unsigned long long)seed);
    if (t->finished[SENDER] && (!t->has_all || t->gathered != ELEMENTS))
        fail_msg("WADI_SEED=%llu: the sender ends well", (unsigned long long)seed);
    assert_string_equal(t->wrong, "");
    *io_whole += t->finished[SENDER];
}

static void a_gatherer_that_saves_nothing_can_be_lost_at_any_moment(void **state) {
    (void)state;
    int whole_ones = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) lose_gatherer(seed, &whole_ones);
    printf("%d of 200 are whole\n", whole_ones);
}

/* ---- a sender that is killed when its end is known, or is going to be ---- */

/* It is started again as long as it has not ended well, the others as long as there is something to do. */
static bool turn_and_start(void) {
    for (int side = 0; side < SIDES; side++) {
        if (t->at[side] == NULL || !world_has_ended(t->at[side])) continue;
        t->at[side] = NULL;
        if (!t->finished[side] && (side == SENDER || !t->has_all)) start(side);
    }
    return !is_over() && t->starts < STARTS && world_now() < LIMIT_NS && world_turn();
}

static void lose_last_word(uint64_t seed, bool known) {
    trial world = {.seed = seed, .saves = {[SENDER] = true, [GATHERER] = seed % 2 == 0}};
    t = &world;
    world_begin(seed, 0);
    for (int side = SIDES; side-- > 0;) start(side);
    while (known ? !t->has_all : !t->disk.confirmed) assert_true(turn_and_start());
    const int64_t until = world_now() + (int64_t)(seed % 3) * world_chance(20) * MS;
    bool runs = true;
    while (runs && world_now() < until) runs = world_turn();
    if (t->at[SENDER] != NULL && !world_has_ended(t->at[SENDER])) world_kill(t->at[SENDER]);
    while (turn_and_start()) {
    }
    const bool over = is_over();
    kill_rest();
    world_end();
    if (!over || !t->finished[SENDER])
        fail_msg("WADI_SEED=%llu: the sender does not come to its end", (unsigned long long)seed);
    assert_true(t->has_all && t->finished[GATHERER]);
    assert_string_equal(t->wrong, "");
}

static void
a_sender_that_is_killed_before_the_last_word_ends_well_when_it_is_started_again(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) lose_last_word(seed, seed % 4 != 0);
}

/* ---- one that is stopped for longer than anybody waits ---- */

/* Until the side is stopped all is calm. Returns whether the others have come to their end long before it goes on. */
static bool stop_side(uint64_t seed, int side) {
    const int64_t stop_ns = INT64_C(3000000) * MS;
    static trial world; /* the caller looks at it */
    world = (trial){.seed = seed, .loses = side >= WORKERS};
    t = &world;
    world_begin(seed, 0);
    for (int i = SIDES; i-- > 0;) start(i);
    while (t->gathered < ELEMENTS / 4) assert_true(world_turn());
    world_stop(t->at[side], stop_ns);
    const int64_t until = world_now() + stop_ns / 10;
    bool others = true;
    while (others && world_now() < until) {
        assert_true(world_turn());
        others = false;
        for (int i = 0; i < SIDES; i++) {
            if (t->at[i] != NULL && world_has_ended(t->at[i])) t->at[i] = NULL;
            others = others || (i != side && t->at[i] != NULL);
        }
    }
    kill_rest();
    world_end();
    assert_string_equal(t->wrong, "");
    return !others;
}

static void what_a_stopped_one_has_goes_to_the_others(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        assert_true(stop_side(seed, 0));
        assert_true(t->has_all && t->finished[SENDER] && t->finished[GATHERER]);
    }
}

static void nobody_waits_for_ever_for_a_stopped_sender_or_gatherer(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        assert_true(stop_side(seed, SENDER));
        assert_false(t->has_all);
        assert_true(stop_side(seed, GATHERER));
        assert_false(t->finished[SENDER]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_stopped_one_has_goes_to_the_others),
        cmocka_unit_test(nobody_waits_for_ever_for_a_stopped_sender_or_gatherer),
        cmocka_unit_test(without_a_gatherer_all_end_with_an_error),
        cmocka_unit_test(what_comes_again_is_sent_and_done_once),
        cmocka_unit_test(a_gatherer_that_saves_nothing_can_be_lost_at_any_moment),
        cmocka_unit_test(
            a_sender_that_is_killed_before_the_last_word_ends_well_when_it_is_started_again),
        cmocka_unit_test(shared_streams_survive_those_that_share_them)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
