/* wstack: w-stacking with the exponential-of-semicircle kernel in u, v and w, to a requested accuracy.
 *
 * The image is a sum over planes of constant w, each a Fourier transform of a grid:  exp(2 pi i w (n - 1)) is, for any w, a sum of such
 * exponentials at equally spaced w, weighted by the kernel and divided by its Fourier integral at n - 1, just as it is in u and v
 * (improved w-stacking: Ye, Gull, Tan, Nikolic, MNRAS 510, 2022; Arras, Reinecke, Westermann, Ensslin, A&A 646, 2021). n - 1 is taken
 * from the middle of its range, which halves how far phases reach, and visibilities of negative w are seen from the other side.
 *
 * Memory depends on the image's size and what the job allows; sums are made in an order that depends on neither threads nor chunks
 * nor schedules. Transforms are a library's in their steady form, which may still round differently for batches of other sizes: what
 * calls them always runs element by element (schedule inside), whatever the job says.
 *
 * Each batch is an image of its own, and images are added in order. So with job->via each is made elsewhere, by the same operations. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/gridding/bound.h"
#include "apps/gridding/elsewhere.h"
#include "apps/gridding/methods.h"
#include "apps/gridding/wstack_plan.h"
#include "apps/gridding/wstack_program.h"
#include "apps/gridding/wstack_sort.h"
#include "base/error.h"

typedef struct wstack {
    grid_job job;
    bool planned;
    wstack_plan plan;
    wadi_exe *prepare, *planes, *part, *finish;
    grid_elsewhere *elsewhere; /* NULL: none is open */
    int64_t given,
        added; /* batches, also those that were saved; `added` and `sum` belong to what is open elsewhere */
    int64_t kept;      /* of them, so many were saved before */
    void *turn;        /* c[columns, size]: one plane's distance */
    double *finishing; /* c128[size / 2 + 1, size / 2 + 1] */
    void *image;       /* c[columns, size]: of a batch, up to the plane at hand */
    double *sum;       /* [size, size] */
    grid_tally tally;
} wstack;

static const double pi = 3.14159265358979323846;

static wadi_status no_memory(wadi_error *err) {
    return wadi_fail(err, WADI_MEMORY, "wstack: out of memory");
}

/* ---- opening ---- */

static void close_stack(wstack *s) {
    if (!s) return;
    grid_elsewhere_close(s->elsewhere);
    wadi_exe_destroy(s->prepare);
    wadi_exe_destroy(s->planes);
    wadi_exe_destroy(s->part);
    wadi_exe_destroy(s->finish);
    free(s->turn);
    free(s->finishing);
    free(s->image);
    free(s->sum);
    free(s);
}

static void close_gridder(grid_gridder *g) {
    close_stack((wstack *)g);
}

static wadi_status open_gridder(const grid_job *job, grid_gridder **out, wadi_error *err) {
    wstack_plan estimate;
    *out = NULL;
    WADI_TRY(wstack_plan_make(job, 1000000, job->most_w, &estimate, err));
    wstack *s = calloc(1, sizeof *s);
    if (!s) return no_memory(err);
    s->job = *job;
    s->sum = calloc((size_t)(job->size * job->size), sizeof *s->sum);
    if (!s->sum) {
        close_stack(s);
        return no_memory(err);
    }
    *out = (grid_gridder *)s;
    return WADI_OK;
}

/* ---- tables ---- */

/* 1 / the kernel's integral at pixel `x` from the centre, with the sign that the grid's centre in its middle gives. */
static void fit_taper(const wstack_plan *p, double *out) {
    const int64_t half = p->size / 2;
    es_series series;
    es_series_fit(&p->uv, 0.5 * (double)p->size / (double)p->grid, &series);
    for (int64_t x = 0; x <= half; x++)
        out[x] = (x % 2 ? -1 : 1) / es_series_at(&series, (double)x / (double)p->grid);
}

