#include "tests/connectors/uvfits_file.h"

#ifdef WADI_HAVE_CFITSIO

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { AXES = 7 };

double uvfits_parameter(long group, int i) {
    if (i == 3) return (double)(256 * (group % 4 + 1) + group % 4 + 2);
    if (i == 4) return (double)group / 1024;
    return (double)((group * 13 + i * 29) % 121 - 60);
}

double uvfits_value(long group, int part, int pol, int channel, int band) {
    const long n = group * 31 + part * 17 + pol * 7 + channel * 3 + band * 11;
    return (double)(part == 2 ? n % 5 - 1 : n % 121 - 60);
}

uvfits_file uvfits_plain(long groups) {
    return (uvfits_file){.bitpix = -32,
                         .groups = groups,
                         .parts = 3,
                         .pols = 2,
                         .channels = 3,
                         .ifs = 1,
                         .stokes = -1,
                         .stokes_step = -1,
                         .frequency = 1e9,
                         .width = 1e6,
                         .scale = 1,
                         .params = 5,
                         .param = {{"UU", 1e-6, 0},
                                   {"VV", 1e-6, 0},
                                   {"WW", 1e-6, 0},
                                   {"BASELINE", 1, 0},
                                   {"DATE", 1, 2457000.5}},
                         .parameter = uvfits_parameter,
                         .value = uvfits_value};
}

static void key(fitsfile *f, const char *stem, int n, double value, int *status) {
    char name[FLEN_KEYWORD];
    fits_make_keyn(stem, n, name, status);
    fits_update_key(f, TDOUBLE, name, &value, NULL, status);
}

static void name(fitsfile *f, const char *stem, int n, const char *value, int *status) {
    char key_name[FLEN_KEYWORD];
    fits_make_keyn(stem, n, key_name, status);
    fits_update_key_str(f, key_name, value, NULL, status);
}

static void axis(fitsfile *f, int n, const char *type, double value, double step, int *status) {
    name(f, "CTYPE", n, type, status);
    key(f, "CRVAL", n, value, status);
    key(f, "CRPIX", n, 1, status);
    key(f, "CDELT", n, step, status);
}

static void header(fitsfile *f, const uvfits_file *u, int *status) {
    const int stokes = u->channels_first ? 4 : 3;
    const int channel = u->channels_first ? 3 : 4;
    long extent[AXES] = {0, u->parts, 0, 0, u->ifs, 1, 1};
    extent[stokes - 1] = u->pols;
    extent[channel - 1] = u->channels;
    fits_write_grphdr(f, 1, u->bitpix, AXES, extent, u->params, u->groups, 1, status);
    axis(f, 2, "COMPLEX", 1, 1, status);
    axis(f, stokes, "STOKES", u->stokes, u->stokes_step, status);
    axis(f, channel, "FREQ", u->frequency, u->width, status);
    axis(f, 5, "IF", 1, 1, status);
    axis(f, 6, "RA", 120, 1, status);
    axis(f, 7, "DEC", -30, 1, status);
    for (int i = 0; i < u->params; i++) {
        name(f, "PTYPE", i + 1, u->param[i].type, status);
        key(f, "PSCAL", i + 1, u->param[i].scale, status);
        key(f, "PZERO", i + 1, u->param[i].zero, status);
    }
    fits_update_key_dbl(f, "BSCALE", u->scale, 12, NULL, status);
    fits_update_key_dbl(f, "BZERO", u->zero, 12, NULL, status);
    fits_update_key_str(f, "OBJECT", "PLAIN", NULL, status);
    fits_update_key_str(f, "TELESCOP", "TOY", NULL, status);
    if (u->cards != NULL) u->cards(f, status);
}

static void group(fitsfile *f, const uvfits_file *u, long g, double *room, int *status) {
    for (int i = 0; i < u->params; i++) room[i] = u->parameter(g, i);
    fits_write_grppar_dbl(f, g + 1, 1, u->params, room, status);
    long n = 0;
    for (int band = 0; band < u->ifs; band++) {
        for (int i = 0; i < u->pols * u->channels; i++) {
            const int pol = u->channels_first ? i / u->channels : i % u->pols;
            const int channel = u->channels_first ? i % u->channels : i / u->pols;
            for (int part = 0; part < u->parts; part++)
                room[n++] = u->value(g, part, pol, channel, band);
        }
    }
    fits_write_img_dbl(f, g + 1, 1, n, room, status);
}

void uvfits_write(const char *path, const uvfits_file *u) {
    fitsfile *f = NULL;
    int status = 0;
    double *room =
        malloc(((size_t)(u->parts * u->pols * u->channels * u->ifs) + 16) * sizeof *room);
    assert_non_null(room);
    (void)unlink(path);
    fits_create_diskfile(&f, path, &status);
    header(f, u, &status);
    fits_set_hdustruc(f, &status);
    fits_set_bscale(f, 1, 0, &status);
    for (long g = 0; g < u->groups && status == 0; g++) group(f, u, g, room, &status);
    if (u->tables != NULL) u->tables(f, &status);
    fits_close_file(f, &status);
    free(room);
    assert_int_equal(status, 0);
}

void uvfits_write_setups(fitsfile *f, int n, const int *ids, int ifs, int *status) {
    char many[2][16];
    snprintf(many[0], sizeof many[0], "%dD", ifs);
    snprintf(many[1], sizeof many[1], "%dE", ifs);
    char *type[] = {"FRQSEL", "IF FREQ", "CH WIDTH"};
    char *form[] = {"1J", many[0], many[1]};
    fits_create_tbl(f, BINARY_TBL, 0, 3, type, form, NULL, "AIPS FQ", status);
    for (int i = 0; i < n; i++) {
        int id = ids[i];
        fits_write_col(f, TINT, 1, i + 1, 1, 1, &id, status);
        for (int band = 0; band < ifs; band++) {
            double offset = 1e6 * (10 * i + band);
            double width = 1e3 * (i + 1);
            fits_write_col(f, TDOUBLE, 2, i + 1, band + 1, 1, &offset, status);
            fits_write_col(f, TDOUBLE, 3, i + 1, band + 1, 1, &width, status);
        }
    }
}

void uvfits_write_fields(fitsfile *f, int n, const int *ids, int *status) {
    char *type[] = {"ID. NO.", "SOURCE", "RAEPO", "DECEPO", "EPOCH"};
    char *form[] = {"1J", "16A", "1D", "1D", "1D"};
    fits_create_tbl(f, BINARY_TBL, 0, 5, type, form, NULL, "AIPS SU", status);
    for (int i = 0; i < n; i++) {
        char called[16];
        char *text = called;
        int id = ids[i];
        double ra = 10 * id;
        double dec = -id;
        double epoch = 1950;
        snprintf(called, sizeof called, "SRC%d", id);
        fits_write_col(f, TINT, 1, i + 1, 1, 1, &id, status);
        fits_write_col(f, TSTRING, 2, i + 1, 1, 1, &text, status);
        fits_write_col(f, TDOUBLE, 3, i + 1, 1, 1, &ra, status);
        fits_write_col(f, TDOUBLE, 4, i + 1, 1, 1, &dec, status);
        fits_write_col(f, TDOUBLE, 5, i + 1, 1, 1, &epoch, status);
    }
}

#else
typedef int uvfits_file_needs_cfitsio;
#endif
