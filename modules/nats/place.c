/* Connections of sources and sinks to a stream of messages.
 *
 * The first connection must come about at once, and the stream must be there: wadi makes none, since whoever keeps messages decides for how long. Later, a server
 * may be away, or refuse, for `wait` seconds of the address. The library makes lost connections again; one that it has given up is made anew here. */
#include "modules/nats/place.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/task.h"

enum { CALL_MS = 3000, FIRST_CALL_MS = 20000 };
static const int64_t step_most_ns = INT64_C(4000000000); /* a call may take so long */

/* ---- the connection ---- */

static void disconnect(wadi_nats_place *p) {
    natsSubscription_Destroy(p->sub);
    jsCtx_Destroy(p->js);
    wadi_nats_disconnect(p->nc, &p->keys);
    p->sub = NULL;
    p->js = NULL;
    p->nc = NULL;
}

static natsStatus make_inbox(wadi_nats_place *p) {
    char subject[80];
    natsInbox *inbox = NULL;
    natsStatus s = natsInbox_Create(&inbox);
    if (s != NATS_OK) return s;
    (void)snprintf(p->inbox, sizeof p->inbox, "%s", inbox);
    (void)snprintf(subject, sizeof subject, "%s.>", p->inbox);
    natsInbox_Destroy(inbox);
    s = natsConnection_SubscribeSync(&p->sub, p->nc, subject);
    return s == NATS_OK ? natsSubscription_SetPendingLimits(p->sub, -1, -1) : s;
}

