/* Streams of a NATS server as tests make, fill and read them, over the client library alone: nothing of wadi is in it.
 *
 * $JET_CA is the authority of a server with TLS, at localhost; $JET_TOKEN, $JET_USER (NAME:PASSWORD) or $JET_CREDS (a file) let it in; $JET_CERT and $JET_KEY are its own certificate.
 *
 *     jet_messages PORT make STREAM SUBJECT MOST    a stream of at most MOST messages of one subject or pattern; 0: no limit
 *     jet_messages PORT full STREAM SUBJECT MOST    the same, but one that refuses further messages
 *     jet_messages PORT limit STREAM MOST           gives it another limit
 *     jet_messages PORT queue STREAM SUBJECT        a work queue
 *     jet_messages PORT thin STREAM SUBJECT MOST    a stream of at most MOST messages of each subject
 *     jet_messages PORT drop STREAM                 removes it
 *     jet_messages PORT purge STREAM                removes its messages
 *     jet_messages PORT delete STREAM NUMBER        removes a message
 *     jet_messages PORT put SUBJECT FIRST N         N numbers from FIRST on, as i64, a message each
 *     jet_messages PORT forge SUBJECT RUN ELEMENT   a message that says it is this element of a run
 *     jet_messages PORT large SUBJECT BYTES N       N messages of so many bytes
 *     jet_messages PORT text SUBJECT WORDS..        a message of each
 *     jet_messages PORT rows SUBJECT FIRST N EACH   N lines "I,2I" for I from FIRST on, EACH to a message
 *     jet_messages PORT dump STREAM SUBJECT         the bytes of all messages on the subject
 *     jet_messages PORT last STREAM                 the number of its last message
 *     jet_messages PORT given STREAM                the number of the last message that its consumer was given
 *     jet_messages PORT at STREAM SUBJECT           the Wadi-Element of its last message on the subject, or -
 *     jet_messages PORT show STREAM SUBJECT         of each message on the subject: its number, its bytes, an i64 if it has 8, its Wadi-Element and Wadi-Run */
#include <inttypes.h>
#include <nats/nats.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAIT_MS = 30000 };

static natsConnection *nc;
static jsCtx *js;

static void need(natsStatus s, const char *what) {
    if (s == NATS_OK) return;
    (void)fprintf(stderr, "%s: %s (%s)\n", what, natsStatus_GetText(s), nats_GetLastError(NULL));
    exit(1);
}

static void configure(jsStreamConfig *c, const char *stream, const char **subject, int64_t most) {
    need(jsStreamConfig_Init(c), "configuring");
    c->Name = stream;
    c->Subjects = subject;
    c->SubjectsLen = 1;
    c->MaxMsgs = most > 0 ? most : -1;
}

static void make(const char *stream, const char *subject, int64_t most, int is_full, int is_queue) {
    jsStreamConfig c;
    configure(&c, stream, &subject, most);
    if (is_full) c.Discard = js_DiscardNew;
    if (is_queue) c.Retention = js_WorkQueuePolicy;
    need(js_AddStream(NULL, js, &c, NULL, NULL), "making a stream");
}

static void make_thin(const char *stream, const char *subject, int64_t most) {
    jsStreamConfig c;
    configure(&c, stream, &subject, 0);
    c.MaxMsgsPerSubject = most;
    need(js_AddStream(NULL, js, &c, NULL, NULL), "making a stream");
}

static void limit(const char *stream, int64_t most) {
    jsStreamInfo *info = NULL;
    need(js_GetStreamInfo(&info, js, stream, NULL, NULL), "asking for a stream");
    info->Config->MaxMsgs = most > 0 ? most : -1;
    need(js_UpdateStream(NULL, js, info->Config, NULL, NULL), "changing a stream");
    jsStreamInfo_Destroy(info);
}

static jsStreamState state_of(const char *stream) {
    jsStreamInfo *info = NULL;
    need(js_GetStreamInfo(&info, js, stream, NULL, NULL), "asking for a stream");
    jsStreamState s = info->State;
    s.Subjects = NULL; /* goes with the rest */
    s.Deleted = NULL;
    s.Lost = NULL;
    jsStreamInfo_Destroy(info);
    return s;
}

static void publish(const char *subject, const void *bytes, int n) {
    need(js_Publish(NULL, js, subject, bytes, n, NULL, NULL), "publishing");
}

