/* Recorded sound as a source: blocks of one file after another, or whole files. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "connectors/sndfile.h"
#include "sched/stream.h"

enum { DEFAULT_BLOCK = 4096, PIECE = 16384 /* frames a whole file grows by, at first */ };

typedef struct sound_source {
    wadi_source base;
    wadi_sound_options options;
    char **paths; /* of files to open; NULL: `sound` is the caller's */
    int n, at;    /* files, and the number of the next one */
    wadi_sndfile *sound;
    void *buffer; /* [room, channels]: an element before its length is known */
    size_t bytes;
    wadi_sndfile_tap tap;
    void *tap_env;
} sound_source;

static void destroy(wadi_source *self) {
    sound_source *s = (sound_source *)self;
    for (int i = 0; s->paths != NULL && i < s->n; i++) free(s->paths[i]);
    if (s->paths != NULL) wadi_sndfile_close(s->sound);
    free(s->paths);
    free(s->buffer);
    free(s);
}

static wadi_status no_memory(wadi_error *err) {
    return wadi_fail(err, WADI_MEMORY, "sound: out of memory");
}

static wadi_status open_next(sound_source *s, wadi_error *err) {
    const wadi_sndfile_how how = {.bits = s->options.bits, .real = s->options.type != WADI_I32};
    wadi_sndfile_close(s->sound);
    s->sound = NULL;
    const char *path = s->paths[s->at++];
    WADI_TRY(wadi_sndfile_open_as(path, &how, &s->sound, err));
    const int channels = wadi_sndfile_about(s->sound)->channels;
    if (s->options.channels == 0 || channels == s->options.channels) return WADI_OK;
    return wadi_fail(err, WADI_SHAPE, "%s: %d channels, expected %d", path, channels,
                     s->options.channels);
}

/* Bytes of a frame in the buffer: real numbers are read as f64. */
static size_t frame_bytes(const sound_source *s) {
    const size_t one = s->options.type == WADI_I32 ? sizeof(int32_t) : sizeof(double);
    return one * (size_t)wadi_sndfile_about(s->sound)->channels;
}

static bool make_room(sound_source *s, int64_t frames) {
    const size_t size = frame_bytes(s);
    if ((uint64_t)frames > SIZE_MAX / size) return false;
    const size_t want = (size_t)frames * size;
    if (want <= s->bytes) return true;
    void *more = realloc(s->buffer, want);
    if (more == NULL) return false;
    s->buffer = more;
    s->bytes = want;
    return true;
}

static wadi_status read_frames(sound_source *s, int64_t from, int64_t n, int64_t *out_n,
                               wadi_error *err) {
    char *to = (char *)s->buffer + (size_t)from * frame_bytes(s);
    return s->options.type == WADI_I32
               ? wadi_sndfile_read(s->sound, (int32_t *)(void *)to, n, out_n, err)
               : wadi_sndfile_read_real(s->sound, (double *)(void *)to, n, out_n, err);
}

/* The rest of the file: room grows with what has come, not by what a header promises. */
static wadi_status read_whole(sound_source *s, int64_t *out_n, wadi_error *err) {
    int64_t n = 0;
    for (int64_t piece = PIECE, got = piece; got == piece;) {
        piece = n < PIECE ? PIECE : n;
        if (!make_room(s, n + piece)) return no_memory(err);
        WADI_TRY(read_frames(s, n, piece, &got, err));
        n += got;
    }
    *out_n = n;
    return WADI_OK;
}

/* The next element into the buffer; none at the end of the file. */
static wadi_status read_element(sound_source *s, int64_t *out_n, wadi_error *err) {
    if (s->options.block == WADI_SOUND_WHOLE) return read_whole(s, out_n, err);
    if (!make_room(s, s->options.block)) return no_memory(err);
    return read_frames(s, 0, s->options.block, out_n, err);
}

static wadi_status deliver(sound_source *s, int64_t n, wadi_builder *b, wadi_error *err) {
    const int channels = wadi_sndfile_about(s->sound)->channels;
    const int64_t shape[2] = {n, channels};
    wadi_array to;
    if (s->tap != NULL) s->tap(s->tap_env, s->buffer, n);
    WADI_TRY(wadi_builder_array(b, 0, shape, &to, err));
    const int64_t values = n * channels;
    if (s->options.type == WADI_F32) {
        const double *from = s->buffer;
        float *out = to.column[0];
        for (int64_t i = 0; i < values; i++) out[i] = (float)from[i];
    } else if (n > 0) {
        memcpy(to.column[0], s->buffer, (size_t)n * frame_bytes(s));
    }
    return wadi_builder_next(b, err);
}

