/* xz by liblzma. */
#ifdef WADI_HAVE_LZMA
#include <lzma.h>
#include <stdlib.h>

#include "apps/md5/decoder.h"

static const char *version(void) {
    return "liblzma " LZMA_VERSION_STRING;
}

static void *begin(void) {
    lzma_stream *z = malloc(sizeof *z);
    if (z == NULL) return NULL;
    *z = (lzma_stream)LZMA_STREAM_INIT;
    if (lzma_stream_decoder(z, UINT64_MAX, 0) == LZMA_OK) return z;
    free(z);
    return NULL;
}

static const char *reason(lzma_ret code) {
    switch (code) {
    case LZMA_MEM_ERROR:
        return "out of memory";
    case LZMA_OPTIONS_ERROR:
        return "it needs a feature that this liblzma does not have";
    case LZMA_FORMAT_ERROR:
        return "the header is wrong";
    default:
        return "the checksums or the codes are wrong";
    }
}

static md5_step step(void *state, md5_flow *flow, const char **out_why) {
    lzma_stream *z = state;
    z->next_in = flow->in;
    z->avail_in = flow->in_n;
    z->next_out = flow->out;
    z->avail_out = flow->out_n;
    const lzma_ret code = lzma_code(z, LZMA_RUN);
    flow->in = z->next_in;
    flow->in_n = z->avail_in;
    flow->out = z->next_out;
    flow->out_n = z->avail_out;
    if (code == LZMA_STREAM_END) return MD5_STEP_END;
    if (code == LZMA_OK || code == LZMA_BUF_ERROR) return MD5_STEP_ON;
    *out_why = reason(code);
    return MD5_STEP_BAD;
}

static void end(void *state) {
    lzma_end(state);
    free(state);
}

const md5_decoder md5_decoder_xz = {version, begin, step, end};
#else
typedef int md5_decode_xz_is_empty;
#endif