static void put_complex(const wstack_plan *p, void *to, int64_t at, double re, double im) {
    if (p->single) {
        ((float *)to)[2 * at] = (float)re;
        ((float *)to)[2 * at + 1] = (float)im;
    } else {
        ((double *)to)[2 * at] = re;
        ((double *)to)[2 * at + 1] = im;
    }
}

/* Plane p is at (p + 1/2) step: half a step is the last thing to turn by. */
static void fill_finishing(wstack *s, const double *taper) {
    const wstack_plan *p = &s->plan;
    const int64_t n = p->size / 2 + 1;
    es_series series = {.n = 0};
    if (!p->flat) es_series_fit(&p->w, p->half * p->step, &series);
    for (int64_t x = 0; x < n; x++) {
        for (int64_t y = 0; y <= x; y++) {
            const double height = p->flat ? 0 : wstack_height(p, x, y) - p->middle;
            const double angle = pi * p->step * height;
            const double by =
                taper[x] * taper[y] / (p->flat ? 1 : es_series_at(&series, height * p->step));
            const double re = by * cos(angle), im = by * sin(angle);
            double *out[] = {s->finishing + 2 * (x * n + y), s->finishing + 2 * (y * n + x)};
            out[0][0] = out[1][0] = re;
            out[0][1] = out[1][1] = im;
        }
    }
}

/* A whole step is half of one squared, and of length 1. */
static void fill_turn(wstack *s) {
    const wstack_plan *p = &s->plan;
    const int64_t half = p->size / 2;
    for (int64_t x = 0; x < p->columns; x++) {
        const int64_t across = x < p->size ? llabs(x - half) : half;
        for (int64_t y = 0; y < p->size; y++) {
            const double *z = s->finishing + 2 * (across * (half + 1) + llabs(y - half));
            const double per = 1 / (z[0] * z[0] + z[1] * z[1]);
            put_complex(p, s->turn, x * p->size + y, (z[0] * z[0] - z[1] * z[1]) * per,
                        2 * z[0] * z[1] * per);
        }
    }
}

static wadi_status make_tables(wstack *s, wadi_error *err) {
    const wstack_plan *p = &s->plan;
    const size_t n = (size_t)(p->size / 2 + 1), width = p->single ? 8 : 16;
    double *taper = malloc(n * sizeof *taper);
    free(s->turn), free(s->finishing), free(s->image); /* of an attempt that failed */
    s->turn = malloc((size_t)(p->columns * p->size) * width);
    s->finishing = malloc(n * n * 16);
    s->image = malloc((size_t)(p->columns * p->size) * width);
    const bool fine = taper && s->turn && s->finishing && s->image;
    if (fine) {
        fit_taper(p, taper);
        fill_finishing(s, taper);
        fill_turn(s);
    }
    free(taper);
    return fine ? WADI_OK : no_memory(err);
}

/* ---- programs ---- */

static const wadi_schedule_option planes_schedule = WADI_SCHEDULE_FORCE_INSIDE,
                                  finish_schedule = WADI_SCHEDULE_FORCE_FLAT;

static wadi_run_options options_for(const wstack *s, wadi_schedule_option schedule) {
    wadi_run_options options = s->job.run;
    if (schedule != WADI_SCHEDULE_AUTO) options.schedule = schedule;
    return options;
}

/* Kernels of all three are made side by side, and while tables are. Nothing to do for one that an attempt that failed has left. */
static wadi_status compile(const wstack *s, wadi_program *owned_p, wadi_schedule_option schedule,
                           wadi_exe **io_exe, wadi_error *err) {
    if (!owned_p) return no_memory(err);
    const wadi_compile_options options = {.unchecked = true, /* wstack_sort has checked */
                                          .steady = true};
    const wadi_run_options run = options_for(s, schedule);
    const wadi_status st = *io_exe ? WADI_OK : wadi_compile(owned_p, &options, io_exe, err);
    wadi_program_destroy(owned_p);
    if (st == WADI_OK) wadi_exe_warm(*io_exe, &run);
    return st;
}

/* ---- running ---- */

