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
    int rate;       /* Hz */
    int channels;   /* at least 1 */
    int bits;       /* per sample as delivered, 8..32; when read as real numbers: as stored, or 0 */
    int64_t frames; /* samples per channel; -1 when unknown (a pipe) */
    const char *format; /* libsndfile's name of the format; borrowed */
    bool is_float;      /* stored as floating point */
    bool is_lossy;      /* stored with loss */
    /* Of the samples that were read so far and converted to integers: */
    int64_t clipped; /* how many were louder than full scale */
    int64_t nans;    /* how many were NaN, and became 0 */
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
    /* The next read begins at this frame, 0 to info.frames. After a failure the place is unchanged, but for WADI_IO. Errors: WADI_INVALID (no
     * such frame), WADI_UNSUPPORTED (the sound can be read only once), WADI_IO. */
    wadi_status (*seek)(wadi_sndfile *s, int64_t frame, wadi_error *err);
    void (*close)(wadi_sndfile *s);
} wadi_sndfile_ops;

struct wadi_sndfile {
    const wadi_sndfile_ops *ops;
    char *path, *name; /* name: in messages */
    wadi_sndfile_info info;
    wadi_sndfile_tag_row tags[WADI_SNDFILE_TAGS];
    int tag_n;
};

/* In which form samples are delivered. All zero: exact integers. */
typedef struct wadi_sndfile_how {
    int bits;         /* as convert_bits below */
    bool real;        /* as real numbers with full scale 1, in whatever form they are stored */
    const char *name; /* in messages; NULL: the path */
    const char *
        advice; /* for the error about samples that are no integers: what the user can do; NULL: name a number of bits */
} wadi_sndfile_how;

/* Opens `path`, or standard input for "-". convert_bits: 0, or the bits (8..32) to which floating point and lossy samples are
 * rounded, clipping what is louder than full scale; integer formats accept only their own number.
 * Errors: WADI_IO (unreadable, truncated), WADI_INVALID (also what is not sound), WADI_UNSUPPORTED (samples that would be changed; no module
 * sndfile), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_sndfile_open(const char *path, int convert_bits, wadi_sndfile **out,
                                             wadi_error *err);
WADI_NODISCARD wadi_status wadi_sndfile_open_as(const char *path, const wadi_sndfile_how *how,
                                                wadi_sndfile **out, wadi_error *err);
void wadi_sndfile_close(wadi_sndfile *s); /* NULL is fine */

const wadi_sndfile_info *wadi_sndfile_about(const wadi_sndfile *s);

/* The number of tags of the file, and tag number `i`. Names are in upper case as in Vorbis comments, values in UTF-8. */
int wadi_sndfile_tag_count(const wadi_sndfile *s);
void wadi_sndfile_tag(const wadi_sndfile *s, int i, const char **out_name, const char **out_value);

/* Reads up to `frames` frames, interleaved and right-aligned, into out[frames * channels]; fewer only at the end of the sound.
 * Errors: WADI_IO with the file and the frame. */
WADI_NODISCARD wadi_status wadi_sndfile_read(wadi_sndfile *s, int32_t *out, int64_t frames,
                                             int64_t *out_frames, wadi_error *err);

/* The same of a file opened as real numbers, full scale being 1. */
WADI_NODISCARD wadi_status wadi_sndfile_read_real(wadi_sndfile *s, double *out, int64_t frames,
                                                  int64_t *out_frames, wadi_error *err);

#endif