/* A file of no frames is one element without frames where files are elements, and no block. */
static wadi_status next(wadi_source *self, int64_t k, wadi_builder *b, wadi_error *err) {
    sound_source *s = (sound_source *)self;
    const bool whole = s->options.block == WADI_SOUND_WHOLE;
    while (b->count < k && !wadi_builder_full(b)) {
        int64_t n = 0;
        if (s->sound != NULL) WADI_TRY(read_element(s, &n, err));
        if (s->sound != NULL && (n > 0 || whole)) WADI_TRY(deliver(s, n, b, err));
        if (n > 0 && !whole) continue;
        if (s->at == s->n) {
            if (s->paths != NULL) wadi_sndfile_close(s->sound);
            s->sound = NULL;
            return WADI_OK;
        }
        WADI_TRY(open_next(s, err));
    }
    return WADI_OK;
}

static const wadi_source_ops source_ops = {destroy, next};

static sound_source *make(const wadi_sound_options *options) {
    sound_source *s = calloc(1, sizeof *s);
    if (s == NULL) return NULL;
    s->options = *options;
    s->base = (wadi_source){.ops = &source_ops, .kind = "sound", .wake_fd = -1, .parts = 1};
    s->base.part[0] = wadi_part_irregular(options->type, 2);
    return s;
}

static wadi_status check(wadi_sound_options *o, const char *const *paths, int n, wadi_error *err) {
    if (o->type == WADI_BOOL) o->type = WADI_I32;
    if (o->block == 0) o->block = DEFAULT_BLOCK;
    if (n < 1) return wadi_fail(err, WADI_INVALID, "sound: %d files", n);
    for (int i = 0; i < n; i++)
        if (paths == NULL || paths[i] == NULL)
            return wadi_fail(err, WADI_INVALID, "sound: file %d has no name", i);
    if (o->type != WADI_I32 && o->type != WADI_F32 && o->type != WADI_F64) {
        return wadi_fail(err, WADI_INVALID, "sound: samples of type %s; there are i32, f32, f64",
                         wadi_type_name(o->type));
    }
    if (o->block < WADI_SOUND_WHOLE || o->channels < 0) {
        return wadi_fail(err, WADI_INVALID, "sound: blocks of %lld frames, %d channels",
                         (long long)o->block, o->channels);
    }
    return WADI_OK;
}

wadi_status wadi_source_sound(const char *const *paths, int n, const wadi_sound_options *options,
                              wadi_source **out_source, wadi_error *err) {
    wadi_sound_options o = options != NULL ? *options : (wadi_sound_options){0};
    if (out_source == NULL) return wadi_fail(err, WADI_INVALID, "sound: nowhere to put the source");
    WADI_TRY(check(&o, paths, n, err));
    sound_source *s = make(&o);
    if (s != NULL) s->paths = calloc((size_t)n, sizeof *s->paths);
    bool fine = s != NULL && s->paths != NULL;
    for (int i = 0; fine && i < n; i++) {
        s->paths[i] = malloc(strlen(paths[i]) + 1);
        fine = s->paths[i] != NULL;
        if (fine) strcpy(s->paths[i], paths[i]);
        s->n = i + fine;
    }
    const wadi_status st = fine ? open_next(s, err) : no_memory(err);
    if (st == WADI_OK)
        *out_source = &s->base;
    else if (s != NULL)
        destroy(&s->base);
    return st;
}

wadi_status wadi_sndfile_source(wadi_sndfile *sound, int64_t block, wadi_sndfile_tap tap, void *env,
                                wadi_source **out, wadi_error *err) {
    if (block < 1 || sound->streaming) {
        return wadi_fail(err, WADI_INVALID,
                         "%s: one source per file, of blocks of at least 1 frame", sound->path);
    }
    sound_source *s = make(&(wadi_sound_options){.type = WADI_I32, .block = block});
    if (s == NULL) return no_memory(err);
    sound->streaming = true;
    s->sound = sound;
    s->tap = tap;
    s->tap_env = env;
    *out = &s->base;
    return WADI_OK;
}
