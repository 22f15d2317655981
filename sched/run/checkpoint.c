/* When a run is saved, and where. */
#include "sched/run/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/claim.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/outfile.h"

enum { DIGEST = 32 };
static const double EVERY_S = 5;
static const char title[] = "wadi state 1";

struct wadi_checkpoint {
    wadi_run *x;
    char *dir;      /* DIR, wherever the process goes */
    char *file;     /* DIR/state */
    int folder;     /* a descriptor of DIR; -1: not open */
    int lock;       /* of DIR/lock */
    wadi_text head; /* what the run is of */
    char *found;    /* what an earlier process has left; NULL: nothing */
    int64_t every_ns, last_ns;
};

/* ---- saving ---- */

static wadi_status seal(wadi_text *t, wadi_error *err) {
    uint8_t digest[DIGEST];
    if (t->failed) return wadi_fail(err, WADI_MEMORY, "saving a run: out of memory");
    WADI_TRY(wadi_blake2b(t->at, t->n, digest));
    wadi_text_add_n(t, (const char *)digest, DIGEST);
    return t->failed ? wadi_fail(err, WADI_MEMORY, "saving a run: out of memory") : WADI_OK;
}

static wadi_status save(wadi_checkpoint *c, wadi_stream *s, wadi_error *err) {
    wadi_text t = {0};
    wadi_text_add_n(&t, c->head.at, c->head.n);
    wadi_status status = wadi_run_save(s, &t, err);
    if (status == WADI_OK) status = seal(&t, err);
    if (status == WADI_OK) status = wadi_file_write(c->file, t.at, t.n, 0600, err);
    wadi_text_fini(&t);
    return status;
}

/* A stream that has failed is not saved: the failure may be of an element that another run never sees. Then the saving before stays, also
 * for a run that is to end. */
static wadi_status between(void *env, wadi_stream *s, bool last, wadi_error *err) {
    wadi_checkpoint *c = env;
    const bool drains = atomic_load(&c->x->drains);
    const int64_t now = wadi_clock_ns();
    if (!last && !drains && now - c->last_ns < c->every_ns) return WADI_OK;
    bool can = false;
    WADI_TRY(wadi_run_can_save(s, &can, err));
    if (can) WADI_TRY(save(c, s, err));
    c->last_ns = wadi_clock_ns();
    if (!drains || last) return WADI_OK;
    return wadi_fail(err, WADI_CANCELLED,
                     wadi_checkpoint_exists(c->x)
                         ? "the run is saved, and goes on when it is started again"
                         : "the run was ended before it could be saved");
}

wadi_status wadi_checkpoint_create(wadi_run *x, wadi_error *err) {
    const double every_s = x->options.save_every_s > 0 ? x->options.save_every_s : EVERY_S;
    wadi_checkpoint *c = calloc(1, sizeof *c);
    if (c == NULL) return wadi_fail(err, WADI_MEMORY, "run: out of memory");
    *c = (wadi_checkpoint){.x = x, .folder = -1, .lock = -1, .every_ns = (int64_t)(every_s * 1e9)};
    x->checkpoint = c;
    x->saver = (wadi_run_saver){between, c};
    return WADI_OK;
}

/* ---- going on ---- */

static wadi_status damaged(const wadi_checkpoint *c, const char *how, wadi_error *err) {
    return wadi_fail(err, WADI_IO, "%s/state: %s; remove it to begin anew", c->x->options.state,
                     how);
}

/* Whether the bytes are a whole file of ours. *out: what is behind its title. */
static wadi_status check_seal(const wadi_checkpoint *c, size_t n, wadi_state_reader *out,
                              wadi_error *err) {
    uint8_t digest[DIGEST];
    *out = (wadi_state_reader){c->found, n > DIGEST ? n - DIGEST : 0};
    if (wadi_state_expect_text(out, title, NULL) != WADI_OK)
        return damaged(c, "this is no saved run", err);
    WADI_TRY(wadi_blake2b(c->found, n - DIGEST, digest));
    if (memcmp(digest, c->found + n - DIGEST, DIGEST) == 0) return WADI_OK;
    return damaged(c, "the saved run is damaged", err);
}

static wadi_status find(wadi_checkpoint *c, wadi_error *err) {
    wadi_state_reader from, own = {c->head.at, c->head.n};
    size_t n = 0;
    if (!wadi_file_exists(c->file)) return WADI_OK;
    WADI_TRY(wadi_file_read(c->file, &c->found, &n, err));
    WADI_TRY(check_seal(c, n, &from, err));
    WADI_TRY(wadi_state_expect_text(&own, title, err));
    WADI_TRY(wadi_checkpoint_compare(c->x, c->x->options.accept_change, own, &from, err));
    c->x->saved = from;
    return WADI_OK;
}

/* ---- the folder ---- */

