/* Recognises the format of a file of visibilities by its contents, without the module that reads it. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "connectors/visibility.h"

/* Accepts any FITS file. If it is not UVFITS, opening it says what is wrong. */
bool wadi_vis_fits_recognises(const char *path, const unsigned char *head, size_t n) {
    WADI_UNUSED(path);
    static const char first[] = "SIMPLE  =";
    return head != NULL && n >= sizeof first - 1 && memcmp(head, first, sizeof first - 1) == 0;
}

/* An HDF5 file may begin with a block for the user of 512, 1024, ... bytes. */
bool wadi_vis_uvh5_recognises(const char *path, const unsigned char *head, size_t n) {
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    WADI_UNUSED(path);
    if (head == NULL) return false;
    for (size_t at = 0; at + sizeof signature <= n; at = at == 0 ? 512 : 2 * at)
        if (memcmp(head + at, signature, sizeof signature) == 0) return true;
    return false;
}

/* A table of casacore is a folder; a small file in it, table.info, says what the table is. */
bool wadi_vis_ms_recognises(const char *path, const unsigned char *head, size_t n) {
    char name[4096];
    char text[512] = "";
    struct stat about;
    WADI_UNUSED(n);
    if (head != NULL) return false;
    if (snprintf(name, sizeof name, "%s/table.dat", path) >= (int)sizeof name) return false;
    if (stat(name, &about) != 0) return false;
    if (snprintf(name, sizeof name, "%s/table.info", path) >= (int)sizeof name) return false;
    FILE *f = fopen(name, "rb");
    if (f == NULL) return true;
    const size_t got = fread(text, 1, sizeof text - 1, f);
    (void)fclose(f);
    text[got] = '\0';
    return strstr(text, "Measurement Set") != NULL;
}
