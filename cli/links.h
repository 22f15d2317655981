/* The options for links to other processes, which `wadi run` and `wadi check` share. */
#ifndef WADI_CLI_LINKS_H
#define WADI_CLI_LINKS_H

#include "wadi/stream.h"

/* All zero: nothing was said. */
typedef struct wadi_cli_links {
    const char *key, *senders, *receiver, *token; /* files; NULL: none */
    double wait_s;                                /* 0: the usual */
} wadi_cli_links;

/* Lines about them for --help. */
#define WADI_CLI_LINKS_HELP                                                               \
    "  --wait SECONDS     how long the other end of a link may take to be there; 10\n"    \
    "  --key FILE         own CURVE keys, public and secret, a line each: wadi-vis-send " \
    "--new-key\n"                                                                         \
    "  --senders FILE     public keys of those whose streams are read, one a line\n"      \
    "  --receiver FILE    the public key of whoever reads what is sent\n"                 \
    "  --token FILE       instead of keys on one machine: what both ends know; else WADI_TOKEN\n"

/* A link to another process. l may be NULL. */
WADI_NODISCARD wadi_status wadi_cli_link_source(const wadi_cli_links *l, const char *address,
                                                wadi_source **out, wadi_error *err);
WADI_NODISCARD wadi_status wadi_cli_link_sink(const wadi_cli_links *l, const char *address,
                                              wadi_sink **out, wadi_error *err);

#endif
