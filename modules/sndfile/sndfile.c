/* Reads sound by libsndfile. It returns integers left-aligned in 32 bits, so that one call serves every width; they are
 * shifted back here. Two of its habits are corrected: it silently truncates floating point that is read as integers, and it
 * silently takes a file that is shorter than its header says as complete, reporting the difference only in its log. */
#include "connectors/sndfile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sndfile.h>

#include "base/error.h"
#include "base/loadable_face.h"
#include "base/text.h"
#include "base/utf8.h"
#include "connectors/offers.h"

enum {
    LOG_BYTES = 16384,     /* the most that libsndfile keeps */
    CONVERT_FRAMES = 4096, /* doubles are converted in pieces of this many */
};

/* Whether this is a data length that a program writes to a pipe because it does not know the true one: 2 GiB less a header, or all
 * ones. */
static const int64_t UNKNOWN_BYTES = 0x7ff00000;

typedef struct sound {
    wadi_sndfile base;
    SNDFILE *file;
    char format[128];
    int format_code; /* libsndfile's */
    bool is_file;    /* not a pipe */
    int64_t at;      /* frames delivered */
    double *doubles; /* samples before they are converted to integers; NULL: integers are read */
} sound;

/* ---- what kind of samples ---- */

/* Returns 0 for samples that are not integers, or not exactly those that were stored. For ALAC, only 16 bits are accepted, because
 * libsndfile 1.2.0 cannot read the wider files that it writes itself. */
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

static void describe_format(sound *s, int format) {
    SF_FORMAT_INFO major = {.format = format & SF_FORMAT_TYPEMASK};
    SF_FORMAT_INFO sub = {.format = format & SF_FORMAT_SUBMASK};
    (void)sf_command(NULL, SFC_GET_FORMAT_INFO, &major, sizeof major);
    (void)sf_command(NULL, SFC_GET_FORMAT_INFO, &sub, sizeof sub);
    snprintf(s->format, sizeof s->format, "%s, %s", major.name != NULL ? major.name : "unknown",
             sub.name != NULL ? sub.name : "unknown");
    s->base.info.format = s->format;
}

static wadi_status choose_bits(sound *s, int format, const wadi_sndfile_how *how, wadi_error *err) {
    const int convert_bits = how->bits;
    const int bits = exact_bits(format);
    s->base.info.is_float = is_float(format);
    s->base.info.is_lossy = bits == 0 && !s->base.info.is_float;
    s->base.info.bits = bits != 0 ? bits : convert_bits;
    if (convert_bits != 0 && (convert_bits < 8 || convert_bits > 32)) {
        return wadi_fail(err, WADI_INVALID, "cannot convert to %d bits, only to 8..32",
                         convert_bits);
    }
    if (how->real) {
        if (convert_bits == 0) return WADI_OK;
        return wadi_fail(err, WADI_INVALID, "%s: a number of bits is for integers", s->base.name);
    }
    if (bits == 0 && convert_bits == 0) {
        return wadi_fail(err, WADI_UNSUPPORTED, "%s: the samples (%s) are not integers; %s",
                         s->base.name, s->format,
                         how->advice ? how->advice : "name a number of bits to convert them to");
    }
    if (bits != 0 && convert_bits != 0 && bits != convert_bits) {
        return wadi_fail(err, WADI_INVALID,
                         "%s: the samples have %d bits; only floating point and lossy samples "
                         "are converted",
                         s->base.name, bits);
    }
    return WADI_OK;
}

/* ---- length ---- */

/* One line of libsndfile's log. Only the log says that a data chunk is longer than the file, "data : 137090 (should be
 * 59956)", and that a writer ended before it filled in the sizes, "RIFF : 0". */
static wadi_status check_log_line(const sound *s, long long length, const char *line,
                                  wadi_error *err) {
    long long promised = 0;
    long long there = 0;
    const int found = sscanf(line, "RIFF : %lld (should be %lld)", &promised, &there);
    if (found >= 1 && promised == 0 && s->base.info.frames == 0) {
        return wadi_fail(err, WADI_IO,
                         "%s: its header was never completed (bytes 4 to 7 are 0): the number of "
                         "frames is not known",
                         s->base.name);
    }
    if (found >= 1 && promised + 8 < length && s->base.info.frames == 0) {
        return wadi_fail(err, WADI_IO,
                         "%s: its header was never completed: it says that there are no samples, "
                         "and nothing of the %lld bytes that follow it",
                         s->base.name, length - promised - 8);
    }
    if (sscanf(line, "data : %lld (should be %lld)", &promised, &there) != 2 &&
        sscanf(line, "SSND : %lld (should be %lld)", &promised, &there) != 2) {
        return WADI_OK;
    }
    if (promised <= there || promised >= UNKNOWN_BYTES) return WADI_OK;
    return wadi_fail(err, WADI_IO,
                     "%s: truncated: the header promises %lld bytes of samples, the file ends "
                     "after %lld of them (frame %lld)",
                     s->base.name, promised, there, (long long)s->base.info.frames);
}

