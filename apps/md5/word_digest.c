/* The digest of one word by Nettle. (The search computes digests in kernels.) */
#include "apps/md5/word_digest.h"

#include "apps/digest/md5.h"
#include "apps/md5/hex.h"

bool md5_digest_read(const char *hex, size_t n, uint8_t out[MD5_DIGEST]) {
    if (n != 2 * MD5_DIGEST) return false;
    for (int i = 0; i < MD5_DIGEST; i++) {
        const int high = md5_hex_digit((unsigned char)hex[2 * i]);
        const int low = md5_hex_digit((unsigned char)hex[2 * i + 1]);
        if (high < 0 || low < 0) return false;
        out[i] = (uint8_t)(16 * high + low);
    }
    return true;
}

void md5_digest_of(const uint8_t *word, size_t n, uint8_t out[MD5_DIGEST]) {
    wadi_md5 md5;
    wadi_md5_init(&md5);
    wadi_md5_update(&md5, word, n);
    wadi_md5_final(&md5, out);
}
