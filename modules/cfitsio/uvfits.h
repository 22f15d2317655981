/* The contents of the headers and tables of a UVFITS file, without the visibilities. */
#ifndef WADI_MODULES_UVFITS_H
#define WADI_MODULES_UVFITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "wadi/status.h"

/* The quantity to which a parameter before a group contributes. Parameters of one name are added. */
enum {
    WADI_UVFITS_U = 0, /* metres, with the sign of wadi/visibility.h */
    WADI_UVFITS_V,
    WADI_UVFITS_W,
    WADI_UVFITS_BASELINE,
    WADI_UVFITS_ANTENNA1,
    WADI_UVFITS_ANTENNA2,
    WADI_UVFITS_DATE, /* Julian days */
    WADI_UVFITS_SOURCE,
    WADI_UVFITS_SETUP,
    WADI_UVFITS_QUANTITIES /* also stands for parameters that are not read */
};

typedef struct wadi_uvfits_param {
    int quantity;
    double scale, zero;
} wadi_uvfits_param;

/* An axis of a group's array: coordinate = value + (i + 1 - pixel) * step. If the file does not have the axis, n is 1. */
typedef struct wadi_uvfits_axis {
    int64_t n, stride; /* in values */
    double value, pixel, step;
} wadi_uvfits_axis;

/* A row of the table AIPS FQ: offset from the reference frequency and width of a channel, Hz, of each IF. */
typedef struct wadi_uvfits_setup {
    int id;
    double *offset, *width;
} wadi_uvfits_setup;

enum { WADI_UVFITS_TEXT = 72 };

/* A row of the table AIPS SU; angles in radians. */
typedef struct wadi_uvfits_field {
    int id;
    char name[WADI_UVFITS_TEXT];
    double ra, dec, equinox;
    double *offset; /* added to the frequencies of each IF, Hz; NULL: nothing */
} wadi_uvfits_field;

typedef struct wadi_uvfits_head {
    int64_t start, groups; /* byte where the groups begin, and how many there are */
    int bitpix;            /* 16, 32, -32 or -64 */
    double scale, zero;    /* of the array's values */
    bool has_blank;
    int64_t blank;

    int params;
    wadi_uvfits_param *param;                        /* [params] */
    bool has[WADI_UVFITS_QUANTITIES];                /* whether any parameter contributes */
    int64_t values;                                  /* of a group's array */
    wadi_uvfits_axis complex, stokes, channel, part; /* part: the axis IF */

    double ra, dec, equinox; /* of the primary header: radians, years; both NAN: not known */
    double to_utc;           /* days to add to the dates */
    char object[WADI_UVFITS_TEXT], telescope[WADI_UVFITS_TEXT];
    WADI_VEC(wadi_uvfits_setup) setup;
    WADI_VEC(wadi_uvfits_field) field;
} wadi_uvfits_head;

/* Reads the headers and tables, and checks that the file is long enough for its groups. *head must be all zero. The caller calls
 * wadi_uvfits_head_fini in any case. */
wadi_status wadi_uvfits_head_read(const char *path, wadi_uvfits_head *head, wadi_error *err);
void wadi_uvfits_head_fini(wadi_uvfits_head *head);

int64_t wadi_uvfits_group_bytes(const wadi_uvfits_head *head);
/* Fails: the file ends within group `group`, counted from 0. */
wadi_status wadi_uvfits_truncated(const char *path, const wadi_uvfits_head *head, int64_t group,
                                  wadi_error *err);

#endif
