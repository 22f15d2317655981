/* NVIDIA's compiler of CUDA C as a library, libnvrtc: finding it, knowing which one it is, and compiling a text with it. It needs neither
 * a device nor its driver. What is declared of its interface are facts of NVIDIA's documentation of NVRTC.
 *
 * The compiler of programs builds kernels with it, and devices build what they themselves have in CUDA C. */
#ifndef WADI_BASE_NVRTC_H
#define WADI_BASE_NVRTC_H

#include <stdbool.h>
#include <stddef.h>

#include "wadi/status.h"

typedef struct wadi_nvrtc_about {
    const char *path; /* of the library: static */
    const char
        *stamp; /* its version, size and time of change: another library, another stamp; static */
} wadi_nvrtc_about;

/* Finds the library and loads it, once in a process: $WADI_NVRTC if set (a path, or a name that the loader searches for), else the first of
 * its versions that is installed. Errors: WADI_COMPILE, naming what was searched, or a function that the library lacks.
 * Thread-safe. */
WADI_NODISCARD wadi_status wadi_nvrtc_find(wadi_nvrtc_about *out, wadi_error *err);

/* The options that texts are compiled with, besides their architecture, ended by NULL. fast: those that give up the bits of other devices. */
const char *const *wadi_nvrtc_options(bool fast);

/* Compiles a text for an architecture, "sm_90": into machine code, or, if the library is older than the architecture, into PTX for the
 * newest that it knows, which the driver of the machine finishes. PTX ends with a zero, which *out_n counts. The caller frees
 * *out. Errors: WADI_COMPILE with the compiler's first error, WADI_UNSUPPORTED (the library is too new for the architecture),
 * WADI_MEMORY. Thread-safe. */
WADI_NODISCARD wadi_status wadi_nvrtc_compile(const char *source, const char *architecture,
                                              bool fast, char **out, size_t *out_n,
                                              wadi_error *err);

#endif
