/* Writes images of the sky as FITS, with CFITSIO. The world coordinates are those of an orthographic (SIN) image, in which the
 * direction cosines of an interferometer form a regular grid: Calabretta & Greisen 2002, A&A 395, 1077, section 5.1.5.
 *
 * CFITSIO makes the lines of the header, in memory. This file writes the bytes itself, because CFITSIO 4.2 does not check
 * whether its last bytes were written and would not report a full disk. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/outfile.h"
#include "base/text.h"
#include "sched/stream.h"
#include "modules/cfitsio/cfitsio.h"

#include <fitsio.h>

enum {
    TEXT = 69, /* characters that a value takes in a header line, with the NUL */
    BLOCK = 2880,
    CARD = 80
};

typedef struct fits_sink {
    wadi_sink base;
    char *path;
    wadi_outfile *file; /* NULL: ended */
    wadi_image_info info;
    char unit[TEXT], object[TEXT], telescope[TEXT];
    char **history;
    size_t history_n;
    fitsfile *fits;    /* of the header, while it is made */
    size_t head_bytes; /* there is room for */
    int naxis;
    wadi_type type;
    int64_t width, height, planes;
    bool finished;
} fits_sink;

/* ---- errors ---- */

static wadi_status cfitsio_failed(const fits_sink *s, int status, wadi_error *err) {
    char why[FLEN_STATUS], detail[FLEN_ERRMSG] = "";
    fits_get_errstatus(status, why);
    (void)fits_read_errmsg(detail);
    fits_clear_errmsg();
    return wadi_fail(err, status == MEMORY_ALLOCATION ? WADI_MEMORY : WADI_IO, "%s: %s%s%s",
                     s->path, why, detail[0] != '\0' ? ": " : "", detail);
}

static void destroy(wadi_sink *self) {
    fits_sink *s = (fits_sink *)self;
    wadi_outfile_give_up(&s->file);
    for (size_t i = 0; i < s->history_n; i++) free(s->history[i]);
    free(s->history);
    free(s->path);
    free(s);
}

/* ---- header ---- */

static void key_text(fits_sink *s, const char *name, const char *value, const char *comment,
                     int *status) {
    char copy[TEXT];
    if (value[0] == '\0') return;
    (void)strncpy(copy, value, sizeof copy - 1);
    copy[sizeof copy - 1] = '\0';
    (void)fits_update_key(s->fits, TSTRING, name, copy, comment, status);
}

static void key(fits_sink *s, const char *name, double value, const char *comment, int *status) {
    (void)fits_update_key(s->fits, TDOUBLE, name, &value, comment, status);
}

/* One axis: CTYPEn, CRPIXn, CDELTn, CUNITn, CRVALn. */
static void axis(fits_sink *s, int n, const char *type, double pixel, double step, const char *unit,
                 double value, int *status) {
    char name[FLEN_KEYWORD];
    (void)fits_make_keyn("CTYPE", n, name, status);
    key_text(s, name, type, NULL, status);
    (void)fits_make_keyn("CRPIX", n, name, status);
    key(s, name, pixel, NULL, status);
    (void)fits_make_keyn("CDELT", n, name, status);
    key(s, name, step, NULL, status);
    (void)fits_make_keyn("CUNIT", n, name, status);
    key_text(s, name, unit, NULL, status);
    (void)fits_make_keyn("CRVAL", n, name, status);
    key(s, name, value, NULL, status);
}

static void celestial(fits_sink *s, int *status) {
    const wadi_image_info *i = &s->info;
    const double degrees = 180 / acos(-1), x = (double)(s->width / 2 + 1),
                 y = (double)(s->height / 2 + 1);
    if (!(i->pixel > 0)) return;
    if (isnan(i->ra) || isnan(i->dec)) {
        axis(s, 1, "L", x, -i->pixel, "rad", 0, status);
        axis(s, 2, "M", y, i->pixel, "rad", 0, status);
        return;
    }
    axis(s, 1, "RA---SIN", x, -i->pixel * degrees, "deg", i->ra * degrees, status);
    axis(s, 2, "DEC--SIN", y, i->pixel * degrees, "deg", i->dec * degrees, status);
    if (isnan(i->equinox)) return;
    key_text(s, "RADESYS", i->equinox < 1984 ? "FK4" : "FK5", NULL, status);
    key(s, "EQUINOX", i->equinox, "years", status);
}

/* The third axis counts planes. How many of them share the bandwidth is known only at the end. */
static void spectral(fits_sink *s, int *status) {
    const wadi_image_info *i = &s->info;
    const double n = (double)s->planes;
    if (s->naxis < 3) return;
    if (i->frequency > 0) {
        axis(s, 3, "FREQ", (n + 1) / 2, i->bandwidth > 0 ? i->bandwidth / n : 1, "Hz", i->frequency,
             status);
        key(s, "RESTFRQ", i->frequency, "Hz", status);
        key_text(s, "SPECSYS", "TOPOCENT", NULL, status);
    } else {
        axis(s, 3, "PLANE", 1, 1, "", 1, status);
    }
}

