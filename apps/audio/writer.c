/* Writing a FLAC stream: metadata first, frames in order, then back to complete the metadata. Every write is checked, close
 * included, since a full disk may be noticed only there. */
#include "apps/audio/writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "base/vec.h"

enum {
    SEEK_SECONDS = 10, /* between seek points */
    MAX_POINTS = 4096,
    PADDING_BYTES = 1024 /* room for tags added later */
};

struct flac_writer {
    char *path;      /* for messages, and the final name */
    char *temporary; /* NULL when the output is not a regular file */
    FILE *out;
    bool is_stdout;
    bool can_seek;
    int64_t bytes;
    int64_t first_frame;  /* bytes of metadata before it */
    int64_t seektable_at; /* position of its block, 0 when there is none */
    flac_streaminfo info; /* total and frame sizes as written so far */
    int64_t point_step;   /* samples between seek points */
    WADI_VEC(flac_seekpoint) points;
    size_t point_n; /* those that are real */
};

static wadi_status write_failed(const flac_writer *w, wadi_error *err) {
    return wadi_fail(err, WADI_IO, "%s: writing failed at byte %lld: %s", w->path,
                     (long long)w->bytes, strerror(errno));
}

static wadi_status write_bytes(flac_writer *w, const void *data, size_t n, wadi_error *err) {
    if (n > 0 && fwrite(data, 1, n, w->out) != n) return write_failed(w, err);
    w->bytes += (int64_t)n;
    return WADI_OK;
}

/* ---- open ---- */

