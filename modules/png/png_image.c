/* Writes a plane as a grey picture, by libpng. The shade of a value follows from its place between two other values, which are
 * percentiles of the plane unless they are given. The percentiles are exact to a float: values are counted by the upper and
 * then by the lower half of their bits, in an order-preserving form, so nothing is sorted or copied. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/loadable_face.h"
#include "base/outfile.h"
#include "connectors/offers.h"
#include "sched/stream.h"
#include "wadi/image.h"

#include <png.h>

enum { BUCKETS = 65536 };

typedef struct png_sink {
    wadi_sink base;
    char *path;
    wadi_outfile *file; /* NULL: ended */
    wadi_png_options options;
    int64_t elements; /* put */
    bool written, finished;
} png_sink;

static double value_at(const wadi_array *a, int64_t i) {
    return a->type[0] == WADI_F32 ? (double)((const float *)a->column[0])[i]
                                  : ((const double *)a->column[0])[i];
}

/* ---- percentiles ---- */

/* A number that grows with the value: the bits of the float, changed so that negative values come in the right order. */
static uint32_t rank_key(double value) {
    const float f = (float)value;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static double key_value(uint32_t key) {
    const uint32_t bits = key & 0x80000000u ? key & 0x7fffffffu : ~key;
    float f;
    memcpy(&f, &bits, sizeof f);
    return (double)f;
}

/* The bucket with value number *rank. *rank becomes the number of the value within the bucket. */
static uint32_t find_bucket(const int64_t *count, int64_t *rank) {
    uint32_t b = 0;
    while (b < BUCKETS - 1 && *rank >= count[b]) *rank -= count[b++];
    return b;
}

/* The finite value with `rank` values below it. */
static double value_of_rank(const wadi_array *a, int64_t n, int64_t rank, int64_t *count) {
    memset(count, 0, BUCKETS * sizeof *count);
    for (int64_t i = 0; i < n; i++)
        if (isfinite(value_at(a, i))) count[rank_key(value_at(a, i)) >> 16]++;
    const uint32_t high = find_bucket(count, &rank);
    memset(count, 0, BUCKETS * sizeof *count);
    for (int64_t i = 0; i < n; i++) {
        const uint32_t key = rank_key(value_at(a, i));
        if (isfinite(value_at(a, i)) && key >> 16 == high) count[key & 0xffff]++;
    }
    return key_value(high << 16 | find_bucket(count, &rank));
}

static wadi_status find_range(const wadi_array *a, double *low, double *high, wadi_error *err) {
    const int64_t n = a->shape[0] * a->shape[1];
    int64_t finite = 0;
    int64_t *count = malloc(BUCKETS * sizeof *count);
    if (count == NULL) return wadi_fail(err, WADI_MEMORY, "picture: out of memory");
    for (int64_t i = 0; i < n; i++) finite += isfinite(value_at(a, i)) ? 1 : 0;
    *low = *high = 0;
    if (finite > 0) {
        *low = value_of_rank(a, n, (int64_t)(0.005 * (double)(finite - 1)), count);
        *high = value_of_rank(a, n, (int64_t)ceil(0.995 * (double)(finite - 1)), count);
    }
    free(count);
    return WADI_OK;
}

/* ---- shades ---- */

/* The average of the finite values of a block; NAN if there is none. */
static double block_mean(const wadi_array *a, int64_t y0, int64_t x0, int64_t side) {
    double sum = 0;
    int64_t n = 0;
    for (int64_t y = y0; y < y0 + side && y < a->shape[0]; y++)
        for (int64_t x = x0; x < x0 + side && x < a->shape[1]; x++) {
            const double v = value_at(a, y * a->shape[1] + x);
            if (!isfinite(v)) continue;
            sum += v;
            n++;
        }
    return n > 0 ? sum / (double)n : (double)NAN;
}

static unsigned char shade(double v, double low, double high, double stretch) {
    if (!(v > low)) return 0; /* also for NAN */
    double x = v >= high ? 1 : (v - low) / (high - low);
    if (stretch > 0) x = asinh(stretch * x) / asinh(stretch);
    return (unsigned char)lround(255 * x);
}

static wadi_status paint(const png_sink *s, const wadi_array *a, int64_t side, int64_t h, int64_t w,
                         unsigned char *out, wadi_error *err) {
    double low = s->options.low, high = s->options.high;
    if (low == 0 && high == 0) WADI_TRY(find_range(a, &low, &high, err));
    for (int64_t y = 0; y < h; y++)
        for (int64_t x = 0; x < w; x++)
            out[y * w + x] =
                shade(block_mean(a, y * side, x * side, side), low, high, s->options.stretch);
    return WADI_OK;
}

/* ---- the file ---- */

/* Writes into memory first, because libpng does not report why the system failed. */
static wadi_status write_file(png_sink *s, const unsigned char *pixels, int64_t h, int64_t w,
                              wadi_error *err) {
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)w,
                       .height = (png_uint_32)h,
                       .format = PNG_FORMAT_GRAY};
    char *bytes = NULL;
    size_t n = 0;
    FILE *memory = open_memstream(&bytes, &n);
    if (memory == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", s->path);
    /* A negative stride: the last row, the north, comes first. */
    const bool written =
        png_image_write_to_stdio(&image, memory, 0, pixels, -(png_int_32)w, NULL) != 0;
    const bool closed =
        fclose(memory) == 0 && bytes != NULL; /* glibc reports failure only by NULL */
    wadi_status status = WADI_OK;
    if (!written || !closed)
        status = wadi_fail(err, WADI_MEMORY, "%s: %s", s->path,
                           written ? "out of memory" : image.message);
    if (status == WADI_OK) status = wadi_outfile_write(s->file, bytes, n, err);
    free(bytes);
    return status;
}

