/* Recorded sound as a source: blocks of one file after another, or whole files. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/sketch.h"
#include "connectors/sndfile.h"
#include "sched/stream.h"

enum { DEFAULT_BLOCK = 4096, PIECE = 16384 /* frames a whole file grows by, at first */ };

typedef struct sound_source {
    wadi_source base;
    wadi_sound_options options;
    char **paths;             /* the files to open */
    int n, at;                /* how many files, and the number of the next one */
    wadi_sndfile *sound;      /* the file that is read; NULL: it has ended */
    int64_t elements, frames; /* delivered */
    void *buffer;             /* [room, channels]: an element before its length is known */
    size_t bytes;
} sound_source;

static bool is_whole(const sound_source *s) {
    return s->options.block == WADI_SOUND_WHOLE;
}

static void destroy(wadi_source *self) {
    sound_source *s = (sound_source *)self;
    for (int i = 0; i < s->n; i++) free(s->paths[i]);
    wadi_sndfile_close(s->sound);
    free(s->paths);
    free(s->buffer);
    free(s);
}

static wadi_status no_memory(wadi_error *err) {
    return wadi_fail(err, WADI_MEMORY, "sound: out of memory");
}

static wadi_status open_file(const sound_source *s, const char *path, wadi_sndfile **out,
                             wadi_error *err) {
    const wadi_sndfile_how how = {.bits = s->options.bits,
                                  .real = s->options.type != WADI_I32,
                                  .advice = "a program that declares f32 takes them as they are, "
                                            "and @sound,bits=16:FILE rounds them"};
    WADI_TRY(wadi_sndfile_open_as(path, &how, out, err));
    const int channels = wadi_sndfile_about(*out)->channels;
    if (s->options.channels == 0 || channels == s->options.channels) return WADI_OK;
    wadi_sndfile_close(*out);
    *out = NULL;
    return wadi_fail(err, WADI_SHAPE, "%s: %d channels, expected %d", path, channels,
                     s->options.channels);
}

