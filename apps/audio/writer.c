/* Writing a FLAC stream: metadata first, frames in order, then back to complete the metadata. */
#include "apps/audio/writer.h"

#include <stdlib.h>
#include <string.h>

#include "apps/audio/endian.h"
#include "base/error.h"
#include "base/outfile.h"
#include "base/text.h"
#include "base/vec.h"

struct flac_writer {
    char *path; /* for messages */
    wadi_outfile *out;
    bool can_seek;
    bool info_alone, table_last; /* which block ends the metadata, if one of these */
    int64_t first_frame;         /* bytes of metadata before it */
    int64_t seektable_at;        /* position of its block, 0 when there is none */
    flac_streaminfo info;        /* total and frame sizes as written so far */
    flac_seek_plan plan;         /* where seek points are wanted */
    size_t plan_n;               /* how many of these places are passed */
    WADI_VEC(flac_seekpoint) points;
    size_t point_n; /* those that are real */
};

/* ---- open ---- */

static wadi_status open_output(flac_writer *w, bool force, bool sync, wadi_error *err) {
    const wadi_outfile_options options = {.only_new = !force,
                                          .sync = sync ? WADI_SYNC_ALWAYS : WADI_SYNC_REPLACED};
    const wadi_status status = wadi_outfile_open(w->path, &options, &w->out, err);
    if (status == WADI_INVALID)
        return wadi_fail(err, status, "%s: exists; --force overwrites it", w->path);
    if (status == WADI_OK) w->can_seek = wadi_outfile_can_rewrite(w->out);
    return status;
}

/* Room for as many points as are wanted. */
static bool plan_points(flac_writer *w, const flac_stream *stream) {
    const flac_format *f = &stream->format;
    if (!w->can_seek || stream->no_seektable) return true;
    if (!flac_seek_make(stream->seek, stream->nseek, stream->total, f->rate, f->block, &w->plan))
        return false;
    const int64_t n = (int64_t)w->plan.samples.n + w->plan.room;
    for (int64_t i = 0; i < n; i++) {
        if (!wadi_vec_push(&w->points, (flac_seekpoint){-1, 0, 0})) return false;
    }
    return true;
}

/* The seek table is where the source had one, else before all other blocks. */
static void put_table(flac_writer *w, flac_bits *bits) {
    if (w->points.n == 0 || w->seektable_at != 0) return;
    w->seektable_at = (int64_t)bits->n;
    flac_put_seektable(bits, w->points.at, w->points.n, false);
}

static void put_blocks(flac_writer *w, const flac_stream *stream, flac_bits *bits) {
    const size_t n = stream->blocks != NULL ? stream->blocks->list.n : 0;
    if (n == 0 || flac_blocks_find(stream->blocks, FLAC_BLOCK_SEEKTABLE) == NULL) {
        put_table(w, bits);
    }
    for (size_t i = 0; i < n; i++) {
        const flac_block *block = &stream->blocks->list.at[i];
        if (block->type == FLAC_BLOCK_SEEKTABLE) {
            put_table(w, bits);
        } else {
            flac_put_block(bits, block->type, block->body.at, block->body.n, false);
        }
    }
    if (stream->padding >= 0) flac_put_padding(bits, (unsigned)stream->padding, false);
}

/* The position of the header of the last block. */
static size_t last_block(const flac_bits *bits) {
    size_t at = 4;
    for (;;) {
        const size_t next = at + FLAC_BLOCK_HEADER_BYTES + (size_t)flac_be(bits->at + at + 1, 3);
        if (next >= bits->n) return at;
        at = next;
    }
}

static wadi_status write_metadata(flac_writer *w, const flac_stream *stream, wadi_error *err) {
    flac_bits bits = {0};
    wadi_status st = WADI_OK;
    flac_bits_put(&bits, 0x664c6143, 32); /* "fLaC" */
    flac_put_streaminfo(&bits, &w->info, false);
    put_blocks(w, stream, &bits);
    if (bits.failed) {
        st = wadi_fail(err, WADI_MEMORY, "out of memory");
    } else {
        const size_t last = last_block(&bits);
        bits.at[last] |= 0x80;
        w->info_alone = last == 4;
        w->table_last = w->seektable_at != 0 && (int64_t)last == w->seektable_at;
        st = wadi_outfile_write(w->out, bits.at, bits.n, err);
    }
    w->first_frame = wadi_outfile_bytes(w->out);
    flac_bits_fini(&bits);
    return st;
}

