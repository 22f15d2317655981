/* What modules/nats needs of libnats, over the network of the world. Each subscription has a thread that hears, and each connection one that tells what becomes of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "tests/simulate/nats/inside.h"
#include "tests/simulate/world.h"

static const int64_t MS = 1000000, SECOND = 1000000000;

/* ---- threads of the library ---- */

static void hear_all(void *env) {
    natsSubscription *s = env;
    while (!s->ended && (s->come.n > 0 || !s->drains)) {
        if (s->come.n == 0) {
            (void)world_block(s, INT64_MAX);
            continue;
        }
        natsMsg *m = s->come.at[0];
        memmove(s->come.at, s->come.at + 1, --s->come.n * sizeof s->come.at[0]);
        s->hear(s->nc, s, m, s->env);
    }
    for (size_t i = 0; i < s->come.n; i++) natsMsg_Destroy(s->come.at[i]);
    wadi_vec_free(&s->come);
    s->ended = true;
    if (s->complete != NULL) s->complete(s->complete_env);
    s->done = true;
    world_wake(&s->done, true);
}

static void tell_news(natsConnection *nc, const nats_news *news) {
    if (news->what == NATS_LOST && nc->lost != NULL) nc->lost(nc, nc->env);
    if (news->what == NATS_BACK && nc->back != NULL) nc->back(nc, nc->env);
    if (news->what == NATS_REFUSED && nc->refused != NULL)
        nc->refused(nc, NULL, NATS_NOT_PERMITTED, nc->env);
    if (news->what == NATS_CLOSED && nc->gone != NULL) nc->gone(nc, nc->env);
}

static void tell_all(void *env) {
    natsConnection *nc = env;
    for (bool closed = false; !closed;) {
        if (nc->news.n == 0) {
            (void)world_block(&nc->news, INT64_MAX);
            continue;
        }
        if (world_chance(8) == 0) world_sleep(world_chance(1500) * MS); /* of a busy machine */
        const nats_news news = nc->news.at[0];
        memmove(nc->news.at, nc->news.at + 1, --nc->news.n * sizeof nc->news.at[0]);
        closed = news.what == NATS_CLOSED;
        tell_news(nc, &news);
    }
}

static void join(process *p) {
    while (!world_has_ended(p)) (void)world_block(p, INT64_MAX);
}

/* ---- options ---- */

struct __natsOptions {
    natsConnectionHandler lost, back, gone;
    natsErrHandler refused;
    void *env;
};

natsStatus natsOptions_Create(natsOptions **out) {
    *out = calloc(1, sizeof **out);
    return *out != NULL ? NATS_OK : NATS_NO_MEMORY;
}

void natsOptions_Destroy(natsOptions *o) {
    free(o);
}

#define OPTION(name, ...)                                        \
    natsStatus natsOptions_##name(natsOptions *o, __VA_ARGS__) { \
        (void)o;                                                 \
        return NATS_OK;                                          \
    }

#if defined(__clang__) || defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
OPTION(SetURL, const char *url)
OPTION(SetTimeout, int64_t ms)
OPTION(SetMaxReconnect, int n)
OPTION(SetReconnectWait, int64_t ms)
OPTION(SetReconnectJitter, int64_t ms, int64_t tls_ms)
OPTION(SetPingInterval, int64_t ms)
OPTION(SetMaxPingsOut, int n)
OPTION(SetWriteDeadline, int64_t ms)
OPTION(SetFailRequestsOnDisconnect, bool fails)
OPTION(SetIgnoreDiscoveredServers, bool ignores)
OPTION(SetSendAsap, bool at_once)
OPTION(SetName, const char *name)
OPTION(SetToken, const char *token)
OPTION(SetSecure, bool secure)
OPTION(LoadCATrustedCertificates, const char *file)
OPTION(LoadCertificatesChain, const char *file, const char *key)
OPTION(SetExpectedHostname, const char *host)
OPTION(SetUserCredentialsFromFiles, const char *file, const char *seed)
OPTION(SetNKey, const char *key, natsSignatureHandler sign, void *env)

natsStatus natsOptions_SetErrorHandler(natsOptions *o, natsErrHandler refused, void *env) {
    o->refused = refused;
    o->env = env;
    return NATS_OK;
}

