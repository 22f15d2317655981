/* Building and running the program that turns rows into visibilities. It is built for one file: its extents, channels and
 * products are constants of the kernel. */
#include "apps/gridding/ingest.h"

#include <stdio.h>
#include <stdlib.h>

#include "apps/gridding/rows.h"
#include "apps/gridding/spool.h"
#include "base/error.h"
#include "sched/stream.h"

/* What happens to a visibility. The body gives the counts of dropped visibilities in this order. */
enum { KEPT = -1, FLAGGED, BROKEN, AUTO, FATES };
static const char *const fate_name[FATES] = {"flagged", "broken", "auto"};

/* ---- the program ---- */

typedef struct body {
    const grid_take *take;
    grid_mix mix;
    int64_t first;                   /* channel */
    wadi_acc wavelengths, frequency; /* [channels taken]: per metre; Hz */
    wadi_acc uvw, pair, time, data, weight;
} body;

/* The weight of a product, f64; zero or less: flagged. */
static wadi_exp weight_of(const body *b, wadi_exp channel, int product) {
    const wadi_exp w =
        wadi_convert(WADI_F64, wadi_index2(b->weight, channel, wadi_i64(b->mix.at[product])));
    return b->take->force_flagged ? wadi_abs(w) : w;
}

static wadi_exp not_finite(wadi_exp x) {
    return wadi_lor(wadi_isnan(x), wadi_isinf(x));
}

typedef struct sample {
    wadi_exp vis, weight, flagged, broken;
} sample;

static sample single(const body *b, wadi_exp channel, int product) {
    sample s;
    s.vis = wadi_index2(b->data, channel, wadi_i64(b->mix.at[product]));
    s.weight = weight_of(b, channel, product);
    s.flagged = wadi_lnot(wadi_gt(s.weight, wadi_f64(0)));
    s.broken = wadi_lor(not_finite(s.vis), wadi_isinf(s.weight));
    return s;
}

/* Two products into one: see grid_mix. */
static sample combined(const body *b, wadi_exp channel) {
    const grid_mix *m = &b->mix;
    if (m->n == 1) return single(b, channel, 0);
    const sample x = single(b, channel, 0), y = single(b, channel, 1);
    sample s;
    const wadi_exp sum = wadi_add(x.weight, y.weight), zero = wadi_f64(0);
    if (m->mean) {
        const wadi_exp vis = wadi_add(wadi_mul(x.vis, wadi_complex(x.weight, zero)),
                                      wadi_mul(y.vis, wadi_complex(y.weight, zero)));
        s.vis = wadi_div(vis, wadi_complex(sum, zero));
        s.weight = sum;
    } else {
        s.vis = wadi_add(wadi_mul(x.vis, wadi_c128(m->re[0], m->im[0])),
                         wadi_mul(y.vis, wadi_c128(m->re[1], m->im[1])));
        s.weight = wadi_div(wadi_mul(wadi_f64(4), wadi_mul(x.weight, y.weight)), sum);
    }
    s.flagged = wadi_lor(x.flagged, y.flagged);
    s.broken = wadi_lor(x.broken, y.broken);
    return s;
}

/* Whether it is an autocorrelation: both antennas have one number or, if the file does not name them, the baseline has no length. */
static wadi_exp is_auto(const body *b) {
    const wadi_exp first = wadi_index1(b->pair, wadi_i64(0)),
                   second = wadi_index1(b->pair, wadi_i64(1)), known = wadi_ge(first, wadi_i32(0));
    wadi_exp still = wadi_bool(true);
    for (int d = 0; d < 3; d++)
        still = wadi_land(still, wadi_eq(wadi_index1(b->uvw, wadi_i64(d)), wadi_f64(0)));
    return wadi_cond(known, wadi_eq(first, second), still);
}

static wadi_exp is_nowhere(const body *b) {
    wadi_exp nowhere = wadi_bool(false);
    for (int d = 0; d < 3; d++)
        nowhere = wadi_lor(nowhere, not_finite(wadi_index1(b->uvw, wadi_i64(d))));
    return nowhere;
}

static wadi_exp fate(const body *b, const sample *s) {
    const wadi_exp good = wadi_i32(KEPT), broken = wadi_lor(s->broken, is_nowhere(b));
    wadi_exp code = wadi_cond(broken, wadi_i32(BROKEN), good);
    code = wadi_cond(s->flagged, wadi_i32(FLAGGED), code);
    if (b->take->autocorrelations) return code;
    return wadi_cond(is_auto(b), wadi_i32(AUTO), code);
}

static wadi_exp fate_at(void *env, wadi_ix ix) {
    const body *b = env;
    const sample s = combined(b, wadi_add(ix.at[0], wadi_i64(b->first)));
    return fate(b, &s);
}

