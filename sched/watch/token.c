/* Digests are compared, all of them: where two tokens begin to differ decides nothing that can be measured. */
#include "sched/watch/token.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/random.h"

static wadi_status complete(wadi_watch_token *t, wadi_error *err) {
    if (wadi_blake2b(t->text, strlen(t->text), t->digest) == WADI_OK) return WADI_OK;
    return wadi_fail(err, WADI_INTERNAL, "token: no digest");
}

wadi_status wadi_watch_token_make(wadi_watch_token *out, wadi_error *err) {
    uint8_t bytes[16];
    if (!wadi_random_bytes(bytes, sizeof bytes))
        return wadi_fail_errno(err, errno, "token: no random numbers");
    wadi_hex(bytes, sizeof bytes, out->text);
    return complete(out, err);
}

wadi_status wadi_watch_token_read(const char *path, wadi_watch_token *out, wadi_error *err) {
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
    char *text = NULL;
    size_t n = 0;
    WADI_TRY(wadi_file_read_most(path, WADI_FILE_SECRET, &text, &n, err));
    const size_t line = strcspn(text, "\r\n"), good = strspn(text, allowed);
    const bool fits =
        line == good && line >= WADI_WATCH_TOKEN_LEAST && line <= WADI_WATCH_TOKEN_MOST;
    if (fits) memcpy(out->text, text, line);
    if (fits) out->text[line] = '\0';
    free(text);
    if (fits) return complete(out, err);
    return wadi_fail(err, WADI_INVALID,
                     "%s: expected a token of %d to %d letters, digits and -._~ in the first line",
                     path, (int)WADI_WATCH_TOKEN_LEAST, (int)WADI_WATCH_TOKEN_MOST);
}

bool wadi_watch_token_is(const wadi_watch_token *t, const char *text) {
    uint8_t digest[32];
    unsigned differs = 0;
    if (text == NULL || wadi_blake2b(text, strlen(text), digest) != WADI_OK) return false;
    for (size_t i = 0; i < sizeof digest; i++) differs |= (unsigned)(digest[i] ^ t->digest[i]);
    return differs == 0;
}