natsStatus natsOptions_SetDisconnectedCB(natsOptions *o, natsConnectionHandler lost, void *env) {
    o->lost = lost;
    o->env = env;
    return NATS_OK;
}

natsStatus natsOptions_SetReconnectedCB(natsOptions *o, natsConnectionHandler back, void *env) {
    o->back = back;
    o->env = env;
    return NATS_OK;
}

natsStatus natsOptions_SetClosedCB(natsOptions *o, natsConnectionHandler gone, void *env) {
    o->gone = gone;
    o->env = env;
    return NATS_OK;
}

/* ---- connections ---- */

struct __natsStatistics {
    uint64_t made;
};

natsStatus natsStatistics_Create(natsStatistics **out) {
    *out = calloc(1, sizeof **out);
    return *out != NULL ? NATS_OK : NATS_NO_MEMORY;
}

void natsStatistics_Destroy(natsStatistics *s) {
    free(s);
}

natsStatus natsConnection_GetStats(natsConnection *nc, natsStatistics *s) {
    s->made = nc->made;
    return NATS_OK;
}

natsStatus natsStatistics_GetCounts(const natsStatistics *s, uint64_t *in, uint64_t *in_bytes,
                                    uint64_t *out, uint64_t *out_bytes, uint64_t *made) {
    *made = s->made;
    return NATS_OK;
}

natsConnStatus natsConnection_Status(natsConnection *nc) {
    return nc->closed ? NATS_CONN_STATUS_CLOSED
           : nc->up   ? NATS_CONN_STATUS_CONNECTED
                      : NATS_CONN_STATUS_RECONNECTING;
}

natsStatus natsConnection_Connect(natsConnection **out, natsOptions *o) {
    int i = 0;
    world_sleep(nats_soon() - world_now());
    if (!server_is_up()) {
        world_sleep(world_chance(2) * 3 * SECOND);
        return NATS_NO_SERVER;
    }
    if (world_am_dead()) return NATS_NO_SERVER;
    if (!server_lets_in()) return NATS_CONNECTION_AUTH_FAILED;
    while (i < NATS_CONNECTIONS && nats_connections[i].used) i++;
    if (i == NATS_CONNECTIONS) abort();
    natsConnection *nc = &nats_connections[i];
    *nc = (natsConnection){.used = true,
                           .up = true,
                           .owner = world_self(),
                           .lost = o->lost,
                           .back = o->back,
                           .gone = o->gone,
                           .refused = o->refused,
                           .env = o->env,
                           .try_ns = INT64_MAX};
    (void)snprintf(nc->server_id, sizeof nc->server_id, "%s", server_id());
    nc->thread = world_start_thread(tell_all, nc);
    *out = nc;
    return NATS_OK;
}

void natsConnection_Close(natsConnection *nc) {
    nats_end(nc, NULL);
}

void natsConnection_Destroy(natsConnection *nc) {
    nats_end(nc, NULL);
    for (size_t i = 0; i < nc->subs.n; i++) {
        join(nc->subs.at[i]->thread);
        free(nc->subs.at[i]);
    }
    join(nc->thread);
    wadi_vec_free(&nc->subs);
    wadi_vec_free(&nc->news);
    wadi_vec_free(&nc->calls);
    nc->used = false;
}

int64_t natsConnection_GetMaxPayload(natsConnection *nc) {
    WADI_UNUSED(nc);
    return server_payload();
}

natsStatus natsConnection_GetConnectedServerId(natsConnection *nc, char *out, size_t room) {
    if (!nc->up) return NATS_CONNECTION_DISCONNECTED;
    (void)snprintf(out, room, "%s", nc->server_id);
    return NATS_OK;
}

natsStatus natsConnection_GetLastError(natsConnection *nc, const char **out) {
    *out = nc->refusals > 0 ? "Authorization Violation" : "";
    return NATS_OK;
}

/* ---- subscriptions ---- */

natsStatus natsConnection_Subscribe(natsSubscription **out, natsConnection *nc, const char *subject,
                                    natsMsgHandler hear, void *env) {
    if (nc->closed) return NATS_CONNECTION_CLOSED;
    natsSubscription *s = calloc(1, sizeof *s);
    if (s == NULL || !wadi_vec_push(&nc->subs, s)) abort();
    *s = (natsSubscription){.nc = nc, .hear = hear, .env = env};
    (void)snprintf(s->subject, sizeof s->subject, "%s", subject);
    s->thread = world_start_thread(hear_all, s);
    nats_send_subscription(s);
    *out = s;
    return NATS_OK;
}