static wadi_status check_plane(const png_sink *s, const wadi_array *a, wadi_error *err) {
    if (a->fields != 1 || (a->type[0] != WADI_F32 && a->type[0] != WADI_F64))
        return wadi_fail(err, WADI_TYPE, "%s: a picture is made of f32 or f64, not of %s", s->path,
                         a->fields == 1 ? wadi_type_name(a->type[0]) : "records");
    if (a->rank == 2 && a->shape[0] > 0 && a->shape[1] > 0) return WADI_OK;
    return wadi_fail(err, WADI_SHAPE, "%s: a picture has two extents, 1 or more", s->path);
}

static wadi_status put_plane(png_sink *s, const wadi_array *a, wadi_error *err) {
    WADI_TRY(check_plane(s, a, err));
    const int64_t longer = a->shape[0] > a->shape[1] ? a->shape[0] : a->shape[1],
                  most = s->options.most > 0 ? s->options.most : longer,
                  side = (longer + most - 1) / most, h = (a->shape[0] + side - 1) / side,
                  w = (a->shape[1] + side - 1) / side;
    if (h > INT32_MAX || w > INT32_MAX)
        return wadi_fail(err, WADI_SHAPE, "%s: too large for a picture", s->path);
    unsigned char *pixels = malloc((size_t)(h * w));
    if (pixels == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", s->path);
    wadi_status status = paint(s, a, side, h, w, pixels, err);
    if (status == WADI_OK) status = write_file(s, pixels, h, w, err);
    free(pixels);
    s->written = status == WADI_OK;
    return status;
}

static void destroy(wadi_sink *self) {
    png_sink *s = (png_sink *)self;
    wadi_outfile_give_up(&s->file);
    free(s->path);
    free(s);
}

static wadi_status put(wadi_sink *self, wadi_chunk *c, wadi_error *err) {
    png_sink *s = (png_sink *)self;
    if (c->components != 1)
        return wadi_fail(err, WADI_INVALID, "%s: a picture takes elements of one array", s->path);
    s->elements += c->count;
    if (s->written || c->count == 0) return WADI_OK;
    const wadi_array plane = wadi_chunk_array(c, 0, 0);
    return put_plane(s, &plane, err);
}

static wadi_status finish(wadi_sink *self, wadi_error *err) {
    png_sink *s = (png_sink *)self;
    if (!s->written) {
        wadi_outfile_give_up(&s->file);
        return wadi_fail(err, WADI_SHAPE, "%s: the stream held no image", s->path);
    }
    WADI_TRY(wadi_outfile_finish(&s->file, s->base.sync, err));
    s->finished = true;
    return WADI_OK;
}

/* The first element is the picture; the others are not needed. */
static wadi_status have(wadi_sink *self, wadi_position *out, wadi_error *err) {
    const png_sink *s = (const png_sink *)self;
    WADI_UNUSED(err);
    *out = (wadi_position){.element = s->finished ? s->elements : 0};
    return WADI_OK;
}

static void abort_sink(wadi_sink *self, const wadi_error *why) {
    WADI_UNUSED(why);
    wadi_outfile_give_up(&((png_sink *)self)->file);
}

static const wadi_sink_ops sink_ops = {
    .destroy = destroy, .put = put, .finish = finish, .abort = abort_sink, .have = have};

static wadi_status open_png(const char *path, const wadi_png_options *options, wadi_sink **out,
                            wadi_error *err) {
    const wadi_png_options none = {0}, *o = options != NULL ? options : &none;
    if ((o->low != 0 || o->high != 0) && !(o->low < o->high))
        return wadi_fail(err, WADI_INVALID, "%s: black at %g, white at %g", path, o->low, o->high);
    if (!(o->stretch >= 0) || o->most < 0)
        return wadi_fail(err, WADI_INVALID, "%s: a stretch of %g, %lld pixels", path, o->stretch,
                         (long long)o->most);
    png_sink *s = calloc(1, sizeof *s);
    if (s == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", path);
    s->base = (wadi_sink){.ops = &sink_ops, .kind = "PNG picture", .wake_fd = -1, .ordered = true};
    s->options = *o;
    s->path = strdup(path);
    const wadi_status status = s->path != NULL
                                   ? wadi_outfile_open(path, NULL, &s->file, err)
                                   : wadi_fail(err, WADI_MEMORY, "%s: out of memory", path);
    if (status != WADI_OK) {
        destroy(&s->base);
        return status;
    }
    *out = &s->base;
    return WADI_OK;
}

static const char *version(void) {
    return "libpng " PNG_LIBPNG_VER_STRING;
}

static const wadi_png_offer picture = {open_png};
static const wadi_loadable_offer offers[] = {{"picture", &picture}, {0}};

WADI_LOADABLE("libpng-2.0", version, offers);
