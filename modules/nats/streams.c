/* Calls of the server that are waited for: streams, consumers, the record, requests to home. Only before and behind the work, or in `wadi job`. */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "modules/nats/inside.h"

enum {
    CALL_MS = 8000, /* a lost connection is noticed before */
    PINGS = 6,
    PINGS_MET = 4,   /* a connection that broke is made again within three quarters of a second */
    NAP_MS = 250,    /* between them */
    MAKING_MS = 250, /* a stream that does not answer may be in the making */
};

static const int64_t same_id_ns =
    INT64_C(120000000000); /* the server remembers message ids for so long */

wadi_status wadi_nats_js_fail(const wadi_jet_address *at, natsStatus s, jsErrCode code,
                              const char *doing, wadi_error *err) {
    const bool none = code == JSNotEnabledErr || code == JSNotEnabledForAccountErr;
    return wadi_nats_fail(at, none ? NATS_NO_RESPONDERS : s, doing, err);
}

wadi_status wadi_nats_js(natsConnection *nc, const wadi_jet_address *at, jsCtx **out,
                         wadi_error *err) {
    jsOptions o;
    natsStatus s = jsOptions_Init(&o);
    o.Wait = CALL_MS;
    if (s == NATS_OK) s = natsConnection_JetStream(out, nc, &o);
    return s == NATS_OK ? WADI_OK : wadi_nats_fail(at, s, "JetStream", err);
}

wadi_status wadi_nats_account(jsCtx *js, const wadi_jet_address *at, wadi_error *err) {
    jsAccountInfo *info = NULL;
    jsErrCode code = 0;
    const natsStatus s = js_GetAccountInfo(&info, js, NULL, &code);
    jsAccountInfo_Destroy(info);
    return s == NATS_OK ? WADI_OK : wadi_nats_js_fail(at, s, code, "asking for JetStream", err);
}

/* ---- streams ---- */

/* The subjects of a stream, in the room of the caller. */
typedef struct subjects {
    char room[2][WADI_NATS_SUBJECT];
    const char *at[2];
    int n;
} subjects;

static void subjects_of(subjects *u, const char *job, wadi_nats_stream s, const char *epoch) {
    u->n = 1;
    for (int i = 0; i < 2; i++) u->at[i] = u->room[i];
    switch (s) {
    case WADI_NATS_RECORD:
        wadi_nats_subject(job, u->room[0], "record");
        wadi_nats_subject(job, u->room[1], "charter.>");
        u->n = 2;
        break;
    case WADI_NATS_ITEMS:
        wadi_nats_subject(job, u->room[0], "item.%s.>", epoch);
        break;
    case WADI_NATS_ANSWERS:
        wadi_nats_subject(job, u->room[0], "answer.%s.>", epoch);
        break;
    default:
        wadi_nats_subject(job, u->room[0], "dead.>");
    }
}

static void configure(jsStreamConfig *c, wadi_nats_stream s, const char *name, subjects *u,
                      int64_t cap) {
    (void)jsStreamConfig_Init(c);
    c->Name = name;
    c->Subjects = u->at;
    c->SubjectsLen = u->n;
    c->Storage = js_FileStorage;
    c->Discard = js_DiscardNew;
    c->Duplicates = same_id_ns;
    c->AllowDirect = true;
    c->MaxBytes = cap;
    if (s == WADI_NATS_ITEMS || s == WADI_NATS_ANSWERS) c->Retention = js_WorkQueuePolicy;
    if (s == WADI_NATS_RECORD) c->MaxMsgsPerSubject = 1;
    if (s == WADI_NATS_RECORD || s == WADI_NATS_DEAD) c->Discard = js_DiscardOld;
}

wadi_status wadi_nats_stream_make(jsCtx *js, const wadi_jet_address *at, wadi_nats_stream s,
                                  const char *epoch, int64_t cap, wadi_error *err) {
    char name[WADI_NATS_SUBJECT];
    jsStreamConfig c;
    subjects u;
    jsErrCode code = 0;
    wadi_nats_stream_name(at->job, s, name);
    subjects_of(&u, at->job, s, epoch);
    configure(&c, s, name, &u, cap);
    const natsStatus st = js_AddStream(NULL, js, &c, NULL, &code);
    return st == NATS_OK ? WADI_OK : wadi_nats_js_fail(at, st, code, "making a stream", err);
}

wadi_status wadi_nats_stream_remove(jsCtx *js, const wadi_jet_address *at, wadi_nats_stream s,
                                    wadi_error *err) {
    char name[WADI_NATS_SUBJECT];
    jsErrCode code = 0;
    wadi_nats_stream_name(at->job, s, name);
    const natsStatus st = js_DeleteStream(js, name, NULL, &code);
    if (st == NATS_OK || code == JSStreamNotFoundErr || st == NATS_NOT_FOUND) return WADI_OK;
    return wadi_nats_js_fail(at, st, code, "removing a stream", err);
}

