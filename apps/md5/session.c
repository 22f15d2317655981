/* See the header. */
#include "apps/md5/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"

static const char title[] = "wadi-md5 session 1";

/* ---- what identifies the attack ---- */

static wadi_status describe(const md5_subject *s, wadi_text *t, wadi_error *err) {
    uint8_t sum[32];
    char hex[65];
    WADI_TRY(wadi_sha256(s->targets->digest, s->targets->n * MD5_DIGEST, sum)
                 ? wadi_fail(err, WADI_UNSUPPORTED, "SHA-256 is not available")
                 : WADI_OK);
    wadi_hex(sum, sizeof sum, hex);
    wadi_text_addf(t, "%s\ndigests %s\n", title, hex);
    for (int i = 0; i < s->n; i++)
        wadi_text_addf(t, "dictionary %lld %s\n", (long long)md5_input_size(s->in, i), s->paths[i]);
    return t->failed ? wadi_fail(err, WADI_MEMORY, "session: out of memory") : WADI_OK;
}

wadi_status md5_session_save(const char *path, const md5_subject *s, md5_place place,
                             wadi_error *err) {
    wadi_text t = {0};
    wadi_status status = describe(s, &t, err);
    wadi_text_addf(&t, "place %d %lld %lld\n", place.file, (long long)place.offset,
                   (long long)place.words);
    for (size_t i = 0; i < s->targets->n; i++) {
        char hex[2 * MD5_DIGEST + 1];
        if (!s->targets->found[i]) continue;
        wadi_hex(s->targets->digest[i], MD5_DIGEST, hex);
        wadi_text_addf(&t, "found %s\n", hex);
    }
    if (status == WADI_OK && t.failed)
        status = wadi_fail(err, WADI_MEMORY, "session: out of memory");
    if (status == WADI_OK) status = wadi_file_write(path, wadi_text_str(&t), t.n, 0600, err);
    wadi_text_fini(&t);
    return status;
}

/* ---- loading ---- */

typedef struct loading {
    const char *path, *at;
    int line;
} loading;

static wadi_status bad(const loading *l, const char *what, wadi_error *err) {
    return wadi_fail(err, WADI_INVALID, "%s, line %d: %s", l->path, l->line, what);
}

/* The lines that identify the attack must be the very same. */
static wadi_status compare(loading *l, const char *want, wadi_error *err) {
    while (*want != '\0') {
        const size_t n = strcspn(want, "\n") + 1;
        if (strncmp(l->at, want, n) != 0) {
            return bad(l,
                       l->line == 1   ? "this is no session of wadi-md5"
                       : l->line == 2 ? "the session is about other digests"
                                      : "the session is about other dictionaries",
                       err);
        }
        l->at += n;
        want += n;
        l->line++;
    }
    return WADI_OK;
}

static wadi_status take_place(loading *l, const md5_subject *s, md5_place *out, wadi_error *err) {
    long long offset = 0, words = 0;
    int file = 0, used = 0;
    if (sscanf(l->at, "place %d %lld %lld\n%n", &file, &offset, &words, &used) != 3 || used == 0 ||
        file < 0 || file > s->n || offset < 0 || words < 0)
        return bad(l, "expected \"place FILE OFFSET WORDS\"", err);
    *out = (md5_place){file, offset, words};
    l->at += used;
    l->line++;
    return WADI_OK;
}

static wadi_status take_found(loading *l, md5_targets *t, wadi_error *err) {
    uint8_t digest[MD5_DIGEST];
    const size_t n = strcspn(l->at, "\n");
    const bool ok = n == 6 + 2 * MD5_DIGEST && strncmp(l->at, "found ", 6) == 0 &&
                    md5_digest_read(l->at + 6, 2 * MD5_DIGEST, digest);
    const int64_t i = ok ? md5_targets_find(t, digest) : -1;
    if (i < 0) return bad(l, "expected \"found DIGEST\" with a wanted digest", err);
    if (!t->found[i]) t->nfound++;
    t->found[i] = true;
    l->at += n + (l->at[n] == '\n');
    l->line++;
    return WADI_OK;
}

static wadi_status load(loading *l, const md5_subject *s, md5_place *out, wadi_error *err) {
    wadi_text same = {0};
    wadi_status status = describe(s, &same, err);
    if (status == WADI_OK) status = compare(l, wadi_text_str(&same), err);
    wadi_text_fini(&same);
    if (status == WADI_OK) status = take_place(l, s, out, err);
    while (status == WADI_OK && *l->at != '\0') status = take_found(l, s->targets, err);
    return status;
}

wadi_status md5_session_load(const char *path, const md5_subject *s, md5_place *out_place,
                             wadi_error *err) {
    char *text = NULL;
    size_t n = 0;
    *out_place = (md5_place){0};
    if (!wadi_file_exists(path)) return WADI_OK;
    WADI_TRY(wadi_file_read(path, &text, &n, err));
    loading l = {path, text, 1};
    const wadi_status status = load(&l, s, out_place, err);
    free(text);
    return status;
}
