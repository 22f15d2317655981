/* Workers elsewhere, as the programs of wadi ask for them. */
#include "connectors/via.h"

#include "base/args.h"
#include "base/error.h"

static wadi_status read_workers(const wadi_via_asked *asked, int *out, wadi_error *err) {
    int64_t n = 0;
    if (asked->workers != NULL && !wadi_args_number(asked->workers, 0, 1000000, &n))
        return wadi_args_bad("--workers", asked->workers, "a number of workers", err);
    *out = (int)n;
    return WADI_OK;
}

wadi_status wadi_via_check(const wadi_via_asked *asked, wadi_error *err) {
    int workers = 0;
    WADI_TRY(read_workers(asked, &workers, err));
    if ((asked->key == NULL) != (asked->worker_keys == NULL))
        return wadi_fail(err, WADI_INVALID, "--key and --worker-keys must be given together");
    if (asked->address != NULL ||
        (asked->workers == NULL && asked->key == NULL && asked->token == NULL))
        return WADI_OK;
    return wadi_fail(err, WADI_INVALID,
                     "--workers, --key, --token: without --via there are no workers elsewhere");
}

wadi_status wadi_via_fill(const wadi_via_asked *asked, wadi_via_keys *keys, wadi_run_options *run,
                          wadi_error *err) {
    *keys = (wadi_via_keys){.link = {.bind = true}};
    WADI_TRY(wadi_via_check(asked, err));
    if (asked->address == NULL) return WADI_OK;
    WADI_TRY(read_workers(asked, &run->workers, err));
    WADI_TRY(wadi_link_secrets_read(&keys->secrets, asked->key, asked->worker_keys, asked->token,
                                    &keys->link, err));
    run->via = asked->address;
    run->via_keys = &keys->link;
    return WADI_OK;
}

void wadi_via_keys_fini(wadi_via_keys *keys) {
    wadi_link_secrets_fini(&keys->secrets);
}
