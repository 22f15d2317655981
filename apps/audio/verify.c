/* A decoder that reads the frames as they are written. */
#include "apps/audio/verify.h"

#include <stdlib.h>
#include <string.h>

#include "apps/audio/libflac.h"
#include "apps/audio/md5_tap.h"
#include "apps/audio/metadata.h"
#include "base/error.h"

struct flac_verifier {
    const char *name;
    flac_decoder *decoder;
    flac_md5_tap md5;
    const uint8_t *frame; /* the part that the decoder has not read yet */
    size_t n;
    int64_t frames;
};

static wadi_status feed(void *env, uint8_t *to, size_t n, size_t *out_n, wadi_error *err) {
    flac_verifier *v = env;
    WADI_UNUSED(err);
    *out_n = n < v->n ? n : v->n;
    if (*out_n > 0) memcpy(to, v->frame, *out_n);
    v->frame += *out_n;
    v->n -= *out_n;
    return WADI_OK;
}

wadi_status flac_verifier_create(const char *name, const flac_format *format, flac_verifier **out,
                                 wadi_error *err) {
    flac_verifier *v = calloc(1, sizeof *v);
    flac_bits bits = {0};
    if (v == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    v->name = name;
    flac_put_streaminfo(&bits, &(flac_streaminfo){.format = *format}, true);
    wadi_status st = bits.failed ? wadi_fail(err, WADI_MEMORY, "out of memory") : WADI_OK;
    flac_md5_tap_init(&v->md5, format->channels, format->bits);
    if (st == WADI_OK) {
        st =
            flac_decoder_create(name, bits.at + FLAC_BLOCK_HEADER_BYTES, feed, v, &v->decoder, err);
    }
    flac_bits_fini(&bits);
    if (st != WADI_OK) {
        flac_verifier_destroy(v);
        return st;
    }
    *out = v;
    return WADI_OK;
}

void flac_verifier_destroy(flac_verifier *v) {
    if (v == NULL) return;
    flac_decoder_destroy(v->decoder);
    free(v);
}

wadi_status flac_verifier_hear(flac_verifier *v, const uint8_t *frame, size_t n, int64_t samples,
                               wadi_error *err) {
    const int32_t *got = NULL;
    int64_t got_n = 0;
    wadi_error why = {0};
    v->frame = frame;
    v->n = n;
    const wadi_status st = flac_decoder_next(v->decoder, &got, &got_n, &why);
    if (st == WADI_MEMORY) return wadi_fail(err, st, "%s", why.msg);
    if (st != WADI_OK || got_n != samples || v->n > 0) {
        return wadi_fail(err, WADI_INTERNAL,
                         "%s: verification failed: frame %lld decodes to %lld samples of %lld: %s",
                         v->name, (long long)v->frames, (long long)got_n, (long long)samples,
                         st != WADI_OK ? why.msg : "no error was told");
    }
    flac_md5_tap_hear(&v->md5, got, got_n);
    v->frames++;
    return WADI_OK;
}

wadi_status flac_verifier_end(flac_verifier *v, const uint8_t md5[16], wadi_error *err) {
    uint8_t own[16];
    flac_md5_tap_final(&v->md5, own);
    if (memcmp(own, md5, sizeof own) == 0) return WADI_OK;
    return wadi_fail(err, WADI_INTERNAL,
                     "%s: verification failed: other samples come out than went in", v->name);
}
