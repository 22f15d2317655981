/* Packs analysed frames into bits. The residual is nearly all of the work. The size of each partition is computed first, with a sum that
 * the compiler vectorises, so the loop that writes its codes needs no check for room. All results of the analysis are checked against
 * the format before use: a wrong frame is an error, not a wrong file. */
#include "apps/audio/pack.h"

#include "apps/audio/crc.h"
#include "base/error.h"

/* ---- header ---- */

/* An entry of a frame header: a code of 4 bits, and possibly the value itself at the header's end. */
typedef struct field {
    unsigned code;
    unsigned value;
    unsigned bits; /* of the value; 0: the code is enough */
} field;

static field block_field(int64_t n) {
    static const int known[16] = {
        [1] = 192,   [2] = 576,   [3] = 1152,  [4] = 2304,  [5] = 4608,   [8] = 256,   [9] = 512,
        [10] = 1024, [11] = 2048, [12] = 4096, [13] = 8192, [14] = 16384, [15] = 32768};
    for (unsigned i = 1; i < 16; i++) {
        if (known[i] == n) return (field){i, 0, 0};
    }
    return n <= 256 ? (field){6, (unsigned)n - 1, 8} : (field){7, (unsigned)n - 1, 16};
}

/* If the header cannot express the rate, only STREAMINFO has it (code 0). */
static field rate_field(int rate) {
    static const int known[12] = {0,     88200, 176400, 192000, 8000,  16000,
                                  22050, 24000, 32000,  44100,  48000, 96000};
    for (unsigned i = 1; i < 12; i++) {
        if (known[i] == rate) return (field){i, 0, 0};
    }
    if (rate % 1000 == 0 && rate <= 255000) return (field){12, (unsigned)rate / 1000, 8};
    if (rate <= 65535) return (field){13, (unsigned)rate, 16};
    if (rate % 10 == 0 && rate <= 655350) return (field){14, (unsigned)rate / 10, 16};
    return (field){0, 0, 0};
}

static unsigned bits_code(int bits) {
    switch (bits) {
    case 8:
        return 1;
    case 12:
        return 2;
    case 16:
        return 4;
    case 20:
        return 5;
    case 24:
        return 6;
    case 32:
        return 7;
    default:
        return 0;
    }
}

static unsigned channel_code(const flac_frame *f) {
    const int mode = f->head[0];
    return mode == FLAC_INDEPENDENT ? (unsigned)f->channels - 1 : 7u + (unsigned)mode;
}

/* Writes a number of up to 36 bits, coded like UTF-8 (RFC 9639, section 9.1.5). */
static void put_coded_number(flac_bits *w, uint64_t v) {
    if (v < 0x80) {
        flac_bits_put(w, v, 8);
        return;
    }
    unsigned more = 1; /* continuation bytes, six bits each; the first byte carries 6 - more */
    while (more < 6 && v >> (6 * more + 6 - more) != 0) more++;
    const unsigned mark = 0xff00u >> (more + 1) & 0xff;
    flac_bits_put(w, mark | v >> (6 * more), 8);
    while (more-- > 0) flac_bits_put(w, 0x80 | (v >> (6 * more) & 0x3f), 8);
}

static void put_header(flac_bits *w, const flac_frame *f, const flac_format *format, int64_t index,
                       int64_t first) {
    const bool variable = format->shortest > 0;
    const size_t start = w->n;
    const field block = block_field(f->n);
    const field rate = rate_field(format->rate);
    flac_bits_put(w, 0xfff8 | variable, 16); /* sync code, blocking strategy */
    flac_bits_put(w, block.code, 4);
    flac_bits_put(w, rate.code, 4);
    flac_bits_put(w, channel_code(f), 4);
    flac_bits_put(w, bits_code(format->bits), 3);
    flac_bits_put(w, 0, 1);
    put_coded_number(w, (uint64_t)(variable ? first : index));
    flac_bits_put(w, block.value, block.bits);
    flac_bits_put(w, rate.value, rate.bits);
    if (!w->failed) flac_bits_put(w, flac_crc8(0, w->at + start, w->n - start), 8);
}

