/* The bundles that this process looks into for kernels made ahead of time.
 *
 * They are those that the program has named, and then every NAME.kernels in the folders for installed kernels: `kernels` in the folder of
 * modules (base/installed.h). If $WADI_KERNELS is set, its files and folders (separated by colons) instead; "none": no other. A bundle that
 * is found there and cannot be used is left out, and the log says why. All functions are thread-safe. */
#ifndef WADI_CODEGEN_BUILD_BUNDLES_H
#define WADI_CODEGEN_BUILD_BUNDLES_H

#include "base/text.h"
#include "codegen/build/bundle.h"
#include "codegen/build/target.h"

/* The key of an image: of the text with that digest, for the target. machine: wadi_image_ops. */
WADI_NODISCARD wadi_status wadi_bundles_image_key(const uint8_t text[32], const wadi_target *target,
                                                  const char *machine, bool fast, uint8_t out[32]);
/* Loads an image of the text with that digest: of `target`; if not `asked`, of the best target of its language that this processor
 * supports. The caller unloads *out. first: looked into before all others; NULL: none. False: there is none. */
bool wadi_bundles_load(const wadi_bundle *first, const uint8_t text[32], const wadi_target *target,
                       bool asked, bool fast, const wadi_image_ops *images, wadi_kernels *out);
/* Whether the processor is known to be able to run it, and it has a name of its own. */
bool wadi_bundles_fits(const wadi_target *t);
/* The thing of that key; the caller frees *out. first: as above. False: there is none. */
bool wadi_bundles_get(const wadi_bundle *first, const uint8_t key[32], char **out, size_t *out_n);
/* Whether there is no bundle. */
bool wadi_bundles_empty(void);
/* Has the bundle at `path` looked into first, from now on. Errors: those of wadi_bundle_open. */
WADI_NODISCARD wadi_status wadi_bundles_use(const char *path, wadi_error *err);
/* The function for the option --kernels in the option tables of programs (base/args.h): wadi_bundles_use. `options` is not used. */
WADI_NODISCARD wadi_status wadi_bundles_take(void *options, const char *value, wadi_error *err);
/* The files that would be looked into, and those that cannot be used: one call of `tell` each. why: NULL for those that can. */
void wadi_bundles_list(void (*tell)(void *env, const char *path, const wadi_bundle *b,
                                    const char *why),
                       void *env);
/* The folders, separated by colons; the caller frees it. NULL: out of memory. */
char *wadi_bundles_folders(void);

#endif
