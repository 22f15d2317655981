/* Tables 3 and 5 of paper 001, on this machine.
 *
 * N baselines of SKA1-LOW (512 stations, field 0.008 rad, 2400 x 2400 cells) are gridded with kernels made of two antennas' and a
 * w kernel of 15 x 15; no final transform, as in the paper. Forms:
 *
 *   foreign           listing 5: six transforms by the library for each visibility, in a stream
 *   foreign, hoisted  one: those of the antennas' kernels and of w's have been made
 *   regular           six in the language
 *   regular, hoisted  one in the language
 *   lifted            six in the language, which a stream does for a whole chunk at once because the program says how
 *   one by one        six by the library, a chunk for each visibility
 *
 * The peer is the same computation in C with FFTW and OpenMP. Timed: a batch added to a grid in memory; tables, and in the hoisted
 * forms their transforms, are there. The second benchmark, compile, tells what each form costs when its kernels are compiled anew: from
 * nothing to one baseline on the grid. The layout is that of the real data, where they are; otherwise stations are made up. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "bench/gridding/gridding.h"
#include "apps/gridding/aw_program.h"
#include "bench/gridding/paper_data.h"
#include "bench/gridding/paper_peer.h"

enum { OVERSAMPLE = 8, PADDED = 32 };

typedef struct form {
    const char *name;
    bool own, hoisted, lifted;
    int64_t chunk;
} form;

static const form forms[] = {
    {"foreign", false, false, false, 0}, {"foreign, hoisted", false, true, false, 0},
    {"regular", true, false, false, 0},  {"regular, hoisted", true, true, false, 0},
    {"lifted", true, false, true, 0},    {"one by one", false, false, false, 1},
};
enum { FORMS = sizeof forms / sizeof *forms };

/* What all forms share. */
typedef struct scene {
    paper_data data;
    grid_job job;
    grid_canvas canvas; /* of the tables' maker, and of the peer */
    grid_wtable table;
    double *peer_grid;
    int64_t n;
    int threads;
} scene;

typedef struct ours {
    const scene *s;
    const form *form;
    grid_canvas canvas;
    wadi_exe *exe, *transform;
    wadi_run *transformed;
} ours;

/* ---- wadi ---- */

static grid_aw_form aw_form(const form *f) {
    return (grid_aw_form){.support = PAPER_SIDE,
                          .aterm = PAPER_SIDE,
                          .padded = PADDED,
                          .oversample = OVERSAMPLE,
                          .own = f->own,
                          .hoisted = f->hoisted,
                          .lifted = f->lifted};
}

static wadi_array kernels_a(const scene *s) {
    return (wadi_array){.rank = 3,
                        .fields = 1,
                        .type = {WADI_C128},
                        .shape = {PAPER_STATIONS, PAPER_SIDE, PAPER_SIDE},
                        .column = {s->data.kernel}};
}

static wadi_array kernels_w(const scene *s) {
    wadi_array a = s->table.kernel;
    a.rank = 4;
    a.shape[0] = s->table.bins;
    a.shape[1] = OVERSAMPLE * OVERSAMPLE;
    a.shape[2] = a.shape[3] = PAPER_SIDE;
    return a;
}

static wadi_status make_transforms(ours *o, wadi_error *err) {
    const grid_aw_form f = aw_form(o->form);
    const wadi_array a = kernels_a(o->s), w = kernels_w(o->s);
    WADI_TRY(grid_aw_compile_transforms(&f, &o->transform, err));
    WADI_TRY(wadi_run_create(o->transform, &o->canvas.run, &o->transformed, err));
    WADI_TRY(wadi_run_input(o->transformed, "a", &a, err));
    WADI_TRY(wadi_run_input(o->transformed, "w_kernel", &w, err));
    return wadi_run_go(o->transformed, err);
}

static wadi_status open_ours(const scene *s, const form *f, ours *o, wadi_error *err) {
    *o = (ours){.s = s, .form = f};
    WADI_TRY(grid_canvas_init(&o->canvas, &s->job, PAPER_CELLS, OVERSAMPLE, 0, err));
    o->canvas.run.chunk = f->chunk;
    const grid_aw_form aw = aw_form(f);
    WADI_TRY(grid_aw_compile(&aw, &o->exe, err));
    if (f->hoisted) wadi_exe_warm(o->exe, &o->canvas.run);
    return f->hoisted ? make_transforms(o, err) : WADI_OK;
}

