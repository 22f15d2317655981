/* Recognising packed files by their first bytes, and calling the decoder. */
#include "apps/md5/unpack.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/md5/decoder.h"
#include "base/error.h"
#include "base/io.h"

enum { MOST_MAGIC = 10, PACKED = 1 << 18 };

/* ---- formats ---- */

typedef struct format {
    const char *what;
    const char *magic[2];
    int length;        /* of each magic */
    const char *needs; /* the library; NULL: no library is used for it */
    const md5_decoder *decoder;
} format;

#ifdef WADI_HAVE_ZLIB
#define GZIP &md5_decoder_gzip
#else
#define GZIP NULL
#endif
#ifdef WADI_HAVE_LZMA
#define XZ &md5_decoder_xz
#else
#define XZ NULL
#endif
#ifdef WADI_HAVE_ZSTD
#define ZSTD &md5_decoder_zstd
#else
#define ZSTD NULL
#endif
#ifdef WADI_HAVE_BZIP2
#define BZIP2 &md5_decoder_bzip2
#else
#define BZIP2 NULL
#endif

/* '?' in a magic is any digit from 0 to 9 for bzip2's level, any of 'P' to '_' for zstd's skippable frames. */
static const format formats[] = {
    {"gzip", {"\x1f\x8b\x08", NULL}, 3, "zlib", GZIP},
    {"xz", {"\xfd\x37zXZ\0", NULL}, 6, "liblzma", XZ},
    {"zstd", {"\x28\xb5\x2f\xfd", "?\x2a\x4d\x18"}, 4, "libzstd", ZSTD},
    {"bzip2", {"BZh?1AY&SY", "BZh?\x17rE8P\x90"}, 10, "libbz2", BZIP2},
    {"lz4", {"\x04\x22\x4d\x18", NULL}, 4, NULL, NULL},
    {"lzip", {"LZIP\x01", NULL}, 5, NULL, NULL},
    {"compress", {"\x1f\x9d", NULL}, 2, NULL, NULL},
    {"zip", {"PK\x03\x04", NULL}, 4, NULL, NULL},
    {"7-Zip", {"7z\xbc\xaf\x27\x1c", NULL}, 6, NULL, NULL},
    {"rar", {"Rar!\x1a\x07", NULL}, 6, NULL, NULL},
};

enum { FORMATS = sizeof formats / sizeof formats[0] };

static bool fits(const char *magic, const uint8_t *head, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const uint8_t c = head[i];
        const bool level =
            magic[i] == '?' && (i == 0 ? c >= 'P' && c <= '_' : c >= '1' && c <= '9');
        if (c != (uint8_t)magic[i] && !level) return false;
    }
    return true;
}

/* Whether the first n bytes are those of the format, or may become so if more bytes come. */
static bool may_be(const format *f, const uint8_t *head, size_t n) {
    const size_t compared = n < (size_t)f->length ? n : (size_t)f->length;
    for (int i = 0; i < 2; i++)
        if (f->magic[i] != NULL && fits(f->magic[i], head, compared)) return true;
    return false;
}

void md5_unpack_formats(wadi_text *t) {
    for (int i = 0; i < FORMATS && formats[i].needs != NULL; i++)
        wadi_text_addf(t, "%s%s (%s)", i > 0 ? ", " : "", formats[i].what,
                       formats[i].decoder != NULL ? formats[i].decoder->version()
                                                  : "not in this build");
}

/* ---- a file ---- */

struct md5_unpack {
    int fd;
    const char *name;
    const format *format; /* NULL: plain */
    void *state;          /* of the decoder; NULL between members */
    uint8_t *packed;      /* [PACKED], read and not yet taken: from at to end */
    size_t at, end;
    bool ended, begun;    /* the file has ended; a member has begun */
    int64_t start;        /* where in the file reading began; -1: it cannot seek */
    int64_t reads, given; /* bytes read from the file, bytes given */
};

static int64_t taken(const md5_unpack *u) {
    return u->reads - (int64_t)(u->end - u->at);
}

static wadi_status bad(const md5_unpack *u, const char *what, wadi_error *err) {
    return wadi_fail(err, WADI_IO, "%s, byte %lld (%lld unpacked): %s", u->name,
                     (long long)taken(u), (long long)u->given, what);
}

static wadi_status read_fd(md5_unpack *u, void *to, size_t n, size_t *out_n, wadi_error *err) {
    const ssize_t got = wadi_io_read(u->fd, to, n, u->name);
    if (got < 0) return wadi_fail_errno(err, errno, "%s, byte %lld", u->name, (long long)u->reads);
    *out_n = (size_t)got;
    u->reads += got;
    u->ended = got == 0;
    return WADI_OK;
}

/* Reads more packed bytes behind those that are left. */
static wadi_status refill(md5_unpack *u, wadi_error *err) {
    size_t got = 0;
    memmove(u->packed, u->packed + u->at, u->end - u->at);
    u->end -= u->at;
    u->at = 0;
    WADI_TRY(read_fd(u, u->packed + u->end, PACKED - u->end, &got, err));
    u->end += got;
    return WADI_OK;
}

/* Reads until it is known whether the next bytes have the format `f`. */
static wadi_status look(md5_unpack *u, const format *f, bool *out_is, wadi_error *err) {
    while (u->end - u->at < (size_t)f->length && !u->ended &&
           may_be(f, u->packed + u->at, u->end - u->at))
        WADI_TRY(refill(u, err));
    *out_is = u->end - u->at >= (size_t)f->length && may_be(f, u->packed + u->at, u->end - u->at);
    return WADI_OK;
}

