/* Reads files that are compressed with gzip as if they were not compressed. */
#include <errno.h>
#include <zlib.h>

#include "base/error.h"
#include "base/loadable_face.h"
#include "connectors/offers.h"

static void *open_gzip(const char *path) {
    return gzopen(path, "rb");
}

static bool rewind_gzip(void *file) {
    return gzrewind((gzFile)file) == 0;
}

/* A compressed file that ends early first gives all its bytes, and then the error. */
static const char *read_gzip(void *file, char *to, size_t n, size_t *out_n) {
    const int got = gzread((gzFile)file, to, (unsigned)n);
    static _Thread_local char words[128];
    int code = Z_OK;
    const char *why = gzerror((gzFile)file, &code);
    *out_n = got > 0 ? (size_t)got : 0;
    if (got > 0 || (got == 0 && code != Z_BUF_ERROR)) return NULL;
    if (code == Z_ERRNO) {
        wadi_errno_words(errno, words, sizeof words);
        return words;
    }
    return code == Z_BUF_ERROR ? "the compressed file is cut off" : why;
}

static void close_gzip(void *file) {
    (void)gzclose((gzFile)file);
}

static const char *version(void) {
    return "zlib " ZLIB_VERSION;
}

static const wadi_gzip_offer gzip = {open_gzip, rewind_gzip, read_gzip, close_gzip};
static const wadi_loadable_offer offers[] = {{"gzip", &gzip}, {0}};

WADI_LOADABLE("Zlib", version, offers);