natsStatus natsSubscription_SetPendingLimits(natsSubscription *s, int messages, int bytes) {
    return NATS_OK;
}

natsStatus natsSubscription_SetOnCompleteCB(natsSubscription *s, natsOnCompleteCB complete,
                                            void *env) {
    s->complete = complete;
    s->complete_env = env;
    return NATS_OK;
}

natsStatus natsSubscription_Unsubscribe(natsSubscription *s) {
    s->ended = true;
    world_wake(s, true);
    return NATS_OK;
}

natsStatus natsSubscription_DrainTimeout(natsSubscription *s, int64_t ms) {
    s->drains = true;
    world_wake(s, true);
    return NATS_OK;
}

natsStatus natsSubscription_WaitForDrainCompletion(natsSubscription *s, int64_t ms) {
    const int64_t until = world_now() + ms * MS;
    while (!s->done && world_now() < until) (void)world_block(&s->done, until);
    return s->done ? NATS_OK : NATS_TIMEOUT;
}

/* It is freed with its connection. */
void natsSubscription_Destroy(natsSubscription *s) {
    if (s == NULL) return;
    s->ended = true;
    world_wake(s, true);
}

/* ---- messages ---- */

/* By chance another one has the turn first, as where the library's buffers are full. */
static natsStatus publish(natsConnection *nc, natsMsg *owned_m) {
    if (world_chance(40) == 0) world_sleep(world_chance(3) * MS);
    const natsStatus s = nc->closed                           ? NATS_CONNECTION_CLOSED
                         : !nc->up                            ? NATS_CONNECTION_DISCONNECTED
                         : owned_m->n > (int)server_payload() ? NATS_MAX_PAYLOAD
                                                              : NATS_OK;
    if (s == NATS_OK)
        nats_send(nc, owned_m);
    else
        natsMsg_Destroy(owned_m);
    return s;
}

natsStatus natsConnection_Publish(natsConnection *nc, const char *subject, const void *data,
                                  int n) {
    return publish(nc, nats_message(subject, NULL, data, n));
}

natsStatus natsConnection_PublishRequest(natsConnection *nc, const char *subject, const char *reply,
                                         const void *data, int n) {
    return publish(nc, nats_message(subject, reply, data, n));
}

natsStatus natsConnection_PublishMsg(natsConnection *nc, natsMsg *m) {
    return publish(nc, nats_message_copy(m));
}

natsStatus natsInbox_Create(natsInbox **out) {
    char text[40];
    (void)snprintf(text, sizeof text, "_INBOX.%d.%d", world_chance(1000000000),
                   world_chance(1000000000));
    *out = strdup(text);
    return NATS_OK;
}

void natsInbox_Destroy(natsInbox *inbox) {
    free(inbox);
}

/* ---- calls that wait ---- */

static void end_call(nats_call *c) {
    natsConnection *nc = c->nc;
    nats_forget_call(c);
    for (size_t i = 0; i < nc->calls.n; i++)
        if (nc->calls.at[i] == c) nc->calls.at[i] = nc->calls.at[--nc->calls.n];
}

static natsStatus wait_for(nats_call *c, int64_t ms) {
    const int64_t until = world_now() + ms * MS;
    if (world_am_dead() || c->nc->closed) return NATS_CONNECTION_CLOSED;
    if (!c->nc->up) return NATS_CONNECTION_DISCONNECTED;
    (void)snprintf(c->inbox, sizeof c->inbox, "_R.%d", world_chance(1000000000));
    if (!wadi_vec_push(&c->nc->calls, c)) abort();
    nats_send_call(c);
    while (!c->done && !world_am_dead() && world_now() < until) (void)world_wait(until, -1);
    end_call(c);
    if (world_am_dead()) return NATS_CONNECTION_CLOSED;
    return c->done ? c->status : NATS_TIMEOUT;
}

natsStatus natsConnection_RequestString(natsMsg **out, natsConnection *nc, const char *subject,
                                        const char *text, int64_t ms) {
    nats_call c = {.nc = nc, .subject = subject, .text = text};
    natsStatus s = wait_for(&c, ms);
    if (s == NATS_OK && natsMsg_IsNoResponders(c.msg)) s = NATS_NO_RESPONDERS;
    if (s == NATS_OK)
        *out = c.msg;
    else
        natsMsg_Destroy(c.msg);
    return s;
}

