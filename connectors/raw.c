/* Raw files: values one after another, in the machine's byte order, with no header.
 *
 * The source reads whole chunks straight into columns. The sink writes under a temporary name beside the path and renames
 * when the stream has ended well, so that a file under the final name is always complete. What is there and is no regular
 * file, a device or a pipe, is written to as it is: to rename something over /dev/null would replace it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "sched/stream.h"

/* ---- source ---- */

typedef struct raw_source {
    wadi_source base;
    FILE *file;
    char *path;
    int64_t record_bytes;
    int64_t position; /* bytes */
} raw_source;

static void destroy_source(wadi_source *self) {
    raw_source *s = (raw_source *)self;
    if (s->file != NULL) (void)fclose(s->file);
    free(s->path);
    free(s);
}

static wadi_status next(wadi_source *self, int64_t k, wadi_builder *b, wadi_error *err) {
    raw_source *s = (raw_source *)self;
    wadi_array to;
    const int64_t n = wadi_builder_fit(b, k);
    WADI_TRY(wadi_builder_bulk(b, n, &to, err));
    const size_t got = fread(to.column[0], 1, (size_t)(n * s->record_bytes), s->file);
    const int64_t records = (int64_t)got / s->record_bytes;
    wadi_builder_keep(b, records);
    s->position += (int64_t)got;
    if (ferror(s->file)) {
        return wadi_fail(err, WADI_IO, "%s: read error at byte %lld: %s", s->path,
                         (long long)s->position, strerror(errno));
    }
    if ((int64_t)got % s->record_bytes == 0) return WADI_OK;
    return wadi_fail(err, WADI_IO, "%s: ends at byte %lld, within a record of %lld bytes", s->path,
                     (long long)s->position, (long long)s->record_bytes);
}

static const wadi_source_ops source_ops = {destroy_source, next};

wadi_status wadi_source_raw(const char *path, const wadi_part *part, wadi_source **out_source,
                            wadi_error *err) {
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
    s->file = fopen(path, "rb");
    if (s->path == NULL || s->file == NULL) {
        const int why = errno;
        destroy_source(&s->base);
        return wadi_fail(err, WADI_IO, "%s: %s", path, strerror(why));
    }
    *out_source = &s->base;
    return WADI_OK;
}

/* ---- sink ---- */

typedef struct raw_sink {
    wadi_sink base;
    FILE *file;
    char *path;
    char *temporary; /* NULL: what is at the path is no regular file */
    int64_t position;
} raw_sink;

static void give_up(raw_sink *s) {
    if (s->file == NULL) return;
    (void)fclose(s->file);
    if (s->temporary != NULL) (void)unlink(s->temporary);
    s->file = NULL;
}

static void destroy_sink(wadi_sink *self) {
    raw_sink *s = (raw_sink *)self;
    give_up(s);
    free(s->path);
    free(s->temporary);
    free(s);
}

static wadi_status write_failed(const raw_sink *s, wadi_error *err) {
    return wadi_fail(err, WADI_IO, "%s: write error at byte %lld: %s", s->path,
                     (long long)s->position, strerror(errno));
}

static wadi_status put(wadi_sink *self, wadi_chunk *c, wadi_error *err) {
    raw_sink *s = (raw_sink *)self;
    if (c->components != 1 || c->component[0].fields != 1) {
        return wadi_fail(err, WADI_INVALID,
                         "%s: a raw file takes elements of one array of one field", s->path);
    }
    const wadi_chunk_component *from = &c->component[0];
    const int64_t times = from->layout == WADI_LAYOUT_AVOID ? c->count : 1;
    const int64_t bytes = from->values * wadi_type_size(from->type[0]);
    for (int64_t i = 0; i < times && bytes > 0; i++) {
        const size_t written = fwrite(from->column[0], 1, (size_t)bytes, s->file);
        s->position += (int64_t)written;
        if ((int64_t)written < bytes) return write_failed(s, err);
    }
    return WADI_OK;
}

static wadi_status finish(wadi_sink *self, wadi_error *err) {
    raw_sink *s = (raw_sink *)self;
    FILE *file = s->file;
    s->file = NULL;
    const bool flushed = fflush(file) == 0;
    const bool closed = fclose(file) == 0;
    const bool direct = s->temporary == NULL;
    if (flushed && closed && (direct || rename(s->temporary, s->path) == 0)) return WADI_OK;
    const wadi_status status = write_failed(s, err);
    if (!direct) (void)unlink(s->temporary);
    return status;
}

static void abort_sink(wadi_sink *self, const wadi_error *why) {
    WADI_UNUSED(why);
    give_up((raw_sink *)self);
}

static const wadi_sink_ops sink_ops = {destroy_sink, put, finish, abort_sink};

/* Opens a neighbour of path that no one else writes. */
static FILE *open_temporary(raw_sink *s, const char *path) {
    const size_t n = strlen(path) + 32;
    s->temporary = malloc(n);
    if (s->temporary == NULL) return NULL;
    (void)snprintf(s->temporary, n, "%s.%ld.part", path, (long)getpid());
    const int fd = open(s->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) return NULL;
    FILE *file = fdopen(fd, "wb");
    if (file == NULL) {
        (void)close(fd);
        (void)unlink(s->temporary);
    }
    return file;
}

static FILE *open_output(raw_sink *s, const char *path) {
    struct stat about;
    s->path = strdup(path);
    if (s->path == NULL) return NULL;
    if (stat(path, &about) != 0 || S_ISREG(about.st_mode)) return open_temporary(s, path);
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    FILE *file = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (file == NULL && fd >= 0) (void)close(fd);
    return file;
}

wadi_status wadi_sink_raw(const char *path, wadi_sink **out_sink, wadi_error *err) {
    raw_sink *s = calloc(1, sizeof *s);
    if (s == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", path);
    s->base.ops = &sink_ops;
    s->base.kind = "raw";
    s->base.wake_fd = -1;
    s->file = open_output(s, path);
    if (s->file == NULL) {
        const int why = errno;
        destroy_sink(&s->base);
        return wadi_fail(err, WADI_IO, "%s: %s", path, strerror(why));
    }
    *out_sink = &s->base;
    return WADI_OK;
}