static wadi_status check_complete(const sound *s, wadi_error *err) {
    char *log = calloc(1, LOG_BYTES);
    if (log == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    (void)sf_command(s->file, SFC_GET_LOG_INFO, log, LOG_BYTES);
    wadi_status st = WADI_OK;
    long long length = 0; /* of the file */
    for (char *line = log, *end; st == WADI_OK && line != NULL; line = end) {
        end = strchr(line, '\n');
        if (end != NULL) *end++ = '\0';
        while (*line == ' ') line++;
        (void)sscanf(line, "Length : %lld", &length);
        st = check_log_line(s, length, line, err);
    }
    free(log);
    return st;
}

/* ---- tags ---- */

/* Old formats do not name their character set. Text that is not UTF-8 is read as Latin-1. */
static char *to_utf8(const char *text) {
    wadi_text out = {0};
    wadi_text_add(&out, "");
    if (wadi_utf8_is(text, strlen(text))) {
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

static wadi_status read_tags(sound *s, wadi_error *err) {
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
        s->base.tags[s->base.tag_n++] = (wadi_sndfile_tag_row){known[i].name, copy};
    }
    return WADI_OK;
}

/* ---- open, close ---- */

static wadi_status open_file(sound *s, const wadi_sndfile_how *how, wadi_error *err) {
    SF_INFO about = {0};
    const bool is_stdin = strcmp(s->base.path, "-") == 0;
    s->file = is_stdin ? sf_open_fd(STDIN_FILENO, SFM_READ, &about, SF_FALSE)
                       : sf_open(s->base.path, SFM_READ, &about);
    if (s->file == NULL) {
        const bool is_other = sf_error(NULL) == SF_ERR_UNRECOGNISED_FORMAT;
        return wadi_fail(err, is_other ? WADI_INVALID : WADI_IO, "%s: cannot be read as sound: %s",
                         s->base.name, sf_strerror(NULL));
    }
    s->format_code = about.format;
    struct stat on_disk;
    s->is_file = !is_stdin && stat(s->base.path, &on_disk) == 0 && S_ISREG(on_disk.st_mode);
    describe_format(s, about.format);
    s->base.info.rate = about.samplerate;
    s->base.info.channels = about.channels;
    s->base.info.frames = about.frames;
    WADI_TRY(choose_bits(s, about.format, how, err));
    const int sample_bytes = s->base.info.bits > 0 ? (s->base.info.bits + 7) / 8 : 1;
    const int64_t frame_bytes = (int64_t)about.channels * sample_bytes;
    const bool known = about.seekable || about.frames < UNKNOWN_BYTES / frame_bytes;
    if (!known || about.frames < 0) s->base.info.frames = -1;
    WADI_TRY(check_complete(s, err));
    if (exact_bits(about.format) == 0 && !how->real) {
        s->doubles = calloc((size_t)about.channels * CONVERT_FRAMES, sizeof *s->doubles);
        if (s->doubles == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    }
    return read_tags(s, err);
}

/* ---- read ---- */

static sf_count_t read_integers(sound *s, int32_t *out, int64_t frames) {
    const int unused = 32 - s->base.info.bits;
    const sf_count_t got = sf_readf_int(s->file, out, frames);
    for (int64_t i = 0; unused > 0 && i < got * s->base.info.channels; i++) out[i] >>= unused;
    return got;
}

/* Rounds to nearest and clips; NaN becomes 0. Clipped values and NaNs are counted. Full scale itself does not count as clipped. */
static int32_t converted(sound *s, double sample, double scale) {
    s->base.info.nans += isnan(sample);
    s->base.info.clipped += fabs(sample) > 1;
    const double v = isnan(sample) ? 0 : rint(sample * scale);
    return (int32_t)fmax(-scale, fmin(v, scale - 1));
}

static sf_count_t read_converted(sound *s, int32_t *out, int64_t frames) {
    const double scale = ldexp(1, s->base.info.bits - 1);
    sf_count_t done = 0;
    while (done < frames) {
        const int64_t want = frames - done < CONVERT_FRAMES ? frames - done : CONVERT_FRAMES;
        const sf_count_t got = sf_readf_double(s->file, s->doubles, want);
        if (got <= 0) break;
        int32_t *to = out + done * s->base.info.channels;
        for (int64_t i = 0; i < got * s->base.info.channels; i++) {
            to[i] = converted(s, s->doubles[i], scale);
        }
        done += got;
    }
    return done;
}

/* Returns what was read, or fails if it is not what the header promises. */
static wadi_status account(sound *s, sf_count_t got, int64_t frames, int64_t *out_frames,
                           wadi_error *err) {
    s->at += got > 0 ? got : 0;
    if (sf_error(s->file) != SF_ERR_NO_ERROR) {
        return wadi_fail(err, WADI_IO, "%s: reading failed after frame %lld: %s", s->base.name,
                         (long long)s->at, sf_strerror(s->file));
    }
    if (got < frames && s->base.info.frames >= 0 && s->at < s->base.info.frames) {
        return wadi_fail(err, WADI_IO,
                         "%s: truncated: the header promises %lld frames, the file ends after "
                         "frame %lld",
                         s->base.name, (long long)s->base.info.frames, (long long)s->at);
    }
    *out_frames = got;
    return WADI_OK;
}

static wadi_status read_samples(wadi_sndfile *self, int32_t *out, int64_t frames,
                                int64_t *out_frames, wadi_error *err) {
    sound *s = (sound *)self;
    const sf_count_t got =
        s->doubles != NULL ? read_converted(s, out, frames) : read_integers(s, out, frames);
    return account(s, got, frames, out_frames, err);
}

static wadi_status read_real(wadi_sndfile *self, double *out, int64_t frames, int64_t *out_frames,
                             wadi_error *err) {
    sound *s = (sound *)self;
    return account(s, sf_readf_double(s->file, out, frames), frames, out_frames, err);
}

/* ---- seek ---- */

static wadi_status no_such_frame(const sound *s, int64_t frame, wadi_error *err) {
    return wadi_fail(err, WADI_IO, "%s: frame %lld cannot be reached: %s", s->base.name,
                     (long long)frame, sf_strerror(s->file));
}

/* Opens the file again from its first frame, with a decoder that has decoded nothing else. */
static wadi_status open_again(sound *s, wadi_error *err) {
    SF_INFO about = {0};
    SNDFILE *file = sf_open(s->base.path, SFM_READ, &about);
    if (file == NULL)
        return wadi_fail(err, WADI_IO, "%s: cannot be read as sound: %s", s->base.name,
                         sf_strerror(NULL));
    (void)sf_close(s->file);
    s->file = file;
    s->at = 0;
    return WADI_OK;
}

/* Reads up to this frame, without counting clipped values. */
static wadi_status read_up_to(sound *s, int64_t frame, wadi_error *err) {
    if (frame < s->at) WADI_TRY(open_again(s, err));
    double *unused = calloc((size_t)s->base.info.channels * CONVERT_FRAMES, sizeof *unused);
    if (unused == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    sf_count_t got = 1;
    while (s->at < frame && got > 0) {
        const int64_t left = frame - s->at;
        got = sf_readf_double(s->file, unused, left < CONVERT_FRAMES ? left : CONVERT_FRAMES);
        s->at += got > 0 ? got : 0;
    }
    free(unused);
    return s->at == frame ? WADI_OK : no_such_frame(s, frame, err);
}

/* Samples that are stored directly do not depend on those before them. Compressed samples may, so all samples before the position are
 * decoded, as they would be without the seek. */
static wadi_status seek_frame(wadi_sndfile *self, int64_t frame, wadi_error *err) {
    sound *s = (sound *)self;
    if (!s->is_file || s->base.info.frames < 0)
        return wadi_fail(err, WADI_UNSUPPORTED, "%s: cannot be read from the middle", s->base.name);
    if (frame < 0 || frame > s->base.info.frames)
        return wadi_fail(err, WADI_INVALID, "%s: no frame %lld; there are %lld", s->base.name,
                         (long long)frame, (long long)s->base.info.frames);
    if (exact_bits(s->format_code) == 0 && !is_float(s->format_code))
        return read_up_to(s, frame, err);
    if (sf_seek(s->file, frame, SEEK_SET) != frame) return no_such_frame(s, frame, err);
    s->at = frame;
    return WADI_OK;
}

static void close_file(wadi_sndfile *self) {
    sound *s = (sound *)self;
    if (s->file != NULL) (void)sf_close(s->file);
    for (int i = 0; i < s->base.tag_n; i++) free(s->base.tags[i].value);
    free(s->doubles);
    free(s->base.path);
    free(s->base.name);
    free(s);
}

static wadi_status open_sound(const char *path, const wadi_sndfile_how *how, wadi_sndfile **out,
                              wadi_error *err) {
    static const wadi_sndfile_ops ops = {read_samples, read_real, seek_frame, close_file};
    sound *s = calloc(1, sizeof *s);
    if (s == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    s->base.ops = &ops;
    s->base.path = strdup(path);
    s->base.name = strdup(how->name != NULL ? how->name : path);
    const wadi_status st = s->base.path != NULL && s->base.name != NULL
                               ? open_file(s, how, err)
                               : wadi_fail(err, WADI_MEMORY, "out of memory");
    if (st == WADI_OK)
        *out = &s->base;
    else
        close_file(&s->base);
    return st;
}

static const wadi_sound_offer sound_offer = {open_sound};
static const wadi_loadable_offer offers[] = {{"sound", &sound_offer}, {0}};

WADI_LOADABLE("LGPL-2.1-or-later", sf_version_string, offers);
