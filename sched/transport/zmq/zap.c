/* One authenticator per context, in a thread of its own. libzmq looks for it under a fixed name, so one context serves one
 * binding port with keys. Connectors that bind have a context of their own. */
#include "sched/transport/zmq/zap.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/thread.h"
#include "sched/transport/zmq/library.h"

static const char DOMAIN[] = "wadi";

enum { KEY_BYTES = 32, FRAME_BYTES = 256, REQUEST_FRAMES = 7 };

typedef struct authenticator {
    void *socket;
    size_t keys;
    uint8_t key[][KEY_BYTES];
} authenticator;

/* Compares in a time that depends neither on how much of a key is right nor on which key it is. */
static bool admits(const authenticator *a, const uint8_t *key) {
    unsigned found = 0;
    for (size_t i = 0; i < a->keys; i++) {
        unsigned differs = 0;
        for (int k = 0; k < KEY_BYTES; k++) differs |= (unsigned)(a->key[i][k] ^ key[k]);
        found |= (differs - 1) >> 31;
    }
    return found != 0;
}

static void answer(const authenticator *a, const char *request_id, bool admit) {
    const char *const frames[] = {
        "1.0", request_id, admit ? "200" : "400", admit ? "OK" : "this key is not admitted",
        "",    ""};
    const size_t n = sizeof frames / sizeof frames[0];
    for (size_t i = 0; i < n; i++) {
        (void)wadi_zmq.send(a->socket, frames[i], strlen(frames[i]), i + 1 < n ? ZMQ_SNDMORE : 0);
    }
}

/* version, request id, domain, address, identity, mechanism, key */
static bool serve(const authenticator *a) {
    char id[FRAME_BYTES] = "", domain[FRAME_BYTES] = "", mechanism[FRAME_BYTES] = "";
    char frame[FRAME_BYTES];
    uint8_t key[KEY_BYTES] = {0};
    bool has_key = false;
    int more = 1;
    for (int i = 0; more != 0; i++) {
        const int n = wadi_zmq.recv(a->socket, frame, sizeof frame - 1, 0);
        if (n < 0) return errno == EINTR;
        frame[n < FRAME_BYTES ? n : FRAME_BYTES - 1] = '\0';
        if (i == 1) memcpy(id, frame, sizeof id);
        if (i == 2) memcpy(domain, frame, sizeof domain);
        if (i == 5) memcpy(mechanism, frame, sizeof mechanism);
        if (i == REQUEST_FRAMES - 1 && n == KEY_BYTES) {
            memcpy(key, frame, sizeof key);
            has_key = true;
        }
        size_t size = sizeof more;
        if (wadi_zmq.getsockopt(a->socket, ZMQ_RCVMORE, &more, &size) != 0) return false;
    }
    answer(a, id,
           has_key && strcmp(domain, DOMAIN) == 0 && strcmp(mechanism, "CURVE") == 0 &&
               admits(a, key));
    return true;
}

/* Ends when the context does. */
static void *run(void *env) {
    authenticator *a = env;
    while (serve(a)) {
    }
    (void)wadi_zmq.close(a->socket);
    free(a);
    return NULL;
}

static wadi_status read_keys(authenticator *a, const char *const *keys, wadi_error *err) {
    for (size_t i = 0; i < a->keys; i++) {
        if (strlen(keys[i]) != 40 || wadi_zmq.z85_decode(a->key[i], keys[i]) == NULL) {
            return wadi_fail(err, WADI_INVALID, "client key %zu is not a key", i + 1);
        }
    }
    return WADI_OK;
}

static wadi_status start(void *context, authenticator *a, wadi_error *err) {
    a->socket = wadi_zmq.socket(context, ZMQ_REP);
    if (a->socket == NULL || wadi_zmq.bind(a->socket, "inproc://zeromq.zap.01") != 0) {
        return wadi_fail(err, WADI_IO, "authenticator: %s", wadi_zmq.strerror(errno));
    }
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, a) != 0) {
        return wadi_fail(err, WADI_MEMORY, "authenticator: no thread");
    }
    (void)pthread_detach(thread); /* zmq_ctx_term waits for its socket to close */
    return WADI_OK;
}

wadi_status wadi_zap_admit(void *context, const char *const *keys, char *out_domain, size_t room,
                           wadi_error *err) {
    WADI_TRY(wadi_zmq_open(err));
    size_t n = 0;
    while (keys[n] != NULL) n++;
    authenticator *a = calloc(1, sizeof *a + n * sizeof a->key[0]);
    if (a == NULL) return wadi_fail(err, WADI_MEMORY, "authenticator: out of memory");
    a->keys = n;
    wadi_status status = read_keys(a, keys, err);
    if (status == WADI_OK) status = start(context, a, err);
    if (status != WADI_OK) {
        if (a->socket != NULL) (void)wadi_zmq.close(a->socket);
        free(a);
        return status;
    }
    (void)snprintf(out_domain, room, "%s", DOMAIN);
    return WADI_OK;
}
