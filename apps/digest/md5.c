/* MD5 through Nettle. */
#include "apps/digest/md5.h"

#include <nettle/version.h>

void wadi_md5_init(wadi_md5 *m) {
    md5_init(&m->context);
}

void wadi_md5_update(wadi_md5 *m, const void *data, size_t n) {
    md5_update(&m->context, n, data);
}

void wadi_md5_final(wadi_md5 *m, uint8_t out[16]) {
#if NETTLE_VERSION_MAJOR < 4
    md5_digest(&m->context, MD5_DIGEST_SIZE, out);
#else
    md5_digest(&m->context, out);
#endif
}
