/* Running the passes of an image in their order. */
#include "apps/gridding/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/gridding/aterm_file.h"
#include "apps/gridding/facts.h"
#include "apps/gridding/live.h"
#include "apps/gridding/room.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"

enum {
    DEFAULT_MEMORY = 1 << 30,
    STORE_SHARE = 6, /* of the memory a batch may take, and chunks under way */
    CHUNK_SHARE = 16,
};

static const double tick_s = 0.2;

static const double light = 299792458;
/* Lengths in metres and in wavelengths may differ by so much. */
static const double rounding = 1e-9;

struct grid_session {
    const grid_options *options;
    grid_files *files;
    grid_watch watch;
    grid_store store;
    grid_ingest ingest;
    grid_phase phase;
    bool whole; /* all visibilities are in the store */
    bool open;  /* geometry is known, the method open */
    grid_look *look;
    grid_limits limits;
    grid_weigher *weigher; /* NULL: weights are natural */
    grid_density *density;
    grid_aterms aterms;
    const grid_method *method;
    grid_sums sums;
    grid_live live;
    bool showing; /* results are asked of what is live */
    int64_t ticked_ns;
};

/* ---- opening ---- */

/* NULL: none of that name. */
static const grid_method *find_method(const char *name) {
    int i = 0;
    while (name != NULL && grid_methods[i] != NULL && strcmp(grid_methods[i]->name, name) != 0) i++;
    return grid_methods[i];
}

static wadi_status unknown_method(const char *name, wadi_error *err) {
    wadi_text list = {0};
    for (int i = 0; grid_methods[i] != NULL; i++)
        wadi_text_addf(&list, "%s%s", i > 0 ? ", " : "", grid_methods[i]->name);
    const wadi_status status =
        wadi_fail(err, WADI_INVALID, "no method \"%s\": there are %s", name, wadi_text_str(&list));
    wadi_text_fini(&list);
    return status;
}

/* Whether the method can do what is asked for. */
static wadi_status check_method(const grid_session *s, wadi_error *err) {
    const char *name = s->method->name;
    if (s->method->stop != NULL) return WADI_OK;
    if (s->options->via.address != NULL)
        return wadi_fail(
            err, WADI_INVALID,
            "--via: workers elsewhere make an image of each part, by wstack; %s has one "
            "grid for all parts",
            name);
    if (s->watch.saved != NULL)
        return wadi_fail(err, WADI_INVALID,
                         "--state: of files, the images of parts are saved, which wstack makes; %s "
                         "has one grid for all parts",
                         name);
    return WADI_OK;
}

static int64_t memory_of(const grid_options *o) {
    return o->memory > 0 ? o->memory : DEFAULT_MEMORY;
}

static wadi_run_options run_options(const grid_options *o, int64_t memory) {
    return (wadi_run_options){.threads = o->threads,
                              .memory = memory,
                              .chunk = o->chunk,
                              .policy = o->chunk > 0 ? "fixed" : NULL,
                              .schedule = o->schedule};
}