int64_t wadi_nats_stream_messages(jsCtx *js, const char *job, wadi_nats_stream s) {
    char name[WADI_NATS_SUBJECT];
    jsStreamInfo *info = NULL;
    wadi_nats_stream_name(job, s, name);
    if (js_GetStreamInfo(&info, js, name, NULL, NULL) != NATS_OK) return -1;
    const int64_t n = (int64_t)info->State.Msgs;
    jsStreamInfo_Destroy(info);
    return n;
}

wadi_status wadi_nats_consumer_make(jsCtx *js, const wadi_jet_address *at, wadi_nats_stream s,
                                    const char *epoch, wadi_error *err) {
    char name[WADI_NATS_SUBJECT], filter[WADI_NATS_SUBJECT], consumer[WADI_NATS_SUBJECT];
    jsConsumerConfig c;
    jsErrCode code = 0;
    wadi_nats_stream_name(at->job, s, name);
    wadi_nats_filter(at->job, s, epoch, filter);
    wadi_nats_consumer_name(epoch, consumer);
    (void)jsConsumerConfig_Init(&c);
    c.Durable = consumer;
    c.FilterSubject = filter;
    c.AckPolicy = js_AckExplicit;
    c.AckWait = (int64_t)(at->ack_wait_s * 1e9);
    c.MaxDeliver = -1;    /* workers count (worker.c) */
    c.MaxAckPending = -1; /* home counts */
    c.MaxWaiting = WADI_NATS_WAITING_MOST;
    const natsStatus st = js_AddConsumer(NULL, js, name, &c, NULL, &code);
    return st == NATS_OK ? WADI_OK : wadi_nats_js_fail(at, st, code, "making a consumer", err);
}

/* ---- messages ---- */

/* Whether it is there; an error if there is no JetStream. */
static wadi_status find_stream(jsCtx *js, const wadi_jet_address *at, const char *name,
                               const char *doing, bool *out_there, wadi_error *err) {
    jsStreamInfo *info = NULL;
    jsErrCode code = 0;
    const natsStatus s = js_GetStreamInfo(&info, js, name, NULL, &code);
    jsStreamInfo_Destroy(info);
    *out_there = s == NATS_OK;
    if (s == NATS_OK || s == NATS_NOT_FOUND || code == JSStreamNotFoundErr) return WADI_OK;
    return wadi_nats_js_fail(at, s, code, doing, err);
}

static bool nobody(natsStatus s) {
    return s == NATS_TIMEOUT || s == NATS_NO_RESPONDERS;
}

/* Directly: nats-server 2.9.10 crashes if it is asked in the other way, MSG.GET, of a stream that it is making. Direct requests to a stream that is not there, or is
 * not made yet, get no answer; servers from 2.10.26 on say that nobody is there. */
static wadi_status get(jsCtx *js, const wadi_jet_address *at, wadi_nats_stream stream,
                       jsDirectGetMsgOptions *what, const char *doing, natsMsg **out,
                       wadi_error *err) {
    char name[WADI_NATS_SUBJECT];
    bool there = true;
    natsStatus s = NATS_TIMEOUT;
    jsOptions o;
    *out = NULL;
    (void)jsOptions_Init(&o);
    wadi_nats_stream_name(at->job, stream, name);
    for (o.Wait = MAKING_MS; nobody(s) && o.Wait < CALL_MS; o.Wait *= 2) {
        if (s == NATS_NO_RESPONDERS) nats_Sleep(o.Wait / 2);
        WADI_TRY(find_stream(js, at, name, doing, &there, err));
        if (!there) return WADI_OK;
        s = js_DirectGetMsg(out, js, name, &o, what);
    }
    if (s == NATS_NO_RESPONDERS) s = NATS_TIMEOUT; /* there is JetStream: it knows the stream */
    return s == NATS_OK || s == NATS_NOT_FOUND ? WADI_OK : wadi_nats_fail(at, s, doing, err);
}

wadi_status wadi_nats_message_last(jsCtx *js, const wadi_jet_address *at, wadi_nats_stream stream,
                                   const char *subject, const char *doing, natsMsg **out,
                                   wadi_error *err) {
    jsDirectGetMsgOptions what;
    (void)jsDirectGetMsgOptions_Init(&what);
    what.LastBySubject = subject;
    return get(js, at, stream, &what, doing, out, err);
}

wadi_status wadi_nats_message_at(jsCtx *js, const wadi_jet_address *at, wadi_nats_stream stream,
                                 uint64_t seq, const char *doing, natsMsg **out, wadi_error *err) {
    jsDirectGetMsgOptions what;
    (void)jsDirectGetMsgOptions_Init(&what);
    what.Sequence = seq;
    return get(js, at, stream, &what, doing, out, err);
}

/* ---- the record ---- */

