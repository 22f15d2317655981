/* CURVE keys and tokens from files, so that no secret is on a command line. A key is 40 characters of Z85 on a line of its
 * own, and a token is one line. Empty lines and lines that begin with '#' are skipped. If others may read a secret, the log
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

/* Reads the named files (NULL: none) and puts their contents into the options, which already say which side binds. `own` holds the
 * keys of this side, `others` the public keys of those at the other end, and `token` a token. If neither keys nor a token are named,
 * the environment variable WADI_TOKEN may hold a token. The caller calls fini in any case. Errors: WADI_IO, WADI_INVALID (own without
 * others or others without own, not two keys in own, none in others, a line that is no key or token), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_link_secrets_read(wadi_link_secrets *s, const char *own,
                                                  const char *others, const char *token,
                                                  wadi_link_options *link, wadi_error *err);
void wadi_link_secrets_fini(wadi_link_secrets *s);

/* Makes a pair of keys. Both are written to `path`, which only its owner may read, and the public one to `path`.pub as well. Errors:
 * WADI_INVALID if one of the files exists, WADI_UNSUPPORTED if ZeroMQ was built without CURVE, WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_link_keys_make(const char *path, wadi_error *err);

/* The keys of both sides of a link with a token. */
typedef struct wadi_token_keys {
    char bind_public[41], bind_secret[41], connect_public[41], connect_secret[41];
    const char *clients[2]; /* the public key of the side that connects, ended by NULL */
} wadi_token_keys;

/* Errors: WADI_INVALID (too short or too long), WADI_UNSUPPORTED if ZeroMQ was built without CURVE. */
WADI_NODISCARD wadi_status wadi_token_keys_make(const char *token, wadi_token_keys *out,
                                                wadi_error *err);
/* The same for an address. Within one machine a token keeps out other users, who do not know it. Between machines it is refused: whoever
 * listens on the network could find a token that a person has thought up by trying. Errors, which name the address: also WADI_INVALID (it is not
 * within one machine, or there are keys as well). */
WADI_NODISCARD wadi_status wadi_token_keys_for(const char *address, const char *token,
                                               bool has_keys, wadi_token_keys *out,
                                               wadi_error *err);

/* Overwrites a secret with zeros. The compiler cannot leave this out, as it may with memset before free. */
void wadi_wipe(void *secret, size_t n);

#endif