static void close_ours(ours *o) {
    wadi_run_destroy(o->transformed);
    wadi_exe_destroy(o->transform);
    grid_canvas_fini(&o->canvas); /* holds a run of exe */
    wadi_exe_destroy(o->exe);
}

static wadi_status run_ours(void *env, double *out_seconds, wadi_error *err) {
    ours *o = env;
    const wadi_array step = {
        .fields = 1, .type = {WADI_F64}, .column = {(void *)(uintptr_t)&o->s->table.step}};
    grid_bound extra[] = {{"step", step}, {"a", kernels_a(o->s)}, {"w_kernel", kernels_w(o->s)}};
    grid_batch b = o->s->data.vis.batch;
    WADI_UNUSED(out_seconds);
    b.n = o->s->n;
    if (o->form->hoisted) {
        WADI_TRY(wadi_run_result(o->transformed, "a", &extra[1].array, err));
        WADI_TRY(wadi_run_result(o->transformed, "w_kernel", &extra[2].array, err));
    }
    return grid_canvas_add(&o->canvas, o->exe, &b, 3, extra, err);
}

/* ---- the peer ---- */

static wadi_status run_peer(void *env, double *out_seconds, wadi_error *err) {
    const scene *s = env;
    WADI_UNUSED(out_seconds);
    return paper_peer(&s->canvas, &s->table, &s->data.aterms, &s->data.vis.batch, s->n, s->threads,
                      s->peer_grid, err);
}

/* Both have added the same visibilities once. The hoisted forms keep tails that the peer cuts off. */
static wadi_status compare_grids(ours *o, double *out_worst, wadi_error *err) {
    const int64_t values = 2 * (int64_t)PAPER_CELLS * PAPER_CELLS;
    double unused = -1, size = 0, worst = 0;
    memset(o->s->peer_grid, 0, (size_t)values * sizeof(double));
    WADI_TRY(run_ours(o, &unused, err));
    const wadi_status st = run_peer((void *)(uintptr_t)o->s, &unused, err);
    if (st == WADI_UNSUPPORTED) return WADI_OK;
    if (st != WADI_OK) return st;
    const double *got = grid_canvas_cells(&o->canvas);
    for (int64_t i = 0; i < values; i++) {
        size = fmax(size, fabs(o->s->peer_grid[i]));
        worst = fmax(worst, fabs(got[i] - o->s->peer_grid[i]));
    }
    *out_worst = worst / size;
    if (worst <= size * (o->form->hoisted ? 0.02 : 1e-11)) return WADI_OK;
    return wadi_fail(err, WADI_INTERNAL, "%s: the grid differs by %g of its largest value",
                     o->form->name, worst / size);
}

/* ---- tables ---- */

static wadi_status one_case(bench *b, scene *s, const form *f, wadi_error *err) {
    char name[64];
    double worst = 0;
    ours o;
    (void)snprintf(name, sizeof name, "%s, N = %lld", f->name, (long long)s->n);
    if (!bench_wants(b, name)) return WADI_OK;
    wadi_status st = open_ours(s, f, &o, err);
    if (st == WADI_OK) st = compare_grids(&o, &worst, err);
    const bench_side side[] = {{"wadi", run_ours, &o}, {"C, FFTW, OpenMP", run_peer, s}};
    if (st == WADI_OK) st = bench_compare(b, "paper 001", name, 2, side, NULL, err);
    close_ours(&o);
    return st;
}

static wadi_status prepare(scene *s, const char *layout, wadi_error *err) {
    WADI_TRY(paper_data_make(layout, &s->data, err));
    double most = 0;
    for (int64_t k = 0; k < s->data.vis.batch.n; k++)
        most = fmax(most, fabs(s->data.vis.batch.w[k]));
    s->job = (grid_job){.size = PAPER_CELLS,
                        .scale = s->data.aterms.theta / PAPER_CELLS,
                        .run = {.threads = s->threads}};
    WADI_TRY(grid_canvas_init(&s->canvas, &s->job, PAPER_CELLS, OVERSAMPLE, 0, err));
    const grid_wplan plan = {.oversample = OVERSAMPLE,
                             .fixed = PAPER_SIDE,
                             .step = grid_wkernel_step(s->job.size, s->job.scale, 0.1)};
    WADI_TRY(grid_wtable_make(&s->table, &s->canvas, &plan, most, err));
    s->peer_grid = calloc((size_t)PAPER_CELLS * PAPER_CELLS * 2, sizeof *s->peer_grid);
    if (!s->peer_grid) return wadi_fail(err, WADI_MEMORY, "the peer's grid: out of memory");
    return WADI_OK;
}

