/* Builds the pipeline and runs it. The analysis is a wadi program, and the two ends are host code: the source reads samples
 * and feeds the MD5, and the sink packs each analysed block and writes it in order. */
#include "apps/audio/encode.h"

#include <stdlib.h>
#include <string.h>

#include "apps/audio/analysis.h"
#include "apps/audio/dress.h"
#include "apps/audio/frame.h"
#include "apps/audio/md5_tap.h"
#include "apps/audio/pack.h"
#include "apps/audio/recipe.h"
#include "apps/audio/verify.h"
#include "apps/audio/writer.h"
#include "base/clock.h"
#include "base/error.h"

/* The default memory for chunks in flight: a few hundred blocks, so that the stages overlap from the beginning and chunks stay in the
 * processor's cache. */
enum { FRAME_PARTS = 4, PROGRESS_NS = 100000000, DEFAULT_MEMORY = 32 << 20 };

typedef struct encoder {
    flac_input *in;
    int32_t *
        block; /* a block of samples for the stream; the length of the last one is known only when it has been read */
    flac_format format;
    flac_recipe recipe;
    flac_md5_tap md5;
    wadi_program *program;
    wadi_exe *exe;
    wadi_run *run;
    wadi_source *source;
    wadi_sink *sink;
    flac_writer *writer;
    flac_verifier *verifier; /* NULL: none */
    flac_bits bits;          /* of the frame being packed */
    /* progress */
    flac_progress_fn progress;
    void *env;
    flac_progress so_far;
    int64_t started_ns, told_ns;
} encoder;

/* ---- source ---- */

static wadi_status pull(void *env, int64_t index, wadi_yield *yield, wadi_error *err) {
    encoder *e = env;
    int64_t n = 0;
    WADI_UNUSED(index);
    WADI_TRY(flac_input_read(e->in, e->block, e->format.block, &n, err));
    if (n == 0) return WADI_OK;
    flac_md5_tap_hear(&e->md5, e->block, n);
    const int64_t shape[2] = {n, e->format.channels};
    wadi_array to;
    WADI_TRY(wadi_yield_array(yield, 0, shape, &to, err));
    memcpy(to.column[0], e->block, (size_t)(n * e->format.channels) * sizeof *e->block);
    return WADI_OK;
}