/* ---- samples ---- */

/* Signed, unsigned and zigzag forms of one residual: 0, -1, 1, -2, 2 become 0, 1, 2, 3, 4. */
static inline uint32_t zigzag(int32_t r) {
    return (uint32_t)r << 1 ^ (0 - (uint32_t)(r < 0));
}

/* Reads a residual of either width; those of 64 bits were checked to fit in 32 bits. */
typedef struct samples {
    const int32_t *s32;
    const int64_t *s64;
} samples;

static inline int64_t sample_at(samples s, int64_t i) {
    return s.s32 != NULL ? s.s32[i] : s.s64[i];
}

static inline int32_t residual_at(samples s, int64_t i) {
    return s.s32 != NULL ? s.s32[i] : (int32_t)s.s64[i];
}

static samples row(const flac_frame *f, int channel) {
    const int64_t start = channel * f->n;
    return f->resid32 != NULL ? (samples){f->resid32 + start, NULL}
                              : (samples){NULL, f->resid64 + start};
}

static bool fits(int64_t v, int bits) {
    return v >= -(INT64_C(1) << (bits - 1)) && v < INT64_C(1) << (bits - 1);
}

static bool all_fit(samples s, int64_t begin, int64_t end, int bits) {
    bool ok = true;
    for (int64_t i = begin; i < end; i++) ok &= fits(sample_at(s, i), bits);
    return ok;
}

static void put_samples(flac_bits *w, samples s, int64_t n, int bits) {
    for (int64_t i = 0; i < n; i++) flac_bits_put(w, (uint64_t)sample_at(s, i), (unsigned)bits);
}

/* ---- residual ---- */

static uint64_t rice_bits(samples s, int64_t begin, int64_t end, unsigned k) {
    uint64_t quotients = 0;
    for (int64_t i = begin; i < end; i++) quotients += zigzag(residual_at(s, i)) >> k;
    return quotients + (uint64_t)(end - begin) * (k + 1);
}

/* A Rice code, or several in a row: the quotient in unary, then k bits. */
typedef struct code {
    uint64_t bits; /* the last of them */
    uint64_t n;    /* with the zeros before: residuals of 32 bits can have 2^32 - 1 */
} code;

static inline code code_of(int32_t residual, unsigned k) {
    const uint32_t u = zigzag(residual);
    return (code){UINT64_C(1) << k | (u & ((UINT64_C(1) << k) - 1)), (uint64_t)(u >> k) + 1 + k};
}

static inline code join(code a, code b) {
    return (code){a.bits << (b.n & 63) | b.bits, a.n + b.n};
}

enum { AT_ONCE = 57 }; /* bits that can be put at once */

static inline void put_code(flac_bits *w, code c) {
    for (; c.n > AT_ONCE; c.n -= 26) flac_bits_put_reserved(w, 0, 26);
    flac_bits_put_reserved(w, c.bits, (unsigned)c.n);
}

/* The place of a code depends on the lengths of all codes before it. Joining four codes first makes this chain of dependences four times
 * shorter. */
__attribute__((always_inline)) static inline void
put_codes(flac_bits *out, samples s, int64_t begin, int64_t end, unsigned k) {
    flac_bits w =
        *out; /* a copy stays in registers; the stores into w.at may alias anything else */
    int64_t i = begin;
    for (; i + 4 <= end; i += 4) {
        code c[4];
        for (int j = 0; j < 4; j++) c[j] = code_of(residual_at(s, i + j), k);
        const code front = join(c[0], c[1]), back = join(c[2], c[3]);
        const code all = join(front, back);
        if (all.n <= AT_ONCE) {
            flac_bits_put_reserved(&w, all.bits, (unsigned)all.n);
        } else {
            for (int j = 0; j < 4; j++) put_code(&w, c[j]);
        }
    }
    for (; i < end; i++) put_code(&w, code_of(residual_at(s, i), k));
    *out = w;
}

static void put_codes_64(flac_bits *w, const int64_t *s, int64_t begin, int64_t end, unsigned k) {
    put_codes(w, (samples){NULL, s}, begin, end, k);
}

