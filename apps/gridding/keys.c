/* See the header. */
#include "apps/gridding/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

enum { KEY = 40 };

typedef WADI_VEC(char *) lines;

static wadi_status add_line(const char *path, const char *line, size_t n, lines *out,
                            wadi_error *err) {
    while (n > 0 && strchr(" \t\r", line[n - 1]) != NULL) n--;
    if (n == 0 || line[0] == '#') return WADI_OK;
    if (n != KEY)
        return wadi_fail(err, WADI_INVALID, "%s: a key has %d characters, not %zu", path, (int)KEY,
                         n);
    char *key = malloc(KEY + 1);
    if (key == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    memcpy(key, line, KEY);
    key[KEY] = '\0';
    if (wadi_vec_push(out, key)) return WADI_OK;
    free(key);
    return wadi_fail(err, WADI_MEMORY, "out of memory");
}

static wadi_status add_lines(const char *path, const char *text, lines *out, wadi_error *err) {
    while (*text != '\0') {
        const size_t n = strcspn(text, "\n");
        WADI_TRY(add_line(path, text, n, out, err));
        text += n + (text[n] == '\n');
    }
    return WADI_OK;
}

static wadi_status read_keys(const char *path, void *out, wadi_error *err) {
    char *text = NULL;
    size_t n = 0;
    WADI_TRY(wadi_file_read(path, &text, &n, err));
    const wadi_status status = add_lines(path, text, out, err);
    memset(text, 0, n);
    free(text);
    return status;
}

wadi_status grid_keys_read(grid_keys *k, const char *own, const char *others, wadi_error *err) {
    WADI_TRY(read_keys(own, &k->own, err));
    if (k->own.n != 2)
        return wadi_fail(err, WADI_INVALID, "%s: a public and a secret key are wanted, not %zu",
                         own, k->own.n);
    WADI_TRY(read_keys(others, &k->others, err));
    if (k->others.n == 0) return wadi_fail(err, WADI_INVALID, "%s: no key in it", others);
    if (wadi_vec_push(&k->others, NULL)) return WADI_OK;
    return wadi_fail(err, WADI_MEMORY, "out of memory");
}

void grid_keys_fini(grid_keys *k) {
    for (size_t i = 0; i < k->own.n; i++) free(k->own.at[i]);
    for (size_t i = 0; i < k->others.n; i++) free(k->others.at[i]);
    wadi_vec_free(&k->own);
    wadi_vec_free(&k->others);
}

void grid_keys_receive(const grid_keys *k, wadi_link_options *link) {
    if (k->own.n < 2 || k->others.n < 2) return;
    link->curve_public = k->own.at[0];
    link->curve_secret = k->own.at[1];
    link->curve_clients = (const char *const *)k->others.at;
}

void grid_keys_send(const grid_keys *k, wadi_link_options *link) {
    if (k->own.n < 2 || k->others.n < 2) return;
    link->curve_public = k->own.at[0];
    link->curve_secret = k->own.at[1];
    link->curve_server = k->others.at[0];
}

static wadi_status write_pair(const char *path, const char *public_path, wadi_error *err) {
    char public_key[KEY + 1], secret_key[KEY + 1], text[512];
    if (wadi_file_exists(path) || wadi_file_exists(public_path))
        return wadi_fail(err, WADI_INVALID, "%s: there is such a key already", path);
    if (zmq_curve_keypair(public_key, secret_key) != 0)
        return wadi_fail(err, WADI_UNSUPPORTED, "this ZeroMQ was built without CURVE");
    int n =
        snprintf(text, sizeof text, "# CURVE keys, public and secret: not to be shown\n%s\n%s\n",
                 public_key, secret_key);
    WADI_TRY(wadi_file_write(path, text, (size_t)n, 0600, err));
    n = snprintf(text, sizeof text, "%s\n", public_key);
    return wadi_file_write(public_path, text, (size_t)n, 0644, err);
}

wadi_status grid_keys_make(const char *path, wadi_error *err) {
    wadi_text public_path = {0};
    wadi_text_addf(&public_path, "%s.pub", path);
    const wadi_status status = public_path.failed
                                   ? wadi_fail(err, WADI_MEMORY, "out of memory")
                                   : write_pair(path, wadi_text_str(&public_path), err);
    wadi_text_fini(&public_path);
    return status;
}