static wadi_status make_source(encoder *e, wadi_error *err) {
    const wadi_part part = wadi_part_irregular(WADI_I32, 2);
    e->block = malloc((size_t)(e->format.block * e->format.channels) * sizeof *e->block);
    if (e->block == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    return wadi_source_callback(1, &part, pull, e, &e->source, err);
}

/* ---- sink ---- */

static bool is_part(const wadi_array *a, int rank, wadi_type type) {
    return a->rank == rank && a->fields == 1 && a->type[0] == type;
}

/* The arrays of an element as a frame for the packer. */
static wadi_status view_frame(const encoder *e, int64_t index, int parts, const wadi_array *part,
                              flac_frame *out, wadi_error *err) {
    const int channels = e->format.channels;
    const bool ok = parts == FRAME_PARTS && is_part(&part[0], 1, WADI_I32) &&
                    part[0].shape[0] == FLAC_HEAD_SIZE && is_part(&part[1], 2, WADI_I32) &&
                    part[1].shape[0] == channels && part[1].shape[1] == FLAC_SUB_SIZE &&
                    is_part(&part[2], 1, WADI_I32) && part[3].shape[0] == channels &&
                    (is_part(&part[3], 2, WADI_I32) || is_part(&part[3], 2, WADI_I64));
    if (!ok) {
        return wadi_fail(err, WADI_INTERNAL, "frame %lld: the analysis gave arrays of other shapes",
                         (long long)index);
    }
    const bool wide = part[3].type[0] == WADI_I64;
    *out = (flac_frame){
        .channels = channels,
        .n = part[3].shape[1],
        .head = part[0].column[0],
        .sub = part[1].column[0],
        .rice = part[2].column[0],
        .rice_n = part[2].shape[0],
        .resid32 = wide ? NULL : part[3].column[0],
        .resid64 = wide ? part[3].column[0] : NULL,
    };
    return WADI_OK;
}

static void fill_progress(encoder *e) {
    flac_progress *p = &e->so_far;
    p->bytes_out = flac_writer_bytes(e->writer);
    p->bytes_in = p->frames * e->format.channels * ((e->format.bits + 7) / 8);
    p->elapsed_s = (double)(wadi_clock_ns() - e->started_ns) * 1e-9;
    wadi_run_stats_get(e->run, &p->run);
}

static void tell_progress(encoder *e) {
    const int64_t now = wadi_clock_ns();
    if (e->progress == NULL || now - e->told_ns < PROGRESS_NS) return;
    e->told_ns = now;
    fill_progress(e);
    e->progress(e->env, &e->so_far);
}

static wadi_status push(void *env, int64_t index, int parts, const wadi_array *element,
                        wadi_error *err) {
    encoder *e = env;
    flac_frame frame;
    WADI_TRY(view_frame(e, index, parts, element, &frame, err));
    flac_bits_clear(&e->bits);
    WADI_TRY(flac_pack_frame(&frame, &e->format, index, e->so_far.frames, &e->bits, err));
    if (e->verifier != NULL) {
        WADI_TRY(flac_verifier_hear(e->verifier, e->bits.at, e->bits.n, frame.n, err));
    }
    WADI_TRY(flac_writer_append(e->writer, e->bits.at, e->bits.n, frame.n, err));
    e->so_far.frames += frame.n;
    tell_progress(e);
    return WADI_OK;
}

/* ---- setting up ---- */

static wadi_status open_input(encoder *e, const flac_options *o, wadi_error *err) {
    WADI_TRY(flac_input_open(o->in, &o->wish, &e->in, err));
    const flac_sound_info *info = flac_input_about(e->in);
    if (info->channels > FLAC_MAX_CHANNELS) {
        return wadi_fail(err, WADI_UNSUPPORTED, "%s: %d channels; FLAC holds at most %d", o->in,
                         info->channels, FLAC_MAX_CHANNELS);
    }
    if (info->rate < 1 || info->rate > 1048575) {
        return wadi_fail(err, WADI_UNSUPPORTED, "%s: %d Hz; FLAC holds 1 to 1048575", o->in,
                         info->rate);
    }
    e->recipe = flac_recipe_for(o->level, info->rate, info->channels, info->bits);
    if (o->block > 0) {
        e->recipe.block = o->block;
        e->recipe.cuts = 0;
    }
    if (!o->lax && info->rate <= 48000 && e->recipe.block > FLAC_MAX_LOW_BLOCK) {
        return wadi_fail(err, WADI_UNSUPPORTED,
                         "%s: blocks of %d samples; at %d Hz not every player takes more than %d "
                         "(--lax writes them all the same)",
                         o->in, e->recipe.block, info->rate, FLAC_MAX_LOW_BLOCK);
    }
    e->format = (flac_format){info->rate, info->channels, info->bits, e->recipe.block,
                              flac_recipe_shortest(&e->recipe)};
    e->so_far.total = info->frames;
    e->so_far.rate = info->rate;
    return WADI_OK;
}

static wadi_status compile(encoder *e, bool explain, wadi_error *err) {
    e->program = wadi_program_create("flac");
    if (e->program == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    flac_analysis_build(&e->recipe);
    const wadi_compile_options options = {.explain = explain};
    return wadi_compile(e->program, &options, &e->exe, err);
}

static wadi_status open_output(encoder *e, const flac_options *o, wadi_error *err) {
    flac_stream stream = {.format = e->format,
                          .total = e->so_far.total,
                          .sync = o->sync,
                          .seek = o->seek.at,
                          .nseek = (int)o->seek.n,
                          .no_seektable = o->no_seektable,
                          .blocks = flac_input_blocks(e->in)};
    WADI_TRY(flac_dress(e->in, o, &stream.padding, &e->so_far.tags_replaced, err));
    WADI_TRY(flac_writer_open(o->out, o->force, &stream, &e->writer, err));
    e->so_far.can_seek = flac_writer_can_seek(e->writer);
    return o->verify ? flac_verifier_create(o->out, &e->format, &e->verifier, err) : WADI_OK;
}

static wadi_status connect(encoder *e, const flac_options *o, wadi_error *err) {
    wadi_via_keys keys;
    wadi_run_options options = {
        .threads = o->threads,
        .memory = o->memory > 0 ? o->memory : DEFAULT_MEMORY,
        .chunk = o->chunk,
        .policy = o->chunk != 0 ? "fixed" : NULL,
        .schedule = o->schedule,
    };
    flac_md5_tap_init(&e->md5, e->format.channels, e->format.bits);
    WADI_TRY(make_source(e, err));
    WADI_TRY(wadi_sink_callback(push, e, &e->sink, err));
    wadi_status st = wadi_via_fill(&o->via, &keys, &options, err);
    if (st == WADI_OK) st = wadi_run_create(e->exe, &options, &e->run, err);
    wadi_via_keys_fini(&keys);
    WADI_TRY(st);
    WADI_TRY(wadi_run_source(e->run, FLAC_SAMPLES, e->source, err));
    return wadi_run_sink(e->run, FLAC_FRAMES, e->sink, err);
}

static wadi_status finish(encoder *e, wadi_error *err) {
    uint8_t digest[16];
    flac_md5_tap_final(&e->md5, digest);
    WADI_TRY(flac_input_check(e->in, digest, err));
    if (e->verifier != NULL) WADI_TRY(flac_verifier_end(e->verifier, digest, err));
    flac_input_lost(e->in, &e->so_far.clipped, &e->so_far.nans);
    e->so_far.cue_sheet_dropped = flac_input_about(e->in)->cue_sheet_dropped;
    e->so_far.unproved = flac_input_unproved(e->in);
    fill_progress(e);
    flac_writer *writer = e->writer;
    e->writer = NULL;
    return flac_writer_close(writer, digest, err);
}

static void fini(encoder *e) {
    flac_writer_discard(e->writer);
    wadi_run_destroy(e->run);
    wadi_sink_destroy(e->sink);
    wadi_source_destroy(e->source);
    wadi_exe_destroy(e->exe);
    wadi_program_destroy(e->program);
    flac_bits_fini(&e->bits);
    flac_verifier_destroy(e->verifier);
    flac_input_close(e->in);
    free(e->block);
}

/* ---- compressing and explaining ---- */

wadi_status flac_encode(const flac_options *options, flac_progress_fn progress, void *env,
                        flac_progress *out_end, wadi_error *err) {
    encoder e = {.progress = progress, .env = env, .started_ns = wadi_clock_ns()};
    wadi_status st = open_input(&e, options, err);
    if (st == WADI_OK) st = open_output(&e, options, err);
    if (st == WADI_OK) st = compile(&e, false, err);
    if (st == WADI_OK) st = connect(&e, options, err);
    if (st == WADI_OK) st = wadi_run_go(e.run, err);
    if (st == WADI_OK) st = finish(&e, err);
    if (st == WADI_OK) *out_end = e.so_far;
    fini(&e);
    return st;
}

wadi_status flac_explain(const flac_options *options, char **out_text, wadi_error *err) {
    encoder e = {0};
    wadi_status st = open_input(&e, options, err);
    if (st == WADI_OK) st = compile(&e, true, err);
    if (st == WADI_OK) st = wadi_explain(e.exe, out_text, err);
    fini(&e);
    return st;
}
