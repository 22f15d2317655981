/* The options for links to other processes, which `wadi run` and `wadi check` share. */
#ifndef WADI_CLI_LINKS_H
#define WADI_CLI_LINKS_H

#include "connectors/connectors.h"
#include "connectors/link_keys.h"
#include "wadi/stream.h"

/* All zero: no option was given. */
typedef struct wadi_cli_links {
    const char *key, *senders, *receiver, *token; /* files; NULL: none */
    const char *workers, *home;                   /* likewise, of the other end of a work queue */
    double wait_s;                                /* 0: the default */
    bool goes_on;                                 /* the run is saved */
    int64_t memory; /* of the run: links may hold a part of it; 0: the default of links */
    int count;      /* how many links share that; 0: one */
} wadi_cli_links;

/* Whether there is something that the options are for: so many sources and sinks over links, or workers elsewhere. Else they would say
 * nothing, and whoever gave them believes that keys protect a stream. Errors: WADI_INVALID, which names the option. */
WADI_NODISCARD wadi_status wadi_cli_links_check(const wadi_cli_links *l, int links,
                                                bool has_workers, wadi_error *err);

/* Lines about them for --help. */
#define WADI_CLI_LINKS_HELP                                                                        \
    "  --wait SECONDS     how long to wait for the other end of a link, also for a lost one that " \
    "may come back; default 10\n"                                                                  \
    "  --key FILE         own CURVE keys, public and secret, one in a line; wadi-vis-send "        \
    "--new-key makes them\n"                                                                       \
    "  --senders FILE     public keys of those whose streams are read, one in a line\n"            \
    "  --receiver FILE    the public key of the receiver of what is sent\n"                        \
    "  --token FILE       a secret that both ends know, instead of keys within one machine;\n"     \
    "                     default: the environment variable WADI_TOKEN\n"

/* Opens a link to another process. l may be NULL. parts, part: what the program declares its elements to be. */
WADI_NODISCARD wadi_status wadi_cli_link_source(const wadi_cli_links *l, const char *address,
                                                wadi_place_end end, int parts,
                                                const wadi_part *part, wadi_source **out,
                                                wadi_error *err);
WADI_NODISCARD wadi_status wadi_cli_link_sink(const wadi_cli_links *l, const char *address,
                                              wadi_place_end end, wadi_sink **out, wadi_error *err);

/* Reads the keys or the token of one end of a work queue into *link, which borrows from *secrets. The caller calls wadi_link_secrets_fini in
 * any case. */
WADI_NODISCARD wadi_status wadi_cli_link_work(const wadi_cli_links *l, bool home,
                                              wadi_link_secrets *secrets, wadi_link_options *link,
                                              wadi_error *err);

#endif
