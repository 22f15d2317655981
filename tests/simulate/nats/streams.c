/* Streams and consumers of the simulated server: what JetStream keeps.
 *
 * A message that was removed is still there until it is known to be safe that it is gone: a server that begins again may have forgotten that. The same holds for what was written, and
 * for what a consumer knows, each on its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/simulate/nats/inside.h"

enum { STREAMS = 8, CONSUMERS = 4, SUBJECTS = 2 };

typedef struct kept {
    natsMsg *msg;
    int64_t at_ns;
    bool gone, safe, gone_safely;
} kept;

/* A message that was given out and is not acknowledged. */
typedef struct given {
    uint64_t seq;
    int times;
    int64_t again_ns; /* then somebody else gets it */
} given;

typedef struct asked {
    char *reply;
    int left;
    int64_t until_ns;
} asked;

typedef WADI_VEC(given) givens;

typedef struct known {
    uint64_t delivered; /* the last message that was given out for the first time */
    uint64_t count;
    givens given;
} known;

typedef struct consumer {
    bool used, was_safe;
    char name[NATS_SUBJECT], filter[NATS_SUBJECT];
    int64_t ack_wait_ns;
    known now, safe;
    WADI_VEC(asked) asked;
} consumer;

typedef struct id {
    char *text;
    int64_t at_ns;
    uint64_t seq;
} id;

typedef struct stream {
    bool used;
    char name[NATS_SUBJECT], subject[SUBJECTS][NATS_SUBJECT];
    stream_config config;
    WADI_VEC(kept) kept;
    WADI_VEC(id) ids;
    uint64_t last, safe_last;
    consumer consumer[CONSUMERS];
} stream;

static stream streams[STREAMS];

static stream *find(const char *name) {
    for (int i = 0; i < STREAMS; i++)
        if (streams[i].used && strcmp(streams[i].name, name) == 0) return &streams[i];
    return NULL;
}

static consumer *find_consumer(const char *in, const char *name) {
    stream *s = find(in);
    for (int i = 0; s != NULL && i < CONSUMERS; i++)
        if (s->consumer[i].used && strcmp(s->consumer[i].name, name) == 0) return &s->consumer[i];
    return NULL;
}

/* ---- consumers ---- */

static void know(known *to, const known *from) {
    to->delivered = from->delivered;
    to->count = from->count;
    wadi_vec_clear(&to->given);
    for (size_t i = 0; i < from->given.n; i++)
        if (!wadi_vec_push(&to->given, from->given.at[i])) abort();
}

static void forget_askers(consumer *c) {
    for (size_t i = 0; i < c->asked.n; i++) free(c->asked.at[i].reply);
    wadi_vec_clear(&c->asked);
}

static void drop_consumer(consumer *c) {
    forget_askers(c);
    wadi_vec_free(&c->asked);
    wadi_vec_free(&c->now.given);
    wadi_vec_free(&c->safe.given);
    *c = (consumer){0};
}

static given *given_of(consumer *c, uint64_t seq) {
    for (size_t i = 0; i < c->now.given.n; i++)
        if (c->now.given.at[i].seq == seq) return &c->now.given.at[i];
    return NULL;
}

static void take_back(consumer *c, uint64_t seq) {
    given *g = given_of(c, seq);
    if (g != NULL) *g = c->now.given.at[--c->now.given.n];
}

static kept *message_at(stream *s, uint64_t seq) {
    for (size_t i = 0; i < s->kept.n; i++)
        if (s->kept.at[i].msg->seq == seq && !s->kept.at[i].gone) return &s->kept.at[i];
    return NULL;
}