static void put_codes_32(flac_bits *w, const int32_t *s, int64_t begin, int64_t end, unsigned k) {
    put_codes(w, (samples){s, NULL}, begin, end, k);
}

#if defined __x86_64__ && defined __GNUC__
/* The same with the shift instructions of 2013 (BMI2), which take their distance from any register: a third faster. */
__attribute__((target("bmi2"))) static void put_codes_bmi2(flac_bits *w, const int32_t *s,
                                                           int64_t begin, int64_t end, unsigned k) {
    put_codes(w, (samples){s, NULL}, begin, end, k);
}
static bool has_bmi2(void) {
    return __builtin_cpu_supports("bmi2");
}
#else
#define put_codes_bmi2 put_codes_32
static bool has_bmi2(void) {
    return false;
}
#endif

static void put_partition(flac_bits *w, samples s, int64_t begin, int64_t end, unsigned k) {
    if (!flac_bits_reserve(w, rice_bits(s, begin, end, k))) return;
    if (s.s32 == NULL) {
        put_codes_64(w, s.s64, begin, end, k);
    } else if (has_bmi2()) {
        put_codes_bmi2(w, s.s32, begin, end, k);
    } else {
        put_codes_32(w, s.s32, begin, end, k);
    }
}

/* Returns the number of partitions written; 0 if the frame does not describe a FLAC residual. */
static int64_t put_residual(flac_bits *w, const flac_frame *f, const int32_t *sub, samples s,
                            const int32_t *rice, int64_t rice_n) {
    const int order = sub[FLAC_SUB_ORDER];
    const int po = sub[FLAC_SUB_PARTITION_ORDER];
    const int method = sub[FLAC_SUB_RICE_METHOD];
    if (po < 0 || po > 15 || (method != 0 && method != 1)) return 0;
    const int64_t parts = INT64_C(1) << po;
    const int64_t length = f->n >> po;
    if (parts > rice_n || length * parts != f->n || (po > 0 ? length <= order : length < order)) {
        return 0;
    }
    if (s.s64 != NULL && !all_fit(s, order, f->n, 32)) return 0;
    flac_bits_put(w, (uint64_t)method, 2);
    flac_bits_put(w, (uint64_t)po, 4);
    for (int64_t p = 0; p < parts; p++) {
        if (rice[p] < 0 || rice[p] > (method == 0 ? 14 : 30)) return 0;
        flac_bits_put(w, (uint64_t)rice[p], method == 0 ? 4 : 5);
        put_partition(w, s, p == 0 ? order : p * length, (p + 1) * length, (unsigned)rice[p]);
    }
    return parts;
}

/* ---- subframes ---- */

static bool subframe_is_sane(const flac_frame *f, const int32_t *sub, int bits) {
    const int kind = sub[FLAC_SUB_KIND];
    const int order = sub[FLAC_SUB_ORDER];
    const int wasted = sub[FLAC_SUB_WASTED];
    if (kind < FLAC_CONSTANT || kind > FLAC_LPC) return false;
    if (wasted < 0 || wasted >= bits || sub[FLAC_SUB_BITS] != bits - wasted) return false;
    if (kind == FLAC_FIXED) return order >= 0 && order <= 4 && order <= f->n;
    if (kind != FLAC_LPC) return true;
    const int precision = sub[FLAC_SUB_PRECISION];
    const int shift = sub[FLAC_SUB_SHIFT];
    if (order < 1 || order > FLAC_MAX_ORDER || order > f->n) return false;
    if (precision < 1 || precision > 15 || shift < 0 || shift > 15) return false;
    for (int i = 0; i < order; i++) {
        if (!fits(sub[FLAC_SUB_COEFFICIENTS + i], precision)) return false;
    }
    return true;
}

