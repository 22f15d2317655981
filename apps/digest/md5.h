/* MD5, for FLAC's STREAMINFO and lists of digests. It comes from Nettle, which takes no memory and has nothing to prepare: no call
 * can fail. */
#ifndef WADI_APPS_DIGEST_MD5_H
#define WADI_APPS_DIGEST_MD5_H

#include <nettle/md5.h>
#include <stddef.h>
#include <stdint.h>

/* A digest whose data is added in pieces. */
typedef struct wadi_md5 {
    struct md5_ctx context;
} wadi_md5;

void wadi_md5_init(wadi_md5 *m);
void wadi_md5_update(wadi_md5 *m, const void *data, size_t n);
/* The digest of what was added; m then begins anew. */
void wadi_md5_final(wadi_md5 *m, uint8_t out[16]);

#endif
