/* A bare client of the NATS server: items are published to one work queue without waiting, fetched in batches, answered to another, and acknowledged.
 * What the server lets through when nobody does more than that. Large items go as messages of the size that a server takes by default. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "bench/days/days.h"

#if WADI_HAVE_NATS
#include <nats/nats.h>

enum { MESSAGE_MOST = (1 << 20) - 1024, BATCH = 16, LATER_MS = 10000, AHEAD_BYTES = 8 << 20 };

typedef struct ends {
    natsConnection *nc;
    jsCtx *js;
} ends;

static natsStatus open_ends(ends *e, const char *address, int64_t n) {
    jsOptions o;
    natsStatus s = natsConnection_ConnectTo(&e->nc, address);
    if (s == NATS_OK) s = jsOptions_Init(&o);
    o.PublishAsync.MaxPending = n < AHEAD_BYTES ? AHEAD_BYTES / n : 1;
    return s == NATS_OK ? natsConnection_JetStream(&e->js, e->nc, &o) : s;
}

static void close_ends(ends *e) {
    jsCtx_Destroy(e->js);
    natsConnection_Destroy(e->nc);
}

static natsStatus make_stream(jsCtx *js, const char *name) {
    jsStreamConfig c;
    natsStatus s = jsStreamConfig_Init(&c);
    (void)js_DeleteStream(js, name, NULL, NULL);
    c.Name = name;
    c.Subjects = &name;
    c.SubjectsLen = 1;
    c.Retention = js_WorkQueuePolicy;
    c.Storage = js_FileStorage;
    return s == NATS_OK ? js_AddStream(NULL, js, &c, NULL, NULL) : s;
}

/* Takes `items` messages of the stream; answers each if `answers` is its stream. */
static natsStatus take(ends *e, const char *from, const char *answers, int64_t items) {
    natsSubscription *sub = NULL;
    jsErrCode code = 0;
    natsStatus s = js_PullSubscribe(&sub, e->js, from, "taker", NULL, NULL, &code);
    while (s == NATS_OK && items > 0) {
        natsMsgList list = {0};
        s = natsSubscription_Fetch(&list, sub, items < BATCH ? (int)items : BATCH, LATER_MS, &code);
        for (int i = 0; s == NATS_OK && i < list.Count; i++, items--) {
            natsMsg *m = list.Msgs[i];
            if (answers != NULL)
                s = js_PublishAsync(e->js, answers, natsMsg_GetData(m),
                                    natsMsg_GetDataLength(m) / DAYS_WORDS, NULL);
            if (s == NATS_OK) s = natsMsg_Ack(m, NULL);
        }
        natsMsgList_Destroy(&list);
    }
    if (s == NATS_OK && answers != NULL) s = js_PublishAsyncComplete(e->js, NULL);
    natsSubscription_Destroy(sub);
    return s;
}

int days_nats_answer(const char *address, int64_t items) {
    ends e = {.nc = NULL};
    natsStatus s = open_ends(&e, address, MESSAGE_MOST / DAYS_WORDS);
    if (s == NATS_OK) s = take(&e, "bare-items", "bare-answers", items);
    close_ends(&e);
    return s == NATS_OK ? 0 : 1;
}

typedef struct publishing {
    ends *e;
    const char *bytes;
    int64_t n, items;
    natsStatus status;
} publishing;

static void *publish(void *env) {
    publishing *p = env;
    for (int64_t i = 0; p->status == NATS_OK && i < p->items; i++)
        p->status = js_PublishAsync(p->e->js, "bare-items", p->bytes, (int)p->n, NULL);
    return NULL;
}

static natsStatus exchange(ends *e, publishing *p) {
    pthread_t publisher;
    if (pthread_create(&publisher, NULL, publish, p) != 0) return NATS_ERR;
    const natsStatus s = take(e, "bare-answers", NULL, p->items);
    (void)pthread_join(publisher, NULL);
    return s != NATS_OK ? s : p->status;
}

wadi_status days_nats_peer(void *env, double *out_s, wadi_error *err) {
    const days_peer *d = env;
    const int64_t n = d->n < MESSAGE_MOST ? d->n : MESSAGE_MOST,
                  items = (d->n * d->items + n - 1) / n;
    char count[24];
    ends e = {.nc = NULL};
    pid_t child = 0;
    publishing p = {.e = &e, .bytes = calloc(1, (size_t)n), .n = n, .items = items};
    (void)snprintf(count, sizeof count, "%lld", (long long)items);
    natsStatus s = p.bytes != NULL ? open_ends(&e, d->address, n) : NATS_NO_MEMORY;
    if (s == NATS_OK) s = make_stream(e.js, "bare-items");
    if (s == NATS_OK) s = make_stream(e.js, "bare-answers");
    const char *const how[] = {"nats", d->address, count, NULL};
    if (s == NATS_OK && days_start(how, &child, err) != WADI_OK) s = NATS_ERR;
    if (s == NATS_OK) nats_Sleep(200); /* for the other end to connect */
    const int64_t begin = wadi_clock_ns();
    if (s == NATS_OK) s = exchange(&e, &p);
    *out_s = (double)(wadi_clock_ns() - begin) * 1e-9;
    days_end(child);
    (void)js_DeleteStream(e.js, "bare-items", NULL, NULL);
    (void)js_DeleteStream(e.js, "bare-answers", NULL, NULL);
    close_ends(&e);
    free((void *)p.bytes);
    return s == NATS_OK ? WADI_OK
                        : wadi_fail(err, WADI_IO, "a bare client: %s", natsStatus_GetText(s));
}

#else

wadi_status days_nats_peer(void *env, double *out_s, wadi_error *err) {
    WADI_UNUSED(env);
    WADI_UNUSED(out_s);
    return wadi_fail(err, WADI_UNSUPPORTED, "built without libnats (apt install libnats-dev)");
}

int days_nats_answer(const char *address, int64_t items) {
    WADI_UNUSED(address);
    WADI_UNUSED(items);
    return 1;
}

#endif
