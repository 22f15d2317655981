/* Writing samples to files. A WAV file whose length is not known has room for the lengths of RF64 in front (EBU Tech 3306: a
 * chunk JUNK becomes ds64). */
#include "apps/audio/wav_writer.h"

#include <stdlib.h>
#include <string.h>

#include "apps/audio/bitwriter.h"
#include "apps/audio/endian.h"
#include "base/error.h"
#include "base/outfile.h"

enum { PIECE = 4096, DS64_BYTES = 28 };

static const int64_t MOST = 0xffffffff; /* of a length in 32 bits */

struct wav_writer {
    wadi_outfile *out;
    wav_about about;
    flac_pcm layout;
    bool room_for_long;
    size_t next_chunk; /* the next kept chunk to be written */
    int64_t
        ahead; /* bytes between the header of the chunk of samples and the samples; AIFF may have some */
    int64_t frames;
    uint8_t bytes[4 * PIECE];
};

static wadi_status out_of_memory(wadi_error *err) {
    return wadi_fail(err, WADI_MEMORY, "out of memory");
}

/* ---- the header ---- */

static void put_le(flac_bits *b, uint64_t v, int n) {
    for (int i = 0; i < n; i++) flac_bits_put(b, v >> (8 * i) & 0xff, 8);
}

static void put_name(flac_bits *b, const char *name) {
    for (int i = 0; i < 4; i++) flac_bits_put(b, (uint8_t)name[i], 8);
}

/* Writes WAVEFORMATEXTENSIBLE if plain PCM cannot describe the samples. */
static bool is_extended(const wav_about *a) {
    const bool usual = a->mask == (a->channels == 1 ? 0x4 : 0x3);
    return a->channels > 2 || (a->mask != 0 && !usual) || (a->bits != 8 && a->bits != 16);
}

static void put_fmt(flac_bits *b, const wav_about *a, int width) {
    static const uint8_t pcm[16] = {1,   0, 0, 0,    0, 0,    0x10, 0,
                                    128, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71};
    const bool extended = is_extended(a);
    const uint64_t frame = (uint64_t)(a->channels * width);
    put_name(b, "fmt ");
    put_le(b, extended ? 40 : 16, 4);
    put_le(b, extended ? 0xfffe : 1, 2);
    put_le(b, (uint64_t)a->channels, 2);
    put_le(b, (uint64_t)a->rate, 4);
    put_le(b, (uint64_t)a->rate * frame, 4);
    put_le(b, frame, 2);
    put_le(b, (uint64_t)(8 * width), 2);
    if (!extended) return;
    put_le(b, 22, 2);
    put_le(b, (uint64_t)a->bits, 2);
    put_le(b, a->mask, 4);
    for (int i = 0; i < 16; i++) flac_bits_put(b, pcm[i], 8);
}

static int64_t data_bytes(const wav_writer *w, int64_t frames) {
    return frames * w->about.channels * w->layout.width;
}

/* The whole header for so many frames; -1: unknown. */
static void make_header(wav_writer *w, int64_t frames, flac_bits *b) {
    const int64_t data = frames < 0 ? 0 : data_bytes(w, frames);
    const bool no_length = frames < 0;
    const int64_t before =
        4 + (w->room_for_long ? 8 + DS64_BYTES : 0) + 8 + (is_extended(&w->about) ? 40 : 16) + 8;
    const int64_t riff = before + data + (data & 1);
    const bool is_long = w->room_for_long && riff > MOST;
    put_name(b, is_long ? "RF64" : "RIFF");
    put_le(b, is_long || no_length ? (uint64_t)MOST : (uint64_t)riff, 4);
    put_name(b, "WAVE");
    if (w->room_for_long) {
        put_name(b, is_long ? "ds64" : "JUNK");
        put_le(b, DS64_BYTES, 4);
        put_le(b, is_long ? (uint64_t)riff : 0, 8);
        put_le(b, is_long ? (uint64_t)data : 0, 8);
        put_le(b, is_long ? (uint64_t)frames : 0, 8);
        put_le(b, 0, 4);
    }
    put_fmt(b, &w->about, w->layout.width);
    put_name(b, "data");
    put_le(b, is_long || no_length ? (uint64_t)MOST : (uint64_t)data, 4);
}

static wadi_status write_header(wav_writer *w, wadi_error *err) {
    flac_bits b = {0};
    w->room_for_long = data_bytes(w, w->about.frames < 0 ? 0 : w->about.frames) > MOST - 4096 ||
                       (w->about.frames < 0 && wadi_outfile_can_rewrite(w->out));
    make_header(w, w->about.frames, &b);
    const wadi_status st =
        b.failed ? out_of_memory(err) : wadi_outfile_write(w->out, b.at, b.n, err);
    flac_bits_fini(&b);
    return st;
}

/* ---- chunks that were kept ---- */

