/* Measurement Sets for the tests to read, written with casacore. */
#ifndef WADI_TESTS_CONNECTORS_MS_FILE_H
#define WADI_TESTS_CONNECTORS_MS_FILE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { MS_ROWS = 30, MS_WINDOWS = 2, MS_MOST_CELLS = 12 };

typedef struct ms_look {
    bool is_double;     /* DATA in double precision */
    bool has_spectrum;  /* WEIGHT_SPECTRUM beside WEIGHT */
    bool has_corrected; /* CORRECTED_DATA: DATA + 1000 */
    bool one_field, one_window;
    bool mixed_pols; /* window 0 is there with two sets of polarisations */
    bool no_rows;
    const char *frame;   /* of PHASE_DIR; NULL: J2000 */
    bool frame_by_row;   /* field 0 in B1950, field 1 in AZEL, told by codes */
    int code;            /* of the first polarisation of window 0; 0: XX */
    const char *without; /* a column of the main table that is left out */
} ms_look;

/* Row r of the set: field r % 2, or 0 where there is one; window 0 of 3 channels in XX, YY for r % 3 != 1, else window 1 of 2
 * channels in RR, RL, LR, LL. Its cells are channels x polarisations. false: *why says why. */
bool ms_file_write(const char *path, const ms_look *look, char why[400]);

int ms_window_of(const ms_look *look, int64_t row);
int ms_field_of(const ms_look *look, int64_t row);
double ms_uvw(int64_t row, int k);
double ms_re(int64_t row, int cell);
double ms_im(int64_t row, int cell);
float ms_weight(int64_t row, int pol);
float ms_spectrum(int64_t row, int cell);
bool ms_flag(int64_t row, int cell);
bool ms_flag_row(int64_t row);
double ms_time(int64_t row); /* seconds */
double ms_frequency(int window, int channel);

/* Puts a number into a column of integers: of the set itself ("") or of one of its tables; in cells that are arrays, at number `at`. */
bool ms_file_put(const char *path, const char *table, const char *column, int64_t row, int at,
                 int value, char why[400]);

/* What casacore makes of a UVFITS file. */
bool ms_file_convert(const char *uvfits, const char *path, char why[400]);

/* Opens the set for writing and keeps it locked until *out is given to ms_file_unlock. */
bool ms_file_lock(const char *path, void **out, char why[400]);
void ms_file_unlock(void *lock);

#ifdef __cplusplus
}
#endif

#endif