static void clear(scene *s) {
    free(s->peer_grid);
    grid_wtable_fini(&s->table);
    grid_canvas_fini(&s->canvas);
    paper_data_free(&s->data);
}

static wadi_status open_scene(bench *b, scene *s, wadi_error *err) {
    char path[1024];
    *s = (scene){.threads = b->threads};
    (void)snprintf(path, sizeof path, "%s/layout/ska/LOWBD2.csv", b->data ? b->data : "");
    const bool real = b->data && wadi_file_exists(path);
    const wadi_status st = prepare(s, real ? path : NULL, err);
    if (st == WADI_OK)
        bench_say(b, "paper: %s stations, %lld kernels of w", real ? "SKA1-LOW's" : "made-up",
                  (long long)(s->table.bins * OVERSAMPLE * OVERSAMPLE));
    return st;
}

wadi_status bench_paper(bench *b, wadi_error *err) {
    static const int64_t counts[] = {100, 1000, 5000, 10000, PAPER_BASELINES};
    scene s;
    wadi_status st = open_scene(b, &s, err);
    for (int c = 0; c < (b->quick ? 1 : 5); c++) {
        s.n = counts[c];
        for (int i = 0; st == WADI_OK && i < FORMS; i++) st = one_case(b, &s, &forms[i], err);
    }
    clear(&s);
    return st;
}

/* ---- compile times ---- */

static void empty(const char *directory) {
    char path[512];
    DIR *d = opendir(directory);
    for (const struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        (void)snprintf(path, sizeof path, "%s/%s", directory, e->d_name);
        if (e->d_name[0] != '.') (void)remove(path);
    }
    if (d) (void)closedir(d);
}

typedef struct compiling {
    const scene *s;
    const form *form;
    char directory[64];
} compiling;

static wadi_status run_compiling(void *env, double *out_seconds, wadi_error *err) {
    const compiling *c = env;
    double unused = -1;
    ours o;
    WADI_UNUSED(out_seconds);
    empty(c->directory);
    wadi_status st = open_ours(c->s, c->form, &o, err);
    if (st == WADI_OK) st = run_ours(&o, &unused, err);
    close_ours(&o);
    return st;
}

static wadi_status compile_all(bench *b, scene *s, const char *directory, wadi_error *err) {
    s->n = 1;
    for (int i = 0; i < FORMS; i++) {
        compiling c = {.s = s, .form = &forms[i]};
        const bench_side side[] = {{"wadi", run_compiling, &c}, {"C, FFTW, OpenMP", run_peer, s}};
        (void)snprintf(c.directory, sizeof c.directory, "%s", directory);
        if (bench_wants(b, forms[i].name))
            WADI_TRY(bench_compare(b, "compile", forms[i].name, 2, side, NULL, err));
    }
    return WADI_OK;
}

/* In a cache of its own. The peer's column is what the baseline costs when there is nothing to compile. */
wadi_status bench_compile(bench *b, wadi_error *err) {
    char directory[] = "/tmp/wadi_bench_XXXXXX", kept[1024] = "";
    const char *before = getenv("WADI_CACHE_DIR");
    scene s;
    if (before) (void)snprintf(kept, sizeof kept, "%s", before);
    wadi_status st = open_scene(b, &s, err);
    if (!mkdtemp(directory)) st = wadi_fail(err, WADI_IO, "no directory for a cache");
    (void)setenv("WADI_CACHE_DIR", directory, 1);
    if (st == WADI_OK) st = compile_all(b, &s, directory, err);
    if (before)
        (void)setenv("WADI_CACHE_DIR", kept, 1);
    else
        (void)unsetenv("WADI_CACHE_DIR");
    empty(directory);
    (void)rmdir(directory);
    clear(&s);
    return st;
}
