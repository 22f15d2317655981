/* The kernel cache: compiled kernels, found again by what they were made from.
 *
 * The key of an entry, which is also its name, is the BLAKE2b of the text, the options, the compiler and the processor. An
 * entry is a shared object followed by its key and the digest of both, in one file (base/outfile.h). So if two processes
 * compile the same text, one wins and both are right. The key is in the object, too. What is loaded is the open file that was
 * examined. An entry that is cut, changed, or of another key is compiled anew. If there is no folder for entries
 * (base/user_cache.h), if it is full, or if nothing in it may be executed, kernels are loaded from memory. */
#ifndef WADI_CODEGEN_BUILD_CACHE_H
#define WADI_CODEGEN_BUILD_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dl.h"
#include "codegen/build/target.h"

/* How a module came to be loaded. */
typedef struct wadi_cache_report {
    bool compiled;      /* false: found in the cache */
    bool damaged;       /* an entry was there and did not verify */
    char path[1024];    /* the entry; "": there is no folder */
    int64_t compile_ns; /* 0 when found */
} wadi_cache_report;

/* Loads the module with the text `source` for `target`, building it if the cache does not have it. The caller closes *out.
 * `report` may be NULL. Errors: WADI_COMPILE, WADI_IO, WADI_INVALID (a folder that
 * others can write to). Thread-safe. */
WADI_NODISCARD wadi_status wadi_cache_load(const char *source, const wadi_target *target,
                                           wadi_dl *out, wadi_cache_report *report,
                                           wadi_error *err);
/* The same where nobody waits for it: the compiler leaves the processors to work that matters more. */
WADI_NODISCARD wadi_status wadi_cache_load_gently(const char *source, const wadi_target *target,
                                                  wadi_dl *out, wadi_cache_report *report,
                                                  wadi_error *err);
/* Loads the module if the cache has it. False: it has not. */
bool wadi_cache_find(const char *source, const wadi_target *target, wadi_dl *out);
/* Removes the entry: what was loaded is not what was wanted. */
void wadi_cache_forget(const char *source, const wadi_target *target);
/* Removes from the folder what killed processes have left. Returns how many files and folders that were. */
int wadi_cache_sweep(const char *folder);

#endif
