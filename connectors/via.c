/* Workers elsewhere, as the programs of wadi ask for them. */
#include "connectors/via.h"

#include "base/args.h"
#include "base/error.h"

wadi_status wadi_via_workers_take(const char *value, int *out, wadi_error *err) {
    int64_t n = 0;
    if (!wadi_args_number(value, 0, 1000000, &n))
        return wadi_args_bad("--workers", value, "a number of workers", err);
    *out = (int)n;
    return WADI_OK;
}

static wadi_status check(const wadi_via_asked *asked, int *out_workers, wadi_error *err) {
    *out_workers = 0;
    if (asked->workers != NULL) WADI_TRY(wadi_via_workers_take(asked->workers, out_workers, err));
    if ((asked->key == NULL) != (asked->worker_keys == NULL))
        return wadi_fail(err, WADI_INVALID, "--key and --worker-keys must be given together");
    if (asked->address != NULL ||
        (asked->workers == NULL && asked->key == NULL && asked->token == NULL))
        return WADI_OK;
    return wadi_fail(err, WADI_INVALID,
                     "--workers, --key, --token: without --via there are no workers elsewhere");
}

wadi_status wadi_via_check(const wadi_via_asked *asked, wadi_error *err) {
    int workers = 0;
    return check(asked, &workers, err);
}

wadi_status wadi_via_fill(const wadi_via_asked *asked, wadi_via_keys *keys, wadi_run_options *run,
                          wadi_error *err) {
    int workers = 0;
    *keys = (wadi_via_keys){.link = {.bind = true}};
    WADI_TRY(check(asked, &workers, err));
    if (asked->address == NULL) return WADI_OK;
    WADI_TRY(wadi_link_secrets_read(&keys->secrets, asked->key, asked->worker_keys, asked->token,
                                    &keys->link, err));
    run->workers = workers;
    run->via = asked->address;
    run->via_keys = &keys->link;
    return WADI_OK;
}

void wadi_via_keys_fini(wadi_via_keys *keys) {
    wadi_link_secrets_fini(&keys->secrets);
}
