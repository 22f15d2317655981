/* Kernels made ahead of time: a program then starts without a compiler, and sooner than with one.
 *
 * Kernels of a program are made once, for several kinds of processors, into a file, a bundle: by `wadi build` for a program as text, by
 * wadi_exe_build for one that is built by calls, or by running any program with $WADI_BUILD_KERNELS set to the file: then whatever it
 * compiles is added. A run takes from a bundle what was made from exactly its kernels by exactly this version of wadi, for the best
 * target that the processor supports, and compiles what is missing. Results have the same bits. docs/INSTALL.md says where bundles are
 * looked for. */
#ifndef WADI_KERNELS_H
#define WADI_KERNELS_H

#include "wadi/run.h"

WADI_BEGIN_DECLS

/** Makes all kernels that runs of `exe` may choose, and writes them to the bundle `path`, beside those that are there already. targets: the
 *  targets to make them for, separated by commas ("x86-64-v2,x86-64-v4", "opencl", "cuda:sm_90"); NULL: $WADI_BUILD_TARGETS, or x86-64-v2,
 *  v3 and v4 (on ARM: armv8-a). The processor need not be able to run them. One process at a time may write to a bundle. Errors: WADI_INVALID
 *  (no such target), WADI_COMPILE, WADI_IO, WADI_MEMORY. Thread-safe. */
WADI_NODISCARD wadi_status wadi_exe_build(const wadi_exe *exe, const char *targets,
                                          const char *path, wadi_error *err);

/** Has the bundle `path` looked into before all others, from now on, by all executables of the process. Errors: WADI_IO, WADI_INVALID (it is
 *  no bundle, damaged, of another version of wadi, or everybody can write to it), WADI_MEMORY. Thread-safe. */
WADI_NODISCARD wadi_status wadi_kernels_use(const char *path, wadi_error *err);

WADI_END_DECLS

#endif