natsStatus natsConnection_FlushTimeout(natsConnection *nc, int64_t ms) {
    nats_call c = {.nc = nc, .act = nats_reply};
    return wait_for(&c, ms);
}

/* ---- what the library says of itself ---- */

natsStatus nats_CloseAndWait(int64_t ms) {
    return NATS_OK;
}

void nats_Sleep(int64_t ms) {
    world_sleep(ms * MS);
}

const char *nats_GetLastError(natsStatus *s) {
    if (s != NULL) *s = NATS_OK;
    return "";
}

const char *natsStatus_GetText(natsStatus s) {
    return s == NATS_TIMEOUT ? "Timeout" : "refused";
}

natsStatus nats_Sign(const char *seed, const char *input, unsigned char **out, int *out_n) {
    return NATS_ERR;
}

/* ---- JetStream ---- */

struct __jsCtx {
    natsConnection *nc;
    int64_t wait_ms;
};

natsStatus jsOptions_Init(jsOptions *o) {
    memset(o, 0, sizeof *o);
    return NATS_OK;
}

natsStatus natsConnection_JetStream(jsCtx **out, natsConnection *nc, jsOptions *o) {
    *out = calloc(1, sizeof **out);
    if (*out == NULL) return NATS_NO_MEMORY;
    **out = (jsCtx){nc, o->Wait};
    return NATS_OK;
}

void jsCtx_Destroy(jsCtx *js) {
    free(js);
}

static natsStatus call(const jsCtx *js, nats_call *c, const jsOptions *o, jsErrCode *out_code) {
    c->nc = js->nc;
    const natsStatus s = wait_for(c, o != NULL && o->Wait > 0 ? o->Wait : js->wait_ms);
    if (out_code != NULL) *out_code = c->code;
    return s;
}

static void account(nats_call *c) {
    if (server_does(c)) nats_reply(c);
}

natsStatus js_GetAccountInfo(jsAccountInfo **out, jsCtx *js, jsOptions *o, jsErrCode *code) {
    nats_call c = {.act = account};
    *out = NULL;
    return call(js, &c, o, code);
}

void jsAccountInfo_Destroy(jsAccountInfo *info) {
}

static void not_found(nats_call *c, jsErrCode code) {
    c->status = NATS_NOT_FOUND;
    c->code = code;
}

static void add_stream(nats_call *c) {
    if (!server_does(c)) return;
    if (!stream_make(c->what)) {
        c->status = NATS_ERR;
        c->code = JSStreamNameExistErr;
    }
    server_wrote();
    nats_reply(c);
}

natsStatus jsStreamConfig_Init(jsStreamConfig *c) {
    memset(c, 0, sizeof *c);
    return NATS_OK;
}

natsStatus js_AddStream(jsStreamInfo **out, jsCtx *js, jsStreamConfig *with, jsOptions *o,
                        jsErrCode *code) {
    const stream_config what = {.name = with->Name,
                                .subject = with->Subjects,
                                .nsubjects = with->SubjectsLen,
                                .is_queue = with->Retention == js_WorkQueuePolicy,
                                .discards_old = with->Discard == js_DiscardOld,
                                .most_bytes = with->MaxBytes,
                                .most_each = with->MaxMsgsPerSubject,
                                .window_ns = with->Duplicates};
    nats_call c = {.act = add_stream, .what = &what};
    return call(js, &c, o, code);
}

static void delete_stream(nats_call *c) {
    if (!server_does(c)) return;
    if (!stream_remove(c->what)) not_found(c, JSStreamNotFoundErr);
    server_wrote();
    nats_reply(c);
}

natsStatus js_DeleteStream(jsCtx *js, const char *stream, jsOptions *o, jsErrCode *code) {
    nats_call c = {.act = delete_stream, .what = stream};
    return call(js, &c, o, code);
}

static void stream_info(nats_call *c) {
    if (!server_does(c)) return;
    if (stream_exists(c->what))
        c->number = stream_messages(c->what);
    else
        not_found(c, JSStreamNotFoundErr);
    nats_reply(c);
}

