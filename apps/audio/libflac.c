/* Decoding by libFLAC. It reports damage in a callback and continues; here the first report ends the decoding. */
#include "apps/audio/libflac.h"

#include "base/error.h"

#ifdef WADI_HAVE_FLAC

#include <stdlib.h>
#include <string.h>

#include <FLAC/stream_decoder.h>

#include "apps/audio/metadata.h"

struct flac_decoder {
    FLAC__StreamDecoder *library;
    const char *name;
    flac_streaminfo info;
    flac_feed_fn feed;
    void *env;
    uint8_t head[8 + FLAC_STREAMINFO_BYTES]; /* the head of a stream, which the library expects */
    size_t head_at;
    FLAC__uint64 given, frame_end; /* bytes the library got; where its last frame ended */
    int32_t *samples;
    int64_t room, frames; /* frames of the last call */
    int64_t done;
    wadi_status status;
    wadi_error err;
};

/* ---- what the library calls ---- */

static FLAC__StreamDecoderReadStatus on_read(const FLAC__StreamDecoder *library, FLAC__byte *to,
                                             size_t *io_n, void *env) {
    flac_decoder *d = env;
    WADI_UNUSED(library);
    size_t n = sizeof d->head - d->head_at;
    if (n > *io_n) n = *io_n;
    if (n > 0) {
        memcpy(to, d->head + d->head_at, n);
        d->head_at += n;
    } else {
        d->status = d->feed(d->env, to, *io_n, &n, &d->err);
        if (d->status != WADI_OK) return FLAC__STREAM_DECODER_READ_STATUS_ABORT;
    }
    *io_n = n;
    d->given += n;
    return n > 0 ? FLAC__STREAM_DECODER_READ_STATUS_CONTINUE
                 : FLAC__STREAM_DECODER_READ_STATUS_END_OF_STREAM;
}

static FLAC__StreamDecoderTellStatus on_tell(const FLAC__StreamDecoder *library,
                                             FLAC__uint64 *out_at, void *env) {
    const flac_decoder *d = env;
    WADI_UNUSED(library);
    *out_at = d->given;
    return FLAC__STREAM_DECODER_TELL_STATUS_OK;
}

static wadi_status check_format(const flac_decoder *d, const FLAC__FrameHeader *h,
                                wadi_error *err) {
    const flac_format *f = &d->info.format;
    if ((int)h->channels == f->channels && (int)h->bits_per_sample == f->bits &&
        (h->sample_rate == 0 || (int)h->sample_rate == f->rate)) {
        return WADI_OK;
    }
    return wadi_fail(
        err, WADI_UNSUPPORTED,
        "%s: its format changes at sample %lld: %u channels of %u bits at %u Hz, where "
        "its STREAMINFO says %d of %d at %d",
        d->name, (long long)d->done, h->channels, h->bits_per_sample, h->sample_rate, f->channels,
        f->bits, f->rate);
}

