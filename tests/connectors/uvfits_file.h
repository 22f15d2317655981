/* Small UVFITS files with known contents, written with CFITSIO. */
#ifndef WADI_TESTS_CONNECTORS_UVFITS_FILE_H
#define WADI_TESTS_CONNECTORS_UVFITS_FILE_H

#ifdef WADI_HAVE_CFITSIO

#include <stdbool.h>

#include <fitsio.h>

typedef struct uvfits_file {
    int bitpix;
    long groups;
    int parts;               /* of a complex number: 2, or 3 with a weight */
    int pols, channels, ifs; /* extents */
    bool channels_first;     /* the axis FREQ before STOKES */
    double stokes, stokes_step;
    double frequency, width; /* CRVAL and CDELT of FREQ; CRPIX is 1 */
    double scale, zero;      /* BSCALE and BZERO */
    int params;
    struct {
        const char *type;
        double scale, zero;
    } param[12];
    /* What is stored, before any scaling. */
    double (*parameter)(long group, int i);
    double (*value)(long group, int part, int pol, int channel, int band);
    void (*cards)(fitsfile *f, int *status);  /* more of the primary header, or NULL */
    void (*tables)(fitsfile *f, int *status); /* after the groups, or NULL */
} uvfits_file;

/* f32, UU, VV, WW, BASELINE and DATE, RR and LL, 3 channels of 1 MHz from 1 GHz on, weights. */
uvfits_file uvfits_plain(long groups);
/* The values uvfits_plain stores; whole numbers from -60 to 60, weights from -1 to 3. */
double uvfits_parameter(long group, int i);
double uvfits_value(long group, int part, int pol, int channel, int band);

/* Replaces the file. */
void uvfits_write(const char *path, const uvfits_file *u);

/* A row of the table AIPS FQ for each of `ids`, of `ifs` IFs: setup i has offsets (10 i + band) MHz and channels of (i + 1) kHz. */
void uvfits_write_setups(fitsfile *f, int n, const int *ids, int ifs, int *status);
/* A row of the table AIPS SU for each of `ids`: named SRC<id>, at right ascension 10 id and declination -id degrees, B1950. */
void uvfits_write_fields(fitsfile *f, int n, const int *ids, int *status);

#endif
#endif
