/* The folder in which a run is saved, as a disk of the world: instead of base/kept_folder.c. It outlives processes. What one that is dead does to it
 * does not count. By chance there is no room on it. */
#include "base/kept_folder.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "tests/simulate/inside.h"

struct wadi_kept_folder {
    char name[32];
};

static char *state;
static size_t state_n;
static bool open_now;
static int one_in;

void folder_begin(void) {
    free(state);
    state = NULL;
    open_now = false;
    one_in = 0;
}

void world_fill_disk(int one_in_so_many) {
    one_in = one_in_so_many;
}

bool world_has_state(void) {
    return state != NULL;
}

wadi_status wadi_kept_folder_open(const char *dir, const char *title, wadi_kept_folder **out,
                                  wadi_error *err) {
    WADI_UNUSED(title);
    if (open_now) return wadi_fail(err, WADI_IO, "%s: another process uses it", dir);
    *out = calloc(1, sizeof **out);
    if (*out == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", dir);
    (void)strncpy((*out)->name, dir, sizeof(*out)->name - 1);
    open_now = true;
    return WADI_OK;
}

bool wadi_kept_folder_has(const wadi_kept_folder *f) {
    return f != NULL && state != NULL;
}

static char *copy_of(const char *bytes, size_t n) {
    char *copy = malloc(n + 1);
    if (copy == NULL) abort();
    memcpy(copy, bytes, n);
    return copy;
}

wadi_status wadi_kept_folder_read(wadi_kept_folder *f, char **out, size_t *out_n, wadi_error *err) {
    WADI_UNUSED(f);
    WADI_UNUSED(err);
    *out = state != NULL ? copy_of(state, state_n) : NULL;
    *out_n = state != NULL ? state_n : 0;
    return WADI_OK;
}

wadi_status wadi_kept_folder_write(wadi_kept_folder *f, const wadi_text *text, wadi_error *err) {
    if (world_am_dead()) return WADI_OK;
    if (one_in > 0 && world_chance(one_in) == 0)
        return wadi_fail(err, WADI_IO, "%s: no space left on device", f->name);
    free(state);
    state = copy_of(text->at, text->n);
    state_n = text->n;
    return WADI_OK;
}

wadi_status wadi_kept_folder_check(const wadi_kept_folder *f, wadi_error *err) {
    WADI_UNUSED(f);
    WADI_UNUSED(err);
    return WADI_OK;
}

const char *wadi_kept_folder_name(const wadi_kept_folder *f) {
    return f->name;
}

void wadi_kept_folder_clear(wadi_kept_folder *f) {
    WADI_UNUSED(f);
    if (world_am_dead()) return;
    free(state);
    state = NULL;
}

void wadi_kept_folder_close(wadi_kept_folder *owned_f, bool done) {
    if (owned_f == NULL) return;
    if (done) wadi_kept_folder_clear(owned_f);
    open_now = false;
    free(owned_f);
}
