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
    {0},
};
