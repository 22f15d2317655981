/* The file of visibilities is made of pieces: a number, and so many values of each column, one column behind the other. */
#include "apps/gridding/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/kept_folder.h"
#include "base/type.h"
#include "sched/traits.h"

static const char title[] = "wadi-grid state 2";

/* How much of the file counts. */
typedef struct place {
    int64_t bytes;
    grid_counts counts;
} place;

struct grid_spool {
    wadi_kept_folder *folder;
    char *path; /* DIR/rows */
    int fd;
    wadi_text traits;
    char *about;  /* the observation; NULL: not known yet */
    int64_t rows; /* in all of it; 0: not known */
    place saved, noted;
    int64_t bytes; /* written */
    int64_t every_ns, saved_ns;
};

/* ---- the state ---- */

static void put_counts(wadi_text *out, const grid_counts *c) {
    const int64_t all[] = {c->rows, c->read, c->flagged, c->broken, c->autocorrelations, c->kept};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) wadi_state_put(out, all[i]);
}

static wadi_status take_counts(wadi_state_reader *from, grid_counts *c, wadi_error *err) {
    int64_t *const all[] = {&c->rows, &c->read, &c->flagged, &c->broken, &c->autocorrelations,
                            &c->kept};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        WADI_TRY(wadi_state_take_count(from, WADI_STATE_ELEMENTS, all[i], err));
    return WADI_OK;
}

static wadi_status describe(grid_spool *s, const grid_take *t, wadi_error *err) {
    wadi_text value = {0};
    wadi_text_addf(&value, "%d %lld %lld %d %d %d", t->stokes, (long long)t->first_channel,
                   (long long)t->last_channel, t->psf, t->force_flagged, t->autocorrelations);
    wadi_traits_put(&s->traits, "another version of wadi", "", WADI_VERSION);
    wadi_traits_put(&s->traits, "other visibilities (--pol, --channels and the like)", "",
                    wadi_text_str(&value));
    wadi_traits_end(&s->traits);
    const bool failed = value.failed || s->traits.failed;
    wadi_text_fini(&value);
    return failed ? wadi_fail(err, WADI_MEMORY, "saving visibilities: out of memory") : WADI_OK;
}

