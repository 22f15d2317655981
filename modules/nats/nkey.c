/* Seeds of nkeys (github.com/nats-io/nkeys): base 32 (RFC 4648, without padding) of two bytes of prefix, 32 bytes that an Ed25519 key is made of, and
 * a CRC-16 (XMODEM). The client library signs with a seed; the public key, which it wants as well, is computed here. */
#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "modules/nats/inside.h"

enum {
    SEED = 58, /* letters of a seed: SU and 56 more */
    SEED_BYTES = 36,
    PUBLIC = 56,
    PUBLIC_BYTES = 35,
    KIND_SEED = 18 << 3, /* 'S' */
    KIND_USER = 20 << 3, /* 'U' */
};

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

static uint16_t crc16(const uint8_t *data, size_t n) {
    uint16_t crc = 0;
    for (size_t i = 0; i < n; i++) {
        crc = (uint16_t)(crc ^ data[i] << 8);
        for (int bit = 0; bit < 8; bit++)
            crc = (uint16_t)((crc & 0x8000) != 0 ? crc << 1 ^ 0x1021 : crc << 1);
    }
    return crc;
}

static bool decode(const char *s, uint8_t out[SEED_BYTES]) {
    uint32_t bits = 0;
    int n = 0, have = 0;
    for (int i = 0; i < SEED; i++) {
        const char *at = s[i] != '\0' ? strchr(letters, s[i]) : NULL;
        if (at == NULL) return false;
        bits = (bits << 5 | (uint32_t)(at - letters)) & 0xffff;
        if ((have += 5) < 8) continue;
        have -= 8;
        out[n++] = (uint8_t)(bits >> have);
    }
    return n == SEED_BYTES;
}

static void encode(const uint8_t in[PUBLIC_BYTES], char out[PUBLIC + 1]) {
    uint32_t bits = 0;
    int n = 0, have = 0;
    for (int i = 0; i < PUBLIC_BYTES; i++) {
        bits = (bits << 8 | in[i]) & 0xffff;
        for (have += 8; have >= 5; have -= 5) out[n++] = letters[bits >> (have - 5) & 31];
    }
    out[n] = '\0';
}

/* The public key of a user's seed. False: it is none. */
static bool public_of(const char *seed, char out[PUBLIC + 1]) {
    uint8_t raw[SEED_BYTES], secret[crypto_sign_SECRETKEYBYTES], key[PUBLIC_BYTES];
    bool fits = decode(seed, raw);
    fits = fits && (raw[0] & 0xf8) == KIND_SEED && (raw[0] & 7) == KIND_USER >> 5 &&
           (raw[1] & 0xf8) == (KIND_USER & 31) << 3;
    if (fits) {
        const uint16_t crc = crc16(raw, SEED_BYTES - 2);
        fits = raw[SEED_BYTES - 2] == (crc & 0xff) && raw[SEED_BYTES - 1] == crc >> 8;
    }
    if (fits) {
        key[0] = KIND_USER;
        fits = crypto_sign_seed_keypair(key + 1, secret, raw + 2) == 0;
        const uint16_t crc = crc16(key, PUBLIC_BYTES - 2);
        key[PUBLIC_BYTES - 2] = (uint8_t)(crc & 0xff);
        key[PUBLIC_BYTES - 1] = (uint8_t)(crc >> 8);
        encode(key, out);
    }
    sodium_memzero(raw, sizeof raw);
    sodium_memzero(secret, sizeof secret);
    return fits;
}

/* Where a line with a seed begins. */
static const char *find_seed(const char *text) {
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, "SU", 2) == 0 && strcspn(line, " \t\r\n") == SEED) return line;
    }
    return NULL;
}

static bool take_seed(const char *text, wadi_nats_keys *out) {
    const char *seed = find_seed(text);
    if (seed == NULL || !public_of(seed, out->public)) return false;
    out->seed = strndup(seed, SEED);
    return true;
}

wadi_status wadi_nkey_read(const char *path, wadi_nats_keys *out, wadi_error *err) {
    char *text = NULL;
    size_t n = 0;
    WADI_TRY(wadi_file_read_most(path, WADI_FILE_SECRET, &text, &n, err));
    const bool found = take_seed(text, out);
    sodium_memzero(text, n);
    free(text);
    if (!found)
        return wadi_fail(err, WADI_INVALID,
                         "%s: expected the seed of a user's nkey, 58 letters that begin with SU",
                         path);
    if (out->seed == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", path);
    return WADI_OK;
}

void wadi_nkey_fini(wadi_nats_keys *k) {
    if (k->seed != NULL) sodium_memzero(k->seed, strlen(k->seed));
    free(k->seed);
    *k = (wadi_nats_keys){0};
}
