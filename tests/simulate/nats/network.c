/* The network between clients of NATS and their server. What is under way over a connection keeps its order, and is lost with it. The library makes a lost connection again, and gives
 * it up when it was refused twice in a row. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "modules/nats/inside.h"
#include "tests/simulate/nats/inside.h"
#include "tests/simulate/way.h"

typedef enum what { MESSAGE, CALL, SUBSCRIPTION, HEARD, REPLY, UNHEARD } what;

typedef struct event {
    int64_t at_ns;
    what what;
    natsConnection *nc;
    natsSubscription *sub;
    natsMsg *msg;
    nats_call *call;
} event;

natsConnection nats_connections[NATS_CONNECTIONS];
static WADI_VEC(event) events;
static int breaks_left;

static const int64_t MS = 1000000, SECOND = 1000000000;

int64_t nats_soon(void) {
    return world_now() + MS / 20 + world_chance(8) * MS / 10 +
           (world_chance(20) == 0 ? 40 * MS : 0);
}

/* side 0: to the server, 1: to the client */
static void push(event e, int side) {
    int64_t at = nats_soon();
    if (at <= e.nc->last_ns[side]) at = e.nc->last_ns[side] + 1;
    e.nc->last_ns[side] = e.at_ns = at;
    if (!wadi_vec_push(&events, e)) abort();
}

/* ---- to the server ---- */

static bool reaches(const natsConnection *nc) {
    return nc->up && !world_is_dead(nc->owner);
}

void nats_send(natsConnection *nc, natsMsg *owned_m) {
    if (reaches(nc))
        push((event){.what = MESSAGE, .nc = nc, .msg = owned_m}, 0);
    else
        natsMsg_Destroy(owned_m);
}

void nats_send_call(nats_call *c) {
    if (reaches(c->nc)) push((event){.what = CALL, .nc = c->nc, .call = c}, 0);
}

void nats_send_subscription(natsSubscription *s) {
    if (reaches(s->nc)) push((event){.what = SUBSCRIPTION, .nc = s->nc, .sub = s}, 0);
}

/* ---- to clients ---- */

static bool hears(const natsSubscription *s, const char *to) {
    return s->at_server && !s->ended && !s->drains && nats_matches(s->subject, to);
}

static nats_call *call_of(const natsConnection *nc, const char *to) {
    for (size_t i = 0; i < nc->calls.n; i++)
        if (strcmp(nc->calls.at[i]->inbox, to) == 0) return nc->calls.at[i];
    return NULL;
}

int nats_deliver(const char *to, const natsMsg *m) {
    int n = 0;
    for (int i = 0; i < NATS_CONNECTIONS; i++) {
        natsConnection *nc = &nats_connections[i];
        if (!nc->used || !nc->up) continue;
        nats_call *c = call_of(nc, to);
        if (c != NULL && c->msg == NULL) {
            c->msg = nats_message_copy(m);
            nats_reply(c);
            n++;
        }
        for (size_t k = 0; k < nc->subs.n; k++) {
            if (!hears(nc->subs.at[k], to)) continue;
            push(
                (event){
                    .what = HEARD, .nc = nc, .sub = nc->subs.at[k], .msg = nats_message_copy(m)},
                1);
            n++;
        }
    }
    return n;
}

bool nats_listens(const char *to) {
    for (int i = 0; i < NATS_CONNECTIONS; i++)
        for (size_t k = 0; nats_connections[i].up && k < nats_connections[i].subs.n; k++)
            if (hears(nats_connections[i].subs.at[k], to)) return true;
    return false;
}

void nats_reply(nats_call *c) {
    if (c->nc->up) push((event){.what = REPLY, .nc = c->nc, .call = c}, 1);
}

static void tell(natsConnection *nc, nats_news news) {
    if (!wadi_vec_push(&nc->news, news)) abort();
    world_wake(&nc->news, true);
}

void nats_refuse(natsConnection *nc, const char *words) {
    if (reaches(nc)) tell(nc, (nats_news){NATS_REFUSED, words});
}

/* ---- what becomes of connections ---- */

static void drop(size_t i) {
    natsMsg_Destroy(events.at[i].msg);
    events.at[i] = events.at[--events.n];
}

