/* The state: facts, the number of parts, their sum. */
#include "apps/gridding/saved.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/kept_folder.h"
#include "sched/traits.h"

static const char title[] = "wadi-grid sum 1";

struct grid_saved {
    wadi_kept_folder *folder;
    wadi_text traits;
    char *bytes; /* read of the folder; NULL: nothing was there */
    size_t n;
    const char *read; /* the sum within them */
    int64_t pixels, parts;
    int64_t every_ns, saved_ns;
    int64_t noted; /* parts in `sum` */
    const double *sum;
};

wadi_status grid_saved_open(const char *dir, double every_s, grid_saved **out, wadi_error *err) {
    grid_saved *s = calloc(1, sizeof *s);
    if (s == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", dir);
    *s = (grid_saved){.every_ns = (int64_t)(every_s * 1e9), .saved_ns = wadi_clock_ns()};
    wadi_status status = wadi_kept_folder_open(dir, title, &s->folder, err);
    if (status == WADI_OK) status = wadi_kept_folder_read(s->folder, &s->bytes, &s->n, err);
    if (status == WADI_OK)
        *out = s;
    else
        grid_saved_close(s, false);
    return status;
}

void grid_saved_close(grid_saved *owned_s, bool done) {
    grid_saved *s = owned_s;
    if (s == NULL) return;
    if (done) wadi_kept_folder_clear(s->folder);
    wadi_kept_folder_close(s->folder, done);
    wadi_text_fini(&s->traits);
    free(s->bytes);
    free(s);
}

/* ---- what was saved ---- */

static wadi_status load(grid_saved *s, wadi_error *err) {
    const char *dir = wadi_kept_folder_name(s->folder);
    const wadi_state_reader own = {s->traits.at, s->traits.n};
    wadi_state_reader from = {s->bytes, s->n};
    WADI_TRY(wadi_traits_compare(dir, false, own, &from, err));
    WADI_TRY(wadi_state_take_count(&from, INT64_MAX, &s->parts, err));
    if (from.left != (size_t)s->pixels * sizeof *s->sum)
        return wadi_fail(err, WADI_IO, "%s: what is saved there has another size", dir);
    s->read = from.at;
    return WADI_OK;
}

wadi_status grid_saved_begin(grid_saved *s, const wadi_text *traits, int64_t pixels,
                             wadi_error *err) {
    wadi_text_add_n(&s->traits, traits->at, traits->n);
    if (s->traits.failed || traits->failed)
        return wadi_fail(err, WADI_MEMORY, "saving the image: out of memory");
    s->pixels = pixels;
    return s->bytes != NULL ? load(s, err) : WADI_OK;
}

int64_t grid_saved_parts(const grid_saved *s) {
    return s->parts;
}

int64_t grid_saved_take(grid_saved *s, double *sum) {
    if (s->read != NULL) memcpy(sum, s->read, (size_t)s->pixels * sizeof *sum);
    free(s->bytes);
    s->bytes = NULL;
    s->read = NULL;
    return s->parts;
}

/* ---- saving ---- */

wadi_status grid_saved_now(grid_saved *s, wadi_error *err) {
    wadi_text t = {0};
    if (s->noted <= s->parts) return WADI_OK;
    wadi_text_add_n(&t, s->traits.at, s->traits.n);
    wadi_state_put(&t, s->noted);
    wadi_text_add_n(&t, (const char *)s->sum, (size_t)s->pixels * sizeof *s->sum);
    const wadi_status status = wadi_kept_folder_write(s->folder, &t, err);
    wadi_text_fini(&t);
    s->saved_ns = wadi_clock_ns();
    if (status == WADI_OK) s->parts = s->noted;
    return status;
}

wadi_status grid_saved_note(grid_saved *s, int64_t parts, const double *sum, wadi_error *err) {
    s->noted = parts;
    s->sum = sum;
    return wadi_clock_ns() - s->saved_ns >= s->every_ns ? grid_saved_now(s, err) : WADI_OK;
}
