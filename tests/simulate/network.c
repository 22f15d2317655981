/* What ports need of libzmq, over a network of this process. */
#include "tests/simulate/inside.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "sched/transport/zmq/guard.h"
#include "sched/transport/zmq/library.h"
#include "sched/transport/zmq/room.h"

enum { SOCKETS = 4096, LINKS = 2048, MOST_FRAMES = 64, IDENTITY = 4, FIRST_FD = 10 };

static const int64_t MS = 1000000;

/* ---- frames and messages ---- */

typedef struct frame {
    void *data;
    size_t n;
    zmq_free_fn *release;
    void *hint;
    bool more;
    int fd; /* of the connection over which it came */
} frame;

typedef struct parcel {
    int n;
    frame *at[MOST_FRAMES];
} parcel;

static void free_frame(frame *f) {
    if (f == NULL) return;
    if (f->release != NULL)
        f->release(f->data, f->hint);
    else
        free(f->data);
    free(f);
}

static void free_parcel(parcel *p) {
    for (int i = 0; i < p->n; i++) free_frame(p->at[i]);
    p->n = 0;
}

static frame *new_frame(const void *data, size_t n) {
    frame *f = calloc(1, sizeof *f);
    void *copy = malloc(n + 1);
    if (f == NULL || copy == NULL) abort();
    if (n > 0) memcpy(copy, data, n);
    *f = (frame){.data = copy, .n = n};
    return f;
}

/* What travels is a copy: the other end is another process. */
static frame *as_sent(frame *f) {
    frame *copy = new_frame(f->data, f->n);
    free_frame(f);
    return copy;
}

/* ---- sockets and connections ---- */

typedef struct link {
    bool used, up;
    int from, to;       /* sockets: that of the side that connects, that of the side that binds */
    int fd;             /* at the side that binds */
    uint32_t identity;  /* there */
    int64_t last_ns[2]; /* when the last message to each side arrives */
} link;

typedef struct endpoint {
    bool used, binds, monitors;
    process *owner;
    char address[64];
    int watched;              /* of a monitor: the socket */
    parcel out;               /* the message that is being sent */
    WADI_VEC(parcel) waiting; /* of a side that connects: until there is a connection */
    WADI_VEC(parcel) in;
    int next_frame; /* of the first message in `in` */
    int64_t try_ns; /* when a side that connects tries; INT64_MAX: it is connected */
} endpoint;

typedef enum what { ARRIVES, IS_UP, IS_DOWN } what;

typedef struct event {
    int64_t at_ns;
    what what;
    int link, side; /* 0: to the side that connects; 1: to the side that binds */
    int socket;     /* IS_UP, IS_DOWN: whom it is told */
    int fd;
    uint32_t identity;
    parcel parcel;
} event;

static endpoint sockets[SOCKETS];
static link links[LINKS];
static int nsockets, nlinks; /* those behind were never used in this world */
static WADI_VEC(event) events;
static uint32_t identities;
static int breaks_left;

wadi_zmq_library wadi_zmq;

static void *handle_of(int i) {
    return &sockets[i];
}

static int index_of(const void *handle) {
    return (int)((const endpoint *)handle - sockets);
}

static int64_t soon(void) {
    return world_now() + MS / 20 + world_chance(8) * MS / 10 +
           (world_chance(20) == 0 ? 40 * MS : 0);
}

static void push(event e) {
    if (!wadi_vec_push(&events, e)) abort();
}

static void deliver(int socket, parcel p) {
    endpoint *s = &sockets[socket];
    if (!s->used || !wadi_vec_push(&s->in, p)) {
        free_parcel(&p);
        return;
    }
    world_poke(s->owner);
}

static int free_fd(void) {
    bool taken[LINKS + 1] = {false};
    int fd = 0;
    for (int i = 0; i < nlinks; i++)
        if (links[i].used) taken[links[i].fd - FIRST_FD] = true;
    while (taken[fd]) fd++;
    return fd + FIRST_FD;
}

static void tell(int socket, int over, what news, int64_t at_ns) {
    push((event){
        .at_ns = at_ns, .what = news, .link = over, .socket = socket, .fd = links[over].fd});
}