/* The next message for somebody: one that comes again, or the first that nobody had. */
static kept *next_message(stream *s, consumer *c) {
    for (size_t i = 0; i < c->now.given.n; i++) {
        const given *g = &c->now.given.at[i];
        if (g->again_ns > world_now()) continue;
        kept *k = message_at(s, g->seq);
        if (k != NULL) return k;
        c->now.given.at[i--] = c->now.given.at[--c->now.given.n];
    }
    for (size_t i = 0; i < s->kept.n; i++) {
        const kept *k = &s->kept.at[i];
        if (k->gone || k->msg->seq <= c->now.delivered || !nats_matches(c->filter, k->msg->subject))
            continue;
        return &s->kept.at[i];
    }
    return NULL;
}

static void give(const stream *s, consumer *c, const kept *k, const char *to) {
    char ack[3 * NATS_SUBJECT];
    given *g = given_of(c, k->msg->seq);
    if (g == NULL) {
        if (!wadi_vec_push(&c->now.given, ((given){.seq = k->msg->seq}))) abort();
        g = &wadi_vec_last(&c->now.given);
    }
    if (k->msg->seq > c->now.delivered) c->now.delivered = k->msg->seq;
    g->again_ns = world_now() + c->ack_wait_ns;
    g->times++;
    (void)snprintf(ack, sizeof ack, "$JS.ACK.%s.%s.%d.%llu.%llu.%lld.0", s->name, c->name, g->times,
                   (unsigned long long)k->msg->seq, (unsigned long long)++c->now.count,
                   (long long)k->at_ns);
    natsMsg *m = nats_message_copy(k->msg);
    free(m->reply);
    m->reply = strdup(ack);
    if (m->reply == NULL) abort();
    (void)nats_deliver(to, m);
    natsMsg_Destroy(m);
}

static void drop_asked(consumer *c, size_t i) {
    free(c->asked.at[i].reply);
    for (size_t k = i + 1; k < c->asked.n; k++) c->asked.at[k - 1] = c->asked.at[k];
    c->asked.n--;
}

static void tell(const char *to, const char *status, int left) {
    char text[16];
    natsMsg *m = nats_message(to, NULL, NULL, 0);
    (void)snprintf(text, sizeof text, "%d", left);
    nats_message_add(m, "Status", status);
    if (left >= 0) nats_message_add(m, "Nats-Pending-Messages", text);
    (void)nats_deliver(to, m);
    natsMsg_Destroy(m);
}

/* Gives out what can be. The server takes turns with requests, or not. */
static void pump(stream *s, consumer *c) {
    for (size_t i = c->asked.n; i-- > 0;) {
        if (!nats_listens(c->asked.at[i].reply)) {
            drop_asked(c, i);
        } else if (c->asked.at[i].until_ns <= world_now()) {
            tell(c->asked.at[i].reply, "408", c->asked.at[i].left);
            drop_asked(c, i);
        }
    }
    while (c->asked.n > 0) {
        kept *k = next_message(s, c);
        if (k == NULL) return;
        const size_t i = world_chance(2) == 0 ? 0 : (size_t)world_chance((int)c->asked.n);
        give(s, c, k, c->asked.at[i].reply);
        if (--c->asked.at[i].left == 0) drop_asked(c, i);
    }
}

static void pump_all(stream *s) {
    for (int i = 0; i < CONSUMERS; i++)
        if (s->consumer[i].used) pump(s, &s->consumer[i]);
}

bool consumer_exists(const char *in, const char *name) {
    return find_consumer(in, name) != NULL;
}

void consumer_make(const char *in, const char *name, const char *filter, int64_t ack_wait_ns) {
    stream *s = find(in);
    int i = 0;
    if (s == NULL || find_consumer(in, name) != NULL) return;
    while (i < CONSUMERS && s->consumer[i].used) i++;
    if (i == CONSUMERS) abort();
    consumer *c = &s->consumer[i];
    *c = (consumer){.used = true, .ack_wait_ns = ack_wait_ns};
    (void)snprintf(c->name, sizeof c->name, "%s", name);
    (void)snprintf(c->filter, sizeof c->filter, "%s", filter);
}

