/* Connections to a NATS server.
 *
 * The first connection must come about at once; a wrong address is an error and no wait. One that is lost comes back by itself, as often as it takes: for
 * how long that is worth waiting, the queue decides. Nothing is buffered while it is away. */
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "modules/nats/inside.h"

enum {
    CONNECT_MS = 3000,
    RECONNECT_MS = 100,
    PING_MS = 2000, /* a server that misses two of these is away */
    WRITE_MS = 3000,
    UNLOAD_MS = 2000,
};

/* The library's threads end with the last connection. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int connections;

void wadi_nats_server(const wadi_jet_address *a, char out[WADI_NATS_SUBJECT]) {
    const bool v6 = strchr(a->host, ':') != NULL;
    (void)snprintf(out, WADI_NATS_SUBJECT, "%s://%s%.150s%s:%d", a->tls ? "tls" : "nats",
                   v6 ? "[" : "", a->host, v6 ? "]" : "", a->port);
}

wadi_status wadi_nats_fail(const wadi_jet_address *a, natsStatus s, const char *doing,
                           wadi_error *err) {
    natsStatus last = NATS_OK;
    const char *words = nats_GetLastError(&last);
    char server[WADI_NATS_SUBJECT];
    wadi_nats_server(a, server);
    if (s == NATS_NO_MEMORY) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", server);
    if (s == NATS_NO_RESPONDERS)
        return wadi_fail(err, WADI_UNSUPPORTED, WADI_NATS_NO_JETSTREAM, server);
    if (words == NULL || *words == '\0' || last != s) words = natsStatus_GetText(s);
    if (s == NATS_PROTOCOL_ERROR)
        words = "the server ended the connection before it let us in; it may have too many";
    /* The library puts the place in its own source in front. */
    if (*words == '(' && strstr(words, "): ") != NULL) words = strstr(words, "): ") + 3;
    return wadi_fail(err, WADI_IO, "%s: %s: %.200s", server, doing, words);
}

/* ---- options ---- */

static natsStatus sign(char **out_error, unsigned char **out, int *out_n, const char *nonce,
                       void *keys) {
    WADI_UNUSED(out_error);
    return nats_Sign(((const wadi_nats_keys *)keys)->seed, nonce, out, out_n);
}

/* The first line of the file. */
static natsStatus set_token(natsOptions *o, const char *path, wadi_status *out_st,
                            wadi_error *err) {
    char *text = NULL;
    size_t n = 0;
    *out_st = wadi_file_read_most(path, WADI_FILE_SECRET, &text, &n, err);
    if (*out_st != WADI_OK) return NATS_OK;
    text[strcspn(text, "\r\n")] = '\0';
    if (*text == '\0') *out_st = wadi_fail(err, WADI_INVALID, "%s: there is no token", path);
    const natsStatus s = *out_st == WADI_OK ? natsOptions_SetToken(o, text) : NATS_OK;
    sodium_memzero(text, n);
    free(text);
    return s;
}

/* The library reads the file by itself, and again whenever it connects: as much as there is, and it does not say of which file it makes no sense. */
static natsStatus set_creds(natsOptions *o, const char *path, wadi_status *out_st,
                            wadi_error *err) {
    char *text = NULL;
    size_t n = 0;
    if (!wadi_file_exists(path)) {
        *out_st = wadi_fail(err, WADI_IO, "%s: there is no such file", path);
        return NATS_OK;
    }
    *out_st = wadi_file_read_most(path, WADI_FILE_SECRET, &text, &n, err);
    if (*out_st != WADI_OK) return NATS_OK;
    sodium_memzero(text, n);
    free(text);
    return natsOptions_SetUserCredentialsFromFiles(o, path, NULL);
}

static natsStatus set_secrets(natsOptions *o, const wadi_jet_address *a, wadi_nats_keys *keys,
                              wadi_status *out_st, wadi_error *err) {
    if (a->token != NULL) return set_token(o, a->token, out_st, err);
    if (a->creds != NULL) return set_creds(o, a->creds, out_st, err);
    if (a->nkey == NULL) return NATS_OK;
    *out_st = wadi_nkey_read(a->nkey, keys, err);
    return *out_st == WADI_OK ? natsOptions_SetNKey(o, keys->public, sign, keys) : NATS_OK;
}

static natsStatus set_tls(natsOptions *o, const wadi_jet_address *a) {
    natsStatus s = natsOptions_SetSecure(o, true);
    if (s == NATS_OK && a->ca != NULL) s = natsOptions_LoadCATrustedCertificates(o, a->ca);
    if (s == NATS_OK && a->cert != NULL) s = natsOptions_LoadCertificatesChain(o, a->cert, a->key);
    if (s == NATS_OK) s = natsOptions_SetExpectedHostname(o, a->host);
    return s;
}

static void on_lost(natsConnection *nc, void *env) {
    WADI_UNUSED(nc);
    const wadi_nats_events *events = env;
    events->lost(events->env);
}

static void on_back(natsConnection *nc, void *env) {
    const wadi_nats_events *events = env;
    events->back(events->env, nc);
}