void nats_forget_call(nats_call *c) {
    for (size_t i = events.n; i-- > 0;)
        if (events.at[i].call == c) drop(i);
}

static void finish(nats_call *c, natsStatus s) {
    if (c->done) return;
    if (s != NATS_OK) c->status = s;
    c->done = true;
    world_poke(c->nc->owner);
}

static void cut(natsConnection *nc) {
    nc->up = false;
    for (size_t i = events.n; i-- > 0;)
        if (events.at[i].nc == nc) drop(i);
    for (size_t i = 0; i < nc->calls.n; i++) finish(nc->calls.at[i], NATS_CONNECTION_DISCONNECTED);
    for (size_t i = 0; i < nc->subs.n; i++) nc->subs.at[i]->at_server = false;
}

void nats_break(natsConnection *nc) {
    if (!nc->used || !nc->up) return;
    cut(nc);
    tell(nc, (nats_news){NATS_LOST, NULL});
    nc->try_ns = world_now() + (100 + world_chance(100)) * MS;
}

void nats_break_all(void) {
    for (int i = 0; i < NATS_CONNECTIONS; i++) nats_break(&nats_connections[i]);
}

void nats_end(natsConnection *nc, const char *words) {
    if (nc->closed) return;
    cut(nc);
    nc->closed = true;
    nc->try_ns = INT64_MAX;
    for (size_t i = 0; i < nc->subs.n; i++) {
        nc->subs.at[i]->ended = true;
        world_wake(nc->subs.at[i], true);
    }
    tell(nc, (nats_news){NATS_CLOSED, words});
}

static void try_connect(natsConnection *nc) {
    nc->try_ns = world_now() + (100 + world_chance(100)) * MS;
    if (!server_is_up()) return;
    if (!server_lets_in()) {
        if (++nc->refusals == 2) nats_end(nc, "Authorization Violation");
        return;
    }
    nc->refusals = 0;
    nc->made++;
    nc->up = true;
    nc->try_ns = INT64_MAX;
    (void)snprintf(nc->server_id, sizeof nc->server_id, "%s", server_id());
    for (size_t i = 0; i < nc->subs.n; i++)
        nc->subs.at[i]->at_server = !nc->subs.at[i]->ended && !nc->subs.at[i]->drains;
    tell(nc, (nats_news){NATS_BACK, NULL});
}

void network_cut(process *p) {
    for (int i = 0; i < NATS_CONNECTIONS; i++) {
        natsConnection *nc = &nats_connections[i];
        if (!nc->used || nc->owner != p) continue;
        cut(nc);
        nc->try_ns = INT64_MAX;
    }
}

/* ---- what happens ---- */

static bool is_to_server(const event *e) {
    return e->what == MESSAGE || e->what == CALL || e->what == SUBSCRIPTION;
}

/* A server that is stopped hears nothing. -1: none. */
static int first_event(void) {
    int first = -1;
    for (size_t i = 0; i < events.n; i++) {
        if (is_to_server(&events.at[i]) && !server_listens()) continue;
        if (first < 0 || events.at[i].at_ns < events.at[first].at_ns) first = (int)i;
    }
    return first;
}

static natsConnection *first_try(void) {
    natsConnection *first = NULL;
    for (int i = 0; i < NATS_CONNECTIONS; i++) {
        natsConnection *nc = &nats_connections[i];
        if (nc->used && nc->try_ns < (first != NULL ? first->try_ns : INT64_MAX)) first = nc;
    }
    return first;
}

int64_t network_next(void) {
    const int e = first_event();
    const natsConnection *nc = first_try();
    int64_t next = server_next();
    if (e >= 0 && events.at[e].at_ns < next) next = events.at[e].at_ns;
    if (nc != NULL && nc->try_ns < next) next = nc->try_ns;
    return next;
}

static void hear(event *e) {
    if (e->sub->ended || !wadi_vec_push(&e->sub->come, e->msg)) natsMsg_Destroy(e->msg);
    world_wake(e->sub, true);
    if (breaks_left <= 0 || world_chance(150) != 0) return;
    breaks_left--;
    nats_break(e->nc);
}