/* Year, month, day of a modified Julian day number: Hinnant, "chrono-compatible low-level date algorithms", with years that begin in
 * March, so that the leap day comes last. */
static void date_of(int64_t mjd, int *year, int *month, int *day) {
    const int64_t days = mjd + 678881; /* since 1 March of year 0 */
    const int64_t era = (days >= 0 ? days : days - 146096) / 146097, of_era = days - era * 146097;
    const int64_t y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const int64_t of_year = of_era - (365 * y + y / 4 - y / 100), m = (5 * of_year + 2) / 153;
    *day = (int)(of_year - (153 * m + 2) / 5 + 1);
    *month = (int)(m < 10 ? m + 3 : m - 9);
    *year = (int)(y + era * 400 + (*month <= 2));
}

static void observation(fits_sink *s, int *status) {
    char text[FLEN_VALUE];
    int year, month, day;
    key_text(s, "BUNIT", s->unit, NULL, status);
    key_text(s, "OBJECT", s->object, NULL, status);
    key_text(s, "TELESCOP", s->telescope, NULL, status);
    key_text(s, "ORIGIN", "wadi", NULL, status);
    if (!(s->info.date > 0 && s->info.date < 1e7)) return;
    const int64_t ms = llround(s->info.date * 86400e3);
    date_of(ms / 86400000, &year, &month, &day);
    (void)fits_time2str(year, month, day, (int)(ms / 3600000 % 24), (int)(ms / 60000 % 60),
                        (double)(ms % 60000) / 1000, 3, text, status);
    key_text(s, "DATE-OBS", text, NULL, status);
    key_text(s, "TIMESYS", "UTC", NULL, status);
    key(s, "MJD-OBS", s->info.date, NULL, status);
}

static void header(fits_sink *s, int *status) {
    observation(s, status);
    celestial(s, status);
    spectral(s, status);
    if (s->naxis == 4) axis(s, 4, "STOKES", 1, 1, "", s->info.stokes, status);
    for (size_t i = 0; i < s->history_n; i++)
        (void)fits_write_history(s->fits, s->history[i], status);
}

/* Appends the header lines that do not describe the array itself. */
static int add_lines(fits_sink *s, wadi_text *out) {
    static const char *const first[] = {"SIMPLE  =                    T",
                                        "BITPIX  =                    8",
                                        "NAXIS   =                    0", "END"};
    size_t n = BLOCK;
    int status = 0, count = 0;
    char *lines = NULL, *block = malloc(n);
    void *memory = block;
    if (block == NULL) return MEMORY_ALLOCATION;
    memset(block, ' ', n);
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++)
        memcpy(block + CARD * i, first[i], strlen(first[i]));
    (void)fits_open_memfile(&s->fits, "header", READWRITE, &memory, &n, BLOCK, realloc, &status);
    header(s, &status);
    (void)fits_hdr2str(s->fits, 0, NULL, 0, &lines, &count, &status);
    /* CFITSIO does not check whether it got memory for its last piece. */
    if (status == 0 && lines == NULL) status = MEMORY_ALLOCATION;
    if (status == 0) /* between those three and END */
        wadi_text_add_n(out, lines + 3 * CARD, (size_t)(count - 4) * CARD);
    int ignored = 0;
    if (lines != NULL) (void)fits_free_memory(lines, &ignored);
    ignored = 0;
    if (s->fits != NULL) (void)fits_close_file(s->fits, &ignored);
    s->fits = NULL;
    free(memory);
    return status;
}

static void line(wadi_text *out, const char *name, int64_t value, const char *comment) {
    wadi_text_addf(out, "%-8s= %20lld / %-47s", name, (long long)value, comment);
}

static wadi_status check_room(const fits_sink *s, const wadi_text *t, wadi_error *err) {
    return t->failed ? wadi_fail(err, WADI_MEMORY, "%s: out of memory", s->path) : WADI_OK;
}

static wadi_status make_header(fits_sink *s, wadi_text *out, wadi_error *err) {
    const int64_t size[] = {s->width, s->height, s->planes, 1};
    wadi_text_addf(out, "%-8s= %20s / %-47s", "SIMPLE", "T", "file does conform to FITS standard");
    line(out, "BITPIX", s->type == WADI_F32 ? -32 : -64, "number of bits per data pixel");
    line(out, "NAXIS", s->naxis, "number of data axes");
    for (int i = 0; i < s->naxis; i++) {
        char name[24];
        (void)snprintf(name, sizeof name, "NAXIS%d", i + 1);
        line(out, name, size[i], "length of data axis");
    }
    wadi_text_addf(out, "%-8s= %20s / %-47s", "EXTEND", "T", "FITS dataset may contain extensions");
    const int status = add_lines(s, out);
    if (status != 0) return cfitsio_failed(s, status, err);
    return check_room(s, out, err);
}

