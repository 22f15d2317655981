/* One end of a link: a port with its memory, its id and its keys. */
#include "base/error.h"
#include "base/random.h"
#include "base/wait.h"
#include "connectors/link.h"
#include "connectors/link_keys.h"
#include "sched/run.h"

static const int64_t default_credit_bytes = INT64_C(64) << 20;
static const int64_t default_credit_chunks = 4;
static const int64_t default_lost_ms = 10000;
static const int64_t most_bytes = INT64_C(0x100000000); /* of one chunk */
static const int64_t most_credit = INT64_C(1) << 48;    /* bytes: sums of it are no problem */
static const int64_t most_elements = INT64_C(1) << 32;

void wadi_link_end_close(wadi_link_end *e) {
    wadi_port_close(e->port);
    wadi_buffers_release(e->buffers);
    *e = (wadi_link_end){0};
}

static int64_t or_default(int64_t value, int64_t otherwise) {
    return value > 0 ? value : otherwise;
}

/* Puts keys derived from the token into the options, which then refer to *keys. */
static wadi_status take_token(const char *token, wadi_token_keys *keys, wadi_port_options *port,
                              wadi_error *err) {
    const bool has_keys = port->curve_public != NULL || port->curve_secret != NULL;
    WADI_TRY(wadi_token_keys_for(port->address, token, has_keys, keys, err));
    port->curve_public = port->bind ? keys->bind_public : keys->connect_public;
    port->curve_secret = port->bind ? keys->bind_secret : keys->connect_secret;
    port->curve_server = keys->bind_public;
    port->curve_clients = keys->clients;
    return WADI_OK;
}

static wadi_status open_port(wadi_link_end *e, wadi_port_options *port, const char *token,
                             wadi_error *err) {
    wadi_token_keys keys;
    wadi_status status = WADI_OK;
    if (token != NULL) status = take_token(token, &keys, port, err);
    if (status == WADI_OK) status = wadi_port_open(port, &e->port, err);
    wadi_wipe(&keys, sizeof keys);
    return status;
}

wadi_status wadi_link_end_open(wadi_link_end *e, const char *address,
                               const wadi_link_options *options, bool sends, wadi_error *err) {
    return wadi_link_end_open_shared(e, address, options, sends, NULL, err);
}

wadi_status wadi_link_end_open_shared(wadi_link_end *e, const char *address,
                                      const wadi_link_options *options, bool sends,
                                      const wadi_port_share *share, wadi_error *err) {
    const wadi_link_options none = {0};
    const wadi_link_options *o = options != NULL ? options : &none;
    if (o->note != NULL && (o->note_bytes < 0 || o->note_bytes > WADI_NOTE_BYTES)) {
        return wadi_fail(err, WADI_INVALID, "%s: a note of %lld bytes, at most %d", address,
                         (long long)o->note_bytes, (int)WADI_NOTE_BYTES);
    }
    if (o->credit_bytes > most_credit)
        return wadi_fail(err, WADI_INVALID, "%s: a credit of %lld bytes, at most %lld", address,
                         (long long)o->credit_bytes, (long long)most_credit);
    const int64_t credit =
        or_default(o->credit_bytes, sends ? WADI_LINK_KEPT_BYTES : default_credit_bytes);
    WADI_TRY(wadi_buffers_create(NULL, credit, &e->buffers, err));
    e->credit = credit;
    wadi_port_options port = {
        .address = address,
        .bind = o->bind,
        .sends = sends,
        .credit_bytes = credit,
        .credit_chunks = or_default(o->credit_chunks, default_credit_chunks),
        .lost_after_ns = or_default(o->lost_after_ms, default_lost_ms) * 1000000,
        .first_after_ns = o->first_after_ms * 1000000,
        .owner = sends ? "link sink" : "link source",
        .other = sends ? "receiver" : "sender",
        .wake_fd = -1,
        .buffers = e->buffers,
        .stream = {.id = wadi_random_number(e) >> 1}, /* receivers tell streams apart by it */
        .share = share != NULL ? *share : (wadi_port_share){.on = false},
        .goes_on = sends && o->goes_on,
        .note = sends ? o->note : NULL,
        .note_bytes = o->note_bytes,
        .limits = {.bytes = most_bytes, .elements = most_elements},
        .curve_public = o->curve_public,
        .curve_secret = o->curve_secret,
        .curve_server = o->curve_server,
        .curve_clients = o->curve_clients,
    };
    return open_port(e, &port, o->token, err);
}

/* If no watchdog can be made, the link works without one. */
void wadi_link_end_watch(wadi_link_end *e) {
    if (wadi_waits_create((int64_t)(WADI_WATCHDOG_S * 1e9), &e->waits, NULL) != WADI_OK) return;
    wadi_port_watch(e->port, e->waits);
}

void wadi_link_end_unwatch(wadi_link_end *e) {
    wadi_port_watch(e->port, NULL);
    wadi_waits_destroy(e->waits);
    e->waits = NULL;
}