static wadi_status make_room(flac_decoder *d, int64_t frames, wadi_error *err) {
    if (frames <= d->room) return WADI_OK;
    int32_t *samples =
        realloc(d->samples, (size_t)(frames * d->info.format.channels) * sizeof *samples);
    if (samples == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    d->samples = samples;
    d->room = frames;
    return WADI_OK;
}

static FLAC__StreamDecoderWriteStatus on_frame(const FLAC__StreamDecoder *library,
                                               const FLAC__Frame *frame,
                                               const FLAC__int32 *const channel[], void *env) {
    flac_decoder *d = env;
    if (d->status == WADI_OK) d->status = check_format(d, &frame->header, &d->err);
    const int64_t n = frame->header.blocksize;
    if (d->status == WADI_OK) d->status = make_room(d, n, &d->err);
    if (d->status != WADI_OK) return FLAC__STREAM_DECODER_WRITE_STATUS_ABORT;
    const int channels = d->info.format.channels;
    for (int c = 0; c < channels; c++) {
        for (int64_t i = 0; i < n; i++) d->samples[i * channels + c] = channel[c][i];
    }
    d->frames = n;
    (void)FLAC__stream_decoder_get_decode_position(library, &d->frame_end);
    return FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE;
}

static void on_error(const FLAC__StreamDecoder *library, FLAC__StreamDecoderErrorStatus what,
                     void *env) {
    flac_decoder *d = env;
    WADI_UNUSED(library);
    if (d->status != WADI_OK) return;
    d->status =
        wadi_fail(&d->err, WADI_IO, "%s: damaged behind sample %lld (%s)", d->name,
                  (long long)(d->done + d->frames), FLAC__StreamDecoderErrorStatusString[what]);
}

/* ---- the decoder ---- */

/* A stream of one block of metadata, with the total unknown. */
static void make_head(flac_decoder *d, const uint8_t streaminfo[FLAC_STREAMINFO_BYTES]) {
    static const uint8_t start[8] = {'f', 'L', 'a', 'C', 0x80, 0, 0, FLAC_STREAMINFO_BYTES};
    uint8_t *info = d->head + sizeof start;
    memcpy(d->head, start, sizeof start);
    memcpy(info, streaminfo, FLAC_STREAMINFO_BYTES);
    info[13] &= 0xf0;
    memset(info + 14, 0, 4);
}

static bool begin(flac_decoder *d) {
    d->library = FLAC__stream_decoder_new();
    return d->library != NULL &&
           FLAC__stream_decoder_init_stream(d->library, on_read, NULL, on_tell, NULL, NULL,
                                            on_frame, NULL, on_error,
                                            d) == FLAC__STREAM_DECODER_INIT_STATUS_OK &&
           FLAC__stream_decoder_process_until_end_of_metadata(d->library);
}

wadi_status flac_decoder_create(const char *name, const uint8_t streaminfo[34], flac_feed_fn feed,
                                void *env, flac_decoder **out, wadi_error *err) {
    flac_decoder *d = calloc(1, sizeof *d);
    if (d == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    d->name = name;
    flac_get_streaminfo(streaminfo, &d->info);
    make_head(d, streaminfo);
    d->feed = feed;
    d->env = env;
    if (!begin(d)) {
        flac_decoder_destroy(d);
        return wadi_fail(err, WADI_MEMORY, "%s: libFLAC does not start", name);
    }
    *out = d;
    return WADI_OK;
}

void flac_decoder_destroy(flac_decoder *d) {
    if (d == NULL) return;
    if (d->library != NULL) FLAC__stream_decoder_delete(d->library);
    free(d->samples);
    free(d);
}

/* Nothing more was decoded: decides whether that is the end or a loss. */
static wadi_status at_end(const flac_decoder *d, wadi_error *err) {
    const bool all = d->info.total > 0 && d->done == d->info.total;
    if (d->status == WADI_OK && (all || d->given == d->frame_end || d->frame_end == 0)) {
        return WADI_OK;
    }
    if (d->status == WADI_IO && all) return WADI_OK; /* other things behind the sound */
    if (d->status != WADI_OK) {
        if (err != NULL) *err = d->err;
        return d->status;
    }
    return wadi_fail(err, WADI_IO, "%s: truncated: it ends within the frame behind sample %lld",
                     d->name, (long long)d->done);
}

wadi_status flac_decoder_next(flac_decoder *d, const int32_t **out, int64_t *out_frames,
                              wadi_error *err) {
    d->frames = 0;
    while (d->frames == 0 && d->status == WADI_OK) {
        const FLAC__bool went = FLAC__stream_decoder_process_single(d->library);
        const FLAC__StreamDecoderState state = FLAC__stream_decoder_get_state(d->library);
        if (!went || state >= FLAC__STREAM_DECODER_END_OF_STREAM) break;
    }
    *out = d->samples;
    *out_frames = d->status == WADI_OK ? d->frames : 0;
    d->done += *out_frames;
    return *out_frames > 0 ? WADI_OK : at_end(d, err);
}

#else

wadi_status flac_decoder_create(const char *name, const uint8_t streaminfo[34], flac_feed_fn feed,
                                void *env, flac_decoder **out, wadi_error *err) {
    WADI_UNUSED(streaminfo);
    WADI_UNUSED(feed);
    WADI_UNUSED(env);
    WADI_UNUSED(out);
    return wadi_fail(err, WADI_UNSUPPORTED, "%s: this wadi-flac was built without libFLAC", name);
}

void flac_decoder_destroy(flac_decoder *d) {
    WADI_UNUSED(d);
}

wadi_status flac_decoder_next(flac_decoder *d, const int32_t **out, int64_t *out_frames,
                              wadi_error *err) {
    WADI_UNUSED(d);
    WADI_UNUSED(out);
    WADI_UNUSED(out_frames);
    return wadi_fail(err, WADI_UNSUPPORTED, "this wadi-flac was built without libFLAC");
}

#endif
