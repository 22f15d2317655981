/* Choosing the cheapest layout of a w-stack.
 *
 * Three errors add up: the leaks of the kernels in the directions u, v and w, and rounding. Each leak gets a share of epsilon.
 * A finer grid needs less support and amplifies rounding less; a coarser one has cheaper transforms. All pairs of a grid size
 * and a distance of planes are priced, in both precisions if single is accurate enough. */
#include "apps/gridding/wstack_plan.h"

#include <math.h>

#include "base/error.h"

static const double pi = 3.14159265358979323846;

enum {
    BLOCK = 8,
    TILE = 16,
    PLANES_MOST = 1 << 20,
    LEAST_GRID = 32 /* as wide as the widest kernel */
};

/* Nanoseconds, one core: a transform per element and log2 of its length, an element passed through memory, a complex sum into a cell,
 * what a visibility costs beside its cells. Index: double. */
static const double ns_fft[2] = {0.27, 0.6}, ns_pass[2] = {2, 4}, ns_cell[2] = {1, 1.5},
                    ns_visit[2] = {15, 20};

/* ---- geometry ---- */

double wstack_height(const wstack_plan *p, int64_t x, int64_t y) {
    const double l = (double)x * p->scale, m = (double)y * p->scale, square = l * l + m * m;
    return square >= 1 ? -1 : -square / (1 + sqrt(1 - square));
}

static void measure_heights(wstack_plan *p) {
    const double least = wstack_height(p, p->size / 2, p->size / 2);
    p->middle = 0.5 * least;
    p->half = -0.5 * least;
}

/* The least length of at least n that is a multiple of 16 and has no prime factor above 5. */
static int64_t good_length(double n) {
    for (int64_t length = ((int64_t)ceil(n) + 15) / 16 * 16;; length += 16) {
        int64_t rest = length;
        while (rest % 2 == 0) rest /= 2;
        while (rest % 3 == 0) rest /= 3;
        while (rest % 5 == 0) rest /= 5;
        if (rest == 1) return length;
    }
}

int64_t wstack_planes_for(const wstack_plan *p, double most_w) {
    if (p->flat) return 1;
    const double planes = floor(most_w / p->step - 0.5 + 0.5 * p->w.support) + 1;
    return planes < 1 ? 1 : (int64_t)planes;
}

/* ---- error ---- */

static double rounding(const wstack_plan *p) {
    const double unit = p->single ? 0x1p-24 : 0x1p-53;
    const double gain = p->uv.gain * p->uv.gain * (p->flat ? 1 : p->w.gain);
    return unit * (6 * gain + 2 * (double)p->planes);
}

static bool accurate(const wstack_plan *p) {
    return rounding(p) <= 0.5 * p->epsilon;
}

/* What remains for each direction beside rounding. A leak is rms over the range: a sky whose flux is at the edges, where most leaks, gets
 * more than that of each, and at worst the three of them add up. */
static double share(const wstack_plan *p) {
    return 0.25 * p->epsilon;
}

/* ---- cost ---- */

static double cost(const wstack_plan *p, double n) {
    const int d = !p->single;
    const double s = (double)p->grid, lines = s * (s + (double)p->size);
    const double plane = lines * (ns_fft[d] * log2(s) + ns_pass[d]);
    const double near = p->flat ? 1 : p->w.support;
    const double visit = p->uv.support * p->uv.support * ns_cell[d] + ns_visit[d];
    return (double)p->planes * plane + n * near * visit;
}

static int64_t bytes_of(const wstack_plan *p, int64_t group) {
    const int64_t width = p->single ? 8 : 16, image = p->size * p->size;
    const int64_t lines = p->grid * p->columns * width * group;
    return lines + 4 * p->columns * p->size * width + image / 4 * 16 + 2 * image * 8 +
           p->grid / TILE * p->planes * 8;
}

/* ---- choice ---- */

typedef struct search {
    const grid_job *job;
    double n, most_w;
    wstack_plan best;
    double best_cost;
} search;

static void consider(search *s, wstack_plan *p) {
    p->planes = wstack_planes_for(p, fmin(s->most_w, p->step * PLANES_MOST));
    if (!accurate(p)) return;
    const double c = cost(p, s->n);
    if (c >= s->best_cost) return;
    s->best_cost = c;
    s->best = *p;
}