static wadi_status go(const wstack *s, const wadi_exe *exe, wadi_schedule_option schedule, int n,
                      const grid_bound *bound, wadi_run **out, wadi_error *err) {
    const wadi_run_options options = options_for(s, schedule);
    return grid_run(exe, &options, n, bound, out, err);
}

static wadi_status prepare(const wstack *s, const grid_batch *b, const wstack_entries *e,
                           wadi_run **out, wadi_error *err) {
    const grid_bound bound[] = {
        grid_bind_vector("u", WADI_F64, b->n, b->u),
        grid_bind_vector("v", WADI_F64, b->n, b->v),
        grid_bind_vector("w", WADI_F64, b->n, b->w),
        grid_bind_vector("vis", WADI_C128, b->n, b->vis),
        grid_bind_vector("weight", WADI_F64, b->n, b->weight),
        grid_bind_vector("entry", WADI_I64, e->n, e->entry),
    };
    return go(s, s->prepare, WADI_SCHEDULE_AUTO, sizeof bound / sizeof *bound, bound, out, err);
}

/* What prepare has given, as inputs of the planes; how many. */
static wadi_status bind_prepared(const wstack *s, wadi_run *prepared, grid_bound *bound, int *out_n,
                                 wadi_error *err) {
    const int fields = s->plan.flat ? WSTACK_FLAT_SPOT : WSTACK_SPOT;
    wadi_array spots;
    bound[0].name = "value";
    WADI_TRY(wadi_run_result(prepared, "value", &bound[0].array, err));
    WADI_TRY(wadi_run_result(prepared, "spots", &spots, err));
    for (int f = 0; f < fields; f++)
        bound[1 + f] =
            grid_bind_vector(wstack_spot[f], spots.type[f], spots.shape[0], spots.column[f]);
    *out_n = 1 + fields;
    return WADI_OK;
}

static grid_bound bind_pixels(const wstack *s, const char *name, const void *pixels) {
    const wstack_plan *p = &s->plan;
    const int64_t shape[] = {p->columns, p->size};
    return grid_bind(name, p->single ? WADI_C64 : WADI_C128, 2, shape, pixels);
}

static size_t image_bytes(const wstack_plan *p) {
    return (size_t)(p->columns * p->size) * (p->single ? 8 : 16);
}

/* Planes low .. low + count - 1 onto the image. It is copied, since the run that made it holds lines many times as large: they
 * are given back before the next ones are taken. */
static wadi_status some_planes(const wstack *s, const wstack_entries *e, wadi_run *prepared,
                               int64_t low, int64_t count, wadi_error *err) {
    const wstack_plan *p = &s->plan;
    const int64_t parts = count * p->tiles;
    const grid_bound rest[] = {
        grid_bind_vector("offset", WADI_I64, p->tiles * e->firsts + 1, e->offset),
        grid_bind("firsts", WADI_I64, 0, NULL, &e->firsts),
        grid_bind("low", WADI_I64, 0, NULL, &low),
        grid_bind("count", WADI_I64, 0, NULL, &count),
        grid_bind("parts", WADI_I64, 0, NULL, &parts),
        bind_pixels(s, "turn", s->turn),
        bind_pixels(s, "image", s->image),
    };
    enum { REST = sizeof rest / sizeof *rest };
    grid_bound bound[1 + WSTACK_SPOT + REST];
    wadi_run *run = NULL;
    wadi_array image;
    int n = 0;
    WADI_TRY(bind_prepared(s, prepared, bound, &n, err));
    for (int i = 0; i < REST; i++) bound[n++] = rest[i];
    wadi_status st = go(s, s->planes, planes_schedule, n, bound, &run, err);
    if (st == WADI_OK) st = wadi_run_result(run, "image", &image, err);
    if (st == WADI_OK) /* blocks of columns are columns */
        memcpy(s->image, image.column[0], image_bytes(p));
    wadi_run_destroy(run);
    return st;
}