bool consumer_remove(const char *in, const char *name) {
    consumer *c = find_consumer(in, name);
    if (c == NULL) return false;
    const bool tells = world_chance(2) == 0; /* servers from 2.10 on do */
    for (size_t i = 0; tells && i < c->asked.n; i++) tell(c->asked.at[i].reply, "409", -1);
    drop_consumer(c);
    return true;
}

uint64_t consumer_delivered(const char *in, const char *name) {
    const consumer *c = find_consumer(in, name);
    return c != NULL ? c->now.delivered : 0;
}

void consumer_ask(const char *in, const char *name, const char *reply, int messages,
                  int64_t expires_ns) {
    consumer *c = find_consumer(in, name);
    if (c == NULL) return;
    const asked a = {strdup(reply), messages, world_now() + expires_ns};
    if (a.reply == NULL || !wadi_vec_push(&c->asked, a)) abort();
    pump(find(in), c);
}

static void remove_message(stream *s, kept *k) {
    k->gone = true;
    if (k->safe) return;
    natsMsg_Destroy(k->msg);
    memmove(k, k + 1, (size_t)(s->kept.at + s->kept.n - k - 1) * sizeof *k);
    s->kept.n--;
}

void consumer_ack(const natsMsg *m) {
    char in[NATS_SUBJECT], name[NATS_SUBJECT];
    int times = 0;
    unsigned long long seq = 0;
    long long ms = 0;
    if (sscanf(m->subject, "$JS.ACK.%190[^.].%190[^.].%d.%llu", in, name, &times, &seq) != 4)
        abort();
    stream *s = find(in);
    consumer *c = find_consumer(in, name);
    if (c == NULL) return;
    given *g = given_of(c, seq);
    if (strncmp(m->data, "-NAK", 4) == 0) {
        const bool later = sscanf(m->data, "-NAK {\"delay\": %lld}", &ms) == 1;
        if (g != NULL) g->again_ns = world_now() + (later ? ms : 0);
    } else if (strncmp(m->data, "+WPI", 4) == 0) {
        if (g != NULL) g->again_ns = world_now() + c->ack_wait_ns;
    } else { /* also if nobody has got it from this consumer, as 2.9.10 does */
        kept *k = message_at(s, seq);
        take_back(c, seq);
        if (k != NULL && s->config.is_queue) remove_message(s, k);
    }
    pump(s, c);
}

int64_t consumers_next(void) {
    int64_t next = INT64_MAX;
    for (int i = 0; i < STREAMS * CONSUMERS; i++) {
        const consumer *c = &streams[i / CONSUMERS].consumer[i % CONSUMERS];
        if (!c->used || c->asked.n == 0) continue;
        for (size_t k = 0; k < c->asked.n; k++)
            if (c->asked.at[k].until_ns < next) next = c->asked.at[k].until_ns;
        for (size_t k = 0; k < c->now.given.n; k++)
            if (c->now.given.at[k].again_ns < next) next = c->now.given.at[k].again_ns;
    }
    return next;
}

void consumers_happen(void) {
    for (int i = 0; i < STREAMS; i++)
        if (streams[i].used) pump_all(&streams[i]);
}

/* ---- streams ---- */

static void forget_ids(stream *s) {
    for (size_t i = 0; i < s->ids.n; i++) free(s->ids.at[i].text);
    wadi_vec_clear(&s->ids);
}

static void drop_stream(stream *s) {
    for (int i = 0; i < CONSUMERS; i++)
        if (s->consumer[i].used) (void)consumer_remove(s->name, s->consumer[i].name);
    for (size_t i = 0; i < s->kept.n; i++) natsMsg_Destroy(s->kept.at[i].msg);
    forget_ids(s);
    wadi_vec_free(&s->ids);
    wadi_vec_free(&s->kept);
    *s = (stream){0};
}

bool stream_exists(const char *name) {
    return find(name) != NULL;
}

