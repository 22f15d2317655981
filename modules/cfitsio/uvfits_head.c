/* The headers and tables of UVFITS (AIPS memo 117), read by CFITSIO: the meaning of the axes of a group's array and of the
 * parameters before it, the frequencies of the table AIPS FQ, the sources of AIPS SU, and the position of the groups.
 *
 * It opens, reads and closes the file. uvfits.c reads the groups without CFITSIO, because CFITSIO has one state for all handles of the
 * same file. */
#include "modules/cfitsio/uvfits.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <fitsio.h>
#include <pthread.h>

#include "base/error.h"
#include "base/format.h"

enum {
    MAX_AXES = 16,
    MAX_PARAMS = 999,  /* PTYPE999 is the last name there is */
    MAX_ROWS = 100000, /* of a table of setups or sources */
};

static const char *const baseline_name[] = {"UU", "VV", "WW"};
static const double LIGHT = 299792458;
static const double DEGREE = 3.14159265358979323846 / 180;
static const double SECONDS_PER_DAY = 86400;
static const int64_t MAX_VALUES = INT32_MAX; /* of a group */

typedef struct reader {
    fitsfile *fits;
    const char *path;
    int status; /* CFITSIO's; after a failure nothing more is read */
    wadi_uvfits_head *head;
} reader;

static wadi_status check(const reader *r, const char *what, wadi_error *err) {
    if (r->status == 0) return WADI_OK;
    char why[FLEN_STATUS];
    fits_get_errstatus(r->status, why);
    return wadi_fail(err, r->status == MEMORY_ALLOCATION ? WADI_MEMORY : WADI_IO,
                     "%s: %s: %s (CFITSIO status %d)", r->path, what, why, r->status);
}

/* ---- keywords ---- */

/* Whether the keyword exists and has a value. If it is damaged, r->status says so. */
static bool read_key(reader *r, int type, const char *name, void *out) {
    if (r->status != 0) return false;
    int status = 0;
    fits_read_key(r->fits, type, name, out, NULL, &status);
    if (status != 0 && status != KEY_NO_EXIST && status != VALUE_UNDEFINED) r->status = status;
    return status == 0;
}

static double number(reader *r, const char *name, double otherwise) {
    double x = 0;
    return read_key(r, TDOUBLE, name, &x) ? x : otherwise;
}

static double number_of(reader *r, const char *stem, int n, double otherwise) {
    char name[FLEN_KEYWORD];
    fits_make_keyn(stem, n, name, &r->status);
    return number(r, name, otherwise);
}

/* "" if there is none; blanks at the end are removed. */
static void text(reader *r, const char *name, char out[WADI_UVFITS_TEXT]) {
    char value[FLEN_VALUE] = "";
    if (!read_key(r, TSTRING, name, value)) value[0] = '\0';
    snprintf(out, WADI_UVFITS_TEXT, "%s", value);
    for (size_t n = strlen(out); n > 0 && out[n - 1] == ' '; n--) out[n - 1] = '\0';
}

static void text_of(reader *r, const char *stem, int n, char out[WADI_UVFITS_TEXT]) {
    char name[FLEN_KEYWORD];
    fits_make_keyn(stem, n, name, &r->status);
    text(r, name, out);
}

/* A year, as a number or as text with a letter before it: 2000, 'J2000', 'B1950.0'. 0: none. */
static double year(reader *r, const char *name) {
    char value[WADI_UVFITS_TEXT];
    text(r, name, value);
    const double y = wadi_format_read_f64(value + (value[0] == 'J' || value[0] == 'B'), NULL);
    return isfinite(y) && y > 0 ? y : 0;
}

/* "RA" and "RA---SIN" are both named RA. */
static bool is_named(const char *type, const char *name) {
    const size_t n = strlen(name);
    return strncmp(type, name, n) == 0 && (type[n] == '\0' || type[n] == '-');
}

/* ---- the array ---- */