/* Adds the image of a batch to the sum. */
static wadi_status finish(wstack *s, const void *image, wadi_error *err) {
    const wstack_plan *p = &s->plan;
    const int64_t half[] = {p->size / 2 + 1, p->size / 2 + 1}, square[] = {p->size, p->size};
    const grid_bound bound[] = {bind_pixels(s, "image", image),
                                grid_bind("finish", WADI_C128, 2, half, s->finishing),
                                grid_bind("sum", WADI_F64, 2, square, s->sum)};
    wadi_run *run = NULL;
    wadi_array sum;
    wadi_status st = go(s, s->finish, finish_schedule, 3, bound, &run, err);
    if (st == WADI_OK) st = wadi_run_result(run, "sum", &sum, err);
    if (st == WADI_OK) memcpy(s->sum, sum.column[0], (size_t)(p->size * p->size) * sizeof *s->sum);
    wadi_run_destroy(run);
    if (st == WADI_OK) s->added++;
    return st == WADI_OK && s->job.saved ? grid_saved_note(s->job.saved, s->added, s->sum, err)
                                         : st;
}

static wadi_status plan_for(wstack *s, int64_t n, double most_w, wadi_error *err) {
    if (s->planned) return WADI_OK;
    WADI_TRY(wstack_plan_make(&s->job, n, fmax(most_w, s->job.most_w), &s->plan, err));
    WADI_TRY(compile(s, wstack_prepare(&s->plan), WADI_SCHEDULE_AUTO, &s->prepare, err));
    if (s->job.via)
        WADI_TRY(compile(s, wstack_part(&s->plan), WADI_SCHEDULE_AUTO, &s->part, err));
    else
        WADI_TRY(compile(s, wstack_planes(&s->plan), planes_schedule, &s->planes, err));
    WADI_TRY(compile(s, wstack_finish(&s->plan), finish_schedule, &s->finish, err));
    WADI_TRY(make_tables(s, err));
    if (s->job.saved) s->added = s->kept = grid_saved_take(s->job.saved, s->sum);
    s->planned = true;
    return WADI_OK;
}

static wadi_status add_here(wstack *s, const grid_batch *batch, const wstack_entries *e,
                            wadi_error *err) {
    const wstack_plan *p = &s->plan;
    wadi_run *prepared = NULL;
    wadi_status st = prepare(s, batch, e, &prepared, err);
    memset(s->image, 0, image_bytes(p));
    for (int64_t below = e->planes; below > 0 && st == WADI_OK; below -= p->group) {
        const int64_t low = below > p->group ? below - p->group : 0;
        st = some_planes(s, e, prepared, low, below - low, err);
    }
    wadi_run_destroy(prepared);
    return st == WADI_OK ? finish(s, s->image, err) : st;
}

/* ---- elsewhere ---- */

static wadi_status take_image(void *env, const wadi_array *image, wadi_error *err) {
    return finish(env, image->column[0], err);
}

static wadi_status open_elsewhere(wstack *s, wadi_error *err) {
    const grid_bound turn = bind_pixels(s, "turn", s->turn);
    wstack_column about[WSTACK_PART];
    wadi_part column[WSTACK_PART];
    grid_elsewhere_options o = {.exe = s->part,
                                .via = s->job.via,
                                .run = options_for(s, WADI_SCHEDULE_AUTO),
                                .columns = WSTACK_PART,
                                .column = column,
                                .bounds = 1,
                                .bound = &turn,
                                .take = take_image,
                                .env = s};
    wstack_part_columns(&s->plan, about);
    for (int i = 0; i < WSTACK_PART; i++)
        column[i] = wadi_part_irregular(about[i].type, about[i].rank);
    o.run.memory = 4 * (o.run.memory > 0 ? o.run.memory : INT64_C(1) << 30);
    return grid_elsewhere_open(&o, &s->elsewhere, err);
}

