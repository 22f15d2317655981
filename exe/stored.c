/* Versions out of bundles. Whatever is wrong with one, it is as if it were not there: the version is then made. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/log.h"
#include "exe/ahead_of_time.h"

enum { DIGEST = 32 };

wadi_status wadi_exe_stored_key(wadi_exe *exe, int body, wadi_version_key version,
                                const wadi_language *language, uint8_t out[DIGEST]) {
    wadi_text t = {0};
    char digits[2 * DIGEST + 1];
    if (!exe->hashed) wadi_plan_hash(exe->plan, exe->hash);
    exe->hashed = true;
    wadi_hex(exe->hash, DIGEST, digits);
    wadi_text_addf(&t, "version\n%s\n%s\n%s\n%d\n%d\n", wadi_bundle_stamp(), language->name, digits,
                   body, wadi_version_number(version));
    const wadi_status st = t.failed ? WADI_MEMORY : wadi_blake2b(t.at, t.n, out);
    wadi_text_fini(&t);
    return st;
}

wadi_status wadi_exe_text_digest(const wadi_made *made, uint8_t out[DIGEST]) {
    return wadi_blake2b(made->source, strlen(made->source), out);
}

bool wadi_exe_store(const wadi_made *made, wadi_text *out) {
    uint8_t text[DIGEST];
    if (wadi_exe_text_digest(made, text) != WADI_OK) return false;
    wadi_text_add_n(out, (const char *)text, DIGEST);
    return wadi_plan_version_save(&made->version, out);
}

/* ---- taking ---- */

static wadi_made *read_made(const wadi_exe_version *v, const char *bytes, size_t n,
                            wadi_error *err) {
    wadi_arena *arena = wadi_arena_create();
    wadi_made *made = arena != NULL ? WADI_NEW(arena, wadi_made) : NULL;
    if (made == NULL) {
        wadi_arena_destroy(arena);
        return NULL;
    }
    *made = (wadi_made){.arena = arena, .target = v->set->target};
    if (n >= DIGEST &&
        wadi_plan_version_load(bytes + DIGEST, n - DIGEST, arena, &made->version, err) == WADI_OK)
        return made;
    wadi_made_destroy(made);
    return NULL;
}

/* What home has sent for the body of the version; NULL: nothing. */
static const wadi_bundle *sent_of(const wadi_exe *exe, const wadi_exe_version *v) {
    return exe->sent != NULL ? exe->sent[(v - v->set->version) / WADI_BODY_VERSIONS] : NULL;
}

/* The version without the text of its kernels; *text: its digest. NULL: no bundle has it. */
static wadi_made *find_made(wadi_exe *exe, const wadi_exe_version *v, uint8_t text[DIGEST]) {
    const int i = (int)(v - v->set->version);
    uint8_t key[DIGEST];
    char *bytes = NULL;
    size_t n = 0;
    wadi_error err = {0};
    if (wadi_exe_stored_key(exe, i / WADI_BODY_VERSIONS,
                            wadi_version_numbered(i % WADI_BODY_VERSIONS), v->set->target->language,
                            key) != WADI_OK ||
        !wadi_bundles_get(sent_of(exe, v), key, &bytes, &n))
        return NULL;
    wadi_made *made = read_made(v, bytes, n, &err);
    if (made != NULL)
        memcpy(text, bytes, DIGEST);
    else
        wadi_logf(WADI_LOG_WARNING, "kernels: a version of %s is not used: %s", exe->plan->name,
                  err.msg);
    free(bytes);
    return made;
}

/* Without the lock. */
static bool load_image(const wadi_exe *exe, const wadi_bundle *sent, wadi_exe_version *v,
                       const uint8_t text[DIGEST]) {
    const wadi_exe_set *set = v->set;
    if (!wadi_bundles_load(sent, text, set->target, exe->asked, exe->fast, set->images, &v->loaded))
        return false;
    wadi_error err = {0};
    if (wadi_exe_find_kernels(v, &err) == WADI_OK) return true;
    wadi_logf(WADI_LOG_WARNING, "kernels: an image of %s is not used: %s", exe->plan->name,
              err.msg);
    set->images->unload(&v->loaded);
    return false;
}

bool wadi_exe_load_stored(wadi_exe *exe, wadi_exe_version *v) {
    uint8_t text[DIGEST];
    const bool was_made = v->made != NULL;
    if (exe->sent == NULL && wadi_bundles_empty()) return false;
    if (was_made && wadi_exe_text_digest(v->made, text) != WADI_OK) return false;
    if (!was_made && (v->made = find_made(exe, v, text)) == NULL) return false;
    const wadi_bundle *sent = sent_of(exe, v); /* stays while the executable does */
    wadi_mutex_unlock(&exe->lock);
    const bool loaded = load_image(exe, sent, v, text);
    wadi_mutex_lock(&exe->lock);
    v->stored = v->text_known = loaded;
    if (loaded) memcpy(v->text, text, DIGEST);
    if (!loaded && !was_made) {
        wadi_made_destroy(v->made);
        v->made = NULL;
    }
    return loaded;
}
