/* Reading sound through libsndfile. It hands out integers left-aligned in 32 bits, so that one call serves every width; they are
 * shifted back. Two of its habits are undone here: floating point read as integers is silently cut, and a file shorter than its
 * header says is silently taken as complete, the difference standing only in its log. */
#include "connectors/sndfile.h"

#include "base/error.h"

#ifdef WADI_HAVE_SNDFILE

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sndfile.h>

#include "base/text.h"

enum {
    LOG_BYTES = 16384, /* libsndfile keeps no more */
    MAX_TAGS = 16,
    CONVERT_FRAMES = 4096, /* doubles are converted in pieces of this many */
};

/* A data length a writer to a pipe puts there because it cannot know: 2 GiB less a header, or all ones. */
static const int64_t UNKNOWN_BYTES = 0x7ff00000;

typedef struct tag {
    const char *name;
    char *value;
} tag;

struct wadi_sndfile {
    SNDFILE *file;
    char *path;
    wadi_sndfile_info info;
    char format[128];
    tag tags[MAX_TAGS];
    int tag_n;
    int64_t at;      /* frames delivered */
    double *doubles; /* NULL: integers are read */
    /* as a source */
    int64_t block;
    int32_t *buffer;
    wadi_sndfile_tap tap;
    void *tap_env;
};

/* ---- what kind of samples ---- */

/* 0: not integers, or not exactly those that went in. Of ALAC only 16 bits count: libsndfile 1.2.0 does not read back the wider
 * files it writes itself. */
static int exact_bits(int format) {
    switch (format & SF_FORMAT_SUBMASK) {
    case SF_FORMAT_PCM_S8:
    case SF_FORMAT_PCM_U8:
        return 8;
    case SF_FORMAT_PCM_16:
    case SF_FORMAT_ALAC_16:
        return 16;
    case SF_FORMAT_PCM_24:
        return 24;
    case SF_FORMAT_PCM_32:
        return 32;
    default:
        return 0;
    }
}

static bool is_float(int format) {
    const int sub = format & SF_FORMAT_SUBMASK;
    return sub == SF_FORMAT_FLOAT || sub == SF_FORMAT_DOUBLE;
}

static void describe_format(wadi_sndfile *s, int format) {
    SF_FORMAT_INFO major = {.format = format & SF_FORMAT_TYPEMASK};
    SF_FORMAT_INFO sub = {.format = format & SF_FORMAT_SUBMASK};
    (void)sf_command(NULL, SFC_GET_FORMAT_INFO, &major, sizeof major);
    (void)sf_command(NULL, SFC_GET_FORMAT_INFO, &sub, sizeof sub);
    snprintf(s->format, sizeof s->format, "%s, %s", major.name != NULL ? major.name : "unknown",
             sub.name != NULL ? sub.name : "unknown");
    s->info.format = s->format;
}

static wadi_status choose_bits(wadi_sndfile *s, int format, int convert_bits, wadi_error *err) {
    const int bits = exact_bits(format);
    s->info.is_float = is_float(format);
    s->info.is_lossy = bits == 0 && !s->info.is_float;
    s->info.bits = bits != 0 ? bits : convert_bits;
    if (convert_bits != 0 && (convert_bits < 8 || convert_bits > 32)) {
        return wadi_fail(err, WADI_INVALID, "cannot convert to %d bits, only to 8..32",
                         convert_bits);
    }
    if (bits == 0 && convert_bits == 0) {
        return wadi_fail(err, WADI_UNSUPPORTED,
                         "%s: the samples (%s) are not integers; name a number of bits to "
                         "convert them to",
                         s->path, s->format);
    }
    if (bits != 0 && convert_bits != 0 && bits != convert_bits) {
        return wadi_fail(err, WADI_INVALID,
                         "%s: the samples have %d bits; only floating point and lossy samples "
                         "are converted",
                         s->path, bits);
    }
    return WADI_OK;
}

/* ---- length ---- */

/* One line of libsndfile's log. It tells in its log alone that a data chunk is longer than the file, "data : 137090 (should be
 * 59956)", and that a writer died before it filled in the sizes, "RIFF : 0". */
