/* How far results are apart that need not have the same bits. */
#ifndef WADI_CLI_DIFFERENCE_H
#define WADI_CLI_DIFFERENCE_H

#include <stdbool.h>
#include <stddef.h>

/* The largest difference found, and where. All zero: none. */
typedef struct wadi_cli_largest {
    double size;
    const char *name; /* of the result: borrowed */
    size_t at;        /* number in it */
} wadi_cli_largest;

typedef struct wadi_cli_difference {
    wadi_cli_largest absolute, relative;
} wadi_cli_difference;

/* Whether n numbers differ by no more than `most` times the norm of the first. Infinities and NaN are not looked at. */
bool wadi_cli_close(const double *x, const double *y, size_t n, double most);
/* Whether infinities and NaN stand at the same places in both. */
bool wadi_cli_same_kinds(const double *x, const double *y, size_t n);
/* Notes the largest differences between finite numbers. A relative one is to the larger of the two. */
void wadi_cli_difference_note(wadi_cli_difference *d, const char *name, const double *x,
                              const double *y, size_t n);

#endif