wadi_status flac_writer_open(const char *path, bool force, const flac_stream *stream,
                             flac_writer **out, wadi_error *err) {
    flac_writer *w = calloc(1, sizeof *w);
    wadi_text copy = {0};
    wadi_text_add(&copy, path);
    if (w != NULL) w->path = wadi_text_take(&copy);
    if (w == NULL || w->path == NULL) {
        wadi_text_fini(&copy);
        free(w);
        return wadi_fail(err, WADI_MEMORY, "out of memory");
    }
    w->info.format = stream->format;
    wadi_status st = open_output(w, force, stream->sync, err);
    /* In a pipe these values cannot be completed later, so it gets the total that the source promises. */
    if (!w->can_seek && stream->total > 0) w->info.total = stream->total;
    if (st == WADI_OK && !plan_points(w, stream)) st = wadi_fail(err, WADI_MEMORY, "out of memory");
    if (st == WADI_OK) st = write_metadata(w, stream, err);
    if (st != WADI_OK) {
        flac_writer_discard(w);
        return st;
    }
    w->info.total = 0;
    *out = w;
    return WADI_OK;
}

/* ---- frames ---- */

/* A frame has one entry in the table if it holds at least one wanted sample. */
static void note_point(flac_writer *w, int64_t samples) {
    const size_t before = w->plan_n;
    while (w->plan_n < w->plan.samples.n && w->plan.samples.at[w->plan_n] < w->info.total + samples)
        w->plan_n++;
    if (w->plan_n == before) return;
    w->points.at[w->point_n++] =
        (flac_seekpoint){w->info.total, wadi_outfile_bytes(w->out) - w->first_frame, (int)samples};
}

wadi_status flac_writer_append(flac_writer *w, const uint8_t *frame, size_t n, int64_t samples,
                               wadi_error *err) {
    if (w->info.total + samples >= INT64_C(1) << 36) {
        return wadi_fail(err, WADI_UNSUPPORTED, "%s: FLAC holds less than 2^36 samples", w->path);
    }
    note_point(w, samples);
    WADI_TRY(wadi_outfile_write(w->out, frame, n, err));
    const uint32_t size = n > 0xffffff ? 0 : (uint32_t)n;
    if (w->info.total == 0 || size < w->info.min_frame) w->info.min_frame = size;
    if (size > w->info.max_frame) w->info.max_frame = size;
    w->info.total += samples;
    return WADI_OK;
}

/* ---- close ---- */

static void release(flac_writer *w) {
    wadi_vec_free(&w->points);
    flac_seek_fini(&w->plan);
    free(w->path);
    free(w);
}

void flac_writer_discard(flac_writer *owned_w) {
    if (owned_w == NULL) return;
    wadi_outfile_discard(owned_w->out);
    release(owned_w);
}

/* Overwrites a block in its place. */
static wadi_status write_over(flac_writer *w, int64_t at, const flac_bits *bits, wadi_error *err) {
    if (bits->failed) return wadi_fail(err, WADI_MEMORY, "out of memory");
    return wadi_outfile_rewrite(w->out, at, bits->at, bits->n, err);
}

static wadi_status complete_metadata(flac_writer *w, const uint8_t md5[16], wadi_error *err) {
    flac_bits bits = {0};
    memcpy(w->info.md5, md5, 16);
    flac_put_streaminfo(&bits, &w->info, w->info_alone);
    wadi_status st = write_over(w, 4, &bits, err);
    if (st == WADI_OK && w->seektable_at != 0) {
        flac_bits_clear(&bits);
        flac_put_seektable(&bits, w->points.at, w->points.n, w->table_last);
        st = write_over(w, w->seektable_at, &bits, err);
    }
    flac_bits_fini(&bits);
    return st;
}

wadi_status flac_writer_close(flac_writer *owned_w, const uint8_t md5[16], wadi_error *err) {
    flac_writer *w = owned_w;
    wadi_status st = w->can_seek ? complete_metadata(w, md5, err) : WADI_OK;
    if (st == WADI_OK) {
        wadi_outfile *out = w->out;
        w->out = NULL;
        st = wadi_outfile_keep(out, err);
    }
    flac_writer_discard(w);
    return st;
}

bool flac_writer_can_seek(const flac_writer *w) {
    return w->can_seek;
}

int64_t flac_writer_bytes(const flac_writer *w) {
    return wadi_outfile_bytes(w->out);
}