static void show(const char *stream, const char *subject) {
    const jsStreamState s = state_of(stream);
    for (uint64_t i = s.FirstSeq; i <= s.LastSeq && s.Msgs > 0; i++) {
        natsMsg *m = NULL;
        jsErrCode code = 0;
        const char *element = "-", *run = "-";
        int64_t number = -1;
        const natsStatus got = js_GetMsg(&m, js, stream, i, NULL, &code);
        if (got == NATS_NOT_FOUND || code == JSNoMessageFoundErr) continue;
        need(got, "reading");
        if (strcmp(natsMsg_GetSubject(m), subject) == 0) {
            if (natsMsgHeader_Get(m, "Wadi-Element", &element) != NATS_OK) element = "-";
            if (natsMsgHeader_Get(m, "Wadi-Run", &run) != NATS_OK) run = "-";
            if (natsMsg_GetDataLength(m) == 8) memcpy(&number, natsMsg_GetData(m), 8);
            (void)printf("%" PRIu64 " %d %" PRId64 " %s %s\n", i, natsMsg_GetDataLength(m), number,
                         element, run);
        }
        natsMsg_Destroy(m);
    }
}

static void put_large(const char *subject, int bytes, int64_t n) {
    char *zeros = calloc((size_t)bytes, 1);
    if (zeros == NULL) exit(1);
    for (int64_t i = 0; i < n; i++) publish(subject, zeros, bytes);
    free(zeros);
}

static void forge(const char *subject, const char *run, const char *element) {
    natsMsg *m = NULL;
    need(natsMsg_Create(&m, subject, NULL, "", 0), "making a message");
    need(natsMsgHeader_Set(m, "Wadi-Run", run), "making a message");
    need(natsMsgHeader_Set(m, "Wadi-Element", element), "making a message");
    need(js_PublishMsg(NULL, js, m, NULL, NULL), "publishing");
    natsMsg_Destroy(m);
}

static void tell_given(const char *stream) {
    jsConsumerInfoList *list = NULL;
    const natsStatus got = js_Consumers(&list, js, stream, NULL, NULL);
    if (got != NATS_NOT_FOUND) need(got, "asking for consumers");
    (void)printf("%" PRIu64 "\n",
                 got == NATS_OK && list->Count > 0 ? list->List[0]->Delivered.Stream : 0);
    jsConsumerInfoList_Destroy(list);
}

static void tell_last(const char *stream, const char *subject) {
    natsMsg *m = NULL;
    const char *element = "-";
    jsErrCode code = 0;
    const natsStatus got = js_GetLastMsg(&m, js, stream, subject, NULL, &code);
    if (code != JSNoMessageFoundErr) need(got, "reading");
    if (m == NULL || natsMsgHeader_Get(m, "Wadi-Element", &element) != NATS_OK) element = "-";
    (void)printf("%s\n", element);
    natsMsg_Destroy(m);
}

static void put_rows(const char *subject, int64_t first, int64_t n, int64_t each) {
    char text[4096];
    for (int64_t i = first; i < first + n;) {
        size_t at = 0;
        for (int64_t k = 0; k < each && i < first + n && at + 80 < sizeof text; k++, i++)
            at += (size_t)snprintf(text + at, sizeof text - at, "%" PRId64 ",%" PRId64 "\n", i,
                                   2 * i);
        publish(subject, text, (int)at);
    }
}

static void dump(const char *stream, const char *subject) {
    const jsStreamState s = state_of(stream);
    for (uint64_t i = s.FirstSeq; i <= s.LastSeq && s.Msgs > 0; i++) {
        natsMsg *m = NULL;
        jsErrCode code = 0;
        const natsStatus got = js_GetMsg(&m, js, stream, i, NULL, &code);
        if (got == NATS_NOT_FOUND || code == JSNoMessageFoundErr) continue;
        need(got, "reading");
        if (strcmp(natsMsg_GetSubject(m), subject) == 0)
            (void)fwrite(natsMsg_GetData(m), 1, (size_t)natsMsg_GetDataLength(m), stdout);
        natsMsg_Destroy(m);
    }
}

static int is(const char *verb, const char *word, int args, int n) {
    return strcmp(verb, word) == 0 && args >= n;
}