static wadi_exp visibility_at(void *env, wadi_ix ix) {
    const body *b = env;
    const wadi_exp per_metre = wadi_index1(b->wavelengths, ix.at[0]);
    const sample s = combined(b, wadi_add(ix.at[0], wadi_i64(b->first)));
    wadi_exp value[GRID_FIELDS];
    for (int d = 0; d < 3; d++)
        value[GRID_U + d] = wadi_mul(wadi_index1(b->uvw, wadi_i64(d)), per_metre);
    value[GRID_U] = wadi_neg(value[GRID_U]);
    value[GRID_VIS] = b->take->psf ? wadi_c128(1, 0) : s.vis;
    value[GRID_WEIGHT] = s.weight;
    value[GRID_FIRST] = wadi_index1(b->pair, wadi_i64(0));
    value[GRID_SECOND] = wadi_index1(b->pair, wadi_i64(1));
    value[GRID_TIME] = wadi_the(b->time);
    value[GRID_FREQUENCY] = wadi_index1(b->frequency, ix.at[0]);
    return wadi_rec(GRID_FIELDS, grid_field_name, value);
}

static wadi_exp is_kept(wadi_exp code) {
    return wadi_eq(code, wadi_i32(KEPT));
}

static wadi_exp tell_fate(wadi_exp code) {
    wadi_exp count[FATES];
    for (int f = 0; f < FATES; f++) count[f] = wadi_convert(WADI_I64, wadi_eq(code, wadi_i32(f)));
    return wadi_rec(FATES, fate_name, count);
}

static wadi_exp add_counts(wadi_exp a, wadi_exp b) {
    wadi_exp count[FATES];
    for (int f = 0; f < FATES; f++)
        count[f] = wadi_add(wadi_get(a, fate_name[f]), wadi_get(b, fate_name[f]));
    return wadi_rec(FATES, fate_name, count);
}

static wadi_acc row(void *env, wadi_acc parts) {
    body b = *(const body *)env;
    b.uvw = wadi_tuple_get(parts, WADI_VIS_UVW);
    b.pair = wadi_tuple_get(parts, WADI_VIS_PAIR);
    b.time = wadi_tuple_get(parts, WADI_VIS_TIME);
    b.data = wadi_tuple_get(parts, WADI_VIS_DATA);
    b.weight = wadi_tuple_get(parts, WADI_VIS_WEIGHT);
    const wadi_exp zeros[FATES] = {wadi_i64(0), wadi_i64(0), wadi_i64(0)};
    const wadi_ix channels = wadi_shape_of(b.wavelengths);
    const wadi_acc fates = wadi_compute(wadi_generate_env(channels, fate_at, &b)),
                   all = wadi_generate_env(channels, visibility_at, &b),
                   kept = wadi_compact(wadi_map(is_kept, fates), all),
                   counts = wadi_fold(add_counts, wadi_rec(FATES, fate_name, zeros),
                                      wadi_map(tell_fate, fates));
    return wadi_tuple2(wadi_tuple_get(kept, 0), counts);
}

static void build(body *b, const wadi_vis_info *info, int64_t channels) {
    char taken[24];
    (void)snprintf(taken, sizeof taken, "%lld", (long long)channels);
    const char *const list[] = {taken};
    b->wavelengths = wadi_input("wavelengths", WADI_F64, 1, list);
    b->frequency = wadi_input("frequency", WADI_F64, 1, list);
    wadi_stream_out(wadi_map_seq_env(row, b, grid_rows_in(info)), "visibilities");
}

/* ---- the sink ---- */

typedef struct taker {
    wadi_sink base;
    grid_ingest *g;
    int64_t channels;
} taker;

static void destroy(wadi_sink *self) {
    WADI_UNUSED(self);
}

static wadi_status keep_values(grid_ingest *g, void *const *columns, int64_t n, wadi_error *err) {
    for (int64_t from = 0; from < n;) {
        const int64_t room = g->store->most - g->store->n, some = n - from < room ? n - from : room;
        WADI_TRY(grid_store_append(g->store, columns, from, some, err));
        from += some;
        if (g->store->n == g->store->most && g->full != NULL) WADI_TRY(g->full(g->env, err));
    }
    g->counts.kept += n;
    return WADI_OK;
}

static wadi_status take_values(grid_ingest *g, void *const *columns, int64_t n, wadi_error *err) {
    if (g->spool != NULL) WADI_TRY(grid_spool_add(g->spool, columns, n, err));
    return keep_values(g, columns, n, err);
}

static wadi_status take_chunk(const taker *t, wadi_chunk *c, wadi_error *err) {
    grid_ingest *g = t->g;
    const wadi_chunk_component *values = &c->component[0];
    for (int64_t i = 0; i < c->count; i++) {
        const wadi_array counts = wadi_chunk_array(c, 1, i);
        g->counts.flagged += *(const int64_t *)counts.column[FLAGGED];
        g->counts.broken += *(const int64_t *)counts.column[BROKEN];
        g->counts.autocorrelations += *(const int64_t *)counts.column[AUTO];
    }
    g->counts.rows += c->count;
    g->counts.read += c->count * t->channels;
    if (values->layout == WADI_LAYOUT_IRREGULAR) {
        WADI_TRY(take_values(g, values->column, values->values, err));
    } else {
        for (int64_t i = 0; i < c->count; i++) {
            const wadi_array a = wadi_chunk_array(c, 0, i);
            WADI_TRY(take_values(g, a.column, a.shape[0], err));
        }
    }
    if (g->spool != NULL) WADI_TRY(grid_spool_note(g->spool, &g->counts, err));
    return g->tick != NULL ? g->tick(g->env, err) : WADI_OK;
}

