/* Walking through the chunks of a file. A chunk is four letters, a length and that many bytes, padded to an even number:
 * little-endian in RIFF (Microsoft, Multimedia Programming Interface 1.0), big-endian in AIFF (Apple, AIFF-C draft of 1991).
 * RF64 (EBU Tech 3306) has 64-bit lengths in a chunk of their own. */
#include "apps/audio/iff.h"

#include <math.h>
#include <string.h>

#include "apps/audio/endian.h"
#include "base/error.h"

enum {
    HEAD = 12, /* RIFF, length, WAVE */
    FORMAT_BYTES = 40,
    TAG_PCM = 1,
    TAG_EXTENSIBLE = 0xfffe,
};

typedef struct header {
    flac_bytes *b;
    const flac_iff_options *options;
    flac_iff *out;
    bool big_endian; /* the lengths */
    bool format_known, stranger;
    int64_t whole;     /* what RIFF or FORM promises behind its first 8 bytes */
    int64_t long_data; /* RF64: length of the data */
    int64_t frames;    /* AIFF: how many it says there are */
} header;

/* ---- speakers ---- */

/* The masks that the reference encoder accepts: those in FLAC's order (RFC 9639, section 9.1.3), and single and paired fronts. */
static bool has_flac_order(uint32_t mask) {
    static const uint32_t known[] = {0x0001, 0x0002, 0x0004, 0x0003, 0x0007, 0x0033, 0x0603,
                                     0x0037, 0x0607, 0x003f, 0x060f, 0x070f, 0x063f};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i] == mask) return true;
    }
    return false;
}

static int speakers(uint32_t mask) {
    int n = 0;
    for (; mask != 0; mask &= mask - 1) n++;
    return n;
}

static wadi_status check_mask(const header *h, wadi_error *err) {
    flac_iff *f = h->out;
    if (h->options->ignore_mask) f->mask = 0;
    if (f->mask == 0) return WADI_OK;
    const char *path = flac_bytes_path(h->b);
    if (speakers(f->mask) != f->channels) {
        return wadi_fail(err, WADI_UNSUPPORTED,
                         "%s: its channel mask 0x%04X names %d speakers for %d channels; "
                         "--channel-map=none takes the channels as they are",
                         path, (unsigned)f->mask, speakers(f->mask), f->channels);
    }
    if (!has_flac_order(f->mask)) {
        return wadi_fail(err, WADI_UNSUPPORTED,
                         "%s: FLAC has no order for the speakers of channel mask 0x%04X; "
                         "--channel-map=none takes the channels as they are",
                         path, (unsigned)f->mask);
    }
    return WADI_OK;
}

/* ---- format chunks ---- */

static wadi_status read_chunk(header *h, int64_t n, uint8_t *to, int64_t want, wadi_error *err) {
    const int64_t take = n < want ? n : want;
    WADI_TRY(flac_bytes_need(h->b, to, (size_t)take, "the description of the format", err));
    return flac_bytes_skip(h->b, n + (n & 1) - take, err);
}

/* The PCM type of WAVEFORMATEXTENSIBLE as it stands in files. */
static bool is_pcm(const uint8_t guid[16]) {
    static const uint8_t pcm[16] = {1,   0, 0, 0,    0, 0,    0x10, 0,
                                    128, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71};
    return memcmp(guid, pcm, sizeof pcm) == 0;
}

static wadi_status read_fmt(header *h, int64_t n, wadi_error *err) {
    uint8_t p[FORMAT_BYTES] = {0};
    flac_iff *f = h->out;
    WADI_TRY(read_chunk(h, n, p, FORMAT_BYTES, err));
    const unsigned tag = (unsigned)flac_le(p, 2);
    const int align = (int)flac_le(p + 12, 2);
    int container = (int)flac_le(p + 14, 2);
    f->channels = (int)flac_le(p + 2, 2);
    f->rate = (int)(flac_le(p + 4, 4) & INT32_MAX);
    f->bits = container;
    f->width = f->channels > 0 ? align / f->channels : 0;
    f->is_unsigned = container <= 8;
    h->format_known = true;
    h->stranger = n < 16 || f->channels < 1 || align != f->width * f->channels || f->width < 1 ||
                  f->width > 4;
    if (tag == TAG_EXTENSIBLE) {
        const int valid = (int)flac_le(p + 18, 2);
        h->stranger |= n < FORMAT_BYTES || !is_pcm(p + 24) || container != 8 * f->width;
        if (h->stranger) return WADI_OK;
        f->mask = (uint32_t)flac_le(p + 20, 4);
        if (valid > container) {
            return wadi_fail(err, WADI_IO, "%s: says that %d of %d bits are valid",
                             flac_bytes_path(h->b), valid, container);
        }
        if (valid > 0) f->bits = valid;
        return check_mask(h, err);
    }
    h->stranger |= tag != TAG_PCM || container != 8 * f->width;
    return WADI_OK;
}