static void on_closed(natsConnection *nc, void *env) {
    const wadi_nats_events *events = env;
    events->closed(events->env, nc);
}

/* Errors that come beside a call; without a handler the library prints them. What they do is seen by what is not confirmed. */
static void on_error(natsConnection *nc, natsSubscription *sub, natsStatus s, void *env) {
    const wadi_nats_events *events = env;
    natsStatus last = NATS_OK;
    const char *words = nats_GetLastError(&last);
    WADI_UNUSED(nc);
    WADI_UNUSED(sub);
    if (words == NULL || *words == '\0') words = natsStatus_GetText(s);
    if (events != NULL) events->refused(events->env, words);
}

static natsStatus set_options(natsOptions *o, const wadi_jet_address *a,
                              const wadi_nats_events *events) {
    char server[WADI_NATS_SUBJECT];
    wadi_nats_server(a, server);
    natsStatus s = natsOptions_SetURL(o, server);
    if (s == NATS_OK) s = natsOptions_SetTimeout(o, CONNECT_MS);
    if (s == NATS_OK) s = natsOptions_SetMaxReconnect(o, -1);
    if (s == NATS_OK) s = natsOptions_SetReconnectWait(o, RECONNECT_MS);
    if (s == NATS_OK) s = natsOptions_SetReconnectJitter(o, RECONNECT_MS, RECONNECT_MS);
    if (s == NATS_OK) s = natsOptions_SetPingInterval(o, PING_MS);
    if (s == NATS_OK) s = natsOptions_SetMaxPingsOut(o, 2);
    if (s == NATS_OK) s = natsOptions_SetWriteDeadline(o, WRITE_MS);
    if (s == NATS_OK) s = natsOptions_SetFailRequestsOnDisconnect(o, true);
    if (s == NATS_OK) s = natsOptions_SetIgnoreDiscoveredServers(o, true);
    if (s == NATS_OK) s = natsOptions_SetName(o, "wadi");
    if (s == NATS_OK) s = natsOptions_SetErrorHandler(o, on_error, (void *)(uintptr_t)events);
    /* Whoever hears of no events waits for each answer, and what is said is not to wait for more. */
    if (s == NATS_OK && events == NULL) s = natsOptions_SetSendAsap(o, true);
    if (s == NATS_OK && events != NULL) {
        s = natsOptions_SetDisconnectedCB(o, on_lost, (void *)(uintptr_t)events);
        if (s == NATS_OK) s = natsOptions_SetReconnectedCB(o, on_back, (void *)(uintptr_t)events);
        if (s == NATS_OK) s = natsOptions_SetClosedCB(o, on_closed, (void *)(uintptr_t)events);
    }
    if (s == NATS_OK && a->tls) s = set_tls(o, a);
    return s;
}

/* ---- life ---- */

/* libnats (3.4.1) sends no signature that begins with a zero byte, as one of 256 does, and the server refuses whoever sends none. Each attempt signs another word. */
static natsStatus connect_it(natsConnection **out, natsOptions *o, const wadi_jet_address *a) {
    enum { ATTEMPTS = 3 };
    const bool is_signed = a->nkey != NULL || a->creds != NULL;
    natsStatus s = natsConnection_Connect(out, o);
    for (int i = 1; is_signed && s == NATS_CONNECTION_AUTH_FAILED && i < ATTEMPTS; i++)
        s = natsConnection_Connect(out, o);
    return s;
}

wadi_status wadi_nats_connect(const wadi_jet_address *a, const wadi_nats_events *events,
                              wadi_nats_keys *keys, natsConnection **out, wadi_error *err) {
    natsOptions *o = NULL;
    natsConnection *nc = NULL;
    wadi_status st = WADI_OK;
    *keys = (wadi_nats_keys){0};
    wadi_nats_steady();
    (void)pthread_mutex_lock(&lock);
    natsStatus s = natsOptions_Create(&o);
    if (s == NATS_OK) s = set_options(o, a, events);
    if (s == NATS_OK) s = set_secrets(o, a, keys, &st, err);
    if (s == NATS_OK && st == WADI_OK) s = connect_it(&nc, o, a);
    if (s != NATS_OK && st == WADI_OK) st = wadi_nats_fail(a, s, WADI_NATS_UNCONNECTED, err);
    natsOptions_Destroy(o);
    connections += st == WADI_OK;
    if (st != WADI_OK && connections == 0) (void)nats_CloseAndWait(UNLOAD_MS);
    (void)pthread_mutex_unlock(&lock);
    if (st != WADI_OK) wadi_nkey_fini(keys);
    *out = nc;
    return st;
}

void wadi_nats_disconnect(natsConnection *nc, wadi_nats_keys *keys) {
    if (nc != NULL) {
        (void)pthread_mutex_lock(&lock);
        natsConnection_Destroy(nc);
        if (--connections == 0) (void)nats_CloseAndWait(UNLOAD_MS);
        (void)pthread_mutex_unlock(&lock);
    }
    wadi_nkey_fini(keys);
}