static wadi_status take_axis(reader *r, int i, int64_t n, double *ra, double *dec,
                             wadi_error *err) {
    wadi_uvfits_head *h = r->head;
    const struct {
        const char *name;
        wadi_uvfits_axis *axis;
    } known[] = {
        {"COMPLEX", &h->complex}, {"STOKES", &h->stokes}, {"FREQ", &h->channel}, {"IF", &h->part}};
    char type[WADI_UVFITS_TEXT];
    text_of(r, "CTYPE", i, type);
    const wadi_uvfits_axis a = {.n = n,
                                .stride = h->values,
                                .value = number_of(r, "CRVAL", i, 0),
                                .pixel = number_of(r, "CRPIX", i, 1),
                                .step = number_of(r, "CDELT", i, 0)};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        if (!is_named(type, known[k].name)) continue;
        if (known[k].axis->n != 0)
            return wadi_fail(err, WADI_IO, "%s: two axes are named %s", r->path, type);
        *known[k].axis = a;
        return WADI_OK;
    }
    if (is_named(type, "RA")) *ra = a.value * DEGREE;
    if (is_named(type, "DEC")) *dec = a.value * DEGREE;
    if (n == 1) return WADI_OK;
    return wadi_fail(err, WADI_UNSUPPORTED, "%s: axis %d of %lld, %s%s, is not an axis of UVFITS",
                     r->path, i, (long long)n, type[0] == '\0' ? "without a name" : "named ", type);
}

/* The direction that the axes give; the pointing direction if they are missing or both 0, as in files of several sources. */
static void find_centre(reader *r, double ra, double dec) {
    wadi_uvfits_head *h = r->head;
    if (isnan(ra) || isnan(dec) || (ra == 0 && dec == 0)) {
        const double obsra = number(r, "OBSRA", (double)NAN);
        const double obsdec = number(r, "OBSDEC", (double)NAN);
        if (!isnan(obsra) && !isnan(obsdec)) {
            ra = obsra * DEGREE;
            dec = obsdec * DEGREE;
        }
    }
    const bool known = isfinite(ra) && isfinite(dec) && fabs(dec) <= 90.0001 * DEGREE;
    h->ra = known ? ra : (double)NAN;
    h->dec = known ? dec : (double)NAN;
    h->equinox = year(r, "EQUINOX");
    if (h->equinox == 0) h->equinox = year(r, "EPOCH");
    if (h->equinox == 0) h->equinox = 2000;
}

static wadi_status read_axes(reader *r, int axes, const LONGLONG *extent, wadi_error *err) {
    wadi_uvfits_head *h = r->head;
    double ra = (double)NAN;
    double dec = (double)NAN;
    h->values = 1;
    for (int i = 2; i <= axes; i++) {
        const int64_t n = extent[i - 1];
        if (n < 1 || n > MAX_VALUES / h->values) {
            return wadi_fail(err, WADI_IO, "%s: axis %d has an extent of %lld", r->path, i,
                             (long long)n);
        }
        WADI_TRY(take_axis(r, i, n, &ra, &dec, err));
        h->values *= n;
    }
    if (h->complex.n != 2 && h->complex.n != 3) {
        return wadi_fail(err, WADI_IO,
                         "%s: the axis COMPLEX has %lld values, expected 2 (real, imaginary) or 3 "
                         "(and weight)",
                         r->path, (long long)h->complex.n);
    }
    if (h->channel.n == 0) return wadi_fail(err, WADI_IO, "%s: no axis is named FREQ", r->path);
    if (h->stokes.n == 0) h->stokes = (wadi_uvfits_axis){.n = 1, .value = 1, .pixel = 1};
    if (h->part.n == 0) h->part = (wadi_uvfits_axis){.n = 1, .pixel = 1};
    find_centre(r, ra, dec);
    return check(r, "its axes", err);
}

/* ---- the parameters ---- */

/* The quantity of a parameter with this name, and the factor to the unit used here. */
static int quantity_of(const reader *r, const char *type, double *out_factor) {
    static const struct {
        const char *name;
        int quantity;
    } exact[] = {{"BASELINE", WADI_UVFITS_BASELINE}, {"ANTENNA1", WADI_UVFITS_ANTENNA1},
                 {"ANTENNA2", WADI_UVFITS_ANTENNA2}, {"DATE", WADI_UVFITS_DATE},
                 {"SOURCE", WADI_UVFITS_SOURCE},     {"FREQSEL", WADI_UVFITS_SETUP}};
    *out_factor = 1;
    for (size_t i = 0; i < sizeof exact / sizeof exact[0]; i++)
        if (strcmp(type, exact[i].name) == 0) return exact[i].quantity;
    for (int i = 0; i < 3; i++) {
        if (!is_named(type, baseline_name[i])) continue;
        /* Seconds, or wavelengths at the reference frequency: UU-L-SIN; negated as connectors/visibility.h has it. */
        const bool in_wavelengths = strncmp(type + 2, "-L", 2) == 0;
        *out_factor = -LIGHT / (in_wavelengths ? r->head->channel.value : 1);
        return WADI_UVFITS_U + i;
    }
    return WADI_UVFITS_QUANTITIES;
}