static wadi_status put(wadi_sink *self, wadi_chunk *c, wadi_error *err) {
    const taker *t = (const taker *)self;
    if (t->g->lock != NULL) wadi_mutex_lock(t->g->lock);
    const wadi_status status = take_chunk(t, c, err);
    if (t->g->lock != NULL) wadi_mutex_unlock(t->g->lock);
    return status;
}

static const wadi_sink_ops sink_ops = {destroy, put, NULL, NULL};

/* ---- what was saved ---- */

static wadi_status take_saved(void *env, void *const *columns, int64_t n, wadi_error *err) {
    grid_ingest *g = env;
    if (g->lock != NULL) wadi_mutex_lock(g->lock);
    wadi_status status = keep_values(g, columns, n, err);
    if (status == WADI_OK && g->tick != NULL) status = g->tick(g->env, err);
    if (g->lock != NULL) wadi_mutex_unlock(g->lock);
    return status;
}

wadi_status grid_ingest_saved(grid_ingest *g, wadi_error *err) {
    grid_counts counts = {0};
    if (g->spool == NULL) return WADI_OK;
    WADI_TRY(grid_spool_replay(g->spool, take_saved, g, &counts, err));
    if (g->lock != NULL) wadi_mutex_lock(g->lock);
    g->counts = counts;
    if (g->lock != NULL) wadi_mutex_unlock(g->lock);
    return WADI_OK;
}

/* ---- a file ---- */

wadi_status grid_take_channels(const grid_take *t, const wadi_vis_info *info, const char *name,
                               int64_t *first, int64_t *n, wadi_error *err) {
    const int64_t last = t->last_channel >= 0 ? t->last_channel : info->channels - 1;
    if (t->first_channel > last || last >= info->channels)
        return wadi_fail(
            err, WADI_INVALID, "%s: expected channels %lld to %lld, but it has 0 to %lld", name,
            (long long)t->first_channel, (long long)last, (long long)info->channels - 1);
    *first = t->first_channel;
    *n = last - t->first_channel + 1;
    return WADI_OK;
}

static wadi_status bind(wadi_run *run, const char *name, double *values, int64_t n,
                        wadi_error *err) {
    const wadi_array a = {
        .rank = 1, .fields = 1, .type = {WADI_F64}, .shape = {n}, .column = {values}};
    return wadi_run_input(run, name, &a, err);
}

/* Runs the compiled program from the file's rows into the store. tables: [2, channels] of scratch. */
static wadi_status go(grid_ingest *g, const wadi_exe *exe, wadi_vis *vis, int64_t first,
                      int64_t channels, double *tables, wadi_error *err) {
    const double *frequency = wadi_vis_about(vis)->frequency + first;
    taker t = {{.ops = &sink_ops, .kind = "visibilities", .wake_fd = -1}, g, channels};
    wadi_source *rows = NULL;
    wadi_run *run = NULL;
    for (int64_t i = 0; i < channels; i++) {
        tables[i] = frequency[i] / 299792458;
        tables[channels + i] = frequency[i];
    }
    wadi_status status = wadi_vis_source(vis, &rows, err);
    if (status == WADI_OK) status = wadi_run_create(exe, &g->run, &run, err);
    if (status == WADI_OK) status = bind(run, "wavelengths", tables, channels, err);
    if (status == WADI_OK) status = bind(run, "frequency", tables + channels, channels, err);
    if (status == WADI_OK) status = wadi_run_source(run, "rows", rows, err);
    if (status == WADI_OK) status = wadi_run_sink(run, "visibilities", &t.base, err);
    if (status == WADI_OK) {
        g->running = run;
        status = wadi_run_go(run, err);
        g->running = NULL;
    }
    wadi_run_destroy(run);
    wadi_source_destroy(rows);
    return status;
}

wadi_status grid_ingest_rows(grid_ingest *g, wadi_vis *vis, const char *name, wadi_error *err) {
    const wadi_vis_info *info = wadi_vis_about(vis);
    body b = {.take = &g->take};
    int64_t channels = 0;
    wadi_exe *exe = NULL;
    WADI_TRY(grid_mix_choose(info, g->take.stokes, name, &b.mix, err));
    WADI_TRY(grid_take_channels(&g->take, info, name, &b.first, &channels, err));
    wadi_program *program = wadi_program_create("ingest");
    double *tables = malloc((size_t)channels * 2 * sizeof *tables);
    wadi_status status = program != NULL && tables != NULL
                             ? WADI_OK
                             : wadi_fail(err, WADI_MEMORY, "%s: out of memory", name);
    if (status == WADI_OK) {
        build(&b, info, channels);
        status = wadi_compile(program, NULL, &exe, err);
    }
    if (status == WADI_OK) status = go(g, exe, vis, b.first, channels, tables, err);
    wadi_exe_destroy(exe);
    wadi_program_destroy(program);
    free(tables);
    return status;
}