static wadi_status recognise(md5_unpack *u, wadi_error *err) {
    for (int i = 0; i < FORMATS; i++) {
        bool is = false;
        WADI_TRY(look(u, &formats[i], &is, err));
        if (!is) continue;
        u->format = &formats[i];
        if (u->format->decoder != NULL) return WADI_OK;
        return wadi_fail(err, WADI_UNSUPPORTED,
                         "%s is packed by %s, and %s%s; --no-unpack takes its bytes as they are",
                         u->name, u->format->what,
                         u->format->needs != NULL ? "wadi-md5 was built without "
                                                  : "wadi-md5 does not unpack that",
                         u->format->needs != NULL ? u->format->needs : "");
    }
    return WADI_OK;
}

wadi_status md5_unpack_open(int fd, const char *name, bool as_is, md5_unpack **out,
                            wadi_error *err) {
    md5_unpack *u = calloc(1, sizeof *u);
    *out = NULL;
    if (u != NULL) u->packed = malloc(PACKED);
    if (u == NULL || u->packed == NULL) {
        free(u);
        (void)close(fd);
        return wadi_fail(err, WADI_MEMORY, "%s: out of memory", name);
    }
    u->fd = fd;
    u->name = name;
    u->start = lseek(fd, 0, SEEK_CUR);
    const wadi_status status = as_is ? WADI_OK : recognise(u, err);
    if (status == WADI_OK)
        *out = u;
    else
        md5_unpack_close(u);
    return status;
}

void md5_unpack_close(md5_unpack *u) {
    if (u == NULL) return;
    if (u->state != NULL) u->format->decoder->close(u->state);
    (void)close(u->fd);
    free(u->packed);
    free(u);
}

/* ---- reading ---- */

static wadi_status read_plain(md5_unpack *u, void *to, size_t n, size_t *out_n, wadi_error *err) {
    const size_t left = u->end - u->at;
    if (left == 0) return u->ended ? WADI_OK : read_fd(u, to, n, out_n, err);
    *out_n = n < left ? n : left;
    memcpy(to, u->packed + u->at, *out_n);
    u->at += *out_n;
    return WADI_OK;
}

static bool pass_zero(md5_unpack *u) {
    while (u->at < u->end && u->packed[u->at] == 0) u->at++;
    return u->at == u->end;
}

/* Begins the first or the next member. Zeros between and behind members are padding. *out_done: there are no more. */
static wadi_status begin_member(md5_unpack *u, bool *out_done, wadi_error *err) {
    bool is = false;
    while (u->begun && pass_zero(u) && !u->ended) WADI_TRY(refill(u, err));
    *out_done = u->ended && u->at == u->end;
    if (*out_done) return WADI_OK;
    WADI_TRY(look(u, u->format, &is, err));
    if (!is) {
        wadi_text what = {0};
        wadi_text_addf(&what, "what follows the %s data is not %s", u->format->what,
                       u->format->what);
        const wadi_status status = bad(u, wadi_text_str(&what), err);
        wadi_text_fini(&what);
        return status;
    }
    u->begun = true;
    u->state = u->format->decoder->open();
    return u->state != NULL ? WADI_OK : wadi_fail(err, WADI_MEMORY, "%s: out of memory", u->name);
}

/* One step of the decoder. If it neither takes nor makes bytes, reads more of the file. */
static wadi_status step(md5_unpack *u, uint8_t *to, size_t n, size_t *out_n, wadi_error *err) {
    const char *why = NULL;
    md5_flow flow = {u->packed + u->at, u->end - u->at, to, n};
    const md5_step result = u->format->decoder->step(u->state, &flow, &why);
    const bool took = flow.in_n < u->end - u->at;
    u->at = u->end - flow.in_n;
    *out_n = n - flow.out_n;
    if (result == MD5_STEP_BAD) return bad(u, why != NULL ? why : "the data is damaged", err);
    if (result == MD5_STEP_END) {
        u->format->decoder->close(u->state);
        u->state = NULL;
        return WADI_OK;
    }
    if (took || *out_n > 0) return WADI_OK;
    if (u->end - u->at == PACKED) return bad(u, "the data is damaged", err);
    if (!u->ended) return refill(u, err);
    return bad(u, "the file is cut short", err);
}

static wadi_status read_packed(md5_unpack *u, void *to, size_t n, size_t *out_n, wadi_error *err) {
    bool done = false;
    *out_n = 0;
    while (*out_n == 0 && n > 0) {
        if (u->state == NULL) WADI_TRY(begin_member(u, &done, err));
        if (done) return WADI_OK;
        WADI_TRY(step(u, to, n, out_n, err));
    }
    return WADI_OK;
}

wadi_status md5_unpack_read(md5_unpack *u, void *to, size_t n, size_t *out_n, wadi_error *err) {
    *out_n = 0;
    WADI_TRY(u->format != NULL ? read_packed(u, to, n, out_n, err)
                               : read_plain(u, to, n, out_n, err));
    u->given += (int64_t)*out_n;
    return WADI_OK;
}

bool md5_unpack_waits(const md5_unpack *u) {
    struct pollfd fd = {.fd = u->fd, .events = POLLIN};
    return u->at == u->end && !u->ended && poll(&fd, 1, 0) == 0;
}

bool md5_unpack_seek(md5_unpack *u, int64_t offset) {
    if (u->format != NULL || u->start != 0 || lseek(u->fd, offset, SEEK_SET) != offset)
        return false;
    u->at = u->end = 0;
    u->ended = false;
    u->reads = u->given = offset;
    return true;
}

int64_t md5_unpack_taken(const md5_unpack *u) {
    return taken(u);
}

int64_t md5_unpack_given(const md5_unpack *u) {
    return u->given;
}