static wadi_status read_params(reader *r, wadi_error *err) {
    wadi_uvfits_head *h = r->head;
    h->param = calloc((size_t)h->params + 1, sizeof *h->param);
    if (h->param == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", r->path);
    for (int i = 0; i < h->params; i++) {
        char type[WADI_UVFITS_TEXT];
        double factor = 1;
        text_of(r, "PTYPE", i + 1, type);
        const int quantity = quantity_of(r, type, &factor);
        if (quantity <= WADI_UVFITS_W && strstr(type, "-NCP") != NULL) {
            return wadi_fail(err, WADI_UNSUPPORTED,
                             "%s: %s: coordinates projected to the pole are not read", r->path,
                             type);
        }
        h->param[i] = (wadi_uvfits_param){.quantity = quantity,
                                          .scale = number_of(r, "PSCAL", i + 1, 1) * factor,
                                          .zero = number_of(r, "PZERO", i + 1, 0) * factor};
        if (quantity < WADI_UVFITS_QUANTITIES) h->has[quantity] = true;
    }
    WADI_TRY(check(r, "its parameters", err));
    for (int q = 0; q <= WADI_UVFITS_W; q++) {
        if (!h->has[q]) {
            return wadi_fail(err, WADI_IO, "%s: no parameter of the groups is named %s", r->path,
                             baseline_name[q]);
        }
    }
    return WADI_OK;
}

/* ---- length ---- */

int64_t wadi_uvfits_group_bytes(const wadi_uvfits_head *head) {
    return (head->params + head->values) * (abs(head->bitpix) / 8);
}

wadi_status wadi_uvfits_truncated(const char *path, const wadi_uvfits_head *head, int64_t group,
                                  wadi_error *err) {
    return wadi_fail(err, WADI_IO,
                     "%s: truncated: the header promises %lld groups, the file ends in group %lld",
                     path, (long long)head->groups, (long long)group + 1);
}

/* Checks the length before memory is allocated by the numbers in the header, and before the tables after the groups are read. */
static wadi_status check_length(const reader *r, wadi_error *err) {
    const wadi_uvfits_head *h = r->head;
    struct stat about;
    if (h->groups == 0) return wadi_fail(err, WADI_INVALID, "%s: no groups", r->path);
    if (stat(r->path, &about) != 0) return wadi_fail_errno(err, errno, "%s", r->path);
    const int64_t there = about.st_size > h->start ? about.st_size - h->start : 0;
    const int64_t whole = there / wadi_uvfits_group_bytes(h);
    return whole < h->groups ? wadi_uvfits_truncated(r->path, h, whole, err) : WADI_OK;
}

/* ---- the primary header ---- */

static wadi_status read_primary(reader *r, wadi_error *err) {
    wadi_uvfits_head *h = r->head;
    int simple = 0;
    int axes = 0;
    int extend = 0;
    int has_groups = 0;
    long params = 0;
    long groups = 0;
    LONGLONG extent[MAX_AXES] = {0};
    LONGLONG start = 0;
    fits_read_imghdrll(r->fits, MAX_AXES, &simple, &h->bitpix, &axes, extent, &params, &groups,
                       &extend, &r->status);
    if (!read_key(r, TLOGICAL, "GROUPS", &has_groups)) has_groups = 0;
    WADI_TRY(check(r, "its primary header", err));
    if (has_groups == 0 || axes < 2 || axes > MAX_AXES || extent[0] != 0) {
        return wadi_fail(err, WADI_UNSUPPORTED,
                         "%s: FITS, but not UVFITS: its primary header announces no random groups "
                         "(GROUPS = T and NAXIS1 = 0)",
                         r->path);
    }
    if (h->bitpix != 16 && h->bitpix != 32 && h->bitpix != -32 && h->bitpix != -64)
        return wadi_fail(err, WADI_UNSUPPORTED, "%s: BITPIX is %d", r->path, h->bitpix);
    if (params < 0 || params > MAX_PARAMS || groups < 0) {
        return wadi_fail(err, WADI_IO, "%s: %ld groups of %ld parameters", r->path, groups, params);
    }
    h->params = (int)params;
    h->groups = groups;
    fits_get_hduaddrll(r->fits, NULL, &start, NULL, &r->status);
    h->start = start;
    h->scale = number(r, "BSCALE", 1);
    h->zero = number(r, "BZERO", 0);
    LONGLONG blank = 0;
    h->has_blank = h->bitpix > 0 && read_key(r, TLONGLONG, "BLANK", &blank);
    h->blank = blank;
    text(r, "OBJECT", h->object);
    text(r, "TELESCOP", h->telescope);
    WADI_TRY(check(r, "its primary header", err));
    WADI_TRY(read_axes(r, axes, extent, err));
    WADI_TRY(read_params(r, err));
    return check_length(r, err);
}

/* ---- tables ---- */

/* Goes to a table; *out_rows is 0 if there is none. */
static void find_table(reader *r, char *name, long *out_rows) {
    *out_rows = 0;
    if (r->status != 0) return;
    int status = 0;
    if (fits_movnam_hdu(r->fits, ANY_HDU, name, 0, &status) != 0) return;
    int type = IMAGE_HDU;
    fits_get_hdu_type(r->fits, &type, &status);
    if (status != 0 || type == IMAGE_HDU) return;
    fits_get_num_rows(r->fits, out_rows, &r->status);
    if (*out_rows > MAX_ROWS) r->status = BAD_ROW_NUM;
}

static int column(reader *r, char *name) {
    int number_of_it = 0;
    fits_get_colnum(r->fits, CASEINSEN, name, &number_of_it, &r->status);
    return number_of_it;
}

static void cell(reader *r, int type, int col, long row, int64_t n, void *out) {
    fits_read_col(r->fits, type, col, row, 1, n, NULL, out, NULL, &r->status);
}

static wadi_status read_setups(reader *r, wadi_error *err) {
    wadi_uvfits_head *h = r->head;
    const int64_t n = h->part.n;
    long rows = 0;
    find_table(r, (char[]){"AIPS FQ"}, &rows);
    const int id = rows > 0 ? column(r, (char[]){"FRQSEL"}) : 0;
    const int offset = rows > 0 ? column(r, (char[]){"IF FREQ"}) : 0;
    const int width = rows > 0 ? column(r, (char[]){"CH WIDTH"}) : 0;
    for (int c = 0; c < 2 && rows > 0 && r->status == 0; c++) {
        int type = 0;
        long repeat = 0;
        fits_get_coltype(r->fits, c == 0 ? offset : width, &type, &repeat, NULL, &r->status);
        if (r->status == 0 && repeat < n) {
            return wadi_fail(err, WADI_IO,
                             "%s: the data have %lld IFs, but the table AIPS FQ has %ld", r->path,
                             (long long)n, repeat);
        }
    }
    for (long row = 1; row <= rows && r->status == 0; row++) {
        wadi_uvfits_setup s = {.offset = calloc(2 * (size_t)n, sizeof *s.offset)};
        if (s.offset == NULL || !wadi_vec_push(&h->setup, s)) {
            free(s.offset);
            return wadi_fail(err, WADI_MEMORY, "%s: out of memory", r->path);
        }
        wadi_uvfits_setup *last = &wadi_vec_last(&h->setup);
        last->width = last->offset + n;
        cell(r, TINT, id, row, 1, &last->id);
        cell(r, TDOUBLE, offset, row, n, last->offset);
        cell(r, TDOUBLE, width, row, n, last->width);
    }
    WADI_TRY(check(r, "its table AIPS FQ", err));
    if (n > 1 && h->setup.n == 0) {
        return wadi_fail(err, WADI_IO,
                         "%s: %lld IFs, but no table AIPS FQ that tells their frequencies", r->path,
                         (long long)n);
    }
    return WADI_OK;
}

static void read_name(reader *r, int col, long row, char out[WADI_UVFITS_TEXT]) {
    int width = 0;
    fits_get_col_display_width(r->fits, col, &width, &r->status);
    char *name = r->status == 0 && width >= 0 ? calloc((size_t)width + 1, 1) : NULL;
    if (name == NULL && r->status == 0) r->status = MEMORY_ALLOCATION;
    if (name != NULL) cell(r, TSTRING, col, row, 1, &name);
    snprintf(out, WADI_UVFITS_TEXT, "%s", name != NULL ? name : "");
    for (size_t n = strlen(out); n > 0 && out[n - 1] == ' '; n--) out[n - 1] = '\0';
    free(name);
}

/* The column FREQOFF, added to the frequencies of the IFs (Going AIPS, file structures, "CH": the true frequency is the sum of the
 * reference frequency, that of the IF and that of the source). *out_n: values in a cell, 0 where there is no such column. */
static int offset_column(reader *r, int64_t *out_n) {
    int number_of_it = 0;
    int type = 0;
    int status = 0;
    long repeat = 0;
    *out_n = 0;
    fits_get_colnum(r->fits, CASEINSEN, (char[]){"FREQOFF"}, &number_of_it, &status);
    if (status != 0) return 0;
    fits_get_coltype(r->fits, number_of_it, &type, &repeat, NULL, &r->status);
    *out_n = repeat;
    return number_of_it;
}

/* An undefined value means that there is no offset. One value for several IFs is an error, unless it is 0. */
static wadi_status read_offset(reader *r, int col, int64_t have, long row, wadi_uvfits_field *f,
                               wadi_error *err) {
    const int64_t n = r->head->part.n;
    const int64_t take = have < n ? have : n;
    bool any = false;
    if (take < 1 || r->status != 0) return WADI_OK;
    f->offset = calloc((size_t)n, sizeof *f->offset);
    if (f->offset == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", r->path);
    cell(r, TDOUBLE, col, row, take, f->offset);
    for (int64_t i = 0; i < take; i++) {
        if (!isfinite(f->offset[i])) f->offset[i] = 0;
        any = any || f->offset[i] != 0;
    }
    if (!any || have >= n || r->status != 0) return WADI_OK;
    return wadi_fail(err, WADI_IO,
                     "%s: the data have %lld IFs, FREQOFF in the table AIPS SU has %lld", r->path,
                     (long long)n, (long long)have);
}

static wadi_status read_fields(reader *r, wadi_error *err) {
    wadi_uvfits_head *h = r->head;
    long rows = 0;
    find_table(r, (char[]){"AIPS SU"}, &rows);
    if (rows == 0) return check(r, "its table AIPS SU", err);
    const int id = column(r, (char[]){"ID. NO."});
    const int name = column(r, (char[]){"SOURCE"});
    const int ra = column(r, (char[]){"RAEPO"});
    const int dec = column(r, (char[]){"DECEPO"});
    const int epoch = column(r, (char[]){"EPOCH"});
    int64_t offsets = 0;
    const int offset = offset_column(r, &offsets);
    for (long row = 1; row <= rows && r->status == 0; row++) {
        wadi_uvfits_field f = {0};
        cell(r, TINT, id, row, 1, &f.id);
        read_name(r, name, row, f.name);
        cell(r, TDOUBLE, ra, row, 1, &f.ra);
        cell(r, TDOUBLE, dec, row, 1, &f.dec);
        cell(r, TDOUBLE, epoch, row, 1, &f.equinox);
        f.ra *= DEGREE;
        f.dec *= DEGREE;
        if (!(f.equinox > 0)) f.equinox = h->equinox;
        wadi_status status = read_offset(r, offset, offsets, row, &f, err);
        if (status == WADI_OK && r->status == 0 && !wadi_vec_push(&h->field, f))
            status = wadi_fail(err, WADI_MEMORY, "%s: out of memory", r->path);
        if (status != WADI_OK || r->status != 0) free(f.offset);
        WADI_TRY(status);
    }
    return check(r, "its table AIPS SU", err);
}

/* If the antenna table says so, dates are in atomic time, IATUTC seconds ahead of UTC. */
static wadi_status read_time_system(reader *r, wadi_error *err) {
    char system[WADI_UVFITS_TEXT];
    long rows = 0;
    find_table(r, (char[]){"AIPS AN"}, &rows);
    if (rows == 0) return check(r, "its table AIPS AN", err);
    text(r, "TIMSYS", system);
    if (system[0] == '\0') text(r, "TIMESYS", system);
    if (strcmp(system, "IAT") == 0 || strcmp(system, "TAI") == 0)
        r->head->to_utc = -number(r, "IATUTC", 0) / SECONDS_PER_DAY;
    return check(r, "its table AIPS AN", err);
}

/* ---- all of it ---- */

static wadi_status read_all(reader *r, wadi_error *err) {
    fits_open_diskfile(&r->fits, r->path, READONLY, &r->status);
    WADI_TRY(check(r, "its primary header", err));
    WADI_TRY(read_primary(r, err));
    WADI_TRY(read_setups(r, err));
    WADI_TRY(read_fields(r, err));
    return read_time_system(r, err);
}

/* One file at a time, because CFITSIO shares the state of a file that is opened twice, and has one stack of messages for all files. */
wadi_status wadi_uvfits_head_read(const char *path, wadi_uvfits_head *head, wadi_error *err) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    reader r = {.path = path, .head = head};
    (void)pthread_mutex_lock(&lock);
    const wadi_status status = read_all(&r, err);
    int ignored = 0;
    if (r.fits != NULL) fits_close_file(r.fits, &ignored);
    fits_clear_errmsg();
    (void)pthread_mutex_unlock(&lock);
    return status;
}

void wadi_uvfits_head_fini(wadi_uvfits_head *head) {
    for (size_t i = 0; i < head->setup.n; i++) free(head->setup.at[i].offset);
    wadi_vec_free(&head->setup);
    for (size_t i = 0; i < head->field.n; i++) free(head->field.at[i].offset);
    wadi_vec_free(&head->field);
    free(head->param);
}