static void ask(nats_call *c) {
    if (breaks_left > 0 && world_chance(12) == 0) {
        breaks_left--;
        nats_break(c->nc);
        return;
    }
    if (c->act != NULL) {
        c->act(c);
        return;
    }
    natsMsg *m = nats_message(c->subject, c->inbox, c->text, (int)strlen(c->text));
    server_hears(c->nc, m);
    natsMsg_Destroy(m);
}

static void happen(event e) {
    switch (e.what) {
    case MESSAGE:
        server_hears(e.nc, e.msg);
        natsMsg_Destroy(e.msg);
        break;
    case CALL:
        ask(e.call);
        break;
    case SUBSCRIPTION:
        e.sub->at_server = !e.sub->ended && !e.sub->drains;
        break;
    case HEARD:
        hear(&e);
        break;
    case REPLY:
        finish(e.call, NATS_OK);
        break;
    case UNHEARD:
        if (!server_is_up()) nats_break(e.nc);
    }
}

void network_happen(void) {
    const int i = first_event();
    natsConnection *nc = first_try();
    const int64_t own = server_next(), at = i >= 0 ? events.at[i].at_ns : INT64_MAX,
                  tries = nc != NULL ? nc->try_ns : INT64_MAX;
    if (own <= at && own <= tries) {
        server_happen();
    } else if (tries <= at) {
        try_connect(nc);
    } else {
        const event e = events.at[i];
        events.at[i] = events.at[--events.n];
        happen(e);
    }
}

/* ---- the world ---- */

void network_begin(int breaks) {
    for (int i = 0; i < NATS_CONNECTIONS; i++) nats_connections[i] = (natsConnection){0};
    breaks_left = 3 * breaks;
    server_begin();
}

void network_end(void) {
    for (size_t i = events.n; i-- > 0;) drop(i);
    wadi_vec_free(&events);
    server_end();
    for (int i = 0; i < NATS_CONNECTIONS; i++)
        if (nats_connections[i].used) abort(); /* every process has closed its queue */
}

/* ---- the way ---- */

const char *way_address(void) {
    return "nats://127.0.0.1/job?ack=1&wait=20&credit=8";
}

int way_most_items(int workers) {
    (void)workers;
    return 8;
}

int way_scale(void) {
    return 300;
}

int64_t way_lost_s(void) {
    return 30;
}

int way_pause_s(void) {
    return 30; /* two calls that a server without a leader does not answer, and an item that kills five workers */
}

bool way_was_there(void) {
    return !server_suffered();
}

int64_t way_requests(void) {
    return server_requests();
}

int64_t way_requests_most(void) {
    return 20;
}

/* Whoever hears nothing of a stopped server for a while takes the connection for lost. */
static void stop_server(int64_t ns) {
    server_suffers(NATS_STOPPED, ns);
    for (int i = 0; i < NATS_CONNECTIONS; i++) {
        natsConnection *nc = &nats_connections[i];
        if (!nc->used || !nc->up) continue;
        const event e = {
            world_now() + 4 * SECOND + world_chance(2000) * MS, UNHEARD, nc, NULL, NULL, NULL};
        if (!wadi_vec_push(&events, e)) abort();
    }
}

const char *way_harm(void) {
    static const char *const words[NATS_TROUBLES] = {
        "a connection breaks",   "the server is stopped",    "the server is killed",
        "the server is full",    "the server has no leader", "nobody may publish",
        "nobody is let in again"};
    const nats_trouble trouble =
        world_chance(3) == 0 ? NATS_AWAY : (nats_trouble)world_chance(NATS_TROUBLES);
    const int64_t ns = world_chance(8000) * MS;
    if (trouble == NATS_STOPPED) {
        stop_server(ns);
    } else if (trouble == NATS_NONE) {
        nats_break(&nats_connections[world_chance(8)]);
    } else {
        server_suffers(trouble, ns);
        if (trouble == NATS_LOCKED) nats_break_all();
    }
    return words[trouble];
}

static wadi_status check(const char *address, wadi_error *err) {
    (void)address;
    (void)err;
    return WADI_OK;
}

/* Instead of sched/work/nats.c, which loads the module. */
const wadi_way wadi_way_nats = {"nats", "", check, wadi_nats_open};