bool stream_make(const stream_config *c) {
    stream *s = find(c->name);
    int i = 0;
    if (s != NULL) return strcmp(s->subject[0], c->subject[0]) == 0;
    while (i < STREAMS && streams[i].used) i++;
    if (i == STREAMS || c->nsubjects > SUBJECTS) abort();
    s = &streams[i];
    *s = (stream){.used = true, .config = *c};
    (void)snprintf(s->name, sizeof s->name, "%s", c->name);
    for (int k = 0; k < c->nsubjects; k++)
        (void)snprintf(s->subject[k], sizeof s->subject[k], "%s", c->subject[k]);
    return true;
}

bool stream_remove(const char *name) {
    stream *s = find(name);
    if (s != NULL) drop_stream(s);
    return s != NULL;
}

void stream_purge(const char *name, const char *filter) {
    stream *s = find(name);
    for (size_t i = s != NULL ? s->kept.n : 0; i-- > 0;)
        if (!s->kept.at[i].gone &&
            (filter == NULL || nats_matches(filter, s->kept.at[i].msg->subject)))
            remove_message(s, &s->kept.at[i]);
}

int64_t stream_messages(const char *name) {
    const stream *s = find(name);
    int64_t n = 0;
    for (size_t i = 0; s != NULL && i < s->kept.n; i++) n += !s->kept.at[i].gone;
    return n;
}

uint64_t stream_last(const char *name) {
    const stream *s = find(name);
    return s != NULL ? s->last : 0;
}

void stream_list(const char *name, const char *filter, char *out, size_t room) {
    const stream *s = find(name);
    size_t n = 0;
    out[0] = '\0';
    for (size_t i = 0; s != NULL && i < s->kept.n && n + NATS_SUBJECT < room; i++) {
        const kept *k = &s->kept.at[i];
        if (k->gone || !nats_matches(filter, k->msg->subject)) continue;
        n += (size_t)snprintf(out + n, room - n, "%s\"%s\":1", n > 0 ? "," : "", k->msg->subject);
    }
}

const natsMsg *stream_find(const char *name, const char *subject) {
    const stream *s = find(name);
    for (size_t i = s != NULL ? s->kept.n : 0; i-- > 0;)
        if (!s->kept.at[i].gone && strcmp(s->kept.at[i].msg->subject, subject) == 0)
            return s->kept.at[i].msg;
    return NULL;
}

const natsMsg *stream_at(const char *name, uint64_t seq) {
    stream *s = find(name);
    const kept *k = s != NULL ? message_at(s, seq) : NULL;
    return k != NULL ? k->msg : NULL;
}

/* ---- publishing ---- */

static bool takes(const stream *s, const char *subject) {
    for (int i = 0; s->used && i < s->config.nsubjects; i++)
        if (nats_matches(s->subject[i], subject)) return true;
    return false;
}

static int64_t bytes_of(const stream *s) {
    int64_t n = 0;
    for (size_t i = 0; i < s->kept.n; i++)
        n += s->kept.at[i].gone ? 0 : nats_message_bytes(s->kept.at[i].msg);
    return n;
}

/* A message of that id is there, or was. */
static uint64_t was_taken(stream *s, const char *text) {
    for (size_t i = s->ids.n; i-- > 0;) {
        if (world_now() - s->ids.at[i].at_ns > s->config.window_ns) {
            free(s->ids.at[i].text);
            s->ids.at[i] = wadi_vec_pop(&s->ids);
        } else if (strcmp(s->ids.at[i].text, text) == 0) {
            return s->ids.at[i].seq;
        }
    }
    return 0;
}

static void remember_id(stream *s, const char *text, int64_t at_ns, uint64_t seq) {
    const id new = {strdup(text), at_ns, seq};
    if (new.text == NULL || !wadi_vec_push(&s->ids, new)) abort();
}

/* False: it is not the one that was expected. */
static bool is_expected(const stream *s, const natsMsg *m) {
    const char *expected = nats_message_get(m, "Nats-Expected-Last-Subject-Sequence");
    const natsMsg *last = stream_find(s->name, m->subject);
    return expected == NULL || strtoull(expected, NULL, 10) == (last != NULL ? last->seq : 0);
}

