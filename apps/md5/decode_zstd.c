/* zstd by libzstd; skippable frames are frames that hold nothing. */
#ifdef WADI_HAVE_ZSTD
#include <zstd.h>

#include "apps/md5/decoder.h"

static const char *version(void) {
    return "libzstd " ZSTD_VERSION_STRING;
}

/* Windows as large as zstd --long=31 makes. */
static void *begin(void) {
    ZSTD_DStream *z = ZSTD_createDStream();
    if (z == NULL) return NULL;
    const ZSTD_bounds window = ZSTD_dParam_getBounds(ZSTD_d_windowLogMax);
    if (!ZSTD_isError(window.error))
        (void)ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, window.upperBound);
    return z;
}

static md5_step step(void *state, md5_flow *flow, const char **out_why) {
    ZSTD_inBuffer in = {flow->in, flow->in_n, 0};
    ZSTD_outBuffer out = {flow->out, flow->out_n, 0};
    const size_t code = ZSTD_decompressStream(state, &out, &in);
    flow->in += in.pos;
    flow->in_n -= in.pos;
    flow->out += out.pos;
    flow->out_n -= out.pos;
    if (code == 0) return MD5_STEP_END;
    if (!ZSTD_isError(code)) return MD5_STEP_ON;
    *out_why = ZSTD_getErrorName(code);
    return MD5_STEP_BAD;
}

static void end(void *state) {
    (void)ZSTD_freeDStream(state);
}

const md5_decoder md5_decoder_zstd = {version, begin, step, end};
#else
typedef int md5_decode_zstd_is_empty;
#endif
