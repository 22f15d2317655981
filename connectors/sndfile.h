/* Recorded sound: every format that libsndfile reads, as blocks of integer samples.
 *
 * Integer formats keep their exact samples. Sound that is stored as floating point or with loss (Vorbis, MP3, u-law, ...) has
 * no true integer samples. It is refused unless the caller gives the number of bits to round to. A file that holds fewer
 * frames than its header promises is an error, not a shorter stream. Only the module sndfile knows libsndfile. */
#ifndef WADI_CONNECTORS_SNDFILE_H
#define WADI_CONNECTORS_SNDFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "wadi/status.h"
#include "wadi/stream.h"

typedef struct wadi_sndfile wadi_sndfile;

typedef struct wadi_sndfile_info {
    int rate;           /* Hz */
    int channels;       /* at least 1 */
    int bits;           /* per sample as delivered, 8..32; as stored, or 0, when they are real */
    int64_t frames;     /* samples per channel; -1 when unknown (a pipe) */
    const char *format; /* libsndfile's words for it; borrowed */
    bool is_float;      /* stored as floating point */
    bool is_lossy;      /* stored with loss */
    int64_t clipped;    /* samples read so far that were louder than full scale, */
    int64_t nans;       /* and that were no numbers and became 0, when converted to integers */
} wadi_sndfile_info;

/* A tag: an upper-case name as Vorbis comments have it, and a value in UTF-8. */
typedef struct wadi_sndfile_tag_row {
    const char *name;
    char *value;
} wadi_sndfile_tag_row;

enum { WADI_SNDFILE_TAGS = 16 };

/* The head of the module's own struct, which it fills in when it opens a file and frees when it closes it. */
typedef struct wadi_sndfile_ops {
    /* As wadi_sndfile_read. */
    wadi_status (*read)(wadi_sndfile *s, int32_t *out, int64_t frames, int64_t *out_frames,
                        wadi_error *err);
    /* The same of a file opened as real numbers, full scale being 1. */
    wadi_status (*read_real)(wadi_sndfile *s, double *out, int64_t frames, int64_t *out_frames,
                             wadi_error *err);
    void (*close)(wadi_sndfile *s);
} wadi_sndfile_ops;

struct wadi_sndfile {
    const wadi_sndfile_ops *ops;
    char *path;
    wadi_sndfile_info info;
    wadi_sndfile_tag_row tags[WADI_SNDFILE_TAGS];
    int tag_n;
    bool streaming; /* it has had its source */
};

/* How samples are wanted. Zero everything for exact integers. */
typedef struct wadi_sndfile_how {
    int bits;  /* as convert_bits below */
    bool real; /* as real numbers, full scale being 1, whatever they are stored as */
} wadi_sndfile_how;

/* Opens `path`, or standard input for "-". convert_bits: 0, or the bits (8..32) to which floating point and lossy samples are
 * rounded, clipping what is louder than full scale; integer formats accept only their own number.
 * Errors: WADI_IO (unreadable, not sound, truncated), WADI_UNSUPPORTED (samples that would be changed; no module
 * sndfile), WADI_INVALID, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_sndfile_open(const char *path, int convert_bits, wadi_sndfile **out,
                                             wadi_error *err);
WADI_NODISCARD wadi_status wadi_sndfile_open_as(const char *path, const wadi_sndfile_how *how,
                                                wadi_sndfile **out, wadi_error *err);
void wadi_sndfile_close(wadi_sndfile *s); /* NULL is fine */

const wadi_sndfile_info *wadi_sndfile_about(const wadi_sndfile *s);

/* Tags of the file: upper-case names as Vorbis comments have them, values in UTF-8. Number of tags; number `i` of them. */
int wadi_sndfile_tag_count(const wadi_sndfile *s);
void wadi_sndfile_tag(const wadi_sndfile *s, int i, const char **out_name, const char **out_value);

/* Reads up to `frames` frames, interleaved and right-aligned, into out[frames * channels]; fewer only at the end of the sound.
 * Errors: WADI_IO with the file and the frame. */
WADI_NODISCARD wadi_status wadi_sndfile_read(wadi_sndfile *s, int32_t *out, int64_t frames,
                                             int64_t *out_frames, wadi_error *err);

/* The same of a file opened as real numbers, full scale being 1. */
WADI_NODISCARD wadi_status wadi_sndfile_read_real(wadi_sndfile *s, double *out, int64_t frames,
                                                  int64_t *out_frames, wadi_error *err);

/* Hears every block on its way into the stream, in the thread that reads. */
typedef void (*wadi_sndfile_tap)(void *env, const int32_t *samples, int64_t frames);

/* The sound as a stream of i32[n, channels]: n is `block`, less in the last element. Borrows s and env until the source is
 * destroyed; one source per file. tap may be NULL. Of any file and type: wadi_source_sound. */
WADI_NODISCARD wadi_status wadi_sndfile_source(wadi_sndfile *s, int64_t block, wadi_sndfile_tap tap,
                                               void *env, wadi_source **out, wadi_error *err);

#endif