/* What is under way is lost. */
static void break_link(int i) {
    link *l = &links[i];
    if (!l->used) return;
    for (size_t k = events.n; k-- > 0;) {
        if (events.at[k].what != ARRIVES || events.at[k].link != i) continue;
        free_parcel(&events.at[k].parcel);
        events.at[k] = events.at[--events.n];
    }
    tell(l->from, i, IS_DOWN, world_now()); /* it connects again only after that */
    tell(l->to, i, IS_DOWN, soon());
    l->used = false;
    sockets[l->from].try_ns = world_now() + 100 * MS;
}

void network_cut(process *p) {
    for (int i = 0; i < nlinks; i++)
        if (links[i].used && (sockets[links[i].from].owner == p || sockets[links[i].to].owner == p))
            break_link(i);
}

static void send_over(int i, int side, parcel p) {
    link *l = &links[i];
    int64_t at = soon();
    if (at <= l->last_ns[side]) at = l->last_ns[side] + 1;
    l->last_ns[side] = at;
    push((event){.at_ns = at, .what = ARRIVES, .link = i, .side = side, .parcel = p});
}

static int bound_at(const char *address) {
    for (int i = 0; i < nsockets; i++)
        if (sockets[i].used && sockets[i].binds && !world_is_dead(sockets[i].owner) &&
            strcmp(sockets[i].address, address) == 0)
            return i;
    return -1;
}

static void try_connect(int from) {
    endpoint *s = &sockets[from];
    const int to = world_is_dead(s->owner) ? -1 : bound_at(s->address);
    int i = 0;
    s->try_ns = world_now() + 100 * MS;
    if (to < 0) return;
    while (i < nlinks && links[i].used) i++;
    if (i == LINKS) abort();
    if (i == nlinks) nlinks++;
    const int fd = free_fd();
    links[i] = (link){
        .used = true, .up = true, .from = from, .to = to, .identity = ++identities, .fd = fd};
    s->try_ns = INT64_MAX;
    tell(from, i, IS_UP, world_now());
    tell(to, i, IS_UP, soon());
    for (size_t k = 0; k < s->waiting.n; k++) send_over(i, 1, s->waiting.at[k]);
    s->waiting.n = 0;
}

/* ---- what happens ---- */

static size_t first_event(void) {
    size_t first = 0;
    for (size_t k = 1; k < events.n; k++)
        if (events.at[k].at_ns < events.at[first].at_ns) first = k;
    return first;
}

static int first_try(void) {
    int first = -1;
    for (int i = 0; i < nsockets; i++)
        if (sockets[i].used && !sockets[i].binds && !sockets[i].monitors &&
            sockets[i].address[0] != '\0' && !world_is_dead(sockets[i].owner) &&
            sockets[i].try_ns < INT64_MAX &&
            (first < 0 || sockets[i].try_ns < sockets[first].try_ns))
            first = i;
    return first;
}

int64_t network_next(void) {
    const int connects = first_try();
    const int64_t a = events.n > 0 ? events.at[first_event()].at_ns : INT64_MAX,
                  b = connects >= 0 ? sockets[connects].try_ns : INT64_MAX;
    return a < b ? a : b;
}

static void tell_monitor(int socket, int number, int fd) {
    const uint16_t kind = (uint16_t)number;
    const int32_t value = fd;
    char data[6];
    for (int i = 0; i < nsockets; i++) {
        if (!sockets[i].used || !sockets[i].monitors || sockets[i].watched != socket) continue;
        memcpy(data, &kind, 2);
        memcpy(data + 2, &value, 4);
        parcel p = {2, {new_frame(data, 6), new_frame("", 0)}};
        deliver(i, p);
    }
}

static void arrive(event *e) {
    const link *l = &links[e->link];
    parcel p = e->parcel, with = {0};
    if (e->side == 1) with.at[with.n++] = new_frame(&l->identity, IDENTITY);
    for (int i = 0; i < p.n; i++) with.at[with.n++] = p.at[i];
    for (int i = 0; i < with.n; i++) with.at[i]->fd = l->fd;
    deliver(e->side == 1 ? l->to : l->from, with);
    if (breaks_left > 0 && world_chance(60) == 0) {
        breaks_left--;
        break_link(e->link);
    }
}

void network_happen(void) {
    const int connects = first_try();
    const size_t k = events.n > 0 ? first_event() : 0;
    if (connects >= 0 && (events.n == 0 || sockets[connects].try_ns < events.at[k].at_ns)) {
        try_connect(connects);
        return;
    }
    event e = events.at[k];
    events.at[k] = events.at[--events.n];
    if (e.what == ARRIVES)
        arrive(&e);
    else
        tell_monitor(e.socket,
                     e.what == IS_UP ? ZMQ_EVENT_HANDSHAKE_SUCCEEDED : ZMQ_EVENT_DISCONNECTED,
                     e.fd);
}

