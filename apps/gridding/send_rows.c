/* A source that asks the sources of the files in turn. Before each call it waits until a row is due. */
#include "apps/gridding/send_rows.h"

#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "apps/gridding/reach.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "sched/stream.h"

enum { MOST_LISTED = 16 };

struct send_rows {
    wadi_source base; /* once it is streaming */
    size_t n;
    wadi_vis **vis;
    wadi_vis_info info;
    grid_reach reach;
    wadi_source *file; /* of vis[at]; NULL: not begun */
    size_t at;
    int64_t rows; /* delivered */
    int64_t skip; /* of them, not to be sent */
    double rate;
    int64_t started_ns;
    send_progress_fn progress;
    void *env;
};

/* ---- one header ---- */

static bool same_number(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

/* What differs, or NULL. */
static const char *difference(const wadi_vis_info *a, const wadi_vis_info *b) {
    if (a->channels != b->channels) return "numbers of channels";
    if (memcmp(a->frequency, b->frequency, (size_t)a->channels * sizeof *a->frequency) != 0)
        return "frequencies";
    if (!same_number(a->channel_width, b->channel_width)) return "channel widths";
    if (a->pols != b->pols) return "numbers of polarisations";
    if (memcmp(a->stokes, b->stokes, (size_t)a->pols * sizeof *a->stokes) != 0)
        return "polarisations";
    if (!same_number(a->ra, b->ra) || !same_number(a->dec, b->dec)) return "phase centres";
    if (!same_number(a->equinox, b->equinox)) return "equinoxes";
    if (strcmp(a->object, b->object) != 0) return "objects";
    if (strcmp(a->telescope, b->telescope) != 0) return "telescopes";
    return NULL;
}

/* A stream has one set of channels: who has chosen none of several is told how to. */
static wadi_status expect_one_setup(const char *path, const wadi_vis_options *options,
                                    wadi_error *err) {
    wadi_vis_options *all = NULL;
    wadi_text list = {0};
    size_t n = 0;
    WADI_TRY(wadi_vis_setups(path, options, &all, &n, err));
    for (size_t i = 0; i < n && i < MOST_LISTED; i++)
        wadi_text_addf(&list, "%s%d", i > 0 ? ", " : "", all[i].setup - 1);
    const wadi_status status =
        n == 1 ? WADI_OK
               : wadi_fail(err, WADI_INVALID,
                           "%s has rows of several setups (%s%s), a stream has the channels of "
                           "one: choose it with --setup",
                           path, wadi_text_str(&list), n > MOST_LISTED ? ", ..." : "");
    wadi_text_fini(&list);
    free(all);
    return status;
}

static wadi_status add_file(send_rows *s, size_t i, const char *const *paths,
                            const wadi_vis_options *options, wadi_error *err) {
    if (options == NULL || options->setup == 0) WADI_TRY(expect_one_setup(paths[i], options, err));
    WADI_TRY(wadi_vis_open(paths[i], options, &s->vis[i], err));
    const wadi_vis_info *info = wadi_vis_about(s->vis[i]);
    s->n = i + 1;
    WADI_TRY(grid_reach_of(s->vis[i], &s->reach, err));
    if (i == 0) {
        s->info = *info;
        return WADI_OK;
    }
    const char *what = difference(&s->info, info);
    if (what != NULL)
        return wadi_fail(err, WADI_INVALID, "%s and %s have different %s: send them one by one",
                         paths[0], paths[i], what);
    s->info.rows = info->rows < 0 || s->info.rows < 0 ? -1 : s->info.rows + info->rows;
    return WADI_OK;
}

wadi_status send_rows_open(size_t n, const char *const *paths, const wadi_vis_options *options,
                           send_rows **out, wadi_error *err) {
    send_rows *s = calloc(1, sizeof *s);
    if (s == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    s->vis = calloc(n + 1, sizeof(wadi_vis *));
    wadi_status status = s->vis != NULL ? WADI_OK : wadi_fail(err, WADI_MEMORY, "out of memory");
    for (size_t i = 0; i < n && status == WADI_OK; i++)
        status = add_file(s, i, paths, options, err);
    if (status == WADI_OK) {
        if (s->reach.longest > 0) { /* a header tells both or none */
            s->info.longest = s->reach.longest;
            s->info.shortest = s->reach.shortest;
        }
        *out = s;
    } else {
        send_rows_close(s);
    }
    return status;
}

void send_rows_close(send_rows *s) {
    if (s == NULL) return;
    for (size_t i = 0; i < s->n; i++) wadi_vis_close(s->vis[i]);
    free(s->vis);
    free(s);
}

const wadi_vis_info *send_rows_about(const send_rows *s) {
    return &s->info;
}

/* ---- the source ---- */

static void destroy(wadi_source *self) {
    send_rows *s = (send_rows *)self;
    wadi_source_destroy(s->file);
    s->file = NULL;
}

static wadi_status rest(int64_t ns, int wake_fd, wadi_error *err) {
    struct pollfd wake = {.fd = wake_fd, .events = POLLIN};
    const int64_t ms = ns / 1000000 + 1;
    if (poll(&wake, wake_fd >= 0 ? 1 : 0, ms < 1000 ? (int)ms : 1000) <= 0) return WADI_OK;
    return wadi_fail(err, WADI_CANCELLED, "cancelled");
}

/* How many of k rows are due, at least one: waits for it. */
static wadi_status wait_for_rows(send_rows *s, int64_t *k, wadi_error *err) {
    if (s->rows < s->skip) {
        if (*k > s->skip - s->rows) *k = s->skip - s->rows;
        return WADI_OK;
    }
    if (s->rate <= 0) return WADI_OK;
    const double sent = (double)(s->rows - s->skip);
    if (s->started_ns == 0) s->started_ns = wadi_clock_ns();
    for (;;) {
        const double since_s = (double)(wadi_clock_ns() - s->started_ns) * 1e-9;
        const double due = floor(since_s * s->rate) + 1 - sent; /* the first at once */
        if (due >= 1) {
            if (due < (double)*k) *k = (int64_t)due;
            return WADI_OK;
        }
        const double until_s = sent / s->rate - since_s;
        WADI_TRY(rest((int64_t)(until_s * 1e9), s->base.wake_fd, err));
    }
}

/* Rows of the present file; none at its end. */
static wadi_status read_file(send_rows *s, int64_t k, wadi_builder *b, wadi_error *err) {
    if (s->file == NULL) WADI_TRY(wadi_vis_source(s->vis[s->at], &s->file, err));
    s->file->wake_fd = s->base.wake_fd;
    return s->file->ops->next(s->file, k, b, err);
}

static wadi_status next(wadi_source *self, int64_t k, wadi_builder *b, wadi_error *err) {
    send_rows *s = (send_rows *)self;
    wadi_status status = wait_for_rows(s, &k, err);
    while (status == WADI_OK && b->count == 0 && s->at < s->n) {
        status = read_file(s, k, b, err);
        if (status != WADI_OK || b->count > 0) break;
        wadi_source_destroy(s->file);
        s->file = NULL;
        s->at++;
    }
    s->rows += b->count;
    if (s->progress != NULL && b->count > 0 && s->rows > s->skip)
        s->progress(s->env, s->rows - s->skip);
    return status;
}

static const wadi_source_ops source_ops = {destroy, next};

wadi_status send_rows_source(send_rows *s, int64_t skip, double rate, send_progress_fn progress,
                             void *env, wadi_source **out, wadi_error *err) {
    WADI_TRY(wadi_vis_source(s->vis[0], &s->file, err));
    s->base = *s->file; /* its parts */
    s->base.ops = &source_ops;
    s->skip = skip;
    if (s->info.rows >= 0) s->info.rows = skip < s->info.rows ? s->info.rows - skip : 0;
    s->rate = rate;
    s->progress = progress;
    s->env = env;
    *out = &s->base;
    return WADI_OK;
}
