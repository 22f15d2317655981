/* Raw files: values one after another, in the machine's byte order, with no header. The source reads whole chunks straight into
 * columns. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/sketch.h"
#include "connectors/file_sink.h"

/* ---- source ---- */

typedef struct raw_source {
    wadi_source base;
    int fd;
    char *path;
    int64_t record_bytes;
    int64_t position; /* bytes */
    int64_t bytes;    /* of the file, when it was opened; 0: it is no regular one */
} raw_source;

static void destroy_source(wadi_source *self) {
    raw_source *s = (raw_source *)self;
    if (s->fd >= 0) (void)close(s->fd);
    free(s->path);
    free(s);
}

static int64_t bytes_of(const raw_source *s) {
    struct stat about;
    return fstat(s->fd, &about) == 0 && S_ISREG(about.st_mode) ? about.st_size : 0;
}

/* What ends within a record, or has lost some meanwhile. */
static wadi_status check_end(const raw_source *s, wadi_error *err) {
    WADI_TRY(wadi_io_check_end(s->path, s->bytes, s->position, bytes_of(s), err));
    if (s->position % s->record_bytes == 0) return WADI_OK;
    return wadi_fail(err, WADI_IO, "%s: ends at byte %lld, within a record of %lld bytes", s->path,
                     (long long)s->position, (long long)s->record_bytes);
}

static wadi_status next(wadi_source *self, int64_t k, wadi_builder *b, wadi_error *err) {
    raw_source *s = (raw_source *)self;
    wadi_array to;
    const int64_t n = wadi_builder_fit(b, k);
    WADI_TRY(wadi_builder_bulk(b, n, &to, err));
    bool failed = false;
    const size_t got =
        wadi_io_read_full(s->fd, to.column[0], (size_t)(n * s->record_bytes), s->path, &failed);
    const int why = errno;
    const int64_t records = (int64_t)got / s->record_bytes;
    wadi_builder_keep(b, records);
    s->position += (int64_t)got;
    if (failed)
        return wadi_fail_errno(err, why, "%s: read error at byte %lld", s->path,
                               (long long)s->position);
    return records < n ? check_end(s, err) : WADI_OK;
}

static wadi_status tell(wadi_source *self, wadi_position *out, wadi_error *err) {
    const raw_source *s = (const raw_source *)self;
    WADI_UNUSED(err);
    *out = (wadi_position){.element = s->position / s->record_bytes,
                           .mark = s->position / s->record_bytes * s->record_bytes};
    return WADI_OK;
}

/* A file that has become shorter since the position was told does not have this position any more. */
static wadi_status seek(wadi_source *self, wadi_position to, wadi_error *err) {
    raw_source *s = (raw_source *)self;
    struct stat about;
    if (fstat(s->fd, &about) != 0 || !S_ISREG(about.st_mode))
        return wadi_fail(err, WADI_UNSUPPORTED, "%s: is no file that can be read from the middle",
                         s->path);
    if (to.element < 0 || to.mark > about.st_size || to.mark % s->record_bytes != 0 ||
        to.mark / s->record_bytes != to.element)
        return wadi_fail(err, WADI_INVALID,
                         "%s: no position (%lld, %lld); it has %lld bytes in records of %lld",
                         s->path, (long long)to.element, (long long)to.mark,
                         (long long)about.st_size, (long long)s->record_bytes);
    if (lseek(s->fd, to.mark, SEEK_SET) < 0)
        return wadi_fail_errno(err, errno, "%s: seek to byte %lld", s->path, (long long)to.mark);
    s->position = to.mark;
    return WADI_OK;
}

static wadi_status describe(wadi_source *self, wadi_text *out, wadi_error *err) {
    const raw_source *s = (const raw_source *)self;
    return wadi_sketch(s->fd, s->path, out, err);
}

static const wadi_source_ops source_ops = {
    .destroy = destroy_source, .next = next, .tell = tell, .seek = seek, .describe = describe};

wadi_status wadi_source_raw(const char *path, const wadi_part *part, wadi_source **out_source,
                            wadi_error *err) {
    WADI_GIVEN(err, path);
    WADI_GIVEN(err, part);
    WADI_GIVEN(err, out_source);
    const int64_t values =
        part->fixed && part->fields == 1 && part->rank >= 0 && part->rank <= WADI_MAX_RANK
            ? wadi_shape_values(part->rank, part->shape)
            : -1;
    if (values <= 0) {
        return wadi_fail(err, WADI_INVALID,
                         "%s: a raw record has one field and a fixed, non-empty shape", path);
    }
    raw_source *s = calloc(1, sizeof *s);
    if (s == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", path);
    s->base.ops = &source_ops;
    s->base.kind = "raw";
    s->base.wake_fd = -1;
    s->base.parts = 1;
    s->base.part[0] = *part;
    s->record_bytes = values * wadi_type_size(part->type[0]);
    s->path = strdup(path);
    s->fd = wadi_io_open(path);
    if (s->path == NULL || s->fd < 0) {
        const int why = errno;
        destroy_source(&s->base);
        return wadi_fail_errno(err, why, "%s", path);
    }
    s->bytes = bytes_of(s);
    s->base.total = s->bytes / s->record_bytes;
    *out_source = &s->base;
    return WADI_OK;
}

/* ---- sink ---- */

static wadi_status write_bytes(const wadi_file_sink *s, const wadi_chunk *c, wadi_error *err) {
    if (c->components != 1 || c->component[0].fields != 1) {
        return wadi_fail(err, WADI_INVALID,
                         "%s: a raw file takes elements of one array of one field", s->path);
    }
    const wadi_chunk_component *from = &c->component[0];
    const int64_t times = from->layout == WADI_LAYOUT_AVOID ? c->count : 1;
    const int64_t bytes = from->values * wadi_type_size(from->type[0]);
    for (int64_t i = 0; i < times && bytes > 0; i++)
        WADI_TRY(wadi_outfile_write(s->file, from->column[0], (size_t)bytes, err));
    return WADI_OK;
}

wadi_status wadi_sink_raw(const char *path, wadi_sink **out_sink, wadi_error *err) {
    WADI_GIVEN(err, path);
    WADI_GIVEN(err, out_sink);
    wadi_file_sink *s = NULL;
    WADI_TRY(wadi_place_file_sink(path, "raw", write_bytes, &s, err));
    *out_sink = &s->base;
    return WADI_OK;
}