static wadi_status load(grid_spool *s, const char *bytes, size_t n, wadi_error *err) {
    wadi_state_reader from = {bytes, n};
    const wadi_state_reader own = {s->traits.at, s->traits.n};
    wadi_text about = {0};
    WADI_TRY(wadi_traits_compare(wadi_kept_folder_name(s->folder), false, own, &from, err));
    WADI_TRY(wadi_state_take_text(&from, &about, err));
    s->about = wadi_text_take(&about);
    if (s->about == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    WADI_TRY(wadi_state_take_count(&from, INT64_MAX, &s->rows, err));
    WADI_TRY(wadi_state_take_count(&from, INT64_MAX, &s->saved.bytes, err));
    return take_counts(&from, &s->saved.counts, err);
}

static wadi_status find(grid_spool *s, wadi_error *err) {
    char *bytes = NULL;
    size_t n = 0;
    WADI_TRY(wadi_kept_folder_read(s->folder, &bytes, &n, err));
    const wadi_status status = bytes != NULL ? load(s, bytes, n, err) : WADI_OK;
    free(bytes);
    return status;
}

wadi_status grid_spool_save(grid_spool *s, wadi_error *err) {
    wadi_text t = {0};
    s->saved_ns = wadi_clock_ns();
    if (s->about == NULL || s->noted.counts.rows == s->saved.counts.rows) return WADI_OK;
    if (fsync(s->fd) != 0) return wadi_fail_errno(err, errno, "%s", s->path);
    wadi_text_add_n(&t, s->traits.at, s->traits.n);
    wadi_state_put_text(&t, s->about);
    wadi_state_put(&t, s->rows);
    wadi_state_put(&t, s->noted.bytes);
    put_counts(&t, &s->noted.counts);
    const wadi_status status = wadi_kept_folder_write(s->folder, &t, err);
    wadi_text_fini(&t);
    if (status == WADI_OK) s->saved = s->noted;
    return status;
}

/* ---- opening and closing ---- */

static bool is_in(const char *dir, const char *name, struct stat *out) {
    wadi_text path = {0};
    wadi_text_addf(&path, "%s/%s", dir, name);
    const bool there = lstat(wadi_text_str(&path), out) == 0;
    wadi_text_fini(&path);
    return there;
}

/* A process that was ended has left its lock beside its rows, even if it had saved nothing. A run that ends removes its lock last, so the
 * lock is looked at before the rows. */
static wadi_status refuse_rows_of_others(const char *dir, wadi_error *err) {
    struct stat rows, other;
    if (is_in(dir, "lock", &other) || is_in(dir, "state", &other) || !is_in(dir, "rows", &rows) ||
        rows.st_size == 0)
        return WADI_OK;
    return wadi_fail(err, WADI_INVALID, "%s/rows: is not of a saved run", dir);
}

/* Goes behind what counts, and forgets the rest. */
static wadi_status open_rows(grid_spool *s, const char *dir, wadi_error *err) {
    struct stat about;
    wadi_text path = {0};
    wadi_text_addf(&path, "%s/rows", dir);
    s->path = wadi_text_take(&path);
    if (s->path == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", dir);
    s->fd = open(s->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (s->fd < 0 || fstat(s->fd, &about) != 0) return wadi_fail_errno(err, errno, "%s", s->path);
    if (!S_ISREG(about.st_mode) || about.st_size < s->saved.bytes)
        return wadi_fail(err, WADI_IO, "%s has %lld bytes, and %lld were saved", s->path,
                         (long long)about.st_size, (long long)s->saved.bytes);
    if (ftruncate(s->fd, (off_t)s->saved.bytes) != 0)
        return wadi_fail_errno(err, errno, "%s", s->path);
    s->bytes = s->saved.bytes;
    s->noted = s->saved;
    return WADI_OK;
}

wadi_status grid_spool_open(const char *dir, double every_s, const grid_take *take,
                            grid_spool **out, wadi_error *err) {
    grid_spool *s = calloc(1, sizeof *s);
    if (s == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", dir);
    *s = (grid_spool){.fd = -1, .every_ns = (int64_t)(every_s * 1e9), .saved_ns = wadi_clock_ns()};
    wadi_status status = refuse_rows_of_others(dir, err);
    if (status == WADI_OK) status = wadi_kept_folder_open(dir, title, &s->folder, err);
    if (status == WADI_OK) status = describe(s, take, err);
    if (status == WADI_OK) status = find(s, err);
    if (status == WADI_OK) status = open_rows(s, dir, err);
    if (status == WADI_OK)
        *out = s;
    else
        grid_spool_close(s, false);
    return status;
}

void grid_spool_close(grid_spool *owned_s, bool done) {
    grid_spool *s = owned_s;
    if (s == NULL) return;
    /* rows without a state count for nothing, but a state without its rows is an error */
    const bool useless = done || (s->folder != NULL && !wadi_kept_folder_has(s->folder));
    if (done) wadi_kept_folder_clear(s->folder);
    if (useless && s->fd >= 0) (void)unlink(s->path);
    wadi_kept_folder_close(s->folder, done);
    if (s->fd >= 0) (void)close(s->fd);
    wadi_text_fini(&s->traits);
    free(s->about);
    free(s->path);
    free(s);
}

int64_t grid_spool_rows(const grid_spool *s) {
    return s->saved.counts.rows;
}

/* ---- the observation ---- */

static char *about_of(const wadi_vis_info *info) {
    wadi_text t = {0};
    uint8_t hash[32];
    char digits[65];
    wadi_text_addf(&t, "%lld %lld %a %a %a %a ", (long long)info->channels, (long long)info->pols,
                   info->channel_width, info->ra, info->dec, info->equinox);
    for (int64_t c = 0; c < info->channels; c++) wadi_text_addf(&t, "%a ", info->frequency[c]);
    for (int64_t p = 0; p < info->pols; p++) wadi_text_addf(&t, "%d ", info->stokes[p]);
    wadi_text_addf(&t, "%s/%s", info->object, info->telescope);
    const bool known = !t.failed && wadi_blake2b(t.at, t.n, hash) == WADI_OK;
    wadi_text_fini(&t);
    if (!known) return NULL;
    wadi_hex(hash, sizeof hash, digits);
    return strdup(digits);
}

/* A sender that begins before what is saved would have rows counted twice. */
static wadi_status check_rows(grid_spool *s, int64_t to_come, wadi_error *err) {
    const int64_t saved = s->saved.counts.rows;
    if (to_come < 0) return WADI_OK;
    const int64_t all = to_come < INT64_MAX - saved ? saved + to_come : INT64_MAX;
    if (s->rows == 0) s->rows = all;
    if (all > s->rows)
        return wadi_fail(err, WADI_INVALID,
                         "%s: %lld rows are saved there and %lld more are to come, of an "
                         "observation of %lld: wadi-vis-send --skip %lld leaves out those that "
                         "are saved",
                         wadi_kept_folder_name(s->folder), (long long)saved, (long long)to_come,
                         (long long)s->rows, (long long)saved);
    return WADI_OK;
}

wadi_status grid_spool_begin(grid_spool *s, const wadi_vis_info *info, wadi_error *err) {
    char *about = about_of(info);
    if (about == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", s->path);
    const bool same = s->about == NULL || strcmp(s->about, about) == 0;
    free(s->about);
    s->about = about;
    if (same) return check_rows(s, info->rows, err);
    return wadi_fail(err, WADI_INVALID, "%s: what is saved there is of another observation",
                     wadi_kept_folder_name(s->folder));
}

/* ---- visibilities ---- */

static wadi_status read_at(const grid_spool *s, int64_t at, void *to, int64_t n, wadi_error *err) {
    for (int64_t done = 0; done < n;) {
        const ssize_t got = pread(s->fd, (char *)to + done, (size_t)(n - done), (off_t)(at + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return wadi_fail_errno(err, errno, "%s", s->path);
        if (got == 0)
            return wadi_fail(err, WADI_IO, "%s ends at byte %lld", s->path, (long long)(at + done));
        done += got;
    }
    return WADI_OK;
}

static int64_t bytes_of_one(void) {
    return wadi_fields_size(grid_field_type, GRID_FIELDS);
}

/* The piece at byte *at, in `block`, which grows. */
static wadi_status take_piece(const grid_spool *s, int64_t *at, void **block, int64_t *room,
                              grid_spool_take_fn take, void *env, wadi_error *err) {
    const int64_t left = s->saved.bytes - *at - (int64_t)sizeof(int64_t), one = bytes_of_one();
    void *column[GRID_FIELDS];
    int64_t n = 0;
    if (left >= 0) WADI_TRY(read_at(s, *at, &n, (int64_t)sizeof n, err));
    if (left < 0 || n < 1 || n > left / one)
        return wadi_fail(err, WADI_IO, "%s: damaged at byte %lld; remove the folder to begin anew",
                         s->path, (long long)*at);
    if (n * one > *room) {
        void *more = realloc(*block, (size_t)(n * one));
        if (more == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", s->path);
        *block = more;
        *room = n * one;
    }
    WADI_TRY(read_at(s, *at + (int64_t)sizeof n, *block, n * one, err));
    char *next = *block;
    for (int f = 0; f < GRID_FIELDS; f++) {
        column[f] = next;
        next += n * wadi_type_size(grid_field_type[f]);
    }
    *at += (int64_t)sizeof n + n * one;
    return take(env, column, n, err);
}

wadi_status grid_spool_replay(grid_spool *s, grid_spool_take_fn take, void *env,
                              grid_counts *out_counts, wadi_error *err) {
    void *block = NULL;
    int64_t room = 0;
    wadi_status status = WADI_OK;
    for (int64_t at = 0; at < s->saved.bytes && status == WADI_OK;)
        status = take_piece(s, &at, &block, &room, take, env, err);
    free(block);
    *out_counts = s->saved.counts;
    return status;
}

static wadi_status append(grid_spool *s, const void *data, int64_t n, wadi_error *err) {
    for (int64_t done = 0; done < n;) {
        const ssize_t put =
            pwrite(s->fd, (const char *)data + done, (size_t)(n - done), (off_t)(s->bytes + done));
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return wadi_fail_errno(err, put < 0 ? errno : ENOSPC, "%s", s->path);
        done += put;
    }
    s->bytes += n;
    return WADI_OK;
}

wadi_status grid_spool_add(grid_spool *s, void *const *columns, int64_t n, wadi_error *err) {
    if (n == 0) return WADI_OK;
    WADI_TRY(append(s, &n, (int64_t)sizeof n, err));
    for (int f = 0; f < GRID_FIELDS; f++)
        WADI_TRY(append(s, columns[f], n * wadi_type_size(grid_field_type[f]), err));
    return WADI_OK;
}

wadi_status grid_spool_note(grid_spool *s, const grid_counts *counts, wadi_error *err) {
    s->noted = (place){s->bytes, *counts};
    return wadi_clock_ns() - s->saved_ns >= s->every_ns ? grid_spool_save(s, err) : WADI_OK;
}
