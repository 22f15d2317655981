/* Computing statistics in plain C. An image is looked at once, in less time than making a kernel for it would take. Most of
 * the work is medians, which need an algorithm that rearranges in place. */
#include "apps/gridding/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* The value number k in ascending order; rearranges. Hoare 1961, CACM 4, algorithm 65, "find". */
static double select_value(double *x, int64_t n, int64_t k) {
    int64_t low = 0, high = n - 1;
    while (low < high) {
        const double pivot = x[low + (high - low) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (x[i] < pivot) i++;
            while (pivot < x[j]) j--;
            if (i > j) break;
            const double t = x[i];
            x[i++] = x[j];
            x[j--] = t;
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            break;
    }
    return x[k];
}

wadi_status grid_statistics_of(const double *image, int64_t size, grid_statistics *out,
                               wadi_error *err) {
    const int64_t n = size * size;
    double squares = 0, greatest = image[0];
    int64_t peak = 0;
    double *copy = malloc((size_t)n * sizeof *copy);
    if (copy == NULL) return wadi_fail(err, WADI_MEMORY, "no room for a copy of the image");
    for (int64_t i = 0; i < n; i++) {
        squares += image[i] * image[i];
        if (fabs(image[i]) > fabs(image[peak])) peak = i;
        greatest = fmax(greatest, image[i]);
    }
    memcpy(copy, image, (size_t)n * sizeof *copy);
    const double median = select_value(copy, n, n / 2);
    for (int64_t i = 0; i < n; i++) copy[i] = fabs(image[i] - median);
    *out = (grid_statistics){.peak = image[peak],
                             .peak_x = peak % size,
                             .peak_y = peak / size,
                             .greatest = greatest,
                             .median = median,
                             .rms = sqrt(squares / (double)n),
                             .spread = 1.4826 * select_value(copy, n, n / 2)};
    free(copy);
    return WADI_OK;
}

void grid_sky_of(double ra0, double dec0, double l, double m, double *ra, double *dec) {
    const double n = sqrt(1 - l * l - m * m), turn = 2 * acos(-1);
    *dec = asin(m * cos(dec0) + n * sin(dec0));
    *ra = fmod(ra0 + atan2(l, n * cos(dec0) - m * sin(dec0)) + turn, turn);
}
