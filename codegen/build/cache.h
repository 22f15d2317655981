/* The kernel cache: images of kernels (sched/image.h), found again by what they were made from.
 *
 * The key of an entry, which is also its name, is the BLAKE2b of the text, of all that the language says of how it is built (for C the
 * options, the compiler and the processor), and of the machine that the device's images are for. An entry is an image followed by its key and the digest of both, in one file
 * (base/outfile.h). So if two processes compile the same text, one wins and both are right. The key is in the image, too. A device is
 * handed the open file that was examined. An entry that is cut, changed, or of another key is compiled anew. If there is no folder for
 * entries (base/user_cache.h), or if it is full, kernels are loaded from memory. */
#ifndef WADI_CODEGEN_BUILD_CACHE_H
#define WADI_CODEGEN_BUILD_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codegen/build/target.h"

/* How an image came to be loaded. */
typedef struct wadi_cache_report {
    bool compiled;      /* false: found in the cache */
    bool damaged;       /* an entry was there and did not verify */
    char path[1024];    /* the entry; "": there is no folder */
    int64_t compile_ns; /* 0 when found */
} wadi_cache_report;

/* Loads the image of the text `source` for `target`, with fast math or without, with `images`, which take the target's language, building it if the cache does not
 * have it. The caller unloads *out. `report` may be NULL. Errors: WADI_COMPILE, WADI_IO, WADI_INVALID (a folder that others can
 * write to). Thread-safe. */
WADI_NODISCARD wadi_status wadi_cache_load(const char *source, const wadi_target *target, bool fast,
                                           const wadi_image_ops *images, wadi_kernels *out,
                                           wadi_cache_report *report, wadi_error *err);
/* The same at low priority, for modules that nobody waits for. */
WADI_NODISCARD wadi_status wadi_cache_load_gently(const char *source, const wadi_target *target,
                                                  bool fast, const wadi_image_ops *images,
                                                  wadi_kernels *out, wadi_cache_report *report,
                                                  wadi_error *err);
/* Loads the image if the cache has it. False: it has not. */
bool wadi_cache_find(const char *source, const wadi_target *target, bool fast,
                     const wadi_image_ops *images, wadi_kernels *out);
/* Whether a file of that name in the folder is an entry. */
bool wadi_cache_is_entry(const char *name);
/* Removes the entry, because the loaded module was not the right one. */
void wadi_cache_forget(const char *source, const wadi_target *target, bool fast,
                       const wadi_image_ops *images);
/* Removes what killed processes have left in the folder. Returns the number of files and folders removed. */
int wadi_cache_sweep(const char *folder);

#endif