static void put_subframe_header(flac_bits *w, const int32_t *sub) {
    const unsigned order = (unsigned)sub[FLAC_SUB_ORDER];
    unsigned type = 0;
    switch (sub[FLAC_SUB_KIND]) {
    case FLAC_CONSTANT:
        type = 0;
        break;
    case FLAC_VERBATIM:
        type = 1;
        break;
    case FLAC_FIXED:
        type = 8 + order;
        break;
    default:
        type = 32 + order - 1;
        break;
    }
    flac_bits_put(w, type, 7);
    const int wasted = sub[FLAC_SUB_WASTED];
    flac_bits_put(w, wasted > 0, 1);
    if (wasted > 0) flac_bits_put_unary(w, (uint64_t)wasted - 1);
}

static void put_coefficients(flac_bits *w, const int32_t *sub) {
    const unsigned precision = (unsigned)sub[FLAC_SUB_PRECISION];
    flac_bits_put(w, precision - 1, 4);
    flac_bits_put(w, (uint64_t)sub[FLAC_SUB_SHIFT], 5);
    for (int i = 0; i < sub[FLAC_SUB_ORDER]; i++) {
        flac_bits_put(w, (uint64_t)sub[FLAC_SUB_COEFFICIENTS + i], precision);
    }
}

/* Writes one subframe; *io_rice moves past the parameters it used. False when the description cannot be written. */
static bool put_subframe(flac_bits *w, const flac_frame *f, int channel, int bits,
                         int64_t *io_rice) {
    const int32_t *sub = f->sub + (int64_t)channel * FLAC_SUB_SIZE;
    const samples s = row(f, channel);
    if (!subframe_is_sane(f, sub, bits)) return false;
    const int kept = sub[FLAC_SUB_BITS];
    const int kind = sub[FLAC_SUB_KIND];
    const int64_t plain = kind == FLAC_CONSTANT   ? 1
                          : kind == FLAC_VERBATIM ? f->n
                                                  : sub[FLAC_SUB_ORDER];
    if (!all_fit(s, 0, plain, kept)) return false;
    put_subframe_header(w, sub);
    put_samples(w, s, plain, kept);
    if (kind == FLAC_CONSTANT || kind == FLAC_VERBATIM) return true;
    if (kind == FLAC_LPC) put_coefficients(w, sub);
    const int64_t parts = put_residual(w, f, sub, s, f->rice + *io_rice, f->rice_n - *io_rice);
    *io_rice += parts;
    return parts > 0;
}

/* The side channel has one bit more than the samples. */
static int channel_bits(const flac_frame *f, const flac_format *format, int channel) {
    const int mode = f->head[0];
    const bool side = (mode == FLAC_SIDE_RIGHT && channel == 0) ||
                      ((mode == FLAC_LEFT_SIDE || mode == FLAC_MID_SIDE) && channel == 1);
    return format->bits + side;
}

wadi_status flac_pack_frame(const flac_frame *frame, const flac_format *format, int64_t index,
                            int64_t first, flac_bits *w, wadi_error *err) {
    const int mode = frame->head[0];
    if (frame->channels != format->channels || frame->n < 1 || frame->n > 65535 || mode < 0 ||
        mode > FLAC_MID_SIDE || (mode != FLAC_INDEPENDENT && frame->channels != 2)) {
        return wadi_fail(err, WADI_INTERNAL,
                         "frame %lld: %d channels of %lld samples in stereo mode %d cannot be "
                         "written to a stream of %d channels",
                         (long long)index, frame->channels, (long long)frame->n, mode,
                         format->channels);
    }
    WADI_ASSERT(w->used == 0);
    const size_t start = w->n;
    int64_t rice = 0;
    put_header(w, frame, format, index, first);
    for (int c = 0; c < frame->channels; c++) {
        if (put_subframe(w, frame, c, channel_bits(frame, format, c), &rice)) continue;
        return wadi_fail(err, WADI_INTERNAL, "frame %lld: the analysis of channel %d is not valid",
                         (long long)index, c);
    }
    flac_bits_align(w);
    if (!w->failed) flac_bits_put(w, flac_crc16(0, w->at + start, w->n - start), 16);
    if (w->failed) return wadi_fail(err, WADI_MEMORY, "out of memory while packing a frame");
    return WADI_OK;
}