/* Ours is empty, and is removed when the run has ended. */
static wadi_status check_lock(int lock, const char *dir, wadi_error *err) {
    struct stat about;
    if (fstat(lock, &about) == 0 && S_ISREG(about.st_mode) && about.st_size == 0) return WADI_OK;
    return wadi_fail(err, WADI_IO, "%s/lock: is not of a saved run", dir);
}

static wadi_status lock(wadi_checkpoint *c, const char *dir, wadi_error *err) {
    c->folder = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (c->folder < 0) return wadi_fail_errno(err, errno, "%s", dir);
    const int fd = openat(c->folder, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return wadi_fail_errno(err, errno, "%s/lock", dir);
    wadi_status status = check_lock(fd, dir, err);
    if (status == WADI_OK && wadi_claim_file(fd, c->folder, "lock") == WADI_CLAIM_LOST)
        status = wadi_fail(err, WADI_IO, "%s: another process keeps its run there", dir);
    if (status == WADI_OK)
        c->lock = fd;
    else
        (void)close(fd);
    return status;
}

static wadi_status name_files(wadi_checkpoint *c, wadi_error *err) {
    char here[PATH_MAX];
    wadi_text dir = {0}, file = {0};
    const bool relative = c->x->options.state[0] != '/' && getcwd(here, sizeof here) != NULL;
    wadi_text_addf(&dir, "%s%s%s", relative ? here : "", relative ? "/" : "", c->x->options.state);
    wadi_text_addf(&file, "%s/state", wadi_text_str(&dir));
    c->dir = wadi_text_take(&dir);
    c->file = wadi_text_take(&file);
    if (c->dir != NULL && c->file != NULL) return WADI_OK;
    return wadi_fail(err, WADI_MEMORY, "%s: out of memory", c->x->options.state);
}

static wadi_status open_folder(wadi_checkpoint *c, wadi_error *err) {
    WADI_TRY(wadi_dir_make(c->x->options.state, 0700, err));
    WADI_TRY(lock(c, c->x->options.state, err));
    return name_files(c, err);
}

/* An output may lie in the folder, if it is not taken for what is ours there. */
static wadi_status check_outputs(const wadi_checkpoint *c, wadi_error *err) {
    static const char *const ours[] = {"state", "lock"};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (wadi_outfile_lasts_in(c->folder, ours[i]))
            return wadi_fail(err, WADI_INVALID, "%s/%s: is of the saved run, and can be no output",
                             c->x->options.state, ours[i]);
    return WADI_OK;
}

/* What sinks have must last, or they may get it again. */
static wadi_status prepare_sinks(wadi_run *x, wadi_error *err) {
    for (size_t i = 0; i < x->bindings.n; i++) {
        wadi_sink *s = x->bindings.at[i].sink;
        if (s == NULL || s->again) continue;
        if (s->ops->last == NULL)
            return wadi_fail(err, WADI_UNSUPPORTED,
                             "\"%s\": a %s sink cannot go on after its process was ended",
                             x->bindings.at[i].name, s->kind);
        s->sync = true;
        WADI_TRY(s->ops->last(s, err));
    }
    return WADI_OK;
}

wadi_status wadi_checkpoint_open(wadi_run *x, wadi_error *err) {
    wadi_checkpoint *c = x->checkpoint;
    if (c == NULL) return WADI_OK;
    WADI_TRY(open_folder(c, err));
    wadi_state_put_text(&c->head, title);
    WADI_TRY(wadi_checkpoint_describe(x, &c->head, err));
    WADI_TRY(find(c, err));
    c->last_ns = wadi_clock_ns();
    WADI_TRY(prepare_sinks(x, err));
    return check_outputs(c, err);
}

bool wadi_checkpoint_exists(const wadi_run *x) {
    const wadi_checkpoint *c = x->checkpoint;
    return c != NULL && c->folder >= 0 && faccessat(c->folder, "state", F_OK, 0) == 0;
}

void wadi_checkpoint_close(wadi_run *x, bool well) {
    wadi_checkpoint *c = x->checkpoint;
    if (c == NULL) return;
    if (well) (void)unlinkat(c->folder, "state", 0);
    if (c->lock >= 0 && !wadi_checkpoint_exists(x)) {
        (void)unlinkat(c->folder, "lock", 0);
        (void)rmdir(c->dir != NULL ? c->dir : x->options.state); /* if nothing else is there */
    }
    if (c->lock >= 0) (void)close(c->lock);
    if (c->folder >= 0) (void)close(c->folder);
    c->lock = c->folder = -1;
}

void wadi_checkpoint_destroy(wadi_run *x) {
    wadi_checkpoint *c = x->checkpoint;
    if (c == NULL) return;
    wadi_checkpoint_close(x, false);
    wadi_text_fini(&c->head);
    free(c->found);
    free(c->dir);
    free(c->file);
    free(c);
    x->checkpoint = NULL;
}