/* Appends blanks up to n bytes. */
static void pad(wadi_text *t, size_t n) {
    while (t->n < n && !t->failed) wadi_text_add_n(t, " ", 1);
}

/* Writes the header before the planes. It has an axis for planes even if there will be only one. */
static wadi_status leave_room(fits_sink *s, wadi_error *err) {
    const int naxis = s->naxis;
    wadi_text t = {0};
    s->planes = 1;
    if (s->naxis < 3) s->naxis = 3;
    wadi_status status = make_header(s, &t, err);
    s->planes = 0;
    s->naxis = naxis;
    s->head_bytes = (t.n + CARD + BLOCK - 1) / BLOCK * BLOCK;
    pad(&t, s->head_bytes);
    if (status == WADI_OK) status = check_room(s, &t, err);
    if (status == WADI_OK) status = wadi_outfile_write(s->file, t.at, t.n, err);
    wadi_text_fini(&t);
    return status;
}

/* Empty lines fill the rest of the room. */
static wadi_status write_header(fits_sink *s, wadi_error *err) {
    wadi_text t = {0};
    wadi_status status = make_header(s, &t, err);
    const size_t last =
        (t.n + CARD + BLOCK - 1) / BLOCK == s->head_bytes / BLOCK ? t.n : s->head_bytes - CARD;
    pad(&t, last);
    wadi_text_add_n(&t, "END", 3);
    pad(&t, s->head_bytes);
    if (status == WADI_OK) status = check_room(s, &t, err);
    if (status == WADI_OK) status = wadi_outfile_rewrite(s->file, 0, t.at, t.n, err);
    wadi_text_fini(&t);
    return status;
}

/* ---- planes ---- */

static wadi_status check_plane(const fits_sink *s, const wadi_array *a, wadi_error *err) {
    if (a->fields != 1 || (a->type[0] != WADI_F32 && a->type[0] != WADI_F64))
        return wadi_fail(err, WADI_TYPE, "%s: a plane of a FITS image is of f32 or f64, not %s",
                         s->path, a->fields == 1 ? wadi_type_name(a->type[0]) : "records");
    if (a->rank != 2 || a->shape[0] < 1 || a->shape[1] < 1)
        return wadi_fail(err, WADI_SHAPE, "%s: a plane of a FITS image has two extents, 1 or more",
                         s->path);
    if (s->planes == 0) return WADI_OK;
    if (a->shape[0] != s->height || a->shape[1] != s->width)
        return wadi_fail(err, WADI_SHAPE,
                         "%s: plane %lld is [%lld, %lld], those before [%lld, %lld]", s->path,
                         (long long)s->planes, (long long)a->shape[0], (long long)a->shape[1],
                         (long long)s->height, (long long)s->width);
    if (a->type[0] != s->type)
        return wadi_fail(err, WADI_TYPE, "%s: plane %lld is of %s, those before of %s", s->path,
                         (long long)s->planes, wadi_type_name(a->type[0]), wadi_type_name(s->type));
    return WADI_OK;
}

/* Most significant byte first. */
static wadi_status write_pixels(fits_sink *s, const void *pixels, int64_t n, wadi_error *err) {
    enum { PIECE = 8192 };
    uint8_t out[8 * PIECE];
    const int size = s->type == WADI_F32 ? 4 : 8;
    for (int64_t at = 0; at < n; at += PIECE) {
        const int64_t m = n - at < PIECE ? n - at : PIECE;
        for (int64_t i = 0; i < m; i++) {
            uint64_t v;
            uint32_t half;
            memcpy(&half, (const uint8_t *)pixels + (at + i) * size, sizeof half);
            v = half;
            if (size == 8) memcpy(&v, (const uint8_t *)pixels + (at + i) * size, sizeof v);
            for (int k = 0; k < size; k++) out[i * size + k] = (uint8_t)(v >> 8 * (size - 1 - k));
        }
        WADI_TRY(wadi_outfile_write(s->file, out, (size_t)(m * size), err));
    }
    return WADI_OK;
}

static wadi_status put_plane(fits_sink *s, const wadi_array *a, wadi_error *err) {
    WADI_TRY(check_plane(s, a, err));
    s->height = a->shape[0];
    s->width = a->shape[1];
    s->type = a->type[0];
    if (s->planes == 0) WADI_TRY(leave_room(s, err));
    if (s->planes > 0 && s->naxis < 3) s->naxis = 3;
    WADI_TRY(write_pixels(s, a->column[0], s->width * s->height, err));
    s->planes++;
    return WADI_OK;
}