wadi_status wadi_nats_record_read(jsCtx *js, const wadi_jet_address *at, wadi_jet_record *out,
                                  uint64_t *out_seq, wadi_error *err) {
    char subject[WADI_NATS_SUBJECT];
    natsMsg *msg = NULL;
    const char *text = NULL;
    *out_seq = 0;
    wadi_nats_subject(at->job, subject, "record");
    WADI_TRY(wadi_nats_message_last(js, at, WADI_NATS_RECORD, subject,
                                    "reading the record of the job", &msg, err));
    if (msg == NULL) return WADI_OK;
    const bool sound = natsMsgHeader_Get(msg, WADI_NATS_RECORDED, &text) == NATS_OK &&
                       wadi_jet_record_read(text, out);
    *out_seq = natsMsg_GetSequence(msg);
    natsMsg_Destroy(msg);
    return sound ? WADI_OK : wadi_fail(err, WADI_IO, WADI_NATS_STRANGE_RECORD, at->job);
}

wadi_status wadi_nats_record_write(jsCtx *js, const wadi_jet_address *at, const wadi_jet_record *r,
                                   uint64_t *seq, wadi_error *err) {
    char subject[WADI_NATS_SUBJECT], text[WADI_JET_LABEL_ROOM], expected[24];
    natsMsg *msg = NULL;
    jsPubAck *ack = NULL;
    jsErrCode code = 0;
    wadi_nats_subject(at->job, subject, "record");
    wadi_jet_record_write(r, text);
    (void)snprintf(expected, sizeof expected, "%" PRIu64, *seq);
    natsStatus s = natsMsg_Create(&msg, subject, NULL, NULL, 0);
    if (s == NATS_OK) s = natsMsgHeader_Set(msg, WADI_NATS_RECORDED, text);
    if (s == NATS_OK) s = natsMsgHeader_Set(msg, "Nats-Expected-Last-Subject-Sequence", expected);
    if (s == NATS_OK) s = js_PublishMsg(&ack, js, msg, NULL, &code);
    if (s == NATS_OK) *seq = ack->Sequence;
    jsPubAck_Destroy(ack);
    natsMsg_Destroy(msg);
    if (s == NATS_OK) return WADI_OK;
    if (code == JSStreamWrongLastSequenceErr)
        return wadi_fail(err, WADI_CANCELLED, "job %s: another home has taken it over", at->job);
    return wadi_nats_js_fail(at, s, code, "writing the record of the job", err);
}

/* ---- requests to home ---- */

wadi_status wadi_nats_home_ask(natsConnection *nc, const wadi_jet_address *at, const char *verb,
                               const char *what, int64_t ms, char **out, bool *out_silent,
                               wadi_error *err) {
    char subject[WADI_NATS_SUBJECT];
    natsMsg *reply = NULL;
    *out = NULL;
    *out_silent = false;
    wadi_nats_subject(at->job, subject, "ask.%s", verb);
    const natsStatus s = natsConnection_RequestString(&reply, nc, subject, what, ms);
    if (s == NATS_NO_RESPONDERS) return WADI_OK;
    *out_silent = s == NATS_TIMEOUT;
    if (*out_silent) return WADI_OK;
    if (s != NATS_OK) return wadi_nats_fail(at, s, "asking the home of the job", err);
    const int n = natsMsg_GetDataLength(reply);
    *out = strndup(n > 0 ? natsMsg_GetData(reply) : "", (size_t)n);
    natsMsg_Destroy(reply);
    return *out != NULL ? WADI_OK : wadi_fail(err, WADI_MEMORY, "out of memory");
}

/* A server that pauses keeps home's answer back. So what is silent is asked once more, when the server has said something. */
static wadi_status ping_home(natsConnection *nc, const wadi_jet_address *at, int64_t ms,
                             bool *out_there, bool *out_silent, wadi_error *err) {
    char *reply = NULL;
    WADI_TRY(wadi_nats_home_ask(nc, at, "ping", "", ms / 2, &reply, out_silent, err));
    if (*out_silent) {
        const natsStatus s = natsConnection_FlushTimeout(nc, CALL_MS);
        if (s != NATS_OK) return wadi_nats_fail(at, s, "asking for the home of the job", err);
        WADI_TRY(wadi_nats_home_ask(nc, at, "ping", "", ms / 2, &reply, out_silent, err));
    }
    *out_there = reply != NULL;
    free(reply);
    return WADI_OK;
}

wadi_status wadi_nats_home_find(natsConnection *nc, const wadi_jet_address *at,
                                const wadi_nats_search *how, bool *out_there, bool *out_silent,
                                wadi_error *err) {
    struct pollfd stop = {.fd = how->stop_fd, .events = POLLIN};
    const int pings = how->met ? PINGS_MET : PINGS;
    *out_there = *out_silent = false;
    for (int i = 0; i < pings && !*out_there && !*out_silent; i++) {
        if (i > 0 && poll(&stop, 1, NAP_MS) > 0)
            return wadi_fail(err, WADI_CANCELLED, "the wait for job %s was ended", at->job);
        WADI_TRY(ping_home(nc, at, how->ms, out_there, out_silent, err));
    }
    return WADI_OK;
}
