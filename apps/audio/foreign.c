/* Keeping chunks of WAV and AIFF as APPLICATION blocks, and restoring them. */
#include "apps/audio/foreign.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "apps/audio/endian.h"
#include "apps/audio/metadata.h"
#include "base/error.h"

typedef struct walk {
    const char *path;
    FILE *file;
    bool aiff;
    int64_t long_data; /* of RF64; -1: not said */
    flac_blocks *blocks;
} walk;

static wadi_status broken(const walk *w, wadi_error *err) {
    return wadi_fail(err, WADI_IO, "%s: its chunks end at byte %lld, within one of them", w->path,
                     (long long)ftello(w->file));
}

/* Appends a block with the bytes already read and the next n bytes of the file. */
static wadi_status keep(walk *w, const uint8_t *head, size_t head_n, int64_t n, wadi_error *err) {
    wadi_text body = {0};
    char piece[4096];
    if (n > FLAC_MAX_BLOCK_BYTES) {
        return wadi_fail(err, WADI_UNSUPPORTED,
                         "%s: a chunk of %lld bytes; a block of FLAC's metadata holds less than "
                         "16 MiB",
                         w->path, (long long)n);
    }
    wadi_text_add(&body, w->aiff ? "aiff" : "riff");
    wadi_text_add_n(&body, (const char *)head, head_n);
    while (n > 0) {
        const size_t part = n < (int64_t)sizeof piece ? (size_t)n : sizeof piece;
        if (fread(piece, 1, part, w->file) != part) {
            wadi_text_fini(&body);
            return broken(w, err);
        }
        wadi_text_add_n(&body, piece, part);
        n -= (int64_t)part;
    }
    return flac_blocks_add(w->blocks, FLAC_BLOCK_APPLICATION, &body, err);
}

/* Keeps the header of the chunk of samples; for AIFF also the offset and the bytes that it skips. */
static wadi_status keep_samples(walk *w, const uint8_t head[8], int64_t n, wadi_error *err) {
    const int64_t padded = n + (n & 1);
    if (!w->aiff) {
        WADI_TRY(keep(w, head, 8, 0, err));
        return fseeko(w->file, (off_t)padded, SEEK_CUR) == 0 ? WADI_OK : broken(w, err);
    }
    uint8_t offset[4];
    if (fread(offset, 1, 4, w->file) != 4 || fseeko(w->file, -4, SEEK_CUR) != 0) {
        return broken(w, err);
    }
    const int64_t before = 8 + (int64_t)flac_be(offset, 4);
    WADI_TRY(keep(w, head, 8, before, err));
    return fseeko(w->file, (off_t)(padded - before), SEEK_CUR) == 0 ? WADI_OK : broken(w, err);
}

static wadi_status keep_chunk(walk *w, const uint8_t head[8], wadi_error *err) {
    int64_t n = (int64_t)(w->aiff ? flac_be(head + 4, 4) : flac_le(head + 4, 4));
    if (memcmp(head, w->aiff ? "SSND" : "data", 4) == 0) {
        if (w->long_data >= 0 && n == 0xffffffff) n = w->long_data;
        return keep_samples(w, head, n, err);
    }
    WADI_TRY(keep(w, head, 8, n + (n & 1), err));
    if (memcmp(head, "ds64", 4) != 0 || n < 16) return WADI_OK;
    const flac_block *made = &wadi_vec_last(&w->blocks->list);
    w->long_data = (int64_t)(flac_le((const uint8_t *)made->body.at + 4 + 8 + 8, 8) & INT64_MAX);
    return WADI_OK;
}

static wadi_status keep_all(walk *w, wadi_error *err) {
    uint8_t head[12];
    if (fread(head, 1, sizeof head, w->file) != sizeof head) return broken(w, err);
    w->aiff = memcmp(head, "FORM", 4) == 0;
    WADI_TRY(keep(w, head, sizeof head, 0, err));
    size_t got = 0;
    while ((got = fread(head, 1, 8, w->file)) == 8) WADI_TRY(keep_chunk(w, head, err));
    return got == 0 ? WADI_OK : broken(w, err);
}

wadi_status flac_foreign_keep(const char *path, flac_blocks *blocks, wadi_error *err) {
    walk w = {.path = path, .blocks = blocks, .long_data = -1};
    w.file = fopen(path, "rbe");
    if (w.file == NULL) return wadi_fail_errno(err, errno, "%s", path);
    const wadi_status st = keep_all(&w, err);
    (void)fclose(w.file);
    return st;
}