static wadi_status put(wadi_sink *self, wadi_chunk *c, wadi_error *err) {
    fits_sink *s = (fits_sink *)self;
    if (c->components != 1)
        return wadi_fail(err, WADI_INVALID, "%s: a FITS image takes elements of one array",
                         s->path);
    for (int64_t i = 0; i < c->count; i++) {
        const wadi_array plane = wadi_chunk_array(c, 0, i);
        WADI_TRY(put_plane(s, &plane, err));
    }
    return WADI_OK;
}

static wadi_status fill_block(fits_sink *s, wadi_error *err) {
    static const char zeros[BLOCK];
    const int64_t rest = wadi_outfile_bytes(s->file) % BLOCK;
    return rest == 0 ? WADI_OK : wadi_outfile_write(s->file, zeros, (size_t)(BLOCK - rest), err);
}

static wadi_status finish(wadi_sink *self, wadi_error *err) {
    fits_sink *s = (fits_sink *)self;
    if (s->planes == 0) {
        wadi_outfile_give_up(&s->file);
        return wadi_fail(err, WADI_SHAPE, "%s: the stream held no image", s->path);
    }
    wadi_status status = fill_block(s, err);
    if (status == WADI_OK) status = write_header(s, err);
    if (status != WADI_OK) {
        wadi_outfile_give_up(&s->file);
        return status;
    }
    WADI_TRY(wadi_outfile_finish(&s->file, s->base.sync, err));
    s->finished = true;
    return WADI_OK;
}

/* The file gets its name when it is complete. */
static wadi_status have(wadi_sink *self, wadi_position *out, wadi_error *err) {
    const fits_sink *s = (const fits_sink *)self;
    WADI_UNUSED(err);
    *out = (wadi_position){.element = s->finished ? s->planes : 0};
    return WADI_OK;
}

static void abort_sink(wadi_sink *self, const wadi_error *why) {
    WADI_UNUSED(why);
    wadi_outfile_give_up(&((fits_sink *)self)->file);
}

static const wadi_sink_ops sink_ops = {
    .destroy = destroy, .put = put, .finish = finish, .abort = abort_sink, .have = have};

/* ---- opening ---- */

/* Copies the characters that a header may hold: printable ASCII. */
static void copy_text(char *to, size_t n, const char *from) {
    size_t i = 0;
    for (; from != NULL && from[i] != '\0' && i + 1 < n; i++)
        to[i] = from[i] >= ' ' && from[i] <= '~' ? from[i] : '?';
    to[i] = '\0';
}

static wadi_status copy_info(fits_sink *s, const wadi_image_info *info, wadi_error *err) {
    size_t n = 0;
    s->info = *info;
    copy_text(s->unit, sizeof s->unit, info->unit);
    copy_text(s->object, sizeof s->object, info->object);
    copy_text(s->telescope, sizeof s->telescope, info->telescope);
    while (info->history != NULL && info->history[n] != NULL) n++;
    s->history = calloc(n + 1, sizeof *s->history);
    for (; s->history != NULL && s->history_n < n; s->history_n++) {
        const size_t length = strlen(info->history[s->history_n]) + 1;
        char *line = malloc(length);
        if (line == NULL) break;
        copy_text(line, length, info->history[s->history_n]);
        s->history[s->history_n] = line;
    }
    if (s->history != NULL && s->history_n == n) return WADI_OK;
    return wadi_fail(err, WADI_MEMORY, "%s: out of memory", s->path);
}

wadi_status wadi_cfitsio_sink(const char *path, const wadi_image_info *info, wadi_sink **out,
                              wadi_error *err) {
    static const wadi_image_info bare = {0};
    if (info == NULL)
        info = &bare;
    else if (!(info->pixel > 0))
        return wadi_fail(err, WADI_INVALID, "%s: a pixel of width %g", path, info->pixel);
    fits_sink *s = calloc(1, sizeof *s);
    if (s == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", path);
    s->base = (wadi_sink){.ops = &sink_ops, .kind = "FITS image", .wake_fd = -1, .ordered = true};
    s->naxis = info->stokes != 0 ? 4 : info->frequency > 0 ? 3 : 2;
    static const wadi_outfile_options goes_back = {.goes_back = true};
    s->path = strdup(path);
    wadi_status status =
        s->path != NULL ? WADI_OK : wadi_fail(err, WADI_MEMORY, "%s: out of memory", path);
    if (status == WADI_OK) status = copy_info(s, info, err);
    if (status == WADI_OK) status = wadi_outfile_open(path, &goes_back, &s->file, err);
    if (status != WADI_OK) {
        destroy(&s->base);
        return status;
    }
    *out = &s->base;
    return WADI_OK;
}