/* The bytes of the next kept chunk; NULL: there are no more. */
static const flac_block *kept_chunk(wav_writer *w) {
    const flac_blocks *b = w->about.chunks;
    while (w->next_chunk < b->list.n) {
        const flac_block *block = &b->list.at[w->next_chunk++];
        if (block->type == FLAC_BLOCK_APPLICATION && block->body.n >= 8 &&
            (memcmp(block->body.at, "riff", 4) == 0 || memcmp(block->body.at, "aiff", 4) == 0)) {
            return block;
        }
    }
    return NULL;
}

/* The layout of the samples in the file from which the chunks were kept. */
static void learn_layout(wav_writer *w, const flac_block *block) {
    const char *chunk = block->body.at + 4;
    if (memcmp(chunk, "COMM", 4) == 0) {
        w->layout.big_endian = !(block->body.n >= 34 && memcmp(chunk + 26, "sowt", 4) == 0);
        w->layout.is_unsigned = false;
    } else if (memcmp(chunk, "fmt ", 4) == 0 && block->body.n >= 28) {
        w->layout.width = (int)(flac_le((const uint8_t *)chunk + 22, 2) + 7) / 8;
    }
}

static wadi_status put_kept(wav_writer *w, bool upto_samples, const char *path, wadi_error *err) {
    const flac_block *block = NULL;
    while ((block = kept_chunk(w)) != NULL) {
        const char *chunk = block->body.at + 4;
        learn_layout(w, block);
        WADI_TRY(wadi_outfile_write(w->out, chunk, block->body.n - 4, err));
        w->ahead = (int64_t)block->body.n - 4 - 8;
        if (memcmp(chunk, "data", 4) == 0 || memcmp(chunk, "SSND", 4) == 0) return WADI_OK;
    }
    if (!upto_samples) return WADI_OK;
    return wadi_fail(err, WADI_UNSUPPORTED, "%s: the input has no kept chunks of WAV or AIFF",
                     path);
}

/* ---- the writer ---- */

static wadi_status begin(wav_writer *w, const char *path, wadi_error *err) {
    const wav_about *a = &w->about;
    w->layout = (flac_pcm){.width = (a->bits + 7) / 8,
                           .bits = a->bits,
                           .big_endian = a->raw && a->big_endian,
                           .is_unsigned = a->raw ? a->is_unsigned : a->bits <= 8};
    if (a->chunks != NULL) return put_kept(w, true, path, err);
    return a->raw ? WADI_OK : write_header(w, err);
}

wadi_status wav_writer_open(const char *path, bool force, const wav_about *about, wav_writer **out,
                            wadi_error *err) {
    const wadi_outfile_options options = {
        .only_new = !force, .sync = about->sync ? WADI_SYNC_ALWAYS : WADI_SYNC_REPLACED};
    wav_writer *w = calloc(1, sizeof *w);
    if (w == NULL) return out_of_memory(err);
    w->about = *about;
    wadi_status st = wadi_outfile_open(path, &options, &w->out, err);
    if (st == WADI_INVALID) {
        st = wadi_fail(err, st, "%s: exists; --force overwrites it", path);
    }
    if (st == WADI_OK) st = begin(w, path, err);
    if (st != WADI_OK) {
        wav_writer_discard(w);
        return st;
    }
    *out = w;
    return WADI_OK;
}

wadi_status wav_writer_append(wav_writer *w, const int32_t *samples, int64_t frames,
                              wadi_error *err) {
    const int64_t n = frames * w->about.channels;
    w->frames += frames;
    for (int64_t at = 0; at < n; at += PIECE) {
        const int64_t piece = n - at < PIECE ? n - at : PIECE;
        /* Raw samples keep their bits; in WAV and AIFF files, samples are the high bits of their bytes. */
        flac_pcm layout = w->layout;
        if (w->about.raw) layout.bits = 8 * layout.width;
        flac_pcm_encode(&layout, samples + at, piece, w->bytes);
        WADI_TRY(wadi_outfile_write(w->out, w->bytes, (size_t)(piece * layout.width), err));
    }
    return WADI_OK;
}

static wadi_status finish(wav_writer *w, wadi_error *err) {
    const bool odd = ((w->ahead + data_bytes(w, w->frames)) & 1) != 0;
    if (odd && !w->about.raw) WADI_TRY(wadi_outfile_write(w->out, "", 1, err));
    if (w->about.chunks != NULL) return put_kept(w, false, "", err);
    if (w->about.raw || w->frames == w->about.frames || !wadi_outfile_can_rewrite(w->out)) {
        return WADI_OK;
    }
    flac_bits b = {0};
    make_header(w, w->frames, &b);
    const wadi_status st =
        b.failed ? out_of_memory(err) : wadi_outfile_rewrite(w->out, 0, b.at, b.n, err);
    flac_bits_fini(&b);
    return st;
}

wadi_status wav_writer_close(wav_writer *owned_w, wadi_error *err) {
    wav_writer *w = owned_w;
    wadi_status st = finish(w, err);
    if (st == WADI_OK) {
        wadi_outfile *out = w->out;
        w->out = NULL;
        st = wadi_outfile_keep(out, err);
    }
    wav_writer_discard(w);
    return st;
}

void wav_writer_discard(wav_writer *owned_w) {
    if (owned_w == NULL) return;
    wadi_outfile_discard(owned_w->out);
    free(owned_w);
}