static const double fineness[] = {1.2, 1.25, 1.3, 1.4, 1.5, 1.65, 1.8, 2.0};
enum { FINENESSES = sizeof fineness / sizeof *fineness };

/* Kernels depend on fineness alone, so those in w are found once. Small images have one grid for several finenesses. */
static void try_all(search *s, wstack_plan *p) {
    es_kernel in_w[FINENESSES];
    bool found[FINENESSES];
    for (int j = 0; j < FINENESSES && !p->flat; j++)
        found[j] = es_kernel_choose(fineness[j], share(p), ES_SUPPORT_MOST, &in_w[j]);
    for (int i = 0; i < FINENESSES; i++) {
        const int64_t before = i > 0 ? p->grid : 0;
        p->grid = good_length(fmax(fineness[i] * (double)p->size, LEAST_GRID));
        if (p->grid == before) continue;
        if (!es_kernel_choose((double)p->grid / (double)p->size, share(p), ES_SUPPORT_MOST, &p->uv))
            continue;
        for (int single = 0; single < 2; single++) {
            p->single = single;
            if (p->flat) consider(s, p);
            for (int j = 0; j < FINENESSES && !p->flat; j++) {
                p->w = in_w[j];
                p->step = 0.5 / (p->half * fineness[j]);
                if (found[j]) consider(s, p);
            }
        }
    }
}

static wadi_status check(const grid_job *job, wadi_error *err) {
    if (job->size < 2 || job->size % 2 != 0 || job->size > 1 << 20)
        return wadi_fail(err, WADI_INVALID,
                         "wstack: an image of %lld pixels along each side, expected an even number",
                         (long long)job->size);
    if (!(job->scale > 0) || !isfinite(job->scale))
        return wadi_fail(err, WADI_INVALID, "wstack: pixels of %g radians", job->scale);
    if (!(job->epsilon > 0 && job->epsilon < 1))
        return wadi_fail(err, WADI_INVALID,
                         "wstack: an accuracy of %g, expected one between 0 and 1", job->epsilon);
    return WADI_OK;
}

static wadi_status fit_memory(const grid_job *job, wstack_plan *p, wadi_error *err) {
    const int64_t memory = job->run.memory > 0 ? job->run.memory : (int64_t)1 << 30;
    const int64_t each = bytes_of(p, 1) - bytes_of(p, 0);
    p->group = memory / 8 / each;
    if (p->group < 1) p->group = 1;
    if (p->group > p->planes) p->group = p->planes;
    p->bytes = bytes_of(p, p->group);
    if (p->bytes > memory && job->run.memory > 0)
        return wadi_fail(
            err, WADI_MEMORY,
            "wstack: an image of %lld x %lld takes %lld bytes, but --memory allows %lld",
            (long long)p->size, (long long)p->size, (long long)p->bytes, (long long)memory);
    return WADI_OK;
}

wadi_status wstack_plan_make(const grid_job *job, int64_t n, double most_w, wstack_plan *out,
                             wadi_error *err) {
    WADI_TRY(check(job, err));
    wstack_plan p = {.size = job->size, .scale = job->scale, .epsilon = job->epsilon, .step = 1};
    measure_heights(&p);
    p.block = BLOCK;
    p.tile = TILE;
    p.columns = (p.size + BLOCK - 1) / BLOCK * BLOCK;
    const double flat_reach = 0.1 * p.epsilon / (4 * pi * p.half);
    p.flat = job->most_w > 0 && most_w <= flat_reach; /* else more w may come */
    search s = {.job = job, .n = (double)n, .most_w = most_w, .best_cost = (double)INFINITY};
    try_all(&s, &p);
    if (!isfinite(s.best_cost))
        return wadi_fail(err, WADI_UNSUPPORTED, "wstack: an accuracy of %g is out of reach",
                         job->epsilon);
    s.best.tiles = s.best.grid / TILE;
    s.best.reach = s.best.flat ? flat_reach : s.best.step * PLANES_MOST;
    WADI_TRY(fit_memory(job, &s.best, err));
    *out = s.best;
    return WADI_OK;
}