static wadi_status connect_it(wadi_nats_place *p, wadi_error *err) {
    sigset_t before;
    jsOptions o;
    wadi_nats_block_signals(&before);
    wadi_status st = wadi_nats_connect(&p->at, NULL, &p->keys, &p->nc, err);
    if (st == WADI_OK) {
        natsStatus s = jsOptions_Init(&o);
        o.Wait = CALL_MS;
        if (s == NATS_OK) s = natsConnection_JetStream(&p->js, p->nc, &o);
        if (s == NATS_OK) s = make_inbox(p);
        if (s != NATS_OK) st = wadi_nats_fail(&p->at, s, "JetStream", err);
        if (s != NATS_OK) disconnect(p);
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    p->reconnects = 0;
    return st;
}

bool wadi_nats_place_connected(wadi_nats_place *p, bool *out_broke) {
    uint64_t reconnects = 0;
    wadi_error err = {0};
    *out_broke = false;
    if (p->nc != NULL && natsConnection_IsClosed(p->nc)) {
        const char *words = NULL;
        (void)natsConnection_GetLastError(p->nc, &words);
        if (words != NULL && *words != '\0')
            wadi_nats_note(p->said, sizeof p->said, words, strlen(words));
        disconnect(p);
    }
    if (p->nc == NULL) {
        *out_broke = true;
        if (connect_it(p, &err) == WADI_OK) return true;
        (void)snprintf(p->said, sizeof p->said, "%.159s", err.msg);
        return false;
    }
    if (natsConnection_GetStats(p->nc, p->counts) == NATS_OK)
        (void)natsStatistics_GetCounts(p->counts, NULL, NULL, NULL, NULL, &reconnects);
    *out_broke = reconnects != p->reconnects;
    p->reconnects = reconnects;
    return natsConnection_Status(p->nc) == NATS_CONN_STATUS_CONNECTED;
}

/* ---- trouble ---- */

void wadi_nats_place_say(wadi_nats_place *p, natsStatus s) {
    const char *words = p->nc != NULL ? NULL : natsStatus_GetText(s);
    if (p->nc != NULL) (void)natsConnection_GetLastError(p->nc, &words);
    if (words == NULL || *words == '\0') words = natsStatus_GetText(s);
    wadi_nats_note(p->said, sizeof p->said, words, strlen(words));
}

void wadi_nats_place_say_reply(wadi_nats_place *p, natsMsg *reply) {
    wadi_nats_note_reply(p->said, sizeof p->said, reply,
                         "nobody takes it; it may have no JetStream");
}

wadi_status wadi_nats_place_check(const wadi_nats_place *p, int wake_fd, wadi_error *err) {
    struct pollfd wake = {.fd = wake_fd, .events = POLLIN};
    if (wake_fd >= 0 && poll(&wake, 1, 0) > 0)
        return wadi_fail(err, WADI_CANCELLED, "the wait for stream %.100s was ended", p->at.stream);
    return wadi_task_check(err);
}

void wadi_nats_place_well(wadi_nats_place *p) {
    p->trouble_ns = p->trouble_to_ns = 0;
    p->said[0] = '\0';
}

/* A process that was stopped has not waited, so a step counts for little, however late it comes. */
wadi_status wadi_nats_place_bear(wadi_nats_place *p, int wake_fd, const char *doing,
                                 wadi_error *err) {
    char server[WADI_NATS_SUBJECT];
    struct pollfd wake = {.fd = wake_fd, .events = POLLIN};
    const int64_t now = wadi_clock_ns(), step = p->trouble_to_ns > 0 ? now - p->trouble_to_ns : 0;
    p->trouble_to_ns = now;
    p->trouble_ns += step < step_most_ns ? step : step_most_ns;
    if (p->trouble_ns < (int64_t)(p->at.wait_s * 1e9)) {
        (void)poll(&wake, wake_fd >= 0, WADI_NATS_SLICE_MS);
        return wadi_nats_place_check(p, wake_fd, err);
    }
    wadi_nats_server(&p->at, server);
    return wadi_fail(err, WADI_IO, "%.80s: %.200s: that has failed for %g s%s%.150s", server, doing,
                     p->at.wait_s, p->said[0] != '\0' ? ": " : "", p->said);
}

/* ---- the stream ---- */

static wadi_status no_stream(const wadi_nats_place *p, wadi_error *err) {
    char server[WADI_NATS_SUBJECT];
    wadi_nats_server(&p->at, server);
    return wadi_fail(err, WADI_IO, "%.100s has no stream \"%.120s\": make it there first", server,
                     p->at.stream);
}

wadi_status wadi_nats_place_ask(wadi_nats_place *p, bool *out_is, wadi_nats_extent *out,
                                wadi_error *err) {
    jsStreamInfo *info = NULL;
    jsErrCode code = 0;
    *out_is = false;
    if (p->js == NULL) return WADI_OK;
    const natsStatus s = js_GetStreamInfo(&info, p->js, p->at.stream, NULL, &code);
    if (s != NATS_OK && code == JSStreamNotFoundErr) return no_stream(p, err);
    if (s != NATS_OK) wadi_nats_place_say(p, s);
    if (s != NATS_OK) return WADI_OK;
    const bool same = info->Created == p->created;
    *out = (wadi_nats_extent){(int64_t)info->State.FirstSeq, (int64_t)info->State.LastSeq};
    if (out->first == 0) out->first = 1; /* nothing was ever there */
    jsStreamInfo_Destroy(info);
    *out_is = true;
    if (same) return WADI_OK;
    return wadi_fail(err, WADI_IO, "stream %.120s was removed meanwhile, and made anew",
                     p->at.stream);
}

wadi_status wadi_nats_place_open(wadi_nats_place *p, wadi_jet_address *at, jsStreamInfo **out_info,
                                 wadi_error *err) {
    jsErrCode code = 0;
    jsOptions first;
    *p = (wadi_nats_place){.at = *at};
    (void)jsOptions_Init(&first);
    first.Wait = FIRST_CALL_MS; /* nothing asks again */
    if (natsStatistics_Create(&p->counts) != NATS_OK)
        return wadi_fail(err, WADI_MEMORY, "out of memory");
    wadi_status st = connect_it(p, err);
    const natsStatus s =
        st == WADI_OK ? js_GetStreamInfo(out_info, p->js, p->at.stream, &first, &code) : NATS_OK;
    if (s != NATS_OK)
        st = code == JSStreamNotFoundErr
                 ? no_stream(p, err)
                 : wadi_nats_js_fail(&p->at, s, code, "asking for the stream", err);
    if (st == WADI_OK) {
        p->created = (*out_info)->Created;
        *at = (wadi_jet_address){0};
        return WADI_OK;
    }
    disconnect(p);
    natsStatistics_Destroy(p->counts);
    *p = (wadi_nats_place){0};
    return st;
}

void wadi_nats_place_close(wadi_nats_place *p) {
    disconnect(p);
    natsStatistics_Destroy(p->counts);
    wadi_jet_address_fini(&p->at);
}