/* ---- libzmq ---- */

static void *sim_ctx_new(void) {
    return &sockets;
}

static int sim_ctx_term(void *context) {
    (void)context;
    return 0;
}

static void *sim_socket(void *context, int type) {
    (void)context;
    int i = 0;
    while (i < nsockets && sockets[i].used) i++;
    if (i == SOCKETS) abort();
    if (i == nsockets) nsockets++;
    memset(&sockets[i], 0, sizeof sockets[i]);
    sockets[i].used = true;
    sockets[i].monitors = type == ZMQ_PAIR;
    sockets[i].watched = -1;
    sockets[i].owner = world_self();
    return handle_of(i);
}

/* The first of those that are under way there; NULL: none. */
static event *next_to(int over, int side) {
    event *first = NULL;
    for (size_t k = 0; k < events.n; k++) {
        event *e = &events.at[k];
        if (e->what != ARRIVES || e->link != over || e->side != side) continue;
        if (first == NULL || e->at_ns < first->at_ns) first = e;
    }
    return first;
}

static int sim_close(void *socket) {
    endpoint *s = socket;
    const int self = index_of(s);
    for (int i = 0; i < nlinks; i++) {
        link *l = &links[i];
        if (!l->used || (l->from != self && l->to != self)) continue;
        /* what was sent still arrives, and then the end: it lingers */
        const int side = l->from == self ? 1 : 0, other = side == 1 ? l->to : l->from;
        if (world_is_dead(s->owner)) {
            break_link(i);
            continue;
        }
        int64_t at = soon();
        if (at < l->last_ns[side]) at = l->last_ns[side] + 1;
        tell(other, i, IS_DOWN, at);
        for (event *e = next_to(i, side); e != NULL; e = next_to(i, side)) {
            parcel with = {0};
            if (side == 1) with.at[with.n++] = new_frame(&l->identity, IDENTITY);
            for (int f = 0; f < e->parcel.n; f++) with.at[with.n++] = e->parcel.at[f];
            for (int f = 0; f < with.n; f++) with.at[f]->fd = l->fd;
            *e = events.at[--events.n];
            deliver(other, with);
        }
        for (size_t k = events.n; k-- > 0;)
            if (events.at[k].what == ARRIVES && events.at[k].link == i) {
                free_parcel(&events.at[k].parcel);
                events.at[k] = events.at[--events.n];
            }
        l->used = false;
        if (side == 0) sockets[other].try_ns = world_now() + 100 * MS;
    }
    for (size_t k = 0; k < s->in.n; k++) {
        for (int f = k == 0 ? s->next_frame : 0; f < s->in.at[k].n; f++)
            free_frame(s->in.at[k].at[f]);
    }
    for (size_t k = 0; k < s->waiting.n; k++) free_parcel(&s->waiting.at[k]);
    free_parcel(&s->out);
    wadi_vec_free(&s->in);
    wadi_vec_free(&s->waiting);
    for (int i = 0; i < nsockets; i++)
        if (sockets[i].watched == self) sockets[i].watched = -1;
    s->used = false;
    return 0;
}

static int sim_bind(void *socket, const char *address) {
    endpoint *s = socket;
    s->binds = true;
    (void)snprintf(s->address, sizeof s->address, "%s", address);
    return 0;
}

/* A monitor has the address of the socket in the name to which it connects. */
static int sim_connect(void *socket, const char *address) {
    endpoint *s = socket;
    void *watched = NULL;
    if (s->monitors) {
        if (sscanf(address, "inproc://wadi-monitor-%p", &watched) != 1) abort();
        s->watched = index_of(watched);
        return 0;
    }
    (void)snprintf(s->address, sizeof s->address, "%s", address);
    s->try_ns = soon();
    return 0;
}

static int sim_setsockopt(void *socket, int option, const void *value, size_t n) {
    (void)socket;
    (void)option;
    (void)value;
    (void)n;
    return 0;
}

static int sim_getsockopt(void *socket, int option, void *value, size_t *n) {
    (void)socket;
    (void)option;
    memset(value, 0, *n);
    return 0;
}

static int sim_socket_monitor(void *socket, const char *name, int kinds) {
    (void)socket;
    (void)name;
    (void)kinds;
    return 0;
}

