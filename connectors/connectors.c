/* The table. */
#include "connectors/connectors.h"

const wadi_connector wadi_connectors[] = {
    {"callback", true, true, "functions of the calling program"},
    {"memory", true, true, "a host array cut along its outermost dimension; a list of arrays"},
    {"raw", true, true, "files of records in the machine's byte order"},
    {"link", true, true, "another process, over ipc or tcp"},
#if defined(WADI_HAVE_SNDFILE)
    {"sndfile", true, false, "sound files, through libsndfile"},
#endif
#if defined(WADI_HAVE_CFITSIO)
    {"uvfits", true, false, "visibilities in FITS random groups, through CFITSIO"},
    {"fits", false, true, "images of the sky with world coordinates, through CFITSIO"},
#endif
#if defined(WADI_HAVE_HDF5)
    {"uvh5", true, false, "visibilities in the HDF5 files of pyuvdata, through HDF5"},
#endif
#if defined(WADI_HAVE_CASACORE)
    {"measurement_set", true, false, "visibilities in Measurement Sets, through casacore"},
#endif
    {"vis_text", true, false, "visibilities in plain text, a line each"},
#if defined(WADI_HAVE_PNG)
    {"png", false, true, "grey pictures of images, through libpng"},
#endif
    {0},
};