/* A neighbour of path, open for writing, with the permissions a new file would get. */
static wadi_status open_temporary(flac_writer *w, wadi_error *err) {
    wadi_text name = {0};
    wadi_text_addf(&name, "%s.XXXXXX", w->path);
    w->temporary = wadi_text_take(&name);
    if (w->temporary == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    const int fd = mkstemp(w->temporary);
    if (fd < 0) {
        const int reason = errno;
        free(w->temporary);
        w->temporary = NULL;
        return wadi_fail(err, WADI_IO, "%s: cannot write beside it: %s", w->path, strerror(reason));
    }
    const mode_t mask = umask(0);
    umask(mask);
    (void)fchmod(fd, 0666 & ~mask); /* some file systems have no permissions */
    w->out = fdopen(fd, "wb");
    if (w->out != NULL) return WADI_OK;
    close(fd);
    return wadi_fail(err, WADI_MEMORY, "out of memory");
}

static wadi_status open_output(flac_writer *w, bool force, wadi_error *err) {
    struct stat about;
    if (strcmp(w->path, "-") == 0) {
        w->out = stdout;
        w->is_stdout = true;
        w->can_seek = fstat(fileno(stdout), &about) == 0 && S_ISREG(about.st_mode) &&
                      lseek(fileno(stdout), 0, SEEK_CUR) == 0;
        return WADI_OK;
    }
    const bool exists = stat(w->path, &about) == 0;
    if (exists && S_ISDIR(about.st_mode)) {
        return wadi_fail(err, WADI_INVALID, "%s: is a directory", w->path);
    }
    if (exists && !S_ISREG(about.st_mode)) {
        w->out = fopen(w->path, "wb");
        if (w->out == NULL) return wadi_fail(err, WADI_IO, "%s: %s", w->path, strerror(errno));
        return WADI_OK;
    }
    if (exists && !force) {
        return wadi_fail(err, WADI_INVALID, "%s: exists; --force overwrites it", w->path);
    }
    w->can_seek = true;
    return open_temporary(w, err);
}

/* Seek points go to the frames that hold the samples 0, step, 2 step, ...: the step is at least a block, so no frame is named
 * twice, and large enough that the table stays small. */
static bool plan_points(flac_writer *w, const flac_stream *stream) {
    if (!w->can_seek || stream->total <= 0) return true;
    int64_t step = (int64_t)stream->format.rate * SEEK_SECONDS;
    if (step < stream->format.block) step = stream->format.block;
    if (stream->total / step >= MAX_POINTS) step = stream->total / MAX_POINTS + 1;
    w->point_step = step;
    const int64_t n = (stream->total + step - 1) / step;
    for (int64_t i = 0; i < n; i++) {
        if (!wadi_vec_push(&w->points, (flac_seekpoint){-1, 0, 0})) return false;
    }
    return true;
}

static wadi_status write_metadata(flac_writer *w, const flac_stream *stream, wadi_error *err) {
    flac_bits bits = {0};
    wadi_status st = WADI_OK;
    flac_bits_put(&bits, 0x664c6143, 32); /* "fLaC" */
    flac_put_streaminfo(&bits, &w->info, false);
    if (w->points.n > 0) {
        w->seektable_at = (int64_t)bits.n;
        flac_put_seektable(&bits, w->points.at, w->points.n, false);
    }
    const bool ok =
        flac_put_comments(&bits, "wadi-flac " WADI_VERSION, stream->tags, stream->tag_n, false);
    flac_put_padding(&bits, PADDING_BYTES, true);
    if (bits.failed) st = wadi_fail(err, WADI_MEMORY, "out of memory");
    if (!ok) st = wadi_fail(err, WADI_UNSUPPORTED, "%s: tags are longer than 16 MiB", w->path);
    if (st == WADI_OK) st = write_bytes(w, bits.at, bits.n, err);
    w->first_frame = w->bytes;
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
    wadi_status st = open_output(w, force, err);
    /* A pipe keeps these values for good, so it gets the total the source promises. */
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

/* A frame is named in the table when it holds the next wanted sample. */
static void note_point(flac_writer *w, int64_t samples) {
    if (w->point_n == w->points.n) return;
    const int64_t wanted = (int64_t)w->point_n * w->point_step;
    if (w->info.total + samples <= wanted) return;
    w->points.at[w->point_n++] =
        (flac_seekpoint){w->info.total, w->bytes - w->first_frame, (int)samples};
}

wadi_status flac_writer_append(flac_writer *w, const uint8_t *frame, size_t n, int64_t samples,
                               wadi_error *err) {
    if (w->info.total + samples >= INT64_C(1) << 36) {
        return wadi_fail(err, WADI_UNSUPPORTED, "%s: FLAC holds less than 2^36 samples", w->path);
    }
    note_point(w, samples);
    WADI_TRY(write_bytes(w, frame, n, err));
    const uint32_t size = n > 0xffffff ? 0 : (uint32_t)n;
    if (w->info.total == 0 || size < w->info.min_frame) w->info.min_frame = size;
    if (size > w->info.max_frame) w->info.max_frame = size;
    w->info.total += samples;
    return WADI_OK;
}

/* ---- close ---- */

static void release(flac_writer *w) {
    wadi_vec_free(&w->points);
    free(w->temporary);
    free(w->path);
    free(w);
}

void flac_writer_discard(flac_writer *owned_w) {
    if (owned_w == NULL) return;
    if (owned_w->out != NULL && !owned_w->is_stdout) (void)fclose(owned_w->out);
    if (owned_w->temporary != NULL) (void)unlink(owned_w->temporary);
    release(owned_w);
}

/* Writes a block anew over the room it has. */
static wadi_status write_over(flac_writer *w, int64_t at, const flac_bits *bits, wadi_error *err) {
    if (bits->failed) return wadi_fail(err, WADI_MEMORY, "out of memory");
    if (fseeko(w->out, (off_t)at, SEEK_SET) != 0 ||
        fwrite(bits->at, 1, bits->n, w->out) != bits->n) {
        return wadi_fail(err, WADI_IO, "%s: completing the metadata at byte %lld failed: %s",
                         w->path, (long long)at, strerror(errno));
    }
    return WADI_OK;
}

static wadi_status complete_metadata(flac_writer *w, const uint8_t md5[16], wadi_error *err) {
    flac_bits bits = {0};
    memcpy(w->info.md5, md5, 16);
    flac_put_streaminfo(&bits, &w->info, false);
    wadi_status st = write_over(w, 4, &bits, err);
    if (st == WADI_OK && w->seektable_at != 0) {
        flac_bits_clear(&bits);
        flac_put_seektable(&bits, w->points.at, w->points.n, false);
        st = write_over(w, w->seektable_at, &bits, err);
    }
    flac_bits_fini(&bits);
    return st;
}

wadi_status flac_writer_close(flac_writer *owned_w, const uint8_t md5[16], wadi_error *err) {
    flac_writer *w = owned_w;
    wadi_status st = w->can_seek ? complete_metadata(w, md5, err) : WADI_OK;
    if (st == WADI_OK && fflush(w->out) != 0) st = write_failed(w, err);
    if (!w->is_stdout) {
        const bool closed = fclose(w->out) == 0;
        w->out = NULL;
        if (st == WADI_OK && !closed) st = write_failed(w, err);
    }
    if (st == WADI_OK && w->temporary != NULL && rename(w->temporary, w->path) != 0) {
        st = wadi_fail(err, WADI_IO, "%s: cannot rename to it: %s", w->path, strerror(errno));
    }
    if (st == WADI_OK) {
        free(w->temporary);
        w->temporary = NULL;
    }
    flac_writer_discard(w);
    return st;
}

bool flac_writer_can_seek(const flac_writer *w) {
    return w->can_seek;
}

int64_t flac_writer_bytes(const flac_writer *w) {
    return w->bytes;
}
