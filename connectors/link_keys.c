/* Reading keys and tokens from files, and checking them. */
#include "connectors/link_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/outfile.h"
#include "base/text.h"
#include "sched/transport/transport.h"
#include "sched/transport/zmq/curve.h"

enum { KEY = 40 };

typedef WADI_VEC(char *) lines;

void wadi_wipe(void *secret, size_t n) {
    volatile unsigned char *at = secret;
    while (n > 0) at[--n] = 0;
}

/* ---- files of lines ---- */

static void free_line(char *owned_line) {
    if (owned_line != NULL) wadi_wipe(owned_line, strlen(owned_line));
    free(owned_line);
}

static void free_lines(void *them) {
    lines *l = them;
    for (size_t i = 0; i < l->n; i++) free_line(l->at[i]);
    wadi_vec_free(l);
}

static wadi_status add_line(const char *line, size_t n, lines *out, wadi_error *err) {
    while (n > 0 && strchr(" \t\r", line[n - 1]) != NULL) n--;
    if (n == 0 || line[0] == '#') return WADI_OK;
    char *copy = malloc(n + 1);
    if (copy == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    memcpy(copy, line, n);
    copy[n] = '\0';
    if (wadi_vec_push(out, copy)) return WADI_OK;
    free_line(copy);
    return wadi_fail(err, WADI_MEMORY, "out of memory");
}

static wadi_status add_lines(const char *text, lines *out, wadi_error *err) {
    while (*text != '\0') {
        const size_t n = strcspn(text, "\n");
        WADI_TRY(add_line(text, n, out, err));
        text += n + (text[n] == '\n');
    }
    return WADI_OK;
}

static wadi_status read_lines(const char *path, lines *out, wadi_error *err) {
    char *text = NULL;
    size_t n = 0;
    WADI_TRY(wadi_file_read_most(path, WADI_FILE_TEXT, &text, &n, err));
    const wadi_status status = add_lines(text, out, err);
    wadi_wipe(text, n);
    free(text);
    return status;
}

/* Warns if others than the owner may read a secret. */
static void look_at_mode(const char *path) {
    struct stat s;
    if (stat(path, &s) == 0 && S_ISREG(s.st_mode) && (s.st_mode & 077) != 0)
        wadi_logf(WADI_LOG_WARNING, "%s: others may read this secret (mode %03o): chmod 600 %s",
                  path, (unsigned)(s.st_mode & 0777), path);
}

/* ---- keys ---- */

static wadi_status read_keys(const char *path, void *out, wadi_error *err) {
    lines *keys = out;
    WADI_TRY(read_lines(path, keys, err));
    for (size_t i = 0; i < keys->n; i++) {
        const size_t n = strlen(keys->at[i]);
        if (n != KEY)
            return wadi_fail(err, WADI_INVALID,
                             "%s: expected keys of %d characters, found a line of %zu", path,
                             (int)KEY, n);
    }
    return WADI_OK;
}

static wadi_status read_pair(wadi_link_secrets *s, const char *own, const char *others,
                             wadi_error *err) {
    WADI_TRY(read_keys(own, &s->own, err));
    if (s->own.n != 2)
        return wadi_fail(err, WADI_INVALID,
                         "%s: expected a public and a secret key, found %zu keys", own, s->own.n);
    look_at_mode(own);
    WADI_TRY(read_keys(others, &s->others, err));
    if (s->others.n == 0)
        return wadi_fail(err, WADI_INVALID, "%s: expected public keys, found none", others);
    if (wadi_vec_push(&s->others, NULL)) return WADI_OK;
    return wadi_fail(err, WADI_MEMORY, "out of memory");
}

static wadi_status write_pair(const char *path, const char *public_path, wadi_error *err) {
    char public_key[KEY + 1], secret_key[KEY + 1], text[512];
    const wadi_outfile_options secret = {.mode = 0600, .only_new = true, .sync = WADI_SYNC_ALWAYS},
                               open = {.mode = 0644, .only_new = true, .sync = WADI_SYNC_ALWAYS};
    if (wadi_file_exists(path) || wadi_file_exists(public_path))
        return wadi_fail(err, WADI_INVALID, "%s: a key of this name exists already", path);
    if (!wadi_curve_pair_new(public_key, secret_key))
        return wadi_fail(err, WADI_UNSUPPORTED, "this ZeroMQ was built without CURVE");
    int n =
        snprintf(text, sizeof text, "# CURVE keys, public and secret: not to be shown\n%s\n%s\n",
                 public_key, secret_key);
    WADI_TRY(wadi_outfile_put(path, text, (size_t)n, &secret, err));
    n = snprintf(text, sizeof text, "%s\n", public_key);
    return wadi_outfile_put(public_path, text, (size_t)n, &open, err);
}

wadi_status wadi_link_keys_make(const char *path, wadi_error *err) {
    wadi_text public_path = {0};
    wadi_text_addf(&public_path, "%s.pub", path);
    const wadi_status status = public_path.failed
                                   ? wadi_fail(err, WADI_MEMORY, "out of memory")
                                   : write_pair(path, wadi_text_str(&public_path), err);
    wadi_text_fini(&public_path);
    return status;
}

/* ---- tokens ---- */

static wadi_status check_token(const char *token, wadi_error *err) {
    const size_t n = strlen(token);
    if (n >= WADI_TOKEN_LEAST && n <= WADI_TOKEN_MOST) return WADI_OK;
    return wadi_fail(err, WADI_INVALID, "a token has %d to %d bytes, not %zu",
                     (int)WADI_TOKEN_LEAST, (int)WADI_TOKEN_MOST, n);
}

static wadi_status read_token(wadi_link_secrets *s, const char *path, wadi_error *err) {
    lines all = {0};
    wadi_error why = {.status = WADI_OK};
    wadi_status status = read_lines(path, &all, err);
    if (status == WADI_OK && all.n != 1)
        status = wadi_fail(err, WADI_INVALID, "%s: expected one line with a token, found %zu lines",
                           path, all.n);
    if (status == WADI_OK && check_token(all.at[0], &why) != WADI_OK)
        status = wadi_fail(err, WADI_INVALID, "%s: %s", path, why.msg);
    if (status == WADI_OK) {
        look_at_mode(path);
        s->token = wadi_vec_pop(&all);
    }
    free_lines(&all);
    return status;
}

/* The secret key is the digest of three texts: a label and a zero byte, the side and a zero byte, the token. */
static wadi_status make_pair(const char *side, const char *token, char public_key[KEY + 1],
                             char secret_key[KEY + 1], wadi_error *err) {
    char text[64 + WADI_TOKEN_MOST];
    uint8_t digest[32];
    const int head = snprintf(text, sizeof text, "wadi link token%c%s%c", 0, side, 0);
    const size_t n = strlen(token);
    memcpy(text + head, token, n);
    wadi_status status = wadi_sha256(text, (size_t)head + n, digest);
    if (status != WADI_OK) (void)wadi_fail(err, status, "no SHA-256 for a token");
    if (status == WADI_OK && !wadi_curve_pair_of(digest, public_key, secret_key))
        status = wadi_fail(err, WADI_UNSUPPORTED,
                           "this ZeroMQ was built without CURVE, which a token needs");
    wadi_wipe(text, sizeof text);
    wadi_wipe(digest, sizeof digest);
    return status;
}

wadi_status wadi_token_keys_make(const char *token, wadi_token_keys *out, wadi_error *err) {
    WADI_TRY(check_token(token, err));
    WADI_TRY(make_pair("bind", token, out->bind_public, out->bind_secret, err));
    out->clients[0] = out->connect_public;
    out->clients[1] = NULL;
    return make_pair("connect", token, out->connect_public, out->connect_secret, err);
}

wadi_status wadi_token_keys_for(const char *address, const char *token, bool has_keys,
                                wadi_token_keys *out, wadi_error *err) {
    wadi_error why = {.status = WADI_OK};
    if (has_keys)
        return wadi_fail(err, WADI_INVALID, "%s: has both keys and a token, expected one of them",
                         address);
    if (!wadi_address_is_local(address))
        return wadi_fail(err, WADI_INVALID,
                         "%s: a token serves only within one machine (ipc:// and loopback "
                         "addresses); other addresses need keys",
                         address);
    const wadi_status status = wadi_token_keys_make(token, out, &why);
    return status == WADI_OK ? WADI_OK : wadi_fail(err, status, "%s: %s", address, why.msg);
}

/* ---- both ---- */

wadi_status wadi_link_secrets_read(wadi_link_secrets *s, const char *own, const char *others,
                                   const char *token, wadi_link_options *link, wadi_error *err) {
    if ((own == NULL) != (others == NULL))
        return wadi_fail(err, WADI_INVALID,
                         "%s: own keys and the keys of the other side must be given together",
                         own != NULL ? own : others);
    if (own != NULL) {
        WADI_TRY(read_pair(s, own, others, err));
        link->curve_public = s->own.at[0];
        link->curve_secret = s->own.at[1];
        if (link->bind)
            link->curve_clients = (const char *const *)s->others.at;
        else
            link->curve_server = s->others.at[0];
    }
    const char *environment = getenv("WADI_TOKEN");
    if (token != NULL) {
        WADI_TRY(read_token(s, token, err));
        link->token = s->token;
    } else if (own == NULL && environment != NULL && environment[0] != '\0') {
        link->token = environment;
    }
    return WADI_OK;
}

void wadi_link_secrets_fini(wadi_link_secrets *s) {
    free_lines(&s->own);
    free_lines(&s->others);
    free_line(s->token);
    s->token = NULL;
}
