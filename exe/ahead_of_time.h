/* Kernels made ahead of time, as an executable makes and takes them. A bundle has, for each version of a body, the version itself, found by
 * the plan, and its images, found by the text of its kernels (codegen/build/bundles.h). So a version that is in a bundle is neither lowered
 * nor written as text. */
#ifndef WADI_EXE_AHEAD_OF_TIME_H
#define WADI_EXE_AHEAD_OF_TIME_H

#include "codegen/build/bundles.h"
#include "exe/exe.h"

/* ---- stored.c ---- */

/* The key of a version in a bundle: of all that decides its steps and the text of its kernels. The caller holds the lock or is alone. */
WADI_NODISCARD wadi_status wadi_exe_stored_key(wadi_exe *exe, int body, wadi_version_key version,
                                               const wadi_language *language, uint8_t out[32]);
/* The bytes of a version in a bundle: the digest of the text of its kernels, and its steps and tables. False: it cannot be stored. */
bool wadi_exe_store(const wadi_made *made, wadi_text *out);
/* The digest of the text of its kernels. */
WADI_NODISCARD wadi_status wadi_exe_text_digest(const wadi_made *made, uint8_t out[32]);
/* Takes the version out of the bundles and loads its image. The caller holds the lock, which is let go of meanwhile. False: it is not
 * there. */
bool wadi_exe_load_stored(wadi_exe *exe, wadi_exe_version *v);

/* ---- build.c ---- */

/* wadi_exe_build for one body and one target, beside a run: gently, and ended with the thread's task. Errors: also WADI_CANCELLED. */
WADI_NODISCARD wadi_status wadi_exe_build_for_worker(wadi_exe *exe, const char *target, int body,
                                                     const char *path, wadi_error *err);
/* If $WADI_BUILD_KERNELS names a bundle, makes the kernels of the executable into it, and has it looked into. */
WADI_NODISCARD wadi_status wadi_exe_record(wadi_exe *exe, wadi_error *err);

#endif
