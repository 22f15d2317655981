/* Keys for work queues. */
#include "connectors/work.h"

#include "base/error.h"
#include "connectors/link_keys.h"

static wadi_status open_by_token(wadi_workq_options *q, const char *token, wadi_workq **out,
                                 wadi_error *err) {
    wadi_token_keys keys;
    const bool has_keys = q->curve_public != NULL || q->curve_secret != NULL;
    wadi_status status = wadi_token_keys_for(q->address, token, has_keys, &keys, err);
    if (status == WADI_OK) {
        q->curve_public = q->home ? keys.bind_public : keys.connect_public;
        q->curve_secret = q->home ? keys.bind_secret : keys.connect_secret;
        q->curve_server = keys.bind_public;
        q->curve_clients = keys.clients;
        status = wadi_way_open(q, out, err);
    }
    wadi_wipe(&keys, sizeof keys);
    return status;
}

wadi_status wadi_link_work_open(const wadi_workq_options *queue, const wadi_link_options *keys,
                                wadi_workq **out, wadi_error *err) {
    wadi_workq_options q = *queue;
    if (keys == NULL) return wadi_way_open(&q, out, err);
    q.curve_public = keys->curve_public;
    q.curve_secret = keys->curve_secret;
    q.curve_server = keys->curve_server;
    q.curve_clients = keys->curve_clients;
    return keys->token != NULL ? open_by_token(&q, keys->token, out, err)
                               : wadi_way_open(&q, out, err);
}
