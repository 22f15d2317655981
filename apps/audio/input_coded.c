/* FLAC as an input: metadata as stored in the file, and frames by libFLAC. The total promised by STREAMINFO is compared here
 * with what comes; its MD5 is compared by whoever gets all samples. */
#include <stdlib.h>
#include <string.h>

#include "apps/audio/endian.h"
#include "apps/audio/input.h"
#include "apps/audio/libflac.h"
#include "apps/audio/metadata.h"
#include "base/error.h"

typedef struct coded {
    flac_input *in;
    flac_decoder *decoder;
    const int32_t *frame; /* samples decoded and not yet delivered */
    int64_t frame_n;
} coded;

/* ---- metadata ---- */

/* Skips an ID3v2 tag, which some programs put in front: ten bytes, the last four of which are its length. */
static wadi_status skip_id3(flac_bytes *b, uint8_t head[4], wadi_error *err) {
    uint8_t rest[6];
    while (memcmp(head, "ID3", 3) == 0) {
        WADI_TRY(flac_bytes_need(b, rest, sizeof rest, "an ID3 tag", err));
        WADI_TRY(flac_bytes_skip(b, flac_id3_length(rest + 2), err));
        size_t got = 0;
        WADI_TRY(flac_bytes_read(b, head, 4, &got, err));
        if (got < 4) memset(head, 0, 4);
    }
    return WADI_OK;
}

static wadi_status read_block(flac_input *in, int type, size_t n, wadi_error *err) {
    wadi_text body = {0};
    char piece[4096];
    wadi_status st = WADI_OK;
    while (st == WADI_OK && n > 0) {
        const size_t part = n < sizeof piece ? n : sizeof piece;
        st = flac_bytes_need(in->bytes, piece, part, "its metadata", err);
        wadi_text_add_n(&body, piece, part);
        n -= part;
    }
    if (st != WADI_OK) {
        wadi_text_fini(&body);
        return st;
    }
    return flac_blocks_add(&in->blocks, type, &body, err);
}

static wadi_status no_streaminfo(const flac_input *in, wadi_error *err) {
    return wadi_fail(err, WADI_IO,
                     "%s: not valid FLAC: its metadata does not begin with STREAMINFO",
                     flac_bytes_path(in->bytes));
}

static wadi_status read_streaminfo(flac_input *in, bool *out_last,
                                   uint8_t streaminfo[FLAC_STREAMINFO_BYTES], wadi_error *err) {
    uint8_t head[FLAC_BLOCK_HEADER_BYTES];
    WADI_TRY(flac_bytes_need(in->bytes, head, sizeof head, "its metadata", err));
    *out_last = head[0] >> 7;
    if ((head[0] & 0x7f) != FLAC_BLOCK_STREAMINFO ||
        flac_be(head + 1, 3) != FLAC_STREAMINFO_BYTES) {
        return no_streaminfo(in, err);
    }
    return flac_bytes_need(in->bytes, streaminfo, FLAC_STREAMINFO_BYTES, "its STREAMINFO", err);
}

static wadi_status read_metadata(flac_input *in, uint8_t streaminfo[FLAC_STREAMINFO_BYTES],
                                 wadi_error *err) {
    bool last = false;
    WADI_TRY(read_streaminfo(in, &last, streaminfo, err));
    while (!last) {
        uint8_t head[FLAC_BLOCK_HEADER_BYTES];
        WADI_TRY(flac_bytes_need(in->bytes, head, sizeof head, "its metadata", err));
        last = head[0] >> 7;
        const int type = head[0] & 0x7f;
        if (type == FLAC_BLOCK_STREAMINFO || type == FLAC_BLOCK_INVALID) {
            return wadi_fail(err, WADI_IO, "%s: not valid FLAC: a block of metadata of type %d",
                             flac_bytes_path(in->bytes), type);
        }
        WADI_TRY(read_block(in, type, (size_t)flac_be(head + 1, 3), err));
    }
    return WADI_OK;
}

/* ---- samples ---- */

static wadi_status feed(void *env, uint8_t *to, size_t n, size_t *out_n, wadi_error *err) {
    return flac_bytes_read(env, to, n, out_n, err);
}

static wadi_status read_coded(void *state, int32_t *out, int64_t frames, int64_t *out_frames,
                              wadi_error *err) {
    coded *c = state;
    const int channels = c->in->info.channels;
    int64_t done = 0;
    while (done < frames) {
        if (c->frame_n == 0) {
            WADI_TRY(flac_decoder_next(c->decoder, &c->frame, &c->frame_n, err));
            if (c->frame_n == 0) break;
        }
        const int64_t n = c->frame_n < frames - done ? c->frame_n : frames - done;
        memcpy(out + done * channels, c->frame, (size_t)(n * channels) * sizeof *out);
        c->frame += n * channels;
        c->frame_n -= n;
        done += n;
    }
    *out_frames = done;
    return WADI_OK;
}

static void close_coded(void *state) {
    coded *c = state;
    flac_decoder_destroy(c->decoder);
    free(c);
}

static const flac_kind_ops ops = {"FLAC", read_coded, NULL, close_coded};

static void describe(flac_input *in, const flac_streaminfo *s) {
    static const uint8_t none[16];
    in->info = (flac_sound_info){.rate = s->format.rate,
                                 .channels = s->format.channels,
                                 .bits = s->format.bits,
                                 .frames = s->total > 0 ? s->total : -1,
                                 .format = "FLAC",
                                 .is_flac = true,
                                 .has_md5 = memcmp(s->md5, none, sizeof none) != 0};
    memcpy(in->info.md5, s->md5, sizeof none);
}

/* FLAC in Ogg: the first packet of its first page says so (RFC 9639, section 10.1). */
static wadi_status refuse_ogg(flac_bytes *bytes, const uint8_t head[4], wadi_error *err) {
    uint8_t page[29] = {0};
    size_t got = 0;
    if (memcmp(head, "OggS", 4) != 0) return WADI_OK;
    WADI_TRY(flac_bytes_read(bytes, page, sizeof page, &got, err));
    if (memcmp(page + 24, "\177FLAC", 5) != 0) return WADI_OK;
    return wadi_fail(err, WADI_UNSUPPORTED,
                     "%s: FLAC in an Ogg container, which wadi-flac does not read; flac -d does",
                     flac_bytes_path(bytes));
}

wadi_status flac_coded_open(flac_input *in, const flac_wish *wish, wadi_error *err) {
    uint8_t head[4] = {0};
    uint8_t streaminfo[FLAC_STREAMINFO_BYTES];
    flac_streaminfo about;
    size_t got = 0;
    if (wish->raw) return WADI_OK;
    WADI_TRY(flac_bytes_read(in->bytes, head, sizeof head, &got, err));
    WADI_TRY(refuse_ogg(in->bytes, head, err));
    WADI_TRY(skip_id3(in->bytes, head, err));
    if (got < sizeof head || memcmp(head, "fLaC", 4) != 0) return WADI_OK;
    flac_bytes_forget(in->bytes);
    WADI_TRY(read_metadata(in, streaminfo, err));
    flac_get_streaminfo(streaminfo, &about);
    if (about.format.bits < 4) return no_streaminfo(in, err);
    describe(in, &about);
    coded *c = calloc(1, sizeof *c);
    if (c == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    c->in = in;
    in->ops = &ops;
    in->state = c;
    return flac_decoder_create(flac_bytes_path(in->bytes), streaminfo, feed, in->bytes, &c->decoder,
                               err);
}