static frame **frame_of(zmq_msg_t *m) {
    return (frame **)(void *)m;
}

static int sim_msg_init(zmq_msg_t *m) {
    *frame_of(m) = NULL;
    return 0;
}

static int sim_msg_init_size(zmq_msg_t *m, size_t n) {
    *frame_of(m) = new_frame("", 0);
    if (n > 0) abort();
    return 0;
}

static int sim_msg_init_data(zmq_msg_t *m, void *data, size_t n, zmq_free_fn *release, void *hint) {
    frame *f = calloc(1, sizeof *f);
    if (f == NULL) abort();
    *f = (frame){.data = data, .n = n, .release = release, .hint = hint};
    *frame_of(m) = f;
    return 0;
}

static int sim_msg_close(zmq_msg_t *m) {
    free_frame(*frame_of(m));
    *frame_of(m) = NULL;
    return 0;
}

static void *sim_msg_data(zmq_msg_t *m) {
    return *frame_of(m) != NULL ? (*frame_of(m))->data : NULL;
}

static size_t sim_msg_size(const zmq_msg_t *m) {
    const frame *f = *(frame *const *)(const void *)m;
    return f != NULL ? f->n : 0;
}

static int sim_msg_more(const zmq_msg_t *m) {
    const frame *f = *(frame *const *)(const void *)m;
    return f != NULL && f->more;
}

static int sim_msg_get(const zmq_msg_t *m, int property) {
    const frame *f = *(frame *const *)(const void *)m;
    return property == ZMQ_SRCFD && f != NULL ? f->fd : -1;
}

/* A message is complete. */
static int send_all(endpoint *s) {
    parcel p = s->out;
    s->out.n = 0;
    if (world_is_dead(s->owner)) {
        free_parcel(&p);
        return 0;
    }
    uint32_t identity = 0;
    if (s->binds) memcpy(&identity, p.at[0]->data, IDENTITY);
    for (int i = 0; i < nlinks; i++) {
        const link *l = &links[i];
        if (!l->used || (s->binds ? l->identity != identity : l->from != index_of(s))) continue;
        if (s->binds) {
            free_frame(p.at[0]);
            memmove(&p.at[0], &p.at[1], (size_t)--p.n * sizeof p.at[0]);
        }
        send_over(i, s->binds ? 0 : 1, p);
        return 0;
    }
    if (s->binds || !wadi_vec_push(&s->waiting, p)) free_parcel(&p);
    return 0;
}

static bool has_link(const endpoint *s, const frame *identity) {
    for (int i = 0; i < nlinks; i++)
        if (links[i].used && links[i].to == index_of(s) &&
            memcmp(&links[i].identity, identity->data, IDENTITY) == 0)
            return true;
    return false;
}

static int send_frame(endpoint *s, frame *f, int flags) {
    const int n = (int)f->n;
    if (s->out.n == 0 && s->binds && !world_is_dead(s->owner) &&
        (f->n != IDENTITY || !has_link(s, f))) {
        free_frame(f);
        errno = EHOSTUNREACH;
        return -1;
    }
    if (s->out.n == MOST_FRAMES) abort();
    f->more = (flags & ZMQ_SNDMORE) != 0;
    s->out.at[s->out.n++] = f;
    return f->more || send_all(s) == 0 ? n : -1;
}

static int sim_send(void *socket, const void *data, size_t n, int flags) {
    return send_frame(socket, new_frame(data, n), flags);
}

static int sim_msg_send(zmq_msg_t *m, void *socket, int flags) {
    frame *f = as_sent(*frame_of(m));
    *frame_of(m) = NULL;
    return send_frame(socket, f, flags);
}

static int sim_msg_recv(zmq_msg_t *m, void *socket, int flags) {
    endpoint *s = socket;
    (void)flags;
    if (s->in.n == 0) {
        errno = EAGAIN;
        return -1;
    }
    parcel *p = &s->in.at[0];
    frame *f = p->at[s->next_frame++];
    f->more = s->next_frame < p->n;
    free_frame(*frame_of(m)); /* what was in it before */
    *frame_of(m) = f;
    if (!f->more) {
        s->next_frame = 0;
        s->in.n--;
        memmove(&s->in.at[0], &s->in.at[1], s->in.n * sizeof s->in.at[0]);
    }
    return (int)f->n;
}

