/* CURVE keys and tokens from files, so that no secret is on a command line. A key is 40 characters of Z85 on a line of its
 * own, and a token is a line. Empty lines and lines that begin with '#' are skipped. If others may read a secret, the log
 * warns.
 *
 * A token is known to both ends of a link and to nobody else. Two pairs of keys are derived from it, one for the side that
 * binds and one for the side that connects. So a link with a token is a link with keys. */
#ifndef WADI_CONNECTORS_LINK_KEYS_H
#define WADI_CONNECTORS_LINK_KEYS_H

#include "base/vec.h"
#include "wadi/stream.h"

enum { WADI_TOKEN_LEAST = 16, WADI_TOKEN_MOST = 1024 /* bytes of a token */ };

/* What a link's options borrow. */
typedef struct wadi_link_secrets {
    WADI_VEC(char *) own;    /* public, secret */
    WADI_VEC(char *) others; /* public keys of those at the other end, ended by NULL */
    char *token;
} wadi_link_secrets;

/* Reads what is named (NULL: nothing) and puts it into the options, which say already which side binds: `own` the side's keys, `others`
 * the public keys of those at the other end, `token` a token; where neither keys nor a token are named, the
 * environment may hold one, WADI_TOKEN. fini is due in any case. Errors: WADI_IO, WADI_INVALID (one
 * list of keys without the other, no two keys in own, none in others, a line that is no key or token), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_link_secrets_read(wadi_link_secrets *s, const char *own,
                                                  const char *others, const char *token,
                                                  wadi_link_options *link, wadi_error *err);
void wadi_link_secrets_fini(wadi_link_secrets *s);

/* Makes a pair: both keys in `path`, for its owner alone, the public one in `path`.pub as well. Errors: WADI_INVALID where there is
 * such a file, WADI_UNSUPPORTED where ZeroMQ was built without CURVE, WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_link_keys_make(const char *path, wadi_error *err);

/* The keys of both sides of a link with a token. */
typedef struct wadi_token_keys {
    char bind_public[41], bind_secret[41], connect_public[41], connect_secret[41];
} wadi_token_keys;

/* Errors: WADI_INVALID (too short or too long), WADI_UNSUPPORTED where ZeroMQ was built without CURVE. */
WADI_NODISCARD wadi_status wadi_token_keys_make(const char *token, wadi_token_keys *out,
                                                wadi_error *err);

/* Overwrites a secret that is not needed any more, whatever the compiler thinks of it. */
void wadi_wipe(void *secret, size_t n);

#endif
