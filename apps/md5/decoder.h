/* What turns packed bytes into bytes: one table a format, in a file of its own that alone includes the format's library. */
#ifndef APPS_MD5_DECODER_H
#define APPS_MD5_DECODER_H

#include <stddef.h>
#include <stdint.h>

/* Advanced by a step, past what it took and behind what it made. */
typedef struct md5_flow {
    const uint8_t *in;
    size_t in_n;
    uint8_t *out;
    size_t out_n;
} md5_flow;

typedef enum md5_step {
    MD5_STEP_ON,  /* as far as the flow allows; data that is neither taken nor made is waited for */
    MD5_STEP_END, /* of a member (gzip), stream (xz, bzip2) or frame (zstd); another may follow */
    MD5_STEP_BAD,
} md5_step;

typedef struct md5_decoder {
    const char *(*version)(void); /* "zlib 1.2.13" */
    void *(*open)(void);          /* NULL: out of memory */
    md5_step (*step)(void *state, md5_flow *flow, const char **out_why);
    void (*close)(void *state);
} md5_decoder;

/* Declared always, defined where the build has the library: see the table of apps/md5/unpack.c. */
extern const md5_decoder md5_decoder_gzip, md5_decoder_xz, md5_decoder_zstd, md5_decoder_bzip2;

#endif