natsStatus js_GetStreamInfo(jsStreamInfo **out, jsCtx *js, const char *stream, jsOptions *o,
                            jsErrCode *code) {
    nats_call c = {.act = stream_info, .what = stream};
    *out = NULL;
    const natsStatus s = call(js, &c, o, code);
    if (s != NATS_OK) return s;
    *out = calloc(1, sizeof **out);
    if (*out == NULL) return NATS_NO_MEMORY;
    (*out)->State.Msgs = (uint64_t)c.number;
    return NATS_OK;
}

void jsStreamInfo_Destroy(jsStreamInfo *info) {
    free(info);
}

typedef struct purging {
    const char *stream, *filter;
} purging;

static void purge_stream(nats_call *c) {
    const purging *p = c->what;
    if (!server_does(c)) return;
    if (stream_exists(p->stream))
        stream_purge(p->stream, p->filter);
    else
        not_found(c, JSStreamNotFoundErr);
    server_wrote();
    nats_reply(c);
}

natsStatus js_PurgeStream(jsCtx *js, const char *stream, jsOptions *o, jsErrCode *code) {
    const purging what = {stream, o->Stream.Purge.Subject};
    nats_call c = {.act = purge_stream, .what = &what};
    return call(js, &c, o, code);
}

typedef struct making {
    const char *stream;
    const jsConsumerConfig *with;
} making;

static void add_consumer(nats_call *c) {
    const making *m = c->what;
    if (!server_does(c)) return;
    if (stream_exists(m->stream))
        consumer_make(m->stream, m->with->Durable, m->with->FilterSubject, m->with->AckWait);
    else
        not_found(c, JSStreamNotFoundErr);
    server_wrote();
    nats_reply(c);
}

natsStatus jsConsumerConfig_Init(jsConsumerConfig *c) {
    memset(c, 0, sizeof *c);
    return NATS_OK;
}

natsStatus js_AddConsumer(jsConsumerInfo **out, jsCtx *js, const char *stream,
                          jsConsumerConfig *with, jsOptions *o, jsErrCode *code) {
    const making what = {stream, with};
    nats_call c = {.act = add_consumer, .what = &what};
    return call(js, &c, o, code);
}

static void publish_it(nats_call *c) {
    if (server_does(c)) server_publishes(c);
}

natsStatus js_PublishMsg(jsPubAck **out, jsCtx *js, natsMsg *m, jsPubOptions *o, jsErrCode *code) {
    nats_call c = {.act = publish_it, .msg = m};
    const natsStatus s = call(js, &c, NULL, code);
    if (out == NULL || s != NATS_OK) return s;
    *out = calloc(1, sizeof **out);
    if (*out == NULL) return NATS_NO_MEMORY;
    (*out)->Sequence = (uint64_t)c.number;
    return s;
}

natsStatus js_Publish(jsPubAck **out, jsCtx *js, const char *subject, const void *data, int n,
                      jsPubOptions *o, jsErrCode *code) {
    natsMsg *m = nats_message(subject, NULL, data, n);
    const natsStatus s = js_PublishMsg(out, js, m, o, code);
    natsMsg_Destroy(m);
    return s;
}

void jsPubAck_Destroy(jsPubAck *ack) {
    free(ack);
}

typedef struct getting {
    const char *stream, *subject;
} getting;

static void get_it(nats_call *c) {
    const getting *g = c->what;
    if (!server_does(c)) return;
    const natsMsg *m = stream_find(g->stream, g->subject);
    if (!stream_exists(g->stream) && !server_tells()) return;
    if (!stream_exists(g->stream))
        c->status = NATS_NO_RESPONDERS;
    else if (m == NULL)
        c->status = NATS_NOT_FOUND;
    else
        c->msg = nats_message_copy(m);
    nats_reply(c);
}

natsStatus jsDirectGetMsgOptions_Init(jsDirectGetMsgOptions *o) {
    memset(o, 0, sizeof *o);
    return NATS_OK;
}

natsStatus js_DirectGetMsg(natsMsg **out, jsCtx *js, const char *stream, jsOptions *o,
                           jsDirectGetMsgOptions *g) {
    const getting what = {stream, g->LastBySubject};
    nats_call c = {.act = get_it, .what = &what};
    const natsStatus s = call(js, &c, o, NULL);
    if (s == NATS_OK)
        *out = c.msg;
    else
        natsMsg_Destroy(c.msg);
    return s;
}