static wadi_status open_next(sound_source *s, wadi_error *err) {
    wadi_sndfile_close(s->sound);
    s->sound = NULL;
    return open_file(s, s->paths[s->at++], &s->sound, err);
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

/* Reads the rest of the file. The buffer grows with the frames that have come, whatever number the header promises. */
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

/* Reads the next element into the buffer; *out_n is 0 at the end of the file. */
static wadi_status read_element(sound_source *s, int64_t *out_n, wadi_error *err) {
    if (is_whole(s)) return read_whole(s, out_n, err);
    if (!make_room(s, s->options.block)) return no_memory(err);
    return read_frames(s, 0, s->options.block, out_n, err);
}

static wadi_status deliver(sound_source *s, int64_t n, wadi_builder *b, wadi_error *err) {
    const int channels = wadi_sndfile_about(s->sound)->channels;
    const int64_t shape[2] = {n, channels};
    wadi_array to;
    WADI_TRY(wadi_builder_array(b, 0, shape, &to, err));
    const int64_t values = n * channels;
    if (s->options.type == WADI_F32) {
        const double *from = s->buffer;
        float *out = to.column[0];
        for (int64_t i = 0; i < values; i++) out[i] = (float)from[i];
    } else if (n > 0) {
        memcpy(to.column[0], s->buffer, (size_t)n * frame_bytes(s));
    }
    s->elements++;
    s->frames += n;
    return wadi_builder_next(b, err);
}

/* A file without frames gives one empty element if elements are whole files, and nothing if they are blocks. */
static wadi_status next(wadi_source *self, int64_t k, wadi_builder *b, wadi_error *err) {
    sound_source *s = (sound_source *)self;
    const bool whole = is_whole(s);
    while (b->count < k && !wadi_builder_full(b)) {
        int64_t n = 0;
        if (s->sound != NULL) WADI_TRY(read_element(s, &n, err));
        if (s->sound != NULL && (n > 0 || whole)) WADI_TRY(deliver(s, n, b, err));
        if (n > 0 && !whole) continue;
        if (s->at == s->n) {
            wadi_sndfile_close(s->sound);
            s->sound = NULL;
            return WADI_OK;
        }
        WADI_TRY(open_next(s, err));
    }
    return WADI_OK;
}

/* ---- positions: in blocks, the mark is the number of frames before it, in all files together ---- */

static wadi_status tell(wadi_source *self, wadi_position *out, wadi_error *err) {
    const sound_source *s = (const sound_source *)self;
    WADI_UNUSED(err);
    *out = (wadi_position){.element = s->elements, .mark = is_whole(s) ? 0 : s->frames};
    return WADI_OK;
}

static int64_t blocks_of(const sound_source *s, int64_t frames) {
    return frames / s->options.block + (frames % s->options.block != 0);
}

/* Whether the file, the last or not, has the position, counted from its first frame; the file stands there then. *out_next: it is in a
 * later file, and what is left of it. */
static wadi_status seek_in(const sound_source *s, wadi_sndfile *sound, bool last, wadi_position *to,
                           bool *out_next, wadi_error *err) {
    const int64_t frames = wadi_sndfile_about(sound)->frames, blocks = blocks_of(s, frames);
    *out_next = false;
    if (frames < 0) return sound->ops->seek(sound, 0, err); /* which says why not */
    if (!last && to->mark >= frames) {
        *to = (wadi_position){to->element - blocks, to->mark - frames};
        *out_next = true;
        return WADI_OK;
    }
    const bool begins_block = to->mark % s->options.block == 0 || to->mark == frames;
    if (to->mark <= frames && begins_block && to->element == blocks_of(s, to->mark))
        return sound->ops->seek(sound, to->mark, err);
    return wadi_fail(err, WADI_INVALID, "it is not where a block of %lld frames begins",
                     (long long)s->options.block);
}

/* Opens a file that can be read from the middle. A pipe would wait for another writer. */
static wadi_status reopen(const sound_source *s, const char *path, wadi_sndfile **out,
                          wadi_error *err) {
    struct stat about;
    const bool is_file = stat(path, &about) != 0 || S_ISREG(about.st_mode);
    if (is_file && strcmp(path, "-") != 0) return open_file(s, path, out, err);
    return wadi_fail(err, WADI_UNSUPPORTED, "%s: is no file that can be read from the middle",
                     path);
}

/* The file that has the position, open and standing there, and its number. */
static wadi_status find(const sound_source *s, wadi_position to, wadi_sndfile **out, int *out_file,
                        wadi_error *err) {
    bool next = true;
    for (int i = 0; i < s->n && next; i++) {
        WADI_TRY(reopen(s, s->paths[i], out, err));
        const wadi_status status = seek_in(s, *out, i == s->n - 1, &to, &next, err);
        if (status == WADI_OK && !next) break;
        wadi_sndfile_close(*out);
        *out = NULL;
        WADI_TRY(status);
        *out_file = i + 1;
    }
    return WADI_OK;
}

/* Where files are elements. At the end there is none to open. */
static wadi_status find_whole(const sound_source *s, wadi_position to, wadi_sndfile **out,
                              wadi_error *err) {
    WADI_TRY(wadi_position_check(to, s->n, s->base.kind, err));
    if (to.element == s->n) return WADI_OK;
    WADI_TRY(reopen(s, s->paths[to.element], out, err));
    const wadi_status status = (*out)->ops->seek(*out, 0, err);
    if (status == WADI_OK) return WADI_OK;
    wadi_sndfile_close(*out);
    *out = NULL;
    return status;
}

static wadi_status no_position(wadi_position to, const wadi_error *why, wadi_error *err) {
    return wadi_fail(err, why->status, "sound source: no position (%lld, %lld): %.400s",
                     (long long)to.element, (long long)to.mark, why->msg);
}

static wadi_status seek(wadi_source *self, wadi_position to, wadi_error *err) {
    sound_source *s = (sound_source *)self;
    wadi_sndfile *sound = NULL;
    wadi_error why = {.status = WADI_OK};
    int file = 0;
    if (to.element < 0 || to.mark < 0)
        why.status = wadi_fail(&why, WADI_INVALID, "it is negative");
    else if (is_whole(s))
        why.status = find_whole(s, to, &sound, &why);
    else
        why.status = find(s, to, &sound, &file, &why);
    if (why.status != WADI_OK) return no_position(to, &why, err);
    wadi_sndfile_close(s->sound);
    s->at = (is_whole(s) ? (int)to.element : file) + (sound != NULL);
    s->sound = sound;
    s->elements = to.element;
    s->frames = to.mark;
    return WADI_OK;
}

/* The options matter where samples are converted. */
static wadi_status describe(wadi_source *self, wadi_text *out, wadi_error *err) {
    const sound_source *s = (const sound_source *)self;
    wadi_text_addf(out, "%lld %d ", (long long)s->options.block, s->options.bits);
    for (int i = 0; i < s->n; i++)
        if (strcmp(s->paths[i], "-") != 0) WADI_TRY(wadi_sketch_file(s->paths[i], out, err));
    return WADI_OK;
}

static const wadi_source_ops source_ops = {
    .destroy = destroy, .next = next, .tell = tell, .seek = seek, .describe = describe};

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

/* As far as the header of a single file promises. */
static int64_t count_elements(const sound_source *s) {
    if (is_whole(s)) return s->n;
    const int64_t frames = s->n == 1 && s->sound != NULL ? wadi_sndfile_about(s->sound)->frames : 0;
    return frames > 0 && frames < INT64_MAX ? blocks_of(s, frames) : 0;
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
    if (st == WADI_OK) s->base.total = count_elements(s);
    if (st == WADI_OK)
        *out_source = &s->base;
    else if (s != NULL)
        destroy(&s->base);
    return st;
}