static int look(zmq_pollitem_t *items, int n) {
    int ready = 0;
    for (int i = 0; i < n; i++) {
        const endpoint *s = items[i].socket;
        if (s == NULL) {
            struct pollfd p = {.fd = items[i].fd, .events = POLLIN};
            items[i].revents = poll(&p, 1, 0) > 0 ? ZMQ_POLLIN : 0;
        } else {
            items[i].revents = s->in.n > 0 ? ZMQ_POLLIN : 0;
        }
        ready += items[i].revents != 0;
    }
    return ready;
}

/* Whoever waits looks at the clock late, as on a busy machine; else the world would be full of naps. */
static int sim_poll(zmq_pollitem_t *items, int n, long ms) {
    const int64_t until = world_now() + (ms > 50 ? ms : 50) * MS;
    const int fd = n > 0 && items[n - 1].socket == NULL ? items[n - 1].fd : -1;
    int ready = look(items, n);
    while (ready == 0 && !world_am_dead() && world_now() < until) {
        (void)world_wait(until, fd);
        ready = look(items, n);
    }
    if (!world_am_dead()) return ready;
    errno = ENOTSOCK;
    return -1;
}

static const char *sim_strerror(int why) {
    return strerror(why);
}

wadi_status wadi_zmq_open(wadi_error *err) {
    (void)err;
    wadi_zmq = (wadi_zmq_library){.bind = sim_bind,
                                  .close = sim_close,
                                  .connect = sim_connect,
                                  .ctx_new = sim_ctx_new,
                                  .ctx_term = sim_ctx_term,
                                  .getsockopt = sim_getsockopt,
                                  .msg_close = sim_msg_close,
                                  .msg_data = sim_msg_data,
                                  .msg_get = sim_msg_get,
                                  .msg_init = sim_msg_init,
                                  .msg_init_data = sim_msg_init_data,
                                  .msg_init_size = sim_msg_init_size,
                                  .msg_more = sim_msg_more,
                                  .msg_recv = sim_msg_recv,
                                  .msg_send = sim_msg_send,
                                  .msg_size = sim_msg_size,
                                  .poll = sim_poll,
                                  .send = sim_send,
                                  .setsockopt = sim_setsockopt,
                                  .socket = sim_socket,
                                  .socket_monitor = sim_socket_monitor,
                                  .strerror = sim_strerror};
    return WADI_OK;
}

wadi_status wadi_zmq_has_room(const char *address, wadi_error *err) {
    (void)address;
    (void)err;
    return WADI_OK;
}

/* There is no guard: it has a thread, and asks the kernel. */
wadi_status wadi_zmq_guard_start(void *context, void *monitor, const char *address,
                                 const char *bound_to, int64_t trusted, wadi_zmq_guard **out,
                                 void **out_events, wadi_error *err) {
    (void)context;
    (void)address;
    (void)bound_to;
    (void)trusted;
    (void)err;
    *out = NULL;
    *out_events = monitor;
    return WADI_OK;
}

void wadi_zmq_guard_stop(wadi_zmq_guard *g) {
    (void)g;
}

void wadi_zmq_guard_took(wadi_zmq_guard *g, int fd, uint64_t bytes) {
    (void)g;
    (void)fd;
    (void)bytes;
}

void wadi_zmq_guard_all_taken(wadi_zmq_guard *g) {
    (void)g;
}

void wadi_zmq_guard_trust(wadi_zmq_guard *g, int fd) {
    (void)g;
    (void)fd;
}

void wadi_zmq_guard_doubt(wadi_zmq_guard *g, int fd) {
    (void)g;
    (void)fd;
}

/* The descriptor is one of the process that has the turn. */
void wadi_zmq_guard_end(wadi_zmq_guard *g, const char *address, int fd) {
    (void)g;
    (void)address;
    for (int i = 0; i < nlinks; i++)
        if (links[i].used && links[i].fd == fd && sockets[links[i].to].owner == world_self())
            break_link(i);
}

/* Messages come whole here. */
bool wadi_zmq_guard_receives(int fd, int64_t within_ns) {
    (void)fd;
    (void)within_ns;
    return false;
}

/* ---- the world ---- */

void network_begin(int breaks) {
    memset(links, 0, sizeof links);
    nlinks = 0;
    identities = 0;
    breaks_left = breaks;
}

void network_end(void) {
    for (size_t k = 0; k < events.n; k++) free_parcel(&events.at[k].parcel);
    wadi_vec_free(&events);
    for (int i = 0; i < nsockets; i++)
        if (sockets[i].used) abort(); /* every process has closed its ports */
}
