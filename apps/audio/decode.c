/* Decoding: from an input through a writer of samples, and comparing MD5s. */
#include "apps/audio/decode.h"

#include <stdlib.h>
#include <string.h>

#include "apps/audio/md5_tap.h"
#include "apps/audio/wav_writer.h"
#include "base/error.h"
#include "base/process.h"

enum { BLOCK = 4096 };

typedef struct decoding {
    flac_input *in;
    flac_md5_tap md5;
    wav_writer *writer; /* NULL: a test */
    int32_t *block;
} decoding;

/* The speakers that the tag names; without a tag, those that FLAC assigns to so many channels (RFC 9639, section 9.1.3). */
static uint32_t speakers(flac_input *in) {
    static const uint32_t usual[9] = {0, 0x4, 0x3, 0x7, 0x33, 0x607, 0x60f, 0x70f, 0x63f};
    size_t n = 0;
    char text[16] = {0};
    const char *tag =
        flac_tags_find(flac_input_blocks(in), "WAVEFORMATEXTENSIBLE_CHANNEL_MASK", &n);
    if (tag == NULL || n >= sizeof text) return usual[flac_input_about(in)->channels];
    memcpy(text, tag, n);
    return (uint32_t)strtoul(text, NULL, 0);
}

static wadi_status open_output(decoding *d, const flac_options *o, wadi_error *err) {
    const flac_sound_info *info = flac_input_about(d->in);
    if (o->action == FLAC_TEST) return WADI_OK;
    const wav_about about = {
        .rate = info->rate,
        .channels = info->channels,
        .bits = info->bits,
        .mask = speakers(d->in),
        .frames = info->frames,
        .sync = o->sync,
        .raw = o->force_raw,
        .big_endian = o->wish.layout.big_endian,
        .is_unsigned = o->wish.layout.is_unsigned,
        .chunks = o->keep_foreign && !o->force_raw ? flac_input_blocks(d->in) : NULL,
    };
    return wav_writer_open(o->out, o->force, &about, &d->writer, err);
}

static wadi_status copy(decoding *d, wadi_error *err) {
    for (;;) {
        int64_t n = 0;
        if (wadi_stop_called(wadi_process_stop())) {
            return wadi_fail(err, WADI_CANCELLED, "%s: cancelled", flac_bytes_path(d->in->bytes));
        }
        WADI_TRY(flac_input_read(d->in, d->block, BLOCK, &n, err));
        if (n == 0) return WADI_OK;
        flac_md5_tap_hear(&d->md5, d->block, n);
        if (d->writer != NULL) WADI_TRY(wav_writer_append(d->writer, d->block, n, err));
    }
}

static wadi_status finish(decoding *d, wadi_error *err) {
    uint8_t digest[16];
    flac_md5_tap_final(&d->md5, digest);
    WADI_TRY(flac_input_check(d->in, digest, err));
    wav_writer *writer = d->writer;
    d->writer = NULL;
    return writer != NULL ? wav_writer_close(writer, err) : WADI_OK;
}

static wadi_status prepare(decoding *d, const flac_options *o, wadi_error *err) {
    flac_wish wish = o->wish;
    wish.keep_all = false;
    WADI_TRY(flac_input_open(o->in, &wish, &d->in, err));
    const flac_sound_info *info = flac_input_about(d->in);
    if (!info->is_flac) {
        return wadi_fail(err, WADI_UNSUPPORTED, "%s: is not FLAC (%s)", o->in, info->format);
    }
    d->block = malloc((size_t)(BLOCK * info->channels) * sizeof *d->block);
    if (d->block == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    flac_md5_tap_init(&d->md5, info->channels, info->bits);
    return open_output(d, o, err);
}

wadi_status flac_decode(const flac_options *options, bool *out_unproved, wadi_error *err) {
    decoding d = {0};
    wadi_status st = prepare(&d, options, err);
    if (st == WADI_OK) st = copy(&d, err);
    if (st == WADI_OK) st = finish(&d, err);
    if (st == WADI_OK) *out_unproved = flac_input_unproved(d.in);
    wav_writer_discard(d.writer);
    flac_input_close(d.in);
    free(d.block);
    return st;
}
