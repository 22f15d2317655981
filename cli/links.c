/* The options of `wadi run` and `wadi check` for links to other processes. */
#include "cli/links.h"

#include "base/error.h"

wadi_status wadi_cli_links_check(const wadi_cli_links *l, int links, bool has_workers,
                                 wadi_error *err) {
    const bool has_links = links > 0;
    const struct {
        const char *given, *option;
        bool is_of_use;
    } options[] = {{l->workers, "--worker-keys", has_workers},
                   {l->senders, "--senders", has_links},
                   {l->receiver, "--receiver", has_links},
                   {l->key, "--key", has_links || has_workers},
                   {l->token, "--token", has_links || has_workers}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].given && !options[i].is_of_use)
            return wadi_fail(err, WADI_INVALID, "%s: %s", options[i].option,
                             i == 0 ? "without --via, there are no workers"
                                    : "nothing is read or sent over tcp:// or ipc://");
    return WADI_OK;
}

/* A fourth of the memory may be on its way over all links, unless that is more than they take by themselves. */
static int64_t credit_of(const wadi_cli_links *l, int64_t usual) {
    const int64_t part = l != NULL ? l->memory / 4 / (l->count > 1 ? l->count : 1) : 0;
    return part > 0 && part < usual ? part : 0;
}

/* Reads the files that the options name. --key needs the option for the keys of the other side, and the other way round. */
static wadi_status options_of(const wadi_cli_links *l, const char *others, const char *option,
                              wadi_link_secrets *secrets, wadi_link_options *link,
                              wadi_error *err) {
    if (l == NULL) return wadi_link_secrets_read(secrets, NULL, NULL, NULL, link, err);
    if ((l->key == NULL) != (others == NULL))
        return wadi_fail(err, WADI_INVALID, "--key and %s must be given together", option);
    link->first_after_ms = link->lost_after_ms = (int64_t)(l->wait_s * 1000);
    link->goes_on = l->goes_on;
    return wadi_link_secrets_read(secrets, l->key, others, l->token, link, err);
}

wadi_status wadi_cli_link_source(const wadi_cli_links *l, const char *address, wadi_place_end end,
                                 int parts, const wadi_part *part, wadi_source **out,
                                 wadi_error *err) {
    wadi_link_secrets secrets = {0};
    wadi_link_options link = {.bind = end.bind,
                              .shared = end.shared,
                              .parts = parts,
                              .part = part,
                              .credit_bytes = credit_of(l, INT64_C(64) << 20)};
    const char *senders = l != NULL ? l->senders : NULL;
    wadi_status status = options_of(l, senders, "--senders", &secrets, &link, err);
    if (status == WADI_OK) status = wadi_source_link(address, &link, out, err);
    wadi_link_secrets_fini(&secrets);
    return status;
}

wadi_status wadi_cli_link_sink(const wadi_cli_links *l, const char *address, wadi_place_end end,
                               wadi_sink **out, wadi_error *err) {
    wadi_link_secrets secrets = {0};
    wadi_link_options link = {
        .bind = end.bind, .shared = end.shared, .credit_bytes = credit_of(l, INT64_C(256) << 20)};
    const char *receiver = l != NULL ? l->receiver : NULL;
    wadi_status status = options_of(l, receiver, "--receiver", &secrets, &link, err);
    if (status == WADI_OK) status = wadi_sink_link(address, &link, out, err);
    wadi_link_secrets_fini(&secrets);
    return status;
}

wadi_status wadi_cli_link_work(const wadi_cli_links *l, bool home, wadi_link_secrets *secrets,
                               wadi_link_options *link, wadi_error *err) {
    *link = (wadi_link_options){.bind = home};
    return options_of(l, home ? l->workers : l->home, home ? "--worker-keys" : "--home", secrets,
                      link, err);
}