static wadi_status give(const wstack *s, wadi_run *prepared, const wstack_entries *e,
                        wadi_error *err) {
    const int64_t slots = s->plan.tiles * e->firsts + 1;
    grid_bound bound[WSTACK_PART];
    wadi_array part[WSTACK_PART];
    wstack_column about[WSTACK_PART];
    int n = 0;
    WADI_TRY(bind_prepared(s, prepared, bound, &n, err));
    wstack_part_columns(&s->plan, about);
    for (; n < 1 + WSTACK_SPOT; n++) bound[n] = grid_bind_vector("", about[n].type, 0, NULL);
    bound[n++] = grid_bind_vector("offset", WADI_I64, slots, e->offset);
    bound[n++] = grid_bind("planes", WADI_I64, 0, NULL, &e->planes);
    for (int i = 0; i < n; i++) part[i] = bound[i].array;
    return grid_elsewhere_give(s->elsewhere, part, err);
}

static wadi_status add_elsewhere(wstack *s, const grid_batch *b, const wstack_entries *e,
                                 wadi_error *err) {
    wadi_run *prepared = NULL;
    if (!s->elsewhere) WADI_TRY(open_elsewhere(s, err));
    wadi_status st = prepare(s, b, e, &prepared, err);
    if (st == WADI_OK) st = give(s, prepared, e, err);
    wadi_run_destroy(prepared);
    return st;
}

/* What is elsewhere has come back; more may be added. */
static wadi_status settle(wstack *s, wadi_error *err) {
    if (!s->elsewhere) return WADI_OK;
    const wadi_status st = grid_elsewhere_end(s->elsewhere, err);
    grid_elsewhere_close(s->elsewhere);
    s->elsewhere = NULL;
    return st;
}

/* ---- the method ---- */

static wadi_status add_entries(wstack *s, const grid_batch *batch, wadi_error *err) {
    wstack_entries e;
    WADI_TRY(wstack_sort(&s->plan, batch, &e, err));
    const wadi_status st =
        s->job.via ? add_elsewhere(s, batch, &e, err) : add_here(s, batch, &e, err);
    wstack_entries_fini(&e);
    return st;
}

/* One by one, so that the sum does not depend on where batches end. */
static void count(wstack *s, const grid_batch *b) {
    for (int64_t k = 0; k < b->n; k++) {
        if (wstack_takes(&s->plan, b, k)) {
            s->tally.gridded++;
            s->tally.weight += b->weight[k];
        } else {
            s->tally.outside++;
        }
    }
}

static wadi_status add(grid_gridder *g, const grid_batch *batch, wadi_error *err) {
    wstack *s = (wstack *)g;
    if (batch->n == 0) return WADI_OK;
    WADI_TRY(plan_for(s, batch->n, wstack_most_w(NULL, batch), err));
    const int64_t before = s->tally.gridded,
                  planes = wstack_planes_for(&s->plan, wstack_most_w(&s->plan, batch));
    count(s, batch);
    if (planes > s->tally.planes) s->tally.planes = planes;
    if (s->tally.gridded == before) return WADI_OK; /* nothing to add */
    return s->given++ < s->kept ? WADI_OK : add_entries(s, batch, err);
}

static wadi_status image(grid_gridder *g, double *out, wadi_error *err) {
    wstack *s = (wstack *)g;
    WADI_TRY(settle(s, err));
    memcpy(out, s->sum, (size_t)(s->job.size * s->job.size) * sizeof *out);
    return WADI_OK;
}

static void stop(grid_gridder *g) {
    wstack *s = (wstack *)g;
    grid_elsewhere_close(s->elsewhere);
    s->elsewhere = NULL;
}

static void tell(const grid_gridder *g, grid_tally *out) {
    const wstack *s = (const wstack *)g;
    *out = s->tally;
    out->grid = s->plan.grid;
    out->support_least = out->support_most = s->plan.uv.support;
}

const grid_method grid_wstack = {
    .name = "wstack",
    .about = "w-stacking with a kernel in u, v and w, to a requested accuracy",
    .open = open_gridder,
    .add = add,
    .image = image,
    .tell = tell,
    .close = close_gridder,
    .stop = stop,
};