/* An 80-bit float (IEEE 754 extended), as a rate. */
static int extended_rate(const uint8_t p[10]) {
    const int exponent = (int)flac_be(p, 2);
    const double v = ldexp((double)flac_be(p + 2, 8), exponent - 16383 - 63);
    return v >= 0 && v <= 1e9 && v == floor(v) ? (int)v : -1;
}

static wadi_status read_comm(header *h, int64_t n, bool compressed, wadi_error *err) {
    uint8_t p[22] = {0};
    flac_iff *f = h->out;
    WADI_TRY(read_chunk(h, n, p, sizeof p, err));
    f->channels = (int)flac_be(p, 2);
    h->frames = (int64_t)flac_be(p + 2, 4);
    f->bits = (int)flac_be(p + 6, 2);
    f->width = (f->bits + 7) / 8;
    f->rate = extended_rate(p + 8);
    f->big_endian = true;
    h->format_known = true;
    h->stranger = n < 18 || f->channels < 1 || f->bits < 1 || f->bits > 32 || f->rate < 0;
    if (!compressed) return WADI_OK;
    if (memcmp(p + 18, "sowt", 4) == 0) {
        f->big_endian = false;
    } else {
        h->stranger |= memcmp(p + 18, "NONE", 4) != 0 && memcmp(p + 18, "twos", 4) != 0;
    }
    return WADI_OK;
}

/* ---- the chunk of samples ---- */

/* The length of a chunk with these first eight bytes. */
static int64_t length(const header *h, const uint8_t *head) {
    return (int64_t)(h->big_endian ? flac_be(head + 4, 4) : flac_le(head + 4, 4));
}

/* Whether this is a length that a program writes to a pipe because it does not know the true one: within 64 KiB of 2 or 4 GiB. */
static bool is_no_length(int64_t n) {
    return n >= 0xffff0000 || (n >= 0x7fff0000 && n <= INT64_C(0x80000000));
}

static wadi_status never_completed(const header *h, wadi_error *err) {
    return wadi_fail(err, WADI_IO,
                     "%s: its header was never completed: it says that there are no samples; "
                     "--ignore-chunk-sizes takes whatever follows as samples",
                     flac_bytes_path(h->b));
}

/* The letters and the length of a chunk. */
static bool is_chunk(const uint8_t head[8], size_t got) {
    for (size_t i = 0; i < 4; i++)
        if (got < 8 || head[i] < ' ' || head[i] > '~') return false;
    return true;
}

/* The chunk says that there are no samples. Then only chunks may follow. */
static wadi_status check_empty(header *h, wadi_error *err) {
    uint8_t head[8];
    size_t got = 0;
    if (h->whole == 0 || h->frames > 0) return never_completed(h, err);
    for (;;) {
        WADI_TRY(flac_bytes_read(h->b, head, sizeof head, &got, err));
        if (got == 0) return WADI_OK;
        if (!is_chunk(head, got)) return never_completed(h, err);
        const int64_t n = length(h, head);
        WADI_TRY(flac_bytes_skip(h->b, n + (n & 1), err));
    }
}

static wadi_status check_there(const header *h, int64_t data, wadi_error *err) {
    const int64_t size = flac_bytes_size(h->b);
    const int64_t there = size - flac_bytes_at(h->b);
    if (size < 0 || data <= there) return WADI_OK;
    return wadi_fail(err, WADI_IO,
                     "%s: truncated: the header promises %lld bytes of samples, but the file ends "
                     "after %lld of them (frame %lld); --ignore-chunk-sizes takes what is there",
                     flac_bytes_path(h->b), (long long)data, (long long)there,
                     (long long)(there / (h->out->channels * h->out->width)));
}

static wadi_status find_samples(header *h, int64_t data, wadi_error *err) {
    flac_iff *f = h->out;
    const int frame = f->channels * f->width;
    f->data_bytes = -1;
    if (h->options->ignore_sizes) return WADI_OK;
    if (data == 0) {
        f->data_bytes = 0;
        return check_empty(h, err);
    }
    if (h->long_data < 0 && is_no_length(data) &&
        (flac_bytes_size(h->b) < 0 || data > flac_bytes_size(h->b) - flac_bytes_at(h->b))) {
        return WADI_OK;
    }
    if (data % frame != 0) {
        return wadi_fail(
            err, WADI_IO,
            "%s: its %lld bytes of samples are not a whole number of frames of %d bytes",
            flac_bytes_path(h->b), (long long)data, frame);
    }
    f->data_bytes = data;
    if (h->frames > data / frame) {
        return wadi_fail(
            err, WADI_IO,
            "%s: truncated: its header promises %lld frames, but the chunk of samples holds "
            "%lld; --ignore-chunk-sizes takes what is there",
            flac_bytes_path(h->b), (long long)h->frames, (long long)(data / frame));
    }
    return check_there(h, data, err);
}

