/* gzip (RFC 1952) by zlib. */
#ifdef WADI_HAVE_ZLIB
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "apps/md5/decoder.h"

enum { WINDOW = 15, GZIP_ALONE = 16 };

static const char *version(void) {
    return "zlib " ZLIB_VERSION;
}

static void *begin(void) {
    z_stream *z = calloc(1, sizeof *z);
    if (z != NULL && inflateInit2(z, WINDOW + GZIP_ALONE) == Z_OK) return z;
    free(z);
    return NULL;
}

static md5_step step(void *state, md5_flow *flow, const char **out_why) {
    z_stream *z = state;
    const uInt in = flow->in_n > UINT_MAX ? UINT_MAX : (uInt)flow->in_n,
               out = flow->out_n > UINT_MAX ? UINT_MAX : (uInt)flow->out_n;
    z->next_in = (Bytef *)(uintptr_t)flow->in;
    z->avail_in = in;
    z->next_out = flow->out;
    z->avail_out = out;
    const int code = inflate(z, Z_NO_FLUSH);
    flow->in += in - z->avail_in;
    flow->in_n -= in - z->avail_in;
    flow->out += out - z->avail_out;
    flow->out_n -= out - z->avail_out;
    if (code == Z_STREAM_END) return MD5_STEP_END;
    if (code == Z_OK || code == Z_BUF_ERROR) return MD5_STEP_ON;
    *out_why = code == Z_MEM_ERROR ? "out of memory" : z->msg;
    return MD5_STEP_BAD;
}

static void end(void *state) {
    (void)inflateEnd(state);
    free(state);
}

const md5_decoder md5_decoder_gzip = {version, begin, step, end};
#else
typedef int md5_decode_gzip_is_empty;
#endif
