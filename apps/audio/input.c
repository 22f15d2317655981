/* See the header. */
#include "apps/audio/input.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* The first that knows the input takes it; the last one takes all. */
static const flac_kind_open kinds[] = {flac_coded_open, flac_stored_open, flac_other_open};

static wadi_status open_kind(flac_input *in, const flac_wish *wish, wadi_error *err) {
    for (size_t i = 0; in->ops == NULL && i < sizeof kinds / sizeof kinds[0]; i++) {
        flac_bytes_rewind(in->bytes);
        WADI_TRY(kinds[i](in, wish, err));
    }
    return WADI_OK;
}

wadi_status flac_input_open(const char *path, const flac_wish *wish, flac_input **out,
                            wadi_error *err) {
    flac_input *in = calloc(1, sizeof *in);
    if (in == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    wadi_status st = flac_bytes_open(path, &in->bytes, err);
    if (st == WADI_OK) st = open_kind(in, wish, err);
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

wadi_status flac_input_read(flac_input *in, int32_t *out, int64_t frames, int64_t *out_frames,
                            wadi_error *err) {
    int64_t got = 0;
    WADI_TRY(in->ops->read(in->state, out, frames, &got, err));
    in->at += got;
    const char *path = flac_bytes_path(in->bytes);
    if (in->info.frames >= 0 && in->at > in->info.frames) {
        return wadi_fail(err, WADI_IO,
                         "%s: its header promises %lld frames, but there are more (frame %lld)",
                         path, (long long)in->info.frames, (long long)in->at);
    }
    if (got < frames && in->info.frames > in->at) {
        return wadi_fail(err, WADI_IO,
                         "%s: truncated: its header promises %lld frames, it ends at frame %lld",
                         path, (long long)in->info.frames, (long long)in->at);
    }
    *out_frames = got;
    return WADI_OK;
}

wadi_status flac_input_check(const flac_input *in, const uint8_t md5[16], wadi_error *err) {
    if (!in->info.has_md5 || memcmp(in->info.md5, md5, sizeof in->info.md5) == 0) return WADI_OK;
    return wadi_fail(err, WADI_IO,
                     "%s: damaged: its samples do not have the MD5 that its STREAMINFO states",
                     flac_bytes_path(in->bytes));
}

void flac_input_lost(const flac_input *in, int64_t *out_clipped, int64_t *out_nan) {
    *out_clipped = 0;
    *out_nan = 0;
    if (in->ops->lost != NULL) in->ops->lost(in->state, out_clipped, out_nan);
}