static void set_keys(natsOptions *o) {
    const char *ca = getenv("JET_CA"), *token = getenv("JET_TOKEN"), *creds = getenv("JET_CREDS"),
               *cert = getenv("JET_CERT"), *user = getenv("JET_USER");
    if (ca != NULL) need(natsOptions_SetSecure(o, true), "TLS");
    if (ca != NULL) need(natsOptions_LoadCATrustedCertificates(o, ca), "TLS");
    if (cert != NULL) need(natsOptions_LoadCertificatesChain(o, cert, getenv("JET_KEY")), "TLS");
    if (token != NULL) need(natsOptions_SetToken(o, token), "options");
    if (creds != NULL) need(natsOptions_SetUserCredentialsFromFiles(o, creds, NULL), "options");
    if (user != NULL) {
        char name[32];
        (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(user, ":"), user);
        need(natsOptions_SetUserInfo(o, name, strchr(user, ':') + 1), "options");
    }
}

/* The machine may be busy with other tests. */
static void connect_to(const char *url) {
    natsOptions *o = NULL;
    jsOptions js_options;
    need(natsOptions_Create(&o), "options");
    need(natsOptions_SetURL(o, url), "options");
    set_keys(o);
    need(natsOptions_SetTimeout(o, WAIT_MS), "options");
    /* what a server was asked that is killed nobody answers any more */
    need(natsOptions_SetFailRequestsOnDisconnect(o, true), "options");
    /* libnats (3.4.1) sends no signature that begins with a zero byte, as one of 256 does; each attempt signs another word. */
    natsStatus s = natsConnection_Connect(&nc, o);
    for (int i = 0; s == NATS_CONNECTION_AUTH_FAILED && i < 3; i++)
        s = natsConnection_Connect(&nc, o);
    need(s, url);
    need(jsOptions_Init(&js_options), "options");
    js_options.Wait = WAIT_MS;
    need(natsConnection_JetStream(&js, nc, &js_options), "JetStream");
    natsOptions_Destroy(o);
}

int main(int argc, char **argv) {
    char url[64];
    if (argc < 4) return 2;
    (void)snprintf(url, sizeof url, "nats://%s:%s",
                   getenv("JET_CA") != NULL ? "localhost" : "127.0.0.1", argv[1]);
    connect_to(url);
    const char *verb = argv[2], *at = argv[3];
    const int n = argc - 4;
    char **more = argv + 4;
    if (is(verb, "make", n, 2) || is(verb, "full", n, 2))
        make(at, more[0], atoll(more[1]), *verb == 'f', 0);
    else if (is(verb, "queue", n, 1))
        make(at, more[0], 0, 0, 1);
    else if (is(verb, "limit", n, 1))
        limit(at, atoll(more[0]));
    else if (is(verb, "drop", n, 0))
        need(js_DeleteStream(js, at, NULL, NULL), "removing a stream");
    else if (is(verb, "purge", n, 0))
        need(js_PurgeStream(js, at, NULL, NULL), "removing messages");
    else if (is(verb, "delete", n, 1))
        need(js_DeleteMsg(js, at, (uint64_t)atoll(more[0]), NULL, NULL), "removing a message");
    else if (is(verb, "put", n, 2))
        for (int64_t i = atoll(more[0]), end = i + atoll(more[1]); i < end; i++)
            publish(at, &i, sizeof i);
    else if (is(verb, "text", n, 1))
        for (int i = 0; i < n; i++) publish(at, more[i], (int)strlen(more[i]));
    else if (is(verb, "last", n, 0))
        (void)printf("%" PRIu64 "\n", state_of(at).LastSeq);
    else if (is(verb, "thin", n, 2))
        make_thin(at, more[0], atoll(more[1]));
    else if (is(verb, "large", n, 2))
        put_large(at, atoi(more[0]), atoll(more[1]));
    else if (is(verb, "forge", n, 2))
        forge(at, more[0], more[1]);
    else if (is(verb, "given", n, 0))
        tell_given(at);
    else if (is(verb, "at", n, 1))
        tell_last(at, more[0]);
    else if (is(verb, "show", n, 1))
        show(at, more[0]);
    else if (is(verb, "rows", n, 3))
        put_rows(at, atoll(more[0]), atoll(more[1]), atoll(more[2]));
    else if (is(verb, "dump", n, 1))
        dump(at, more[0]);
    else
        return 2;
    jsCtx_Destroy(js);
    natsConnection_Destroy(nc);
    nats_Close();
    return fflush(stdout) == 0 ? 0 : 1;
}
