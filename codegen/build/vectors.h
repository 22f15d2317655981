/* Which loops of kernels in C use vectors, as text for people: by the loops' own comments, under the names that the user gave. */
#ifndef WADI_CODEGEN_BUILD_VECTORS_H
#define WADI_CODEGEN_BUILD_VECTORS_H

#include "base/text.h"
#include "codegen/build/remarks.h"
#include "codegen/build/target.h"

/* Appends a line for each innermost loop of the kernels, and for others that use vectors, under what it computes. Left out are loops that
 * compute shapes and count units of work, those of a few rounds that are not meant for vectors, and those of up to 16 rounds of which the
 * compiler says nothing, since it writes them out. mark: what each kernel begins with. remarks: what the compiler said of the text. False:
 * out of memory. */
bool wadi_vectors_print(const char *source, const char *mark, const wadi_remarks *remarks,
                        wadi_text *out);
/* The same with a heading that names the compiler, which is run on the text for this. Errors: those of wadi_cc_run, WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_vectors_write(const wadi_image_builder *cc, const char *source,
                                              const char *mark, wadi_text *out, wadi_error *err);

#endif
