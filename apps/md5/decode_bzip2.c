/* bzip2 by libbz2. */
#ifdef WADI_HAVE_BZIP2
#include <bzlib.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

#include "apps/md5/decoder.h"

static const char *version(void) {
    static char text[64] = "libbz2 ";
    const char *from = BZ2_bzlibVersion();
    size_t n = sizeof "libbz2 " - 1;
    while (*from != '\0' && *from != ',' && n + 1 < sizeof text) text[n++] = *from++;
    text[n] = '\0';
    return text;
}

static void *begin(void) {
    bz_stream *z = calloc(1, sizeof *z);
    if (z != NULL && BZ2_bzDecompressInit(z, 0, 0) == BZ_OK) return z;
    free(z);
    return NULL;
}

static md5_step step(void *state, md5_flow *flow, const char **out_why) {
    bz_stream *z = state;
    const unsigned in = flow->in_n > UINT_MAX ? UINT_MAX : (unsigned)flow->in_n,
                   out = flow->out_n > UINT_MAX ? UINT_MAX : (unsigned)flow->out_n;
    z->next_in = (char *)(uintptr_t)flow->in;
    z->avail_in = in;
    z->next_out = (char *)flow->out;
    z->avail_out = out;
    const int code = BZ2_bzDecompress(z);
    flow->in += in - z->avail_in;
    flow->in_n -= in - z->avail_in;
    flow->out += out - z->avail_out;
    flow->out_n -= out - z->avail_out;
    if (code == BZ_STREAM_END) return MD5_STEP_END;
    if (code == BZ_OK) return MD5_STEP_ON;
    *out_why = code == BZ_MEM_ERROR ? "out of memory" : "the checksums or the codes are wrong";
    return MD5_STEP_BAD;
}

static void end(void *state) {
    (void)BZ2_bzDecompressEnd(state);
    free(state);
}

const md5_decoder md5_decoder_bzip2 = {version, begin, step, end};
#else
typedef int md5_decode_bzip2_is_empty;
#endif