static wadi_status check_log_line(const wadi_sndfile *s, const char *line, wadi_error *err) {
    long long promised = 0;
    long long there = 0;
    const int found = sscanf(line, "RIFF : %lld (should be %lld)", &promised, &there);
    if (found >= 1 && promised == 0 && s->info.frames == 0) {
        return wadi_fail(err, WADI_IO,
                         "%s: its header was never completed (bytes 4 to 7 are 0): the number of "
                         "frames is not known",
                         s->path);
    }
    if (sscanf(line, "data : %lld (should be %lld)", &promised, &there) != 2 &&
        sscanf(line, "SSND : %lld (should be %lld)", &promised, &there) != 2) {
        return WADI_OK;
    }
    if (promised <= there || promised >= UNKNOWN_BYTES) return WADI_OK;
    return wadi_fail(err, WADI_IO,
                     "%s: truncated: the header promises %lld bytes of samples, the file ends "
                     "after %lld of them (frame %lld)",
                     s->path, promised, there, (long long)s->info.frames);
}

static wadi_status check_complete(const wadi_sndfile *s, wadi_error *err) {
    char *log = calloc(1, LOG_BYTES);
    if (log == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    (void)sf_command(s->file, SFC_GET_LOG_INFO, log, LOG_BYTES);
    wadi_status st = WADI_OK;
    for (char *line = log, *end; st == WADI_OK && line != NULL; line = end) {
        end = strchr(line, '\n');
        if (end != NULL) *end++ = '\0';
        while (*line == ' ') line++;
        st = check_log_line(s, line, err);
    }
    free(log);
    return st;
}

/* ---- tags ---- */

static bool is_utf8(const char *text) {
    const unsigned char *p = (const unsigned char *)text;
    while (*p != 0) {
        int more = 0;
        if (*p < 0x80) {
            more = 0;
        } else if (*p >= 0xc2 && *p < 0xe0) {
            more = 1;
        } else if (*p >= 0xe0 && *p < 0xf0) {
            more = 2;
        } else if (*p >= 0xf0 && *p < 0xf5) {
            more = 3;
        } else {
            return false;
        }
        const unsigned char first = *p++;
        for (int i = 0; i < more; i++, p++) {
            if ((*p & 0xc0) != 0x80) return false;
            /* The second byte excludes overlong forms, surrogates, and what lies beyond U+10FFFF. */
            if (i == 0 && ((first == 0xe0 && *p < 0xa0) || (first == 0xed && *p > 0x9f) ||
                           (first == 0xf0 && *p < 0x90) || (first == 0xf4 && *p > 0x8f))) {
                return false;
            }
        }
    }
    return true;
}

/* Old formats do not name their character set: what is not UTF-8 is read as Latin-1. */
static char *to_utf8(const char *text) {
    wadi_text out = {0};
    wadi_text_add(&out, "");
    if (is_utf8(text)) {
        wadi_text_add(&out, text);
        return wadi_text_take(&out);
    }
    for (const unsigned char *p = (const unsigned char *)text; *p != 0; p++) {
        const char two[2] = {(char)(0xc0 | *p >> 6), (char)(0x80 | (*p & 0x3f))};
        const char one[1] = {(char)*p};
        wadi_text_add_n(&out, *p < 0x80 ? one : two, *p < 0x80 ? 1 : 2);
    }
    return wadi_text_take(&out);
}

static wadi_status read_tags(wadi_sndfile *s, wadi_error *err) {
    static const struct {
        int type;
        const char *name;
    } known[] = {
        {SF_STR_TITLE, "TITLE"},     {SF_STR_ARTIST, "ARTIST"},
        {SF_STR_ALBUM, "ALBUM"},     {SF_STR_TRACKNUMBER, "TRACKNUMBER"},
        {SF_STR_DATE, "DATE"},       {SF_STR_GENRE, "GENRE"},
        {SF_STR_COMMENT, "COMMENT"}, {SF_STR_COPYRIGHT, "COPYRIGHT"},
        {SF_STR_LICENSE, "LICENSE"}, {SF_STR_SOFTWARE, "ENCODER"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const char *value = sf_get_string(s->file, known[i].type);
        if (value == NULL || *value == '\0') continue;
        char *copy = to_utf8(value);
        if (copy == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
        s->tags[s->tag_n++] = (tag){known[i].name, copy};
    }
    return WADI_OK;
}

/* ---- open, close ---- */

static wadi_status open_file(wadi_sndfile *s, int convert_bits, wadi_error *err) {
    SF_INFO about = {0};
    const bool is_stdin = strcmp(s->path, "-") == 0;
    s->file = is_stdin ? sf_open_fd(STDIN_FILENO, SFM_READ, &about, SF_FALSE)
                       : sf_open(s->path, SFM_READ, &about);
    if (s->file == NULL) {
        return wadi_fail(err, WADI_IO, "%s: cannot be read as sound: %s", s->path,
                         sf_strerror(NULL));
    }
    describe_format(s, about.format);
    s->info.rate = about.samplerate;
    s->info.channels = about.channels;
    s->info.frames = about.frames;
    WADI_TRY(choose_bits(s, about.format, convert_bits, err));
    const int64_t frame_bytes = (int64_t)about.channels * (s->info.bits + 7) / 8;
    const bool known = about.seekable || about.frames < UNKNOWN_BYTES / frame_bytes;
    if (!known || about.frames < 0) s->info.frames = -1;
    WADI_TRY(check_complete(s, err));
    if (exact_bits(about.format) == 0) {
        s->doubles = calloc((size_t)about.channels * CONVERT_FRAMES, sizeof *s->doubles);
        if (s->doubles == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    }
    return read_tags(s, err);
}

wadi_status wadi_sndfile_open(const char *path, int convert_bits, wadi_sndfile **out,
                              wadi_error *err) {
    wadi_sndfile *s = calloc(1, sizeof *s);
    wadi_text copy = {0};
    wadi_text_add(&copy, path);
    if (s != NULL) s->path = wadi_text_take(&copy);
    wadi_text_fini(&copy);
    const wadi_status st = s != NULL && s->path != NULL
                               ? open_file(s, convert_bits, err)
                               : wadi_fail(err, WADI_MEMORY, "out of memory");
    if (st != WADI_OK) {
        wadi_sndfile_close(s);
        return st;
    }
    *out = s;
    return WADI_OK;
}

void wadi_sndfile_close(wadi_sndfile *s) {
    if (s == NULL) return;
    if (s->file != NULL) (void)sf_close(s->file);
    for (int i = 0; i < s->tag_n; i++) free(s->tags[i].value);
    free(s->buffer);
    free(s->doubles);
    free(s->path);
    free(s);
}

const wadi_sndfile_info *wadi_sndfile_about(const wadi_sndfile *s) {
    return &s->info;
}

int wadi_sndfile_tag_count(const wadi_sndfile *s) {
    return s->tag_n;
}

void wadi_sndfile_tag(const wadi_sndfile *s, int i, const char **out_name, const char **out_value) {
    *out_name = s->tags[i].name;
    *out_value = s->tags[i].value;
}

/* ---- read ---- */

static sf_count_t read_integers(wadi_sndfile *s, int32_t *out, int64_t frames) {
    const int unused = 32 - s->info.bits;
    const sf_count_t got = sf_readf_int(s->file, out, frames);
    for (int64_t i = 0; unused > 0 && i < got * s->info.channels; i++) out[i] >>= unused;
    return got;
}

/* Rounds to nearest and clips; NaN becomes 0. */
static sf_count_t read_converted(wadi_sndfile *s, int32_t *out, int64_t frames) {
    const double scale = ldexp(1, s->info.bits - 1);
    sf_count_t done = 0;
    while (done < frames) {
        const int64_t want = frames - done < CONVERT_FRAMES ? frames - done : CONVERT_FRAMES;
        const sf_count_t got = sf_readf_double(s->file, s->doubles, want);
        if (got <= 0) break;
        int32_t *to = out + done * s->info.channels;
        for (int64_t i = 0; i < got * s->info.channels; i++) {
            const double v = isnan(s->doubles[i]) ? 0 : rint(s->doubles[i] * scale);
            to[i] = (int32_t)fmax(-scale, fmin(v, scale - 1));
        }
        done += got;
    }
    return done;
}

wadi_status wadi_sndfile_read(wadi_sndfile *s, int32_t *out, int64_t frames, int64_t *out_frames,
                              wadi_error *err) {
    const sf_count_t got =
        s->doubles != NULL ? read_converted(s, out, frames) : read_integers(s, out, frames);
    s->at += got > 0 ? got : 0;
    if (sf_error(s->file) != SF_ERR_NO_ERROR) {
        return wadi_fail(err, WADI_IO, "%s: reading failed after frame %lld: %s", s->path,
                         (long long)s->at, sf_strerror(s->file));
    }
    if (got < frames && s->info.frames >= 0 && s->at < s->info.frames) {
        return wadi_fail(err, WADI_IO,
                         "%s: truncated: the header promises %lld frames, the file ends after "
                         "frame %lld",
                         s->path, (long long)s->info.frames, (long long)s->at);
    }
    *out_frames = got;
    return WADI_OK;
}

/* ---- source ---- */

/* The length of the last block is known only once it is read: hence the buffer. */
static wadi_status pull(void *env, int64_t index, wadi_yield *yield, wadi_error *err) {
    wadi_sndfile *s = env;
    WADI_UNUSED(index);
    int64_t n = 0;
    WADI_TRY(wadi_sndfile_read(s, s->buffer, s->block, &n, err));
    if (n == 0) return WADI_OK;
    if (s->tap != NULL) s->tap(s->tap_env, s->buffer, n);
    const int64_t shape[2] = {n, s->info.channels};
    wadi_array to;
    WADI_TRY(wadi_yield_array(yield, 0, shape, &to, err));
    memcpy(to.column[0], s->buffer, (size_t)(n * s->info.channels) * sizeof *s->buffer);
    return WADI_OK;
}

wadi_status wadi_sndfile_source(wadi_sndfile *s, int64_t block, wadi_sndfile_tap tap, void *env,
                                wadi_source **out, wadi_error *err) {
    if (block < 1 || s->buffer != NULL) {
        return wadi_fail(err, WADI_INVALID,
                         "%s: one source per file, of blocks of at least 1 frame", s->path);
    }
    s->buffer = malloc((size_t)(block * s->info.channels) * sizeof *s->buffer);
    if (s->buffer == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    s->block = block;
    s->tap = tap;
    s->tap_env = env;
    const wadi_part part = wadi_part_irregular(WADI_I32, 2);
    return wadi_source_callback(1, &part, pull, s, out, err);
}

#else

/* Without libsndfile nothing opens, so nothing else is ever called. */

wadi_status wadi_sndfile_open(const char *path, int convert_bits, wadi_sndfile **out,
                              wadi_error *err) {
    WADI_UNUSED(convert_bits);
    WADI_UNUSED(out);
    return wadi_fail(err, WADI_UNSUPPORTED, "%s: this wadi was built without libsndfile", path);
}

void wadi_sndfile_close(wadi_sndfile *s) {
    WADI_UNUSED(s);
}

const wadi_sndfile_info *wadi_sndfile_about(const wadi_sndfile *s) {
    WADI_UNUSED(s);
    return NULL;
}

int wadi_sndfile_tag_count(const wadi_sndfile *s) {
    WADI_UNUSED(s);
    return 0;
}

void wadi_sndfile_tag(const wadi_sndfile *s, int i, const char **out_name, const char **out_value) {
    WADI_UNUSED(s);
    WADI_UNUSED(i);
    *out_name = *out_value = "";
}

wadi_status wadi_sndfile_read(wadi_sndfile *s, int32_t *out, int64_t frames, int64_t *out_frames,
                              wadi_error *err) {
    WADI_UNUSED(s);
    WADI_UNUSED(out);
    WADI_UNUSED(frames);
    WADI_UNUSED(out_frames);
    return wadi_fail(err, WADI_UNSUPPORTED, "this wadi was built without libsndfile");
}

wadi_status wadi_sndfile_source(wadi_sndfile *s, int64_t block, wadi_sndfile_tap tap, void *env,
                                wadi_source **out, wadi_error *err) {
    WADI_UNUSED(s);
    WADI_UNUSED(block);
    WADI_UNUSED(tap);
    WADI_UNUSED(env);
    WADI_UNUSED(out);
    return wadi_fail(err, WADI_UNSUPPORTED, "this wadi was built without libsndfile");
}

#endif
