/* Unpacking: one table of functions for each format. Only the file of the format includes its library. */
#ifndef APPS_MD5_DECODER_H
#define APPS_MD5_DECODER_H

#include <stddef.h>
#include <stdint.h>

/* Packed bytes to take, and room for unpacked bytes. A step moves the pointers past what it has taken and made. */
typedef struct md5_flow {
    const uint8_t *in;
    size_t in_n;
    uint8_t *out;
    size_t out_n;
} md5_flow;

typedef enum md5_step {
    MD5_STEP_ON, /* it went as far as it could; if it took and made nothing, it needs more bytes or more room */
    MD5_STEP_END, /* the end of a member (gzip), stream (xz, bzip2) or frame (zstd); another may follow */
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