static void keep(stream *s, const natsMsg *m) {
    const char *text = nats_message_get(m, "Nats-Msg-Id");
    kept k = {.msg = nats_message_copy(m), .at_ns = world_now()};
    for (size_t i = s->kept.n; s->config.most_each == 1 && i-- > 0;)
        if (!s->kept.at[i].gone && strcmp(s->kept.at[i].msg->subject, m->subject) == 0)
            remove_message(s, &s->kept.at[i]);
    k.msg->seq = ++s->last;
    if (text != NULL) remember_id(s, text, k.at_ns, k.msg->seq);
    if (!wadi_vec_push(&s->kept, k)) abort();
}

bool stream_take(const natsMsg *m, bool full, stream_word *out) {
    stream *s = NULL;
    const char *text = nats_message_get(m, "Nats-Msg-Id");
    for (int i = 0; i < STREAMS && s == NULL; i++)
        if (takes(&streams[i], m->subject)) s = &streams[i];
    if (s == NULL) return false;
    *out = (stream_word){.stream = s->name};
    const uint64_t before = text != NULL ? was_taken(s, text) : 0;
    const int64_t most = s->config.most_bytes;
    if (before > 0) {
        *out = (stream_word){.stream = s->name, .seq = before, .twice = true};
    } else if (!is_expected(s, m)) {
        *out =
            (stream_word){s->name, 0, false, JSStreamWrongLastSequenceErr, "wrong last sequence"};
    } else if (full || (most > 0 && !s->config.discards_old &&
                        bytes_of(s) + nats_message_bytes(m) > most)) {
        *out = (stream_word){s->name, 0, false, 10077, "maximum bytes exceeded"};
    } else {
        keep(s, m);
        out->seq = s->last;
        pump_all(s);
    }
    return true;
}

/* ---- what is safe ---- */

void streams_sync(void) {
    for (int i = 0; i < STREAMS; i++) {
        stream *s = &streams[i];
        if (!s->used) continue;
        s->safe_last = s->last;
        for (size_t k = s->kept.n; k-- > 0;) {
            s->kept.at[k].safe = !s->kept.at[k].gone;
            if (s->kept.at[k].gone) remove_message(s, &s->kept.at[k]);
        }
        for (int k = 0; k < CONSUMERS; k++) {
            if (s->consumer[k].used) know(&s->consumer[k].safe, &s->consumer[k].now);
            s->consumer[k].was_safe = s->consumer[k].used;
        }
    }
}

/* The messages that were safe, and no other. */
static void lose_messages(stream *s) {
    for (size_t k = s->kept.n; k-- > 0;) {
        s->kept.at[k].gone = false;
        if (!s->kept.at[k].safe) remove_message(s, &s->kept.at[k]);
    }
    s->last = s->safe_last;
}

static void restart(stream *s, bool loses) {
    if (loses && world_chance(2) == 0) lose_messages(s);
    for (int k = 0; k < CONSUMERS; k++) {
        consumer *c = &s->consumer[k];
        if (!c->used) continue;
        forget_askers(c);
        if (loses && world_chance(2) == 0) know(&c->now, &c->safe);
        if (loses && !c->was_safe && world_chance(2) == 0) drop_consumer(c);
    }
    /* It knows the ids of what it has. */
    forget_ids(s);
    for (size_t k = 0; k < s->kept.n; k++) {
        const char *text = nats_message_get(s->kept.at[k].msg, "Nats-Msg-Id");
        if (text != NULL && !s->kept.at[k].gone)
            remember_id(s, text, s->kept.at[k].at_ns, s->kept.at[k].msg->seq);
    }
}

void streams_restart(bool loses) {
    for (int i = 0; i < STREAMS; i++)
        if (streams[i].used) restart(&streams[i], loses);
}

void streams_begin(void) {
    memset(streams, 0, sizeof streams);
}

void streams_end(void) {
    for (int i = 0; i < STREAMS; i++)
        if (streams[i].used) drop_stream(&streams[i]);
}
