/* A C interface to casacore's tables, for Measurement Sets. Behind it is the only C++ of this project. No exception leaves it: a
 * function that can fail returns false and a reason. Only one thread may use it at a time. */
#ifndef WADI_MODULES_CASACORE_MS_H
#define WADI_MODULES_CASACORE_MS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { WADI_MS_WHY = 400 }; /* bytes of a reason */

/* "casacore 3.4.0" */
const char *wadi_ms_library(void);

typedef struct wadi_ms wadi_ms;

/* The common properties of the rows of one data description. Borrowed until the next call that fills such a struct. */
typedef struct wadi_ms_setup {
    int32_t window,
        products; /* rows of SPECTRAL_WINDOW and, the first of equal ones, POLARIZATION */
    int64_t channels, pols;
    const double *frequency; /* [channels] Hz */
    double width;            /* Hz, of the first channel */
    const int32_t *codes; /* [pols] as casacore's Stokes class numbers them: 1 I, 5 RR, 9 XX, ... */
} wadi_ms_setup;

typedef struct wadi_ms_field {
    const char *name;
    double ra, dec; /* radians; NAN if the direction moves among the stars */
    double equinox;
} wadi_ms_field;

/* Arrays for n rows. */
typedef struct wadi_ms_rows {
    double *uvw;             /* [n, 3] as in the file */
    int32_t *first, *second; /* [n] */
    double *time;            /* [n] seconds */
    double *data;            /* [n, channels, pols] of re, im */
    float *weight;           /* [n, channels, pols] */
    bool *flag;              /* [n, channels, pols]; includes the flag of the whole row */
} wadi_ms_rows;

/* Opens a set for reading, without locks. */
bool wadi_ms_open(const char *path, wadi_ms **out, char why[WADI_MS_WHY]);
void wadi_ms_close(wadi_ms *ms);

int64_t wadi_ms_count(const wadi_ms *ms);
int32_t wadi_ms_descriptions(const wadi_ms *ms); /* they are numbered from 0 */
const char *wadi_ms_telescope(const wadi_ms *ms);

/* Reads the data descriptions and fields of rows first .. first + n - 1. */
bool wadi_ms_kinds(wadi_ms *ms, int64_t first, int64_t n, int32_t *description, int32_t *field,
                   char why[WADI_MS_WHY]);
bool wadi_ms_look_setup(wadi_ms *ms, int32_t description, wadi_ms_setup *out,
                        char why[WADI_MS_WHY]);
bool wadi_ms_look_field(wadi_ms *ms, int32_t field, wadi_ms_field *out, char why[WADI_MS_WHY]);

/* Chooses the columns from which visibilities are read, by looking at a row that will be read. */
bool wadi_ms_choose(wadi_ms *ms, const char *column, int64_t row, int64_t channels, int64_t pols,
                    char why[WADI_MS_WHY]);
/* Reads the rows with these numbers; all have the chosen shape. */
bool wadi_ms_read(wadi_ms *ms, const int64_t *row, int64_t n, const wadi_ms_rows *to,
                  char why[WADI_MS_WHY]);

#ifdef __cplusplus
}
#endif

#endif
