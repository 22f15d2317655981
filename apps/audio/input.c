/* The table of inputs, and finding the row that fits a file. */
#include "apps/audio/input.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/process.h"

/* The first kind that recognises the input reads it. The last one tries any input. */
static const flac_kind_open kinds[] = {flac_coded_open, flac_stored_open, flac_other_open};

static wadi_status open_kind(flac_input *in, const flac_wish *wish, wadi_error *err) {
    for (size_t i = 0; in->ops == NULL && i < sizeof kinds / sizeof kinds[0]; i++) {
        flac_bytes_rewind(in->bytes);
        WADI_TRY(kinds[i](in, wish, err));
    }
    return WADI_OK;
}

/* ---- a part of it ---- */

static wadi_status skip(flac_input *in, int64_t frames, wadi_error *err) {
    enum { PIECE = 4096 };
    int32_t *piece = malloc((size_t)(PIECE * in->info.channels) * sizeof *piece);
    wadi_status st = piece != NULL ? WADI_OK : wadi_fail(err, WADI_MEMORY, "out of memory");
    while (st == WADI_OK && frames > 0) {
        int64_t n = 0;
        if (wadi_stop_called(wadi_process_stop()))
            st = wadi_fail(err, WADI_CANCELLED, "%s: cancelled", flac_bytes_path(in->bytes));
        if (st == WADI_OK)
            st = flac_input_read(in, piece, frames < PIECE ? frames : PIECE, &n, err);
        if (st == WADI_OK && n == 0)
            st = wadi_fail(err, WADI_INVALID, "%s: --skip: it ends at sample %lld",
                           flac_bytes_path(in->bytes), (long long)in->at);
        frames -= n;
    }
    free(piece);
    return st;
}

static wadi_status take_part(flac_input *in, const flac_range *range, wadi_error *err) {
    int64_t from = 0, to = -1;
    WADI_TRY(flac_range_resolve(range, flac_bytes_path(in->bytes), in->info.rate, in->info.frames,
                                &from, &to, err));
    WADI_TRY(skip(in, from, err));
    in->to = to;
    in->info.frames = to >= 0 ? to - from : -1;
    in->info.is_part = true;
    in->info.has_md5 = false;
    in->info.cue_sheet_dropped = flac_blocks_find(&in->blocks, FLAC_BLOCK_CUESHEET) != NULL;
    flac_blocks_remove_type(&in->blocks, FLAC_BLOCK_CUESHEET);
    return WADI_OK;
}

/* ---- opening and reading ---- */

wadi_status flac_input_open(const char *path, const flac_wish *wish, flac_input **out,
                            wadi_error *err) {
    flac_input *in = calloc(1, sizeof *in);
    if (in == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    in->to = -1;
    wadi_status st = flac_bytes_open(path, &in->bytes, err);
    if (st == WADI_OK) st = open_kind(in, wish, err);
    if (st == WADI_OK) in->promised = in->info.frames;
    if (st == WADI_OK && flac_range_given(&wish->range)) st = take_part(in, &wish->range, err);
    if (st != WADI_OK) {
        flac_input_close(in);
        return st;
    }
    *out = in;
    return WADI_OK;
}

void flac_input_close(flac_input *in) {
    if (in == NULL) return;
    if (in->ops != NULL) in->ops->close(in->state);
    flac_blocks_fini(&in->blocks);
    flac_bytes_close(in->bytes);
    free(in);
}

const flac_sound_info *flac_input_about(const flac_input *in) {
    return &in->info;
}

flac_blocks *flac_input_blocks(flac_input *in) {
    return &in->blocks;
}

/* Compares the number of frames with the header and with the range. */
static wadi_status check_end(const flac_input *in, bool at_end, wadi_error *err) {
    const char *path = flac_bytes_path(in->bytes);
    if (in->promised >= 0 && in->at > in->promised) {
        return wadi_fail(err, WADI_IO,
                         "%s: its header promises %lld frames, but there are more (frame %lld)",
                         path, (long long)in->promised, (long long)in->at);
    }
    if (at_end && in->promised > in->at) {
        return wadi_fail(err, WADI_IO,
                         "%s: truncated: its header promises %lld frames, it ends at frame %lld",
                         path, (long long)in->promised, (long long)in->at);
    }
    if (at_end && in->to > in->at) {
        return wadi_fail(err, WADI_INVALID, "%s: --until: sample %lld; it has only %lld", path,
                         (long long)in->to, (long long)in->at);
    }
    return WADI_OK;
}

wadi_status flac_input_read(flac_input *in, int32_t *out, int64_t frames, int64_t *out_frames,
                            wadi_error *err) {
    const int64_t left = in->to - in->at;
    const int64_t want = in->to >= 0 && left < frames ? left : frames;
    int64_t got = 0;
    if (want > 0) WADI_TRY(in->ops->read(in->state, out, want, &got, err));
    in->at += got;
    WADI_TRY(check_end(in, got < want, err));
    *out_frames = got;
    return WADI_OK;
}

wadi_status flac_input_check(const flac_input *in, const uint8_t md5[16], wadi_error *err) {
    if (!in->info.has_md5 || memcmp(in->info.md5, md5, sizeof in->info.md5) == 0) return WADI_OK;
    return wadi_fail(err, WADI_IO,
                     "%s: damaged: its samples do not have the MD5 that its STREAMINFO states",
                     flac_bytes_path(in->bytes));
}

bool flac_input_unproved(const flac_input *in) {
    return in->info.is_flac && !in->info.has_md5 && !in->info.is_part;
}

void flac_input_lost(const flac_input *in, int64_t *out_clipped, int64_t *out_nan) {
    *out_clipped = 0;
    *out_nan = 0;
    if (in->ops->lost != NULL) in->ops->lost(in->state, out_clipped, out_nan);
}