/* SSND begins with an offset to the samples. */
static wadi_status find_sound(header *h, int64_t n, wadi_error *err) {
    uint8_t p[8];
    WADI_TRY(flac_bytes_need(h->b, p, sizeof p, "the chunk of the samples", err));
    const int64_t offset = (int64_t)flac_be(p, 4);
    WADI_TRY(flac_bytes_skip(h->b, offset, err));
    if (!h->options->ignore_sizes && n > 0 && n < 8 + offset) {
        return wadi_fail(err, WADI_IO, "%s: the samples' chunk of %lld bytes begins at %lld",
                         flac_bytes_path(h->b), (long long)n, (long long)offset + 8);
    }
    return find_samples(h, n > 0 && !is_no_length(n) ? n - 8 - offset : n, err);
}

/* ---- the walk ---- */

/* The kind of file by its first bytes; NULL: neither WAV nor AIFF. */
static const char *kind(const uint8_t head[HEAD]) {
    static const char *const kinds[][3] = {{"RIFF", "WAVE", "WAV"},
                                           {"RF64", "WAVE", "RF64"},
                                           {"FORM", "AIFF", "AIFF"},
                                           {"FORM", "AIFC", "AIFF-C"}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (memcmp(head, kinds[i][0], 4) == 0 && memcmp(head + 8, kinds[i][1], 4) == 0) {
            return kinds[i][2];
        }
    }
    return NULL;
}

static wadi_status read_ds64(header *h, int64_t n, wadi_error *err) {
    uint8_t p[16] = {0};
    WADI_TRY(read_chunk(h, n, p, sizeof p, err));
    h->whole = (int64_t)(flac_le(p, 8) & INT64_MAX);
    h->long_data = (int64_t)(flac_le(p + 8, 8) & INT64_MAX);
    return WADI_OK;
}

/* Reads one chunk. *out_end: the samples begin here, or the input cannot be read. */
static wadi_status read_one(header *h, const uint8_t head[8], bool *out_end, wadi_error *err) {
    const int64_t n = length(h, head);
    const bool is_samples = memcmp(head, h->big_endian ? "SSND" : "data", 4) == 0;
    if (is_samples) {
        *out_end = true;
        h->stranger |= !h->format_known;
        if (h->stranger) return WADI_OK;
        if (h->big_endian) return find_sound(h, n, err);
        return find_samples(h, n == 0xffffffff && h->long_data >= 0 ? h->long_data : n, err);
    }
    if (memcmp(head, "ds64", 4) == 0 && !h->big_endian) return read_ds64(h, n, err);
    if (memcmp(head, "fmt ", 4) == 0 && !h->big_endian) return read_fmt(h, n, err);
    if (memcmp(head, "COMM", 4) == 0 && h->big_endian) {
        return read_comm(h, n, strcmp(h->out->format, "AIFF-C") == 0, err);
    }
    return flac_bytes_skip(h->b, n + (n & 1), err);
}

wadi_status flac_iff_open(flac_bytes *b, const flac_iff_options *options, flac_iff *out,
                          bool *out_found, wadi_error *err) {
    uint8_t head[HEAD] = {0};
    size_t got = 0;
    *out = (flac_iff){0};
    *out_found = false;
    WADI_TRY(flac_bytes_read(b, head, HEAD, &got, err));
    out->format = kind(head);
    if (out->format == NULL) return WADI_OK;
    header h = {.b = b, .options = options, .out = out, .long_data = -1};
    h.big_endian = head[0] == 'F';
    h.whole = length(&h, head);
    for (bool end = false; !end && !h.stranger;) {
        WADI_TRY(flac_bytes_read(b, head, 8, &got, err));
        if (got < 8) {
            return wadi_fail(err, WADI_IO, "%s: %s without samples: it ends at byte %lld",
                             flac_bytes_path(b), out->format, (long long)flac_bytes_at(b));
        }
        WADI_TRY(read_one(&h, head, &end, err));
    }
    *out_found = !h.stranger;
    return WADI_OK;
}