wadi_status grid_session_create(const grid_options *options, grid_files *files,
                                const grid_take *take, const grid_watch *watch, grid_session **out,
                                wadi_error *err) {
    grid_session *s = calloc(1, sizeof *s);
    if (s == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    s->options = options;
    s->files = files;
    s->watch = *watch;
    s->method = find_method(options->method);
    grid_store_init(&s->store, options->part > 0
                                   ? options->part
                                   : memory_of(options) / STORE_SHARE / GRID_STORE_BYTES);
    s->ingest = (grid_ingest){.take = *take,
                              .run = run_options(options, memory_of(options) / CHUNK_SHARE),
                              .store = &s->store,
                              .env = s};
    wadi_status status = WADI_OK;
    if (s->method == NULL) status = unknown_method(options->method, err);
    if (status == WADI_OK) status = check_method(s, err);
    if (status == WADI_OK && options->aterm != NULL)
        status = grid_aterms_read(options->aterm, &s->aterms, err);
    if (status == WADI_OK) status = grid_look_create(&s->ingest.run, &s->look, err);
    if (status == WADI_OK && options->weights.kind != GRID_NATURAL)
        status = grid_weigher_create(options->weights, &s->ingest.run, &s->weigher, err);
    if (status != WADI_OK) {
        grid_session_destroy(s);
        return status;
    }
    *out = s;
    return WADI_OK;
}

void grid_session_destroy(grid_session *s) {
    if (s == NULL) return;
    if (s->sums.gridder != NULL) s->method->close(s->sums.gridder);
    grid_live_fini(&s->live);
    grid_aterms_fini(&s->aterms);
    grid_density_destroy(s->density);
    grid_weigher_destroy(s->weigher);
    grid_look_destroy(s->look);
    grid_store_fini(&s->store);
    free(s);
}

/* The geometry, and what the method is to do. most_w: 0 where more may come. */
static wadi_status settle_job(const grid_session *s, const grid_limits *limits, double most_w,
                              grid_job *out, wadi_error *err) {
    const grid_options *o = s->options;
    grid_geometry g;
    WADI_TRY(grid_geometry_choose(limits, o->size, o->scale, o->fov, &g, err));
    WADI_TRY(grid_files_check(s->files, g.scale, err));
    WADI_TRY(grid_room(g.size * g.size * 16, o->memory, "the grid", err));
    *out = (grid_job){.size = g.size,
                      .scale = g.scale,
                      .epsilon = o->epsilon,
                      .most_w = most_w,
                      .support = o->support,
                      .oversample = o->oversample,
                      .w_step = o->w_step,
                      .own_fft = o->own_fft,
                      .hoisted = !o->six_ffts,
                      .aterms = o->aterm != NULL ? &s->aterms : NULL,
                      .via = o->via.address != NULL ? &o->via : NULL,
                      .saved = s->watch.saved,
                      .run = run_options(o, o->memory)};
    return WADI_OK;
}

static wadi_status begin(grid_session *s, const grid_job *job, wadi_error *err) {
    s->sums.geometry = (grid_geometry){job->size, job->scale};
    WADI_TRY(s->method->open(job, &s->sums.gridder, err));
    s->open = true;
    return WADI_OK;
}

static wadi_status find_saved(const grid_session *s, const grid_job *job, wadi_error *err) {
    wadi_text facts = {0};
    if (job->saved == NULL) return WADI_OK;
    wadi_status status = grid_facts_add(&facts, s->options, &s->limits, job, s->store.most, err);
    if (status == WADI_OK)
        status = grid_saved_begin(job->saved, &facts, job->size * job->size, err);
    wadi_text_fini(&facts);
    return status;
}

/* All has been looked over. */
static wadi_status begin_whole(grid_session *s, wadi_error *err) {
    grid_job job;
    WADI_TRY(settle_job(s, &s->limits, s->limits.most_w, &job, err));
    WADI_TRY(find_saved(s, &job, err));
    return begin(s, &job, err);
}

/* ---- before all has come ---- */

static bool is_given(const grid_options *o) {
    return (o->size > 0) + (o->scale > 0) + (o->fov > 0) == 2;
}

/* The frequencies that are taken of a link. */
static void take_frequencies(const grid_session *s, const wadi_vis_info *info, double *lowest,
                             double *highest) {
    int64_t first = 0, n = info->channels;
    (void)!grid_take_channels(&s->ingest.take, info, "", &first, &n, NULL); /* has been checked */
    *lowest = *highest = info->frequency[first];
    for (int64_t c = first; c < first + n; c++) {
        *lowest = fmin(*lowest, info->frequency[c]);
        *highest = fmax(*highest, info->frequency[c]);
    }
}

/* What a link will have reached at its end: what the sender says or, if that is nothing or not so, what has come, with baselines as
 * long as they can become while the Earth turns. */
static grid_limits early_reach(const grid_session *s, const grid_limits *seen) {
    const wadi_vis_info *info = wadi_vis_about(s->files->list.at[0].vis);
    grid_limits reach = *seen;
    double lowest, highest;
    take_frequencies(s, info, &lowest, &highest);
    reach.longest = info->longest * highest / light;
    reach.shortest = info->shortest * lowest / light;
    if (reach.longest > 0 && seen->longest <= reach.longest * (1 + rounding)) return reach;
    reach.longest = hypot(seen->longest, seen->most_w);
    reach.shortest = seen->shortest;
    return reach;
}

/* ---- batches ---- */

static wadi_status look_over(void *env, wadi_error *err) {
    grid_session *s = env;
    WADI_TRY(grid_limits_add(&s->limits, s->look, &s->store, err));
    s->whole = false;
    s->store.n = 0;
    return WADI_OK;
}

static wadi_status weigh(void *env, wadi_error *err) {
    grid_session *s = env;
    WADI_TRY(grid_density_add(s->density, &s->store, err));
    if (!s->whole) s->store.n = 0;
    return WADI_OK;
}

/* Natural weights have W^2 / w = w, and have been summed when they were looked over. */
static wadi_status weigh_batch(grid_session *s, wadi_error *err) {
    grid_weighed done = {0};
    if (s->options->weights.kind == GRID_NATURAL) {
        s->sums.weight = s->sums.variance = s->limits.weight;
        return WADI_OK;
    }
    WADI_TRY(grid_density_apply(s->density, &s->store, &done, err));
    s->sums.outside += done.outside;
    s->sums.weight += done.weight;
    s->sums.variance += done.variance;
    return WADI_OK;
}

static wadi_status grid_batch_of(grid_session *s, wadi_error *err) {
    grid_batch batch;
    WADI_TRY(weigh_batch(s, err));
    if (s->store.n == 0) return WADI_OK;
    WADI_TRY(grid_store_batch(&s->store, &batch, err));
    WADI_TRY(s->method->add(s->sums.gridder, &batch, err));
    s->store.n = 0;
    return WADI_OK;
}

static wadi_status grid(void *env, wadi_error *err) {
    return grid_batch_of(env, err);
}

/* What is shown gets the geometry of the image, which is known from now on. */
static wadi_status follow(grid_session *s, const grid_job *job, wadi_error *err) {
    const grid_sums *shown = &s->live.sums;
    if (shown->gridder != NULL && shown->geometry.size == job->size &&
        shown->geometry.scale == job->scale)
        return WADI_OK;
    return grid_live_open(&s->live, job, err);
}

/* A link's: nothing has been looked over. Its geometry follows from the first batch, which is cut by its size alone. */
static wadi_status grid_as_it_comes(void *env, wadi_error *err) {
    grid_session *s = env;
    WADI_TRY(grid_limits_add(&s->limits, s->look, &s->store, err));
    if (!s->open) {
        if (s->options->weights.kind != GRID_NATURAL)
            return wadi_fail(err, WADI_INVALID,
                             "the link brings more than --memory holds: weights other than natural "
                             "need all visibilities first");
        s->whole = false;
        const grid_limits reach = early_reach(s, &s->limits);
        grid_job job;
        WADI_TRY(settle_job(s, &reach, 0, &job, err));
        WADI_TRY(begin(s, &job, err));
        if (grid_live_is_on(&s->live)) WADI_TRY(follow(s, &job, err));
    }
    if (grid_live_is_on(&s->live)) WADI_TRY(grid_live_take(&s->live, &s->store, err));
    grid_live_forget(&s->live);
    return grid_batch_of(s, err);
}

/* ---- watching ---- */

/* Whether everything that has come lies within the grid of what is shown, or would not in any other that was asked for. */
static bool still_fits(const grid_session *s) {
    const grid_live *l = &s->live;
    if (l->sums.gridder == NULL) return false;
    return s->open || is_given(s->options) || s->options->scale > 0 ||
           fmax(l->limits.most_u, l->limits.most_v) * l->sums.geometry.scale <= 0.5;
}

/* Whether anything tells the geometry yet. */
static bool can_choose(const grid_options *o, const grid_limits *reach) {
    return is_given(o) || ((o->scale > 0 || reach->longest > 0) &&
                           (o->size > 0 || o->fov > 0 || reach->shortest > 0));
}

/* A gridder for what is shown, with the geometry that what has come so far suggests; *out_ready: there is one. */
static wadi_status settle_live(grid_session *s, bool *out_ready, wadi_error *err) {
    grid_live *l = &s->live;
    const grid_geometry *g = &l->sums.geometry;
    const bool fits = still_fits(s), is_natural = s->options->weights.kind == GRID_NATURAL;
    grid_limits reach = early_reach(s, &l->limits);
    grid_job job;
    *out_ready = fits || can_choose(s->options, &reach);
    if (!*out_ready || (fits && is_natural)) return WADI_OK;
    WADI_TRY(settle_job(s, &reach, 0, &job, err));
    if (fits) { /* anew, but the same */
        job.size = g->size;
        job.scale = g->scale;
    }
    return grid_live_open(l, &job, err);
}

static const grid_sums *shown(const grid_session *s) {
    return s->showing ? &s->live.sums : &s->sums;
}

/* Whether anything has been gridded. */
static bool has_image(const grid_session *s) {
    const grid_sums *sums = shown(s);
    grid_tally t = {0};
    if (sums->gridder == NULL) return false;
    s->method->tell(sums->gridder, &t);
    return t.weight > 0;
}

static wadi_status show(void *env, wadi_error *err) {
    grid_session *s = env;
    const grid_options *o = s->options;
    bool ready = false;
    if (s->store.n == s->live.taken && !s->live.unseen) return WADI_OK;
    WADI_TRY(grid_live_look(&s->live, &s->store, err));
    WADI_TRY(settle_live(s, &ready, err));
    if (!ready) return WADI_OK;
    if (o->weights.kind == GRID_NATURAL)
        WADI_TRY(grid_live_take(&s->live, &s->store, err));
    else
        WADI_TRY(grid_live_weigh(&s->live, &s->store, s->weigher, o->memory, err));
    s->showing = true;
    const wadi_status status = has_image(s) ? s->watch.live(s->watch.env, err) : WADI_OK;
    s->showing = s->live.unseen = false;
    return status;
}

/* Where the geometry is known, the first image need not wait for a gridder. */
static wadi_status begin_live(grid_session *s, wadi_error *err) {
    bool ready = false;
    WADI_TRY(grid_live_begin(&s->live, s->method, s->look, s->watch.live_s, show, s, err));
    s->ingest.lock = &s->live.lock;
    wadi_mutex_lock(&s->live.lock);
    const wadi_status status = settle_live(s, &ready, err);
    wadi_mutex_unlock(&s->live.lock);
    return status;
}

static void end_live(grid_session *s) {
    s->ingest.lock = NULL;
    grid_live_fini(&s->live);
}

static wadi_status tick(void *env, wadi_error *err) {
    grid_session *s = env;
    const int64_t now = wadi_clock_ns();
    if (s->watch.stop != NULL && s->watch.stop(s->watch.env))
        return wadi_fail(err, WADI_CANCELLED, "interrupted");
    if (s->watch.progress != NULL && (double)(now - s->ticked_ns) >= tick_s * 1e9) {
        s->ticked_ns = now;
        s->watch.progress(s->watch.env, s->phase, &s->ingest.counts, s->files->rows);
    }
    return grid_live_check(&s->live, err);
}

/* ---- passes ---- */

/* All visibilities go through `take`, from the files, or from the store where it holds them all. */
static wadi_status pass(grid_session *s, grid_phase phase,
                        wadi_status (*take)(void *env, wadi_error *err), wadi_error *err) {
    s->phase = phase;
    if (s->whole && s->watch.progress != NULL)
        s->watch.progress(s->watch.env, phase, &s->ingest.counts, 0);
    if (s->whole) return take(s, err);
    s->store.n = 0;
    s->ingest.counts = (grid_counts){0};
    s->ingest.full = take;
    s->ingest.tick = tick;
    WADI_TRY(grid_files_pass(s->files, &s->ingest, err));
    return s->store.n > 0 ? take(s, err) : WADI_OK;
}

/* The first pass, which keeps what it has read if that is all. */
static wadi_status look(grid_session *s, wadi_error *err) {
    const bool once = s->files->once;
    s->whole = !s->open;
    s->phase = once ? GRID_GRIDDING : GRID_LOOKING;
    s->ingest.full = once ? grid_as_it_comes : look_over;
    s->ingest.tick = tick;
    s->ingest.spool = s->watch.spool;
    wadi_status status = grid_ingest_saved(&s->ingest, err);
    if (status == WADI_OK) status = grid_files_pass(s->files, &s->ingest, err);
    s->ingest.spool = NULL;
    end_live(s);
    WADI_TRY(status);
    if (s->open) return s->store.n > 0 ? grid_as_it_comes(s, err) : WADI_OK;
    return grid_limits_add(&s->limits, s->look, &s->store, err);
}

static wadi_status nothing_left(const grid_session *s, wadi_error *err) {
    const grid_counts *c = &s->ingest.counts;
    if (c->read == 0) return wadi_fail(err, WADI_INVALID, "there are no visibilities to image");
    return wadi_fail(err, WADI_INVALID,
                     "nothing to image: of %lld visibilities %lld are flagged or of no weight%s, "
                     "%lld not finite, "
                     "%lld autocorrelations",
                     (long long)c->read, (long long)c->flagged,
                     c->flagged > 0 && !s->options->force_flagged ? " (--force-flagged takes them)"
                                                                  : "",
                     (long long)c->broken, (long long)c->autocorrelations);
}

static wadi_status weigh_and_grid(grid_session *s, wadi_error *err) {
    if (s->options->weights.kind != GRID_NATURAL) {
        const grid_geometry *g = &s->sums.geometry;
        WADI_TRY(grid_density_create(s->weigher, g->size, g->scale, s->options->memory, &s->density,
                                     err));
        WADI_TRY(pass(s, GRID_WEIGHING, weigh, err));
    }
    return pass(s, GRID_GRIDDING, grid, err);
}

wadi_status grid_session_go(grid_session *s, wadi_error *err) {
    const bool live = s->files->once && s->watch.live_s > 0;
    if (live) WADI_TRY(begin_live(s, err));
    WADI_TRY(look(s, err));
    if (s->limits.n == 0) return nothing_left(s, err);
    if (s->open) return WADI_OK;
    WADI_TRY(begin_whole(s, err));
    return weigh_and_grid(s, err);
}

void grid_session_stop(grid_session *s) {
    if (s->sums.gridder != NULL && s->method->stop != NULL) s->method->stop(s->sums.gridder);
}

/* ---- results ---- */

bool grid_session_has_part(const grid_session *s) {
    return s->files->once && (s->limits.n > 0 || s->store.n > 0);
}

/* Weights that depend on their neighbours count what is in the store: all that came, or all that there was room for. */
wadi_status grid_session_settle(grid_session *s, wadi_error *err) {
    end_live(s);
    if (!s->open) {
        WADI_TRY(grid_limits_add(&s->limits, s->look, &s->store, err));
        WADI_TRY(begin_whole(s, err));
        return weigh_and_grid(s, err);
    }
    return s->store.n > 0 ? grid_as_it_comes(s, err) : WADI_OK;
}

wadi_status grid_session_image(grid_session *s, double *out, wadi_error *err) {
    const grid_sums *sums = shown(s);
    grid_tally t = {0};
    WADI_TRY(s->method->image(sums->gridder, out, err));
    s->method->tell(sums->gridder, &t);
    if (!(t.weight > 0))
        return wadi_fail(err, WADI_INVALID,
                         "nothing to image: all %lld visibilities lie outside the grid; a finer "
                         "--scale makes it larger",
                         (long long)(t.outside + sums->outside));
    for (int64_t i = 0; i < sums->geometry.size * sums->geometry.size; i++) out[i] /= t.weight;
    return WADI_OK;
}

void grid_session_account(const grid_session *s, grid_account *out) {
    const grid_sums *sums = shown(s);
    *out = (grid_account){.counts = s->ingest.counts,
                          .limits = s->showing ? s->live.limits : s->limits,
                          .geometry = sums->geometry,
                          .method = s->method->name,
                          .once = s->files->once && s->open && !s->whole};
    if (sums->gridder != NULL) s->method->tell(sums->gridder, &out->tally);
    out->outside = sums->outside + out->tally.outside;
    out->weight = out->tally.weight;
    /* What lies outside the grid takes its share of the variance with it. */
    out->noise = out->weight > 0 ? sqrt(sums->variance / (sums->weight * out->weight)) : 0;
}
