/* wadi version: what this is, what it was built with, and the compiler it finds. */
#include <openssl/crypto.h>
#include <stdio.h>
#include <zmq.h>
#ifdef WADI_HAVE_SNDFILE
#include <sndfile.h>
#endif

#include "cli/command.h"
#include "codegen/build/cache.h"
#include "codegen/build/cc.h"
#include "connectors/visibility.h"
#include "sched/foreign.h"

static const char *sound_version(void) {
#ifdef WADI_HAVE_SNDFILE
    return sf_version_string();
#else
    return "none: built without libsndfile";
#endif
}

static const char *image_libraries(void) {
#if defined(WADI_HAVE_CFITSIO) && defined(WADI_HAVE_PNG)
    return "FITS: CFITSIO; PNG: libpng";
#elif defined(WADI_HAVE_CFITSIO)
    return "FITS: CFITSIO; PNG: none: built without libpng";
#elif defined(WADI_HAVE_PNG)
    return "FITS: none: built without CFITSIO; PNG: libpng";
#else
    return "none: built without CFITSIO and libpng";
#endif
}

/* Formats of visibilities, each with what it is read with. */
static void print_formats(void) {
    for (const wadi_vis_format *f = wadi_vis_formats; f->name != NULL; f++) {
        printf("  %-13s %s: %s%s\n", f == wadi_vis_formats ? "visibilities" : "", f->name,
               f->open != NULL ? "" : "none: built without ", f->needs);
    }
}

static int run(int argc, char **argv) {
    if (argc > 1) return wadi_cli_misuse(&wadi_cli_version, "unexpected \"%s\"", argv[1]);
    int major, minor, patch;
    zmq_version(&major, &minor, &patch);
    printf("wadi %s\n", WADI_VERSION);
    printf("  messages      libzmq %d.%d.%d\n", major, minor, patch);
    printf("  sound         %s\n", sound_version());
    print_formats();
    printf("  images        %s\n", image_libraries());
    if (!wadi_libraries[0]) printf("  transforms    the language's own: built without FFTW\n");
    for (int i = 0; wadi_libraries[i]; i++)
        printf("  %-13s %s\n", wadi_libraries[i]->what, wadi_libraries[i]->version());
    printf("  digests       %s\n", OpenSSL_version(OPENSSL_VERSION));
    wadi_error err = {0};
    wadi_cc cc;
    char words[256];
    if (wadi_cc_find(&cc, &err) == WADI_OK &&
        wadi_cc_version(&cc, words, sizeof words, &err) == WADI_OK)
        printf("  compiler      %s (%s)\n", cc.path, words);
    else
        printf("  compiler      none: %s\n", err.msg);
    char directory[1024];
    if (wadi_cache_directory(directory, sizeof directory, &err) == WADI_OK)
        printf("  kernel cache  %s\n", directory);
    else
        printf("  kernel cache  none: %s\n", err.msg);
    return WADI_CLI_OK;
}

const wadi_cli_command wadi_cli_version = {
    "version", "", "tells the version, and what it was built with", NULL, run};
