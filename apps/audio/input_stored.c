/* Stored integers as an input: the chunks of WAV and AIFF, and samples without any header. */
#include <stdlib.h>
#include <string.h>

#include "apps/audio/foreign.h"
#include "apps/audio/input_other.h"
#include "base/error.h"

typedef struct stored {
    flac_input *in;
    flac_pcm layout;
    int64_t left; /* bytes; -1: to the end */
    bool cut;     /* the last frame may be incomplete, and is then left out */
    int64_t at;   /* frames delivered */
    uint8_t *piece;
    int64_t piece_frames;
} stored;

enum { PIECE_FRAMES = 4096 };

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* Reads whole frames. From the number of bytes the caller sees whether a part of a frame is left. */
static wadi_status read_piece(stored *s, int64_t frames, size_t *out_bytes, wadi_error *err) {
    const int64_t frame = s->layout.width * s->in->info.channels;
    int64_t want = smaller(frames, PIECE_FRAMES) * frame;
    if (s->left >= 0) want = smaller(want, s->left);
    WADI_TRY(flac_bytes_read(s->in->bytes, s->piece, (size_t)want, out_bytes, err));
    if (s->left >= 0) s->left -= (int64_t)*out_bytes;
    if (s->cut) *out_bytes -= *out_bytes % (size_t)frame;
    if (*out_bytes % (size_t)frame == 0) return WADI_OK;
    return wadi_fail(err, WADI_IO, "%s: truncated: it ends within frame %lld",
                     flac_bytes_path(s->in->bytes),
                     (long long)(s->at + (int64_t)*out_bytes / frame));
}

static wadi_status read_stored(void *state, int32_t *out, int64_t frames, int64_t *out_frames,
                               wadi_error *err) {
    stored *s = state;
    const int channels = s->in->info.channels;
    int64_t done = 0;
    while (done < frames) {
        size_t bytes = 0;
        WADI_TRY(read_piece(s, frames - done, &bytes, err));
        const int64_t n = (int64_t)bytes / s->layout.width;
        if (n == 0) break;
        int64_t bad = 0;
        if (!flac_pcm_decode(&s->layout, s->piece, n, out + done * channels, &bad)) {
            return wadi_fail(
                err, WADI_IO, "%s: frame %lld uses more than the %d bits that the header says",
                flac_bytes_path(s->in->bytes), (long long)(s->at + bad / channels), s->layout.bits);
        }
        done += n / channels;
        s->at += n / channels;
    }
    *out_frames = done;
    return WADI_OK;
}

static void close_stored(void *state) {
    stored *s = state;
    free(s->piece);
    free(s);
}

static const flac_kind_ops ops = {"stored", read_stored, NULL, close_stored};

static wadi_status begin(flac_input *in, const flac_pcm *layout, int64_t bytes, bool cut,
                         wadi_error *err) {
    stored *s = calloc(1, sizeof *s);
    const int64_t frame = layout->width * in->info.channels;
    uint8_t *piece = malloc((size_t)(PIECE_FRAMES * frame));
    if (s == NULL || piece == NULL) {
        free(s);
        free(piece);
        return wadi_fail(err, WADI_MEMORY, "out of memory");
    }
    *s = (stored){.in = in, .layout = *layout, .left = bytes, .cut = cut, .piece = piece};
    in->info.bits = layout->bits;
    in->info.frames = bytes >= 0 ? bytes / frame : -1;
    in->ops = &ops;
    in->state = s;
    flac_bytes_forget(in->bytes);
    return WADI_OK;
}

static wadi_status open_raw(flac_input *in, const flac_wish *wish, wadi_error *err) {
    const int64_t frame = wish->channels * wish->layout.width;
    const int64_t size = flac_bytes_size(in->bytes);
    if (size >= 0 && size % frame != 0) {
        return wadi_fail(err, WADI_IO,
                         "%s: its %lld bytes are not a whole number of frames of %lld",
                         flac_bytes_path(in->bytes), (long long)size, (long long)frame);
    }
    in->info.format = "raw";
    in->info.rate = wish->rate;
    in->info.channels = wish->channels;
    return begin(in, &wish->layout, size, false, err);
}

wadi_status flac_stored_open(flac_input *in, const flac_wish *wish, wadi_error *err) {
    if (wish->raw) return open_raw(in, wish, err);
    flac_iff f = {0};
    bool found = false;
    WADI_TRY(flac_iff_open(in->bytes, &wish->iff, &f, &found, err));
    if (!found) return WADI_OK;
    if (f.bits < 4) {
        return wadi_fail(err, WADI_UNSUPPORTED, "%s: %d bits per sample; FLAC holds 4 to 32",
                         flac_bytes_path(in->bytes), f.bits);
    }
    in->info.format = f.format;
    in->info.rate = f.rate;
    in->info.channels = f.channels;
    in->info.mask = f.mask;
    const char *path = flac_bytes_path(in->bytes);
    if (flac_bytes_size(in->bytes) >= 0 && strcmp(path, "-") != 0) {
        WADI_TRY(flac_text_tags(path, &in->blocks, err));
        if (wish->keep_all) WADI_TRY(flac_foreign_keep(path, &in->blocks, err));
    } else if (wish->keep_all) {
        return wadi_fail(err, WADI_UNSUPPORTED,
                         "%s: a pipe: the chunks behind the samples cannot be kept", path);
    }
    const flac_pcm layout = {f.width, f.bits, f.big_endian, f.is_unsigned};
    return begin(in, &layout, f.data_bytes, wish->iff.ignore_sizes, err);
}
