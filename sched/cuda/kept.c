/* An entry stands beside those of kernels, under a name of the same form, and goes with them when there are too many. Its name is the digest of
 * all that decides the code. Behind the code stands the digest of name and code: an entry that is not whole is made anew. */
#include "sched/cuda/kept.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/nvrtc.h"
#include "base/outfile.h"
#include "base/text.h"
#include "base/user_cache.h"

enum { DIGEST = 32, KEY = 2 * DIGEST, PATH_ROOM = 1024 };

typedef struct entry {
    char key[KEY + 1];
    char path[PATH_ROOM]; /* "": nothing can be kept */
} entry;

static bool digest(const char *key, const char *code, size_t n, uint8_t out[DIGEST]) {
    wadi_text t = {0};
    wadi_text_add(&t, key);
    wadi_text_add_n(&t, code, n);
    const bool made = !t.failed && wadi_blake2b(t.at, t.n, out) == WADI_OK;
    wadi_text_fini(&t);
    return made;
}

/* False: it has no name, for lack of memory or of a folder. */
static bool locate(const char *text, const char *architecture, const char *stamp, entry *e) {
    char folder[PATH_ROOM / 2];
    uint8_t of[DIGEST];
    wadi_text t = {0};
    wadi_text_addf(&t, "a device's own\n%s\n%s\n", stamp, architecture);
    for (const char *const *o = wadi_nvrtc_options(false); *o != NULL; o++)
        wadi_text_addf(&t, "%s\n", *o);
    wadi_text_add(&t, text);
    const bool named = !t.failed && wadi_blake2b(t.at, t.n, of) == WADI_OK;
    wadi_text_fini(&t);
    if (!named || wadi_user_cache(folder, sizeof folder, NULL) != WADI_OK) return false;
    wadi_hex(of, DIGEST, e->key);
    (void)snprintf(e->path, sizeof e->path, "%s/%s.image", folder, e->key);
    return true;
}

static bool find(const entry *e, char **out, size_t *out_n) {
    uint8_t want[DIGEST];
    size_t n = 0;
    if (e->path[0] == '\0' || wadi_file_read(e->path, out, &n, NULL) != WADI_OK) return false;
    if (n > DIGEST && digest(e->key, *out, n - DIGEST, want) &&
        memcmp(*out + n - DIGEST, want, DIGEST) == 0) {
        *out_n = n - DIGEST;
        return true;
    }
    free(*out);
    *out = NULL;
    return false;
}

static void keep(const entry *e, const char *code, size_t n) {
    const wadi_outfile_options options = {.mode = 0700, .sync = WADI_SYNC_NEVER};
    uint8_t of[DIGEST];
    wadi_text t = {0};
    if (e->path[0] == '\0' || !digest(e->key, code, n, of)) return;
    wadi_text_add_n(&t, code, n);
    wadi_text_add_n(&t, (const char *)of, DIGEST);
    const wadi_status kept =
        t.failed ? WADI_MEMORY : wadi_outfile_put(e->path, t.at, t.n, &options, NULL);
    WADI_UNUSED(kept);
    wadi_text_fini(&t);
}

wadi_status wadi_cuda_kept(const char *text, const char *architecture, char **out, size_t *out_n,
                           wadi_error *err) {
    wadi_nvrtc_about about;
    entry e = {.path = ""};
    WADI_TRY(wadi_nvrtc_find(&about, err));
    if (!locate(text, architecture, about.stamp, &e)) e.path[0] = '\0';
    if (find(&e, out, out_n)) return WADI_OK;
    WADI_TRY(wadi_nvrtc_compile(text, architecture, false, out, out_n, err));
    keep(&e, *out, *out_n);
    return WADI_OK;
}
